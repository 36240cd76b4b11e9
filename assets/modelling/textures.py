"""Procedural texture images: linear RGB ``(h, w, 3)`` or gray ``(h, w)`` float32 in 0..1, tileable."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Image = NDArray[np.float32]


def fractal_noise(
    height: int, width: int, rng: np.random.Generator, *, base: int = 4, octaves: int = 5, persistence: float = 0.55
) -> Image:
    """Tileable gray value noise in 0..1: ``base`` cells across in the first octave, twice as many in each next one."""
    total = np.zeros((height, width), np.float32)
    weight, weights = 1.0, 0.0
    for octave in range(octaves):
        cells_y, cells_x = (min(base * 2**octave, n) for n in (height, width))
        grid = rng.random((cells_y, cells_x), dtype=np.float32)
        total += weight * _smooth_upsample(grid, height, width)
        weights += weight
        weight *= persistence
    return total / np.float32(weights)


def _smooth_upsample(grid: Image, height: int, width: int) -> Image:
    rows, columns = grid.shape
    y, x = np.arange(height) * rows / height, np.arange(width) * columns / width
    y0, x0 = y.astype(int), x.astype(int)
    fy, fx = (y - y0)[:, None].astype(np.float32), (x - x0)[None].astype(np.float32)
    fy, fx = fy * fy * (3 - 2 * fy), fx * fx * (3 - 2 * fx)
    y1, x1 = (y0 + 1) % rows, (x0 + 1) % columns
    top = grid[np.ix_(y0, x0)] * (1 - fx) + grid[np.ix_(y0, x1)] * fx
    bottom = grid[np.ix_(y1, x0)] * (1 - fx) + grid[np.ix_(y1, x1)] * fx
    out: Image = (top * (1 - fy) + bottom * fy).astype(np.float32)
    return out


def tint(gray: Image, dark: ArrayLike, light: ArrayLike) -> Image:
    """Map a gray image linearly from one linear RGB colour (at 0) to another (at 1)."""
    low, high = np.asarray(dark, np.float32), np.asarray(light, np.float32)
    out: Image = np.clip(low + gray[..., None] * (high - low), 0, 1).astype(np.float32)
    return out


def wood(rng: np.random.Generator, dark: Sequence[float], light: Sequence[float], *, size: int = 256) -> Image:
    """Wood grain running along v."""
    v, u = np.meshgrid(np.linspace(0, 1, size), np.linspace(0, 1, size, endpoint=False), indexing="ij")
    warp = fractal_noise(size, size, rng, base=2, octaves=3)
    rings = 0.5 + 0.5 * np.sin(2 * np.pi * (u * 8 + warp * 1.6 + 0.15 * np.sin(2 * np.pi * v)))
    fibre = np.repeat(fractal_noise(8, size, rng, base=64, octaves=2), size // 8, 0)
    return tint((0.65 * rings + 0.35 * fibre).astype(np.float32), dark, light)


def fabric(rng: np.random.Generator, color: Sequence[float], *, size: int = 128, threads: int = 32) -> Image:
    """A plain weave of the given colour with slight wear."""
    v, u = np.meshgrid(np.arange(size), np.arange(size), indexing="ij")
    weave = 0.5 + 0.25 * np.sin(2 * np.pi * u * threads / size) + 0.25 * np.sin(2 * np.pi * v * threads / size)
    wear = fractal_noise(size, size, rng, base=3, octaves=4)
    gray = (0.6 * weave + 0.4 * wear).astype(np.float32)
    base = np.asarray(color)
    return tint(gray, base * 0.62, np.minimum(base * 1.25, 1))


def speckle(rng: np.random.Generator, dark: Sequence[float], light: Sequence[float], *, size: int = 256) -> Image:
    """Fine irregular grain: concrete, stone, asphalt, fur at a distance."""
    noise = fractal_noise(size, size, rng, base=6, octaves=6, persistence=0.8)
    grain = rng.random((size, size), dtype=np.float32)
    return tint(np.clip(0.75 * noise + 0.25 * grain, 0, 1), dark, light)


def smoothstep(low: float, high: float, values: NDArray[np.floating]) -> Image:
    """0 below ``low``, 1 above ``high``, a cubic curve between."""
    t = np.clip((values - low) / (high - low), 0, 1)
    out: Image = (t * t * (3 - 2 * t)).astype(np.float32)
    return out


def mix(first: Image, second: Image | Sequence[float], share: Image) -> Image:
    """``first`` where ``share`` is 0, ``second`` (an image or one colour) where it is 1."""
    out: Image = (first + share[..., None] * (np.asarray(second, np.float32) - first)).astype(np.float32)
    return out


def masonry(
    rng: np.random.Generator,
    shape: tuple[int, int],
    rows: int,
    columns: int,
    *,
    joint_px: float = 1.5,
    shift: float = 0.5,
) -> tuple[Image, Image]:
    """Courses of blocks: a random gray per block, and how much of each pixel is joint (0..1). Even ``rows`` tile."""
    height, width = shape
    y = np.arange(height) * rows / height
    row = y.astype(int)
    x = np.arange(width)[None] * columns / width + (row % 2)[:, None] * shift
    column = np.floor(x).astype(int) % columns
    tone = rng.random((rows, columns), dtype=np.float32)[row[:, None], column]
    fy, fx = (y - row)[:, None], x - np.floor(x)
    gap_y = np.minimum(fy, 1 - fy) * height / rows
    gap_x = np.minimum(fx, 1 - fx) * width / columns
    joint = 1 - smoothstep(joint_px / 2 - 0.5, joint_px / 2 + 0.7, np.minimum(gap_y, gap_x))
    return tone, joint


def cells(rng: np.random.Generator, shape: tuple[int, int], count: int) -> tuple[Image, Image]:
    """Tileable irregular stones: a random gray per stone, and the distance to the joint (0 in it, 1 mid-stone)."""
    from scipy.spatial import cKDTree

    height, width = shape
    # Points on a jittered grid: stones of similar size, as laid by hand.
    across = max(int(np.sqrt(count * width / height)), 2)
    down = max(count // across, 2)
    grid = np.stack(np.meshgrid(np.arange(across), np.arange(down)), -1).reshape(-1, 2) + 0.5
    points = (grid + rng.uniform(-0.36, 0.36, grid.shape)) / (across, down) * (width, height) % (width, height)
    pixels = np.stack(np.meshgrid(np.arange(width), np.arange(height)), -1).reshape(-1, 2) + 0.5
    distance, index = cKDTree(points, boxsize=(width, height)).query(pixels, k=2)
    tone = rng.random(len(points), dtype=np.float32)[index[:, 0]].reshape(shape)
    pitch = np.sqrt(width * height / len(points))
    edge = np.clip((distance[:, 1] - distance[:, 0]) / pitch, 0, 1).reshape(shape).astype(np.float32)
    return tone, edge


def strokes(
    rng: np.random.Generator,
    shape: tuple[int, int],
    count: int,
    *,
    length_px: float,
    width_px: int = 1,
    wander: float = 0.35,
    directions: int = 0,
) -> Image:
    """Tileable mask of wandering, forking lines: cracks, tar seams, scratches.

    ``directions`` limits them to that many evenly spaced angles, starting at u (2: along and across); 0 means no limit.
    """
    from PIL import Image as Picture
    from PIL import ImageDraw

    height, width = shape
    picture = Picture.new("L", (width, height), 0)
    pen = ImageDraw.Draw(picture)
    for _ in range(count):
        start, angle = rng.uniform((0, 0), (width, height)), rng.uniform(0, 2 * np.pi)
        if directions:
            angle = np.pi / directions * float(rng.integers(directions))
        _stroke(pen, rng, shape, start, angle, length_px * rng.uniform(0.5, 1.2), width_px, wander)
    out: Image = (np.asarray(picture, np.float32) / 255).astype(np.float32)
    return out


def _stroke(
    pen: Any, rng: np.random.Generator, shape: tuple[int, int], at: NDArray[np.float64], angle: float, length: float,
    width_px: int, wander: float,
) -> None:  # fmt: skip
    height, width = shape
    while length > 0:
        step = rng.uniform(4, 11)
        # Cracks zigzag about one direction; an unconstrained random walk would curl.
        heading = angle + rng.normal(0, wander)
        end = at + step * np.array([np.cos(heading), np.sin(heading)])
        for dx in (-width, 0, width):
            for dy in (-height, 0, height):
                pen.line([at[0] + dx, at[1] + dy, end[0] + dx, end[1] + dy], fill=255, width=width_px)
        if rng.random() < 0.06 and length > 30:
            _stroke(
                pen,
                rng,
                shape,
                end,
                angle + rng.choice([-1, 1]) * rng.uniform(0.5, 1.2),
                length * 0.4,
                width_px,
                wander,
            )
        at, angle, length = end % (width, height), angle + rng.normal(0, wander * 0.25), length - step


def blurred(image: Image, radius_px: float) -> Image:
    """Blur the image with wrap-around, so that it stays tileable and aliases less at a distance."""
    from scipy.ndimage import gaussian_filter

    sigma = (radius_px, radius_px) + (0,) * (image.ndim - 2)
    out: Image = gaussian_filter(image, sigma, mode="wrap").astype(np.float32)
    return out


def font_path(name: str = "DejaVuSans-Bold") -> str:
    """Path of a font shipped with matplotlib, found without importing matplotlib."""
    from importlib.util import find_spec
    from pathlib import Path

    spec = find_spec("matplotlib")
    if spec is None or not spec.submodule_search_locations:
        raise FileNotFoundError(
            "matplotlib is not installed, and its fonts draw the letters; run: pip install matplotlib"
        )
    return str(Path(spec.submodule_search_locations[0]) / "mpl-data" / "fonts" / "ttf" / f"{name}.ttf")


def lettering(
    text: str, height: int, width: int, *, font: str = "DejaVuSans-Bold", share: float = 0.62, align: str = "middle"
) -> Image:
    """Mask ``(height, width)`` of a line of text, as large as ``share`` of the height and 92 % of the width allow."""
    from PIL import Image as Picture
    from PIL import ImageDraw, ImageFont

    size = max(int(height * share / 0.73), 6)
    face = ImageFont.truetype(font_path(font), size)
    room = 0.92 * width
    if face.getlength(text) > room:
        face = ImageFont.truetype(font_path(font), max(int(size * room / face.getlength(text)), 6))
    picture = Picture.new("L", (width, height), 0)
    anchor, x = ("mm", width / 2) if align == "middle" else ("lm", 0.04 * width)
    ImageDraw.Draw(picture).text((x, height / 2), text, fill=255, font=face, anchor=anchor)
    out: Image = (np.asarray(picture, np.float32) / 255).astype(np.float32)
    return out
