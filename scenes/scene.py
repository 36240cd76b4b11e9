"""A scene as data: town, camera, weather, actors, hazards, seed. The same data gives the same frame.

Knows no simulator: :mod:`scenes.builder` shows a scene on one.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from foundation.errors import CaosError, unknown
from foundation.files import read_json
from simulator.transform import Transform
from simulator.weather import Weather

SCENE_SCHEMA: Final = 1
Placement = Literal["road", "roadside", "sidewalk", "anywhere"]
Stance = Literal["upright", "fallen"]


@dataclass(frozen=True)
class CameraSpec:
    """Where the picture is taken from, and its lens."""

    pose: Transform
    width: int
    height: int
    fov_deg: float = 90.0

    @property
    def pixels(self) -> int:
        """Pixels in the picture."""
        return self.width * self.height


@dataclass(frozen=True)
class Vehicle:
    """An ordinary vehicle, parked or in its lane; the pose is at ground level."""

    blueprint: str
    pose: Transform
    color: str | None = None


@dataclass(frozen=True)
class Walker:
    """A person; the pose is at ground level, under the feet."""

    blueprint: str
    pose: Transform
    walking: bool = False


@dataclass(frozen=True)
class Hazard:
    """A foreign object; the pose puts the origin of its mesh into the world."""

    object: str
    pose: Transform
    placement: Placement = "road"
    stance: Stance = "upright"


@dataclass(frozen=True)
class Scene:
    """Everything a frame depends on."""

    town: str
    camera: CameraSpec
    weather_name: str
    weather: Weather
    vehicles: tuple[Vehicle, ...] = ()
    walkers: tuple[Walker, ...] = ()
    hazards: tuple[Hazard, ...] = ()
    seed: int = 0
    schema: int = SCENE_SCHEMA

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
    scene = _read(Scene, value, str(source))
    assert isinstance(scene, Scene)
    if scene.schema != SCENE_SCHEMA:
        raise CaosError(f"{source}: scene schema {scene.schema} is not {SCENE_SCHEMA}, the one this version reads")
    return scene


def read_scene(path: Path) -> Scene:
    """The scene in a file: a bare scene, or a manifest record that holds one."""
    return scene_from_json(read_json(path), path)


def _read(hint: Any, value: Any, where: str) -> Any:
    """``value`` as the annotation ``hint`` wants it."""
    if dataclasses.is_dataclass(hint):
        return _read_dataclass(typing.cast("type[Any]", hint), value, where)
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is tuple:
        if not isinstance(value, list | tuple):
            raise CaosError(f"{where}: {value!r} is not a list")
        return tuple(_read(arguments[0], item, f"{where}[{i}]") for i, item in enumerate(value))
    if origin in (typing.Union, types.UnionType):
        return None if value is None else _read(arguments[0], value, where)
    if origin is Literal:
        if value not in arguments:
            raise CaosError(f"{where}: {value!r} is not one of {', '.join(arguments)}")
        return value
    if hint is float and isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, hint) or (isinstance(value, bool) and hint is not bool):
        raise CaosError(f"{where}: {value!r} is not of type {hint.__name__}")
    return value


def _read_dataclass(kind: type[Any], value: Any, where: str) -> Any:
    if not isinstance(value, Mapping):
        raise CaosError(f"{where}: {value!r} is not an object with the fields of a {kind.__name__.lower()}")
    fields = {field.name: field for field in dataclasses.fields(kind)}
    hints = typing.get_type_hints(kind)
    for key in value:
        if key not in fields:
            raise CaosError(f"{where}: {unknown('field', str(key), fields)}")
    missing = [name for name, field in fields.items() if name not in value and field.default is dataclasses.MISSING]
    if missing:
        raise CaosError(f"{where}: field {missing[0]!r} is missing")
    return kind(**{key: _read(hints[key], item, f"{where}.{key}") for key, item in value.items()})
