"""Plain shapes in place of models that are not there yet."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from assets.mesh import Material, Mesh
from assets.shapes import box, cylinder, ellipsoid

KINDS = ("speed_30", "speed_50", "bench", "bin", "hydrant")
SPECIES = ("oak",)
VARIANTS = 3
_GREY, _GREEN, _BROWN = Material("g", (0.3, 0.3, 0.3)), Material("v", (0.1, 0.2, 0.05)), Material("b", (0.2, 0.12, 0.08))


@cache
def tree(species: str, variant: int = 0) -> Mesh:
    return Mesh((cylinder((0, 0, 0), (0, 0, 3), 0.2, _BROWN), ellipsoid((0, 0, 5), (2, 2, 2.5), _GREEN, detail=10)))


@cache
def bush(variant: int = 0) -> Mesh:
    return Mesh((ellipsoid((0, 0, 0.5), (0.7, 0.7, 0.7), _GREEN, detail=8),))


@cache
def hedge(length_m: float, height_m: float = 1.2, variant: int = 0) -> Mesh:
    return Mesh((box((-0.3, -length_m / 2, 0), (0.3, length_m / 2, height_m), _GREEN),))


@cache
def furniture(kind: str, variant: int = 0) -> Mesh:
    return Mesh((box((-0.25, -0.5, 0), (0.25, 0.5, 0.8), _BROWN),))


@cache
def sign(kind: str) -> Mesh:
    return Mesh((cylinder((0, 0, 0), (0, 0, 2.5), 0.04, _GREY), box((-0.02, -0.3, 2.0), (0.02, 0.3, 2.6), Material("r", (0.6, 0.05, 0.05)))))


@cache
def street_light(kind: str) -> Mesh:
    return Mesh((cylinder((0, 0, 0), (0, 0, 6), 0.08, _GREY), box((0, -0.1, 6), (1.5, 0.1, 6.1), _GREY)))


def lamp_offset(kind: str) -> tuple[float, float, float]:
    return 1.5, 0.0, 6.0


@cache
def traffic_light_pole(kind: str, arm_m: float = 5.0) -> Mesh:
    return Mesh((cylinder((0, 0, 0), (0, 0, 5), 0.08, _GREY), box((-0.05, 0, 5), (0.05, arm_m, 5.1), _GREY)))


def traffic_light_head_poses(kind: str, arm_m: float = 5.0) -> list[NDArray[np.float64]]:
    pose = np.eye(4)
    pose[:3, 3] = (0.1, 0, 2.5)
    return [pose]


@cache
def wall(kind: str, length_m: float) -> Mesh:
    return Mesh((box((0, -0.12, 0), (length_m, 0.12, 1.8), _GREY),))


@cache
def fence(kind: str, length_m: float) -> Mesh:
    return Mesh((box((0, -0.03, 0), (length_m, 0.03, 1.2), _BROWN),))


@cache
def guard_rail(length_m: float) -> Mesh:
    return Mesh((box((0, -0.05, 0.4), (length_m, 0.05, 0.75), _GREY),))
