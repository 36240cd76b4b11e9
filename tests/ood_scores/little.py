"""A little StreetHazards on disk, runs with random weights, and a detector that can be made as good as wanted."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np
from PIL import Image

from caos.scenes.labels import STREETHAZARDS, LabelTable

WIDTH, HEIGHT = 96, 64
CATEGORIES = ("furniture", "animal")


def write_set(root: Path, *, test: int = 6, val: int = 3, hazards: bool = True, seed: int = 0) -> Path:
    """A set of small striped pictures; test images carry two hazards, but for the last, which carries none."""
    rng = np.random.default_rng(seed)
    manifest = []
    for number in range(val):
        _write(root / "train", f"validation/t4/{number}", *_scene(rng))
    for number in range(test):
        ids, image = _scene(rng)
        instances = np.zeros_like(ids, np.uint16)
        town = "t5" if number % 2 == 0 else "t6"
        if hazards and number < test - 1:
            _place(ids, image, instances, rng, 300, (8 + number, 10), (14, 12))
            _place(ids, image, instances, rng, 7, (36, 50 + number), (9, 20))
        _write(root / "test", f"test/{town}/{number}", ids, image, instances)
        manifest.append(_record(number, town, instances))
    (root / "manifest.jsonl").write_text("".join(json.dumps(row) + "\n" for row in manifest))
    return root


def _scene(rng):
    ids = np.repeat(np.repeat(rng.integers(0, 13, (4, 6)), HEIGHT // 4, 0), WIDTH // 6, 1).astype(np.uint8)
    colors = np.array([row.color for row in STREETHAZARDS.classes], np.int32)
    image = np.clip(colors[ids] + rng.integers(-9, 9, (HEIGHT, WIDTH, 3)), 0, 255).astype(np.uint8)
    return ids, image


def _place(ids, image, instances, rng, number, corner, size):
    where = np.s_[corner[0] : corner[0] + size[0], corner[1] : corner[1] + size[1]]
    ids[where], instances[where] = 13, number
    image[where] = rng.integers(0, 255, (*size, 3))


def _write(top, name, ids, image, instances=None):
    for kind, picture in (("images", image), ("annotations", ids + 1), ("instances", instances)):
        if picture is not None:
            path = top / kind / f"{name}.png"
            path.parent.mkdir(parents=True, exist_ok=True)
            Image.fromarray(picture).save(path)


def _box(mask):
    rows, columns = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
    return [int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1]


def _record(number, town, instances):
    present = [int(i) for i in np.unique(instances) if i]
    return {
        "schema": 1,
        "key": f"test/{town}/{number}",
        "split": "test",
        "town": town,
        "weather": {"name": "rain" if number % 3 else "clear"},
        "hazards": [
            {
                "instance_id": i,
                "object": f"thing_{i}",
                "kind": "thing",
                "category": CATEGORIES[i == 7],
                "distance_m": 5.0 if i == 7 else 30.0,
                "pixels": int((instances == i).sum()),
                "occluded_share": 0.0 if i == 7 else 0.3,
                "placement": "road",
                "box": _box(instances == i),
            }
            for i in present
        ],
    }


def write_run(
    path: Path,
    table: LabelTable = STREETHAZARDS,
    *,
    seed: int = 0,
    confidence: bool = False,
    negative_head: Literal["none", "void", "outlier"] = "none",
) -> Path:
    """A segmenter with random weights."""
    import torch

    from caos.segmentation.models.encoders import Normalisation
    from caos.segmentation.models.networks import Architecture, build_model
    from caos.segmentation.prediction.checkpoint import Run

    torch.manual_seed(seed)
    architecture = Architecture(
        "pspnet-light",
        "resnet18",
        table.num_classes,
        dropout=0.5,
        confidence_branch=confidence,
        auxiliary=False,
        negative_head=negative_head,
    )
    model = build_model(architecture)
    return write_finished(Run(path, architecture, table, Normalisation(), None), model.state_dict())


def write_finished(run, state) -> Path:
    """A run as training leaves it, with these weights."""
    from caos.foundation.storage.files import sha256
    from caos.segmentation.prediction.checkpoint import WEIGHTS_FILE, TrainResults, save_weights, write_run

    save_weights(run.path / WEIGHTS_FILE, state)
    results = TrainResults(weights_sha256=sha256(run.path / WEIGHTS_FILE))
    write_run(run.path, replace(run, record=replace(run.record, status="finished", results=results)))
    return run.path


def write_autoencoder(path: Path, table: LabelTable = STREETHAZARDS) -> Path:
    """An autoencoder with random weights."""
    import torch

    from caos.segmentation.models.encoders import Normalisation
    from caos.segmentation.models.networks import Architecture, AutoencoderNetwork
    from caos.segmentation.prediction.checkpoint import Run
    from caos.segmentation.training.config import AUTOENCODER

    torch.manual_seed(3)
    architecture = Architecture(AUTOENCODER, "none", table.num_classes, head_channels=8, auxiliary=False)
    run = Run(path, architecture, table, Normalisation(), None)
    return write_finished(run, AutoencoderNetwork(8).state_dict())


def write_observer(run: Path) -> Path:
    """An observer of a run, with random weights."""
    import torch

    from caos.segmentation.models.observer import ObserverNetwork, observer_of
    from caos.segmentation.prediction.checkpoint import read_run

    torch.manual_seed(4)
    watched, path = read_run(run), run / "observer"
    architecture = observer_of(watched.architecture)
    observer = replace(watched, path=path, architecture=architecture)
    return write_finished(observer, ObserverNetwork(architecture).state_dict())


def write_maps(folder: Path, root: Path, make) -> Path:
    """One ``.npy`` map a test image: ``make(anomalous, number)``."""
    for path in sorted((root / "test/annotations").rglob("*.png")):
        anomalous = np.asarray(Image.open(path)) == 14
        target = folder / path.parent.name / f"{path.stem}.npy"
        target.parent.mkdir(parents=True, exist_ok=True)
        np.save(target, make(anomalous, int(path.stem)))
    return folder


NEARED_M = (50.0, 40.0, 30.0, 20.0)
MARKS = {"001": (0.1, 0.9, 0.9, 0.9), "002": (0.1, 0.9, 0.1, 0.1)}
"""Score of the hazard in each frame of two approaches."""


def write_approaches(root: Path) -> tuple[Path, Path]:
    """A set of two approaches of four frames at 36 km/h, two frames a second, and the score maps of a detector.

    Ordinary pixels score 0.0 to 0.2, but for a region of 0.5 in the first frame of the second approach.
    """
    rng = np.random.default_rng(5)
    manifest = []
    for number, marks in MARKS.items():
        for k, (distance, mark) in enumerate(zip(NEARED_M, marks, strict=True)):
            ids, image = _scene(rng)
            instances = np.zeros_like(ids, np.uint16)
            _place(ids, image, instances, rng, 1, (20, 30), (10, 10))
            name = f"test/near/{number}-{k:04d}"
            _write(root / "set/test", name, ids, image, instances)
            scores = rng.uniform(0, 0.2, ids.shape).astype(np.float32)
            scores[instances == 1] = mark
            if (number, k) == ("002", 0):
                scores[50:54, 50:54] = 0.5
            path = root / f"maps/mine/{name}.npy"
            path.parent.mkdir(parents=True, exist_ok=True)
            np.save(path, scores)
            row = _record(k, "near", instances) | {"key": name}
            row["hazards"][0] |= {"nearest_m": distance, "size_m": [2.0, 1.0, 1.0], "box": [30, 20, 40, 30]}
            row["weather"] = {"name": "clear", "sun_altitude_angle": 40.0, "wetness": 80.0 * (number == "002")}
            told = {"key": f"test/near/{number}", "frame": k, "frames": 4, "time_s": k / 2}
            manifest.append(row | {"sequence": told | {"rate_hz": 2.0, "speed_kmh": 36.0}})
    (root / "set/manifest.jsonl").write_text("".join(json.dumps(row) + "\n" for row in manifest))
    return root / "set", root / "maps"


def count_by_step(pixels, steps, number):
    """How many of the pixels of each kind that counts have each of so many steps."""
    counted = np.zeros((pixels.number + 1, number), np.int64)
    np.add.at(counted, (pixels.kinds, steps.ravel()), 1)
    return counted[: pixels.number]
