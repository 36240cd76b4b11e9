"""Poses in CARLA's convention: metres, degrees, left-handed, x forward, y right, z up."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Transform:
    """A location and a rotation, as CARLA's ``carla.Transform``."""

    x: float = 0.0
    y: float = 0.0
    z: float = 0.0
    pitch_deg: float = 0.0
    yaw_deg: float = 0.0
    roll_deg: float = 0.0

    @property
    def location(self) -> tuple[float, float, float]:
        """x, y, z in metres."""
        return self.x, self.y, self.z

    @property
    def rotation(self) -> tuple[float, float, float]:
        """pitch, yaw, roll in degrees: the order of CARLA's wire format."""
        return self.pitch_deg, self.yaw_deg, self.roll_deg

    @property
    def matrix(self) -> Matrix:
        """Return the 4x4 matrix from this frame to its parent's."""
        p, y, r = (math.radians(a) for a in self.rotation)
        cp, sp, cy, sy, cr, sr = math.cos(p), math.sin(p), math.cos(y), math.sin(y), math.cos(r), math.sin(r)
        return np.array(
            [
                [cp * cy, cy * sp * sr - sy * cr, -cy * sp * cr - sy * sr, self.x],
                [cp * sy, sy * sp * sr + cy * cr, -sy * sp * cr + cy * sr, self.y],
                [sp, -cp * sr, cp * cr, self.z],
                [0.0, 0.0, 0.0, 1.0],
            ]
        )

    @staticmethod
    def from_matrix(matrix: Matrix) -> Transform:
        """Return the pose of a rigid 4x4 matrix."""
        pitch = math.degrees(math.asin(max(-1.0, min(1.0, float(matrix[2, 0])))))
        yaw = math.degrees(math.atan2(matrix[1, 0], matrix[0, 0]))
        roll = math.degrees(math.atan2(-matrix[2, 1], matrix[2, 2]))
        x, y, z = (float(v) for v in matrix[:3, 3])
        return Transform(x, y, z, pitch, yaw, roll)

    def __matmul__(self, other: Transform) -> Transform:
        """Compose poses: ``parent @ child`` is the child's pose in the parent's own reference frame."""
        return Transform.from_matrix(self.matrix @ other.matrix)
