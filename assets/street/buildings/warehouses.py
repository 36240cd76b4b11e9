"""Warehouses and works."""

from __future__ import annotations

import numpy as np

from caos.assets.street.buildings import finishes, glass, roofs
from caos.assets.street.buildings.facades import (
    FOUNDATION_M,
    Windows,
    bays,
    door,
    moulding,
    openings,
    panel_door,
    pick,
    sides,
    wall,
    windows,
)
from caos.assets.street.canvas import Canvas, Finish, Points, plain


def warehouse(canvas: Canvas, width: float, depth: float, floors: int, rng: np.random.Generator) -> None:
    """A shed of profiled sheet or brick with loading doors, strip windows and a low or sawtooth roof."""
    top = float(rng.uniform(6.5, 8.5)) + 3 * (floors - 1)
    face = finishes.sheet(int(rng.integers(6))) if rng.random() < 0.7 else finishes.brick(int(rng.choice([0, 1, 3])))
    trim = pick(
        rng,
        [
            finishes.TRIMS["anthracite"],
            finishes.TRIMS["blue"],
            finishes.TRIMS["red"],
            finishes.TRIMS["grey"],
            finishes.GALVANIZED,
        ],
    )
    front, *others = sides(canvas, width, depth)
    _loading_front(front[0], width, top, face, trim, rng)
    style = Windows(trim, 0.1, 4, 1)
    for side, span in others:
        holes = openings(bays(span, 7.0, 1.5), [top - 2.2], 4.2, 1.0)
        wall(side, -span / 2, span / 2, 0.9, top, holes, face)
        windows(side, holes, style, face, rng)
        posts = np.arange(-span / 2, span / 2 + 0.1, 6.5)
        low = np.stack([posts - 0.12, np.full(len(posts), 0.9), np.zeros(len(posts))], -1)
        side.blocks(low, (0.24, top - 0.9, 0.06), trim, skip="nvV")
    canvas.boxes(
        [[-width / 2 - 0.06, -FOUNDATION_M, -depth / 2 - 0.06]],
        [[width / 2 + 0.06, 0.9, depth / 2 - 0.4]],
        finishes.concrete(1),
        skip="v",
    )
    _shed_roof(canvas, width, depth, top, face, trim, rng)


def _loading_front(
    front: Canvas, width: float, top: float, face: Finish, trim: Finish, rng: np.random.Generator
) -> None:
    centres = bays(width, 6.0, 0.5)
    kinds = rng.choice(["dock", "dock", "gate", "blank"], len(centres))
    kinds[int(rng.integers(len(kinds)))] = "office"
    holes: list[Points] = []
    for u, kind in zip(centres, kinds, strict=True):
        w, h = {"dock": (3.2, 3.6), "gate": (4.4, 4.6)}.get(str(kind), (0.0, 0.0))
        if w:
            holes.append(np.array([[u - w / 2, 0.0, u + w / 2, h]]))
            _roller(front, float(u), w, h, trim, rng, dock=kind == "dock")
        elif kind == "office":
            holes.append(door(front, float(u) - 1.2, 1.1, 2.4, trim, trim, face))
            panel = openings([u + 0.9], [1.1, 4.3], 1.8, 1.2)
            windows(front, panel, Windows(trim, 0.1, 2, 1, sill=trim), face, rng)
            holes.append(panel)
    upper = openings(bays(width, 6.0, 0.5), [top - 1.9], 3.6, 0.9)
    taken = np.concatenate([*holes, np.zeros((0, 4))])
    upper = upper[
        [
            not np.any((np.abs(taken[:, [0, 2]].mean(1) - q[[0, 2]].mean()) < 3) & (taken[:, 3] > q[1] - 0.2))
            for q in upper
        ]
    ]
    w = min(width * 0.4, 12.0)
    upper = upper[np.abs(upper[:, [0, 2]].mean(1)) > w / 2 + 1.9]
    windows(front, upper, Windows(trim, 0.1, 3, 1), face, rng)
    wall(front, -width / 2, width / 2, -FOUNDATION_M, top, np.concatenate([taken, upper]), face)
    front.boxes([[-w / 2, top - 0.95, 0]], [[w / 2, top - 0.95 + w / 8, 0.12]], trim, skip="n")
    uv = glass.atlas_uv([int(rng.integers(0, 32))], glass.BOARD_COLUMNS, glass.BOARD_ROWS)
    front.rects([[-w / 2 + 0.05, top - 0.9]], [[w / 2 - 0.05, top - 1.0 + w / 8]], glass.boards(True), n=0.13, uv=uv)


def _roller(front: Canvas, u: float, w: float, h: float, trim: Finish, rng: np.random.Generator, *, dock: bool) -> None:
    """A roller door in its frame; a dock has a leveller, rubber buffers and a canopy."""
    front.recesses([[u - w / 2, 0, -0.2]], [[u + w / 2, h, 0]], trim)
    color = pick(rng, [finishes.TRIMS["grey"], finishes.TRIMS["white"], finishes.GALVANIZED, trim])
    panel_door(front.moved(u), -w / 2, w / 2, h, color, n=-0.14, panel=0.3)
    front.boxes(
        [[u - w / 2 - 0.16, 0, 0], [u + w / 2, 0, 0], [u - w / 2 - 0.16, h, 0]],
        [[u - w / 2, h, 0.08], [u + w / 2 + 0.16, h, 0.08], [u + w / 2 + 0.16, h + 0.25, 0.08]],
        trim,
        skip="n",
    )
    if dock:
        rubber = plain("rubber", (0.018, 0.018, 0.018))
        front.boxes([[u - w / 2 - 0.5, h + 0.4, 0]], [[u + w / 2 + 0.5, h + 0.55, 1.4]], trim, skip="n")
        front.boxes(
            [[u - w / 2 - 0.35, 0.5, 0], [u + w / 2 + 0.1, 0.5, 0]],
            [[u - w / 2 - 0.1, 1.1, 0.16], [u + w / 2 + 0.35, 1.1, 0.16]],
            rubber,
            skip="n",
        )
    posts = np.array([[u - w / 2 - 0.5, 0, 0.5], [u + w / 2 + 0.5, 0, 0.5]])
    for p in posts:
        front.tube(
            [p - (0, FOUNDATION_M, 0), np.add(p, (0, 1.0, 0))],
            0.09,
            plain("bollard yellow", (0.5, 0.3, 0.02), "plastic", 0.5),
            detail=8,
        )


def _shed_roof(
    canvas: Canvas, width: float, depth: float, top: float, face: Finish, trim: Finish, rng: np.random.Generator
) -> None:
    metal = finishes.seamed_metal(int(rng.integers(3)))
    if rng.random() < 0.3:
        _sawtooth(canvas, width, depth, top, metal, face)
        return
    if rng.random() < 0.5:
        roofs.gable(canvas, width, depth, top, 9, metal, face, trim, overhang=0.3, rake=0.25)
        return
    roofs.flat(canvas, width, depth, top, metal, face, trim, parapet=0.7)
    roofs.clutter(canvas, width, depth, top, rng, count=int(rng.integers(4, 8)))


def _sawtooth(canvas: Canvas, width: float, depth: float, top: float, metal: Finish, face: Finish) -> None:
    """North-light ridges across the width."""
    count = max(round(width / 6), 2)
    step, rise, d = width / count, 2.0, depth / 2
    for k in range(count):
        u = -width / 2 + k * step
        canvas.quads([[[u, top, d], [u + step, top + rise, d], [u + step, top + rise, -d], [u, top, -d]]], metal)
        canvas.quads(
            [[[u + step, top, d], [u + step, top, -d], [u + step, top + rise, -d], [u + step, top + rise, d]]],
            finishes.DARK_GLASS,
        )
        for turn in (0, 180):
            view = canvas.turned(turn)
            s = 1 if turn == 0 else -1
            a, b = (u, u + step) if s == 1 else (-u, -u - step)
            shape = [[a, top, d], [b, top, d], [b, top + rise, d]]
            view.polygon(shape if s == 1 else shape[::-1], face)
    moulding(canvas.moved(n=d), -width / 2, width / 2, top - 0.2, 0.15, face)
