"""Placing of hazards into a view that was looked at, where they are really seen.

Whether a hazard is seen well enough is worked out from the depth image of the view without it, so that a refused pose
costs the simulator no picture. The finished frame is measured once more by :mod:`caos.scenes.generation.checking`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from caos.assets.catalogue.library import Library
from caos.scenes.generation.checking import check_seen
from caos.scenes.generation.filming import SeenView
from caos.scenes.generation.ground import GroundProbe
from caos.scenes.generation.lanes import Lanes
from caos.scenes.generation.poses import (
    GroundRectangle,
    NoFreeSpaceError,
    choose,
    floating_pose,
    hazard_spot,
    resting_pose,
)
from caos.scenes.generation.silhouette import Silhouette, silhouette
from caos.scenes.generation.sunlight import Point, box_points, sun_direction
from caos.scenes.recipes.rules import HazardRules
from caos.scenes.scene import CameraSpec, Hazard, Placement, Scene, Stance
from caos.simulator.transform import Transform

HAZARD_TRIES: Final = 24
PATIENCE: Final = 10
"""So many times more tries for a hazard that must lie behind something or in shade, where few places do."""
COVERED_SLACK: Final = 0.2
"""How far the hidden share of an upright rectangle may be from that of the object in its place."""


@dataclass(frozen=True, eq=False)
class PlacedHazards:
    """A scene with its hazards, and how many poses were refused on the way, by reason."""

    scene: Scene
    refused: Counter[str]


@dataclass(frozen=True, eq=False)
class _Eye:
    """A camera: how far each pixel is, and the hazards that were placed in its picture."""

    camera: CameraSpec
    depth: NDArray[np.float32]
    shown: tuple[Silhouette, ...] = ()


@dataclass(frozen=True, eq=False)
class _Standing:
    """A view with the hazards that stand in it so far: what room is taken, and what each of its cameras sees."""

    scene: Scene
    taken: tuple[GroundRectangle, ...]
    eyes: tuple[_Eye, ...]


@dataclass(frozen=True)
class _Manner:
    """What is placed, how, and in which camera's picture: the number of an eye."""

    name: str
    mode: Placement
    stance: Stance
    scale: float = 1.0
    eye: int = 0


class HazardPlacer:
    """Places the objects of a library on the ground of the loaded town."""

    def __init__(self, library: Library, ground: GroundProbe) -> None:
        self._library, self._ground = library, ground

    def place(
        self, view: SeenView, lanes: Lanes, names: Sequence[str], rules: HazardRules, rng: np.random.Generator
    ) -> PlacedHazards:
        """Add hazards to a view, each somewhere it is seen well by one of the cameras that were looked through.

        Raises:
            NoFreeSpaceError: If one finds no such place in so many tries; it says what was refused.
        """
        refused: Counter[str] = Counter()
        rare = rules.max_visible_share < 1 or rules.min_shaded_share > 0
        eyes = [_Eye(view.scene.camera, view.depth)]
        eyes += [_Eye(one, view.depths[one.name]) for one in view.scene.cameras if one.name in view.depths]
        standing = _Standing(view.scene, view.taken, tuple(eyes))
        for name in names:
            manner = self._manner(name, rules, rng)
            if len(eyes) > 1:
                manner = replace(manner, eye=int(rng.integers(len(eyes))))
            added = None
            for _ in range(HAZARD_TRIES * PATIENCE if rare else HAZARD_TRIES):
                try:
                    added = self._try(standing, manner, lanes, rules, rng)
                    break
                except NoFreeSpaceError as reason:
                    refused[f"hazard: {reason}"] += 1
            if added is None:
                raise NoFreeSpaceError(f"no place for a {manner.mode} hazard", refused)
            standing = added
        return PlacedHazards(standing.scene, refused)

    def _manner(self, name: str, rules: HazardRules, rng: np.random.Generator) -> _Manner:
        mode = choose(rules.placements, rng)
        stance: Stance = "upright"
        lies = mode != "floating" and "fallen" in self._library.info(name).poses
        if lies and rng.random() < rules.fallen_share:
            stance = "fallen"
        low, high = rules.size_scale
        return _Manner(name, mode, stance, low if low == high else round(float(rng.uniform(low, high)), 3))

    def _try(
        self, there: _Standing, manner: _Manner, lanes: Lanes, rules: HazardRules, rng: np.random.Generator
    ) -> _Standing:
        """One random pose, if it touches nothing else, is seen, and hides no other hazard."""
        camera = there.eyes[manner.eye].camera
        if manner.mode == "floating":
            mesh = self._library.mesh(manner.name, manner.scale)
            pose = floating_pose(mesh.bounds, camera, rules, rng)
            self._check_shade(box_points(mesh, pose), there.scene, rules)
            return self._shown(there, manner, pose, rules)
        low, high = self._library.mesh(manner.name, manner.scale).bounds
        half_m = float(max(high[:2] - low[:2])) / 2
        spot = hazard_spot(lanes, camera, manner.mode, rules, rng, half_m)
        pose, footprint = self._rest(there, manner, spot, float(rng.uniform(0, 360)), rules)
        added = self._shown(there, manner, pose, rules)
        height = _height(manner, (low, high))
        if self._ground.blocks(footprint, float(pose.z if manner.stance == "upright" else spot[2]), height):
            raise NoFreeSpaceError("something stands there")
        return replace(added, taken=(*there.taken, footprint))

    def _rest(
        self, there: _Standing, manner: _Manner, spot: Point, yaw_deg: float, rules: HazardRules
    ) -> tuple[Transform, GroundRectangle]:
        """A pose on free ground, in shade or covered where the rules want that; cheap checks first."""
        mesh, eye = self._library.mesh(manner.name, manner.scale), there.eyes[manner.eye]
        low, high = mesh.bounds
        reach = float(np.hypot(*np.maximum(np.abs(low[:2]), np.abs(high[:2])))) + float(high[2] - low[2])
        if not _may_be_large_enough(spot, eye.camera, reach, rules):
            raise NoFreeSpaceError("too few pixels")
        height = _height(manner, (low, high))
        # One ray first: most places lie in the sun.
        self._check_shade([_above(spot, height / 2)], there.scene, rules)
        if rules.max_visible_share < 1:
            half_m = float(max(high[:2] - low[:2])) / 2
            _check_covered(_rectangle(spot, half_m, height, eye.camera), eye, rules)
        pose, footprint = resting_pose((low, high), spot, yaw_deg, manner.stance, self._ground.one_surface(manner.mode))
        if not footprint.clear_of(there.taken):
            raise NoFreeSpaceError("another actor")
        self._check_shade(box_points(mesh, pose), there.scene, rules)
        return pose, footprint

    def _check_shade(self, points: Sequence[Point], scene: Scene, rules: HazardRules) -> None:
        """Refuse points of which the sun reaches more than the rules allow."""
        least = rules.min_shaded_share
        if least and not self._ground.in_shade(points, sun_direction(scene.weather), least):
            raise NoFreeSpaceError("sunlit")

    def _shown(self, there: _Standing, manner: _Manner, pose: Transform, rules: HazardRules) -> _Standing:
        """The view with one more hazard, if the rules are kept for all that are seen then."""
        mesh = self._library.mesh(manner.name, manner.scale)
        own = there.eyes[manner.eye]
        shape = silhouette(mesh, pose, own.camera)
        check_seen(shape.before(own.depth), shape.pixels, own.camera, rules)
        eyes = []
        for eye in there.eyes:
            seen = shape if eye is own else silhouette(mesh, pose, eye.camera)
            depth = seen.onto(eye.depth)
            for earlier in eye.shown:
                check_seen(earlier.before(depth), earlier.pixels, eye.camera, rules)
            eyes.append(replace(eye, depth=depth, shown=(*eye.shown, shape) if eye is own else eye.shown))
        view = own.camera.name if manner.eye else ""
        hazard = Hazard(manner.name, pose, manner.mode, manner.stance, manner.scale, view=view)
        scene = replace(there.scene, hazards=(*there.scene.hazards, hazard))
        return replace(there, scene=scene, eyes=tuple(eyes))


def _height(manner: _Manner, bounds: tuple[NDArray[np.float32], NDArray[np.float32]]) -> float:
    low, high = bounds
    return float(high[2] - low[2] if manner.stance == "upright" else high[1] - low[1])


def _may_be_large_enough(spot: Point, camera: CameraSpec, size_m: float, rules: HazardRules) -> bool:
    """Whether a thing of ``size_m`` across may be large enough in the image; never wrong about a no."""
    distance = float(np.hypot(spot[0] - camera.pose.x, spot[1] - camera.pose.y))
    # Towards the corners of the image things are drawn larger: twice is more than enough at 90 degrees.
    across_px = 2 * size_m * camera.optics.focal_px / max(distance - size_m, 1.0)
    return bool(across_px**2 >= rules.min_image_share * camera.pixels)


def _above(spot: Point, height_m: float) -> tuple[float, float, float]:
    return spot[0], spot[1], spot[2] + height_m


def _rectangle(spot: Point, half_m: float, height_m: float, camera: CameraSpec) -> NDArray[np.float64]:
    """Columns, rows and depths ``(n, 3)`` of points on a rectangle that stands at ``spot``, facing the camera."""
    axes = camera.pose.matrix[:3, :3]
    across, up = np.meshgrid(np.linspace(-1, 1, 7) * half_m, np.linspace(0.05, 0.95, 7) * height_m)
    right = axes[:2, 1] / np.linalg.norm(axes[:2, 1])
    points = np.array(spot) + np.concatenate([across.reshape(-1, 1) * right, up.reshape(-1, 1)], 1)
    local = (points - camera.pose.location) @ axes
    columns, rows, seen = camera.optics.project(local)
    depth = local[:, 0] if camera.lens.depth_is_planar else np.linalg.norm(local, axis=1)
    return np.stack([columns, rows, depth], 1)[seen]


def _check_covered(points: NDArray[np.float64], there: _Eye, rules: HazardRules) -> None:
    """Refuse a place that nothing covers, or that is covered whole, before the object itself is looked at.

    Raises:
        NoFreeSpaceError: With which of the two it is.
    """
    high, wide = there.depth.shape
    columns, rows = points[:, 0].astype(int), points[:, 1].astype(int)
    inside = (columns >= 0) & (columns < wide) & (rows >= 0) & (rows < high)
    if not inside.any():
        raise NoFreeSpaceError("out of sight")
    visible = float((there.depth[rows[inside], columns[inside]] > points[inside, 2]).mean())
    if visible > rules.max_visible_share + COVERED_SLACK:
        raise NoFreeSpaceError("in full view")
    if visible < rules.min_visible_share - COVERED_SLACK or visible == 0:
        raise NoFreeSpaceError("out of sight")
