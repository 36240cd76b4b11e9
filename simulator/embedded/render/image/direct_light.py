"""Direct light at full resolution: radiance of each pixel by sun, sky and lamps, from first hits and shadow rays.

The result is free of noise, sharp and cheap, but lacks indirect light. The path tracer traces light on a coarser grid,
and only its ratio to the direct light is used: the ratio is smooth, also across edges of shadows and surfaces, so it
can be enlarged, and the image is the direct light times the ratio.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from caos.simulator.embedded.render.description import Lamp
from caos.simulator.embedded.render.image.surface_colors import Colors, sampled
from caos.simulator.embedded.render.path_tracing.lights import lamp_irradiance, sun_disc
from caos.simulator.embedded.render.path_tracing.materials import SHINES_THROUGH
from caos.simulator.embedded.render.path_tracing.mirrors import Mirrored, Mirrors
from caos.simulator.embedded.render.ray_casting.caster import Caster
from caos.simulator.embedded.render.ray_casting.rays import Floats, Indices, Rays, Surface, mirrored, unit
from caos.simulator.embedded.render.sky_light.sky import Sky

# Typical share of sky and of light reflected by the ground that reaches a surface in a street.
OPEN_SKY, FROM_GROUND = 0.75, 0.15
# Radiance of black surfaces, as a share of the sky's.
LEAST = 0.004
# Ambient light of all lamps in a street at night.
LAMPLIGHT = 0.001
# Irradiance below which a lamp is left to the path tracer.
FAINT = 0.004
# Shadow rays end before the lamp, so that its own housing does not occlude it.
UP_TO_LAMP = 0.995
LIFT_M = 0.02
# Mirrors that reflect less than this share of the light are left to the path tracer.
MIRROR = 0.01
# Footprint of mirrored textures in UV: fine enough to show windows, coarse enough not to flicker.
MIRROR_FOOTPRINT = 0.01


@dataclass(frozen=True, eq=False)
class Reflection:
    """First hits of mirrored rays.

    Attributes:
        mirrors: All mirrors that rays hit.
        rows: ``(m,)`` indices of the rays that are followed further.
        strength: ``(m,)`` share of light that is mirrored.
        tinted: ``(m,)`` whether the reflection takes the mirror's colour.
        rays: The ``m`` mirrored rays.
        seen: First hits of the mirrored rays.
    """

    mirrors: Mirrored
    rows: Indices
    strength: Floats
    tinted: NDArray[np.bool_]
    rays: Rays
    seen: Surface


class DirectLight:
    """Direct light of one sky and some lamps on the first hits of one caster's rays."""

    def __init__(self, caster: Caster, colors: Colors, mirrors: Mirrors, sky: Sky, lamps: Sequence[Lamp] = ()) -> None:
        self.caster, self.colors, self._mirrors, self._sky = caster, colors, mirrors, sky
        self._lamps = tuple(lamps)
        self.suns = sun_disc(sky.sun_direction).astype(np.float32)

    @property
    def has_sun(self) -> bool:
        """Whether the sun casts shadows."""
        return self._sky.has_sun

    @property
    def has_lamps(self) -> bool:
        """Whether lamps are on."""
        return bool(self._lamps)

    def facing(self, surface: Surface) -> Floats:
        """Cosine between normals and the sun ``(n,)``, zero where they face away; leaves transmit light."""
        sun = self._sky.sun_direction.astype(np.float32)
        cosine = surface.normal @ sun
        leaves = np.array([m.surface == "leaf" for m in self.caster.table.materials] + [False])
        behind = np.where(leaves[surface.material], np.float32(-SHINES_THROUGH), np.float32(0))
        out: Floats = np.where(cosine > 0, cosine, cosine * behind)
        return out

    def sunlit(self, surface: Surface, rays: Rays, facing: Floats, suns: Indices | int = 0) -> Floats:
        """Sun visibility, 0 or 1 ``(n,)``, of points that face the sun; ``suns`` are indices of points of its disc."""
        out = np.zeros(len(facing), np.float32)
        rows = np.flatnonzero(facing > 0)
        if not self.has_sun or not len(rows):
            return out
        points = rays.origins[rows] + rays.directions[rows] * surface.distance[rows, None]
        to_sun = self.suns[suns[rows] if isinstance(suns, np.ndarray) else np.full(len(rows), suns)]
        # Offset towards the side of the surface that the sun is on: for a leaf it may be the far one.
        side = np.sign(np.einsum("ij,ij->i", surface.normal[rows], to_sun))[:, None]
        points += np.float32(LIFT_M) * (surface.normal[rows] * side + to_sun)
        out[rows] = ~self.caster.blocks(np.ascontiguousarray(points, np.float32), np.ascontiguousarray(to_sun))
        return out

    def reflect(self, surface: Surface, rays: Rays, footprint: Floats) -> Reflection:
        """Reflections in the mirrors among ``surface``; pixels are ``footprint`` ``(n,)`` wide in UV."""
        mirrors = self._mirrors.of(surface, rays, footprint)
        strong = np.flatnonzero(mirrors.strength > MIRROR)
        rows = mirrors.rows[strong]
        normal = surface.normal[rows]
        away = mirrored(unit(rays.directions[rows]), normal)
        points = rays.origins[rows] + rays.directions[rows] * surface.distance[rows, None]
        bent = Rays(np.ascontiguousarray(points + np.float32(LIFT_M) * normal), np.ascontiguousarray(away))
        seen = self.caster.first(bent, detail=True)
        return Reflection(mirrors, rows, mirrors.strength[strong], mirrors.tinted[strong], bent, seen)

    def shade(
        self,
        surface: Surface,
        rays: Rays,
        albedo: Floats,
        sunlight: Floats,
        shown: Reflection,
        lamplight: Floats | None = None,
    ) -> Floats:
        """Radiance ``(n, 3)`` towards the rays' origins.

        ``sunlight`` ``(n,)`` is facing times sunlit; ``lamplight`` is the result of :meth:`lamplight`, if available.
        """
        albedo, mirrors = albedo.copy(), shown.mirrors
        albedo[mirrors.rows] *= mirrors.dimmed[:, None]
        out = self._matt(surface, rays, albedo, sunlight, lamplight)
        out[mirrors.rows] += mirrors.sheen[:, None] * (self._sky.horizon / 2).astype(np.float32)
        if len(shown.rows):
            seen = self._mirrored(shown)
            seen[shown.tinted] *= albedo[shown.rows[shown.tinted]]
            out[shown.rows] += shown.strength[:, None] * (seen - out[shown.rows])
        return out

    def _mirrored(self, shown: Reflection) -> Floats:
        """Radiance ``(n, 3)`` of surfaces seen in mirrors, without further reflections."""
        seen, facing = shown.seen, self.facing(shown.seen)
        albedo = self.colors.albedo(seen, np.full(len(facing), MIRROR_FOOTPRINT, np.float32))
        return self._matt(seen, shown.rays, albedo, facing * self.sunlit(seen, shown.rays, facing))

    def _matt(
        self, surface: Surface, rays: Rays, albedo: Floats, sunlight: Floats, lamplight: Floats | None = None
    ) -> Floats:
        """Radiance ``(n, 3)`` of diffuse surfaces and the sky."""
        sky = self._sky
        lamps = LAMPLIGHT * sky.night
        above = (OPEN_SKY / 2 / np.pi * sky.skylight + lamps).astype(np.float32)
        below = (FROM_GROUND / 2 / np.pi * sky.ambient + lamps).astype(np.float32)
        out = (above + below) + surface.normal[:, 2:] * (above - below)
        if self.has_sun:
            out += sunlight[:, None] * (sky.sun_irradiance / np.pi).astype(np.float32)
        if self.has_lamps:
            out += self.lamplight(surface, rays) if lamplight is None else lamplight
        out *= albedo
        out += (LEAST * (sky.skylight / np.pi + lamps)).astype(np.float32)
        free = np.flatnonzero(surface.material < 0)
        out[free] = sky_radiance(sky, rays.directions[free])
        return out

    def lamplight(self, surface: Surface, rays: Rays) -> Floats:
        """Irradiance over pi ``(n, 3)`` by lamps."""
        out, hit = np.zeros((len(rays), 3), np.float32), np.flatnonzero(surface.material >= 0)
        normal = surface.normal[hit]
        points = rays.origins[hit] + rays.directions[hit] * surface.distance[hit, None]
        points += np.float32(LIFT_M) * normal
        for lamp in self._lamps:
            rows, light, away = lamp_irradiance(lamp, points, normal, FAINT)
            if len(rows):
                blocked = self.caster.blocks(np.ascontiguousarray(points[rows]), away, UP_TO_LAMP)
                rows, light = rows[~blocked], light[~blocked]
                out[hit[rows]] += (light / np.float32(np.pi))[:, None] * np.array(lamp.color, np.float32)
        return out


def sky_radiance(sky: Sky, directions: Floats) -> Floats:
    """Sky radiance along ``directions`` ``(n, 3)``, sampled from the sky image as Mitsuba does."""
    scale = np.float32(sky.image.shape[0] / np.pi)
    length = np.sqrt(np.einsum("ij,ij->i", directions, directions))
    x = np.arctan2(directions[:, 0], directions[:, 1]) * scale % np.float32(sky.image.shape[1])
    y = np.arccos(np.clip(directions[:, 2] / length, -1, 1)) * scale
    return sampled(sky.image, x, y)
