"""Elastic transform: small regions are stretched and contracted; labels move along.

An affine map that moves three points by up to the third number, then a smooth random field: uniform noise blurred by
the second and multiplied by the first. (488, 170.8, 24.4), (488, 19.5, 48.8), (12.2, 2.44, 4.88), (17.1, 2.44, 4.88),
(29.3, 2.44, 4.88) pixels of the paper: the first two severities bend the whole, the last three shiver. What comes from
outside the picture is its mirror image, in picture and labels alike.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from caos.studies.corruptions.blurring import bell_blur
from caos.studies.corruptions.corruption import Corruption, Labels, Picture
from caos.studies.corruptions.paper_scale import enlarge, length_scale, paper_grid

Maps = tuple[NDArray[np.float32], NDArray[np.float32]]


class Stretch(NamedTuple):
    """One severity, in pixels of the paper."""

    strength: float
    smoothness: float
    affine: float


STRETCHES: Final = (
    Stretch(488, 170.8, 24.4),
    Stretch(488, 19.52, 48.8),
    Stretch(12.2, 2.44, 4.88),
    Stretch(17.08, 2.44, 4.88),
    Stretch(29.28, 2.44, 4.88),
)
FINE_ENOUGH: Final = 2.0
"""A field is drawn so coarsely that it is blurred by at least so many of its cells."""


class ElasticTransform(Corruption):
    """A random affine map and a smooth random field."""

    title = "Elastic transform"
    group = "digital"
    moves_labels = True
    rising = ((1, 2), (3, 4, 5))

    def _corrupt(self, picture: Picture, severity: int, rng: np.random.Generator) -> Picture:
        return _moved(picture, elastic_maps(picture.shape, STRETCHES[severity - 1], rng), cv2.INTER_LINEAR)

    def _corrupt_pair(
        self, picture: Picture, labels: Labels, severity: int, rng: np.random.Generator
    ) -> tuple[Picture, Labels]:
        maps = elastic_maps(picture.shape, STRETCHES[severity - 1], rng)
        return _moved(picture, maps, cv2.INTER_LINEAR), _moved(labels, maps, cv2.INTER_NEAREST)


def elastic_maps(shape: tuple[int, ...], stretch: Stretch, rng: np.random.Generator) -> Maps:
    """Where each pixel of the new picture comes from: columns and rows, each ``(h, w)``."""
    height, width = shape[:2]
    matrix = _affine(shape, stretch.affine * length_scale(shape), rng)
    columns = np.arange(width, dtype=np.float32) + _field(shape, stretch, rng)
    rows = np.arange(height, dtype=np.float32)[:, None] + _field(shape, stretch, rng)
    (a, b, c), (d, e, f) = matrix.astype(np.float32)
    return a * columns + b * rows + c, d * columns + e * rows + f


def _affine(shape: tuple[int, ...], reach: float, rng: np.random.Generator) -> NDArray[np.float64]:
    """From the new picture to the old: three points about the middle are moved."""
    middle = np.array([shape[1] / 2, shape[0] / 2])
    arm = min(shape[:2]) / 3
    points = (middle + arm * np.array([[1, 1], [1, -1], [-1, -1]])).astype(np.float32)
    moved = points + rng.uniform(-reach, reach, points.shape).astype(np.float32)
    return np.asarray(cv2.getAffineTransform(moved, points))


def _field(shape: tuple[int, ...], stretch: Stretch, rng: np.random.Generator) -> NDArray[np.float32]:
    """Displacements along one axis, in pixels of the picture."""
    cell = max(stretch.smoothness / FINE_ENOUGH, 1.0)
    # The mean of the noise in a cell deviates less by the cell's side.
    noise = rng.uniform(-1, 1, paper_grid(shape, cell)).astype(np.float32) / np.float32(cell)
    smooth = bell_blur(noise, stretch.smoothness / cell)
    return enlarge(smooth, shape, smooth=True) * np.float32(stretch.strength * length_scale(shape))


def _moved(picture: NDArray[np.uint8], maps: Maps, method: int) -> NDArray[np.uint8]:
    return np.asarray(cv2.remap(picture, maps[0], maps[1], method, borderMode=cv2.BORDER_REFLECT_101), np.uint8)
