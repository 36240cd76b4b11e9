"""Sizes of vehicles, kept on disk: to measure one means to build it, which takes half a second.

A client may spawn a hundred vehicles in one call and expects the answer in seconds.
"""

from __future__ import annotations

import functools
import hashlib
import logging
import os
import threading
from pathlib import Path
from typing import Any

from foundation.errors import CaosError
from foundation.files import read_json, write_json
from simulator.embedded.models import vehicles
from simulator.embedded.models.vehicles import VEHICLES, vehicle
from simulator.embedded.wire import Box

log = logging.getLogger(__name__)


def cache_file() -> Path:
    """``$CAOS_CACHE/vehicles-<digest of their code>.json``, or the same under ``~/.cache/caos``."""
    root = os.environ.get("CAOS_CACHE")
    return (Path(root) if root else Path.home() / ".cache" / "caos") / f"vehicles-{_code_digest()}.json"


@functools.cache
def _code_digest() -> str:
    folder = Path(vehicles.__file__).parent
    code = (path.read_bytes() for path in sorted(folder.glob("*.py")))
    return hashlib.sha256(b"".join(code)).hexdigest()[:16]


class Sizes:
    """Bounding boxes of vehicles by blueprint id."""

    def __init__(self) -> None:
        self._boxes = _read()

    def box(self, blueprint: str) -> Box:
        """The box of a vehicle in its own frame."""
        if blueprint not in self._boxes:
            center, extent = vehicle(blueprint).bounds
            self._boxes[blueprint] = Box(center, extent)
        return self._boxes[blueprint]

    def measure_all(self) -> None:
        """Measure, in the background, what is not known yet, and keep it."""
        if not set(VEHICLES) <= set(self._boxes):
            threading.Thread(target=self._measure, name="sizes", daemon=True).start()

    def _measure(self) -> None:
        boxes = {name: self.box(name) for name in VEHICLES}
        try:
            write_json(cache_file(), {name: [box.center, box.extent] for name, box in boxes.items()})
        except CaosError as error:
            log.warning("sizes of vehicles were not kept: %s", error)


def _read() -> dict[str, Box]:
    try:
        rows: Any = read_json(cache_file())
        return {str(name): Box(_three(center), _three(extent)) for name, (center, extent) in rows.items()}
    except (CaosError, AttributeError, TypeError, ValueError):
        return {}


def _three(values: Any) -> tuple[float, float, float]:
    x, y, z = (float(v) for v in values)
    return x, y, z
