"""Shop fronts: glazing set back behind joinery, recessed doors, name boards, awnings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from caos.assets.street.buildings import finishes, glass
from caos.assets.street.buildings.facades import FOUNDATION_M, moulding
from caos.assets.street.canvas import Canvas, Finish

CLOTH_M = 0.01
"""Between the two sides of cloth: where they coincide, pixels would show either by chance."""


@dataclass(frozen=True)
class ShopLook:
    """How a shop front is dressed: joinery, piers between bays, fabric of the awning (or None)."""

    joinery: Finish
    pier: Finish
    awning: Finish | None
    board_height: float = 0.62
    stall: float = 0.5


def shop_front(canvas: Canvas, u0: float, u1: float, height: float, look: ShopLook, rng: np.random.Generator) -> None:
    """A shop between ``u0`` and ``u1``: piers, glazing set back, a recessed door, name board, perhaps an awning."""
    pier, board, name = 0.28, look.board_height, int(rng.integers(0, 32))
    top = height - board - 0.12
    canvas.boxes(
        [[u0, -FOUNDATION_M, -0.5], [u1 - pier, -FOUNDATION_M, -0.5]],
        [[u0 + pier, height, 0.06], [u1, height, 0.06]],
        look.pier,
        skip="nvV",
    )
    canvas.boxes(
        [[u0 - 0.02, 0, 0.0], [u1 - pier - 0.02, 0, 0.0]],
        [[u0 + pier + 0.02, 0.35, 0.1], [u1 + 0.02, 0.35, 0.1]],
        look.joinery,
        skip="nv",
    )
    a, b = u0 + pier, u1 - pier
    door_w = 1.0
    side = rng.random()
    at = a if side < 0.35 else (b - door_w if side < 0.7 else (a + b - door_w) / 2)
    for start, end in ((a, at), (at + door_w, b)):
        if end - start > 0.3:
            _glazing(canvas, start, end, top, look, name, rng)
    _shop_door(canvas, at, at + door_w, top, look, name, rng)
    _name_board(canvas, u0, u1, top, height, look, name)
    if look.awning is not None:
        _awning(canvas, a, b, top + 0.02, look.awning, rng)
    elif rng.random() < 0.5:
        _blade_sign(canvas, u1 - 0.1, height + 0.1, look, name)


def _glazing(
    canvas: Canvas, a: float, b: float, top: float, look: ShopLook, name: int, rng: np.random.Generator
) -> None:
    """Stall riser, large panes behind mullions, transom lights above."""
    n = -0.16
    canvas.boxes([[a, -FOUNDATION_M, -0.4]], [[b, look.stall, -0.08]], look.joinery, skip="nv")
    canvas.boxes([[a + 0.12, 0.1, -0.08]], [[b - 0.12, look.stall - 0.1, -0.055]], look.joinery, skip="n")
    canvas.boxes([[a, look.stall, -0.22]], [[b, look.stall + 0.05, -0.03]], look.joinery, skip="n")
    count = max(round((b - a) / 1.5), 1)
    edges = np.linspace(a, b, count + 1)
    # One display fills about three metres, whatever the number of panes before it.
    runs = np.linspace(a, b, max(round((b - a) / 3.2), 1) + 1)
    shown = len(runs) - 1
    uv = glass.atlas_uv([glass.shop_cell(name, rng) for _ in range(shown)], glass.SHOP_COLUMNS, glass.SHOP_ROWS)
    low = np.stack([runs[:-1], np.full(shown, look.stall)], -1)
    canvas.rects(low, np.stack([runs[1:], np.full(shown, top)], -1), glass.shop_windows(), n=n, uv=uv)
    bars = np.stack([edges - 0.035, np.full(count + 1, look.stall), np.full(count + 1, n)], -1)
    canvas.blocks(bars, (0.07, top - look.stall, 0.09), look.joinery, skip="nvV")
    canvas.boxes([[a, top - 0.62, n]], [[b, top - 0.55, n + 0.08]], look.joinery, skip="nuU")


def _shop_door(
    canvas: Canvas, a: float, b: float, top: float, look: ShopLook, name: int, rng: np.random.Generator
) -> None:
    """A glazed door set back from the street, with its lobby's walls, ceiling and tiled floor."""
    depth = float(rng.uniform(0.55, 0.9))
    canvas.recesses([[a, 0.02, -depth]], [[b, top, -0.1]], look.joinery, skip="nN")
    canvas.boxes([[a, -FOUNDATION_M, -depth]], [[b, 0.02, 0.05]], finishes.concrete(0), skip="vn")
    uv = glass.atlas_uv([glass.shop_cell(name, rng)], glass.SHOP_COLUMNS, glass.SHOP_ROWS)
    # A door is narrow: it shows the middle of the image, not all of it squeezed.
    uv[..., 0] = uv[..., 0].mean() + 0.4 * (uv[..., 0] - uv[..., 0].mean())
    canvas.rects([[a, 0.02]], [[b, top]], glass.shop_windows(), n=-depth, uv=uv)
    bars = [
        [a, 0.02, b - 0.0, 0.3],
        [a, 0.02, a + 0.1, top],
        [b - 0.1, 0.02, b, top],
        [a, 2.1, b, 2.2],
        [a, top - 0.1, b, top],
    ]
    canvas.boxes(
        [[q[0], q[1], -depth] for q in bars],
        [[q[2], min(q[3], top), -depth + 0.06] for q in bars],
        look.joinery,
        skip="n",
    )
    canvas.boxes([[a + 0.16, 0.9, -depth + 0.06]], [[a + 0.19, 1.3, -depth + 0.12]], finishes.ALUMINIUM, skip="n")


def _name_board(canvas: Canvas, u0: float, u1: float, top: float, height: float, look: ShopLook, name: int) -> None:
    low, high = top, height - 0.12
    canvas.boxes([[u0, low, -0.5]], [[u1, high, 0.1]], look.joinery, skip="nV")
    width = min(u1 - u0 - 0.2, (high - low - 0.1) * 8)
    mid = (u0 + u1) / 2
    v0, v1 = (low + high) / 2 - width / 16, (low + high) / 2 + width / 16
    uv = glass.atlas_uv([name], glass.BOARD_COLUMNS, glass.BOARD_ROWS)
    canvas.rects([[mid - width / 2, v0]], [[mid + width / 2, v1]], glass.boards(), n=0.112, uv=uv)
    moulding(canvas, u0 - 0.06, u1 + 0.06, high, 0.16, look.joinery)


def _awning(canvas: Canvas, a: float, b: float, v: float, cloth: Finish, rng: np.random.Generator) -> None:
    """A sloping awning on two arms, with a scalloped valance."""
    reach, drop = float(rng.uniform(0.9, 1.4)), float(rng.uniform(0.45, 0.75))
    out, low = 0.1 + reach, v - drop
    canvas.quads(
        [
            [[a, low, out], [b, low, out], [b, v, 0.1], [a, v, 0.1]],
            [[b, low - CLOTH_M, out], [a, low - CLOTH_M, out], [a, v - CLOTH_M, 0.1], [b, v - CLOTH_M, 0.1]],
        ],
        cloth,
    )
    for u, order in ((a, 1), (b, -1)):
        canvas.polygon([[u, low, out], [u, v, 0.1], [u, low, 0.1]][::order], cloth)
    count = max(int((b - a) / 0.3), 1)
    edges = np.linspace(a, b, count + 1)
    left, right = edges[:-1], edges[1:]
    mid = (left + right) / 2
    n = np.full(count, out)
    top, hem = np.full(count, low), np.full(count, low - 0.2)
    shoulder = np.full(count, low - 0.12)
    for outline in (
        ((left, shoulder), (mid, hem), (mid, top), (left, top)),
        ((mid, hem), (right, shoulder), (right, top), (mid, top)),
    ):
        front = np.stack([np.stack([*p, n], -1) for p in outline], 1)
        canvas.quads(np.concatenate([front, front[:, ::-1] - (0, 0, CLOTH_M)]), cloth)
    for u in (a + 0.1, b - 0.1):
        canvas.tube([[u, low - 0.05, out - 0.03], [u, low - 0.35, 0.06]], 0.015, finishes.ALUMINIUM, detail=5)


def _blade_sign(canvas: Canvas, u: float, v: float, look: ShopLook, name: int) -> None:
    """A small sign that sticks out from the wall, readable along the street."""
    canvas.tube([[u, v + 0.62, 0], [u, v + 0.62, 0.95]], 0.02, finishes.TRIMS["black"], detail=5)
    canvas.boxes([[u - 0.03, v - 0.05, 0.15]], [[u + 0.03, v + 0.55, 0.9]], look.joinery)
    cell = glass.atlas_uv([name], glass.BOARD_COLUMNS, glass.BOARD_ROWS)
    for side in (-1, 1):
        face = [
            [u + side * 0.032, v + 0.2, 0.9],
            [u + side * 0.032, v + 0.2, 0.15],
            [u + side * 0.032, v + 0.34, 0.15],
            [u + side * 0.032, v + 0.34, 0.9],
        ]
        quad = face if side == 1 else [face[1], face[0], face[3], face[2]]
        canvas.quads([quad], glass.boards(), cell)
