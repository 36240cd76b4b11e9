"""Traffic signs on posts, boards and gantries. Plates carry tag 8 (TrafficSign), posts tag 6 (Pole).

Origin at the foot of the post; the face looks towards +x. Shapes, colours and letters follow the Vienna convention;
they are drawn with a font, never mirrored.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from PIL import Image as Picture
from PIL import ImageDraw, ImageFont

from assets.mesh import Material, Mesh
from assets.textures import Image, font_path, fractal_noise
from foundation.errors import unknown
from simulator.embedded.models.facades_geometry import Canvas, Finish, Points, plain
from simulator.embedded.models.surfaces import seeded

PLATE, POLE = 8, 6
_PX = 256
_SS = 3
RED, WHITE, BLUE, BLACK, YELLOW, GREEN = (
    (196, 30, 36),
    (242, 242, 238),
    (28, 92, 180),
    (22, 22, 24),
    (246, 196, 32),
    (14, 116, 76),
)
SPEEDS = (20, 30, 40, 50, 60, 70, 80, 90, 100, 120)
_METAL = plain("sign back", (0.32, 0.33, 0.34), "plastic", 0.5)
_POST = plain("sign post", (0.36, 0.37, 0.38), "plastic", 0.5)


def _font(size: float) -> Any:
    return ImageFont.truetype(font_path(), int(size * _SS))


class _Sketch:
    """A square drawing in units of 0..1, y down, drawn large and reduced."""

    def __init__(self, ground: tuple[int, int, int], width: int = _PX, height: int = _PX) -> None:
        self.width, self.height = width, height
        self.picture = Picture.new("RGB", (width * _SS, height * _SS), ground)
        self.pen = ImageDraw.Draw(self.picture)

    def polygon(self, points: ArrayLike, ink: tuple[int, int, int]) -> None:
        self.pen.polygon([tuple(p) for p in np.asarray(points) * (self.width * _SS, self.height * _SS)], fill=ink)

    def disc(self, radius: float, ink: tuple[int, int, int], center: tuple[float, float] = (0.5, 0.5)) -> None:
        angle = np.linspace(0, 2 * np.pi, 64)
        self.polygon(np.stack([center[0] + radius * np.cos(angle), center[1] + radius * np.sin(angle)], 1), ink)

    def box(self, x0: float, y0: float, x1: float, y1: float, ink: tuple[int, int, int]) -> None:
        self.polygon([(x0, y0), (x1, y0), (x1, y1), (x0, y1)], ink)

    def line(self, points: ArrayLike, thickness: float, ink: tuple[int, int, int]) -> None:
        px = [tuple(p) for p in np.asarray(points) * (self.width * _SS, self.height * _SS)]
        self.pen.line(px, fill=ink, width=int(thickness * self.height * _SS), joint="curve")

    def text(
        self,
        text: str,
        size: float,
        ink: tuple[int, int, int],
        at: tuple[float, float] = (0.5, 0.5),
        anchor: str = "mm",
    ) -> None:
        self.pen.text(
            (at[0] * self.width * _SS, at[1] * self.height * _SS),
            text,
            fill=ink,
            font=_font(size * self.height),
            anchor=anchor,
        )

    def linear(self, seed: str) -> Image:
        small = self.picture.resize((self.width, self.height), Picture.Resampling.BOX)
        c = np.asarray(small, np.float32) / 255
        wear = 0.9 + 0.16 * fractal_noise(self.height, self.width, seeded("sign", seed), base=3, octaves=4)
        out: Image = np.clip(
            np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4) * 0.85 * wear[..., None], 0, 1
        )
        return out.astype(np.float32)


def _polygon(count: int, turn_deg: float = 0.0, radius: float = 0.5) -> Points:
    angle = np.radians(turn_deg) + np.arange(count) * 2 * np.pi / count
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1)


_CIRCLE = _polygon(32)
_OCTAGON = _polygon(8, 22.5, 0.5 / np.cos(np.pi / 8))
_SQUARE = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])
_DIAMOND = _polygon(4, 0, 0.62)
_DOWN = np.array([[0.0, -0.45], [0.52, 0.45], [-0.52, 0.45]])
_UP = -_DOWN[:, :] * (1, 1)


def _stop(s: _Sketch) -> None:
    s.box(0, 0, 1, 1, WHITE)
    s.polygon(0.5 + _OCTAGON * 0.93, RED)
    s.text("STOP", 0.31, WHITE)


def _yield(s: _Sketch) -> None:
    s.polygon([(0.19, 0.18), (0.81, 0.18), (0.5, 0.75)], WHITE)


def _priority(s: _Sketch) -> None:
    s.polygon(0.5 + _polygon(4, 0, 0.36), YELLOW)


def _no_entry(s: _Sketch) -> None:
    s.disc(0.49, WHITE)
    s.disc(0.46, RED)
    s.box(0.16, 0.41, 0.84, 0.59, WHITE)


def _ring(s: _Sketch, ground: tuple[int, int, int] = WHITE) -> None:
    s.disc(0.49, RED)
    s.disc(0.36, ground)


def _speed(value: int) -> Callable[[_Sketch], None]:
    def draw(s: _Sketch) -> None:
        _ring(s)
        s.text(str(value), 0.42 if value < 100 else 0.33, BLACK)

    return draw


def _no_parking(s: _Sketch) -> None:
    _ring(s, BLUE)
    s.line([(0.25, 0.25), (0.75, 0.75)], 0.09, RED)


def _no_stopping(s: _Sketch) -> None:
    _no_parking(s)
    s.line([(0.75, 0.25), (0.25, 0.75)], 0.09, RED)


def _arrow(
    s: _Sketch, tail: tuple[float, float], head: tuple[float, float], ink: tuple[int, int, int], thick: float = 0.12
) -> None:
    a, b = np.asarray(tail), np.asarray(head)
    d = (b - a) / np.linalg.norm(b - a)
    n = np.array([-d[1], d[0]])
    neck = b - d * thick * 1.7
    s.polygon(
        [
            a + n * thick / 2,
            neck + n * thick / 2,
            neck + n * thick * 1.25,
            b,
            neck - n * thick * 1.25,
            neck - n * thick / 2,
            a - n * thick / 2,
        ],
        ink,
    )


def _mandatory(tail: tuple[float, float], head: tuple[float, float]) -> Callable[[_Sketch], None]:
    def draw(s: _Sketch) -> None:
        s.disc(0.49, WHITE)
        s.disc(0.465, BLUE)
        _arrow(s, tail, head, WHITE)

    return draw


def _roundabout(s: _Sketch) -> None:
    s.disc(0.49, WHITE)
    s.disc(0.465, BLUE)
    for k in range(3):
        a = np.radians(120 * k - 90)
        arc = np.linspace(a, a - 1.25, 9)
        path = 0.5 + 0.25 * np.stack([np.cos(arc), np.sin(arc)], 1)
        s.line(path[:-1], 0.085, WHITE)
        _arrow(s, tuple(path[-3]), tuple(path[-1] + (path[-1] - path[-3]) * 0.6), WHITE, 0.085)


def _person(s: _Sketch, x: float, y: float, h: float, ink: tuple[int, int, int]) -> None:
    """A walking figure whose feet are at (x, y)."""
    s.disc(0.085 * h, ink, (x + 0.02 * h, y - 0.9 * h))
    s.line([(x + 0.01 * h, y - 0.76 * h), (x - 0.03 * h, y - 0.4 * h)], 0.17 * h, ink)
    s.line([(x - 0.03 * h, y - 0.42 * h), (x + 0.12 * h, y - 0.22 * h), (x + 0.16 * h, y)], 0.09 * h, ink)
    s.line([(x - 0.03 * h, y - 0.42 * h), (x - 0.08 * h, y - 0.2 * h), (x - 0.2 * h, y - 0.02 * h)], 0.09 * h, ink)
    s.line([(x, y - 0.72 * h), (x + 0.17 * h, y - 0.55 * h), (x + 0.24 * h, y - 0.6 * h)], 0.07 * h, ink)
    s.line([(x, y - 0.72 * h), (x - 0.16 * h, y - 0.58 * h), (x - 0.2 * h, y - 0.42 * h)], 0.07 * h, ink)


def _crossing(s: _Sketch) -> None:
    s.box(0, 0, 1, 1, WHITE)
    s.box(0.03, 0.03, 0.97, 0.97, BLUE)
    s.polygon([(0.5, 0.12), (0.92, 0.86), (0.08, 0.86)], WHITE)
    _person(s, 0.5, 0.76, 0.46, BLACK)
    for k in range(5):
        s.box(0.22 + 0.12 * k, 0.79, 0.29 + 0.12 * k, 0.83, BLACK)


def _parking(s: _Sketch) -> None:
    s.box(0, 0, 1, 1, WHITE)
    s.box(0.03, 0.03, 0.97, 0.97, BLUE)
    s.text("P", 0.78, WHITE, (0.5, 0.5))


def _bus_stop(s: _Sketch) -> None:
    s.disc(0.49, GREEN)
    s.disc(0.42, YELLOW)
    s.text("H", 0.6, GREEN)


def _one_way(s: _Sketch) -> None:
    s.box(0, 0, 1, 1, WHITE)
    s.box(0.012, 0.04, 0.988, 0.96, BLUE)
    _arrow(s, (0.08, 0.5), (0.94, 0.5), WHITE, 0.34)
    s.text("ONE WAY", 0.24, BLUE, (0.44, 0.5))


def _dead_end(s: _Sketch) -> None:
    s.box(0, 0, 1, 1, WHITE)
    s.box(0.03, 0.03, 0.97, 0.97, BLUE)
    s.box(0.43, 0.36, 0.57, 0.88, WHITE)
    s.box(0.24, 0.2, 0.76, 0.36, RED)


def _warning(mark: Callable[[_Sketch], None]) -> Callable[[_Sketch], None]:
    def draw(s: _Sketch) -> None:
        s.polygon([(0.5, 0.24), (0.82, 0.82), (0.18, 0.82)], WHITE)
        mark(s)

    return draw


def _curve(s: _Sketch) -> None:
    s.line([(0.46, 0.79), (0.46, 0.64), (0.55, 0.55)], 0.055, BLACK)
    _arrow(s, (0.53, 0.57), (0.6, 0.47), BLACK, 0.055)


def _attention(s: _Sketch) -> None:
    s.box(0.475, 0.42, 0.525, 0.66, BLACK)
    s.disc(0.032, BLACK, (0.5, 0.74))


def _children(s: _Sketch) -> None:
    _person(s, 0.43, 0.79, 0.28, BLACK)
    _person(s, 0.58, 0.79, 0.24, BLACK)


def _junction(s: _Sketch) -> None:
    s.line([(0.42, 0.56), (0.58, 0.74)], 0.05, BLACK)
    s.line([(0.58, 0.56), (0.42, 0.74)], 0.05, BLACK)


def _us_limit(value: int) -> Callable[[_Sketch], None]:
    def draw(s: _Sketch) -> None:
        s.box(0, 0, 1, 1, BLACK)
        s.box(0.03, 0.025, 0.97, 0.975, WHITE)
        s.text("SPEED", 0.17, BLACK, (0.5, 0.15))
        s.text("LIMIT", 0.17, BLACK, (0.5, 0.34))
        s.text(str(value), 0.42, BLACK, (0.5, 0.7))

    return draw


Drawing = Callable[[_Sketch], None]
# Name: outline, width and height in metres, ground colour, drawing.
_SIGNS: dict[str, tuple[Points, float, float, tuple[int, int, int], Drawing]] = {
    "stop": (_OCTAGON, 0.8, 0.8, RED, _stop),
    "yield": (_DOWN, 0.9, 0.9, RED, _yield),
    "priority": (_DIAMOND, 0.65, 0.65, WHITE, _priority),
    "no_entry": (_CIRCLE, 0.65, 0.65, RED, _no_entry),
    "no_parking": (_CIRCLE, 0.6, 0.6, RED, _no_parking),
    "no_stopping": (_CIRCLE, 0.6, 0.6, RED, _no_stopping),
    "turn_right": (_CIRCLE, 0.6, 0.6, BLUE, _mandatory((0.2, 0.5), (0.84, 0.5))),
    "turn_left": (_CIRCLE, 0.6, 0.6, BLUE, _mandatory((0.8, 0.5), (0.16, 0.5))),
    "straight": (_CIRCLE, 0.6, 0.6, BLUE, _mandatory((0.5, 0.84), (0.5, 0.16))),
    "keep_right": (_CIRCLE, 0.6, 0.6, BLUE, _mandatory((0.28, 0.28), (0.74, 0.74))),
    "roundabout": (_CIRCLE, 0.6, 0.6, BLUE, _roundabout),
    "pedestrian_crossing": (_SQUARE, 0.65, 0.65, BLUE, _crossing),
    "parking": (_SQUARE, 0.6, 0.6, BLUE, _parking),
    "bus_stop": (_CIRCLE, 0.5, 0.5, GREEN, _bus_stop),
    "one_way": (_SQUARE, 0.9, 0.3, BLUE, _one_way),
    "dead_end": (_SQUARE, 0.6, 0.6, BLUE, _dead_end),
    "warning": (_UP, 0.9, 0.9, RED, _warning(_attention)),
    "warning_curve": (_UP, 0.9, 0.9, RED, _warning(_curve)),
    "warning_children": (_UP, 0.9, 0.9, RED, _warning(_children)),
    "warning_junction": (_UP, 0.9, 0.9, RED, _warning(_junction)),
    **{f"speed_{v}": (_CIRCLE, 0.65, 0.65, RED, _speed(v)) for v in SPEEDS},
    **{f"us_speed_{v}": (_SQUARE, 0.6, 0.76, WHITE, _us_limit(v)) for v in (25, 35, 45, 55)},
}
KINDS = tuple(_SIGNS)


@cache
def face(kind: str) -> Finish:
    """The printed face of a sign."""
    if kind not in _SIGNS:
        raise unknown("sign", kind, _SIGNS)
    _, w, h, ground, draw = _SIGNS[kind]
    sketch = _Sketch(ground, _PX, int(_PX * h / w))
    draw(sketch)
    return Finish(Material(f"sign {kind}", (0.4, 0.4, 0.4), "plastic", 0.55, sketch.linear(kind)))


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
    outline, w, h, _, _ = _SIGNS[kind]
    canvas = Canvas(PLATE)
    _plate(canvas, outline, w, h, finish)
    return canvas.mesh()


@cache
def sign(kind: str, height_m: float = 2.5) -> Mesh:
    """A sign on its post; ``height_m`` is that of the plate's middle."""
    finish = face(kind)
    outline, w, h, _, _ = _SIGNS[kind]
    canvas = Canvas(PLATE)
    _plate(canvas.moved(0, height_m, 0.05), outline, w, h, finish)
    pole = canvas.tagged(POLE)
    pole.tube([[0, -0.3, 0], [0, height_m + h * 0.45, 0]], 0.032, _POST, detail=10)
    for v in (height_m - h * 0.22, height_m + h * 0.22):
        canvas.boxes([[-0.06, v - 0.02, -0.036]], [[0.06, v + 0.02, 0.04]], _METAL)
    return canvas.mesh()


def _lettered(
    lines: Sequence[str], width: float, height: float, ground: tuple[int, int, int], *, arrow: bool
) -> Finish:
    px = 128 if height < 0.5 else 80
    sketch = _Sketch(ground, int(px * width), int(px * height) if height >= 0.5 else max(int(px * height * 1.0), 24))
    edge = 0.05 if height >= 0.5 else 0.08
    sketch.box(0, 0, 1, 1, WHITE)
    sketch.box(edge * height / width / 2, edge / 2, 1 - edge * height / width / 2, 1 - edge / 2, ground)
    room = 0.8 if arrow else 0.9
    for k, text in enumerate(lines):
        size = min(0.62 / len(lines), 0.62)
        while size > 0.05 and _font(size * sketch.height).getlength(text) > room * sketch.width * _SS:
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
    canvas = Canvas(PLATE)
    for turn in (0, 180):
        _plate(canvas.moved(0, 2.7, 0).turned(turn).moved(0, 0, 0.04), _SQUARE, width, 0.22, finish, thick=0.012)
    canvas.tagged(POLE).tube([[0, -0.3, 0], [0, 2.88, 0]], 0.03, _POST, detail=10)
    return canvas.mesh()


@cache
def direction_board(lines: tuple[str, ...] = ("Centre", "Harbour 4 km"), green: bool = False) -> Mesh:  # noqa: FBT001
    """A direction board on two posts, its lower edge 2.2 m up."""
    width, height = 2.6, 0.55 * len(lines) + 0.15
    finish = _lettered(lines, width, height, GREEN if green else BLUE, arrow=True)
    canvas = Canvas(PLATE)
    _plate(canvas.moved(0, 2.2 + height / 2, 0.08), _SQUARE, width, height, finish, thick=0.03)
    for u in (-0.85, 0.85):
        canvas.tagged(POLE).tube([[u, -0.3, 0], [u, 2.2 + height, 0]], 0.05, _POST, detail=10)
    return canvas.mesh()


@cache
def gantry(width_m: float, lines: tuple[str, ...] = ("Airport", "North / City")) -> Mesh:
    """A portal across a road along y, 5.6 m clear, with one board for each of ``lines`` (a slash breaks a line)."""
    canvas = Canvas(PLATE)
    frame = canvas.tagged(POLE)
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
        _plate(canvas.moved(float(at), beam, 0.36), _SQUARE, board_w, 2.2, finish, thick=0.06)
    return canvas.mesh()
