"""Lidar labels: the class and the instance of every point, with SemanticKITTI's class numbers and STU's for hazards.

SemanticKITTI (Behley and others, 2019) leaves 2 free; STU (Nekrasov and others, 2025) says 2 for anomalies, and takes
every other number but 0 for ordinary. So one file serves the readers of both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from caos.scenes.generation.cast import Cast
from caos.simulator.lidar import LidarScan
from caos.simulator.semantic_tags import TagTable, table_for

HAZARD_CLASS: Final = 2
CLASS_NAMES: Final[Mapping[int, str]] = {
    0: "unlabeled",
    2: "anomaly",
    10: "car",
    11: "bicycle",
    13: "bus",
    15: "motorcycle",
    16: "on-rails",
    18: "truck",
    30: "person",
    31: "bicyclist",
    40: "road",
    48: "sidewalk",
    49: "other-ground",
    50: "building",
    51: "fence",
    52: "other-structure",
    60: "lane-marking",
    70: "vegetation",
    72: "terrain",
    80: "pole",
    81: "traffic-sign",
    99: "other-object",
}
"""SemanticKITTI's classes that occur, and the anomaly."""
_CLASS_OF_TAG: Final[Mapping[str, int]] = {
    "Unlabeled": 0,
    "Sky": 0,
    "Terrain": 72,
    "Water": 49,
    "Ground": 49,
    "Building": 50,
    "Bridge": 52,
    "Fence": 51,
    "GuardRail": 51,
    "Other": 99,
    "Static": 99,
    "Dynamic": 99,
    "Pedestrian": 30,
    "Rider": 31,
    "Pole": 80,
    "RoadLine": 60,
    "Road": 40,
    "RailTrack": 49,
    "SideWalk": 48,
    "Vegetation": 70,
    "Vehicles": 10,
    "Car": 10,
    "Truck": 18,
    "Bus": 13,
    "Train": 16,
    "Motorcycle": 15,
    "Bicycle": 11,
    "Wall": 52,
    "TrafficSign": 81,
    "TrafficLight": 99,
}


@dataclass(frozen=True, eq=False)
class LabelledScan:
    """A scan with its labels.

    Attributes:
        xyz: ``(n, 3)`` float32 in the lidar's axes: x forward, y right, z up.
        cosine: ``(n,)`` float32, of the angle between ray and surface normal.
        classes: ``(n,)`` uint16, see ``CLASS_NAMES``.
        instances: ``(n,)`` uint16, as in instance images.
    """

    xyz: NDArray[np.float32]
    cosine: NDArray[np.float32]
    classes: NDArray[np.uint16]
    instances: NDArray[np.uint16]


def label_scan(scan: LidarScan, cast: Cast, server_version: str) -> LabelledScan:
    """The points of a scan with their labels: whatever lies on a hazard is one, whatever tag its asset carries."""
    classes = class_of_tag(table_for(server_version))[scan.tag]
    instances = np.zeros(len(classes), np.uint16)
    for actor, number in cast.instance_ids.items():
        on_it = (scan.actor & 0xFFFF) == (actor & 0xFFFF)
        instances[on_it] = number
        if actor in cast.hazards:
            classes[on_it] = HAZARD_CLASS
    return LabelledScan(scan.xyz, scan.cosine, classes, instances)


def class_of_tag(tags: TagTable) -> NDArray[np.uint16]:
    """Lookup ``(256,)`` from a release's tag numbers to SemanticKITTI's."""
    lookup = np.zeros(256, np.uint16)
    for tag in tags.tags:
        lookup[tag.number] = _CLASS_OF_TAG[tag.name]
    return lookup
