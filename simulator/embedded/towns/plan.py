"""A town's plan: junctions, the roads between them, and how each road is built. Read from a small TOML file.

Coordinates are OpenDRIVE's: x east, y north, metres. CARLA's y is the negative.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tomllib

from foundation.errors import CaosError, unknown

PLANS = Path(__file__).parent / "plans"
TOWN_NAMES: tuple[str, ...] = ("Town01", "Town02", "Town03", "Town04", "Town05", "Town06")
CONTROLS = ("lights", "stop", "yield", "none")


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
class Plan:
    """Everything a town is made from."""

    name: str
    character: str
    style: str
    seed: int
    nodes: dict[str, Node]
    roads: tuple[Road, ...]
    options: dict[str, Any] = field(default_factory=dict)


def load_plan(name: str) -> Plan:
    """The plan of a built-in town.

    Raises:
        CaosError: If there is no town of that name, or its plan is wrong.
    """
    if name not in TOWN_NAMES:
        raise unknown("town", name, TOWN_NAMES)
    return parse_plan((PLANS / f"{name}.toml").read_text(encoding="utf-8"), name)


def parse_plan(text: str, name: str) -> Plan:
    """The plan written in TOML ``text``.

    Raises:
        CaosError: If it is not TOML, or a road names an unknown junction or kind.
    """
    try:
        data = tomllib.loads(text)
        kinds = {key: RoadKind(**value) for key, value in data["kinds"].items()}
        nodes = {key: _node(key, value) for key, value in data["nodes"].items()}
        roads = tuple(_road(row, kinds, nodes) for row in data["roads"])
        return Plan(
            name, data["character"], data["style"], int(data["seed"]), nodes, roads, dict(data.get("options", {}))
        )
    except (tomllib.TOMLDecodeError, KeyError, TypeError, ValueError) as error:
        raise CaosError(f"the plan of town {name!r} is wrong: {type(error).__name__} {error}") from error


def _node(name: str, row: dict[str, Any]) -> Node:
    x, y, *rest = (float(v) for v in row["at"])
    node = Node(name, x, y, rest[0] if rest else 0.0, row.get("control", "none"), bool(row.get("crossings", True)))
    if node.control not in CONTROLS:
        raise unknown("junction control", node.control, CONTROLS)
    return node


def _road(row: dict[str, Any], kinds: dict[str, RoadKind], nodes: dict[str, Node]) -> Road:
    for end in (row["from"], row["to"]):
        if end not in nodes:
            raise unknown("junction", end, nodes)
    if row["kind"] not in kinds:
        raise unknown("road kind", row["kind"], kinds)
    rest = {k: v for k, v in row.items() if k not in ("from", "to", "kind", "via", "heights")}
    via = tuple((float(x), float(y)) for x, y in row.get("via", ()))
    heights = tuple((float(share), float(z)) for share, z in row.get("heights", ()))
    return Road(row["from"], row["to"], kinds[row["kind"]], via=via, heights=heights, **rest)
