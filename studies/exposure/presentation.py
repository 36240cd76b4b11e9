"""Presentation of an exposure study: what each step was worth, in words, tables and bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from caos.foundation.storage.identity import FileHashes
from caos.ood_scores.measuring.protocols import Protocol
from caos.ood_scores.report.pixel_words import pixel_words
from caos.ood_scores.results import METRICS, Results
from caos.studies.exposure.arms import Arm
from caos.studies.framework.study import Finding
from caos.studies.presentation.plots import Axis, Bar, BarPlot
from caos.studies.presentation.tables import Better, Cell, Estimate, StudyTable, TableColumn
from caos.studies.transfer.entries import Entry

TITLE: Final = "What each step of exposure is worth"
TITLES: Final = {"auroc": "AUROC", "aupr": "AP", "fpr95": "FPR95"}
BETTER: Final[Mapping[str, Better]] = {"auroc": "higher", "aupr": "higher", "fpr95": "lower"}
NEGATIVE_FREE: Final = "none"


@dataclass(frozen=True, eq=False)
class ScoredArm:
    """The results of one arm on one set.

    Attributes:
        arm: What was trained.
        set: What it was scored on.
        results: The numbers; the first scorer stands in the tables.
        run: Folder of the run.
        miou: Of the ordinary classes on the study's own test part.
    """

    arm: Arm
    set: str
    results: Results
    run: Path
    miou: float

    @property
    def entry(self) -> Entry:
        """As other studies see it."""
        return Entry(self.arm.name, self.set, self.results)

    @property
    def scorer(self) -> str:
        """The one that stands in the tables."""
        return self.results.content.columns[0]

    def identity(self, hashes: FileHashes) -> Any:
        """What its numbers follow from."""
        return [self.entry.identity(hashes), self.arm.step, self.miou]

    def estimate(self, metric: str, protocol: str, scorer: str | None = None) -> Estimate:
        """A measure with its interval."""
        found = self.results.measured(scorer or self.scorer, protocol).metric(metric)
        return Estimate(found.value, found.low, found.high)


def present(
    scored: Sequence[ScoredArm], protocols: Sequence[str], left_out: Mapping[str, str], seed: int, draws: int
) -> Finding:
    """What the study found; differences are against the first arm on the same images."""
    gains = _Gains(scored, seed, draws)
    sets = list(dict.fromkeys(one.set for one in scored))
    tables = [_table(scored, name, protocol, gains) for name in sets for protocol in protocols]
    return Finding(
        title=TITLE,
        lead=_lead(scored, protocols[-1], gains, left_out),
        tables=(_everything(scored, protocols, gains), *tables),
        plots=tuple(_bars(scored, name, protocols[-1]) for name in sets),
        details=_details(scored, protocols, left_out),
    )


class _Gains:
    """Differences of each arm to the reference, with intervals over the same images drawn anew for both."""

    def __init__(self, scored: Sequence[ScoredArm], seed: int, draws: int) -> None:
        self._reference = {one.set: one for one in reversed(scored) if one.arm == scored[0].arm}
        self._seed, self._number = seed, draws
        self._drawn: dict[tuple[str, str, str], Mapping[str, Mapping[str, Any]]] = {}

    def of(self, one: ScoredArm, metric: str, protocol: str) -> Estimate | None:
        """The difference; None for the reference itself."""
        reference = self._reference[one.set]
        if one.arm == reference.arm:
            return None
        value = one.estimate(metric, protocol).value - reference.estimate(metric, protocol).value
        ours, theirs = (self._draws(each, protocol) for each in (one, reference))
        if not ours or not theirs:
            return Estimate(value, value, value)
        apart = ours[metric][one.scorer] - theirs[metric][reference.scorer]
        low, high = np.quantile(apart, [0.025, 0.975]).tolist()
        return Estimate(value, min(low, value), max(high, value))

    def _draws(self, one: ScoredArm, protocol: str) -> Mapping[str, Mapping[str, Any]]:
        key = (one.arm.name, one.set, protocol)
        if key not in self._drawn:
            found: Protocol = one.entry.protocols[protocol]
            self._drawn[key] = one.entry.draws(found, self._seed, self._number)
        return self._drawn[key]


def _negatives(one: ScoredArm) -> str:
    """The loss that a run learnt negatives by, where they came from, and how many there were."""
    from caos.segmentation.prediction.checkpoint import read_run

    used = read_run(one.run).record.negatives
    if used is None:
        return NEGATIVE_FREE
    counts = [f"{used.images} images"] * bool(used.images) + [f"{used.cutouts} cut-outs"] * bool(used.cutouts)
    return ", ".join([str(used), *counts])


def _minutes(one: ScoredArm) -> float:
    from caos.segmentation.prediction.checkpoint import read_run

    return read_run(one.run).record.results.training_seconds / 60


def _table(scored: Sequence[ScoredArm], name: str, protocol: str, gains: _Gains) -> StudyTable:
    """The arms on one set by one definition."""
    columns = (
        TableColumn("arm", "arm"),
        TableColumn("step", "what it changes"),
        TableColumn("negatives", "negatives"),
        TableColumn("scorer", "scorer"),
        TableColumn("miou", "mIoU", "percent", better="higher"),
        *(TableColumn(metric, TITLES[metric], "percent", better=BETTER[metric]) for metric in ("auroc", "aupr")),
        TableColumn("aupr_gain", "AP gain", "percent"),
        TableColumn("fpr95", "FPR95", "percent", better="lower"),
    )
    here = [one for one in scored if one.set == name]
    rows = tuple(
        (
            *(one.arm.name, one.arm.step, _negatives(one), one.scorer, one.miou),
            *(one.estimate(metric, protocol) for metric in ("auroc", "aupr")),
            gains.of(one, "aupr", protocol),
            one.estimate("fpr95", protocol),
        )
        for one in here
    )
    about = here[0].results.content
    definition = next(p for p in about.protocols if p.name == protocol)
    note = (
        f"{about.dataset.images} images of {about.dataset.name}; {definition.aggregation}. Percent, with 95 % "
        f"intervals over resampled images. {pixel_words(about, definition)} "
        "Runs with and without negatives are two groups: compare within them. "
        "mIoU: of the ordinary classes, on the set's own test part; AP gain: against the first arm."
    )
    key = f"{protocol}-{list(dict.fromkeys(one.set for one in scored)).index(name)}"
    return StudyTable(key, f"{name}, {protocol}", note, columns, rows, ("markdown", "page"))


def _everything(scored: Sequence[ScoredArm], protocols: Sequence[str], gains: _Gains) -> StudyTable:
    """Every arm, set, definition and scorer, for programs."""
    columns = (
        *(TableColumn(key, key) for key in ("arm", "set", "protocol", "scorer", "in_tables", "negatives")),
        TableColumn("miou", "ordinary mIoU", "percent"),
        TableColumn("minutes", "minutes of training", "number"),
        *(TableColumn(metric, TITLES[metric], "percent", better=BETTER[metric]) for metric in METRICS),
        *(TableColumn(f"{metric}_gain", f"{TITLES[metric]} gain", "percent") for metric in METRICS),
    )
    rows: list[tuple[Cell, ...]] = []
    for one in scored:
        for protocol in protocols:
            for scorer in one.results.content.columns:
                shown = scorer == one.scorer
                told = (one.arm.name, one.set, protocol, scorer, "yes" if shown else "no", _negatives(one))
                measured = (one.estimate(metric, protocol, scorer) for metric in METRICS)
                gained = (gains.of(one, metric, protocol) if shown else None for metric in METRICS)
                rows.append((*told, one.miou, _minutes(one), *measured, *gained))
    return StudyTable("table", "Everything", "", columns, tuple(rows), ("csv",))


def _bars(scored: Sequence[ScoredArm], name: str, protocol: str) -> BarPlot:
    def bar(one: ScoredArm) -> Bar:
        found = one.estimate("aupr", protocol)
        return Bar(one.arm.name, found.value, (found.low, found.high))

    bars = tuple(bar(one) for one in scored if one.set == name)
    return BarPlot(f"AP on {name}", f"By {protocol}.", Axis("AP", 0.0, 1.0, is_percent=True), bars)


def _lead(scored: Sequence[ScoredArm], protocol: str, gains: _Gains, left_out: Mapping[str, str]) -> str:
    sentences = []
    for name in dict.fromkeys(one.set for one in scored):
        here = [one for one in scored if one.set == name]
        sentences.append(_sentence(here, name, protocol, gains))
    sentences += [f"Left out: {arm} ({reason})." for arm, reason in left_out.items()]
    return " ".join(sentences)


def _sentence(here: Sequence[ScoredArm], name: str, protocol: str, gains: _Gains) -> str:
    reference = here[0]
    start = f"On {name} ({protocol}) the arm {reference.arm.name!r} has an AP of {_percent(reference, protocol)}"
    others = [(gain.value, one) for one in here if (gain := gains.of(one, "aupr", protocol)) is not None]
    if not others:
        return f"{start}."
    best, worst = max(others, key=lambda pair: pair[0]), min(others, key=lambda pair: pair[0])
    told = [f"{one.arm.name!r} {_points(value)}" for value, one in dict.fromkeys((best, worst))]
    return f"{start}; against it {' and '.join(told)}."


def _points(value: float) -> str:
    """A gain in words.

    >>> _points(0.0123), _points(-0.05), _points(-0.0001)
    ('gains 1.2 points', 'loses 5.0 points', 'makes no difference')
    """
    size = f"{abs(100 * value):.1f}"
    return "makes no difference" if not float(size) else f"{'gains' if value > 0 else 'loses'} {size} points"


def _percent(one: ScoredArm, protocol: str) -> str:
    return f"{100 * one.estimate('aupr', protocol).value:.1f} %"


def _details(scored: Sequence[ScoredArm], protocols: Sequence[str], left_out: Mapping[str, str]) -> dict[str, Any]:
    def row(one: ScoredArm) -> dict[str, Any]:
        measures = {
            protocol: {
                scorer: {metric: one.results.value(scorer, metric, protocol) for metric in METRICS}
                for scorer in one.results.content.columns
            }
            for protocol in protocols
        }
        changes = {"train": {key: str(value) for key, value in one.arm.train.items()}, "drop": list(one.arm.drop)}
        return {
            "arm": one.arm.name, "step": one.arm.step, **changes, "set": one.set, "scorer": one.scorer,
            "negatives": _negatives(one), "miou": one.miou, "minutes": _minutes(one), "measures": measures,
        }  # fmt: skip

    return {"arms": [row(one) for one in scored], "left out": dict(left_out)}
