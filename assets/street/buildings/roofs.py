"""Roofs and what stands on them.

All draw on a :class:`Canvas` whose origin is the middle of the footprint at ground level; ``width`` runs along u and
``depth`` along n. Turn the canvas by 90 degrees for a gable that faces the street.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from caos.assets.street.buildings import finishes
from caos.assets.street.buildings.facades import Windows, wall, windows
from caos.assets.street.canvas import Canvas, Finish, Points, plain


def slab(canvas: Canvas, corners: ArrayLike, thickness: float, top: Finish, edge: Finish) -> None:
    """A roof plane ``(4, 3)``, counter-clockwise from above starting at the eave's left, with a thickness below it."""
    p = np.asarray(corners, dtype=np.float64)
    q = p - (0, thickness, 0)
    canvas.quads([p], top)
    canvas.quads([q[::-1]], edge)
    rim = [[q[k], q[(k + 1) % 4], p[(k + 1) % 4], p[k]] for k in range(4)]
    canvas.quads(rim, edge)


def gable(
    canvas: Canvas,
    width: float,
    depth: float,
    eave: float,
    pitch_deg: float,
    roof: Finish,
    ends: Finish,
    edge: Finish,
    *,
    overhang: float = 0.4,
    rake: float = 0.25,
) -> float:
    """A roof with its ridge along u and walls up to it at both ends; returns the height of the ridge."""
    rise = np.tan(np.radians(pitch_deg))
    ridge = eave + rise * depth / 2
    low, out, half = eave - rise * overhang, depth / 2 + overhang, width / 2 + rake
    for view in (canvas, canvas.turned(180)):
        slab(view, [[-half, low, out], [half, low, out], [half, ridge, 0], [-half, ridge, 0]], 0.14, roof, edge)
        _gutter(view, -half, half, low - 0.05, out)
        side = view.moved(width / 2, 0, 0).turned(90)
        side.polygon(
            [
                [-depth / 2, eave - 0.14, 0],
                [depth / 2, eave - 0.14, 0],
                [depth / 2, eave - 0.02, 0],
                [0, ridge - 0.1, 0],
                [-depth / 2, eave - 0.02, 0],
            ],
            ends,
        )
    canvas.tube([[-half, ridge + 0.01, 0], [half, ridge + 0.01, 0]], 0.11, Finish(roof.material, roof.tile_m), detail=6)
    return float(ridge)


def hip(
    canvas: Canvas,
    width: float,
    depth: float,
    eave: float,
    pitch_deg: float,
    roof: Finish,
    edge: Finish,
    *,
    overhang: float = 0.45,
) -> float:
    """A roof that slopes on all four sides; ``width`` must not be less than ``depth``. Returns the ridge's height."""
    rise = np.tan(np.radians(pitch_deg))
    low, hw, hd = eave - rise * overhang, width / 2 + overhang, depth / 2 + overhang
    ridge = low + rise * hd
    half = max(hw - hd, 0.05)
    for view in (canvas, canvas.turned(180)):
        view.quads([[[-hw, low, hd], [hw, low, hd], [half, ridge, 0], [-half, ridge, 0]]], roof)
        view.polygon([[hw, low, hd], [hw, low, -hd], [half, ridge, 0]], roof)
        view.boxes([[-hw, low - 0.16, hd - 0.06]], [[hw, low, hd]], edge, skip="n")
        _gutter(view, -hw, hw, low - 0.05, hd)
        side = view.turned(90)
        side.boxes([[-hd, low - 0.16, hw - 0.06]], [[hd, low, hw]], edge, skip="n")
        view.tube([[half, ridge, 0], [hw, low + 0.02, hd]], 0.07, roof, detail=5)
        view.tube([[-half, ridge, 0], [-hw, low + 0.02, hd]], 0.07, roof, detail=5)
    canvas.boxes([[-hw, low - 0.16, -hd]], [[hw, low - 0.15, hd]], edge, skip="uUnN")
    canvas.tube([[-half, ridge, 0], [half, ridge, 0]], 0.08, roof, detail=5)
    return float(ridge)


def mansard(
    canvas: Canvas, width: float, depth: float, eave: float, roof: Finish, edge: Finish, rng: np.random.Generator
) -> float:
    """A steep lower slope with dormers and a flat top; returns its height."""
    rise, lean = 2.6, 0.8
    hw, hd, top = width / 2 + 0.05, depth / 2 + 0.05, eave + rise
    for view, a, b in (
        (canvas, hw, hd),
        (canvas.turned(90), hd, hw),
        (canvas.turned(180), hw, hd),
        (canvas.turned(270), hd, hw),
    ):
        view.quads([[[-a, eave, b], [a, eave, b], [a - lean, top, b - lean], [-a + lean, top, b - lean]]], roof)
        view.boxes(
            [[-a + lean - 0.1, top - 0.1, b - lean - 0.2]],
            [[a - lean + 0.1, top + 0.12, b - lean + 0.1]],
            edge,
            skip="n",
        )
    canvas.boxes(
        [[-hw + lean, top, -hd + lean]], [[hw - lean, top + 0.02, hd - lean]], finishes.seamed_metal(0), skip="vuUnN"
    )
    count = max(int(width / 3.2), 1)
    for u in (np.arange(count) + 0.5) * (width - 0.6) / count - (width - 0.6) / 2:
        dormer(canvas, float(u), hd - 0.12, eave + 0.25, 1.2, 1.5, roof, edge, rng, back=lean + 0.3)
    return float(top)


def dormer(
    canvas: Canvas,
    u: float,
    n: float,
    v: float,
    width: float,
    height: float,
    roof: Finish,
    trim: Finish,
    rng: np.random.Generator,
    *,
    back: float = 2.0,
) -> None:
    """A window that stands up out of a roof slope under a little gable; front at depth ``n``, sill at ``v``."""
    half = width / 2
    view = canvas.moved(u, 0, n)
    hole = [[-half + 0.14, v + 0.1, half - 0.14, v + height - 0.12]]
    wall(view, -half, half, v - 0.3, v + height, hole, trim)
    windows(view, hole, Windows(finishes.TRIMS["white"], depth=0.08, columns=2, rows=2), trim, rng)
    view.boxes([[-half, v - 0.3, -back]], [[half, v + height, 0]], trim, skip="nNvV")
    peak = v + height + half * 0.85
    view.polygon([[-half, v + height, 0], [half, v + height, 0], [0, peak, 0]], trim)
    out = half + 0.14
    low = v + height - 0.1
    for side in (-1, 1):
        left, right = ((0, peak), (out, low)) if side == 1 else ((-out, low), (0, peak))
        view.quads(
            [
                [
                    [left[0], left[1] + 0.06, 0.15],
                    [right[0], right[1] + 0.06, 0.15],
                    [right[0], right[1] + 0.06, -back],
                    [left[0], left[1] + 0.06, -back],
                ]
            ],
            roof,
        )
        view.quads(
            [
                [
                    [left[0], left[1] - 0.04, 0.15],
                    [right[0], right[1] - 0.04, 0.15],
                    [right[0], right[1] + 0.06, 0.15],
                    [left[0], left[1] + 0.06, 0.15],
                ]
            ],
            trim,
        )


def _gutter(view: Canvas, u0: float, u1: float, v: float, n: float) -> None:
    view.boxes([[u0, v - 0.09, n]], [[u1, v + 0.02, n + 0.1]], finishes.GALVANIZED, skip="nV")


def chimney(canvas: Canvas, u: float, n: float, v0: float, v1: float, finish: Finish, rng: np.random.Generator) -> None:
    """A chimney stack with a cap and pots."""
    w, d = rng.uniform(0.55, 0.9), rng.uniform(0.45, 0.6)
    view = canvas.moved(u, 0, n)
    view.boxes([[-w / 2, v0, -d / 2]], [[w / 2, v1, d / 2]], finish, skip="vV")
    view.boxes([[-w / 2 - 0.07, v1, -d / 2 - 0.07]], [[w / 2 + 0.07, v1 + 0.14, d / 2 + 0.07]], finishes.concrete(1))
    for at in np.linspace(-w / 4, w / 4, 2 if w > 0.7 else 1):
        view.tube(
            [[at, v1 + 0.1, 0], [at, v1 + 0.5, 0]], [0.11, 0.09], plain("chimney pot", (0.26, 0.12, 0.07)), detail=8
        )


def flat(
    canvas: Canvas,
    width: float,
    depth: float,
    v: float,
    finish: Finish,
    wall_finish: Finish,
    coping: Finish,
    *,
    parapet: float = 0.8,
) -> None:
    """A flat roof at ``v`` behind a parapet of the wall's finish, with a coping."""
    hw, hd, t = width / 2, depth / 2, 0.28
    canvas.quads([[[-hw, v, hd], [hw, v, hd], [hw, v, -hd], [-hw, v, -hd]]], finish)
    for view, a, b in (
        (canvas, hw, hd),
        (canvas.turned(90), hd, hw),
        (canvas.turned(180), hw, hd),
        (canvas.turned(270), hd, hw),
    ):
        view.rects([[-a, v]], [[a, v + parapet]], wall_finish, n=b)
        view.quads(
            [[[a - t, v, b - t], [-a + t, v, b - t], [-a + t, v + parapet, b - t], [a - t, v + parapet, b - t]]],
            wall_finish,
        )
        view.boxes(
            [[-a - 0.06, v + parapet, b - t - 0.05]], [[a + 0.06, v + parapet + 0.09, b + 0.06]], coping, skip=""
        )


def clutter(canvas: Canvas, width: float, depth: float, v: float, rng: np.random.Generator, *, count: int = 4) -> None:
    """Air conditioners, vents, a stair head on a flat roof; inside the parapet, without overlap."""
    columns = max(int(width // 5), 1)
    rows = max(int(depth // 5), 1)
    slots = rng.permutation(columns * rows)[:count]
    for k, slot in enumerate(slots):
        u = ((slot % columns) + 0.5) * (width - 1.6) / columns - (width - 1.6) / 2
        n = ((slot // columns) + 0.5) * (depth - 1.6) / rows - (depth - 1.6) / 2
        spot = canvas.moved(float(u), v, float(n))
        kind = 0 if k == 0 and min(width, depth) > 13 else int(rng.integers(1, 4))
        (_stair_head, _air_conditioner, _vents, _duct)[kind](spot, rng)


def _stair_head(c: Canvas, rng: np.random.Generator) -> None:
    finish = finishes.concrete(int(rng.integers(3)))
    c.boxes([[-1.3, 0, -1.6]], [[1.3, 2.4, 1.6]], finish, skip="v")
    c.boxes([[-1.4, 2.4, -1.7]], [[1.4, 2.55, 1.7]], finishes.GALVANIZED)
    c.boxes([[-0.5, 0.1, 1.6]], [[0.45, 2.1, 1.63]], finishes.TRIMS["grey"], skip="n")


def _air_conditioner(c: Canvas, rng: np.random.Generator) -> None:
    w, d, h = rng.uniform(1.2, 2.4), rng.uniform(1.0, 1.5), rng.uniform(0.9, 1.5)
    shell = plain("unit shell", (0.46, 0.46, 0.44), "plastic", 0.5)
    c.boxes([[-w / 2, 0.25, -d / 2]], [[w / 2, 0.25 + h, d / 2]], shell)
    feet = [[x, 0, z] for x in (-w / 2 + 0.1, w / 2 - 0.2) for z in (-d / 2 + 0.1, d / 2 - 0.2)]
    c.blocks(feet, (0.1, 0.25, 0.1), finishes.GALVANIZED, skip="vV")
    rows = np.linspace(0.35, 0.15 + h, 8)[:-1]
    low = np.stack([np.full(7, -w / 2 + 0.1), rows, np.full(7, d / 2)], -1)
    c.blocks(low, (w - 0.2, 0.05, 0.02), finishes.TRIMS["grey"], skip="n")
    c.tube([[0, 0.25 + h, 0], [0, 0.35 + h, 0]], min(w, d) * 0.36, finishes.TRIMS["anthracite"], detail=12)


def _vents(c: Canvas, rng: np.random.Generator) -> None:
    for _ in range(int(rng.integers(2, 4))):
        u, n, h = rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(0.5, 1.1)
        c.tube(
            [[u, 0, n], [u, h, n], [u, h, n], [u, h + 0.12, n]], [0.12, 0.12, 0.2, 0.05], finishes.GALVANIZED, detail=8
        )


def _duct(c: Canvas, rng: np.random.Generator) -> None:
    length = rng.uniform(1.6, 3.0)
    c.boxes([[-length / 2, 0.3, -0.3]], [[length / 2, 0.85, 0.3]], finishes.GALVANIZED)
    c.boxes([[length / 2 - 0.6, 0, -0.3]], [[length / 2, 0.3, 0.3]], finishes.GALVANIZED, skip="vV")


def solar_panels(
    canvas: Canvas, width: float, depth: float, eave: float, pitch_deg: float, rng: np.random.Generator
) -> None:
    """A field of panels lying on the front slope of a gable roof."""
    rise = np.tan(np.radians(pitch_deg))
    columns, u0 = int(rng.integers(3, 6)), rng.uniform(-width / 2 + 0.5, 0)
    for k in range(columns):
        u = u0 + k * 1.02
        if u + 1 > width / 2 - 0.3:
            break
        n1, n0 = depth / 2 - 0.5, depth / 2 - 2.0
        y1, y0 = eave + rise * (depth / 2 - n1) + 0.08, eave + rise * (depth / 2 - n0) + 0.08
        slab(
            canvas,
            [[u, y1, n1], [u + 0.98, y1, n1], [u + 0.98, y0, n0], [u, y0, n0]],
            0.04,
            finishes.DARK_GLASS,
            finishes.ALUMINIUM,
        )


def skylights(canvas: Canvas, us: Points, n: float, depth: float, eave: float, pitch_deg: float) -> None:
    """Roof windows flush with the front slope of a gable roof."""
    rise = np.tan(np.radians(pitch_deg))
    for u in us:
        n1, n0 = n, n - 0.9
        y1, y0 = eave + rise * (depth / 2 - n1) + 0.07, eave + rise * (depth / 2 - n0) + 0.07
        slab(
            canvas,
            [[u - 0.4, y1, n1], [u + 0.4, y1, n1], [u + 0.4, y0, n0], [u - 0.4, y0, n0]],
            0.07,
            finishes.DARK_GLASS,
            finishes.TRIMS["anthracite"],
        )
