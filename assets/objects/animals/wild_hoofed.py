"""Deer, giraffes and camels."""

from __future__ import annotations

import numpy as np

from caos.assets.catalogue.kinds import kind
from caos.assets.mesh import Mesh, Part
from caos.assets.modelling import finishes as f
from caos.assets.modelling.assembly import Points, Rng, curve, mirrored, noise3, painted, whole
from caos.assets.modelling.bodies import Beast, Body, add_ears, eyes, four_legged, hooves, horn, nostril_tip
from caos.assets.modelling.shapes import ellipsoid, sweep
from caos.assets.objects.animals.coats import BLACK, by_height, dark_eye, patches


@kind(3)
def deer(variant: int, rng: Rng) -> Mesh:
    """A stag with antlers, a doe, a spotted fawn."""
    scale = (1.0, 0.88, 0.6)[variant]
    beast = Beast(
        length=0.9 * scale,
        shoulder=0.98 * scale,
        hip=1.0 * scale,
        chest=0.2 * scale,
        rump=0.19 * scale,
        belly=(0.5 * scale, 0.19 * scale, 0.2 * scale),
        spread=0.12 * scale,
        leg=(0.085 * scale, 0.036, 0.028),
        neck=(0.32 * scale, 0.52 * scale),
        neck_radii=(0.085 * scale, 0.15 * scale),
        head=0.34 * (0.4 + 0.6 * scale),
        skull=(0.095 * (0.3 + 0.7 * scale), 0.045),
        nod_deg=24,
        stride=0.12 * scale,
        tail=((0, 0), (-0.08, -0.12)),
        tail_radius=0.035,
    )
    body, head = four_legged(beast)
    add_ears(body, head, 0.17, 0.036, lean=(-0.2, 0.9, 0.6))
    skin = body.skin(f.fur(rng, (140, 94, 56)), cell_m=0.0338 if variant < 2 else 0.023, soft=0.06 * scale)
    if variant == 2:
        look = (
            f.coat(rng, [(0, (158, 98, 52)), (0.62, (164, 102, 56)), (0.7, (240, 226, 200)), (1, (240, 226, 200))]),
            patches(rng, 0.07, share=0.35, sharp=10),
        )
    else:
        look = (
            f.coat(rng, [(0, (214, 188, 150)), (0.3, (150, 96, 54)), (1, (122, 76, 42))]),
            by_height(0.6 * scale, 1.1 * scale),
        )
    parts: list[Mesh | Part] = [
        painted(skin, *look),
        eyes(head, dark_eye(), size=0.2),
        nostril_tip(head, f.plastic(BLACK, 0.3), size=0.6),
    ]
    parts += hooves(beast, f.plastic((40, 34, 30)))
    if variant == 0:
        parts.append(antlers(head.point(-0.05, 0.35, 0.85), 1.0))
    return whole(parts)


def antlers(root: np.ndarray, scale: float) -> Mesh:
    """A pair of branched antlers; ``root`` is where the right one starts."""
    bone = f.plastic((150, 118, 82), 0.6)
    beam = [
        root,
        root + np.array((-0.1, 0.14, 0.2)) * scale,
        root + np.array((-0.12, 0.3, 0.42)) * scale,
        root + np.array((0.02, 0.34, 0.66)) * scale,
    ]
    tines = [
        (0.15, (0.18, 0.06, 0.14)),
        (0.45, (0.2, 0.08, 0.14)),
        (0.72, (0.14, 0.1, 0.16)),
        (0.85, (-0.12, 0.1, 0.14)),
    ]
    path = curve(beam, 24)
    parts: list[Mesh | Part] = [horn(beam, 0.03 * scale, bone)]
    for at, way in tines:
        start = path[int(at * 23)]
        parts.append(
            horn(
                [start, start + np.array(way) * 0.6 * scale, start + np.array(way) * scale + (0, 0, 0.05 * scale)],
                0.02 * scale,
                bone,
            )
        )
    return mirrored(parts)


@kind(2)
def giraffe(variant: int, rng: Rng) -> Mesh:
    """A giraffe that looks ahead, and one that bends its neck to the ground."""
    beast = Beast(
        length=1.2,
        shoulder=1.95,
        hip=1.75,
        chest=0.36,
        rump=0.32,
        belly=(0.66, 0.34, 0.36),
        spread=0.2,
        leg=(0.15, 0.085, 0.075),
        neck=(0.75, 1.9) if variant == 0 else (1.75, -1.15),
        neck_radii=(0.13, 0.28),
        head=0.62,
        skull=(0.155, 0.08),
        nod_deg=20 if variant == 0 else 50,
        stride=0.14 if variant == 0 else 0.5,
        tail=((0, 0), (-0.1, -0.1), (-0.12, -0.8)),
        tail_radius=0.035,
    )
    body, head = four_legged(beast)
    add_ears(body, head, 0.22, 0.045, lean=(-0.2, 1, 0.3))
    skin = body.skin(f.fur(rng, (200, 150, 90)), cell_m=0.0743, soft=0.12)
    look = f.coat(rng, [(0, (236, 212, 164)), (0.3, (236, 212, 164)), (0.38, (150, 88, 40)), (1, (164, 98, 46))])
    field = noise3(rng, 0.16, 14)

    def cells(p: Points) -> Points:
        out: Points = np.abs(field(p)) * 1.6
        return out

    ossicone = mirrored(
        [
            sweep(
                [head.point(-0.05, 0.35, 0.8), head.point(-0.1, 0.4, 1.9)], [0.03, 0.025], f.fur(rng, (150, 100, 60))
            ),
            ellipsoid(head.point(-0.1, 0.4, 1.95), 0.04, f.matt((50, 36, 28)), detail=10),
        ]
    )
    return whole(
        [painted(skin, look, cells), eyes(head, dark_eye()), ossicone, *hooves(beast, f.plastic((60, 46, 36)))]
    )


@kind(2)
def camel(variant: int, rng: Rng) -> Mesh:
    """A two-humped camel, and a dromedary with a saddle cloth."""
    beast = Beast(
        length=1.25,
        shoulder=1.45,
        hip=1.42,
        chest=0.34,
        rump=0.27,
        belly=(0.68, 0.34, 0.36),
        spread=0.19,
        leg=(0.13, 0.075, 0.065),
        neck=(0.8, 0.55),
        neck_radii=(0.12, 0.2),
        head=0.48,
        skull=(0.14, 0.085),
        nod_deg=12,
        stride=0.18,
        tail=((0, 0), (-0.08, -0.1), (-0.1, -0.5)),
    )
    body, head = four_legged(beast)
    body.rod((1.0, 0, 1.35), (1.32, 0, 1.7), 0.17, 0.14)
    for x in (0.32, -0.4) if variant == 0 else (-0.05,):
        body.rod((x, 0, 1.72), (x, 0, 2.02 if variant == 0 else 2.1), 0.24 if variant == 0 else 0.3, 0.1)
    add_ears(body, head, 0.11, 0.03, lean=(-0.4, 0.6, 0.7))
    skin = body.skin(f.fur(rng, (176, 130, 80), 0.4), cell_m=0.0567, soft=0.1)
    parts: list[Mesh | Part] = [skin, eyes(head, dark_eye()), nostril_tip(head, f.matt((90, 66, 46)), size=0.5)]
    if variant == 1:
        cloth = f.striped(rng, [(170, 30, 36), (226, 180, 60), (30, 70, 120)], per_m=5)
        parts.append(
            Body()
            .ball((-0.05, 0, 1.52), (0.42, 0.39, 0.42))
            .rod((-0.05, 0, 1.8), (-0.05, 0, 2.08), 0.32, 0.14)
            .skin(cloth, cell_m=0.0607, soft=0.1)
        )
    return whole(parts)
