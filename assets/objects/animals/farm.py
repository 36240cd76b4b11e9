"""Farm animals: cattle, sheep and pigs."""

# ruff: noqa: RUF005 - sums of an array and a tuple are vectors here

from __future__ import annotations

from dataclasses import replace

import numpy as np

from caos.assets.catalogue.kinds import kind
from caos.assets.mesh import Mesh, Part
from caos.assets.modelling import finishes as f
from caos.assets.modelling.assembly import Rng, mirrored, painted, whole
from caos.assets.modelling.bodies import Beast, Body, Head, add_ears, eyes, four_legged, hooves, horn, nostril_tip
from caos.assets.modelling.shapes import ellipsoid
from caos.assets.objects.animals.coats import by_height, dark_eye, patches

COW = Beast(
    length=1.25,
    shoulder=1.02,
    hip=1.05,
    chest=0.34,
    rump=0.32,
    belly=(0.72, 0.36, 0.38),
    spread=0.21,
    leg=(0.13, 0.07, 0.055),
    neck=(0.42, 0.26),
    neck_radii=(0.16, 0.25),
    head=0.5,
    skull=(0.155, 0.11),
    nod_deg=38,
    stride=0.12,
    tail=((0, 0), (-0.12, -0.1), (-0.13, -0.6), (-0.12, -0.75)),
    tail_radius=0.03,
)


@kind(4)
def cow(variant: int, rng: Rng) -> Mesh:
    """A black-and-white cow, a grazing brown one, a long-horned shaggy one, a calf."""
    beast = (
        COW,
        replace(COW, neck=(0.5, -0.42), nod_deg=62, neck_radii=(0.15, 0.24), stride=-0.1),
        replace(COW, length=1.15, chest=0.38, shoulder=0.95, hip=0.95, leg=(0.16, 0.11, 0.075), head=0.44),
        replace(
            COW,
            length=0.8,
            shoulder=0.72,
            hip=0.74,
            chest=0.2,
            rump=0.19,
            belly=(0.42, 0.2, 0.21),
            spread=0.13,
            leg=(0.09, 0.055, 0.042),
            neck=(0.26, 0.26),
            neck_radii=(0.1, 0.14),
            head=0.34,
            skull=(0.115, 0.075),
        ),
    )[variant]
    body, head = four_legged(beast)
    add_ears(body, head, 0.2 if variant != 3 else 0.16, 0.045, lean=(-0.2, 1, 0.05))
    parts: list[Mesh | Part] = []
    if variant in (0, 1):
        udder = (
            Body()
            .ball((-0.42, 0, 0.66), (0.17, 0.14, 0.13))
            .chain([(-0.38, 0.06, 0.6), (-0.38, 0.06, 0.5)], (0.025, 0.02), both=True)
        )
        parts.append(udder.skin(f.leather(rng, (226, 168, 160)), cell_m=0.0338, soft=0.05))
    skin = body.skin(
        f.fur(rng, (120, 70, 40)), cell_m=0.0459 if variant != 3 else 0.0324, soft=0.09 if variant != 3 else 0.06
    )
    ramps = (
        (
            f.coat(rng, [(0, (28, 26, 26)), (0.48, (30, 28, 28)), (0.52, (236, 230, 222)), (1, (240, 236, 228))]),
            patches(rng, 0.55, sharp=40),
        ),
        (f.coat(rng, [(0, (196, 158, 112)), (1, (128, 72, 40))]), by_height(0.5, 1.1)),
        (f.coat(rng, [(0, (150, 78, 30)), (1, (196, 118, 56))]), patches(rng, 0.15)),
        (
            f.coat(rng, [(0, (150, 84, 48)), (0.47, (150, 84, 48)), (0.53, (238, 232, 222)), (1, (238, 232, 222))]),
            patches(rng, 0.3, sharp=40),
        ),
    )
    parts.append(painted(skin, *ramps[variant]))
    parts += [
        nostril_tip(head, f.leather(rng, (206, 150, 140) if variant != 2 else (60, 46, 40)), size=0.85),
        eyes(head, dark_eye()),
    ]
    parts += hooves(beast, f.plastic((52, 44, 38)))
    if variant != 3:
        parts.append(_cow_horns(head, variant))
    if variant == 2:
        parts.append(_fringe(rng, head))
    tail = np.array([-beast.length / 2 - 0.6 * beast.rump, 0, beast.hip + 0.5 * beast.rump])
    parts.append(ellipsoid(tail + (-0.12, 0, -0.78), (0.05, 0.05, 0.13), f.fur(rng, (60, 44, 34)), detail=12))
    return whole(parts)


def _cow_horns(head: Head, variant: int) -> Mesh:
    bone = f.plastic((222, 210, 186))
    root = head.point(-0.05, 0.6, 0.8)
    if variant == 2:
        way = [root, root + (0.02, 0.25, 0.02), root + (0.1, 0.45, 0.14), root + (0.08, 0.55, 0.42)]
        return mirrored(horn(way, 0.04, bone))
    return mirrored(horn([root, root + (0.02, 0.09, 0.05), root + (0.06, 0.11, 0.16)], 0.028, bone))


def _fringe(rng: Rng, head: Head) -> Part:
    hair = Body()
    for y in np.linspace(-0.11, 0.11, 6):
        hair.rod(head.point(0.0, 0, 1.0) + (0, y, 0), head.point(0.5, 0, 0.85) + (0, y * 1.1, 0), 0.04, 0.015)
    return hair.skin(f.fur(rng, (176, 100, 44)), cell_m=0.027, soft=0.03)


@kind(3)
def sheep(variant: int, rng: Rng) -> Mesh:
    """A woolly white sheep with a dark face, a grazing cream one, a ram with curled horns."""
    beast = Beast(
        length=0.66,
        shoulder=0.58,
        hip=0.58,
        chest=0.2,
        rump=0.2,
        belly=(0.42, 0.24, 0.24),
        spread=0.13,
        leg=(0.06, 0.036, 0.032),
        neck=(0.24, 0.2) if variant != 1 else (0.3, -0.28),
        neck_radii=(0.09, 0.13),
        head=0.27,
        skull=(0.085, 0.055),
        nod_deg=32 if variant != 1 else 60,
        stride=0.05,
        tail=((0, 0), (-0.05, -0.15)),
    )
    body, head = four_legged(beast)
    add_ears(body, head, 0.12, 0.028, lean=(-0.1, 1, -0.1))
    face = f.fur(rng, ((44, 40, 40), (224, 206, 176), (150, 130, 108))[variant], 0.3)
    wool = Body()
    for _ in range(60):
        t, a = rng.uniform(-1, 1), rng.uniform(0, 2 * np.pi)
        r = 0.23 * np.sqrt(1 - 0.35 * t * t)
        wool.ball((t * 0.43, r * np.cos(a), 0.6 + r * np.sin(a)), float(rng.uniform(0.07, 0.1)))
    wool.rod((0.35, 0, 0.6), (-0.35, 0, 0.6), 0.22)
    wool.ball(head.point(-0.15, 0, 0.75), 0.075)
    fleece = f.fur(rng, ((232, 226, 212), (222, 206, 170), (206, 196, 178))[variant], 0.35)
    parts: list[Mesh | Part] = [
        body.skin(face, cell_m=0.027, soft=0.04),
        wool.skin(fleece, cell_m=0.0341, soft=0.02),
        eyes(head, dark_eye()),
    ]
    if variant == 2:
        root = head.point(-0.1, 0.5, 0.8)
        turn = np.linspace(0, 1.6 * np.pi, 9)
        spiral = [
            root + (-0.13 * (1 - np.cos(a)) * (1 - a / 16), 0.03 + 0.03 * a, 0.13 * np.sin(a) * (1 - a / 16))
            for a in turn
        ]
        parts.append(mirrored(horn(spiral, 0.045, f.wood(rng, "oak"))))
    return whole(parts)


@kind(3)
def pig(variant: int, rng: Rng) -> Mesh:
    """A pink pig, a spotted one, a wild boar."""
    beast = Beast(
        length=0.68,
        shoulder=0.46,
        hip=0.46,
        chest=0.24,
        rump=0.23,
        belly=(0.44, 0.26, 0.25),
        spread=0.14,
        leg=(0.09, 0.055, 0.045),
        neck=(0.3, 0.1),
        neck_radii=(0.17, 0.22),
        head=0.36,
        skull=(0.16, 0.075),
        nod_deg=26,
        stride=0.07,
        tail=((0, 0), (-0.06, 0.05), (-0.04, 0.1), (-0.1, 0.1)),
        tail_radius=0.016,
        digitigrade=0.07,
    )
    if variant == 1:
        beast = replace(
            beast,
            length=0.86,
            belly=(0.56, 0.3, 0.3),
            neck=(0.34, -0.06),
            nod_deg=44,
            stride=-0.05,
            shoulder=0.5,
            hip=0.5,
        )
    if variant == 2:
        beast = replace(beast, head=0.46, chest=0.29, shoulder=0.5, rump=0.2, nod_deg=32, tail=((0, 0), (-0.05, -0.2)))
    body, head = four_legged(beast)
    add_ears(body, head, 0.15, 0.05, lean=(0.45, 0.5, 0.6) if variant != 2 else (-0.1, 0.4, 1))
    skin = body.skin(f.leather(rng, (230, 170, 160)), cell_m=0.0324, soft=0.06)
    looks = (
        (f.coat(rng, [(0, (214, 150, 138)), (1, (240, 188, 176))]), patches(rng, 0.3, sharp=5)),
        (
            f.coat(rng, [(0, (40, 34, 34)), (0.45, (44, 38, 38)), (0.52, (232, 190, 178)), (1, (236, 196, 184))]),
            patches(rng, 0.25, share=-0.3, sharp=40),
        ),
        (f.coat(rng, [(0, (44, 36, 30)), (1, (92, 74, 58))]), patches(rng, 0.06, sharp=8)),
    )[variant]
    snout = head.at + head.ahead * (head.length + 0.005)
    disc = ellipsoid(
        snout, (0.025, 0.075, 0.065), f.leather(rng, (222, 140, 132) if variant != 2 else (60, 46, 42)), detail=16
    )
    holes = mirrored(ellipsoid(snout + (0.022, 0.028, 0.005), (0.01, 0.013, 0.018), f.matt((70, 30, 30)), detail=8))
    parts: list[Mesh | Part] = [
        painted(skin, *looks),
        eyes(head, dark_eye(), forward=0.35, up=0.5, size=0.1),
        disc,
        holes,
        *hooves(beast, f.plastic((60, 48, 44))),
    ]
    if variant == 2:
        tusk = head.at + head.ahead * 0.36
        parts.append(
            mirrored(
                horn(
                    [tusk + (0, 0.05, 0), tusk + (0.06, 0.1, 0.0), tusk + (0.05, 0.11, 0.12)],
                    0.018,
                    f.ceramic((236, 226, 200)),
                )
            )
        )
    return whole(parts)
