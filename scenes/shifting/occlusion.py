"""Occlusion of hazards: a person or a vehicle in between, moved sideways until the wanted share is hidden.

Nothing but label images is asked of the simulator for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from caos.foundation.errors import CaosError
from caos.scenes.generation.filming import capture, put_up
from caos.scenes.generation.silhouette import silhouette_pixels
from caos.scenes.scene import Hazard, Scene, SceneVehicle, SceneWalker
from caos.scenes.shifting.attribute import ShiftStage
from caos.scenes.shifting.change import ImpossibleError
from caos.simulator.transform import Transform

SLACK: Final = 0.1
"""How far from the wanted share is near enough."""
BETWEEN: Final = (0.7, 0.5)
"""Where somebody stands, as shares of the way to the hazard."""
NEAREST_M: Final = 3.0
HALVINGS: Final = 6
FARTHEST_ASIDE_M: Final = 3.0


def occlude(scene: Scene, share: float, stage: ShiftStage) -> Scene:
    """The scene with somebody before each hazard that is not hidden enough.

    Raises:
        ImpossibleError: If a hazard is hidden more than that already, or nobody can hide so much of it.
    """
    if not scene.hazards:
        raise ImpossibleError("no hazard")
    for index in range(len(scene.hazards)):
        scene = _hidden(scene, index, share, stage)
    return scene


def _hidden(scene: Scene, index: int, share: float, stage: ShiftStage) -> Scene:
    now = _shares(scene, stage)[index]
    if now > share + SLACK:
        raise ImpossibleError("hazard hidden more than that")
    if now >= share - SLACK:
        return scene
    for who in _extras(stage):
        for part in BETWEEN:
            found = _beside(scene, index, share, who, part, stage)
            if found is not None:
                return found
    raise ImpossibleError("nothing hides that much of the hazard")


def _extras(stage: ShiftStage) -> Sequence[str]:
    """Blueprints of a person, a small and a large vehicle, drawn for the scene."""
    session = stage.session
    walkers, vehicles = sorted(session.walkers()), sorted(session.vehicles())
    by_type = {kind: [v for v in vehicles if session.base_type(v) == kind] for kind in ("car", "van", "truck")}
    pools = [walkers, by_type["car"] or vehicles, by_type["van"] or by_type["truck"]]
    return [str(stage.rng.choice(pool)) for pool in pools if pool]


def _beside(scene: Scene, index: int, share: float, who: str, part: float, stage: ShiftStage) -> Scene | None:
    """The scene with somebody at the offset, between none and wholly before the hazard, where the share is right."""
    far, near = FARTHEST_ASIDE_M, 0.0
    side = 1.0 if stage.rng.random() < 0.5 else -1.0
    for number in range(HALVINGS + 1):
        aside = near if number == 0 else (near + far) / 2
        tried = _joined(scene, scene.hazards[index], who, part, side * aside, stage)
        try:
            hidden = _shares(tried, stage)[index] if tried is not None else None
        except CaosError:
            hidden = None
        if hidden is None:
            return None
        if abs(hidden - share) <= SLACK:
            return tried
        if number == 0 and hidden < share:
            return None
        near, far = (aside, far) if hidden > share else (near, aside)
    return None


def _joined(scene: Scene, hazard: Hazard, who: str, part: float, aside_m: float, stage: ShiftStage) -> Scene | None:
    """The scene with one more person or vehicle; None where it cannot stand."""
    camera = np.array(scene.camera.pose.location)
    way = np.array(hazard.pose.location) - camera
    level = way[:2] / max(float(np.hypot(*way[:2])), 1e-6)
    if part * np.hypot(*way[:2]) < NEAREST_M:
        return None
    x, y = camera[:2] + part * way[:2] + aside_m * np.array([-level[1], level[0]])
    # The stage is not empty: whoever stands there is no ground to stand on.
    z = stage.planner.ground.height(float(x), float(y), float(hazard.pose.z))
    if z is None:
        return None
    yaw = float(np.degrees(np.arctan2(level[1], level[0])))
    pose = Transform(round(float(x), 3), round(float(y), 3), round(z, 3), 0.0, round(yaw, 2), 0.0)
    if who.startswith("walker"):
        return replace(scene, walkers=(*scene.walkers, SceneWalker(who, replace(pose, yaw_deg=yaw + 90))))
    return replace(scene, vehicles=(*scene.vehicles, SceneVehicle(who, pose)))


def _shares(scene: Scene, stage: ShiftStage) -> list[float]:
    """How much of each hazard is hidden.

    Raises:
        CaosError: If somebody of the scene was refused.
    """
    shown, cast = put_up(stage.session, scene)
    if len(cast.everyone) < len(scene.vehicles) + len(scene.walkers) + len(scene.hazards):
        raise CaosError("refused")
    frame = capture(stage.session, shown.camera, ("instances", "tags"))
    masks = stage.session.hazard_masks(frame, cast.hazards)
    shares = []
    for hazard, actor in zip(shown.hazards, cast.hazards, strict=True):
        mesh = stage.library.mesh(hazard.object, hazard.scale, hazard.open_share)
        whole = silhouette_pixels(mesh, hazard.pose, shown.camera)
        shares.append(1 - min(1.0, int(masks[actor].sum()) / max(whole, 1)))
    return shares
