"""Measuring under corruption: one pass over a set for each condition, each picture read and spoilt once for all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from caos.foundation.errors import CaosError
from caos.ood_scores.measuring import metrics
from caos.ood_scores.measuring.protocols import PROTOCOLS
from caos.ood_scores.sources.source import read_picture
from caos.scenes.labels import VOID, LabelTable
from caos.scenes.layout import Sample, read_class_ids
from caos.studies.corruptions.corruption import make_corruption
from caos.studies.perturbations.stability import alarm_threshold
from caos.studies.runs import StudiedRun
from caos.studies.seeding import generator_for

if TYPE_CHECKING:
    from caos.segmentation.evaluate import SegmentationTally

FALSE_ALARMS: Final = 0.05
"""Share of the ordinary pixels of clean pictures that a detector flags: its threshold is set by it."""
SAMPLED: Final = 4096
"""Ordinary pixels of a picture that the threshold is set by."""
CURVE_POINTS: Final = 21


@dataclass(frozen=True)
class Condition:
    """A corruption at one severity, or clean pictures: no corruption, severity 0."""

    corruption: str | None = None
    severity: int = 0

    @property
    def name(self) -> str:
        """For files."""
        return "clean" if self.corruption is None else f"{self.corruption}-{self.severity}"


@dataclass(frozen=True)
class ScorerRow:
    """One scorer on one picture; the first three are None where the picture has no hazard.

    Attributes:
        auroc: As CAOS defines it.
        aupr: Average precision.
        fpr95: As CAOS defines it.
        false_alarms: Share of the ordinary pixels above the threshold that was set on clean pictures.
    """

    auroc: float | None
    aupr: float | None
    fpr95: float | None
    false_alarms: float


@dataclass(frozen=True)
class ConditionNumbers:
    """What one run does under one condition.

    Attributes:
        miou: Mean IoU of the classes that are there.
        calibration_rms: RMS calibration error.
        aurra: Area under the response rate accuracy curve.
        response: Accuracy of the most confident share of the pixels, at evenly spaced shares up to all.
        rows: By scorer, one a picture.
        thresholds: By scorer; set on clean pictures.
    """

    miou: float
    calibration_rms: float | None
    aurra: float | None
    response: tuple[float, ...]
    rows: Mapping[str, tuple[ScorerRow, ...]]
    thresholds: Mapping[str, float]

    def json(self) -> Any:
        """The same, JSON-ready."""
        return asdict(self)


def measure(
    condition: Condition,
    runs: Mapping[StudiedRun, Mapping[str, float] | None],
    samples: Sequence[Sample],
    seed: int,
    done: Callable[[str], None],
) -> dict[str, ConditionNumbers]:
    """The numbers of every run under one condition.

    Args:
        condition: What happens to the pictures.
        runs: Each with its thresholds, or None to set them by these pictures.
        samples: The pictures.
        seed: Of what the corruption draws.
        done: Called with the key of each finished picture.

    Raises:
        CaosError: If a picture cannot be read or is too small.
    """
    tables = {run.dataset.labels.digest: run.dataset.labels for run in runs}
    passes = {run.name: _RunPass(run, thresholds) for run, thresholds in runs.items()}
    for sample in samples:
        spoilt = {digest: spoil(sample, table, condition, seed) for digest, table in tables.items()}
        for run in runs:
            passes[run.name].add(sample, *spoilt[run.dataset.labels.digest])
        done(sample.key)
    return {name: one.numbers() for name, one in passes.items()}


def spoil(
    sample: Sample, table: LabelTable, condition: Condition, seed: int
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]:
    """A picture and its class ids under a condition; the same for every run."""
    picture, ids = read_picture(sample.image), read_class_ids(sample, table)
    if condition.corruption is None:
        return picture, ids
    rng = generator_for(seed, sample.key, condition.corruption, condition.severity)
    return make_corruption(condition.corruption).corrupt_pair(picture, ids, condition.severity, rng)


class _RunPass:
    """One run over the pictures of one condition."""

    def __init__(self, run: StudiedRun, thresholds: Mapping[str, float] | None) -> None:
        from caos.segmentation.evaluate import SegmentationTally

        self._run, self._thresholds = run, thresholds
        self._tally: SegmentationTally = SegmentationTally(run.source.labels.num_classes)
        self._measured: dict[str, list[tuple[metrics.Measures | None, npt.NDArray[np.float32]]]] = {
            column: [] for column in run.source.columns
        }

    def add(self, sample: Sample, picture: npt.NDArray[np.uint8], ids: npt.NDArray[np.uint8]) -> None:
        """Score one picture with one forward pass."""
        import torch

        source = self._run.source
        known = np.where(ids < source.labels.num_classes, ids, VOID)
        with torch.inference_mode():
            outputs = source.outputs(sample.key, picture)
            self._tally.add(outputs.logits[None].cpu(), torch.from_numpy(known)[None])
            scored = source.score_outputs(outputs, picture)
        anomalous = np.isin(ids, source.labels.anomaly_ids)
        for column, scores in scored.maps.items():
            self._measured[column].append(_measured(scores, anomalous, sample))

    def numbers(self) -> ConditionNumbers:
        """What all the pictures say together."""
        thresholds = dict(self._thresholds or {c: _threshold(rows) for c, rows in self._measured.items()})
        quality = self._tally.quality(self._run.source.labels)
        return ConditionNumbers(
            miou=quality.miou_present,
            calibration_rms=quality.calibration_rms,
            aurra=quality.aurra,
            response=response_curve(self._tally.cells.cpu().numpy()),
            rows={c: tuple(_row(*one, thresholds[c]) for one in rows) for c, rows in self._measured.items()},
            thresholds=thresholds,
        )


def _measured(
    scores: npt.NDArray[np.float32], anomalous: npt.NDArray[np.bool_], sample: Sample
) -> tuple[metrics.Measures | None, npt.NDArray[np.float32]]:
    """The measures of one map, where it has both kinds of pixels, and some of its ordinary scores."""
    ordinary = scores[~anomalous]
    if not ordinary.size:
        raise CaosError(f"{sample.annotation} has no ordinary pixel")
    sampled = ordinary[:: max(1, ordinary.size // SAMPLED)]
    if not anomalous.any():
        return None, sampled
    return PROTOCOLS["caos"].measure(metrics.count(scores, anomalous, where=str(sample.image))), sampled


def _threshold(rows: Sequence[tuple[metrics.Measures | None, npt.NDArray[np.float32]]]) -> float:
    return alarm_threshold(np.concatenate([sampled for _, sampled in rows]), FALSE_ALARMS)


def _row(found: metrics.Measures | None, ordinary: npt.NDArray[np.float32], threshold: float) -> ScorerRow:
    flagged = float(np.mean(ordinary > threshold))
    if found is None:
        return ScorerRow(None, None, None, flagged)
    return ScorerRow(found.auroc, found.aupr, found.fpr95, flagged)


def response_curve(cells: npt.NDArray[np.float64]) -> tuple[float, ...]:
    """Accuracy of the most confident 5 %, 10 % ... of the pixels, the last of all of them.

    Args:
        cells: As :class:`caos.segmentation.evaluate.SegmentationTally` counts them, confidence ascending.

    >>> cells = np.array([[60.0, 30.0, 30.0], [40.0, 40.0, 39.0]])
    >>> [round(value, 3) for value in response_curve(cells)[::5]]
    [1.0, 1.0, 0.9, 0.767, 0.7]
    """
    count, right = np.cumsum(cells[::-1, 0]), np.cumsum(cells[::-1, 1])
    if not count[-1]:
        return ()
    # The first point is that of the single most confident cell.
    shares = np.linspace(0, 1, CURVE_POINTS) * count[-1]
    shares[0] = count[np.flatnonzero(count)[0]]
    answered = np.interp(shares, np.append(0.0, count), np.append(0.0, right))
    return tuple(float(value) for value in answered / shares)
