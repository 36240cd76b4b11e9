"""Landmarks: buildings that a town has one of."""

from __future__ import annotations

import numpy as np

from caos.assets.street.buildings import finishes, roofs
from caos.assets.street.buildings.facades import (
    FOUNDATION_M,
    Windows,
    bays,
    door,
    moulding,
    openings,
    pick,
    quoins,
    wall,
    windows,
)
from caos.assets.street.canvas import Canvas, Finish


def church(canvas: Canvas, width: float, depth: float, floors: int, rng: np.random.Generator) -> None:
    """A parish church: nave with buttresses and tall windows, a tower with a spire at the front."""
    stone = pick(rng, [finishes.stone(0), finishes.stone(1), finishes.stone(2), finishes.brick(1), finishes.plaster(3)])
    trim, tile = finishes.stone(0), finishes.roof_tiles(int(rng.choice([0, 1, 2])))
    side_m = width * 0.42
    nave_d, eave = depth - side_m * 0.7, 6.5 + 2.0 * (floors - 1)
    body = canvas.front(-side_m * 0.35, 0, 0, 0)
    _nave(body, width, nave_d, eave, stone, trim, tile, rng)
    _steeple(
        canvas.front(depth / 2 - side_m / 2, 0, 0, 0), side_m, eave * float(rng.uniform(1.9, 2.4)), stone, trim, rng
    )


def _nave(
    body: Canvas,
    width: float,
    depth: float,
    eave: float,
    stone: Finish,
    trim: Finish,
    tile: Finish,
    rng: np.random.Generator,
) -> None:
    style = Windows(finishes.TRIMS["anthracite"], 0.3, 2, 4, sill=trim, surround=trim, bar=0.05)
    for turn, span, out in (
        (0, width, depth / 2),
        (90, depth, width / 2),
        (180, width, depth / 2),
        (270, depth, width / 2),
    ):
        side = body.turned(turn).moved(n=out)
        holes = openings(bays(span, 4.0, 1.0), [1.8], 1.1, 3.4) if turn in (90, 270) else np.zeros((0, 4))
        wall(side, -span / 2, span / 2, -FOUNDATION_M, eave, holes, stone)
        windows(side, holes, style, trim, rng)
        if len(holes):
            edges = np.linspace(-span / 2 + 0.4, span / 2 - 0.4, len(holes) + 1)
            low = np.stack([edges - 0.35, np.full(len(edges), -FOUNDATION_M), np.zeros(len(edges))], -1)
            side.blocks(low, (0.7, FOUNDATION_M + 2.4, 0.8), stone, skip="nv")
            side.blocks(np.add(low, (0, FOUNDATION_M + 2.4, 0)), (0.7, eave * 0.8 - 2.4, 0.45), stone, skip="nv")
        moulding(side, -span / 2, span / 2, eave - 0.3, 0.25, trim)
    roofs.gable(body.turned(90), depth, width, eave, 48, tile, stone, trim, overhang=0.3, rake=0.05)


def _steeple(view: Canvas, width: float, top: float, stone: Finish, trim: Finish, rng: np.random.Generator) -> None:
    half = width / 2
    for turn in (0, 90, 180, 270):
        side = view.turned(turn).moved(n=half)
        bell = openings([-width * 0.18, width * 0.18], [top - 3.4], width * 0.2, 2.4)
        holes = np.concatenate([bell, openings([0.0], [top * 0.45], 0.7, 1.8)])
        if turn == 0:
            holes = np.concatenate([holes, door(side, 0.0, 1.8, 3.2, finishes.TRIMS["brown"], trim, trim)])
        wall(side, -half, half, -FOUNDATION_M, top, holes, stone)
        side.recesses([[*h[:2], -0.35] for h in bell], [[*h[2:], 0] for h in bell], trim)
        for h in bell:
            side.rects([h[:2]], [h[2:]], finishes.louvres("brown"), n=-0.3)
        windows(side, holes[2:3], Windows(finishes.TRIMS["anthracite"], 0.25, 1, 2, surround=trim), trim, rng)
        moulding(side, -half, half, top - 0.25, 0.3, trim)
        moulding(side, -half, half, top - 4.2, 0.18, trim)
        quoins(side, half, 0, top - 0.3, trim)
        side.boxes([[-0.7, top - 5.9, 0]], [[0.7, top - 4.5, 0.08]], finishes.TRIMS["white"], skip="n")
        hand = [[-0.03, top - 5.2, 0.08], [-0.03, top - 5.2, 0.08]]
        side.boxes(hand, [[0.03, top - 4.65, 0.1], [0.4, top - 5.14, 0.1]], finishes.TRIMS["black"], skip="n")
    _spire(
        view,
        half + 0.25,
        top,
        float(rng.uniform(1.6, 2.6)) * width,
        finishes.roof_tiles(2) if rng.random() < 0.5 else finishes.seamed_metal(1),
    )


def _spire(view: Canvas, half: float, v: float, height: float, roof: Finish) -> None:
    """Eight sides that rise from a square."""
    for turn in (0, 90, 180, 270):
        side = view.turned(turn)
        waist, w2 = v + height * 0.16, half * 0.62
        chamfer = w2 * 0.41
        side.quads([[[-half, v, half], [half, v, half], [chamfer, waist, w2], [-chamfer, waist, w2]]], roof)
        side.polygon([[half, v, half], [w2, waist, chamfer], [chamfer, waist, w2]], roof)
        side.polygon([[-chamfer, waist, w2], [chamfer, waist, w2], [0, v + height, 0]], roof)
        side.polygon([[chamfer, waist, w2], [w2, waist, chamfer], [0, v + height, 0]], roof)
    view.tube([[0, v + height - 0.1, 0], [0, v + height + 1.4, 0]], 0.04, finishes.ALUMINIUM, detail=6)
    view.boxes([[-0.35, v + height + 0.8, -0.03]], [[0.35, v + height + 0.88, 0.03]], finishes.ALUMINIUM)
