"""A town: a road network and everything built on and along it.

Six towns are plans (``plans/*.toml``) written as OpenDRIVE; any other OpenDRIVE text becomes a town the same way.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from caos.foundation.execution.progress import SILENT, Progress
from caos.simulator.embedded.render.description import Lamp, Placed
from caos.simulator.embedded.towns.plan import TOWN_NAMES, load_plan, town_and_country
from caos.simulator.transform import Transform

__all__ = [
    "TOWN_NAMES",
    "EnvironmentObject",
    "Town",
    "TrafficLightSite",
    "TrafficSignSite",
    "WorldBox",
    "load_town",
    "town_from_opendrive",
]

FIRST_INSTANCE = 30_000
"""Lowest instance id of objects that belong to the town; actors have lower ones."""


@dataclass(frozen=True)
class WorldBox:
    """An oriented box: the pose of its centre, and its half extents."""

    pose: Transform
    extent: tuple[float, float, float]


@dataclass(frozen=True)
class EnvironmentObject:
    """A named object of the town.

    Attributes:
        id: Unique in the town.
        name: Such as ``tree_12``.
        tag: CARLA's semantic tag.
        transform: World pose of its origin.
        box_center: World centre of its bounding box, which is oriented as ``transform``.
        box_extent: Half extents of the box.
        instance_id: Its value in instance images.
    """

    id: int
    name: str
    tag: int
    transform: Transform
    box_center: tuple[float, float, float]
    box_extent: tuple[float, float, float]
    instance_id: int


@dataclass(frozen=True)
class TrafficLightSite:
    """A traffic light. Its pole is among the town's statics; its heads are not, because they change.

    Attributes:
        transform: Foot of the pole; x points to the traffic that it controls.
        signal_id: Id of the OpenDRIVE signal.
        group: Junction: lights of a group switch together.
        phase: Lights of one group and phase are green at the same time.
        trigger: Box in which it controls a vehicle (before the stop line, over its lanes).
        light_boxes: One box around each head.
        heads: World pose of each head, x towards the traffic, for the mesh of
            ``assets.street.lights.traffic_light_head``.
        instance_id: Of pole and heads.
    """

    transform: Transform
    signal_id: str
    group: int
    phase: int
    trigger: WorldBox
    light_boxes: tuple[WorldBox, ...]
    heads: tuple[Transform, ...]
    instance_id: int


@dataclass(frozen=True)
class TrafficSignSite:
    """A traffic sign of the town.

    Attributes:
        transform: Foot of its post; x points to the traffic that it controls.
        signal_id: Id of the OpenDRIVE signal.
        kind: OpenDRIVE type: 206 stop, 205 yield, 274 speed limit.
        value: Number on it (km/h), 0 without one.
        trigger: Box in which it controls a vehicle.
        instance_id: Its value in instance images.
    """

    transform: Transform
    signal_id: str
    kind: str
    value: float
    trigger: WorldBox
    instance_id: int


@dataclass(frozen=True, eq=False)
class Town:
    """A town, ready to be rendered and driven in. All coordinates are CARLA's.

    Attributes:
        name: Such as ``Town01``.
        opendrive: Its road network, as sent to clients.
        statics: Everything that never moves.
        spawn_points: Spawn poses of vehicles.
        parking: Poses of parked cars (at road height).
        environment_objects: The named objects among the statics.
        traffic_lights: Sites of the lights; the world adds the heads.
        traffic_signs: Signs (their meshes are among the statics).
        street_lamps: Street lamps.
        navmesh: Walkers' navigation mesh, empty when there is no sidewalk.
        walk_points: ``(n, 3)`` points on sidewalks.
        key: Hash of its inputs; equal keys mean equal statics.
    """

    name: str
    opendrive: str
    statics: tuple[Placed, ...]
    spawn_points: tuple[Transform, ...]
    parking: tuple[Transform, ...]
    environment_objects: tuple[EnvironmentObject, ...]
    traffic_lights: tuple[TrafficLightSite, ...]
    traffic_signs: tuple[TrafficSignSite, ...]
    street_lamps: tuple[Lamp, ...]
    navmesh: bytes
    walk_points: NDArray[np.float64]
    key: str = ""
    style: str = field(default="")


def load_town(name: str, cache: Path | None = None, progress: Progress = SILENT) -> Town:
    """Load a town by its plan, from the cache if it is there.

    Args:
        name: One of ``TOWN_NAMES``, or the path or entry point of a plan; ``@`` and a country's name may follow.
        cache: Folder of built towns; by default ``$CAOS_CACHE/towns`` or ``~/.cache/caos/towns``.
        progress: Reports when a town has to be built.

    Raises:
        CaosError: If the town or the country is unknown.
    """
    from caos.simulator.embedded.towns.cache import cached
    from caos.simulator.embedded.towns.country import in_country
    from caos.simulator.embedded.towns.roads.opendrive_writer import write_opendrive

    own, country = town_and_country(name)
    plan = load_plan(own)
    town = cached(plan.name, write_opendrive(plan), plan.style, plan.seed, cache, progress)
    return in_country(town, country) if country else town


def town_from_opendrive(name: str, text: str, *, style: str = "suburb", seed: int = 0) -> Town:
    """Build a town from any OpenDRIVE text, with a style and a seed.

    A style and a seed in the file (as in the files of the six towns) take precedence.

    Raises:
        CaosError: If the text is invalid, or the style is unknown.
    """
    from caos.simulator.embedded.towns.builder import build_town

    return build_town(name, text, style=style, seed=seed)
