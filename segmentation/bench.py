"""How fast training and predicting are, and whether loading keeps up: ``python -m segmentation.bench``."""

from __future__ import annotations

import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import torch

from scenes.layout import PLACES, Dataset, open_dataset, write_odgt
from segmentation.config import TrainConfig, make_config
from segmentation.data import Batch, Plan, training_batches
from segmentation.optimization import make_optimizer
from segmentation.predict import Predictor
from segmentation.tasks import SegmentationTask


def bench_loading(
    dataset: Dataset | None = None, *, steps: int = 4, rounds: int = 3, batch: int = 2, workers: int = 2
) -> dict[str, Any]:
    """Steps per second of a ResNet-18 PSPNet on 512x288 crops: pictures read from disk against pictures in memory.

    The two are measured in turns, so that a busy machine disturbs both alike.

    Returns:
        ``disk`` and ``memory`` in steps per second, their ``ratio``, and the peak memory after each in MB.
    """
    with tempfile.TemporaryDirectory() as folder:
        chosen = dataset or noise_set(Path(folder), 48, 512, 288)
        config = make_config({
            "encoder": "resnet18", "encoder_weights": "none", "batch_size": batch, "crop": (512, 288),
            "workers": workers, "epochs": 10_000, "loss_stride": 8, "head_channels": 128,
        })  # fmt: skip
        step = _stepper(config, chosen)
        real = _stream(config, chosen)
        held = list(islice(real, 4))
        for batch_ in held[:2]:
            step(batch_)
        memory_memory = _peak_mb()
        times: dict[str, list[float]] = {"disk": [], "memory": []}
        for _ in range(rounds):
            times["memory"].append(_timed(step, (held[i % len(held)] for i in range(steps))))
            times["disk"].append(_timed(step, islice(real, steps)))
        real.close()  # type: ignore[attr-defined]
    rates = {name: steps / float(np.median(found)) for name, found in times.items()}
    return {
        **rates,
        "ratio": rates["disk"] / rates["memory"],
        "memory_peak_mb": memory_memory,
        "disk_peak_mb": _peak_mb(),
        "batch": batch,
        "threads": torch.get_num_threads(),
    }


def bench_predict(config: TrainConfig, width: int = 1280, height: int = 720, repeats: int = 3) -> float:
    """Seconds that one picture takes, features included."""
    task = SegmentationTask(replace(config, encoder_weights="none"), _table())
    predictor = Predictor(task.model, task.table, task.normalisation)
    pictures = np.random.default_rng(0).integers(0, 256, (1, height, width, 3)).astype(np.uint8)
    predictor.predict(pictures, features=True)
    return min(_timed(lambda p: predictor.predict(p, features=True), [pictures]) for _ in range(repeats))


def noise_set(root: Path, count: int, width: int, height: int) -> Dataset:
    """A training set of smooth noise, which compresses about as badly as rendered streets."""
    import cv2
    from PIL import Image

    rng, place, pairs = np.random.default_rng(0), PLACES["train"], []
    for number in range(1, count + 1):
        coarse = rng.integers(0, 256, (height // 8, width // 8, 3)).astype(np.uint8)
        picture = cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC).astype(np.int16)
        picture = np.clip(picture + rng.integers(-3, 4, picture.shape), 0, 255).astype(np.uint8)
        values = np.repeat(np.repeat(rng.integers(1, 14, (height // 8, width // 8)), 8, 0), 8, 1).astype(np.uint8)
        inner = f"{place.folder}/t1-3/{number}.png"
        for kind, array in (("images", picture), ("annotations", values)):
            path = root / place.top / kind / inner
            path.parent.mkdir(parents=True, exist_ok=True)
            Image.fromarray(array).save(path, compress_level=3)
        pairs.append((f"images/{inner}", f"annotations/{inner}"))
    write_odgt(root / place.top / place.list_name, pairs, width, height, "StreetHazards")
    return open_dataset(root)


def _stepper(config: TrainConfig, dataset: Dataset) -> Callable[[Batch], None]:
    task = SegmentationTask(config, dataset.labels).to(memory_format=torch.channels_last)
    optimizer = make_optimizer(task, config)
    task.train()

    def step(batch: Batch) -> None:
        loss = task(batch.pictures, batch.labels)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    return step


def _stream(config: TrainConfig, dataset: Dataset) -> Iterator[Batch]:
    samples = dataset.samples("train")
    plan = Plan(len(samples), config.batch_size, config.epochs, config.seed)
    return training_batches(samples, dataset.labels, config, plan)


def _timed(work: Callable[[Any], Any], items: Any) -> float:
    started = time.perf_counter()
    for item in items:
        work(item)
    return time.perf_counter() - started


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _table() -> Any:
    from scenes.labels import STREETHAZARDS

    return STREETHAZARDS


if __name__ == "__main__":
    import json

    print(json.dumps(bench_loading(), indent=2))  # noqa: T201 - a program of its own
