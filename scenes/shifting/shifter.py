"""Shifter of scenes: changes applied on a simulator, the changed scene filmed, and looked at whether it is one."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from caos.assets.catalogue.library import Library
from caos.scenes.dataset.boxes import actor_boxes
from caos.scenes.generation.filming import Recording, clear_stage, enter_town, put_up
from caos.scenes.generation.planning import ViewPlanner
from caos.scenes.generation.scene_maker import MadeScene
from caos.scenes.generation.silhouette import silhouette_pixels
from caos.scenes.scene import Scene
from caos.scenes.sensors.rig_poses import rounded_pose
from caos.scenes.shifting.attribute import ShiftStage, attribute_of
from caos.scenes.shifting.change import Change, ImpossibleError
from caos.scenes.shifting.exposure import Exposure, expose
from caos.scenes.shifting.slot import ShiftedSlot
from caos.simulator.embedded.towns.plan import town_and_country
from caos.simulator.rig import BLUEPRINTS as CAMERAS
from caos.simulator.session import Session
from caos.simulator.transform import Transform

FEWEST_PX: Final = 10
"""A hazard of fewer pixels is dust to the audit."""


class SceneShifter:
    """Makes changed scenes on one session.

    Args:
        session: The simulator.
        library: The objects.
        objects: Names of those that the set shows.
        cameras: Town and camera of every scene, so that each town is entered once for their heights.
        seed: Of what changes draw.
    """

    def __init__(
        self,
        session: Session,
        library: Library,
        objects: Sequence[str],
        cameras: Sequence[tuple[str, Transform]],
        seed: int,
    ) -> None:
        self.session, self.library = session, library
        self._objects, self._cameras, self._seed = tuple(objects), cameras, seed
        self._planner = ViewPlanner(session)
        self._grounds: dict[str, dict[Transform, float]] = {}

    def make(self, slot: ShiftedSlot, changes: Sequence[Change]) -> tuple[MadeScene, dict[str, Any]]:
        """The changed scene with its pictures, and what its record says of the shift.

        Raises:
            ImpossibleError: If the scene cannot be changed so.
        """
        rng = np.random.default_rng([self._seed, zlib.crc32(slot.key.encode())])
        stage = ShiftStage(
            self.session, self._planner, self.library, self._objects, rng, Exposure(), self._camera_ground
        )
        # One camera is changed: where the car stands is looked up when it is done.
        scene = replace(slot.scene, ego=None, cameras=(), lidars=())
        # A town takes seconds to enter: one that has the same ground is entered in place of the old one.
        first = [change for change in changes if attribute_of(change).keeps_ground]
        for change in first:
            scene = attribute_of(change).apply(scene, change, stage)
        known = self.session.towns() if first else ()
        if slot.scene.town in known and scene.town not in known:
            raise ImpossibleError("the simulator has no other countries")
        enter_town(self.session, scene.town)
        clear_stage(self.session)
        for change in (one for one in changes if one not in first):
            scene = attribute_of(change).apply(scene, change, stage)
        shown, pictures = self._filmed(scene, stage, twin=slot.twin)
        about = {"changes": [str(change) for change in changes], **stage.notes}
        if not stage.exposure.is_sharp:
            about["exposure"] = stage.exposure.json()
        return MadeScene(self._carried(shown, slot.scene), pictures, {}), about

    def _filmed(self, scene: Scene, stage: ShiftStage, *, twin: bool) -> tuple[Scene, Recording]:
        if not (scene.camera.lens.is_pinhole or self.session.has_attribute(CAMERAS["rgb"], "lens_model")):
            raise ImpossibleError("the simulator has no such lens")
        enter_town(self.session, scene.town)
        shown, cast = put_up(self.session, scene)
        if len(shown.hazards) < len(scene.hazards):
            raise ImpossibleError("hazard: another actor stands there")
        missing = len(scene.vehicles) + len(scene.walkers) - len(cast.vehicles) - len(cast.walkers)
        if missing and "left behind" not in stage.notes:
            raise ImpossibleError("an actor was refused")
        if missing:
            stage.notes["left behind"] = int(str(stage.notes["left behind"])) + missing
        boxes = actor_boxes(self.session, shown, cast)
        pictures = expose(self.session, shown.camera, cast, stage.exposure, twin=twin and bool(shown.hazards))
        self._check(shown, pictures)
        return shown, replace(pictures, boxes=boxes)

    def _carried(self, scene: Scene, before: Scene) -> Scene:
        """The scene with the car that would carry its camera: the one it was before, unless the camera has gone on."""
        camera, old = scene.camera.pose, before.camera.pose
        if (camera.x, camera.y, camera.yaw_deg) == (old.x, old.y, old.yaw_deg):
            return replace(scene, ego=before.ego)
        height = self._planner.ground.height(*camera.location)
        if height is None:
            return scene
        return replace(scene, ego=rounded_pose(Transform(camera.x, camera.y, height, 0.0, camera.yaw_deg, 0.0)))

    def _check(self, scene: Scene, pictures: Recording) -> None:
        """Refuse a frame in which a hazard is not seen."""
        for number, hazard in enumerate(scene.hazards, 1):
            seen = pictures.others.get(hazard.view, pictures)
            if int((seen.instances == number).sum()) >= FEWEST_PX:
                continue
            mesh = self.library.mesh(hazard.object, hazard.scale, hazard.open_share)
            whole = silhouette_pixels(mesh, hazard.pose, scene.camera_of(hazard))
            if whole >= FEWEST_PX:
                raise ImpossibleError("hazard hidden")
            raise ImpossibleError("hazard too small" if whole else "hazard out of view")

    def _camera_ground(self, scene: Scene) -> float:
        """Height of the ground under the camera of a scene that is as it was."""
        if scene.town not in self._grounds:
            enter_town(self.session, scene.town)
            clear_stage(self.session)
            self._grounds[scene.town] = {
                pose: found[0]
                for town, pose in self._cameras
                if town_and_country(town)[0] == town_and_country(scene.town)[0]
                and (found := self.session.project_to_ground(pose.x, pose.y, pose.z, 50.0)) is not None
            }
        pose = scene.camera.pose
        if pose not in self._grounds[scene.town]:
            raise ImpossibleError("no ground under the camera")
        return self._grounds[scene.town][pose]
