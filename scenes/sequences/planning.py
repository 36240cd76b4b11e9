"""Planning of sequences: the car's way, one hazard to approach or several to pass, traffic and people, frame by frame.

Everything is a pose a frame before anything is shown, so that a frame owes nothing to those before it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence as Several
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from caos.assets.catalogue.library import Library
from caos.foundation.errors import CaosError
from caos.scenes.generation.filming import clear_stage, enter_town, look, put_up
from caos.scenes.generation.placing import HazardPlacer
from caos.scenes.generation.planning import EGO_HALF_M, PlannedView, ViewPlanner, choose_content, slot_generator
from caos.scenes.generation.poses import (
    GroundRectangle,
    NoFreeSpaceError,
    bearing_in_view,
    choose,
    ground_from_object,
    resting_pose,
)
from caos.scenes.generation.silhouette import silhouette
from caos.scenes.recipes.recipe import Slot
from caos.scenes.recipes.rig_rules import RigRules
from caos.scenes.recipes.rules import HazardRules, SequenceRules
from caos.scenes.scene import CameraSpec, Hazard, Scene, SceneVehicle, Stance
from caos.scenes.sensors.rig_poses import carried, main_camera, rig_camera, rounded_pose
from caos.scenes.sequences.lane_path import LanePath
from caos.scenes.sequences.motion import DROP_MPS, Mover, draw_motion, falling_way_m, moved, open_shares
from caos.scenes.sequences.moving_traffic import Rectangles, TrafficMover, keeps_clear
from caos.scenes.sequences.sequence import Sequence
from caos.simulator.session import Session
from caos.simulator.transform import Transform

Floats = NDArray[np.float64]
SEQUENCE_TRIES: Final = 60
MOST_REASONS: Final = 10
BESIDE_MIDDLE_M: Final = 0.5
"""How far from the middle of the lane a hazard on the road may lie."""
BEHIND_LORRY_M: Final = 0.3
BEHIND_LORRY_RIGHT_M: Final = 0.9
"""How far to a side of its lane's middle a thing may lie that fell off a lorry."""
LONGEST_LORRY_M: Final = 16.0
IN_SIGHT_SHARE: Final = 0.5
"""Of the frames until the car is beside a moving hazard's place: for so many, at least, the hazard must be in view."""
OPEN_SHARES: Final = (1.0, 0.8, 0.6, 0.4)
"""How far a thing may be made to open, the first that the ground allows ..."""
UNDER_GROUND_M: Final = 0.01
"""... which no part of it may be farther under than this."""


@dataclass(frozen=True, eq=False)
class Drive:
    """How the car goes: its way, the time of each frame, and where car and camera are then."""

    path: LanePath
    times_s: Floats
    ego: tuple[Transform, ...]
    cameras: tuple[CameraSpec, ...]

    def meets_s(self, place: Transform) -> float:
        """A time at which a moving thing is well seen at a place: halfway until the car is there."""
        gaps = [float(np.hypot(place.x - ego.x, place.y - ego.y)) for ego in self.ego]
        return float(self.times_s[int(np.argmin(gaps))]) / 2

    @property
    def covered(self) -> Rectangles:
        """The ground the car covers in each frame."""
        return [GroundRectangle.of(p.x, p.y, p.yaw_deg, *EGO_HALF_M) for p in self.ego]


Moving = tuple[list[Hazard], Rectangles]
"""A hazard in each frame, and the ground it covers."""


class SequencePlanner:
    """Plans sequences in the towns of one session."""

    def __init__(self, session: Session, library: Library, planner: ViewPlanner, seed: int) -> None:
        self._session, self._library, self._planner, self._seed = session, library, planner, seed
        self._placer = HazardPlacer(library, planner.ground)
        self._mover = TrafficMover(session, planner.ground, planner.traffic)

    def plan(self, slot: Slot, objects: Several[str]) -> Sequence:
        """The sequence of a slot; it depends on the seed, the split and the slot's number alone.

        Raises:
            CaosError: When all tries are used up; it says what was refused, with counts.
        """
        rng = slot_generator(self._seed, slot)
        wanted = choose_content(slot, objects, self._seed, rng)
        refused: Counter[str] = Counter()
        enter_town(self._session, slot.town)
        for attempt in range(SEQUENCE_TRIES):
            # A kind that finds no place gives way to the next one in line.
            names = [objects[(objects.index(name) + attempt // 15) % len(objects)] for name in wanted.objects]
            try:
                clear_stage(self._session)
                view = self._planner.plan(slot, wanted, self._seed, rng)
                return self._planned(slot, view, names, rng, refused)
            except NoFreeSpaceError as reason:
                refused.update(reason.refused)
                refused[str(reason)] += 1
        told = ", ".join(f"{count} x {reason}" for reason, count in refused.most_common(MOST_REASONS))
        raise CaosError(
            f"sequence {slot.sequence_key}: {slot.town} has no place for it in {SEQUENCE_TRIES} tries ({told})"
        )

    def _planned(
        self, slot: Slot, view: PlannedView, names: Several[str], rng: np.random.Generator, refused: Counter[str]
    ) -> Sequence:
        rules = slot.part.sequence
        assert rules is not None
        drive = self._drive(view.scene, rules, slot)
        hazards, lorries = self._hazards(slot, view, drive, names, rng)
        if not keeps_clear(drive.covered, [covered for _, covered in hazards], 0.2):
            raise NoFreeSpaceError("in the car's way")
        taken = [drive.covered, *(covered for _, covered in hazards)]
        lorry_tracks = self._lorry_tracks(lorries, drive, taken)
        vehicles = self._mover.drive(view.scene.vehicles, drive.times_s, rules, taken, rng)
        walkers = self._mover.walk(view.scene.walkers, drive.times_s, rules, taken)
        frames = []
        for k, camera in enumerate(drive.cameras):
            there = [replace(v, pose=track[k]) for v, track in (*lorry_tracks, *vehicles)]
            people = [replace(w[k], pose=track[k]) for w, track in walkers]
            shown, ego = tuple(one[k] for one, _ in hazards), drive.ego[k]
            scene = replace(view.scene, camera=camera, vehicles=tuple(there), walkers=tuple(people), hazards=shown)
            frames.append(carried(replace(scene, ego=ego), slot.part.rig))
        frames = self._admitted(frames)
        if rules.approach_m is not None:
            self._check_sight(frames, slot.part.hazards)
        return Sequence(
            slot.sequence_key, rules.speed_of(slot.number), rules.rate_hz, tuple(frames), drive.ego, dict(refused)
        )

    def _drive(self, scene: Scene, rules: SequenceRules, slot: Slot) -> Drive:
        """The car's way along the lane under the camera.

        Raises:
            NoFreeSpaceError: If the lane ends too early.
        """
        times_s = np.arange(rules.frames_of(slot.number)) / rules.rate_hz
        way_m = rules.speed_of(slot.number) / 3.6 * times_s
        needed = float(way_m[-1]) if rules.approach_m is None else rules.approach_m[0] + 8
        camera, start = scene.camera, scene.ego
        assert start is not None
        poses = self._session.lane_ahead(start.x, start.y, camera.pose.z, needed + 4)
        path = LanePath.through(poses) if len(poses) > 1 else None
        if path is None or path.length_m < needed:
            raise NoFreeSpaceError("the lane ends")
        right = path.beside(start.x, start.y)
        up, turn = camera.pose.z - path.xyz[0, 2], camera.pose.yaw_deg - path.yaw_deg[0]
        ego = tuple(rounded_pose(path.at(float(way), right)) for way in way_m)
        mounted = [replace(camera, pose=_mounted(there, up, camera.pose.pitch_deg, turn)) for there in ego]
        cameras = tuple(main_camera(slot.part.rig, one, there) for one, there in zip(mounted, ego, strict=True))
        return Drive(path, times_s, ego, cameras)

    def _hazards(
        self, slot: Slot, view: PlannedView, drive: Drive, names: Several[str], rng: np.random.Generator
    ) -> tuple[list[Moving], list[Transform]]:
        """The hazards in every frame, and where lorries leave that one of them fell off."""
        rules, sequence = slot.part.hazards, slot.part.sequence
        assert sequence is not None
        if rules is None or not names:
            return [], []
        if sequence.approach_m is not None:
            placed = [self._ahead(drive, names[0], rules, sequence.approach_m, rng)]
        else:
            first = carried(replace(view.scene, camera=drive.cameras[0], ego=drive.ego[0]), slot.part.rig)
            seen = look(self._session, first, view.taken, around=rules.views == "any")
            lanes = self._planner.lanes(slot.town)
            placed = list(self._placer.place(seen, lanes, names, rules, rng).scene.hazards)
        moving = [self._moving(hazard, drive, rules, sequence, rng) for hazard in placed]
        if sequence.approach_m is None:
            for place, (hazards, _) in zip(placed, moving, strict=True):
                _check_in_sight(drive, place, hazards, slot.part.rig)
        fallen = [one[0] for one, _ in moving if one[0].motion == "falling"]
        return moving, [hazard.pose for hazard in fallen]

    def _ahead(
        self, drive: Drive, name: str, rules: HazardRules, approach_m: tuple[float, float], rng: np.random.Generator
    ) -> Hazard:
        """A hazard on or beside the lane, so far ahead of the first frame.

        Raises:
            NoFreeSpaceError: If there is no free ground for it, or the lane bends away.
        """
        scale = (
            round(float(rng.uniform(*rules.size_scale)), 3)
            if rules.size_scale[0] < rules.size_scale[1]
            else rules.size_scale[0]
        )
        mesh = self._library.mesh(name, scale)
        may_fall = "fallen" in self._library.info(name).poses
        stance: Stance = "fallen" if may_fall and rng.random() < rules.fallen_share else "upright"
        half = float(max(ground_from_object(mesh.bounds, stance)[1][:2]))
        mode = choose(rules.placements, rng)
        right = (
            float(rng.uniform(-1, 1)) * BESIDE_MIDDLE_M
            if mode == "road"
            else 1.75 + half + float(rng.uniform(0.2, 1.2))
        )
        spot = drive.path.at(approach_m[0] + half, right)
        last = drive.cameras[-1].pose
        for camera in (drive.cameras[0], drive.cameras[-1]):
            _check_bearing(camera, spot)
        if np.hypot(spot.x - last.x, spot.y - last.y) < half:
            raise NoFreeSpaceError("in the car's way")
        ground = self._planner.ground
        pose, footprint = resting_pose(
            mesh.bounds, spot.location, float(rng.uniform(0, 360)), stance, ground.one_surface(mode)
        )
        if ground.blocks(footprint, pose.z, float(mesh.size_m[2])):
            raise NoFreeSpaceError("something stands there")
        return Hazard(name, pose, mode, stance, scale)

    def _moving(
        self, hazard: Hazard, drive: Drive, rules: HazardRules, sequence: SequenceRules, rng: np.random.Generator
    ) -> Moving:
        weights = {m: w for m, w in rules.motions.items() if (m, hazard.stance) != ("crossing", "fallen")}
        motion = draw_motion(weights, hazard.object, self._library, rng)
        if motion == "opening":
            return self._opening(hazard, drive)
        mesh = self._library.mesh(hazard.object, hazard.scale, hazard.open_share)
        vertices = np.concatenate([part.vertices for part in mesh.parts]).astype(float)
        near = int(np.argmin(np.linalg.norm(drive.path.xyz[:, :2] - hazard.pose.location[:2], axis=1)))
        along = drive.path if motion != "falling" else self._lane_of(hazard)
        near = int(np.argmin(np.linalg.norm(along.xyz[:, :2] - hazard.pose.location[:2], axis=1)))
        mover = Mover(hazard.pose, vertices, float(along.yaw_deg[near]))
        there_s = drive.meets_s(hazard.pose) if sequence.approach_m is None else None
        ways = moved(motion, mover, drive.times_s, rng, there_s)
        poses = [self._on_ground(pose, hazard.pose) for pose in ways]
        covered = [_footprint(vertices, pose) for pose in poses]
        self._check_way(poses, covered, vertices)
        return [replace(hazard, pose=pose, motion=motion) for pose in poses], covered

    def _check_way(self, poses: list[Transform], covered: Rectangles, vertices: Floats) -> None:
        """Refuse a motion through what stands in the town."""
        for k, pose in enumerate(poses):
            if k and pose == poses[k - 1]:
                continue
            heights = vertices @ pose.matrix[2, :3] + pose.z
            low, high = float(heights.min()), float(heights.max())
            if self._planner.ground.blocks(covered[k], low, high - low):
                raise NoFreeSpaceError("something stands in its way")

    def _lane_of(self, hazard: Hazard) -> LanePath:
        """The lane that a hazard lies in, on which a lorry lost it.

        Raises:
            NoFreeSpaceError: If it lies beside its lane, or that ends.
        """
        poses = self._session.lane_ahead(*hazard.pose.location, 2.0)
        if len(poses) < 2:
            raise NoFreeSpaceError("the lane ends")
        path = LanePath.through(poses)
        if abs(path.beside(hazard.pose.x, hazard.pose.y)) > BEHIND_LORRY_RIGHT_M:
            raise NoFreeSpaceError("no lorry to fall off")
        return path

    def _opening(self, hazard: Hazard, drive: Drive) -> Moving:
        """A hazard that opens where it lies, as far as the ground lets it.

        Raises:
            NoFreeSpaceError: If that is not far, or something stands where its doors swing.
        """
        lowest = self._lowest(replace(hazard, open_share=0.0)) - UNDER_GROUND_M
        most = next((s for s in OPEN_SHARES if self._lowest(replace(hazard, open_share=s)) >= lowest), None)
        if most is None:
            raise NoFreeSpaceError("no room to open")
        widest = self._vertices(replace(hazard, open_share=most))
        base, top = (float(z) for z in (widest[:, 2].min(), widest[:, 2].max()))
        if self._planner.ground.blocks(_covered(widest), base, top - base):
            raise NoFreeSpaceError("no room to open")
        shares = open_shares(drive.times_s, most)
        hazards = [replace(hazard, motion="opening", open_share=share) for share in shares]
        return hazards, [_covered(self._vertices(one)) for one in hazards]

    def _lowest(self, hazard: Hazard) -> float:
        """Height of the lowest point in its stance, on flat ground."""
        mesh = self._library.mesh(hazard.object, hazard.scale, hazard.open_share)
        down = Transform(roll_deg=90.0 if hazard.stance == "fallen" else 0.0).matrix[2, :3]
        return min(float((part.vertices @ down).min()) for part in mesh.parts)

    def _vertices(self, hazard: Hazard) -> Floats:
        """``(n, 3)`` in the world."""
        mesh = self._library.mesh(hazard.object, hazard.scale, hazard.open_share)
        vertices = np.concatenate([part.vertices for part in mesh.parts]).astype(float)
        world: Floats = vertices @ hazard.pose.matrix[:3, :3].T + hazard.pose.location
        return world

    def _on_ground(self, pose: Transform, placed: Transform) -> Transform:
        """A pose of a motion on flat ground, raised or lowered to the ground as it is there."""
        if pose.location[:2] == placed.location[:2]:
            return pose
        here = self._planner.ground.height(pose.x, pose.y, placed.z)
        if here is None:
            raise NoFreeSpaceError("no ground for the motion")
        base = self._planner.ground.height(placed.x, placed.y, placed.z)
        return replace(pose, z=round(pose.z + here - (placed.z if base is None else base), 4))

    def _lorry_tracks(
        self, fallen: Several[Transform], drive: Drive, taken: list[Rectangles]
    ) -> list[tuple[SceneVehicle, list[Transform]]]:
        """The lorry that each thing fell off, driving on."""
        out = []
        for start in fallen:
            length = LONGEST_LORRY_M + DROP_MPS * float(drive.times_s[-1])
            path = LanePath.through(self._session.lane_ahead(*start.location, length))
            rng = np.random.default_rng([self._seed, round(1000 * abs(start.x)), round(1000 * abs(start.y))])
            lorry = self._planner.traffic.lorry(path.at(0.0), rng)
            if lorry is None:
                raise NoFreeSpaceError("no lorry to fall off")
            ahead = self._planner.traffic.half_extents(lorry)[0] + BEHIND_LORRY_M + falling_way_m() / 8
            track = [rounded_pose(path.at(ahead + DROP_MPS * float(t))) for t in drive.times_s]
            taken.append(self._mover.covered(lorry, track))
            out.append((replace(lorry, speed_mps=DROP_MPS), track))
        return out

    def _admitted(self, frames: list[Scene]) -> list[Scene]:
        """The frames without vehicles and people that the simulator refuses in one of them.

        Raises:
            NoFreeSpaceError: If it refuses a hazard.
        """
        gone_vehicles: set[int] = set()
        gone_people: set[int] = set()
        for frame in frames:
            there, _ = put_up(self._session, frame)
            if len(there.hazards) < len(frame.hazards):
                raise NoFreeSpaceError("refused")
            gone_vehicles |= {i for i, v in enumerate(frame.vehicles) if v not in there.vehicles}
            gone_people |= {i for i, w in enumerate(frame.walkers) if w not in there.walkers}
        return [
            replace(
                frame,
                vehicles=tuple(v for i, v in enumerate(frame.vehicles) if i not in gone_vehicles),
                walkers=tuple(w for i, w in enumerate(frame.walkers) if i not in gone_people),
            )
            for frame in frames
        ]

    def _check_sight(self, frames: list[Scene], rules: HazardRules | None) -> None:
        """Refuse an approach whose hazard is hidden in its first, middle or last frame, or too small in the last."""
        assert rules is not None
        for k in (len(frames) - 1, 0, len(frames) // 2):
            frame = frames[k]
            hazard = frame.hazards[0]
            shape = silhouette(
                self._library.mesh(hazard.object, hazard.scale, hazard.open_share), hazard.pose, frame.camera
            )
            depth = look(self._session, frame.without_hazards(), ()).depth
            seen = int(shape.before(depth).sum())
            if seen < rules.min_visible_share * shape.pixels:
                raise NoFreeSpaceError("hidden")
            if k == len(frames) - 1 and seen < rules.min_image_share * frame.camera.pixels:
                raise NoFreeSpaceError("too few pixels")


def _mounted(ego: Transform, up_m: float, pitch_deg: float, turn_deg: float) -> Transform:
    place = (ego.x, ego.y, ego.z + up_m, pitch_deg + ego.pitch_deg, ego.yaw_deg + turn_deg, 0.0)
    return Transform(*(round(float(value), 4) for value in place))


def _check_bearing(camera: CameraSpec, spot: Transform) -> None:
    if not bearing_in_view(np.array([[spot.x - camera.pose.x, spot.y - camera.pose.y]]), camera).all():
        raise NoFreeSpaceError("the lane bends away")


def _check_in_sight(drive: Drive, placed: Hazard, hazards: list[Hazard], rig: RigRules) -> None:
    """Refuse a hazard that moves beside or behind the picture it was placed in; what stays was seen there."""
    if all(hazard.pose == placed.pose for hazard in hazards):
        return
    before = drive.times_s <= 2 * drive.meets_s(placed.pose)
    seen = []
    for first, ego, hazard in zip(drive.cameras, drive.ego, hazards, strict=True):
        camera = rig_camera(rig, ego, hazard.view) or first
        offset = np.array([[hazard.pose.x - camera.pose.x, hazard.pose.y - camera.pose.y]])
        seen.append(bool(bearing_in_view(offset, camera).all()))
    if np.mean(np.array(seen)[before]) < IN_SIGHT_SHARE:
        raise NoFreeSpaceError("out of view")


def _footprint(vertices: Floats, pose: Transform) -> GroundRectangle:
    """The rectangle along the world's axes under a mesh."""
    return _covered(vertices @ pose.matrix[:3, :3].T + pose.location)


def _covered(world: Floats) -> GroundRectangle:
    """The rectangle along the world's axes under points."""
    (x0, y0), (x1, y1) = world[:, :2].min(0), world[:, :2].max(0)
    return GroundRectangle.of((x0 + x1) / 2, (y0 + y1) / 2, 0.0, max((x1 - x0) / 2, 0.01), max((y1 - y0) / 2, 0.01))
