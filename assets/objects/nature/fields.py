"""Field crops: pumpkins, watermelons and bales of hay."""

from __future__ import annotations

import numpy as np

from caos.assets.catalogue.kinds import kind
from caos.assets.mesh import Material, Mesh, Part
from caos.assets.modelling import finishes as f
from caos.assets.modelling.assembly import Parts, Points, Rng, arc, curve, moved, noise3, painted, scaled, turned, whole
from caos.assets.modelling.shapes import ellipsoid, lathe, loft, sweep
from caos.assets.objects.nature.wood import repeated_around


@kind(3)
def pumpkin(variant: int, rng: Rng) -> Mesh:
    """A pumpkin, a carved lantern, a pile of gourds."""
    return _pumpkin_family(variant, rng)


@kind(1)
def watermelon(_variant: int, rng: Rng) -> Mesh:
    """A giant watermelon."""
    return _pumpkin_family(3, rng)


def _pumpkin_family(variant: int, rng: Rng) -> Mesh:
    """A pumpkin, a carved lantern, a pile of gourds, a giant watermelon."""
    if variant == 3:
        look = f.coat(
            rng, [(0, (30, 80, 36)), (0.4, (36, 96, 40)), (0.6, (120, 170, 80)), (1, (140, 186, 96))], shiny=True
        )
        wave = noise3(rng, 0.1)
        melon = ellipsoid((0, 0, 0), (0.42, 0.32, 0.32), look, detail=48, rings=32)

        def bands(p: Points) -> Points:
            out: Points = 0.5 + 0.9 * np.sin(9 * np.arctan2(p[:, 2], p[:, 1]) + 0.7 * wave(p))
            return out

        return whole(painted(melon, look, bands))
    if variant == 2:
        colors = ((232, 130, 30), (236, 190, 60), (90, 130, 60), (220, 100, 40))
        return whole(
            [
                moved(scaled(_pumpkin(rng, c, 8 + k), s), x, y, z)
                for k, (c, s, x, y, z) in enumerate(
                    zip(
                        (*colors, colors[0]),
                        (0.8, 0.6, 0.55, 0.65, 0.5),
                        (0, 0.5, -0.4, 0.05, 0.05),
                        (0, 0.1, 0.3, -0.55, 0.0),
                        (0, 0, 0, 0, 0.42),
                        strict=True,
                    )
                )
            ]
        )
    fruit = _pumpkin(rng, (230, 112, 24), 12 if variant == 0 else 10)
    if variant == 0:
        return fruit
    glow = Material("glow", (1.0, 0.55, 0.12), "emissive")
    black = f.matt((24, 14, 8))
    face: Parts = []
    for inner, stuff in ((0.0, black), (0.012, glow)):
        s = 1.0 if stuff is black else 0.75
        for y in (0.15, -0.15):
            face.append(
                moved(
                    turned(lathe([(0, 0), (0.075 * s, 0), (0, 0.01)], stuff, detail=3), "y", 90), 0.385 + inner, y, 0.34
                )
            )
        face.append(sweep(arc((0.37 + inner, 0, 0.32), 0.2, 215, 325, "yz", 14), 0.035 * s, stuff, detail=6))
    return scaled([fruit, *face], 1.1)


def _pumpkin(rng: Rng, color: f.Color, ribs: int) -> Mesh:
    a, t = np.linspace(0, 2 * np.pi, 61), np.linspace(-np.pi / 2, np.pi / 2, 21)
    tt, aa = np.meshgrid(t, a, indexing="ij")
    r = 0.42 * (1 - 0.09 * np.abs(np.cos(ribs * aa / 2)) ** 0.6 * np.cos(tt)) * np.cos(tt) ** 0.75
    z = (
        0.3
        + 0.3 * np.sin(tt) * (1 - 0.25 * (np.abs(np.sin(tt)) > 0.9))
        - 0.08 * np.exp(-((np.cos(tt) / 0.3) ** 2)) * np.sign(tt)
    )
    grid = np.stack([r * np.cos(aa), r * np.sin(aa), z], -1)
    stem = sweep(
        curve([(0, 0, 0.48), (0.02, 0, 0.6), (0.08, 0, 0.68)], 8),
        np.linspace(0.05, 0.028, 8),
        f.wood(rng, "oak"),
        detail=6,
        smooth=False,
    )
    return whole([loft(grid, f.leather(rng, color), closed=False, caps=False), stem])


@kind(4)
def hay_bale(variant: int, rng: Rng) -> Mesh:
    """A round bale, a square bale, a stack of three, a wrapped silage bale."""
    straw = f.straw(rng)
    if variant in (0, 3):
        r, w = (0.75, 1.2) if variant == 0 else (0.6, 1.1)
        stuff = straw if variant == 0 else f.plastic((206, 226, 206), 0.25)
        bale = lathe(
            [(0, -w / 2), (r * 0.9, -w / 2), (r, -w / 2 + 0.08), (r, w / 2 - 0.08), (r * 0.9, w / 2), (0, w / 2)],
            stuff,
            detail=40,
        )
        rough = noise3(rng, 0.1)
        v = bale.vertices.astype(np.float64)
        v += 0.012 * rough(v)[:, None] * v / np.maximum(np.linalg.norm(v, axis=1, keepdims=True), 0.1)
        bale = Part(v.astype(np.float32), bale.faces, stuff, repeated_around(bale, 4), smooth=True)
        spiral = (
            [
                sweep(
                    arc((0, 0, s * (w / 2 + 0.005)), q * r, 0, 360, "xy", 30),
                    0.012,
                    f.matt((150, 116, 56)),
                    detail=5,
                    caps=False,
                )
                for s in (1, -1)
                for q in (0.25, 0.5, 0.75)
            ]
            if variant == 0
            else []
        )
        net = [
            sweep(arc((0, 0, z), r + 0.008, 0, 360, "xy", 40), 0.006, f.matt((236, 236, 226)), detail=4, caps=False)
            for z in np.linspace(-0.4, 0.4, 6)
        ]
        return turned([bale, *spiral, *(net if variant == 0 else [])], "x", 90)

    def square() -> Mesh:
        block_mesh = _shaggy_box(rng, (0.9, 0.45, 0.38), straw)
        strings = [
            sweep(
                [(x, -0.23, 0), (x, 0.23, 0), (x, 0.23, 0.385), (x, -0.23, 0.385), (x, -0.23, 0)],
                0.007,
                f.matt((200, 60, 40)),
                detail=4,
            )
            for x in (-0.2, 0.2)
        ]
        return whole([block_mesh, *strings])

    if variant == 1:
        return square()
    return whole([moved(square(), y=0.24), moved(square(), y=-0.24), moved(turned(square(), "z", 82), z=0.38)])


def _shaggy_box(rng: Rng, size: tuple[float, float, float], stuff: Material) -> Part:
    from caos.assets.modelling.assembly import cushion

    part = cushion(
        (-size[0] / 2, -size[1] / 2, 0), (size[0] / 2, size[1] / 2, size[2]), stuff, soft=0.12, detail=48, uv_per_m=2.5
    )
    rough = noise3(rng, 0.05)
    v = part.vertices.astype(np.float64)
    v[:, :2] *= 1 + 0.03 * rough(v)[:, None]
    return Part(v.astype(np.float32), part.faces, stuff, part.uv, smooth=False)
