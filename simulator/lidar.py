"""Semantic lidar: the points of one rotation with the actor and the tag of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from caos.simulator.transform import Transform

BLUEPRINT: Final = "sensor.lidar.ray_cast_semantic"
_POINT: Final = np.dtype([("xyz", "<f4", 3), ("cos", "<f4"), ("actor", "<u4"), ("tag", "<u4")])


@dataclass(frozen=True)
class LidarBeams:
    """Beams of a lidar that makes a full rotation in one tick.

    Attributes:
        channels: Number of beams, evenly spaced from ``upper_deg`` down to ``lower_deg``.
        columns: Number of directions per rotation.
        range_m: Range in metres.
        upper_deg: Elevation of the highest beam.
        lower_deg: Elevation of the lowest beam.
    """

    channels: int = 64
    columns: int = 1024
    range_m: float = 80.0
    upper_deg: float = 3.0
    lower_deg: float = -25.0

    def attributes(self, delta_s: float) -> dict[str, str]:
        """Return CARLA's attributes of a lidar that rotates once in a step of ``delta_s``."""
        return {
            "channels": str(self.channels),
            "points_per_second": str(round(self.channels * self.columns / delta_s)),
            "rotation_frequency": repr(1 / delta_s),
            "range": repr(float(self.range_m)),
            "upper_fov": repr(float(self.upper_deg)),
            "lower_fov": repr(float(self.lower_deg)),
            "horizontal_fov": "360.0",
        }


@dataclass(frozen=True, eq=False)
class LidarScan:
    """The points of one rotation.

    Attributes:
        frame: CARLA's frame number.
        pose: World pose of the lidar.
        xyz: ``(n, 3)`` float32 in the lidar's axes: x forward, y right, z up.
        cosine: ``(n,)`` float32, cosine of the angle between ray and surface normal.
        actor: ``(n,)`` uint32 actor ids; 0 for the town.
        tag: ``(n,)`` uint32, CARLA's semantic tags.
    """

    frame: int
    pose: Transform
    xyz: NDArray[np.float32]
    cosine: NDArray[np.float32]
    actor: NDArray[np.uint32]
    tag: NDArray[np.uint32]


def decode_scan(measurement: Any, pose: Transform) -> LidarScan:
    """Convert a ``carla.SemanticLidarMeasurement`` to arrays (copies)."""
    points = np.frombuffer(measurement.raw_data, _POINT).copy()
    return LidarScan(
        int(measurement.frame),
        pose,
        np.ascontiguousarray(points["xyz"]),
        np.ascontiguousarray(points["cos"]),
        np.ascontiguousarray(points["actor"]),
        np.ascontiguousarray(points["tag"]),
    )
