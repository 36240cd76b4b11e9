"""Relighting: correction of the direct-light image by path-traced light, traced per square of pixels.

The traced light is denoised with the direct light as its guide and divided by it, square by square. The ratio is
smooth: it is enlarged to full resolution and multiplied by the direct light.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from caos.simulator.embedded.render.image.denoise import denoise
from caos.simulator.embedded.render.image.guides import Guide
from caos.simulator.embedded.render.ray_casting.rays import Window

Floats = NDArray[np.float32]
DARKEST = np.float32(1e-6)
FAR_M = 2000.0
# Scales of differences that separate surfaces: half a right angle in normals, factor 2 in depth, factor 3 in light.
NORMAL, DEPTH, LIGHT = 1.5, 2.0, 0.7


@dataclass(frozen=True, eq=False)
class Squares:
    """Means over squares of pixels, each ``(ceil(h / side), ceil(w / side), 3)``.

    Attributes:
        traced: Path-traced light, with noise.
        direct: Mean of the direct light.
        normal: Mean of the normals.
    """

    traced: Floats
    direct: Floats
    normal: Floats

    @staticmethod
    def of(traced: Floats, guide: Guide, side: int) -> Squares:
        """Return the squares of an image, given its traced light and its guide."""
        return Squares(traced, means(guide.direct, side), means(guide.normal, side))

    def within(self, window: Window) -> Squares:
        """Return a window of the squares."""
        return Squares(self.traced[window.slices], self.direct[window.slices], self.normal[window.slices])

    def corrections(self, exposure: float, quality: str) -> Floats:
        """Ratio of denoised traced light to direct light.

        ``exposure`` scales radiance so that white is about 1; ``quality`` selects the denoiser's quality.
        """
        # The denoiser takes the direct light as albedo: in 0..1, with every edge of the light in it.
        shown = np.minimum(self.direct * np.float32(exposure), np.float32(1))
        ratio = denoise(self.traced, shown, self.normal, quality)
        ratio /= np.maximum(self.direct, DARKEST)
        return ratio


def relight(corrections: Floats, guide: Guide, side: int) -> Floats:
    """Radiance ``(h, w, 3)`` of the image, from the corrections of its squares."""
    out: Floats = guide.direct * enlarged(corrections, guide, side)
    out[guide.sky] = guide.direct[guide.sky]
    return out


def means(image: Floats, square: int) -> Floats:
    """Mean over squares of pixels; incomplete squares at the right and lower border repeat the last pixels."""
    if square == 1:
        return image
    height, width = image.shape[:2]
    below, right = -height % square, -width % square
    if below or right:
        image = np.pad(image, ((0, below), (0, right), (0, 0)), mode="edge")
    rows = image[::square].copy()
    for k in range(1, square):
        rows += image[k::square]
    out = rows[:, ::square].copy()
    for k in range(1, square):
        out += rows[:, k::square]
    out *= np.float32(1 / square**2)
    return out


def enlarged(coarse: Floats, guide: Guide, square: int) -> Floats:
    """Enlarge values ``(m, n, 3)`` of squares to pixels; at edges, from the squares of the same surface.

    This is joint bilateral upsampling (Kopf et al., 2007), restricted to the pixels that need it.
    """
    import cv2

    if square == 1:
        return coarse
    height, width = guide.direct.shape[:2]
    whole = (coarse.shape[1] * square, coarse.shape[0] * square)
    out = np.asarray(cv2.resize(coarse, whole, interpolation=cv2.INTER_LINEAR), np.float32)[:height, :width]
    pixels = np.flatnonzero(guide.edge)
    if len(pixels):
        out = np.ascontiguousarray(out)
        out.reshape(-1, 3)[pixels] = _chosen(coarse, guide, pixels, square)
    return out


def _chosen(coarse: Floats, guide: Guide, pixels: NDArray[np.intp], square: int) -> Floats:
    """Values ``(n, 3)`` of some pixels: means over the four nearest squares, weighted by similarity."""
    (rows, columns), width = coarse.shape[:2], guide.direct.shape[1]
    fine = _marks(guide)
    marks, own = means(fine, square).reshape(-1, fine.shape[2]), fine.reshape(-1, fine.shape[2])[pixels]
    y, x = np.divmod(pixels, width)
    top, left = (((a + np.float32(0.5)) / square - np.float32(0.5)).astype(np.float32) for a in (y, x))
    first_row, first_column = np.floor(top).astype(np.int32), np.floor(left).astype(np.int32)
    down, right = top - first_row, left - first_column
    total, weights = np.zeros((len(pixels), 3), np.float32), np.zeros(len(pixels), np.float32)
    for dy, share_y in ((0, 1 - down), (1, down)):
        row = np.clip(first_row + dy, 0, rows - 1) * columns
        for dx, share_x in ((0, 1 - right), (1, right)):
            cell = row + np.clip(first_column + dx, 0, columns - 1)
            away = marks[cell] - own
            likeness = np.exp(-np.minimum(np.einsum("ij,ij->i", away, away), 20)) + np.float32(1e-4)
            weight = share_y * share_x * likeness
            total += coarse.reshape(-1, 3)[cell] * weight[:, None]
            weights += weight
    out: Floats = total / weights[:, None]
    return out


def _marks(guide: Guide) -> Floats:
    """Features ``(h, w, 5)`` that separate surfaces: normal, depth and direct light, scaled to equal importance."""
    out = np.empty((*guide.depth.shape, 5), np.float32)
    np.multiply(guide.normal, np.float32(NORMAL), out=out[..., :3])
    np.multiply(np.log(np.minimum(guide.depth, np.float32(FAR_M))), np.float32(DEPTH), out=out[..., 3])
    light = guide.direct @ np.full(3, 1 / 3, np.float32)
    np.multiply(np.log(light + DARKEST), np.float32(LIGHT), out=out[..., 4])
    return out
