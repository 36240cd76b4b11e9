"""Speed of the BDD-Anomaly converter against the bare decoding and encoding of the same PNGs."""

from __future__ import annotations

import functools
import os
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from PIL import Image

from caos.foundation.execution import executor
from caos.foundation.storage.images import load_image
from caos.scenes.converting.bdd_anomaly import PNG_COMPRESSION, convert

FILES: Final = 160
SIZE: Final = (1280, 720)
SEED: Final = 0


def conversion_ratio() -> float:
    """Time of a conversion divided by the time to read and write the same labels with as many processes."""
    workers = os.cpu_count() or 1
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        _make_labels(root / "labels" / "train")
        _bare(root / "labels" / "train", root / "warm", workers)
        bare = min(
            _timed(functools.partial(_bare, root / "labels" / "train", root / f"bare{i}", workers)) for i in range(2)
        )
        ours = min(
            _timed(functools.partial(convert, root / "labels", None, root / f"out{i}", workers=workers))
            for i in range(2)
        )
    return ours / bare


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _make_labels(folder: Path) -> None:
    """Street-like label maps: blocks of classes with ragged borders."""
    folder.mkdir(parents=True)
    rng = np.random.default_rng(SEED)
    for number in range(FILES):
        coarse = rng.choice([0, 1, 2, 8, 10, 13, 255], (18, 32), p=[0.4, 0.1, 0.2, 0.15, 0.05, 0.05, 0.05]).astype(
            np.uint8
        )
        values = np.kron(coarse, np.ones((40, 40), np.uint8))
        shift = rng.integers(-6, 7, SIZE[1])
        ragged = np.stack([np.roll(row, int(s)) for row, s in zip(values, shift, strict=True)])
        Image.fromarray(ragged).save(folder / f"{number:05d}.png")


def _bare(source: Path, target: Path, workers: int) -> None:
    target.mkdir(exist_ok=True)
    for _ in executor.run(sorted(source.iterdir()), _Recoder(target), workers):
        pass


@dataclass(frozen=True)
class _Recoder:
    """Gives each worker the function that reads and writes one picture."""

    target: Path

    def __call__(self, _number: int) -> Callable[[Path], None]:
        return functools.partial(_recode, target=self.target)


def _recode(path: Path, target: Path) -> None:
    values = np.asarray(load_image(path))
    Image.fromarray(values).save(target / path.name, format="PNG", compress_level=PNG_COMPRESSION)
