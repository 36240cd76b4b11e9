"""Works of art and globes: busts, vases, paintings."""

# ruff: noqa: RUF005 - sums of an array and a tuple are vectors here

from __future__ import annotations

import numpy as np

from caos.assets.catalogue.kinds import kind
from caos.assets.mesh import Material, Mesh, Part
from caos.assets.modelling import finishes as f
from caos.assets.modelling.assembly import (
    Parts,
    Rng,
    arc,
    block,
    curve,
    mirrored,
    moved,
    ringed,
    scaled,
    slab,
    turned,
    whole,
)
from caos.assets.modelling.bodies import Body
from caos.assets.modelling.shapes import cylinder, ellipsoid, lathe, sweep


@kind(4, fallen=True)
def bust(variant: int, rng: Rng) -> Mesh:
    """A marble bust on a plinth, a bronze one with a laurel, a stone head, a bearded one."""
    stuff: Material = (
        f.marble(rng),
        f.metal((120, 84, 50), 0.35),
        f.stone(rng, (170, 166, 156)),
        f.marble(rng, (206, 200, 190)),
    )[variant]
    body = Body()
    at = np.array([0.02, 0, 0.5])
    body.ball(at, (0.115, 0.088, 0.13)).ball(at + (0.03, 0, -0.07), (0.08, 0.07, 0.08)).rod(
        at + (0.1, 0, 0.02), at + (0.135, 0, -0.035), 0.014, 0.02
    )
    body.ball(at + (0.095, 0, -0.085), (0.02, 0.035, 0.014)).ball(
        at + (0.085, 0.035, 0.03), (0.025, 0.025, 0.012), both=True
    ).ball(at + (0.08, 0, -0.13), (0.03, 0.035, 0.025)).ball(at + (0, 0.09, -0.01), (0.022, 0.016, 0.035), both=True)
    body.rod((0, 0, 0.42), (-0.01, 0, 0.22), 0.06, 0.075)
    if variant != 2:
        body.rod((-0.01, 0.19, 0.2), (-0.01, -0.19, 0.2), 0.075).ball((0, 0, 0.13), (0.12, 0.17, 0.13))
    if variant == 3:
        body.rod(at + (0.07, 0, -0.12), at + (0.08, 0, -0.24), 0.06, 0.02)
    for _ in range(26):
        a, b = rng.uniform(-1.9, 1.9), rng.uniform(0.1, 1.3)
        body.ball(
            at + (-0.09 * np.cos(a) * np.cos(b) - 0.015, 0.088 * np.sin(a) * np.cos(b), 0.02 + 0.12 * np.sin(b)), 0.028
        )
    parts: Parts = [body.skin(stuff, cell_m=0.0115, soft=0.02)]
    if variant == 1:
        parts += [
            ellipsoid(at + (0.1 * np.cos(a), 0.1 * np.sin(a), 0.07), (0.03, 0.03, 0.012), f.brass(), detail=8)
            for a in np.linspace(0, 2 * np.pi, 14)
        ]
    foot = lathe([(0, -0.02), (0.1, -0.02), (0.1, 0.0), (0.06, 0.04), (0.08, 0.08), (0.06, 0.24), (0, 0.24)], stuff)
    top = scaled([*parts, foot], 1.25)
    if variant in (0, 3):
        plinth: Parts = [
            block(0, 0, 0, 0.42, 0.42, 0.1, f.marble(rng, (90, 86, 84))),
            block(0, 0, 0.1, 0.32, 0.32, 0.85, f.marble(rng, (200, 196, 190))),
            block(0, 0, 0.95, 0.4, 0.4, 0.06, f.marble(rng, (90, 86, 84))),
        ]
        return whole([moved(top, z=1.03), *plinth])
    return scaled(top, 1.3 if variant == 1 else 2.2)


@kind(4, fallen=True)
def vase(variant: int, rng: Rng) -> Mesh:
    """A blue-and-white floor vase, a Greek amphora, a slim glass-like one, a broken-rimmed terracotta jar."""
    profiles = (
        [(0.0, 0.0), (0.16, 0.0), (0.2, 0.1), (0.3, 0.4), (0.28, 0.6), (0.12, 0.8), (0.1, 0.9), (0.16, 0.98)],
        [(0.0, 0.0), (0.1, 0.0), (0.07, 0.06), (0.2, 0.35), (0.24, 0.55), (0.12, 0.72), (0.08, 0.85), (0.13, 0.92)],
        [(0.0, 0.0), (0.14, 0.0), (0.1, 0.2), (0.08, 0.6), (0.12, 0.9), (0.2, 1.1)],
        [(0.0, 0.0), (0.18, 0.0), (0.34, 0.3), (0.36, 0.5), (0.26, 0.7), (0.24, 0.76), (0.28, 0.8)],
    )[variant]
    outer = curve(profiles, 30)
    outer[:, 0] = np.maximum(outer[:, 0], 0)
    inner = [(max(r - 0.02, 0.0), max(z, 0.03)) for r, z in outer[::-1]]
    base = (
        f.ceramic((236, 238, 240)),
        f.ceramic((190, 96, 50)),
        f.ceramic((40, 130, 120)),
        f.stone(rng, (180, 100, 66)),
    )[variant]
    pot = lathe([*[(float(r), float(z)) for r, z in outer], *inner], base, detail=40)
    ink = f.ceramic((30, 60, 140)) if variant == 0 else f.ceramic((26, 22, 20))
    parts: Parts = [pot]
    if variant in (0, 1):
        for z in (0.2, 0.32, 0.62, 0.7):
            r = float(np.interp(z, outer[:, 1], outer[:, 0]))
            parts.append(
                lathe(
                    [
                        (r, z),
                        (r + 0.004, z),
                        (float(np.interp(z + 0.025, outer[:, 1], outer[:, 0])) + 0.004, z + 0.025),
                    ],
                    ink,
                    detail=40,
                )
            )
        r = float(np.interp(0.47, outer[:, 1], outer[:, 0]))
        parts.append(ringed(ellipsoid((r, 0, 0.47), (0.01, 0.045, 0.06), ink, detail=12), 12))
    if variant == 1:
        parts.append(
            mirrored(sweep(curve([(0, 0.12, 0.74), (0, 0.24, 0.86), (0, 0.2, 0.93), (0, 0.09, 0.88)], 16), 0.016, base))
        )
    if variant == 3:
        parts.append(mirrored(sweep(curve([(0, 0.33, 0.55), (0, 0.42, 0.6), (0, 0.3, 0.7)], 12), 0.022, base)))
    return whole(parts)


@kind(2, fallen=True)
def easel(variant: int, rng: Rng) -> Mesh:
    """A painter's easel with a canvas, a blackboard."""
    return _easel_family((0, 2)[variant], rng)


@kind(1, fallen=True)
def painting(_variant: int, rng: Rng) -> Mesh:
    """A framed picture that leans on its prop."""
    return _easel_family(1, rng)


def _easel_family(variant: int, rng: Rng) -> Mesh:
    """A painter's easel with a canvas, a framed picture that leans, a blackboard."""
    wood = f.wood(rng, ("pine", "mahogany", "oak")[variant])
    frame = f.brass() if variant == 1 else wood
    art = f.picture(rng)
    w, h = ((0.4, 0.55), (0.6, 0.45), (0.55, 0.4))[variant]
    panel: Parts = []
    board = f.matt((30, 44, 40)) if variant == 2 else art
    from caos.assets.modelling.shapes import quad

    face = quad((0.02, -w, 0), (0, 2 * w, 0), (0, 0, 2 * h), board, uv_per_m=1.0)
    uv = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    panel.append(Part(face.vertices, face.faces, board, uv))
    panel.append(slab((-0.02, -w, 0), (0.018, w, 2 * h), f.matt((226, 220, 206))))
    if variant != 0:
        panel += [
            slab((-0.03, s * w - 0.035, -0.035), (0.035, s * w + 0.035, 2 * h + 0.035), frame) for s in (1, -1)
        ] + [slab((-0.03, -w, z - 0.035), (0.035, w, z + 0.035), frame) for z in (0, 2 * h)]
    if variant == 2:
        chalk = f.matt((236, 236, 230))
        panel += [
            sweep(
                curve(
                    [
                        (0.024, -0.4, 0.55),
                        (0.024, -0.25, 0.65),
                        (0.024, -0.1, 0.5),
                        (0.024, 0.1, 0.62),
                        (0.024, 0.35, 0.5),
                    ],
                    30,
                ),
                0.006,
                chalk,
                detail=5,
            ),
            sweep(arc((0.024, 0.25, 0.25), 0.12, 0, 360, "yz", 24), 0.006, chalk, detail=5, caps=False),
        ]
    if variant == 1:
        return whole(
            [turned(panel, "y", -16), turned(slab((-0.3, -0.03, 0), (-0.27, 0.03, 0.7), wood), "y", 14, (-0.3, 0, 0))]
        )
    legs_parts = [sweep([(0.25, s * 0.42, 0), (-0.05, s * 0.06, 1.75)], 0.022, wood) for s in (1, -1)] + [
        sweep([(-0.6, 0, 0), (-0.06, 0, 1.7)], 0.022, wood)
    ]
    ledge = block(0.17, 0, 0.68, 0.09, 0.8, 0.03, wood)
    return whole([*legs_parts, ledge, moved(turned(panel, "y", -10), 0.17, 0, 0.72)])


@kind(3, fallen=True)
def globe(variant: int, rng: Rng) -> Mesh:
    """A globe on a wooden floor stand, a big school globe, an antique armillary sphere."""
    from caos.assets.modelling.assembly import noise3, painted

    brass, wood = f.brass(), f.wood(rng, "walnut")
    r = (0.32, 0.28, 0.4)[variant]
    if variant == 2:
        hoop = sweep(arc((0, 0, 0), r, 0, 360, "xy", 48), 0.018, brass, caps=False)
        rings = [turned(hoop, "x", 0), turned(hoop, "x", 90), turned(hoop, "y", 90)]
        rings += [scaled(turned(hoop, "x", 24), 0.92), scaled(turned(hoop, "y", 30), 0.7)]
        sphere = whole(
            [
                *rings,
                ellipsoid((0, 0, 0), 0.08, f.paint((40, 90, 150)), detail=20),
                turned(cylinder((0, 0, -r), (0, 0, r), 0.008, brass), "y", 23),
            ]
        )
    else:
        land = noise3(rng, 0.16, 12)

        def continents(p: np.ndarray) -> np.ndarray:
            out: np.ndarray = 0.5 + 4 * (land(p) - 0.15)
            return out

        sea, soil = ((44, 96, 150), (150, 140, 80)) if variant == 1 else ((200, 180, 130), (150, 104, 56))
        look = f.coat(rng, [(0, sea), (0.48, sea), (0.52, soil), (1, soil)], shiny=True)
        sphere = whole(
            [
                painted(ellipsoid((0, 0, 0), (r, r, r), look, detail=64, rings=48), look, continents),
                turned(sweep(arc((0, 0, 0), r + 0.03, -90, 90, "xz", 30), 0.014, brass), "y", 23),
            ]
        )
    z = r + (0.55 if variant != 1 else 0.25)
    if variant == 1:
        foot: Parts = [lathe([(0, 0), (0.2, 0), (0.18, 0.03), (0.04, 0.06), (0.03, 0.2), (0, 0.22)], wood)]
    else:
        foot = [
            ringed(sweep(curve([(0, 0, 0.4), (0.15, 0, 0.2), (0.3, 0, 0.0)], 10), 0.028, wood), 3),
            lathe([(0, 0.15), (0.05, 0.15), (0.07, 0.3), (0.03, 0.5), (0, 0.55)], wood),
            sweep(arc((0, 0, z), r + 0.06, 0, 360, "xy", 40), 0.03, wood, caps=False),
            ringed(sweep(arc((0, 0, z), r + 0.06, -85, 0, "xz", 14), 0.02, wood), 4),
        ]
    return whole([moved(sphere, z=z), *foot])
