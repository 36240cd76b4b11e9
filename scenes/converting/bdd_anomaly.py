"""BDD-Anomaly from BDD100K's 10k segmentation set, or any set with Cityscapes train ids.

An image with any pixel of an anomaly class goes to test; the others stay in train and val. Labels are written as
Cityscapes train id + 2 with void as 1, the encoding of ``caos.scenes.labels.BDD_ANOMALY``.

On the genuine 8,000 labels the paper's classes (train, motorcycle, bicycle) give 6,280 / 910 / 810 images, and
``two-class`` (train, motorcycle) gives 6,688 / 951 / 361.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from caos.foundation.errors import CaosError
from caos.foundation.execution import executor
from caos.foundation.execution.progress import SILENT, Progress
from caos.foundation.storage.claims import claimed
from caos.foundation.storage.files import write_text
from caos.foundation.storage.identity import FileHashes, digest_of
from caos.foundation.storage.images import check_image
from caos.foundation.storage.png import write_png
from caos.foundation.storage.provenance import provenance
from caos.scenes.converting.linking import Link, place_upright
from caos.scenes.converting.pairs import SourcePair, find_pairs
from caos.scenes.dataset.layout import PLACES, Split, inner_town, read_png_values, size_mismatch
from caos.scenes.dataset.writer import SetDescription, SetFile, SetImage, file_of, write_set
from caos.scenes.labels import LabelTable, hold_out

OnError = Literal["stop", "skip"]
Encoding = Literal["train-id", "converted", "cityscapes-id"]
VARIANTS: Final[Mapping[str, tuple[str, ...]]] = {
    "three-class": ("train", "motorcycle", "bicycle"),
    "two-class": ("train", "motorcycle"),
}
TRAIN_ID_COUNT: Final = 19
VOID_TRAIN_ID: Final = 255
CITYSCAPES_ID_COUNT: Final = 34
CITYSCAPES_IDS: Final = (7, 8, 11, 12, 13, 17, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 31, 32, 33)
"""Cityscapes' full label ids of the nineteen trained classes, in the order of their train ids."""
MARKER: Final = "recipe.json"
HASHES: Final = ".inputs.json"
"""Remembered hashes of the sources."""
SAMPLED_LABELS: Final = 64
PNG_COMPRESSION: Final = 6
ENOUGH_LABELS: Final = 16
ALLOWED: Final = {"train-id": "0..18 and 255", "converted": "1..20", "cityscapes-id": "0..33"}
GENUINE_COUNTS: Final = {"three-class": (6280, 910, 810), "two-class": (6688, 951, 361)}


@dataclass(frozen=True)
class Converted:
    """What became of one pair: an image of the new set, or the reason it was left out."""

    source: SourcePair
    image: SetImage | None
    problem: str | None = None


@dataclass(frozen=True)
class Conversion:
    """The outcome of a run: images per split, left-out sources, and where sources were found."""

    counts: Mapping[Split, int]
    problems: tuple[str, ...]
    found: str


def encoding_of(present: Sequence[int]) -> Encoding | None:
    """How labels are encoded, from the values that occur in them; None when the values fit more than one way.

    Train ids have 0 (road) and 255 (void); the converted form has neither, and goes up to 20.
    """
    if 0 in present or VOID_TRAIN_ID in present:
        return "train-id"
    if any(value >= TRAIN_ID_COUNT for value in present):
        return "converted"
    return None


def _sampled_encoding(sources: Sequence[SourcePair]) -> Encoding:
    """The encoding of the set, from labels spread over it; every file is checked against it later.

    Raises:
        CaosError: If a handful of labels fits both encodings.
    """
    if all(source.label.name.endswith("_labelIds.png") for source in sources):
        return "cityscapes-id"
    sampled = sources[:: max(1, len(sources) // SAMPLED_LABELS)]
    present: set[int] = set()
    readable = 0
    for source in sampled:
        try:
            present.update(np.flatnonzero(np.bincount(read_png_values(source.label).ravel())).tolist())
            readable += 1
        except CaosError:
            continue
        if (found := encoding_of(sorted(present))) is not None:
            return found
    # Among this many street scenes a set of train ids has road in one of them at least.
    if readable >= ENOUGH_LABELS:
        return "converted"
    if readable:
        raise CaosError(
            f"the labels ({sources[0].label} ...) hold only values {sorted(present)}, which fit both train ids and "
            "converted labels (id + 2); say which with --encoding train-id or --encoding converted"
        )
    return "train-id"


def _lookup(encoding: Encoding) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """PNG value for each value of a source label; 0 where the source value is not legal."""
    table = np.zeros(256, np.uint8)
    train_ids = np.arange(TRAIN_ID_COUNT)
    if encoding == "converted":
        table[1 : TRAIN_ID_COUNT + 2] = np.arange(1, TRAIN_ID_COUNT + 2)
    elif encoding == "cityscapes-id":
        table[:CITYSCAPES_ID_COUNT] = 1
        table[list(CITYSCAPES_IDS)] = train_ids + 2
    else:
        table[train_ids] = train_ids + 2
        table[VOID_TRAIN_ID] = 1
    return table


@dataclass(frozen=True)
class ConversionJob:
    """What every worker needs to know; makes its function.

    Attributes:
        out: The new set.
        table: Its labels.
        encoding: Of the source labels.
        link: How images get into it.
        on_error: What a bad file does.
        hashes: Of the source images, by path.
    """

    out: Path
    table: LabelTable
    encoding: Encoding
    link: Link
    on_error: OnError
    hashes: Mapping[Path, str] = field(default_factory=dict)

    def __call__(self, _number: int) -> Callable[[SourcePair], Converted]:
        """A worker's function."""
        return self.convert

    def convert(self, source: SourcePair) -> Converted:
        """Convert one pair, or say why it was left out.

        Raises:
            CaosError: If it cannot be converted and ``on_error`` is ``"stop"``.
        """
        try:
            return self._converted(source)
        except CaosError as error:
            if self.on_error == "stop":
                raise
            return Converted(source, None, problem=str(error))

    def _converted(self, source: SourcePair) -> Converted:
        values, counts = self._encoded(source)
        anomalies = [row for row in self.table.classes if row.role == "anomaly" and counts[row.png_value]]
        pixels = {row.name: int(counts[row.png_value]) for row in anomalies}
        split: Split = "test" if pixels else source.split
        height, width = values.shape
        place = PLACES[split]
        inner = f"{place.folder}/{_town(source, split)}/{source.name}"
        files = {"annotation": self._write_annotation(f"{place.top}/annotations/{inner}.png", values)}
        if source.image is not None:
            _check_image(source.image, width, height)
            path = f"{place.top}/images/{inner}"
            files["image"] = place_upright(source.image, self.out, path, self.link, self.hashes[source.image])
        about = {
            "town": inner_town(PurePosixPath(f"{inner}.png")),
            "sources": {"label": str(source.label)} | ({"image": str(source.image)} if source.image else {}),
            "anomaly_pixels": pixels,
            "hazards": [],
        }
        return Converted(source, SetImage(split, (width, height), files, about))

    def _encoded(self, source: SourcePair) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """PNG values of a label, and how many pixels have each."""
        raw, lookup = Image.fromarray(read_png_values(source.label)), _lookup(self.encoding)
        # The picture library counts and translates bytes faster than arrays do.
        present = np.array(raw.histogram())
        if present[lookup == 0].any():
            wrong = int(np.flatnonzero((present > 0) & (lookup == 0))[0])
            allowed = ALLOWED[self.encoding]
            raise CaosError(f"{source.label}: label value {wrong} is not a {self.encoding} value (allowed: {allowed})")
        counts = np.bincount(lookup, weights=present, minlength=256).astype(np.int64)
        return np.asarray(raw.point(lookup.tolist())), counts

    def _write_annotation(self, path: str, values: NDArray[np.uint8]) -> SetFile:
        if not _holds(self.out / path, values):
            write_png(self.out / path, values, PNG_COMPRESSION)
        return file_of(self.out, path)


def _holds(path: Path, values: NDArray[np.uint8]) -> bool:
    """Whether a label file is there and holds these values."""
    try:
        return path.is_file() and np.array_equal(read_png_values(path), values)
    except CaosError:
        return False


def _town(source: SourcePair, split: Split) -> str:
    """BDD100K has no towns; the folder says which part of BDD100K an image came from."""
    return f"bdd-{source.split}" if split == "test" else "bdd"


def _check_image(path: Path, width: int, height: int) -> None:
    size = check_image(path)
    if size != (width, height):
        raise CaosError(size_mismatch(path, size, "its label is", (width, height)))


def convert(
    labels: Path,
    images: Path | None,
    out: Path,
    *,
    anomalies: tuple[str, ...] = VARIANTS["three-class"],
    ignored: tuple[str, ...] = (),
    link: Link = "hard",
    encoding: Encoding | None = None,
    on_error: OnError = "stop",
    workers: int | None = None,
    overwrite: bool = False,
    progress: Progress = SILENT,
) -> Conversion:
    """Convert a set; run again after an interruption it goes on where it stopped.

    Raises:
        CaosError: If the sources are unusable, ``out`` holds another set or one made from other files, or
            (``on_error="stop"``) a file is bad.
    """
    table = hold_out(anomalies, ignored)
    sources, found = find_pairs(labels, images)
    progress.say(f"found {found}")
    hashes, found_encoding = FileHashes(out / HASHES), encoding or _sampled_encoding(sources)
    configuration = {
        "recipe": "bdd-anomaly",
        "labels": str(labels),
        "images": None if images is None else str(images),
        "table": table.name,
        "label digest": table.digest,
        "encoding": found_encoding,
        "link": link,
        "on_error": on_error,
        "content of labels": _content(hashes, [(pair.name, pair.label) for pair in sources]),
        "content of images": _content(hashes, [(pair.name, pair.image) for pair in sources if pair.image]),
    }
    if found_encoding == "converted":
        progress.say("these labels are already converted (id + 2): kept as they are")
    by_path = {pair.image: hashes.of(pair.image) for pair in sources if pair.image}
    job = ConversionJob(out, table, found_encoding, link, on_error, by_path)
    with claimed(out, MARKER, configuration, "conversion", overwrite=overwrite):
        results = _run(job, sources, workers or os.cpu_count() or 1, progress)
        hashes.save()
        return _finish(job, results, configuration, found)


def _content(hashes: FileHashes, files: Sequence[tuple[str, Path]]) -> str:
    """One hash for the bytes of files that are there; a bad one is named later, by who reads it."""
    return digest_of([(name, hashes.of(path)) for name, path in files])


def _run(job: ConversionJob, sources: Sequence[SourcePair], workers: int, progress: Progress) -> list[Converted]:
    order = {(source.split, source.name): i for i, source in enumerate(sources)}
    results = []
    with progress.task("converting", len(sources)) as task:
        for result in executor.run(sources, job, workers):
            results.append(result)
            task.advance()
    return sorted(results, key=lambda r: order[r.source.split, r.source.name])


def _finish(job: ConversionJob, results: Sequence[Converted], configuration: dict[str, Any], found: str) -> Conversion:
    problems = tuple(r.problem for r in results if r.problem)
    kept = [r.image for r in results if r.image is not None]
    write_text(job.out / "left_out.txt", "".join(f"{p}\n" for p in problems))
    more = {"left_out": len(problems), "images": any("image" in image.files for image in kept)}
    about = SetDescription("BDD-Anomaly", job.table, provenance(configuration), more)
    return Conversion(write_set(job.out, kept, about), problems, found)


def table_note(conversion: Conversion, anomalies: tuple[str, ...]) -> str:
    """One sentence that compares the counts with the genuine set's."""
    variant = next((name for name, classes in VARIANTS.items() if set(classes) == set(anomalies)), None)
    got = (conversion.counts["train"], conversion.counts["val"], conversion.counts["test"])
    if variant is None:
        return f"{got[0]} train, {got[1]} val, {got[2]} test"
    genuine = GENUINE_COUNTS[variant]
    verdict = (
        "exactly the genuine counts"
        if got == genuine
        else f"the genuine set has {genuine[0]} / {genuine[1]} / {genuine[2]}"
    )
    return f"{got[0]} train, {got[1]} val, {got[2]} test ({verdict})"
