"""Cache of built towns, keyed by a hash of their inputs and of the code that builds them."""

from __future__ import annotations

import glob
import hashlib
from pathlib import Path

import numpy as np

from caos import assets
from caos.foundation.errors import CaosError
from caos.foundation.execution.progress import Progress
from caos.foundation.storage.cache import cache_root, code_digest
from caos.simulator.embedded.towns.plan import load_plan
from caos.simulator.embedded.towns.roads.opendrive_writer import write_opendrive
from caos.simulator.embedded.towns.storage import read_town, write_town
from caos.simulator.embedded.towns.town import Town, town_from_opendrive

_MADE_FROM = (Path(__file__).parent, Path(assets.__file__).parent)
_NO_PART_OF_A_TOWN = ("people", "vehicles", "objects", "props", "importing")


def default_cache() -> Path:
    """Return the folder of built towns in the cache."""
    return cache_root() / "towns"


def place_of(name: str, text: str, style: str, seed: int, folder: Path | None) -> Path:
    """Return the path of a town's cache file, whether or not it exists."""
    code = code_digest(*_MADE_FROM, without=_NO_PART_OF_A_TOWN)
    key = hashlib.sha256("\0".join([name, text, style, str(seed), np.__version__, code]).encode()).hexdigest()[:24]
    return (folder or default_cache()) / f"{name}-{key}.town"


def cached(name: str, text: str, style: str, seed: int, folder: Path | None, progress: Progress) -> Town:
    """Load a town from the cache; build and store it if it is missing or damaged there."""
    path = place_of(name, text, style, seed, folder)
    town = _read(path)
    if town is not None:
        return town
    progress.say(f"building {name} (cached in {path.parent})")
    town = town_from_opendrive(name, text, style=style, seed=seed)
    _store(path, town, progress)
    for old in path.parent.glob(f"{glob.escape(name)}-*.town"):
        if old != path:
            old.unlink(missing_ok=True)
    return town


def is_built(name: str) -> bool:
    """Whether a planned town is in the cache."""
    plan = load_plan(name)
    return place_of(plan.name, write_opendrive(plan), plan.style, plan.seed, None).exists()


def _store(path: Path, town: Town, progress: Progress) -> None:
    try:
        write_town(path, town)
    except CaosError as error:
        # A town that cannot be cached can still be used.
        progress.say(f"{town.name} was built but could not be cached: {error}")


def _read(path: Path) -> Town | None:
    """Load the cached town; None if it is missing or its checksum does not match."""
    try:
        return read_town(path)
    except CaosError:
        return None
