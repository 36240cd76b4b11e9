"""The larger street furniture: shelters, kiosks, phone boxes, columns and boards with advertisements."""

from __future__ import annotations

import numpy as np

from caos.assets.street.buildings import finishes, glass
from caos.assets.street.canvas import Canvas, plain
from caos.assets.street.furniture.parts import painted, posters, turned
from caos.assets.tags import SemanticTag

_STEEL = finishes.GALVANIZED


def bus_shelter(c: Canvas, rng: np.random.Generator) -> None:
    """A bus shelter with a bench and a poster case."""
    frame = painted(rng, "anthracite", "green", "grey", "blue")
    for u in (-1.9, 0.0, 1.9):
        c.boxes([[u - 0.04, -0.2, -0.7]], [[u + 0.04, 2.35, -0.62]], frame, skip="v")
    for u in (-1.9, 1.9):
        c.boxes([[u - 0.04, -0.2, 0.55]], [[u + 0.04, 2.35, 0.63]], frame, skip="v")
    c.boxes([[-2.1, 2.35, -0.8]], [[2.1, 2.47, 0.85]], frame)
    c.boxes([[-2.0, 2.33, -0.7]], [[2.0, 2.35, 0.75]], plain("shelter ceiling", (0.5, 0.5, 0.48)), skip="V")
    # Its panes are clear, and clear glass shows only by its edges and the frosted stripes against bird strike.
    stripes = [0.3, 1.15, 1.25, 1.35, 2.2]
    c.boxes(
        [[-1.86, v, -0.67] for v in stripes],
        [[1.86, v + (0.05 if v in (0.3, 2.2) else 0.03), -0.65] for v in stripes],
        _STEEL,
    )
    c.boxes([[-1.91, v, -0.62] for v in stripes], [[-1.89, v + 0.03, 0.55] for v in stripes], _STEEL)
    c.boxes([[1.83, 0.3, -0.6]], [[1.97, 2.2, 0.5]], frame)
    for yaw, off in ((90, 1.98), (-90, -1.82)):
        view = c.moved(0, 0, -0.05).turned(yaw)
        view.rects([[-0.48, 0.42]], [[0.48, 2.1]], posters(), n=off, uv=glass.atlas_uv([int(rng.integers(0, 8))], 4, 2))
    for k in range(4):
        c.boxes([[-1.5, 0.46, -0.58 + 0.09 * k]], [[1.2, 0.49, -0.51 + 0.09 * k]], finishes.timber(3))
    c.boxes([[-1.3, 0, -0.45], [0.95, 0, -0.45]], [[-1.24, 0.46, -0.35], [1.01, 0.46, -0.35]], _STEEL, skip="v")


def phone_box(c: Canvas, rng: np.random.Generator) -> None:
    """A telephone box, glazed on four sides."""
    paint = painted(rng, "red", "anthracite", "grey")
    c.boxes([[-0.48, -0.1, -0.48], [-0.5, 2.2, -0.5]], [[0.48, 0.12, 0.48], [0.5, 2.45, 0.5]], paint, skip="v")
    c.boxes([[-0.44, 2.45, -0.44]], [[0.44, 2.55, 0.44]], paint)
    for yaw in (0, 90, 180, 270):
        side = c.turned(yaw)
        side.boxes([[-0.46, 0.12, 0.38], [0.36, 0.12, 0.38]], [[-0.36, 2.2, 0.46], [0.46, 2.2, 0.46]], paint)
        side.rects([[-0.36, 0.12]], [[0.36, 2.2]], plain("phone glass", (0.05, 0.055, 0.055), "glass", 0.05), n=0.42)
        bars = np.linspace(0.3, 2.1, 7)
        side.boxes(
            np.stack([np.full(7, -0.36), bars, np.full(7, 0.42)], -1),
            np.stack([np.full(7, 0.36), bars + 0.035, np.full(7, 0.45)], -1),
            paint,
            skip="n",
        )
        side.boxes([[-0.36, 0.12, 0.42]], [[0.36, 0.4, 0.455]], paint, skip="n")
        side.rects([[-0.36, 2.24]], [[0.36, 2.4]], plain("phone sign", (0.5, 0.48, 0.42)), n=0.505)


def kiosk(c: Canvas, rng: np.random.Generator) -> None:
    """A kiosk with a counter to the front and goods behind it."""
    paint = painted(rng, "green", "blue", "cream", "anthracite")
    c.boxes([[-1.4, -0.2, -1.0]], [[1.4, 0.95, 1.0]], paint, skip="v")
    c.boxes([[-1.4, 0.95, -1.0]], [[1.4, 2.5, -0.9]], paint)
    for u in (-1.4, 1.28):
        c.boxes([[u, 0.95, -0.9]], [[u + 0.12, 2.5, 1.0]], paint)
    c.boxes([[-1.5, 0.95, 0.75]], [[1.5, 1.0, 1.2]], finishes.timber(3))
    name = glass.NAMES.index(str(rng.choice(["KIOSK", "FLOWERS", "Café Luna", "GROCERY"])))
    uv = glass.atlas_uv([glass.shop_cell(name, rng)], glass.SHOP_COLUMNS, glass.SHOP_ROWS)
    c.rects([[-1.28, 1.0]], [[1.28, 2.5]], glass.shop_windows(), n=0.7, uv=uv)
    for u in (-1.28, -0.03, 1.22):
        c.boxes([[u, 1.0, 0.7]], [[u + 0.06, 2.5, 0.78]], paint)
    c.boxes([[-1.6, 2.5, -1.15]], [[1.6, 2.62, 1.5]], paint)
    c.profile([(-1.1, 2.62), (1.1, 2.62), (0.9, 2.95), (-0.9, 2.95)], -1.45, 1.45, finishes.seamed_metal(1))
    board = glass.atlas_uv([name], glass.BOARD_COLUMNS, glass.BOARD_ROWS)
    c.rects([[-1.3, 2.64]], [[1.3, 2.94]], glass.boards(), n=1.13, uv=board)
    c.boxes([[-1.35, 2.6, 1.0]], [[1.35, 2.98, 1.12]], paint)


def ad_column(c: Canvas, rng: np.random.Generator) -> None:
    """A round column for posters under a little roof."""
    turned(c, [(0.0, -0.1), (0.72, -0.1), (0.72, 0.25), (0.65, 0.35)], finishes.concrete(1), 28)
    sides, cell = 8, rng.permutation(8)
    angle = -np.arange(sides * 3 + 1) * 2 * np.pi / (sides * 3)
    ring = np.stack([0.62 * np.sin(-angle), 0.62 * np.cos(angle)], 1)
    quads, uvs = [], []
    for k in range(sides * 3):
        a, b = ring[k], ring[k + 1]
        quads.append([[a[0], 0.35, a[1]], [b[0], 0.35, b[1]], [b[0], 2.6, b[1]], [a[0], 2.6, a[1]]])
        full = glass.atlas_uv([int(cell[k // 3])], 4, 2)[0]
        u0, u1 = full[0, 0] + (full[1, 0] - full[0, 0]) * np.array([k % 3, k % 3 + 1]) / 3
        uvs.append([[u0, full[0, 1]], [u1, full[0, 1]], [u1, full[2, 1]], [u0, full[2, 1]]])
    c.quads(quads, posters(), uvs)
    turned(
        c,
        [(0.64, 2.6), (0.78, 2.66), (0.78, 2.74), (0.6, 2.9), (0.25, 3.1), (0.08, 3.15), (0.08, 3.3), (0.0, 3.4)],
        finishes.TRIMS["green"],
        24,
    )


def billboard(c: Canvas, rng: np.random.Generator) -> None:
    """A large lit board on two posts."""
    for u in (-2.0, 2.0):
        c.tagged(SemanticTag.POLE).tube([[u, -0.3, 0], [u, 3.0, 0]], 0.11, _STEEL, detail=10)
    c.boxes([[-3.1, 2.6, -0.12]], [[3.1, 5.8, 0.12]], finishes.TRIMS["anthracite"])
    cell = glass.atlas_uv([int(rng.integers(8))], 4, 2)
    turned = cell.copy()
    turned[0, :, 1] = np.where(
        cell[0, :, 1] == cell[0, 0, 1], cell[0, 0, 1] + 0.5 * (cell[0, 2, 1] - cell[0, 0, 1]), cell[0, 2, 1]
    )
    c.rects([[-3.0, 2.7]], [[3.0, 5.7]], posters(), n=0.125, uv=turned)
    for u in (-2, 0, 2):
        c.tube([[u, 5.8, 0], [u, 6.0, 0.5]], 0.02, _STEEL, detail=5)
        c.boxes([[u - 0.15, 5.95, 0.45]], [[u + 0.15, 6.03, 0.65]], finishes.TRIMS["black"])
