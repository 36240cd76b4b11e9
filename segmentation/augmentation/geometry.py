"""Random changes to training pictures, the same geometry for picture and labels.

AugMix is Hendrycks et al. 2020 (AugMix: A Simple Data Processing Method): chains of simple operations, mixed with the
original. Mixing pictures of different geometry would leave no true label, so its rotations, shears and translations are
drawn once and moved through picture and labels alike; only colour operations enter the chains.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps

from caos.scenes.labels import VOID
from caos.segmentation.augmentation.appearance import GREY, cut_out, equalise, stylise
from caos.segmentation.augmentation.camera import worsen
from caos.segmentation.training.config import TrainConfig

Picture = NDArray[np.uint8]
Labels = NDArray[np.uint8]

FILL: Final = GREY
AUGMIX_SEVERITY: Final = 3
AUGMIX_CHAINS: Final = 3
COLOR_STRENGTH: Final = 0.3


class Window(NamedTuple):
    """A part of a picture, and the ``(width, height)`` it is brought to; it may reach beyond the picture."""

    left: int
    top: int
    width: int
    height: int
    size: tuple[int, int]

    def row(self, row: float) -> float:
        """Where a row of the picture is seen."""
        return (row - self.top) * self.size[1] / self.height


Paste = Callable[[Picture, Labels, Window], tuple[Picture, Labels]]
"""Puts something into a window of a training picture."""


def augment(
    picture: Picture,
    labels: Labels,
    config: TrainConfig,
    rng: np.random.Generator,
    paste: Paste | None = None,
) -> tuple[list[Picture], Labels]:
    """The views of a training picture (one; three with AugMix's consistency loss) and their labels.

    What is pasted is flipped, coloured and worsened with the picture.
    """
    names = config.augment
    if "augmix" in names:
        picture, labels = shift_geometry(picture, labels, rng)
    window = draw_window((labels.shape[1], labels.shape[0]), config, rng)
    picture, labels = cut_window(picture, labels, window)
    if paste is not None:
        picture, labels = paste(picture, labels, window)
    if "flip" in names and rng.random() < 0.5:
        picture, labels = np.ascontiguousarray(picture[:, ::-1]), np.ascontiguousarray(labels[:, ::-1])
    picture, labels = _with_looks(picture, labels, names, rng)
    picture = worsen(picture, config, rng)
    if "augmix" not in names:
        return [picture], labels
    if config.consistency_weight:
        return [picture, augmix(picture, rng), augmix(picture, rng)], labels
    return [augmix(picture, rng)], labels


def _with_looks(
    picture: Picture, labels: Labels, names: Sequence[str], rng: np.random.Generator
) -> tuple[Picture, Labels]:
    """Colours, materials, equalised lightness, and last the square that hides some of it."""
    if "color" in names:
        picture = jitter_color(picture, rng)
    if "style" in names:
        picture = stylise(picture, rng)
    if "clahe" in names:
        picture = equalise(picture, rng)
    return cut_out(picture, labels, rng) if "cutout" in names else (picture, labels)


def draw_window(size: tuple[int, int], config: TrainConfig, rng: np.random.Generator) -> Window:
    """A random window, at a random scale, of a picture of ``size`` (width, height), or all of it."""
    crop = (config.crop[0], config.crop[1]) if "crop" in config.augment else size
    scale = float(np.exp(rng.uniform(*np.log(config.scale)))) if "scale" in config.augment else 1.0
    if size == crop and scale == 1.0:
        return Window(0, 0, *size, size)
    width, height = (max(round(side / scale), 1) for side in crop)
    left, top = (_offset(whole, part, rng) for whole, part in zip(size, (width, height), strict=True))
    return Window(left, top, width, height, crop)


def cut_window(picture: Picture, labels: Labels, window: Window) -> tuple[Picture, Labels]:
    """A window of picture and labels; what lies outside the picture is grey and void.

    The window is cut first and resized then: the rest of the picture is never touched.
    """
    if window == (0, 0, labels.shape[1], labels.shape[0], labels.shape[::-1]):
        return picture, labels
    picture, labels = _window(picture, labels, window.left, window.top, window.width, window.height)
    return resize(picture, window.size), resize_labels(labels, window.size)


def _offset(size: int, part: int, rng: np.random.Generator) -> int:
    low, high = sorted((0, size - part))
    return int(rng.integers(low, high + 1))


def _window(picture: Picture, labels: Labels, left: int, top: int, width: int, height: int) -> tuple[Picture, Labels]:
    rows, columns = labels.shape
    x0, y0, x1, y1 = max(left, 0), max(top, 0), min(left + width, columns), min(top + height, rows)
    inner, ids = picture[y0:y1, x0:x1], labels[y0:y1, x0:x1]
    if (x1 - x0, y1 - y0) == (width, height):
        return inner, ids
    canvas, void = np.empty((height, width, 3), np.uint8), np.full((height, width), VOID, np.uint8)
    canvas[:] = FILL
    place = np.s_[y0 - top : y1 - top, x0 - left : x1 - left]
    canvas[place], void[place] = inner, ids
    return canvas, void


def size_with_side(size: tuple[int, int], side: int, longest: int) -> tuple[int, int]:
    """``size`` (width, height) with a shorter side of ``side``, or less if the longer one were above ``longest``."""
    factor = min(side / min(size), longest / max(size))
    return max(round(size[0] * factor), 1), max(round(size[1] * factor), 1)


def resize(picture: Picture, size: tuple[int, int]) -> Picture:
    """A picture at ``(width, height)``."""
    if picture.shape[1::-1] == size:
        return picture
    shrinks = size[0] < picture.shape[1]
    method = cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(picture, size, interpolation=method), np.uint8)


def resize_labels(labels: Labels, size: tuple[int, int]) -> Labels:
    """A label map at ``(width, height)``; ids are chosen, never mixed."""
    if labels.shape[::-1] == size:
        return labels
    return np.asarray(cv2.resize(labels, size, interpolation=cv2.INTER_NEAREST_EXACT), np.uint8)


def jitter_color(picture: Picture, rng: np.random.Generator) -> Picture:
    """Random brightness, contrast, tint and saturation."""
    gain = rng.uniform(1 - COLOR_STRENGTH, 1 + COLOR_STRENGTH) * rng.uniform(0.93, 1.07, 3)
    shift = rng.uniform(-COLOR_STRENGTH, COLOR_STRENGTH) * 64
    steps = np.arange(256)[:, None] * gain + shift
    table = np.clip(steps, 0, 255).astype(np.uint8)
    changed = np.asarray(cv2.LUT(picture, table[:, None, :]), np.uint8)
    grey = cv2.cvtColor(cv2.cvtColor(changed, cv2.COLOR_RGB2GRAY), cv2.COLOR_GRAY2RGB)
    share = rng.uniform(1 - COLOR_STRENGTH, 1 + COLOR_STRENGTH)
    return np.asarray(cv2.addWeighted(changed, share, grey, 1 - share, 0), np.uint8)


def shift_geometry(picture: Picture, labels: Labels, rng: np.random.Generator) -> tuple[Picture, Labels]:
    """One of AugMix's rotations, shears or translations, of picture and labels alike; half the time nothing."""
    if rng.random() < 0.5:
        return picture, labels
    height, width = labels.shape
    level = rng.uniform(-1, 1) * AUGMIX_SEVERITY / 10
    kind = rng.integers(5)
    matrix = np.eye(2, 3)
    if kind == 0:
        matrix[:] = cv2.getRotationMatrix2D((width / 2, height / 2), 30 * level, 1.0)
    elif kind == 1:
        matrix[0, 1] = 0.3 * level
    elif kind == 2:
        matrix[1, 0] = 0.3 * level
    else:
        matrix[int(kind) - 3, 2] = level * (width, height)[int(kind) - 3] / 3
    moved = cv2.warpAffine(picture, matrix, (width, height), flags=cv2.INTER_LINEAR, borderValue=FILL)
    ids = cv2.warpAffine(labels, matrix, (width, height), flags=cv2.INTER_NEAREST, borderValue=VOID)
    return np.asarray(moved, np.uint8), np.asarray(ids, np.uint8)


def _posterize(picture: Image.Image, level: float) -> Image.Image:
    return ImageOps.posterize(picture, 4 - int(level * 4 / 10))


def _solarize(picture: Image.Image, level: float) -> Image.Image:
    return ImageOps.solarize(picture, 256 - int(level * 256 / 10))


_COLOR_OPERATIONS: Final[tuple[Callable[[Image.Image, float], Image.Image], ...]] = (
    lambda picture, _: ImageOps.autocontrast(picture),
    lambda picture, _: ImageOps.equalize(picture),
    _posterize,
    _solarize,
)


def augmix(picture: Picture, rng: np.random.Generator) -> Picture:
    """A random mixture of the picture and chains of colour operations on it."""
    weights = rng.dirichlet(np.ones(AUGMIX_CHAINS))
    mixture = np.zeros(picture.shape, np.float32)
    for weight in weights:
        changed = Image.fromarray(picture)
        for _ in range(int(rng.integers(1, 4))):
            operation = _COLOR_OPERATIONS[int(rng.integers(len(_COLOR_OPERATIONS)))]
            changed = operation(changed, rng.uniform(0.1, AUGMIX_SEVERITY))
        mixture += np.float32(weight) * np.asarray(changed, np.float32)
    share = np.float32(rng.beta(1, 1))
    return np.clip((1 - share) * picture + share * mixture + 0.5, 0, 255).astype(np.uint8)
