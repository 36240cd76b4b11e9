"""What the denoiser is told about the surfaces that the camera sees: their colour and their normal."""

from __future__ import annotations

from collections.abc import Sequence

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
    table[: len(materials)] = [flat_color(m) for m in materials] if materials else np.zeros((0, 3))
    out = table[surface.material]
    order = np.argsort(surface.material, kind="stable")
    bounds = np.searchsorted(surface.material[order], np.arange(len(materials) + 1))
    for k, material in enumerate(materials):
        rows = order[bounds[k] : bounds[k + 1]]
        if material.texture is not None and len(rows):
            out[rows] = look_up(material.texture, surface.uv[rows])
    return out
