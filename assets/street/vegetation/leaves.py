"""Foliage: thousands of folded leaf blades scattered in clumps, sorted into a few tones of green."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from caos.assets.mesh import Part
from caos.assets.street.canvas import RGB, Points, plain
from caos.assets.tags import SemanticTag


def scatter(
    rng: np.random.Generator, centres: Points, radius: float | Points, count: int, *, flatten: float = 0.8
) -> tuple[Points, Points]:
    """``count`` points in a soft ball around each centre, and the unit direction of each away from its centre."""
    away = rng.normal(size=(len(centres), count, 3))
    away /= np.linalg.norm(away, axis=2, keepdims=True)
    reach = np.asarray(radius).reshape(-1, 1, 1) * rng.random((len(centres), count, 1)) ** 0.45
    points = centres[:, None] + away * reach * (1, 1, flatten)
    return points.reshape(-1, 3), away.reshape(-1, 3)


def blades(
    rng: np.random.Generator, at: Points, along: Points, length: float | Points, width: float, *, fold: float = 0.3
) -> tuple[Points, NDArray[np.int64]]:
    """Vertices and faces of one folded leaf at each point, growing along the given direction."""
    n = len(at)
    along = along / np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-9)
    across = np.cross(along, rng.normal(size=(n, 3)))
    across /= np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-9)
    lift = np.cross(across, along) * fold
    size = rng.uniform(0.65, 1.25, (n, 1))
    long, wide = along * np.asarray(length).reshape(-1, 1) * size, across * width * size / 2
    middle = at + long * 0.45
    vertices = np.stack([at, middle + wide + lift * width, at + long, middle - wide + lift * width], 1).reshape(-1, 3)
    base = 4 * np.arange(n)[:, None]
    faces = np.concatenate([base + np.array([0, 1, 2]), base + np.array([0, 2, 3])])
    return vertices, faces


def toned(
    rng: np.random.Generator,
    name: str,
    tones: Sequence[RGB],
    at: Points,
    along: Points,
    length: float | Points,
    width: float,
    *,
    fold: float = 0.3,
    light: Points | None = None,
) -> list[Part]:
    """Leaves as one part for each tone; ``light`` (0..1 for each leaf) makes the later, brighter tones likelier."""
    rank = rng.random(len(at)) * 0.7 + 0.3 * (light if light is not None else rng.random(len(at)))
    group = np.minimum((rank * len(tones)).astype(int), len(tones) - 1)
    parts = []
    for k, color in enumerate(tones):
        mine = group == k
        if not mine.any():
            continue
        long = length[mine] if isinstance(length, np.ndarray) else length
        vertices, faces = blades(rng, at[mine], along[mine], long, width, fold=fold)
        finish = plain(f"{name} leaves {k}", color, "leaf")
        parts.append(
            Part(vertices.astype(np.float32), faces.astype(np.int32), finish.material, tag=SemanticTag.VEGETATION)
        )
    return parts


def upward(rng: np.random.Generator, away: Points, *, out: float = 0.8, up: float = 0.25, loose: float = 0.8) -> Points:
    """Leaf directions: partly outward, partly up (or down for a negative ``up``), partly at random."""
    directions: Points = out * away + np.array([0, 0, up]) + loose * rng.normal(size=away.shape) * 0.6
    return directions
