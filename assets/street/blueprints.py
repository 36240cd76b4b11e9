"""Blueprints: CARLA 0.9.16's definitions of vehicles and walkers, as plain data.

The server turns them into wire definitions; the same ids name the meshes in ``vehicles`` and ``people``. Values are
strings, as on CARLA's wire.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

AttributeType = Literal["bool", "int", "float", "string", "rgb"]


@dataclass(frozen=True)
class Attribute:
    """One attribute of a blueprint.

    Attributes:
        id: CARLA's attribute name.
        type: CARLA's value type; a colour is written ``"r,g,b"`` with sRGB values 0..255.
        value: The value before the client sets another.
        recommended: Values that CARLA recommends; empty for fixed attributes.
        modifiable: Whether the client may set it.
        restricted: Whether only recommended values are allowed.
    """

    id: str
    type: AttributeType
    value: str
    recommended: tuple[str, ...] = ()
    modifiable: bool = False
    restricted: bool = False


@dataclass(frozen=True)
class Blueprint:
    """A kind of actor that a client can spawn."""

    id: str
    attributes: tuple[Attribute, ...]

    @property
    def tags(self) -> tuple[str, ...]:
        """The words of the id, as CARLA tags its blueprints."""
        return tuple(dict.fromkeys(self.id.split(".")))

    def attribute(self, name: str) -> Attribute:
        """Return the attribute ``name``.

        Raises:
            KeyError: If the blueprint has no such attribute.
        """
        for attribute in self.attributes:
            if attribute.id == name:
                return attribute
        raise KeyError(name)


def fixed(name: str, kind: AttributeType, value: str) -> Attribute:
    """An attribute the client may only read."""
    return Attribute(name, kind, value)


def variation(name: str, kind: AttributeType, *recommended: str, restricted: bool = False) -> Attribute:
    """An attribute the client may set; the first recommended value is the default."""
    return Attribute(name, kind, recommended[0], recommended, modifiable=True, restricted=restricted)


_SEDATE = ("236,236,236", "20,20,22", "74,78,82", "137,142,146", "26,48,84", "120,18,24")
_LIVELY = ("180,22,28", "236,236,236", "22,22,25", "18,74,150", "214,168,24", "94,98,102")
_RUGGED = ("84,92,66", "20,20,22", "176,160,126", "236,236,236", "150,30,26", "60,66,74")
_SMALL = ("196,206,210", "200,40,36", "66,120,150", "238,236,226", "228,182,40", "54,58,62", "92,142,84")
_CAMPER = ("66,132,146", "196,84,40", "222,202,152", "150,32,32", "92,132,84")
_WHITE_VAN = ("236,236,234", "196,200,204", "32,60,112", "206,160,40", "62,66,70")
_BUS = ("216,210,196", "176,28,32", "36,92,150", "48,120,76", "226,170,32")
_STEEL = ("168,170,172",)
_MOTOR = ("24,24,26", "170,22,26", "24,62,148", "72,140,40", "220,216,208")
_CYCLE = ("26,26,28", "30,84,140", "176,34,34", "206,206,200", "40,104,74")
_FIRE = ("178,16,18",)
_AMBULANCE = ("238,238,234",)
_POLICE = ("14,14,16", "236,236,236")
_TAXI = ("238,178,20",)
_COLA = ("196,20,26", "24,92,160", "236,236,234")
_HGV = ("236,236,234", "24,64,130", "176,26,28", "40,44,48")

# id | base type | special type | generation | lights | opening doors | paints
_VEHICLES: tuple[tuple[str, str, str, int, bool, bool, tuple[str, ...]], ...] = (
    ("vehicle.audi.a2", "car", "", 1, False, False, _SMALL),
    ("vehicle.audi.etron", "car", "electric", 1, True, False, _SEDATE),
    ("vehicle.audi.tt", "car", "", 1, True, False, _LIVELY),
    ("vehicle.bh.crossbike", "bicycle", "", 1, False, False, _CYCLE),
    ("vehicle.bmw.grandtourer", "car", "", 1, False, False, _SEDATE),
    ("vehicle.carlamotors.carlacola", "truck", "", 1, False, False, _COLA),
    ("vehicle.carlamotors.european_hgv", "truck", "", 2, True, False, _HGV),
    ("vehicle.carlamotors.firetruck", "truck", "emergency", 2, True, True, _FIRE),
    ("vehicle.chevrolet.impala", "car", "", 1, True, False, _SEDATE),
    ("vehicle.citroen.c3", "car", "", 1, False, False, _SMALL),
    ("vehicle.diamondback.century", "bicycle", "", 1, False, False, _CYCLE),
    ("vehicle.dodge.charger_2020", "car", "", 2, True, True, _LIVELY),
    ("vehicle.dodge.charger_police", "car", "emergency", 1, True, False, _POLICE),
    ("vehicle.dodge.charger_police_2020", "car", "emergency", 2, True, True, _POLICE),
    ("vehicle.ford.ambulance", "van", "emergency", 2, True, True, _AMBULANCE),
    ("vehicle.ford.crown", "car", "taxi", 2, True, True, _TAXI),
    ("vehicle.ford.mustang", "car", "", 1, True, False, _LIVELY),
    ("vehicle.gazelle.omafiets", "bicycle", "", 1, False, False, _CYCLE),
    ("vehicle.harley-davidson.low_rider", "motorcycle", "", 1, True, False, _MOTOR),
    ("vehicle.jeep.wrangler_rubicon", "car", "", 1, False, False, _RUGGED),
    ("vehicle.kawasaki.ninja", "motorcycle", "", 1, True, False, _MOTOR[3:] + _MOTOR[:3]),
    ("vehicle.lincoln.mkz_2017", "car", "", 1, True, False, _SEDATE),
    ("vehicle.lincoln.mkz_2020", "car", "", 2, True, True, _SEDATE),
    ("vehicle.mercedes.coupe", "car", "", 1, False, False, _SEDATE),
    ("vehicle.mercedes.coupe_2020", "car", "", 2, True, True, _SEDATE),
    ("vehicle.mercedes.sprinter", "van", "", 2, True, True, _WHITE_VAN),
    ("vehicle.micro.microlino", "car", "electric", 1, False, False, _SMALL),
    ("vehicle.mini.cooper_s", "car", "", 1, False, False, _LIVELY),
    ("vehicle.mini.cooper_s_2021", "car", "", 2, True, True, _LIVELY),
    ("vehicle.mitsubishi.fusorosa", "bus", "", 2, True, False, _BUS),
    ("vehicle.nissan.micra", "car", "", 1, False, False, _SMALL),
    ("vehicle.nissan.patrol", "car", "", 1, False, False, _RUGGED),
    ("vehicle.nissan.patrol_2021", "car", "", 2, True, True, _SEDATE),
    ("vehicle.seat.leon", "car", "", 1, False, False, _LIVELY),
    ("vehicle.tesla.cybertruck", "truck", "electric", 2, True, False, _STEEL),
    ("vehicle.tesla.model3", "car", "electric", 1, True, False, _LIVELY),
    ("vehicle.toyota.prius", "car", "", 1, False, False, _SEDATE),
    ("vehicle.vespa.zx125", "motorcycle", "", 1, True, False, _SMALL),
    ("vehicle.volkswagen.t2", "van", "", 1, True, False, _CAMPER),
    ("vehicle.volkswagen.t2_2021", "van", "", 2, True, True, _CAMPER),
    ("vehicle.yamaha.yzf", "motorcycle", "", 1, True, False, _MOTOR[2:] + _MOTOR[:2]),
)

_TWO_WHEELED = ("motorcycle", "bicycle")
_WHEELS = {"vehicle.carlamotors.european_hgv": 6}
_DRIVERS = ("801", "802", "803")


def _vehicle(row: tuple[str, str, str, int, bool, bool, tuple[str, ...]]) -> Blueprint:
    blueprint_id, base, special, generation, lights, doors, paints = row
    wheels = 2 if base in _TWO_WHEELED else _WHEELS.get(blueprint_id, 4)
    drivers = (variation("driver_id", "int", *_DRIVERS, restricted=True),) if wheels == 2 else ()
    return Blueprint(
        blueprint_id,
        (
            variation("role_name", "string", "autopilot", "scenario", "ego_vehicle"),
            variation("color", "rgb", *paints),
            *drivers,
            variation("sticky_control", "bool", "true"),
            variation("terramechanics", "bool", "false"),
            fixed("object_type", "string", ""),
            fixed("base_type", "string", base),
            fixed("special_type", "string", special),
            fixed("number_of_wheels", "int", str(wheels)),
            fixed("generation", "int", str(generation)),
            fixed("has_dynamic_doors", "bool", str(doors).lower()),
            fixed("has_lights", "bool", str(lights).lower()),
        ),
    )


_FEMALE = (1, *range(5, 12), 15, 19, *range(20, 24), 31, 32, *range(35, 38), *range(40, 45), 48, 49, 50)
_CHILDREN = (*range(9, 15), 48, 49)
_TEENAGERS = (50, 51)
_NO_WHEELCHAIR = (*_CHILDREN, *_TEENAGERS, 30, 32, 42, 43, 44)
_FIRST_GENERATION = range(1, 15)
WALKER_NUMBERS = range(1, 52)


def _age(number: int) -> str:
    if number in _CHILDREN:
        return "child"
    return "teenager" if number in _TEENAGERS else "adult"


def _speeds(number: int) -> tuple[str, str, str]:
    """Standing, walking and running, as CARLA's traffic example reads them by position."""
    if _age(number) != "adult":
        return "0.0", "1.1", "2.0"
    return "0.0", "1.8" if number in {1, *range(5, 9), 15} else "1.7", "4.0"


def _walker(number: int) -> Blueprint:
    wheelchair = number not in _NO_WHEELCHAIR
    seats = ("false", "true") if wheelchair else ("false",)
    return Blueprint(
        f"walker.pedestrian.{number:04d}",
        (
            variation("role_name", "string", "pedestrian"),
            variation("speed", "float", *_speeds(number)),
            variation("is_invincible", "bool", "true"),
            variation("use_wheelchair", "bool", *seats, restricted=True),
            fixed("gender", "string", "female" if number in _FEMALE else "male"),
            fixed("generation", "int", "1" if number in _FIRST_GENERATION else "2"),
            fixed("age", "string", _age(number)),
            fixed("can_use_wheelchair", "bool", str(wheelchair).lower()),
        ),
    )


VEHICLE_BLUEPRINTS: dict[str, Blueprint] = {row[0]: _vehicle(row) for row in _VEHICLES}
WALKER_BLUEPRINTS: dict[str, Blueprint] = {b.id: b for b in map(_walker, WALKER_NUMBERS)}
