"""Sets on disk with score maps of every kind, scored by ``caos score`` as a user would, and read back."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image
from scipy.ndimage import gaussian_filter

from caos.cli import _run as run_command
from caos.ood_scores import results
from caos.ood_scores.results import Results
from caos.scenes.dataset.layout import Dataset, open_dataset
from caos.scenes.labels import LabelTable
from tests.reference.score_maps import KINDS

Mask = npt.NDArray[np.bool_]
SHAPE = (64, 96)
WIDE = (
    *("raw, float64", "sigmoid, float64", "tanh, float64", "adjacent doubles", "below float32 steps", "beside one"),
    *("signed zeros, float64", "32 bit", "64 bit", "unsigned 64 bit", "adjacent 64 bit", "constant integers"),
)
"""Kinds with more than float32 can tell apart: a scorer may refuse them, but not measure something else."""
NARROW = tuple(kind for kind in KINDS if kind not in WIDE)


@dataclass(frozen=True, eq=False)
class TrueImage:
    """What is known of an image.

    Attributes:
        key: ``test/<town>/<stem>``.
        values: PNG values of its label map.
        instances: Ids of its hazards, 0 elsewhere.
        scores: By detector, the map as it was saved.
    """

    key: str
    values: npt.NDArray[np.uint8]
    instances: npt.NDArray[np.uint16]
    scores: Mapping[str, npt.NDArray[Any]]

    @property
    def town(self) -> str:
        """The folder that it lies in."""
        return self.key.split("/")[1]


def write_scored_set(
    root: Path,
    table: LabelTable,
    kinds: Sequence[str],
    rng: np.random.Generator,
    *,
    images: int = 6,
    with_instances: bool = True,
) -> list[TrueImage]:
    """Write ``root/set`` and the maps of one detector for each kind below ``root/maps``.

    The images lie in two towns. The last has no hazard; the last but one consists of nothing else.
    """
    truth = []
    for number in range(images):
        values, instances = _labels(table, rng, none=number == images - 1, everywhere=number == images - 2)
        name = f"test/t{5 + number % 2}/{number}"
        anomalous = np.isin(values, table.png_values("anomaly"))
        z = _logits(anomalous, rng)
        with np.errstate(over="ignore", under="ignore"):
            scores = {_folder(kind): KINDS[kind](z) for kind in kinds}
        image = TrueImage(name, values, instances, scores)
        _write_image(root, image, with_instances=with_instances, rng=rng)
        truth.append(image)
    labels = {"name": table.name, "version": table.version, "digest": table.digest, "background": table.background}
    (root / "set/dataset.json").write_text(json.dumps({"name": "Reference", "labels": labels}))
    order = {sample.key: place for place, sample in enumerate(open_dataset(root / "set").samples("test"))}
    return sorted(truth, key=lambda image: order[image.key])


def _folder(kind: str) -> str:
    """The name of a detector's folder."""
    return kind.replace(", ", "_").replace(" ", "_")


def _labels(
    table: LabelTable, rng: np.random.Generator, *, none: bool, everywhere: bool
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint16]]:
    """PNG values in blocks of classes, void among them, with three hazards, two of which touch."""
    ordinary = [*table.png_values("train"), *(table.png_values("ignore") * 2)]
    cells = rng.choice(np.array(ordinary, np.uint8), (8, 12))
    values = np.repeat(np.repeat(cells, SHAPE[0] // 8, 0), SHAPE[1] // 12, 1)
    instances = np.zeros(SHAPE, np.uint16)
    top, left = rng.integers(2, 20, 2)
    instances[top : top + 14, left : left + 20] = 300
    instances[top + 8 : top + 20, left + 20 : left + 30] = 7
    instances[50:52, 70 : 70 + rng.integers(1, 9)] = 12
    if everywhere:
        instances[instances == 0] = 9
    if none:
        instances[:] = 0
    anomalies = np.array(table.png_values("anomaly"), np.uint8)
    values[instances > 0] = anomalies[instances[instances > 0] % anomalies.size]
    return values, instances


def _logits(anomalous: Mask, rng: np.random.Generator) -> npt.NDArray[np.float64]:
    """Smooth noise, so that flagged pixels form regions, higher on hazards."""
    smooth = gaussian_filter(rng.normal(size=anomalous.shape), 2.0)
    noise = smooth / smooth.std() + 0.3 * rng.normal(size=anomalous.shape)
    return np.asarray(noise + gaussian_filter(anomalous * rng.uniform(1.0, 3.0), 1.0) - 1, np.float64)


def _write_image(root: Path, image: TrueImage, *, with_instances: bool, rng: np.random.Generator) -> None:
    pictures = {"images": rng.integers(0, 255, (*SHAPE, 3), dtype=np.uint8), "annotations": image.values}
    if with_instances:
        pictures["instances"] = image.instances
    for kind, picture in pictures.items():
        path = root / "set/test" / kind / f"{image.key}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(picture).save(path)
    for detector, scores in image.scores.items():
        path = root / "maps" / detector / f"{image.key}.npy"
        path.parent.mkdir(parents=True, exist_ok=True)
        np.save(path, scores)


def score(root: Path, *words: str) -> int:
    """``caos score`` on the set and its maps, by all protocols; the exit code."""
    places = [str(root / "set"), "--maps", str(root / "maps"), "--out", str(root / "out")]
    return run_command(["score", *places, "--protocol", "all", *words])


def scored(root: Path, *words: str) -> tuple[Results, Dataset]:
    """Score the set; its results and the set as they are read back."""
    if score(root, *words):
        raise AssertionError(f"caos score {root} fails")
    return results.read(root / "out"), open_dataset(root / "set")


def detectors(truth: Sequence[TrueImage]) -> Iterator[str]:
    """Names of the score maps."""
    yield from truth[0].scores
