"""Flat plates: outlines, extruded to a thickness and placed in a vertical plane."""

from __future__ import annotations

import numpy as np

from caos.assets.mesh import Material, Mesh, Part
from caos.assets.modelling.assembly import Points, whole
from caos.assets.modelling.shapes import extrude, loft

_Y_IS_UP = np.array([[1, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1.0]])
_Z_IS_FORWARD = np.array([[0, 0, 1, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1.0]])


def upright_plate(outline: Points, width: float, material: Material) -> Mesh:
    """A plate whose outline lies in the x-z plane, ``width`` thick along y."""
    return whole(extrude(outline, -width / 2, width / 2, material)).transformed(_Y_IS_UP)


def facing_plate(outline: Points, depth: float, material: Material, x: float = 0.0) -> Mesh:
    """A plate with its outline (y, z) facing x, ``depth`` thick, its front at ``x``."""
    return whole(extrude(outline, x - depth, x, material)).transformed(_Z_IS_FORWARD)


def ribbon(path: Points, width: float, thick: float, material: Material) -> Part:
    """A thick sheet of ``width`` (along y) that follows a path in the x-z plane."""
    step = np.gradient(path, axis=0)
    normal = np.stack([-step[:, 2], np.zeros(len(path)), step[:, 0]], 1)
    normal *= thick / 2 / np.linalg.norm(normal, axis=1, keepdims=True)
    side = np.array([0, width / 2, 0])
    sections = np.stack([path - side - normal, path + side - normal, path + side + normal, path - side + normal], 1)
    return loft(sections, material, smooth=False)


def oval(a: float, b: float, square: float, count: int = 40) -> Points:
    """Points of a rounded rectangle of half sizes ``a`` and ``b``; ``square`` near 0 is sharp, 1 an ellipse."""
    turn = np.linspace(0, 2 * np.pi, count, endpoint=False)
    c, s = np.cos(turn), np.sin(turn)
    return np.stack([a * np.sign(c) * np.abs(c) ** square, b * np.sign(s) * np.abs(s) ** square], 1)
