"""Traffic signs on posts, boards and gantries. Plates carry the tag TRAFFIC_SIGN, posts POLE.

Origin at the foot of the post; the face points towards +x. Shapes, colours and letters follow the Vienna convention;
they are drawn with a font, never mirrored.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from caos.assets.mesh import Material, Mesh
from caos.assets.street.canvas import Canvas, Finish, Points, plain
from caos.assets.street.signs.faces import (
    BLUE,
    GREEN,
    KINDS,
    SIGNS,
    SQUARE,
    SUPERSAMPLING,
    WHITE,
    FaceSketch,
    face,
    font,
)
from caos.assets.tags import SemanticTag

__all__ = ["KINDS", "direction_board", "face", "gantry", "plate", "sign", "street_name"]
_METAL = plain("sign back", (0.32, 0.33, 0.34), "plastic", 0.5)
_POST = plain("sign post", (0.36, 0.37, 0.38), "plastic", 0.5)


def _plate(canvas: Canvas, outline: Points, width: float, height: float, front: Finish, *, thick: float = 0.02) -> None:
    """A flat plate centred on the canvas's origin: printed in front, bare metal behind and at the rim."""
    size = np.array([width, height])
    p = np.concatenate([outline * size, np.full((len(outline), 1), thick / 2)], 1)
    uv = outline + 0.5
    canvas.polygon(p, front, uv=uv)
    back = p - (0, 0, thick)
    canvas.polygon(back[::-1], _METAL)
    following = np.roll(p, -1, axis=0)
    canvas.quads(np.stack([p - (0, 0, thick), following - (0, 0, thick), following, p], 1), _METAL)


@cache
def plate(kind: str) -> Mesh:
    """The plate of a sign alone, its middle at the origin."""
    finish = face(kind)
    outline, w, h, _, _ = SIGNS[kind]
    canvas = Canvas(SemanticTag.TRAFFIC_SIGN)
    _plate(canvas, outline, w, h, finish)
    return canvas.mesh()


@cache
def sign(kind: str, height_m: float = 2.5) -> Mesh:
    """A sign on its post; ``height_m`` is that of the plate's middle."""
    finish = face(kind)
    outline, w, h, _, _ = SIGNS[kind]
    canvas = Canvas(SemanticTag.TRAFFIC_SIGN)
    _plate(canvas.moved(0, height_m, 0.05), outline, w, h, finish)
    pole = canvas.tagged(SemanticTag.POLE)
    pole.tube([[0, -0.3, 0], [0, height_m + h * 0.45, 0]], 0.032, _POST, detail=10)
    for v in (height_m - h * 0.22, height_m + h * 0.22):
        canvas.boxes([[-0.06, v - 0.02, -0.036]], [[0.06, v + 0.02, 0.04]], _METAL)
    return canvas.mesh()


def _lettered(
    lines: Sequence[str], width: float, height: float, ground: tuple[int, int, int], *, arrow: bool
) -> Finish:
    px = 128 if height < 0.5 else 80
    sketch = FaceSketch(ground, int(px * width), int(px * height) if height >= 0.5 else max(int(px * height * 1.0), 24))
    edge = 0.05 if height >= 0.5 else 0.08
    sketch.box(0, 0, 1, 1, WHITE)
    sketch.box(edge * height / width / 2, edge / 2, 1 - edge * height / width / 2, 1 - edge / 2, ground)
    room = 0.8 if arrow else 0.9
    for k, text in enumerate(lines):
        size = min(0.62 / len(lines), 0.62)
        while size > 0.05 and font(size * sketch.height).getlength(text) > room * sketch.width * SUPERSAMPLING:
            size *= 0.94
        y = (k + 0.5) / len(lines)
        sketch.text(text, size, WHITE, (0.06 if arrow else 0.5, y), "lm" if arrow else "mm")
    if arrow:
        tall = sketch.height / sketch.width
        sketch.line([(0.92, 0.78), (0.92, 0.35)], 0.07, WHITE)
        sketch.polygon([(0.92 - 0.13 * tall, 0.42), (0.92, 0.16), (0.92 + 0.13 * tall, 0.42)], WHITE)
    return Finish(
        Material(f"board {' / '.join(lines)}", (0.1, 0.2, 0.3), "plastic", 0.55, sketch.linear(" ".join(lines)))
    )


@cache
def street_name(name: str) -> Mesh:
    """A street-name sign on a post, printed on both sides, 2.7 m up."""
    width = float(np.clip(0.11 * len(name) + 0.25, 0.6, 1.6))
    finish = _lettered([name], width, 0.22, (16, 80, 60), arrow=False)
    canvas = Canvas(SemanticTag.TRAFFIC_SIGN)
    for turn in (0, 180):
        _plate(canvas.moved(0, 2.7, 0).turned(turn).moved(0, 0, 0.04), SQUARE, width, 0.22, finish, thick=0.012)
    canvas.tagged(SemanticTag.POLE).tube([[0, -0.3, 0], [0, 2.88, 0]], 0.03, _POST, detail=10)
    return canvas.mesh()


@cache
def direction_board(lines: tuple[str, ...] = ("Centre", "Harbour 4 km"), green: bool = False) -> Mesh:  # noqa: FBT001
    """A direction board on two posts, its lower edge 2.2 m up."""
    width, height = 2.6, 0.55 * len(lines) + 0.15
    finish = _lettered(lines, width, height, GREEN if green else BLUE, arrow=True)
    canvas = Canvas(SemanticTag.TRAFFIC_SIGN)
    _plate(canvas.moved(0, 2.2 + height / 2, 0.08), SQUARE, width, height, finish, thick=0.03)
    for u in (-0.85, 0.85):
        canvas.tagged(SemanticTag.POLE).tube([[u, -0.3, 0], [u, 2.2 + height, 0]], 0.05, _POST, detail=10)
    return canvas.mesh()


@cache
def gantry(width_m: float, lines: tuple[str, ...] = ("Airport", "North / City")) -> Mesh:
    """A portal across a road along y, 5.6 m clear, with one board for each of ``lines`` (a slash breaks a line)."""
    canvas = Canvas(SemanticTag.TRAFFIC_SIGN)
    frame = canvas.tagged(SemanticTag.POLE)
    half, beam = width_m / 2, 6.9
    for u in (-half, half):
        frame.boxes([[u - 0.16, -0.5, -0.16]], [[u + 0.16, beam + 0.5, 0.16]], _POST, skip="v")
        frame.boxes([[u - 0.35, -0.5, -0.35]], [[u + 0.35, 0.12, 0.35]], plain("pad", (0.3, 0.29, 0.28)), skip="v")
    for v in (beam - 0.45, beam + 0.45):
        for n in (-0.25, 0.25):
            frame.boxes([[-half, v - 0.05, n - 0.05]], [[half, v + 0.05, n + 0.05]], _POST)
    steps = max(int(width_m / 1.2), 2)
    joints = np.linspace(-half, half, steps + 1)
    for k in range(steps):
        lift = (-0.45, 0.45) if k % 2 else (0.45, -0.45)
        for n in (-0.25, 0.25):
            frame.tube([[joints[k], beam + lift[0], n], [joints[k + 1], beam + lift[1], n]], 0.03, _POST, detail=5)
    board_w = min(3.8, (width_m - 1) / len(lines) - 0.4)
    for k, text in enumerate(lines):
        at = -half + (k + 0.5) * width_m / len(lines)
        rows = tuple(part.strip() for part in text.split("/"))
        finish = _lettered(rows, board_w, 2.2, GREEN if k % 2 else BLUE, arrow=True)
        _plate(canvas.moved(float(at), beam, 0.36), SQUARE, board_w, 2.2, finish, thick=0.06)
    return canvas.mesh()
