"""Chess pieces as tall as a child."""

from __future__ import annotations

from caos.assets.catalogue.kinds import kind
from caos.assets.mesh import Mesh
from caos.assets.modelling import finishes as f
from caos.assets.modelling.assembly import Rng, mirrored, moved, ringed, slab, turned, whole
from caos.assets.modelling.bodies import Body
from caos.assets.modelling.shapes import ellipsoid, lathe


@kind(6, fallen=True)
def chess_piece(variant: int, rng: Rng) -> Mesh:
    """A giant pawn, rook, bishop, queen, king and knight."""
    stuff = (
        f.wood(rng, "birch"),
        f.wood(rng, "walnut"),
        f.marble(rng),
        f.plastic((26, 26, 28), 0.2),
        f.plastic((236, 232, 222), 0.2),
        f.wood(rng, "black"),
    )[variant]
    foot = [(0, 0), (0.28, 0), (0.3, 0.05), (0.26, 0.1), (0.22, 0.14), (0.23, 0.18)]
    if variant == 5:
        base = lathe([*foot, (0.18, 0.24), (0, 0.26)], stuff)
        body = (
            Body()
            .chain([(-0.04, 0, 0.25), (-0.08, 0, 0.55), (0.0, 0, 0.85)], (0.19, 0.16, 0.14))
            .rod((0.0, 0, 0.85), (0.26, 0, 0.68), 0.14, 0.085)
            .rod((-0.04, 0.05, 0.95), (-0.05, 0.06, 1.06), 0.04, 0.012, both=True)
            .rod((-0.16, 0, 0.4), (-0.12, 0, 0.95), 0.05, 0.04)
        )
        return whole(
            [
                base,
                body.skin(stuff, cell_m=0.028, soft=0.05),
                mirrored(ellipsoid((0.09, 0.12, 0.87), 0.02, f.matt((120, 110, 100)), detail=8)),
            ]
        )
    tall = (0.62, 0.62, 0.85, 1.0, 1.05)[variant]
    shaft = [(0.15, 0.26), (0.11, tall * 0.5), (0.12, tall * 0.8), (0.2, tall * 0.84), (0.12, tall * 0.89)]
    if variant == 0:
        return whole(
            [
                lathe([*foot, *shaft, (0, tall * 0.9)], stuff),
                ellipsoid((0, 0, tall * 0.9 + 0.12), 0.16, stuff, detail=28),
            ]
        )
    if variant == 1:
        towers = ringed(slab((0.13, -0.06, tall + 0.14), (0.22, 0.06, tall + 0.26), stuff), 6)
        return whole(
            [
                lathe(
                    [
                        *foot,
                        *shaft,
                        (0.17, tall * 0.95),
                        (0.22, tall + 0.02),
                        (0.22, tall + 0.16),
                        (0.14, tall + 0.16),
                        (0, tall + 0.1),
                    ],
                    stuff,
                    smooth=False,
                ),
                towers,
            ]
        )
    if variant == 2:
        cut = turned(slab((0.03, -0.11, -0.012), (0.17, 0.11, 0.012), f.matt((60, 56, 52))), "y", -38)
        slit = moved(cut, 0.0, 0, tall + 0.12)
        return whole(
            [
                lathe(
                    [*foot, *shaft, (0.17, tall + 0.02), (0.16, tall + 0.14), (0.05, tall + 0.3), (0, tall + 0.31)],
                    stuff,
                ),
                ellipsoid((0, 0, tall + 0.33), 0.05, stuff, detail=14),
                slit,
            ]
        )
    crown = lathe([*foot, *shaft, (0.13, tall * 0.95), (0.23, tall + 0.2), (0.16, tall + 0.2), (0, tall + 0.24)], stuff)
    if variant == 3:
        return whole(
            [
                crown,
                ringed(ellipsoid((0.2, 0, tall + 0.22), 0.045, stuff, detail=12), 8),
                ellipsoid((0, 0, tall + 0.28), 0.07, stuff, detail=16),
            ]
        )
    return whole(
        [
            crown,
            slab((-0.03, -0.03, tall + 0.2), (0.03, 0.03, tall + 0.48), stuff),
            slab((-0.03, -0.1, tall + 0.33), (0.03, 0.1, tall + 0.39), stuff),
        ]
    )
