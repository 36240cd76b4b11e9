"""Stability along perturbation sequences: flip probability and rate, distance of top lists, flips of the anomaly flag.

Hendrycks and Dietterich 2019, sections 4.2 and C. A sequence is compared frame by frame with the frame before, or,
where frames are unrelated (noise), with the first. All maps of a sequence are at the same pixels: bring moved frames
back first (`perturbation.bring_back`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caos.foundation.errors import CaosError

TOP_SHARE: Final = 0.005
"""The paper's list holds 5 of 1000 classes; ours holds the same share of the pixels."""


class MapOfFrame(NamedTuple):
    """What was predicted for one frame: class ids or scores ``(h, w)``, and which pixels count."""

    values: NDArray[Any]
    valid: NDArray[np.bool_]


def flip_probability(maps: Iterable[MapOfFrame], *, against_first: bool = False) -> float:
    """FP: mean over the frames of the share of pixels, valid in both, whose class is not that of the other frame.

    The other frame is the one before, or the first.

    Raises:
        CaosError: If there are fewer than two frames, or two that share no valid pixel.
    """
    return _mean(_share_changed(*pair) for pair in _pairs(maps, against_first=against_first))


def flag_flip_probability(maps: Iterable[MapOfFrame], threshold: float, *, against_first: bool = False) -> float:
    """Flip probability of the anomaly flag: whether a pixel's score exceeds the threshold.

    Raises:
        CaosError: As :func:`flip_probability`.
    """
    flags = (MapOfFrame(values > threshold, valid) for values, valid in maps)
    return flip_probability(flags, against_first=against_first)


def score_ranks(scores: NDArray[np.floating[Any]]) -> NDArray[np.int64]:
    """The rank of each of a list of scores, 1 for the highest; of equals the earlier comes first.

    >>> score_ranks(np.array([0.1, 0.9, 0.5, 0.9])).tolist()
    [4, 1, 3, 2]
    """
    ranks = np.empty(scores.size, np.int64)
    ranks[np.argsort(-scores, axis=None, kind="stable")] = np.arange(1, scores.size + 1)
    return ranks


def top_distance(ranks: NDArray[np.int64], others: NDArray[np.int64], top: int = 5) -> int:
    """The paper's d between two rankings of the same things, by their lists of the ``top`` first.

    d = sum over i = 1..k of |i - min(s(i), k + 1)|, where s(i) is the rank in ``others`` of what has rank i in
    ``ranks``, and k is ``top``: what falls out of the list moves no further. (The paper writes the summand as a sum of
    indicators, 1(1 <= j - 1 <= 5) for j from min(i, s(i)) + 1 to max(i, s(i)).)

    >>> top_distance(np.arange(1, 9), np.array([3, 1, 2, 4, 5, 6, 7, 8]))
    4
    """
    listed = ranks <= top
    return int(np.abs(ranks[listed] - np.minimum(others[listed], top + 1)).sum())


def zipf_distance(ranks: NDArray[np.int64], others: NDArray[np.int64]) -> float:
    """The paper's distance for whole rankings: sum of w_i |w_i - w_s(i)| with w_i = 1 / i, s as in `top_distance`."""
    weights, moved = 1 / ranks, 1 / others
    return float((weights * np.abs(weights - moved)).sum())


def top_score_distance(
    maps: Iterable[MapOfFrame], *, top_share: float = TOP_SHARE, against_first: bool = False
) -> float:
    """The analogue of the unstandardised top-5 distance (uT5D), on ranks of pixels by their anomaly scores.

    The n pixels valid in both frames are ranked by score in each, the most anomalous first, and k = ``top_share`` n of
    them (rounded, at least one) are the list. Each pair of frames gives ``top_distance`` / (k (k + 1) / 2): 0 if the
    same pixels are listed in the same order, 1 if none of them stays in the list. (A list whose head leaves and whose
    tail moves up gives somewhat more than 1.) The mean over the frames is the sequence's. It asks whether a detector
    keeps pointing at the same pixels; it does not depend on the scale of the scores.

    Raises:
        CaosError: As :func:`flip_probability`, or if the share is not in (0, 1].
    """
    if not 0 < top_share <= 1:
        raise CaosError(f"the share of pixels in the list must be above 0 and at most 1, not {top_share}")
    return _mean(_top_part(*pair, top_share) for pair in _pairs(maps, against_first=against_first))


def flip_rate(probability: float, baseline: float) -> float:
    """FR, in parts of one: a flip probability (or top-list distance: T5D) over that of the baseline.

    Raises:
        CaosError: If the baseline's is zero.
    """
    if baseline <= 0:
        raise CaosError(f"a flip rate is undefined: the baseline's flip probability is {baseline}")
    return probability / baseline


def mean_flip_rate(probabilities: Mapping[str, float], baseline: Mapping[str, float]) -> float:
    """MFR: mean of the flip rates over perturbations (or of T5D: mT5D).

    Raises:
        CaosError: If the two do not name the same perturbations, or a rate is undefined.
    """
    if not probabilities or set(probabilities) != set(baseline):
        raise CaosError(
            f"the mean flip rate needs the same perturbations of run and baseline, not {sorted(probabilities)} "
            f"and {sorted(baseline)}"
        )
    return _mean(flip_rate(value, baseline[name]) for name, value in probabilities.items())


def _pairs(maps: Iterable[MapOfFrame], *, against_first: bool) -> Iterator[tuple[MapOfFrame, MapOfFrame]]:
    """Each frame but the first, with the one it is compared with before it."""
    other: MapOfFrame | None = None
    for frame in maps:
        if other is not None:
            yield other, frame
        if other is None or not against_first:
            other = frame


def _both_valid(one: MapOfFrame, other: MapOfFrame) -> NDArray[np.bool_]:
    valid = one.valid & other.valid
    if not valid.any():
        raise CaosError("two frames of a sequence share no valid pixel; nothing can be compared")
    return valid


def _share_changed(one: MapOfFrame, other: MapOfFrame) -> float:
    valid = _both_valid(one, other)
    return float(((one.values != other.values) & valid).sum() / valid.sum())


def _top_part(one: MapOfFrame, other: MapOfFrame, top_share: float) -> float:
    valid = _both_valid(one, other)
    ranks, others = score_ranks(one.values[valid]), score_ranks(other.values[valid])
    top = max(round(top_share * ranks.size), 1)
    return top_distance(ranks, others, top) / (top * (top + 1) / 2)


def _mean(values: Iterable[float]) -> float:
    found = list(values)
    if not found:
        raise CaosError("a sequence needs at least two frames to be compared")
    return float(np.mean(found))
