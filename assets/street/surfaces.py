"""Ground finishes: roads, sidewalks, kerbs, terrain, paint on the road, water.

Every function returns a :class:`Finish`: a material and the length in metres of one repeat of its texture. Textures
tile, carry 10 to 30 mm per pixel, and are soft at pixel scale, because the renderer has no mipmaps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from zlib import crc32

import numpy as np

from caos.assets.mesh import Material
from caos.assets.modelling.textures import Image, blurred, cells, fractal_noise, masonry, mix, smoothstep, strokes, tint
from caos.assets.street.canvas import Finish
from caos.foundation.errors import unknown

ASPHALTS = 8


def seeded(*key: object) -> np.random.Generator:
    """Random generator seeded by ``key`` only, so that every process builds the same texture."""
    return np.random.default_rng(crc32(repr(key).encode()))


def _grain(rng: np.random.Generator, size: int, radius_px: float = 0.8) -> Image:
    """Fine noise of mean 0 and standard deviation 1, correlated over a few pixels."""
    noise = blurred(rng.standard_normal((size, size)).astype(np.float32), radius_px)
    out: Image = (noise / noise.std()).astype(np.float32)
    return out


def _stains(rng: np.random.Generator, size: int, base: int = 3, octaves: int = 5) -> Image:
    """Soft blotches between about -1 and 1."""
    noise = fractal_noise(size, size, rng, base=base, octaves=octaves)
    out: Image = np.clip((noise - noise.mean()) / (2 * noise.std()), -1.2, 1.2).astype(np.float32)
    return out


@dataclass(frozen=True)
class _Asphalt:
    """Kind of road surface: mean reflectance, colour, unevenness and number of repairs."""

    base: float
    hue: tuple[float, float, float] = (1.0, 0.985, 0.96)
    grain: float = 0.075
    stains: float = 0.16
    patches: int = 0
    cracks: int = 0
    seams: int = 0
    tarred: int = 0


_ASPHALTS = (
    _Asphalt(0.066),
    _Asphalt(0.085, patches=3, cracks=4, seams=1),
    _Asphalt(0.102, patches=5, cracks=11, seams=3),
    _Asphalt(0.12, patches=7, cracks=24, seams=4),
    _Asphalt(0.125, (1.0, 0.99, 0.975), grain=0.11, stains=0.12, patches=2, cracks=6, seams=2),
    _Asphalt(0.094, (0.93, 0.98, 1.0), grain=0.1, stains=0.22, patches=4, cracks=2, seams=2),
    _Asphalt(0.12, (1.0, 0.95, 0.87), grain=0.12, stains=0.2, patches=3, cracks=16, tarred=9),
    _Asphalt(0.2, (1.0, 0.985, 0.95), grain=0.06, stains=0.12, patches=1, cracks=5, seams=1, tarred=3),
)


@cache
def asphalt(variant: int = 0) -> Finish:
    """Road asphalt of ``ASPHALTS`` sorts.

    From fresh and dark (0) to old, patched, cracked and bleached (3); then coarse grey stone (4), a blue-grey wearing
    course (5), warm gravel asphalt with tarred cracks (6), and a pale concrete road (7).
    """
    variant %= ASPHALTS
    look = _ASPHALTS[variant]
    rng, size, tile_m, base = seeded("asphalt", variant), 1024, 13.0, look.base
    fine = look.grain * _grain(rng, size) + 0.05 * _grain(rng, size, 3.0)
    tone = base * (1 + fine + look.stains * _stains(rng, size, 3, 6))
    tone = _patches(tone, rng, look.patches)
    cracks = blurred(strokes(rng, (size, size), look.cracks, length_px=170, wander=0.5), 0.6)
    seams = blurred(strokes(rng, (size, size), look.seams, length_px=560, width_px=3, wander=0.1, directions=2), 0.9)
    tar = blurred(strokes(rng, (size, size), look.tarred, length_px=300, width_px=5, wander=0.45), 0.8)
    tone = tone * (1 - 0.5 * cracks * smoothstep(0.35, 0.6, fractal_noise(size, size, rng, base=4, octaves=3)))
    tone = tone * (1 - 0.36 * seams)
    oil = smoothstep(0.66, 0.8, fractal_noise(size, size, rng, base=9, octaves=3))
    tone = np.clip(tone * (1 - 0.18 * oil) * (1 - 0.62 * np.clip(tar, 0, 1)), 0.02, 0.32)
    texture = tint(tone.astype(np.float32), (0, 0, 0), look.hue)
    return Finish(Material(f"asphalt {variant}", (base,) * 3, "diffuse", texture=texture, wettable=True), tile_m)


def _patches(tone: Image, rng: np.random.Generator, count: int) -> Image:
    """Rectangular repairs of the road: another tone, with a dark sealed edge."""
    size = len(tone)
    out = tone.copy()
    y, x = np.meshgrid(np.arange(size), np.arange(size), indexing="ij")
    for _ in range(count):
        cx, cy = rng.uniform(0, size, 2)
        half_x, half_y = rng.uniform(25, 110), rng.uniform(20, 70)
        wobble = 2.0 * np.sin(x * 0.05 + cy) * np.cos(y * 0.043 + cx)
        dx = np.abs((x - cx + size / 2) % size - size / 2) - half_x + wobble
        dy = np.abs((y - cy + size / 2) % size - size / 2) - half_y + wobble
        distance = np.maximum(dx, dy)
        out *= 1 + (rng.uniform(-0.28, 0.16)) * (1 - smoothstep(-1.5, 1.5, distance))
        out *= 1 - 0.3 * (1 - smoothstep(1.0, 3.0, np.abs(distance)))
    return out.astype(np.float32)


PAVINGS = ("slabs", "concrete", "cobble", "pavers", "granite", "brick")


@cache
def paving(kind: str = "slabs") -> Finish:
    """Sidewalk paving; ``kind`` in ``PAVINGS``."""
    makers: dict[str, Callable[[], Finish]] = {
        "slabs": lambda: _laid("slabs", (0.215, 0.21, 0.20), rows=6, columns=4, tile_m=3.0, spread=0.1),
        "concrete": lambda: _laid(
            "concrete", (0.265, 0.258, 0.245), rows=4, columns=4, tile_m=6.0, spread=0.06, shift=0.0
        ),
        "pavers": lambda: _laid("pavers", (0.24, 0.19, 0.165), rows=20, columns=10, tile_m=2.0, spread=0.2),
        "granite": lambda: _laid("granite", (0.235, 0.23, 0.225), rows=6, columns=3, tile_m=2.7, spread=0.16),
        "brick": lambda: _laid("brick", (0.21, 0.105, 0.075), rows=20, columns=10, tile_m=2.0, spread=0.28),
        "cobble": _cobble,
    }
    if kind not in makers:
        raise unknown("paving", kind, makers)
    return makers[kind]()


def _laid(
    name: str,
    color: tuple[float, float, float],
    *,
    rows: int,
    columns: int,
    tile_m: float,
    spread: float,
    shift: float = 0.5,
) -> Finish:
    size = 512
    rng = seeded("paving", name)
    joint_px = max(0.012 * size / tile_m, 1.6)
    tone, joint = masonry(rng, (size, size), rows, columns, joint_px=joint_px, shift=shift)
    gray = 1 + spread * 2 * (tone - 0.5) + 0.045 * _grain(rng, size) + 0.12 * _stains(rng, size)
    # Chewing gum, drips and tyre marks keep a clean pattern from looking printed.
    spots = smoothstep(0.70, 0.78, fractal_noise(size, size, rng, base=40, octaves=2))
    gray = gray * (1 - 0.16 * spots)
    texture = mix(
        gray[..., None].astype(np.float32) * np.asarray(color, np.float32), [c * 0.42 for c in color], 0.85 * joint
    )
    texture = np.clip(texture, 0.01, 0.7).astype(np.float32)
    return Finish(Material(f"paving {name}", color, "diffuse", texture=texture, wettable=True), tile_m)


def _cobble() -> Finish:
    rng, size, tile_m = seeded("cobble"), 512, 3.2
    tone, edge = cells(rng, (size, size), 26 * 26)
    crown = smoothstep(0.0, 0.42, edge)
    gray = (0.62 + 0.5 * tone + 0.05 * _grain(rng, size)) * (0.32 + 0.68 * crown) * (1 + 0.12 * _stains(rng, size))
    texture = tint(np.clip(gray, 0, 1.6).astype(np.float32), (0, 0, 0), (0.165, 0.155, 0.145))
    return Finish(Material("cobble", (0.15, 0.14, 0.13), "diffuse", texture=texture, wettable=True), tile_m)


@cache
def kerb() -> Finish:
    """Kerb stones: granite blocks of one metre, the joint across the run (u along the kerb)."""
    rng, size = seeded("kerb"), 256
    tone, joint = masonry(rng, (size, size), 2, 4, joint_px=2.4, shift=0.0)
    gray = 0.95 + 0.16 * (tone - 0.5) + 0.07 * _grain(rng, size) + 0.09 * _stains(rng, size)
    texture = mix(tint(gray.astype(np.float32), (0, 0, 0), (0.30, 0.295, 0.285)), (0.10, 0.098, 0.094), 0.8 * joint)
    return Finish(Material("kerb stone", (0.33, 0.33, 0.32), "diffuse", texture=texture, wettable=True), 4.0)


GROUNDS = ("grass", "lawn", "meadow", "soil", "field", "sand", "gravel")


@cache
def ground(kind: str = "grass") -> Finish:
    """Open ground; ``kind`` in ``GROUNDS``."""
    makers: dict[str, Callable[[], Finish]] = {
        "grass": lambda: _green("grass", (0.056, 0.076, 0.026), (0.13, 0.145, 0.062), dry=0.45, bare=0.5, blooms=500),
        "lawn": lambda: _green("lawn", (0.058, 0.082, 0.028), (0.115, 0.142, 0.056), dry=0.2, bare=0.25, blooms=260),
        "meadow": lambda: _green("meadow", (0.07, 0.085, 0.034), (0.16, 0.158, 0.075), dry=0.65, bare=0.3, blooms=1400),
        "soil": lambda: _earth("soil", (0.075, 0.052, 0.036), (0.14, 0.1, 0.07), 0.1),
        "field": _field,
        "sand": lambda: _earth("sand", (0.3, 0.235, 0.155), (0.42, 0.34, 0.235), 0.05),
        "gravel": _gravel,
    }
    if kind not in makers:
        raise unknown("ground", kind, makers)
    return makers[kind]()


def _green(
    name: str, dark: tuple[float, ...], light: tuple[float, ...], *, dry: float, bare: float, blooms: int
) -> Finish:
    """Grass in tufts, with straw, trodden earth, clover and flowers in it."""
    rng, size, tile_m = seeded("green", name), 1024, 17.0
    tuft = fractal_noise(size, size, rng, base=48, octaves=4, persistence=0.75)
    broad = fractal_noise(size, size, rng, base=3, octaves=5, persistence=0.6)
    # Blades stand in clumps a few pixels wide, some lit and some in the shade of their neighbours.
    gray = 0.5 + 1.7 * (tuft - tuft.mean()) + 1.4 * (broad - broad.mean())
    gray = np.clip(gray + 0.14 * _grain(rng, size, 1.2) + 0.12 * _grain(rng, size, 3.5), 0, 1)
    texture = tint(gray.astype(np.float32), dark, light)
    straw = smoothstep(0.52, 0.72, fractal_noise(size, size, rng, base=5, octaves=5)) * dry
    texture = mix(texture, (0.175, 0.15, 0.075), (straw * (0.5 + 0.5 * tuft)).astype(np.float32))
    clover = smoothstep(0.58, 0.66, fractal_noise(size, size, rng, base=7, octaves=5))
    texture = mix(texture, (0.056, 0.094, 0.032), (0.45 * clover * (0.4 + tuft)).astype(np.float32))
    trodden = smoothstep(0.66, 0.76, fractal_noise(size, size, rng, base=6, octaves=6, persistence=0.62)) * bare
    texture = mix(texture, (0.12, 0.092, 0.062), (trodden * (0.55 + 0.45 * tuft)).astype(np.float32))
    texture = _in_flower(texture, rng, blooms)
    return Finish(Material(name, (0.08, 0.11, 0.04), "diffuse", texture=blurred(texture, 0.5)), tile_m)


def _in_flower(texture: Image, rng: np.random.Generator, count: int) -> Image:
    """Daisies and dandelions in loose groups, each a few centimetres across."""
    size = len(texture)
    groups = rng.uniform(0, size, (max(count // 18, 1), 2))
    at = groups[rng.integers(0, len(groups), count)] + rng.normal(0, size * 0.03, (count, 2))
    for color, mine in (((0.5, 0.5, 0.44), at[::2]), ((0.5, 0.36, 0.03), at[1::2])):
        dots = np.zeros((size, size), np.float32)
        rows, columns = (mine.round().astype(int) % size).T
        dots[rows, columns] = 1.0
        texture = mix(texture, color, np.clip(3.2 * blurred(dots, 0.9), 0, 0.9).astype(np.float32))
    return texture


def _earth(name: str, dark: tuple[float, ...], light: tuple[float, ...], grain: float) -> Finish:
    rng, size, tile_m = seeded("earth", name), 512, 8.0
    lumps = fractal_noise(size, size, rng, base=5, octaves=7, persistence=0.68)
    gray = np.clip(0.5 + 1.8 * (lumps - lumps.mean()) + grain * _grain(rng, size, 1.1), 0, 1)
    texture = tint(gray.astype(np.float32), dark, light)
    return Finish(Material(name, (light[0], light[1], light[2]), "diffuse", texture=blurred(texture, 0.6)), tile_m)


def _field() -> Finish:
    """A tilled field: rows along v, soil between young green."""
    rng, size, tile_m = seeded("field"), 512, 12.0
    wobble = 5 * (fractal_noise(size, size, rng, base=4, octaves=3) - 0.5)
    rows = 0.5 + 0.5 * np.sin(2 * np.pi * (np.arange(size)[None] + wobble) * 16 / size)
    soil = tint(
        fractal_noise(size, size, rng, base=8, octaves=6, persistence=0.7), (0.06, 0.043, 0.03), (0.13, 0.097, 0.066)
    )
    leaves = smoothstep(0.4, 0.85, rows * (0.55 + 0.9 * fractal_noise(size, size, rng, base=24, octaves=4)))
    texture = mix(soil, (0.085, 0.115, 0.035), 0.85 * leaves)
    return Finish(Material("field", (0.09, 0.09, 0.04), "diffuse", texture=blurred(texture, 0.7)), tile_m)


def _gravel() -> Finish:
    rng, size, tile_m = seeded("gravel"), 512, 4.0
    tone, edge = cells(rng, (size, size), 60 * 60)
    gray = (0.68 + 0.4 * tone) * (0.6 + 0.4 * smoothstep(0.0, 0.5, edge)) * (1 + 0.15 * _stains(rng, size))
    texture = tint(np.clip(gray, 0, 1.5).astype(np.float32), (0, 0, 0), (0.27, 0.25, 0.225))
    return Finish(
        Material("gravel", (0.2, 0.19, 0.17), "diffuse", texture=blurred(texture, 0.7), wettable=True), tile_m
    )


@cache
def road_line(color: str = "white") -> Finish:
    """Worn road paint, ``white`` or ``yellow``: chipped and greyed where tyres run."""
    paints = {"white": (0.58, 0.58, 0.56), "yellow": (0.56, 0.36, 0.055)}
    if color not in paints:
        raise unknown("road line colour", color, paints)
    rng, size = seeded("line", color), 512
    wear = fractal_noise(size, size, rng, base=10, octaves=6, persistence=0.7)
    chips = smoothstep(0.57, 0.66, wear) * 0.75
    cracks = blurred(strokes(rng, (size, size), 26, length_px=90, wander=0.6), 0.5)
    dirt = 1 + 0.14 * _stains(rng, size) + 0.03 * _grain(rng, size)
    paint = dirt[..., None].astype(np.float32) * np.asarray(paints[color], np.float32)
    texture = mix(paint, (0.085, 0.083, 0.08), np.clip(chips + 0.5 * cracks, 0, 0.85).astype(np.float32))
    return Finish(
        Material(f"{color} line", paints[color], "diffuse", texture=np.clip(texture, 0, 1), wettable=True), 5.0
    )


@cache
def water() -> Finish:
    """Still water: dark and mirror-like, slightly ruffled."""
    return Finish(Material("water", (0.012, 0.028, 0.03), "glass", roughness=0.12), 10.0)
