"""Faces of traffic signs: drawings of shapes and letters after the Vienna convention.

Prefixes name other conventions: ``us_`` the United States, ``jp_`` Japan, and ``yellow_`` signs of the Vienna
convention with a yellow background, as in Sweden.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from PIL import Image as Picture
from PIL import ImageDraw, ImageFont

from caos.assets.mesh import Material
from caos.assets.modelling.colours import linear_image
from caos.assets.modelling.textures import Image, font_path, fractal_noise
from caos.assets.street.canvas import Finish, Points
from caos.assets.street.surfaces import seeded
from caos.foundation.errors import unknown

_PX = 256
SUPERSAMPLING = 3
RED, WHITE, BLUE, BLACK, YELLOW, GREEN = (
    (196, 30, 36),
    (242, 242, 238),
    (28, 92, 180),
    (22, 22, 24),
    (246, 196, 32),
    (14, 116, 76),
)
SPEEDS = (20, 30, 40, 50, 60, 70, 80, 90, 100, 120)


def font(size: float) -> Any:
    """The sign font at a size in final pixels."""
    return ImageFont.truetype(font_path(), int(size * SUPERSAMPLING))


class FaceSketch:
    """Square drawing in coordinates 0..1, y down, rendered at a larger size and reduced (antialiasing)."""

    def __init__(self, ground: tuple[int, int, int], width: int = _PX, height: int = _PX) -> None:
        self.width, self.height = width, height
        self.picture = Picture.new("RGB", (width * SUPERSAMPLING, height * SUPERSAMPLING), ground)
        self.pen = ImageDraw.Draw(self.picture)

    def polygon(self, points: ArrayLike, ink: tuple[int, int, int]) -> None:
        """Fill a polygon."""
        self.pen.polygon(
            [tuple(p) for p in np.asarray(points) * (self.width * SUPERSAMPLING, self.height * SUPERSAMPLING)], fill=ink
        )

    def disc(self, radius: float, ink: tuple[int, int, int], center: tuple[float, float] = (0.5, 0.5)) -> None:
        """Fill a circle."""
        angle = np.linspace(0, 2 * np.pi, 64)
        self.polygon(np.stack([center[0] + radius * np.cos(angle), center[1] + radius * np.sin(angle)], 1), ink)

    def box(self, x0: float, y0: float, x1: float, y1: float, ink: tuple[int, int, int]) -> None:
        """Fill a rectangle."""
        self.polygon([(x0, y0), (x1, y0), (x1, y1), (x0, y1)], ink)

    def line(self, points: ArrayLike, thickness: float, ink: tuple[int, int, int]) -> None:
        """Draw a line of some thickness."""
        px = [tuple(p) for p in np.asarray(points) * (self.width * SUPERSAMPLING, self.height * SUPERSAMPLING)]
        self.pen.line(px, fill=ink, width=int(thickness * self.height * SUPERSAMPLING), joint="curve")

    def text(
        self,
        text: str,
        size: float,
        ink: tuple[int, int, int],
        at: tuple[float, float] = (0.5, 0.5),
        anchor: str = "mm",
    ) -> None:
        """Write a line of text."""
        self.pen.text(
            (at[0] * self.width * SUPERSAMPLING, at[1] * self.height * SUPERSAMPLING),
            text,
            fill=ink,
            font=font(size * self.height),
            anchor=anchor,
        )

    def linear(self, seed: str) -> Image:
        """The drawing as a slightly weathered linear texture."""
        small = self.picture.resize((self.width, self.height), Picture.Resampling.BOX)
        wear = 0.9 + 0.16 * fractal_noise(self.height, self.width, seeded("sign", seed), base=3, octaves=4)
        out: Image = np.clip(linear_image(small) * 0.85 * wear[..., None], 0, 1)
        return out.astype(np.float32)


def regular(count: int, turn_deg: float = 0.0, radius: float = 0.5) -> Points:
    """Corners of a regular polygon about the origin."""
    angle = np.radians(turn_deg) + np.arange(count) * 2 * np.pi / count
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1)


_CIRCLE = regular(32)
_OCTAGON = regular(8, 22.5, 0.5 / np.cos(np.pi / 8))
SQUARE = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])
_DIAMOND = regular(4, 0, 0.62)
_RHOMB = regular(4, 0, 0.5)
_DOWN = np.array([[0.0, -0.45], [0.52, 0.45], [-0.52, 0.45]])
_UP = -_DOWN[:, :] * (1, 1)


def _stop(s: FaceSketch) -> None:
    s.box(0, 0, 1, 1, WHITE)
    s.polygon(0.5 + _OCTAGON * 0.93, RED)
    s.text("STOP", 0.31, WHITE)


def _yield(s: FaceSketch) -> None:
    s.polygon([(0.19, 0.18), (0.81, 0.18), (0.5, 0.75)], WHITE)


def _priority(s: FaceSketch) -> None:
    s.polygon(0.5 + regular(4, 0, 0.36), YELLOW)


def _no_entry(s: FaceSketch) -> None:
    s.disc(0.49, WHITE)
    s.disc(0.46, RED)
    s.box(0.16, 0.41, 0.84, 0.59, WHITE)


def _ring(s: FaceSketch, ground: tuple[int, int, int] = WHITE) -> None:
    s.disc(0.49, RED)
    s.disc(0.36, ground)


def _speed(
    value: int, ground: tuple[int, int, int] = WHITE, ink: tuple[int, int, int] = BLACK
) -> Callable[[FaceSketch], None]:
    def draw(s: FaceSketch) -> None:
        _ring(s, ground)
        s.text(str(value), 0.42 if value < 100 else 0.33, ink)

    return draw


def _no_parking(s: FaceSketch) -> None:
    _ring(s, BLUE)
    s.line([(0.25, 0.25), (0.75, 0.75)], 0.09, RED)


def _no_stopping(s: FaceSketch) -> None:
    _no_parking(s)
    s.line([(0.75, 0.25), (0.25, 0.75)], 0.09, RED)


def _arrow(
    s: FaceSketch, tail: tuple[float, float], head: tuple[float, float], ink: tuple[int, int, int], thick: float = 0.12
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


def _mandatory(tail: tuple[float, float], head: tuple[float, float]) -> Callable[[FaceSketch], None]:
    def draw(s: FaceSketch) -> None:
        s.disc(0.49, WHITE)
        s.disc(0.465, BLUE)
        _arrow(s, tail, head, WHITE)

    return draw


def _roundabout(s: FaceSketch) -> None:
    s.disc(0.49, WHITE)
    s.disc(0.465, BLUE)
    for k in range(3):
        a = np.radians(120 * k - 90)
        arc = np.linspace(a, a - 1.25, 9)
        path = 0.5 + 0.25 * np.stack([np.cos(arc), np.sin(arc)], 1)
        s.line(path[:-1], 0.085, WHITE)
        _arrow(s, tuple(path[-3]), tuple(path[-1] + (path[-1] - path[-3]) * 0.6), WHITE, 0.085)


def _person(s: FaceSketch, x: float, y: float, h: float, ink: tuple[int, int, int]) -> None:
    """A walking figure whose feet are at (x, y)."""
    s.disc(0.085 * h, ink, (x + 0.02 * h, y - 0.9 * h))
    s.line([(x + 0.01 * h, y - 0.76 * h), (x - 0.03 * h, y - 0.4 * h)], 0.17 * h, ink)
    s.line([(x - 0.03 * h, y - 0.42 * h), (x + 0.12 * h, y - 0.22 * h), (x + 0.16 * h, y)], 0.09 * h, ink)
    s.line([(x - 0.03 * h, y - 0.42 * h), (x - 0.08 * h, y - 0.2 * h), (x - 0.2 * h, y - 0.02 * h)], 0.09 * h, ink)
    s.line([(x, y - 0.72 * h), (x + 0.17 * h, y - 0.55 * h), (x + 0.24 * h, y - 0.6 * h)], 0.07 * h, ink)
    s.line([(x, y - 0.72 * h), (x - 0.16 * h, y - 0.58 * h), (x - 0.2 * h, y - 0.42 * h)], 0.07 * h, ink)


def _crossing(s: FaceSketch) -> None:
    s.box(0, 0, 1, 1, WHITE)
    s.box(0.03, 0.03, 0.97, 0.97, BLUE)
    s.polygon([(0.5, 0.12), (0.92, 0.86), (0.08, 0.86)], WHITE)
    _person(s, 0.5, 0.76, 0.46, BLACK)
    for k in range(5):
        s.box(0.22 + 0.12 * k, 0.79, 0.29 + 0.12 * k, 0.83, BLACK)


def _parking(s: FaceSketch) -> None:
    s.box(0, 0, 1, 1, WHITE)
    s.box(0.03, 0.03, 0.97, 0.97, BLUE)
    s.text("P", 0.78, WHITE, (0.5, 0.5))


def _bus_stop(s: FaceSketch) -> None:
    s.disc(0.49, GREEN)
    s.disc(0.42, YELLOW)
    s.text("H", 0.6, GREEN)


def _one_way(s: FaceSketch) -> None:
    s.box(0, 0, 1, 1, WHITE)
    s.box(0.012, 0.04, 0.988, 0.96, BLUE)
    _arrow(s, (0.08, 0.5), (0.94, 0.5), WHITE, 0.34)
    s.text("ONE WAY", 0.24, BLUE, (0.44, 0.5))


def _dead_end(s: FaceSketch) -> None:
    s.box(0, 0, 1, 1, WHITE)
    s.box(0.03, 0.03, 0.97, 0.97, BLUE)
    s.box(0.43, 0.36, 0.57, 0.88, WHITE)
    s.box(0.24, 0.2, 0.76, 0.36, RED)


def _warning(mark: Callable[[FaceSketch], None], ground: tuple[int, int, int] = WHITE) -> Callable[[FaceSketch], None]:
    def draw(s: FaceSketch) -> None:
        s.polygon([(0.5, 0.24), (0.82, 0.82), (0.18, 0.82)], ground)
        mark(s)

    return draw


def _diamond(mark: Callable[[FaceSketch], None]) -> Callable[[FaceSketch], None]:
    """A yellow diamond with a symbol designed for a triangle, moved up to the centre."""

    def draw(s: FaceSketch) -> None:
        s.polygon(0.5 + regular(4, 0, 0.5), BLACK)
        s.polygon(0.5 + regular(4, 0, 0.465), YELLOW)
        drawn = FaceSketch(YELLOW, s.width, s.height)
        mark(drawn)
        px = s.width * SUPERSAMPLING
        room = drawn.picture.crop((int(0.29 * px), int(0.4 * px), int(0.71 * px), int(0.82 * px)))
        s.picture.paste(room, (int(0.29 * px), int(0.29 * px)))

    return draw


def _curve(s: FaceSketch) -> None:
    s.line([(0.46, 0.79), (0.46, 0.64), (0.55, 0.55)], 0.055, BLACK)
    _arrow(s, (0.53, 0.57), (0.6, 0.47), BLACK, 0.055)


def _attention(s: FaceSketch) -> None:
    s.box(0.475, 0.42, 0.525, 0.66, BLACK)
    s.disc(0.032, BLACK, (0.5, 0.74))


def _children(s: FaceSketch) -> None:
    _person(s, 0.43, 0.79, 0.28, BLACK)
    _person(s, 0.58, 0.79, 0.24, BLACK)


def _junction(s: FaceSketch) -> None:
    s.line([(0.42, 0.56), (0.58, 0.74)], 0.05, BLACK)
    s.line([(0.58, 0.56), (0.42, 0.74)], 0.05, BLACK)


def _us_limit(value: int) -> Callable[[FaceSketch], None]:
    def draw(s: FaceSketch) -> None:
        s.box(0, 0, 1, 1, BLACK)
        s.box(0.03, 0.025, 0.97, 0.975, WHITE)
        s.text("SPEED", 0.17, BLACK, (0.5, 0.15))
        s.text("LIMIT", 0.17, BLACK, (0.5, 0.34))
        s.text(str(value), 0.42, BLACK, (0.5, 0.7))

    return draw


def _us_no_parking(s: FaceSketch) -> None:
    s.box(0, 0, 1, 1, WHITE)
    s.text("P", 0.5, BLACK)
    angle = np.linspace(0, 2 * np.pi, 64)
    s.line(np.stack([0.5 + 0.36 * np.cos(angle), 0.5 + 0.36 * np.sin(angle)], 1), 0.08, RED)
    s.line([(0.26, 0.26), (0.74, 0.74)], 0.08, RED)


def _us_parking(s: FaceSketch) -> None:
    s.box(0, 0, 1, 1, GREEN)
    s.box(0.04, 0.04, 0.96, 0.96, WHITE)
    s.text("P", 0.66, GREEN)


def _us_walker(s: FaceSketch) -> None:
    _person(s, 0.5, 0.8, 0.38, BLACK)


def _jp_stop(s: FaceSketch) -> None:
    s.polygon([(0.09, 0.11), (0.91, 0.11), (0.5, 0.83)], WHITE)
    s.polygon([(0.12, 0.13), (0.88, 0.13), (0.5, 0.8)], RED)
    s.text("STOP", 0.15, WHITE, (0.5, 0.3))


_WARNINGS = {
    "warning": _attention,
    "warning_curve": _curve,
    "warning_children": _children,
    "warning_junction": _junction,
}
Drawing = Callable[[FaceSketch], None]
# Name: outline, width and height in metres, ground colour, drawing.
SIGNS: dict[str, tuple[Points, float, float, tuple[int, int, int], Drawing]] = {
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
    "pedestrian_crossing": (SQUARE, 0.65, 0.65, BLUE, _crossing),
    "parking": (SQUARE, 0.6, 0.6, BLUE, _parking),
    "bus_stop": (_CIRCLE, 0.5, 0.5, GREEN, _bus_stop),
    "one_way": (SQUARE, 0.9, 0.3, BLUE, _one_way),
    "dead_end": (SQUARE, 0.6, 0.6, BLUE, _dead_end),
    **{name: (_UP, 0.9, 0.9, RED, _warning(mark)) for name, mark in _WARNINGS.items()},
    **{f"speed_{v}": (_CIRCLE, 0.65, 0.65, RED, _speed(v)) for v in SPEEDS},
    **{f"yellow_{name}": (_UP, 0.9, 0.9, RED, _warning(mark, YELLOW)) for name, mark in _WARNINGS.items()},
    **{f"yellow_speed_{v}": (_CIRCLE, 0.65, 0.65, RED, _speed(v, YELLOW)) for v in SPEEDS},
    "jp_stop": (_DOWN, 0.9, 0.9, RED, _jp_stop),
    **{f"jp_speed_{v}": (_CIRCLE, 0.65, 0.65, RED, _speed(v, WHITE, BLUE)) for v in SPEEDS},
    **{f"us_{name}": (_RHOMB, 0.92, 0.92, BLACK, _diamond(mark)) for name, mark in _WARNINGS.items()},
    "us_pedestrian_crossing": (_RHOMB, 0.92, 0.92, BLACK, _diamond(_us_walker)),
    "us_parking": (SQUARE, 0.46, 0.46, GREEN, _us_parking),
    "us_no_parking": (SQUARE, 0.46, 0.46, WHITE, _us_no_parking),
    **{f"us_speed_{v}": (SQUARE, 0.6, 0.76, WHITE, _us_limit(v)) for v in (25, 35, 45, 55)},
}
KINDS = tuple(SIGNS)


@cache
def face(kind: str) -> Finish:
    """The printed face of a sign."""
    if kind not in SIGNS:
        raise unknown("sign", kind, SIGNS)
    _, w, h, ground, draw = SIGNS[kind]
    sketch = FaceSketch(ground, _PX, int(_PX * h / w))
    draw(sketch)
    return Finish(Material(f"sign {kind}", (0.4, 0.4, 0.4), "plastic", 0.55, sketch.linear(kind)))
