"""Built towns on disk, by a hash of everything that made them."""

from __future__ import annotations

import functools
import hashlib
import os
import pickle
from pathlib import Path

import numpy as np

from foundation.errors import CaosError
from foundation.files import write_bytes
from foundation.progress import Progress
from simulator.embedded.towns.opendrive import write_opendrive
from simulator.embedded.towns.plan import load_plan
from simulator.embedded.towns.town import Town, town_from_opendrive

_ROOT = Path(__file__).resolve().parents[3]
_MADE_FROM = ("simulator/embedded/towns", "simulator/embedded/models", "assets")
_CODE_OUT = ("people", "vehicles", "objects")
_DIGEST_BYTES = 32


def default_cache() -> Path:
    """``$CAOS_CACHE/towns``, or ``~/.cache/caos/towns``."""
    base = os.environ.get("CAOS_CACHE")
    return (Path(base) if base else Path.home() / ".cache" / "caos") / "towns"


@functools.cache
def code_digest() -> str:
    """Hash of the code that shapes towns; models of vehicles, people and hazards are no part of one."""
    digest = hashlib.sha256(np.__version__.encode())
    for folder in _MADE_FROM:
        for path in sorted((_ROOT / folder).rglob("*.py")):
            if not set(path.relative_to(_ROOT / folder).parts[:-1]) & set(_CODE_OUT):
                digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()


def place_of(name: str, text: str, style: str, seed: int, folder: Path | None) -> Path:
    """Where a town is kept, if it is."""
    key = hashlib.sha256("\0".join([name, text, style, str(seed), code_digest()]).encode()).hexdigest()[:24]
    return (folder or default_cache()) / f"{name}-{key}.town"


def cached(name: str, text: str, style: str, seed: int, folder: Path | None, progress: Progress) -> Town:
    """The town from the cache, built and stored when it is missing or broken there."""
    path = place_of(name, text, style, seed, folder)
    town = _read(path)
    if town is not None:
        return town
    progress.say(f"building {name} (kept in {path.parent})")
    town = town_from_opendrive(name, text, style=style, seed=seed)
    _store(path, town, progress)
    for old in path.parent.glob(f"{name}-*.town"):
        if old != path:
            old.unlink(missing_ok=True)
    return town


def is_built(name: str) -> bool:
    """Whether one of the six towns is kept already."""
    plan = load_plan(name)
    return place_of(name, write_opendrive(plan), plan.style, plan.seed, None).exists()


def _store(path: Path, town: Town, progress: Progress) -> None:
    payload = pickle.dumps(town, protocol=5)
    try:
        write_bytes(path, hashlib.sha256(payload).digest() + payload)
    except CaosError as error:
        # A town that cannot be kept is still a town.
        progress.say(f"{town.name} was built but not kept: {error}")


def _read(path: Path) -> Town | None:
    """The stored town, or None when there is none or its bytes are not the ones written."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    digest, payload = data[:_DIGEST_BYTES], memoryview(data)[_DIGEST_BYTES:]
    if len(data) <= _DIGEST_BYTES or hashlib.sha256(payload).digest() != digest:
        return None
    try:
        town = pickle.loads(payload)  # noqa: S301 (our own file, checked byte by byte above)
    except (pickle.UnpicklingError, AttributeError, ImportError, EOFError, TypeError, ValueError):
        return None
    return town if isinstance(town, Town) else None
