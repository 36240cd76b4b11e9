"""Blocks: parts of a town, of which only those relevant to an image are given to the path tracer.

Mitsuba builds the search trees (BVHs) of all shapes for every new scene, so that a whole town would cost as much as
tracing the light. Blocks that the camera sees, blocks around those or between them and the sun, and blocks near the
camera are kept; the rest of the town is left out. Actors do not influence the choice: an image and its twin without
hazards are lit by the same blocks.

Static meshes that are placed once (ground, roads, houses) form one block: some of their surfaces coincide, and which of
them a ray hits must not depend on the other blocks of the scene. Woods coincide with nothing and are cut into patches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from caos.assets.mesh import Mesh, Part
from caos.assets.tags import SemanticTag
from caos.simulator.embedded.render.description import Placed
from caos.simulator.embedded.render.path_tracing.geometry import split
from caos.simulator.embedded.render.ray_casting.rays import Floats

NEAR_M = 80.0
"""Radius around the camera in which everything is kept: the range of lamps, and of mirrors that show the rear."""
CELL_M = 16.0
MOST_CELLS = 1024
WOOD_TRIANGLES, PATCH_M = 50_000, 128.0
"""Vegetation that is placed once and has more triangles is cut into patches of this size."""
FARTHEST_SHADE_M = 1000.0
Numbers = NDArray[np.intp]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Block:
    """A placed mesh with its axis-aligned bounding box ``(2, 3)`` in world coordinates."""

    mesh: Mesh
    world_from_mesh: NDArray[np.float64]
    box: NDArray[np.float64]


def cut(statics: Sequence[Placed]) -> list[Block]:
    """Cut a town into blocks: one per instance of repeated meshes, one per patch of woods, and one for the rest."""
    woods = [p for p in statics if p.tag == SemanticTag.VEGETATION and p.mesh.triangles > WOOD_TRIANGLES]
    single, placed = split([p for p in statics if p not in woods])
    placed += [patch for wood in woods for patch in _patches(wood)]
    if single.parts:
        placed.append(Placed(single, np.eye(4), 0, 0))
    bounds = {id(p.mesh): p.mesh.bounds for p in {id(p.mesh): p for p in placed}.values()}
    return [Block(p.mesh, p.world_from_mesh, _box(*bounds[id(p.mesh)], p.world_from_mesh)) for p in placed]


def _patches(wood: Placed) -> list[Placed]:
    """Cut a wood into square patches of the ground."""
    parts: dict[tuple[int, int], list[Part]] = {}
    for part in wood.mesh.tagged(None).transformed(wood.world_from_mesh).parts:
        squares, numbers = np.unique(
            np.floor(part.vertices[part.faces].mean(1)[:, :2] / PATCH_M).astype(int), axis=0, return_inverse=True
        )
        for k, square in enumerate(squares.tolist()):
            parts.setdefault((square[0], square[1]), []).append(_chosen(part, numbers.ravel() == k))
    return [Placed(Mesh(tuple(own)), np.eye(4), wood.tag, wood.instance_id) for own in parts.values()]


def _chosen(part: Part, rows: Mask) -> Part:
    """Return a subset of a part's triangles."""
    corners, faces = np.unique(part.faces[rows], return_inverse=True)
    uv = None if part.uv is None else part.uv[corners]
    return replace(part, vertices=part.vertices[corners], faces=faces.reshape(-1, 3).astype(np.int32), uv=uv)


def _box(low: Floats, high: Floats, world_from_mesh: NDArray[np.float64]) -> NDArray[np.float64]:
    """World bounding box of a transformed bounding box ``low`` .. ``high``."""
    corners = np.array([[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])
    there = corners @ world_from_mesh[:3, :3].T + world_from_mesh[:3, 3]
    return np.stack([there.min(0), there.max(0)])


class BlockSelector:
    """Selects the blocks that are relevant to an image."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self._boxes = np.array([block.box for block in blocks]).reshape(-1, 2, 3)
        self._top = float(self._boxes[:, 1, 2].max(initial=0.0))

    def chosen(self, eye: NDArray[np.float64], seen: Floats, to_sun: NDArray[np.float64] | None) -> tuple[int, ...]:
        """Indices of the blocks relevant to a camera at ``eye``.

        ``seen`` ``(n, 3)`` are visible points of the town; without ``to_sun`` no shadow casters are kept.
        """
        low, high = self._boxes[:, 0, :2], self._boxes[:, 1, :2]
        near = np.linalg.norm(np.maximum(np.maximum(low - eye[:2], eye[:2] - high), 0), axis=1) < NEAR_M
        cells = _cells(np.asarray(seen, np.float64)[:, :2])
        if to_sun is not None and len(cells):
            cells = np.concatenate([cells, self._towards(cells, to_sun)])
        return tuple(np.flatnonzero(near | _meet(cells, low, high)).tolist())

    def _towards(self, cells: Numbers, to_sun: NDArray[np.float64]) -> Numbers:
        """Cells between ``cells`` and the sun, as far as objects may be tall enough to cast a shadow on them."""
        flat = float(np.hypot(*to_sun[:2]))
        reach = min(self._top * flat / max(float(to_sun[2]), 1e-3), FARTHEST_SHADE_M)
        steps = np.arange(1, int(reach / CELL_M) + 2)
        way = steps[:, None] * (to_sun[:2] / max(flat, 1e-9))
        return np.unique(np.rint(cells[:, None] + way).reshape(-1, 2).astype(np.intp), axis=0)


def _cells(points: NDArray[np.float64]) -> Numbers:
    """Distinct grid cells ``(m, 2)`` that contain points ``(n, 2)``."""
    numbers = np.clip(np.floor(points / CELL_M), -MOST_CELLS // 2, MOST_CELLS // 2).astype(np.intp)
    packed = np.unique(numbers[:, 0] * (2 * MOST_CELLS) + numbers[:, 1] + MOST_CELLS)
    return np.column_stack([packed // (2 * MOST_CELLS), packed % (2 * MOST_CELLS) - MOST_CELLS])


def _meet(cells: Numbers, low: NDArray[np.float64], high: NDArray[np.float64]) -> Mask:
    """Which rectangles from ``low`` to ``high`` ``(m, 2)`` touch one of the cells or a neighbour of one."""
    half = MOST_CELLS // 2
    taken = np.zeros((MOST_CELLS, MOST_CELLS), np.int32)
    inside = np.clip(cells + half, 0, MOST_CELLS - 1)
    taken[inside[:, 0], inside[:, 1]] = 1
    sums = np.zeros((MOST_CELLS + 1, MOST_CELLS + 1), np.int32)
    sums[1:, 1:] = taken.cumsum(0).cumsum(1)
    first = np.clip(np.floor(low / CELL_M).astype(np.intp) + half - 1, 0, MOST_CELLS)
    last = np.clip(np.floor(high / CELL_M).astype(np.intp) + half + 2, 0, MOST_CELLS)
    count = sums[last[:, 0], last[:, 1]] - sums[first[:, 0], last[:, 1]]
    out: Mask = count - sums[last[:, 0], first[:, 1]] + sums[first[:, 0], first[:, 1]] > 0
    return out
