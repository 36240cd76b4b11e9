"""The lanes of a town as arrays, read once from the client's map, for sampling without a simulator."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
SPACING_M: Final = 2.0
OUTER_LANES: Final = 6
"""How many lanes outwards of a driving lane are looked at for parking and sidewalk."""


@dataclass(frozen=True, eq=False)
class LanePoints:
    """Points on the centre lines of lanes of one type; rows belong together.

    Attributes:
        xyz: ``(n, 3)`` metres.
        yaw_deg: ``(n,)`` driving direction.
        width_m: ``(n,)`` lane width.
        outermost: ``(n,)`` whether the lane is the last driving lane before the kerb.
        in_junction: ``(n,)``.
    """

    xyz: Floats
    yaw_deg: Floats
    width_m: Floats
    outermost: NDArray[np.bool_]
    in_junction: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.xyz)

    def pick(self, rows: NDArray[Any]) -> LanePoints:
        """The points of some rows (indices or a mask)."""
        return LanePoints(
            self.xyz[rows], self.yaw_deg[rows], self.width_m[rows], self.outermost[rows], self.in_junction[rows]
        )

    @property
    def right(self) -> Floats:
        """Unit vectors ``(n, 2)`` across the lane, to the right of the driving direction."""
        yaw = np.radians(self.yaw_deg)
        return np.stack([-np.sin(yaw), np.cos(yaw)], 1)


@dataclass(frozen=True, eq=False)
class Lanes:
    """The lanes of a town by type; parking and sidewalk may be empty."""

    driving: LanePoints
    parking: LanePoints
    sidewalk: LanePoints


def read_lanes(town_map: Any) -> Lanes:
    """The lanes of a ``carla.Map``: driving lanes every two metres, and what lies outside them."""
    rows: dict[str, list[tuple[Any, bool]]] = {"Driving": [], "Parking": [], "Sidewalk": []}
    for waypoint in town_map.generate_waypoints(SPACING_M):
        outer = list(_outward(waypoint))
        rows["Driving"].append((waypoint, not any(str(w.lane_type) == "Driving" for w in outer)))
        if rows["Driving"][-1][1]:
            for other in outer:
                kind = "Parking" if str(other.lane_type) in {"Parking", "Shoulder"} else str(other.lane_type)
                if kind in {"Parking", "Sidewalk"}:
                    rows[kind].append((other, False))
    return Lanes(*(_points(rows[kind]) for kind in ("Driving", "Parking", "Sidewalk")))


def _outward(waypoint: Any) -> Iterator[Any]:
    """Lanes to the right of a waypoint, nearest first."""
    current = waypoint
    for _ in range(OUTER_LANES):
        current = current.get_right_lane()
        if current is None or current.lane_id * waypoint.lane_id < 0:
            return
        yield current


def _points(rows: list[tuple[Any, bool]]) -> LanePoints:
    ordered = sorted(rows, key=lambda r: (r[0].road_id, r[0].section_id, r[0].lane_id, r[0].s))
    poses = [w.transform for w, _ in ordered]
    return LanePoints(
        xyz=np.array([[p.location.x, p.location.y, p.location.z] for p in poses], float).reshape(-1, 3),
        yaw_deg=np.array([p.rotation.yaw for p in poses], float),
        width_m=np.array([w.lane_width for w, _ in ordered], float),
        outermost=np.array([last for _, last in ordered], bool),
        in_junction=np.array([w.is_junction for w, _ in ordered], bool),
    )
