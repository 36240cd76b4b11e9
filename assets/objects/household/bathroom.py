"""Bathtubs and toilets."""

from __future__ import annotations

import numpy as np

from caos.assets.catalogue.kinds import kind
from caos.assets.mesh import Mesh, Part, translation
from caos.assets.modelling import finishes as f
from caos.assets.modelling.assembly import Rng, curve, mirrored, moved, slab, turned, whole
from caos.assets.modelling.plates import oval
from caos.assets.modelling.shapes import cylinder, ellipsoid, extrude, lathe, loft, rounded_box, sweep


@kind(3, fallen=True)
def bathtub(variant: int, rng: Rng) -> Mesh:
    """A claw-foot tub, a plain built-in one turned out, a wooden round one."""
    if variant == 2:
        wood, hoop = f.wood(rng, "pine"), f.metal((120, 116, 110), 0.4)
        tub = lathe([(0, 0.06), (0.62, 0.0), (0.7, 0.68), (0.66, 0.68), (0.59, 0.12), (0, 0.12)], wood, smooth=False)
        return whole(
            [
                tub,
                *[
                    lathe(
                        [
                            (0.62 + 0.11 * z, z),
                            (0.635 + 0.11 * z, z),
                            (0.635 + 0.11 * (z + 0.05), z + 0.05),
                            (0.62 + 0.11 * z, z + 0.05),
                        ],
                        hoop,
                    )
                    for z in (0.1, 0.5)
                ],
            ]
        )
    white = f.ceramic()
    outline = oval(0.85, 0.4, 0.5 if variant == 0 else 0.3)
    rings = [(0.75, 0.0), (0.88, 0.1), (1.0, 0.5), (1.08, 0.54), (1.04, 0.56), (0.94, 0.52), (0.82, 0.16), (0.6, 0.1)]
    skin = loft(np.stack([np.concatenate([outline * s, np.full((len(outline), 1), z)], 1) for s, z in rings]), white)
    parts: list[Mesh | Part] = [moved(skin, z=0.14 if variant == 0 else 0.0)]
    chrome = f.brass() if variant == 0 else f.steel()
    z = 0.7 if variant == 0 else 0.56
    parts += [
        sweep(
            curve([(-0.85, 0, z - 0.02), (-0.85, 0, z + 0.2), (-0.72, 0, z + 0.24), (-0.66, 0, z + 0.14)], 14),
            0.022,
            chrome,
        ),
        mirrored(ellipsoid((-0.85, 0.1, z + 0.06), 0.035, chrome, detail=12)),
        cylinder((-0.85, -0.1, z + 0.05), (-0.85, 0.1, z + 0.05), 0.015, chrome),
    ]
    if variant == 0:
        parts.append(
            mirrored(
                mirrored(
                    sweep(
                        curve([(0.52, 0.24, 0.24), (0.62, 0.32, 0.14), (0.64, 0.34, 0.02), (0.7, 0.38, 0.02)], 10),
                        [0.05] * 6 + [0.035] * 4,
                        chrome,
                    )
                ),
                "x",
            )
        )
    return whole(parts)


@kind(3, fallen=True)
def toilet(variant: int, rng: Rng) -> Mesh:
    """A toilet with cistern, an old one with a wooden seat and high tank, a blue one with the lid up."""
    white = f.ceramic() if variant != 2 else f.ceramic((150, 190, 206))
    seat_material = f.wood(rng, "mahogany") if variant == 1 else white
    outline = oval(0.27, 0.19, 0.9)
    levels = [(0.5, 0.0), (0.5, 0.08), (0.42, 0.2), (0.9, 0.34), (1.0, 0.39), (0.96, 0.4), (0.8, 0.38), (0.5, 0.28)]
    bowl = loft(
        np.stack([np.concatenate([outline * s + (0.06 * s, 0), np.full((len(outline), 1), z)], 1) for s, z in levels]),
        white,
    )
    ring = loft(
        np.stack(
            [
                np.concatenate([outline * s + (0.06, 0), np.full((len(outline), 1), z)], 1)
                for s, z in [(0.62, 0.4), (1.02, 0.4), (1.02, 0.43), (0.62, 0.43), (0.62, 0.4)]
            ]
        ),
        seat_material,
        caps=False,
    )
    parts: list[Mesh | Part] = [bowl, ring]
    if variant == 1:
        parts += [
            cylinder((-0.26, 0, 0.3), (-0.26, 0, 1.5), 0.03, f.brass()),
            rounded_box((-0.36, -0.24, 1.5), (-0.14, 0.24, 1.82), 0.02, f.wood(rng, "mahogany")),
            sweep([(-0.2, 0.2, 1.5), (-0.2, 0.2, 1.0)], 0.006, f.brass()),
            ellipsoid((-0.2, 0.2, 0.97), (0.02, 0.02, 0.04), f.ceramic(), detail=10),
        ]
    else:
        parts += [
            rounded_box((-0.38, -0.22, 0.38), (-0.2, 0.22, 0.76), 0.03, white),
            rounded_box((-0.39, -0.23, 0.76), (-0.19, 0.23, 0.8), 0.015, white),
            lathe([(0, 0.8), (0.025, 0.8), (0.02, 0.815), (0, 0.815)], f.steel()).transformed(translation(-0.29, 0, 0)),
        ]
        parts.append(slab((-0.3, -0.1, 0.0), (-0.1, 0.1, 0.4), white))
    lid = extrude(oval(0.26, 0.19, 0.9), 0, 0.02, seat_material)
    parts.append(
        moved(turned(lid, "y", -98), -0.19, 0, 0.68)
        if variant == 2
        else moved(lid, 0.06, 0, 0.43)
        if variant == 0
        else moved(turned(lid, "y", -95), -0.2, 0, 0.68)
    )
    return whole(parts)
