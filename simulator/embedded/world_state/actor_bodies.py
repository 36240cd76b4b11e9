"""Bodies of actors: mesh, bounding box and tag of a blueprint, and the poses of an actor's parts."""

from __future__ import annotations

import functools
import math
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from caos.assets.catalogue.library import Library
from caos.assets.mesh import Mesh, rotation, scaling, translation
from caos.assets.modelling.gait import FOUR_LEGGED, stepped, stride_m
from caos.assets.props import StreetProp, prop_mesh, street_props
from caos.assets.street.blueprints import Blueprint
from caos.assets.street.people import STRIDE_M, pedestrian
from caos.assets.street.vehicles import vehicle
from caos.assets.tags import SemanticTag
from caos.simulator.embedded.blueprints.catalogue import MESH_PROP, prop_blueprint
from caos.simulator.embedded.physics.collisions import WALKER_MASS_KG
from caos.simulator.embedded.protocol.wire import ActorDescription, Box
from caos.simulator.embedded.render.description import Lamp
from caos.simulator.embedded.world_state.actors import ZERO, Actor, Prop, Vehicle, Walker
from caos.simulator.embedded.world_state.shared_renderer import Shown
from caos.simulator.transform import Transform

PROP = "static.prop."
BUILT_IN = "caos"
"""Source of the library's own objects."""
STANDING_SPEED = 0.05
POSITION, LOW_BEAM, HIGH_BEAM = 1 << 0, 1 << 1, 1 << 2
BEAMS = LOW_BEAM | HIGH_BEAM
LOW_BEAM_INTENSITY, HIGH_BEAM_INTENSITY = 30.0, 60.0
BEAM_COLOR = (1.0, 0.95, 0.85)
BEAM_CONE_DEG = 60.0
BEAM_DIRECTION = np.array([0.9968, 0.0, -0.0797])
"""Forward and slightly down."""
SMALLEST_SCALE, LARGEST_SCALE = 0.01, 100.0
WHEELBASE_SHARE = 0.6
"""Distance between the axles as a share of the length."""


@dataclass(frozen=True)
class ActorBody:
    """Body of a blueprint's actors: bounding box in the actor's frame, semantic tag and mass."""

    box: Box
    tag: int
    mass_kg: float = 1500.0
    wheelbase_m: float = 2.7
    half_height_m: float = 0.93
    is_solid: bool = True


class ActorBodies:
    """Bodies and meshes by blueprint, including CARLA's props and the hazard objects of a library."""

    def __init__(self, library: Path | None = None) -> None:
        self._library = Library.open(library)
        self._library_lock = threading.Lock()
        self._stock_meshes: dict[tuple[str, float], Mesh] = {}

    @functools.cached_property
    def props(self) -> tuple[Blueprint, ...]:
        """A blueprint for every object of the library, and for each of CARLA's props without an object of its name."""
        own = dict.fromkeys(self._library.names())
        stock = [prop_blueprint(p.name, p.size_name) for p in street_props().values() if p.name not in own]
        return (*(prop_blueprint(name) for name in own), *stock, MESH_PROP)

    def body(self, description: ActorDescription) -> ActorBody | None:
        """Return an actor's body, or None if it has none (sensors, controllers, a prop without a mesh).

        Raises:
            CaosError: If its mesh is not in the library.
        """
        kind = description.id.split(".", 1)[0]
        if kind == "vehicle":
            return _vehicle_body(description.id)
        if kind == "walker":
            return _walker_body(description.id)
        if not description.id.startswith(PROP) or not _prop_name(description):
            return None
        stock = self._stock(_prop_name(description))
        if stock is None:
            return _mesh_body(self._prop_mesh(description), SemanticTag.STATIC)
        x, y, z = (_scale(description) * v / 2 for v in stock.size_m)
        return ActorBody(Box((0.0, 0.0, z), (x, y, z)), stock.tag, is_solid=stock.is_solid)

    def _stock(self, name: str) -> StreetProp | None:
        """Return one of CARLA's props, unless the library has another object of that name."""
        return None if name in self._library_names else street_props().get(name)

    @functools.cached_property
    def _library_names(self) -> frozenset[str]:
        return frozenset(self._library.names())

    def _prop_mesh(self, description: ActorDescription) -> Mesh:
        name, scale = _prop_name(description), _scale(description)
        stock = self._stock(name)
        with self._library_lock:
            if stock is None:
                share = _open_share(description) if self._library.opens(name) else None
                return self._library.mesh(name, scale, share)
            if (name, scale) not in self._stock_meshes:
                self._stock_meshes[name, scale] = prop_mesh(stock, self._library.mesh).transformed(scaling(scale))
            return self._stock_meshes[name, scale]

    def shown(self, actor: Actor) -> list[Shown]:
        """Visible parts of an actor at its current pose, its body last; meshes are built on demand."""
        if isinstance(actor, Vehicle):
            return _rolling(actor) if _drives(actor) else [_show(actor, actor.transform.matrix, _vehicle_mesh(actor))]
        if isinstance(actor, Walker):
            build = functools.partial(pedestrian(actor.type_id).build, _phase(actor))
            return [_show(actor, _at_feet(actor), build)]
        if isinstance(actor, Prop):
            return [_show(actor, actor.transform.matrix, functools.partial(self._keep_mesh, actor, actor.transform))]
        return []

    def _keep_mesh(self, prop: Prop, place: Transform) -> Mesh:
        if prop.mesh is None:
            prop.mesh = self._prop_mesh(prop.description)
        if prop.description.values.get("walking") != "true" or not self._has_four_legs(prop.description):
            return prop.mesh
        stride = stride_m(prop.mesh)
        return prop.mesh if stride is None else stepped(prop.mesh, _along(place) / stride)

    def _has_four_legs(self, description: ActorDescription) -> bool:
        """Whether it is one of the built-in animals, which stand along x on their legs."""
        name = _prop_name(description)
        if name not in self._library_names:
            return False
        info = self._library.info(name)
        return info.source == BUILT_IN and info.kind in FOUR_LEGGED


def _prop_name(description: ActorDescription) -> str:
    """Name of a prop's mesh: from its blueprint, or the last part of the path given by the client."""
    if description.id != MESH_PROP.id:
        return description.id.removeprefix(PROP)
    return description.values["mesh_path"].rsplit("/", 1)[-1].split(".", 1)[0]


def _scale(description: ActorDescription) -> float:
    return min(max(float(description.values.get("scale", "1.0")), SMALLEST_SCALE), LARGEST_SCALE)


def _open_share(description: ActorDescription) -> float | None:
    """Opening share of a prop with a lid or door; None leaves its mesh as modelled."""
    share = float(description.values.get("open", "-1.0"))
    return min(share, 1.0) if share >= 0 else None


def head_lights(v: Vehicle) -> list[Lamp]:
    """Lamps of a vehicle whose low or high beam is on."""
    if not v.lights & BEAMS:
        return []
    matrix = v.transform.matrix
    x, y, z = (float(c) for c in matrix[:3, :3] @ BEAM_DIRECTION)
    strength = HIGH_BEAM_INTENSITY if v.lights & HIGH_BEAM else LOW_BEAM_INTENSITY
    places = [matrix[:3, :3] @ np.array(place) + matrix[:3, 3] for place in vehicle(v.type_id).head_lamps]
    return [Lamp(_three(place), BEAM_COLOR, strength, (x, y, z), BEAM_CONE_DEG) for place in places]


def _vehicle_mesh(v: Vehicle) -> Callable[[], Mesh]:
    color, lit, rider = _look(v)
    return functools.partial(vehicle(v.type_id).build, color, lit=lit, rider=rider)


def _look(v: Vehicle) -> tuple[tuple[int, int, int], bool, int]:
    """Paint colour, whether its lamps are on, and the number of a two-wheeler's rider."""
    values = v.description.values
    red, green, blue = (int(part) for part in values["color"].split(","))
    return (red, green, blue), bool(v.lights & (BEAMS | POSITION)), int(values.get("driver_id", "801")) - 801


def _drives(v: Vehicle) -> bool:
    """Whether its wheels turn: it is teleported from frame to frame and has a velocity."""
    return not v.physics and math.hypot(*(v.target_velocity or ZERO)) > STANDING_SPEED


def _rolling(v: Vehicle) -> list[Shown]:
    """Visible parts of a moving vehicle: wheels, rotated by the distance travelled, and body."""
    color, lit, rider = _look(v)
    pieces = functools.cache(lambda: vehicle(v.type_id).rolling(color, lit=lit, rider=rider))
    place, way = v.transform.matrix, _along(v.transform)
    wheels = []
    for number, (x, z) in enumerate(vehicle(v.type_id).axles):
        turn = rotation("y", math.degrees(way / z))
        matrix = place @ translation(x, 0, z) @ turn
        wheels.append(_show(v, matrix, functools.partial(lambda k: pieces().axles[k][0], number)))
    return [*wheels, _show(v, place, lambda: pieces().body)]


def _show(actor: Actor, matrix: NDArray[np.float64], mesh: Callable[[], Mesh]) -> Shown:
    role = actor.description.values.get("role_name", "")
    return Shown(mesh, matrix, actor.tags[0], actor.instance_id, role)


def _at_feet(walker: Walker) -> NDArray[np.float64]:
    return (walker.transform @ Transform(z=-walker.half_height_m)).matrix


def _phase(walker: Walker) -> float | None:
    """Phase of a walker's step in 0..1; None for one that stands.

    A walker that is teleported from frame to frame takes its phase from its position along its heading, so that its
    feet stay in place on the ground; the position across the heading shifts the phase, so that a crowd is out of step.
    """
    if walker.speed <= STANDING_SPEED:
        return None
    if walker.walked_m:
        return walker.walked_m / STRIDE_M % 1.0
    place, yaw = walker.transform, math.radians(walker.transform.yaw_deg)
    beside = place.y * math.cos(yaw) - place.x * math.sin(yaw)
    return (_along(place) / STRIDE_M + 7.3 * round(beside, 2)) % 1.0


def _along(place: Transform) -> float:
    """Coordinate of a pose along its own heading, in metres from the world's origin."""
    yaw = math.radians(place.yaw_deg)
    return place.x * math.cos(yaw) + place.y * math.sin(yaw)


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
