"""Owners of instance ids: which actor or thing of the town a number in an instance image stands for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import carla

LOW_BITS = 0xFFFF
"""An instance image has 16 bits for an id."""


def instance_owners(world: carla.World) -> dict[int, carla.Actor | carla.EnvironmentObject]:
    """Who is meant by each number of the world's instance images, as green + 256 * blue of a pixel.

    Actors are there on every server. Things of the town (``carla.EnvironmentObject``) are found on the embedded server
    alone, whose numbers for them are the low 16 bits of their ids; a real CARLA's have nothing to do with them::

        owners = caos.instance_owners(world)
        owners[number].type_id if number in owners else "unknown"

    Args:
        world: The world of a client, after a tick since the last actor was spawned.
    """
    owners: dict[int, carla.Actor | carla.EnvironmentObject] = {}
    if world.get_spectator().attributes.get("server") == "caos embedded":
        owners.update({thing.id & LOW_BITS: thing for thing in world.get_environment_objects()})
    owners.update({actor.id & LOW_BITS: actor for actor in world.get_actors()})
    owners.pop(0, None)
    return owners
