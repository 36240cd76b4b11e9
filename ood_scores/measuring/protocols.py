"""Protocols: what each benchmark means by its numbers, as data.

Which rule for FPR95 and AUPR, pooled or not, what is left out. The same detector scores differently under each; a
number without its protocol says little. Add a row to ``PROTOCOLS`` and it can be asked for by name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from caos.foundation.errors import CaosError, unknown
from caos.ood_scores.measuring import metrics
from caos.ood_scores.measuring.metrics import Counts, Measures, RecallRule

Aupr = Literal["average precision", "trapezoid"]
Aggregation = Literal["mean over images", "pooled pixels"]


@dataclass(frozen=True)
class Protocol:
    """One benchmark's definitions.

    Attributes:
        name: How it is asked for.
        fpr95: Rule that picks the threshold, see :func:`caos.ood_scores.measuring.metrics.fpr_at_recall`.
        aupr: ``average precision`` (sum of steps) or ``trapezoid`` (straight lines, optimistic).
        aggregation: One number per image and their mean, or one number for the pixels of all images together.
        aggregation_on: Families of label tables on which the benchmark aggregates otherwise; see :func:`family_of`.
        ignores_void: Whether pixels of ignored classes and void labels are left out (else they count as ordinary).
        ignores_classes: Names of ordinary classes whose pixels are left out.
        source: Where the definition comes from.
        note: What to know before comparing.
    """

    name: str
    fpr95: RecallRule
    aupr: Aupr
    aggregation: Aggregation
    ignores_void: bool
    ignores_classes: tuple[str, ...]
    source: str
    note: str
    aggregation_on: tuple[tuple[str, Aggregation], ...] = ()

    def on(self, label_table: str) -> Protocol:
        """The protocol as the benchmark applies it to sets with this label table."""
        chosen = dict(self.aggregation_on).get(family_of(label_table), self.aggregation)
        return replace(self, aggregation=chosen, aggregation_on=())

    @property
    def is_pooled(self) -> bool:
        """Whether the pixels of all images are measured together."""
        return self.aggregation == "pooled pixels"

    def measure(self, counts: Counts) -> Measures:
        """The three numbers of one set of pixels by this protocol's definitions."""
        aupr = metrics.average_precision if self.aupr == "average precision" else metrics.trapezoid_aupr
        return Measures(
            auroc=metrics.auroc(counts),
            aupr=aupr(counts),
            fpr95=metrics.fpr_at_recall(counts, 0.95, self.fpr95),
            positives=counts.positives,
            negatives=counts.negatives,
        )

    @property
    def ignored(self) -> str:
        """What is left out, in words."""
        return " and ".join(["void"] * self.ignores_void + [f"class {n!r}" for n in self.ignores_classes]) or "nothing"

    @property
    def aggregated(self) -> str:
        """The aggregation on every kind of set, in words."""
        return "; ".join([self.aggregation, *(f"{kind} on {family}" for family, kind in self.aggregation_on)])


def family_of(label_table: str) -> str:
    """The family of sets that a label table belongs to.

    >>> family_of("streethazards-12"), family_of("bdd-anomaly:rider+bus")
    ('streethazards', 'bdd-anomaly')
    """
    return label_table.partition(":")[0].removesuffix("-12")


PROTOCOLS: Final[dict[str, Protocol]] = {
    row.name: row
    for row in (
        Protocol(
            "caos",
            fpr95="nearest",
            aupr="average precision",
            aggregation="mean over images",
            ignores_void=False,
            ignores_classes=(),
            source="Hendrycks et al., Scaling Out-of-Distribution Detection for Real-World Settings; code anomaly-seg",
            note="a mask with recall 0.90 and no false positive gets FPR95 = 0; images with one kind of pixel left out",
        ),
        Protocol(
            "pytorch-ood",
            fpr95="at least",
            aupr="trapezoid",
            aggregation="mean over images",
            ignores_void=True,
            ignores_classes=(),
            source="pytorch-ood, OODMetrics in segmentation mode",
            note="the trapezoid gives a constant detector an AUPR of about one half",
        ),
        Protocol(
            "openood",
            fpr95="at least",
            aupr="trapezoid",
            aggregation="pooled pixels",
            ignores_void=False,
            ignores_classes=(),
            source="OpenOOD 1.5, compute_all_metrics",
            note="OpenOOD draws its ROC curve without collinear points, which can move FPR95 slightly; here all stay",
        ),
        Protocol(
            "densehybrid",
            fpr95="above",
            aupr="average precision",
            aggregation="pooled pixels",
            ignores_void=True,
            ignores_classes=("other",),
            source="Grcic et al., DenseHybrid, ECCV 2022",
            note="pixels of class 'other' (PNG value 4) are left out, whether it is a trained class or void",
            aggregation_on=(("streethazards", "mean over images"),),
        ),
        Protocol(
            "densehybrid-roc",
            fpr95="at a corner above",
            aupr="average precision",
            aggregation="pooled pixels",
            ignores_void=True,
            ignores_classes=("other",),
            source="code of DenseHybrid, evaluations/base.py",
            note="as densehybrid, but of the thresholds that scikit-learn's roc_curve keeps; it drops points on a line",
            aggregation_on=(("streethazards", "mean over images"),),
        ),
        Protocol(
            "smiyc",
            fpr95="at least",
            aupr="average precision",
            aggregation="pooled pixels",
            ignores_void=True,
            ignores_classes=(),
            source="Chan et al., SegmentMeIfYouCan, NeurIPS 2021 (pixel metrics; components come with every run)",
            note="the original bins each image into 768 quantiles of float16 scores; here every score counts as it is",
        ),
    )
}
"""The protocols by name, in the order of the tables."""
DEFAULT: Final = "caos"
WITHOUT_VOID: Final = "smiyc"
"""The default on sets whose void pixels are left out."""
FRAMES_WITHOUT_VOID: Final = "pytorch-ood"
"""By which single images of such sets are measured, where no other per-image protocol is asked for."""


def default_protocol(*, leaves_void_out: bool) -> Protocol:
    """The protocol of a set for which none is asked for; see :mod:`caos.ood_scores.evaluation.void_pixels`."""
    return PROTOCOLS[WITHOUT_VOID if leaves_void_out else DEFAULT]


def frame_protocol(protocols: Sequence[Protocol], *, leaves_void_out: bool) -> Protocol:
    """The protocol of single images, of groups of them and of tests between scorers.

    That of the CAOS paper; on sets whose void is left out the first per-image protocol asked for, one that leaves void
    out before others, or pytorch-ood's.

    Args:
        protocols: Those asked for, as they apply to the set.
        leaves_void_out: Whether void is left out on the set unless a protocol says otherwise.
    """
    if not leaves_void_out:
        return PROTOCOLS[DEFAULT]
    per_image = sorted((one for one in protocols if not one.is_pooled), key=lambda one: not one.ignores_void)
    return per_image[0] if per_image else PROTOCOLS[FRAMES_WITHOUT_VOID]


def protocols_by_name(names: str) -> tuple[Protocol, ...]:
    """The protocols of a comma-separated list, in its order; ``all`` for every one.

    Raises:
        CaosError: If a name is unknown or the list is empty.
    """
    wanted = list(PROTOCOLS) if names.strip() == "all" else [name.strip() for name in names.split(",") if name.strip()]
    if not wanted:
        raise CaosError(f"no protocol in {names!r}; give one or more of {', '.join(PROTOCOLS)}")
    for name in wanted:
        if name not in PROTOCOLS:
            raise unknown("protocol", name, PROTOCOLS)
    return tuple(PROTOCOLS[name] for name in dict.fromkeys(wanted))
