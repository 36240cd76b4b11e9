"""Liveries: images painted on the sides of vans and lorries."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike
from PIL import Image, ImageDraw, ImageFont

from caos.assets.mesh import Material, Part
from caos.assets.modelling.colours import linear_image
from caos.assets.modelling.shapes import quad

Color = tuple[int, int, int]


@lru_cache(maxsize=32)
def poster(kind: str, color: Color, width: int = 384, height: int = 192) -> Material:
    """A painted panel: ``cola`` a drink, ``freight`` a haulier's name, ``display`` the destination of a bus."""
    image = Image.new("RGB", (width, height), color)
    ink: Color = (240, 240, 236) if sum(color) < 450 else (176, 24, 28)
    {"cola": _cola, "freight": _freight, "display": _display}[kind](ImageDraw.Draw(image), width, height, ink)
    return Material(f"{kind} livery", surface="plastic", roughness=0.35, texture=linear_image(image))


def _cola(draw: ImageDraw.ImageDraw, width: int, height: int, ink: Color) -> None:
    x = np.linspace(0, width, 80)
    upper = height * (0.62 + 0.12 * np.sin(x / width * 2 * np.pi))
    lower = height * (0.80 + 0.10 * np.sin(x / width * 2 * np.pi + 0.6))
    draw.polygon([*zip(x, upper, strict=True), *zip(x[::-1], lower[::-1], strict=True)], fill=ink)
    _text(draw, "CARLA COLA", (0.5 * width, 0.34 * height), 0.3 * height, ink)


def _freight(draw: ImageDraw.ImageDraw, width: int, height: int, _: Color) -> None:
    draw.rectangle((0, 0.74 * height, width, 0.86 * height), fill=(24, 84, 150))
    draw.rectangle((0, 0.88 * height, width, 0.91 * height), fill=(230, 140, 20))
    _text(draw, "NORDFRACHT", (0.5 * width, 0.42 * height), 0.26 * height, (24, 60, 120))


def _display(draw: ImageDraw.ImageDraw, width: int, height: int, _: Color) -> None:
    draw.rectangle((0, 0, width, height), fill=(8, 8, 8))
    _text(draw, "17  Centre", (0.5 * width, 0.48 * height), 0.62 * height, (255, 170, 40))


def _text(draw: ImageDraw.ImageDraw, text: str, center: tuple[float, float], size: float, fill: Color) -> None:
    draw.text(center, text, fill=fill, font=ImageFont.load_default(size), anchor="mm")


def panel(corner: ArrayLike, edge_u: ArrayLike, edge_v: ArrayLike, material: Material) -> Part:
    """A parallelogram that shows the whole image once, its left edge at ``corner``."""
    part = quad(corner, edge_u, edge_v, material)
    uv = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    return Part(part.vertices, part.faces, material, uv)


def mirrored_panel(corner: ArrayLike, edge_u: ArrayLike, edge_v: ArrayLike, material: Material) -> Part:
    """The same, not mirrored in CARLA's left-handed axes: the image runs from the far end of ``edge_u`` back."""
    part = panel(corner, edge_u, edge_v, material)
    uv = np.array([[1, 0], [0, 0], [0, 1], [1, 1]], np.float32)
    return Part(part.vertices, part.faces, material, uv)
