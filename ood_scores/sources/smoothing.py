"""Smoothing of a score map that respects the edges of the picture: a dense conditional random field.

The code of the paper can run a fully connected CRF over the class probabilities (see
:mod:`caos.ood_scores.sources.dense_crf`). Here the field is over the score
itself, so that it serves every scorer and keeps its unit: the score of a pixel is normal around what was measured, and
any two pixels pull at each other, the more the nearer and the more alike in brightness they are. Its mean field is a
fixed point of ``q = (s + w K q) / (1 + w)`` with K the normalised bilateral kernel, found in a few rounds. K is
applied by a bilateral grid (Chen et al., 2007): pixels are added up in coarse cells of place and brightness, the cells
are blurred, and read back by linear interpolation. Unlike the original it looks at brightness, not at three colours,
and its cells make the Gaussians approximate.

Kraehenbuehl and Koltun, Efficient Inference in Fully Connected CRFs with Gaussian Edge Potentials, 2011; for continuous
values: Vemulapalli et al., Gaussian Conditional Random Field Network for Semantic Segmentation, 2016.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from caos.foundation.errors import CaosError


def smooth(
    scores: npt.NDArray[Any],
    image: npt.NDArray[np.uint8],
    *,
    place_px: float = 10.0,
    brightness: float = 13.0,
    weight: float = 3.0,
    rounds: int = 3,
) -> npt.NDArray[Any]:
    """The score map, smoothed within regions of like brightness.

    Args:
        scores: ``(h, w)``.
        image: ``(h, w, 3)``, 0..255.
        place_px: Reach in pixels (standard deviation).
        brightness: Reach in grey levels.
        weight: Pull of the neighbours, against 1 for what was measured.
        rounds: Mean-field updates.

    Raises:
        CaosError: If picture and scores differ in size.
    """
    if image.shape[:2] != scores.shape:
        raise CaosError(f"picture {image.shape[:2]} and score map {scores.shape} differ in size")
    grid = _BilateralGrid(image, place_px, brightness)
    scores = scores if scores.dtype.kind == "f" else scores.astype(np.float64)
    field = scores
    for _ in range(rounds):
        field = ((scores + weight * grid.blur(field)) / (1 + weight)).astype(scores.dtype)
    return field


class _BilateralGrid:
    """Cells of ``place_px`` by ``place_px`` by ``brightness``; blurring by a cell is the wanted Gaussian, roughly."""

    def __init__(self, image: npt.NDArray[np.uint8], place_px: float, brightness: float) -> None:
        grey = image.astype(np.float32) @ np.array([0.299, 0.587, 0.114], np.float32)
        height, width = grey.shape
        y = np.broadcast_to(np.arange(height, dtype=np.float32)[:, None] / place_px + 1, grey.shape)
        x = np.broadcast_to(np.arange(width, dtype=np.float32)[None, :] / place_px + 1, grey.shape)
        self._at = np.stack([y.ravel(), x.ravel(), (grey / brightness + 1).ravel()])
        self._shape = tuple(int(np.ceil(axis.max())) + 2 for axis in self._at)
        nearest = np.rint(self._at).astype(np.int64)
        self._cell = (nearest[0] * self._shape[1] + nearest[1]) * self._shape[2] + nearest[2]
        self._mass = self._blurred(np.ones(self._cell.size, np.float32))

    def blur(self, values: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Mean of the values around each pixel, weighted by nearness in place and brightness."""
        from scipy import ndimage

        ratio = self._blurred(values.ravel()) / np.maximum(self._mass, 1e-6)
        back = ndimage.map_coordinates(ratio, self._at, order=1, mode="nearest", prefilter=False)
        return np.asarray(back, np.float32).reshape(values.shape)

    def _blurred(self, values: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
        from scipy import ndimage

        cells = np.bincount(self._cell, weights=values, minlength=int(np.prod(self._shape)))
        return np.asarray(ndimage.gaussian_filter(cells.reshape(self._shape), 1.0, mode="constant"), np.float32)
