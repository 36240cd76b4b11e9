"""Barriers: fences, walls and guard rails, each with its semantic tag, of any length.

All run along +x from x = 0 to ``length_m``, centred at y = 0, with the ground at z = 0; their feet reach below it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from caos.assets.mesh import Mesh
from caos.assets.street.buildings import finishes
from caos.assets.street.buildings.facades import moulding, railing
from caos.assets.street.canvas import Canvas, Finish, Points, plain
from caos.assets.tags import SemanticTag
from caos.foundation.errors import CaosError, unknown

_WIRE = plain("fence wire", (0.28, 0.29, 0.29), "plastic", 0.5)


def _along_x(tag: int, length: float) -> Canvas:
    """A canvas whose u runs along +x."""
    if not 0.2 <= length <= 500:
        raise CaosError(f"barrier of {length} m cannot be built; use a length of 0.2 to 500 m")
    return Canvas(tag).front(0, 0, 0, 90)


def _posts(canvas: Canvas, length: float, pitch: float, size: float, height: float, finish: Finish) -> Points:
    at: Points = np.linspace(size / 2, length - size / 2, max(round(length / pitch), 1) + 1)
    low = np.stack([at - size / 2, np.full(len(at), -0.5), np.full(len(at), -size / 2)], -1)
    canvas.blocks(low, (size, height + 0.5, size), finish, skip="v")
    return at


def _picket(canvas: Canvas, length: float) -> None:
    white = finishes.TRIMS["white"]
    _posts(canvas, length, 2.0, 0.1, 1.05, white)
    canvas.boxes([[0, 0.28, -0.02], [0, 0.78, -0.02]], [[length, 0.36, 0.02], [length, 0.86, 0.02]], white)
    u = np.arange(0.06, length - 0.02, 0.145)
    low = np.stack([u - 0.04, np.full(len(u), 0.08), np.full(len(u), 0.02)], -1)
    canvas.blocks(low, (0.08, 0.85, 0.022), white, skip="v")
    v, n = 0.93, 0.042
    tip = np.stack(
        [
            np.stack([u + a, np.full(len(u), v + b), np.full(len(u), c)], -1)
            for a, b, c in ((-0.04, 0, n), (0.04, 0, n), (0.0, 0.08, n), (0.0, 0.08, n))
        ],
        1,
    )
    canvas.quads(np.concatenate([tip, tip[:, ::-1] - (0, 0, 0.022)]), white)


def _iron(canvas: Canvas, length: float) -> None:
    black = finishes.TRIMS["black"]
    canvas.boxes([[0, -0.5, -0.14]], [[length, 0.3, 0.14]], finishes.stone(0), skip="v")
    canvas.boxes([[0, 0.3, -0.17]], [[length, 0.38, 0.17]], finishes.concrete(0))
    _posts(canvas, length, 2.4, 0.07, 1.75, black)
    railing(canvas, 0, length, 0.36, 0.0, 1.25, black, pitch=0.15)
    u = np.arange(0.1, length, 0.15)
    low = np.stack([u - 0.012, np.full(len(u), 1.6), np.full(len(u), -0.012)], -1)
    canvas.blocks(low, (0.024, 0.12, 0.024), black, skip="v")


def _chain_link(canvas: Canvas, length: float) -> None:
    height, pitch, w = 1.8, 0.16, 0.006
    _posts(canvas, length, 2.5, 0.06, height + 0.05, finishes.GALVANIZED)
    for v in (0.06, height):
        canvas.boxes([[0, v - 0.02, -0.02]], [[length, v + 0.02, 0.02]], finishes.GALVANIZED)
    starts = np.arange(-height, length, pitch)
    ribbons = []
    for lean in (1, -1):
        a0, a1 = (starts, starts + height) if lean == 1 else (starts + height, starts)
        u0, u1 = np.clip(a0, 0, length), np.clip(a1, 0, length)
        v0 = 0.06 + (u0 - a0) * lean * (height - 0.06) / height
        v1 = height - (a1 - u1) * lean * (height - 0.06) / height
        keep = np.abs(u1 - u0) > 0.02
        p0, p1 = np.stack([u0, v0], -1)[keep], np.stack([u1, v1], -1)[keep]
        side = np.array([w, 0.0])
        n = np.full((len(p0), 1), 0.004 * lean)
        ribbons.append(np.stack([np.hstack([p, n]) for p in (p0 - side, p0 + side, p1 + side, p1 - side)], 1))
    every = np.concatenate(ribbons)
    canvas.quads(every, _WIRE)


def _board(canvas: Canvas, length: float) -> None:
    wood = finishes.timber(3)
    _posts(canvas, length, 2.4, 0.11, 1.85, finishes.timber(0))
    u = np.arange(0, length - 0.05, 0.15)
    tall = 1.72 + 0.05 * np.sin(u * 37.7)
    low = np.stack([u, np.full(len(u), 0.06), np.where(np.arange(len(u)) % 2, 0.03, 0.045)], -1)
    high = np.stack([np.minimum(u + 0.16, length), tall, low[:, 2] + 0.02], -1)
    canvas.boxes(low, high, wood, skip="v")
    canvas.boxes([[0, 0.3, -0.02], [0, 1.45, -0.02]], [[length, 0.4, 0.03], [length, 1.55, 0.03]], wood)


def _post_rail(canvas: Canvas, length: float) -> None:
    wood = finishes.timber(2)
    _posts(canvas, length, 2.6, 0.13, 1.2, wood)
    for v in (0.35, 0.7, 1.05):
        canvas.boxes([[0, v - 0.06, 0.05]], [[length, v + 0.06, 0.09]], wood)


def _mesh_panel(canvas: Canvas, length: float) -> None:
    green = plain("mesh green", (0.02, 0.075, 0.045), "plastic", 0.5)
    _posts(canvas, length, 2.5, 0.06, 1.65, green)
    u = np.arange(0.04, length, 0.1)
    low = np.stack([u - 0.006, np.full(len(u), 0.05), np.full(len(u), -0.006)], -1)
    canvas.blocks(low, (0.012, 1.55, 0.012), green, skip="vV")
    for v in (0.1, 0.5, 0.9, 1.3, 1.55):
        canvas.boxes([[0, v - 0.01, -0.014]], [[length, v + 0.01, 0.014]], green)


_FENCES: dict[str, Callable[[Canvas, float], None]] = {
    "picket": _picket,
    "iron": _iron,
    "chain_link": _chain_link,
    "board": _board,
    "post_rail": _post_rail,
    "mesh_panel": _mesh_panel,
}
FENCES = tuple(_FENCES)


@cache
def fence(kind: str, length_m: float) -> Mesh:
    """A fence of one of ``FENCES``."""
    if kind not in _FENCES:
        raise unknown("fence", kind, _FENCES)
    canvas = _along_x(SemanticTag.FENCE, length_m)
    _FENCES[kind](canvas, length_m)
    return canvas.mesh()


def _masonry_wall(
    canvas: Canvas, length: float, height: float, half: float, face: Finish, cap: Finish, pier: float
) -> None:
    canvas.boxes([[0, -1.0, -half]], [[length, height, half]], face, skip="v")
    canvas.boxes([[-0.02, height, -half - 0.05]], [[length + 0.02, height + 0.09, half + 0.05]], cap)
    if pier:
        at = np.linspace(0.2, length - 0.2, max(round(length / pier), 1) + 1)
        low = np.stack([at - 0.22, np.full(len(at), -1.0), np.full(len(at), -half - 0.07)], -1)
        canvas.blocks(low, (0.44, height + 1.16, 2 * half + 0.14), face, skip="v")
        top = np.add(low, (-0.05, height + 1.16, -0.05))
        canvas.blocks(top, (0.54, 0.1, 2 * half + 0.24), cap)


def _brick_wall(canvas: Canvas, length: float) -> None:
    _masonry_wall(canvas, length, 1.8, 0.12, finishes.brick(0), finishes.concrete(0), 3.5)


def _low_brick_wall(canvas: Canvas, length: float) -> None:
    _masonry_wall(canvas, length, 0.85, 0.12, finishes.brick(1), finishes.stone(0), 4.0)


def _stone_wall(canvas: Canvas, length: float) -> None:
    _masonry_wall(canvas, length, 1.25, 0.22, finishes.stone(1), finishes.stone(2), 0)


def _rendered_wall(canvas: Canvas, length: float) -> None:
    _masonry_wall(canvas, length, 2.1, 0.11, finishes.plaster(4), finishes.roof_tiles(0), 5.0)


def _concrete_wall(canvas: Canvas, length: float, face: Finish | None = None) -> None:
    canvas.boxes([[0, -1.0, -0.12]], [[length, 2.5, 0.12]], face or finishes.concrete(1), skip="v")
    for turn in (False, True):
        view = canvas if not turn else canvas.moved(length).turned(180)
        moulding(view.moved(n=0.12), 0, length, 2.38, 0.07, finishes.concrete(0))


def _graffiti_wall(canvas: Canvas, length: float) -> None:
    _concrete_wall(canvas, length, finishes.graffiti())


def _sound_wall(canvas: Canvas, length: float) -> None:
    """A noise barrier beside a fast road: steel posts, ribbed panels."""
    at = np.linspace(0, length, max(round(length / 4), 1) + 1)
    low = np.stack([at - 0.1, np.full(len(at), -1.0), np.full(len(at), -0.12)], -1)
    canvas.blocks(low, (0.2, 4.6, 0.24), finishes.GALVANIZED, skip="v")
    canvas.boxes([[0, -1.0, -0.09]], [[length, 0.6, 0.09]], finishes.concrete(0), skip="v")
    canvas.boxes([[0, 0.6, -0.05]], [[length, 3.55, 0.05]], finishes.DARK)
    for k in range(6):
        v = 0.6 + 0.5 * k
        canvas.boxes([[0, v + 0.015, -0.07]], [[length, v + 0.485, 0.07]], finishes.sheet(5 if k % 3 else 2))


_WALLS: dict[str, Callable[[Canvas, float], None]] = {
    "brick": _brick_wall,
    "low_brick": _low_brick_wall,
    "stone": _stone_wall,
    "rendered": _rendered_wall,
    "concrete": _concrete_wall,
    "graffiti": _graffiti_wall,
    "sound": _sound_wall,
}
WALLS = tuple(_WALLS)


@cache
def wall(kind: str, length_m: float) -> Mesh:
    """A free-standing wall of one of ``WALLS``."""
    if kind not in _WALLS:
        raise unknown("wall", kind, _WALLS)
    canvas = _along_x(SemanticTag.WALL, length_m)
    _WALLS[kind](canvas, length_m)
    return canvas.mesh()


@cache
def guard_rail(length_m: float) -> Mesh:
    """A W-beam on posts; the beam faces +y, the road side."""
    canvas = _along_x(SemanticTag.GUARD_RAIL, length_m)
    steel = plain("guard rail", (0.36, 0.37, 0.38), "plastic", 0.4)
    out = [0.1, 0.105, 0.18, 0.18, 0.11, 0.11, 0.18, 0.18, 0.105, 0.1]
    up = [0.44, 0.46, 0.50, 0.545, 0.585, 0.615, 0.655, 0.70, 0.74, 0.76]
    outline = np.stack([out, up], -1)
    canvas.profile(outline, 0, length_m, steel, caps=False)
    canvas.profile((outline - (0.006, 0))[::-1], 0, length_m, steel, caps=False)
    at = np.arange(0.3, max(length_m - 0.1, 0.4), 2.0)
    low = np.stack([at - 0.05, np.full(len(at), -0.6), np.full(len(at), -0.06)], -1)
    canvas.blocks(low, (0.1, 1.36, 0.1), finishes.GALVANIZED, skip="v")
    block = np.stack([at - 0.05, np.full(len(at), 0.5), np.full(len(at), 0.04)], -1)
    canvas.blocks(block, (0.1, 0.2, 0.07), finishes.GALVANIZED)
    reflector = plain("reflector", (0.6, 0.3, 0.03), "plastic", 0.3)
    canvas.blocks(np.add(block[::3], (0.02, 0.24, 0.07)), (0.06, 0.08, 0.02), reflector)
    return canvas.mesh()
