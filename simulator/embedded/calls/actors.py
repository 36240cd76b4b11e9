"""Calls about actors of any kind, and walkers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from caos.simulator.embedded.calls.table import Server, call
from caos.simulator.embedded.protocol.wire import (
    ActorDescription,
    Box,
    Vector,
    array_of,
    description,
    fields,
    location,
    raw,
    real,
    speed_m_s,
    text,
    transform,
    u8,
    u32,
    vector,
    write_transform,
)
from caos.simulator.embedded.protocol.wire import boolean as flag
from caos.simulator.embedded.world_state.actors import Actor, Vehicle, Walker
from caos.simulator.embedded.world_state.skeleton import bones, components, limbs
from caos.simulator.embedded.world_state.world import WorldError, refusal
from caos.simulator.transform import Transform


@call()
def get_actor_definitions(server: Server) -> list[Any]:
    """Return the blueprint library."""
    return server.world.catalogue.definitions()


@call()
def get_spectator(server: Server) -> list[Any]:
    """Return the spectator."""
    return server.world.spectator.write()


@call(array_of(u32))
def get_actors_by_id(server: Server, ids: list[int]) -> list[Any]:
    """Return records of actors; unknown ids are left out."""
    actors = server.world.actors
    return [actors[i].write() for i in ids if i in actors]


def spawn(server: Server, wanted: ActorDescription, pose: Transform, parent: int = 0) -> Actor:
    """Spawn an actor; its record includes the token of its stream."""
    actor = server.world.spawn(wanted, pose, parent)
    if actor.stream:
        actor.token = server.streams.token(actor.stream)
    return actor


@call(description, transform)
def spawn_actor(server: Server, wanted: ActorDescription, pose: Transform) -> list[Any]:
    """Spawn an actor at a pose."""
    return spawn(server, wanted, pose).write()


@call(
    description,
    transform,
    u32,
    u8,
    text,
    added_later=1,
    fidelity="simplified",
    note="always rigid: no spring arms, no sockets",
)
def spawn_actor_with_parent(
    server: Server,
    wanted: ActorDescription,
    pose: Transform,
    parent: int,
    attachment: int,  # noqa: ARG001
    socket: str = "",  # noqa: ARG001
) -> list[Any]:
    """Spawn an actor attached to another."""
    if not parent:
        raise WorldError("unable to attach actor: parent actor not found")
    return spawn(server, wanted, pose, parent).write()


@call(u32)
def destroy_actor(server: Server, actor: int) -> bool:
    """Remove an actor and all attached to it."""
    server.world.destroy(actor)
    return True


@call(u32)
def get_actor_bounding_box(server: Server, actor: int) -> list[Any]:
    """Return an actor's box in its own frame; for a removed actor an empty one, on which TrafficManagers rely."""
    found = server.world.actors.get(actor)
    return Box().write() if found is None else found.box.write(actor)


@call(u32, transform, void=True)
def set_actor_transform(server: Server, actor: int, pose: Transform) -> None:
    """Teleport an actor."""
    server.world.place(server.world.find(actor, Actor, "set_actor_transform"), pose)


@call(u32, location, void=True)
def set_actor_location(server: Server, actor: int, place: Vector) -> None:
    """Teleport an actor, keeping its rotation."""
    found = server.world.find(actor, Actor, "set_actor_location")
    now = found.relative or found.transform
    server.world.place(found, replace(now, x=place[0], y=place[1], z=place[2]))


@call(u32, flag, void=True)
def set_actor_simulate_physics(server: Server, actor: int, enabled: bool) -> None:  # noqa: FBT001
    """Set whether the simulation moves an actor."""
    found = server.world.find(actor, Actor, "set_actor_simulate_physics")
    found.physics = enabled
    if not enabled:
        found.velocity = found.angular_velocity = found.acceleration = (0.0, 0.0, 0.0)
    elif isinstance(found, Vehicle):
        found.on_ground = False


@call(u32, flag, void=True)
def set_actor_enable_gravity(server: Server, actor: int, enabled: bool) -> None:  # noqa: FBT001
    """Set whether an actor falls."""
    server.world.find(actor, Actor, "set_actor_enable_gravity").gravity = enabled


@call(u32, flag, void=True)
def set_actor_collisions(server: Server, actor: int, enabled: bool) -> None:  # noqa: FBT001
    """Set whether others collide with an actor."""
    server.world.find(actor, Actor, "set_actor_collisions").collides = enabled


@call(u32, void=True, fidelity="simplified", note="a dead walker stops; there is no rag doll")
def set_actor_dead(server: Server, actor: int) -> None:
    """Let a walker die."""
    found = server.world.find(actor, Actor, "set_actor_dead")
    if isinstance(found, Walker):
        found.dead = True


@call(u32, raw, void=True, note="the jump is ignored")
def apply_control_to_walker(server: Server, actor: int, control: Any) -> None:
    """Set direction and speed of a walker."""
    walker = server.world.find(actor, Walker, "apply_control_to_walker")
    walker.direction, walker.speed, walker.jump = fields(control, (vector, speed_m_s, flag))


@call(u32, transform, speed_m_s, void=True)
def set_walker_state(server: Server, actor: int, pose: Transform, speed: float) -> None:
    """Set a walker's location on the ground, heading and speed, as AI controllers do."""
    walker = server.world.find(actor, Walker, "set_walker_state")
    forward = tuple(float(v) for v in pose.matrix[:3, 0])
    moved = ((pose.x - walker.transform.x) ** 2 + (pose.y - walker.transform.y) ** 2) ** 0.5
    walker.walked_m += moved if moved < 2.0 else 0.0
    walker.direction, walker.speed = forward, speed  # type: ignore[assignment]
    walker.velocity = tuple(v * speed for v in forward)  # type: ignore[assignment]
    server.world.place(walker, replace(pose, z=pose.z + walker.half_height_m))
    walker.settled = True


_UPRIGHT = "walkers stand upright, whatever their steps, unless a client sets their bones"
_UNSEEN = "reported by the calls about bones; not visible in images"


def _skeleton(server: Server, actor: int, doing: str) -> tuple[Actor, Mapping[str, tuple[str, Transform]]]:
    found = server.world.find(actor, Actor, doing)
    named = bones(found)
    if not named:
        raise refusal(doing, "Component could not be found in this actor", "Component Name: SkinnedMeshComponent ")
    return found, named


@call(u32, fidelity="simplified", note=_UPRIGHT)
def get_bones_transform(server: Server, actor: int) -> list[Any]:
    """Return a walker's bones: name, and pose in the world, in the body's frame and in the parent bone's frame."""
    walker = server.world.find(actor, Walker, "get_bones_transform")
    hanging, rows = limbs(walker), []
    for name, (_, pose) in bones(walker).items():
        above_ground = replace(pose, z=pose.z + walker.half_height_m)
        poses = (walker.transform @ pose, above_ground, hanging[name][1])
        rows.append([name, *(write_transform(p) for p in poses)])
    return [rows]


@call(u32, raw, void=True, fidelity="simplified", note=_UNSEEN)
def set_bones_transform(server: Server, actor: int, bones_in: Any) -> None:
    """Set the poses of some of a walker's bones, each in its parent bone's frame."""
    walker = server.world.find(actor, Walker, "set_bones_transform")
    (rows,) = fields(bones_in, (array_of(_bone),))
    walker.pose = walker.pose | {name: pose for name, pose in rows if name in limbs(walker)}


def _bone(value: Any) -> tuple[str, Transform]:
    name, pose = fields(value, (text, transform))
    return name, pose


@call(u32, real, void=True, fidelity="simplified", note=_UNSEEN)
def blend_pose(server: Server, actor: int, share: float) -> None:
    """Set the blending weight, 0 to 1, of the pose that a client has set."""
    server.world.find(actor, Walker, "blend_pose").pose_share = min(max(share, 0.0), 1.0)


@call(u32, void=True, fidelity="simplified", note=_UPRIGHT)
def get_pose_from_animation(server: Server, actor: int) -> None:
    """Copy the walker's current pose to the one that a client sets."""
    walker = server.world.find(actor, Walker, "get_pose_from_animation")
    walker.pose = {name: pose for name, (_, pose) in limbs(walker).items()}


@call(u32, fidelity="simplified", note="CARLA's names; a vehicle has a base and four wheels")
def get_actor_bone_names(server: Server, actor: int) -> list[str]:
    """Return the names of an actor's bones."""
    return list(_skeleton(server, actor, "get_actor_bone_names")[1])


@call(u32, fidelity="simplified", note=_UPRIGHT)
def get_actor_bone_world_transforms(server: Server, actor: int) -> list[Any]:
    """Return world poses of an actor's bones."""
    found, named = _skeleton(server, actor, "get_actor_bone_world_transforms")
    return [write_transform(found.transform @ pose) for _, pose in named.values()]


@call(u32, fidelity="simplified", note=_UPRIGHT)
def get_actor_bone_relative_transforms(server: Server, actor: int) -> list[Any]:
    """Return poses of an actor's bones in its frame."""
    _, named = _skeleton(server, actor, "get_actor_bone_relative_transforms")
    return [write_transform(pose) for _, pose in named.values()]


@call(u32, fidelity="simplified", note="the root, the mesh, and the blinkers of vehicles")
def get_actor_component_names(server: Server, actor: int) -> list[str]:
    """Return the names of an actor's components."""
    return list(components(server.world.find(actor, Actor, "get_actor_component_names")))


@call(u32, text, fidelity="simplified", note="of those that get_actor_component_names gives")
def get_actor_component_world_transform(server: Server, actor: int, component: str) -> list[Any]:
    """Return the world pose of a component."""
    doing = "get_actor_component_world_transform"
    found = server.world.find(actor, Actor, doing)
    return write_transform(found.transform @ _component(found, component, doing))


@call(u32, text, fidelity="simplified", note="of those that get_actor_component_names gives")
def get_actor_component_relative_transform(server: Server, actor: int, component: str) -> list[Any]:
    """Return the pose of a component in the actor's frame."""
    doing = "get_actor_component_relative_transform"
    return write_transform(_component(server.world.find(actor, Actor, doing), component, doing))


def _component(actor: Actor, name: str, doing: str) -> Transform:
    found = components(actor).get(name)
    if found is None:
        raise refusal(doing, "Component could not be found in this actor", f"Component Name: {name}")
    return found


@call(u32, fidelity="simplified", note="there are none")
def get_actor_socket_names(server: Server, actor: int) -> list[str]:
    """Return the names of an actor's sockets."""
    server.world.find(actor, Actor, "get_actor_socket_names")
    return []


@call(u32, fidelity="simplified", note="there are none")
def get_actor_socket_world_transforms(server: Server, actor: int) -> list[Any]:
    """Return world poses of an actor's sockets."""
    server.world.find(actor, Actor, "get_actor_socket_world_transforms")
    return []


@call(u32, fidelity="simplified", note="there are none")
def get_actor_socket_relative_transforms(server: Server, actor: int) -> list[Any]:
    """Return poses of an actor's sockets in its frame."""
    server.world.find(actor, Actor, "get_actor_socket_relative_transforms")
    return []
