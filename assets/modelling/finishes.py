"""Materials of the built-in objects: wood, fabric, leather, metal, plastic, glass, fur, stone ...

Colours are given as sRGB (0..255) and converted to the linear reflectances that :class:`Material` holds.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from caos.assets.mesh import Floats, Material
from caos.assets.modelling import textures
from caos.assets.modelling.colours import linear_color
from caos.assets.modelling.textures import Image, fractal_noise, tint

Color = Sequence[float]

WOODS: dict[str, tuple[Color, Color]] = {
    "oak": ((134, 92, 52), (186, 140, 88)),
    "pine": ((184, 138, 84), (222, 184, 130)),
    "walnut": ((62, 40, 26), (104, 70, 46)),
    "mahogany": ((78, 30, 18), (132, 60, 36)),
    "birch": ((200, 174, 138), (228, 208, 176)),
    "weathered": ((104, 98, 90), (150, 142, 130)),
    "white": ((206, 204, 198), (232, 230, 224)),
    "black": ((24, 22, 22), (46, 42, 40)),
}
CLOTHS: tuple[Color, ...] = (
    (150, 40, 42), (44, 74, 122), (70, 104, 64), (190, 160, 110), (96, 96, 100), (206, 132, 44), (90, 58, 100),
    (40, 112, 112), (214, 204, 186), (58, 42, 36), (188, 92, 104), (30, 34, 48),
)  # fmt: skip
BRIGHT: tuple[Color, ...] = (
    (208, 38, 34), (28, 96, 190), (244, 190, 30), (40, 150, 72), (236, 112, 28), (132, 52, 150), (24, 164, 176),
    (232, 84, 140), (240, 240, 236), (36, 36, 40),
)  # fmt: skip


def pigment(color: Color) -> tuple[float, float, float]:
    """Linear RGB of an sRGB colour, slightly desaturated: pigments are duller than displays."""
    linear = np.asarray(linear_color(color))
    return _rgb(0.86 * linear + 0.14 * float(linear @ (0.2126, 0.7152, 0.0722)))


def pick(rng: np.random.Generator, colors: Sequence[Color]) -> Color:
    """One of the colours."""
    return colors[int(rng.integers(len(colors)))]


def wood(rng: np.random.Generator, name: str = "oak") -> Material:
    """Grained wood by name of :data:`WOODS`."""
    a, b = (np.asarray(pigment(c)) for c in WOODS[name])
    dark, light = _rgb(0.72 * a + 0.28 * b), _rgb(b)
    return Material(f"{name} wood", light, "plastic", 0.55, textures.wood(rng, dark, light, size=128))


def fabric(rng: np.random.Generator, color: Color) -> Material:
    """Woven cloth."""
    base = pigment(color)
    return Material("fabric", base, texture=textures.fabric(rng, base, size=96, threads=24))


def striped(rng: np.random.Generator, colors: Sequence[Color], *, per_m: float = 6, across: bool = False) -> Material:
    """Cloth with stripes, ``per_m`` repeats in a metre of u (or of v when ``across``)."""
    size = 96
    wear = 0.85 + 0.15 * fractal_noise(size, size, rng, base=8, octaves=3)
    column = (np.arange(size) * per_m * len(colors) / size).astype(int) % len(colors)
    row = np.asarray([pigment(c) for c in colors], np.float32)[column]
    image = np.broadcast_to(row[:, None] if across else row[None], (size, size, 3)) * wear[..., None]
    return Material("striped fabric", pigment(colors[0]), texture=image.astype(np.float32))


def leather(rng: np.random.Generator, color: Color) -> Material:
    """Slightly shiny, mottled skin."""
    base = np.asarray(pigment(color))
    return Material("leather", _rgb(base), "plastic", 0.42, _mottled(rng, base, 0.3, size=96))


def fur(rng: np.random.Generator, color: Color, contrast: float = 0.5) -> Material:
    """Short hair: streaks along v."""
    base = np.asarray(pigment(color))
    image = tint(_streaks(rng, 96), base * (1 - contrast), base * (1 + contrast * 0.6))
    return Material("fur", _rgb(base), texture=image)


def coat(rng: np.random.Generator, ramp: Sequence[tuple[float, Color]], *, shiny: bool = False) -> Material:
    """Hair or skin for :func:`caos.assets.modelling.assembly.painted`, with colours at positions 0..1 of a ramp."""
    width = 128
    at = np.linspace(0, 1, width)
    stops = [s for s, _ in ramp]
    colors = np.asarray([pigment(c) for _, c in ramp])
    row = np.stack([np.interp(at, stops, colors[:, k]) for k in range(3)], 1)
    shade = 0.78 + 0.36 * _streaks(rng, width)
    image = np.clip(row[None] * shade[..., None], 0, 1).astype(np.float32)
    return Material("coat", _rgb(row.mean(0)), "plastic" if shiny else "diffuse", 0.35, image)


def stone(rng: np.random.Generator, color: Color = (150, 146, 138)) -> Material:
    """Grained stone or concrete."""
    base = np.asarray(pigment(color))
    image = textures.speckle(rng, _rgb(base * 0.55), _rgb(np.minimum(base * 1.35, 1)), size=128)
    return Material("stone", _rgb(base), texture=image)


def marble(rng: np.random.Generator, color: Color = (226, 222, 214), vein: Color = (120, 116, 114)) -> Material:
    """Polished stone with veins."""
    n = fractal_noise(128, 128, rng, base=3, octaves=5)
    veins = np.exp(-((np.abs(n - 0.5) / 0.02) ** 1.0)).astype(np.float32)
    return Material("marble", pigment(color), "plastic", 0.25, tint(veins, pigment(color), pigment(vein)))


def rusty(rng: np.random.Generator, color: Color, amount: float = 0.4) -> Material:
    """Painted metal with rust showing through over the given share."""
    n = fractal_noise(128, 128, rng, base=4, octaves=5)
    rust = np.clip((n - np.quantile(n, 1 - amount)) * 9, 0, 1)[..., None]
    grain = fractal_noise(128, 128, rng, base=16, octaves=3)
    brown = tint(grain, pigment((66, 34, 18)), pigment((150, 84, 44)))
    base = np.asarray(pigment(color), np.float32)
    image = (base * (1 - rust) + brown * rust).astype(np.float32)
    return Material("rusty metal", pigment(color), "plastic", 0.5, image)


def cardboard(rng: np.random.Generator) -> Material:
    """Brown paper board."""
    base = pigment((176, 134, 90))
    return Material("cardboard", base, texture=_mottled(rng, base, 0.16))


def straw(rng: np.random.Generator) -> Material:
    """Dry stalks."""
    return Material("straw", texture=tint(_streaks(rng, 128), pigment((118, 88, 38)), pigment((232, 204, 122))))


def metal(color: Color = (190, 192, 196), roughness: float = 0.3) -> Material:
    """Bare metal."""
    return Material("metal", pigment(color), "metal", roughness)


def steel() -> Material:
    """Brushed steel."""
    return metal((186, 188, 192), 0.32)


def brass() -> Material:
    """Polished brass or gold."""
    return metal((222, 176, 84), 0.22)


def paint(color: Color) -> Material:
    """Glossy paint over metal or wood."""
    return Material("paint", pigment(color), "paint", 0.2)


def plastic(color: Color, roughness: float = 0.4) -> Material:
    """Moulded plastic."""
    return Material("plastic", pigment(color), "plastic", roughness)


def matt(color: Color) -> Material:
    """A surface without shine."""
    return Material("matt", pigment(color))


def rubber() -> Material:
    """Black rubber."""
    return Material("rubber", pigment((34, 34, 36)), "plastic", 0.7)


def ceramic(color: Color = (236, 236, 232)) -> Material:
    """Glazed ceramic or enamel."""
    return Material("ceramic", pigment(color), "plastic", 0.12)


def glass() -> Material:
    """Dark mirror-like glass."""
    return Material("glass", (0.03, 0.035, 0.04), "glass", 0.03)


def picture(rng: np.random.Generator) -> Material:
    """An abstract painting: fields of colour over a ground."""
    size = 96
    y, x = np.mgrid[0:size, 0:size] / size
    image = np.broadcast_to(np.asarray(pigment(pick(rng, CLOTHS)), np.float32), (size, size, 3)).copy()
    for _ in range(9):
        cx, cy, rx, ry = rng.uniform((0, 0, 0.05, 0.05), (1, 1, 0.35, 0.3))
        round_patch = ((x - cx) / rx) ** 2 + ((y - cy) / ry) ** 2 < 1
        inside = round_patch if rng.random() < 0.6 else abs(x - cx) + abs(y - cy) < rx
        image[inside] = pigment(pick(rng, BRIGHT))
    brushed = image * (0.8 + 0.2 * _streaks(rng, size))[..., None]
    return Material("canvas", texture=np.clip(brushed, 0, 1).astype(np.float32))


def from_image(name: str, image: Floats, *, gloss: float | None = None) -> Material:
    """A material that shows an image (linear RGB); ``gloss`` gives it a clear coat of that roughness."""
    return Material(name, texture=image, surface="diffuse" if gloss is None else "plastic", roughness=gloss or 0.5)


def _rgb(color: Sequence[float] | np.ndarray) -> tuple[float, float, float]:
    r, g, b = (float(c) for c in color)
    return r, g, b


def _streaks(rng: np.random.Generator, size: int) -> Image:
    fine = rng.random((size // 8, size), dtype=np.float32)
    rows = np.arange(size) * (size // 8) / size
    low = rows.astype(int)
    f = (rows - low)[:, None].astype(np.float32)
    hair = fine[low] * (1 - f) + fine[(low + 1) % len(fine)] * f
    out: Image = (0.55 * hair + 0.45 * fractal_noise(size, size, rng, base=5, octaves=4)).astype(np.float32)
    return out


def _mottled(rng: np.random.Generator, base: Sequence[float] | np.ndarray, amount: float, size: int = 96) -> Image:
    b = np.asarray(base)
    return tint(fractal_noise(size, size, rng, base=6, octaves=5), b * (1 - amount), np.minimum(b * (1 + amount), 1))
