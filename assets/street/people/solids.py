"""Implicit solids for bodies, clothes and hair: blends, cuts and differences of distance functions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from caos.assets.mesh import Material, Part
from caos.assets.modelling.shapes import Distance, blend, blob
from caos.assets.street.people.poses import Points


def solid(
    shapes: Sequence[Distance], around: Points, margin: float, material: Material, cell: float, softness: float
) -> Part:
    """Surface of a blend of shapes, meshed within the bounding box of some points."""
    low, high = around.min(0) - margin, around.max(0) + margin
    return blob(blend(*shapes, softness=softness), low, high, material, cell_m=cell)


def cut(shape: Distance, point: Points, normal: Points) -> Distance:
    """Remove the side of a plane to which its normal points."""
    n = normal / np.linalg.norm(normal)

    def distance(p: Points) -> Points:
        return np.maximum(shape(p), (p - point) @ n)

    return distance


def minus(shape: Distance, other: Distance) -> Distance:
    """Difference of two shapes."""

    def distance(p: Points) -> Points:
        return np.maximum(shape(p), -other(p))

    return distance
