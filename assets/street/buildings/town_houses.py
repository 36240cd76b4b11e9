"""Town houses with shops below, and shops by themselves."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

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
    pick,
    quoins,
    sides,
    wall,
    wall_lamp,
    windows,
)
from caos.assets.street.buildings.shops import ShopLook, shop_front
from caos.assets.street.canvas import Canvas, Finish, Points, plain

_FRAMES = ("white", "white", "cream", "brown", "green", "grey", "anthracite")
_JOINERY = ("black", "green", "blue", "oxblood", "teal", "anthracite", "cream", "brown", "grey")


@dataclass(frozen=True)
class _Look:
    """The choices that make one town house differ from its neighbour."""

    wall: Finish
    base: Finish
    trim: Finish
    windows: Windows
    ground: float
    storey: float
    timbered: bool


def _look(rng: np.random.Generator) -> _Look:
    material = rng.random()
    timbered = material < 0.16
    if timbered:
        face = finishes.plaster(int(rng.choice([0, 3, 9])))
    elif material < 0.72:
        face = finishes.plaster(int(rng.integers(len(finishes.PLASTERS))))
    elif material < 0.87:
        face = finishes.brick(int(rng.integers(len(finishes.BRICKS))))
    else:
        face = finishes.stone(int(rng.choice([0, 2, 1])))
    trim = pick(
        rng,
        [
            finishes.stone(0),
            finishes.stone(2),
            finishes.TRIMS["cream"],
            finishes.TRIMS["white"],
            finishes.TRIMS["sand"],
        ],
    )
    shutter = None
    if not timbered and rng.random() < 0.42:
        shutter = finishes.louvres(str(rng.choice(["green", "blue", "brown", "teal", "grey", "oxblood", "cream"])))
    style = Windows(
        finishes.TRIMS[str(rng.choice(_FRAMES))],
        depth=float(rng.uniform(0.12, 0.24)),
        columns=2,
        rows=int(rng.choice([1, 2, 3])),
        sill=trim,
        surround=None if shutter or timbered else pick_optional(rng, trim, 0.75),
        lintel=bool(rng.random() < 0.35),
        shutters=shutter,
        flowers=float(rng.choice([0.0, 0.0, 0.35])),
    )
    base = finishes.stone(int(rng.choice([0, 2]))) if rng.random() < 0.6 else face
    return _Look(face, base, trim, style, float(rng.uniform(3.5, 4.2)), float(rng.uniform(2.9, 3.4)), timbered)


def pick_optional(rng: np.random.Generator, finish: Finish, chance: float) -> Finish | None:
    """The finish, or None."""
    return finish if rng.random() < chance else None


def old_town(canvas: Canvas, width: float, depth: float, floors: int, rng: np.random.Generator) -> None:
    """A town house: shops below, tall windows above, a steep tiled roof."""
    look = _look(rng)
    eave = look.ground + look.storey * (floors - 1)
    front, right, back, left = sides(canvas, width, depth)
    _ground_floor(front[0], width, look, rng)
    _upper_front(front[0], width, floors, look, rng)
    _plain_side(back[0], width, floors, look, rng, pitch=2.9)
    _plain_side(right[0], depth, floors, look, rng, pitch=4.6)
    _plain_side(left[0], depth, floors, look, rng, pitch=4.6)
    if look.timbered:
        _beams(front[0], width, look.ground, eave, look, rng)
    elif rng.random() < 0.5:
        quoins(front[0], width / 2, look.ground, eave, look.trim)
    _town_roof(canvas, width, depth, eave, look, rng)
    downpipe(front[0], (width / 2 - 0.12) * rng.choice([-1, 1]), eave - 0.2, finishes.GALVANIZED)


def _ground_floor(front: Canvas, width: float, look: _Look, rng: np.random.Generator) -> None:
    """Shops side by side, with a house door between or beside them."""
    height = look.ground - 0.25
    half = width / 2
    if rng.random() < 0.12:
        _house_ground(front, width, look, rng)
        return
    entry = 1.5
    at_left = rng.random() < 0.5
    u0, u1 = (-half + entry, half) if at_left else (-half, half - entry)
    centre = -half + entry / 2 if at_left else half - entry / 2
    leaf = finishes.TRIMS[str(rng.choice(_JOINERY))]
    hole = door(front, centre, 1.1, 2.55, leaf, look.windows.frame, look.base)
    wall(front, centre - entry / 2, centre + entry / 2, -FOUNDATION_M, look.ground, hole, look.base)
    wall_lamp(front, centre + 0.66 * (1 if at_left else -1), 2.1)
    count = max(round((u1 - u0) / 5.0), 1)
    edges = np.linspace(u0, u1, count + 1)
    for a, b in itertools.pairwise(edges):
        awning = finishes.stripes(int(rng.integers(6))) if rng.random() < 0.5 else None
        shop_look = ShopLook(
            finishes.TRIMS[str(rng.choice(_JOINERY))], look.base, awning, stall=float(rng.uniform(0.3, 0.6))
        )
        shop_front(front, float(a), float(b), height, shop_look, rng)
    wall(front, u0, u1, height - 0.01, look.ground, [], look.base)
    moulding(front, -half, half, look.ground - 0.12, 0.2, look.trim)


def _house_ground(front: Canvas, width: float, look: _Look, rng: np.random.Generator) -> None:
    centres = bays(width, 2.6)
    at = int(rng.integers(len(centres)))
    hole = door(
        front, float(centres[at]), 1.2, 2.7, finishes.TRIMS[str(rng.choice(_JOINERY))], look.windows.frame, look.base
    )
    holes = openings(np.delete(centres, at), [1.1], 1.05, 1.75)
    windows(front, holes, look.windows, look.base, rng)
    wall(front, -width / 2, width / 2, -FOUNDATION_M, look.ground, np.concatenate([holes, hole]), look.base)
    moulding(front, -width / 2, width / 2, look.ground - 0.12, 0.2, look.trim)


def _upper_front(front: Canvas, width: float, floors: int, look: _Look, rng: np.random.Generator) -> None:
    if floors < 2:
        return
    eave = look.ground + look.storey * (floors - 1)
    tall = look.storey * float(rng.uniform(0.54, 0.64))
    centres = bays(width, float(rng.uniform(2.1, 2.9)), 0.25)
    bottoms = look.ground + look.storey * np.arange(floors - 1) + 0.72
    holes = openings(centres, bottoms, float(rng.uniform(0.95, 1.2)), tall)
    wall(front, -width / 2, width / 2, look.ground, eave, holes, look.wall)
    windows(front, holes, look.windows, look.wall if rng.random() < 0.5 else look.trim, rng)
    if floors > 2 and rng.random() < 0.6:
        for floor in range(1, floors - 1):
            moulding(front, -width / 2, width / 2, look.ground + look.storey * floor - 0.02, 0.1, look.trim)
    if not look.timbered and rng.random() < 0.3:
        _iron_balconies(front, centres, look, rng)
    moulding(front, -width / 2 - 0.02, width / 2 + 0.02, eave - 0.34, float(rng.uniform(0.22, 0.36)), look.trim)


def _iron_balconies(front: Canvas, centres: Points, look: _Look, rng: np.random.Generator) -> None:
    for u in centres[:: int(rng.integers(1, 3))]:
        balcony(
            front, float(u) - 0.85, float(u) + 0.85, look.ground + 0.6, 0.55, "bars", look.trim, finishes.TRIMS["black"]
        )


def _plain_side(
    side: Canvas, width: float, floors: int, look: _Look, rng: np.random.Generator, *, pitch: float
) -> None:
    """A back or gable wall: the same finish with fewer and simpler windows."""
    eave = look.ground + look.storey * (floors - 1)
    style = Windows(look.windows.frame, 0.14, 2, 1, sill=look.trim)
    bottoms = np.concatenate([[1.2], look.ground + look.storey * np.arange(floors - 1) + 0.8])
    holes = openings(bays(width, pitch, 0.8), bottoms, 0.95, 1.45)
    holes = holes[rng.random(len(holes)) < 0.8]
    wall(side, -width / 2, width / 2, -FOUNDATION_M, eave, holes, look.wall)
    windows(side, holes, style, look.wall, rng)


def _beams(front: Canvas, width: float, v0: float, v1: float, look: _Look, rng: np.random.Generator) -> None:
    """A timber frame over the plaster: posts, rails and braces."""
    wood = finishes.timber(int(rng.integers(0, 2)))
    floors = max(round((v1 - v0) / look.storey), 1)
    half, b, out = width / 2, 0.1, 0.05
    rails = v0 + look.storey * np.arange(floors + 1)
    rails = np.concatenate([rails, rails[:-1] + 0.62])
    low = np.stack([np.full(len(rails), -half), rails - b, np.zeros(len(rails))], -1)
    front.blocks(low, (width, 2 * b, out), wood, skip="n")
    posts = np.linspace(-half + b, half - b, max(round(width / 1.35), 2) + 1)
    low = np.stack([posts - b, np.full(len(posts), v0), np.zeros(len(posts))], -1)
    keep = np.abs(posts) > half - 0.3
    front.blocks(low[keep], (2 * b, v1 - v0, out - 0.005), wood, skip="n")
    for floor in range(floors):
        base = v0 + look.storey * floor
        spots = low[~keep] * (1, 0, 1) + (0, base, 0)
        front.blocks(spots, (2 * b, 0.62, out - 0.01), wood, skip="n")
        for a, c in itertools.pairwise(posts):
            if rng.random() < 0.5:
                _brace(front, float(a), float(c), base + b, base + 0.62 - b, out - 0.015, wood)


def _brace(front: Canvas, u0: float, u1: float, v0: float, v1: float, n: float, wood: Finish) -> None:
    """Two beams crossed in a panel."""
    w = 0.13
    front.quads(
        [
            [[u0, v0, n], [u0 + w, v0, n], [u1, v1, n], [u1 - w, v1, n]],
            [[u1 - w, v0, n], [u1, v0, n], [u0 + w, v1, n], [u0, v1, n]],
        ],
        wood,
    )


def _town_roof(canvas: Canvas, width: float, depth: float, eave: float, look: _Look, rng: np.random.Generator) -> None:
    tile = finishes.roof_tiles(int(rng.choice([0, 0, 1, 3, 2])))
    pitch = float(rng.uniform(36, 48))
    choice = rng.random()
    edge = finishes.TRIMS["brown"] if look.timbered else look.trim
    stack = finishes.brick(int(rng.choice([0, 1, 3])))
    if choice < 0.22 and width < depth * 1.15:
        ridge = roofs.gable(canvas.turned(90), depth, width, eave, pitch, tile, look.wall, edge, overhang=0.3)
        _attic_window(canvas, depth / 2, eave + 0.5, look, rng)
    elif choice < 0.42:
        ridge = roofs.mansard(
            canvas, width, depth, eave, finishes.roof_tiles(2) if rng.random() < 0.6 else tile, look.trim, rng
        )
    else:
        ridge = roofs.gable(canvas, width, depth, eave, pitch, tile, look.wall, edge, overhang=0.35, rake=0.08)
        _dormers(canvas, width, depth, eave, pitch, tile, look, rng)
    for _ in range(int(rng.integers(1, 4))):
        u, n = rng.uniform(-width / 2 + 0.8, width / 2 - 0.8), rng.uniform(-depth / 5, depth / 6)
        roofs.chimney(canvas, float(u), float(n), eave, ridge + float(rng.uniform(0.5, 1.1)), stack, rng)


def _attic_window(canvas: Canvas, front: float, v: float, look: _Look, rng: np.random.Generator) -> None:
    view = canvas.moved(0, 0, front + 0.012)
    hole = [[-0.5, v, 0.5, v + 1.3]]
    view.boxes(
        [[-0.62, v - 0.1, 0], [-0.62, v + 1.3, 0]], [[0.62, v, 0.08], [0.62, v + 1.42, 0.06]], look.trim, skip="n"
    )
    windows(view, hole, Windows(look.windows.frame, depth=0.0, columns=2, rows=2), look.trim, rng)


def _dormers(
    canvas: Canvas,
    width: float,
    depth: float,
    eave: float,
    pitch: float,
    tile: Finish,
    look: _Look,
    rng: np.random.Generator,
) -> None:
    if rng.random() < 0.25:
        return
    rise = np.tan(np.radians(pitch))
    n = depth / 2 - 0.7
    sill = eave + rise * 0.7 + 0.1
    centres = bays(width, float(rng.uniform(2.8, 4.5)), 0.5)
    if rng.random() < 0.3:
        roofs.skylights(canvas, centres, depth / 2 - 1.3, depth, eave, pitch)
        return
    for u in centres:
        roofs.dormer(canvas, float(u), n, sill, 1.25, 1.45, tile, look.trim, rng, back=1.55 / rise + 0.4)


def shop(canvas: Canvas, width: float, depth: float, floors: int, rng: np.random.Generator) -> None:
    """A low retail building: shop fronts under a parapet that carries the names."""
    face = pick(
        rng,
        [
            finishes.brick(0),
            finishes.brick(1),
            finishes.brick(2),
            finishes.plaster(0),
            finishes.plaster(4),
            finishes.concrete(2),
        ],
    )
    trim = pick(rng, [finishes.TRIMS["cream"], finishes.TRIMS["grey"], finishes.TRIMS["anthracite"], finishes.stone(0)])
    height = float(rng.uniform(4.0, 4.6))
    top = height + 3.2 * (floors - 1)
    front, *others = sides(canvas, width, depth)
    count = max(round(width / 6.5), 1)
    edges = np.linspace(-width / 2, width / 2, count + 1)
    canopy = rng.random() < 0.4
    for a, b in itertools.pairwise(edges):
        awning = finishes.stripes(int(rng.integers(6))) if not canopy and rng.random() < 0.6 else None
        joinery = finishes.TRIMS[str(rng.choice(_JOINERY))]
        shop_front(
            front[0],
            float(a),
            float(b),
            height - 0.3,
            ShopLook(joinery, face, awning, board_height=0.8, stall=0.35),
            rng,
        )
    _shop_upper(front[0], width, height, top, floors, face, trim, rng)
    style = Windows(finishes.TRIMS["anthracite"], 0.12, 1, 1, sill=trim)
    for side, span in others:
        holes = openings(bays(span, 6.0, 1.0), [2.4 + 3.2 * k for k in range(floors)], 1.4, 0.9)
        wall(side, -span / 2, span / 2, -FOUNDATION_M, top, holes, face)
        windows(side, holes, style, face, rng)
    if canopy:
        _canopy(front[0], width, height - 1.15, trim)
    roofs.flat(
        canvas,
        width,
        depth,
        top,
        finishes.flat_roof(int(rng.integers(2))),
        face,
        trim,
        parapet=float(rng.uniform(0.6, 1.2)),
    )
    roofs.clutter(canvas, width, depth, top, rng, count=int(rng.integers(3, 7)))


def _shop_upper(
    front: Canvas,
    width: float,
    height: float,
    top: float,
    floors: int,
    face: Finish,
    trim: Finish,
    rng: np.random.Generator,
) -> None:
    bottoms = [height + 0.75 + 3.2 * k for k in range(floors - 1)]
    holes = openings(bays(width, 2.6, 0.3), bottoms, 1.4, 1.55) if bottoms else np.zeros((0, 4))
    wall(front, -width / 2, width / 2, height - 0.3, top, holes, face)
    windows(
        front, holes, Windows(finishes.TRIMS["white"], 0.14, 2, 1, sill=trim, surround=trim, lintel=True), face, rng
    )
    moulding(front, -width / 2, width / 2, top - 0.25, 0.25, trim)


def _canopy(front: Canvas, width: float, v: float, trim: Finish) -> None:
    front.boxes([[-width / 2, v, 0.0]], [[width / 2, v + 0.22, 1.5]], trim, skip="n")
    for u in np.linspace(-width / 2 + 0.4, width / 2 - 0.4, max(round(width / 4), 2)):
        front.boxes(
            [[u - 0.06, -FOUNDATION_M, 1.3]],
            [[u + 0.06, v, 1.42]],
            plain("column", (0.25, 0.25, 0.26), "plastic", 0.5),
            skip="vV",
        )
