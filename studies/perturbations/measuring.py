"""Measuring along sequences: how often classes and alarms flip, and how far the most anomalous pixels move."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from caos.ood_scores.sources.source import read_picture
from caos.scenes.layout import Sample
from caos.studies.perturbations.perturbation import PerturbedFrame, bring_back, make_perturbation
from caos.studies.perturbations.stability import (
    MapOfFrame,
    flag_flip_probability,
    flip_probability,
    top_score_distance,
)
from caos.studies.runs import StudiedRun
from caos.studies.seeding import generator_for


@dataclass(frozen=True)
class SequenceNumbers:
    """What one run does along one sequence.

    Attributes:
        classes: Flip probability of the predicted classes.
        flags: Flip probability of the anomaly flag, by scorer.
        tops: Distance of the lists of the most anomalous pixels, by scorer.
    """

    classes: float
    flags: Mapping[str, float]
    tops: Mapping[str, float]


def frames_of(sample: Sample, perturbation: str, frames: int, seed: int) -> list[PerturbedFrame]:
    """The sequence of a picture; the same for every run."""
    rng = generator_for(seed, sample.key, perturbation)
    return list(make_perturbation(perturbation).sequence(read_picture(sample.image), rng, frames))


def measure_sequence(
    run: StudiedRun,
    sample: Sample,
    frames: Sequence[PerturbedFrame],
    thresholds: Mapping[str, float],
    *,
    against_first: bool,
) -> SequenceNumbers:
    """One run along one sequence; each frame passes through the network once for all scorers."""
    classes: list[MapOfFrame] = []
    scores: dict[str, list[MapOfFrame]] = {column: [] for column in run.source.columns}
    for frame in frames:
        scored = run.source.score(sample, frame.picture)
        assert scored.prediction is not None
        classes.append(_at_original(scored.prediction, frame))
        for column, values in scored.maps.items():
            scores[column].append(_at_original(values, frame))
    return SequenceNumbers(
        classes=flip_probability(classes, against_first=against_first),
        flags={c: flag_flip_probability(m, thresholds[c], against_first=against_first) for c, m in scores.items()},
        tops={c: top_score_distance(m, against_first=against_first) for c, m in scores.items()},
    )


def _at_original(values: npt.NDArray[np.generic], frame: PerturbedFrame) -> MapOfFrame:
    if np.array_equal(frame.matrix, np.eye(3)):
        return MapOfFrame(values, np.ones(values.shape, np.bool_))
    return MapOfFrame(*bring_back(values, frame.matrix))
