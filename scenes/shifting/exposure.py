"""Exposure of a picture: motion blur and defocus, as the mean of frames that the simulator renders.

A moving camera is filmed at several places along its way; a lens out of focus at several points of its opening, each
picture moved so that what stands at the focused distance falls together. Light is averaged, not its screen values. Any
server can do it: nothing but camera poses is asked of it. Labels are those of the middle of the way and of the opening.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from caos.assets.modelling.colours import linear_image, screen_image
from caos.scenes.generation.cast import Cast
from caos.scenes.generation.filming import Recording, can_clear, capture, film
from caos.scenes.scene import CameraSpec
from caos.simulator.frames import CLEARED
from caos.simulator.session import Session
from caos.simulator.transform import Transform

FOCUS_M: Final = 1.0
"""A lens that is out of focus is focused here: everything farther is about equally blurred."""
GOLDEN_ANGLE: Final = np.pi * (3 - np.sqrt(5))
SHARE_OF_GAP: Final = 0.5
"""Points of the opening are so many of them apart that a blur of this share of the gap closes it."""


@dataclass(frozen=True)
class Exposure:
    """What shutter and lens do.

    Attributes:
        ahead_m: How far the camera moves ahead while the shutter is open.
        turn_deg: How far it turns to the right meanwhile.
        defocus: Radius of the disc that a far point becomes, as a share of the picture's shorter side.
        frames: Frames that a blurred picture is the mean of.
    """

    ahead_m: float = 0.0
    turn_deg: float = 0.0
    defocus: float = 0.0
    frames: int = 16

    @property
    def is_sharp(self) -> bool:
        """Whether one frame is the picture."""
        return self.ahead_m == self.turn_deg == self.defocus == 0

    def with_value(self, name: str, value: float) -> Exposure:
        """The same with one number replaced."""
        return Exposure(**{**asdict(self), name: value})

    def json(self) -> dict[str, Any]:
        """The same, JSON-ready."""
        return asdict(self)


@dataclass(frozen=True)
class SubFrame:
    """One of the frames: its camera, and how far its picture is moved, in pixels to the right and down."""

    camera: CameraSpec
    right_px: float = 0.0
    down_px: float = 0.0


def sub_frames(camera: CameraSpec, exposure: Exposure) -> Iterator[SubFrame]:
    """The frames of an exposure: along the camera's way, each at another point of the opening."""
    from caos.scenes.shifting.camera_changes import moved

    focal_px = camera.optics.focal_px
    radius_px = exposure.defocus * min(camera.width, camera.height)
    lens_m = radius_px * FOCUS_M / focal_px
    for number in range(exposure.frames):
        when = (number + 0.5) / exposure.frames - 0.5
        at = moved(camera, when * exposure.ahead_m, 0.0)
        pose = replace(at.pose, yaw_deg=at.pose.yaw_deg + when * exposure.turn_deg)
        # A sunflower's points cover the disc evenly.
        radius, angle = np.sqrt((number + 0.5) / exposure.frames), number * GOLDEN_ANGLE
        right, up = float(radius * np.cos(angle)), float(radius * np.sin(angle))
        lens = pose @ Transform(0.0, right * lens_m, up * lens_m)
        yield SubFrame(replace(camera, pose=lens), right * radius_px, -up * radius_px)


def expose(session: Session, camera: CameraSpec, cast: Cast, exposure: Exposure, *, twin: bool = False) -> Recording:
    """The pictures of a cast on stage, exposed so."""
    if exposure.is_sharp:
        return film(session, camera, cast, twin=twin)
    cleared = twin and can_clear(session)
    blurred, clear_road = _mean_pictures(session, camera, exposure, ("rgb", CLEARED) if cleared else ("rgb",))
    sharp = film(session, camera, cast)
    if twin and not cleared:
        session.destroy(cast.hazards)
        clear_road, _ = _mean_pictures(session, camera, exposure, ("rgb",))
    return replace(sharp, rgb=blurred, twin=clear_road)


def _mean_pictures(
    session: Session, camera: CameraSpec, exposure: Exposure, outputs: Sequence[str]
) -> tuple[NDArray[np.uint8], NDArray[np.uint8] | None]:
    """The blurred picture, and that without hazards if it is among the ``outputs``."""
    totals = {name: np.zeros((camera.height, camera.width, 3), np.float32) for name in outputs}
    for frame in sub_frames(camera, exposure):
        seen = capture(session, frame.camera, outputs)
        for name, picture in (("rgb", seen.rgb), (CLEARED, seen.cleared)):
            if picture is not None:
                totals[name] += _moved(linear_image(picture), frame)
    means = {name: _developed(total / np.float32(exposure.frames), camera, exposure) for name, total in totals.items()}
    return means["rgb"], means.get(CLEARED)


def _developed(mean: NDArray[np.float32], camera: CameraSpec, exposure: Exposure) -> NDArray[np.uint8]:
    gap_px = exposure.defocus * min(camera.width, camera.height) * np.sqrt(np.pi / exposure.frames)
    if gap_px > 1:
        mean = np.asarray(cv2.GaussianBlur(mean, (0, 0), SHARE_OF_GAP * float(gap_px)), np.float32)
    return screen_image(mean)


def _moved(picture: NDArray[np.float32], frame: SubFrame) -> NDArray[np.float32]:
    if frame.right_px == frame.down_px == 0:
        return picture
    matrix = np.array([[1, 0, frame.right_px], [0, 1, frame.down_px]], np.float64)
    size = (picture.shape[1], picture.shape[0])
    return np.asarray(cv2.warpAffine(picture, matrix, size, borderMode=cv2.BORDER_REPLICATE), np.float32)
