"""Boulders and crystals."""

from __future__ import annotations

import numpy as np

from caos.assets.catalogue.kinds import kind
from caos.assets.mesh import Material, Mesh, Part
from caos.assets.modelling import finishes as f
from caos.assets.modelling.assembly import Parts, Points, Rng, moved, noise3, painted, turned, whole
from caos.assets.modelling.shapes import blob, lathe


@kind(5)
def boulder(variant: int, rng: Rng) -> Mesh:
    """A granite boulder, a flat slab, a mossy rock, a heap of stones, a red desert rock."""
    color = ((146, 142, 138), (120, 124, 128), (128, 124, 116), (160, 156, 148), (170, 96, 60))[variant]
    stuff = f.stone(rng, color)
    if variant == 3:
        rocks = [
            moved(_rock(rng, (0.3, 0.26, 0.2), stuff, 9), x, y, z)
            for x, y, z in (
                (0, 0, 0.16),
                (0.45, 0.1, 0.14),
                (-0.4, 0.2, 0.15),
                (0.1, -0.45, 0.14),
                (0.1, 0.42, 0.14),
                (0.05, 0.02, 0.44),
            )
        ]
        return whole(rocks)
    radii = ((0.75, 0.65, 0.55), (1.1, 0.8, 0.26), (0.6, 0.7, 0.5), (0, 0, 0), (0.5, 0.55, 0.85))[variant]
    rock = _rock(rng, radii, stuff)
    if variant == 2:
        look = f.coat(rng, [(0, color), (0.5, color), (0.62, (84, 112, 40)), (1, (104, 132, 50))])
        patch = noise3(rng, 0.3)

        def moss(p: Points) -> Points:
            out: Points = 0.5 + 0.9 * (p[:, 2] / 0.5 - 0.35) + 0.35 * patch(p)
            return out

        rock = painted(rock, look, moss)
    return whole(rock)


def _rock(rng: Rng, radii: tuple[float, float, float], stuff: Material, cells: float = 15) -> Part:
    planes = rng.normal(size=(16, 3))
    planes /= np.linalg.norm(planes, axis=1, keepdims=True)
    depth = rng.uniform(0.78, 0.98, 16)
    fine = noise3(rng, 0.35)
    r = np.array(radii)

    def distance(p: Points) -> Points:
        q = p / r
        ball = np.linalg.norm(q, axis=1) - 1
        cut = (q @ planes.T - depth).max(1)
        out: Points = (np.maximum(ball, cut) + 0.05 * fine(q)) * float(r.min())
        flat: Points = np.maximum(out, -p[:, 2] - 0.55 * r[2])
        return flat

    return blob(distance, -1.15 * r, 1.15 * r, stuff, cell_m=float(r.max()) / cells)


@kind(3)
def crystal(variant: int, rng: Rng) -> Mesh:
    """A cluster of violet crystals, blocks of ice, a green geode."""
    if variant == 1:
        ice = Material("ice", (0.62, 0.76, 0.82), "plastic", 0.06)
        large = [(0.4, 0.0, 0.0), (0.3, 0.5, 0.2), (0.26, -0.4, 0.35), (0.22, 0.15, -0.5)]
        chips = [(0.07, 0.75 * np.cos(a), 0.75 * np.sin(a)) for a in (0.1, 1.2, 2.0, 3.1, 3.9, 5.2, 5.8)]
        return whole(
            [
                moved(turned(_prism(6 if k % 2 else 5, s, s * 1.2, ice, 0.75), "z", 37 * k), x, y)
                for k, (s, x, y) in enumerate((*large, *chips))
            ]
        )
    stuff = Material("crystal", f.pigment((130, 70, 170) if variant == 0 else (60, 170, 110)), "plastic", 0.05)
    spikes: Parts = []
    for k in range(14):
        a, lean = 2.4 * k, 6 + 4.2 * k
        s = float(rng.uniform(0.05, 0.13))
        spikes.append(
            turned(
                turned(_prism(6, s, float(rng.uniform(0.5, 1.1)) * (1 - 0.035 * k), stuff, 1.0), "y", min(lean, 62)),
                "z",
                float(np.degrees(a)),
            )
        )
    return whole([*spikes, _rock(rng, (0.4, 0.4, 0.14), f.stone(rng, (96, 92, 96)))])


def _prism(sides: int, radius: float, height: float, stuff: Material, waist: float) -> Part:
    return lathe(
        [(0, 0), (radius * 0.85, 0), (radius, height * 0.1), (radius * waist, height * 0.78), (0, height)],
        stuff,
        detail=sides,
        smooth=False,
    )
