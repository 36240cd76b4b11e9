"""Disk cache of vehicle meshes: building one takes about 0.2 s, reading one about 2 ms.

A file is an ``.npz`` archive read without pickle. Its name contains a digest of the code that builds vehicles; a new
file replaces those of older code. An unreadable file is rebuilt, and a folder that cannot be written is ignored.
"""

from __future__ import annotations

import contextlib
import functools
import glob
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from caos import assets
from caos.assets.mesh import Material, Part
from caos.foundation.errors import CaosError
from caos.foundation.storage.cache import cache_root, code_digest
from caos.foundation.storage.files import whole_file

Pieces = tuple[Part, ...]
_PAINT = -1
"""Material index of parts in the requested paint, which is not stored in the file."""


def cached_parts(name: str, paint: Material, make: Callable[[], Pieces]) -> Pieces:
    """Read the parts of a vehicle from the cache, or build them with ``make`` in ``paint`` and cache them."""
    folder = cache_root() / "vehicles"
    file = folder / f"{name}-{_digest()}.npz"
    pieces = _read(file, paint)
    if pieces is None:
        pieces = make()
        with contextlib.suppress(CaosError, OSError):
            _write(file, pieces, paint)
            for old in set(folder.glob(f"{glob.escape(name)}-*.npz")) - {file}:
                old.unlink(missing_ok=True)
    return pieces


@functools.cache
def _digest() -> str:
    code = code_digest(Path(assets.__file__).parent, without=("objects", "props", "importing"))
    return f"{code[:16]}-{np.__version__}"


def _write(file: Path, pieces: Pieces, paint: Material) -> None:
    arrays: dict[str, Any] = {}
    materials = list({id(p.material): p.material for p in pieces if p.material is not paint}.values())
    numbers = {id(material): k for k, material in enumerate(materials)} | {id(paint): _PAINT}
    for k, material in enumerate(materials):
        images = {"texture": material.texture, "gloss": material.gloss_mask}
        arrays |= {f"{name}{k}": image for name, image in images.items() if image is not None}
    for k, part in enumerate(pieces):
        arrays |= {f"vertices{k}": part.vertices, f"faces{k}": part.faces}
        arrays |= {f"uv{k}": part.uv} if part.uv is not None else {}
    record = {
        "parts": [(numbers[id(p.material)], p.smooth, p.tag, p.axle) for p in pieces],
        "materials": [(m.name, m.color, m.surface, m.roughness, m.wettable) for m in materials],
    }
    arrays["record"] = np.frombuffer(json.dumps(record).encode(), np.uint8)
    with whole_file(file) as temporary, temporary.open("wb") as stream:
        np.savez(stream, **arrays)


def _read(file: Path, paint: Material) -> Pieces | None:
    """Parts of a cached file; None if it does not exist or is damaged."""
    try:
        with file.open("rb") as stream, np.load(stream, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        record = json.loads(arrays["record"].tobytes())
        rows = record["materials"]
        materials = [_material(row, arrays, k, rows[:k].count(row)) for k, row in enumerate(rows)]
        return tuple(
            Part(
                arrays[f"vertices{k}"],
                arrays[f"faces{k}"],
                paint if number == _PAINT else materials[number],
                arrays.get(f"uv{k}"),
                smooth=smooth,
                tag=tag,
                axle=None if axle is None else (axle[0], axle[1]),
            )
            for k, (number, smooth, tag, axle) in enumerate(record["parts"])
        )
    except (OSError, ValueError, LookupError, TypeError, EOFError, zipfile.BadZipFile):
        return None


def _material(row: list[Any], arrays: dict[str, Any], number: int, twins: int) -> Material:
    name, color, surface, roughness, wettable = row
    images = arrays.get(f"texture{number}"), arrays.get(f"gloss{number}")
    if images[0] is None and images[1] is None:
        return _plain(name, tuple(color), surface, roughness, wettable, twins)
    return Material(name, tuple(color), surface, roughness, *images, wettable=wettable)


@functools.cache
def _plain(
    name: str,
    color: tuple[float, float, float],
    surface: Any,
    roughness: float,
    wettable: bool,  # noqa: FBT001 (a cache key)
    twins: int,  # noqa: ARG001 (equal materials that a vehicle keeps separate stay separate)
) -> Material:
    """Material shared by all vehicles, so that parts of equal material are fused."""
    return Material(name, color, surface, roughness, wettable=wettable)
