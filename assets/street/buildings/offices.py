"""Offices and towers."""

from __future__ import annotations

import numpy as np

from caos.assets.street.buildings import finishes, glass, roofs
from caos.assets.street.buildings.facades import (
    FOUNDATION_M,
    pick,
    sides,
)
from caos.assets.street.canvas import Canvas, Finish, plain

_METALS = (
    plain("dark mullion", (0.05, 0.052, 0.055), "plastic", 0.35),
    plain("silver mullion", (0.42, 0.43, 0.44), "plastic", 0.35),
    plain("bronze mullion", (0.13, 0.09, 0.055), "plastic", 0.35),
    plain("white mullion", (0.55, 0.55, 0.54), "plastic", 0.4),
)


def panes(
    canvas: Canvas,
    u0: float,
    u1: float,
    levels: np.ndarray,
    pitch: float,
    finish: Finish,
    rng: np.random.Generator,
    n: float = 0.0,
) -> np.ndarray:
    """Glass between storey lines ``levels``, a different pane in every bay; returns the bay edges."""
    count = max(round((u1 - u0) / pitch), 1)
    edges = np.linspace(u0, u1, count + 1)
    u, v = np.meshgrid(np.arange(count), np.arange(len(levels) - 1))
    low = np.stack([edges[u.ravel()], levels[v.ravel()]], -1)
    high = np.stack([edges[u.ravel() + 1], levels[v.ravel() + 1]], -1)
    # Neighbouring bays of one storey share a room, so lights come in runs.
    cells = rng.integers(0, 64, (len(levels) - 1, count // 2 + 1)).repeat(2, 1)[:, :count]
    uv = glass.atlas_uv(cells.ravel(), glass.OFFICE_COLUMNS, glass.OFFICE_ROWS)
    lit = (cells.ravel() * 7 + v.ravel()) % 6 == 0
    for rows, pane in ((~lit, finish), (lit, glass.office_windows(0, lit=True))):
        canvas.rects(low[rows], high[rows], pane, n=n, uv=uv[rows])
    return edges


def curtain_wall(
    side: Canvas,
    width: float,
    v0: float,
    v1: float,
    storey: float,
    rng: np.random.Generator,
    *,
    pane: Finish,
    metal: Finish,
    spandrel: Finish,
    pitch: float,
    fins: float,
) -> None:
    """Glass in a grid of mullions with a solid band at each floor."""
    count = max(round((v1 - v0) / storey), 1)
    levels = np.linspace(v0, v1, count + 1)
    edges = panes(side, -width / 2, width / 2, levels, pitch, pane, rng)
    zero = np.zeros(len(edges))
    low = np.stack([edges - 0.035, zero + v0, zero - 0.02], -1)
    side.blocks(low, (0.07, v1 - v0, 0.02 + fins), metal, skip="nvV")
    band = 0.62
    low = np.stack([np.full(count + 1, -width / 2), levels - band / 2, np.zeros(count + 1)], -1)
    side.blocks(low[1:-1], (width, band, 0.045), spandrel, skip="n")
    side.boxes(
        [[-width / 2, v0 - 0.1, 0], [-width / 2, v1 - 0.25, 0]],
        [[width / 2, v0 + 0.25, 0.09], [width / 2, v1, 0.09]],
        spandrel,
        skip="n",
    )


def grid_wall(
    side: Canvas,
    width: float,
    v0: float,
    v1: float,
    storey: float,
    rng: np.random.Generator,
    *,
    pane: Finish,
    face: Finish,
    metal: Finish,
    pitch: float,
    deep: float,
) -> None:
    """An egg-crate of concrete or stone: piers and floor bands stand before the glass."""
    count = max(round((v1 - v0) / storey), 1)
    levels = np.linspace(v0, v1, count + 1)
    edges = panes(side, -width / 2, width / 2, levels, pitch, pane, rng, n=-deep)
    pier = min(0.45, pitch * 0.2)
    zero = np.zeros(len(edges))
    low = np.stack([edges - pier / 2, zero + v0, zero - deep], -1)
    high = np.stack([edges + pier / 2, zero + v1, zero], -1)
    low[0, 0], high[-1, 0] = -width / 2, width / 2
    side.boxes(low, high, face, skip="nvV")
    side.boxes(
        np.stack([np.full(count + 1, -width / 2), np.clip(levels - 0.55, v0, v1), np.full(count + 1, -deep)], -1),
        np.stack([np.full(count + 1, width / 2), np.clip(levels + 0.3, v0, v1), np.full(count + 1, -0.03)], -1),
        face,
        skip="n",
    )
    mid = (edges[:-1] + edges[1:]) / 2
    bar = np.stack([mid - 0.025, np.full(len(mid), v0), np.full(len(mid), -deep)], -1)
    side.blocks(bar, (0.05, v1 - v0, 0.06), metal, skip="nvV")


def ribbon_wall(
    side: Canvas,
    width: float,
    v0: float,
    v1: float,
    storey: float,
    rng: np.random.Generator,
    *,
    pane: Finish,
    face: Finish,
    metal: Finish,
) -> None:
    """Long bands of windows between bands of wall."""
    count = max(round((v1 - v0) / storey), 1)
    levels = np.linspace(v0, v1, count + 1)
    edges = panes(side, -width / 2, width / 2, levels, 1.6, pane, rng, n=-0.18)
    tall = (v1 - v0) / count
    low = np.stack([np.full(count, -width / 2), levels[:-1] - 0.35, np.full(count, -0.3)], -1)
    side.blocks(low, (width, tall * 0.44, 0.3), face, skip="n")
    side.boxes([[-width / 2, v1 - 0.4, -0.3]], [[width / 2, v1, 0]], face, skip="n")
    bar = np.stack([edges - 0.03, np.full(len(edges), v0), np.full(len(edges), -0.18)], -1)
    side.blocks(bar, (0.06, v1 - v0, 0.07), metal, skip="nvV")
    side.boxes(
        [[-width / 2, v0, -0.3], [width / 2 - 0.7, v0, -0.3]],
        [[-width / 2 + 0.7, v1, 0.001], [width / 2, v1, 0.001]],
        face,
        skip="nvV",
    )


def _skin(sides_: list[tuple[Canvas, float]], v0: float, v1: float, storey: float, rng: np.random.Generator) -> Finish:
    """One of the three kinds of wall on all sides; returns the finish of its solid parts."""
    tone = int(rng.integers(4))
    pane = glass.mirror_windows(tone) if rng.random() < 0.5 else glass.office_windows(tone)
    metal = pick(rng, _METALS)
    kind = rng.random()
    if kind < 0.45:
        spandrel = pick(
            rng,
            [metal, finishes.DARK_GLASS, finishes.concrete(0), plain("spandrel", (0.16, 0.18, 0.2), "plastic", 0.2)],
        )
        pitch, fins = float(rng.uniform(1.3, 2.0)), float(rng.choice([0.05, 0.12, 0.3]))
        for side, span in sides_:
            curtain_wall(
                side, span, v0, v1, storey, rng, pane=pane, metal=metal, spandrel=spandrel, pitch=pitch, fins=fins
            )
        return metal
    face = pick(
        rng,
        [
            finishes.concrete(int(rng.integers(4))),
            finishes.stone(0),
            finishes.stone(2),
            finishes.plaster(3),
            finishes.brick(int(rng.integers(5))),
        ],
    )
    pitch, deep = float(rng.uniform(2.2, 3.4)), float(rng.uniform(0.3, 0.6))
    for side, span in sides_:
        if kind < 0.78:
            grid_wall(side, span, v0, v1, storey, rng, pane=pane, face=face, metal=metal, pitch=pitch, deep=deep)
        else:
            ribbon_wall(side, span, v0, v1, storey, rng, pane=pane, face=face, metal=metal)
    return face


def _lobby(
    side: Canvas, width: float, height: float, face: Finish, rng: np.random.Generator, *, entrance: bool
) -> None:
    """A glazed ground floor behind columns, with doors and a canopy on the front."""
    edges = np.linspace(-width / 2 + 0.4, width / 2 - 0.4, max(round((width - 0.8) / 2.2), 1) + 1)
    runs = np.linspace(edges[0], edges[-1], max(round(width / 6.5), 1) + 1)
    shown = len(runs) - 1
    low, high = np.stack([runs[:-1], np.zeros(shown)], -1), np.stack([runs[1:], np.full(shown, height)], -1)
    uv = glass.atlas_uv(int(rng.integers(0, 12)) + np.arange(shown), glass.SHOP_COLUMNS, glass.SHOP_ROWS)
    side.rects(low, high, glass.lobby_windows(), n=-0.5, uv=uv)
    metal = _METALS[0]
    bars = np.stack([edges - 0.035, np.zeros(len(edges)), np.full(len(edges), -0.5)], -1)
    side.blocks(bars, (0.07, height, 0.1), metal, skip="nvV")
    side.boxes(
        [[-width / 2, height * 0.72 - 0.06, -0.5], [-width / 2, -FOUNDATION_M, -0.6]],
        [[width / 2, height * 0.72 + 0.06, -0.38], [width / 2, 0.12, -0.35]],
        metal,
        skip="nv",
    )
    columns = np.linspace(-width / 2 + 0.35, width / 2 - 0.35, max(round(width / 6), 1) + 1)
    low = np.stack([columns - 0.35, np.full(len(columns), -FOUNDATION_M), np.full(len(columns), -0.7)], -1)
    side.blocks(low, (0.7, height + FOUNDATION_M, 0.7), face, skip="nvV")
    side.boxes([[-width / 2, height - 0.3, -0.7]], [[width / 2, height + 0.35, 0.06]], face, skip="n")
    side.boxes([[-width / 2, -FOUNDATION_M, -0.6]], [[width / 2, 0.02, 0.1]], finishes.concrete(0), skip="nv")
    if entrance:
        side.boxes([[-3, 2.95, -0.4]], [[3, 3.2, 1.6]], metal)
        frames = [[u - 0.05, 0, -0.5] for u in (-1.9, -0.95, 0, 0.95, 1.9)]
        side.blocks(frames, (0.1, 2.9, 0.2), finishes.ALUMINIUM, skip="nv")
        handles = [[u, 0.8, -0.36] for u in (-0.2, 0.16)]
        side.blocks(handles, (0.04, 0.7, 0.06), finishes.ALUMINIUM)


def office(canvas: Canvas, width: float, depth: float, floors: int, rng: np.random.Generator) -> None:
    """An office block of three to nine storeys over a glazed lobby."""
    storey, lobby = float(rng.uniform(3.4, 3.8)), 4.4
    top = lobby + storey * max(floors - 1, 1)
    faces = sides(canvas, width, depth)
    face = _skin(faces, lobby, top, storey, rng)
    for k, (side, span) in enumerate(faces):
        _lobby(side, span, lobby, face, rng, entrance=k == 0)
    roofs.flat(
        canvas,
        width,
        depth,
        top,
        finishes.flat_roof(int(rng.integers(2))),
        face,
        finishes.GALVANIZED,
        parapet=float(rng.uniform(0.5, 1.3)),
    )
    roofs.clutter(canvas, width, depth, top, rng, count=int(rng.integers(4, 8)))
    if rng.random() < 0.6:
        _roof_letters(canvas, width, depth, top + 0.6, rng)


def _roof_letters(canvas: Canvas, width: float, depth: float, v: float, rng: np.random.Generator) -> None:
    """A company name on the parapet."""
    view = canvas.moved(n=depth / 2 + 0.12)
    w = min(width * 0.5, 9.0)
    u = float(rng.uniform(-1, 1)) * (width - w) / 2 * 0.8
    view.boxes([[u - w / 2, v - 0.6, -0.12]], [[u + w / 2, v - 0.6 + w / 8, 0.0]], _METALS[0], skip="")
    uv = glass.atlas_uv([int(rng.integers(0, 32))], glass.BOARD_COLUMNS, glass.BOARD_ROWS)
    view.rects([[u - w / 2, v - 0.6]], [[u + w / 2, v - 0.6 + w / 8]], glass.boards(True), n=0.01, uv=uv)


def tower(canvas: Canvas, width: float, depth: float, floors: int, rng: np.random.Generator) -> None:
    """A high-rise: podium with lobby or shops, a shaft (perhaps set back twice), a crown with plant and mast."""
    storey, lobby = float(rng.uniform(3.3, 3.9)), float(rng.uniform(4.6, 6.0))
    faces = sides(canvas, width, depth)
    podium = lobby + storey * int(rng.integers(1, 4))
    face = _skin(faces, lobby, podium, storey, rng)
    for k, (side, span) in enumerate(faces):
        _lobby(side, span, lobby, face, rng, entrance=k == 0)
    roofs.flat(canvas, width, depth, podium, finishes.flat_roof(1), face, finishes.GALVANIZED, parapet=1.0)
    top = max(lobby + storey * (floors - 1), podium + storey * 3)
    inset = float(rng.uniform(0.06, 0.18)) if rng.random() < 0.75 else 0.01
    w, d = width * (1 - 2 * inset), depth * (1 - 2 * inset)
    split = podium + (top - podium) * float(rng.uniform(0.6, 0.85))
    stages = [(podium, split, w, d), (split, top, w * 0.82, d * 0.82)] if rng.random() < 0.5 else [(podium, top, w, d)]
    state = rng.bit_generator.state
    for v0, v1, a, b in stages:
        # The same random state for every stage, so that a tower has one kind of wall.
        rng.bit_generator.state = state
        skin = _skin(sides(canvas, a, b), v0, v1, storey, rng)
        roofs.flat(canvas, a, b, v1, finishes.flat_roof(0), skin, finishes.GALVANIZED, parapet=1.2)
    _crown(canvas, stages[-1][2], stages[-1][3], stages[-1][1], skin, rng)


def _crown(canvas: Canvas, width: float, depth: float, top: float, skin: Finish, rng: np.random.Generator) -> None:
    w, d, h = width * 0.55, depth * 0.55, float(rng.uniform(3, 6))
    canvas.boxes(
        [[-w / 2, top, -d / 2]], [[w / 2, top + h, d / 2]], finishes.sheet(int(rng.choice([0, 1, 3]))), skip="v"
    )
    canvas.boxes([[-w / 2 - 0.1, top + h, -d / 2 - 0.1]], [[w / 2 + 0.1, top + h + 0.25, d / 2 + 0.1]], skin)
    roofs.clutter(canvas, w, d, top + h + 0.25, rng, count=3)
    if rng.random() < 0.55:
        mast = float(rng.uniform(6, 16))
        canvas.tube(
            [[0, top + h, 0], [0, top + h + mast * 0.5, 0], [0, top + h + mast, 0]],
            [0.25, 0.14, 0.05],
            finishes.GALVANIZED,
            detail=6,
        )
    if rng.random() < 0.4:
        _roof_letters(canvas, width, depth, top + 0.9, rng)
