"""Gait of four-legged animals: the legs of a standing mesh, posed in a phase of a trot.

Vertices below the belly (its lowest point between the legs) belong to the legs and are displaced, those near the top
least. A foot on the ground stays in place while the body moves forward.
"""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from caos.assets.mesh import Mesh, Part

FOUR_LEGGED: Final = frozenset(
    {
        "bear", "camel", "cat", "cow", "deer", "dog", "elephant", "giraffe", "horse", "lion", "pig", "sheep", "tiger",
        "unicorn", "zebra",
    }
)  # fmt: skip
"""Kinds that stand on four legs."""
GAIT_PHASES: Final = 8
STRIDE_SHARE: Final = 1.3
"""Way of a whole step, in lengths of a leg."""
LIFT_SHARE: Final = 0.12
SHORTEST_LEG: Final = 0.15
"""Of the animal's height; with less below its belly it does not stand."""


def stride_m(mesh: Mesh) -> float | None:
    """Distance in metres covered in a whole step; None for a mesh that does not stand on legs."""
    leg = _leg_m(_points(mesh))
    return None if leg is None else STRIDE_SHARE * leg


@functools.lru_cache(maxsize=64)
def _stepped(mesh: Mesh, step: int) -> Mesh:
    points = _points(mesh)
    leg = _leg_m(points)
    if leg is None:
        return mesh
    feet = points[points[:, 2] < 0.1 * leg]
    middle = float(feet[:, 0].min() + feet[:, 0].max()) / 2
    return Mesh(tuple(_swung(part, step / GAIT_PHASES, leg, middle) for part in mesh.parts))


def stepped(mesh: Mesh, phase: float) -> Mesh:
    """Pose the animal at a phase in 0..1 of its step; phases are rounded to ``GAIT_PHASES`` steps and meshes cached."""
    return _stepped(mesh, round((phase % 1) * GAIT_PHASES) % GAIT_PHASES)


def _points(mesh: Mesh) -> NDArray[np.float64]:
    return np.concatenate([part.vertices for part in mesh.parts]).astype(np.float64)


def _leg_m(points: NDArray[np.float64]) -> float | None:
    """Height of the belly above the ground, in metres, measured between the legs."""
    low, high = points.min(0), points.max(0)
    feet = points[points[:, 2] < low[2] + 0.04 * (high[2] - low[2])]
    front, back = float(feet[:, 0].max()), float(feet[:, 0].min())
    trunk = points[np.abs(points[:, 0] - (front + back) / 2) < 0.1 * (front - back)]
    if not len(trunk):
        return None
    leg = float(trunk[:, 2].min() - low[2])
    return leg if leg > SHORTEST_LEG * float(high[2] - low[2]) else None


def _swung(part: Part, phase: float, leg_m: float, middle: float) -> Part:
    """Displace the vertices of a part below the belly; diagonally opposite feet move together."""
    points = part.vertices.astype(np.float64)
    share = np.clip((leg_m - points[:, 2]) / leg_m, 0, 1)
    ahead = (points[:, 0] > middle) == (points[:, 1] > 0)
    own = np.where(ahead, phase, (phase + 0.5) % 1)
    stride = STRIDE_SHARE * leg_m
    on_ground = own < 0.5
    way = np.where(on_ground, 0.25 - own, own - 0.75) * stride
    lift = np.where(on_ground, 0.0, np.sin(np.pi * (own - 0.5) / 0.5)) * LIFT_SHARE * leg_m
    points[:, 0] += share * way
    points[:, 2] += share * lift
    return replace(part, vertices=points.astype(np.float32))
