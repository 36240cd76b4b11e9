"""Benchmark of training, prediction and loading: ``python -m caos.segmentation.training.bench``."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import torch

from caos.assets.cutout_folders.masked_images import write_masked_cutouts
from caos.foundation.storage.png import write_png
from caos.scenes.dataset.layout import PLACES, Dataset, open_dataset, write_odgt
from caos.scenes.labels import STREETHAZARDS, LabelTable
from caos.segmentation.data.loading import Batch, BatchPlan, training_batches
from caos.segmentation.data.pasting import Paster, Perspective
from caos.segmentation.prediction.predict import Predictor
from caos.segmentation.training.config import TrainConfig, make_config
from caos.segmentation.training.negatives import NEGATIVE, OF_QUERIES, loss_names, make_loss
from caos.segmentation.training.optimization import make_optimizer
from caos.segmentation.training.tasks import SegmentationTask


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
        step = _stepper(config, chosen.labels)
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


def bench_negatives(
    *, rounds: int = 20, batch: int = 4, size: tuple[int, int] = (320, 224), preset: str = "quick"
) -> dict[str, float]:
    """What a step with negatives costs, in steps without, for each loss; the network of a preset, batches in memory.

    ``pasted`` is a step with ``max_entropy`` whose pictures are pasted into before it, each of them, by the thread that
    trains: more than a run ever waits for. All are measured in turns, a step at a time, and the fastest steps compared:
    those that nobody disturbed, by the processor's time.
    """
    settings = {"encoder_weights": "none", "batch_size": batch, "crop": size}
    table = STREETHAZARDS
    losses = [name for name in loss_names() if make_loss(name).needs not in OF_QUERIES]
    rng = torch.Generator().manual_seed(0)
    pictures = torch.randint(0, 256, (batch, size[1], size[0], 3), dtype=torch.uint8, generator=rng)
    labels = torch.randint(0, table.num_classes, (batch, size[1], size[0]), dtype=torch.uint8, generator=rng)
    shown = labels.clone()
    shown[:, size[1] // 2 :, : size[0] // 8] = NEGATIVE
    steppers: dict[str | None, tuple[Callable[[Batch], None], Batch]] = {
        name: (_stepper(make_config(settings | {"negatives": name}, preset=preset), table), Batch(pictures, given))
        for name, given in ((None, labels), *((name, shown) for name in losses))
    }
    with tempfile.TemporaryDirectory() as folder:
        paste = _pasting(Path(folder), size)
        steppers["pasted"] = (_after(paste, steppers["max_entropy"][0]), Batch(pictures, labels))
        times = _in_turns(steppers, rounds)
    return {name: min(times[name]) / min(times[None]) for name in (*losses, "pasted")}


def _in_turns(
    steppers: Mapping[str | None, tuple[Callable[[Batch], None], Batch]], rounds: int
) -> dict[str | None, list[float]]:
    times: dict[str | None, list[float]] = {name: [] for name in steppers}
    for turn in range(rounds + 1):
        for name, (step, given) in steppers.items():
            taken = _timed(step, [given], time.process_time)
            if turn:  # the first one warms up
                times[name].append(taken)
    return times


def _pasting(folder: Path, size: tuple[int, int]) -> Callable[[Batch], Batch]:
    """Pastes one to three cut-outs of 256 pixels into every picture of a batch of ``size``."""
    y, x = np.mgrid[:256, :256] - 127.5
    disc = np.random.default_rng(0).integers(0, 256, (256, 256, 4)).astype(np.uint8)
    disc[..., 3] = np.clip(127 - np.hypot(x, y), 0, 1) * 255
    write_png(folder / "in" / "disc.png", disc)
    write_masked_cutouts(folder / "in", folder / "cuts")
    settings = {"negatives": "max_entropy", "paste": folder / "cuts", "paste_share": 1.0}
    paster = Paster(folder / "cuts", make_config(settings, preset="quick"))
    rng, seen = np.random.default_rng(1), Perspective(0.4 * size[1], size[1])

    def paste(batch: Batch) -> Batch:
        pairs = zip(batch.pictures.numpy(), batch.labels.numpy(), strict=True)
        pasted = [paster.paste(picture, labels, seen, rng) for picture, labels in pairs]
        pictures, labels = (torch.from_numpy(np.stack(part)) for part in zip(*pasted, strict=True))
        return Batch(pictures, labels)

    return paste


def _after(change: Callable[[Batch], Batch], step: Callable[[Batch], None]) -> Callable[[Batch], None]:
    return lambda batch: step(change(batch))


def bench_predict(config: TrainConfig, width: int = 1280, height: int = 720, repeats: int = 3) -> float:
    """Seconds that one picture takes, features included."""
    task = SegmentationTask(replace(config, encoder_weights="none"), STREETHAZARDS)
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


def _stepper(config: TrainConfig, table: LabelTable) -> Callable[[Batch], None]:
    task = SegmentationTask(config, table).to(memory_format=torch.channels_last)
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
    plan = BatchPlan(len(samples), config.batch_size, config.epochs, config.seed)
    return training_batches(samples, dataset.labels, config, plan)


def _timed(work: Callable[[Any], Any], items: Any, clock: Callable[[], float] = time.perf_counter) -> float:
    started = clock()
    for item in items:
        work(item)
    return clock() - started


def _peak_mb() -> float:
    import resource  # not on Windows

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    import json

    from caos.foundation.execution.threads import wait_passively

    wait_passively()
    costs = {preset: bench_negatives(preset=preset) for preset in ("quick", "transfer")}
    print(json.dumps({"loading": bench_loading(), "negatives": costs}, indent=2))  # noqa: T201 - a program of its own
