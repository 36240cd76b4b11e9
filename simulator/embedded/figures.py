"""The bodies of actors: which mesh, box and tag a blueprint has, and where the parts of an actor stand in the world."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assets.library import Library
from assets.mesh import Mesh
from simulator.embedded.actors import Actor, Prop, Vehicle, Walker
from simulator.embedded.blueprints.catalogue import prop_blueprint
from simulator.embedded.models.blueprints import Blueprint
from simulator.embedded.render.description import Lamp, Placed
from simulator.embedded.wire import Box, Description
from simulator.transform import Transform

TAG_BY_BASE = {"car": 14, "van": 14, "truck": 15, "bus": 16, "motorcycle": 18, "bicycle": 19}
PEDESTRIAN_TAG = 12
STATIC_TAG = 20
STEP_PHASES = 8
"""A walking person is shown in this many poses."""
STRIDE_M = 1.5
"""Metres of one full walking cycle."""
LOW_BEAM, HIGH_BEAM = 1 << 1, 1 << 2


@dataclass(frozen=True)
class Body:
    """What an actor of a blueprint is made of: its box in the actor's frame, its semantic tag and its mass."""

    box: Box
    tag: int
    mass_kg: float = 1500.0
    wheelbase_m: float = 2.7
    half_height_m: float = 0.93


class Figures:
    """Bodies and meshes by blueprint, with the hazard objects of a library as props."""

    def __init__(self, library: Path | None = None) -> None:
        self._library = Library.open(library)

    @functools.cached_property
    def props(self) -> tuple[Blueprint, ...]:
        """A blueprint for every object of the library."""
        return tuple(prop_blueprint(name) for name in self._library.names())

    def body(self, description: Description) -> Body | None:
        """The body of an actor to be, or None for what has none (sensors, controllers)."""
        kind = description.id.split(".", 1)[0]
        if kind == "vehicle":
            return _vehicle_body(description.id)
        if kind == "walker":
            return _walker_body(description.id)
        if description.id.startswith("static.prop."):
            return _mesh_body(self._library.mesh(description.id.removeprefix("static.prop.")), STATIC_TAG)
        return None

    def placed(self, actor: Actor) -> list[Placed]:
        """The meshes of an actor where it stands now."""
        if isinstance(actor, Vehicle):
            mesh = _vehicle_mesh(actor.type_id, actor.description.values.get("color", ""))
            return [_place(mesh, actor, actor.transform.matrix)]
        if isinstance(actor, Walker):
            return [_place(_walker_mesh(actor.type_id, _phase(actor)), actor, _at_feet(actor))]
        if isinstance(actor, Prop):
            if actor.mesh is None:
                actor.mesh = self._library.mesh(actor.type_id.removeprefix("static.prop."))
            return [_place(actor.mesh, actor, actor.transform.matrix)]
        return []


def head_lights(vehicle: Vehicle) -> list[Lamp]:
    """The lamps of a vehicle whose low or high beam is on."""
    if not vehicle.lights & (LOW_BEAM | HIGH_BEAM):
        return []
    matrix, extent = vehicle.transform.matrix, vehicle.box.extent
    forward = matrix[:3, :3] @ np.array([1.0, 0.0, -0.08])
    direction = tuple(float(v) for v in forward / np.linalg.norm(forward))
    strength = 60.0 if vehicle.lights & HIGH_BEAM else 30.0
    lamps = []
    for side in (-0.7, 0.7):
        place = matrix[:3, :3] @ np.array([extent[0] + 0.05, side * extent[1], 0.65]) + matrix[:3, 3]
        x, y, z = (float(v) for v in place)
        lamps.append(Lamp((x, y, z), (1.0, 0.95, 0.85), strength, direction, 60.0))  # type: ignore[arg-type]
    return lamps


def _place(mesh: Mesh, actor: Actor, matrix: NDArray[np.float64]) -> Placed:
    return Placed(mesh, matrix, actor.tags[0], actor.instance_id)


def _at_feet(walker: Walker) -> NDArray[np.float64]:
    return (walker.transform @ Transform(z=-walker.half_height_m)).matrix


def _phase(walker: Walker) -> int | None:
    if walker.speed <= 0.05:
        return None
    return int(walker.walked_m / STRIDE_M * STEP_PHASES) % STEP_PHASES


def _mesh_body(mesh: Mesh, tag: int) -> Body:
    low, high = (np.asarray(v, np.float64) for v in mesh.bounds)
    center, extent = (low + high) / 2, (high - low) / 2
    return Body(Box(_three(center), _three(extent)), tag)


def _three(values: NDArray[np.float64]) -> tuple[float, float, float]:
    x, y, z = (float(v) for v in values)
    return x, y, z


# Until the models of vehicles and people are there: boxes of the right size.
_SIZES = {
    "car": (4.4, 1.85, 1.5),
    "van": (5.4, 2.0, 2.2),
    "truck": (7.5, 2.5, 3.2),
    "bus": (10.0, 2.6, 3.1),
    "motorcycle": (2.1, 0.8, 1.6),
    "bicycle": (1.7, 0.6, 1.7),
}


@functools.cache
def _vehicle_body(blueprint: str) -> Body:
    from simulator.embedded.models.blueprints import VEHICLE_BLUEPRINTS

    base = VEHICLE_BLUEPRINTS[blueprint].attribute("base_type").value
    x, y, z = _SIZES[base]
    return Body(Box((0.0, 0.0, z / 2), (x / 2, y / 2, z / 2)), TAG_BY_BASE[base], 300.0 * x, 0.6 * x)


@functools.cache
def _walker_body(blueprint: str) -> Body:
    return Body(Box((0.0, 0.0, 0.0), (0.25, 0.25, 0.93)), PEDESTRIAN_TAG, 75.0)


@functools.cache
def _vehicle_mesh(blueprint: str, color: str) -> Mesh:
    body = _vehicle_body(blueprint)
    r, g, b = (int(v) / 255 for v in (color or "120,120,120").split(","))
    return _block(body.box, (r, g, b))


@functools.cache
def _walker_mesh(blueprint: str, phase: int | None) -> Mesh:
    return _block(Box((0.0, 0.0, 0.93), (0.25, 0.25, 0.93)), (0.4, 0.3, 0.6))


def _block(box: Box, color: tuple[float, float, float]) -> Mesh:
    from assets.mesh import Material, Part

    corners = np.array([(i, j, k) for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)], np.float32)
    faces = [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3)]
    vertices = (corners * np.array(box.extent) + np.array(box.center)).astype(np.float32)
    return Mesh((Part(vertices, np.array(faces, np.int32), Material("block", color)),))
