"""Surface colours: texture filtering by level of detail, and the emission of lamps and lit windows."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from caos.assets.mesh import Material
from caos.simulator.embedded.render.path_tracing.materials import reflectance
from caos.simulator.embedded.render.ray_casting.ray_scene import MaterialTable
from caos.simulator.embedded.render.ray_casting.rays import Surface

Floats = NDArray[np.float32]
Indices = NDArray[np.intp]

SMALLEST_LEVEL_PX = 4
# Factor on a pixel's footprint: a road's is long and narrow, and its mean size would blur detail across the road.
SHARPER = 0.8
MOST_LEVELS = 16
MAP_COLUMNS = 1024
MOST_SMALL = 2**15 - 1


class Colors:
    """Colours of a material table; keeps texture pyramids between frames."""

    def __init__(self, table: MaterialTable) -> None:
        self.table = table
        self._levels: dict[int, tuple[Floats, list[Floats]]] = {}

    def albedo(self, surface: Surface, footprint: Floats) -> Floats:
        """Albedo ``(n, 3)``, white for the sky; pixels are ``footprint`` ``(n,)`` wide in UV."""
        out: Floats = self.table.column(reflectance, (1.0, 1.0, 1.0)).take(surface.material, axis=0)
        sizes, last = self.table.column(_texture_levels, (0.0, 0.0)).T
        rows = np.flatnonzero(sizes.take(surface.material))
        material = surface.material.take(rows)
        level = np.clip(_nearest_level(footprint.take(rows), sizes.take(material)), 0, last.take(material))
        # One sort for all textures and levels, so that memory is read and written contiguously.
        order, pieces = _pieces(material * MOST_LEVELS + level.astype(np.int32))
        rows = rows[order]
        uv, texels = surface.uv.take(rows, axis=0), np.empty((len(rows), 3), np.float32)
        for number, piece in pieces:
            texture = self.table.materials[number // MOST_LEVELS].texture
            assert texture is not None
            texels[piece] = look_up(self._pyramid(texture)[number % MOST_LEVELS], uv[piece])
        out[rows] = texels
        return out

    def filtered(self, texture: Floats, uv: Floats, footprint: Floats) -> Floats:
        """Texels at ``uv`` from the pyramid level whose texel size is nearest to the pixels' footprint in UV."""
        levels = self._pyramid(texture)
        wanted = _nearest_level(footprint, SHARPER * max(levels[0].shape[:2]))
        level = np.clip(wanted, 0, len(levels) - 1).astype(np.int8)
        out = np.empty((len(uv), *texture.shape[2:]), np.float32)
        for k, image in enumerate(levels):
            rows = np.flatnonzero(level == k)
            if len(rows):
                out[rows] = look_up(image, uv[rows])
        return out

    def _pyramid(self, texture: Floats) -> list[Floats]:
        if id(texture) not in self._levels:
            self._levels[id(texture)] = texture, _halvings(texture)
        return self._levels[id(texture)][1]


def _nearest_level(footprint: Floats, size: Floats | float) -> Floats:
    """Level of detail (unrounded, unclamped) for pixels ``footprint`` wide and textures of ``size``."""
    out: Floats = np.rint(np.log2(np.maximum(footprint * size, 1e-6)))
    return out


def _texture_levels(material: Material) -> tuple[float, float]:
    """Texture size in the units of footprints, and the last pyramid level; zeros without a texture."""
    if material.texture is None:
        return 0.0, 0.0
    shape = material.texture.shape[:2]
    return SHARPER * max(shape), float(max((min(shape) // SMALLEST_LEVEL_PX).bit_length() - 1, 0))


def _pieces(numbers: NDArray[np.int32]) -> tuple[Indices, list[tuple[int, slice]]]:
    """Return an order that sorts ``numbers``, and for each number its slice in that order."""
    # NumPy sorts 16-bit integers by radix sort, ten times as fast.
    small = numbers.astype(np.int16) if numbers.max(initial=0) <= MOST_SMALL else numbers
    order = np.argsort(small, kind="stable")
    ranked = numbers[order]
    bounds = [*np.flatnonzero(np.diff(ranked, prepend=-1)).tolist(), len(ranked)]
    return order, [(int(ranked[a]), slice(a, b)) for a, b in itertools.pairwise(bounds)]


def emission(surface: Surface, materials: Sequence[Material]) -> Floats | None:
    """Radiance ``(n, 3)`` that lamps and lit windows emit when on, or None if none is visible."""
    shining = np.array([m.surface == "emissive" for m in materials] + [False])
    if not shining[surface.material].any():
        return None
    out = np.zeros((len(surface.material), 3), np.float32)
    for material, rows in seen(surface, materials):
        if material.surface == "emissive":
            out[rows] = material.color if material.texture is None else look_up(material.texture, surface.uv[rows])
    return out


def look_up(image: Floats, uv: Floats) -> Floats:
    """Bilinear texels at ``uv`` ``(n, 2)`` of a repeating image whose row 0 is at v = 1, filtered as Mitsuba does."""
    rows, columns = image.shape[:2]
    u, v = uv[:, 0], 1 - uv[:, 1]
    return sampled(image, (u - np.floor(u)) * np.float32(columns), (v - np.floor(v)) * np.float32(rows))


def sampled(image: Floats, x: Floats, y: Floats) -> Floats:
    """Bilinear values ``(n, ...)`` of a repeating image at ``x`` and ``y`` ``(n,)`` in pixels from its corner."""
    import cv2

    if not len(x):
        return np.zeros((0, *image.shape[2:]), np.float32)
    # cv2.remap accepts maps of at most 32767 columns and rows.
    maps = np.zeros((2, -(-len(x) // MAP_COLUMNS), MAP_COLUMNS), np.float32)
    for flat, values in zip(maps.reshape(2, -1), (x, y), strict=True):
        np.subtract(values, np.float32(0.5), out=flat[: len(x)], casting="same_kind")
    out = np.asarray(cv2.remap(image, maps[0], maps[1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_WRAP), np.float32)
    return out.reshape(-1, *image.shape[2:])[: len(x)]


def seen(surface: Surface, materials: Sequence[Material]) -> Iterator[tuple[Material, Indices]]:
    """Yield each visible material with the indices of the rays that hit it."""
    # NumPy sorts 16-bit integers by radix sort, ten times as fast.
    numbers = surface.material if len(materials) > MOST_SMALL else surface.material.astype(np.int16)
    order = np.argsort(numbers, kind="stable")
    bounds = np.searchsorted(numbers[order], np.arange(len(materials) + 1))
    for k, material in enumerate(materials):
        if bounds[k + 1] > bounds[k]:
            yield material, order[bounds[k] : bounds[k + 1]]


def _halvings(image: Floats) -> list[Floats]:
    """Mipmap pyramid: the image and its halvings, each pixel the mean of four."""
    levels = [image]
    while min(levels[-1].shape[:2]) >= 2 * SMALLEST_LEVEL_PX:
        fine = levels[-1][: levels[-1].shape[0] // 2 * 2, : levels[-1].shape[1] // 2 * 2]
        levels.append((fine[::2, ::2] + fine[1::2, ::2] + fine[::2, 1::2] + fine[1::2, 1::2]) * np.float32(0.25))
    return levels


def footprints(uv: Floats) -> Floats:
    """Footprint of a pixel in UV ``(h, w)``: the geometric mean of its steps to the right and down."""
    sizes = []
    for axis in (0, 1):
        if uv.shape[axis] < 2:
            sizes.append(np.zeros(uv.shape[:2], np.float32))
            continue
        across = np.abs(np.diff(uv, axis=axis))
        step = np.maximum(across[..., 0], across[..., 1])
        before = np.concatenate([step.take([0], axis), step], axis)
        after = np.concatenate([step, step.take([-1], axis)], axis)
        sizes.append(np.minimum(before, after))
    out: Floats = np.sqrt(sizes[0] * sizes[1])
    return out
