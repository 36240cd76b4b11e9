"""Drawing a scene: a view, its traffic and people, and hazards that are really seen.

Candidates come from :mod:`scenes.placement`; whether one is good is measured on the simulator's own label images.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from assets.library import Library
from foundation.errors import CaosError
from scenes import conditions
from scenes.lanes import Lanes, read_lanes
from scenes.layout import SPLITS
from scenes.placement import (
    Footprint,
    HazardRules,
    NoFreeSpaceError,
    choose,
    hazard_spot,
    in_view,
    lane_poses,
    near,
    resting_pose,
    spread,
    viewpoint,
)
from scenes.recipes import Slot
from scenes.scene import CameraSpec, Hazard, Placement, Scene, Stance, Vehicle, Walker
from scenes.silhouette import silhouette_pixels
from scenes.staging import (
    LABEL_OUTPUTS,
    Cast,
    capture,
    decode_labels,
    hazard_spawn,
    set_town,
    vehicle_spawn,
    walker_spawn,
)
from simulator.semantic_tags import table_for
from simulator.session import Session
from simulator.weather import Weather

VIEW_TRIES: Final = 40
HAZARD_TRIES: Final = 24
SPARE_OBJECTS: Final = 4
"""After this many views an object that found no place is replaced by the next one in line."""
NEAR_BLOCKED_M: Final = 2.5
BLOCKED_SHARE: Final = 0.2
LEAST_ROAD_SHARE: Final = 0.06
TRAFFIC_RANGE_M: Final = (7.0, 80.0)
WALKER_RANGE_M: Final = (6.0, 45.0)
MEASURING_HEIGHT_M: Final = 300.0
GROUND_REACH_M: Final = 2.5
GROUND_TAGS: Final = ("Road", "RoadLine", "SideWalk", "Terrain", "Ground")
WALKING_SHARE: Final = 0.6


@dataclass(frozen=True)
class BuildSettings:
    """What a set is made with, apart from its recipe's parts; saved beside the set."""

    seed: int = 0
    size: tuple[int, int] = (1280, 720)
    fov_deg: float = 90.0
    mix: Mapping[str, float] = field(default_factory=lambda: dict(conditions.MIX))
    objects: tuple[str, ...] = ()
    rules: HazardRules = field(default_factory=HazardRules)
    vehicles: tuple[int, int] = (3, 9)
    parked: tuple[int, int] = (0, 6)
    walkers: tuple[int, int] = (2, 9)
    depth: bool = False
    twins: bool = False


@dataclass(frozen=True, eq=False)
class Drawn:
    """A scene that passed every check, what was measured of its hazards, and what was tried on the way."""

    scene: Scene
    visible_share: tuple[float, ...]
    rejected: Counter[str]


@dataclass(eq=False)
class _Standing:
    """What stands on the stage while a scene is drawn."""

    scene: Scene
    taken: list[Footprint]
    cast: Cast = field(default_factory=Cast)


class Drawer:
    """Draws the scene of a slot on one session."""

    def __init__(self, session: Session, library: Library, settings: BuildSettings) -> None:
        self._session, self._library, self._settings = session, library, settings
        self._lanes: dict[str, Lanes] = {}
        self._extents: dict[str, tuple[float, float, float]] = {}
        self._vehicles, self._walkers = tuple(session.vehicles()), tuple(session.walkers())
        tags = table_for(session.server_version)
        self._ground_tags = {tags.number(name) for name in GROUND_TAGS}

    def draw(self, slot: Slot) -> Drawn:
        """The scene of a slot.

        Raises:
            CaosError: If no view of the town passes the checks in ``VIEW_TRIES`` tries.
        """
        rng = np.random.default_rng([self._settings.seed, SPLITS.index(slot.split), slot.number])
        set_town(self._session, slot.town)
        rejected: Counter[str] = Counter()
        weather = conditions.draw(self._settings.mix, rng)
        wanted = self._hazard_names(slot, rng)
        for attempt in range(VIEW_TRIES):
            try:
                return self._drawn(slot, weather, self._replaced(wanted, attempt), rejected, rng)
            except NoFreeSpaceError as reason:
                rejected[f"view: {reason}"] += 1
        told = ", ".join(f"{count} x {reason}" for reason, count in rejected.most_common(4))
        raise CaosError(f"scene {slot.key}: no view of {slot.town} passed in {VIEW_TRIES} tries ({told})")

    def _drawn(
        self,
        slot: Slot,
        weather: tuple[str, Weather],
        objects: Sequence[str],
        rejected: Counter[str],
        rng: np.random.Generator,
    ) -> Drawn:
        camera = self._camera(slot.town, rng)
        self._session.destroy_all()
        own_place = Footprint.of(camera.pose.x, camera.pose.y, camera.pose.yaw_deg, 2.5, 1.2)
        standing = _Standing(Scene(slot.town, camera, *weather, seed=self._settings.seed), [own_place])
        self._put_vehicles(standing, rng)
        self._put_people(standing, rng)
        self._check_view(camera, standing.cast)
        shares = [self._place(standing, thing, rejected, rng) for thing in objects]
        if len(objects) > 1:
            # A later hazard may hide an earlier one: look at all of them once more.
            shares = [self._visible(standing.scene, standing.cast, i) for i in range(len(objects))]
        return Drawn(standing.scene, tuple(shares), rejected)

    def _camera(self, town: str, rng: np.random.Generator) -> CameraSpec:
        camera = viewpoint(self._town_lanes(town), self._settings.size, self._settings.fov_deg, rng)
        pose = camera.pose
        ground = self._ground_height(pose.x, pose.y, pose.z)
        if ground is None or abs(ground - pose.z) > 4:
            raise NoFreeSpaceError("no ground under the camera")
        return camera

    def _town_lanes(self, town: str) -> Lanes:
        if town not in self._lanes:
            self._lanes[town] = read_lanes(self._session.map)
        return self._lanes[town]

    def _put_vehicles(self, standing: _Standing, rng: np.random.Generator) -> None:
        """Traffic and parked cars around the camera; who does not fit stays away."""
        settings, camera, lanes = self._settings, standing.scene.camera, self._town_lanes(standing.scene.town)
        moving = near(lanes.driving, camera, TRAFFIC_RANGE_M)
        parked = near(lanes.parking, camera, TRAFFIC_RANGE_M)
        poses = lane_poses(spread(moving, _count(settings.vehicles, rng), 9.0, rng), 0.15, 1.0, rng)
        poses += lane_poses(spread(parked, _count(settings.parked, rng), 6.5, rng), 0.1, 1.5, rng)
        for pose in poses:
            blueprint = self._vehicles[int(rng.integers(len(self._vehicles)))]
            self._put_vehicle(standing, Vehicle(blueprint, pose, self._color(blueprint, rng)))

    def _color(self, blueprint: str, rng: np.random.Generator) -> str | None:
        colors = self._session.colors(blueprint)
        return colors[int(rng.integers(len(colors)))] if colors else None

    def _put_vehicle(self, standing: _Standing, vehicle: Vehicle) -> None:
        half = self._half_extents(vehicle)
        bounds = np.array([-half[0], -half[1], 0], np.float32), np.array([*half[:2], 2 * half[2]], np.float32)
        try:
            pose, footprint = resting_pose(
                bounds, vehicle.pose.location, vehicle.pose.yaw_deg, "upright", self._ground_height
            )
        except NoFreeSpaceError:
            return
        if not footprint.clear_of(standing.taken, 0.6):
            return
        vehicle = replace(vehicle, pose=pose)
        (actor,) = self._session.spawn_many([vehicle_spawn(vehicle)])
        if actor is not None:
            standing.taken.append(footprint)
            standing.cast = replace(standing.cast, vehicles=(*standing.cast.vehicles, actor))
            standing.scene = replace(standing.scene, vehicles=(*standing.scene.vehicles, vehicle))

    def _half_extents(self, vehicle: Vehicle) -> tuple[float, float, float]:
        """Half length, width and height of a vehicle; a new model is spawned once, high above, to be measured."""
        if vehicle.blueprint not in self._extents:
            aloft = replace(vehicle, pose=replace(vehicle.pose, z=vehicle.pose.z + MEASURING_HEIGHT_M))
            (actor,) = self._session.spawn_many([vehicle_spawn(aloft)])
            if actor is None:
                raise CaosError(f"the simulator cannot spawn {vehicle.blueprint}")
            self._extents[vehicle.blueprint] = self._session.bounds(actor).extent
            self._session.destroy((actor,))
        return self._extents[vehicle.blueprint]

    def _ground_height(self, x: float, y: float, z: float) -> float | None:
        """Height of the ground near (x, y, z); None where something else, or nothing, lies there."""
        found = self._session.project_to_ground(x, y, z + GROUND_REACH_M, 2 * GROUND_REACH_M)
        return found[0] if found is not None and found[1] in self._ground_tags else None

    def _put_people(self, standing: _Standing, rng: np.random.Generator) -> None:
        camera = standing.scene.camera
        walks = near(self._town_lanes(standing.scene.town).sidewalk, camera, WALKER_RANGE_M)
        ahead = in_view(walks, camera, WALKER_RANGE_M)
        chosen = spread(ahead if len(ahead) else walks, _count(self._settings.walkers, rng), 0.9, rng)
        for spot in lane_poses(chosen, 0.7, 60.0, rng):
            blueprint = self._walkers[int(rng.integers(len(self._walkers)))]
            ground = self._ground_height(spot.x, spot.y, spot.z)
            footprint = Footprint.of(spot.x, spot.y, spot.yaw_deg, 0.35, 0.35)
            if ground is None or not footprint.clear_of(standing.taken, 0.2):
                continue
            walker = Walker(blueprint, replace(spot, z=round(ground, 3)), walking=bool(rng.random() < WALKING_SHARE))
            (actor,) = self._session.spawn_many([walker_spawn(walker)])
            if actor is not None:
                standing.taken.append(footprint)
                standing.cast = replace(standing.cast, walkers=(*standing.cast.walkers, actor))
                standing.scene = replace(standing.scene, walkers=(*standing.scene.walkers, walker))

    def _check_view(self, camera: CameraSpec, cast: Cast) -> None:
        """Refuse a view with something right in front of the lens, or without road."""
        frame = capture(self._session, camera, (*LABEL_OUTPUTS, "depth"))
        assert frame.depth is not None
        annotation, _ = decode_labels(self._session, frame, cast)
        if (frame.depth < NEAR_BLOCKED_M)[: -camera.height // 3].mean() > BLOCKED_SHARE:
            raise NoFreeSpaceError("blocked")
        if np.isin(annotation, (7, 8)).mean() < LEAST_ROAD_SHARE:
            raise NoFreeSpaceError("no road")

    def _hazard_names(self, slot: Slot, rng: np.random.Generator) -> list[str]:
        """One to three objects; each object comes first equally often, whatever the number of images."""
        if not slot.hazards:
            return []
        objects = self._settings.objects
        counts = np.array(self._settings.rules.counts)
        count = min(1 + int(rng.choice(len(counts), p=counts / counts.sum())), len(objects))
        round_, position = divmod(slot.number - 1, len(objects))
        picks = []
        for place in range(count):
            order = np.random.default_rng([self._settings.seed, 77, round_, place]).permutation(len(objects))
            picks.append(objects[int(order[position])])
        return list(dict.fromkeys(picks))

    def _replaced(self, wanted: Sequence[str], attempt: int) -> list[str]:
        """The wanted objects, or after many failed views their neighbours in the list."""
        shift = attempt // max(1, VIEW_TRIES // SPARE_OBJECTS)
        objects = self._settings.objects
        return [objects[(objects.index(name) + shift) % len(objects)] for name in wanted]

    def _place(self, standing: _Standing, name: str, rejected: Counter[str], rng: np.random.Generator) -> float:
        """Put one hazard on the stage; returns the share of it that is seen."""
        mode = choose(self._settings.rules.modes, rng)
        stance: Stance = "upright"
        if "fallen" in self._library.info(name).poses and rng.random() < self._settings.rules.fallen_share:
            stance = "fallen"
        for _ in range(HAZARD_TRIES):
            try:
                hazard, footprint = self._proposed(standing, name, (mode, stance), rng)
                share = self._shown(standing, hazard)
            except NoFreeSpaceError as reason:
                rejected[f"hazard: {reason}"] += 1
                continue
            standing.taken.append(footprint)
            return share
        raise NoFreeSpaceError(f"no place for a {mode} hazard")

    def _proposed(
        self, standing: _Standing, name: str, how: tuple[Placement, Stance], rng: np.random.Generator
    ) -> tuple[Hazard, Footprint]:
        """A pose where the hazard touches the ground and nothing else."""
        scene, (mode, stance) = standing.scene, how
        spot = hazard_spot(self._town_lanes(scene.town), scene.camera, mode, self._settings.rules, rng)
        low, high = self._library.mesh(name).bounds
        yaw_deg = float(rng.uniform(0, 360))
        pose, footprint = resting_pose((low, high), spot, yaw_deg, stance, self._ground_height)
        if not footprint.clear_of(standing.taken):
            raise NoFreeSpaceError("another actor")
        height = high[2] - low[2] if stance == "upright" else high[1] - low[1]
        if self._blocked(footprint, spot[2], float(height)):
            raise NoFreeSpaceError("something stands there")
        hazard = Hazard(name, pose, mode, stance)
        if self._silhouette(scene, hazard) < self._settings.rules.min_image_share * scene.camera.pixels:
            raise NoFreeSpaceError("too few pixels")
        return hazard, footprint

    def _silhouette(self, scene: Scene, hazard: Hazard) -> int:
        return silhouette_pixels(self._library.mesh(hazard.object), hazard.pose, scene.camera)

    def _shown(self, standing: _Standing, hazard: Hazard) -> float:
        """Spawn a hazard and keep it if it is seen well; returns the share of it that is seen."""
        (actor,) = self._session.spawn_many([hazard_spawn(hazard)])
        if actor is None:
            raise NoFreeSpaceError("refused by the simulator")
        scene = replace(standing.scene, hazards=(*standing.scene.hazards, hazard))
        cast = replace(standing.cast, hazards=(*standing.cast.hazards, actor))
        try:
            share = self._visible(scene, cast, len(scene.hazards) - 1)
        except NoFreeSpaceError:
            self._session.destroy((actor,))
            raise
        standing.scene, standing.cast = scene, cast
        return share

    def _blocked(self, footprint: Footprint, base_m: float, height_m: float) -> bool:
        """Whether part of the town stands inside the box over a footprint."""
        corners = footprint.corners
        x, y = footprint.polygon.centroid.coords[0]
        base = self._ground_height(x, y, base_m)
        for level in (0.25, 0.6, 0.95):
            z = (base_m if base is None else base) + max(0.12, level * height_m)
            for a, b in ((0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (1, 3)):
                if self._session.cast_ray((*corners[a], z), (*corners[b], z)):
                    return True
        return False

    def _visible(self, scene: Scene, cast: Cast, index: int) -> float:
        """The share of a hazard's silhouette that is seen.

        Raises:
            NoFreeSpaceError: If it is too small, too hidden, or falls into dust.
        """
        rules = self._settings.rules
        mask = capture(self._session, scene.camera, LABEL_OUTPUTS).mask(cast.hazards[index])
        pixels = int(mask.sum())
        if pixels < rules.min_image_share * mask.size:
            raise NoFreeSpaceError("too few pixels")
        share = min(1.0, pixels / max(self._silhouette(scene, scene.hazards[index]), 1))
        if share < rules.min_visible_share:
            raise NoFreeSpaceError("hidden")
        if smallest_fragment(mask) < rules.smallest_fragment_px:
            raise NoFreeSpaceError("dust")
        return share


def _count(span: tuple[int, int], rng: np.random.Generator) -> int:
    return int(rng.integers(span[0], span[1] + 1))


def smallest_fragment(mask: NDArray[np.bool_]) -> int:
    """Pixels of the smallest 8-connected piece of a mask; 0 for an empty one."""
    _, _, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=8)
    return int(stats[1:, cv2.CC_STAT_AREA].min()) if len(stats) > 1 else 0
