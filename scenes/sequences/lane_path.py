"""Way along a lane: where something is that drives it, by the metres it has gone. Pure: the poses come from a map."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from caos.simulator.transform import Transform

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LanePath:
    """A way on the ground.

    Attributes:
        way_m: ``(n,)`` metres gone at each point, from 0 on.
        xyz: ``(n, 3)`` the points.
        yaw_deg: ``(n,)`` direction, without jumps of a full turn.
    """

    way_m: Floats
    xyz: Floats
    yaw_deg: Floats

    @staticmethod
    def through(poses: Sequence[Transform]) -> LanePath:
        """The way through poses that follow each other, of which there is at least one."""
        xyz = np.array([pose.location for pose in poses], float)
        steps = np.linalg.norm(np.diff(xyz, axis=0), axis=1)
        yaw = np.degrees(np.unwrap(np.radians([pose.yaw_deg for pose in poses])))
        return LanePath(np.concatenate([[0.0], np.cumsum(steps)]), xyz, yaw)

    @property
    def length_m(self) -> float:
        """Metres from the first to the last point."""
        return float(self.way_m[-1])

    def at(self, way_m: float, right_m: float = 0.0) -> Transform:
        """The pose after so many metres, so far to the right of the middle; the ends hold beyond the ends."""
        x, y, z = (float(np.interp(way_m, self.way_m, self.xyz[:, axis])) for axis in range(3))
        yaw_deg = float(np.interp(way_m, self.way_m, self.yaw_deg))
        yaw = np.radians(yaw_deg)
        ahead = np.interp([way_m - 0.5, way_m + 0.5], self.way_m, self.xyz[:, 2])
        pitch = float(np.degrees(np.arctan(ahead[1] - ahead[0])))
        return Transform(x - right_m * float(np.sin(yaw)), y + right_m * float(np.cos(yaw)), z, pitch, yaw_deg, 0.0)

    def beside(self, x: float, y: float) -> float:
        """How far to the right of the first pose a point lies."""
        yaw = np.radians(self.yaw_deg[0])
        return float(np.dot(np.array([x, y]) - self.xyz[0, :2], [-np.sin(yaw), np.cos(yaw)]))
