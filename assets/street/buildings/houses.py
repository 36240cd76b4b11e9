"""Detached houses of the suburbs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from caos.assets.street.buildings import finishes, roofs
from caos.assets.street.buildings.facades import (
    FOUNDATION_M,
    Windows,
    bays,
    door,
    openings,
    panel_door,
    pick,
    railing,
    wall,
    wall_lamp,
    windows,
)
from caos.assets.street.canvas import Canvas, Finish

_PLINTH = 0.35


@dataclass(frozen=True)
class _House:
    wall: Finish
    accent: Finish
    trim: Finish
    roof: Finish
    windows: Windows
    pitch: float
    floors: int

    @property
    def eave(self) -> float:
        return 2.85 * self.floors + _PLINTH


def _house_look(floors: int, rng: np.random.Generator) -> _House:
    kind = rng.random()
    if kind < 0.5:
        # Whites, greys and sands are common, barn red is not.
        face = finishes.siding(int(rng.choice([0, 0, 1, 1, 2, 3, 4, 5, 7, 7, 6])))
        accent = pick(rng, [face, finishes.brick(int(rng.integers(4))), finishes.stone(1)])
    elif kind < 0.8:
        face = finishes.brick(int(rng.integers(len(finishes.BRICKS))))
        accent = pick(rng, [face, finishes.siding(0), finishes.plaster(3)])
    else:
        face = finishes.plaster(int(rng.choice([0, 3, 4, 9, 5, 10])))
        accent = pick(rng, [face, finishes.brick(1), finishes.timber(2)])
    trim = finishes.TRIMS[str(rng.choice(["white", "white", "cream", "anthracite"]))]
    shutters = (
        finishes.louvres(str(rng.choice(["green", "blue", "black", "oxblood", "grey"]))) if rng.random() < 0.4 else None
    )
    roof = finishes.shingles(int(rng.integers(4))) if rng.random() < 0.7 else finishes.roof_tiles(int(rng.integers(4)))
    style = Windows(trim, 0.1, 2, int(rng.integers(1, 3)), sill=trim, surround=trim, lintel=False, shutters=shutters)
    return _House(face, accent, trim, roof, style, float(rng.uniform(26, 40)), floors)


def suburb_house(canvas: Canvas, width: float, depth: float, floors: int, rng: np.random.Generator) -> None:
    """A detached house: main block, garage wing, porch or bay, chimney."""
    look = _house_look(min(floors, 2), rng)
    garage = min(float(rng.uniform(3.4, 5.6)), width * 0.4) if width >= 10 and rng.random() < 0.8 else 0.0
    hand = float(rng.choice([-1, 1]))
    main_w, main_d = width - garage, depth - 1.6
    body = canvas.front(-0.8, hand * garage / 2, 0, 0)
    _main_block(body, main_w, main_d, look, rng)
    if garage:
        _garage(canvas.front(-0.4, -hand * (width - garage) / 2, 0, 0), garage, depth - 2.4, look, rng)
    if rng.random() < 0.85:
        side = float(rng.choice([-1, 1]))
        roofs.chimney(
            body,
            side * main_w * 0.32,
            -main_d * 0.12,
            look.eave - 0.5,
            look.eave + main_d * 0.42,
            finishes.brick(int(rng.integers(4))),
            rng,
        )


def _main_block(body: Canvas, width: float, depth: float, look: _House, rng: np.random.Generator) -> None:
    """The block's four walls and roof; on the front either a porch or a gabled bay beside the door."""
    front = body.moved(n=depth / 2)
    cross_gable = width > 7.5 and rng.random() < 0.55
    door_u = float(rng.uniform(-0.12, 0.12)) * width
    bay_w = width * 0.4
    bay_u = (width - bay_w) / 2 * (1 if door_u < 0 else -1)
    _house_front(front, width, door_u, look, rng, skip=(bay_u - bay_w / 2, bay_u + bay_w / 2) if cross_gable else None)
    for turn, span, out in ((90, depth, width / 2), (180, width, depth / 2), (270, depth, width / 2)):
        side = body.turned(turn).moved(n=out)
        holes = openings(bays(span, 3.2, 0.6), [_PLINTH + 0.95 + 2.85 * k for k in range(look.floors)], 1.1, 1.25)
        holes = holes[rng.random(len(holes)) < 0.85]
        wall(side, -span / 2, span / 2, _PLINTH, look.eave, holes, look.wall)
        windows(side, holes, look.windows, look.trim, rng)
    body.boxes(
        [[-width / 2 - 0.03, -FOUNDATION_M, -depth / 2 - 0.03]],
        [[width / 2 + 0.03, _PLINTH, depth / 2 + 0.03]],
        finishes.concrete(1),
        skip="v",
    )
    _house_roof(body, width, depth, look, rng)
    if cross_gable:
        _bay(front, bay_u, bay_w, look, rng)
    _porch(front, door_u, look, rng, wide=not cross_gable and rng.random() < 0.5, width=width)


def _house_front(
    front: Canvas,
    width: float,
    door_u: float,
    look: _House,
    rng: np.random.Generator,
    *,
    skip: tuple[float, float] | None,
) -> None:
    color = str(rng.choice(["oxblood", "blue", "green", "black", "brown", "white", "red", "teal"]))
    hole = door(front, door_u, 1.0, 2.4, finishes.TRIMS[color], look.trim, look.trim, step=_PLINTH)
    centres = bays(width, 2.7, 0.5)
    wide = float(rng.uniform(1.2, 1.6))
    holes = openings(centres, [_PLINTH + 0.85 + 2.85 * k for k in range(look.floors)], wide, 1.4)
    clear = (np.abs((holes[:, 0] + holes[:, 2]) / 2 - door_u) > wide / 2 + 0.7) | (holes[:, 1] > 3.2)
    if skip is not None:
        clear &= (holes[:, 2] < skip[0] - 0.1) | (holes[:, 0] > skip[1] + 0.1)
    holes = holes[clear]
    wall(front, -width / 2, width / 2, _PLINTH, look.eave, np.concatenate([holes, hole]), look.wall)
    windows(front, holes, look.windows, look.trim, rng)
    wall_lamp(front, door_u + 0.75, 2.0)


def _house_roof(body: Canvas, width: float, depth: float, look: _House, rng: np.random.Generator) -> None:
    if width >= depth and rng.random() < 0.35:
        roofs.hip(body, width, depth, look.eave, look.pitch * 0.8, look.roof, look.trim)
        return
    roofs.gable(body, width, depth, look.eave, look.pitch, look.roof, look.wall, look.trim, overhang=0.5, rake=0.35)
    if rng.random() < 0.25:
        roofs.solar_panels(body, width, depth, look.eave, look.pitch, rng)
    elif look.floors == 1 and rng.random() < 0.5:
        rise = np.tan(np.radians(look.pitch))
        for u in (-width / 4, width / 4):
            roofs.dormer(
                body, u, depth / 2 - 1.0, look.eave + rise, 1.3, 1.2, look.roof, look.trim, rng, back=1.4 / rise + 0.4
            )


def _bay(front: Canvas, u: float, width: float, look: _House, rng: np.random.Generator) -> None:
    """A part of the front that steps forward under its own gable."""
    out = 1.1
    view = front.moved(u)
    face = view.moved(n=out)
    holes = openings([0.0], [_PLINTH + 0.8 + 2.85 * k for k in range(look.floors)], min(width * 0.62, 2.4), 1.5)
    wall(face, -width / 2, width / 2, _PLINTH, look.eave, holes, look.accent)
    windows(face, holes, Windows(look.trim, 0.1, 3, 1, sill=look.trim, surround=look.trim), look.trim, rng)
    view.boxes([[-width / 2, _PLINTH, -0.2]], [[width / 2, look.eave, out]], look.accent, skip="nNvV")
    view.boxes(
        [[-width / 2 - 0.03, -FOUNDATION_M, 0]],
        [[width / 2 + 0.03, _PLINTH, out + 0.03]],
        finishes.concrete(1),
        skip="nv",
    )
    # The little roof runs back until it meets the main slope.
    length = out + width / 2 + 0.4
    roofs.gable(
        view.moved(n=out - length / 2).turned(90),
        length,
        width,
        look.eave,
        look.pitch,
        look.roof,
        look.accent,
        look.trim,
        overhang=0.3,
        rake=0.3,
    )
    rise = np.tan(np.radians(look.pitch)) * width / 2
    if rise > 1.1:
        face.boxes(
            [[-0.25, look.eave + rise * 0.3, 0]],
            [[0.25, look.eave + rise * 0.3 + 0.55, 0.03]],
            look.windows.shutters or finishes.louvres("white"),
            skip="n",
        )


def _porch(front: Canvas, u: float, look: _House, rng: np.random.Generator, *, wide: bool, width: float) -> None:
    """A roofed porch on posts before the door, over the whole front or the door alone."""
    half, reach = (width / 2 - 0.2, 1.5) if wide else (1.25, 1.25)
    centre = 0.0 if wide else u
    view = front.moved(centre)
    deck = finishes.timber(2) if rng.random() < 0.5 else finishes.concrete(0)
    view.boxes([[-half, -FOUNDATION_M, 0]], [[half, _PLINTH - 0.03, reach]], deck, skip="nv")
    step = u - centre
    view.boxes(
        [[step - 0.8, -FOUNDATION_M, reach]], [[step + 0.8, _PLINTH / 2, reach + 0.35]], finishes.concrete(0), skip="nv"
    )
    top = _PLINTH + 2.55
    for post in np.linspace(-half + 0.12, half - 0.12, 2 if not wide else max(round(width / 2.8), 3)):
        if wide and abs(post - step) < 0.7:
            continue
        view.boxes(
            [[post - 0.07, _PLINTH - 0.03, reach - 0.2]], [[post + 0.07, top, reach - 0.06]], look.trim, skip="vV"
        )
    view.boxes([[-half, top - 0.05, reach - 0.25]], [[half, top + 0.15, reach - 0.02]], look.trim)
    rise = 0.55
    roofs.slab(
        view,
        [
            [-half - 0.2, top + 0.12, reach + 0.25],
            [half + 0.2, top + 0.12, reach + 0.25],
            [half + 0.2, top + rise, -0.02],
            [-half - 0.2, top + rise, -0.02],
        ],
        0.1,
        look.roof,
        look.trim,
    )
    if wide and rng.random() < 0.7:
        for a, b in ((-half + 0.15, step - 0.8), (step + 0.8, half - 0.15)):
            if b - a > 0.5:
                railing(view, a, b, _PLINTH, reach - 0.13, 0.9, look.trim)


def _garage(view: Canvas, width: float, depth: float, look: _House, rng: np.random.Generator) -> None:
    top = 2.9
    front = view.moved(n=depth / 2)
    w = min(width - 0.8, 4.8)
    hole = [[-w / 2, 0.0, w / 2, 2.25]]
    wall(front, -width / 2, width / 2, -FOUNDATION_M, top, hole, look.accent)
    front.recesses([[-w / 2, 0, -0.15]], [[w / 2, 2.25, 0]], look.trim)
    color = str(rng.choice(["white", "white", "grey", "brown", "anthracite", "cream"]))
    panel_door(front, -w / 2, w / 2, 2.25, finishes.TRIMS[color])
    front.boxes([[-w / 2, -FOUNDATION_M, -0.3]], [[w / 2, 0.0, 0.05]], finishes.concrete(0), skip="nv")
    front.boxes(
        [[-w / 2 - 0.12, 2.25, 0], [-w / 2 - 0.12, 0, 0], [w / 2, 0, 0]],
        [[w / 2 + 0.12, 2.4, 0.04], [-w / 2, 2.25, 0.04], [w / 2 + 0.12, 2.25, 0.04]],
        look.trim,
        skip="n",
    )
    for turn, span, out in ((90, depth, width / 2), (180, width, depth / 2), (270, depth, width / 2)):
        side = view.turned(turn).moved(n=out)
        wall(side, -span / 2, span / 2, -FOUNDATION_M, top, [], look.accent)
    wall_lamp(front, -w / 2 - 0.3, 1.9)
    roofs.gable(
        view.turned(90), depth, width, top, look.pitch * 0.75, look.roof, look.accent, look.trim, overhang=0.3, rake=0.3
    )
