"""Horses and zebras, and the horse's body that others build on."""

# ruff: noqa: RUF005 - sums of an array and a tuple are vectors here

from __future__ import annotations

from dataclasses import replace

import numpy as np

from caos.assets.catalogue.kinds import kind
from caos.assets.mesh import Material, Mesh, Part
from caos.assets.modelling import finishes as f
from caos.assets.modelling.assembly import Rng, painted, turned, whole
from caos.assets.modelling.bodies import Beast, Body, Head, add_ears, eyes, four_legged, hooves
from caos.assets.modelling.shapes import ellipsoid
from caos.assets.objects.animals.coats import by_height, dark_eye, patches, stripes

HORSE = Beast(
    length=1.1,
    shoulder=1.18,
    hip=1.22,
    chest=0.27,
    rump=0.28,
    belly=(0.62, 0.27, 0.28),
    spread=0.16,
    leg=(0.12, 0.06, 0.048),
    neck=(0.5, 0.62),
    neck_radii=(0.12, 0.22),
    head=0.56,
    skull=(0.13, 0.085),
    nod_deg=44,
    stride=0.18,
    tail=(),
    digitigrade=0.12,
)


def horse_like(
    rng: Rng, beast: Beast, mane: Material | None, cell_m: float = 0.042
) -> tuple[Part, list[Mesh | Part], Head]:
    """Skin, extras (eyes, hooves, mane, tail) and head of a horse with the given proportions."""
    body, head = four_legged(beast)
    add_ears(body, head, 0.17, 0.035, lean=(0.1, 0.25, 1))
    skin = body.skin(f.fur(rng, (120, 80, 50)), cell_m=cell_m, soft=0.08)
    parts: list[Mesh | Part] = [eyes(head, dark_eye(), size=0.18), *hooves(beast, f.plastic((46, 40, 36)))]
    if mane is not None:
        parts += _mane_and_tail(beast, head, mane)
    return skin, parts, head


def _mane_and_tail(b: Beast, head: Head, hair: Material) -> list[Mesh | Part]:
    base = np.array([b.length / 2 - 0.1, 0, b.shoulder + b.chest * 0.9])
    crest = head.at + (-0.08, 0, b.skull[0] * 1.1)
    mane = Body()
    for t in np.linspace(0, 1, 9):
        root = base * (1 - t) + crest * t + (-0.06, 0, 0.03)
        mane.rod(root, root + (-0.07, 0.1, -0.17), 0.04, 0.02)
    mane.rod(crest, crest + (0.2, 0.02, -0.03), 0.045, 0.02)
    rump = np.array([-b.length / 2 - b.rump * 0.9, 0, b.hip + b.rump * 0.35])
    low = b.hip - 0.75
    tail = Body().chain(
        [rump, rump + (-0.16, 0, -0.05), (rump[0] - 0.2, 0.02, low + 0.3), (rump[0] - 0.14, 0.03, low)],
        (0.045, 0.06, 0.085, 0.03),
    )
    return [mane.skin(hair, cell_m=0.033, soft=0.03), tail.skin(hair, cell_m=0.036, soft=0.04)]


@kind(4)
def horse(variant: int, rng: Rng) -> Mesh:
    """A bay horse, a grey with lowered head, a piebald pony, a black one that rears."""
    beast = (
        HORSE,
        replace(HORSE, neck=(0.68, 0.1), nod_deg=58, stride=-0.12),
        replace(
            HORSE,
            length=0.85,
            shoulder=0.82,
            hip=0.84,
            chest=0.27,
            leg=(0.12, 0.07, 0.055),
            neck=(0.36, 0.42),
            head=0.42,
            stride=0.1,
        ),
        replace(HORSE, stride=0.25, neck=(0.42, 0.66), nod_deg=30),
    )[variant]
    hair = f.fur(rng, ((26, 22, 20), (200, 196, 190), (236, 230, 220), (22, 20, 22))[variant], 0.4)
    skin, parts, head = horse_like(rng, beast, hair)
    looks = (
        (f.coat(rng, [(0, (30, 22, 18)), (0.3, (92, 48, 24)), (1, (134, 74, 38))]), by_height(0.1, 0.9)),
        (f.coat(rng, [(0, (130, 130, 134)), (1, (206, 204, 200))]), patches(rng, 0.12, sharp=6)),
        (
            f.coat(rng, [(0, (120, 66, 34)), (0.47, (126, 70, 36)), (0.53, (238, 232, 224)), (1, (240, 236, 230))]),
            patches(rng, 0.42, sharp=40),
        ),
        (f.coat(rng, [(0, (24, 20, 20)), (1, (44, 38, 38))], shiny=True), patches(rng, 0.2)),
    )[variant]
    blaze = ellipsoid(head.point(0.42, 0, 0.62), (0.12, 0.03, 0.05), f.matt((236, 232, 224)), detail=12)
    mesh = whole([painted(skin, *looks), *parts, *([blaze] if variant == 0 else [])])
    if variant == 3:
        mesh = turned(mesh, "y", -34, (-0.55, 0, 0))
    return mesh


@kind(2)
def zebra(variant: int, rng: Rng) -> Mesh:
    """A zebra that looks up, or grazes."""
    beast = replace(
        HORSE,
        length=0.95,
        shoulder=1.0,
        hip=1.02,
        chest=0.26,
        neck=(0.42, 0.46) if variant == 0 else (0.62, -0.42),
        nod_deg=40 if variant == 0 else 66,
        head=0.48,
        stride=0.1,
    )
    skin, parts, _ = horse_like(rng, beast, f.fur(rng, (34, 30, 30)))
    look = f.coat(rng, [(0, (24, 22, 22)), (0.44, (24, 22, 22)), (0.56, (238, 234, 226)), (1, (240, 236, 230))])
    return whole([painted(skin, look, stripes(rng, 0.17 if variant == 0 else 0.14)), *parts])
