"""Traffic lights with CARLA's cycle, and the light and speed limit that apply to each vehicle.

The lights of a junction form a group; each phase of a group (lights that are green together) is green, yellow and red
in turn. A light that a client sets or freezes keeps its state until its phase changes it or it is released.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from caos.simulator.embedded.protocol.wire import Box
from caos.simulator.embedded.world_state.actors import GREEN, RED, YELLOW, TrafficLight, Vehicle
from caos.simulator.transform import Transform

FACING_COS = 0.3
"""Cosine limit: a vehicle must drive roughly in the direction of a light's trigger box to be stopped by it."""


@dataclass(eq=False)
class Group:
    """The lights of one junction.

    Attributes:
        phases: Lights that change together, in cyclic order.
        turn: Index of the current phase.
        stage: GREEN, YELLOW or RED of that phase.
        elapsed_s: Time in that stage in seconds.
    """

    phases: list[list[TrafficLight]]
    turn: int = 0
    stage: int = GREEN
    elapsed_s: float = 0.0

    @property
    def lights(self) -> list[TrafficLight]:
        """All lights of the junction."""
        return [light for phase in self.phases for light in phase]

    def reset(self) -> None:
        """Start from the first phase's green."""
        self.turn, self.stage, self.elapsed_s = 0, GREEN, 0.0
        for light in self.lights:
            light.state_now, light.elapsed_s = RED, 0.0
        self._show()

    def advance(self, dt: float) -> None:
        """Advance by ``dt`` seconds; a frozen light stops its whole junction, as in CARLA."""
        if any(light.frozen for light in self.lights):
            return
        self.elapsed_s += dt
        lights = self.phases[self.turn]
        for light in self.lights:
            light.elapsed_s += dt
        duration = {GREEN: lights[0].green_s, YELLOW: lights[0].yellow_s, RED: lights[0].red_s}[self.stage]
        if self.elapsed_s > duration:
            self.elapsed_s = 0.0
            self._next()

    def _next(self) -> None:
        if self.stage == RED:
            self.turn = (self.turn + 1) % len(self.phases)
        self.stage = {GREEN: YELLOW, YELLOW: RED, RED: GREEN}[self.stage]
        self._show()

    def _show(self) -> None:
        for light in self.phases[self.turn]:
            light.state_now, light.elapsed_s = self.stage, 0.0


@dataclass(eq=False)
class TrafficLights:
    """All groups of a town, and the areas in which their lights apply."""

    groups: list[Group] = field(default_factory=list)
    areas: list[tuple[TrafficLight, Transform, Box]] = field(default_factory=list)

    def step(self, dt: float) -> None:
        """Advance every junction."""
        for group in self.groups:
            group.advance(dt)

    def reset(self) -> None:
        """Restart every junction."""
        for group in self.groups:
            group.reset()

    def group_of(self, light_id: int) -> Group | None:
        """Return the group of a light."""
        return next((group for group in self.groups if any(light.id == light_id for light in group.lights)), None)

    def bind(self, vehicles: Iterable[Vehicle]) -> None:
        """Set the light that applies to each vehicle."""
        for vehicle in vehicles:
            light = self._light_for(vehicle)
            vehicle.traffic_light = light.id if light else 0
            vehicle.traffic_light_state = light.state_now if light else GREEN

    def _light_for(self, vehicle: Vehicle) -> TrafficLight | None:
        pose = vehicle.transform
        yaw = math.radians(pose.yaw_deg)
        front = (pose.x + math.cos(yaw) * vehicle.box.extent[0], pose.y + math.sin(yaw) * vehicle.box.extent[0])
        for light, area, box in self.areas:
            if abs(pose.x - area.x) > 60 or abs(pose.y - area.y) > 60:
                continue
            facing = math.cos(math.radians(pose.yaw_deg - area.yaw_deg)) > FACING_COS
            if facing and (_inside(front, area, box) or _inside((pose.x, pose.y), area, box)):
                return light
        return None


def _inside(point: tuple[float, float], area: Transform, box: Box) -> bool:
    yaw = math.radians(area.yaw_deg)
    dx, dy = point[0] - area.x, point[1] - area.y
    along, across = dx * math.cos(yaw) + dy * math.sin(yaw), dy * math.cos(yaw) - dx * math.sin(yaw)
    return abs(along - box.center[0]) <= box.extent[0] and abs(across - box.center[1]) <= box.extent[1]


def form_groups(lights: Sequence[tuple[TrafficLight, str, int]]) -> list[Group]:
    """Build groups from (light, junction, phase) rows, junctions and phases in order of appearance."""
    table: dict[str, dict[int, list[TrafficLight]]] = {}
    for light, junction, phase in lights:
        table.setdefault(junction, {}).setdefault(phase, []).append(light)
    groups = [Group([phases[number] for number in sorted(phases)]) for phases in table.values()]
    for group in groups:
        group.reset()
    return groups
