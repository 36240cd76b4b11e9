"""Planning of a view: what a slot's scene is to hold, where its camera stands, and its traffic and people.

Everything is planned on the empty town; nothing of it is put up here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from caos.scenes.ground import GroundProbe
from caos.scenes.lanes import Lanes, read_lanes
from caos.scenes.layout import SPLITS
from caos.scenes.poses import GroundRectangle, NoFreeSpaceError, viewpoint
from caos.scenes.recipe import Slot
from caos.scenes.rules import HazardRules
from caos.scenes.scene import Scene
from caos.scenes.traffic import TrafficPlanner
from caos.scenes.weather_mix import draw_weather
from caos.simulator.session import Session
from caos.simulator.weather import Weather

OBJECT_STREAM: Final = 77
"""Sets the generator that orders objects apart from those that draw scenes; likewise the next."""
SHARE_STREAM: Final = 78
EGO_HALF_M: Final = (2.5, 1.2)
"""Half length and width of the car that carries the camera: nothing else stands there."""


@dataclass(frozen=True)
class Wanted:
    """What a slot's scene is to hold, whatever its view: weather and hazard objects."""

    weather_name: str
    weather: Weather
    objects: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class PlannedView:
    """A scene without hazards, and the room on the ground that its camera, traffic and people take."""

    scene: Scene
    taken: tuple[GroundRectangle, ...]


def slot_generator(seed: int, slot: Slot) -> np.random.Generator:
    """The generator that everything in a slot's scene is drawn from."""
    return np.random.default_rng([seed, SPLITS.index(slot.split), slot.number])


def choose_content(slot: Slot, objects: Sequence[str], seed: int, rng: np.random.Generator) -> Wanted:
    """Draw the weather and the hazard objects of a slot; ``objects`` are those its part may show."""
    weather = draw_weather(slot.part.weather, rng)
    rules = slot.part.hazards
    if rules is None or not _gets_hazards(slot, rules, seed):
        return Wanted(*weather)
    return Wanted(*weather, _pick_objects(slot, rules, objects, seed, rng))


def _gets_hazards(slot: Slot, rules: HazardRules, seed: int) -> bool:
    own = np.random.default_rng([seed, SPLITS.index(slot.split), slot.number, SHARE_STREAM])
    return bool(own.random() < rules.share)


def _pick_objects(
    slot: Slot, rules: HazardRules, objects: Sequence[str], seed: int, rng: np.random.Generator
) -> tuple[str, ...]:
    """One to three objects; each object comes first equally often, whatever the number of images."""
    shares = np.array(rules.number_shares)
    count = min(1 + int(rng.choice(len(shares), p=shares / shares.sum())), len(objects))
    round_, position = divmod(slot.number - 1, len(objects))
    picks = []
    for place in range(count):
        order = np.random.default_rng([seed, OBJECT_STREAM, round_, place]).permutation(len(objects))
        picks.append(objects[int(order[position])])
    return tuple(dict.fromkeys(picks))


class ViewPlanner:
    """Plans views in the towns of one session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._lanes: dict[str, Lanes] = {}
        self.ground = GroundProbe(session)
        self.traffic = TrafficPlanner(session, self.ground)

    def lanes(self, town: str) -> Lanes:
        """The lanes of the town that is loaded."""
        if town not in self._lanes:
            self._lanes[town] = read_lanes(self._session.map)
        return self._lanes[town]

    def plan(self, slot: Slot, wanted: Wanted, seed: int, rng: np.random.Generator) -> PlannedView:
        """A viewpoint with its traffic and people, in the slot's town, which must be loaded and empty.

        Raises:
            NoFreeSpaceError: If the camera would hang over nothing.
        """
        lanes, rules = self.lanes(slot.town), slot.part.traffic
        camera = viewpoint(lanes, slot.part.camera, rng)
        if self.ground.height(*camera.pose.location) is None:
            raise NoFreeSpaceError("no ground under the camera")
        taken = [GroundRectangle.of(camera.pose.x, camera.pose.y, camera.pose.yaw_deg, *EGO_HALF_M)]
        counts = _count(rules.vehicles, rng), _count(rules.parked, rng)
        vehicles = self.traffic.vehicles(lanes, camera, rules, counts, taken, rng)
        people = self.traffic.people(lanes, camera, rules, _count(rules.walkers, rng), taken, rng)
        scene = Scene(slot.town, camera, wanted.weather_name, wanted.weather, tuple(vehicles), tuple(people), seed=seed)
        return PlannedView(scene, tuple(taken))


def _count(span: tuple[int, int], rng: np.random.Generator) -> int:
    return int(rng.integers(span[0], span[1] + 1))
