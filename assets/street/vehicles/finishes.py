"""Materials that vehicles share. One object each, so that parts of equal material fuse."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from caos.assets.mesh import Material
from caos.assets.modelling.colours import linear_color

GLASS = Material("window", (0.025, 0.03, 0.032), "glass", 0.03)
TRIM = Material("black trim", (0.012, 0.012, 0.013), "plastic", 0.45)
RUBBER = Material("tyre", (0.022, 0.022, 0.023), "plastic", 0.85)
WELL = Material("wheel well", (0.008, 0.008, 0.008))
UNDERBODY = Material("underbody", (0.015, 0.015, 0.015))
GAP = Material("shut line", (0.006, 0.006, 0.006))
CHROME = Material("chrome", (0.78, 0.79, 0.8), "metal", 0.12)
ALLOY = Material("alloy", (0.52, 0.53, 0.55), "metal", 0.3)
DARK_ALLOY = Material("dark alloy", (0.09, 0.09, 0.095), "metal", 0.35)
STEEL = Material("steel", (0.3, 0.3, 0.31), "metal", 0.45)
LENS = Material("headlamp", (0.62, 0.66, 0.7), "plastic", 0.08)
REFLECTOR = Material("lamp reflector", (0.86, 0.87, 0.88), "metal", 0.1)
BEZEL = Material("lamp bezel", (0.035, 0.036, 0.04), "plastic", 0.12)
TAIL = Material("tail lamp", (0.3, 0.006, 0.008), "plastic", 0.12)
TAIL_BRIGHT = Material("tail lamp strip", (0.62, 0.02, 0.02), "plastic", 0.1)
AMBER = Material("indicator", (0.75, 0.24, 0.02), "plastic", 0.12)
PLATE_WHITE = Material("number plate", (0.78, 0.78, 0.76), "plastic", 0.4)
PLATE_INK = Material("number plate letters", (0.02, 0.02, 0.03), "plastic", 0.5)
WHITE = Material("white lacquer", (0.8, 0.8, 0.78), "paint", 0.2)
BLACK = Material("black lacquer", (0.01, 0.01, 0.011), "paint", 0.15)
BLUE_BEACON = Material("blue beacon", (0.02, 0.08, 0.6), "plastic", 0.1)
RED_BEACON = Material("red beacon", (0.6, 0.02, 0.02), "plastic", 0.1)
LIT_HEAD = Material("lit headlamp", (9.0, 8.6, 7.6), "emissive")
LIT_TAIL = Material("lit tail lamp", (2.2, 0.05, 0.04), "emissive")


@lru_cache(maxsize=256)
def paint(color: tuple[int, int, int]) -> Material:
    """Car paint of an sRGB colour 0..255, as CARLA's ``color`` attribute gives it."""
    r, g, b = (float(v) for v in np.clip(linear_color(color), 0.004, 0.85))
    return Material(f"paint {color}", (r, g, b), "paint", 0.18)


@lru_cache(maxsize=64)
def matt(red: float, green: float, blue: float) -> Material:
    """A matt surface of a linear colour."""
    return Material("matt", (red, green, blue))


@lru_cache(maxsize=64)
def lacquer(red: float, green: float, blue: float) -> Material:
    """Glossy lacquer of a linear colour: liveries, frames."""
    return Material("lacquer", (red, green, blue), "paint", 0.2)
