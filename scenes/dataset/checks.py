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
from caos.foundation.storage.files import sha256
from caos.scenes.dataset.instance_agreement import disagreements, hazard_mask, listed_pixels
from caos.scenes.dataset.layout import Sample, read_image, read_instances, read_png_values, size_mismatch
from caos.scenes.dataset.manifest_values import agreement_problems, shown_box, value_problems
from caos.scenes.dataset.records import further_sensors
from caos.scenes.labels import LabelTable, Role

Level = Literal["error", "warning"]
DUST_PX: Final = 10
_ROLES: Final[tuple[Role, ...]] = ("anomaly", "train")


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
    label_hash: str = ""


@dataclass(frozen=True, eq=False)
class SampleJob:
    """A sample with its row of the manifest, its number in the order of the lists, and the size its list states."""

    number: int
    sample: Sample
    row: Mapping[str, Any]
    listed: tuple[int | None, int | None] = (None, None)


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
            problems += _image_problems(sample, values)
            image_hash = sha256(sample.image) if sample.image.is_file() else ""
        pixels = _by_class(counts, self.table)
        problems += _listed_size_problems(job, (width, height))
        problems += self._row_problems(job, (width, height), pixels)
        anomalous, ordinary = (np.isin(values, self.table.png_values(role)) for role in _ROLES)
        problems += _mask_problems(sample, anomalous, ordinary, job.row)
        return Checked(
            sample, tuple(problems), pixels, (width, height), image_hash, job.number, sha256(sample.annotation)
        )

    def _row_problems(self, job: SampleJob, size: tuple[int, int], pixels: Mapping[str, int]) -> list[Problem]:
        """Values of the manifest that are out of their ranges; if none is, those that contradict the image."""
        found = value_problems(job.row) or agreement_problems(job.row, job.sample, self.root, size, pixels)
        file = str(self.root / "manifest.jsonl")
        return [Problem("error", "manifest value", file, f"{job.sample.key}: {text}") for text in found]

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
                values = read_png_values(label)
                instances = read_instances(numbers)
            except CaosError as error:
                problems.append(Problem("error", "unreadable label", str(label), str(error)))
                continue
            counts = {
                box["instance_id"]: box.get("seen", {}).get(camera.get("name"), {}).get("pixels", 0)
                for box in row.get("boxes", ())
                if box.get("what") == "hazard"
            }
            anomalous, ordinary = (np.isin(values, self.table.png_values(role)) for role in _ROLES)
            problems += _instance_problems(str(numbers), anomalous, ordinary, instances, counts)
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


def _listed_size_problems(job: SampleJob, size: tuple[int, int]) -> list[Problem]:
    """A list that states another size than the labels have."""
    stated = tuple(own if said is None else said for said, own in zip(job.listed, size, strict=True))
    if stated == size:
        return []
    text = f"its list says {stated[0]}x{stated[1]}, but the labels are {size[0]}x{size[1]}"
    return [Problem("error", "listed size", str(job.sample.annotation), text)]


def _image_problems(sample: Sample, labels: NDArray[np.uint8]) -> list[Problem]:
    file = str(sample.image)
    try:
        image = read_image(sample.image)
    except CaosError as error:
        return [Problem("error", "unreadable image", file, str(error))]
    size = (labels.shape[1], labels.shape[0])
    if (image.shape[1], image.shape[0]) != size:
        text = size_mismatch(sample.image, (image.shape[1], image.shape[0]), "its labels are", size)
        return [Problem("error", "size mismatch", file, text)]
    if (image == labels[..., None]).all():
        return [Problem("error", "label as image", file, f"the image holds the values of {sample.annotation}")]
    return []


def _mask_problems(
    sample: Sample, anomalous: NDArray[np.bool_], ordinary: NDArray[np.bool_], row: Mapping[str, Any]
) -> list[Problem]:
    problems = []
    file = str(sample.annotation)
    _, _, stats, _ = cv2.connectedComponentsWithStats(anomalous.astype(np.uint8), connectivity=8)
    dust = int((stats[1:, cv2.CC_STAT_AREA] < DUST_PX).sum())
    if dust:
        problems.append(Problem("warning", "dust", file, f"{dust} anomalous fragments under {DUST_PX} px"))
    listed = listed_pixels(row)
    if sample.instances is None:
        marked = int(np.count_nonzero(anomalous))
        if listed and sum(listed.values()) != marked:
            text = f"its hazards have {sum(listed.values())} pixels in the manifest, but the labels mark {marked}"
            problems.append(Problem("error", "manifest differs from labels", file, text))
        return problems
    try:
        instances = read_instances(sample.instances)
    except CaosError as error:
        return [*problems, Problem("error", "unreadable instances", str(sample.instances), str(error))]
    problems += _instance_problems(str(sample.instances), anomalous, ordinary, instances, listed)
    return problems + _box_problems(str(sample.instances), instances, row)


def _instance_problems(
    file: str,
    anomalous: NDArray[np.bool_],
    ordinary: NDArray[np.bool_],
    instances: NDArray[np.uint16],
    listed: Mapping[int, int],
) -> list[Problem]:
    """Where the instances of an image differ from its labels, or from the hazards' pixels that a manifest counts."""
    if instances.shape != anomalous.shape:
        return [Problem("error", "size mismatch", file, f"instances are {instances.shape[1]}x{instances.shape[0]}")]
    problems = []
    hazards = hazard_mask(instances, listed)
    if off := int(np.count_nonzero(hazards != anomalous)):
        words = disagreements(instances, anomalous, ordinary, {})
        text = "; ".join([f"{off} pixels disagree", *words])
        problems.append(Problem("error", "mask differs from instances", file, text))
    for number in np.unique(instances[hazards]).tolist():
        if listed and number not in listed:
            text = f"hazard {number} has {int((instances == number).sum())} px, but the manifest does not list it"
            problems.append(Problem("error", "manifest differs from instances", file, text))
    for number, wanted in listed.items():
        seen = int((instances == number).sum())
        if seen != wanted:
            text = f"hazard {number}: manifest says {wanted} px, the map has {seen}"
            problems.append(Problem("error", "manifest differs from instances", file, text))
    return problems


def _box_problems(file: str, instances: NDArray[np.uint16], row: Mapping[str, Any]) -> list[Problem]:
    """Boxes of the manifest that are not those around the pixels of their hazard."""
    problems = []
    for hazard in row.get("hazards", ()):
        if "instance_id" not in hazard or "box" not in hazard:
            continue
        mask = instances == hazard["instance_id"]
        rows, columns = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
        own = [int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1] if len(rows) else None
        said = hazard["box"]
        if (None if said is None else list(said)) != own:
            boxes = f"the manifest's box is {shown_box(said)}, that of its pixels {shown_box(own)}"
            text = f"hazard {hazard['instance_id']}: {boxes}"
            problems.append(Problem("error", "manifest differs from instances", file, text))
    return problems
