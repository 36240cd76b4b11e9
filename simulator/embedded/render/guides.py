"""What the camera sees of surfaces: their colour, for the denoiser, and the light they send out themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from assets.mesh import Material
from simulator.embedded.render.rays import Surface

Floats = NDArray[np.float32]


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


def albedo(surface: Surface, materials: Sequence[Material]) -> Floats:
    """Colours ``(n, 3)`` of what is seen; white for the sky."""
    table = np.ones((len(materials) + 1, 3), np.float32)
    for k, material in enumerate(materials):
        table[k] = flat_color(material)
    out: Floats = table[surface.material]
    for material, rows in _seen(surface, materials):
        if material.texture is not None:
            out[rows] = look_up(material.texture, surface.uv[rows])
    return out


def emission(surface: Surface, materials: Sequence[Material]) -> Floats | None:
    """Radiance ``(n, 3)`` that lamps and lit windows send to the camera, or None if none is seen."""
    shining = [m.surface == "emissive" for m in materials] + [False]
    if not np.array(shining)[surface.material].any():
        return None
    out = np.zeros((len(surface.material), 3), np.float32)
    for material, rows in _seen(surface, materials):
        if material.surface == "emissive":
            out[rows] = material.color if material.texture is None else look_up(material.texture, surface.uv[rows])
    return out


def _seen(surface: Surface, materials: Sequence[Material]) -> Iterator[tuple[Material, NDArray[np.intp]]]:
    """Each material that is seen, with the rays that meet it."""
    order = np.argsort(surface.material, kind="stable")
    bounds = np.searchsorted(surface.material[order], np.arange(len(materials) + 1))
    for k, material in enumerate(materials):
        if bounds[k + 1] > bounds[k]:
            yield material, order[bounds[k] : bounds[k + 1]]
