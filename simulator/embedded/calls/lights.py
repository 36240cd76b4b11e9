"""Calls about traffic lights."""

from __future__ import annotations

from typing import Any

from simulator.embedded.actors import TrafficLight
from simulator.embedded.calls.table import Server, call
from simulator.embedded.wire import boolean as flag
from simulator.embedded.wire import integer, real, u32


def _state(value: Any) -> int:
    return integer(value, 0, 4)


@call(u32, _state, void=True)
def set_traffic_light_state(server: Server, light: int, state: int) -> None:
    found = server.world.find(light, TrafficLight, "set_traffic_light_state")
    found.state_now, found.elapsed_s = state, 0.0


@call(u32, real, void=True)
def set_traffic_light_green_time(server: Server, light: int, seconds: float) -> None:
    server.world.find(light, TrafficLight, "set_traffic_light_green_time").green_s = seconds


@call(u32, real, void=True)
def set_traffic_light_yellow_time(server: Server, light: int, seconds: float) -> None:
    server.world.find(light, TrafficLight, "set_traffic_light_yellow_time").yellow_s = seconds


@call(u32, real, void=True)
def set_traffic_light_red_time(server: Server, light: int, seconds: float) -> None:
    server.world.find(light, TrafficLight, "set_traffic_light_red_time").red_s = seconds


@call(u32, flag, void=True)
def freeze_traffic_light(server: Server, light: int, frozen: bool) -> None:  # noqa: FBT001
    server.world.find(light, TrafficLight, "freeze_traffic_light").frozen = frozen


@call(flag, void=True)
def freeze_all_traffic_lights(server: Server, frozen: bool) -> None:  # noqa: FBT001
    for light in server.world.of_kind(TrafficLight):
        light.frozen = frozen


@call(u32, void=True)
def reset_traffic_light_group(server: Server, light: int) -> None:
    server.world.find(light, TrafficLight, "reset_traffic_light_group")
    group = server.world.episode.lights.group_of(light)
    if group is not None:
        group.reset()


@call(void=True)
def reset_all_traffic_lights(server: Server) -> None:
    server.world.episode.lights.reset()


@call(u32)
def get_group_traffic_lights(server: Server, light: int) -> list[int]:
    server.world.find(light, TrafficLight, "get_group_traffic_lights")
    group = server.world.episode.lights.group_of(light)
    return [light] if group is None else [member.id for member in group.lights]


@call(u32)
def get_light_boxes(server: Server, light: int) -> list[Any]:
    found = server.world.find(light, TrafficLight, "get_light_boxes")
    return server.world.episode.townscape.light_boxes(found)
