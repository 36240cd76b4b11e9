"""The loaded town of an episode: visible objects, obstacles, traffic lights, signs and street lamps."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from caos.assets.modelling.colours import linear_color
from caos.assets.street.lights import traffic_light_head
from caos.assets.tags import SemanticTag
from caos.simulator.embedded.physics.boxes import Footprint, footprint
from caos.simulator.embedded.physics.collisions import Obstacle
from caos.simulator.embedded.protocol.releases import LATEST, Release
from caos.simulator.embedded.protocol.wire import ActorDescription, Box
from caos.simulator.embedded.render.description import Lamp, Placed
from caos.simulator.embedded.towns.town import EnvironmentObject, Town, WorldBox
from caos.simulator.embedded.world_state.actors import GREEN, OFF, RED, UNKNOWN, YELLOW, TrafficLight, TrafficSign
from caos.simulator.embedded.world_state.shared_renderer import Shown
from caos.simulator.embedded.world_state.traffic_lights import TrafficLights, form_groups
from caos.simulator.semantic_tags import ANY
from caos.simulator.transform import Transform

LAYER_OF_TAG: dict[int, int] = {
    SemanticTag.BUILDING: 0x1,
    SemanticTag.VEGETATION: 0x4,
    SemanticTag.TERRAIN: 0x8,
    SemanticTag.GROUND: 0x8,
    SemanticTag.STATIC: 0x40,
    SemanticTag.DYNAMIC: 0x40,
    SemanticTag.OTHER: 0x40,
    SemanticTag.WALL: 0x100,
    SemanticTag.FENCE: 0x100,
    SemanticTag.GUARD_RAIL: 0x100,
}
"""CARLA's map layers: buildings, foliage, ground, props, walls. Roads and objects on them are in no layer."""
STREET_LIGHT_LAYER = 0x80
STEM_TAGS = frozenset({SemanticTag.POLE, SemanticTag.TRAFFIC_LIGHT, SemanticTag.TRAFFIC_SIGN, SemanticTag.VEGETATION})
"""Objects on a pole or trunk: boxes around masts with arms and around crowns would block the road below them."""
SOLID_TAGS = STEM_TAGS | {
    SemanticTag.BUILDING,
    SemanticTag.WALL,
    SemanticTag.FENCE,
    SemanticTag.STATIC,
    SemanticTag.OTHER,
    SemanticTag.GUARD_RAIL,
}
"""Tags of objects that a vehicle collides with."""
STEM_M = 0.2
_HEAD_STATES = {RED: "red", YELLOW: "yellow", GREEN: "green", OFF: "off", UNKNOWN: "off"}
_HEADS = {state: functools.partial(traffic_light_head, look) for state, look in _HEAD_STATES.items()}
STREET_LIGHT_GROUP = 2
_SIGN_TYPES = {"206": "traffic.stop", "205": "traffic.yield"}


@dataclass
class LampState:
    """State of a street lamp, which clients can switch."""

    lamp: Lamp
    group: int = STREET_LIGHT_GROUP
    color: tuple[int, int, int] = (255, 217, 158)
    intensity: float = 0.0
    active: bool = True


class LoadedTown:
    """A town of which clients can hide or switch parts."""

    def __init__(self, town: Town, layers: int, release: Release = LATEST) -> None:
        self.town = town
        self._release = release
        self.layers = layers
        self.instance_ids = frozenset(placed.instance_id for placed in town.statics if placed.instance_id)
        self.lamp_states = [LampState(lamp, intensity=lamp.intensity) for lamp in town.street_lamps]
        self._hidden: set[int] = set()
        self._shown: Sequence[Placed] | None = None
        self._heads: dict[tuple[int, int], list[Shown]] = {}

    @property
    def statics(self) -> Sequence[Placed]:
        """Visible static meshes of the town."""
        if self._shown is None:
            hides = self._hidden or self.layers & 0x1FF != 0x1FF
            self._shown = [p for p in self.town.statics if self._is_shown(p)] if hides else self.town.statics
        return self._shown

    @property
    def key(self) -> str:
        """Key that is equal for equal statics."""
        return f"{self.town.key or id(self.town)}-{self.layers & 0x1FF:x}-{sorted(self._hidden)}"

    def set_layers(self, layers: int) -> None:
        """Show exactly these map layers."""
        self.layers = layers
        self._changed()

    def enable(self, ids: Iterable[int], *, shown: bool) -> None:
        """Show or hide environment objects by id; unknown ids are ignored, as in CARLA."""
        known = {wire_id(thing): thing.instance_id for thing in self.town.environment_objects}
        instances = {known[i] for i in ids if i in known}
        self._hidden = self._hidden - instances if shown else self._hidden | instances
        self._changed()

    def things(self, tag: int) -> list[EnvironmentObject]:
        """Environment objects with a tag (or all), in the loaded layers."""
        return [t for t in self.town.environment_objects if tag in {ANY, t.tag} and self._in_layers(t.tag)]

    def obstacles(self) -> list[Obstacle]:
        """Objects that a vehicle collides with."""
        return [Obstacle(t.tag, _solid(t)) for t in self.town.environment_objects if t.tag in SOLID_TAGS]

    def lamps(self) -> list[Lamp]:
        """The street lamps that are on."""
        if not self.layers & STREET_LIGHT_LAYER:
            return []
        return [_lit(s.lamp, s.color, s.intensity) for s in self.lamp_states if s.active]

    def light_actors(self) -> list[TrafficLight]:
        """Create an actor for every traffic light; its id is the light's value in instance images."""
        lights = []
        for k, site in enumerate(self.town.traffic_lights):
            pose = site.transform
            actor = TrafficLight(
                site.instance_id,
                self._furniture("traffic.traffic_light"),
                pose,
                _local(site.trigger, pose),
                bytes([SemanticTag.TRAFFIC_LIGHT]),
                site=k,
                sign_id=site.signal_id,
                pole=k,
            )
            lights.append(actor)
        return lights

    def sign_actors(self) -> list[TrafficSign]:
        """Create an actor for every sign."""
        return [
            TrafficSign(
                sign.instance_id,
                self._furniture(_sign_type(sign.kind, sign.value)),
                sign.transform,
                _local(sign.trigger, sign.transform),
                bytes([SemanticTag.TRAFFIC_SIGN]),
                sign_id=sign.signal_id,
            )
            for sign in self.town.traffic_signs
        ]

    def traffic_lights(self, lights: Sequence[TrafficLight]) -> TrafficLights:
        """Return the groups and trigger areas of the lights."""
        sites = self.town.traffic_lights
        groups = form_groups([(light, str(sites[light.site].group), sites[light.site].phase) for light in lights])
        areas = [(li, sites[li.site].trigger.pose, Box(extent=sites[li.site].trigger.extent)) for li in lights]
        return TrafficLights(groups, areas)

    def light_boxes(self, light: TrafficLight) -> list[Any]:
        """World boxes around a light's heads, in wire form."""
        return [_world_box(box).write(light.id) for box in self.town.traffic_lights[light.site].light_boxes]

    def light_heads(self, lights: Iterable[TrafficLight]) -> list[Shown]:
        """Heads of the lights in their current states; equal states give the same objects."""
        return [head for light in lights for head in self._heads_of(light)]

    def _heads_of(self, light: TrafficLight) -> list[Shown]:
        key = light.site, light.state_now
        if key not in self._heads:
            self._heads[key] = [
                Shown(_HEADS[light.state_now], head.matrix, SemanticTag.TRAFFIC_LIGHT, light.instance_id)
                for head in self.town.traffic_lights[light.site].heads
            ]
        return self._heads[key]

    def _furniture(self, type_id: str) -> ActorDescription:
        return ActorDescription(0, type_id, (self._release.text("role_name", "default"),))

    def _is_shown(self, placed: Placed) -> bool:
        return placed.instance_id not in self._hidden and self._in_layers(placed.tag)

    def _in_layers(self, tag: int) -> bool:
        layer = LAYER_OF_TAG.get(tag)
        return layer is None or bool(self.layers & layer)

    def _changed(self) -> None:
        self._shown = None


def wire_id(thing: EnvironmentObject) -> int:
    """Client id of an environment object: its low 16 bits are its value in instance images, as for actors."""
    return thing.id << 16 | thing.instance_id


def thing_record(thing: EnvironmentObject) -> list[Any]:
    """Return an environment object in wire form."""
    pose = thing.transform
    return [
        [list(pose.location), list(pose.rotation)],
        [list(thing.box_center), list(thing.box_extent), list(pose.rotation), 0],
        wire_id(thing),
        thing.name,
        thing.tag,
    ]


def _sign_type(kind: str, value: float) -> str:
    if kind == "274":
        return f"traffic.speed_limit.{round(value)}"
    return _SIGN_TYPES.get(kind, "traffic.unknown")


def _world_box(box: WorldBox) -> Box:
    return Box(box.pose.location, box.extent, box.pose.rotation)


def _local(box: WorldBox, pose: Transform) -> Box:
    """Convert a world box to the frame of an actor."""
    yaw = math.radians(pose.yaw_deg)
    dx, dy = box.pose.x - pose.x, box.pose.y - pose.y
    x, y = dx * math.cos(yaw) + dy * math.sin(yaw), dy * math.cos(yaw) - dx * math.sin(yaw)
    return Box((x, y, box.pose.z - pose.z), box.extent, (0.0, box.pose.yaw_deg - pose.yaw_deg, 0.0))


def _solid(thing: EnvironmentObject) -> Footprint:
    x, y, z = thing.box_center
    extent = thing.box_extent
    if thing.tag in STEM_TAGS:
        x, y = thing.transform.x, thing.transform.y
        extent = (min(extent[0], STEM_M), min(extent[1], STEM_M), extent[2])
    return footprint(Transform(x, y, z, yaw_deg=thing.transform.yaw_deg), Box(extent=extent))


@functools.lru_cache(maxsize=4096)
def _lit(lamp: Lamp, color: tuple[int, int, int], intensity: float) -> Lamp:
    return replace(lamp, color=linear_color(color), intensity=intensity)
