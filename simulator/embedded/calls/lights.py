"""Calls about traffic lights."""

from __future__ import annotations

from typing import Any

from caos.simulator.embedded.calls.table import Server, call
from caos.simulator.embedded.protocol.wire import boolean as flag
from caos.simulator.embedded.protocol.wire import integer, period_s, u32
from caos.simulator.embedded.world_state.actors import Actor, TrafficLight
from caos.simulator.embedded.world_state.world import WorldError, refusal


def _state(value: Any) -> int:
    return integer(value, 0, 4)


@call(u32, _state, void=True)
def set_traffic_light_state(server: Server, light: int, state: int) -> None:
    """Set a light to a state."""
    found = server.world.find(light, TrafficLight, "set_traffic_light_state")
    found.state_now, found.elapsed_s = state, 0.0


@call(u32, period_s, void=True)
def set_traffic_light_green_time(server: Server, light: int, seconds: float) -> None:
    """Set the duration of a light's green phase."""
    server.world.find(light, TrafficLight, "set_traffic_light_green_time").green_s = seconds


@call(u32, period_s, void=True)
def set_traffic_light_yellow_time(server: Server, light: int, seconds: float) -> None:
    """Set the duration of a light's yellow phase."""
    server.world.find(light, TrafficLight, "set_traffic_light_yellow_time").yellow_s = seconds


@call(u32, period_s, void=True)
def set_traffic_light_red_time(server: Server, light: int, seconds: float) -> None:
    """Set the duration of all-red after a light's yellow phase."""
    server.world.find(light, TrafficLight, "set_traffic_light_red_time").red_s = seconds


@call(u32, flag, void=True)
def freeze_traffic_light(server: Server, light: int, frozen: bool) -> None:  # noqa: FBT001
    """Freeze or release a light's junction."""
    server.world.find(light, TrafficLight, "freeze_traffic_light").frozen = frozen


@call(flag, void=True)
def freeze_all_traffic_lights(server: Server, frozen: bool) -> None:  # noqa: FBT001
    """Freeze or release all lights."""
    for light in server.world.of_kind(TrafficLight):
        light.frozen = frozen


@call(u32, void=True)
def reset_traffic_light_group(server: Server, light: int) -> None:
    """Restart a light's junction."""
    server.world.find(light, TrafficLight, "reset_traffic_light_group")
    group = server.world.episode.lights.group_of(light)
    if group is not None:
        group.reset()


@call(void=True)
def reset_all_traffic_lights(server: Server) -> None:
    """Restart all junctions."""
    server.world.episode.lights.reset()


@call(u32)
def get_group_traffic_lights(server: Server, light: int) -> list[int]:
    """Return the lights of a light's junction."""
    found = server.world.actors.get(light)
    if not isinstance(found, TrafficLight):
        reason = "not found" if found is None else "is not a traffic light"
        raise WorldError(f"unable to get group traffic lights: actor {reason}")
    group = server.world.episode.lights.group_of(light)
    return [light] if group is None else [member.id for member in group.lights]


@call(u32)
def get_light_boxes(server: Server, light: int) -> list[Any]:
    """Return world boxes around a light's heads."""
    found = server.world.find(light, Actor, "get_light_boxes")
    if not isinstance(found, TrafficLight):
        raise refusal("get_light_boxes", "Actor is not a traffic light", f"Actor Id: {light}")
    return server.world.episode.loaded_town.light_boxes(found)
