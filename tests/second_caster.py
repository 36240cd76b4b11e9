"""Second ray caster for tests: every ray against every triangle (Moeller and Trumbore), in float64, numpy alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def first_hits(origins: Floats, rays: Floats, triangles: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """Distance in lengths of the rays (infinite without a hit) and triangle (-1) of each ray's first hit.

    Args:
        origins: ``(n, 3)``.
        rays: ``(n, 3)``.
        triangles: ``(m, 3, 3)`` corners.
    """
    nearest, owner = np.full(len(rays), np.inf), np.full(len(rays), -1)
    for number, (a, b, c) in enumerate(triangles):
        side, other = b - a, c - a
        across = np.cross(rays, other)
        determinant = across @ side
        with np.errstate(divide="ignore", invalid="ignore"):
            u = np.einsum("ij,ij->i", origins - a, across) / determinant
            turned = np.cross(origins - a, side)
            v = np.einsum("ij,ij->i", rays, turned) / determinant
            t = turned @ other / determinant
            inside = (u >= 0) & (v >= 0) & (u + v <= 1)
        hit = inside & (t > 0) & (t < nearest)
        nearest[hit], owner[hit] = t[hit], number
    return nearest, owner
