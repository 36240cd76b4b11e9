"""Mesh hygiene: remove bad faces, orient outward, decimate, scale to metres, rest on z = 0."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caos.assets.importing.job import ImportJob, UnusableMeshError, Vector
from caos.assets.mesh import Mesh, Part
from caos.assets.modelling.assembly import rested

SMALLEST_M, LARGEST_M = 0.04, 25.0
THINNEST_SHARE = 1e-3
LIKELY_M = (0.1, 10.0)
TYPICAL_M = 0.8
SMALLER_UNITS = {"centimetres": 0.01, "millimetres": 0.001}
Y_UP, Z_UP = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
CUSTOM_UP: dict[str, Vector] = {".obj": Y_UP, ".gltf": Y_UP, ".glb": Y_UP, ".ply": Z_UP, ".stl": Z_UP, ".off": Z_UP}
Ids = NDArray[np.int64]


def prepare(mesh: Mesh, job: ImportJob, suffix: str) -> tuple[Mesh, list[str]]:
    """Clean a mesh, set it upright, scale it to metres and rest it on z = 0; return it with notes for the report.

    Raises:
        UnusableMeshError: If no usable triangles remain, or the size is implausible.
    """
    notes: list[str] = []
    mesh = _clean(mesh, notes)
    mesh = mesh.transformed(orientation(job.up or CUSTOM_UP[suffix], job.front))
    mesh = _wound_outward(mesh, notes)
    mesh = _scaled(mesh, job, suffix, notes)
    if mesh.triangles > job.budget:
        before = mesh.triangles
        mesh = _decimated(mesh, job.budget)
        notes.append(f"decimated from {before} to {mesh.triangles} triangles")
    mesh = rested(Mesh(tuple(_shaded(part) for part in mesh.parts)))
    _check_size(mesh)
    return mesh, notes


def orientation(up: Vector, front: Vector | None) -> NDArray[np.float64]:
    """4x4 matrix from the file's right-handed axes to CARLA's (x forward, y right, z up, left-handed).

    Raises:
        UnusableMeshError: If ``up`` and ``front`` are parallel or zero.
    """
    u = np.asarray(up, dtype=np.float64)
    guess = (0.0, 0.0, 1.0) if abs(u[1]) > 0.5 else (0.0, -1.0, 0.0)
    f = np.asarray(front if front is not None else guess, dtype=np.float64)
    if np.linalg.norm(u) < 1e-9 or np.linalg.norm(np.cross(f, u)) < 1e-6:
        raise UnusableMeshError(f"its up {tuple(up)} and front {tuple(f)} are parallel or zero")
    u /= np.linalg.norm(u)
    f -= u * (f @ u)
    f /= np.linalg.norm(f)
    matrix = np.eye(4)
    matrix[:3, :3] = f, np.cross(f, u), u
    return matrix


def _clean(mesh: Mesh, notes: list[str]) -> Mesh:
    """Remove faces that are non-finite, degenerate or duplicate (in either vertex order)."""
    finite = [np.all(np.isfinite(p.vertices[p.faces]), axis=(1, 2)) for p in mesh.parts]
    parts = [replace(p, faces=p.faces[keep]) for p, keep in zip(mesh.parts, finite, strict=True)]
    ids, owner, faces = _welded(parts)
    triangle = ids[faces]
    corners = _positions(parts)[faces]
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    size = float(np.ptp(_positions(parts), axis=0).max()) if len(faces) else 0.0
    thin = (area <= (1e-7 * size) ** 2) | (np.sort(triangle, axis=1)[:, :-1] == np.sort(triangle, axis=1)[:, 1:]).any(1)
    _, first = np.unique(np.sort(triangle, axis=1), axis=0, return_index=True)
    single = np.zeros(len(faces), bool)
    single[first] = True
    keep = single & ~thin
    broken = sum(int((~k).sum()) for k in finite)
    for count, what in (
        (broken, "broken"),
        (int(thin.sum()), "degenerate"),
        (int((~single & ~thin).sum()), "duplicate"),
    ):
        if count:
            notes.append(f"{count} {what} faces removed")
    if int(keep.sum()) < 4:
        raise UnusableMeshError(f"only {int(keep.sum())} usable triangles")
    offsets = np.cumsum([0, *(len(p.vertices) for p in parts)])
    kept = [
        _compact(replace(p, faces=(faces[keep & (owner == k)] - offsets[k]).astype(np.int32)))
        for k, p in enumerate(parts)
    ]
    return Mesh(tuple(p for p in kept if len(p.faces)))


def _positions(parts: list[Part]) -> NDArray[np.float64]:
    return np.concatenate([p.vertices for p in parts]).astype(np.float64)


def _welded(parts: list[Part]) -> tuple[Ids, Ids, Ids]:
    """Weld all parts: per vertex an id that equal positions share, per face the index of its part, and the faces."""
    points = _positions(parts)
    finite = np.nan_to_num(points, nan=0.0, posinf=0.0, neginf=0.0)
    step = max(float(np.ptp(finite, axis=0).max()), 1e-12) * 1e-6
    _, ids = np.unique(np.round(finite / step).astype(np.int64), axis=0, return_inverse=True)
    offsets = np.cumsum([0, *(len(p.vertices) for p in parts[:-1])])
    faces = np.concatenate([p.faces.astype(np.int64) + o for p, o in zip(parts, offsets, strict=True)])
    owner = np.repeat(np.arange(len(parts)), [len(p.faces) for p in parts])
    return ids.reshape(-1).astype(np.int64), owner, faces


def _compact(part: Part) -> Part:
    used, local = np.unique(part.faces, return_inverse=True)
    uv = None if part.uv is None else part.uv[used]
    return replace(part, vertices=part.vertices[used], faces=local.reshape(-1, 3).astype(np.int32), uv=uv)


def _open3d() -> Any:
    import warnings

    with warnings.catch_warnings():
        # Open3D warns that there is no CUDA device, which is not used here.
        warnings.simplefilter("ignore", ImportWarning)
        import open3d
    return open3d


def _open3d_mesh(points: NDArray[np.float64], triangles: Ids) -> Any:
    o3d = _open3d()
    return o3d.geometry.TriangleMesh(
        o3d.utility.Vector3dVector(points), o3d.utility.Vector3iVector(triangles.astype(np.int32))
    )


def _wound_outward(mesh: Mesh, notes: list[str]) -> Mesh:
    """Orient neighbouring faces consistently where possible, and each connected component outward."""
    parts = list(mesh.parts)
    ids, owner, faces = _welded(parts)
    points = np.zeros((int(ids.max()) + 1, 3))
    points[ids] = _positions(parts)
    solid = _open3d_mesh(points, ids[faces])
    solid.orient_triangles()
    wound = np.asarray(solid.triangles).astype(np.int64)
    piece = np.asarray(solid.cluster_connected_triangles()[0])
    flipped = _is_odd(ids[faces], wound)
    corners = points[wound]
    center = np.stack([np.bincount(piece, corners.mean(1)[:, k]) for k in range(3)], 1) / np.bincount(piece)[:, None]
    local = corners - center[piece][:, None]
    volume = np.bincount(piece, np.einsum("ij,ij->i", local[:, 0], np.cross(local[:, 1], local[:, 2])))
    flipped ^= volume[piece] < 0
    if flipped.any():
        notes.append(f"{int(flipped.sum())} faces turned to face outward")
    turned = []
    for k, part in enumerate(parts):
        new = part.faces.copy()
        flip = flipped[owner == k]
        new[flip] = new[flip][:, ::-1]
        turned.append(replace(part, faces=new))
    return Mesh(tuple(turned))


def _is_odd(before: Ids, after: Ids) -> NDArray[np.bool_]:
    """Mask ``(m,)`` of flipped triangles: those whose vertex ids are not a rotation of the previous ones."""
    same = np.zeros(len(before), bool)
    for shift in range(3):
        same |= (np.roll(after, shift, axis=1) == before).all(axis=1)
    return ~same


def _scaled(mesh: Mesh, job: ImportJob, suffix: str, notes: list[str]) -> Mesh:
    longest = max(mesh.size_m)
    if longest <= 0 or not np.isfinite(longest):
        raise UnusableMeshError("has no extent")
    if job.size_m is not None:
        factor = job.size_m / longest
    elif job.unit_m is not None:
        factor = job.unit_m
    elif suffix in (".gltf", ".glb"):
        factor = 1.0
    else:
        name, factor = _guessed_unit(longest)
        notes.append(f"size guessed: units taken as {name}, longest side {longest * factor:.2f} m")
    return mesh.transformed(np.diag([factor, factor, factor, 1.0]))


def _guessed_unit(longest: float) -> tuple[str, float]:
    """Guess metres if that gives a likely size, else the smaller unit with the size nearest to ``TYPICAL_M``."""
    if LIKELY_M[0] <= longest <= LIKELY_M[1]:
        return "metres", 1.0
    name, factor = min(SMALLER_UNITS.items(), key=lambda unit: abs(np.log(longest * unit[1] / TYPICAL_M)))
    if LIKELY_M[0] <= longest * factor <= LIKELY_M[1]:
        return name, factor
    return "arbitrary", 1.0 / longest


def _check_size(mesh: Mesh) -> None:
    size = sorted(mesh.size_m)
    extents = " x ".join(f"{v:.4g}" for v in mesh.size_m)
    if size[2] < SMALLEST_M or size[2] > LARGEST_M:
        raise UnusableMeshError(f"implausible size {extents} m; give --unit or --size")
    if size[0] < THINNEST_SHARE * size[2]:
        raise UnusableMeshError(f"is flat ({extents} m)")


def _shaded(part: Part) -> Part:
    """Choose smooth shading if few edges are sharp, flat shading otherwise."""
    ids, _, faces = _welded([part])
    corners = part.vertices[part.faces].astype(np.float64)
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-12)
    edges = np.sort(ids[faces][:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    order = np.lexsort(edges.T)
    pair = (edges[order][1:] == edges[order][:-1]).all(axis=1)
    a, b = order[:-1][pair] // 3, order[1:][pair] // 3
    if not len(a):
        return part
    sharp = (np.einsum("ij,ij->i", normal[a], normal[b]) < np.cos(np.radians(40))).mean()
    return replace(part, smooth=bool(sharp < 0.15))


def _decimated(mesh: Mesh, budget: int) -> Mesh:
    """Decimate to ``budget`` triangles by quadric error, each part in proportion, keeping texture coordinates."""
    share = budget / mesh.triangles
    parts = [_decimated_part(p, max(int(len(p.faces) * share), 8)) for p in mesh.parts]
    return Mesh(tuple(p for p in parts if len(p.faces)))


def _decimated_part(part: Part, target: int) -> Part:
    ids, _, faces = _welded([part])
    points = np.zeros((int(ids.max()) + 1, 3))
    points[ids] = part.vertices
    solid = _open3d_mesh(points, ids[faces]).simplify_quadric_decimation(target, boundary_weight=3.0)
    solid.remove_degenerate_triangles()
    solid.remove_unreferenced_vertices()
    vertices = np.asarray(solid.vertices).astype(np.float32)
    triangles = np.asarray(solid.triangles).astype(np.int32)
    if part.uv is None or not len(triangles):
        return replace(part, vertices=vertices, faces=triangles, uv=None)
    return _with_uv(part, vertices, triangles)


def _with_uv(part: Part, vertices: NDArray[np.float32], triangles: NDArray[np.int32]) -> Part:
    """Transfer texture coordinates: each new triangle takes the affine UV map of the nearest original triangle.

    One map per triangle keeps a triangle from spanning two islands of the texture.
    """
    o3d = _open3d()
    assert part.uv is not None
    scene = o3d.t.geometry.RaycastingScene()
    scene.add_triangles(o3d.core.Tensor(part.vertices), o3d.core.Tensor(part.faces.astype(np.uint32)))
    middle = vertices[triangles].mean(axis=1)
    nearest = scene.compute_closest_points(o3d.core.Tensor(middle.astype(np.float32)))["primitive_ids"].numpy()
    source = part.faces[nearest.astype(np.int64)]
    a, b, c = (part.vertices[source[:, k]].astype(np.float64) for k in range(3))
    base = np.stack([b - a, c - a], axis=2)
    inverse = np.linalg.pinv(base)
    uv_a, uv_b, uv_c = (part.uv[source[:, k]].astype(np.float64) for k in range(3))
    edges = np.stack([uv_b - uv_a, uv_c - uv_a], axis=2)
    corners = vertices[triangles].astype(np.float64)
    weights = np.einsum("nij,nkj->nki", inverse, corners - a[:, None])
    uv = uv_a[:, None] + np.einsum("nij,nkj->nki", edges, weights)
    flat_ids = triangles.reshape(-1).astype(np.int64)
    key = np.concatenate([flat_ids[:, None], np.round(uv.reshape(-1, 2) * 1024).astype(np.int64)], axis=1)
    _, first, index = np.unique(key, axis=0, return_index=True, return_inverse=True)
    return replace(
        part,
        vertices=vertices[flat_ids[first]],
        faces=index.reshape(-1, 3).astype(np.int32),
        uv=uv.reshape(-1, 2)[first].astype(np.float32),
    )
