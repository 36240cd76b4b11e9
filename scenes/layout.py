"""Folders, lists and manifest of a dataset on disk: reading any set of the StreetHazards family.

    train/train.odgt  train/validation.odgt
    train/{images,annotations,instances,depth}/training/t1-3/N.png
    train/{images,annotations,instances,depth}/validation/t4/N.png
    test/test.odgt
    test/{images,annotations,instances,depth,twins}/test/t5/N.png
    dataset.json        name, label table, provenance (absent in the genuine release)
    manifest.jsonl      one row an image            (absent in the genuine release)

An image's *key* is ``<split>/<town>/<stem>``, for example ``test/t5/12``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

from foundation.errors import CaosError
from foundation.files import read_json, read_jsonl, write_bytes, write_text
from scenes.labels import STREETHAZARDS, ClassIds, LabelTable, table_by_name

Split = Literal["train", "val", "test"]
SPLITS: Final[tuple[Split, ...]] = ("train", "val", "test")
MANIFEST_SCHEMA: Final = 1


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
            CaosError: If a row has another schema or no key.
        """
        path = self.root / "manifest.jsonl"
        if not path.exists():
            return {}
        rows: dict[str, dict[str, Any]] = {}
        for number, row in enumerate(read_jsonl(path), 1):
            if not isinstance(row, dict) or row.get("schema") != MANIFEST_SCHEMA or not isinstance(row.get("key"), str):
                raise CaosError(f"{path}, line {number}: not a manifest row of schema {MANIFEST_SCHEMA}")
            rows[row["key"]] = row
        return rows


def open_dataset(root: Path, labels: str | None = None) -> Dataset:
    """The set at ``root``: generated, the genuine release, or BDD-Anomaly.

    Args:
        root: The folder that holds ``train/`` and ``test/`` (or a folder with one of them).
        labels: Name of a label table to read it with; by default the one in ``dataset.json``, or StreetHazards.

    Raises:
        CaosError: If there is no set, or its list or description cannot be read.
    """
    if not root.is_dir():
        raise CaosError(f"{root} is not a folder; give the folder that holds train/ and test/")
    info = _info(root)
    table = table_by_name(labels or str(info.get("labels", {}).get("name", STREETHAZARDS.name)))
    splits = {split: tuple(_samples(root, split)) for split in SPLITS}
    if not any(splits.values()):
        wanted = ", ".join(f"{p.top}/{p.list_name}" for p in PLACES.values())
        raise CaosError(f"{root} holds no dataset: none of {wanted} and no images below train/images or test/images")
    return Dataset(root, str(info.get("name", "StreetHazards")), table, splits, info)


def _info(root: Path) -> dict[str, Any]:
    path = root / "dataset.json"
    if not path.exists():
        return {}
    info = read_json(path)
    if not isinstance(info, dict) or not isinstance(info.get("labels", {}), dict):
        raise CaosError(f"{path} is not a dataset description")
    return info


def _samples(root: Path, split: Split) -> Iterable[Sample]:
    place = PLACES[split]
    base = root / place.top
    listed = base / place.list_name
    pairs = read_odgt(listed) if listed.exists() else _found(base, place.folder)
    return [_sample(base, split, image, annotation) for image, annotation in pairs]


def _found(base: Path, folder: str) -> list[tuple[str, str]]:
    """Image and annotation paths without a list: every picture below ``images/<folder>``, in natural order."""
    images = [p for p in (base / "images" / folder).rglob("*") if p.suffix.lower() in {".png", ".jpg", ".jpeg"}]
    images.sort(key=lambda p: (p.parent.as_posix(), len(p.stem), p.stem))
    relative = [p.relative_to(base).as_posix() for p in images]
    return [
        (r, PurePosixPath("annotations", *PurePosixPath(r).parts[1:]).with_suffix(".png").as_posix()) for r in relative
    ]


def _sample(base: Path, split: Split, image: str, annotation: str) -> Sample:
    inner = PurePosixPath(*PurePosixPath(annotation).parts[1:])
    town = inner.parent.name if len(inner.parts) > 2 else inner.parts[0]
    key = f"{split}/{town}/{inner.stem}"

    def beside(kind: str) -> Path | None:
        path = base / kind / inner
        return path if path.exists() else None

    return Sample(
        key, split, town, base / image, base / annotation, beside("instances"), beside("depth"), beside("twins")
    )


def read_odgt(path: Path) -> list[tuple[str, str]]:
    """Image and annotation paths, relative to the list's folder: a JSON array, or one JSON object a line.

    Raises:
        CaosError: If the file is not such a list, or a path leads outside its folder.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CaosError(f"cannot read {path}: {error}") from error
    try:
        lines = [line for line in text.splitlines() if line.strip()]
        rows = json.loads(text) if text.lstrip().startswith("[") else [json.loads(line) for line in lines]
        pairs = [(str(row["fpath_img"]), str(row["fpath_segm"])) for row in rows]
    except (ValueError, KeyError, TypeError) as error:
        raise CaosError(f"{path} is not an .odgt list with fpath_img and fpath_segm: {error}") from error
    for pair in pairs:
        for name in pair:
            if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts:
                raise CaosError(f"{path}: path {name!r} leads outside the dataset")
    return pairs


def write_odgt(path: Path, pairs: Iterable[tuple[str, str]], width: int, height: int, name: str) -> None:
    """Write a list as the genuine release does: one JSON array on one line, in lexicographic order."""
    rows = [
        {"dbName": name, "width": width, "height": height, "fpath_img": image, "fpath_segm": annotation}
        for image, annotation in sorted(pairs)
    ]
    write_text(path, json.dumps(rows))


def read_image(path: Path) -> NDArray[np.uint8]:
    """RGB pixels ``(h, w, 3)`` of a picture (an alpha channel is dropped).

    Raises:
        CaosError: If the file is missing, truncated or not a picture.
    """
    with _opened(path) as picture:
        return np.asarray(picture.convert("RGB"))


def read_png_values(path: Path) -> ClassIds:
    """Raw values ``(h, w)`` of a label file.

    Raises:
        CaosError: If the file is missing, truncated, or not an 8-bit map with one channel.
    """
    with _opened(path) as picture:
        if picture.mode not in {"L", "P"}:
            raise CaosError(
                f"{path}: label image has mode {picture.mode!r}; an 8-bit map with one channel (mode 'L') is needed"
            )
        return np.asarray(picture)


def _opened(path: Path) -> Image.Image:
    try:
        # Through a stream of our own, since a picture that fails to load leaves its file open.
        with path.open("rb") as stream:
            picture = Image.open(stream)
            picture.load()
    except FileNotFoundError as error:
        raise CaosError(f"{path} does not exist") from error
    except (OSError, UnidentifiedImageError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise CaosError(f"{path} cannot be read as a picture: {error}") from error
    return picture


def read_class_ids(sample: Sample, table: LabelTable) -> ClassIds:
    """Class ids ``(h, w)`` of a sample's annotation; ignored pixels are ``VOID``.

    Raises:
        CaosError: If the file cannot be read or holds a value outside the table.
    """
    return table.decode(read_png_values(sample.annotation), sample.annotation)


def read_instances(path: Path) -> NDArray[np.uint16]:
    """Instance ids ``(h, w)`` of a 16-bit map; 0 where there is none."""
    with _opened(path) as picture:
        return np.asarray(picture).astype(np.uint16)


def write_png(path: Path, picture: NDArray[Any]) -> None:
    """Write a picture as a whole PNG file: ``(h, w, 3)`` RGB or ``(h, w)``, of 8 or 16 bits; always the same bytes.

    Raises:
        CaosError: If the file cannot be written; nothing is left of it then.
    """
    import cv2

    ordered = np.ascontiguousarray(picture[..., ::-1] if picture.ndim == 3 else picture)
    ok, data = cv2.imencode(".png", ordered, [cv2.IMWRITE_PNG_COMPRESSION, 4])
    if not ok:
        raise CaosError(f"cannot encode {path}")
    write_bytes(path, data.tobytes())
