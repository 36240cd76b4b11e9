"""Blueprint library of a server: numbering, wire form, and validation of actor descriptions."""

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
    """An actor description that no blueprint of this server allows; the text says why."""


def prop_blueprint(name: str, size: str = "unknown") -> Blueprint:
    """Return the blueprint of a prop.

    Without a size it is ``unknown``, as CARLA has it for unmeasured props: measuring a whole library would require
    building it. ``scale`` is an attribute of CARLA's ``static.prop.mesh``; two attributes are our own: ``walking`` lets
    an animal's legs move, and ``open`` opens doors or a lid, from 0 to 1 (-1: as modelled).
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
"""Prop whose mesh is named by the client."""
FRICTION_TRIGGER = Blueprint(
    "static.trigger.friction",
    (
        *common(),
        variation("friction", "float", "3.5"),
        *(variation(f"extent_{axis}", "float", "1.0") for axis in "xyz"),
    ),
)
"""Box, in centimetres, that sets the friction of tyres within it."""


class Catalogue:
    """All blueprints of a server, numbered from 1 in a fixed order."""

    def __init__(self, props: Iterable[Blueprint] = (), release: Release = LATEST) -> None:
        self._release = release
        actors = (*VEHICLE_BLUEPRINTS.values(), *WALKER_BLUEPRINTS.values())
        sensors = (sensor for sensor in SENSOR_BLUEPRINTS if sensor.id not in release.lacks)
        everything = [*map(_with_common, actors), *map(_with_tag, props), FRICTION_TRIGGER, *sensors, CONTROLLER]
        self._by_uid = dict(enumerate(everything, 1))

    def definitions(self) -> list[Any]:
        """Return the library in wire form."""
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
        """Ids of all blueprints."""
        return [blueprint.id for blueprint in self._by_uid.values()]

    def numbered(self, described: ActorDescription) -> ActorDescription:
        """Replace the blueprint number of a description from another server by this server's.

        Raises:
            InvalidDescriptionError: If the blueprint is unknown.
        """
        for uid, blueprint in self._by_uid.items():
            if blueprint.id == described.id:
                return replace(described, uid=uid)
        raise InvalidDescriptionError(f"unknown blueprint {described.id!r}")

    def complete(self, wanted: ActorDescription) -> ActorDescription:
        """Validate a description and add the missing attributes of its blueprint.

        Raises:
            InvalidDescriptionError: If number and id do not match, or a value is invalid.
        """
        blueprint = self._by_uid.get(wanted.uid)
        if blueprint is None or blueprint.id != wanted.id:
            raise InvalidDescriptionError(f"no blueprint {wanted.uid} is named {wanted.id!r}")
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
    """Add the attributes that CARLA gives to every actor."""
    have = {attribute.id for attribute in blueprint.attributes}
    extra = tuple(attribute for attribute in common() if attribute.id not in have)
    return Blueprint(blueprint.id, (*blueprint.attributes, *extra))


def _with_tag(prop: Blueprint) -> Blueprint:
    """Add an attribute for the semantic tag of a prop; -1 keeps the default."""
    return Blueprint(prop.id, (*prop.attributes, variation(TAG_ATTRIBUTE, "int", "-1")))


def _normal(attribute: Attribute, value: str) -> str:
    """Normalize a value: CARLA accepts ``64.0`` for an int, ``3.5f`` for a float and ``True`` for a bool."""
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
