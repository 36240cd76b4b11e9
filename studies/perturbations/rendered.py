"""Rendered perturbations: translate, rotate, tilt and scale as motion of the camera, snow as falling drops.

The paper moves a flat picture; here the camera of the scene moves as far, and the simulator renders every frame: near
things move more than far ones, and what was hidden comes into view. Steps are those of the painted sequences:

- translate: the camera slides to the left, so that a point 10 m away moves one pixel of the paper a frame;
- rotate: it rolls by one degree a frame;
- tilt: it turns about both axes across its view by one degree a frame;
- scale: its field of view narrows as the painted picture grows, which is what a zoom lens does;
- snow: the simulator has no snow (nor has CARLA); rain falls, drawn anew every frame, while its wind turns.

A pixel of the original is found again in a frame by its depth, and left out where the frame does not show it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from caos.scenes.dataset.layout import Sample
from caos.scenes.generation.cast import Cast
from caos.scenes.generation.filming import VIEW_OUTPUTS, capture, decode_labels, stage
from caos.scenes.generation.generate import Place
from caos.scenes.labels import LabelTable
from caos.scenes.scene import CameraSpec, Scene
from caos.scenes.shifting.camera_changes import moved
from caos.simulator.frames import Frame
from caos.simulator.session import Session
from caos.studies.corruptions.paper_scale import PAPER_SIDE
from caos.studies.perturbations.kinds.scale import SMALLEST, STEP
from caos.studies.perturbations.measuring import PaintedFrames
from caos.studies.perturbations.perturbation import PerturbedFrame, PixelPlaces

NEAR_M: Final = 10.0
SAME_DEPTH: Final = 0.03
"""Two depths that differ by a smaller share are of the same point."""
RAIN: Final = 60.0
GUSTIEST: Final = 60.0
Step = Callable[[Scene, int, int], Scene]
"""The scene of a frame, from its number and how many there are."""


def _after_middle(frame: int, frames: int) -> float:
    return frame - (frames - 1) / 2


def _translate(scene: Scene, frame: int, frames: int) -> Scene:
    """One pixel of the paper a frame for what is ``NEAR_M`` away."""
    camera = scene.camera
    paper_focal = camera.width / min(camera.width, camera.height) * PAPER_SIDE / 2
    paper_focal /= float(np.tan(np.radians(camera.fov_deg / 2)))
    return replace(scene, camera=moved(camera, 0.0, -_after_middle(frame, frames) * NEAR_M / paper_focal))


def _rotate(scene: Scene, frame: int, frames: int) -> Scene:
    pose = scene.camera.pose
    turned = replace(pose, roll_deg=pose.roll_deg + _after_middle(frame, frames))
    return replace(scene, camera=replace(scene.camera, pose=turned))


def _tilt(scene: Scene, frame: int, frames: int) -> Scene:
    pose, steps = scene.camera.pose, _after_middle(frame, frames)
    turned = replace(pose, yaw_deg=pose.yaw_deg + steps, pitch_deg=pose.pitch_deg + steps)
    return replace(scene, camera=replace(scene.camera, pose=turned))


def _scale(scene: Scene, frame: int, _: int) -> Scene:
    factor = SMALLEST + STEP * frame
    half = np.tan(np.radians(scene.camera.fov_deg / 2)) / factor
    return replace(scene, camera=replace(scene.camera, fov_deg=float(np.degrees(2 * np.arctan(half)))))


def _snow(scene: Scene, frame: int, frames: int) -> Scene:
    weather = replace(scene.weather, precipitation=RAIN, wind_intensity=GUSTIEST * frame / max(frames - 1, 1))
    return replace(scene, weather=weather)


MOTIONS: Final[Mapping[str, Step]] = {
    "rotate": _rotate,
    "scale": _scale,
    "snow": _snow,
    "tilt": _tilt,
    "translate": _translate,
}
"""The perturbations that are rendered."""


class RenderedFrames:
    """Sequences of which the last five are rendered, the others painted; close it when all are made.

    Args:
        painted: Makes the others.
        place: The simulator, which is started for the first sequence.
        scenes: The scene of each picture, by its key.
    """

    def __init__(self, painted: PaintedFrames, place: Place, scenes: Mapping[str, Scene]) -> None:
        self._painted, self._place, self._scenes = painted, place, scenes
        self._opened: Session | None = None

    def close(self) -> None:
        """Give the simulator back."""
        if self._opened is not None:
            self._opened.close()

    @property
    def _session(self) -> Session:
        if self._opened is None:
            place = self._place
            self._opened = Session.open(place.simulators[0], quality=place.quality, library=place.library)
        return self._opened

    def __call__(self, sample: Sample, table: LabelTable, perturbation: str) -> Sequence[PerturbedFrame]:
        """See :class:`caos.studies.perturbations.measuring.FrameMaker`."""
        if perturbation not in MOTIONS:
            return self._painted(sample, table, perturbation)
        scene, count = self._scenes[sample.key], self._painted.frames
        cast = stage(self._session, scene)
        first = capture(self._session, scene.camera, VIEW_OUTPUTS)
        frames = []
        for number in range(count):
            changed = MOTIONS[perturbation](scene, number, count)
            if changed.weather != scene.weather:
                self._session.set_weather(changed.weather)
            frames.append(self._frame(changed.camera, cast, first, table))
        return frames

    def _frame(self, camera: CameraSpec, cast: Cast, first: Frame, table: LabelTable) -> PerturbedFrame:
        seen = capture(self._session, camera, ("rgb", *VIEW_OUTPUTS))
        assert seen.rgb is not None
        labels = table.decode(decode_labels(self._session, seen, cast)[0])
        return PerturbedFrame(seen.rgb, labels, np.eye(3), places_in(first, seen))

    def about(self, perturbation: str) -> Any:
        """See :class:`caos.studies.perturbations.measuring.FrameMaker`."""
        if perturbation not in MOTIONS:
            return self._painted.about(perturbation)
        return [*self._painted.about(perturbation), "rendered", self._place.quality]


def places_in(first: Frame, frame: Frame) -> PixelPlaces:
    """Where the points that a frame's pixels show are in another frame; both with depth."""
    assert frame.depth is not None
    points = directions(first)
    matrix = np.linalg.inv(frame.pose.matrix)
    far = np.asarray(~np.isfinite(points).all(-1))
    local = np.where(far[..., None], 0, points) @ matrix[:3, :3].T + matrix[:3, 3]
    local[far] = _rays(first)[far] @ matrix[:3, :3].T
    height, width = frame.depth.shape
    focal = width / 2 / np.tan(np.radians(frame.fov_deg / 2))
    ahead = local[..., 0] > 1e-3
    depth = np.where(ahead, local[..., 0], 1)
    columns = (width / 2 + focal * local[..., 1] / depth - 0.5).astype(np.float32)
    rows = (height / 2 - focal * local[..., 2] / depth - 0.5).astype(np.float32)
    inside = ahead & (columns >= 0) & (columns <= width - 1) & (rows >= 0) & (rows <= height - 1)
    column, row = (np.clip(np.rint(v), 0, n - 1).astype(int) for v, n in ((columns, width), (rows, height)))
    there = frame.depth[row, column]
    with np.errstate(invalid="ignore"):
        same = np.abs(there - depth) <= SAME_DEPTH * depth
    return PixelPlaces(columns, rows, inside & np.where(far, ~np.isfinite(there), same))


def directions(frame: Frame) -> NDArray[np.float64]:
    """The world points of a frame's pixels, infinite for sky."""
    with np.errstate(invalid="ignore"):
        return frame.points()


def _rays(frame: Frame) -> NDArray[np.float64]:
    """The direction of each pixel ``(h, w, 3)`` in the world, one metre along the viewing axis."""
    assert frame.depth is not None
    ones = replace(frame, depth=np.ones_like(frame.depth))
    return ones.points() - frame.pose.matrix[:3, 3]
