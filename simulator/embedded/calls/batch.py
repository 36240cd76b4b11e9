"""Batches: lists of commands applied in order, each with its own result."""

from __future__ import annotations

from typing import Any

from caos.simulator.embedded.calls.actors import spawn
from caos.simulator.embedded.calls.table import CALLS, Server, call
from caos.simulator.embedded.protocol.rpc import Later
from caos.simulator.embedded.protocol.wire import (
    BadArgumentError,
    Value,
    description,
    integer,
    listed,
    optional,
    raw,
    transform,
    u32,
)
from caos.simulator.embedded.protocol.wire import boolean as flag
from caos.simulator.embedded.world_state.world import WorldError

SPAWN = 0
CONSOLE = 20
COMMANDS = {
    1: "destroy_actor",
    2: "apply_control_to_vehicle",
    3: "apply_ackermann_control_to_vehicle",
    4: "apply_control_to_walker",
    5: "apply_physics_control",
    6: "set_actor_transform",
    7: "set_walker_state",
    8: "set_actor_target_velocity",
    9: "set_actor_target_angular_velocity",
    10: "add_actor_impulse",
    11: "add_actor_force",
    12: "add_actor_angular_impulse",
    13: "add_actor_torque",
    14: "set_actor_simulate_physics",
    15: "set_actor_enable_gravity",
    16: "set_actor_autopilot",
    17: "show_vehicle_debug_telemetry",
    18: "set_vehicle_light_state",
    19: "set_actor_location",
    21: "set_traffic_light_state",
}
"""CARLA's command numbers, and the calls with the same effect."""


@call(raw, flag, bare=True, locked=False)
def apply_batch(server: Server, commands: Value, do_tick: bool) -> list[Any] | Later:  # noqa: FBT001
    """Apply commands in order, and optionally tick."""
    with server.world.lock:
        results = [apply(server, command) for command in listed(commands)]
    if do_tick:
        server.engine.cue()
    elif server.managers:
        server.turn.expect_question()
    return Later(lambda: server.engine.withhold(results)) if server.engine.is_changing else results


def apply(server: Server, command: Value, actor: int | None = None) -> list[Any]:
    """Return the result of one command; ``actor`` replaces the id if the command refers to a preceding spawn."""
    try:
        number, values = _split(command)
        if number == SPAWN:
            return [[1, _spawn(server, values)]]
        if number == CONSOLE:
            return [[0, ["console commands are not supported by the embedded server"]]]
        if actor is not None:
            values = [actor, *values[1:]]
        return _invoke(server, number, values)
    except WorldError as error:
        return [[0, [str(error)]]]
    except BadArgumentError as error:
        return [[0, [f"bad command: {error}"]]]


def _split(command: Value) -> tuple[int, list[Value]]:
    number, values = listed(listed(command, 1)[0], 2)[:2]
    return integer(number, 0, 21), listed(values, 1)


def _spawn(server: Server, values: list[Value]) -> int:
    count = server.world.release.spawn_command_fields
    wanted, pose, parent, *_, after = listed(values, count)[:count]
    actor = spawn(server, description(wanted), transform(pose), optional(u32)(parent) or 0)
    for command in listed(after):
        apply(server, command, actor.id)
    return actor.id


def _invoke(server: Server, number: int, values: list[Value]) -> list[Any]:
    known = CALLS[COMMANDS[number]]
    if len(values) < len(known.readers):
        raise BadArgumentError(f"expected {len(known.readers)} values for {known.name}, got {len(values)}")
    read = [reader(value) for reader, value in zip(known.readers, values, strict=False)]
    known.run(server, *read)
    return [[1, read[0]]]
