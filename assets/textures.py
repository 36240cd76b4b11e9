"""Procedural texture images: linear RGB ``(h, w, 3)`` or gray ``(h, w)`` float32 in 0..1, tileable."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

Image = NDArray[np.float32]


def fractal_noise(
    height: int, width: int, rng: np.random.Generator, *, base: int = 4, octaves: int = 5, persistence: float = 0.55
) -> Image:
    """Tileable gray value noise in 0..1: ``base`` cells across at the coarsest octave, each next one twice as fine."""
    total = np.zeros((height, width), np.float32)
    weight, weights = 1.0, 0.0
    for octave in range(octaves):
        cells_y, cells_x = (min(base * 2**octave, n) for n in (height, width))
        grid = rng.random((cells_y, cells_x), dtype=np.float32)
        total += weight * _smooth_upsample(grid, height, width)
        weights += weight
        weight *= persistence
    return total / np.float32(weights)


def _smooth_upsample(grid: Image, height: int, width: int) -> Image:
    rows, columns = grid.shape
    y, x = np.arange(height) * rows / height, np.arange(width) * columns / width
    y0, x0 = y.astype(int), x.astype(int)
    fy, fx = (y - y0)[:, None].astype(np.float32), (x - x0)[None].astype(np.float32)
    fy, fx = fy * fy * (3 - 2 * fy), fx * fx * (3 - 2 * fx)
    y1, x1 = (y0 + 1) % rows, (x0 + 1) % columns
    top = grid[np.ix_(y0, x0)] * (1 - fx) + grid[np.ix_(y0, x1)] * fx
    bottom = grid[np.ix_(y1, x0)] * (1 - fx) + grid[np.ix_(y1, x1)] * fx
    out: Image = (top * (1 - fy) + bottom * fy).astype(np.float32)
    return out


def tint(gray: Image, dark: ArrayLike, light: ArrayLike) -> Image:
    """A gray image mapped linearly from one linear RGB colour (at 0) to another (at 1)."""
    low, high = np.asarray(dark, np.float32), np.asarray(light, np.float32)
    out: Image = np.clip(low + gray[..., None] * (high - low), 0, 1).astype(np.float32)
    return out


def wood(rng: np.random.Generator, dark: Sequence[float], light: Sequence[float], *, size: int = 256) -> Image:
    """Wood grain running along v."""
    v, u = np.meshgrid(np.linspace(0, 1, size), np.linspace(0, 1, size, endpoint=False), indexing="ij")
    warp = fractal_noise(size, size, rng, base=2, octaves=3)
    rings = 0.5 + 0.5 * np.sin(2 * np.pi * (u * 8 + warp * 1.6 + 0.15 * np.sin(2 * np.pi * v)))
    fibre = np.repeat(fractal_noise(8, size, rng, base=64, octaves=2), size // 8, 0)
    return tint((0.65 * rings + 0.35 * fibre).astype(np.float32), dark, light)


def fabric(rng: np.random.Generator, color: Sequence[float], *, size: int = 128, threads: int = 32) -> Image:
    """A plain weave of the given colour with slight wear."""
    v, u = np.meshgrid(np.arange(size), np.arange(size), indexing="ij")
    weave = 0.5 + 0.25 * np.sin(2 * np.pi * u * threads / size) + 0.25 * np.sin(2 * np.pi * v * threads / size)
    wear = fractal_noise(size, size, rng, base=3, octaves=4)
    gray = (0.6 * weave + 0.4 * wear).astype(np.float32)
    base = np.asarray(color)
    return tint(gray, base * 0.62, np.minimum(base * 1.25, 1))


def speckle(rng: np.random.Generator, dark: Sequence[float], light: Sequence[float], *, size: int = 256) -> Image:
    """Fine irregular grain: concrete, stone, asphalt, fur at a distance."""
    noise = fractal_noise(size, size, rng, base=6, octaves=6, persistence=0.8)
    grain = rng.random((size, size), dtype=np.float32)
    return tint(np.clip(0.75 * noise + 0.25 * grain, 0, 1), dark, light)


def srgb_to_linear(color: Sequence[float]) -> tuple[float, float, float]:
    """Screen RGB in 0..255 to linear RGB in 0..1, the unit of every colour in the house."""
    c = np.asarray(color, np.float64) / 255
    linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    r, g, b = (float(x) for x in linear)
    return r, g, b
