"""Identity of a generated set: everything that its files depend on, compared before a stopped set is continued."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from caos.assets import numerics as assets
from caos.assets.catalogue.library import Library
from caos.foundation.storage.identity import Fingerprint, Numerics
from caos.scenes.labels import STREETHAZARDS
from caos.scenes.numerics import NUMERICS
from caos.scenes.recipes.object_choice import imported_contents, part_key
from caos.scenes.recipes.recipe import Recipe
from caos.simulator import numerics as simulator


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
    settings = {
        # Parts by their names, so that a difference is named by them.
        "recipe": asdict(recipe) | {"parts": {part_key(p.split, p.folder): asdict(p) for p in recipe.parts}},
        "seed": seed,
        "depth": depth,
        "twins": twins,
        "simulator": simulator_name,
        "quality": quality,
        "objects": {part: list(names) for part, names in objects.items()},
    }
    inputs = {
        "imported objects": dict(imported_contents(every, library)),
        "towns": {town: town_digest(town) for town in towns} if simulator_name == "embedded" else {},
        "labels": STREETHAZARDS.digest,
    }
    return Fingerprint(inputs, settings, drawn_by(simulator_name)).plan()


def town_digest(town: str) -> str | None:
    """Short hash of the roads of a town that has a plan or is a file; None for one that only a server knows."""
    from caos.simulator.town_files import roads_of

    text = roads_of(town)
    return None if text is None else hashlib.sha256(text.encode()).hexdigest()[:16]


def drawn_by(simulator_name: str) -> tuple[Numerics, ...]:
    """What computes the files of a set; of a CARLA server nothing is known here but that it is one."""
    own = (assets.NUMERICS, NUMERICS)
    return (*own, simulator.NUMERICS) if simulator_name == "embedded" else own
