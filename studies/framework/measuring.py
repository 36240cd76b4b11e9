"""Measuring of a run on pictures: errors, calibration and every scorer's numbers, from one forward pass a picture."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from caos.foundation.errors import CaosError
from caos.ood_scores.evaluation.void_pixels import left_out_pixels
from caos.ood_scores.measuring import metrics
from caos.ood_scores.measuring.protocols import PROTOCOLS
from caos.ood_scores.sources.source import read_picture
from caos.scenes.dataset.layout import Sample, read_class_ids
from caos.scenes.labels import VOID, LabelTable
from caos.studies.framework.runs import StudiedRun

if TYPE_CHECKING:
    from caos.segmentation.training.evaluate import SegmentationTally

FALSE_ALARMS: Final = 0.05
"""Share of the ordinary pixels of clean pictures that a detector flags: its threshold is set by it."""
SAMPLED: Final = 4096
"""Ordinary pixels of a picture that the threshold is set by."""
MEASURES: Final = ("auroc", "aupr", "fpr95", "false_alarms")
"""Of a scorer on a picture."""
Bytes = npt.NDArray[np.uint8]


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
class PictureNumbers:
    """What one run does on some pictures.

    Attributes:
        miou: Mean IoU of the classes that are there.
        calibration_rms: RMS calibration error.
        aurra: Area under the response rate accuracy curve.
        response: Accuracy of the most confident share of the pixels, at evenly spaced shares up to all.
        rows: By scorer, one a picture.
        thresholds: By scorer; set on clean pictures.
        keys: Of the pictures.
        mious: Mean IoU of each picture alone, over the classes that it shows.
    """

    miou: float
    calibration_rms: float | None
    aurra: float | None
    response: tuple[float, ...]
    rows: Mapping[str, tuple[ScorerRow, ...]]
    thresholds: Mapping[str, float]
    keys: tuple[str, ...] = ()
    mious: tuple[float, ...] = ()

    def json(self) -> Any:
        """The same, JSON-ready."""
        return asdict(self)


def as_it_is(sample: Sample, table: LabelTable) -> tuple[Bytes, Bytes]:
    """A picture ``(h, w, 3)`` and its class ids ``(h, w)``."""
    return read_picture(sample.image), read_class_ids(sample, table)


@dataclass(frozen=True, eq=False)
class ShownPictures:
    """Pictures that runs are measured on, under one condition.

    Attributes:
        name: Of the condition, for files.
        about: What the pictures depend on besides the set, JSON-ready.
        samples: The pictures.
        show: Gives a picture and its class ids by a label table.
    """

    name: str
    about: Any
    samples: Sequence[Sample]
    show: Callable[[Sample, LabelTable], tuple[Bytes, Bytes]] = as_it_is


def measure(
    shown: ShownPictures, runs: Mapping[StudiedRun, Mapping[str, float] | None], done: Callable[[str], None]
) -> dict[str, PictureNumbers]:
    """The numbers of every run; each picture is shown once for all runs that read its labels alike.

    Args:
        shown: The pictures.
        runs: Each with its thresholds, or None to set them by these pictures.
        done: Called with the key of each finished picture.

    Raises:
        CaosError: If a picture cannot be read or is too small.
    """
    tables = {run.dataset.labels.digest: run.dataset.labels for run in runs}
    passes = {run.name: RunPass(run, thresholds) for run, thresholds in runs.items()}
    for sample in shown.samples:
        pictures = {digest: shown.show(sample, table) for digest, table in tables.items()}
        for run in runs:
            passes[run.name].add(sample, *pictures[run.dataset.labels.digest])
        done(sample.key)
    return {name: one.numbers() for name, one in passes.items()}


class RunPass:
    """One run over the pictures of one condition; thresholds are set by these pictures where none are given."""

    def __init__(self, run: StudiedRun, thresholds: Mapping[str, float] | None) -> None:
        from caos.segmentation.training.evaluate import SegmentationTally

        self._run, self._thresholds = run, thresholds
        self._tally: SegmentationTally = SegmentationTally(run.source.labels.num_classes)
        self._keys: list[str] = []
        self._mious: list[float] = []
        self._measured: dict[str, list[tuple[metrics.Measures | None, npt.NDArray[np.float32]]]] = {
            column: [] for column in run.source.columns
        }

    def add(self, sample: Sample, picture: npt.NDArray[np.uint8], ids: npt.NDArray[np.uint8]) -> None:
        """Score one picture with one forward pass."""
        import torch

        from caos.segmentation.training.evaluate import SegmentationTally

        source = self._run.source
        known = np.where(ids < source.labels.num_classes, ids, VOID)
        with torch.inference_mode():
            outputs = source.outputs(sample.key, picture)
            before = self._tally.confusion.clone()
            self._tally.add(outputs.logits[None].cpu(), torch.from_numpy(known)[None])
            own = SegmentationTally(source.labels.num_classes)
            own.confusion += self._tally.confusion - before
            scored = source.score_outputs(outputs, picture)
        self._keys.append(sample.key)
        self._mious.append(own.quality(source.labels).miou_present)
        anomalous = np.isin(ids, source.labels.anomaly_ids)
        ignored = left_out_pixels(ids, source.labels)
        for column, scores in scored.maps.items():
            self._measured[column].append(_measured(scores, anomalous, ignored, sample))

    def numbers(self) -> PictureNumbers:
        """What all the pictures say together."""
        thresholds = dict(self._thresholds or {c: _threshold(rows) for c, rows in self._measured.items()})
        quality = self._tally.quality(self._run.source.labels)
        return PictureNumbers(
            miou=quality.miou_present,
            calibration_rms=quality.calibration_rms,
            aurra=quality.aurra,
            response=quality.response,
            rows={c: tuple(_row(*one, thresholds[c]) for one in rows) for c, rows in self._measured.items()},
            thresholds=thresholds,
            keys=tuple(self._keys),
            mious=tuple(self._mious),
        )


def _measured(
    scores: npt.NDArray[np.float32],
    anomalous: npt.NDArray[np.bool_],
    ignored: npt.NDArray[np.bool_],
    sample: Sample,
) -> tuple[metrics.Measures | None, npt.NDArray[np.float32]]:
    """The measures of one map, where it has both kinds of pixels, and some of its ordinary scores."""
    ordinary = scores[~(anomalous | ignored)]
    if not ordinary.size:
        raise CaosError(f"{sample.annotation} has no ordinary pixel")
    sampled = ordinary[:: max(1, ordinary.size // SAMPLED)]
    if not anomalous.any():
        return None, sampled
    return PROTOCOLS["caos"].measure(metrics.count(scores, anomalous, ignored, where=str(sample.image))), sampled


def _threshold(rows: Sequence[tuple[metrics.Measures | None, npt.NDArray[np.float32]]]) -> float:
    return alarm_threshold(np.concatenate([sampled for _, sampled in rows]), FALSE_ALARMS)


def _row(found: metrics.Measures | None, ordinary: npt.NDArray[np.float32], threshold: float) -> ScorerRow:
    flagged = float(np.mean(ordinary > threshold))
    if found is None:
        return ScorerRow(None, None, None, flagged)
    return ScorerRow(found.auroc, found.aupr, found.fpr95, flagged)


def alarm_threshold(ordinary_scores: npt.NDArray[np.floating[Any]], false_alarm_rate: float) -> float:
    """The lowest of these scores that at most that share of them exceeds.

    >>> alarm_threshold(np.array([0.1, 0.2, 0.3, 0.4]), 0.25)
    0.3

    Raises:
        CaosError: If there are no scores, or the rate is not in [0, 1).
    """
    if not 0 <= false_alarm_rate < 1:
        raise CaosError(f"the false-alarm rate must be at least 0 and below 1, not {false_alarm_rate}")
    count = ordinary_scores.size
    if count == 0:
        raise CaosError("no ordinary pixel to set the alarm's threshold by")
    # A rate of 0.05 of 20 is 1 alarm, which the product of floats may miss by a hair.
    allowed = int(np.floor(false_alarm_rate * count + 1e-9))
    position = count - 1 - allowed
    return float(np.partition(ordinary_scores, position, axis=None)[position])


def mean_of(numbers: Iterable[PictureNumbers], scorer: str, measure: str) -> float | None:
    """The mean of a scorer's measure over the pictures that have it, then over conditions."""
    means = []
    for one in numbers:
        values = [v for row in one.rows[scorer] if (v := getattr(row, measure)) is not None]
        if values:
            means.append(float(np.mean(values)))
    return float(np.mean(means)) if means else None


def mean_defined(values: Iterable[float | None]) -> float | None:
    """The mean of the values there are."""
    there = [value for value in values if value is not None]
    return float(np.mean(there)) if there else None
