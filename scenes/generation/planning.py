"""Planning of a view: what a slot's scene is to hold, where its camera stands, and its traffic and people.

Everything is planned on the empty town; nothing of it is put up here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from caos.scenes.dataset.layout import SPLITS
from caos.scenes.generation.ground import GroundProbe
from caos.scenes.generation.lanes import Lanes, read_lanes
from caos.scenes.generation.poses import GroundRectangle, NoFreeSpaceError, choose, hazard_spot, viewpoint
from caos.scenes.generation.sunlight import sun_direction
from caos.scenes.generation.traffic import TrafficPlanner
from caos.scenes.recipes.recipe import Slot
from caos.scenes.recipes.rules import HazardRules
from caos.scenes.recipes.weather_mix import draw_weather
from caos.scenes.scene import CameraSpec, Scene
from caos.scenes.sensors.rig_poses import carried, main_camera, outlook, rounded_pose
from caos.simulator.session import Session
from caos.simulator.transform import Transform
from caos.simulator.weather import Weather

OBJECT_STREAM: Final = 77
"""Sets the generator that orders objects apart from those that draw scenes; likewise the next."""
SHARE_STREAM: Final = 78
EGO_HALF_M: Final = (2.5, 1.2)
"""Half length and width of the car that carries the camera: nothing else stands there."""
SHADE_VIEWS: Final = 50
"""Viewpoints that are drawn for one with shade; a planned view costs a thousand times as much as a ray."""
SUN_SPOTS: Final = 12
SHADED_SPOTS: Final = 3
"""So many of ``SUN_SPOTS`` places in view must be in shade for an object to find room there."""
SPOT_HEIGHT_M: Final = 0.5
"""Above the ground: half the height of a usual hazard."""


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
            NoFreeSpaceError: If the camera would hang over nothing, or shade is wanted and none is in sight.
        """
        lanes, rules = self.lanes(slot.town), slot.part.traffic
        drawn, rig = self._camera(slot, wanted, lanes, rng), slot.part.rig
        ground = self.ground.height(*drawn.pose.location)
        if ground is None:
            raise NoFreeSpaceError("no ground under the camera")
        ego = rounded_pose(Transform(drawn.pose.x, drawn.pose.y, ground, 0.0, drawn.pose.yaw_deg, 0.0))
        camera = main_camera(rig, drawn, ego)
        taken = [GroundRectangle.of(ego.x, ego.y, ego.yaw_deg, *EGO_HALF_M)]
        counts = _count(rules.vehicles, rng), _count(rules.parked, rng)
        seen = outlook(rig, camera, ego)
        vehicles = self.traffic.vehicles(lanes, seen, rules, counts, taken, rng)
        people = self.traffic.people(lanes, seen, rules, _count(rules.walkers, rng), taken, rng)
        cast = tuple(vehicles), tuple(people)
        scene = Scene(slot.town, camera, wanted.weather_name, wanted.weather, *cast, seed=seed, ego=ego)
        return PlannedView(carried(scene, rig), tuple(taken))

    def _camera(self, slot: Slot, wanted: Wanted, lanes: Lanes, rng: np.random.Generator) -> CameraSpec:
        """A viewpoint; if hazards must lie in shade, one with shade in view, found before anything is put up."""
        hazards = slot.part.hazards
        if hazards is None or not hazards.min_shaded_share or not wanted.objects:
            return viewpoint(lanes, slot.part.camera, rng)
        for _ in range(SHADE_VIEWS):
            camera = viewpoint(lanes, slot.part.camera, rng)
            if self._has_shade(camera, wanted, lanes, hazards, rng):
                return camera
        raise NoFreeSpaceError("no shade")

    def _has_shade(
        self, camera: CameraSpec, wanted: Wanted, lanes: Lanes, rules: HazardRules, rng: np.random.Generator
    ) -> bool:
        """Whether enough of so many drawn places for hazards lie in shade."""
        sunwards, missing = sun_direction(wanted.weather), SHADED_SPOTS
        for left in range(SUN_SPOTS, 0, -1):
            if left < missing:
                return False
            mode = choose(rules.placements, rng)
            try:
                x, y, z = hazard_spot(lanes, camera, "anywhere" if mode == "floating" else mode, rules, rng)
            except NoFreeSpaceError:
                continue
            missing -= self.ground.in_shade([(x, y, z + SPOT_HEIGHT_M)], sunwards, 1.0)
            if not missing:
                return True
        return False


def _count(span: tuple[int, int], rng: np.random.Generator) -> int:
    return int(rng.integers(span[0], span[1] + 1))
