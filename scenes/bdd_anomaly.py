"""BDD-Anomaly from BDD100K's 10k segmentation set, or any set with Cityscapes train ids.

An image with any pixel of an anomaly class goes to test; the others stay in train and val. Labels are written as
Cityscapes train id + 2 with void as 1, the encoding of ``scenes.labels.BDD_ANOMALY``.

On the genuine 8,000 labels the paper's classes (train, motorcycle, bicycle) give 6,280 / 910 / 810 images, and
``two-class`` (train, motorcycle) gives 6,688 / 951 / 361.
"""

from __future__ import annotations

import concurrent.futures
import functools
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
from PIL import Image

from foundation.errors import CaosError
from foundation.files import claimed, sha256, whole_file, write_json, write_jsonl, write_text
from foundation.progress import SILENT, Progress
from foundation.provenance import provenance
from scenes.labels import LabelTable, hold_out
from scenes.layout import MANIFEST_SCHEMA, PLACES, Split, read_png_values, write_odgt

Link = Literal["hard", "symbolic", "copy"]
OnError = Literal["stop", "skip"]
Encoding = Literal["train-id", "converted", "cityscapes-id"]
SourceSplit = Literal["train", "val"]

VARIANTS: Final[Mapping[str, tuple[str, ...]]] = {
    "three-class": ("train", "motorcycle", "bicycle"),
    "two-class": ("train", "motorcycle"),
}
TRAIN_ID_COUNT: Final = 19
VOID_TRAIN_ID: Final = 255
CITYSCAPES_ID_COUNT: Final = 34
CITYSCAPES_IDS: Final = (7, 8, 11, 12, 13, 17, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 31, 32, 33)
"""Cityscapes' full label ids of the nineteen trained classes, in the order of their train ids."""
SAMPLED_LABELS: Final = 64
PNG_COMPRESSION: Final = 6
ENOUGH_LABELS: Final = 16
ALLOWED: Final = {"train-id": "0..18 and 255", "converted": "1..20", "cityscapes-id": "0..33"}
LABEL_SUFFIXES: Final = ("_train_id.png", "_gtFine_labelTrainIds.png", "_labelTrainIds.png", "_gtFine_labelIds.png")
IMAGE_SUFFIXES: Final = (".jpg", ".jpeg", ".png")
IMAGE_ENDINGS: Final = ("", "_leftImg8bit")
GENUINE_COUNTS: Final = {"three-class": (6280, 910, 810), "two-class": (6688, 951, 361)}


@dataclass(frozen=True)
class Source:
    """One label file and, unless only labels are converted, its image."""

    name: str
    split: SourceSplit
    label: Path
    image: Path | None


@dataclass(frozen=True)
class Converted:
    """What became of one source: its target split and pixels per anomaly class, or the reason it was left out."""

    source: Source
    split: Split | None
    anomaly_pixels: Mapping[str, int] = field(default_factory=dict)
    width: int = 0
    height: int = 0
    files: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    problem: str | None = None


@dataclass(frozen=True)
class Conversion:
    """The outcome of a run: images per split, left-out sources, and where sources were found."""

    counts: Mapping[Split, int]
    problems: tuple[str, ...]
    found: str


def find_sources(labels: Path, images: Path | None) -> tuple[list[Source], str]:
    """Sources below the two folders, found by looking for ``train`` and ``val`` folders with pictures.

    Both conventions of BDD100K and Cityscapes' one are covered. The second value is a sentence that says what was
    found where.

    Raises:
        CaosError: If no labels are found, or a label has no image.
    """
    if not labels.is_dir():
        raise CaosError(f"--labels {labels} is not a folder")
    sources: list[Source] = []
    told = []
    for split in ("train", "val"):
        folder, names = _label_folder(labels, split)
        if folder is None:
            told.append(f"no {split} labels")
            continue
        picture_of = _image_index(images, split) if images else {}
        sources += [
            Source(name, split, path, _image_for(name, path, picture_of, images) if images else None)
            for name, path in sorted(names.items())
        ]
        told.append(f"{len(names)} {split} labels in {folder}")
    if not sources:
        raise CaosError(
            f"no label PNGs in a 'train' or 'val' folder below {labels} (looked for seg/labels, masks, gtFine)"
        )
    return sources, "; ".join(told)


def _split_folders(root: Path, split: str) -> list[Path]:
    own = [root] if root.name == split else []
    return own + sorted((p for p in root.rglob(split) if p.is_dir()), key=lambda p: (len(p.parts), p.as_posix()))


def _label_folder(root: Path, split: str) -> tuple[Path | None, dict[str, Path]]:
    """The folder named ``split`` with the most id maps; colour maps and images are passed over by name."""
    best: tuple[Path | None, dict[str, Path]] = (None, {})
    for folder in _split_folders(root, split):
        if any(part in {"color_labels", "colormaps", "images", "color"} for part in folder.relative_to(root).parts):
            continue
        names = _label_names(folder)
        if len(names) > len(best[1]):
            best = (folder, names)
    return best


def _label_names(folder: Path) -> dict[str, Path]:
    files = [p for p in folder.rglob("*.png") if not p.name.startswith(".")]
    for suffix in LABEL_SUFFIXES:
        marked = {p.name.removesuffix(suffix): p for p in files if p.name.endswith(suffix)}
        if marked:
            return marked
    return {p.stem: p for p in files if not p.stem.endswith(("_color", "_instanceIds", "_labelIds"))}


def _image_index(root: Path, split: str) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for folder in _split_folders(root, split) or [root]:
        for path in sorted(folder.rglob("*")):
            if path.suffix.lower() in IMAGE_SUFFIXES and "labels" not in path.relative_to(root).parts:
                found.setdefault(path.stem, path)
    return found


def _image_for(name: str, label: Path, index: Mapping[str, Path], root: Path | None) -> Path:
    for ending in IMAGE_ENDINGS:
        if name + ending in index:
            return index[name + ending]
    raise CaosError(f"{label} has no image: {name}.jpg is not below {root} (use --labels-only to convert labels alone)")


def encoding_of(present: Sequence[int]) -> Encoding | None:
    """How labels are encoded, from the values that occur in them; None when the values fit more than one way.

    Train ids have 0 (road) and 255 (void); the converted form has neither, and goes up to 20.
    """
    if 0 in present or VOID_TRAIN_ID in present:
        return "train-id"
    if any(value >= TRAIN_ID_COUNT for value in present):
        return "converted"
    return None


def _sampled_encoding(sources: Sequence[Source]) -> Encoding:
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
class _Job:
    """What every worker needs to know."""

    out: Path
    table: LabelTable
    encoding: Encoding
    link: Link
    on_error: OnError


def _convert_one(job: _Job, source: Source) -> Converted:
    try:
        return _converted(job, source)
    except CaosError as error:
        if job.on_error == "stop":
            raise
        return Converted(source, None, problem=str(error))


def _converted(job: _Job, source: Source) -> Converted:
    raw, lookup = Image.fromarray(read_png_values(source.label)), _lookup(job.encoding)
    # The picture library counts and translates bytes faster than arrays do.
    present = np.array(raw.histogram())
    if present[lookup == 0].any():
        wrong = int(np.flatnonzero((present > 0) & (lookup == 0))[0])
        allowed = ALLOWED[job.encoding]
        raise CaosError(f"{source.label}: label value {wrong} is not a {job.encoding} value (allowed: {allowed})")
    values = raw.point(lookup.tolist())
    counts = np.bincount(lookup, weights=present, minlength=256).astype(int)
    pixels = {
        r.name: int(counts[r.png_value]) for r in job.table.classes if r.role == "anomaly" and counts[r.png_value]
    }
    split: Split = "test" if pixels else source.split
    width, height = values.size
    place = PLACES[split]
    inner = f"{place.folder}/{_town(source, split)}/{source.name}"
    annotation = job.out / place.top / "annotations" / f"{inner}.png"
    if not annotation.exists():
        with whole_file(annotation) as temporary:
            values.save(temporary, format="PNG", compress_level=PNG_COMPRESSION)
    files = {"annotation": _file(job.out, annotation), "label": {"path": str(source.label)}}
    if source.image is not None:
        _check_image(source.image, width, height)
        image = job.out / place.top / "images" / f"{inner}{source.image.suffix.lower()}"
        if not image.exists():
            _place_image(source.image, image, job.link)
        files["image"] = _file(job.out, image) | {"source": str(source.image)}
    return Converted(source, split, pixels, width, height, files)


def _town(source: Source, split: Split) -> str:
    """BDD100K has no towns; the folder says which part of BDD100K an image came from."""
    return f"bdd-{source.split}" if split == "test" else "bdd"


def _file(root: Path, path: Path) -> dict[str, str]:
    return {"path": path.relative_to(root).as_posix(), "sha256": sha256(path)}


def _check_image(path: Path, width: int, height: int) -> None:
    try:
        with Image.open(path) as picture:
            size = picture.size
            # Reading the last rows finds a truncated file without keeping the pixels.
            picture.draft("RGB", (width // 8, height // 8))
            picture.load()
    except (OSError, SyntaxError, ValueError) as error:
        raise CaosError(f"{path} cannot be read as a picture: {error}") from error
    if size != (width, height):
        raise CaosError(f"{path} is {size[0]}x{size[1]} but its label is {width}x{height}")


def _place_image(source: Path, target: Path, link: Link) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(target) as temporary:
        temporary.unlink()
        try:
            if link == "symbolic":
                temporary.symlink_to(source.resolve())
            elif link == "hard":
                os.link(source.resolve(), temporary)
            else:
                shutil.copyfile(source, temporary)
        except OSError as error:
            hint = "; use --link copy or symbolic" if link == "hard" else ""
            raise CaosError(f"cannot place {source} at {target}: {error.strerror or error}{hint}") from error


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
    progress: Progress = SILENT,
) -> Conversion:
    """Convert a set; run again after an interruption it goes on where it stopped.

    Raises:
        CaosError: If the sources are unusable, ``out`` holds another set, or (``on_error="stop"``) a file is bad.
    """
    table = hold_out(anomalies, ignored)
    sources, found = find_sources(labels, images)
    progress.say(f"found {found}")
    job = _Job(out, table, encoding or _sampled_encoding(sources), link, on_error)
    if job.encoding == "converted":
        progress.say("these labels are converted already (id + 2): kept as they are")
    configuration = _configuration(job, labels, images)
    with claimed(out, "recipe.json", configuration, "conversion"), progress.task("converting", len(sources)) as task:
        results = []
        for result in _mapped(functools.partial(_convert_one, job), sources, workers or os.cpu_count() or 1):
            results.append(result)
            task.advance()
    return _finish(job, results, configuration, found)


def _mapped(function: Any, items: Sequence[Source], workers: int) -> Iterator[Converted]:
    if workers == 1:
        yield from map(function, items)
        return
    with concurrent.futures.ProcessPoolExecutor(workers) as pool:
        try:
            yield from pool.map(function, items, chunksize=8)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _configuration(job: _Job, labels: Path, images: Path | None) -> dict[str, Any]:
    return {
        "recipe": "bdd-anomaly",
        "labels": str(labels),
        "images": None if images is None else str(images),
        "table": job.table.name,
        "encoding": job.encoding,
        "link": job.link,
        "on_error": job.on_error,
    }


def _finish(job: _Job, results: Sequence[Converted], configuration: dict[str, Any], found: str) -> Conversion:
    problems = tuple(r.problem for r in results if r.problem)
    kept = [r for r in results if r.split]
    counts: dict[Split, int] = {split: sum(r.split == split for r in kept) for split in PLACES}
    for split, place in PLACES.items():
        rows = [r for r in kept if r.split == split]
        pairs = [(_relative(r, "image", place.top), _relative(r, "annotation", place.top)) for r in rows]
        width, height = (rows[0].width, rows[0].height) if rows else (0, 0)
        write_odgt(job.out / place.top / place.list_name, pairs, width, height, "BDD-Anomaly")
    write_jsonl(job.out / "manifest.jsonl", [_row(r) for r in kept])
    write_text(job.out / "left_out.txt", "".join(f"{p}\n" for p in problems))
    write_json(
        job.out / "dataset.json",
        {
            "name": "BDD-Anomaly",
            "labels": {"name": job.table.name, "version": job.table.version, "digest": job.table.digest},
            "counts": counts,
            "left_out": len(problems),
            "images": any(r.source.image for r in kept),
            "provenance": provenance(configuration),
        },
    )
    return Conversion(counts, problems, found)


def _relative(result: Converted, kind: str, top: str) -> str:
    """Path for a list; without images, the path an image would have."""
    files = result.files.get(kind) or {
        "path": result.files["annotation"]["path"].replace("/annotations/", "/images/", 1)
    }
    return files["path"].removeprefix(f"{top}/")


def _row(result: Converted) -> dict[str, Any]:
    assert result.split is not None
    town = _town(result.source, result.split)
    return {
        "schema": MANIFEST_SCHEMA,
        "key": f"{result.split}/{town}/{result.source.name}",
        "split": result.split,
        "town": town,
        "files": {kind: dict(entry) for kind, entry in result.files.items()},
        "anomaly_pixels": dict(result.anomaly_pixels),
        "hazards": [],
    }


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
