"""CARLA's semantic tag numbers and colours, one table per release line. Standard library only.

The numbers changed twice: 13 tags in the first releases, 23 from 0.9.10 to 0.9.13, and 29 in a new order since 0.9.14.
Sources: the "Semantic segmentation camera" table in CARLA's documentation of 0.9.5, 0.9.13 and 0.9.16.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Tag:
    """One row of a table: the number in the image's red channel, CARLA's name and its palette colour."""

    number: int
    name: str
    color: tuple[int, int, int]


@dataclass(frozen=True)
class TagTable:
    """The tags of a release line, in the order of their numbers."""

    since: tuple[int, int, int]
    tags: tuple[Tag, ...]

    def number(self, name: str) -> int:
        """Return the number of a tag; raises KeyError for a name that this release does not have."""
        return {tag.name: tag.number for tag in self.tags}[name]


_FIRST = TagTable(
    (0, 8, 0),
    (
        Tag(0, "Unlabeled", (0, 0, 0)),
        Tag(1, "Building", (70, 70, 70)),
        Tag(2, "Fence", (190, 153, 153)),
        Tag(3, "Other", (250, 170, 160)),
        Tag(4, "Pedestrian", (220, 20, 60)),
        Tag(5, "Pole", (153, 153, 153)),
        Tag(6, "RoadLine", (157, 234, 50)),
        Tag(7, "Road", (128, 64, 128)),
        Tag(8, "SideWalk", (244, 35, 232)),
        Tag(9, "Vegetation", (107, 142, 35)),
        Tag(10, "Vehicles", (0, 0, 142)),
        Tag(11, "Wall", (102, 102, 156)),
        Tag(12, "TrafficSign", (220, 220, 0)),
    ),
)

_SECOND = TagTable(
    (0, 9, 10),
    (
        Tag(0, "Unlabeled", (0, 0, 0)),
        Tag(1, "Building", (70, 70, 70)),
        Tag(2, "Fence", (100, 40, 40)),
        Tag(3, "Other", (55, 90, 80)),
        Tag(4, "Pedestrian", (220, 20, 60)),
        Tag(5, "Pole", (153, 153, 153)),
        Tag(6, "RoadLine", (157, 234, 50)),
        Tag(7, "Road", (128, 64, 128)),
        Tag(8, "SideWalk", (244, 35, 232)),
        Tag(9, "Vegetation", (107, 142, 35)),
        Tag(10, "Vehicles", (0, 0, 142)),
        Tag(11, "Wall", (102, 102, 156)),
        Tag(12, "TrafficSign", (220, 220, 0)),
        Tag(13, "Sky", (70, 130, 180)),
        Tag(14, "Ground", (81, 0, 81)),
        Tag(15, "Bridge", (150, 100, 100)),
        Tag(16, "RailTrack", (230, 150, 140)),
        Tag(17, "GuardRail", (180, 165, 180)),
        Tag(18, "TrafficLight", (250, 170, 30)),
        Tag(19, "Static", (110, 190, 160)),
        Tag(20, "Dynamic", (170, 120, 50)),
        Tag(21, "Water", (45, 60, 150)),
        Tag(22, "Terrain", (145, 170, 100)),
    ),
)

_THIRD = TagTable(
    (0, 9, 14),
    (
        Tag(0, "Unlabeled", (0, 0, 0)),
        Tag(1, "Road", (128, 64, 128)),
        Tag(2, "SideWalk", (244, 35, 232)),
        Tag(3, "Building", (70, 70, 70)),
        Tag(4, "Wall", (102, 102, 156)),
        Tag(5, "Fence", (190, 153, 153)),
        Tag(6, "Pole", (153, 153, 153)),
        Tag(7, "TrafficLight", (250, 170, 30)),
        Tag(8, "TrafficSign", (220, 220, 0)),
        Tag(9, "Vegetation", (107, 142, 35)),
        Tag(10, "Terrain", (152, 251, 152)),
        Tag(11, "Sky", (70, 130, 180)),
        Tag(12, "Pedestrian", (220, 20, 60)),
        Tag(13, "Rider", (255, 0, 0)),
        Tag(14, "Car", (0, 0, 142)),
        Tag(15, "Truck", (0, 0, 70)),
        Tag(16, "Bus", (0, 60, 100)),
        Tag(17, "Train", (0, 80, 100)),
        Tag(18, "Motorcycle", (0, 0, 230)),
        Tag(19, "Bicycle", (119, 11, 32)),
        Tag(20, "Static", (110, 190, 160)),
        Tag(21, "Dynamic", (170, 120, 50)),
        Tag(22, "Other", (55, 90, 80)),
        Tag(23, "Water", (45, 60, 150)),
        Tag(24, "RoadLine", (157, 234, 50)),
        Tag(25, "Ground", (81, 0, 81)),
        Tag(26, "Bridge", (150, 100, 100)),
        Tag(27, "RailTrack", (230, 150, 140)),
        Tag(28, "GuardRail", (180, 165, 180)),
    ),
)

TABLES: Final = (_FIRST, _SECOND, _THIRD)
CURRENT: Final = _THIRD
"""The table of the embedded server: CARLA 0.9.14 and later."""
ANY: Final = 255
"""Matches all tags in queries for environment objects and level boxes."""


def table_for(release: str) -> TagTable:
    """Return the table of a CARLA release such as ``"0.9.13"`` or ``"0.9.16-12-gabcdef"``.

    Raises:
        ValueError: If the text does not begin with three numbers, or the release is older than every table.
    """
    match = re.match(r"(\d+)\.(\d+)\.(\d+)", release)
    if match is None:
        raise ValueError(f"{release!r} is not a CARLA release number such as '0.9.16'")
    version = tuple(int(part) for part in match.groups())
    fitting = [table for table in TABLES if table.since <= version]
    if not fitting:
        raise ValueError(f"CARLA {release} is older than 0.8.0, the first release with a known tag table")
    return fitting[-1]
