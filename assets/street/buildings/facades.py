"""Pieces of a facade: walls with openings, windows, doors, shop fronts, balconies, mouldings.

All draw on a :class:`Canvas` whose origin is the middle of the facade at ground level (u right, v up, n outward).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from caos.assets.street.buildings import finishes, glass
from caos.assets.street.canvas import Canvas, Finish, Points, plain

FOUNDATION_M = 2.0
# Share of the windows that are lit after dark.
LIT_SHARE = 0.3


def sides(canvas: Canvas, width: float, depth: float) -> list[tuple[Canvas, float]]:
    """Canvas and width of the front, right, back and left side of a rectangular building."""
    return [
        (canvas.front(depth / 2, 0, 0, 0), width),
        (canvas.front(0, -width / 2, 0, -90), depth),
        (canvas.front(-depth / 2, 0, 0, 180), width),
        (canvas.front(0, width / 2, 0, 90), depth),
    ]


def bays(width: float, pitch: float, margin: float = 0.0) -> Points:
    """Centres of as many bays of about ``pitch`` metres as fit."""
    room = max(width - 2 * margin, 0.1)
    count = max(round(room / pitch), 1)
    out: Points = (np.arange(count) + 0.5) * room / count - room / 2
    return out


def openings(centres: ArrayLike, bottoms: ArrayLike, width: float, height: float) -> Points:
    """Rectangles ``(k, 4)`` (u0, v0, u1, v1): one for each centre on each bottom line."""
    u, v = (a.ravel() for a in np.meshgrid(np.asarray(centres, dtype=float), np.asarray(bottoms, dtype=float)))
    return np.stack([u - width / 2, v, u + width / 2, v + height], -1)


def wall(canvas: Canvas, u0: float, u1: float, v0: float, v1: float, holes: ArrayLike, finish: Finish) -> None:
    """A flat wall with rectangular holes ``(k, 4)`` left open."""
    h = np.asarray(holes, dtype=np.float64).reshape(-1, 4)
    levels = np.unique(np.clip(np.concatenate([[v0, v1], h[:, 1], h[:, 3]]), v0, v1))
    low, high = [], []
    for a, b in itertools.pairwise(levels):
        cut = h[(h[:, 1] < b - 1e-6) & (h[:, 3] > a + 1e-6)]
        cut = cut[np.argsort(cut[:, 0])]
        starts, ends = [u0, *cut[:, 2]], [*cut[:, 0], u1]
        for start, end in zip(starts, ends, strict=True):
            if end - start > 1e-6:
                low.append((start, a))
                high.append((end, b))
    canvas.rects(low, high, finish)


@dataclass(frozen=True)
class Windows:
    """How the windows of a facade are made.

    Attributes:
        frame: Finish of frame and glazing bars.
        depth: Depth of the glass behind the wall, metres.
        columns: Panes across.
        rows: Panes up.
        sill: Finish of a projecting sill, or None.
        surround: Finish of a raised border, or None.
        lintel: Only the top of the surround, as a lintel.
        shutters: Finish of open shutters beside the window, or None.
        flowers: Share of windows with a flower box.
        bar: Width of the frame, metres.
    """

    frame: Finish
    depth: float = 0.16
    columns: int = 2
    rows: int = 1
    sill: Finish | None = None
    surround: Finish | None = None
    lintel: bool = False
    shutters: Finish | None = None
    flowers: float = 0.0
    bar: float = 0.065


def windows(canvas: Canvas, holes: ArrayLike, style: Windows, reveal: Finish, rng: np.random.Generator) -> None:
    """Windows in the holes ``(k, 4)``: reveal, frame, bars, glass and what the style adds."""
    h = np.asarray(holes, dtype=np.float64).reshape(-1, 4)
    if not len(h):
        return
    back = -style.depth
    canvas.recesses(_corner(h, 0, 1, back), _corner(h, 2, 3, 0.0), reveal)
    _frame(canvas, h, style)
    cells = rng.integers(0, glass.WINDOW_COLUMNS * glass.WINDOW_ROWS, len(h))
    uv = glass.atlas_uv(cells, glass.WINDOW_COLUMNS, glass.WINDOW_ROWS)
    lit = rng.random(len(h)) < LIT_SHARE
    for rows, finish in ((~lit, glass.windows()), (lit, glass.windows(lit=True))):
        canvas.rects(h[rows, :2], h[rows, 2:], finish, n=back, uv=uv[rows])
    if style.sill:
        low = np.stack([h[:, 0] - 0.07, h[:, 1] - 0.07, np.full(len(h), back)], -1)
        high = np.stack([h[:, 2] + 0.07, h[:, 1], np.full(len(h), 0.08)], -1)
        canvas.boxes(low, high, style.sill, skip="n")
    if style.surround:
        _surround(canvas, h, style.surround, lintel=style.lintel)
    if style.shutters:
        _shutters(canvas, h, style.shutters, rng)
    if style.flowers:
        _flower_boxes(canvas, h[rng.random(len(h)) < style.flowers], rng)


def _corner(h: Points, u: int, v: int, n: float) -> Points:
    return np.stack([h[:, u], h[:, v], np.full(len(h), n)], -1)


def _frame(canvas: Canvas, h: Points, style: Windows) -> None:
    b, t = style.bar, -style.depth + 0.05
    u0, v0, u1, v1 = h.T
    back = np.full(len(h), -style.depth)
    front = np.full(len(h), t)
    for low, high, skip in (
        ((u0, v0), (u0 + b, v1), "nuvV"),
        ((u1 - b, v0), (u1, v1), "nUvV"),
        ((u0 + b, v0), (u1 - b, v0 + b), "nuUv"),
        ((u0 + b, v1 - b), (u1 - b, v1), "nuUV"),
    ):
        canvas.boxes(np.stack([*low, back], -1), np.stack([*high, front], -1), style.frame, skip=skip)
    thin, t2 = b * 0.38, np.full(len(h), t - 0.01)
    for k in range(1, style.columns):
        u = u0 + (u1 - u0) * k / style.columns
        canvas.boxes(
            np.stack([u - thin, v0 + b, back], -1), np.stack([u + thin, v1 - b, t2], -1), style.frame, skip="nvV"
        )
    for k in range(1, style.rows):
        v = v0 + (v1 - v0) * (k / style.rows if style.rows != 2 else 0.64)
        canvas.boxes(
            np.stack([u0 + b, v - thin, back], -1), np.stack([u1 - b, v + thin, t2], -1), style.frame, skip="nuU"
        )


def _surround(canvas: Canvas, h: Points, finish: Finish, *, lintel: bool) -> None:
    u0, v0, u1, v1 = h.T
    zero, out = np.zeros(len(h)), np.full(len(h), 0.045)
    b = 0.13
    if lintel:
        canvas.boxes(np.stack([u0 - b, v1, zero], -1), np.stack([u1 + b, v1 + 0.22, out], -1), finish, skip="n")
        return
    canvas.boxes(np.stack([u0 - b, v0, zero], -1), np.stack([u0, v1 + b, out], -1), finish, skip="n")
    canvas.boxes(np.stack([u1, v0, zero], -1), np.stack([u1 + b, v1 + b, out], -1), finish, skip="n")
    canvas.boxes(np.stack([u0, v1, zero], -1), np.stack([u1, v1 + b, out], -1), finish, skip="nuU")
    canvas.boxes(
        np.stack([u0 - b - 0.05, v1 + b, zero], -1),
        np.stack([u1 + b + 0.05, v1 + b + 0.07, out * 2.4], -1),
        finish,
        skip="n",
    )


def _shutters(canvas: Canvas, h: Points, finish: Finish, rng: np.random.Generator) -> None:
    u0, v0, u1, v1 = h.T
    w = np.minimum((u1 - u0) / 2, 0.52)
    zero = np.full(len(h), 0.012)
    out = np.full(len(h), 0.055)
    # Only narrow windows can be closed by their shutters.
    shut = (rng.random(len(h)) < 0.08) & (u1 - u0 <= 1.04)
    left = np.where(shut, u0, u0 - w - 0.02)
    right = np.where(shut, u0 + w, u1 + 0.02)
    for start in (left, right):
        canvas.boxes(np.stack([start, v0, zero], -1), np.stack([start + w, v1, out], -1), finish, skip="n")


def _flower_boxes(canvas: Canvas, h: Points, rng: np.random.Generator) -> None:
    if not len(h):
        return
    u0, v0, u1, _ = h.T
    zero, out = np.full(len(h), 0.02), np.full(len(h), 0.24)
    canvas.boxes(
        np.stack([u0, v0 - 0.02, zero], -1), np.stack([u1, v0 + 0.15, out], -1), finishes.TRIMS["brown"], skip="n"
    )
    bloom = plain("geranium", [(0.35, 0.03, 0.03), (0.38, 0.09, 0.16), (0.42, 0.33, 0.3)][int(rng.integers(3))])
    for finish, count, size in ((plain("box leaves", (0.045, 0.085, 0.025)), 22, 0.13), (bloom, 9, 0.09)):
        t = rng.random((len(h), count))
        at = np.stack(
            [
                u0[:, None] + t * (u1 - u0)[:, None],
                v0[:, None] + rng.uniform(0.08, 0.32, t.shape),
                rng.uniform(0.06, 0.28, t.shape),
            ],
            -1,
        ).reshape(-1, 3)
        canvas.quads(blades(at, size, rng), finish)


def blades(at: Points, size: float, rng: np.random.Generator) -> Points:
    """Leaf-like quads ``(n, 4, 3)`` of random turn at the given points."""
    a = rng.normal(size=at.shape)
    a /= np.linalg.norm(a, axis=1, keepdims=True)
    b = np.cross(a, rng.normal(size=at.shape))
    b /= np.maximum(np.linalg.norm(b, axis=1, keepdims=True), 1e-9)
    a, b = a * size, b * size * 0.45
    return np.stack([at - a, at + b, at + a, at - b], 1)


def door(
    canvas: Canvas,
    u: float,
    width: float,
    height: float,
    leaf: Finish,
    frame: Finish,
    reveal: Finish,
    *,
    step: float = 0.16,
) -> Points:
    """A panelled door with a fanlight in an opening at ``u``; returns the hole ``(1, 4)`` to leave in the wall."""
    v0, depth = step, 0.28
    hole = np.array([[u - width / 2, v0, u + width / 2, v0 + height]])
    canvas.recesses([[hole[0, 0], v0, -depth]], [[hole[0, 2], v0 + height, 0]], reveal)
    top = v0 + height - 0.42
    u0, u1 = hole[0, 0], hole[0, 2]
    canvas.boxes([[u0 + 0.07, v0, -depth]], [[u1 - 0.07, top, -depth + 0.06]], leaf, skip="n")
    w = (u1 - u0 - 0.14) / 2
    lows = [[u0 + 0.07 + k * w + 0.09, v0 + a, -depth + 0.06] for k in (0, 1) for a in (0.2, 1.05)]
    highs = [
        [low[0] + w - 0.18, low[1] + (0.65 if i % 2 == 0 else top - v0 - 1.25), -depth + 0.085]
        for i, low in enumerate(lows)
    ]
    canvas.boxes(lows, highs, leaf, skip="n")
    canvas.boxes(
        [[u0, v0, -depth], [u1 - 0.07, v0, -depth], [u0, top, -depth], [u0, v0 + height - 0.07, -depth]],
        [
            [u0 + 0.07, v0 + height, -depth + 0.1],
            [u1, v0 + height, -depth + 0.1],
            [u1, top + 0.07, -depth + 0.1],
            [u1, v0 + height, -depth + 0.1],
        ],
        frame,
        skip="n",
    )
    canvas.rects(
        [[u0, top]],
        [[u1, v0 + height]],
        glass.windows(),
        n=-depth + 0.02,
        uv=glass.atlas_uv([7], glass.WINDOW_COLUMNS, glass.WINDOW_ROWS),
    )
    canvas.boxes(
        [[u1 - 0.2, v0 + 0.95, -depth + 0.06]], [[u1 - 0.17, v0 + 1.1, -depth + 0.13]], finishes.ALUMINIUM, skip="n"
    )
    steps = finishes.concrete(0)
    canvas.boxes([[u0 - 0.15, -FOUNDATION_M, -depth]], [[u1 + 0.15, v0, 0.38]], steps, skip="vn")
    return hole


def moulding(canvas: Canvas, u0: float, u1: float, v: float, size: float, finish: Finish) -> None:
    """A cornice or string course whose lower edge is at ``v`` and which juts out by ``size``."""
    s = size
    outline = [
        (0, v),
        (0.3 * s, v),
        (0.35 * s, v + 0.25 * s),
        (0.75 * s, v + 0.6 * s),
        (s, v + 0.65 * s),
        (s, v + s),
        (0, v + 1.05 * s),
    ]
    canvas.profile(outline, u0, u1, finish)


def quoins(canvas: Canvas, half_width: float, v0: float, v1: float, finish: Finish) -> None:
    """Corner stones, long and short by turns, at both ends of a facade."""
    count = max(int((v1 - v0) / 0.42), 1)
    v = v0 + np.arange(count) * (v1 - v0) / count
    long = np.where(np.arange(count) % 2 == 0, 0.52, 0.3)
    tall = (v1 - v0) / count - 0.03
    for left in (True, False):
        u0 = np.full(count, -half_width - 0.03) if left else half_width - long
        u1 = -half_width + long if left else np.full(count, half_width + 0.03)
        canvas.boxes(
            np.stack([u0, v, np.full(count, -0.3)], -1),
            np.stack([u1, v + tall, np.full(count, 0.035)], -1),
            finish,
            skip="n",
        )


def railing(
    canvas: Canvas, u0: float, u1: float, v: float, n: float, height: float, finish: Finish, *, pitch: float = 0.13
) -> None:
    """Upright bars between two rails, along u."""
    count = max(int((u1 - u0) / pitch), 1)
    u = np.linspace(u0 + 0.02, u1 - 0.02, count + 1)
    low = np.stack([u - 0.009, np.full(count + 1, v + 0.08), np.full(count + 1, n - 0.009)], -1)
    canvas.blocks(low, (0.018, height - 0.1, 0.018), finish, skip="vV")
    canvas.boxes(
        [[u0, v + height - 0.05, n - 0.025], [u0, v + 0.05, n - 0.015]],
        [[u1, v + height, n + 0.025], [u1, v + 0.08, n + 0.015]],
        finish,
    )


def balcony(
    canvas: Canvas, u0: float, u1: float, v: float, reach: float, kind: str, slab: Finish, guard: Finish
) -> None:
    """A balcony slab at floor height ``v`` with ``bars``, ``glass`` or ``solid`` guard on its three sides."""
    canvas.boxes([[u0, v - 0.18, 0]], [[u1, v, reach]], slab, skip="n")
    left = canvas.moved(u0 + 0.03, 0, reach / 2).turned(-90)
    right = canvas.moved(u1 - 0.03, 0, reach / 2).turned(90)
    if kind == "bars":
        railing(canvas, u0 + 0.02, u1 - 0.02, v, reach - 0.04, 1.05, guard, pitch=0.24)
        railing(left, -reach / 2, reach / 2, v, 0, 1.05, guard, pitch=0.3)
        railing(right, -reach / 2, reach / 2, v, 0, 1.05, guard, pitch=0.3)
        return
    finish = finishes.DARK_GLASS if kind == "glass" else guard
    thick = 0.03 if kind == "glass" else 0.08
    canvas.boxes(
        [[u0, v + 0.04, reach - thick], [u0, v + 0.04, 0], [u1 - thick, v + 0.04, 0]],
        [[u1, v + 1.02, reach], [u0 + thick, v + 1.02, reach - thick], [u1, v + 1.02, reach - thick]],
        finish,
    )
    canvas.boxes(
        [[u0 - 0.02, v + 1.02, reach - thick - 0.02]], [[u1 + 0.02, v + 1.07, reach + 0.02]], finishes.ALUMINIUM
    )


def downpipe(canvas: Canvas, u: float, top: float, finish: Finish) -> None:
    """A rain pipe down the facade."""
    canvas.boxes([[u - 0.045, 0.05, 0.02]], [[u + 0.045, top, 0.11]], finish, skip="nv")


def wall_lamp(canvas: Canvas, u: float, v: float) -> None:
    """A small lantern beside a door."""
    canvas.boxes(
        [[u - 0.07, v, 0.06]], [[u + 0.07, v + 0.24, 0.2]], plain("lantern glass", (0.5, 0.45, 0.34), "plastic", 0.3)
    )
    canvas.boxes(
        [[u - 0.09, v + 0.24, 0.0], [u - 0.08, v - 0.03, 0.05]],
        [[u + 0.09, v + 0.29, 0.22], [u + 0.08, v, 0.21]],
        finishes.TRIMS["black"],
    )


def panel_door(
    canvas: Canvas, u0: float, u1: float, v1: float, finish: Finish, *, n: float = -0.12, panel: float = 0.5
) -> None:
    """A sectional garage or roller door: horizontal panels with shadow gaps."""
    count = max(round(v1 / panel), 1)
    v = np.linspace(0, v1, count + 1)
    canvas.rects([[u0, 0]], [[u1, v1]], finishes.DARK, n=n - 0.03)
    low = np.stack([np.full(count, u0), v[:-1] + 0.012, np.full(count, n - 0.03)], -1)
    high = np.stack([np.full(count, u1), v[1:] - 0.012, np.full(count, n)], -1)
    canvas.boxes(low, high, finish, skip="nuU")


def pick(rng: np.random.Generator, items: Sequence[Finish]) -> Finish:
    """One of the finishes."""
    return items[int(rng.integers(len(items)))]
