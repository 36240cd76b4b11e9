"""Validation of untrusted OpenDRIVE documents before CARLA's parser, which crashes the process on some invalid input.

A document must be plain XML of bounded size, within sane ranges, and complete where the parser does not check. Then a
child process parses it first, whose crash, hang or memory exhaustion does no harm.

    python -m caos.simulator.embedded.world_state.opendrive_check < FILE.xodr
"""

from __future__ import annotations

import functools
import math
import subprocess
import sys
from collections.abc import Iterator
from typing import Final
from xml.etree import ElementTree as ET

from caos.foundation.errors import CaosError
from caos.foundation.execution.children import module_command

MAX_BYTES: Final = 48 << 20
MAX_LANE_KM: Final = 400.0
MAX_ROADS: Final = 20_000
MAX_EXTENT_M: Final = 20_000.0
"""Maximum extent of the network: a town's open ground covers all of it."""
MAX_LANE_WIDTH_M: Final = 100.0
MAX_NUMBER: Final = 1e7
KINDS: Final = frozenset({"line", "spiral", "arc", "poly3", "paramPoly3"})
READ_S: Final = 120.0
MEMORY_BYTES: Final = 6 << 30
_NAMES: Final = frozenset({"id", "name", "value", "code", "type", "subtype", "country", "text"})
"""Attributes that may look like a number but are text."""


def checked_roads(name: str, text: str) -> ET.Element:
    """Parse an OpenDRIVE document and check completeness and ranges.

    Returns:
        Its root element.

    Raises:
        CaosError: Naming the road and the problem.
    """
    root = _parsed(name, text)
    roads = root.findall("road")
    if not roads:
        raise CaosError(f"OpenDRIVE {name!r} has no <road>; nothing to build a town from")
    if len(roads) > MAX_ROADS:
        raise CaosError(f"OpenDRIVE {name!r} has {len(roads)} roads; at most {MAX_ROADS} are built")
    _check_numbers(name, root)
    total = sum(_check_road(f"OpenDRIVE {name!r}, road {road.get('id')!r}", road) for road in roads)
    if total > 1000 * MAX_LANE_KM:
        raise CaosError(
            f"OpenDRIVE {name!r} has {total / 1000:.0f} km of lanes; at most {MAX_LANE_KM:.0f} km are built"
        )
    for axis in ("x", "y"):
        values = [float(geometry.attrib[axis]) for geometry in root.iter("geometry")]
        if max(values) - min(values) > MAX_EXTENT_M:
            raise CaosError(
                f"OpenDRIVE {name!r} reaches from {axis} = {min(values):g} to {max(values):g}; at most "
                f"{MAX_EXTENT_M / 1000:g} km are built"
            )
    return root


@functools.lru_cache(maxsize=8)
def check_opendrive(name: str, text: str) -> None:
    """Reject a document that CARLA's parser cannot read; the last accepted documents are cached.

    Raises:
        CaosError: With the reason.
    """
    checked_roads(name, text)
    try:
        done = subprocess.run(
            module_command("caos.simulator.embedded.world_state.opendrive_check"),
            input=text.encode(),
            capture_output=True,
            timeout=READ_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise CaosError(f"OpenDRIVE {name!r}: CARLA's parser took longer than {READ_S:.0f} s") from error
    if done.returncode:
        output = done.stdout.decode(errors="replace").strip().splitlines()
        reason = output[-1] if output else f"it crashed (exit {done.returncode})"
        raise CaosError(f"CARLA's parser rejects OpenDRIVE {name!r}: {reason}")


def _parsed(name: str, text: str) -> ET.Element:
    if len(text) > MAX_BYTES:
        raise CaosError(f"OpenDRIVE {name!r} has {len(text)} bytes; at most {MAX_BYTES} are read")
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise CaosError(f"OpenDRIVE {name!r} defines a document type or entities; remove them, OpenDRIVE needs none")
    try:
        # Documents with entity definitions are rejected above, so no entity can expand without bound.
        root = ET.fromstring(text.encode() if text.lstrip().startswith("<?xml") else text)  # noqa: S314
    except (ET.ParseError, LookupError, ValueError, RecursionError) as error:
        raise CaosError(f"OpenDRIVE {name!r} is not XML: {error}") from error
    if root.tag != "OpenDRIVE":
        raise CaosError(f"{name!r} is not OpenDRIVE: its root element is <{root.tag}>, not <OpenDRIVE>")
    return root


def _check_numbers(name: str, root: ET.Element) -> None:
    """Reject numbers outside the range of any valid road, in all attributes."""
    for element in root.iter():
        for key, value in element.items():
            number = None if key in _NAMES else _number(value)
            if number is not None and not (math.isfinite(number) and abs(number) <= MAX_NUMBER):
                raise CaosError(
                    f"OpenDRIVE {name!r}, <{element.tag}>: {key}={value[:40]!r} is not a number from {-MAX_NUMBER:g} "
                    f"to {MAX_NUMBER:g}"
                )


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _check_road(where: str, road: ET.Element) -> float:
    """Check a road for omissions on which CARLA's parser crashes; return its metres of lane."""
    try:
        number, length = int(road.attrib["id"]), float(road.attrib["length"])
        lengths = [float(g.attrib["length"]) for g in road.iter("geometry")]
        for geometry in road.iter("geometry"):
            _ = [float(geometry.attrib[key]) for key in ("s", "x", "y", "hdg")]
        lanes = [lane for lane in road.iter("lane") if int(lane.attrib["id"]) != 0]
        starts = [float(section.attrib["s"]) for section in road.iter("laneSection")]
        widest = max((_widest(lane, reach) for lane, reach in _lanes_in_sections(road, length)), default=0.0)
    except (KeyError, ValueError) as error:
        raise CaosError(f"{where}: missing or wrong attribute: {error}") from error
    if not 0 <= number < 2**31:
        raise CaosError(f"{where}: a road id is a whole number from 0 to {2**31 - 1}")
    if not 0 < length <= 1000 * MAX_LANE_KM or not all(0 <= part <= 1000 * MAX_LANE_KM for part in lengths):
        raise CaosError(f"{where}: its length is {length}; it must be positive, and at most {MAX_LANE_KM:g} km")
    if widest > MAX_LANE_WIDTH_M:
        raise CaosError(f"{where}: a lane is {widest:g} m wide; at most {MAX_LANE_WIDTH_M:g} m are built")
    _check_parts(where, road, lanes, starts)
    return length * max(len(lanes) // max(len(starts), 1), 1)


def _check_parts(where: str, road: ET.Element, lanes: list[ET.Element], starts: list[float]) -> None:
    """Reject a road that lacks an element which CARLA's parser assumes."""
    geometries = road.findall("planView/geometry")
    if not geometries:
        raise CaosError(f"{where}: no <geometry> in its <planView>")
    for geometry in geometries:
        kinds = [child.tag for child in geometry if child.tag in KINDS]
        if len(kinds) != 1:
            raise CaosError(
                f"{where}: a <geometry> needs one of {', '.join(sorted(KINDS))}, not {', '.join(kinds) or 'none'}"
            )
    if not starts or starts[0] > 1e-6 or not lanes or not road.findall("lanes/laneSection"):
        raise CaosError(f"{where}: no <laneSection> with lanes at s = 0")
    for section in road.findall("lanes/laneSection"):
        if section.find("center/lane") is None:
            raise CaosError(f"{where}: a <laneSection> without a <center> lane")
    for lane in lanes:
        if lane.find("width") is None:
            raise CaosError(
                f"{where}, lane {lane.get('id')!r}: no <width>; borders instead of widths are not supported"
            )


def _lanes_in_sections(road: ET.Element, length: float) -> Iterator[tuple[ET.Element, float]]:
    """Yield each lane of a road with its length: to the next section, or to the end of the road."""
    sections = sorted(road.iter("laneSection"), key=lambda section: float(section.attrib["s"]))
    starts = [float(section.attrib["s"]) for section in sections]
    for section, start, end in zip(sections, starts, [*starts[1:], length], strict=True):
        yield from ((lane, end - start) for lane in section.iter("lane") if int(lane.attrib["id"]) != 0)


def _widest(lane: ET.Element, length: float) -> float:
    """Maximum width of a lane, by samples of its cubic polynomials, each from its start to the next one's."""
    cubics = [[float(width.attrib[key]) for key in ("sOffset", "a", "b", "c", "d")] for width in lane.iter("width")]
    if not cubics:
        return 0.0
    ends = [start for start, *_ in cubics[1:]] + [min(length, 1000 * MAX_LANE_KM)]
    widest = 0.0
    for (start, a, b, c, d), end in zip(cubics, ends, strict=True):
        steps = (max(end - start, 0.0) * k / 32 for k in range(33))
        widest = max(widest, *(abs(a + b * s + c * s * s + d * s**3) for s in steps))
    return widest


def main() -> int:
    """Parse the document on standard input with CARLA's parser; return 0 if it is valid."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    except ImportError:  # not available on this system; the time limit remains
        pass
    import carla

    try:
        roads = carla.Map("OpenDRIVE", sys.stdin.buffer.read().decode()).get_topology()
    except (RuntimeError, ValueError, IndexError, MemoryError) as error:
        sys.stdout.write(f"{error or type(error).__name__}\n")
        return 1
    if not roads:
        sys.stdout.write("there is no road to drive on\n")
    return 0 if roads else 1


if __name__ == "__main__":
    sys.exit(main())
