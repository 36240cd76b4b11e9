"""Little street scenes drawn from shapes, in StreetHazards layout, as real PNG files."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
from PIL import Image

from caos.foundation.storage.files import sha256
from caos.foundation.storage.identity import digest_of
from caos.scenes.dataset.layout import PLACES, Dataset, open_dataset, write_odgt
from caos.scenes.labels import STREETHAZARDS
from caos.segmentation.prediction.checkpoint import RUN_FILE, SETTINGS, WEIGHTS_FILE
from caos.segmentation.training.config import TrainConfig, make_config

TOWNS = {"train": "t1-3", "val": "t4", "test": "t5"}
PNG = {row.name: row.png_value for row in STREETHAZARDS.classes}
LOOKS = {"background": (150, 190, 230), "building": (140, 110, 95), "road": (75, 75, 80), "sidewalk": (165, 160, 150),
         "car": (170, 30, 40), "vegetation": (60, 120, 50), "anomaly": (240, 90, 220)}  # fmt: skip


def draw_scene(rng: np.random.Generator, width: int, height: int, anomaly: bool = False):
    """A picture and PNG label values: sky, a row of houses, a road between pavements, a tree, cars."""
    picture, values = np.zeros((height, width, 3), np.uint8), np.zeros((height, width), np.uint8)

    def paint(name: str, draw) -> None:
        mask = np.zeros((height, width), np.uint8)
        draw(mask)
        color = np.clip(np.array(LOOKS[name]) + rng.integers(-20, 21), 0, 255)
        picture[mask > 0], values[mask > 0] = color, PNG[name]

    def box(x0: float, y0: float, x1: float, y1: float):
        return lambda m: cv2.rectangle(m, (int(x0), int(y0)), (int(x1), int(y1)), 1, -1)

    horizon = int(height * rng.uniform(0.4, 0.5))
    paint("background", box(0, 0, width, height))
    x = 0
    while x < width:
        wide = int(width * rng.uniform(0.15, 0.4))
        paint("building", box(x, horizon - height * rng.uniform(0.1, 0.3), x + wide, horizon))
        x += wide + int(width * rng.uniform(0, 0.2))
    paint("sidewalk", box(0, horizon, width, height))
    middle = width * rng.uniform(0.4, 0.6)
    far, near = [[middle - 4, horizon], [middle + 4, horizon]], [[width * 0.95, height], [width * 0.05, height]]
    corners = np.array([*far, *near], np.int32)
    paint("road", lambda m: cv2.fillPoly(m, [corners], 1))
    tree = (int(width * rng.uniform(0.05, 0.25)), horizon)
    paint("vegetation", lambda m: cv2.circle(m, tree, max(height // 8, 3), 1, -1))
    for _ in range(int(rng.integers(1, 3))):
        cx, cy = width * rng.uniform(0.3, 0.7), height * rng.uniform(0.6, 0.85)
        paint("car", box(cx - width * 0.07, cy - height * 0.06, cx + width * 0.07, cy + height * 0.06))
    if anomaly:
        at = (int(width * rng.uniform(0.35, 0.65)), int(height * 0.8))
        paint("anomaly", lambda m: cv2.circle(m, at, max(height // 10, 3), 1, -1))
    noisy = picture.astype(np.int16) + rng.integers(-12, 13, picture.shape)
    return np.clip(noisy, 0, 255).astype(np.uint8), values


def seal(run: Path, **changes) -> Path:
    """Change keys of ``run.json`` and write its digests anew, as if the run had been trained like that."""
    record = json.loads((run / RUN_FILE).read_text()) | {"status": "finished"} | changes
    record["results"] = record["results"] | {"weights_sha256": sha256(run / WEIGHTS_FILE)}
    record["settings_digests"] = {key: digest_of(record[key]) for key in SETTINGS}
    (run / RUN_FILE).write_text(json.dumps(record))
    return run


def write_set(
    root: Path, counts: dict[str, int], width: int = 64, height: int = 64, seed: int = 0, exposed: int = 0
) -> Dataset:
    """A set; its test pictures and the first ``exposed`` training pictures show an anomaly."""
    rng = np.random.default_rng(seed)
    for split, place in PLACES.items():
        pairs = []
        for number in range(1, counts.get(split, 0) + 1):
            inner = f"{place.folder}/{TOWNS[split]}/{number}.png"
            shows = split == "test" or (split == "train" and number <= exposed)
            for kind, array in zip(
                ("images", "annotations"), draw_scene(rng, width, height, anomaly=shows), strict=True
            ):
                path = root / place.top / kind / inner
                path.parent.mkdir(parents=True, exist_ok=True)
                Image.fromarray(array).save(path)
            pairs.append((f"images/{inner}", f"annotations/{inner}"))
        if pairs:
            write_odgt(root / place.top / place.list_name, pairs, width, height, "StreetHazards")
    return open_dataset(root)


TINY = {
    "encoder": "resnet18",
    "encoder_weights": "none",
    "head_channels": 32,
    "output_stride": 16,
    "epochs": 2,
    "batch_size": 4,
    "crop": (64, 64),
    "loss_stride": 4,
    "lr": 0.01,
    "device": "cpu",
}


def tiny(**changes: object) -> TrainConfig:
    """Settings that train in seconds."""
    return make_config({**TINY, **changes})
