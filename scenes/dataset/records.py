"""Records of a dataset on disk: the shape of ``dataset.json``, ``manifest.jsonl`` and ``.odgt`` lists when read.

Each is an open table: the keys declared here are checked when a file is read; what else a set says of itself is kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypedDict

from caos.foundation.settings import Below

Split = Literal["train", "val", "test"]


class FileRecord(TypedDict, total=False):
    """A file of a set: its path below the set, and the hash of its bytes."""

    path: Annotated[str, Below()]
    sha256: str


class HazardRecord(TypedDict, total=False):
    """What a manifest says of a hazard."""

    object: str | None
    kind: str | None
    category: str | None
    level: str | None
    source: str | None
    licence: str | None
    placement: str | None
    stance: str | None
    instance_id: int
    pixels: int
    distance_m: float | None
    occluded_share: float | None
    contrast: float | None
    box: tuple[float, float, float, float] | None


class SensorRecord(TypedDict, total=False):
    """A camera or a lidar of a frame."""

    name: Annotated[str, Below(is_name=True)]
    files: dict[str, FileRecord]


class BoxRecord(TypedDict, total=False):
    """A box around a hazard, a vehicle or a person."""

    what: Literal["hazard", "vehicle", "person"]


class WeatherRecord(TypedDict, total=False):
    """The weather of an image."""

    name: str | None


class _Keyed(TypedDict):
    schema: Literal[1]
    key: str


class ManifestRecord(_Keyed, total=False):
    """One image."""

    split: Split
    town: str
    files: dict[str, FileRecord]
    hazards: list[HazardRecord]
    weather: WeatherRecord
    cameras: list[SensorRecord]
    lidar: list[SensorRecord]
    boxes: list[BoxRecord]
    rejected: dict[str, int]


class LabelsRecord(TypedDict, total=False):
    """The label table a set names."""

    name: str
    version: int
    digest: str
    background: str


class _Placed(TypedDict):
    split: Split
    folder: str


class PartRecord(_Placed, total=False):
    """A part of a generated set."""

    objects: list[str]
    limits: str | None


class DescriptionRecord(TypedDict, total=False):
    """A set as a whole."""

    name: str
    labels: LabelsRecord
    classes: list[dict[str, Any]]
    images: bool
    counts: dict[str, int]
    parts: list[PartRecord]
    provenance: dict[str, Any]


class _Paths(TypedDict):
    fpath_img: str
    fpath_segm: str


class ListedRecord(_Paths, total=False):
    """An entry of an ``.odgt`` list."""

    width: int
    height: int


def further_sensors(row: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """What a row of a manifest says of cameras besides the first, whose files are the row's own, and of lidars."""
    return [*row.get("cameras", [])[1:], *row.get("lidar", [])]
