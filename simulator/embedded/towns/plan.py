"""Plan of a town: junctions, the roads between them, and the cross-section of each road; read from a TOML file.

Coordinates are OpenDRIVE's: x east, y north, metres. CARLA's y is the negative.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from caos.foundation.command_line.plugins import find_file, plugin_names
from caos.foundation.errors import CaosError, unknown
from caos.foundation.settings import Limits, read_record, read_toml
from caos.foundation.storage.files import sha256

PLANS = Path(__file__).parent / "plans"
TOWN_NAMES: tuple[str, ...] = ("Town01", "Town02", "Town03", "Town04", "Town05", "Town06")
FEWEST_ROADS: Final = 2
TOWN_GROUP: Final = "caos.towns"
"""Entry point group for towns of other projects."""
COUNTRIES: Final = Path(__file__).parent / "countries"
COUNTRY_OPTION: Final = "country"
"""Plan option: the country in whose style the town is built; see :mod:`~caos.simulator.embedded.towns.country`."""
_ABROAD: Final = re.compile(r"(.+)@([a-z_]+)")


@dataclass(frozen=True)
class RoadKind:
    """The cross-section of a road, symmetric about its middle. Widths in metres.

    A median is one lane, the innermost on the left: with a median lane on both sides of lane 0, a search for the next
    driving lane would alternate between the two halves forever.
    """

    lanes: int = 1
    lane_width: float = 3.5
    median: float = 0.0
    shoulder: float = 0.0
    parking: float = 0.0
    sidewalk: float = 2.5
    speed_kmh: int = 50
    center_mark: str = "broken"

    def side(self, sign: int) -> tuple[tuple[str, float], ...]:
        """Lane types and widths from lane 0 outwards, on the left (``sign`` 1) or on the right (-1)."""
        lanes = [("median", self.median)] if self.median and sign > 0 else []
        lanes += [("driving", self.lane_width)] * self.lanes
        extra = (("shoulder", self.shoulder), ("parking", self.parking), ("sidewalk", self.sidewalk))
        return tuple(lanes + [(name, width) for name, width in extra if width > 0])

    def lane_number(self, lane: int, sign: int) -> int:
        """OpenDRIVE's number of driving lane ``lane`` (0 is innermost) on one side."""
        return sign * (lane + 1 + (1 if self.median and sign > 0 else 0))

    @property
    def lane_offset_m(self) -> float:
        """Offset of lane 0 to the left of the road's middle."""
        return -self.median / 2

    @property
    def kerb_m(self) -> float:
        """Distance from the middle of the road to the kerb (the inner edge of the sidewalk)."""
        return self.median / 2 + sum(width for name, width in self.side(-1) if name != "sidewalk")


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
    """A road between two junctions, through intermediate points."""

    start: str
    end: str
    kind: RoadKind
    via: tuple[tuple[float, float], ...] = ()
    radius: float = 30.0
    heights: tuple[tuple[float, float], ...] = ()
    style: str = ""


@dataclass(frozen=True)
class TownPlan:
    """All inputs of a town."""

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
    """A plan as in its file, except that ``from`` and ``to`` of roads are named ``start`` and ``end``."""

    character: str
    style: str
    seed: int
    kinds: dict[str, RoadKind]
    nodes: dict[str, _NodeRow]
    roads: tuple[_RoadRow, ...]
    options: dict[str, Any] = field(default_factory=dict)


def countries() -> tuple[str, ...]:
    """Names of all countries."""
    return tuple(sorted(file.stem for file in COUNTRIES.glob("*.toml")))


def town_and_country(name: str) -> tuple[str, str]:
    """Split a name into the town's and the country's, which is empty where there is none.

    >>> town_and_country("Town05@usa"), town_and_country("Town05")
    (('Town05', 'usa'), ('Town05', ''))
    """
    found = _ABROAD.fullmatch(name)
    return (found[1], found[2]) if found and not Path(name).is_file() else (name, "")


def in_country_of(town: str, country: str) -> str:
    """Replace the country in a town's name; an empty ``country`` means the one of its plan."""
    plain = town_and_country(town)[0]
    return f"{plain}@{country}" if country else plain


def country_digest(name: str) -> str:
    """Short hash of a country's file, so that cached results are rebuilt when the file changes."""
    return sha256(COUNTRIES / f"{name}.toml")[:16]


def load_plan(name: str) -> TownPlan:
    """Read the plan of a town: one of ``TOWN_NAMES``, a path, or an entry point of the group ``caos.towns``.

    Raises:
        CaosError: If the town is unknown, or its plan is invalid.
    """
    file = PLANS / f"{name}.toml" if name in TOWN_NAMES else find_file(TOWN_GROUP, name)
    if file is None:
        raise unknown("town", name, (*TOWN_NAMES, *plugin_names(TOWN_GROUP)))
    return read_plan(file)


def read_plan(file: Path) -> TownPlan:
    """Read the plan in a TOML file; the town is named after the file.

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
                f"{file}: fewer than {FEWEST_ROADS} roads meet at junction {name!r}; roads cannot have dead ends"
            )
    return TownPlan(file.stem, found.character, found.style, found.seed, nodes, built, found.options)


def _without_keywords(row: Any) -> Any:
    """Rename the keys ``from`` and ``to`` of a road, which Python reserves, to ``start`` and ``end``."""
    names = {"from": "start", "to": "end"}
    return {names.get(key, key): value for key, value in row.items()} if isinstance(row, dict) else row


def _node(name: str, row: _NodeRow, file: Path) -> Node:
    if len(row.at) not in (2, 3):
        raise CaosError(f"{file}: junction {name!r} is at {list(row.at)}; use [x, y] or [x, y, z]")
    x, y, *rest = row.at
    return Node(name, x, y, rest[0] if rest else 0.0, row.control, row.crossings)


def _road(row: _RoadRow, plan: _PlanFile, file: Path) -> Road:
    for end in (row.start, row.end):
        if end not in plan.nodes:
            raise CaosError(f"{file}: {unknown('junction', end, plan.nodes)}")
    if row.kind not in plan.kinds:
        raise CaosError(f"{file}: {unknown('road kind', row.kind, plan.kinds)}")
    return Road(row.start, row.end, plan.kinds[row.kind], row.via, row.radius, row.heights, row.style)
