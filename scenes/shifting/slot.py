"""Slot of a shifted set: the place of an image, the same as in the set it comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from caos.foundation.errors import CaosError
from caos.scenes.dataset.layout import PLACES, Dataset, Split
from caos.scenes.scene import Scene, scene_from_json


@dataclass(frozen=True, eq=False)
class ShiftedSlot:
    """One image to be made again.

    Attributes:
        key: Of the image, the same in both sets.
        split: The split it is listed in.
        scene: As it was.
        depth: Whether it has a depth map.
        twin: Whether it has a twin.
    """

    key: str
    split: Split
    scene: Scene
    depth: bool
    twin: bool

    def path(self, kind: str) -> str:
        """Path of one of the image's files, relative to the set: ``kind`` is images, annotations, instances ..."""
        place = PLACES[self.split]
        return f"{place.top}/{kind}/{place.folder}/{self.key.partition('/')[2]}.png"


def slots_of(dataset: Dataset, split: Split, images: int | None = None) -> list[ShiftedSlot]:
    """The images of a split that can be made again, at most so many, evenly spread.

    Raises:
        CaosError: If the split is empty, or the set does not say what its scenes are.
    """
    import numpy as np

    rows, samples = dataset.manifest(), dataset.samples(split)
    slots = [_slot(dataset, sample.key, split, rows.get(sample.key, {})) for sample in samples]
    if images is None:
        return slots
    if images < 1:
        raise CaosError(f"images is {images!r}; it must be at least 1")
    steps = np.linspace(0, len(slots) - 1, min(images, len(slots))).tolist()
    return [slots[i] for i in dict.fromkeys(round(step) for step in steps)]


def _slot(dataset: Dataset, key: str, split: Split, row: dict[str, Any]) -> ShiftedSlot:
    where = dataset.root / "manifest.jsonl"
    if "scene" not in row:
        raise CaosError(f"{where} has no scene for {key}: only a set made by caos scenes generate can be shifted")
    files = row.get("files", {})
    return ShiftedSlot(
        key, split, scene_from_json(row["scene"], f"{where}: {key}"), depth="depth" in files, twin="twin" in files
    )
