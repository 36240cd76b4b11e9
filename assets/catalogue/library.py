"""Object library: built-in hazards, built on first use and cached, and those imported into a folder.

An imported library is a folder with ``index.json`` (one record per object) and ``meshes/<name>.npz``. The cache of the
built-in objects holds files of the same format, named after the object and a digest of the code that builds it: a
change of that code leads to new files, and a damaged file is rebuilt.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Iterable
from pathlib import Path
from typing import Final, Literal

import numpy as np

from caos.assets.catalogue.kinds import kinds
from caos.assets.catalogue.object_file import (
    HazardObject,
    content_hash,
    describe,
    read_index,
    read_mesh,
    read_object,
    write_object,
)
from caos.assets.catalogue.openings import OPENINGS
from caos.assets.catalogue.source_digest import source_digest
from caos.assets.catalogue.stock_props import LICENCE as STOCK_LICENCE
from caos.assets.catalogue.stock_props import SOURCE as STOCK_SOURCE
from caos.assets.catalogue.stock_props import STOCK_HAZARDS, stand_in
from caos.assets.mesh import Mesh, scaling
from caos.assets.modelling.hinges import opened
from caos.foundation.errors import CaosError, unknown
from caos.foundation.execution.home import home
from caos.foundation.execution.progress import SILENT, Progress
from caos.foundation.storage.cache import cache_root

BUILT_IN = "caos"
LICENCE = "MIT"
_CACHED_MESHES = 96
SplitBy = Literal["kind", "category"]
"""Unit of a split of objects: all objects of one kind, or of one category, end up on the same side."""
EXPOSURE_SHARE: Final = 0.6
"""Default share of the kinds that is for training (outlier exposure), for cut-outs and recipes alike."""


def cache_folder() -> Path:
    """Folder of the cached built-in objects."""
    return cache_root() / "objects"


def user_library() -> Path:
    """Default folder of imports: ``$CAOS_LIBRARY`` or ``~/.local/share/caos/library``."""
    root = os.environ.get("CAOS_LIBRARY")
    return Path(root) if root else home() / ".local" / "share" / "caos" / "library"


class Library:
    """Objects by name; see :meth:`open`. Meshes are read lazily and kept in a least-recently-used cache."""

    def __init__(self, imported: dict[str, tuple[HazardObject, Path]], cache: Path) -> None:
        self._imported, self._cache = imported, cache
        self._built_in = {name: (k.name, i) for k in kinds().values() for i, name in enumerate(k.members())}
        self._records: dict[str, HazardObject] = {}
        self._meshes: OrderedDict[tuple[str, float, float | None], Mesh] = OrderedDict()

    @classmethod
    def open(cls, path: Path | None = None, *, cache: Path | None = None) -> Library:
        """Open the built-in objects and those of the library folder ``path`` (None: the user's own, if there is one).

        Raises:
            CaosError: If ``path`` is given and holds no library, or its index is broken.
        """
        folder = path or user_library()
        imported: dict[str, tuple[HazardObject, Path]] = {}
        if path is not None or (folder / "index.json").exists():
            imported = {o.name: (o, folder / "meshes" / f"{o.name}.npz") for o in read_index(folder)}
        return cls(imported, cache or cache_folder())

    def names(self, source: str | None = None) -> list[str]:
        """Names of all objects, of the built-in ones (``"built-in"``) or of the others (``"imported"``).

        CARLA's own props (:data:`.stock_props.STOCK_HAZARDS`) are not listed; :meth:`info` and :meth:`mesh` take them.
        """
        own = [] if source == "imported" else list(self._built_in)
        return own + ([] if source == "built-in" else sorted(self._imported))

    def kind_of(self, name: str) -> str:
        """Kind of an object, without building it."""
        if name in self._imported:
            return self._imported[name][0].kind
        return self._member(name)[0] if name in self._built_in else self.info(name).kind

    def category_of(self, name: str) -> str:
        """Category of an object, without building it."""
        if name in self._imported:
            return self._imported[name][0].category
        if name not in self._built_in:
            return self.info(name).category
        return kinds()[self._member(name)[0]].category

    def info(self, name: str) -> HazardObject:
        """Record of an object; a built-in one that is not cached is built and cached.

        Raises:
            CaosError: If the library has no such object.
        """
        if name in self._imported:
            return self._imported[name][0]
        if name not in self._records:
            stock = name in STOCK_HAZARDS and name not in self._built_in
            self._records[name] = _stock_record(name) if stock else self._cached(name)
        return self._records[name]

    def mesh(self, name: str, scale: float = 1.0, open_share: float | None = None) -> Mesh:
        """Mesh of an object: origin on the ground under its centre, x forward, lowest point at z = 0.

        ``open_share`` opens the doors and lids of an object that :meth:`opens`: 0 closed, 1 open, None as modelled.

        Raises:
            CaosError: If the library has no such object, an imported file is missing or broken, or it cannot open.
        """
        key = (name, scale, open_share)
        if key not in self._meshes:
            self._meshes[key] = self._variant(name, scale, open_share)
            while len(self._meshes) > _CACHED_MESHES:
                self._meshes.popitem(last=False)
        self._meshes.move_to_end(key)
        return self._meshes[key]

    def _variant(self, name: str, scale: float, open_share: float | None) -> Mesh:
        if scale != 1.0:
            return self.mesh(name, 1.0, open_share).transformed(scaling(scale))
        if open_share is None:
            return self._read(name)
        if not self.opens(name):
            raise CaosError(f"{name} has no doors or lids that open; objects that have: {', '.join(OPENINGS)}")
        return opened(self.mesh(name), OPENINGS[name], open_share)

    def opens(self, name: str) -> bool:
        """Whether an object has doors, a lid or flaps that move; imported objects have none."""
        return name in OPENINGS and name in self._built_in and name not in self._imported

    def drawn_share(self, name: str) -> float:
        """Share by which the catalogue's mesh of an object that :meth:`opens` is open: 0 or 1."""
        return OPENINGS[name].drawn_share

    def objects(self, names: Iterable[str] | None = None) -> list[HazardObject]:
        """Records of the named objects, or of all."""
        return [self.info(name) for name in (self.names() if names is None else names)]

    def build(self, progress: Progress = SILENT, names: Iterable[str] | None = None) -> None:
        """Build the built-in objects (or those in ``names``) that are not cached yet."""
        wanted = self._built_in if names is None else [name for name in names if name in self._built_in]
        missing = [name for name in wanted if not self._file(name).exists()]
        if not missing:
            return
        with progress.task("building objects", len(missing)) as task:
            for name in missing:
                self.info(name)
                task.advance(note=name)

    def _member(self, name: str) -> tuple[str, int]:
        try:
            return self._built_in[name]
        except KeyError:
            raise unknown("object", name, self.names()) from None

    def _file(self, name: str) -> Path:
        return self._cache / f"{name}-{source_digest(kinds()[self._member(name)[0]].module)}.npz"

    def _cached(self, name: str) -> HazardObject:
        file = self._file(name)
        try:
            return read_object(file)
        except CaosError:
            return self._build(name)

    def _read(self, name: str) -> Mesh:
        if name in self._imported:
            return self._read_imported(name)
        if name in STOCK_HAZARDS and name not in self._built_in:
            return stand_in(name)
        try:
            return read_mesh(self._file(name))
        except CaosError:
            self._build(name)
            return read_mesh(self._file(name))

    def _read_imported(self, name: str) -> Mesh:
        """The mesh in the library folder, which must be the one that the index describes."""
        record, file = self._imported[name]
        mesh = read_mesh(file)
        if (found := content_hash(mesh)) != record.content:
            raise CaosError(
                f"{file} holds another mesh (content {found[:16]}) than its library's index.json says "
                f"({record.content[:16]}); import the object again"
            )
        return mesh

    def _build(self, name: str) -> HazardObject:
        kind_name, variant = self._member(name)
        kind = kinds()[kind_name]
        record = describe(
            kind.build(variant),
            name=name,
            kind=kind_name,
            category=kind.category,
            source=BUILT_IN,
            licence=LICENCE,
            poses=kind.poses,
        )
        file = self._file(name)
        write_object(file, *record)
        for old in file.parent.glob(f"{name}-*.npz"):
            if old != file:
                old.unlink(missing_ok=True)
        return record[0]


def _stock_record(name: str) -> HazardObject:
    kind, category, *_ = STOCK_HAZARDS[name]
    mesh = stand_in(name)
    return describe(mesh, name=name, kind=kind, category=category, source=STOCK_SOURCE, licence=STOCK_LICENCE)[0]


def split_kinds(
    library: Library,
    seed: int = 0,
    share: float = EXPOSURE_SHARE,
    names: Iterable[str] | None = None,
    *,
    by: SplitBy = "kind",
) -> tuple[list[str], list[str]]:
    """Split object names into those for training (outlier exposure) and for testing, with no kind in both.

    Kinds are drawn within each category, so that both sides contain every category of at least two kinds. With ``by``
    ``"category"`` whole categories are on one side: no test object has a relative among the training objects.

    Raises:
        CaosError: If ``share`` is not between 0 and 1.
    """
    if not 0 < share < 1:
        raise CaosError(f"share of kinds for training is {share}; it must lie between 0 and 1")
    chosen = library.names() if names is None else list(names)
    group_of = library.kind_of if by == "kind" else library.category_of
    grouped: dict[str, set[str]] = {}
    for name in chosen:
        grouped.setdefault(library.category_of(name) if by == "kind" else "", set()).add(group_of(name))
    training: set[str] = set()
    for number, category in enumerate(sorted(grouped)):
        ordered = sorted(grouped[category])
        order = np.random.default_rng([seed, number]).permutation(len(ordered))
        count = min(max(round(share * len(ordered)), 1), len(ordered) - 1)
        training.update(ordered[i] for i in order[:count])
    return (
        [n for n in chosen if group_of(n) in training],
        [n for n in chosen if group_of(n) not in training],
    )
