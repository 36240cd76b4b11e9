"""Plan of a town: junctions, the roads between them, and how each road is built. Read from a small TOML file.

Coordinates are OpenDRIVE's: x east, y north, metres. CARLA's y is the negative.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from caos.foundation.errors import CaosError, unknown
from caos.foundation.plugins import find_file, plugin_names
from caos.foundation.settings import Limits, read_record, read_toml

PLANS = Path(__file__).parent / "plans"
TOWN_NAMES: tuple[str, ...] = ("Town01", "Town02", "Town03", "Town04", "Town05", "Town06")
FEWEST_ROADS: Final = 2
TOWN_GROUP: Final = "caos.towns"
"""Entry points with towns of other projects."""


@dataclass(frozen=True)
class RoadKind:
    """The cross-section of a road, the same on both sides of its centre line. Widths in metres."""

    lanes: int = 1
    lane_width: float = 3.5
    median: float = 0.0
    shoulder: float = 0.0
    parking: float = 0.0
    sidewalk: float = 2.5
    speed_kmh: int = 50
    center_mark: str = "broken"

    @property
    def side(self) -> tuple[tuple[str, float], ...]:
        """Lane types and widths from the centre outwards."""
        lanes = [("median", self.median / 2)] if self.median else []
        lanes += [("driving", self.lane_width)] * self.lanes
        extra = (("shoulder", self.shoulder), ("parking", self.parking), ("sidewalk", self.sidewalk))
        return tuple(lanes + [(name, width) for name, width in extra if width > 0])

    @property
    def kerb_m(self) -> float:
        """Distance from the centre line to the kerb (the inner edge of the sidewalk)."""
        return sum(width for name, width in self.side if name != "sidewalk")


@dataclass(frozen=True)
class Node:
    """A junction."""

    name: str
    x: float
    y: float
    z: float = 0.0
    control: str = "none"
    crossings: bool = True


@dataclass(frozen=True)
class Road:
    """A road between two junctions, through points on the way."""

    start: str
    end: str
    kind: RoadKind
    via: tuple[tuple[float, float], ...] = ()
    radius: float = 30.0
    heights: tuple[tuple[float, float], ...] = ()
    style: str = ""


@dataclass(frozen=True)
class TownPlan:
    """Everything a town is made from."""

    name: str
    character: str
    style: str
    seed: int
    nodes: dict[str, Node]
    roads: tuple[Road, ...]
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class _NodeRow:
    at: tuple[float, ...]
    control: Literal["lights", "stop", "yield", "none"] = "none"
    crossings: bool = True


@dataclass(frozen=True)
class _RoadRow:
    start: str
    end: str
    kind: str
    via: tuple[tuple[float, float], ...] = ()
    radius: Annotated[float, Limits(0)] = 30.0
    heights: tuple[tuple[float, float], ...] = ()
    style: str = ""


@dataclass(frozen=True)
class _PlanFile:
    """A plan as its file has it, but for ``from`` and ``to`` of roads, which are ``start`` and ``end`` here."""

    character: str
    style: str
    seed: int
    kinds: dict[str, RoadKind]
    nodes: dict[str, _NodeRow]
    roads: tuple[_RoadRow, ...]
    options: dict[str, Any] = field(default_factory=dict)


def load_plan(name: str) -> TownPlan:
    """The plan of a town: one of ``TOWN_NAMES``, the path of a plan, or an entry point of the group ``caos.towns``.

    Raises:
        CaosError: If there is no town of that name, or its plan is wrong.
    """
    file = PLANS / f"{name}.toml" if name in TOWN_NAMES else find_file(TOWN_GROUP, name)
    if file is None:
        raise unknown("town", name, (*TOWN_NAMES, *plugin_names(TOWN_GROUP)))
    return read_plan(file)


def read_plan(file: Path) -> TownPlan:
    """The plan in a TOML file; the town is named after the file.

    Raises:
        CaosError: If it is not TOML, a key is unknown, or a road names an unknown junction or kind.
    """
    table = read_toml(file)
    roads = table.get("roads")
    if isinstance(roads, list):
        table["roads"] = [_without_keywords(row) for row in roads]
    found = read_record(_PlanFile, table, file)
    nodes = {name: _node(name, row, file) for name, row in found.nodes.items()}
    built = tuple(_road(row, found, file) for row in found.roads)
    for name in nodes:
        if sum(name in (road.start, road.end) for road in built) < FEWEST_ROADS:
            raise CaosError(
                f"{file}: fewer than {FEWEST_ROADS} roads meet at junction {name!r}; a road has no dead end"
            )
    return TownPlan(file.stem, found.character, found.style, found.seed, nodes, built, found.options)


def _without_keywords(row: Any) -> Any:
    """A road with ``from`` and ``to``, which Python reserves, as ``start`` and ``end``."""
    names = {"from": "start", "to": "end"}
    return {names.get(key, key): value for key, value in row.items()} if isinstance(row, dict) else row


def _node(name: str, row: _NodeRow, file: Path) -> Node:
    if len(row.at) not in (2, 3):
        raise CaosError(f"{file}: junction {name!r} is at {list(row.at)}; x and y are needed, and z if it has one")
    x, y, *rest = row.at
    return Node(name, x, y, rest[0] if rest else 0.0, row.control, row.crossings)


def _road(row: _RoadRow, plan: _PlanFile, file: Path) -> Road:
    for end in (row.start, row.end):
        if end not in plan.nodes:
            raise CaosError(f"{file}: {unknown('junction', end, plan.nodes)}")
    if row.kind not in plan.kinds:
        raise CaosError(f"{file}: {unknown('road kind', row.kind, plan.kinds)}")
    return Road(row.start, row.end, plan.kinds[row.kind], row.via, row.radius, row.heights, row.style)
