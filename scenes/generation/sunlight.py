"""Sunlight on a hazard: the points of its box that the sun must not reach when it is to lie in shade."""

from __future__ import annotations

import itertools
from typing import Final

import numpy as np
from numpy.typing import NDArray

from caos.assets.mesh import Mesh
from caos.simulator.transform import Transform
from caos.simulator.weather import PRESETS, Weather

INSIDE: Final = 0.9
"""Points lie this far from the middle of the box to its corners, so that none is in the ground."""
CLOUDED_PERCENT: Final = 70.0
"""With more cloud there is no shadow to lie in."""

Point = tuple[float, float, float]


def sun_direction(weather: Weather) -> Point:
    """Unit vector towards the sun; azimuth turns from x towards y."""
    altitude, azimuth = np.radians(weather.sun_altitude_angle), np.radians(weather.sun_azimuth_angle)
    flat = float(np.cos(altitude))
    return flat * float(np.cos(azimuth)), flat * float(np.sin(azimuth)), float(np.sin(altitude))


def without_shadows(name: str) -> bool:
    """Whether the named weather has no sun, or hides it."""
    weather = PRESETS[name]
    return weather.sun_altitude_angle <= 0 or weather.cloudiness > CLOUDED_PERCENT


def box_points(mesh: Mesh, pose: Transform) -> tuple[Point, ...]:
    """The middle and near-corners ``(9)`` of the box around a mesh that stands at ``pose``, in the world."""
    low, high = (np.asarray(corner, np.float64) for corner in mesh.bounds)
    middle, half = (low + high) / 2, (high - low) / 2 * INSIDE
    signs = np.array([(0, 0, 0), *itertools.product((-1, 1), repeat=3)], np.float64)
    world: NDArray[np.float64] = (middle + signs * half) @ pose.matrix[:3, :3].T + pose.location
    return tuple((float(x), float(y), float(z)) for x, y, z in world)
