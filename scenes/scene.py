"""Scene as data: town, camera, weather, actors, hazards, seed. The same data gives the same frame.

Knows no simulator: :mod:`caos.scenes.generation.filming` shows a scene on one.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from caos.foundation.errors import CaosError
from caos.foundation.settings import read_json, read_record
from caos.simulator.lens import PINHOLE, Lens, Optics
from caos.simulator.lidar import LidarBeams
from caos.simulator.transform import Transform
from caos.simulator.weather import Weather

SCENE_SCHEMA: Final = 1
Placement = Literal["road", "roadside", "sidewalk", "anywhere", "floating"]
"""On the road, beside it, on a sidewalk, wherever there is ground, or in the air, turned any way."""
Stance = Literal["upright", "fallen"]
Motion = Literal["still", "rolling", "falling", "crossing", "blowing", "drifting", "opening"]


@dataclass(frozen=True)
class CameraSpec:
    """Where the picture is taken from, and its lens."""

    pose: Transform
    width: int
    height: int
    fov_deg: float = 90.0
    lens: Lens = PINHOLE
    name: str = "front"

    @property
    def pixels(self) -> int:
        """Pixels in the picture."""
        return self.width * self.height

    @property
    def optics(self) -> Optics:
        """Its lens with the size of its picture."""
        return Optics(self.width, self.height, self.fov_deg, self.lens)


@dataclass(frozen=True)
class LidarSpec:
    """Where a lidar stands in the world, and how it scans."""

    name: str
    pose: Transform
    beams: LidarBeams


@dataclass(frozen=True)
class SceneVehicle:
    """An ordinary vehicle, parked or in its lane; the pose is at ground level. In a sequence it may have a speed."""

    blueprint: str
    pose: Transform
    color: str | None = None
    speed_mps: float = 0.0


@dataclass(frozen=True)
class SceneWalker:
    """A person; the pose is at ground level, under the feet."""

    blueprint: str
    pose: Transform
    walking: bool = False


@dataclass(frozen=True)
class Hazard:
    """A foreign object; the pose puts the origin of its mesh, scaled by ``scale``, into the world.

    ``open_share`` is how far its doors or lid are open, 0 to 1; None as its mesh is drawn. ``view`` names the camera
    whose picture it was placed in; empty for the first.
    """

    object: str
    pose: Transform
    placement: Placement = "road"
    stance: Stance = "upright"
    scale: float = 1.0
    motion: Motion = "still"
    open_share: float | None = None
    view: str = ""


@dataclass(frozen=True)
class Scene:
    """Everything a frame depends on.

    ``ego`` is the car that carries the camera: the ground below it, and its direction. ``cameras`` are those it carries
    besides.
    """

    town: str
    camera: CameraSpec
    weather_name: str
    weather: Weather
    vehicles: tuple[SceneVehicle, ...] = ()
    walkers: tuple[SceneWalker, ...] = ()
    hazards: tuple[Hazard, ...] = ()
    seed: int = 0
    ego: Transform | None = None
    cameras: tuple[CameraSpec, ...] = ()
    lidars: tuple[LidarSpec, ...] = ()
    schema: int = SCENE_SCHEMA

    def camera_of(self, hazard: Hazard) -> CameraSpec:
        """The camera whose picture a hazard was placed in."""
        return next((one for one in self.cameras if one.name == hazard.view), self.camera)

    def without_hazards(self) -> Scene:
        """The twin: the same frame with the road clear."""
        return dataclasses.replace(self, hazards=())

    def to_json(self) -> dict[str, Any]:
        """Plain values for a JSON file."""
        return dataclasses.asdict(self)


def scene_from_json(value: Any, source: object = "scene") -> Scene:
    """The scene in a JSON value, strictly read.

    Raises:
        CaosError: If a field is missing, unknown or of the wrong type; ``source`` names the file.
    """
    if isinstance(value, Mapping) and isinstance(value.get("scene"), Mapping):
        value = value["scene"]
    scene = read_record(Scene, value, source)
    if scene.schema != SCENE_SCHEMA:
        raise CaosError(f"{source}: scene schema {scene.schema} is not {SCENE_SCHEMA}, the one this version reads")
    return scene


def read_scene(path: Path) -> Scene:
    """The scene in a file: a bare scene, or a manifest record that holds one."""
    return scene_from_json(read_json(path), path)
