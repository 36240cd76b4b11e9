"""Changes of the hazards: how far, how large, how many, from which side, how much of them is hidden, of what."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import numpy as np

from caos.foundation.errors import CaosError
from caos.scenes.generation.filming import VIEW_OUTPUTS, SeenView, capture, clear_stage, decode_labels, put_up
from caos.scenes.generation.placing import HazardPlacer
from caos.scenes.generation.planning import EGO_HALF_M
from caos.scenes.generation.poses import GroundRectangle, NoFreeSpaceError, ground_from_object, resting_pose
from caos.scenes.recipes.rules import HazardRules
from caos.scenes.scene import Hazard, Scene
from caos.scenes.shifting.attribute import Apply, ShiftAttribute, ShiftStage, one_of, within
from caos.scenes.shifting.change import Change, ImpossibleError
from caos.scenes.shifting.renditions import RENDITIONS
from caos.simulator.transform import Transform

MOST_HAZARDS: Final = 10


def ground_pose(hazard: Hazard, stage: ShiftStage) -> Transform:
    """The frame of the ground under a hazard."""
    local, _ = ground_from_object(stage.library.mesh(hazard.object, hazard.scale).bounds, hazard.stance)
    return Transform.from_matrix(hazard.pose.matrix @ np.linalg.inv(local.matrix))


def stood(hazard: Hazard, at: Transform, stage: ShiftStage) -> Hazard:
    """The hazard upright or fallen as before, on the ground near a pose of the loaded town.

    Raises:
        ImpossibleError: If it finds no level ground there, or something of the town.
    """
    mesh = stage.library.mesh(hazard.object, hazard.scale)
    ground = stage.planner.ground
    try:
        pose, footprint = resting_pose(mesh.bounds, at.location, at.yaw_deg, hazard.stance, ground.one_surface())
    except NoFreeSpaceError as reason:
        raise ImpossibleError(f"hazard: {reason}") from reason
    if hazard.placement == "road" and ground.road_height(*at.location) is None:
        raise ImpossibleError("hazard off the road")
    if ground.blocks(footprint, float(at.z), mesh.size_m[2]):
        raise ImpossibleError("hazard: something is in the way")
    return replace(hazard, pose=pose)


def _each(change_one: Callable[[Hazard, Scene, Change, ShiftStage], Hazard]) -> Apply:
    """The same change of every hazard, on the empty town."""

    def apply(scene: Scene, change: Change, stage: ShiftStage) -> Scene:
        if not scene.hazards:
            raise ImpossibleError("no hazard")
        clear_stage(stage.session)
        return replace(scene, hazards=tuple(change_one(hazard, scene, change, stage) for hazard in scene.hazards))

    return apply


def _at_distance(hazard: Hazard, scene: Scene, change: Change, stage: ShiftStage) -> Hazard:
    """In the same direction, nearer or farther."""
    camera, ground = scene.camera.pose, ground_pose(hazard, stage)
    there = np.subtract(hazard.pose.location, camera.location)
    wanted = change.applied_to(float(np.linalg.norm(there)))
    level = np.hypot(there[0], there[1])
    across = np.sqrt(max(wanted**2 - there[2] ** 2, 0.0))
    if wanted <= 0 or level < 1e-6 or across < 1.0:
        raise ImpossibleError("hazard under the camera")
    x, y = np.array(camera.location[:2]) + there[:2] / level * across
    return stood(hazard, replace(ground, x=float(x), y=float(y)), stage)


def _turned(hazard: Hazard, _: Scene, change: Change, stage: ShiftStage) -> Hazard:
    ground = ground_pose(hazard, stage)
    return stood(hazard, replace(ground, yaw_deg=ground.yaw_deg + change.value()), stage)


def size_suffix(change: Change) -> str:
    """What the name of a resized object ends with: its size in thousandths."""
    return f"_x{round(1000 * change.value())}"


def rendition_suffix(change: Change) -> str:
    """What the name of an object in a rendition ends with."""
    return f"_{change.text}"


def _resized(hazard: Hazard, _: Scene, change: Change, stage: ShiftStage) -> Hazard:
    other = replace(hazard, object=hazard.object + size_suffix(change), open_share=None)
    return stood(other, ground_pose(hazard, stage), stage)


def _rendered_as(hazard: Hazard, _: Scene, change: Change, __: ShiftStage) -> Hazard:
    return replace(hazard, object=hazard.object + rendition_suffix(change), open_share=None)


def _number(scene: Scene, change: Change, stage: ShiftStage) -> Scene:
    count = round(change.applied_to(len(scene.hazards)))
    if not 0 <= count <= MOST_HAZARDS:
        raise ImpossibleError("too few or too many hazards")
    missing = count - len(scene.hazards)
    if missing <= 0:
        return replace(scene, hazards=scene.hazards[:count])
    pool = [name for name in stage.objects if name not in {hazard.object for hazard in scene.hazards}]
    if len(pool) < missing:
        raise ImpossibleError("no more objects in the set")
    names = [str(name) for name in stage.rng.choice(sorted(pool), missing, replace=False)]
    placer = HazardPlacer(stage.library, stage.planner.ground)
    try:
        return placer.place(
            seen_with_room(scene, stage), stage.planner.lanes(scene.town), names, HazardRules(), stage.rng
        ).scene
    except NoFreeSpaceError as reason:
        raise ImpossibleError(f"more hazards: {reason}") from reason


def seen_with_room(scene: Scene, stage: ShiftStage) -> SeenView:
    """A scene as its camera sees it, with the room that all who are in it take."""
    session, camera = stage.session, scene.camera.pose
    shown, cast = put_up(session, scene)
    taken = [GroundRectangle.of(camera.x, camera.y, camera.yaw_deg, *EGO_HALF_M)]
    poses = [*(v.pose for v in shown.vehicles), *(w.pose for w in shown.walkers), *(h.pose for h in shown.hazards)]
    for pose, actor in zip(poses, cast.everyone, strict=True):
        box = session.bounds(actor)
        centre = pose @ Transform(box.center[0], box.center[1])
        taken.append(GroundRectangle.of(centre.x, centre.y, pose.yaw_deg, box.extent[0], box.extent[1]))
    frame = capture(session, shown.camera, VIEW_OUTPUTS)
    assert frame.depth is not None
    return SeenView(shown, tuple(taken), frame.depth, decode_labels(session, frame, cast)[0])


def _check_factor(change: Change) -> None:
    if change.operation == "+=":
        raise CaosError(f"--change {change}: hazard.size is a factor; write hazard.size={change.text}")
    within(0.1, 10)(replace(change, operation="="))


def _check_number(change: Change) -> None:
    within(0, MOST_HAZARDS)(change)
    if change.operation == "=" and change.value() % 1:
        raise CaosError(f"--change {change}: the number of hazards must be whole")


def _occluded(scene: Scene, change: Change, stage: ShiftStage) -> Scene:
    from caos.scenes.shifting.occlusion import occlude

    return occlude(scene, change.value(), stage)


def _check_occlusion(change: Change) -> None:
    if change.operation != "=":
        raise CaosError(f"--change {change}: hazard.occlusion is set with '='")
    within(0.1, 0.9)(change)


ATTRIBUTES: Final = (
    ShiftAttribute("hazard.distance_m", "metres from the camera, the same way", _each(_at_distance), within(2, 200)),
    ShiftAttribute(
        "hazard.turn_deg", "degrees that it is turned about its upright axis", _each(_turned), within(-360, 360)
    ),
    ShiftAttribute("hazard.number", f"how many, 0 to {MOST_HAZARDS}", _number, _check_number),
    ShiftAttribute("hazard.occlusion", "hidden share, 0.1 to 0.9, by somebody in between", _occluded, _check_occlusion),
    ShiftAttribute("hazard.size", "a factor, 0.1 to 10", _each(_resized), _check_factor, size_suffix),
    ShiftAttribute(
        "hazard.rendition",
        f"one of {', '.join(RENDITIONS)}",
        _each(_rendered_as),
        one_of(lambda: tuple(RENDITIONS), "rendition"),
        rendition_suffix,
    ),
)
