"""Rig poses: a rig's cameras and lidars in the world, on a car that stands somewhere."""

from __future__ import annotations

from dataclasses import replace

from caos.scenes.recipes.rig_rules import RigRules
from caos.scenes.scene import CameraSpec, LidarSpec, Scene
from caos.simulator.lens import Lens
from caos.simulator.transform import Transform


def main_camera(rig: RigRules, drawn: CameraSpec, ego: Transform) -> CameraSpec:
    """The camera that a scene is planned for: the rig's first one, or the drawn one where it has none."""
    return _cameras(rig, ego)[0] if rig.cameras else drawn


def carried(scene: Scene, rig: RigRules) -> Scene:
    """The scene with the further cameras and the lidars of a rig on its car."""
    assert scene.ego is not None
    lidars = tuple(LidarSpec(one.name, rounded_pose(scene.ego @ one.mount), one.beams) for one in rig.lidars)
    return replace(scene, cameras=_cameras(rig, scene.ego)[1:], lidars=lidars)


def rig_camera(rig: RigRules, ego: Transform, name: str) -> CameraSpec | None:
    """The rig's camera of a name; None if it has none of that."""
    return next((camera for camera in _cameras(rig, ego) if camera.name == name), None)


def outlook(rig: RigRules, camera: CameraSpec, ego: Transform) -> CameraSpec:
    """The view that traffic and people are planned for: all that a rig sees."""
    if rig.span_deg is None:
        return camera
    around = Transform(camera.pose.x, camera.pose.y, camera.pose.z, 0.0, ego.yaw_deg, 0.0)
    return CameraSpec(around, 64, 16, rig.span_deg, Lens("equirectangular"))


def rounded_pose(pose: Transform) -> Transform:
    """A pose as scenes have it: to a tenth of a millimetre, and of a thousandth of a degree."""
    return Transform(*(round(value, 4) for value in (*pose.location, *pose.rotation)))


def _cameras(rig: RigRules, ego: Transform) -> tuple[CameraSpec, ...]:
    return tuple(
        CameraSpec(rounded_pose(ego @ one.mount), *one.size, one.fov_deg, one.lens, one.name) for one in rig.cameras
    )
