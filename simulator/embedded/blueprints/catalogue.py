"""The blueprint library of a server: numbers for blueprints, their wire form, the check of what a client asks for."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from caos.assets.street.blueprints import VEHICLE_BLUEPRINTS, WALKER_BLUEPRINTS, Attribute, Blueprint, fixed, variation
from caos.simulator.embedded.blueprints.sensors import SENSOR_BLUEPRINTS, common
from caos.simulator.embedded.protocol.releases import LATEST, Release
from caos.simulator.embedded.protocol.wire import ActorDescription

TAG_ATTRIBUTE = "semantic_tag"
CONTROLLER = Blueprint("controller.ai.walker", common())


class InvalidDescriptionError(Exception):
    """A description that no blueprint of this server allows; the text says why."""


def prop_blueprint(name: str, size: str = "unknown") -> Blueprint:
    """The blueprint of a prop.

    Without a size it is given as CARLA gives it for props nobody measured: to measure all of a library would mean to
    make it. ``scale`` is what CARLA's ``static.prop.mesh`` has; ``walking``, ours, lets an animal move its legs from
    place to place, and ``open``, ours, opens what has doors or a lid, from 0 to 1 (-1: as its mesh is drawn).
    """
    attributes = (
        fixed("size", "string", size),
        variation("scale", "float", "1.0"),
        variation("walking", "bool", "false"),
        variation("open", "float", "-1.0"),
    )
    return Blueprint(f"static.prop.{name}", (*common("prop"), *attributes))


MESH_PROP = Blueprint(
    "static.prop.mesh",
    (
        *common("prop"),
        variation("mesh_path", "string", ""),
        variation("mass", "float", "0.0"),
        variation("scale", "float", "1.0"),
    ),
)
"""The prop whose mesh a client names."""
FRICTION_TRIGGER = Blueprint(
    "static.trigger.friction",
    (
        *common(),
        variation("friction", "float", "3.5"),
        *(variation(f"extent_{axis}", "float", "1.0") for axis in "xyz"),
    ),
)
"""A box, in centimetres, in which tyres grip as it says."""


class Catalogue:
    """All blueprints of a server, numbered from 1 in a fixed order."""

    def __init__(self, props: Iterable[Blueprint] = (), release: Release = LATEST) -> None:
        self._release = release
        actors = (*VEHICLE_BLUEPRINTS.values(), *WALKER_BLUEPRINTS.values())
        sensors = (sensor for sensor in SENSOR_BLUEPRINTS if sensor.id not in release.lacks)
        everything = [*map(_with_common, actors), *map(_with_tag, props), FRICTION_TRIGGER, *sensors, CONTROLLER]
        self._by_uid = dict(enumerate(everything, 1))

    def definitions(self) -> list[Any]:
        """The library in wire form."""
        return [
            [
                uid,
                blueprint.id,
                ",".join(blueprint.tags),
                [self._write(attribute) for attribute in blueprint.attributes],
            ]
            for uid, blueprint in self._by_uid.items()
        ]

    @property
    def ids(self) -> Sequence[str]:
        """The ids of all blueprints."""
        return [blueprint.id for blueprint in self._by_uid.values()]

    def numbered(self, described: ActorDescription) -> ActorDescription:
        """A description from elsewhere with the number that its blueprint has here.

        Raises:
            InvalidDescriptionError: If there is no such blueprint.
        """
        for uid, blueprint in self._by_uid.items():
            if blueprint.id == described.id:
                return replace(described, uid=uid)
        raise InvalidDescriptionError(f"no blueprint is called {described.id!r}")

    def complete(self, wanted: ActorDescription) -> ActorDescription:
        """The description with every attribute of its blueprint, checked.

        Raises:
            InvalidDescriptionError: If number and id do not belong together, or a value does not fit its attribute.
        """
        blueprint = self._by_uid.get(wanted.uid)
        if blueprint is None or blueprint.id != wanted.id:
            raise InvalidDescriptionError(f"no blueprint {wanted.uid} is called {wanted.id!r}")
        given = wanted.values
        attributes = []
        for attribute in blueprint.attributes:
            value = given.get(attribute.id, attribute.value) if attribute.modifiable else attribute.value
            attributes.append((attribute.id, self._release.attribute_type(attribute.type), _normal(attribute, value)))
        return ActorDescription(wanted.uid, wanted.id, tuple(attributes))

    def _write(self, attribute: Attribute) -> list[Any]:
        return [
            attribute.id,
            self._release.attribute_type(attribute.type),
            attribute.value,
            list(attribute.recommended),
            attribute.modifiable,
            attribute.restricted,
        ]


def _with_common(blueprint: Blueprint) -> Blueprint:
    """The blueprint with the attributes that CARLA gives to every actor."""
    have = {attribute.id for attribute in blueprint.attributes}
    extra = tuple(attribute for attribute in common() if attribute.id not in have)
    return Blueprint(blueprint.id, (*blueprint.attributes, *extra))


def _with_tag(prop: Blueprint) -> Blueprint:
    """The blueprint of a prop with an attribute that says which semantic tag it shall have; -1 leaves it its own."""
    return Blueprint(prop.id, (*prop.attributes, variation(TAG_ATTRIBUTE, "int", "-1")))


def _normal(attribute: Attribute, value: str) -> str:
    """A value in its plain form: CARLA takes ``64.0`` for an int, ``3.5f`` for a float and ``True`` for a bool."""
    try:
        if attribute.type == "int":
            value = str(int(float(value)))
        elif attribute.type == "float":
            value = value.rstrip("f")
            if not math.isfinite(float(value)):
                raise ValueError(value)
        elif attribute.type == "rgb":
            value = ",".join(str(part) for part in _color(value))
        elif attribute.type == "bool":
            value = {"true": "true", "1": "true", "false": "false", "0": "false"}[value.lower()]
    except (ValueError, KeyError, OverflowError) as error:
        raise InvalidDescriptionError(f"attribute {attribute.id}={value!r} is not a {attribute.type}") from error
    if attribute.restricted and value not in attribute.recommended:
        allowed = ", ".join(attribute.recommended)
        raise InvalidDescriptionError(f"attribute {attribute.id}={value!r} is not one of {allowed}")
    return value


def _color(value: str) -> tuple[int, int, int]:
    red, green, blue = (int(part) for part in value.split(","))
    if not all(0 <= part <= 255 for part in (red, green, blue)):
        raise ValueError(value)
    return red, green, blue
