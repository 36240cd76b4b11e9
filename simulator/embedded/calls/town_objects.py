"""Calls about the town itself: its objects, lamps and surfaces."""

from __future__ import annotations

from typing import Any

import numpy as np

from caos.simulator.embedded.calls.table import Server, call
from caos.simulator.embedded.protocol.wire import (
    Vector,
    array_of,
    fields,
    listed,
    location,
    lumens,
    raw,
    real,
    text,
    u8,
    u32,
    u64,
    vector,
)
from caos.simulator.embedded.protocol.wire import boolean as flag
from caos.simulator.embedded.world_state.loaded_town import thing_record

_LIGHT = (u32, vector, lumens, u8, raw, flag)
_MAX_RAY_M = 1e5


@call(u8)
def get_environment_objects(server: Server, tag: int) -> list[Any]:
    """Return the town's objects with a tag."""
    return [thing_record(thing) for thing in server.world.episode.loaded_town.things(tag)]


@call(array_of(u64), flag, void=True)
def enable_environment_objects(server: Server, ids: list[int], enable: bool) -> None:  # noqa: FBT001
    """Show or hide objects of the town."""
    server.world.episode.loaded_town.enable(ids, shown=enable)


@call()
def get_names_of_all_objects(server: Server) -> list[str]:
    """Return the names of the town's objects."""
    return [thing.name for thing in server.world.episode.loaded_town.town.environment_objects]


@call(flag, void=True, fidelity="no effect", note="nothing here is translucent")
def set_annotations_traverse_translucency(server: Server, enable: bool) -> None:  # noqa: FBT001, ARG001
    """Set whether labels ignore translucent objects."""
    return


@call(text, note="street lamps; vehicle lights have their own calls")
def query_lights_state(server: Server, client: str) -> list[Any]:  # noqa: ARG001
    """Return the street lamps."""
    return [
        [k, list(state.lamp.location), state.intensity, state.group, list(state.color), state.active]
        for k, state in enumerate(server.world.episode.loaded_town.lamp_states)
    ]


@call(text, raw, flag, void=True)
def update_lights_state(server: Server, client: str, lights: Any, discard: bool) -> None:  # noqa: FBT001, ARG001
    """Set state and colour of street lamps."""
    episode = server.world.episode
    states = episode.loaded_town.lamp_states
    for light in listed(lights):
        number, _, intensity, group, color, active = fields(light, _LIGHT)
        if number < len(states):
            red, green, blue = (u8(c) for c in listed(color, 3)[:3])
            state = states[number]
            state.intensity, state.group, state.color, state.active = intensity, group, (red, green, blue), active
    episode.lights_changed = True


@call(text, flag, void=True, fidelity="no effect", note="lamps shine when it is dark, whatever the cycle")
def update_day_night_cycle(server: Server, client: str, active: bool) -> None:  # noqa: FBT001, ARG001
    """Set whether lamps follow the time of day."""
    return


@call(location, vector, real, locked=False)
def project_point(server: Server, start: Vector, direction: Vector, reach: float) -> list[Any]:
    """Return the first surface from a point in a direction."""
    length = float(np.linalg.norm(direction))
    if length == 0 or not 0 < reach <= _MAX_RAY_M:
        return [False, [list(start), 0]]
    unit = np.array(direction) / length
    with server.world.lock:
        snapshot = server.world.snapshot()
    hits = server.renderer.cast(snapshot, np.array([start]), unit[None])
    distance = float(hits.distance[0])
    if distance > reach:
        return [False, [list(start), 0]]
    return [True, [(np.array(start) + unit * distance).tolist(), int(hits.tag[0])]]


@call(location, location, locked=False)
def cast_ray(server: Server, start: Vector, end: Vector) -> list[Any]:
    """Return all surfaces between two points."""
    with server.world.lock:
        snapshot = server.world.snapshot()
    found = server.renderer.cast_through(snapshot, np.array(start), np.array(end))
    return [[point.tolist(), tag] for point, tag in found]
