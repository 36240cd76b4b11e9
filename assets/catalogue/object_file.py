"""Object files: a mesh with its record as one ``.npz``, and the index of a folder of them."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from caos.assets.mesh import Material, Mesh, Part, Surface
from caos.assets.modelling.colours import linear_image, screen_image
from caos.foundation.errors import CaosError
from caos.foundation.settings import Limits, parse_json, read_json, read_record
from caos.foundation.storage.arrays import read_npz
from caos.foundation.storage.files import whole_file, write_json

SCHEMA = 1
NAME = re.compile(r"[a-z][a-z0-9_]*")
T = TypeVar("T")
_REMEDY: Final = "; import or build the object again"


@dataclass(frozen=True)
class HazardObject:
    """Record of one object.

    Attributes:
        name: Unique in a library; ``static.prop.<name>`` is its blueprint id in CARLA.
        kind: Everyday name, such as ``sofa``; the unit of a train/test split.
        category: Group of kinds, such as ``furniture``.
        source: ``caos`` for a built-in object, otherwise the kind of import with the id or path within it.
        licence: Licence of the mesh.
        size_m: Length (x), width (y) and height (z).
        triangles: Number of triangles.
        content: SHA-256 of geometry, materials and textures.
        poses: ``upright``, and ``fallen`` if it may lie on its side: rolled by 90 degrees and raised by half its width.
        origin: Hash of the path of the folder or archive it was imported from; empty if unknown.
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
    origin: str = ""

    @property
    def blueprint(self) -> str:
        """Blueprint id of the object in a simulator."""
        return f"static.prop.{self.name}"


@dataclass(frozen=True)
class _MaterialRecord:
    index: int
    name: str
    color: tuple[float, float, float]
    surface: Surface
    roughness: float
    wettable: bool


@dataclass(frozen=True)
class _PartRecord:
    material: Annotated[int, Limits(0)]
    smooth: bool
    tag: Annotated[int, Limits(0, 255)] | None


@dataclass(frozen=True)
class _ObjectRecord:
    """JSON record of an object file, stored beside its arrays."""

    schema: int
    object: HazardObject
    materials: tuple[_MaterialRecord, ...]
    parts: tuple[_PartRecord, ...]


@dataclass(frozen=True)
class _Index:
    """Content of ``index.json``."""

    schema: int
    objects: tuple[HazardObject, ...]


def describe(
    mesh: Mesh,
    *,
    name: str,
    kind: str,
    category: str,
    source: str,
    licence: str,
    poses: tuple[str, ...] = ("upright",),
    origin: str = "",
) -> tuple[HazardObject, Mesh]:
    """Return the record of a mesh, and the mesh as it will be read back (textures quantised to 8 bits).

    Raises:
        CaosError: If the name is not valid in a CARLA blueprint id.
    """
    if not NAME.fullmatch(name):
        raise CaosError(f"object name {name!r} is not valid; use a-z, 0-9 and _, starting with a letter")
    stored = _quantised(mesh)
    x, y, z = (round(v, 4) for v in stored.size_m)
    info = HazardObject(
        name, kind, category, source, licence, (x, y, z), stored.triangles, content_hash(stored), poses, origin
    )
    return info, stored


def write_object(file: Path, info: HazardObject, mesh: Mesh) -> None:
    """Write a mesh and its record as one ``.npz`` file."""
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
        arrays[f"texture_{index}"] = screen_image(material.texture)
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


def read_object(file: Path) -> HazardObject:
    """Read the record of an object file.

    Raises:
        CaosError: If the file is missing, broken or of another schema.
    """
    return _record_of(read_npz(file, ("record",), remedy=_REMEDY)["record"], file).object


def read_mesh(file: Path) -> Mesh:
    """Read the mesh of an object file.

    Raises:
        CaosError: If the file is missing, broken or of another schema.
    """
    arrays = read_npz(file, remedy=_REMEDY)
    if "record" not in arrays:
        raise CaosError(f"{file} is not an object file; remove it and import or build the object again")
    record = _record_of(arrays["record"], file)
    try:
        materials = [_material(each, arrays) for each in record.materials]
        return Mesh(tuple(_part(i, part, materials, arrays) for i, part in enumerate(record.parts)))
    except (KeyError, IndexError, ValueError) as error:
        raise CaosError(f"{file} is incomplete ({error}){_REMEDY}") from error


def _part(number: int, record: _PartRecord, materials: Sequence[Material], arrays: Mapping[str, Any]) -> Part:
    vertices, faces, uv = arrays[f"vertices_{number}"], arrays[f"faces_{number}"], arrays.get(f"uv_{number}")
    _check_array(vertices, 3, "f", f"vertices_{number}")
    _check_array(faces, 3, "i", f"faces_{number}")
    # The renderer uses these indices without bounds checks.
    if faces.size and (int(faces.min()) < 0 or int(faces.max()) >= len(vertices)):
        raise ValueError(f"faces_{number} refers to vertices that do not exist")
    if uv is not None:
        _check_array(uv, 2, "f", f"uv_{number}")
        if len(uv) != len(vertices):
            raise ValueError(f"uv_{number} has {len(uv)} rows for {len(vertices)} vertices")
    return Part(vertices, faces, materials[record.material], uv, record.smooth, record.tag)


def _check_array(array: NDArray[Any], columns: int, kind: str, name: str) -> None:
    wanted = np.float32 if kind == "f" else np.int32
    if array.ndim != 2 or array.shape[1] != columns or array.dtype != wanted or not np.isfinite(array).all():
        raise ValueError(f"{name} is not an array of {columns} finite columns of {wanted.__name__}")


def _material(record: _MaterialRecord, arrays: Mapping[str, Any]) -> Material:
    texture, gloss = arrays.get(f"texture_{record.index}"), arrays.get(f"gloss_{record.index}")
    for image, ndim in ((texture, 3), (gloss, 2)):
        if image is not None and (image.ndim != ndim or image.dtype != np.uint8 or not image.size):
            raise ValueError(f"the texture of material {record.index} has shape {image.shape}")
    return Material(
        record.name,
        record.color,
        record.surface,
        record.roughness,
        None if texture is None else linear_image(texture),
        None if gloss is None else (gloss.astype(np.float32) / 255),
        record.wettable,
    )


def _record_of(data: NDArray[Any], file: Path) -> _ObjectRecord:
    try:
        text = bytes(data).decode()
    except UnicodeDecodeError as error:
        raise CaosError(f"{file} holds no valid record ({error.reason}){_REMEDY}") from error
    return _record(_ObjectRecord, parse_json(text, file), file)


def _record(kind: type[T], value: Any, file: Path) -> T:
    """Parse a record.

    Raises:
        CaosError: If it has another schema version or a wrong field.
    """
    if isinstance(value, dict) and value.get("schema") != SCHEMA:
        raise CaosError(f"{file} has schema {value.get('schema')!r}, not {SCHEMA}{_REMEDY}")
    try:
        return read_record(kind, value, file)
    except CaosError as error:
        raise CaosError(f"{error}{_REMEDY}") from error


def read_index(folder: Path) -> list[HazardObject]:
    """Read the records of an imported library.

    Raises:
        CaosError: If there is no index, it has another schema version, or a row is broken or has an invalid name.
    """
    file = folder / "index.json"
    if not file.exists():
        raise CaosError(f"{folder} is not an object library (no index.json); make one with `caos assets import`")
    rows = _record(_Index, read_json(file), file).objects
    for row in rows:
        if not NAME.fullmatch(row.name):
            raise CaosError(f"{file} names an object {row.name!r}; names are lower-case letters, digits and _")
    if len({row.name for row in rows}) < len(rows):
        twice = next(row.name for row in rows if [other.name for other in rows].count(row.name) > 1)
        raise CaosError(f"{file} lists the object {twice!r} twice; import the objects again")
    return list(rows)


def write_index(folder: Path, objects: Iterable[HazardObject]) -> None:
    """Write ``index.json`` of a library folder."""
    rows = [asdict(o) for o in sorted(objects, key=lambda o: o.name)]
    write_json(folder / "index.json", {"schema": SCHEMA, "objects": rows})


def content_hash(mesh: Mesh) -> str:
    """SHA-256 of geometry, materials and textures (hex)."""
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
    """Mesh with textures rounded to the 8 bits of the file, as a later read returns it; materials stay shared."""
    done: dict[int, Material] = {}
    for part in mesh.parts:
        m = part.material
        if id(m) not in done:
            texture = None if m.texture is None else linear_image(screen_image(m.texture))
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
