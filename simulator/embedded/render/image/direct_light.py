"""Sketch of the light: what sun, sky and lamps alone give each pixel, from first hits and shadow rays.

It is free of noise, as fine as the picture and cheap, but knows nothing of light that bounces. So the path tracer's
light, traced on a coarser grid, is not painted but compared with the sketch: their ratio is smooth, also across the
edges of shadows and of surfaces, and the picture is the sketch times the ratio.
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

# Shares of open sky and of the ground's light that reach a surface in a street, about.
OPEN_SKY, FROM_GROUND = 0.75, 0.15
# Light that even black surfaces send back, as a share of the sky's.
LEAST = 0.004
# Light of lamps that comes from everywhere, in a street at night.
LAMPLIGHT = 0.001
# Irradiance below which a lamp is left to the path tracer.
FAINT = 0.004
# A lamp does not hide itself.
UP_TO_LAMP = 0.995
LIFT_M = 0.02
# Mirrors that show less than this share of the light are left to the path tracer.
MIRROR = 0.01
# Of a mirrored texture, in UV: fine enough to see windows, coarse enough not to flicker.
MIRROR_FOOTPRINT = 0.01


@dataclass(frozen=True, eq=False)
class Reflection:
    """What rays show by way of mirrors.

    Attributes:
        mirrors: All mirrors that rays meet.
        rows: ``(m,)`` the rays that are followed further.
        strength: ``(m,)`` share of light that is mirrored there.
        tinted: ``(m,)`` whether it takes the mirror's colour.
        rays: The ``m`` mirrored rays.
        seen: What they meet.
    """

    mirrors: Mirrored
    rows: Indices
    strength: Floats
    tinted: NDArray[np.bool_]
    rays: Rays
    seen: Surface


class Sketch:
    """The light of one sky on what one caster's rays meet."""

    def __init__(self, caster: Caster, colors: Colors, mirrors: Mirrors, sky: Sky, lamps: Sequence[Lamp] = ()) -> None:
        self.caster, self.colors, self._mirrors, self._sky = caster, colors, mirrors, sky
        self._lamps = tuple(lamps)
        self.suns = sun_disc(sky.sun_direction).astype(np.float32)

    @property
    def has_sun(self) -> bool:
        """Whether the sun throws shadows."""
        return self._sky.has_sun

    @property
    def has_lamps(self) -> bool:
        """Whether lamps shine."""
        return bool(self._lamps)

    def facing(self, surface: Surface) -> Floats:
        """Cosine between normals and the sun ``(n,)``, zero for those that face away; light shines through leaves."""
        sun = self._sky.sun_direction.astype(np.float32)
        cosine = surface.normal @ sun
        leaves = np.array([m.surface == "leaf" for m in self.caster.table.materials] + [False])
        behind = np.where(leaves[surface.material], np.float32(-SHINES_THROUGH), np.float32(0))
        out: Floats = np.where(cosine > 0, cosine, cosine * behind)
        return out

    def sunlit(self, surface: Surface, rays: Rays, facing: Floats, suns: Indices | int = 0) -> Floats:
        """Which points that face the sun see it, 0 or 1 ``(n,)``; ``suns`` says which point of its disc to look at."""
        out = np.zeros(len(facing), np.float32)
        rows = np.flatnonzero(facing > 0)
        if not self.has_sun or not len(rows):
            return out
        points = rays.origins[rows] + rays.directions[rows] * surface.distance[rows, None]
        to_sun = self.suns[suns[rows] if isinstance(suns, np.ndarray) else np.full(len(rows), suns)]
        # Off the surface, to the side that the sun is on: that of a leaf may be the far one.
        side = np.sign(np.einsum("ij,ij->i", surface.normal[rows], to_sun))[:, None]
        points += np.float32(LIFT_M) * (surface.normal[rows] * side + to_sun)
        out[rows] = ~self.caster.blocks(np.ascontiguousarray(points, np.float32), np.ascontiguousarray(to_sun))
        return out

    def reflect(self, surface: Surface, rays: Rays, footprint: Floats) -> Reflection:
        """What the mirrors among ``surface`` show; a pixel is ``footprint`` ``(n,)`` wide in UV."""
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

        ``sunlight`` ``(n,)`` is facing times sunlit; ``lamplight`` that of :meth:`lamplight`, where it is known.
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
        """Radiance ``(n, 3)`` of what mirrors show, without further mirrors."""
        seen, facing = shown.seen, self.facing(shown.seen)
        albedo = self.colors.albedo(seen, np.full(len(facing), MIRROR_FOOTPRINT, np.float32))
        return self._matt(seen, shown.rays, albedo, facing * self.sunlit(seen, shown.rays, facing))

    def _matt(
        self, surface: Surface, rays: Rays, albedo: Floats, sunlight: Floats, lamplight: Floats | None = None
    ) -> Floats:
        """Radiance ``(n, 3)`` by matt surfaces and the sky."""
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
        """The light ``(n, 3)`` of lamps on matt white."""
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
    """What is seen of the sky along ``directions`` ``(n, 3)``, as Mitsuba's map of it shows it."""
    scale = np.float32(sky.image.shape[0] / np.pi)
    length = np.sqrt(np.einsum("ij,ij->i", directions, directions))
    x = np.arctan2(directions[:, 0], directions[:, 1]) * scale % np.float32(sky.image.shape[1])
    y = np.arccos(np.clip(directions[:, 2] / length, -1, 1)) * scale
    return sampled(sky.image, x, y)
