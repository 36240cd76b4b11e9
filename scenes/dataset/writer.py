"""Writer of datasets: lists, manifest, READMEs and description of a set whose pictures are in place.

Generated and converted sets are all finished here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Final

from caos.foundation.settings import Below
from caos.foundation.storage.files import sha256, write_json, write_jsonl, write_text
from caos.scenes.dataset.layout import MANIFEST_SCHEMA, PLACES, Split, inner_town, write_list
from caos.scenes.labels import LabelTable

DESCRIPTION: Final = "dataset.json"
MANIFEST: Final = "manifest.jsonl"


@dataclass(frozen=True)
class SetFile:
    """A file of a set: its path relative to the set, and the hash of its bytes.

    Raises:
        CaosError: If no list could name the path.
    """

    path: str
    sha256: str

    def __post_init__(self) -> None:
        Below().check(self.path, "file of a set")


@dataclass(frozen=True, eq=False)
class SetImage:
    """One image of a set.

    Attributes:
        split: The split it is listed in.
        size: Width and height.
        files: At least ``annotation``; then ``image``, ``instances``, ``depth``, ``twin`` where there are any.
        about: What else its row of the manifest says.
    """

    split: Split
    size: tuple[int, int]
    files: Mapping[str, SetFile]
    about: Mapping[str, Any]

    @property
    def key(self) -> str:
        """``<split>/<town>/<stem>``, as :mod:`caos.scenes.dataset.layout` reads it back."""
        inner = PurePosixPath(*PurePosixPath(self.files["annotation"].path).parts[2:])
        return f"{self.split}/{inner_town(inner)}/{inner.stem}"

    @property
    def row(self) -> dict[str, Any]:
        """Its row of the manifest."""
        files = {kind: asdict(file) for kind, file in self.files.items()}
        return {"schema": MANIFEST_SCHEMA, "key": self.key, "split": self.split, **self.about, "files": files}


@dataclass(frozen=True, eq=False)
class SetDescription:
    """What a set as a whole says of itself in ``dataset.json``, besides counts and classes."""

    name: str
    labels: LabelTable
    provenance: Mapping[str, Any]
    more: Mapping[str, Any]


def file_of(root: Path, path: str) -> SetFile:
    """A file of the set at ``root``, hashed."""
    return SetFile(path, sha256(root / path))


def write_set(root: Path, images: Sequence[SetImage], about: SetDescription) -> dict[Split, int]:
    """Write everything that makes a folder of pictures a dataset; ``dataset.json`` comes last.

    Returns:
        Images of each split.
    """
    for split, place in PLACES.items():
        own = [image for image in images if image.split == split]
        write_list(root / place.top / place.list_name, [_listed(image, place.top) for image in own], about.name)
    for top in sorted({place.top for place in PLACES.values()}):
        write_text(root / top / "README.txt", _readme(top, about.labels))
    write_jsonl(root / MANIFEST, [image.row for image in images])
    counts: dict[Split, int] = {split: sum(image.split == split for image in images) for split in PLACES}
    write_json(root / DESCRIPTION, _description(about) | {"counts": counts})
    return counts


def _listed(image: SetImage, top: str) -> tuple[str, str, int, int]:
    """Paths and size for a list; without an image, the path it would have."""
    annotation = image.files["annotation"].path
    beside = annotation.replace(f"{top}/annotations/", f"{top}/images/", 1)
    shown = image.files["image"].path if "image" in image.files else beside
    return shown.removeprefix(f"{top}/"), annotation.removeprefix(f"{top}/"), *image.size


def _readme(top: str, table: LabelTable) -> str:
    anomalies = ", ".join(str(value) for value in table.png_values("anomaly"))
    what = "training and validation" if top == "train" else "test"
    return (
        f"Images and annotations for {what}. Labels: table {table.name}; the PNG value of each class is in "
        f"../{DESCRIPTION} (anomalies: {anomalies}). Each image's row: ../{MANIFEST}.\n"
    )


def _description(about: SetDescription) -> dict[str, Any]:
    table = about.labels
    labels = {
        "name": table.name,
        "version": table.version,
        "digest": table.digest,
        "background": table.background,
    }
    classes = [asdict(row) for row in table.classes]
    return {"name": about.name, "labels": labels, "classes": classes, **about.more, "provenance": about.provenance}
