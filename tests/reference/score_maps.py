"""Score maps of every kind that detectors write, drawn by Hypothesis.

A map begins as normally distributed logits, higher on anomalous pixels; a *kind* turns these into scores by a
non-decreasing function and a dtype. Small maps are drawn value by value instead, so that a failure shrinks to a few
pixels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

Scores = npt.NDArray[Any]
Mask = npt.NDArray[np.bool_]
Logits = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ScoredImage:
    """A score map with its truth.

    Attributes:
        kind: Name of the kind of scores.
        scores: ``(h, w)``, any real dtype; higher is more anomalous.
        anomalous: ``(h, w)``.
        ignore: ``(h, w)``, void pixels; never anomalous.
    """

    kind: str
    scores: Scores
    anomalous: Mask
    ignore: Mask

    @property
    def kept(self) -> tuple[Scores, Mask]:
        """Scores and truth of the pixels that are not void, flattened."""
        return self.scores[~self.ignore], self.anomalous[~self.ignore]


def _sigmoid(z: Logits) -> Logits:
    return np.asarray(1 / (1 + np.exp(-z)), np.float64)


def _integers(bits: int, *, signed: bool = True) -> Callable[[Logits], Scores]:
    """Integers that fill the dtype: 9 standard deviations span its range, the rest is clipped."""
    info = np.iinfo(f"{'i' if signed else 'u'}{bits // 8}")
    middle, step = (int(info.max) + int(info.min) + 1) // 2, int(info.max) // (9 if signed else 18)

    def scores(z: Logits) -> Scores:
        # Steps of 2**-20 in exact integers: 64-bit integers have no exact counterpart among doubles.
        whole = [middle + int(v) * step // (1 << 20) for v in np.clip(np.round(z * (1 << 20)), -1e7, 1e7).ravel()]
        return np.array([min(max(v, int(info.min)), int(info.max)) for v in whole], info.dtype).reshape(z.shape)

    return scores


KINDS: Final[Mapping[str, Callable[[Logits], Scores]]] = {
    "raw": lambda z: z.astype(np.float32),
    "raw, float16": lambda z: z.astype(np.float16),
    "raw, float64": lambda z: z,
    "sigmoid": lambda z: _sigmoid(4 * z).astype(np.float32),
    "sigmoid, float16": lambda z: _sigmoid(4 * z).astype(np.float16),
    "sigmoid, float64": lambda z: _sigmoid(12 * z),
    "tanh": lambda z: np.tanh(3 * z).astype(np.float32),
    "tanh, float64": lambda z: np.tanh(5 * z),
    "minus relu": lambda z: -np.maximum(-z, 0).astype(np.float32),
    "relu": lambda z: np.maximum(z, 0).astype(np.float32),
    "tied": lambda z: np.round(z, 1).astype(np.float32),
    "two values": lambda z: (z > 0.8).astype(np.float32),
    "two integers": lambda z: (z > 0.8).astype(np.uint8),
    "booleans": lambda z: z > 0.8,
    "constant": lambda z: np.full(z.shape, -2.5, np.float32),
    "constant integers": lambda z: np.full(z.shape, 2**62 + 1, np.int64),
    "8 bit": _integers(8, signed=False),
    "signed 8 bit": _integers(8),
    "16 bit": _integers(16, signed=False),
    "signed 16 bit": _integers(16),
    "32 bit": _integers(32),
    "64 bit": _integers(64),
    "unsigned 64 bit": _integers(64, signed=False),
    "adjacent 64 bit": lambda z: 2**62 + np.round(3 * z).astype(np.int64),
    "adjacent doubles": lambda z: 1.0 + np.round(20 * z) * 2.0**-52,
    "below float32 steps": lambda z: 1000.0 + z * 1e-6,
    "signed zeros": lambda z: np.where(np.abs(z) < 0.5, np.copysign(0.0, np.sin(1e4 * z)), z).astype(np.float32),
    "signed zeros, float64": lambda z: np.where(np.abs(z) < 1.5, np.copysign(0.0, np.sin(1e4 * z)), z),
    "denormal": lambda z: (np.round(z * 50) * 1e-45).astype(np.float32),
    "huge": lambda z: (z * 4e37).astype(np.float32),
    "many magnitudes": lambda z: (np.sign(z) * np.expm1(8 * np.abs(z))).astype(np.float32),
    "beside one": lambda z: (1 - np.exp(-12 - 2 * z)).astype(np.float64),
    "one far away": lambda z: np.where(z == z.max(), 1e30, z).astype(np.float32),
    "mostly one value": lambda z: np.where(z > 1.5, z, 0.25).astype(np.float32),
    "one value beside a mass": lambda z: np.where(z > 1, 1 + 2.0**-23, 1).astype(np.float32),
}
"""By name, non-decreasing functions of logits."""
TRUTHS: Final = ("sparse", "block", "half", "one pixel", "none", "everywhere", "void everywhere")
"""How anomalous and void pixels are laid out."""
DEFINED: Final = ("sparse", "block", "half", "one pixel")
"""Those with both kinds of pixel, where the map has at least four."""


def truth_of(layout: str, shape: tuple[int, int], rng: np.random.Generator) -> tuple[Mask, Mask]:
    """Anomalous and void pixels of a layout."""
    anomalous = np.zeros(shape, np.bool_)
    ignore = rng.random(shape) < rng.choice([0.0, 0.3])
    if layout in {"sparse", "half"}:
        anomalous = rng.random(shape) < (0.03 if layout == "sparse" else 0.5)
    elif layout == "block":
        anomalous[: max(1, shape[0] // 3), : max(1, shape[1] // 3)] = True
    elif layout == "one pixel":
        anomalous.flat[rng.integers(anomalous.size)] = True
    elif layout == "everywhere":
        anomalous[:] = True
    elif layout == "void everywhere":
        ignore[:] = True
    return anomalous, ignore & ~anomalous


def generated_image(kind: str, layout: str, shape: tuple[int, int], rng: np.random.Generator) -> ScoredImage:
    """An image of a kind and layout; anomalous pixels score higher by a random amount."""
    anomalous, ignore = truth_of(layout, shape, rng)
    z = rng.normal(rng.normal(0, 0.3), 1, shape) + anomalous * rng.uniform(0, 4)
    with np.errstate(over="ignore", under="ignore"):
        return ScoredImage(kind, KINDS[kind](z), anomalous, ignore)


@st.composite
def generated_images(
    draw: st.DrawFn, kinds: tuple[str, ...] = tuple(KINDS), most_images: int = 5, layouts: tuple[str, ...] = TRUTHS
) -> list[ScoredImage]:
    """Images of one set, whose scores are of one kind."""
    kind = draw(st.sampled_from(kinds))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    shapes = st.sampled_from([(1, 1), (1, 7), (5, 3), (16, 24), (40, 60)])
    number = draw(st.integers(1, most_images))
    return [generated_image(kind, draw(st.sampled_from(layouts)), draw(shapes), rng) for _ in range(number)]


@st.composite
def small_images(draw: st.DrawFn, most_images: int = 3) -> list[ScoredImage]:
    """Images of a few pixels whose values are drawn one by one, many of them tied."""
    dtype, elements = draw(
        st.sampled_from(
            [
                (np.float32, st.sampled_from([-0.0, 0.0, 1.0, -1.0, 1e-45, 3e38, 0.5, 0.1])),
                (np.float64, st.sampled_from([-0.0, 0.0, 1.0, np.nextafter(1.0, 2.0), 1e300, -1e300, 5e-324])),
                (np.float16, st.sampled_from([0.0, 1.0, -1.0, 6e-8, 65504.0])),
                (np.int64, st.sampled_from([0, 1, 2**53, 2**53 + 1, 2**63 - 1, -(2**63)])),
                (np.uint64, st.sampled_from([0, 1, 2**63, 2**63 + 1, 2**64 - 1])),
                (np.uint8, st.integers(0, 3)),
            ]
        )
    )
    images = []
    for _ in range(draw(st.integers(1, most_images))):
        shape = draw(st.tuples(st.integers(1, 2), st.integers(1, 8)))
        scores = draw(hnp.arrays(dtype, shape, elements=elements))
        kinds = draw(hnp.arrays(np.uint8, shape, elements=st.integers(0, 2)))  # ordinary, anomalous, void
        images.append(ScoredImage(f"drawn, {np.dtype(dtype)}", scores, kinds == 1, kinds == 2))
    return images


def sets_of_images(most_images: int = 5) -> st.SearchStrategy[list[ScoredImage]]:
    """Images of every kind."""
    return st.one_of(small_images(), generated_images(most_images=most_images))
