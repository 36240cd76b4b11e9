"""Changes of the camera: height, tilt, lens, place, and what its shutter and focus do to the picture."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

from caos.foundation.command_line.sizes import parse_size
from caos.foundation.errors import CaosError, unknown
from caos.scenes.scene import CameraSpec, Scene
from caos.scenes.shifting.attribute import Apply, ShiftAttribute, ShiftStage, within
from caos.scenes.shifting.change import Change, ImpossibleError
from caos.simulator.lens import LENS_MODELS, Lens, Optics
from caos.simulator.transform import Transform

NARROWEST_DEG: Final = 5.0
WIDEST_DEG: Final = 170.0
USUAL_FOV_DEG: Final = 90.0
LOWEST_M: Final = 0.1
HIGHEST_M: Final = 30.0


def _placed(scene: Scene, pose: Transform) -> Scene:
    return replace(scene, camera=replace(scene.camera, pose=pose))


def _height(scene: Scene, change: Change, stage: ShiftStage) -> Scene:
    pose = scene.camera.pose
    ground = stage.ground_below(pose)
    height = change.applied_to(pose.z - ground)
    if not LOWEST_M <= height <= HIGHEST_M:
        raise ImpossibleError("camera too low or too high")
    return _placed(scene, replace(pose, z=round(ground + height, 4)))


def _angle(name: str, limit: float) -> Apply:
    def apply(scene: Scene, change: Change, _: ShiftStage) -> Scene:
        angle = change.applied_to(getattr(scene.camera.pose, name))
        if not -limit <= angle <= limit:
            raise ImpossibleError(f"camera turned by more than {limit:g} degrees")
        return _placed(scene, replace(scene.camera.pose, **{name: angle}))

    return apply


def _fov(scene: Scene, change: Change, _: ShiftStage) -> Scene:
    fov = change.applied_to(scene.camera.fov_deg)
    if not NARROWEST_DEG <= fov <= WIDEST_DEG:
        raise ImpossibleError("field of view too narrow or too wide")
    return replace(scene, camera=replace(scene.camera, fov_deg=fov))


def lens_of(text: str, where: str) -> Lens:
    """The lens that a text names: its model, and after a colon its coefficients in OpenCV's order.

    >>> lens_of("brown:-0.3,0.1,0,0", "").coefficients
    (-0.3, 0.1, 0.0, 0.0)

    Raises:
        CaosError: If there is no such model, or a coefficient is no number; ``where`` comes first.
    """
    model, _, given = text.partition(":")
    if model not in LENS_MODELS:
        raise CaosError(f"{where} {unknown('lens', model, LENS_MODELS)}")
    try:
        numbers = tuple(float(part) for part in given.split(",") if given)
    except ValueError as error:
        raise CaosError(f"{where} {given!r} are no coefficients; write brown:-0.3,0.1,0,0") from error
    return Lens(model, numbers)  # type: ignore[arg-type]


def _lens(scene: Scene, change: Change, _: ShiftStage) -> Scene:
    camera = replace(scene.camera, lens=lens_of(change.text, f"--change {change}:"))
    if (problem := camera.optics.problem()) is not None:
        raise ImpossibleError(problem)
    return replace(scene, camera=camera)


def _check_lens(change: Change) -> None:
    if change.operation != "=":
        raise CaosError(f"--change {change}: camera.lens takes a lens, with '='")
    lens = lens_of(change.text, f"--change {change}:")
    # The field of view is the scene's; the number of coefficients is not.
    if (problem := Optics(64, 36, USUAL_FOV_DEG, lens).problem()) is not None and "coefficients" in problem:
        raise CaosError(f"--change {change}: {problem}")


def _size(scene: Scene, change: Change, _: ShiftStage) -> Scene:
    width, height = parse_size(change.text, f"--change {change}:")
    return replace(scene, camera=replace(scene.camera, width=width, height=height))


def _check_size(change: Change) -> None:
    if change.operation != "=":
        raise CaosError(f"--change {change}: camera.size takes WIDTHxHEIGHT, with '='")
    parse_size(change.text, f"--change {change}:")


def moved(camera: CameraSpec, ahead_m: float, right_m: float) -> CameraSpec:
    """The camera moved on the level, along and across the way it looks."""
    pose, yaw = camera.pose, math.radians(camera.pose.yaw_deg)
    x = pose.x + ahead_m * math.cos(yaw) - right_m * math.sin(yaw)
    y = pose.y + ahead_m * math.sin(yaw) + right_m * math.cos(yaw)
    return replace(camera, pose=replace(pose, x=round(x, 4), y=round(y, 4)))


def _aside(scene: Scene, change: Change, stage: ShiftStage) -> Scene:
    """Moved, and as high above the ground as before."""
    along = change.value()
    shift = (along, 0.0) if change.attribute == "camera.ahead_m" else (0.0, along)
    height = scene.camera.pose.z - stage.ground_below(scene.camera.pose)
    camera = moved(scene.camera, *shift)
    return _placed(scene, replace(camera.pose, z=round(stage.ground_below(camera.pose) + height, 4)))


def _exposed(name: str) -> Apply:
    def apply(scene: Scene, change: Change, stage: ShiftStage) -> Scene:
        stage.exposure = stage.exposure.with_value(name, change.value())
        return scene

    return apply


ATTRIBUTES: Final = (
    ShiftAttribute("camera.height_m", "metres above the road", _height, within(LOWEST_M, HIGHEST_M)),
    ShiftAttribute("camera.pitch_deg", "degrees; negative looks down", _angle("pitch_deg", 89), within(-89, 89)),
    ShiftAttribute(
        "camera.yaw_deg", "degrees; use += to turn it to the right", _angle("yaw_deg", 1e4), within(-1e4, 1e4)
    ),
    ShiftAttribute(
        "camera.roll_deg", "degrees; positive lowers the right side", _angle("roll_deg", 180), within(-180, 180)
    ),
    ShiftAttribute("camera.fov_deg", "horizontal degrees, 5 to 170", _fov, within(NARROWEST_DEG, WIDEST_DEG)),
    ShiftAttribute(
        "camera.lens",
        f"one of {', '.join(LENS_MODELS)}; brown:K1,K2,P1,P2 and more, as in OpenCV",
        _lens,
        _check_lens,
    ),
    ShiftAttribute("camera.size", "pixels, WIDTHxHEIGHT", _size, _check_size),
    ShiftAttribute("camera.ahead_m", "metres forward", _aside, within(-20, 20)),
    ShiftAttribute("camera.side_m", "metres to the right", _aside, within(-20, 20)),
    ShiftAttribute(
        "camera.shutter_m", "metres it moves ahead while the shutter is open", _exposed("ahead_m"), within(0, 20)
    ),
    ShiftAttribute(
        "camera.shutter_turn_deg", "degrees it turns while the shutter is open", _exposed("turn_deg"), within(-30, 30)
    ),
    ShiftAttribute(
        "camera.defocus",
        "radius of the disc that a far point becomes, as a share of the picture's shorter side",
        _exposed("defocus"),
        within(0, 0.2),
    ),
)
