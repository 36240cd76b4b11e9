"""Tag classes: how CARLA's semantic tags become the classes of StreetHazards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from caos.scenes.labels import STREETHAZARDS
from caos.simulator.semantic_tags import TagTable

_CLASS_OF_TAG: Final[Mapping[str, str]] = {
    "Unlabeled": "background",
    "Sky": "background",
    "Terrain": "background",
    "Water": "background",
    "Ground": "background",
    "Building": "building",
    "Bridge": "building",
    "Fence": "fence",
    "GuardRail": "fence",
    "Other": "other",
    "Static": "other",
    "Dynamic": "other",
    "Pedestrian": "pedestrian",
    "Rider": "pedestrian",
    "Pole": "pole",
    "RoadLine": "road line",
    "Road": "road",
    "RailTrack": "road",
    "SideWalk": "sidewalk",
    "Vegetation": "vegetation",
    "Vehicles": "car",
    "Car": "car",
    "Truck": "car",
    "Bus": "car",
    "Train": "car",
    "Motorcycle": "car",
    "Bicycle": "car",
    "Wall": "wall",
    "TrafficSign": "traffic sign",
    "TrafficLight": "traffic sign",
}


def png_of_tag(tags: TagTable) -> NDArray[np.uint8]:
    """Lookup ``(256,)`` from a release's tag numbers to StreetHazards PNG values; 0 for numbers it does not have."""
    lookup = np.zeros(256, np.uint8)
    for tag in tags.tags:
        lookup[tag.number] = STREETHAZARDS.png_value(_CLASS_OF_TAG[tag.name])
    return lookup
