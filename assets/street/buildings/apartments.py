"""Blocks of flats."""

from __future__ import annotations

import numpy as np

from caos.assets.street.buildings import finishes, roofs
from caos.assets.street.buildings.facades import (
    FOUNDATION_M,
    Windows,
    balcony,
    bays,
    door,
    downpipe,
    moulding,
    openings,
    sides,
    wall,
    windows,
)
from caos.assets.street.canvas import Canvas, Finish


def apartment(canvas: Canvas, width: float, depth: float, floors: int, rng: np.random.Generator) -> None:
    """A block of flats: brick or render, stacks of balconies, an entrance under a canopy."""
    face, second = _block_walls(rng)
    storey, trim = 2.95, finishes.TRIMS[str(rng.choice(["white", "anthracite", "grey", "brown"]))]
    base = finishes.concrete(int(rng.integers(4)))
    top = storey * floors + 0.5
    style = Windows(
        trim,
        float(rng.uniform(0.12, 0.2)),
        int(rng.integers(1, 4)),
        1,
        sill=base,
        surround=base if rng.random() < 0.3 else None,
        lintel=True,
    )
    pitch = float(rng.uniform(3.2, 4.2))
    kind = str(rng.choice(["bars", "glass", "solid"]))
    for k, (side, span) in enumerate(sides(canvas, width, depth)):
        if k % 2:
            _block_end(side, span, floors, storey, top, face, style, rng)
        else:
            _block_front(
                side, span, floors, storey, top, (face, second, base), style, pitch, kind, rng, entrance=k == 0
            )
    if rng.random() < 0.25 and depth < 15:
        ridge = roofs.hip if width >= depth else None
        if ridge:
            ridge(canvas, width, depth, top, 24, finishes.roof_tiles(int(rng.integers(4))), trim)
            return
    roofs.flat(
        canvas,
        width,
        depth,
        top,
        finishes.flat_roof(int(rng.integers(2))),
        face,
        base,
        parapet=float(rng.uniform(0.5, 1.0)),
    )
    roofs.clutter(canvas, width, depth, top, rng, count=int(rng.integers(2, 6)))


def _block_walls(rng: np.random.Generator) -> tuple[Finish, Finish]:
    if rng.random() < 0.65:
        return finishes.brick(int(rng.integers(len(finishes.BRICKS)))), finishes.plaster(int(rng.choice([0, 3, 4, 5])))
    return finishes.plaster(int(rng.integers(len(finishes.PLASTERS)))), finishes.plaster(int(rng.choice([3, 4, 8])))


def _block_front(
    side: Canvas,
    width: float,
    floors: int,
    storey: float,
    top: float,
    walls: tuple[Finish, Finish, Finish],
    style: Windows,
    pitch: float,
    kind: str,
    rng: np.random.Generator,
    *,
    entrance: bool,
) -> None:
    face, second, base = walls
    centres = bays(width, pitch, 0.3)
    room = (width - 0.6) / len(centres)
    pattern = rng.integers(0, 3)
    with_balcony = (np.arange(len(centres)) % 2 == 1) if pattern else (np.arange(len(centres)) % 3 == 1)
    entry = len(centres) // 2 if entrance else -1
    bottoms = 0.5 + storey * np.arange(floors) + 0.9
    plain_bays, door_bays = centres[~with_balcony], centres[with_balcony]
    holes = openings(plain_bays, bottoms, min(1.7, room - 0.9), 1.45)
    french = openings(door_bays, bottoms[1:] - 0.85, min(2.1, room - 0.7), 2.2)
    ground = openings(door_bays, bottoms[:1], min(1.7, room - 0.9), 1.45)
    windows_at = np.concatenate([holes, ground])
    hole = np.zeros((0, 4))
    if entry >= 0:
        windows_at = windows_at[
            ~((np.abs((windows_at[:, 0] + windows_at[:, 2]) / 2 - centres[entry]) < 1.0) & (windows_at[:, 1] < 3))
        ]
        hole = door(side, float(centres[entry]), 1.6, 2.5, finishes.TRIMS["anthracite"], style.frame, base)
        _entrance_canopy(side, float(centres[entry]), base)
    every = np.concatenate([windows_at, french, hole])
    wall(side, -width / 2, width / 2, 3.3, top, every[every[:, 1] > 3.0], face)
    wall(side, -width / 2, width / 2, -FOUNDATION_M, 3.3, every[every[:, 1] <= 3.0], base if pattern == 2 else face)
    windows(side, windows_at, style, second, rng)
    windows(side, french, Windows(style.frame, style.depth, 2, 1), second, rng)
    moulding(side, -width / 2, width / 2, 3.26, 0.08, base)
    guard = finishes.TRIMS[str(rng.choice(["anthracite", "white", "black", "grey"]))] if kind != "solid" else second
    for u in door_bays:
        for v in bottoms[1:]:
            balcony(
                side, float(u) - room / 2 + 0.25, float(u) + room / 2 - 0.25, float(v) - 0.88, 1.25, kind, base, guard
            )
    for u in (-width / 2 + 0.15, width / 2 - 0.15):
        downpipe(side, u, top, finishes.GALVANIZED)


def _entrance_canopy(side: Canvas, u: float, base: Finish) -> None:
    side.boxes([[u - 1.4, 2.85, 0]], [[u + 1.4, 3.02, 1.5]], base, skip="n")
    side.boxes(
        [[u - 1.3, -FOUNDATION_M, 1.3], [u + 1.18, -FOUNDATION_M, 1.3]],
        [[u - 1.18, 2.85, 1.42], [u + 1.3, 2.85, 1.42]],
        finishes.TRIMS["anthracite"],
        skip="vV",
    )


def _block_end(
    side: Canvas,
    width: float,
    floors: int,
    storey: float,
    top: float,
    face: Finish,
    style: Windows,
    rng: np.random.Generator,
) -> None:
    bottoms = 0.5 + storey * np.arange(floors) + 0.95
    columns = bays(width, 6.0, 1.0)[: int(rng.integers(1, 4))]
    holes = openings(columns, bottoms, 1.1, 1.4)
    wall(side, -width / 2, width / 2, -FOUNDATION_M, top, holes, face)
    windows(side, holes, style, face, rng)
