"""Finishes of buildings: wall, roof and trim finishes, each made once and shared.

Reflectances are linear, as measured on real materials: brick about 0.2, plaster 0.35 to 0.6, concrete 0.3, slate 0.08.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from caos.assets.mesh import Material
from caos.assets.modelling.colours import linear_image
from caos.assets.modelling.textures import Image, blurred, cells, fractal_noise, masonry, mix, smoothstep, strokes, tint
from caos.assets.street.canvas import RGB, Finish, plain
from caos.assets.street.surfaces import seeded

PLASTERS: tuple[RGB, ...] = (
    (0.56, 0.50, 0.40),
    (0.50, 0.39, 0.24),
    (0.50, 0.30, 0.21),
    (0.60, 0.57, 0.51),
    (0.44, 0.41, 0.35),
    (0.34, 0.38, 0.36),
    (0.46, 0.42, 0.30),
    (0.40, 0.22, 0.155),
    (0.36, 0.40, 0.46),
    (0.55, 0.47, 0.36),
    (0.38, 0.40, 0.29),
    (0.50, 0.42, 0.38),
)
BRICKS: tuple[tuple[RGB, RGB], ...] = (
    ((0.15, 0.058, 0.038), (0.29, 0.125, 0.085)),
    ((0.20, 0.095, 0.055), (0.36, 0.20, 0.13)),
    ((0.27, 0.21, 0.14), (0.43, 0.36, 0.26)),
    ((0.10, 0.055, 0.045), (0.20, 0.11, 0.09)),
    ((0.19, 0.16, 0.14), (0.33, 0.29, 0.26)),
)
STONES: tuple[RGB, ...] = ((0.42, 0.37, 0.28), (0.33, 0.32, 0.30), (0.46, 0.40, 0.33), (0.36, 0.27, 0.21))
SIDINGS: tuple[RGB, ...] = (
    (0.62, 0.61, 0.58),
    (0.52, 0.47, 0.36),
    (0.24, 0.31, 0.36),
    (0.30, 0.34, 0.25),
    (0.38, 0.36, 0.34),
    (0.50, 0.42, 0.26),
    (0.21, 0.088, 0.068),
    (0.40, 0.43, 0.46),
)
CONCRETES: tuple[RGB, ...] = ((0.34, 0.33, 0.31), (0.27, 0.265, 0.255), (0.43, 0.41, 0.375), (0.38, 0.34, 0.30))
SHEETS: tuple[RGB, ...] = (
    (0.42, 0.43, 0.43),
    (0.30, 0.35, 0.39),
    (0.46, 0.43, 0.37),
    (0.16, 0.22, 0.28),
    (0.26, 0.11, 0.085),
    (0.23, 0.28, 0.22),
)
TILES: tuple[tuple[RGB, RGB], ...] = (
    ((0.16, 0.065, 0.038), (0.33, 0.145, 0.085)),
    ((0.11, 0.06, 0.045), (0.21, 0.12, 0.09)),
    ((0.055, 0.055, 0.06), (0.105, 0.105, 0.11)),
    ((0.20, 0.10, 0.06), (0.36, 0.21, 0.13)),
)
SHINGLES: tuple[tuple[RGB, RGB], ...] = (
    ((0.05, 0.05, 0.053), (0.12, 0.12, 0.122)),
    ((0.075, 0.055, 0.042), (0.155, 0.12, 0.095)),
    ((0.095, 0.09, 0.085), (0.19, 0.18, 0.17)),
    ((0.085, 0.045, 0.036), (0.17, 0.10, 0.08)),
)
TRIMS: dict[str, Finish] = {
    name: plain(f"{name} paint", color, "plastic", 0.45)
    for name, color in {
        "white": (0.66, 0.66, 0.63),
        "cream": (0.58, 0.53, 0.42),
        "sand": (0.45, 0.39, 0.29),
        "grey": (0.30, 0.30, 0.30),
        "anthracite": (0.045, 0.048, 0.052),
        "black": (0.02, 0.02, 0.021),
        "brown": (0.085, 0.045, 0.025),
        "green": (0.03, 0.085, 0.05),
        "blue": (0.04, 0.085, 0.15),
        "red": (0.23, 0.03, 0.025),
        "teal": (0.05, 0.15, 0.15),
        "oxblood": (0.11, 0.022, 0.02),
    }.items()
}
ALUMINIUM = plain("aluminium", (0.55, 0.56, 0.57), "metal", 0.4)
GALVANIZED = plain("galvanized", (0.42, 0.43, 0.44), "plastic", 0.5)
DARK = plain("shadow gap", (0.015, 0.015, 0.016))
DARK_GLASS = plain("dark glass", (0.02, 0.024, 0.027), "glass", 0.03)


def _dirt(rng: np.random.Generator, size: int, strength: float) -> Image:
    """A factor around 1: blotches, and streaks that run down the wall."""
    blotch = fractal_noise(size, size, rng, base=3, octaves=5)
    streak = blurred(np.repeat(fractal_noise(16, size, rng, base=24, octaves=3), size // 16, 0), 2.0)
    out: Image = (1 + strength * ((blotch - blotch.mean()) * 2.2 + 0.8 * (streak - streak.mean()))).astype(np.float32)
    return out


def _wall(name: str, texture: Image, color: RGB, tile_m: float) -> Finish:
    return Finish(Material(name, color, "diffuse", texture=np.clip(texture, 0.004, 0.9).astype(np.float32)), tile_m)


@cache
def plaster(index: int) -> Finish:
    """Rendered wall in one of ``PLASTERS``."""
    rng, color = seeded("plaster", index), PLASTERS[index % len(PLASTERS)]
    size = 256
    gray = _dirt(rng, size, 0.14) + 0.02 * blurred(rng.standard_normal((size, size)).astype(np.float32), 1.0)
    bare = smoothstep(0.7, 0.78, fractal_noise(size, size, rng, base=5, octaves=5)) * (0.3 if index % 3 == 1 else 0.0)
    texture = mix(gray[..., None] * np.asarray(color, np.float32), (0.34, 0.29, 0.23), bare)
    return _wall(f"plaster {index}", texture, color, 5.0)


@cache
def brick(index: int) -> Finish:
    """Brickwork in one of ``BRICKS``: courses of 77 mm in running bond."""
    dark, light = BRICKS[index % len(BRICKS)]
    rng, size = seeded("brick", index), 384
    tone, joint = masonry(rng, (size, size), 40, 12, joint_px=1.5)
    gray = np.clip(0.5 + 0.85 * (tone - 0.5), 0, 1)
    texture = tint(gray, dark, light) * _dirt(rng, size, 0.12)[..., None]
    mortar = [0.62 * c + 0.13 for c in light]
    return _wall(f"brick {index}", mix(texture, mortar, 0.7 * joint), light, 3.1)


@cache
def stone(index: int) -> Finish:
    """Dressed stone in courses; the odd ones are rubble."""
    color, rng, size = STONES[index % len(STONES)], seeded("stone", index), 384
    if index % 2:
        tone, edge = cells(rng, (size, size), 150)
        joint = 1 - smoothstep(0.02, 0.12, edge)
    else:
        tone, joint = masonry(rng, (size, size), 10, 6, joint_px=2.2)
    grain = fractal_noise(size, size, rng, base=24, octaves=4) - 0.5
    gray = (0.84 + 0.32 * tone + 0.22 * grain) * _dirt(rng, size, 0.14)
    texture = mix(gray[..., None] * np.asarray(color, np.float32), [0.55 * c for c in color], 0.75 * joint)
    return _wall(f"stone {index}", texture, color, 3.6)


@cache
def siding(index: int) -> Finish:
    """Horizontal boards that overlap: a shadow under each lip."""
    color, rng, size = SIDINGS[index % len(SIDINGS)], seeded("siding", index), 256
    boards = 16
    y = (np.arange(size) * boards / size) % 1.0
    # Row 0 is the top of the image: a board starts in the shade of the one above it.
    shade = 0.55 + 0.45 * smoothstep(0.0, 0.22, y)
    tone = rng.uniform(0.96, 1.03, boards).astype(np.float32)[(np.arange(size) * boards // size)]
    gray = (shade * tone)[:, None] * _dirt(rng, size, 0.08)
    return _wall(f"siding {index}", gray[..., None] * np.asarray(color, np.float32), color, 2.6)


@cache
def concrete(index: int) -> Finish:
    """Fair-faced concrete in panels, with tie holes and rain streaks."""
    color, rng, size = CONCRETES[index % len(CONCRETES)], seeded("concrete", index), 384
    tone, joint = masonry(rng, (size, size), 4, 2, joint_px=2.0, shift=0.0)
    gray = (0.94 + 0.12 * tone) * _dirt(rng, size, 0.2)
    texture = mix(gray[..., None] * np.asarray(color, np.float32), [0.5 * c for c in color], 0.7 * joint)
    return _wall(f"concrete {index}", texture, color, 6.0)


@cache
def sheet(index: int) -> Finish:
    """Profiled metal sheet: vertical ribs every 0.2 m."""
    color, rng, size = SHEETS[index % len(SHEETS)], seeded("sheet", index), 256
    x = (np.arange(size) * 10 / size) % 1.0
    rib = 0.72 + 0.28 * smoothstep(0.0, 0.16, x) - 0.3 * smoothstep(0.5, 0.66, x) + 0.3 * smoothstep(0.84, 1.0, x)
    gray = rib[None] * _dirt(rng, size, 0.1)
    rust = smoothstep(0.72, 0.82, fractal_noise(size, size, rng, base=4, octaves=5)) * 0.35
    texture = mix(gray[..., None].astype(np.float32) * np.asarray(color, np.float32), (0.19, 0.10, 0.055), rust)
    return _wall(f"sheet {index}", texture, color, 2.0)


@cache
def roof_tiles(index: int) -> Finish:
    """Curved clay tiles (or slate for the dark one): courses of 0.32 m, lips in shadow."""
    dark, light = TILES[index % len(TILES)]
    rng, size, rows, columns = seeded("tiles", index), 256, 8, 10
    tone, _ = masonry(rng, (size, size), rows, columns, shift=0.0)
    y, x = (np.arange(size) * rows / size) % 1.0, (np.arange(size) * columns / size) % 1.0
    shade = (0.62 + 0.38 * smoothstep(0.0, 0.25, y))[:, None] * (0.66 + 0.34 * np.sin(np.pi * x))[None]
    moss = smoothstep(0.6, 0.8, fractal_noise(size, size, rng, base=4, octaves=5)) * 0.35
    texture = tint(0.25 + 0.5 * tone, dark, light) * (shade * _dirt(rng, size, 0.16))[..., None].astype(np.float32)
    return _wall(f"roof tiles {index}", mix(texture, (0.06, 0.065, 0.04), moss), light, 2.56)


@cache
def shingles(index: int) -> Finish:
    """Asphalt shingles in staggered courses."""
    dark, light = SHINGLES[index % len(SHINGLES)]
    rng, size = seeded("shingles", index), 256
    tone, joint = masonry(rng, (size, size), 18, 10, joint_px=1.0)
    y = (np.arange(size) * 18 / size) % 1.0
    shade = (0.7 + 0.3 * smoothstep(0.0, 0.3, y))[:, None] * _dirt(rng, size, 0.12)
    texture = tint(0.25 + 0.5 * tone, dark, light) * shade[..., None].astype(np.float32)
    return _wall(f"shingles {index}", mix(texture, [0.5 * c for c in dark], 0.5 * joint), light, 2.7)


@cache
def seamed_metal(index: int) -> Finish:
    """Sheet metal roofing with standing seams every 0.5 m."""
    color = ((0.20, 0.21, 0.215), (0.13, 0.20, 0.175), (0.30, 0.30, 0.30))[index % 3]
    rng, size = seeded("seams", index), 128
    x = (np.arange(size) * 4 / size) % 1.0
    seam = 1 - 0.35 * (1 - smoothstep(0.0, 0.08, np.minimum(x, 1 - x)))
    gray = seam[None] * _dirt(rng, size, 0.1)
    return _wall(f"seamed metal {index}", gray[..., None] * np.asarray(color, np.float32), color, 2.0)


@cache
def flat_roof(index: int) -> Finish:
    """Bitumen sheet or gravel on a flat roof."""
    rng, size = seeded("flat roof", index), 256
    tone, joint = masonry(rng, (size, size), 6, 1, joint_px=1.5, shift=0.3)
    base = (0.085, 0.17)[index % 2]
    gray = base * (0.9 + 0.2 * tone) * _dirt(rng, size, 0.25) * (1 - 0.25 * joint)
    return _wall(f"flat roof {index}", tint(gray.astype(np.float32), (0, 0, 0), (1, 0.98, 0.95)), (base,) * 3, 6.0)


@cache
def timber(index: int) -> Finish:
    """Old beams: brown, black or grey wood, grain along v."""
    color: RGB = ((0.075, 0.045, 0.028), (0.03, 0.025, 0.022), (0.14, 0.115, 0.09), (0.17, 0.09, 0.045))[index % 4]
    rng, size = seeded("timber", index), 128
    fibre = np.repeat(fractal_noise(8, size, rng, base=48, octaves=2), size // 8, 0)
    crack = blurred(strokes(rng, (size, size), 6, length_px=40, wander=0.1), 0.5)
    gray = (0.75 + 0.5 * blurred(fibre, 0.8)) * (1 - 0.3 * crack)
    return _wall(f"timber {index}", gray[..., None] * np.asarray(color, np.float32), color, 1.2)


@cache
def louvres(trim: str) -> Finish:
    """Shutter slats in one of the ``TRIMS``."""
    color, size = TRIMS[trim].material.color, 64
    y = (np.arange(size) * 8 / size) % 1.0
    slat = (0.5 + 0.5 * smoothstep(0.0, 0.45, y))[:, None] * _dirt(seeded("louvres", trim), size, 0.1)
    return _wall(f"{trim} louvres", slat[..., None] * np.asarray(color, np.float32) * 1.15, color, 0.5)


@cache
def stripes(index: int) -> Finish:
    """Awning canvas: one colour, or bands with white; u across."""
    colors: tuple[RGB, ...] = (
        (0.33, 0.035, 0.03),
        (0.03, 0.13, 0.07),
        (0.035, 0.07, 0.18),
        (0.42, 0.24, 0.05),
        (0.19, 0.19, 0.19),
        (0.30, 0.16, 0.09),
    )
    color, rng, size = np.asarray(colors[index % len(colors)], np.float32), seeded("stripes", index), 128
    x = (np.arange(size) * 4 / size) % 1.0
    band = smoothstep(0.45, 0.52, x) * (1 - smoothstep(0.95, 1.0, x)) if index % 2 == 0 else np.zeros(size, np.float32)
    base = np.broadcast_to(color, (size, size, 3)).astype(np.float32)
    texture = mix(base, (0.52, 0.50, 0.45), np.broadcast_to(band, (size, size)).astype(np.float32))
    return _wall(f"awning {index}", texture * _dirt(rng, size, 0.12)[..., None], colors[index % len(colors)], 1.6)


@cache
def graffiti() -> Finish:
    """Concrete sprayed over with names and tags, up to about two metres above v = 0."""
    from PIL import Image as Picture
    from PIL import ImageDraw, ImageFont

    from caos.assets.modelling.textures import font_path

    rng, size = seeded("graffiti"), 1024
    picture = Picture.new("RGB", (size, size), (0, 0, 0))
    mask = Picture.new("L", (size, size), 0)
    pens = [ImageDraw.Draw(picture), ImageDraw.Draw(mask)]
    words = ("SKOR", "vex", "NOMAD", "rue9", "ZEKO", "lost", "KAOS", "mrs.b", "OHM", "2fast", "TRIP", "sol")
    for k, word in enumerate(words):
        color = tuple(int(c) for c in rng.integers(30, 235, 3))
        face = ImageFont.truetype(font_path("DejaVuSans-BoldOblique"), int(rng.integers(48, 190)))
        # Graffiti reaches up to two metres, which are the last rows of the image.
        x, y = float(k * size / len(words) + rng.uniform(-30, 30)), float(size - rng.uniform(120, 290))
        for pen, ink, edge in ((pens[0], color, (12, 12, 14)), (pens[1], 255, 255)):
            for wrap in (0, -size):
                pen.text((x + wrap, y), word, fill=ink, font=face, stroke_width=5, stroke_fill=edge)
    spray = linear_image(picture) * np.float32(0.6)
    wall = concrete(1).material.texture
    assert wall is not None
    base = np.tile(wall, (3, 3, 1))[:size, :size]
    worn = np.asarray(mask, np.float32) / 255 * (0.65 + 0.35 * fractal_noise(size, size, rng, base=12, octaves=4))
    return _wall(
        "graffiti",
        mix(base, spray, np.clip(blurred(worn.astype(np.float32), 0.6), 0, 0.95)),
        (0.27, 0.26, 0.25),
        8.0,
    )
