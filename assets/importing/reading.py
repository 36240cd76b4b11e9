"""Reader of mesh files with their materials; files outside the import folder are never opened.

Runs in a child process (see ``worker``), because native code parses untrusted files.
"""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import trimesh
from numpy.typing import NDArray
from PIL import EpsImagePlugin

from caos.assets.importing.job import UnusableMeshError, inside
from caos.assets.mesh import Material, Mesh, Part
from caos.assets.modelling.colours import linear_color, linear_image

MAX_BYTES = 400_000_000
MAX_TRIANGLES = 4_000_000
TEXTURE_PX = 512
MAX_COLORS = 16
TEXTURE_FOLDERS = ("textures", "images", "models-textures/textures", "models")


class Resolver(trimesh.resolvers.Resolver):
    """Resolve files that a mesh refers to (materials, textures, buffers), inside the import folder only."""

    def __init__(self, folder: Path, root: Path) -> None:
        self._folder, self._root = folder, root
        self.notes: list[str] = []

    def get(self, name: str | bytes) -> bytes:
        """Read a referenced file.

        Raises:
            FileNotFoundError: If there is no such file inside the import folder (noted).
        """
        text = (name.decode("utf-8", "replace") if isinstance(name, bytes) else str(name)).strip().replace("\\", "/")
        wanted = self._folder / text
        candidates = [wanted, *(self._root / folder / Path(text).name for folder in TEXTURE_FOLDERS)]
        for candidate in candidates:
            try:
                if inside(candidate, self._root) and candidate.is_file():
                    return candidate.read_bytes()
            except (OSError, ValueError):
                continue
        outside = text.startswith("/") or re.match(r"[A-Za-z]:", text) or not inside(wanted, self._root)
        reason = "lies outside the import folder" if outside else "is missing"
        self._note(f"refers to {text!r}, which {reason}; left out")
        raise FileNotFoundError(text)

    def namespaced(self, namespace: str) -> Resolver:
        """Return a resolver for a subfolder (part of trimesh's interface)."""
        return Resolver(self._folder / namespace, self._root)

    def write(self, name: str, data: bytes) -> None:
        """Refuse to write (part of trimesh's interface)."""
        raise PermissionError(f"a mesh may not write {name!r} ({len(data)} bytes)")

    def __getitem__(self, name: str) -> bytes:
        return self.get(name)

    def keys(self) -> list[str]:
        """Return no names: the folder is not listed."""
        return []

    def _note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)


def read_mesh_file(file: Path, root: Path) -> tuple[Mesh, list[str]]:
    """Read a mesh in the file's own axes and units; return it with notes for the report.

    Raises:
        UnusableMeshError: If it cannot be read or holds no triangles.
    """
    if not inside(file, root):
        raise UnusableMeshError("is a link to a file outside the import folder")
    if file.stat().st_size > MAX_BYTES:
        raise UnusableMeshError(f"has {file.stat().st_size / 1e6:.0f} MB; at most {MAX_BYTES / 1e6:.0f} MB are read")
    resolver = Resolver(file.parent, root)
    # A texture is read in whatever format its bytes have, and an EPS file is a program that Ghostscript would run.
    EpsImagePlugin.gs_binary = False
    try:
        loaded = trimesh.load(
            io.BytesIO(file.read_bytes()), file_type=file.suffix.lower().lstrip("."), resolver=resolver, process=False
        )
    except Exception as error:
        raise UnusableMeshError(f"cannot be read: {_first_line(error)}") from error
    geometries = loaded.dump() if isinstance(loaded, trimesh.Scene) else [loaded]
    solids = [g for g in geometries if isinstance(g, trimesh.Trimesh) and len(g.faces)]
    if not solids:
        raise UnusableMeshError("holds no triangles")
    if sum(len(g.faces) for g in solids) > MAX_TRIANGLES:
        raise UnusableMeshError(f"has more than {MAX_TRIANGLES} triangles")
    seen: dict[int, Material] = {}
    return Mesh(tuple(part for g in solids for part in _parts(g, seen))), resolver.notes


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0][:160]}" if lines else type(error).__name__


def _parts(geometry: Any, seen: dict[int, Material]) -> list[Part]:
    vertices = np.asarray(geometry.vertices, np.float64).astype(np.float32)
    faces = np.asarray(geometry.faces).astype(np.int32)
    if faces.size and (faces.min() < 0 or faces.max() >= len(vertices)):
        raise UnusableMeshError("has faces that refer to missing vertices")
    visual = geometry.visual
    if visual.kind == "texture":
        uv = None if visual.uv is None else np.asarray(visual.uv, np.float32)
        material = _material(visual.material, seen)
        if uv is None or len(uv) != len(vertices) or not np.isfinite(uv).all():
            uv = None
        if material.texture is not None and uv is None:
            material = Material(material.name, material.color, material.surface, material.roughness)
        return [Part(vertices, faces, material, uv if material.texture is not None else None)]
    if visual.kind in ("face", "vertex") and visual.defined:
        return _by_color(vertices, faces, np.asarray(visual.face_colors)[:, :3])
    return [Part(vertices, faces, Material("plain", (0.42, 0.41, 0.4), "plastic", 0.5))]


def _material(found: Any, seen: dict[int, Material]) -> Material:
    if id(found) not in seen:
        image = getattr(found, "baseColorTexture", None) or getattr(found, "image", None)
        color = np.asarray(getattr(found, "main_color", (150, 150, 150, 255)), np.float64)[:3]
        metallic = getattr(found, "metallicFactor", None)
        rough = getattr(found, "roughnessFactor", None)
        surface = "metal" if metallic is not None and metallic > 0.5 else "plastic"
        seen[id(found)] = Material(
            str(getattr(found, "name", None) or "imported")[:60],
            linear_color(tuple(float(c) for c in color)),
            surface,  # type: ignore[arg-type]
            float(np.clip(rough if rough is not None else 0.5, 0.05, 1)),
            None if image is None else _texture(image),
        )
    return seen[id(found)]


def _texture(image: Any) -> NDArray[np.float32] | None:
    """Linear RGB ``(h, w, 3)`` of an image, scaled to at most ``TEXTURE_PX`` per side; None if it cannot be decoded."""
    try:
        small = image.convert("RGB")
        small.thumbnail((TEXTURE_PX, TEXTURE_PX))
    except (OSError, ValueError, SyntaxError):
        return None
    return linear_image(small)


def _by_color(vertices: NDArray[np.float32], faces: NDArray[np.int32], colors: NDArray[Any]) -> list[Part]:
    """Group faces by colour; rare colours join the nearest of the ``MAX_COLORS`` most frequent ones."""
    coarse = (colors // 32).astype(np.int64)
    keys, index, counts = np.unique(coarse, axis=0, return_inverse=True, return_counts=True)
    index = index.reshape(-1)
    common = np.argsort(-counts)[:MAX_COLORS]
    nearest = np.argmin(((keys[:, None] - keys[common][None]) ** 2).sum(-1), axis=1)
    group = nearest[index]
    parts = []
    for k in range(len(common)):
        chosen = group == k
        if not chosen.any():
            continue
        used, local = np.unique(faces[chosen], return_inverse=True)
        mean = colors[chosen].mean(axis=0)
        material = Material(f"color {k + 1}", linear_color(tuple(float(c) for c in mean)), "plastic", 0.5)
        parts.append(Part(vertices[used], local.reshape(-1, 3).astype(np.int32), material))
    return parts
