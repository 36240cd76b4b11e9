"""The object library: built-in hazards, made on first use and cached, together with imported ones from a folder.

An imported library is a folder with ``index.json`` (one record an object) and ``meshes/<name>.npz``. The cache of the
built-in objects holds files of the same kind, named after the object and a digest of the code that makes it, so that a
change of that code makes new files and a broken file is simply made again.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import re
import zipfile
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from assets.kinds import kinds
from assets.mesh import Material, Mesh, Part
from assets.stock import LICENCE as STOCK_LICENCE
from assets.stock import SOURCE as STOCK_SOURCE
from assets.stock import STOCK_HAZARDS, stand_in
from foundation.errors import CaosError, unknown
from foundation.files import read_json, whole_file, write_json
from foundation.progress import SILENT, Progress

SCHEMA = 1
BUILT_IN = "caos"
LICENCE = "MIT"
NAME = re.compile(r"[a-z][a-z0-9_]*")
_SHARED_CODE = ("bodies", "craft", "finishes", "kinds", "mesh", "shapes", "textures")
_KEPT_MESHES = 96


@dataclass(frozen=True)
class HazardObject:
    """What is known of one object.

    Attributes:
        name: Unique in a library; ``static.prop.<name>`` is its blueprint id in CARLA.
        kind: What it is, such as ``sofa``; the unit of a train/test split.
        category: Group of kinds, such as ``furniture``.
        source: ``caos`` for a built-in object, otherwise the import it came from with its id or path there.
        licence: The licence it may be used under.
        size_m: Length (x), width (y) and height (z).
        triangles: Number of triangles.
        content: SHA-256 of geometry, materials and textures.
        poses: ``upright``, and ``fallen`` where it may lie on its side: a roll of 90 degrees, raised by half its width.
    """

    name: str
    kind: str
    category: str
    source: str
    licence: str
    size_m: tuple[float, float, float]
    triangles: int
    content: str
    poses: tuple[str, ...] = ("upright",)

    @property
    def blueprint(self) -> str:
        """The id under which a simulator offers the object."""
        return f"static.prop.{self.name}"


def cache_folder() -> Path:
    """Where the built-in objects are kept once made: ``$CAOS_CACHE/objects`` or ``~/.cache/caos/objects``."""
    root = os.environ.get("CAOS_CACHE")
    return (Path(root) if root else Path.home() / ".cache" / "caos") / "objects"


def user_library() -> Path:
    """Where imports go when no folder is named: ``$CAOS_LIBRARY`` or ``~/.local/share/caos/library``."""
    root = os.environ.get("CAOS_LIBRARY")
    return Path(root) if root else Path.home() / ".local" / "share" / "caos" / "library"


class Library:
    """Objects by name; see :meth:`open`. Meshes are read when asked for and shared while they stay in memory."""

    def __init__(self, imported: dict[str, tuple[HazardObject, Path]], cache: Path) -> None:
        self._imported, self._cache = imported, cache
        self._built_in = {name: (k.name, i) for k in kinds().values() for i, name in enumerate(k.members())}
        self._known: dict[str, HazardObject] = {}
        self._meshes: OrderedDict[str, Mesh] = OrderedDict()

    @classmethod
    def open(cls, path: Path | None = None, *, cache: Path | None = None) -> Library:
        """The built-in objects and those of the library folder ``path`` (None: the user's own, if there is one).

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

        CARLA's own props (:data:`assets.stock.STOCK_HAZARDS`) are not listed; :meth:`info` and :meth:`mesh` know them.
        """
        own = [] if source == "imported" else list(self._built_in)
        return own + ([] if source == "built-in" else sorted(self._imported))

    def kind_of(self, name: str) -> str:
        """The kind of an object, without making it."""
        if name in self._imported:
            return self._imported[name][0].kind
        return self._member(name)[0] if name in self._built_in else self.info(name).kind

    def category_of(self, name: str) -> str:
        """The category of an object, without making it."""
        if name in self._imported:
            return self._imported[name][0].category
        if name not in self._built_in:
            return self.info(name).category
        return kinds()[self._member(name)[0]].category

    def info(self, name: str) -> HazardObject:
        """What is known of the object; makes and caches it when it is built in and new.

        Raises:
            CaosError: If the library has no such object.
        """
        if name in self._imported:
            return self._imported[name][0]
        if name not in self._known:
            stock = name in STOCK_HAZARDS and name not in self._built_in
            self._known[name] = _stock_record(name) if stock else self._cached(name)
        return self._known[name]

    def mesh(self, name: str) -> Mesh:
        """The object's mesh: origin at the ground under its centre, x forward, lowest point at z = 0.

        Raises:
            CaosError: If the library has no such object or an imported file is missing or broken.
        """
        if name not in self._meshes:
            self._meshes[name] = self._read(name)
            while len(self._meshes) > _KEPT_MESHES:
                self._meshes.popitem(last=False)
        self._meshes.move_to_end(name)
        return self._meshes[name]

    def objects(self, names: Iterable[str] | None = None) -> list[HazardObject]:
        """Records of the named objects, or of all."""
        return [self.info(name) for name in (self.names() if names is None else names)]

    def build(self, progress: Progress = SILENT, names: Iterable[str] | None = None) -> None:
        """Make every built-in object (or those of ``names``) that is not cached yet."""
        wanted = self._built_in if names is None else [name for name in names if name in self._built_in]
        missing = [name for name in wanted if not self._file(name).exists()]
        if not missing:
            return
        with progress.task("making objects", len(missing)) as task:
            for name in missing:
                self.info(name)
                task.advance(note=name)

    def verify(self, name: str) -> str | None:
        """Why the stored object does not match its record, or None when it does."""
        info = self.info(name)
        try:
            mesh = self._read(name)
        except CaosError as error:
            return str(error)
        if content_hash(mesh) != info.content:
            return f"content of {name!r} differs from its recorded hash; import or build it again"
        return None

    def _member(self, name: str) -> tuple[str, int]:
        try:
            return self._built_in[name]
        except KeyError:
            raise unknown("object", name, self.names()) from None

    def _file(self, name: str) -> Path:
        return self._cache / f"{name}-{_code_digest(kinds()[self._member(name)[0]].module)}.npz"

    def _cached(self, name: str) -> HazardObject:
        file = self._file(name)
        try:
            return read_record(file)
        except CaosError:
            return self._make(name)

    def _read(self, name: str) -> Mesh:
        if name in self._imported:
            return read_mesh(self._imported[name][1])
        if name in STOCK_HAZARDS and name not in self._built_in:
            return stand_in(name)
        try:
            return read_mesh(self._file(name))
        except CaosError:
            self._make(name)
            return read_mesh(self._file(name))

    def _make(self, name: str) -> HazardObject:
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
    library: Library, seed: int = 0, share: float = 0.5, names: Iterable[str] | None = None
) -> tuple[list[str], list[str]]:
    """Names of objects for training (outlier exposure) and for testing, with no kind in both.

    Kinds are drawn within each category, so that both sides show every category that has at least two kinds.

    Raises:
        CaosError: If ``share`` is not between 0 and 1.
    """
    if not 0 < share < 1:
        raise CaosError(f"share of kinds for training is {share}; it must lie between 0 and 1")
    chosen = library.names() if names is None else list(names)
    grouped: dict[str, set[str]] = {}
    for name in chosen:
        grouped.setdefault(library.category_of(name), set()).add(library.kind_of(name))
    training: set[str] = set()
    for number, category in enumerate(sorted(grouped)):
        ordered = sorted(grouped[category])
        order = np.random.default_rng([seed, number]).permutation(len(ordered))
        count = min(max(round(share * len(ordered)), 1), len(ordered) - 1)
        training.update(ordered[i] for i in order[:count])
    return (
        [n for n in chosen if library.kind_of(n) in training],
        [n for n in chosen if library.kind_of(n) not in training],
    )


@functools.cache
def _code_digest(module: str) -> str:
    """A digest of the source a built-in object depends on."""
    here = Path(__file__).resolve().parent
    files = [here / f"{stem}.py" for stem in _SHARED_CODE] + [here / "objects" / f"{module.rsplit('.', 1)[-1]}.py"]
    return hashlib.sha256(b"".join(f.read_bytes() for f in files)).hexdigest()[:16]


def describe(
    mesh: Mesh, *, name: str, kind: str, category: str, source: str, licence: str, poses: tuple[str, ...] = ("upright",)
) -> tuple[HazardObject, Mesh]:
    """A record of the mesh and the mesh itself as it will be read back (textures in 8 bits).

    Raises:
        CaosError: If the name cannot stand in a CARLA blueprint id.
    """
    if not NAME.fullmatch(name):
        raise CaosError(f"object name {name!r} is not valid; use a-z, 0-9 and _, starting with a letter")
    stored = _quantised(mesh)
    x, y, z = (round(v, 4) for v in stored.size_m)
    info = HazardObject(name, kind, category, source, licence, (x, y, z), stored.triangles, content_hash(stored), poses)
    return info, stored


def write_object(file: Path, info: HazardObject, mesh: Mesh) -> None:
    """Write a mesh with its record as one ``.npz`` file."""
    arrays: dict[str, Any] = {}
    materials: dict[int, dict[str, Any]] = {}
    parts = []
    for i, part in enumerate(mesh.parts):
        arrays[f"vertices_{i}"], arrays[f"faces_{i}"] = part.vertices, part.faces
        if part.uv is not None:
            arrays[f"uv_{i}"] = part.uv
        if id(part.material) not in materials:
            materials[id(part.material)] = _material_record(part.material, len(materials), arrays)
        parts.append({"material": materials[id(part.material)]["index"], "smooth": part.smooth, "tag": part.tag})
    record = {"schema": SCHEMA, "object": asdict(info), "materials": list(materials.values()), "parts": parts}
    arrays["record"] = np.frombuffer(json.dumps(record, sort_keys=True).encode(), np.uint8)
    with whole_file(file) as temporary:
        np.savez_compressed(temporary, **arrays)


def _material_record(material: Material, index: int, arrays: dict[str, Any]) -> dict[str, Any]:
    if material.texture is not None:
        arrays[f"texture_{index}"] = _encode(material.texture)
    if material.gloss_mask is not None:
        arrays[f"gloss_{index}"] = np.round(material.gloss_mask * 255).astype(np.uint8)
    return {
        "index": index,
        "name": material.name,
        "color": [float(c) for c in material.color],
        "surface": material.surface,
        "roughness": float(material.roughness),
        "wettable": material.wettable,
    }


def read_record(file: Path) -> HazardObject:
    """The record in an object file.

    Raises:
        CaosError: If the file is missing, broken or of another schema.
    """
    return _record_of(_load(file, only=("record",))["record"], file)[0]


def read_mesh(file: Path) -> Mesh:
    """The mesh in an object file.

    Raises:
        CaosError: If the file is missing, broken or of another schema.
    """
    arrays = _load(file)
    if "record" not in arrays:
        raise CaosError(f"{file} is not an object file; remove it and import or build the object again")
    _, record = _record_of(arrays["record"], file)
    try:
        materials = [_material(m, arrays) for m in record["materials"]]
        return Mesh(
            tuple(
                Part(
                    arrays[f"vertices_{i}"],
                    arrays[f"faces_{i}"],
                    materials[part["material"]],
                    arrays.get(f"uv_{i}"),
                    bool(part["smooth"]),
                    part["tag"],
                )
                for i, part in enumerate(record["parts"])
            )
        )
    except (KeyError, IndexError) as error:
        raise CaosError(f"{file} is incomplete ({error}); import or build the object again") from error


def _material(record: dict[str, Any], arrays: dict[str, Any]) -> Material:
    texture, gloss = arrays.get(f"texture_{record['index']}"), arrays.get(f"gloss_{record['index']}")
    r, g, b = record["color"]
    return Material(
        record["name"],
        (r, g, b),
        record["surface"],
        record["roughness"],
        None if texture is None else _decode(texture),
        None if gloss is None else (gloss.astype(np.float32) / 255),
        record["wettable"],
    )


def _load(file: Path, only: tuple[str, ...] | None = None) -> dict[str, Any]:
    try:
        with file.open("rb") as stream, np.load(stream, allow_pickle=False) as archive:
            return {key: archive[key] for key in (only or archive.files)}
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zipfile.LargeZipFile) as error:
        raise CaosError(f"cannot read object file {file}: {error}; import or build the object again") from error


def _record_of(data: Any, file: Path) -> tuple[HazardObject, dict[str, Any]]:
    try:
        record = json.loads(bytes(data))
        if record["schema"] != SCHEMA:
            raise CaosError(f"{file} has schema {record['schema']}, not {SCHEMA}; import or build the object again")
        return object_from_json(record["object"]), record
    except (ValueError, KeyError, TypeError) as error:
        raise CaosError(f"{file} holds no valid record ({error}); import or build the object again") from error


def object_from_json(row: dict[str, Any]) -> HazardObject:
    """A record from its JSON form."""
    x, y, z = row["size_m"]
    return HazardObject(**{**row, "size_m": (float(x), float(y), float(z)), "poses": tuple(row["poses"])})


def read_index(folder: Path) -> list[HazardObject]:
    """The records of an imported library.

    Raises:
        CaosError: If there is no index, it is of another schema, or a row is broken or carries an illegal name.
    """
    file = folder / "index.json"
    if not file.exists():
        raise CaosError(f"{folder} is not an object library (no index.json); make one with `caos assets import`")
    index = read_json(file)
    if not isinstance(index, dict) or index.get("schema") != SCHEMA:
        raise CaosError(f"{file} has schema {index.get('schema') if isinstance(index, dict) else None!r}, not {SCHEMA}")
    try:
        rows = [object_from_json(row) for row in index["objects"]]
    except (KeyError, TypeError, ValueError) as error:
        raise CaosError(f"{file} holds a broken record ({error}); import the objects again") from error
    for row in rows:
        if not NAME.fullmatch(row.name):
            raise CaosError(f"{file} names an object {row.name!r}; names are lower-case letters, digits and _")
    return rows


def write_index(folder: Path, objects: Iterable[HazardObject]) -> None:
    """Write ``index.json`` of a library folder."""
    rows = [asdict(o) for o in sorted(objects, key=lambda o: o.name)]
    write_json(folder / "index.json", {"schema": SCHEMA, "objects": rows})


def content_hash(mesh: Mesh) -> str:
    """SHA-256 over geometry and materials, the same however the mesh was stored."""
    digest = hashlib.sha256()
    for part in mesh.parts:
        m = part.material
        head = [m.name, [round(float(c), 6) for c in m.color], m.surface, round(float(m.roughness), 6), m.wettable]
        digest.update(json.dumps([*head, part.smooth, part.tag]).encode())
        for array in (part.vertices, part.faces, part.uv):
            digest.update(b"-" if array is None else np.ascontiguousarray(array).tobytes())
        for image in (m.texture, m.gloss_mask):
            digest.update(b"-" if image is None else np.round(np.asarray(image) * 4095).astype(np.uint16).tobytes())
    return digest.hexdigest()


def _quantised(mesh: Mesh) -> Mesh:
    """The mesh with each texture as 8 bits on disk will give it back, and one Material object per distinct one."""
    done: dict[int, Material] = {}
    for part in mesh.parts:
        m = part.material
        if id(m) not in done:
            texture = None if m.texture is None else _decode(_encode(m.texture))
            gloss = None if m.gloss_mask is None else (np.round(m.gloss_mask * 255) / 255).astype(np.float32)
            r, g, b = (float(c) for c in m.color)
            done[id(m)] = Material(m.name, (r, g, b), m.surface, float(m.roughness), texture, gloss, m.wettable)
    return Mesh(
        tuple(
            Part(
                np.ascontiguousarray(p.vertices, np.float32),
                np.ascontiguousarray(p.faces, np.int32),
                done[id(p.material)],
                None if p.uv is None else np.ascontiguousarray(p.uv, np.float32),
                p.smooth,
                p.tag,
            )
            for p in mesh.parts
        )
    )


def _encode(texture: Any) -> Any:
    """Linear values to 8 bits on the screen curve, which keeps dark tones apart."""
    c = np.clip(np.asarray(texture, np.float32), 0, 1)
    screen = np.where(c <= 0.0031308, c * 12.92, 1.055 * np.power(np.maximum(c, 1e-8), 1 / 2.4) - 0.055)
    return np.round(screen * 255).astype(np.uint8)


def _decode(texture: Any) -> Any:
    c = np.arange(256) / 255
    table = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4).astype(np.float32)
    return table[texture]
