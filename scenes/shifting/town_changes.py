"""Changes of the town: the same arrangement of camera, cast and hazards on another town's road, or in another country.

In another country nothing moves: walls, roofs, lines and signs are of its make.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import numpy as np

from caos.foundation.errors import CaosError
from caos.scenes.generation.filming import clear_stage, enter_town
from caos.scenes.generation.lanes import LanePoints
from caos.scenes.scene import Hazard, Scene, SceneVehicle, SceneWalker
from caos.scenes.shifting.attribute import ShiftAttribute, ShiftStage, one_of
from caos.scenes.shifting.change import Change, ImpossibleError
from caos.scenes.shifting.hazard_changes import ground_pose, stood
from caos.simulator.embedded.towns.plan import countries, in_country_of, town_and_country
from caos.simulator.transform import Transform

PLACES_TRIED: Final = 60
GOOD_SHARE: Final = 0.9
"""Of the cast: a place where so many find ground is taken at once."""


def _town(scene: Scene, change: Change, stage: ShiftStage) -> Scene:
    town = in_country_of(change.text, town_and_country(change.text)[1] or town_and_country(scene.town)[1])
    if town == scene.town:
        return scene
    ground = stage.camera_ground(scene)
    enter_town(stage.session, town)
    clear_stage(stage.session)
    lanes = stage.planner.lanes(town).driving
    places = lanes.pick(~lanes.in_junction) if not lanes.in_junction.all() else lanes
    best: Scene | None = None
    reasons: list[str] = []
    for row in stage.rng.permutation(len(places))[:PLACES_TRIED]:
        try:
            tried = _arranged(scene, ground, town, places.pick(np.array([row])), stage)
        except ImpossibleError as reason:
            reasons.append(str(reason))
            continue
        if best is None or _cast(tried) > _cast(best):
            best = tried
        if _cast(best) >= GOOD_SHARE * _cast(scene):
            break
    if best is None:
        raise ImpossibleError(max(set(reasons), key=reasons.count) if reasons else "no road")
    stage.notes["left behind"] = _cast(scene) - _cast(best)
    return best


def _cast(scene: Scene) -> int:
    return len(scene.vehicles) + len(scene.walkers)


def _arranged(scene: Scene, ground: float, town: str, place: LanePoints, stage: ShiftStage) -> Scene:
    """The scene about a point of a lane; who finds no ground there is left behind, a hazard must find some."""
    camera = scene.camera.pose
    source = Transform(camera.x, camera.y, ground, 0.0, camera.yaw_deg, 0.0)
    x, y, z = (float(v) for v in place.xyz[0])
    target = Transform(x, y, z, 0.0, float(place.yaw_deg[0]), 0.0)
    move = target.matrix @ np.linalg.inv(source.matrix)

    def there(pose: Transform) -> Transform:
        new = Transform.from_matrix(move @ pose.matrix)
        return Transform(*(round(float(v), 4) for v in (*new.location, *new.rotation)))

    hazards = tuple(_hazard(hazard, there, stage) for hazard in scene.hazards)
    vehicles = [_vehicle(vehicle, there(vehicle.pose), stage) for vehicle in scene.vehicles]
    walkers = [_walker(walker, there(walker.pose), stage) for walker in scene.walkers]
    return replace(
        scene,
        town=town,
        camera=replace(scene.camera, pose=there(camera)),
        hazards=hazards,
        vehicles=tuple(vehicle for vehicle in vehicles if vehicle is not None),
        walkers=tuple(walker for walker in walkers if walker is not None),
    )


def _hazard(hazard: Hazard, there: Callable[[Transform], Transform], stage: ShiftStage) -> Hazard:
    return stood(hazard, there(ground_pose(hazard, stage)), stage)


def _vehicle(vehicle: SceneVehicle, pose: Transform, stage: ShiftStage) -> SceneVehicle | None:
    height = stage.planner.ground.road_height(*pose.location)
    return None if height is None else replace(vehicle, pose=replace(pose, z=round(height, 4)))


def _walker(walker: SceneWalker, pose: Transform, stage: ShiftStage) -> SceneWalker | None:
    height = stage.planner.ground.height(*pose.location)
    return None if height is None else replace(walker, pose=replace(pose, z=round(height, 4)))


def _country(scene: Scene, change: Change, _: ShiftStage) -> Scene:
    return replace(scene, town=in_country_of(scene.town, change.text))


def _check_town(change: Change) -> None:
    # Which towns there are is the server's to say; it does, when it is asked to load one.
    if change.operation != "=":
        raise CaosError(f"--change {change}: town takes a name, with '='")


ATTRIBUTES: Final = (
    ShiftAttribute("town", "a town of the simulator, or a plan such as ./plan.toml", _town, _check_town),
    ShiftAttribute(
        "country", f"one of {', '.join(countries())}", _country, one_of(countries, "country"), keeps_ground=True
    ),
)
