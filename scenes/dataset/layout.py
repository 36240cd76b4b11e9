"""Layout of a dataset on disk, its folders, lists and manifest: reading any set of the StreetHazards family.

    train/train.odgt  train/validation.odgt
    train/{images,annotations,instances,depth}/training/t1-3/N.png
    train/{images,annotations,instances,depth}/validation/t4/N.png
    test/test.odgt
    test/{images,annotations,instances,depth,twins}/test/t5/N.png
    dataset.json        name, label table, provenance (absent in the genuine release)
    manifest.jsonl      one row for each image      (absent in the genuine release)

An image's *key* is ``<split>/<town>/<stem>``, for example ``test/t5/12``.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from caos.foundation.errors import CaosError
from caos.foundation.settings import Below, parse_json, read_json, read_record, read_text, shown
from caos.foundation.storage.files import paths_below, read_jsonl, write_text
from caos.foundation.storage.images import SIDEWAYS, image_format, image_size, load_image, orientation_of
from caos.scenes.dataset import records as set_records
from caos.scenes.dataset.records import DescriptionRecord, ListedRecord, ManifestRecord
from caos.scenes.labels import (
    STREETHAZARDS,
    ClassIds,
    LabelClass,
    LabelTable,
    checked_table,
    clash_of,
    contradiction_of,
    is_known,
    table_by_name,
)

Split = set_records.Split
SPLITS: Final[tuple[Split, ...]] = ("train", "val", "test")
PICTURE_SUFFIXES: Final = frozenset({".png", ".jpg", ".jpeg", ".webp"})
MANIFEST_SCHEMA: Final = 1
WIDE_MODES: Final = ("I", "I;16", "I;16B", "I;16L", "I;16N", "F")
"""Pillow's modes with more than 8 bits a value, which its conversion to RGB would cut off at white."""
ACTOR_IDS_FROM: Final = 101
"""Instance ids on disk: hazards are 1, 2, 3 ...; vehicles, then people, follow from here; the town is 0."""
LARGEST_INSTANCE: Final = 2**16 - 1


@dataclass(frozen=True)
class SplitPlace:
    """Where a split lives: ``<top>/images/<folder>/...`` listed in ``<top>/<list_name>``."""

    top: str
    folder: str
    list_name: str


PLACES: Final[Mapping[Split, SplitPlace]] = {
    "train": SplitPlace("train", "training", "train.odgt"),
    "val": SplitPlace("train", "validation", "validation.odgt"),
    "test": SplitPlace("test", "test", "test.odgt"),
}


@dataclass(frozen=True)
class Sample:
    """The files of one image. Instances, depth and twin are None where the set has none."""

    key: str
    split: Split
    town: str
    image: Path
    annotation: Path
    instances: Path | None = None
    depth: Path | None = None
    twin: Path | None = None


@dataclass(frozen=True)
class Dataset:
    """A set on disk: its label table and the samples of each split, in the order of its lists."""

    root: Path
    name: str
    labels: LabelTable
    splits: Mapping[Split, tuple[Sample, ...]]
    info: Mapping[str, Any] = field(default_factory=dict)

    def samples(self, split: Split) -> tuple[Sample, ...]:
        """The samples of a split.

        Raises:
            CaosError: If the split is empty.
        """
        if not self.splits.get(split):
            raise CaosError(
                f"{self.root} has no {split!r} images (looked for {PLACES[split].top}/{PLACES[split].list_name})"
            )
        return self.splits[split]

    def manifest(self) -> dict[str, dict[str, Any]]:
        """Manifest rows by key; empty when the set has no manifest.

        Raises:
            CaosError: If a row has another schema, a value of another type, no key, or the key of another row.
        """
        path = self.root / "manifest.jsonl"
        if not path.exists():
            return {}
        rows: dict[str, dict[str, Any]] = {}
        for number, read in enumerate(read_jsonl(path), 1):
            if not isinstance(read, dict) or read.get("schema") != MANIFEST_SCHEMA:
                raise CaosError(f"{path}, line {number}: not a manifest row of schema {MANIFEST_SCHEMA}")
            row: dict[str, Any] = {**read_record(ManifestRecord, read, f"{path}, line {number}")}
            if row["key"] in rows:
                raise CaosError(f"{path}, line {number}: image {row['key']!r} already has a row")
            rows[row["key"]] = row
        return rows


def open_dataset(root: str | Path, labels: str | None = None, *, strict: bool = True) -> Dataset:
    """The set at ``root``: generated, the genuine release, or BDD-Anomaly.

    Args:
        root: The folder that holds ``train/`` and ``test/`` (or a folder with one of them).
        labels: Name or path of a label table to read it with; by default the one in ``dataset.json``, or StreetHazards.
        strict: Refuse a set that lists an image twice, or was labelled with another table than its name says.

    Raises:
        CaosError: If there is no set, or its list or description cannot be read.
    """
    root = Path(root)
    if not root.is_dir():
        raise CaosError(f"{root} is not a folder; give the folder that holds train/ and test/")
    info = _info(root)
    table = _table(root, info, labels, strict=strict)
    splits = {split: tuple(_samples(root, split)) for split in SPLITS}
    if strict and (twice := listed_twice(splits)):
        key, count = next(iter(twice.items()))
        files = " and ".join(str(s.image) for samples in splits.values() for s in samples if s.key == key)
        raise CaosError(f"{root} lists image {key!r} {count} times ({files}); every image must be listed once")
    if not any(splits.values()):
        wanted = ", ".join(f"{p.top}/{p.list_name}" for p in PLACES.values())
        raise CaosError(f"{root} holds no dataset: none of {wanted} and no images below train/images or test/images")
    return Dataset(root, info.get("name", "StreetHazards"), table, splits, info)


def _info(root: Path) -> dict[str, Any]:
    path = root / "dataset.json"
    if not path.exists():
        return {}
    return {**read_record(DescriptionRecord, read_json(path), path)}


def _table(root: Path, info: Mapping[str, Any], labels: str | None, *, strict: bool) -> LabelTable:
    """The table to read a set with.

    Raises:
        CaosError: If it is unknown, or (``strict``) means something else than the one the set was labelled with.
    """
    own = info.get("labels", {})
    declared = None
    if "name" in own:
        declared = _declared(root, info)
        if strict and own.get("digest", declared.digest) != declared.digest:
            raise CaosError(
                f"{root} was labelled with a table {declared.name!r} of digest {own['digest']}, but the one known here "
                f"has {declared.digest}: its values mean something else; give the right one with --labels"
            )
        if strict and (wrong := contradiction_of(info.get("classes", ()), declared)):
            raise CaosError(f"{root / 'dataset.json'}: {wrong}; correct the classes, or name the table they are of")
    if labels is None:
        return declared or STREETHAZARDS
    table = table_by_name(labels)
    both_known = declared is not None and is_known(declared.name) and is_known(table.name)
    if strict and declared is not None and both_known and (clash := clash_of(table, declared)):
        raise CaosError(f"{root} is labelled with {declared.name!r} and cannot be read with {labels!r}: {clash}")
    return table


def _declared(root: Path, info: Mapping[str, Any]) -> LabelTable:
    """The table a set says it is labelled with: by its name, or, for one that is not known here, by its classes."""
    own = info["labels"]
    name = own["name"]
    if is_known(name) or "classes" not in info or "background" not in own:
        return table_by_name(name)
    where = root / "dataset.json"
    classes = read_record(tuple[LabelClass, ...], info["classes"], f"{where}: classes")
    return checked_table(LabelTable(name, own.get("version", 1), classes, own["background"]), where)


def listed_twice(splits: Mapping[Split, tuple[Sample, ...]]) -> dict[str, int]:
    """Keys of images that are listed more than once, and how often."""
    counts = Counter(sample.key for samples in splits.values() for sample in samples)
    return {key: count for key, count in counts.items() if count > 1}


def _samples(root: Path, split: Split) -> Iterable[Sample]:
    place = PLACES[split]
    base = root / place.top
    listed = base / place.list_name
    pairs = read_odgt(listed) if listed.exists() else _found(base, place.folder)
    return [_sample(base, split, image, annotation) for image, annotation in pairs]


def _found(base: Path, folder: str) -> list[tuple[str, str]]:
    """Image and annotation paths without a list: every picture below ``images/<folder>``, in natural order."""
    images = [
        p for p in paths_below(base / "images" / folder) if p.suffix.lower() in {".png", ".jpg", ".jpeg", ".webp"}
    ]
    images.sort(key=lambda p: (p.parent.as_posix(), len(p.stem), p.stem))
    relative = [p.relative_to(base).as_posix() for p in images]
    return [
        (r, PurePosixPath("annotations", *PurePosixPath(r).parts[1:]).with_suffix(".png").as_posix()) for r in relative
    ]


def _sample(base: Path, split: Split, image: str, annotation: str) -> Sample:
    inner = PurePosixPath(*PurePosixPath(annotation).parts[1:])
    town = inner_town(inner)
    key = f"{split}/{town}/{inner.stem}"

    def beside(kind: str) -> Path | None:
        path = base / kind / inner
        return path if path.exists() else None

    return Sample(
        key, split, town, base / image, base / annotation, beside("instances"), beside("depth"), beside("twins")
    )


def inner_town(inner: PurePosixPath) -> str:
    """The town of an annotation's path below ``annotations``: the folders after the split's, or the split's own.

    >>> inner_town(PurePosixPath("training/t1-3/7.png")), inner_town(PurePosixPath("training/a/b/7.png"))
    ('t1-3', 'a/b')
    """
    return PurePosixPath(*inner.parent.parts[1:]).as_posix() if len(inner.parts) > 2 else inner.parts[0]


def read_odgt(path: Path) -> list[tuple[str, str]]:
    """Image and annotation paths, relative to the list's folder: a JSON array, or one JSON object a line.

    Raises:
        CaosError: If the file is not such a list, or a path leads outside its folder.
    """
    return [(entry["fpath_img"], entry["fpath_segm"]) for entry in _entries(path)]


def listed_sizes(root: Path) -> dict[Path, tuple[int | None, int | None]]:
    """Width and height that the lists of a set state, by annotation; None where a list states none.

    Raises:
        CaosError: If a list cannot be read.
    """
    found = {}
    for place in PLACES.values():
        path = root / place.top / place.list_name
        for entry in _entries(path) if path.exists() else ():
            found[root / place.top / entry["fpath_segm"]] = entry.get("width"), entry.get("height")
    return found


def _entries(path: Path) -> tuple[ListedRecord, ...]:
    text = read_text(path)
    try:
        is_array = text.lstrip().startswith("[")
        rows = parse_json(text, "it") if is_array else read_jsonl(path)
        listed = read_record(tuple[ListedRecord, ...], rows, "entry")
    except CaosError as error:
        raise CaosError(f"{path} is not an .odgt list with fpath_img and fpath_segm: {error}") from error
    for entry in listed:
        _check_place(entry["fpath_img"], path)
        _check_place(entry["fpath_segm"], path)
    return listed


def _check_place(name: str, listed_in: Path) -> None:
    if len(PurePosixPath(name).parts) < 2:
        raise CaosError(f"{listed_in}: path {shown(name)} is not below images/ or annotations/")
    Below().check(name, str(listed_in))


def write_odgt(path: Path, pairs: Iterable[tuple[str, str]], width: int, height: int, name: str) -> None:
    """Write a list of images that are all of one size; see :func:`write_list`."""
    write_list(path, ((image, annotation, width, height) for image, annotation in pairs), name)


def write_list(path: Path, rows: Iterable[tuple[str, str, int, int]], name: str) -> None:
    """Write a list as the genuine release does: one JSON array on one line, in lexicographic order.

    Args:
        path: The list.
        rows: Path of image and annotation (relative to the list's folder), width and height of each.
        name: Of the dataset.
    """
    entries = [
        {"dbName": name, "width": width, "height": height, "fpath_img": image, "fpath_segm": annotation}
        for image, annotation, width, height in sorted(rows)
    ]
    write_text(path, json.dumps(entries))


def read_image(path: Path) -> NDArray[np.uint8]:
    """RGB pixels ``(h, w, 3)`` of an image, upright: the EXIF orientation is applied.

    An alpha channel is dropped, 16 bits are scaled to 8.

    Raises:
        CaosError: If the file is missing, incomplete, not an image, has several frames, or no known white level.
    """
    image = load_image(path)
    if image.mode in WIDE_MODES:
        return _from_16_bits(image, path)
    return np.asarray(image if image.mode == "RGB" else image.convert("RGB"))


def _from_16_bits(image: Image.Image, path: Path) -> NDArray[np.uint8]:
    # Pillow 10 opens a grey PNG of 16 bits as 32 bits; no PNG has more than 16.
    if not (image.mode.startswith("I;16") or (image.mode == "I" and image_format(path) == "PNG")):
        raise CaosError(f"{path}: a picture of mode {image.mode!r} has no known white level; save it with 8 or 16 bits")
    grey = (np.asarray(image).astype(np.float32) / 257).round().astype(np.uint8)
    return np.repeat(grey[..., None], 3, axis=2)


def read_png_values(path: Path) -> ClassIds:
    """Raw values ``(h, w)`` of a label file: grey levels, or indices into a palette.

    Raises:
        CaosError: If the file is missing, incomplete, a JPEG, or not an 8-bit map with one channel.
    """
    image = load_image(path, exact=True)
    if image.mode not in {"L", "P"}:
        raise CaosError(
            f"{path}: label image has mode {image.mode!r}; an 8-bit map with one channel (mode 'L') is needed"
        )
    return np.asarray(image)


def read_class_ids(sample: Sample, table: LabelTable) -> ClassIds:
    """Class ids ``(h, w)`` of a sample's annotation; ignored pixels are ``VOID``.

    Raises:
        CaosError: If the file cannot be read, holds a value outside the table, or has another size than the picture.
    """
    values = read_png_values(sample.annotation)
    _check_size(values.shape[::-1], sample.annotation, "labels", sample.image)
    return table.decode(values, sample.annotation)


def read_instance_ids(sample: Sample) -> NDArray[np.uint16] | None:
    """Instance ids ``(h, w)`` of a sample, 0 where there is none; None where the set does not tell instances apart.

    Raises:
        CaosError: If the file is no map of instance ids, or has another size than the picture.
    """
    if sample.instances is None:
        return None
    values = read_instances(sample.instances)
    _check_size(values.shape[::-1], sample.instances, "instances", sample.image)
    return values


def check_heads(sample: Sample) -> None:
    """Compare the sizes of image and labels by the heads of their files, which costs little beside reading them.

    Raises:
        CaosError: If one is no image, or they differ.
    """
    _check_size(image_size(sample.annotation), sample.annotation, "labels", sample.image)


def _check_size(size: tuple[int, ...], path: Path, kind: str, image: Path) -> None:
    wanted = image_size(image)
    if size != wanted:
        raise CaosError(size_mismatch(image, wanted, f"its {kind} {path} are", size))


def size_mismatch(image: Path, upright: tuple[int, int], other: str, size: tuple[int, ...]) -> str:
    """The words of an error: an image and a map of it differ in size.

    Args:
        image: The image.
        upright: Its width and height after its EXIF orientation is applied.
        other: The map and its verb, such as ``"its labels a.png are"``.
        size: Width and height of the map.
    """
    text = f"{image} is {upright[0]}x{upright[1]} but {other} {size[0]}x{size[1]}; they must have the same size"
    if size != upright[::-1] or (orientation := orientation_of(image)) not in SIDEWAYS:
        return text
    return (
        f"{text}: the image is stored as {upright[1]}x{upright[0]} with EXIF orientation {orientation}, which is "
        "applied; turn the map in the same way, or save the image without the tag if its stored pixels are upright"
    )


def read_instances(path: Path) -> NDArray[np.uint16]:
    """Instance ids ``(h, w)`` of an 8- or 16-bit map; 0 where there is none.

    Raises:
        CaosError: If the file cannot be read, has several channels, or ids above 16 bits.
    """
    image = load_image(path, exact=True)
    values = np.asarray(image)
    if values.ndim != 2 or values.dtype.kind not in "ui" or (values.size and values.max() > LARGEST_INSTANCE):
        raise CaosError(f"{path}: not a map of instance ids: mode {image.mode!r}; one channel of 16 bits is needed")
    return values.astype(np.uint16)
