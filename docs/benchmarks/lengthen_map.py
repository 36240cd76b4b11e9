"""``python docs/benchmarks/lengthen_map.py IN.xodr OUT.xodr``: the map, its roads and lane sections at least a millimetre long.

Of CARLA's Town03 only editions of 2019 could be had. A few of their lane sections have no length, and the route planner
of CARLA 0.9.16, which divides by it, ends with an error there, whatever the server. For ``docs/benchmarks/clients.py`` each such
section begins, or each such road ends, a little later; nothing else changes.
"""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ET
from pathlib import Path

LEAST_M = 0.001


def lengthen(road: ET.Element) -> int:
    """Push the lane sections of a road apart, and its end if it has to be; how many have been moved."""
    moved, before = 0, -LEAST_M
    for section in road.findall("lanes/laneSection"):
        start = float(section.get("s", 0))
        if start < before + LEAST_M:
            start = before + LEAST_M
            section.set("s", repr(start))
            moved += 1
        before = start
    if float(road.get("length", 0)) < before + LEAST_M:
        extend(road, before + LEAST_M)
        moved += 1
    return moved


def extend(road: ET.Element, length_m: float) -> None:
    """Make a road longer at its end, in the direction of its last piece."""
    last = road.findall("planView/geometry")[-1]
    road.set("length", repr(length_m))
    last.set("length", repr(length_m - float(last.get("s", 0))))


def main() -> None:
    """Write the longer map."""
    source, target = map(Path, sys.argv[1:])
    map_ = ET.parse(source)  # noqa: S314 (a map of CARLA's)
    moved = sum(lengthen(road) for road in map_.getroot().findall("road"))
    map_.write(target, encoding="utf-8", xml_declaration=True)
    sys.stdout.write(f"{target}: {moved} lane sections and roads begin or end later\n")


if __name__ == "__main__":
    main()
