"""Examples on a study's page: the same picture under each condition, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from caos.foundation.storage.png import write_png
from caos.ood_scores.sources.source import read_picture
from caos.scenes.dataset.layout import Sample

SCRIPT: Final = "examples.js"
FOLDER: Final = "pictures"
WIDTH: Final = 320
LOOKED_AT: Final = 12


def write_examples(folder: Path, pictures: Mapping[str, Sequence[Sample]]) -> list[dict[str, Any]]:
    """Write one scene under each condition that has it: the one that most of them have; JSON-ready for the page."""
    counts: dict[str, int] = {}
    for samples in pictures.values():
        for sample in samples:
            counts[sample.key] = counts.get(sample.key, 0) + 1
    if not counts:
        return []
    most = max(counts.values())
    own = {sample.key: sample for sample in next(iter(pictures.values()))}
    key = most_telling([own[key] for key, count in counts.items() if count == most and key in own]).key
    chosen = {name: sample for name, samples in pictures.items() for sample in samples if sample.key == key}
    return [
        write_example(folder, number, name, read_picture(sample.image))
        for number, (name, sample) in enumerate(chosen.items())
    ]


def most_telling(samples: Sequence[Sample]) -> Sample:
    """The picture of highest contrast among the first few: fog and night show little of what is done to them."""
    return max(samples[:LOOKED_AT], key=lambda sample: float(read_picture(sample.image).std()))


def write_example(folder: Path, number: int, name: str, picture: NDArray[np.uint8]) -> dict[str, Any]:
    """Write one picture, small; what the page's script needs of it."""
    height = round(WIDTH * picture.shape[0] / picture.shape[1])
    small = cv2.resize(picture, (WIDTH, height), interpolation=cv2.INTER_AREA)
    path = f"{FOLDER}/{number}.png"
    write_png(folder / path, np.asarray(small, np.uint8))
    return {"name": name, "file": path}
