"""Ground and standing things of a town, asked of the simulator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from caos.scenes.generation.poses import GroundHeight, GroundRectangle, NoFreeSpaceError
from caos.scenes.generation.sunlight import Point
from caos.scenes.scene import Placement
from caos.simulator.semantic_tags import table_for
from caos.simulator.session import Session

REACH_M: Final = 2.5
SURFACES: Final = (("Road", "RoadLine"), ("SideWalk",), ("Terrain", "Ground"))
"""Tags that lie on one level; between two of these there may be a kerb."""
ONLY_ON: Final[Mapping[Placement, int]] = {"road": 0, "sidewalk": 1}
"""The surface that a place is on."""
LOWEST_RAY_M: Final = 0.12
SUN_RAY_M: Final = 250.0
"""Nothing farther away throws its shadow on a road, at the lowest sun of a recipe."""


class GroundProbe:
    """Answers about the loaded town; where one of our actors stands there is no ground."""

    def __init__(self, session: Session) -> None:
        self._session = session
        tags = table_for(session.server_version)
        self._surface = {tags.number(name): kind for kind, names in enumerate(SURFACES) for name in names}

    def height(self, x: float, y: float, z: float) -> float | None:
        """Height of the ground near a point; None where something else, or nothing, lies there."""
        found = self._found(x, y, z)
        return None if found is None else found[0]

    def road_height(self, x: float, y: float, z: float) -> float | None:
        """Height of the road near a point; None where there is no road."""
        found = self._found(x, y, z)
        return found[0] if found is not None and found[1] == 0 else None

    def one_surface(self, place: Placement = "anywhere") -> GroundHeight:
        """Heights for the footprint of one thing, which must stand wholly on road, on sidewalk or on open ground.

        On which of them follows from ``place`` where that is the road or the sidewalk: lanes end, and a place near
        their end may lie beyond.
        """
        first: list[int] = [ONLY_ON[place]] if place in ONLY_ON else []

        def height(x: float, y: float, z: float) -> float | None:
            found = self._found(x, y, z)
            if found is None:
                return None
            first.append(found[1])
            if found[1] != first[0]:
                raise NoFreeSpaceError("kerb")
            return found[0]

        return height

    def blocks(self, footprint: GroundRectangle, base_m: float, height_m: float) -> bool:
        """Whether part of the town stands inside the box over a footprint."""
        front_right, front_left, back_left, back_right = ((float(x), float(y)) for x, y in footprint.corners)
        diagonals = [(front_right, back_left), (front_left, back_right)]
        edges = [
            (front_right, front_left),
            (front_left, back_left),
            (back_left, back_right),
            (back_right, front_right),
        ]
        low, high = (base_m + max(LOWEST_RAY_M, share * height_m) for share in (0.4, 0.9))
        rays = [(a, b, low) for a, b in diagonals + edges] + [(a, b, high) for a, b in diagonals]
        return any(self._session.cast_ray((*a, z), (*b, z)) for a, b, z in rays)

    def in_shade(self, points: Sequence[Point], sunwards: Point, least_share: float) -> bool:
        """Whether something stands in the way to the sun from at least that share of the points."""
        sunlit, most = 0, (1 - least_share) * len(points)
        for point in points:
            sunlit += self._session.is_open(point, sunwards, SUN_RAY_M)
            if sunlit > most:
                return False
        return True

    def _found(self, x: float, y: float, z: float) -> tuple[float, int] | None:
        """Height and kind of surface."""
        found = self._session.project_to_ground(x, y, z + REACH_M, 2 * REACH_M)
        if found is None or found[1] not in self._surface:
            return None
        return found[0], self._surface[found[1]]
