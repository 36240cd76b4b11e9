"""The bodies of actors: which mesh, box and tag a blueprint has, and where the parts of an actor stand in the world."""

from __future__ import annotations

import functools
import math
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from caos.assets.library import Library
from caos.assets.mesh import Mesh
from caos.assets.street.blueprints import Blueprint
from caos.assets.street.people import STRIDE_M, pedestrian
from caos.assets.street.vehicles import vehicle
from caos.assets.tags import SemanticTag
from caos.simulator.embedded.actors import Actor, Prop, Vehicle, Walker
from caos.simulator.embedded.blueprints.catalogue import prop_blueprint
from caos.simulator.embedded.physics.collisions import WALKER_MASS_KG
from caos.simulator.embedded.render.description import Lamp
from caos.simulator.embedded.scenery import Shown
from caos.simulator.embedded.wire import ActorDescription, Box
from caos.simulator.transform import Transform

PROP = "static.prop."
STANDING_SPEED = 0.05
POSITION, LOW_BEAM, HIGH_BEAM = 1 << 0, 1 << 1, 1 << 2
BEAMS = LOW_BEAM | HIGH_BEAM
LOW_BEAM_INTENSITY, HIGH_BEAM_INTENSITY = 30.0, 60.0
BEAM_COLOR = (1.0, 0.95, 0.85)
BEAM_CONE_DEG = 60.0
BEAM_DIRECTION = np.array([0.9968, 0.0, -0.0797])
"""Ahead and a little down."""
SMALLEST_SCALE, LARGEST_SCALE = 0.01, 100.0
WHEELBASE_SHARE = 0.6
"""Of the length, between the axles."""


@dataclass(frozen=True)
class ActorBody:
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
        self._library_lock = threading.Lock()

    @functools.cached_property
    def props(self) -> tuple[Blueprint, ...]:
        """A blueprint for every object of the library."""
        return tuple(prop_blueprint(name) for name in self._library.names())

    def body(self, description: ActorDescription) -> ActorBody | None:
        """The body of an actor to be, or None for what has none (sensors, controllers)."""
        kind = description.id.split(".", 1)[0]
        if kind == "vehicle":
            return _vehicle_body(description.id)
        if kind == "walker":
            return _walker_body(description.id)
        if description.id.startswith(PROP):
            return _mesh_body(self._prop_mesh(description), SemanticTag.STATIC)
        return None

    def _prop_mesh(self, description: ActorDescription) -> Mesh:
        scale = min(max(float(description.values.get("scale", "1.0")), SMALLEST_SCALE), LARGEST_SCALE)
        with self._library_lock:
            return self._library.mesh(description.id.removeprefix(PROP), scale)

    def shown(self, actor: Actor) -> Shown | None:
        """How an actor is seen where it stands now; its mesh is only made when something looks."""
        if isinstance(actor, Vehicle):
            return _show(actor, actor.transform.matrix, _vehicle_mesh(actor))
        if isinstance(actor, Walker):
            return _show(actor, _at_feet(actor), functools.partial(pedestrian(actor.type_id).build, _phase(actor)))
        if isinstance(actor, Prop):
            return _show(actor, actor.transform.matrix, functools.partial(self._keep_mesh, actor))
        return None

    def _keep_mesh(self, prop: Prop) -> Mesh:
        if prop.mesh is None:
            prop.mesh = self._prop_mesh(prop.description)
        return prop.mesh


def head_lights(v: Vehicle) -> list[Lamp]:
    """The lamps of a vehicle whose low or high beam is on."""
    if not v.lights & BEAMS:
        return []
    matrix = v.transform.matrix
    x, y, z = (float(c) for c in matrix[:3, :3] @ BEAM_DIRECTION)
    strength = HIGH_BEAM_INTENSITY if v.lights & HIGH_BEAM else LOW_BEAM_INTENSITY
    places = [matrix[:3, :3] @ np.array(place) + matrix[:3, 3] for place in vehicle(v.type_id).head_lamps]
    return [Lamp(_three(place), BEAM_COLOR, strength, (x, y, z), BEAM_CONE_DEG) for place in places]


def _vehicle_mesh(v: Vehicle) -> Callable[[], Mesh]:
    values = v.description.values
    red, green, blue = (int(part) for part in values["color"].split(","))
    rider = int(values.get("driver_id", "801")) - 801
    lit = bool(v.lights & (BEAMS | POSITION))
    return functools.partial(vehicle(v.type_id).build, (red, green, blue), lit=lit, rider=rider)


def _show(actor: Actor, matrix: NDArray[np.float64], mesh: Callable[[], Mesh]) -> Shown:
    return Shown(mesh, matrix, actor.tags[0], actor.instance_id)


def _at_feet(walker: Walker) -> NDArray[np.float64]:
    return (walker.transform @ Transform(z=-walker.half_height_m)).matrix


def _phase(walker: Walker) -> float | None:
    """Where in a step a walker is, in 0..1; None for one that stands.

    One that is put from place to place takes its phase from its place along its way, so that its feet stay where they
    are on the ground from frame to frame; what lies beside its way shifts it, so that a crowd does not march in step.
    """
    if walker.speed <= STANDING_SPEED:
        return None
    if walker.walked_m:
        return walker.walked_m / STRIDE_M % 1.0
    place, yaw = walker.transform, math.radians(walker.transform.yaw_deg)
    along = place.x * math.cos(yaw) + place.y * math.sin(yaw)
    beside = place.y * math.cos(yaw) - place.x * math.sin(yaw)
    return (along / STRIDE_M + 7.3 * round(beside, 2)) % 1.0


def _vehicle_body(blueprint: str) -> ActorBody:
    model = vehicle(blueprint)
    return ActorBody(Box(*model.bounds), model.tag, model.mass_kg, WHEELBASE_SHARE * 2 * model.extent[0])


def _walker_body(blueprint: str) -> ActorBody:
    model = pedestrian(blueprint)
    return ActorBody(Box(extent=model.extent), SemanticTag.PEDESTRIAN, WALKER_MASS_KG, half_height_m=model.half_height)


def _mesh_body(mesh: Mesh, tag: int) -> ActorBody:
    low, high = (np.asarray(v, np.float64) for v in mesh.bounds)
    center, extent = (low + high) / 2, (high - low) / 2
    return ActorBody(Box(_three(center), _three(extent)), tag)


def _three(values: NDArray[np.float64]) -> tuple[float, float, float]:
    x, y, z = (float(v) for v in values)
    return x, y, z
