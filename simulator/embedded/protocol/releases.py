"""CARLA releases whose protocol the embedded server speaks, and where they differ on the wire.

A server cannot see which release a client is of: it speaks one, and says so when asked for its version.
"""

from __future__ import annotations

import importlib.metadata
from dataclasses import dataclass
from typing import Final

from caos.assets.street.blueprints import AttributeType
from caos.foundation.errors import CaosError, unknown

ATTRIBUTE_TYPES: Final[tuple[AttributeType, ...]] = ("bool", "int", "float", "string", "rgb")
"""In the order of their numbers."""


@dataclass(frozen=True)
class Release:
    """A release of CARLA.

    Attributes:
        name: Such as ``0.9.16``.
        world_state_kind: The number of the world's state among the kinds of sensor data.
        first_attribute_type: The number of ``bool`` among the types of blueprint attributes.
        spawn_command_fields: Of a spawn in a batch: the later ones know how and to which socket a child is attached.
        lacks: Blueprints that came later; its clients could not read their data.
    """

    name: str
    world_state_kind: int
    first_attribute_type: int
    spawn_command_fields: int
    lacks: tuple[str, ...] = ()

    def attribute_type(self, kind: AttributeType) -> int:
        """The number of an attribute's type."""
        return self.first_attribute_type + ATTRIBUTE_TYPES.index(kind)

    def text(self, name: str, value: str) -> tuple[str, int, str]:
        """An attribute of an actor that is a text."""
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
    """A release by its name.

    Raises:
        CaosError: If the server does not speak it.
    """
    if name not in RELEASES:
        raise unknown("CARLA release", name, RELEASES)
    return RELEASES[name]


def client_release() -> str:
    """The release of the client that is installed here.

    Raises:
        CaosError: If none is installed, or the server does not speak it.
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
