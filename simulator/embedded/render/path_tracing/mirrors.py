"""Specular surfaces: glass panes, smooth coats and puddles, and the share of light that they reflect."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from caos.assets.mesh import Material
from caos.simulator.embedded.render.image.surface_colors import Colors, seen
from caos.simulator.embedded.render.path_tracing.materials import (
    COAT_IOR,
    GLASS_IOR,
    SMOOTH_BELOW,
    WATER_IOR,
    Surfaces,
    coat_alpha,
    puddle_mask,
)
from caos.simulator.embedded.render.ray_casting.rays import Floats, Indices, Rays, Surface

# Typical share of a smooth surface's Fresnel reflection that rough water reflects towards the camera.
ROUGH = 0.6
# Share of a colour's brightness below a smooth coat: internal reflection traps the rest.
UNDER_COAT = 0.6
# Specular share of metals; the remainder is diffuse.
METAL = 0.7


@dataclass(frozen=True, eq=False)
class Mirrored:
    """Rays that hit a mirror or wet ground.

    Attributes:
        rows: ``(n,)`` indices of these rays.
        strength: ``(n,)`` share of light that is reflected specularly.
        sheen: ``(n,)`` share of light that is reflected by rough water.
        dimmed: ``(n,)`` factor on the colour of the surface below.
        tinted: ``(n,)`` whether the reflection takes the surface's colour, as on metals.
    """

    rows: Indices
    strength: Floats
    sheen: Floats
    dimmed: Floats
    tinted: NDArray[np.bool_]


class Mirrors:
    """Finds specular surfaces among first hits."""

    def __init__(self, colors: Colors, surfaces: Surfaces) -> None:
        self._colors, self._surfaces = colors, surfaces

    def of(self, surface: Surface, rays: Rays, footprint: Floats) -> Mirrored:
        """Specular surfaces that ``rays`` hit; pixels are ``footprint`` ``(n,)`` wide in UV."""
        found: list[tuple[Indices, Floats, Floats, Floats, NDArray[np.bool_]]] = []
        for material, rows in seen(surface, self._colors.table.materials):
            index, ones = self._index(material), np.ones(len(rows), np.float32)
            if material.surface == "metal":
                found.append((rows, ones * np.float32(METAL), 0 * ones, ones, ones > 0))
            elif index > 1:
                share = _fresnel(surface, rays, rows, index)
                mask, sheen, dimmed = self._mask(material, surface.uv[rows], footprint[rows])
                found.append((rows, mask * share, sheen * share, dimmed, ones < 0))
        if not found:
            none = np.zeros(0, np.float32)
            return Mirrored(np.zeros(0, np.intp), none, none, none, none > 0)
        return Mirrored(*(np.concatenate(parts) for parts in zip(*found, strict=True)))

    def _index(self, material: Material) -> float:
        """Index of refraction of a smooth coat; 1 where there is none."""
        if material.wettable and not self._surfaces.wet.dry:
            return WATER_IOR
        if material.gloss_mask is not None:
            return GLASS_IOR
        if material.surface in {"diffuse", "leaf", "metal"} or coat_alpha(material) >= SMOOTH_BELOW:
            return 1.0
        return GLASS_IOR if material.surface == "glass" else COAT_IOR

    def _mask(self, material: Material, uv: Floats, footprint: Floats) -> tuple[Floats, Floats, Floats]:
        """Specular share, rough share and remaining albedo factor of the surface at ``uv`` ``(n, 2)``."""
        wet, ones = self._surfaces.wet, np.ones(len(uv), np.float32)
        if material.wettable and not wet.dry:
            damp = np.float32(1 - 0.45 * max(wet.film, 0.3))
            if wet.puddles <= 0:
                return 0 * ones, ROUGH * ones, damp * ones
            scale = np.float32(self._surfaces.puddle_scale(material))
            water = self._colors.filtered(puddle_mask(wet.puddles), uv * scale, footprint * scale)
            return water, ROUGH * (1 - water), damp + water * (np.float32(0.42 * UNDER_COAT) - damp)
        if material.gloss_mask is not None:
            return self._colors.filtered(material.gloss_mask, uv, footprint), 0 * ones, ones
        return ones, 0 * ones, np.float32(UNDER_COAT) * ones


def _fresnel(surface: Surface, rays: Rays, rows: Indices, index: float) -> Floats:
    """Fresnel reflectance of a smooth dielectric for unpolarized light."""
    ahead = rays.directions[rows]
    length = np.sqrt(np.einsum("ij,ij->i", ahead, ahead))
    cosine = np.minimum(np.abs(np.einsum("ij,ij->i", surface.normal[rows], ahead)) / length, 1)
    inside = np.sqrt(1 - (1 - cosine**2) / index**2)
    across = ((cosine - index * inside) / (cosine + index * inside)) ** 2
    along = ((inside - index * cosine) / (inside + index * cosine)) ** 2
    out: Floats = ((across + along) / 2).astype(np.float32)
    return out
