"""Object files: a mesh with its record as one ``.npz``, and the index of a folder of them."""

from __future__ import annotations

import hashlib
import json
import re
import zipfile
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from caos.assets.colours import linear_image, screen_image
from caos.assets.mesh import Material, Mesh, Part
from caos.foundation.errors import CaosError
from caos.foundation.files import whole_file, write_json
from caos.foundation.settings import read_json

SCHEMA = 1
NAME = re.compile(r"[a-z][a-z0-9_]*")


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
        None if texture is None else linear_image(texture),
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
