"""Guides of the denoiser: colour and normal of the surfaces behind each pixel, filtered as the pixel sees them.

Textures are read at the level of detail that fits a pixel, and pixels on edges average several rays: guides without
noise or stairs let the denoiser keep texture and edges that two samples of light cannot show.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from caos.assets.mesh import Material
from caos.simulator.embedded.render.caster import Caster
from caos.simulator.embedded.render.description import Camera
from caos.simulator.embedded.render.rays import Surface, tap_rays

Floats = NDArray[np.float32]
Indices = NDArray[np.intp]

# Where the extra rays of an edge pixel pass: a rotated grid, so that steep and flat edges both get four steps.
TAPS = ((0.125, 0.625), (0.375, 0.125), (0.625, 0.875), (0.875, 0.375))
SMALLEST_LEVEL_PX = 4


class Guides:
    """Makes guides, and keeps the textures' levels of detail between frames."""

    def __init__(self, caster: Caster) -> None:
        self._caster = caster
        self._levels: dict[int, tuple[Material, list[Floats]]] = {}

    def make(self, camera: Camera, surface: Surface) -> tuple[Floats, Floats]:
        """Albedo and normal ``(h, w, 3)`` of a camera whose centre rays met ``surface``."""
        shape = (camera.height, camera.width)
        footprint = _footprint(surface.uv.reshape(*shape, 2)).ravel()
        albedo, normal = self._albedo(surface, footprint), surface.normal
        edges = np.flatnonzero(_edges(surface, shape))
        if len(edges):
            seen_there = np.unique(surface.thing[edges])
            taps = self._caster.first(tap_rays(camera, edges, TAPS), detail=True, only=seen_there)
            colors = self._albedo(taps, np.repeat(footprint[edges], len(TAPS)))
            albedo[edges] = _mean_of(colors, len(TAPS))
            normal = normal.copy()
            normal[edges] = _mean_of(taps.normal, len(TAPS))
        return albedo.reshape(*shape, 3), normal.reshape(*shape, 3)

    def _albedo(self, surface: Surface, footprint: Floats) -> Floats:
        """Colours ``(n, 3)``; white for the sky."""
        materials = self._caster.table.materials
        table = np.ones((len(materials) + 1, 3), np.float32)
        for k, material in enumerate(materials):
            table[k] = flat_color(material)
        out: Floats = table[surface.material]
        for material, rows in seen(surface, materials):
            if material.texture is not None:
                out[rows] = self._filtered(material, surface.uv[rows], footprint[rows])
        return out

    def _filtered(self, material: Material, uv: Floats, footprint: Floats) -> Floats:
        """Texels of the level whose size is nearest to the pixels' footprint, in UV."""
        levels = self._pyramid(material)
        wanted = np.log2(np.maximum(footprint * max(levels[0].shape[:2]), 1e-6))
        level = np.clip(np.rint(wanted), 0, len(levels) - 1).astype(np.int8)
        out = np.empty((len(uv), 3), np.float32)
        for k, image in enumerate(levels):
            rows = np.flatnonzero(level == k)
            if len(rows):
                out[rows] = look_up(image, uv[rows])
        return out

    def _pyramid(self, material: Material) -> list[Floats]:
        assert material.texture is not None
        if id(material) not in self._levels:
            self._levels[id(material)] = (material, _halvings(material.texture))
        return self._levels[id(material)][1]


def emission(surface: Surface, materials: Sequence[Material]) -> Floats | None:
    """Radiance ``(n, 3)`` that lamps and lit windows send to the camera when they are on, or None if none is seen."""
    shining = np.array([m.surface == "emissive" for m in materials] + [False])
    if not shining[surface.material].any():
        return None
    out = np.zeros((len(surface.material), 3), np.float32)
    for material, rows in seen(surface, materials):
        if material.surface == "emissive":
            out[rows] = material.color if material.texture is None else look_up(material.texture, surface.uv[rows])
    return out


def look_up(image: Floats, uv: Floats) -> Floats:
    """The texels nearest to ``uv`` ``(n, 2)`` of a repeated image whose row 0 is at v = 1."""
    rows, columns = image.shape[:2]
    x = np.floor((uv[:, 0] % 1) * columns).astype(np.int32) % columns
    y = np.floor((1 - uv[:, 1]) % 1 * rows).astype(np.int32) % rows
    out: Floats = image[y, x]
    return out


def flat_color(material: Material) -> tuple[float, float, float]:
    """Colour of an untextured material as a guide, in 0..1."""
    peak = max(*material.color, 1.0)
    r, g, b = (float(np.clip(c / peak, 0, 1)) for c in material.color)
    return r, g, b


def seen(surface: Surface, materials: Sequence[Material]) -> Iterator[tuple[Material, Indices]]:
    """Each material that is seen, with the rays that meet it."""
    order = np.argsort(surface.material, kind="stable")
    bounds = np.searchsorted(surface.material[order], np.arange(len(materials) + 1))
    for k, material in enumerate(materials):
        if bounds[k + 1] > bounds[k]:
            yield material, order[bounds[k] : bounds[k + 1]]


def _mean_of(values: Floats, count: int) -> Floats:
    """Means over each ``count`` rows of ``values`` ``(n * count, 3)``."""
    total = values[0::count].copy()
    for k in range(1, count):
        total += values[k::count]
    out: Floats = total / np.float32(count)
    return out


def _halvings(image: Floats) -> list[Floats]:
    """The image and its halvings, each pixel the mean of four."""
    levels = [image]
    while min(levels[-1].shape[:2]) >= 2 * SMALLEST_LEVEL_PX:
        fine = levels[-1][: levels[-1].shape[0] // 2 * 2, : levels[-1].shape[1] // 2 * 2]
        levels.append((fine[::2, ::2] + fine[1::2, ::2] + fine[::2, 1::2] + fine[1::2, 1::2]) * np.float32(0.25))
    return levels


def _footprint(uv: Floats) -> Floats:
    """Size of a pixel in UV ``(h, w)``: the geometric mean of its steps to the right and down."""
    sizes = []
    for axis in (0, 1):
        if uv.shape[axis] < 2:
            sizes.append(np.zeros(uv.shape[:2], np.float32))
            continue
        step = np.abs(np.diff(uv, axis=axis)).max(axis=2)
        before = np.concatenate([step.take([0], axis), step], axis)
        after = np.concatenate([step, step.take([-1], axis)], axis)
        sizes.append(np.minimum(before, after))
    out: Floats = np.sqrt(sizes[0] * sizes[1])
    return out


def _edges(surface: Surface, shape: tuple[int, int]) -> NDArray[np.bool_]:
    """Pixels ``(h, w)`` whose neighbour shows another thing or another side of it."""
    thing = (surface.material.astype(np.int64) << 32 | surface.instance).reshape(shape)
    normal = surface.normal.reshape(*shape, 3)
    edges = np.zeros(shape, bool)
    across = (thing[:, 1:] != thing[:, :-1]) | (np.einsum("ijk,ijk->ij", normal[:, 1:], normal[:, :-1]) < 0.9)
    down = (thing[1:] != thing[:-1]) | (np.einsum("ijk,ijk->ij", normal[1:], normal[:-1]) < 0.9)
    sky = surface.material.reshape(shape) < 0
    across &= ~(sky[:, 1:] & sky[:, :-1])
    down &= ~(sky[1:] & sky[:-1])
    edges[:, 1:] |= across
    edges[:, :-1] |= across
    edges[1:] |= down
    edges[:-1] |= down
    return edges
