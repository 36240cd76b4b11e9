"""Shop window displays: small painted interiors with depth, light and goods."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from PIL import Image as Picture
from PIL import ImageDraw, ImageFilter

from caos.assets.modelling.colours import linear_image
from caos.assets.modelling.textures import Image, lettering, mix

HEIGHT, WIDTH = 192, 288
KINDS = ("goods", "clothes", "food", "plants", "clothes")
Ink = tuple[int, int, int]
_BRANDS: tuple[tuple[Ink, ...], ...] = (
    ((172, 158, 136), (126, 98, 76), (196, 186, 168), (92, 78, 66)),
    ((176, 176, 172), (70, 76, 88), (116, 128, 142), (44, 46, 52)),
    ((168, 88, 66), (186, 156, 110), (98, 74, 62), (204, 190, 166)),
    ((96, 116, 84), (158, 148, 104), (186, 182, 168), (70, 82, 60)),
    ((60, 60, 66), (188, 184, 176), (152, 62, 56), (120, 116, 112)),
)
_WALLS: tuple[Ink, ...] = (
    (150, 134, 112),
    (168, 160, 146),
    (122, 108, 92),
    (140, 146, 144),
    (176, 156, 122),
    (108, 112, 112),
)


def display(kind: int, rng: np.random.Generator) -> Image:
    """Image of a shop window display, linear RGB ``(HEIGHT, WIDTH, 3)``; ``kind`` is an index into ``KINDS``."""
    picture = Picture.new("RGB", (WIDTH, HEIGHT), (40, 36, 32))
    pen = ImageDraw.Draw(picture)
    brand = _BRANDS[int(rng.integers(len(_BRANDS)))]
    _room(pen, rng)
    draw = _DRAWINGS[KINDS[kind % len(KINDS)]]
    draw(pen, rng, brand)
    soft = linear_image(picture.filter(ImageFilter.GaussianBlur(0.8)))
    y = np.linspace(0, 1, HEIGHT, dtype=np.float32)[:, None, None]
    # Lit from above: the ceiling lamps fall off towards the floor.
    out: Image = (soft * (1.0 - 0.35 * y) * 0.72).astype(np.float32)
    if rng.random() < 0.3:
        out = _sticker(out, rng)
    return np.clip(out, 0, 0.7).astype(np.float32)


def _room(pen: Any, rng: np.random.Generator) -> None:
    """Back wall, side walls, floor and ceiling in perspective, with lamps in the ceiling."""
    wall = _WALLS[int(rng.integers(len(_WALLS)))]
    x0, x1, y0, y1 = 46, WIDTH - 46, 40, 132

    def shade(f: float) -> Ink:
        return (int(wall[0] * f), int(wall[1] * f), int(wall[2] * f))

    pen.rectangle((x0, y0, x1, y1), fill=shade(0.9))
    pen.polygon([(0, 0), (x0, y0), (x0, y1), (0, HEIGHT)], fill=shade(0.68))
    pen.polygon([(WIDTH, 0), (x1, y0), (x1, y1), (WIDTH, HEIGHT)], fill=shade(0.6))
    pen.polygon([(0, HEIGHT), (x0, y1), (x1, y1), (WIDTH, HEIGHT)], fill=shade(0.5))
    pen.polygon([(0, 0), (x0, y0), (x1, y0), (WIDTH, 0)], fill=shade(0.75))
    for row, half in ((10, 13), (26, 8)):
        for t in (0.2, 0.5, 0.8):
            cx = WIDTH / 2 + (t - 0.5) * WIDTH * (0.95 if row == 10 else 0.78)
            pen.ellipse((cx - half, row - 3, cx + half, row + 3), fill=(255, 244, 222))


def _goods(pen: Any, rng: np.random.Generator, brand: tuple[Ink, ...]) -> None:
    """Shelves on the back wall, boxes and baskets in front."""
    for shelf in (66, 92, 118):
        x = 54
        while x < WIDTH - 60:
            w, h = int(rng.integers(7, 18)), int(rng.integers(10, 20))
            pen.rectangle((x, shelf - h, x + w, shelf), fill=_varied(brand, rng, 0.75))
            x += w + int(rng.integers(1, 6))
        pen.rectangle((50, shelf, WIDTH - 50, shelf + 2), fill=(70, 58, 48))
    x = 8
    while x < WIDTH - 30:
        w, h = int(rng.integers(20, 48)), int(rng.integers(22, 58))
        pen.rectangle((x, HEIGHT - 12 - h, x + w, HEIGHT - 12), fill=_varied(brand, rng, 1.0))
        pen.rectangle((x + w - 4, HEIGHT - 12 - h, x + w, HEIGHT - 12), fill=_varied(brand, rng, 0.5))
        x += w + int(rng.integers(4, 34))
    pen.rectangle((0, HEIGHT - 12, WIDTH, HEIGHT), fill=(78, 66, 54))


def _clothes(pen: Any, rng: np.random.Generator, brand: tuple[Ink, ...]) -> None:
    """Dressed figures before a wall of clothes; no rack, which is a hazard."""
    for hanger in range(60, WIDTH - 64, 6):
        pen.rectangle((hanger, 72, hanger + 4, 72 + int(rng.integers(34, 46))), fill=_varied(brand, rng, 0.6))
    count = int(rng.integers(2, 5))
    for k in range(count):
        x = (k + 0.5 + rng.uniform(-0.2, 0.2)) * WIDTH / count
        top, skin = 58 + rng.uniform(-6, 6), (188, 176, 162)
        coat, legs = _varied(brand, rng, 1.0), _varied(brand, rng, 0.55)
        pen.ellipse((x - 8, top - 20, x + 8, top), fill=skin)
        pen.polygon([(x - 20, top + 4), (x + 20, top + 4), (x + 15, top + 58), (x - 15, top + 58)], fill=coat)
        pen.polygon([(x - 20, top + 4), (x - 28, top + 52), (x - 20, top + 54), (x - 13, top + 14)], fill=coat)
        pen.polygon([(x + 20, top + 4), (x + 28, top + 52), (x + 20, top + 54), (x + 13, top + 14)], fill=coat)
        pen.polygon(
            [(x - 15, top + 58), (x + 15, top + 58), (x + 9, HEIGHT - 8), (x + 2, HEIGHT - 8), (x, top + 70)], fill=legs
        )
        pen.polygon([(x - 15, top + 58), (x, top + 70), (x - 2, HEIGHT - 8), (x - 9, HEIGHT - 8)], fill=legs)
    pen.rectangle((0, HEIGHT - 8, WIDTH, HEIGHT), fill=(120, 112, 100))


def _cafe(pen: Any, rng: np.random.Generator, brand: tuple[Ink, ...]) -> None:
    """A counter with bottles and standing guests; no tables and no shaded lamps, which are hazards."""
    pen.rectangle((60, 104, WIDTH - 60, 134), fill=(92, 64, 44))
    for bottle in range(66, WIDTH - 66, 7):
        pen.rectangle((bottle, 76, bottle + 3, 90), fill=_varied(brand, rng, 0.7))
    pen.rectangle((60, 90, WIDTH - 60, 92), fill=(60, 44, 34))
    for k in range(3):
        cx = (k + 0.5 + rng.uniform(-0.15, 0.15)) * WIDTH / 3
        for side in (-1, 1):
            if rng.random() < 0.6:
                px, coat = cx + side * 36, _varied(brand, rng, 0.7)
                pen.ellipse((px - 8, 104, px + 8, 122), fill=(150, 112, 88))
                pen.polygon([(px - 15, 124), (px + 15, 124), (px + 18, HEIGHT), (px - 18, HEIGHT)], fill=coat)


def _flowers(pen: Any, rng: np.random.Generator, brand: tuple[Ink, ...]) -> None:
    """Buckets and stands full of plants (or crates of fruit, at a distance the same)."""
    blooms: tuple[Ink, ...] = ((186, 70, 80), (206, 160, 72), (204, 198, 186), (150, 92, 140), (196, 120, 92))
    for floor, low, high in ((112, 60, WIDTH - 60), (150, 30, WIDTH - 30), (HEIGHT - 6, 4, WIDTH - 8)):
        x = low
        while x < high - 16:
            color = blooms[int(rng.integers(len(blooms)))]
            pen.polygon(
                [(x, floor - 20), (x + 22, floor - 20), (x + 18, floor), (x + 4, floor)], fill=_varied(brand, rng, 0.8)
            )
            for _ in range(16):
                cx, cy = x + rng.uniform(-3, 25), floor - 20 - rng.uniform(0, 20)
                pen.ellipse((cx - 4, cy - 3, cx + 4, cy + 3), fill=(58, 92, 44) if rng.random() < 0.55 else color)
            x += int(rng.integers(22, 34))


def _varied(brand: tuple[Ink, ...], rng: np.random.Generator, light: float) -> Ink:
    r, g, b = brand[int(rng.integers(len(brand)))]
    f = light * float(rng.uniform(0.75, 1.1))
    return (min(int(r * f), 255), min(int(g * f), 255), min(int(b * f), 255))


def _sticker(picture: Image, rng: np.random.Generator) -> Image:
    """A word on the glass."""
    word = str(rng.choice(["SALE", "OPEN", "NEW", "-30 %", "Welcome", "Today"]))
    mask = np.zeros((HEIGHT, WIDTH), np.float32)
    top = int(rng.integers(52, 96))
    mask[top : top + 44] = lettering(word, 44, WIDTH, share=0.6)
    color = [(0.5, 0.5, 0.48), (0.45, 0.05, 0.04), (0.5, 0.4, 0.1)][int(rng.integers(3))]
    return mix(picture, color, 0.9 * mask)


_DRAWINGS: dict[str, Callable[[Any, np.random.Generator, tuple[Ink, ...]], None]] = {
    "goods": _goods,
    "clothes": _clothes,
    "food": _cafe,
    "plants": _flowers,
}
