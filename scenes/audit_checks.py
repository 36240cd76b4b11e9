"""Checks of one sample of a set: its files against their hashes, labels, instances and the manifest."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from caos.foundation.errors import CaosError
from caos.foundation.files import sha256
from caos.scenes.labels import LabelTable
from caos.scenes.layout import ACTOR_IDS_FROM, Sample, read_image, read_instances, read_png_values
from caos.scenes.set_records import further_sensors

Level = Literal["error", "warning"]
DUST_PX: Final = 10


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
    number: int = 0


@dataclass(frozen=True, eq=False)
class SampleJob:
    """A sample with its row of the manifest, and its number in the order of the lists."""

    number: int
    sample: Sample
    row: Mapping[str, Any]


@dataclass(frozen=True)
class SampleChecker:
    """Checks samples; makes the function of each worker.

    Attributes:
        root: Of the set.
        table: Its labels.
        with_images: Whether it has images, or labels alone.
        exposed: Towns (``split/town``) outside test that have hazards on purpose.
    """

    root: Path
    table: LabelTable
    with_images: bool
    exposed: frozenset[str] = frozenset()

    def __call__(self, _number: int) -> Callable[[SampleJob], Checked]:
        """A worker's function."""
        return self.check

    def check(self, job: SampleJob) -> Checked:
        """What a sample shows."""
        sample, changed = job.sample, self._changed(job)
        try:
            values = read_png_values(sample.annotation)
        except CaosError as error:
            unreadable = Problem("error", "unreadable label", str(sample.annotation), str(error))
            return Checked(sample, (*changed, unreadable), number=job.number)
        height, width = values.shape
        counts = np.bincount(values.ravel(), minlength=256)
        problems = [*changed, *self._label_problems(sample, counts, job.row), *self._further_problems(job.row)]
        image_hash = ""
        if self.with_images:
            found = _image_problems(sample, (width, height))
            problems += found
            image_hash = sha256(sample.image) if sample.image.is_file() else ""
        anomalous = np.isin(values, self.table.png_values("anomaly"))
        problems += _mask_problems(sample, anomalous, job.row)
        pixels = _by_class(counts, self.table)
        return Checked(sample, tuple(problems), pixels, (width, height), image_hash, job.number)

    def _changed(self, job: SampleJob) -> list[Problem]:
        """Files whose bytes are not those that the manifest recorded."""
        problems = []
        entries = list(job.row.get("files", {}).items())
        for sensor in further_sensors(job.row):
            entries += [(f"{sensor.get('name')} {kind}", entry) for kind, entry in sensor.get("files", {}).items()]
        for kind, entry in entries:
            wanted, name = entry.get("sha256"), str(entry.get("path", ""))
            if not wanted:
                continue
            path = self.root / name
            if not path.is_file():
                problems.append(Problem("error", "not on disk", str(path), f"the manifest names this {kind}"))
            elif sha256(path) != wanted:
                text = f"the hash of this {kind} is not the manifest's"
                problems.append(Problem("error", "changed since made", str(path), text))
        return problems

    def _further_problems(self, row: Mapping[str, Any]) -> list[Problem]:
        """What the labels of further cameras, their instances and the manifest disagree on."""
        problems: list[Problem] = []
        for camera in row.get("cameras", [])[1:]:
            files = camera.get("files", {})
            if not {"annotation", "instances"} <= set(files):
                continue
            label, numbers = (self.root / str(files[kind].get("path", "")) for kind in ("annotation", "instances"))
            try:
                anomalous = np.isin(read_png_values(label), self.table.png_values("anomaly"))
                instances = read_instances(numbers)
            except CaosError as error:
                problems.append(Problem("error", "unreadable label", str(label), str(error)))
                continue
            counts = {
                box["instance_id"]: box.get("seen", {}).get(camera.get("name"), {}).get("pixels", 0)
                for box in row.get("boxes", ())
                if box.get("what") == "hazard"
            }
            problems += _disagreements(str(numbers), anomalous, instances, counts)
        return problems

    def _label_problems(self, sample: Sample, counts: NDArray[np.int64], row: Mapping[str, Any]) -> list[Problem]:
        file, table = str(sample.annotation), self.table
        legal = {row.png_value for row in table.classes}
        problems = [
            Problem(
                "error", "illegal label value", file, f"value {value} ({counts[value]} px) is not in {table.name!r}"
            )
            for value in np.flatnonzero(counts)
            if int(value) not in legal
        ]
        anomalies = sum(int(counts[value]) for value in table.png_values("anomaly"))
        if anomalies and sample.split != "test" and f"{sample.split}/{sample.town}" not in self.exposed:
            text = f"{anomalies} anomalous pixels in {sample.split}"
            problems.append(Problem("error", "anomaly outside test", file, text))
        elsewhere = any(hazard.get("view") and not hazard.get("pixels") for hazard in row.get("hazards", ()))
        if not anomalies and sample.split == "test" and not (elsewhere and len(row.get("cameras", ())) > 1):
            problems.append(Problem("warning", "no anomaly in test image", file, "an image without anomalous pixels"))
        return problems


def _by_class(counts: NDArray[np.int64], table: LabelTable) -> dict[str, int]:
    return {row.name: int(counts[row.png_value]) for row in table.classes}


def count_pixels(sample: Sample, table: LabelTable) -> Checked:
    """Pixels of each class in one label file, unchecked.

    Raises:
        CaosError: If the file cannot be read.
    """
    counts = np.bincount(read_png_values(sample.annotation).ravel(), minlength=256)
    return Checked(sample, (), _by_class(counts, table))


def _image_problems(sample: Sample, size: tuple[int, int]) -> list[Problem]:
    file = str(sample.image)
    try:
        image = read_image(sample.image)
    except CaosError as error:
        return [Problem("error", "unreadable image", file, str(error))]
    shape = (image.shape[1], image.shape[0])
    if shape == size:
        return []
    text = f"image is {shape[0]}x{shape[1]}, label {size[0]}x{size[1]}"
    return [Problem("error", "size mismatch", file, text)]


def _mask_problems(sample: Sample, anomalous: NDArray[np.bool_], row: Mapping[str, Any]) -> list[Problem]:
    problems = []
    file = str(sample.annotation)
    _, _, stats, _ = cv2.connectedComponentsWithStats(anomalous.astype(np.uint8), connectivity=8)
    dust = int((stats[1:, cv2.CC_STAT_AREA] < DUST_PX).sum())
    if dust:
        problems.append(Problem("warning", "dust", file, f"{dust} anomalous fragments under {DUST_PX} px"))
    if sample.instances is not None:
        problems += _instance_problems(sample, anomalous, row)
    return problems


def _instance_problems(sample: Sample, anomalous: NDArray[np.bool_], row: Mapping[str, Any]) -> list[Problem]:
    assert sample.instances is not None
    file = str(sample.instances)
    try:
        instances = read_instances(sample.instances)
    except CaosError as error:
        return [Problem("error", "unreadable instances", file, str(error))]
    counts = {hazard["instance_id"]: hazard["pixels"] for hazard in row.get("hazards", ())}
    return _disagreements(file, anomalous, instances, counts)


def _disagreements(
    file: str, anomalous: NDArray[np.bool_], instances: NDArray[np.uint16], counts: Mapping[int, int]
) -> list[Problem]:
    """Where the instances of a picture differ from its labels, or from the hazards' pixels that a manifest counts."""
    if instances.shape != anomalous.shape:
        return [Problem("error", "size mismatch", file, f"instances are {instances.shape[1]}x{instances.shape[0]}")]
    problems = []
    hazards = (instances > 0) & (instances < ACTOR_IDS_FROM)
    if (hazards != anomalous).any():
        off = int((hazards != anomalous).sum())
        problems.append(Problem("error", "mask differs from instances", file, f"{off} pixels disagree"))
    for number, wanted in counts.items():
        seen = int((instances == number).sum())
        if seen != wanted:
            text = f"hazard {number}: manifest says {wanted} px, the map has {seen}"
            problems.append(Problem("error", "manifest differs from instances", file, text))
    return problems
