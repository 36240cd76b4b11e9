"""Texture atlases of windows, shop windows and sign boards: one material for many different panes.

A pane shows one cell of an atlas, chosen at random, so that the windows of a house differ.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from caos.assets.mesh import Material
from caos.assets.modelling.textures import Image, blurred, fractal_noise, lettering, mix, smoothstep
from caos.assets.street.buildings.displays import KINDS, display
from caos.assets.street.canvas import RGB, Finish
from caos.assets.street.surfaces import seeded

WINDOW_COLUMNS, WINDOW_ROWS = 6, 4
SHOP_COLUMNS, SHOP_ROWS = 3, 4
OFFICE_COLUMNS, OFFICE_ROWS = 8, 8
BOARD_COLUMNS, BOARD_ROWS = 2, 16
_SHOPS: dict[str, tuple[str, ...]] = {
    "food": (
        "BAKERY",
        "Café Luna",
        "Bistro 21",
        "Trattoria",
        "Wine Bar",
        "Hotel Adler",
        "TEA HOUSE",
        "NOODLES",
        "Pizza Nova",
        "Sushi",
    ),
    "goods": (
        "BOOKS",
        "PHARMACY",
        "MARKET",
        "ELECTRONICS",
        "GROCERY",
        "Records",
        "Toys",
        "HARDWARE",
        "STATIONERY",
        "KIOSK",
    ),
    "clothes": ("Barber & Son", "OPTICS", "SHOES", "Tailor", "CLOTHING", "Fashion", "Atelier 8"),
    "plants": ("FLOWERS", "Garden", "FRUIT & VEG", "Antiques", "Gifts"),
}
NAMES = tuple(name for names in _SHOPS.values() for name in names)
COMPANIES = (
    "NORDIK", "Helvar", "AXIOM", "Logistics One", "MERIDIAN", "Kestrel & Co", "OMNITEC", "Brandt",
    "POLARIS", "Steelworks", "VANTA", "Baltic Cargo", "SOLARIA", "Unity Bank", "ARGENT", "Packwell",
    "TERRANOVA", "Quarry Ltd", "LUMEN", "Eastgate", "INSURA", "Delta Foods", "HALCYON", "Freight 24",
    "CITADEL", "Orbis", "PAPERMILL", "Marlow", "ZENIT", "Cold Storage", "ATLAS", "Union Parts",
)  # fmt: skip


def atlas_uv(index: ArrayLike, columns: int, rows: int) -> NDArray[np.float64]:
    """UV ``(n, 4, 2)`` of the cells with the given numbers, counted from the top left, along rows."""
    cell = np.asarray(index, dtype=int) % (columns * rows)
    left, top = (cell % columns) / columns, 1 - (cell // columns) / rows
    # Half a pixel inward, so that texture filtering does not sample the neighbouring cell.
    eps_u, eps_v = 0.012 / columns, 0.012 / rows
    u0, u1 = left + eps_u, left + 1 / columns - eps_u
    v0, v1 = top - 1 / rows + eps_v, top - eps_v
    return np.stack([np.stack(c, -1) for c in ((u0, v0), (u1, v0), (u1, v1), (u0, v1))], 1)


def shop_cell(name: int, rng: np.random.Generator) -> int:
    """A cell of :func:`shop_windows` that suits the name with the given number in ``NAMES``."""
    kind = next(kind for kind, names in _SHOPS.items() if NAMES[name] in names)
    return int(rng.choice([k for k in range(SHOP_COLUMNS * SHOP_ROWS) if KINDS[k % len(KINDS)] == kind]))


def _atlas(cells: list[tuple[Image, Image]], columns: int) -> tuple[Image, Image]:
    rows = [cells[k : k + columns] for k in range(0, len(cells), columns)]
    picture = np.concatenate([np.concatenate([c[0] for c in row], 1) for row in rows])
    gloss = np.concatenate([np.concatenate([c[1] for c in row], 1) for row in rows])
    return picture.astype(np.float32), gloss.astype(np.float32)


def _room(rng: np.random.Generator, height: int, width: int, level: float, warmth: float = 0.0) -> Image:
    """A dim interior: lighter ceiling line, dark corners, a few shapes of furniture."""
    y, x = np.meshgrid(np.linspace(1, 0, height), np.linspace(-1, 1, width), indexing="ij")
    light = level * (0.45 + 0.5 * smoothstep(0.2, 1.0, y)) * (1 - 0.35 * x**2)
    for _ in range(int(rng.integers(2, 5))):
        x0, w, h = rng.uniform(-1, 0.8), rng.uniform(0.2, 0.6), rng.uniform(0.15, 0.55)
        inside = (x > x0) & (x < x0 + w) & (y < h)
        light = np.where(inside, light * rng.uniform(0.4, 0.9), light)
    color = np.array([1 + 0.5 * warmth, 1.0, 1 - 0.45 * warmth])
    out: Image = blurred((light[..., None] * color).astype(np.float32), 1.0)
    return out


def _folds(rng: np.random.Generator, height: int, width: int) -> Image:
    phase = np.cumsum(rng.uniform(0.6, 1.4, width)) * 2 * np.pi / rng.uniform(9, 15)
    out: Image = np.broadcast_to(0.82 + 0.18 * np.sin(phase), (height, width)).astype(np.float32)
    return out


def _curtain(rng: np.random.Generator, picture: Image, gloss: Image) -> None:
    """Curtains drawn in at both sides, or closed."""
    height, width = gloss.shape
    tints: tuple[RGB, ...] = (
        (0.30, 0.29, 0.27),
        (0.27, 0.23, 0.17),
        (0.20, 0.21, 0.22),
        (0.24, 0.15, 0.11),
        (0.16, 0.2, 0.16),
    )
    color = np.asarray(tints[int(rng.integers(len(tints)))], np.float32) * rng.uniform(0.65, 1.0)
    reach = int(width * rng.choice([0.16, 0.24, 0.34, 0.5], p=[0.35, 0.3, 0.2, 0.15]))
    cloth = _folds(rng, height, width)[..., None] * color
    for side in (slice(0, reach), slice(width - reach, width)):
        picture[:, side] = cloth[:, side]
        gloss[:, side] = 0.5


def _blind(rng: np.random.Generator, picture: Image, gloss: Image) -> None:
    """A blind let down to some height: slats, or one plain sheet."""
    height = gloss.shape[0]
    drop = int(height * rng.choice([0.25, 0.45, 0.7, 1.0], p=[0.35, 0.3, 0.2, 0.15]))
    color = np.asarray([(0.34, 0.33, 0.30), (0.28, 0.25, 0.2), (0.2, 0.21, 0.22)][int(rng.integers(3))], np.float32)
    slats = 0.8 + 0.2 * np.sin(np.arange(drop) * 2 * np.pi / 6) if rng.random() < 0.6 else np.full(drop, 0.9)
    picture[:drop] = (slats[:, None, None] * color).astype(np.float32)
    gloss[:drop] = 0.5


def _window(rng: np.random.Generator, height: int = 128, width: int = 96) -> tuple[Image, Image]:
    lit = rng.random() < 0.12
    picture = _room(rng, height, width, 0.2 if lit else rng.uniform(0.02, 0.07), 0.6 if lit else 0.1)
    gloss = np.full((height, width), 0.6 if lit else 0.95, np.float32)
    choice = rng.random()
    if choice < 0.45:
        _curtain(rng, picture, gloss)
    elif choice < 0.72:
        _blind(rng, picture, gloss)
    if rng.random() < 0.2:
        _sill_plant(rng, picture, gloss)
    return picture, gloss


def _sill_plant(rng: np.random.Generator, picture: Image, gloss: Image) -> None:
    height, width = gloss.shape
    y, x = np.meshgrid(np.arange(height), np.arange(width), indexing="ij")
    cx, cy = rng.uniform(0.25, 0.75) * width, height * 0.84
    ragged = 9 * fractal_noise(height, width, rng, base=12, octaves=2)
    leaf = np.hypot(x - cx, (y - cy) * 0.8) < 11 + ragged
    pot = (np.abs(x - cx) < 8) & (y > height * 0.9)
    picture[leaf], picture[pot] = (0.035, 0.06, 0.02), (0.16, 0.075, 0.04)
    gloss[leaf | pot] = 0.6


@cache
def windows(*, lit: bool = False) -> Finish:
    """House windows: rooms, curtains, blinds, plants; ``WINDOW_COLUMNS`` x ``WINDOW_ROWS`` cells.

    Those that are ``lit`` look the same by day; after dark their texture is emissive.
    """
    if lit:
        picture = windows().material.texture
        return Finish(Material("lit window", (0.3, 0.22, 0.12), "emissive", 0.03, picture))
    rng = seeded("windows")
    picture, gloss = _atlas([_window(rng) for _ in range(WINDOW_COLUMNS * WINDOW_ROWS)], WINDOW_COLUMNS)
    return Finish(Material("window", (0.05, 0.05, 0.05), "glass", 0.03, picture, gloss))


def _shop(kind: int, rng: np.random.Generator) -> tuple[Image, Image]:
    picture = display(kind, rng)
    return picture, np.full(picture.shape[:2], 0.45, np.float32)


def _hall(rng: np.random.Generator, height: int = 128, width: int = 192) -> tuple[Image, Image]:
    """A lobby at night or day: lit ceiling, a bright back wall, a desk, a few plants or people as dark shapes."""
    picture = _room(rng, height, width, float(rng.uniform(0.1, 0.24)), 0.3)
    picture[int(height * 0.12) : int(height * 0.16), 10:-10] = 0.55
    wall = slice(int(height * 0.25), int(height * 0.7))
    picture[wall, int(rng.integers(0, 60)) : int(rng.integers(110, 190))] *= rng.uniform(1.2, 1.7)
    picture[int(height * 0.78) :, int(rng.integers(0, 70)) : int(rng.integers(100, 180))] = (0.12, 0.075, 0.045)
    for _ in range(3):
        x, h = int(rng.integers(0, width - 12)), int(rng.integers(30, 52))
        picture[height - h :, x : x + int(rng.integers(5, 12))] *= 0.25
    return np.clip(blurred(picture, 1.2), 0, 0.7), np.full((height, width), 0.55, np.float32)


@cache
def lobby_windows() -> Finish:
    """Lobbies behind glass; cells as :func:`shop_windows`."""
    rng = seeded("lobbies")
    picture, _ = _atlas([_hall(rng) for _ in range(SHOP_COLUMNS * SHOP_ROWS)], SHOP_COLUMNS)
    return Finish(Material("lobby window", (0.1, 0.1, 0.1), "emissive", 0.03, picture))


@cache
def shop_windows() -> Finish:
    """Shop windows with goods and lamps, shining after dark; ``SHOP_COLUMNS`` x ``SHOP_ROWS`` cells."""
    rng = seeded("shops")
    picture, _ = _atlas([_shop(k, rng) for k in range(SHOP_COLUMNS * SHOP_ROWS)], SHOP_COLUMNS)
    return Finish(Material("shop window", (0.1, 0.09, 0.08), "emissive", 0.03, picture))


def _office(rng: np.random.Generator, tone: RGB) -> tuple[Image, Image]:
    height, width = 64, 48
    lit = rng.random() < 0.15
    picture = _room(rng, height, width, 0.11 if lit else rng.uniform(0.03, 0.055), 0.1) * np.asarray(tone, np.float32)
    gloss = np.full((height, width), 0.8 if lit else 0.97, np.float32)
    if lit:
        picture[6:9, 8:40] = 0.3
    if rng.random() < 0.22:
        _blind(rng, picture, gloss)
        picture *= 0.5
    return picture, gloss


@cache
def mirror_windows(tone: int = 0) -> Finish:
    """Coated panes that mirror sky and street, each a little differently; atlas as :func:`office_windows`."""
    tones: tuple[RGB, ...] = ((0.30, 0.33, 0.35), (0.22, 0.31, 0.40), (0.31, 0.28, 0.24), (0.22, 0.33, 0.30))
    rng, color = seeded("mirror", tone), np.asarray(tones[tone % 4], np.float32)
    shades = rng.choice([0.55, 0.85, 1.0, 1.0, 1.1], (OFFICE_ROWS, OFFICE_COLUMNS)).astype(np.float32)
    picture = np.repeat(np.repeat(shades, 16, 0), 16, 1)[..., None] * color
    return Finish(Material(f"mirror glass {tone}", tones[tone % 4], "metal", 0.1, picture.astype(np.float32)))


@cache
def office_windows(tone: int = 0, *, lit: bool = False) -> Finish:
    """Curtain-wall panes, 8 x 8 cells; ``tone`` 0 neutral, 1 blue, 2 bronze, 3 green; ``lit`` ones shine after dark."""
    if lit:
        return Finish(
            Material(f"lit office {tone}", (0.2, 0.19, 0.16), "emissive", 0.02, office_windows(tone).material.texture)
        )
    tones: tuple[RGB, ...] = ((1.0, 1.0, 1.0), (0.7, 0.95, 1.35), (1.35, 1.0, 0.7), (0.75, 1.15, 1.0))
    rng = seeded("office", tone)
    picture, gloss = _atlas(
        [_office(rng, tones[tone % 4]) for _ in range(OFFICE_COLUMNS * OFFICE_ROWS)], OFFICE_COLUMNS
    )
    return Finish(Material(f"office glass {tone}", (0.03, 0.03, 0.03), "glass", 0.02, picture, gloss))


def _board(rng: np.random.Generator, name: str, height: int = 64, width: int = 512) -> tuple[Image, Image]:
    grounds: tuple[RGB, ...] = (
        (0.03, 0.03, 0.032), (0.02, 0.05, 0.035), (0.13, 0.015, 0.015), (0.02, 0.035, 0.09), (0.5, 0.47, 0.4),
        (0.07, 0.04, 0.022), (0.42, 0.30, 0.06), (0.03, 0.11, 0.12), (0.3, 0.3, 0.29), (0.09, 0.09, 0.1),
    )  # fmt: skip
    ground = np.asarray(grounds[int(rng.integers(len(grounds)))], np.float32)
    inks: tuple[RGB, ...] = (
        ((0.62, 0.6, 0.54), (0.55, 0.4, 0.12)) if ground.mean() < 0.2 else ((0.03, 0.03, 0.04), (0.2, 0.02, 0.02))
    )
    font = str(rng.choice(["DejaVuSans-Bold", "DejaVuSerif-Bold", "DejaVuSans", "DejaVuSerif-BoldItalic"]))
    ink = lettering(name, height, width, font=font, share=float(rng.uniform(0.42, 0.6)))
    base = (
        np.broadcast_to(ground, (height, width, 3))
        * (0.92 + 0.16 * fractal_noise(height, width, rng, base=4, octaves=4))[..., None]
    )
    picture = mix(base.astype(np.float32), inks[int(rng.integers(2))], ink)
    if rng.random() < 0.4:
        picture[3:5, 8:-8] = picture[-5:-3, 8:-8] = inks[0]
    return picture, np.zeros((height, width), np.float32)


@cache
def boards(companies: bool = False) -> Finish:  # noqa: FBT001
    """Sign boards with the names of shops, or of companies; 2 x 16 cells of 8 to 1."""
    rng = seeded("boards", companies)
    picture, _ = _atlas([_board(rng, name) for name in (COMPANIES if companies else NAMES)], BOARD_COLUMNS)
    return Finish(Material("sign board", (0.1, 0.1, 0.1), "diffuse", 0.4, picture))
