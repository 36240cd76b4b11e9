"""Exposure metering on the town without its actors, so that hazards do not change the image's brightness.

A coarse grid of rays hits the town; the reflected light of each point is estimated from sun, sky and mean colour. The
result is deterministic and costs a few thousand rays.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from caos.assets.mesh import Material
from caos.simulator.embedded.render.description import Camera
from caos.simulator.embedded.render.ray_casting.caster import Caster
from caos.simulator.embedded.render.ray_casting.rays import pixel_rays, unit
from caos.simulator.embedded.render.sky_light.sky import Sky
from caos.simulator.lens import PINHOLE

Floats = NDArray[np.float32]

KEY = 0.165
NIGHT_LEVEL = 0.2
GRID = (32, 18)
WIDEST_DEG = 100.0
# Exposure follows the scene's brightness only partly, and within these bounds (in stops).
FOLLOW = 0.75
STOPS = (-0.8, 1.0)
PROBES = np.array(
    [[0.0, 0.0, 1.0], [0.75, 0.2, 0.63], [-0.4, 0.67, 0.63], [-0.5, -0.6, 0.63], [0.6, -0.75, 0.3], [-0.1, 0.95, 0.3]],
    np.float32,
)


def from_weather(sky: Sky) -> float:
    """Exposure for open ground of middle gray."""
    level = float(sky.ambient.mean()) * (1 - sky.night) + NIGHT_LEVEL * sky.night
    return KEY / max(0.2 * level / np.pi, 1e-4)


def metered(camera: Camera, caster: Caster, sky: Sky, grid: tuple[int, int] = GRID) -> float:
    """Exposure for the town as seen by ``camera`` through a ``grid`` of rays, its exposure compensation included."""
    stops = 0.0 if sky.night > 0.5 else _stops(camera, caster, sky, grid)
    return float(from_weather(sky) * 2.0 ** (stops + camera.exposure_compensation))


def _stops(camera: Camera, caster: Caster, sky: Sky, grid: tuple[int, int]) -> float:
    # Metered in the centre of the view, whatever the lens shows beside it.
    fov_deg = camera.fov_deg if camera.lens.is_pinhole else min(camera.fov_deg, WIDEST_DEG)
    small = replace(camera, width=grid[0], height=grid[1], fov_deg=fov_deg, lens=PINHOLE)
    rays = pixel_rays(small)
    distance, normal, material = caster.town_first(rays)
    hit = np.flatnonzero(np.isfinite(distance))
    if len(hit) < 0.1 * len(distance):
        return 0.0
    ahead, normal = rays.directions[hit], unit(normal[hit])
    normal[np.einsum("ij,ij->i", normal, ahead) > 0] *= -1
    points = (rays.origins[hit] + ahead * distance[hit, None] + 0.02 * normal).astype(np.float32)
    light = _light(points, normal, caster, sky)
    color = np.clip(caster.table.column(_mean, 0.2), 0.02, 0.9)[material[hit]]
    level = np.exp(np.mean(np.log(color * light / np.pi + 1e-3 * sky.ambient.mean())))
    usual = 0.2 * float(sky.ambient.mean()) / np.pi
    return float(np.clip(FOLLOW * np.log2(usual / max(float(level), 1e-9)), *STOPS))


def _light(points: Floats, normal: Floats, caster: Caster, sky: Sky) -> Floats:
    """Approximate irradiance at points: sun where visible, sky where probe rays are free, and some reflected light."""
    sun = sky.sun_direction.astype(np.float32)
    facing = np.clip(normal @ sun, 0, None)
    seen = ~caster.town_blocks(points, np.ascontiguousarray(np.broadcast_to(sun, points.shape)))
    open_sky = np.zeros(len(points), np.float32)
    for probe in PROBES:
        ray = np.ascontiguousarray(np.broadcast_to(probe / np.linalg.norm(probe), points.shape), dtype=np.float32)
        open_sky += ~caster.town_blocks(points, ray) * np.clip(normal @ ray[0], 0, None)
    open_sky *= 2.0 / len(PROBES)
    bounce = 0.12 * float(sky.ambient.mean())
    out: Floats = float(sky.sun_irradiance.mean()) * facing * seen + float(sky.skylight.mean()) * open_sky + bounce
    return out


def _mean(material: Material) -> float:
    return float(np.mean(material.color if material.texture is None else material.texture[::8, ::8]))
