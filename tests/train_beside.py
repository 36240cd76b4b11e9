"""How much of its speed ``caos train`` keeps beside a process that wants a core."""

from __future__ import annotations

import csv
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

EPOCHS, IMAGES, ROUNDS = 6, 16, 2


@dataclass(frozen=True)
class Speeds:
    """Training steps a second: alone, and beside one busy process; the best of the rounds, taken in turns."""

    alone: float
    beside: float

    @property
    def kept(self) -> float:
        """The share of its speed that training keeps."""
        return self.beside / self.alone


def measure_speeds(workers: int = 2) -> Speeds:
    """The speeds of ``caos train --preset quick`` with its loading in that many processes."""
    from caos.segmentation.training.bench import noise_set

    with tempfile.TemporaryDirectory() as folder:
        noise_set(Path(folder) / "data", IMAGES, 640, 360)
        alone, beside = [], []
        for number in range(ROUNDS):
            alone.append(_steps_per_s(Path(folder), f"alone{number}", workers))
            with _busy():
                beside.append(_steps_per_s(Path(folder), f"beside{number}", workers))
    return Speeds(max(alone), max(beside))


def _steps_per_s(folder: Path, name: str, workers: int) -> float:
    """Of the command as a user starts it, after its first epoch."""
    words = ["-q", "train", folder / "data", "--out", folder / name, "--preset", "quick", "--evaluate", "none"]
    words += ["--epochs", EPOCHS, "--workers", workers]
    subprocess.run([sys.executable, "-m", "caos", *map(str, words)], stdout=subprocess.DEVNULL, check=True)
    with (folder / name / "curves.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    steps, seconds = (float(rows[-1][key]) - float(rows[0][key]) for key in ("step", "seconds"))
    return steps / seconds


@contextmanager
def _busy() -> Iterator[None]:
    process = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        yield
    finally:
        process.kill()
        process.wait()
