"""Identity of a generated set: everything its pictures depend on, to be compared before it is gone on with."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from caos import assets, simulator
from caos.assets.catalogue.library import Library
from caos.foundation.cache import code_digest
from caos.scenes.labels import STREETHAZARDS
from caos.scenes.object_choice import imported_contents, part_key
from caos.scenes.recipe import Recipe

_HERE: Final = Path(__file__).parent
_DRAWING: Final = (
    "boxes",
    "cast",
    "checking",
    "contrast",
    "filming",
    "flow",
    "ground",
    "labels",
    "lane_path",
    "lanes",
    "levels",
    "lidar_files",
    "lidar_labels",
    "motion",
    "moving_traffic",
    "object_choice",
    "placing",
    "planning",
    "poses",
    "recipe",
    "rig_poses",
    "scene",
    "scene_maker",
    "sequence",
    "sequence_planning",
    "silhouette",
    "slot_files",
    "sunlight",
    "tag_classes",
    "traffic",
    "weather_mix",
)
"""Modules of this room that decide what a picture shows; the rules' defaults are in the recipe itself."""
_NOT_SHOWN: Final = ("importing",)


def identity(
    recipe: Recipe,
    objects: Mapping[str, Sequence[str]],
    library: Library,
    *,
    seed: int,
    depth: bool,
    twins: bool,
    simulator_name: str,
    quality: str,
) -> dict[str, Any]:
    """What the pictures depend on, JSON-ready: not the number of workers, nor which machine renders."""
    every = sorted({name for names in objects.values() for name in names})
    towns = sorted({town for part in recipe.parts if part.count for town in part.towns})
    return {
        # Parts by their names, so that a difference is named by them.
        "recipe": asdict(recipe) | {"parts": {part_key(p.split, p.folder): asdict(p) for p in recipe.parts}},
        "seed": seed,
        "depth": depth,
        "twins": twins,
        "simulator": simulator_name,
        "quality": quality,
        "objects": {part: list(names) for part, names in objects.items()},
        "imported objects": dict(imported_contents(every, library)),
        "towns": {town: town_digest(town) for town in towns} if simulator_name == "embedded" else {},
        "labels": STREETHAZARDS.digest,
        "code": drawing_code(),
    }


def town_digest(town: str) -> str | None:
    """Short hash of the roads of a town that has a plan or is a file; None for one that only a server knows."""
    from caos.simulator.town_files import roads_of

    text = roads_of(town)
    return None if text is None else hashlib.sha256(text.encode()).hexdigest()[:16]


def drawing_code() -> str:
    """Short hash of the code that shapes pictures: of this room, of the simulator, and of what is shown."""
    own = [_HERE / f"{name}.py" for name in _DRAWING]
    rooms = [Path(next(iter(room.__path__))) for room in (simulator, assets)]
    return code_digest(*own, *rooms, without=_NOT_SHOWN)[:16]
