"""Parts that pieces of street furniture share: paint, surfaces of revolution, posters."""

from __future__ import annotations

from functools import cache

import numpy as np

from caos.assets.mesh import Material
from caos.assets.modelling.shapes import lathe
from caos.assets.modelling.textures import lettering, mix
from caos.assets.street.buildings import finishes
from caos.assets.street.canvas import RGB, Canvas, Finish
from caos.assets.street.surfaces import seeded


def painted(rng: np.random.Generator, *names: str) -> Finish:
    """One of the named trim paints."""
    return finishes.TRIMS[names[int(rng.integers(len(names)))]]


def turned(canvas: Canvas, profile: list[tuple[float, float]], finish: Finish, detail: int = 20) -> None:
    """Surface of revolution about the vertical through the canvas's origin; points are (radius, height)."""
    part = lathe(profile, finish.material, detail=detail)
    upright = np.eye(4)
    upright[:3, :3] = [[1, 0, 0], [0, 0, 1], [0, -1, 0]]
    canvas.add(part.transformed(upright))


_INKS: tuple[RGB, ...] = (
    (0.5, 0.47, 0.4),
    (0.35, 0.05, 0.04),
    (0.03, 0.06, 0.15),
    (0.5, 0.33, 0.06),
    (0.06, 0.16, 0.17),
    (0.05, 0.05, 0.055),
    (0.42, 0.22, 0.13),
    (0.2, 0.3, 0.2),
)


@cache
def posters() -> Finish:
    """Advertisements: 4 x 2 portrait pictures with a word or two."""
    rng = seeded("posters")
    words = ("OPERA", "SALE", "Fly now", "JAZZ", "coffee", "VOTE", "Zoo", "2 for 1")
    height, width = 192, 128
    cells = []
    for word in words:
        base, other, ink = (np.asarray(_INKS[int(k)], np.float32) for k in rng.permutation(len(_INKS))[:3])
        y, x = np.meshgrid(np.linspace(0, 1, height), np.linspace(0, 1, width), indexing="ij")
        ramp = np.clip(y + 0.4 * np.sin(3 * x + rng.uniform(0, 6)), 0, 1).astype(np.float32)
        cell = mix(np.broadcast_to(base, (height, width, 3)).astype(np.float32), other, ramp)
        cx, cy, r = rng.uniform(0.25, 0.75), rng.uniform(0.4, 0.75), rng.uniform(0.12, 0.3)
        cell = mix(cell, ink, ((np.hypot(x - cx, (y - cy) * 1.5) < r) * 0.9).astype(np.float32))
        band = np.zeros((height, width), np.float32)
        band[14:58] = lettering(word, 44, width, share=0.7)
        cells.append(mix(cell, (0.6, 0.6, 0.57) if cell[14:58].mean() < 0.25 else (0.03, 0.03, 0.04), band))
    picture = np.concatenate([np.concatenate(cells[:4], 1), np.concatenate(cells[4:], 1)]).astype(np.float32)
    return Finish(Material("poster", (0.3, 0.3, 0.3), "plastic", 0.3, picture))
