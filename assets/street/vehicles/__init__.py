"""Vehicles under CARLA's blueprint ids: ``VEHICLES[id].build((r, g, b))`` gives a mesh."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Protocol

from caos.assets.mesh import Material, Mesh, Part, join, translation
from caos.assets.street.blueprints import VEHICLE_BLUEPRINTS
from caos.assets.street.vehicles import finishes
from caos.assets.street.vehicles.bodywork.plan import Points
from caos.assets.street.vehicles.bounding_boxes import BOXES, Vector
from caos.assets.street.vehicles.buses import BUS
from caos.assets.street.vehicles.car_models import CARS
from caos.assets.street.vehicles.cars import assemble
from caos.assets.street.vehicles.cybertruck import Cybertruck
from caos.assets.street.vehicles.disk_cache import cached_parts
from caos.assets.street.vehicles.lorry_models import LORRIES
from caos.assets.street.vehicles.two_wheelers.models import CYCLES, cycle_mesh
from caos.assets.tags import SemanticTag
from caos.foundation.errors import unknown

Color = tuple[int, int, int]
TAGS = {
    "car": SemanticTag.CAR,
    "van": SemanticTag.CAR,
    "truck": SemanticTag.TRUCK,
    "bus": SemanticTag.BUS,
    "motorcycle": SemanticTag.MOTORCYCLE,
    "bicycle": SemanticTag.BICYCLE,
}
_MASS_KG = {"car": 1600, "van": 2400, "truck": 7500, "bus": 9000, "motorcycle": 290, "bicycle": 95}


class _Design(Protocol):
    def build(self, paint: Material, *, lit: bool = False) -> list[Part | Mesh]:
        """Parts in a paint."""

    @property
    def wheelbase(self) -> float:
        """Metres between the axles."""

    def head_points(self) -> Points:
        """Centres of the headlamps ``(n, 3)``."""


_FOUR_WHEELED: dict[str, _Design] = {
    **CARS,
    **LORRIES,
    "vehicle.mitsubishi.fusorosa": BUS,
    "vehicle.tesla.cybertruck": Cybertruck(),
}


_PRIMER: Color = (129, 128, 127)


@dataclass(frozen=True, eq=False)
class RollingVehicle:
    """A vehicle with its wheels apart from the body, all in the vehicle's frame.

    Attributes:
        body: Mesh of all parts that do not turn.
        axles: Per axle the mesh of its wheels, centred on the origin, with x and z of the axle; z is also their radius.
    """

    body: Mesh
    axles: tuple[tuple[Mesh, float, float], ...]


@dataclass(frozen=True)
class VehicleModel:
    """One vehicle.

    Attributes:
        id: CARLA's blueprint id.
        base_type: car, van, truck, bus, motorcycle or bicycle.
        special_type: emergency, taxi, electric or empty.
        wheels: Number of wheels.
        has_lights: Whether CARLA's light state applies.
        colors: Recommended paints, sRGB.
    """

    id: str
    base_type: str
    special_type: str
    wheels: int
    has_lights: bool
    colors: tuple[Color, ...]

    @property
    def tag(self) -> int:
        """CARLA's semantic tag of the vehicle; a rider's parts carry their own."""
        return TAGS[self.base_type]

    @property
    def mass_kg(self) -> float:
        """A plausible mass."""
        return float(_MASS_KG[self.base_type])

    def build(self, color: Color | None = None, *, lit: bool = False, rider: int = 0) -> Mesh:
        """Build the mesh in a paint; origin on the ground under its centre, x forward.

        Args:
            color: sRGB paint 0..255; None for the first recommended one.
            lit: Whether head and tail lamps are on.
            rider: Index of the rider of a two-wheeler.

        Equal arguments give the same object.
        """
        return _built(self.id, self.colors[0] if color is None else color, lit, rider)

    def rolling(self, color: Color, *, lit: bool = False, rider: int = 0) -> RollingVehicle:
        """Build the vehicle with separate wheels, to animate them; equal arguments give the same object."""
        return _rolling(self.id, color, lit, rider)

    @cached_property
    def axles(self) -> tuple[tuple[float, float], ...]:
        """X and z of each axle in the vehicle's frame, metres; z is also the radius of its wheels."""
        return tuple((x, z) for _, x, z in self.rolling(self.colors[0]).axles)

    @property
    def bounds(self) -> tuple[Vector, Vector]:
        """Centre and half size of the bounding box, in the vehicle's frame (as CARLA's ``bounding_box``)."""
        return BOXES[self.id]

    @property
    def wheelbase_m(self) -> float:
        """Distance between the front and the (first) rear axle."""
        return float(_design(self.id).wheelbase)

    @property
    def extent(self) -> Vector:
        """Half length, half width and half height."""
        return self.bounds[1]

    @cached_property
    def head_lamps(self) -> tuple[Vector, ...]:
        """Positions of the headlamps in the vehicle's frame."""
        return _rows(_design(self.id).head_points())


def _rows(points: Points) -> tuple[Vector, ...]:
    return tuple((float(x), float(y), float(z)) for x, y, z in points)


def _design(blueprint_id: str) -> _Design:
    return CYCLES[blueprint_id] if blueprint_id in CYCLES else _FOUR_WHEELED[blueprint_id]


@lru_cache(maxsize=256)
def _built(blueprint_id: str, color: Color, lit: bool, rider: int) -> Mesh:  # noqa: FBT001 (a cache key)
    paint = finishes.paint(color)
    if blueprint_id not in CARS:
        # Liveries and bare steel use the paint's colour in further materials, too.
        return _assembled(blueprint_id, paint, lit=lit, rider=rider)
    primer = finishes.paint(_PRIMER)
    parts = _primed(blueprint_id, lit).parts
    return Mesh(tuple(replace(part, material=paint) if part.material is primer else part for part in parts))


@lru_cache(maxsize=128)
def _primed(blueprint_id: str, lit: bool) -> Mesh:  # noqa: FBT001 (a cache key)
    """Unpainted parts of a car, shared by all colours."""
    return _assembled(blueprint_id, finishes.paint(_PRIMER), lit=lit, rider=0)


def _assembled(blueprint_id: str, paint: Material, *, lit: bool, rider: int) -> Mesh:
    tag = VEHICLES[blueprint_id].tag
    if blueprint_id in CYCLES:
        mesh = cycle_mesh(_pieces(blueprint_id, paint, lit), CYCLES[blueprint_id].rider(rider), tag)
    else:
        mesh = assemble(list(_pieces(blueprint_id, paint, lit)), tag)
    return mesh.transformed(translation(0, 0, -float(mesh.bounds[0][2])))


@lru_cache(maxsize=128)
def _pieces(blueprint_id: str, paint: Material, lit: bool) -> tuple[Part, ...]:  # noqa: FBT001 (a cache key)
    """All parts of a vehicle without its rider; parts of wheels have ``axle`` set."""

    def make() -> tuple[Part, ...]:
        built = _design(blueprint_id).build(paint, lit=lit)
        return tuple(part for item in built for part in ((item,) if isinstance(item, Part) else item.parts))

    look = f"{blueprint_id}-{'lit' if lit else 'dark'}"
    if blueprint_id in CARS:
        return cached_parts(look, paint, make)
    # such vehicles are cached per colour, and only in the recommended colours
    colors = [color for color in VEHICLES[blueprint_id].colors if finishes.paint(color) is paint]
    return cached_parts("-".join([look, *map(str, colors[0])]), paint, make) if colors else make()


@lru_cache(maxsize=128)
def _rolling(blueprint_id: str, color: Color, lit: bool, rider: int) -> RollingVehicle:  # noqa: FBT001 (a cache key)
    tag = VEHICLES[blueprint_id].tag
    parts = _pieces(blueprint_id, finishes.paint(color), lit)
    body = join([part for part in parts if part.axle is None]).tagged(tag)
    if blueprint_id in CYCLES:
        body = Mesh((*body.parts, *join(CYCLES[blueprint_id].rider(rider)).tagged(SemanticTag.RIDER).parts))
    axles: dict[tuple[float, float], list[Part]] = {}
    for part in parts:
        if part.axle is not None:
            axles.setdefault(part.axle, []).append(part)
    # Rest the whole on its wheels, like the mesh that is built in one piece.
    ground = min(float(part.vertices[:, 2].min()) for part in [*parts, *body.parts])
    wheels = [
        (join(own).tagged(tag).transformed(translation(-x, 0, -z)), x, z - ground) for (x, z), own in axles.items()
    ]
    return RollingVehicle(body.transformed(translation(0, 0, -ground)), tuple(wheels))


def _color(text: str) -> Color:
    r, g, b = (int(v) for v in text.split(","))
    return r, g, b


def _model(blueprint_id: str) -> VehicleModel:
    blueprint = VEHICLE_BLUEPRINTS[blueprint_id]
    return VehicleModel(
        blueprint_id,
        blueprint.attribute("base_type").value,
        blueprint.attribute("special_type").value,
        int(blueprint.attribute("number_of_wheels").value),
        blueprint.attribute("has_lights").value == "true",
        tuple(_color(c) for c in blueprint.attribute("color").recommended),
    )


def vehicle(blueprint_id: str) -> VehicleModel:
    """Return the vehicle with a blueprint id.

    Raises:
        CaosError: If the id is unknown.
    """
    if blueprint_id not in VEHICLES:
        raise unknown("vehicle", blueprint_id, VEHICLES)
    return VEHICLES[blueprint_id]


VEHICLES: dict[str, VehicleModel] = {blueprint_id: _model(blueprint_id) for blueprint_id in VEHICLE_BLUEPRINTS}
