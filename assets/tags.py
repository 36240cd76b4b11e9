"""Semantic tags: CARLA's numbers (0.9.14 and later) of the classes of surfaces. Imports the standard library only.

The tables of other release lines, with names and colours, are in :mod:`caos.simulator.semantic_tags`.
"""

from __future__ import annotations

from enum import IntEnum


class SemanticTag(IntEnum):
    """Class of a mesh, of a part of it, or of a pixel."""

    UNLABELED = 0
    ROAD = 1
    SIDEWALK = 2
    BUILDING = 3
    WALL = 4
    FENCE = 5
    POLE = 6
    TRAFFIC_LIGHT = 7
    TRAFFIC_SIGN = 8
    VEGETATION = 9
    TERRAIN = 10
    SKY = 11
    PEDESTRIAN = 12
    RIDER = 13
    CAR = 14
    TRUCK = 15
    BUS = 16
    TRAIN = 17
    MOTORCYCLE = 18
    BICYCLE = 19
    STATIC = 20
    DYNAMIC = 21
    OTHER = 22
    WATER = 23
    ROAD_LINE = 24
    GROUND = 25
    BRIDGE = 26
    RAIL_TRACK = 27
    GUARD_RAIL = 28
