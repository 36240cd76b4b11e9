"""Canvas: collects quads, boxes and profiles by material, in batches, and builds one mesh of them.

Coordinates are those of a viewer in front of a facade: ``u`` to the right, ``v`` up, ``n`` towards the viewer. The
canvas converts them to CARLA's left-handed axes, so that text is never mirrored and normals stay outward.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from caos.assets.mesh import Material, Mesh, Part, Surface, join
from caos.assets.modelling.shapes import sweep

Points = NDArray[np.float64]
RGB = tuple[float, float, float]

# The six faces of a box: which corner (0 low, 1 high) each of its vertices takes on u, v, n; counter-clockwise outside.
_BOX = np.array(
    [
        [[0, 0, 0], [0, 0, 1], [0, 1, 1], [0, 1, 0]],
        [[1, 0, 1], [1, 0, 0], [1, 1, 0], [1, 1, 1]],
        [[0, 0, 0], [1, 0, 0], [1, 0, 1], [0, 0, 1]],
        [[0, 1, 1], [1, 1, 1], [1, 1, 0], [0, 1, 0]],
        [[1, 0, 0], [0, 0, 0], [0, 1, 0], [1, 1, 0]],
        [[0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]],
    ],
    dtype=bool,
)
_SIDES = "uUvVnN"


class Finish(NamedTuple):
    """Material with the length in metres of one repeat of its texture."""

    material: Material
    tile_m: float = 1.0


@cache
def plain(name: str, color: RGB, surface: Surface = "diffuse", roughness: float = 0.5) -> Finish:
    """A finish of one colour, the same object for the same arguments."""
    return Finish(Material(name, color, surface, roughness))


def front_frame(x: float, y: float, z: float, yaw_deg: float) -> Points:
    """4x4 matrix from ``(u, v, n)`` to ``(x, y, z)`` for a front at the given point that faces ``yaw_deg``."""
    c, s = np.cos(np.radians(yaw_deg)), np.sin(np.radians(yaw_deg))
    frame = np.eye(4)
    frame[:3, 0], frame[:3, 1], frame[:3, 2], frame[:3, 3] = (s, -c, 0), (0, 0, 1), (c, s, 0), (x, y, z)
    return frame


class Canvas:
    """Collect geometry in facade coordinates; :meth:`front` returns a canvas elsewhere that adds to the same mesh."""

    def __init__(self, tag: int | None = None) -> None:
        """An empty canvas at the origin that faces +x; parts carry ``tag``."""
        self.tag = tag
        self._parts: list[Part] = []
        self._frame = front_frame(0, 0, 0, 0)

    def front(self, x: float = 0, y: float = 0, z: float = 0, yaw_deg: float = 0) -> Canvas:
        """A canvas for the front at ``(x, y, z)`` of the mesh that faces ``yaw_deg``; its drawing is collected here."""
        return self._view(front_frame(x, y, z, yaw_deg))

    def moved(self, u: float = 0, v: float = 0, n: float = 0) -> Canvas:
        """The same canvas with its origin shifted in its own coordinates."""
        frame = self._frame.copy()
        frame[:3, 3] += frame[:3, :3] @ (u, v, n)
        return self._view(frame)

    def turned(self, yaw_deg: float) -> Canvas:
        """The same canvas turned about its own vertical, to the right of the viewer for a positive angle."""
        c, s = np.cos(np.radians(yaw_deg)), np.sin(np.radians(yaw_deg))
        turn = np.eye(4)
        turn[0, 0], turn[0, 2], turn[2, 0], turn[2, 2] = c, s, -s, c
        return self._view(self._frame @ turn)

    def tagged(self, tag: int | None) -> Canvas:
        """The same canvas, adding parts of another semantic tag."""
        other = self._view(self._frame)
        other.tag = tag
        return other

    def _view(self, frame: Points) -> Canvas:
        other = Canvas(self.tag)
        other._parts, other._frame = self._parts, frame
        return other

    def quads(self, corners: ArrayLike, finish: Finish, uv: ArrayLike | None = None) -> None:
        """Quads ``(n, 4, 3)``, counter-clockwise from outside; UV ``(n, 4, 2)`` is metric unless given."""
        local = np.asarray(corners, dtype=np.float64).reshape(-1, 4, 3)
        if not len(local):
            return
        if finish.material.texture is None:
            coords = None
        elif uv is None:
            coords = _metric_uv(local) / finish.tile_m
        else:
            coords = np.asarray(uv, dtype=np.float64)
        base = 4 * np.arange(len(local))[:, None, None]
        # Facade axes are right-handed and CARLA's are not: the transform mirrors, so faces are listed in reverse order.
        faces = (base + np.array([[0, 2, 1], [0, 3, 2]])).reshape(-1, 3)
        self._collect(local.reshape(-1, 3), faces, finish.material, coords)

    def _collect(self, local: Points, faces: NDArray[np.int64], material: Material, uv: Points | None) -> None:
        vertices = (local @ self._frame[:3, :3].T + self._frame[:3, 3]).astype(np.float32)
        texture = None if uv is None else uv.reshape(-1, 2).astype(np.float32)
        self._parts.append(Part(vertices, faces.astype(np.int32), material, texture, tag=self.tag))

    def rects(
        self, low: ArrayLike, high: ArrayLike, finish: Finish, *, n: ArrayLike = 0.0, uv: ArrayLike | None = None
    ) -> None:
        """Upright rectangles that face the viewer, between corners ``(k, 2)`` in u and v, at depth ``n``."""
        lo, hi = (np.asarray(a, dtype=np.float64).reshape(-1, 2) for a in (low, high))
        depth = np.broadcast_to(np.asarray(n, dtype=np.float64), (len(lo),))
        corners = [[lo[:, 0], lo[:, 1]], [hi[:, 0], lo[:, 1]], [hi[:, 0], hi[:, 1]], [lo[:, 0], hi[:, 1]]]
        self.quads(np.stack([np.stack([*c, depth], -1) for c in corners], 1), finish, uv)

    def boxes(self, low: ArrayLike, high: ArrayLike, finish: Finish, *, skip: str = "") -> None:
        """Boxes between corners ``(k, 3)``; ``skip`` lists unseen sides: u v n for the low ones, U V N for the high."""
        lo, hi = np.broadcast_arrays(*(np.asarray(a, dtype=np.float64).reshape(-1, 3) for a in (low, high)))
        keep = [i for i, side in enumerate(_SIDES) if side not in skip]
        corners = np.where(_BOX[keep][None], hi[:, None, None], lo[:, None, None])
        self.quads(corners.reshape(-1, 4, 3), finish)

    def blocks(self, low: ArrayLike, size: ArrayLike, finish: Finish, *, skip: str = "") -> None:
        """Boxes of one ``size`` (u, v, n) at the given low corners ``(k, 3)``."""
        corner = np.asarray(low, dtype=np.float64).reshape(-1, 3)
        self.boxes(corner, corner + np.asarray(size), finish, skip=skip)

    def recesses(self, low: ArrayLike, high: ArrayLike, finish: Finish, *, skip: str = "nN") -> None:
        """Inward-facing boxes ``(k, 3)``, without back and front: the reveals of openings."""
        lo, hi = np.broadcast_arrays(*(np.asarray(a, dtype=np.float64).reshape(-1, 3) for a in (low, high)))
        keep = [i for i, side in enumerate(_SIDES) if side not in skip]
        corners = np.where(_BOX[keep][None], hi[:, None, None], lo[:, None, None])
        self.quads(corners[:, :, [1, 0, 3, 2]].reshape(-1, 4, 3), finish)

    def profile(self, outline: ArrayLike, u0: float, u1: float, finish: Finish, *, caps: bool = True) -> None:
        """A line of ``(n, v)`` points, from bottom to top along its outside, drawn out from ``u0`` to ``u1``."""
        p = np.asarray(outline, dtype=np.float64)
        left = np.stack([np.full(len(p), u0), p[:, 1], p[:, 0]], -1)
        right = np.stack([np.full(len(p), u1), p[:, 1], p[:, 0]], -1)
        self.quads(np.stack([left[:-1], right[:-1], right[1:], left[1:]], 1), finish)
        if caps and len(p) > 2:
            self.polygon(right[::-1], finish)
            self.polygon(left, finish)

    def polygon(self, points: ArrayLike, finish: Finish, uv: ArrayLike | None = None) -> None:
        """A flat convex polygon ``(k, 3)``, counter-clockwise from outside; UV ``(k, 2)`` is metric unless given."""
        p = np.asarray(points, dtype=np.float64)
        k = np.arange(1, len(p) - 1)
        faces = np.stack([np.zeros_like(k), k + 1, k], 1)
        if finish.material.texture is None:
            coords = None
        else:
            coords = _flat_uv(p) / finish.tile_m if uv is None else np.asarray(uv, dtype=np.float64)
        self._collect(p, faces, finish.material, coords)

    def tube(self, path: Sequence[ArrayLike] | ArrayLike, radii: ArrayLike, finish: Finish, *, detail: int = 8) -> None:
        """A round bar along points ``(u, v, n)``."""
        self.add(sweep(path, radii, finish.material, detail=detail))

    def add(self, item: Mesh | Part, tag: int | None = None) -> None:
        """Add a mesh or part whose coordinates are this canvas's ``(u, v, n)``."""
        for part in (item,) if isinstance(item, Part) else item.parts:
            placed = part.transformed(self._frame)
            self._parts.append(
                Part(
                    placed.vertices,
                    placed.faces,
                    placed.material,
                    placed.uv,
                    placed.smooth,
                    self.tag if tag is None else tag,
                )
            )

    def place(self, items: Iterable[Mesh | Part]) -> None:
        """Add meshes or parts that are already in the axes of the finished mesh."""
        self._parts.extend(join(items).parts)

    def mesh(self) -> Mesh:
        """Build the mesh of everything collected so far; parts of equal material are fused."""
        return join(self._parts)


def _metric_uv(corners: Points) -> Points:
    """UV in metres along each quad's own edges, continuous over neighbours in one plane."""
    across, up = corners[:, 1] - corners[:, 0], corners[:, 3] - corners[:, 0]
    across = across / np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-9)
    # Make the second axis perpendicular, so that slanted quads are not sheared.
    up = up - across * np.einsum("ij,ij->i", up, across)[:, None]
    up = up / np.maximum(np.linalg.norm(up, axis=1, keepdims=True), 1e-9)
    uv: Points = np.stack([np.einsum("ijk,ik->ij", corners, across), np.einsum("ijk,ik->ij", corners, up)], -1)
    return uv


def _flat_uv(points: Points) -> Points:
    normal = np.cross(points[1] - points[0], points[2] - points[0])
    up = np.array([0.0, 1.0, 0.0]) if abs(normal[1]) < 0.9 * np.linalg.norm(normal) else np.array([0.0, 0.0, -1.0])
    across = np.cross(up, normal)
    across /= max(float(np.linalg.norm(across)), 1e-9)
    uv: Points = np.stack([points @ across, points @ up], -1)
    return uv
