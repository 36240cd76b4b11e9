"""Checks a set in the StreetHazards layout: ours, the genuine release, or BDD-Anomaly."""

from __future__ import annotations

import concurrent.futures
import functools
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from foundation.errors import CaosError
from foundation.files import sha256
from foundation.progress import SILENT, Progress
from scenes.genuine import genuine_share
from scenes.labels import LabelTable
from scenes.layout import PLACES, SPLITS, Dataset, Sample, read_image, read_instances, read_png_values

Level = Literal["error", "warning"]
DUST_PX: Final = 10
HAZARD_IDS_BELOW: Final = 101
FEWEST_FOR_CLASSES: Final = 30
"""Smaller splits may lack a class by chance."""


@dataclass(frozen=True)
class Problem:
    """Something wrong with a file: ``rule`` is a short name for counting."""

    level: Level
    rule: str
    file: str
    detail: str


@dataclass(frozen=True, eq=False)
class Checked:
    """What one sample showed."""

    sample: Sample
    problems: tuple[Problem, ...]
    pixels: Mapping[str, int] = field(default_factory=dict)
    size: tuple[int, int] = (0, 0)
    image_hash: str = ""


@dataclass(frozen=True, eq=False)
class Audit:
    """The outcome: problems, images per split, sizes, and class shares per split and town."""

    problems: tuple[Problem, ...]
    counts: Mapping[str, int]
    sizes: Mapping[str, int]
    shares: tuple[Mapping[str, Any], ...]

    @property
    def errors(self) -> int:
        """How many problems are errors."""
        return sum(problem.level == "error" for problem in self.problems)

    def to_json(self) -> dict[str, Any]:
        """Plain values for ``--json``."""
        rules = Counter((p.level, p.rule) for p in self.problems)
        return {
            "ok": self.errors == 0,
            "errors": self.errors,
            "warnings": len(self.problems) - self.errors,
            "rules": [{"level": level, "rule": rule, "count": n} for (level, rule), n in sorted(rules.items())],
            "problems": [vars(problem) for problem in self.problems],
            "counts": dict(self.counts),
            "sizes": dict(self.sizes),
            "class_shares": [dict(row) for row in self.shares],
        }


def audit(dataset: Dataset, *, workers: int | None = None, progress: Progress = SILENT) -> Audit:
    """Check every file of a set. Problems are collected, never raised.

    Raises:
        CaosError: If the manifest cannot be read at all.
    """
    manifest = dataset.manifest()
    samples = [sample for split in SPLITS for sample in dataset.splits.get(split, ())]
    has_images = dataset.info.get("images", True)
    check = functools.partial(_check, table=dataset.labels, with_image=bool(has_images))
    jobs = [(sample, manifest.get(sample.key)) for sample in samples]
    results: list[Checked] = []
    with progress.task("checking", len(jobs)) as task:
        for result in _mapped(check, jobs, workers or os.cpu_count() or 1):
            results.append(result)
            task.advance()
    problems = [problem for result in results for problem in result.problems]
    problems += _unlisted(dataset, samples) + _duplicates(results) + _missing_from_manifest(manifest, samples)
    problems += _missing_classes(results, dataset.labels)
    counts: dict[str, int] = {split: len(dataset.splits.get(split, ())) for split in SPLITS}
    sizes = Counter(f"{r.size[0]}x{r.size[1]}" for r in results if r.size[0])
    return Audit(tuple(problems), counts, sizes, tuple(class_shares(results, dataset.labels)))


def _mapped(check: Any, jobs: Sequence[Any], workers: int) -> Iterable[Checked]:
    if workers == 1 or len(jobs) < 64:
        return map(check, jobs)
    return _pooled(check, jobs, workers)


def _pooled(check: Any, jobs: Sequence[Any], workers: int) -> Iterable[Checked]:
    with concurrent.futures.ProcessPoolExecutor(workers) as pool:
        yield from pool.map(check, jobs, chunksize=16)


def _check(job: tuple[Sample, Mapping[str, Any] | None], *, table: LabelTable, with_image: bool) -> Checked:
    sample, row = job
    problems: list[Problem] = []
    try:
        values = read_png_values(sample.annotation)
    except CaosError as error:
        return Checked(sample, (Problem("error", "unreadable label", str(sample.annotation), str(error)),))
    height, width = values.shape
    counts = np.bincount(values.ravel(), minlength=256)
    problems += _label_problems(sample, counts, table)
    image_hash = ""
    if with_image:
        found, image_hash = _image_problems(sample, (width, height), row)
        problems += found
    anomalous = np.isin(values, [r.png_value for r in table.classes if r.role == "anomaly"])
    problems += _mask_problems(sample, anomalous, row)
    return Checked(sample, tuple(problems), _by_class(counts, table), (width, height), image_hash)


def _by_class(counts: NDArray[np.int64], table: LabelTable) -> dict[str, int]:
    return {row.name: int(counts[row.png_value]) for row in table.classes}


def count_pixels(sample: Sample, table: LabelTable) -> Checked:
    """Pixels of each class in one label file, unchecked.

    Raises:
        CaosError: If the file cannot be read.
    """
    counts = np.bincount(read_png_values(sample.annotation).ravel(), minlength=256)
    return Checked(sample, (), _by_class(counts, table))


def _label_problems(sample: Sample, counts: NDArray[np.int64], table: LabelTable) -> list[Problem]:
    file = str(sample.annotation)
    legal = {row.png_value for row in table.classes}
    problems = [
        Problem("error", "illegal label value", file, f"value {value} ({counts[value]} px) is not in {table.name!r}")
        for value in np.flatnonzero(counts)
        if int(value) not in legal
    ]
    anomalies = sum(int(counts[r.png_value]) for r in table.classes if r.role == "anomaly")
    if anomalies and sample.split != "test":
        text = f"{anomalies} anomalous pixels in {sample.split}"
        problems.append(Problem("error", "anomaly outside test", file, text))
    if not anomalies and sample.split == "test":
        problems.append(Problem("warning", "no anomaly in test image", file, "an image without anomalous pixels"))
    return problems


def _image_problems(sample: Sample, size: tuple[int, int], row: Mapping[str, Any] | None) -> tuple[list[Problem], str]:
    file = str(sample.image)
    try:
        image = read_image(sample.image)
    except CaosError as error:
        return [Problem("error", "unreadable image", file, str(error))], ""
    problems = []
    shape = (image.shape[1], image.shape[0])
    if shape != size:
        text = f"image is {shape[0]}x{shape[1]}, label {size[0]}x{size[1]}"
        problems.append(Problem("error", "size mismatch", file, text))
    digest = sha256(sample.image)
    wanted = (row or {}).get("files", {}).get("image", {}).get("sha256")
    if wanted and wanted != digest:
        problems.append(Problem("error", "changed since made", file, "the image's hash is not the manifest's"))
    return problems, digest


def _mask_problems(sample: Sample, anomalous: NDArray[np.bool_], row: Mapping[str, Any] | None) -> list[Problem]:
    problems = []
    file = str(sample.annotation)
    _, _, stats, _ = cv2.connectedComponentsWithStats(anomalous.astype(np.uint8), connectivity=8)
    dust = int((stats[1:, cv2.CC_STAT_AREA] < DUST_PX).sum())
    if dust:
        problems.append(Problem("warning", "dust", file, f"{dust} anomalous fragments under {DUST_PX} px"))
    if sample.instances is not None:
        problems += _instance_problems(sample, anomalous, row)
    return problems


def _instance_problems(sample: Sample, anomalous: NDArray[np.bool_], row: Mapping[str, Any] | None) -> list[Problem]:
    assert sample.instances is not None
    file = str(sample.instances)
    try:
        instances = read_instances(sample.instances)
    except CaosError as error:
        return [Problem("error", "unreadable instances", file, str(error))]
    if instances.shape != anomalous.shape:
        return [Problem("error", "size mismatch", file, f"instances are {instances.shape[1]}x{instances.shape[0]}")]
    problems = []
    hazards = (instances > 0) & (instances < HAZARD_IDS_BELOW)
    if (hazards != anomalous).any():
        off = int((hazards != anomalous).sum())
        problems.append(Problem("error", "mask differs from instances", file, f"{off} pixels disagree"))
    for hazard in (row or {}).get("hazards", ()):
        seen = int((instances == hazard["instance_id"]).sum())
        if seen != hazard["pixels"]:
            text = f"{hazard['object']}: manifest says {hazard['pixels']} px, the map has {seen}"
            problems.append(Problem("error", "manifest differs from instances", file, text))
    return problems


def _unlisted(dataset: Dataset, samples: Sequence[Sample]) -> list[Problem]:
    listed = {sample.annotation for sample in samples}
    found = [
        p for place in PLACES.values() for p in (dataset.root / place.top / "annotations" / place.folder).rglob("*.png")
    ]
    text = "an annotation that no list names"
    return [Problem("warning", "unlisted file", str(p), text) for p in sorted(set(found) - listed) if p.name[0] != "."]


def _duplicates(results: Sequence[Checked]) -> list[Problem]:
    same: dict[str, list[Sample]] = defaultdict(list)
    for result in results:
        if result.image_hash:
            same[result.image_hash].append(result.sample)
    return [
        Problem("warning", "duplicate image", str(copy.image), f"the same bytes as {group[0].key}")
        for group in same.values()
        for copy in group[1:]
    ]


def _missing_from_manifest(manifest: Mapping[str, Any], samples: Sequence[Sample]) -> list[Problem]:
    if not manifest:
        return []
    keys = {sample.key for sample in samples}
    lost = [
        Problem("error", "not on disk", key, "the manifest names an image no list has")
        for key in manifest
        if key not in keys
    ]
    text = "the manifest has no row for this image"
    return lost + [Problem("error", "not in manifest", s.key, text) for s in samples if s.key not in manifest]


def _missing_classes(results: Sequence[Checked], table: LabelTable) -> list[Problem]:
    """Classes that a split of some size never shows: their IoU is undefined there."""
    problems = []
    for split in SPLITS:
        own = [result for result in results if result.sample.split == split]
        if len(own) < FEWEST_FOR_CLASSES:
            continue
        for row in (r for r in table.classes if r.role == "train"):
            if not any(result.pixels.get(row.name) for result in own):
                text = f"no pixel of {row.name!r} in {len(own)} images"
                problems.append(Problem("warning", "class missing", split, text))
    return problems


def class_shares(results: Iterable[Checked], table: LabelTable) -> list[dict[str, Any]]:
    """Percent of pixels of each class per split and town, with the genuine release's beside it where it has one."""
    totals: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for result in results:
        totals[result.sample.split, result.sample.town].update(result.pixels)
    rows = []
    for (split, town), pixels in totals.items():
        whole = sum(pixels.values())
        for entry in table.classes:
            share = 100 * pixels[entry.name] / whole if whole else 0.0
            genuine = genuine_share(entry.name, split, town) if table.name.startswith("streethazards") else None
            rows.append({"split": split, "town": town, "class": entry.name, "percent": share, "genuine": genuine})
    return rows
