"""Sequence as data: the frames of one scene through time, each a whole scene, planned before the first is shown.

The plan of sequence ``test/approach/003`` is the file ``sequences/test/approach/003.json`` of a set; every frame can be
rendered again on its own from it, on any server.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from caos.foundation.errors import CaosError
from caos.foundation.settings import read_json, read_record
from caos.foundation.storage.files import write_json
from caos.scenes.scene import Scene
from caos.simulator.transform import Transform

SEQUENCE_SCHEMA: Final = 1
FOLDER: Final = "sequences"


@dataclass(frozen=True)
class Sequence:
    """A planned sequence.

    Attributes:
        key: ``<split>/<part>/<number>``.
        speed_kmh: Of the car that carries the camera.
        rate_hz: Frames a second.
        frames: A scene each.
        ego: Where that car is in each frame: the middle of its lane's ground under the camera.
        refused: Tries drawn again on the way to this plan, by reason.
    """

    key: str
    speed_kmh: float
    rate_hz: float
    frames: tuple[Scene, ...]
    ego: tuple[Transform, ...]
    refused: Mapping[str, int] = field(default_factory=dict)
    schema: int = SEQUENCE_SCHEMA

    def about(self, frame: int) -> dict[str, Any]:
        """What the manifest says of one of its frames."""
        return {
            "key": self.key,
            "frame": frame,
            "frames": len(self.frames),
            "time_s": round(frame / self.rate_hz, 4),
            "rate_hz": self.rate_hz,
            "speed_kmh": self.speed_kmh,
            "ego": dataclasses.asdict(self.ego[frame]),
        }


def sequence_file(root: Path, key: str) -> Path:
    """Where the plan of a sequence lies in a set."""
    return root / FOLDER / f"{key}.json"


def write_sequence(root: Path, sequence: Sequence) -> None:
    """Write a plan into its set."""
    write_json(sequence_file(root, sequence.key), dataclasses.asdict(sequence))


def read_sequence(path: Path) -> Sequence:
    """The plan in a file.

    Raises:
        CaosError: If it cannot be read, or is of another schema.
    """
    sequence = read_record(Sequence, read_json(path), path)
    if sequence.schema != SEQUENCE_SCHEMA or len(sequence.ego) != len(sequence.frames) or not sequence.frames:
        raise CaosError(f"{path}: not a sequence of schema {SEQUENCE_SCHEMA} with a pose of the car for each frame")
    return sequence
