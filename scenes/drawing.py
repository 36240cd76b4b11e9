"""Drawing a scene: a view, its traffic and people, and hazards that are really seen.

Everything is planned on the empty town. Whether a hazard is seen well enough is worked out from the depth image of the
view without it, so that a refused try costs the simulator nothing; a view without hazards needs no such look. The
finished frame is measured once more by :mod:`scenes.builder`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
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
from scenes.placement import Footprint, HazardRules, NoFreeSpaceError, choose, hazard_spot, resting_pose, viewpoint
from scenes.recipes import Slot
from scenes.scene import CameraSpec, Hazard, Placement, Scene, Stance
from scenes.silhouette import Silhouette, silhouette
from scenes.staging import VIEW_OUTPUTS, capture, decode_labels, put_up, set_town
from scenes.terrain import Terrain
from scenes.traffic import Traffic
from simulator.session import Session
from simulator.weather import Weather

VIEW_TRIES: Final = 40
HAZARD_TRIES: Final = 24
SPARE_OBJECTS: Final = 4
"""After this many views an object that found no place is replaced by the next one in line."""
NEAR_BLOCKED_M: Final = 2.5
BLOCKED_SHARE: Final = 0.2
LARGEST_CAR_SHARE: Final = 0.3
LEAST_ROAD_SHARE: Final = 0.06
CAR_PNG: Final = 11
ROAD_PNGS: Final = (7, 8)


@dataclass(frozen=True)
class BuildSettings:
    """What a set is made with, apart from its recipe's parts; saved beside the set."""

    seed: int = 0
    size: tuple[int, int] = (1280, 720)
    fov_deg: float = 90.0
    mix: Mapping[str, float] = field(default_factory=lambda: dict(conditions.MIX))
    objects: tuple[str, ...] = ()
    rules: HazardRules = field(default_factory=HazardRules)
    vehicles: tuple[int, int] = (1, 7)
    parked: tuple[int, int] = (0, 5)
    walkers: tuple[int, int] = (2, 8)
    depth: bool = False
    twins: bool = False


@dataclass(eq=False)
class _Stage:
    """A view while its hazards are placed: what stands where, and how far away each pixel is."""

    scene: Scene
    taken: list[Footprint]
    depth: NDArray[np.float32]
    shown: list[Silhouette] = field(default_factory=list)


class Drawer:
    """Draws the scenes of slots on one session."""

    def __init__(self, session: Session, library: Library, settings: BuildSettings) -> None:
        self._session, self._library, self._settings = session, library, settings
        self._lanes: dict[str, Lanes] = {}
        self._terrain = Terrain(session)
        self._traffic = Traffic(session, self._terrain)

    def candidates(self, slot: Slot, rejected: Counter[str]) -> Iterator[Scene]:
        """Scenes for a slot, in a fixed order; the first that passes the caller's last check is the slot's.

        Args:
            slot: The place in the set.
            rejected: Counts what was tried in vain, by reason.

        Raises:
            CaosError: When ``VIEW_TRIES`` views of the town are used up.
        """
        rng = np.random.default_rng([self._settings.seed, SPLITS.index(slot.split), slot.number])
        weather = conditions.draw(self._settings.mix, rng)
        wanted = self._hazard_names(slot, rng)
        for attempt in range(VIEW_TRIES):
            try:
                set_town(self._session, slot.town)
                scene, taken = self._view(slot.town, weather, rng)
                if wanted:
                    stage = self._looked_at(scene, taken)
                    for name in self._replaced(wanted, attempt):
                        self._place(stage, name, rejected, rng)
                    scene = stage.scene
            except NoFreeSpaceError as reason:
                rejected[f"view: {reason}"] += 1
                continue
            yield scene
        told = ", ".join(f"{count} x {reason}" for reason, count in rejected.most_common(4))
        raise CaosError(f"scene {slot.key}: no view of {slot.town} passed in {VIEW_TRIES} tries ({told})")

    def _view(self, town: str, weather: tuple[str, Weather], rng: np.random.Generator) -> tuple[Scene, list[Footprint]]:
        """A viewpoint with its traffic and people, and what room they take."""
        settings, lanes = self._settings, self._town_lanes(town)
        camera = viewpoint(lanes, settings.size, settings.fov_deg, rng)
        if self._terrain.height(*camera.pose.location) is None:
            raise NoFreeSpaceError("no ground under the camera")
        taken = [Footprint.of(camera.pose.x, camera.pose.y, camera.pose.yaw_deg, 2.5, 1.2)]
        counts = _count(settings.vehicles, rng), _count(settings.parked, rng)
        vehicles = self._traffic.vehicles(lanes, camera, counts, taken, rng)
        people = self._traffic.people(lanes, camera, _count(settings.walkers, rng), taken, rng)
        return Scene(town, camera, *weather, tuple(vehicles), tuple(people), seed=settings.seed), taken

    def _looked_at(self, scene: Scene, taken: list[Footprint]) -> _Stage:
        """A view as its camera sees it."""
        scene, cast = put_up(self._session, scene)
        frame = capture(self._session, scene.camera, VIEW_OUTPUTS)
        assert frame.depth is not None
        check_view(frame.depth, decode_labels(self._session, frame, cast)[0])
        return _Stage(scene, taken, frame.depth)

    def _town_lanes(self, town: str) -> Lanes:
        if town not in self._lanes:
            self._lanes[town] = read_lanes(self._session.map)
        return self._lanes[town]

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

    def _place(self, stage: _Stage, name: str, rejected: Counter[str], rng: np.random.Generator) -> None:
        """Add one hazard to the scene, somewhere it is seen well.

        Raises:
            NoFreeSpaceError: If there is no such place in ``HAZARD_TRIES`` tries.
        """
        mode = choose(self._settings.rules.modes, rng)
        stance: Stance = "upright"
        if "fallen" in self._library.info(name).poses and rng.random() < self._settings.rules.fallen_share:
            stance = "fallen"
        for _ in range(HAZARD_TRIES):
            try:
                self._try(stage, name, (mode, stance), rng)
            except NoFreeSpaceError as reason:
                rejected[f"hazard: {reason}"] += 1
                continue
            return
        raise NoFreeSpaceError(f"no place for a {mode} hazard")

    def _try(self, stage: _Stage, name: str, how: tuple[Placement, Stance], rng: np.random.Generator) -> None:
        """Add a hazard at one random pose, if it touches the ground, nothing else, and is seen; cheap checks first."""
        scene, (mode, stance), rules = stage.scene, how, self._settings.rules
        low, high = self._library.mesh(name).bounds
        half_m = float(max(high[:2] - low[:2])) / 2
        spot = hazard_spot(self._town_lanes(scene.town), scene.camera, mode, rules, rng, half_m)
        yaw_deg = float(rng.uniform(0, 360))
        reach = float(np.hypot(*np.maximum(np.abs(low[:2]), np.abs(high[:2])))) + float(high[2] - low[2])
        if not _reachable(spot, scene.camera, reach, rules):
            raise NoFreeSpaceError("too few pixels")
        pose, footprint = resting_pose((low, high), spot, yaw_deg, stance, self._terrain.one_surface())
        if not footprint.clear_of(stage.taken):
            raise NoFreeSpaceError("another actor")
        hazard = Hazard(name, pose, mode, stance)
        shape = silhouette(self._library.mesh(name), pose, scene.camera)
        depth = shape.onto(stage.depth)
        check_seen(shape.before(stage.depth), shape.pixels, scene.camera, rules)
        for earlier in stage.shown:
            check_seen(earlier.before(depth), earlier.pixels, scene.camera, rules)
        height = float(high[2] - low[2] if stance == "upright" else high[1] - low[1])
        if self._terrain.blocks(footprint, float(pose.z if stance == "upright" else spot[2]), height):
            raise NoFreeSpaceError("something stands there")
        stage.scene = replace(scene, hazards=(*scene.hazards, hazard))
        stage.depth = depth
        stage.taken.append(footprint)
        stage.shown.append(shape)


def check_seen(mask: NDArray[np.bool_], whole: int, camera: CameraSpec, rules: HazardRules) -> None:
    """Check the visible pixels of a hazard against the rules; ``whole`` are those it has when nothing hides it.

    Raises:
        NoFreeSpaceError: If it is too small, too large, too hidden, or falls into dust.
    """
    pixels = int(mask.sum())
    if pixels < rules.min_image_share * camera.pixels:
        raise NoFreeSpaceError("hidden" if whole >= rules.min_image_share * camera.pixels else "too few pixels")
    if pixels > rules.max_image_share * camera.pixels:
        raise NoFreeSpaceError("too many pixels")
    if pixels < rules.min_visible_share * whole:
        raise NoFreeSpaceError("hidden")
    if smallest_fragment(mask) < rules.smallest_fragment_px:
        raise NoFreeSpaceError("dust")


def _reachable(spot: tuple[float, float, float], camera: CameraSpec, size_m: float, rules: HazardRules) -> bool:
    """Whether a thing of ``size_m`` across may be large enough in the image; never wrong about a no."""
    distance = float(np.hypot(spot[0] - camera.pose.x, spot[1] - camera.pose.y))
    focal_px = camera.width / 2 / np.tan(np.radians(camera.fov_deg / 2))
    # Towards the corners of the image things are drawn larger: twice is more than enough at 90 degrees.
    across_px = 2 * size_m * focal_px / max(distance - size_m, 1.0)
    return bool(across_px**2 >= rules.min_image_share * camera.pixels)


def check_view(depth: NDArray[np.float32], annotation: NDArray[np.uint8]) -> None:
    """Refuse a view, without its hazards, that has something right in front of the lens, or no road.

    Raises:
        NoFreeSpaceError: With what is wrong.
    """
    above_ground = depth[: -len(depth) // 3]
    if (above_ground < NEAR_BLOCKED_M).mean() > BLOCKED_SHARE or (annotation == CAR_PNG).mean() > LARGEST_CAR_SHARE:
        raise NoFreeSpaceError("blocked")
    if np.isin(annotation, ROAD_PNGS).mean() < LEAST_ROAD_SHARE:
        raise NoFreeSpaceError("no road")


def _count(span: tuple[int, int], rng: np.random.Generator) -> int:
    return int(rng.integers(span[0], span[1] + 1))


def smallest_fragment(mask: NDArray[np.bool_]) -> int:
    """Pixels of the smallest 8-connected piece of a mask; 0 for an empty one."""
    _, _, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=8)
    return int(stats[1:, cv2.CC_STAT_AREA].min()) if len(stats) > 1 else 0
