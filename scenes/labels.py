"""The shared vocabulary: classes, ids, colours, the void and anomaly ids, and how CARLA's tags become classes.

Three numbers name a class and are never mixed:

* *PNG value*: what a label file on disk holds.
* *class id*: what the network outputs and the loss sees; ``VOID`` (255) is never trained or measured.
* *tag*: CARLA's number, see :mod:`simulator.semantic_tags`.

How many classes has StreetHazards? Thirteen PNG values (1..13) occur in training, plus 14 for anomalies. The paper
counts twelve: it leaves out ``other``. Both readings are tables here: ``streethazards`` trains all thirteen,
``streethazards-12`` turns ``other`` into ``VOID``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from foundation.errors import CaosError, unknown
from simulator.semantic_tags import TagTable

ClassIds = NDArray[np.uint8]
Role = Literal["train", "ignore", "anomaly"]
VOID: Final = 255


@dataclass(frozen=True)
class LabelClass:
    """One row of a label table.

    Attributes:
        class_id: Network output (``train``), id of an anomaly class (``anomaly``), or ``VOID`` (``ignore``).
        png_value: Value in the label files.
        name: Lower case, as the papers print it.
        color: Display colour, RGB 0..255.
        role: ``train``: learnt; ``ignore``: neither learnt nor measured; ``anomaly``: never in training sets.
    """

    class_id: int
    png_value: int
    name: str
    color: tuple[int, int, int]
    role: Role = "train"


@dataclass(frozen=True)
class LabelTable:
    """The classes of a dataset, trained ones first with ids 0, 1, 2 ..."""

    name: str
    version: int
    classes: tuple[LabelClass, ...]
    background: str
    """Name of the class that the Background scorer reads."""

    @cached_property
    def trained(self) -> tuple[LabelClass, ...]:
        """The classes a network learns, in the order of its outputs."""
        return tuple(row for row in self.classes if row.role == "train")

    @property
    def num_classes(self) -> int:
        """How many outputs a network for this table has."""
        return len(self.trained)

    @cached_property
    def anomaly_ids(self) -> tuple[int, ...]:
        """Class ids that count as anomalous."""
        return tuple(row.class_id for row in self.classes if row.role == "anomaly")

    @property
    def background_id(self) -> int:
        """Class id of the background class."""
        return next(row.class_id for row in self.trained if row.name == self.background)

    @cached_property
    def digest(self) -> str:
        """Short hash of the meaning of every id: two tables with one digest can share checkpoints."""
        text = "|".join(f"{r.class_id}:{r.png_value}:{r.name}:{r.role}" for r in self.classes)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @cached_property
    def _decoding(self) -> tuple[ClassIds, NDArray[np.bool_]]:
        ids, legal = np.full(256, VOID, np.uint8), np.zeros(256, bool)
        for row in self.classes:
            ids[row.png_value], legal[row.png_value] = row.class_id, True
        return ids, legal

    def decode(self, png: ClassIds, source: object = "the label map") -> ClassIds:
        """Class ids of a label image as read from disk.

        Raises:
            CaosError: If a value is not in the table; ``source`` names the image in the message.
        """
        ids, legal = self._decoding
        bad = np.flatnonzero((np.bincount(png.ravel(), minlength=256) > 0) & ~legal)
        if bad.size:
            allowed = ", ".join(str(v) for v in np.flatnonzero(legal))
            raise CaosError(f"{source}: label value {int(bad[0])} is not in table {self.name!r} (allowed: {allowed})")
        return ids[png]

    def encode(self, class_ids: ClassIds) -> ClassIds:
        """PNG values of class ids; the inverse of :meth:`decode` where no class is ignored.

        Raises:
            CaosError: If an id has no PNG value.
        """
        values = np.full(256, -1, np.int16)
        for row in self.classes:
            values[row.class_id] = row.png_value
        out = values[class_ids]
        if (out < 0).any():
            wrong = int(class_ids[out < 0].flat[0])
            raise CaosError(f"class id {wrong} has no PNG value in table {self.name!r}")
        return out.astype(np.uint8)

    def colorize(self, class_ids: ClassIds) -> NDArray[np.uint8]:
        """RGB picture ``(h, w, 3)`` of a map of class ids; void is white."""
        colors = np.full((256, 3), 255, np.uint8)
        for row in self.classes:
            colors[row.class_id] = row.color
        return colors[class_ids]


def _row(class_id: int, png_value: int, name: str, color: tuple[int, int, int], role: Role = "train") -> LabelClass:
    return LabelClass(class_id, png_value, name, color, role)


STREETHAZARDS: Final = LabelTable(
    name="streethazards",
    version=1,
    background="background",
    classes=(
        _row(0, 1, "background", (0, 0, 0)),
        _row(1, 2, "building", (70, 70, 70)),
        _row(2, 3, "fence", (190, 153, 153)),
        _row(3, 4, "other", (250, 170, 160)),
        _row(4, 5, "pedestrian", (220, 20, 60)),
        _row(5, 6, "pole", (153, 153, 153)),
        _row(6, 7, "road line", (157, 234, 50)),
        _row(7, 8, "road", (128, 64, 128)),
        _row(8, 9, "sidewalk", (244, 35, 232)),
        _row(9, 10, "vegetation", (107, 142, 35)),
        _row(10, 11, "car", (0, 0, 142)),
        _row(11, 12, "wall", (102, 102, 156)),
        _row(12, 13, "traffic sign", (220, 220, 0)),
        _row(13, 14, "anomaly", (60, 250, 240), "anomaly"),
    ),
)
ANOMALY_PNG: Final = 14
"""PNG value of an anomaly in StreetHazards."""


def _without_other() -> LabelTable:
    rows, next_id = [], 0
    for row in STREETHAZARDS.classes:
        if row.name == "other":
            rows.append(replace(row, class_id=VOID, role="ignore"))
        else:
            rows.append(replace(row, class_id=next_id))
            next_id += 1
    return LabelTable("streethazards-12", 1, tuple(rows), "background")


STREETHAZARDS_12: Final = _without_other()

BDD_ANOMALY: Final = LabelTable(
    name="bdd-anomaly",
    version=1,
    background="background",
    classes=(
        _row(0, 1, "background", (0, 0, 0)),
        _row(1, 2, "road", (128, 64, 128)),
        _row(2, 3, "sidewalk", (244, 35, 232)),
        _row(3, 4, "building", (70, 70, 70)),
        _row(4, 5, "wall", (102, 102, 156)),
        _row(5, 6, "fence", (190, 153, 153)),
        _row(6, 7, "pole", (153, 153, 153)),
        _row(7, 8, "traffic light", (250, 170, 30)),
        _row(8, 9, "traffic sign", (220, 220, 0)),
        _row(9, 10, "vegetation", (107, 142, 35)),
        _row(10, 11, "terrain", (152, 251, 152)),
        _row(11, 12, "sky", (70, 130, 180)),
        _row(12, 13, "person", (220, 20, 60)),
        _row(13, 14, "rider", (255, 0, 0)),
        _row(14, 15, "car", (0, 0, 142)),
        _row(15, 16, "truck", (0, 0, 70)),
        _row(16, 17, "bus", (0, 60, 100)),
        _row(17, 18, "train", (0, 80, 100), "anomaly"),
        _row(18, 19, "motorcycle", (0, 0, 230), "anomaly"),
        _row(19, 20, "bicycle", (119, 11, 32), "anomaly"),
    ),
)
"""PNG value = Cityscapes train id + 2, void = 1: the released conversion's encoding."""


def hold_out(anomalies: tuple[str, ...], ignored: tuple[str, ...] = ()) -> LabelTable:
    """BDD-Anomaly's table with other classes held out as anomalies, the PNG values unchanged.

    Raises:
        CaosError: If a name is not a class of the table, or is both held out and ignored.
    """
    names = {row.name for row in BDD_ANOMALY.classes}
    for name in (*anomalies, *ignored):
        if name not in names - {"background"}:
            raise unknown("class", name, names - {"background"})
    if overlap := set(anomalies) & set(ignored):
        raise CaosError(f"class {min(overlap)!r} is both held out and ignored; choose one")
    if tuple(sorted(anomalies)) == ("bicycle", "motorcycle", "train") and not ignored:
        return BDD_ANOMALY
    kept = [row for row in BDD_ANOMALY.classes if row.name not in (*anomalies, *ignored)]
    rows = [replace(row, class_id=i, role="train") for i, row in enumerate(kept)]
    held = [row for row in BDD_ANOMALY.classes if row.name in anomalies]
    rows += [replace(row, class_id=len(kept) + i, role="anomaly") for i, row in enumerate(held)]
    left = [row for row in BDD_ANOMALY.classes if row.name in ignored]
    rows += [replace(row, class_id=VOID, role="ignore") for row in left]
    suffix = "+".join(name.replace(" ", "_") for name in sorted(anomalies))
    without = "".join(f"-{name.replace(' ', '_')}" for name in sorted(ignored))
    return LabelTable(f"bdd-anomaly:{suffix}{without}", 1, tuple(rows), "background")


TABLES: Final[Mapping[str, LabelTable]] = {t.name: t for t in (STREETHAZARDS, STREETHAZARDS_12, BDD_ANOMALY)}


def table_by_name(name: str) -> LabelTable:
    """The table of that name; ``bdd-anomaly:rider+bus`` holds out other classes of BDD-Anomaly.

    Raises:
        CaosError: If the name is unknown.
    """
    if name in TABLES:
        return TABLES[name]
    if name.startswith("bdd-anomaly:"):
        held, *ignored = name.removeprefix("bdd-anomaly:").split("-")
        return hold_out(
            tuple(n.replace("_", " ") for n in held.split("+")), tuple(n.replace("_", " ") for n in ignored)
        )
    raise unknown("label table", name, TABLES)


_CLASS_OF_TAG: Final[Mapping[str, str]] = {
    "Unlabeled": "background",
    "Sky": "background",
    "Terrain": "background",
    "Water": "background",
    "Ground": "background",
    "Building": "building",
    "Bridge": "building",
    "Fence": "fence",
    "GuardRail": "fence",
    "Other": "other",
    "Static": "other",
    "Dynamic": "other",
    "Pedestrian": "pedestrian",
    "Rider": "pedestrian",
    "Pole": "pole",
    "RoadLine": "road line",
    "Road": "road",
    "RailTrack": "road",
    "SideWalk": "sidewalk",
    "Vegetation": "vegetation",
    "Vehicles": "car",
    "Car": "car",
    "Truck": "car",
    "Bus": "car",
    "Train": "car",
    "Motorcycle": "car",
    "Bicycle": "car",
    "Wall": "wall",
    "TrafficSign": "traffic sign",
    "TrafficLight": "traffic sign",
}


def png_of_tag(tags: TagTable) -> NDArray[np.uint8]:
    """Lookup ``(256,)`` from a release's tag numbers to StreetHazards PNG values; 0 for numbers it does not have."""
    values = {row.name: row.png_value for row in STREETHAZARDS.classes}
    lookup = np.zeros(256, np.uint8)
    for tag in tags.tags:
        lookup[tag.number] = values[_CLASS_OF_TAG[tag.name]]
    return lookup
