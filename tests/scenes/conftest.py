"""A tiny set in the StreetHazards layout: real PNGs, drawn by numpy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from caos.foundation.storage.files import write_json, write_jsonl
from caos.scenes.dataset.layout import PLACES, write_odgt

SIZE = (48, 32)


def draw(rng: np.random.Generator, hazard: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Image, PNG values and instances: sky, building, road, a car, and perhaps a hazard of 36 pixels."""
    width, height = SIZE
    values = np.full((height, width), 1, np.uint8)
    values[8:16, :20], values[16:], values[18:22, 5:10] = 2, 8, 11
    instances = np.zeros((height, width), np.uint16)
    instances[values == 11] = 101
    if hazard:
        values[20:26, 24:30], instances[20:26, 24:30] = 14, 1
    image = rng.integers(0, 255, (height, width, 3), dtype=np.uint8)
    return image, values, instances


@pytest.fixture
def tiny_set(tmp_path: Path) -> Path:
    root = tmp_path / "set"
    rng = np.random.default_rng(0)
    rows = []
    for split, folder, count in (("train", "t1-3", 3), ("val", "t4", 2), ("test", "t5", 3)):
        place = PLACES[split]
        pairs = []
        for n in range(1, count + 1):
            image, values, instances = draw(rng, split == "test")
            inner = f"{place.folder}/{folder}/{n}.png"
            for kind, array in (("images", image), ("annotations", values), ("instances", instances)):
                path = root / place.top / kind / inner
                path.parent.mkdir(parents=True, exist_ok=True)
                Image.fromarray(array).save(path)
            pairs.append((f"images/{inner}", f"annotations/{inner}"))
            hazards = [
                {"object": "sofa_01", "category": "furniture", "placement": "road", "instance_id": 1, "pixels": 36}
            ]
            rows.append(
                {
                    "schema": 1,
                    "key": f"{split}/{folder}/{n}",
                    "split": split,
                    "weather": {"name": "clear"},
                    "files": {},
                    "hazards": hazards if split == "test" else [],
                    "rejected": {"hazard: kerb": 2},
                }
            )
        write_odgt(root / place.top / place.list_name, pairs, *SIZE, "StreetHazards")
    write_jsonl(root / "manifest.jsonl", rows)
    write_json(root / "dataset.json", {"name": "StreetHazards", "labels": {"name": "streethazards", "version": 1}})
    return root
