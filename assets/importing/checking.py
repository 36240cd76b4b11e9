"""Check of a library: every mesh matches its recorded hash and can stand on a road."""

from __future__ import annotations

import numpy as np

from caos.assets.catalogue.library import Library
from caos.assets.catalogue.object_file import content_hash
from caos.assets.mesh import Mesh, Part
from caos.foundation.errors import CaosError
from caos.foundation.execution.progress import SILENT, Progress

FLOOR_M = 1e-3
CENTRE_M = 0.02
SIZES_M = (0.04, 25.0)


def check_objects(library: Library, progress: Progress = SILENT) -> list[tuple[str, str]]:
    """Check all objects; return the name and the problem of each faulty one."""
    problems = []
    names = library.names()
    with progress.task("checking", len(names)) as task:
        for name in names:
            problem = object_problem(library, name)
            if problem:
                problems.append((name, problem))
            task.advance(note=name)
    return problems


def object_problem(library: Library, name: str) -> str | None:
    """Describe the first problem of an object, or return None."""
    try:
        info, mesh = library.info(name), library.mesh(name)
    except CaosError as error:
        return str(error)
    if content_hash(mesh) != info.content:
        return "its content differs from the recorded hash; import or build it again"
    return mesh_problem(mesh)


def mesh_problem(mesh: Mesh) -> str | None:
    """Describe the first problem that keeps a mesh from standing on a road, or return None."""
    return next((p for p in (_part_problem(part) for part in mesh.parts) if p), None) or _stance_problem(mesh)


def _part_problem(part: Part) -> str | None:
    if not np.isfinite(part.vertices).all():
        return "a vertex coordinate is not finite"
    if len(part.faces) and (part.faces.min() < 0 or part.faces.max() >= len(part.vertices)):
        return "a face refers to a vertex that does not exist"
    if part.uv is not None and not np.isfinite(part.uv).all():
        return "a texture coordinate is not finite"
    if part.material.texture is not None and part.uv is None:
        return "a textured part has no texture coordinates"
    return None


def _stance_problem(mesh: Mesh) -> str | None:
    low, high = mesh.bounds
    if abs(float(low[2])) > FLOOR_M:
        return f"its lowest point is at {float(low[2]):.3f} m, not on the floor"
    middle = float(np.abs(low[:2] + high[:2]).max()) / 2
    if middle > CENTRE_M:
        return f"its centre is {middle:.3f} m from the origin"
    longest = float((high - low).max())
    if not SIZES_M[0] <= longest <= SIZES_M[1]:
        return f"its longest side is {longest:.3f} m; allowed are {SIZES_M[0]:g} to {SIZES_M[1]:g} m"
    return None
