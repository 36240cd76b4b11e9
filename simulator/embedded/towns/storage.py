"""Town files: a built town in one file of arrays and a JSON record; reading it executes no code.

Layout: an eight-byte magic, the SHA-256 of the remainder, the length of the record, the record (:class:`TownRecord`),
and the arrays. Meshes, materials and arrays that a town shares are written once and shared when read. Items that a town
has by the thousand (parts, things) are rows of tables, themselves arrays: as JSON they would dominate the reading time.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import struct
from collections.abc import Hashable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caos.assets.mesh import Material, Mesh, Part, Surface
from caos.foundation.errors import CaosError
from caos.foundation.settings import parse_json, read_record
from caos.foundation.storage.files import whole_file
from caos.simulator.embedded.render.description import Lamp, Placed
from caos.simulator.embedded.towns.town import EnvironmentObject, Town, TrafficLightSite, TrafficSignSite
from caos.simulator.transform import Transform

MAGIC = b"CAOSTWN1"
ALIGNMENT = 64
_HEAD = struct.Struct("<8s32sQ")
_HASHED_FROM = _HEAD.size - 8
_DTYPES = ("<f4", "<f8", "<i4", "<i8", "|u1")
_DIMENSIONS = 3
_NONE = -1
"""Table value for a missing array, tag or dimension."""


@dataclass(frozen=True)
class MaterialRecord:
    """A material; images are array numbers."""

    name: str
    color: tuple[float, float, float]
    surface: Surface
    roughness: float
    texture: int
    gloss_mask: int
    wettable: bool


@dataclass(frozen=True)
class TownRecord:
    """A town without its arrays, which are represented by their numbers.

    Attributes:
        array_count: Rows of the table of arrays (dtype, offset, shape), which is at the end of the file.
        parts: Table: mesh, vertices, faces, material, texture coordinates, smooth, tag. Meshes are numbered in order.
        statics: Table: mesh, tag, instance id; their matrices are in ``world_from_mesh``.
        things: Table of the environment objects: id, tag, instance id, pose, centre and extent of the box.
    """

    name: str
    opendrive: str
    key: str
    style: str
    array_count: int
    mesh_count: int
    materials: tuple[MaterialRecord, ...]
    parts: int
    statics: int
    world_from_mesh: int
    things: int
    thing_names: tuple[str, ...]
    navmesh: int
    walk_points: int
    spawn_points: tuple[Transform, ...]
    parking: tuple[Transform, ...]
    traffic_lights: tuple[TrafficLightSite, ...]
    traffic_signs: tuple[TrafficSignSite, ...]
    street_lamps: tuple[Lamp, ...]


def write_town(path: Path, town: Town) -> None:
    """Write a town file.

    Raises:
        CaosError: If the file cannot be written.
    """
    shelf = _Shelf()
    text = json.dumps(asdict(_recorded(town, shelf)), allow_nan=False).encode()
    table = np.array(shelf.arrays, np.int64).tobytes()
    blocks = [struct.pack("<Q", len(text)), text, _padding(_HEAD.size + len(text)), *shelf.blocks, table]
    digest = hashlib.sha256()
    for block in blocks:
        digest.update(block)
    with whole_file(path) as temporary, temporary.open("wb") as stream:
        stream.writelines([MAGIC, digest.digest(), *blocks])


def read_town(path: Path) -> Town:
    """Read a town file.

    Raises:
        CaosError: If the file is missing or its checksum does not match.
    """
    mapped = _mapped(path)
    if len(mapped) < _HEAD.size:
        raise CaosError(f"{path} is not a town file: it ends after {len(mapped)} bytes")
    magic, digest, length = _HEAD.unpack_from(mapped)
    data = np.frombuffer(mapped, np.uint8)
    if magic != MAGIC or hashlib.sha256(data[_HASHED_FROM:].data).digest() != digest:
        raise CaosError(f"{path} is not a town file, or has changed since it was written")
    if hasattr(mmap, "MADV_DONTNEED"):
        # Release the pages that the checksum read: contents that are not used afterwards take no memory.
        mapped.madvise(mmap.MADV_DONTNEED)
    end = _HEAD.size + length
    try:
        record = read_record(TownRecord, parse_json(bytes(data[_HEAD.size : end]).decode(), path), path)
        return _restored(record, data[end + len(_padding(end)) :])
    except (IndexError, ValueError) as error:
        raise CaosError(f"{path} refers to missing contents: {error}") from error


def _mapped(path: Path) -> mmap.mmap:
    """Map a file into memory as a private copy-on-write mapping."""
    try:
        with path.open("rb") as stream:
            return mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_COPY)
    except OSError as error:
        raise CaosError(f"cannot read {path}: {error.strerror or error}") from error
    except ValueError as error:
        raise CaosError(f"{path} is not a town file: it ends after 0 bytes") from error


def _padding(length: int) -> bytes:
    return bytes(-length % ALIGNMENT)


@dataclass
class _Shelf:
    """Numbers the objects that a town shares, by identity, while it is written."""

    arrays: list[tuple[int, ...]] = field(default_factory=list)
    materials: list[MaterialRecord] = field(default_factory=list)
    parts: list[tuple[int, ...]] = field(default_factory=list)
    blocks: list[Any] = field(default_factory=list)
    end: int = 0
    meshes: int = 0
    numbers: dict[Hashable, int] = field(default_factory=dict)

    def array(self, values: NDArray[Any] | None) -> int:
        """Return the number of a shared array."""
        if values is None:
            return _NONE
        if id(values) not in self.numbers:
            self.numbers[id(values)] = self.add(values)
        return self.numbers[id(values)]

    def add(self, values: NDArray[Any]) -> int:
        """Append an array that nothing else shares, and return its number."""
        plain = np.ascontiguousarray(values)
        shape = (*plain.shape, *([_NONE] * (_DIMENSIONS - plain.ndim)))
        self.arrays.append((_DTYPES.index(plain.dtype.str), self.end, *shape))
        block = plain.reshape(-1).view(np.uint8).data
        self.blocks += [block, _padding(plain.nbytes)]
        self.end += plain.nbytes + len(_padding(plain.nbytes))
        return len(self.arrays) - 1

    def material(self, m: Material) -> int:
        """Return the number of a material."""
        if id(m) not in self.numbers:
            self.numbers[id(m)] = len(self.materials)
            images = self.array(m.texture), self.array(m.gloss_mask)
            self.materials.append(MaterialRecord(m.name, m.color, m.surface, m.roughness, *images, m.wettable))
        return self.numbers[id(m)]

    def mesh(self, mesh: Mesh) -> int:
        """Return the number of a mesh."""
        if id(mesh) not in self.numbers:
            self.numbers[id(mesh)] = self.meshes
            self.parts += [(self.meshes, *self._part(part)) for part in mesh.parts]
            self.meshes += 1
        return self.numbers[id(mesh)]

    def _part(self, p: Part) -> tuple[int, ...]:
        arrays = self.array(p.vertices), self.array(p.faces), self.material(p.material), self.array(p.uv)
        return (*arrays, int(p.smooth), _NONE if p.tag is None else p.tag)


def _recorded(town: Town, shelf: _Shelf) -> TownRecord:
    statics = np.array([(shelf.mesh(s.mesh), s.tag, s.instance_id) for s in town.statics], np.int32).reshape(-1, 3)
    things = np.array([_thing_row(thing) for thing in town.environment_objects]).reshape(-1, 15)
    return TownRecord(
        name=town.name,
        opendrive=town.opendrive,
        key=town.key,
        style=town.style,
        statics=shelf.add(statics),
        world_from_mesh=shelf.add(np.array([s.world_from_mesh for s in town.statics]).reshape(-1, 4, 4)),
        things=shelf.add(things),
        thing_names=tuple(thing.name for thing in town.environment_objects),
        parts=shelf.add(np.array(shelf.parts, np.int32).reshape(-1, 7)),
        navmesh=shelf.add(np.frombuffer(town.navmesh, np.uint8)),
        walk_points=shelf.add(np.asarray(town.walk_points, np.float64)),
        array_count=len(shelf.arrays),
        mesh_count=shelf.meshes,
        materials=tuple(shelf.materials),
        spawn_points=town.spawn_points,
        parking=town.parking,
        traffic_lights=town.traffic_lights,
        traffic_signs=town.traffic_signs,
        street_lamps=town.street_lamps,
    )


def _thing_row(o: EnvironmentObject) -> tuple[float, ...]:
    return (o.id, o.tag, o.instance_id, *o.transform.location, *o.transform.rotation, *o.box_center, *o.box_extent)


def _restored(record: TownRecord, data: NDArray[np.uint8]) -> Town:
    arrays = _arrays(record.array_count, data)
    materials = [
        Material(m.name, m.color, m.surface, m.roughness, _at(arrays, m.texture), _at(arrays, m.gloss_mask), m.wettable)
        for m in record.materials
    ]
    meshes = _meshes(record.mesh_count, arrays[record.parts], arrays, materials)
    statics = zip(arrays[record.statics].tolist(), arrays[record.world_from_mesh], strict=True)
    things = zip(arrays[record.things].tolist(), record.thing_names, strict=True)
    return Town(
        name=record.name,
        opendrive=record.opendrive,
        statics=tuple(Placed(meshes[mesh], matrix, tag, instance) for (mesh, tag, instance), matrix in statics),
        spawn_points=record.spawn_points,
        parking=record.parking,
        environment_objects=tuple(_thing(row, name) for row, name in things),
        traffic_lights=record.traffic_lights,
        traffic_signs=record.traffic_signs,
        street_lamps=record.street_lamps,
        navmesh=arrays[record.navmesh].tobytes(),
        walk_points=arrays[record.walk_points],
        key=record.key,
        style=record.style,
    )


def _arrays(count: int, data: NDArray[np.uint8]) -> list[NDArray[Any]]:
    width = 2 + _DIMENSIONS
    table = data[len(data) - 8 * width * count :].view(np.int64).reshape(count, width).tolist()
    arrays = []
    for kind, offset, *padded in table:
        dtype, shape = np.dtype(_DTYPES[kind]), tuple(n for n in padded if n != _NONE)
        size = dtype.itemsize * int(np.prod(shape))
        arrays.append(data[offset : offset + size].view(dtype).reshape(shape))
    return arrays


def _at(arrays: list[NDArray[Any]], number: int) -> NDArray[Any] | None:
    return None if number == _NONE else arrays[number]


def _meshes(count: int, table: NDArray[np.int32], arrays: list[NDArray[Any]], materials: list[Material]) -> list[Mesh]:
    parts: list[list[Part]] = [[] for _ in range(count)]
    for mesh, vertices, faces, material, uv, smooth, tag in table.tolist():
        _check_corners(arrays[vertices], arrays[faces])
        own_tag = None if tag == _NONE else tag
        part = Part(arrays[vertices], arrays[faces], materials[material], _at(arrays, uv), bool(smooth), own_tag)
        parts[mesh].append(part)
    return [Mesh(tuple(found)) for found in parts]


def _check_corners(vertices: NDArray[Any], faces: NDArray[Any]) -> None:
    """Check vertex indices: the ray casters do not, and an index out of range would crash the process."""
    if faces.size and not 0 <= int(faces.min()) <= int(faces.max()) < len(vertices):
        raise ValueError("a face refers to a missing vertex")


def _thing(row: list[float], name: str) -> EnvironmentObject:
    number, tag, instance = (int(n) for n in row[:3])
    x, y, z, pitch, yaw, roll = row[3:9]
    center, extent = (row[9], row[10], row[11]), (row[12], row[13], row[14])
    return EnvironmentObject(number, name, tag, Transform(x, y, z, pitch, yaw, roll), center, extent, instance)
