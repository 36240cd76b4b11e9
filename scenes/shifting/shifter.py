"""Shifter of scenes: changes applied on a simulator, the changed scene filmed, and looked at whether it is one."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from caos.assets.library import Library
from caos.scenes.filming import Recording, clear_stage, enter_town, put_up
from caos.scenes.planning import ViewPlanner
from caos.scenes.scene import Scene
from caos.scenes.scene_maker import MadeScene
from caos.scenes.shifting.attribute import ShiftStage, attribute_of
from caos.scenes.shifting.change import Change, ImpossibleError
from caos.scenes.shifting.exposure import Exposure, expose
from caos.scenes.shifting.slot import ShiftedSlot
from caos.scenes.silhouette import silhouette_pixels
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
        scene = slot.scene
        enter_town(self.session, scene.town)
        clear_stage(self.session)
        for change in changes:
            scene = attribute_of(change).apply(scene, change, stage)
        shown, pictures = self._filmed(scene, stage, twin=slot.twin)
        about = {"changes": [str(change) for change in changes], **stage.notes}
        if not stage.exposure.is_sharp:
            about["exposure"] = stage.exposure.json()
        return MadeScene(shown, pictures, {}), about

    def _filmed(self, scene: Scene, stage: ShiftStage, *, twin: bool) -> tuple[Scene, Recording]:
        enter_town(self.session, scene.town)
        shown, cast = put_up(self.session, scene)
        if len(shown.hazards) < len(scene.hazards):
            raise ImpossibleError("hazard: another actor stands there")
        missing = len(scene.vehicles) + len(scene.walkers) - len(cast.vehicles) - len(cast.walkers)
        if missing and "left behind" not in stage.notes:
            raise ImpossibleError("somebody of the cast was refused")
        if missing:
            stage.notes["left behind"] = int(str(stage.notes["left behind"])) + missing
        pictures = expose(self.session, shown.camera, cast, stage.exposure, twin=twin and bool(shown.hazards))
        self._check(shown, pictures)
        return shown, pictures

    def _check(self, scene: Scene, pictures: Recording) -> None:
        """Refuse a frame in which a hazard is not seen."""
        for number, hazard in enumerate(scene.hazards, 1):
            pixels = int((pictures.instances == number).sum())
            if pixels >= FEWEST_PX:
                continue
            whole = silhouette_pixels(self.library.mesh(hazard.object), hazard.pose, scene.camera)
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
                if town == scene.town
                and (found := self.session.project_to_ground(pose.x, pose.y, pose.z, 50.0)) is not None
            }
        pose = scene.camera.pose
        if pose not in self._grounds[scene.town]:
            raise ImpossibleError("no ground under the camera")
        return self._grounds[scene.town][pose]
