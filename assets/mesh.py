"""Triangle mesh with materials, the geometry type of the whole project.

Coordinates are CARLA's: x forward, y right, z up, left-handed, metres. The outward normal of a face
is the numeric cross product ``(v1 - v0) x (v2 - v0)`` of the stored coordinates.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]
Surface = Literal["diffuse", "plastic", "metal", "glass", "paint", "emissive", "leaf"]


@dataclass(frozen=True, eq=False)
class Material:
    """Appearance of a surface. Compared by identity: parts of one material must share one object to be fused.

    Attributes:
        name: A readable label; not a key.
        color: Linear RGB reflectance in 0..1 (for ``emissive``: radiance). Ignored where there is a ``texture``.
        surface: ``diffuse`` matt; ``plastic`` matt under a clear coat; ``paint`` car paint (glossy coat); ``metal``
            a conductor; ``glass`` dark and mirror-like (windows); ``emissive`` a lamp; ``leaf`` thin, matt and
            translucent (lit from the back, too).
        roughness: 0 mirror .. 1 matt, for every surface but ``diffuse``.
        texture: Linear RGB image ``(h, w, 3)`` float32 in 0..1, repeated over integer UV, row 0 at v = 1 (top).
        gloss_mask: ``(h, w)`` float32 in 0..1; where 1 the surface is glass-like (windows in a facade texture).
        wettable: Whether the surface darkens and reflects in wet weather (road, paving).
    """

    name: str
    color: tuple[float, float, float] = (0.5, 0.5, 0.5)
    surface: Surface = "diffuse"
    roughness: float = 0.5
    texture: Floats | None = None
    gloss_mask: Floats | None = None
    wettable: bool = False


@dataclass(frozen=True, eq=False)
class Part:
    """Triangles of one material.

    Attributes:
        vertices: ``(n, 3)`` float32, metres.
        faces: ``(m, 3)`` int32 indices into ``vertices``.
        material: Material of all triangles.
        uv: ``(n, 2)`` float32 texture coordinates, or None for untextured parts.
        smooth: Interpolate normals over shared vertices (True) or shade each face flat (False).
        tag: CARLA semantic tag of these triangles; None takes the tag of the object the mesh belongs to.
        axle: x and z, in metres, of the axis (parallel to y) that a wheel's part turns about; None for parts that do
            not turn, and after parts are fused.
    """

    vertices: Floats
    faces: Ints
    material: Material
    uv: Floats | None = None
    smooth: bool = False
    tag: int | None = None
    axle: tuple[float, float] | None = None

    def transformed(self, matrix: ArrayLike) -> Part:
        """Transform the part by a 4x4 matrix; a mirroring one also reverses the faces, so that normals stay outward."""
        m = np.asarray(matrix, dtype=np.float64)
        vertices = (self.vertices @ m[:3, :3].T + m[:3, 3]).astype(np.float32)
        faces = self.faces[:, ::-1].copy() if np.linalg.det(m[:3, :3]) < 0 else self.faces
        axle = self.axle
        if axle is not None:
            moved = m @ (axle[0], 0.0, axle[1], 1.0)
            axle = float(moved[0]), float(moved[2])
        return replace(self, vertices=vertices, faces=faces, axle=axle)


@dataclass(frozen=True, eq=False)
class Mesh:
    """Parts that form one object."""

    parts: tuple[Part, ...] = field(default_factory=tuple)

    @property
    def triangles(self) -> int:
        """Number of triangles in all parts."""
        return sum(len(part.faces) for part in self.parts)

    @property
    def bounds(self) -> tuple[Floats, Floats]:
        """Lowest and highest corner ``(3,)`` of the axis-aligned box around the mesh.

        Raises:
            ValueError: If the mesh has no vertices.
        """
        filled = [part.vertices for part in self.parts if len(part.vertices)]
        if not filled:
            raise ValueError("a mesh without vertices has no bounds")
        low = np.min([v.min(axis=0) for v in filled], axis=0)
        high = np.max([v.max(axis=0) for v in filled], axis=0)
        return low.astype(np.float32), high.astype(np.float32)

    @property
    def size_m(self) -> tuple[float, float, float]:
        """Length (x), width (y) and height (z) of the bounding box."""
        low, high = self.bounds
        x, y, z = (float(v) for v in high - low)
        return x, y, z

    def transformed(self, matrix: ArrayLike) -> Mesh:
        """Transform the mesh by a 4x4 matrix."""
        return Mesh(tuple(part.transformed(matrix) for part in self.parts))

    def tagged(self, tag: int | None) -> Mesh:
        """Return the mesh with ``tag`` as the semantic tag of every part."""
        return Mesh(tuple(replace(part, tag=tag) for part in self.parts))


def join(meshes: Iterable[Mesh | Part]) -> Mesh:
    """Join parts into one mesh; parts of equal material, smoothness and tag are fused into one part."""
    groups: dict[tuple[int, bool, int | None, bool], list[Part]] = {}
    for item in meshes:
        for part in (item,) if isinstance(item, Part) else item.parts:
            key = (id(part.material), part.smooth, part.tag, part.uv is not None)
            groups.setdefault(key, []).append(part)
    return Mesh(tuple(_fuse(parts) for parts in groups.values()))


def _fuse(parts: Sequence[Part]) -> Part:
    if len(parts) == 1:
        return parts[0]
    offsets = np.cumsum([0, *(len(p.vertices) for p in parts[:-1])])
    uv = None if parts[0].uv is None else np.concatenate([p.uv for p in parts if p.uv is not None])
    return replace(
        parts[0],
        vertices=np.concatenate([p.vertices for p in parts]),
        faces=np.concatenate([p.faces + o for p, o in zip(parts, offsets, strict=True)]).astype(np.int32),
        uv=uv,
        axle=None,
    )


def vertex_normals(part: Part) -> Floats:
    """Area-weighted unit normals ``(n, 3)`` at the vertices, outward according to the vertex order of the faces."""
    corners = part.vertices[part.faces].astype(np.float64)
    face = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals = np.zeros((len(part.vertices), 3))
    for k in range(3):
        np.add.at(normals, part.faces[:, k], face)
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    return (normals / np.where(length > 0, length, 1)).astype(np.float32)


def translation(x: float, y: float, z: float) -> NDArray[np.float64]:
    """4x4 matrix of a translation in metres."""
    matrix = np.eye(4)
    matrix[:3, 3] = (x, y, z)
    return matrix


def scaling(x: float, y: float | None = None, z: float | None = None) -> NDArray[np.float64]:
    """4x4 matrix that scales each axis (or all three by ``x``)."""
    return np.diag([x, x if y is None else y, x if z is None else z, 1.0])


def rotation(axis: Literal["x", "y", "z"], angle_deg: float) -> NDArray[np.float64]:
    """4x4 matrix that turns about an axis, from x to y, y to z or z to x for a positive angle."""
    c, s = np.cos(np.radians(angle_deg)), np.sin(np.radians(angle_deg))
    a, b = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[axis]
    matrix = np.eye(4)
    matrix[a, a] = matrix[b, b] = c
    matrix[a, b], matrix[b, a] = -s, s
    return matrix
