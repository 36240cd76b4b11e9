"""Pasting of cut-outs into training pictures, as negatives for sets that have none.

What is pasted where depends on the seed, the pass and the picture's number alone. A cut-out stands on the ground that a
camera sees: the lower its foot in the picture, the nearer and the larger it is. With the horizon in row ``h`` and the
camera ``c`` metres above the ground, a metre at the ground of row ``y`` has ``(y - h) / c`` pixels.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from caos.assets.cutout_folders.index import Cutout, CutoutIndex, read_index, read_rgba
from caos.foundation.errors import CaosError
from caos.foundation.execution.progress import SILENT, Progress
from caos.foundation.storage.identity import FileHashes, digest_of
from caos.scenes.dataset.layout import Dataset
from caos.segmentation.training.config import TrainConfig
from caos.segmentation.training.negatives import NEGATIVE, NegativesUsed

Picture = NDArray[np.uint8]
Labels = NDArray[np.uint8]
Floats = NDArray[np.float32]

KEPT_CUTOUTS: Final = 256
UNKNOWN_HEIGHT_M: Final = (0.2, 2.0)
"""How high an object is that does not say."""
FARTHEST: Final = 0.05
"""Of the picture's height: how far below the horizon feet are at least."""
SMALLEST_SIDE: Final = 6
LARGEST_SHARE: Final = 0.25
"""Of the picture: one cut-out covers at most so much, for a network must also see where it stands."""
LARGEST_CHANGE: Final = 2.0
"""How far colour matching may stretch or squeeze contrast."""


@dataclass(frozen=True)
class Perspective:
    """What is known of a training picture's geometry, in its pixels.

    Attributes:
        horizon: Row of the horizon; it may lie outside.
        height: Rows of the whole picture that this is a window of.
    """

    horizon: float
    height: float


@dataclass(frozen=True, eq=False)
class Layer:
    """A cut-out at the size at which it is pasted.

    Attributes:
        color: ``(h, w, 3)`` of 0..255, multiplied by alpha.
        alpha: ``(h, w)`` of 0..1.
    """

    color: Floats
    alpha: Floats

    @staticmethod
    def of(pixels: Picture, size: tuple[int, int]) -> Layer:
        """RGBA pixels at ``(width, height)``; mixed as light, so that no colour of what is transparent comes in."""
        premultiplied = pixels.astype(np.float32)
        premultiplied[..., 3] /= 255
        premultiplied[..., :3] *= premultiplied[..., 3:]
        if pixels.shape[1::-1] != size:
            shrinks = size[0] < pixels.shape[1]
            method = cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR
            premultiplied = np.asarray(cv2.resize(premultiplied, size, interpolation=method), np.float32)
        return Layer(premultiplied[..., :3], premultiplied[..., 3])

    def mirrored(self) -> Layer:
        """Left and right exchanged."""
        return Layer(self.color[:, ::-1], self.alpha[:, ::-1])

    def blurred(self, sigma: float) -> Layer:
        """Out of focus by ``sigma`` pixels, on a canvas that is four of them wider on every side."""
        if sigma <= 0:
            return self
        rim = int(np.ceil(4 * sigma))
        both = np.dstack([self.color, self.alpha])
        wide = cv2.copyMakeBorder(both, rim, rim, rim, rim, cv2.BORDER_CONSTANT, value=(0, 0, 0, 0))
        soft = np.asarray(cv2.GaussianBlur(wide, (0, 0), sigma), np.float32)
        return Layer(soft[..., :3], soft[..., 3])

    def matched(self, around: Picture, strength: float) -> Layer:
        """Mean and spread of each colour moved towards those of ``around``, by a share ``strength`` of the way."""
        weight = self.alpha.sum()
        if strength <= 0 or weight <= 0 or not around.size:
            return self
        own = np.where(self.alpha[..., None] > 0, self.color / np.maximum(self.alpha, 1e-6)[..., None], 0)
        mean = self.color.sum((0, 1)) / weight
        spread = np.sqrt((self.alpha[..., None] * (own - mean) ** 2).sum((0, 1)) / weight)
        wanted_mean, wanted_spread = around.mean((0, 1)), around.std((0, 1))
        change = np.clip(wanted_spread / np.maximum(spread, 1.0), 1 / LARGEST_CHANGE, LARGEST_CHANGE)
        gain = 1 + strength * (change - 1)
        shift = mean + strength * (wanted_mean - mean) - gain * mean
        color = self.color * gain + self.alpha[..., None] * shift
        return Layer(np.clip(color, 0, 255 * self.alpha[..., None]).astype(np.float32), self.alpha)


def paste_layer(picture: Picture, labels: Labels, layer: Layer, left: int, top: int) -> None:
    """Lay a cut-out over a picture: ``a * cut-out + (1 - a) * picture``; what it covers by half or more is negative.

    Args:
        picture: Changed in place.
        labels: Changed in place.
        layer: What is pasted.
        left: Column of its left side; it may begin outside the picture, and end there.
        top: Row of its upper side, the same.
    """
    inside, part = _overlap(labels.shape, layer.alpha.shape, left, top)
    if inside is None:
        return
    alpha = layer.alpha[part]
    mixed = picture[inside] * (1 - alpha[..., None]) + layer.color[part]
    picture[inside] = np.clip(mixed + 0.5, 0, 255).astype(np.uint8)
    labels[inside][alpha >= 0.5] = NEGATIVE


def darken(picture: Picture, shadow: Floats, left: int, top: int) -> None:
    """Take the share ``shadow`` ``(h, w)`` of the light from a picture, in place."""
    inside, part = _overlap(picture.shape[:2], shadow.shape, left, top)
    if inside is not None:
        picture[inside] = (picture[inside] * (1 - shadow[part][..., None]) + 0.5).astype(np.uint8)


Place = tuple[slice, slice]


def _overlap(outer: tuple[int, ...], inner: tuple[int, ...], left: int, top: int) -> tuple[Place | None, Place]:
    """Where the inner map lies in the outer one (None: nowhere), and which part of it does."""
    y0, x0 = max(top, 0), max(left, 0)
    y1, x1 = min(top + inner[0], outer[0]), min(left + inner[1], outer[1])
    part = (slice(y0 - top, y1 - top), slice(x0 - left, x1 - left))
    return (None if y1 <= y0 or x1 <= x0 else (slice(y0, y1), slice(x0, x1))), part


def cast_shadow(alpha: Floats, depth: float, lean: float, strength: float) -> tuple[Floats, int]:
    """The shadow that a silhouette throws on the ground towards the camera or away from it.

    Args:
        alpha: The silhouette ``(h, w)``.
        depth: Length of the shadow, in heights of the silhouette; negative falls away from the camera.
        lean: How far its end lies to the right, in heights of the silhouette.
        strength: Share of the light that it takes.

    Returns:
        The share of light that is taken, on a canvas with ``margin`` columns to the left and right of the silhouette
        and as many rows above and below its foot, which lies in the middle; and that margin.
    """
    height, width = alpha.shape
    soft = max(0.03 * max(height, width), 0.8)
    margin = int(np.ceil(height * max(abs(depth), abs(lean)) + 3 * soft))
    # Row y of the silhouette is height - y above the ground; its shadow lies that much of depth and lean away.
    matrix = np.array([[1, -lean, margin + lean * height], [0, -depth, margin + depth * height]], np.float64)
    size = (width + 2 * margin, 2 * margin + 1)
    thrown = cv2.warpAffine(np.ascontiguousarray(alpha), matrix, size, flags=cv2.INTER_LINEAR)
    return np.asarray(strength * cv2.GaussianBlur(thrown, (0, 0), soft), np.float32), margin


class Paster:
    """Cut-outs of a folder and how they are pasted.

    Raises:
        CaosError: If the folder holds no cut-outs.
    """

    def __init__(self, folder: Path, config: TrainConfig) -> None:
        self.folder, self.config = folder, config
        self.index = read_index(folder)
        self._pixels = functools.lru_cache(KEPT_CUTOUTS)(self._read)

    def _read(self, number: int) -> Picture:
        return read_rgba(self.folder / self.index.cutouts[number].file)

    def paste(
        self, picture: Picture, labels: Labels, perspective: Perspective, rng: np.random.Generator
    ) -> tuple[Picture, Labels]:
        """Picture and labels with cut-outs in a share of all cases; those that were given stay as they are."""
        config = self.config
        if rng.random() >= config.paste_share:
            return picture, labels
        picture, labels = picture.copy(), labels.copy()
        count = int(rng.integers(config.paste_count[0], config.paste_count[1] + 1))
        # The farthest first: what is nearer covers it.
        for foot, scale in sorted(self._feet(count, labels.shape[0], perspective, rng)):
            self._paste_one(picture, labels, foot, scale, rng)
        return picture, labels

    def _feet(
        self, count: int, rows: int, perspective: Perspective, rng: np.random.Generator
    ) -> list[tuple[float, float]]:
        """Rows of the feet and the pixels a metre there. Log distances are drawn evenly, as things lie on a road."""
        farthest, nearest = FARTHEST * perspective.height, 1.05 * rows - perspective.horizon
        sees_ground = nearest > farthest
        low = max(farthest, -perspective.horizon)
        high = nearest if sees_ground else 0.5 * perspective.height
        below = np.exp(rng.uniform(np.log(min(low, high)), np.log(high), count))
        floats = self.config.paste_place == "anywhere" or not sees_ground
        feet = rng.uniform(0.1, 1.1, count) * rows if floats else perspective.horizon + below
        return list(zip(feet.tolist(), (below / self.config.paste_camera_m).tolist(), strict=True))

    def _paste_one(
        self, picture: Picture, labels: Labels, foot: float, pixels_a_metre: float, rng: np.random.Generator
    ) -> None:
        number = int(rng.integers(len(self.index.cutouts)))
        size = self._size(self.index.cutouts[number], pixels_a_metre, labels.shape, rng)
        layer = Layer.of(self._pixels(number), size)
        layer = layer.mirrored() if rng.random() < 0.5 else layer
        left = round(rng.uniform(-0.5, labels.shape[1] / size[0] - 0.5) * size[0])
        top = round(foot) - size[1]
        blur, colours, shadow = (rng.uniform(0, most) for most in self._most)
        depth, lean = rng.uniform(-0.6, 0.3), rng.uniform(-0.8, 0.8)
        if shadow and self.config.paste_place == "ground":
            dark, margin = cast_shadow(layer.alpha, depth, lean, shadow)
            darken(picture, dark, left - margin, round(foot) - margin)
        inside, _ = _overlap(labels.shape, layer.alpha.shape, left, top)
        layer = layer if inside is None else layer.matched(picture[inside], colours)
        soft = layer.blurred(blur)
        rim = (soft.alpha.shape[0] - size[1]) // 2
        paste_layer(picture, labels, soft, left - rim, top - rim)

    @property
    def _most(self) -> tuple[float, float, float]:
        return self.config.paste_blur, self.config.paste_colours, self.config.paste_shadow

    def _size(
        self, cutout: Cutout, pixels_a_metre: float, shape: tuple[int, ...], rng: np.random.Generator
    ) -> tuple[int, int]:
        """Width and height in pixels: true to the place, times a random factor, neither a speck nor all of it."""
        unknown = float(np.exp(rng.uniform(*np.log(UNKNOWN_HEIGHT_M))))
        factor = float(np.exp(rng.uniform(*np.log(self.config.paste_scale))))
        height = factor * pixels_a_metre * (unknown if cutout.height_m is None else cutout.height_m)
        wide = cutout.width / cutout.height
        height = min(height, float(np.sqrt(LARGEST_SHARE * shape[0] * shape[1] / wide)))
        height = max(height, SMALLEST_SIDE / min(1.0, wide))
        return max(round(height * wide), 1), max(round(height), 1)


def make_paster(config: TrainConfig) -> Paster | None:
    """What a configuration pastes, or None.

    Raises:
        CaosError: If its folder holds no cut-outs.
    """
    return None if config.paste is None else Paster(config.paste, config)


def check_cutouts(folder: Path, dataset: Dataset, progress: Progress = SILENT) -> CutoutIndex:
    """The index of a folder of cut-outs that may be pasted into a set's training pictures.

    Raises:
        CaosError: If a picture is damaged, or a kind is one that the set's test part shows.
    """
    index = read_index(folder)
    shared = sorted(set(index.kinds) & set(hazard_kinds(dataset, test=True)))
    if shared:
        raise CaosError(
            f"{folder} shows {len(shared)} kinds that the test part of {dataset.root} also shows, such as "
            f"{shared[0]!r}: what is tested must not be learnt; cut out other kinds (see caos assets cutouts --kinds)"
        )
    with progress.task("checking the cut-outs", len(index.cutouts)) as task:
        for cutout in index.cutouts:
            read_rgba(folder / cutout.file)
            task.advance()
    return index


def cutouts_digest(folder: Path, hashes: FileHashes) -> str:
    """A hash of everything that is pasted from a folder."""
    index = read_index(folder)
    return digest_of([[cutout.kind, cutout.height_m, hashes.of(folder / cutout.file)] for cutout in index.cutouts])


def hazard_kinds(dataset: Dataset, *, test: bool) -> tuple[str, ...]:
    """Kinds of the hazards that a set's test part shows, or the other parts, as far as its manifest knows."""
    rows = [row for row in dataset.manifest().values() if (row.get("split") == "test") == test]
    return tuple(sorted({str(hazard.get("kind")) for row in rows for hazard in row.get("hazards", ())}))


def negatives_used(
    dataset: Dataset, loss: str, weight: float, shown: int, cutouts: CutoutIndex | None
) -> NegativesUsed:
    """What a run says about its negatives: ``shown`` training pictures have some, and ``cutouts`` are pasted."""
    sources = ["rendered" if "recipe" in dataset.info else "labelled"] if shown else []
    kinds = set(hazard_kinds(dataset, test=False) if shown else ())
    if cutouts is not None:
        sources.append("pasted")
        kinds.update(cutouts.kinds)
    number = 0 if cutouts is None else len(cutouts.cutouts)
    return NegativesUsed(loss, weight, shown, " and ".join(sources), number, tuple(sorted(kinds)))
