"""Instance ids: map from the values of instance images to actors and objects of the town."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import carla

LOW_BITS = 0xFFFF
"""Bits of an id that an instance image holds."""


def instance_owners(world: carla.World) -> dict[int, carla.Actor | carla.EnvironmentObject]:
    """Map each value of the world's instance images (green + 256 * blue of a pixel) to its owner.

    Actors are included for every server. Objects of the town (``carla.EnvironmentObject``) are included for the
    embedded server only, whose values are the low 16 bits of their ids; on a real CARLA server values and ids are
    unrelated::

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
