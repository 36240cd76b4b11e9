"""Dogs and cats, lions and tigers among them."""

# ruff: noqa: RUF005 - sums of an array and a tuple are vectors here

from __future__ import annotations

from dataclasses import replace

import numpy as np

from caos.assets.catalogue.kinds import kind
from caos.assets.mesh import Mesh, Part
from caos.assets.modelling import finishes as f
from caos.assets.modelling.assembly import Rng, mirrored, painted, whole
from caos.assets.modelling.bodies import Beast, Body, Head, add_ears, eyes, four_legged, nostril_tip
from caos.assets.modelling.shapes import ellipsoid
from caos.assets.objects.animals.coats import BLACK, by_height, dark_eye, patches, stripes

DOG = Beast(
    length=0.48,
    shoulder=0.46,
    hip=0.46,
    chest=0.13,
    rump=0.115,
    belly=(0.27, 0.115, 0.12),
    spread=0.085,
    leg=(0.06, 0.033, 0.028),
    neck=(0.17, 0.17),
    neck_radii=(0.085, 0.11),
    head=0.24,
    skull=(0.092, 0.045),
    nod_deg=14,
    stride=0.06,
    tail=((0, 0), (-0.14, 0.04), (-0.25, 0.14)),
    tail_radius=0.025,
    digitigrade=0.14,
)


@kind(5)
def dog(variant: int, rng: Rng) -> Mesh:
    """A labrador, a dachshund, a dalmatian, a shepherd and a poodle."""
    beast = (
        DOG,
        replace(
            DOG,
            length=0.5,
            shoulder=0.19,
            hip=0.19,
            chest=0.095,
            rump=0.085,
            belly=(0.28, 0.085, 0.085),
            spread=0.06,
            leg=(0.045, 0.032, 0.03),
            neck=(0.12, 0.12),
            neck_radii=(0.06, 0.08),
            head=0.22,
            skull=(0.07, 0.032),
            stride=0.03,
        ),
        replace(DOG, stride=0.12, leg=(0.055, 0.03, 0.026)),
        replace(
            DOG,
            length=0.6,
            shoulder=0.52,
            hip=0.48,
            chest=0.16,
            neck=(0.18, 0.24),
            tail=((0, 0), (-0.16, -0.1), (-0.22, -0.3)),
            tail_radius=0.045,
        ),
        replace(
            DOG,
            length=0.4,
            shoulder=0.46,
            hip=0.46,
            chest=0.14,
            neck=(0.12, 0.24),
            leg=(0.06, 0.03, 0.028),
            tail=((0, 0), (-0.03, 0.12), (-0.05, 0.2)),
        ),
    )[variant]
    body, head = four_legged(beast)
    if variant == 3:
        add_ears(body, head, 0.13, 0.028, lean=(0.05, 0.35, 1))
    else:
        add_ears(body, head, 0.15 if variant != 4 else 0.17, 0.032, lean=(0.0, 0.55, -0.85))
    if variant == 4:
        _poodle_pompons(body, beast, head)
    skin = body.skin(f.fur(rng, (200, 160, 100)), cell_m=0.0182, soft=0.035)
    looks = (
        (f.coat(rng, [(0, (226, 194, 140)), (1, (196, 150, 88))]), by_height(0.1, 0.6)),
        (f.coat(rng, [(0, (150, 84, 40)), (1, (82, 40, 20))]), by_height(0.08, 0.3)),
        (
            f.coat(rng, [(0, (22, 20, 20)), (0.3, (22, 20, 20)), (0.36, (240, 238, 232)), (1, (242, 240, 234))]),
            patches(rng, 0.07, share=-0.55, sharp=14),
        ),
        (
            f.coat(rng, [(0, (190, 134, 72)), (0.45, (170, 116, 60)), (0.6, (38, 32, 28)), (1, (30, 26, 24))]),
            by_height(0.2, 0.72),
        ),
        (f.coat(rng, [(0, (206, 200, 194)), (1, (246, 244, 240))]), patches(rng, 0.03, sharp=8)),
    )[variant]
    return whole(
        [
            painted(skin, *looks),
            eyes(head, dark_eye(), forward=0.32),
            nostril_tip(head, f.plastic(BLACK, 0.25), size=0.62),
        ]
    )


def _poodle_pompons(body: Body, b: Beast, head: Head) -> None:
    body.ball(head.point(-0.1, 0, 1.0), 0.085)
    body.ball((-b.length / 2 - 0.12, 0, b.hip + 0.3), 0.06)
    body.ball((b.length / 2 - 0.02, 0, b.shoulder), 0.17)
    for x in (b.length / 2 + b.stride, b.length / 2 - b.stride, -b.length / 2 + b.stride, -b.length / 2 - b.stride):
        side = 1 if x in (b.length / 2 + b.stride, -b.length / 2 - b.stride) else -1
        body.ball((x, side * b.spread, 0.1), 0.055)


@kind(3)
def cat(variant: int, rng: Rng) -> Mesh:
    """A walking tabby, a sitting black cat, a crouching white-and-ginger one."""
    if variant == 1:
        return _sitting_cat(rng)
    beast = replace(
        DOG,
        length=0.26,
        shoulder=0.24,
        hip=0.25,
        chest=0.075,
        rump=0.075,
        belly=(0.16, 0.075, 0.08),
        spread=0.045,
        leg=(0.036, 0.022, 0.02),
        neck=(0.09, 0.06),
        neck_radii=(0.05, 0.06),
        head=0.095,
        skull=(0.06, 0.032),
        nod_deg=10,
        stride=0.05,
        tail=((0, 0), (-0.1, 0.04), (-0.16, 0.16), (-0.12, 0.28)),
        tail_radius=0.016,
    )
    if variant == 2:
        beast = replace(
            beast, shoulder=0.15, hip=0.2, stride=0.07, tail=((0, 0), (-0.12, -0.04), (-0.28, -0.1), (-0.4, -0.08))
        )
    body, head = four_legged(beast)
    _cat_ears(body, head)
    skin = body.skin(f.fur(rng, (140, 120, 100)), cell_m=0.0101, soft=0.02)
    look = (
        (
            f.coat(rng, [(0, (58, 50, 42)), (0.35, (64, 54, 44)), (0.6, (168, 146, 116)), (1, (176, 156, 128))]),
            stripes(rng, 0.055, 0.012),
        )
        if variant == 0
        else (
            f.coat(rng, [(0, (240, 238, 232)), (0.48, (240, 238, 232)), (0.54, (214, 130, 52)), (1, (206, 118, 44))]),
            patches(rng, 0.14, sharp=40),
        )
    )
    return whole([painted(skin, *look), *_cat_face(head)])


def _cat_ears(body: Body, head: Head) -> None:
    root = head.point(-0.1, 0.55, 0.75)
    body.rod(root, root + (0.0, 0.015, 0.055), 0.022, 0.004, both=True)


def _cat_face(head: Head) -> list[Mesh | Part]:
    green = f.plastic((150, 180, 60), 0.1)
    c = head.point(0.5, 0.42, 0.3)
    return [
        mirrored(ellipsoid(c, 0.013, green, detail=10)),
        mirrored(ellipsoid(c + head.ahead * 0.008, 0.0085, dark_eye(), detail=8)),
        nostril_tip(head, f.plastic((200, 130, 124)), size=0.35),
    ]


def _sitting_cat(rng: Rng) -> Mesh:
    body = Body()
    body.ball((-0.05, 0, 0.09), (0.11, 0.095, 0.09)).rod((-0.04, 0, 0.1), (0.05, 0, 0.26), 0.09, 0.06)
    body.chain([(0.06, 0.04, 0.22), (0.08, 0.045, 0.1), (0.085, 0.045, 0.015)], (0.035, 0.024, 0.022), both=True)
    body.ball((0.1, 0.045, 0.015), (0.03, 0.022, 0.015), both=True).ball(
        (-0.02, 0.085, 0.06), (0.075, 0.035, 0.06), both=True
    )
    body.ball((0.05, 0.09, 0.015), (0.05, 0.022, 0.015), both=True)
    body.chain(
        [(-0.13, 0, 0.03), (-0.16, 0.08, 0.02), (-0.06, 0.16, 0.02), (0.06, 0.15, 0.02)], (0.02, 0.02, 0.018, 0.014)
    )
    head = Head(np.array([0.075, 0, 0.345]), np.array([1.0, 0, 0]), np.array([0, 0, 1.0]), 0.095, 0.06, 0.03)
    body.ball(head.at, 0.06).ball(head.at + (0.05, 0, -0.018), (0.03, 0.034, 0.026))
    _cat_ears(body, head)
    return whole([body.skin(f.fur(rng, (30, 28, 30), 0.5), cell_m=0.0101, soft=0.02), *_cat_face(head)])


@kind(2)
def lion(variant: int, rng: Rng) -> Mesh:
    """A lion with a mane, and a lioness that stalks."""
    beast = _big_cat(0.2 if variant == 0 else 0.28, low=variant == 1)
    body, head = four_legged(beast)
    body.ball(head.point(-0.1, 0.75, 0.75), 0.045, both=True)
    skin = body.skin(f.fur(rng, (196, 148, 84), 0.35), cell_m=0.0351, soft=0.06)
    tip = np.array([-beast.length / 2 - 0.6 * beast.rump - 0.5, 0, beast.hip + 0.5 * beast.rump - 0.35])
    parts: list[Mesh | Part] = [
        skin,
        eyes(head, dark_eye(), forward=0.4, up=0.35, size=0.12),
        nostril_tip(head, f.plastic((80, 46, 40), 0.4), size=0.55),
        ellipsoid(tip, (0.08, 0.045, 0.045), f.fur(rng, (70, 46, 28)), detail=12),
    ]
    if variant == 0:
        mane = (
            Body()
            .ball(head.at + (-0.14, 0, -0.04), (0.19, 0.27, 0.3))
            .ball(head.at + (-0.22, 0, -0.22), (0.22, 0.23, 0.28))
        )
        for a in np.linspace(0, 2 * np.pi, 16, endpoint=False):
            c = head.at + (-0.08, 0.2 * np.cos(a), 0.22 * np.sin(a))
            mane.rod(c, c + (-0.06, 0.1 * np.cos(a), 0.1 * np.sin(a)), 0.07, 0.02)
        parts.append(mane.skin(f.fur(rng, (118, 66, 28), 0.5), cell_m=0.0405, soft=0.04))
    return whole(parts)


def _big_cat(stride: float, *, low: bool) -> Beast:
    return Beast(
        length=0.95,
        shoulder=0.72 if not low else 0.55,
        hip=0.74 if not low else 0.66,
        chest=0.2,
        rump=0.18,
        belly=(0.52, 0.18, 0.19),
        spread=0.12,
        leg=(0.11, 0.065, 0.06),
        neck=(0.3, 0.22) if not low else (0.36, 0.05),
        neck_radii=(0.14, 0.18),
        head=0.3,
        skull=(0.145, 0.08),
        nod_deg=16,
        stride=stride,
        tail=((0, 0), (-0.2, -0.1), (-0.35, -0.4), (-0.5, -0.35)),
        tail_radius=0.032,
        digitigrade=0.13,
    )


@kind(2)
def tiger(variant: int, rng: Rng) -> Mesh:
    """A striding tiger, orange or white."""
    beast = _big_cat((0.22, -0.1)[variant], low=variant == 0)
    body, head = four_legged(beast)
    body.ball(head.point(-0.1, 0.75, 0.75), 0.045, both=True)
    skin = body.skin(f.fur(rng, (214, 130, 50)), cell_m=0.0324, soft=0.06)
    base = ((222, 132, 44), (236, 232, 224))[variant]
    look = f.coat(rng, [(0, (26, 22, 20)), (0.16, (30, 24, 20)), (0.26, base), (1, base)])
    return whole(
        [
            painted(skin, look, stripes(rng, 0.15, 0.04)),
            eyes(head, dark_eye(), forward=0.4, up=0.35, size=0.12),
            nostril_tip(head, f.plastic((190, 120, 110)), size=0.5),
        ]
    )
