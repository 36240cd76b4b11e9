"""Light sources as Mitsuba emitters: the sky, the sun's disc, and at night the lamps nearest to the camera."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caos.simulator.embedded.render.description import Lamp
from caos.simulator.embedded.render.ray_casting.caster import Caster
from caos.simulator.embedded.render.ray_casting.rays import unit
from caos.simulator.embedded.render.sky_light.sky import Sky

Emitter = dict[str, Any]
Floats = NDArray[np.float32]
Indices = NDArray[np.intp]

SUN_POINTS = 24
# Sampling weight of the sun relative to the sky: paths hit the sky by chance, but never the sun.
SUN_WEIGHT = 4.0
SUN_RADIUS = float(np.radians(0.4))
MOST_LAMPS = 14
LAMP_REACH_M = 70.0
# Darkness above which lamps are on.
DUSK = 0.25
# From a lamp's nominal intensity to renderer units, chosen by eye for lamps of 30 on posts of 5 to 9 metres.
LAMP_POWER = 1.5
# Offsets (along the axis, sideways) in metres for a light source that is occluded by the lamp's own housing.
OUTLETS = ((0.08, 0.0), (0.5, 0.0), (0.15, 0.45), (0.35, 0.6))
CLEAR_M = 5.0


def sun_disc(center: NDArray[np.float64]) -> NDArray[np.float64]:
    """Unit directions ``(SUN_POINTS, 3)`` spread over the sun's disc.

    Many directional lights, of which each path picks one, give soft shadows and, unlike a bright disc in the sky image,
    no fireflies in reflections.
    """
    side = np.cross(center, (0.0, 0.0, 1.0) if abs(center[2]) < 0.9 else (1.0, 0.0, 0.0))
    side /= np.linalg.norm(side)
    k = np.arange(SUN_POINTS)
    radius, angle = SUN_RADIUS * np.sqrt((k + 0.5) / SUN_POINTS), k * np.pi * (3 - np.sqrt(5))
    offsets = np.cos(angle)[:, None] * side + np.sin(angle)[:, None] * np.cross(center, side)
    points = center + radius[:, None] * offsets
    return np.asarray(points / np.linalg.norm(points, axis=1, keepdims=True))


def daylight(mi: ModuleType, sky: Sky) -> dict[str, Emitter]:
    """Emitters of the sky and the sun."""
    turn = mi.ScalarTransform4f().rotate([1, 0, 0], 90)
    emitters: dict[str, Emitter] = {
        "sky": {"type": "envmap", "bitmap": mi.Bitmap(sky.image), "to_world": turn, "sampling_weight": 1.0}
    }
    if not sky.has_sun:
        return emitters
    share = [float(c) / SUN_POINTS for c in sky.sun_irradiance]
    for i, direction in enumerate(sun_disc(sky.sun_direction)):
        emitters[f"sun{i}"] = {
            "type": "directional",
            "direction": [-float(d) for d in direction],
            "irradiance": {"type": "rgb", "value": share},
            "sampling_weight": SUN_WEIGHT / SUN_POINTS,
        }
    return emitters


def nearest(lamps: Sequence[Lamp], eye: NDArray[np.float64], axis: NDArray[np.float64]) -> tuple[Lamp, ...]:
    """Lamps that contribute most to the view of a camera at ``eye`` looking along ``axis``, most important first."""
    if not lamps:
        return ()
    away = np.array([lamp.location for lamp in lamps]) - eye
    distance = np.linalg.norm(away, axis=1)
    ahead = away @ axis
    power = np.array([lamp.intensity for lamp in lamps]) / (distance**2 + 60.0) * np.where(ahead > -12, 1.0, 0.02)
    order = [i for i in np.argsort(-power, kind="stable") if distance[i] < LAMP_REACH_M]
    return tuple(lamps[i] for i in order[:MOST_LAMPS])


def freed(lamp: Lamp, caster: Caster) -> Lamp:
    """Move the light out of the lamp's own housing, to the outlet with the largest unoccluded part of its cone.

    Only the town is tested, so that street light does not depend on actors; headlights sit on the outside anyway.
    """
    if lamp.direction is None:
        return lamp
    axis = np.array(lamp.direction, dtype=np.float64)
    axis /= max(float(np.linalg.norm(axis)), 1e-9)
    side = np.cross(axis, (0.0, 0.0, 1.0) if abs(axis[2]) < 0.9 else (1.0, 0.0, 0.0))
    side /= np.linalg.norm(side)
    around = [np.cos(a) * side + np.sin(a) * np.cross(axis, side) for a in np.arange(8) * np.pi / 4]
    spread = np.tan(np.radians(np.clip(lamp.cone_deg * 0.3, 1, 60)))
    cone = np.array([axis, *(axis + spread * s for s in around)])
    cone /= np.linalg.norm(cone, axis=1, keepdims=True)
    offsets = [along * axis + away * s for along, away in OUTLETS for s in (around[::2] if away else around[:1])]
    places = np.array(lamp.location) + np.array(offsets)
    origins = np.repeat(places, len(cone), axis=0)
    directions = np.tile(cone, (len(places), 1))
    reach = caster.town_distance(origins.astype(np.float32), directions.astype(np.float32)).reshape(len(places), -1)
    best = places[int(np.argmax(np.minimum(reach, CLEAR_M).sum(1)))]
    return replace(lamp, location=(float(best[0]), float(best[1]), float(best[2])))


def lamplight(mi: ModuleType, lamps: Sequence[Lamp], eye: NDArray[np.float64]) -> dict[str, Emitter]:
    """Emitters of ``lamps``, sampled in proportion to their importance around ``eye``."""
    weights = [lamp.intensity / (float(np.sum((np.array(lamp.location) - eye) ** 2)) + 60.0) for lamp in lamps]
    total = max(sum(weights), 1e-9)
    return {
        f"lamp{i}": {**_lamp(mi, lamp), "sampling_weight": 2.0 * weight / total + 0.02}
        for i, (lamp, weight) in enumerate(zip(lamps, weights, strict=True))
    }


def lamp_irradiance(lamp: Lamp, points: Floats, normals: Floats, least: float) -> tuple[Indices, Floats, Floats]:
    """Unshadowed irradiance by a lamp at points ``(n, 3)``, equal to that of its emitter, for a white lamp.

    Returns:
        Indices ``(m,)`` of points that receive more than ``least``, their irradiance ``(m,)``, and the vectors
        ``(m, 3)`` from them to the lamp, unnormalized.
    """
    place, power = np.array(lamp.location, np.float32), lamp.intensity * LAMP_POWER
    squared = np.einsum("ij,ij->i", points, points) - 2 * points @ place + place @ place
    rows = np.flatnonzero(squared < power / least)
    away = place - points[rows]
    far = np.sqrt(np.maximum(np.einsum("ij,ij->i", away, away), np.float32(1e-4)))
    light = np.einsum("ij,ij->i", away, normals[rows]) / far**3 * np.float32(power)
    if lamp.direction is not None:
        axis = unit(np.array([lamp.direction], np.float32))[0]
        cutoff, beam = _cone(lamp)
        angle = np.degrees(np.arccos(np.clip(-(away @ axis) / far, -1, 1)))
        light *= np.clip((cutoff - angle) / (cutoff - beam), 0, 1).astype(np.float32)
    lit = np.flatnonzero(light > least)
    return rows[lit], light[lit], np.ascontiguousarray(away[lit])


def _cone(lamp: Lamp) -> tuple[float, float]:
    """Angles from the axis in degrees at which a lamp's light ends and begins to fade."""
    cutoff = float(np.clip(lamp.cone_deg / 2, 2, 88))
    return cutoff, 0.45 * cutoff


def _lamp(mi: ModuleType, lamp: Lamp) -> Emitter:
    intensity = {"type": "rgb", "value": [float(c) * lamp.intensity * LAMP_POWER for c in lamp.color]}
    place = np.array(lamp.location, dtype=np.float64)
    if lamp.direction is None:
        return {"type": "point", "position": [float(x) for x in place], "intensity": intensity}
    axis = np.array(lamp.direction, dtype=np.float64)
    axis /= max(float(np.linalg.norm(axis)), 1e-9)
    up = (0.0, 0.0, 1.0) if abs(axis[2]) < 0.95 else (1.0, 0.0, 0.0)
    to_world = mi.ScalarTransform4f().look_at(list(place), list(place + axis), list(up))
    cutoff, width = _cone(lamp)
    beam = {"cutoff_angle": cutoff, "beam_width": width}
    return {"type": "spot", "to_world": to_world, "intensity": intensity, **beam}
