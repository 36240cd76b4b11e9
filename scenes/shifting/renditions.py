"""Renditions of a mesh: the same shape in clay, as a toy, as a line drawing, or in one colour; and larger or smaller.

ImageNet-R (Hendrycks et al., The Many Faces of Robustness, 2021) shows what a thing is by its shape alone.
"""

from __future__ import annotations

import colorsys
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from caos.assets.mesh import Material, Mesh, Part, scaling

Floats = NDArray[np.float64]
Colour = tuple[float, float, float]
CLAY: Final = Material("clay", (0.42, 0.20, 0.12), "diffuse")
PAPER: Final = Material("paper", (0.86, 0.86, 0.84), "diffuse")
INK: Final = Material("ink", (0.008, 0.008, 0.01), "diffuse")
TOY_ROUGHNESS: Final = 0.12
LINE_SHARE: Final = 0.003
"""Half width of a drawn line, as a share of the object's diagonal."""
LINES_LONG: Final = 22.0
"""Length of all lines together, in diagonals of the object: its sharpest edges, no more."""
FLATTEST_DEG: Final = 12.0
"""An edge that bends less is no line, however few there are."""
WELD_SHARE: Final = 1e-4


def clay(mesh: Mesh) -> Mesh:
    """All of one matt clay."""
    return _of_material(mesh, CLAY)


def single_colour(mesh: Mesh) -> Mesh:
    """All of one matt colour, the mean of the object's own."""
    areas = np.array([_area(part) for part in mesh.parts])
    colours = np.array([mean_colour(part.material) for part in mesh.parts])
    r, g, b = (areas[:, None] * colours).sum(0) / max(areas.sum(), 1e-12)
    return _of_material(mesh, Material("single colour", (float(r), float(g), float(b)), "diffuse"))


def toy(mesh: Mesh) -> Mesh:
    """Bright glossy plastic, each material in the strongest form of its hue; without textures."""
    made: dict[int, Material] = {}
    for part in mesh.parts:
        made.setdefault(id(part.material), _plastic(part.material))
    return Mesh(tuple(replace(part, material=made[id(part.material)], uv=None) for part in mesh.parts))


def line_drawing(mesh: Mesh) -> Mesh:
    """White paper with its sharpest edges drawn in black."""
    low, high = mesh.bounds
    diagonal = float(np.linalg.norm(high - low))
    lines = _sharpest(mesh, diagonal)
    bars = [_bar(a, b, LINE_SHARE * diagonal) for a, b in lines]
    white = _of_material(mesh, PAPER)
    if not bars:
        return white
    vertices = np.concatenate([bar[0] for bar in bars])
    offsets = np.cumsum([0, *(len(bar[0]) for bar in bars[:-1])])
    faces = np.concatenate([bar[1] + offset for bar, offset in zip(bars, offsets, strict=True)])
    ink = Part(vertices.astype(np.float32), faces.astype(np.int32), INK, tag=mesh.parts[0].tag)
    return _on_the_ground(Mesh((*white.parts, ink)))


RENDITIONS: Final[Mapping[str, Callable[[Mesh], Mesh]]] = {
    "clay": clay,
    "line_drawing": line_drawing,
    "single_colour": single_colour,
    "toy": toy,
}
"""Renditions by name."""


def resized(mesh: Mesh, factor: float) -> Mesh:
    """The mesh enlarged about its origin, which is on the ground."""
    return mesh.transformed(scaling(factor))


def mean_colour(material: Material) -> Colour:
    """The mean of a material's texture, or its colour."""
    if material.texture is None:
        return material.color
    r, g, b = (float(value) for value in material.texture.reshape(-1, 3).mean(0))
    return r, g, b


def _of_material(mesh: Mesh, material: Material) -> Mesh:
    return Mesh(tuple(replace(part, material=material, uv=None) for part in mesh.parts))


def _plastic(material: Material) -> Material:
    hue, saturation, value = colorsys.rgb_to_hsv(*(min(max(c, 0.0), 1.0) for c in mean_colour(material)))
    if saturation < 0.12:
        colour: Colour = (0.75, 0.75, 0.75) if value > 0.15 else (0.02, 0.02, 0.025)
    else:
        colour = colorsys.hsv_to_rgb(hue, max(saturation, 0.85), max(value, 0.6))
    return Material(f"toy {material.name}", colour, "plastic", TOY_ROUGHNESS)


def _area(part: Part) -> float:
    corners = part.vertices[part.faces].astype(np.float64)
    return float(np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1).sum())


def _sharpest(mesh: Mesh, diagonal: float) -> list[tuple[Floats, Floats]]:
    """The edges that bend most, open ones first, until they are long enough together."""
    found = [edge for part in mesh.parts if len(part.faces) for edge in _edges(part, WELD_SHARE * diagonal)]
    lines, total = [], 0.0
    for bend, a, b in sorted(found, key=lambda edge: -edge[0]):
        if bend < FLATTEST_DEG or total > LINES_LONG * diagonal:
            break
        lines.append((a, b))
        total += float(np.linalg.norm(b - a))
    return lines


def _edges(part: Part, grain: float) -> list[tuple[float, Floats, Floats]]:
    """How much each edge bends in degrees (180 where a surface ends), and its two ends."""
    vertices = part.vertices.astype(np.float64)
    cells = np.round(vertices / grain).astype(np.int64)
    _, first, joined = np.unique(cells, axis=0, return_index=True, return_inverse=True)
    faces = joined.reshape(-1)[part.faces]
    corners = vertices[part.faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(normals, axis=1)
    # A triangle smaller than the grain has two corners in one place, and no edge between them.
    apart = (faces != np.roll(faces, 1, axis=1)).all(1) & (length > 0)
    faces, normals = faces[apart], normals[apart] / length[apart, None]
    ends = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
    owner = np.tile(np.arange(len(faces)), 3)
    order = np.lexsort((ends[:, 1], ends[:, 0]))
    ends, owner = ends[order], owner[order]
    starts = np.flatnonzero(np.r_[True, (ends[1:] != ends[:-1]).any(1)]) if len(ends) else np.empty(0, int)
    counts = np.diff(np.r_[starts, len(ends)])
    out = []
    for start, count in zip(starts.tolist(), counts.tolist(), strict=True):
        bend = 180.0
        if count >= 2:
            cosine = float(np.clip(normals[owner[start]] @ normals[owner[start + 1]], -1, 1))
            bend = float(np.degrees(np.arccos(cosine)))
        out.append((bend, vertices[first[ends[start, 0]]], vertices[first[ends[start, 1]]]))
    return out


def _bar(a: Floats, b: Floats, half: float) -> tuple[Floats, NDArray[np.int64]]:
    """A three-sided bar from a to b: vertices and faces."""
    along = (b - a) / max(float(np.linalg.norm(b - a)), 1e-12)
    side = np.cross(along, [0, 0, 1] if abs(along[2]) < 0.9 else [1, 0, 0])
    side /= np.linalg.norm(side)
    up = np.cross(along, side)
    ring = [half * (np.cos(t) * side + np.sin(t) * up) for t in (0, 2 * np.pi / 3, 4 * np.pi / 3)]
    vertices = np.array([*(a + r for r in ring), *(b + r for r in ring)])
    sides = ((0, 1), (1, 2), (2, 0))
    faces = [face for i, j in sides for face in ([i, j, i + 3], [j, j + 3, i + 3])]
    return vertices, np.array(faces)


def _on_the_ground(mesh: Mesh) -> Mesh:
    """The mesh with nothing below the ground it stood on: lines at its foot are laid flat."""
    floor = np.array([-np.inf, -np.inf, 0])
    return Mesh(
        tuple(replace(part, vertices=np.maximum(part.vertices, floor).astype(np.float32)) for part in mesh.parts)
    )
