"""CARLA releases that the embedded server speaks, and their differences on the wire.

A server cannot detect a client's release: it speaks one, and reports it when a client requests its version.
"""

from __future__ import annotations

import importlib.metadata
from dataclasses import dataclass
from typing import Final

from caos.assets.street.blueprints import AttributeType
from caos.foundation.errors import CaosError, unknown

ATTRIBUTE_TYPES: Final[tuple[AttributeType, ...]] = ("bool", "int", "float", "string", "rgb")
"""Attribute types in the order of their numbers."""


@dataclass(frozen=True)
class Release:
    """A release of CARLA.

    Attributes:
        name: For example ``0.9.16``.
        world_state_kind: Number of the world state among the types of sensor data.
        first_attribute_type: Number of ``bool`` among the types of blueprint attributes.
        spawn_command_fields: Fields of a spawn command in a batch: newer releases add attachment type and socket.
        lacks: Blueprints of later releases; this release's clients could not read their data.
    """

    name: str
    world_state_kind: int
    first_attribute_type: int
    spawn_command_fields: int
    lacks: tuple[str, ...] = ()

    def attribute_type(self, kind: AttributeType) -> int:
        """Return the number of an attribute's type."""
        return self.first_attribute_type + ATTRIBUTE_TYPES.index(kind)

    def text(self, name: str, value: str) -> tuple[str, int, str]:
        """Return a string attribute of an actor in wire form."""
        return name, self.attribute_type("string"), value


RELEASES: Final = {
    release.name: release
    for release in (
        Release(
            "0.9.15",
            world_state_kind=16,
            first_attribute_type=0,
            spawn_command_fields=4,
            lacks=("sensor.camera.cosmos_visualization",),
        ),
        Release("0.9.16", world_state_kind=17, first_attribute_type=1, spawn_command_fields=6),
    )
}
LATEST: Final = RELEASES["0.9.16"]


def release_named(name: str) -> Release:
    """Return a release by its name.

    Raises:
        CaosError: If the server does not support it.
    """
    if name not in RELEASES:
        raise unknown("CARLA release", name, RELEASES)
    return RELEASES[name]


def client_release() -> str:
    """Return the release of the installed client.

    Raises:
        CaosError: If no client is installed, or the server does not support its release.
    """
    try:
        name = importlib.metadata.version("carla")
    except importlib.metadata.PackageNotFoundError as error:
        raise CaosError(f"the carla client is not installed; pip install carla=={LATEST.name}") from error
    if name not in RELEASES:
        raise CaosError(
            f"the installed carla client is {name}, and the embedded server speaks {', '.join(RELEASES)}; "
            f"pip install carla=={LATEST.name}"
        )
    return name
