"""Measuring along sequences: how often classes and alarms flip, and how far the most anomalous pixels move."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from caos.scenes.dataset.layout import Sample
from caos.scenes.labels import VOID, LabelTable
from caos.studies.framework.measuring import as_it_is
from caos.studies.framework.runs import StudiedRun
from caos.studies.framework.seeding import generator_for
from caos.studies.perturbations.perturbation import PerturbedFrame, bring_back, bring_back_by_places, make_perturbation
from caos.studies.perturbations.stability import (
    MapOfFrame,
    flag_flip_probability,
    flip_probability,
    top_score_distance,
)


@dataclass(frozen=True)
class SequenceNumbers:
    """What one run does along one sequence.

    Attributes:
        classes: Flip probability of the predicted classes.
        flags: Flip probability of the anomaly flag, by scorer.
        tops: Distance of the lists of the most anomalous pixels, by scorer.
        calibration_rms: RMS calibration error over all frames, their labels moved along.
        aurra: Area under their response rate accuracy curve.
        response: That curve, see :class:`caos.segmentation.training.calibration.Calibration`.
    """

    classes: float
    flags: Mapping[str, float]
    tops: Mapping[str, float]
    calibration_rms: float | None = None
    aurra: float | None = None
    response: tuple[float, ...] = ()


class FrameMaker(Protocol):
    """Makes sequences of frames."""

    def __call__(self, sample: Sample, table: LabelTable, perturbation: str) -> Sequence[PerturbedFrame]:
        """The sequence of a picture with its class ids; the same for every run."""

    def about(self, perturbation: str) -> Any:
        """What a sequence depends on besides its picture, JSON-ready."""


@dataclass(frozen=True)
class PaintedFrames:
    """Frames painted on the picture."""

    frames: int
    seed: int

    def __call__(self, sample: Sample, table: LabelTable, perturbation: str) -> Sequence[PerturbedFrame]:
        """See :class:`FrameMaker`."""
        rng = generator_for(self.seed, sample.key, perturbation)
        picture, ids = as_it_is(sample, table)
        return list(make_perturbation(perturbation).sequence(picture, rng, self.frames, ids))

    def about(self, perturbation: str) -> Any:
        """See :class:`FrameMaker`."""
        return [perturbation, self.frames, self.seed]


def measure_sequence(
    run: StudiedRun,
    sample: Sample,
    frames: Sequence[PerturbedFrame],
    thresholds: Mapping[str, float],
    *,
    against_first: bool,
) -> SequenceNumbers:
    """One run along one sequence; each frame passes through the network once for all scorers."""
    import torch

    from caos.segmentation.training.evaluate import SegmentationTally

    source, tally = run.source, SegmentationTally(run.source.labels.num_classes)
    classes: list[MapOfFrame] = []
    scores: dict[str, list[MapOfFrame]] = {column: [] for column in source.columns}
    for frame in frames:
        with torch.inference_mode():
            outputs = source.outputs(sample.key, frame.picture)
            if frame.labels is not None:
                known = np.where(frame.labels < source.labels.num_classes, frame.labels, VOID)
                tally.add(outputs.logits[None].cpu(), torch.from_numpy(known)[None])
            scored = source.score_outputs(outputs, frame.picture)
        assert scored.prediction is not None
        classes.append(_at_original(scored.prediction, frame))
        for column, values in scored.maps.items():
            scores[column].append(_at_original(values, frame))
    quality = tally.quality(source.labels)
    return SequenceNumbers(
        classes=flip_probability(classes, against_first=against_first),
        flags={c: flag_flip_probability(m, thresholds[c], against_first=against_first) for c, m in scores.items()},
        tops={c: top_score_distance(m, against_first=against_first) for c, m in scores.items()},
        calibration_rms=quality.calibration_rms,
        aurra=quality.aurra,
        response=quality.response,
    )


def _at_original(values: npt.NDArray[np.generic], frame: PerturbedFrame) -> MapOfFrame:
    if frame.places is not None:
        return MapOfFrame(*bring_back_by_places(values, frame.places))
    if np.array_equal(frame.matrix, np.eye(3)):
        return MapOfFrame(values, np.ones(values.shape, np.bool_))
    return MapOfFrame(*bring_back(values, frame.matrix))
