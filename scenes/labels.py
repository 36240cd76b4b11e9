"""Label tables, the shared vocabulary: classes, ids, colours, the void and anomaly ids.

Three numbers name a class and are never mixed:

* *PNG value*: what a label file on disk holds.
* *class id*: what the network outputs and the loss sees; ``VOID`` (255) is never trained or measured.
* *tag*: CARLA's number, see :mod:`caos.simulator.semantic_tags` and :mod:`caos.scenes.tag_classes`.

How many classes has StreetHazards? Thirteen PNG values (1..13) occur in training, plus 14 for anomalies. The paper
counts twelve: it leaves out ``other``. Both readings are tables here: ``streethazards`` trains all thirteen,
``streethazards-12`` turns ``other`` into ``VOID``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from caos.foundation.command_line.plugins import find_file, is_path, plugin_names
from caos.foundation.errors import CaosError, unknown
from caos.foundation.settings import Limits, read_record, read_toml
from caos.foundation.storage.files import real_path

ClassIds = NDArray[np.uint8]
Role = Literal["train", "ignore", "anomaly"]
VOID: Final = 255
BACKGROUND: Final = "background"
"""The class that is the background of a table from a file that names none."""
LABEL_GROUP: Final = "caos.labels"
"""Entry points with label tables of other projects."""
_Channel = Annotated[int, Limits(0, 255)]


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
    png_value: Annotated[int, Limits(0, 255)]
    name: str
    color: tuple[_Channel, _Channel, _Channel]
    role: Role = "train"


@dataclass(frozen=True)
class LabelsUsed:
    """A label table in a record: its name, and the hash of its meaning."""

    name: str
    version: int
    digest: str


@dataclass(frozen=True)
class LabelTable:
    """The classes of a dataset, trained ones first with ids 0, 1, 2 ..."""

    name: str
    version: int
    classes: tuple[LabelClass, ...]
    background: str
    """Name of the trained class that is the background; empty for a table without one."""

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
    def background_id(self) -> int | None:
        """Class id of the background class; None in a table without one."""
        return next((row.class_id for row in self.trained if row.name == self.background), None)

    def trained_id(self, name: str) -> int:
        """The class id of a class that a network learns.

        Raises:
            CaosError: If the table has no such class.
        """
        for row in self.trained:
            if row.name == name:
                return row.class_id
        raise unknown("class", name, [row.name for row in self.trained])

    def png_value(self, name: str) -> int:
        """The value that label files have for a class.

        Raises:
            CaosError: If the table has no such class.
        """
        for row in self.classes:
            if row.name == name:
                return row.png_value
        raise unknown("class", name, [row.name for row in self.classes])

    def png_values(self, role: Role) -> tuple[int, ...]:
        """The values that label files have for the classes of a role."""
        return tuple(row.png_value for row in self.classes if row.role == role)

    @property
    def used(self) -> LabelsUsed:
        """What records say of the table."""
        return LabelsUsed(self.name, self.version, self.digest)

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
        if not legal.take(png).all():
            bad = np.flatnonzero((np.bincount(png.ravel(), minlength=256) > 0) & ~legal)
            allowed = ", ".join(str(v) for v in np.flatnonzero(legal))
            raise CaosError(f"{source}: label value {int(bad[0])} is not in table {self.name!r} (allowed: {allowed})")
        return ids.take(png)

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
ANOMALY_PNG: Final = STREETHAZARDS.png_value("anomaly")
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


PHOTOGRAPHS: Final = LabelTable(
    name="photographs",
    version=1,
    background="ordinary",
    classes=(
        _row(0, 1, "ordinary", (128, 64, 128)),
        _row(1, 2, "anomaly", (60, 250, 240), "anomaly"),
        _row(VOID, 3, "void", (0, 0, 0), "ignore"),
    ),
)
"""Photographs of other benchmarks: what a run was trained on does not matter, only anomaly, ordinary and void do."""


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


TABLES: Final[Mapping[str, LabelTable]] = {
    table.name: table for table in (STREETHAZARDS, STREETHAZARDS_12, BDD_ANOMALY, PHOTOGRAPHS)
}


def is_known(name: str) -> bool:
    """Whether a table is one of this module's own."""
    return name in TABLES or name.startswith("bdd-anomaly:")


def table_by_name(name: str) -> LabelTable:
    """The table of that name; ``bdd-anomaly:rider+bus`` holds out other classes of BDD-Anomaly.

    A path (``./table.toml``) and the name of an entry point of the group ``caos.labels`` do as well.

    Raises:
        CaosError: If the name is unknown, or the file is wrong.
    """
    if name in TABLES:
        return TABLES[name]
    if name.startswith("bdd-anomaly:"):
        held, *ignored = name.removeprefix("bdd-anomaly:").split("-")
        return hold_out(
            tuple(n.replace("_", " ") for n in held.split("+")), tuple(n.replace("_", " ") for n in ignored)
        )
    file = find_file(LABEL_GROUP, name)
    if file is None:
        raise unknown("label table", name, (*TABLES, *plugin_names(LABEL_GROUP)))
    # By its whole path it is found again, from wherever a run is scored later.
    return read_label_table(file, name=str(real_path(file)) if is_path(name) else name)


@dataclass(frozen=True)
class _ClassRow:
    png_value: Annotated[int, Limits(0, 255)]
    name: str
    color: tuple[_Channel, _Channel, _Channel]
    role: Role = "train"


@dataclass(frozen=True)
class _TableFile:
    """A label table as its file has it."""

    classes: tuple[_ClassRow, ...]
    background: str | None = None
    version: int = 1


def read_label_table(file: Path, name: str | None = None) -> LabelTable:
    """The label table in a TOML file: ``[[classes]]`` with ``png_value``, ``name``, ``color`` and perhaps ``role``.

    Trained classes are numbered in the order of the file, anomalies after them. ``background`` names the trained class
    that is the background; without it, that is the one called ``background``, if there is one.

    Raises:
        CaosError: If a key is missing, unknown or wrong, or the classes make no table.
    """
    table = read_record(_TableFile, read_toml(file), file)
    rows = [row for role in ("train", "anomaly") for row in table.classes if row.role == role]
    classes = [LabelClass(i, row.png_value, row.name, row.color, row.role) for i, row in enumerate(rows)]
    classes += [LabelClass(VOID, r.png_value, r.name, r.color, r.role) for r in table.classes if r.role == "ignore"]
    background = table.background
    if background is None:
        background = BACKGROUND if any(row.name == BACKGROUND for row in classes if row.role == "train") else ""
    return checked_table(LabelTable(name or file.stem, table.version, tuple(classes), background), file)


def checked_table(table: LabelTable, source: object) -> LabelTable:
    """The table, if it is sound.

    Raises:
        CaosError: If names or values repeat, ids are not counted up, or the background is not a trained class.
    """
    for what in ("name", "png_value"):
        values = [getattr(row, what) for row in table.classes]
        for value in values:
            if values.count(value) > 1:
                raise CaosError(f"{source}: two classes have the {what} {value!r}")
    if table.background and table.background not in {row.name for row in table.trained}:
        names = ", ".join(row.name for row in table.trained) or "none"
        raise CaosError(f"{source}: background {table.background!r} is not a trained class (trained: {names})")
    ids = [row.class_id for row in (*table.trained, *(r for r in table.classes if r.role == "anomaly"))]
    wrong = ids != list(range(len(ids))) or any(r.class_id != VOID for r in table.classes if r.role == "ignore")
    if wrong or len(ids) > VOID:
        raise CaosError(f"{source}: class ids {ids} do not count up from 0, trained classes first")
    return table


def contradiction_of(rows: Iterable[Mapping[str, Any]], table: LabelTable) -> str | None:
    """Return the first class that a description lists otherwise than the table has it, in words, or None.

    Args:
        rows: Classes by ``png_value``, with any of the fields ``name``, ``class_id`` and ``role``.
        table: The table that the description names.
    """
    by_value = {entry.png_value: entry for entry in table.classes}
    for row in rows:
        value = row.get("png_value")
        entry = by_value.get(value) if isinstance(value, int) else None
        if entry is None:
            return f"PNG value {value!r} ({row.get('name')!r}) is not in label table {table.name!r}"
        for key in ("name", "class_id", "role"):
            if key in row and row[key] != (known := getattr(entry, key)):
                return f"PNG value {value} has {key} {row[key]!r}, but {known!r} in label table {table.name!r}"
    return None


def clash_of(one: LabelTable, other: LabelTable) -> str | None:
    """The first PNG value that two tables give to classes of different names, in words; None if there is none."""
    names = {row.png_value: row.name for row in other.classes}
    for row in one.classes:
        if names.get(row.png_value, row.name) != row.name:
            there = names[row.png_value]
            return f"PNG value {row.png_value} is {row.name!r} in {one.name!r} and {there!r} in {other.name!r}"
    return None
