"""Animals: soft bodies with species' own proportions, stances and coats."""

# ruff: noqa: RUF005 - sums of an array and a tuple are vectors here

from __future__ import annotations

from dataclasses import replace

import numpy as np

from assets import finishes as f
from assets.bodies import Beast, Body, Head, add_ears, eyes, four_legged, hooves, horn, nostril_tip
from assets.craft import Pattern, Points, curve, mirrored, moved, noise3, painted, turned, whole
from assets.kinds import kind
from assets.mesh import Material, Mesh, Part
from assets.shapes import ellipsoid, lathe, sweep

Rng = np.random.Generator
BLACK = (20, 18, 18)


def _eye() -> Material:
    return f.plastic((12, 10, 10), 0.1)


def _patches(rng: Rng, cell_m: float, share: float = 0.0, sharp: float = 12) -> Pattern:
    field = noise3(rng, cell_m)

    def value(p: Points) -> Points:
        out: Points = 0.5 + sharp * (field(p) - share) / 10
        return out

    return value


def _by_height(low: float, high: float) -> Pattern:
    """0 below ``low``, 1 above ``high``: pale bellies, dark backs."""

    def value(p: Points) -> Points:
        out: Points = (p[:, 2] - low) / (high - low)
        return out

    return value


def _stripes(rng: Rng, period_m: float, wobble: float = 0.05) -> Pattern:
    field = noise3(rng, 0.25)

    def value(p: Points) -> Points:
        phase = p[:, 0] + 0.35 * np.abs(p[:, 1]) + 0.25 * p[:, 2] * np.sign(p[:, 0]) + wobble * field(p)
        out: Points = 0.5 + 2.4 * np.sin(2 * np.pi * phase / period_m)
        return out

    return value


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


@kind("animals", 4)
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
            _patches(rng, 0.55, sharp=40),
        ),
        (f.coat(rng, [(0, (196, 158, 112)), (1, (128, 72, 40))]), _by_height(0.5, 1.1)),
        (f.coat(rng, [(0, (150, 78, 30)), (1, (196, 118, 56))]), _patches(rng, 0.15)),
        (
            f.coat(rng, [(0, (150, 84, 48)), (0.47, (150, 84, 48)), (0.53, (238, 232, 222)), (1, (238, 232, 222))]),
            _patches(rng, 0.3, sharp=40),
        ),
    )
    parts.append(painted(skin, *ramps[variant]))
    parts += [
        nostril_tip(head, f.leather(rng, (206, 150, 140) if variant != 2 else (60, 46, 40)), size=0.85),
        eyes(head, _eye()),
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
    parts: list[Mesh | Part] = [eyes(head, _eye(), size=0.18), *hooves(beast, f.plastic((46, 40, 36)))]
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


@kind("animals", 4)
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
        (f.coat(rng, [(0, (30, 22, 18)), (0.3, (92, 48, 24)), (1, (134, 74, 38))]), _by_height(0.1, 0.9)),
        (f.coat(rng, [(0, (130, 130, 134)), (1, (206, 204, 200))]), _patches(rng, 0.12, sharp=6)),
        (
            f.coat(rng, [(0, (120, 66, 34)), (0.47, (126, 70, 36)), (0.53, (238, 232, 224)), (1, (240, 236, 230))]),
            _patches(rng, 0.42, sharp=40),
        ),
        (f.coat(rng, [(0, (24, 20, 20)), (1, (44, 38, 38))], shiny=True), _patches(rng, 0.2)),
    )[variant]
    blaze = ellipsoid(head.point(0.42, 0, 0.62), (0.12, 0.03, 0.05), f.matt((236, 232, 224)), detail=12)
    mesh = whole([painted(skin, *looks), *parts, *([blaze] if variant == 0 else [])])
    if variant == 3:
        mesh = turned(mesh, "y", -34, (-0.55, 0, 0))
    return mesh


@kind("animals", 2)
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
    return whole([painted(skin, look, _stripes(rng, 0.17 if variant == 0 else 0.14)), *parts])


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


@kind("animals", 5)
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
        (f.coat(rng, [(0, (226, 194, 140)), (1, (196, 150, 88))]), _by_height(0.1, 0.6)),
        (f.coat(rng, [(0, (150, 84, 40)), (1, (82, 40, 20))]), _by_height(0.08, 0.3)),
        (
            f.coat(rng, [(0, (22, 20, 20)), (0.3, (22, 20, 20)), (0.36, (240, 238, 232)), (1, (242, 240, 234))]),
            _patches(rng, 0.07, share=-0.55, sharp=14),
        ),
        (
            f.coat(rng, [(0, (190, 134, 72)), (0.45, (170, 116, 60)), (0.6, (38, 32, 28)), (1, (30, 26, 24))]),
            _by_height(0.2, 0.72),
        ),
        (f.coat(rng, [(0, (206, 200, 194)), (1, (246, 244, 240))]), _patches(rng, 0.03, sharp=8)),
    )[variant]
    return whole(
        [painted(skin, *looks), eyes(head, _eye(), forward=0.32), nostril_tip(head, f.plastic(BLACK, 0.25), size=0.62)]
    )


def _poodle_pompons(body: Body, b: Beast, head: Head) -> None:
    body.ball(head.point(-0.1, 0, 1.0), 0.085)
    body.ball((-b.length / 2 - 0.12, 0, b.hip + 0.3), 0.06)
    body.ball((b.length / 2 - 0.02, 0, b.shoulder), 0.17)
    for x in (b.length / 2 + b.stride, b.length / 2 - b.stride, -b.length / 2 + b.stride, -b.length / 2 - b.stride):
        side = 1 if x in (b.length / 2 + b.stride, -b.length / 2 - b.stride) else -1
        body.ball((x, side * b.spread, 0.1), 0.055)


@kind("animals", 3)
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
            _stripes(rng, 0.055, 0.012),
        )
        if variant == 0
        else (
            f.coat(rng, [(0, (240, 238, 232)), (0.48, (240, 238, 232)), (0.54, (214, 130, 52)), (1, (206, 118, 44))]),
            _patches(rng, 0.14, sharp=40),
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
        mirrored(ellipsoid(c + head.ahead * 0.008, 0.0085, _eye(), detail=8)),
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


@kind("animals", 3)
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
        eyes(head, _eye()),
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


@kind("animals", 3)
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
            _patches(rng, 0.07, share=0.35, sharp=10),
        )
    else:
        look = (
            f.coat(rng, [(0, (214, 188, 150)), (0.3, (150, 96, 54)), (1, (122, 76, 42))]),
            _by_height(0.6 * scale, 1.1 * scale),
        )
    parts: list[Mesh | Part] = [
        painted(skin, *look),
        eyes(head, _eye(), size=0.2),
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


@kind("animals", 2)
def elephant(variant: int, rng: Rng) -> Mesh:
    """A bull with tusks and raised trunk, a young one with its trunk down."""
    s = (1.0, 0.6)[variant]
    body = Body()
    body.rod((0.55 * s, 0, 1.75 * s), (-0.75 * s, 0, 1.7 * s), 0.62 * s, 0.58 * s).ball(
        (-0.05 * s, 0, 1.5 * s), (0.95 * s, 0.64 * s, 0.6 * s)
    )
    for x, step in ((0.72, 0.12), (-0.95, -0.12)):
        for side in (1, -1):
            foot = (x + step * side) * s
            body.chain(
                [
                    (x * s, side * 0.34 * s, 1.35 * s),
                    (foot, side * 0.36 * s, 0.6 * s),
                    (foot, side * 0.36 * s, 0.16 * s),
                ],
                (0.3 * s, 0.22 * s, 0.21 * s),
            )
            body.ball((foot + 0.02 * s, side * 0.36 * s, 0.1 * s), (0.24 * s, 0.23 * s, 0.12 * s))
    at = np.array([1.28 * s, 0, 2.02 * s])
    body.rod((0.8 * s, 0, 1.9 * s), at, 0.45 * s, 0.38 * s).ball(
        at + (0.02, 0, 0.12 * s), (0.36 * s, 0.34 * s, 0.38 * s)
    )
    trunk = (
        [(1.55, 1.9), (1.85, 1.5), (2.15, 1.45), (2.35, 1.8), (2.3, 2.25)]
        if variant == 0
        else [(1.55, 1.9), (1.78, 1.4), (1.85, 0.9), (1.9, 0.45), (2.05, 0.25)]
    )
    body.chain([(x * s, 0, z * s) for x, z in trunk], [0.24 * s, 0.18 * s, 0.14 * s, 0.11 * s, 0.08 * s])
    body.chain(
        [(-1.3 * s, 0, 1.95 * s), (-1.45 * s, 0, 1.6 * s), (-1.45 * s, 0, 1.0 * s)], (0.06 * s, 0.04 * s, 0.03 * s)
    )
    hide = f.stone(rng, ((128, 122, 118), (146, 134, 124))[variant])
    skin = body.skin(hide, cell_m=0.0945 * s, soft=0.14 * s)
    ears = (
        Body()
        .ball((0, 0, 0), (0.42 * s, 0.05 * s, 0.52 * s))
        .ball((-0.16 * s, 0, -0.2 * s), (0.3 * s, 0.05 * s, 0.4 * s))
    )
    ear = moved(turned(ears.skin(hide, cell_m=0.0473 * s, soft=0.05), "z", 32), 1.05 * s, 0.52 * s, 2.0 * s)
    eye = mirrored(ellipsoid((1.52 * s, 0.27 * s, 2.12 * s), 0.035 * s, _eye(), detail=10))
    tusk = [(1.5 * s, 0.16 * s, 1.72 * s), (1.8 * s, 0.2 * s, 1.45 * s), (2.1 * s, 0.2 * s, 1.5 * s)]
    tusks = [mirrored(horn(tusk, 0.06 * s, f.ceramic((238, 230, 210))))] if variant == 0 else []
    return whole([skin, mirrored(ear), eye, *tusks])


@kind("animals", 3)
def bear(variant: int, rng: Rng) -> Mesh:
    """A brown bear, a polar bear, a panda that sits."""
    if variant == 2:
        return _panda(rng)
    beast = Beast(
        length=1.05,
        shoulder=0.74,
        hip=0.72,
        chest=0.33,
        rump=0.35,
        belly=(0.62, 0.34, 0.34),
        spread=0.2,
        leg=(0.18, 0.13, 0.11),
        neck=(0.42, 0.12) if variant == 0 else (0.58, 0.14),
        neck_radii=(0.2, 0.28),
        head=0.42,
        skull=(0.2, 0.085),
        nod_deg=18,
        stride=0.16,
        tail=((0, 0), (-0.06, -0.05)),
        tail_radius=0.05,
        digitigrade=0.08,
    )
    body, head = four_legged(beast)
    if variant == 0:
        body.ball((0.5, 0, 1.0), (0.26, 0.2, 0.2))
    body.ball(head.point(-0.15, 0.75, 0.75), 0.075, both=True)
    color = ((98, 62, 36), (236, 230, 212))[variant]
    skin = body.skin(f.fur(rng, color, 0.45), cell_m=0.0486, soft=0.1)
    return whole(
        [skin, eyes(head, _eye(), forward=0.42, up=0.4, size=0.11), nostril_tip(head, f.plastic(BLACK, 0.3), size=0.75)]
    )


def _panda(rng: Rng) -> Mesh:
    white, black = f.fur(rng, (238, 234, 226), 0.3), f.fur(rng, (30, 28, 30), 0.5)
    body = Body().rod((0, 0, 0.36), (0.06, 0, 0.72), 0.36, 0.26)
    head = Head(np.array([0.12, 0, 1.06]), np.array([1.0, 0, 0]), np.array([0, 0, 1.0]), 0.32, 0.24, 0.1)
    body.ball(head.at, (0.24, 0.27, 0.23)).ball(head.at + (0.2, 0, -0.06), (0.12, 0.12, 0.1))
    dark = Body().chain([(0.06, 0.26, 0.78), (0.26, 0.36, 0.58), (0.42, 0.22, 0.5)], (0.13, 0.11, 0.1), both=True)
    dark.chain([(0.1, 0.22, 0.2), (0.5, 0.3, 0.14)], (0.17, 0.13), both=True).ball(
        (0.6, 0.3, 0.2), (0.08, 0.12, 0.16), both=True
    )
    dark.ball(head.at + (-0.03, 0.2, 0.2), 0.085, both=True).ball((0.02, 0, 0.82), (0.22, 0.27, 0.1))
    patch = mirrored(ellipsoid(head.at + (0.2, 0.1, 0.04), (0.05, 0.055, 0.075), black, detail=14))
    return whole(
        [
            body.skin(white, cell_m=0.0405, soft=0.08),
            dark.skin(black, cell_m=0.0378, soft=0.06),
            patch,
            mirrored(ellipsoid(head.at + (0.245, 0.09, 0.05), 0.022, f.plastic((230, 230, 230), 0.1), detail=10)),
            nostril_tip(head, f.plastic(BLACK, 0.3), size=0.5),
        ]
    )


@kind("animals", 3)
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
        (f.coat(rng, [(0, (214, 150, 138)), (1, (240, 188, 176))]), _patches(rng, 0.3, sharp=5)),
        (
            f.coat(rng, [(0, (40, 34, 34)), (0.45, (44, 38, 38)), (0.52, (232, 190, 178)), (1, (236, 196, 184))]),
            _patches(rng, 0.25, share=-0.3, sharp=40),
        ),
        (f.coat(rng, [(0, (44, 36, 30)), (1, (92, 74, 58))]), _patches(rng, 0.06, sharp=8)),
    )[variant]
    snout = head.at + head.ahead * (head.length + 0.005)
    disc = ellipsoid(
        snout, (0.025, 0.075, 0.065), f.leather(rng, (222, 140, 132) if variant != 2 else (60, 46, 42)), detail=16
    )
    holes = mirrored(ellipsoid(snout + (0.022, 0.028, 0.005), (0.01, 0.013, 0.018), f.matt((70, 30, 30)), detail=8))
    parts: list[Mesh | Part] = [
        painted(skin, *looks),
        eyes(head, _eye(), forward=0.35, up=0.5, size=0.1),
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


@kind("animals", 2)
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
    return whole([painted(skin, look, cells), eyes(head, _eye()), ossicone, *hooves(beast, f.plastic((60, 46, 36)))])


@kind("animals", 2)
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
    parts: list[Mesh | Part] = [skin, eyes(head, _eye()), nostril_tip(head, f.matt((90, 66, 46)), size=0.5)]
    if variant == 1:
        cloth = f.striped(rng, [(170, 30, 36), (226, 180, 60), (30, 70, 120)], per_m=5)
        parts.append(
            Body()
            .ball((-0.05, 0, 1.52), (0.42, 0.39, 0.42))
            .rod((-0.05, 0, 1.8), (-0.05, 0, 2.08), 0.32, 0.14)
            .skin(cloth, cell_m=0.0607, soft=0.1)
        )
    return whole(parts)


@kind("animals", 2)
def lion(variant: int, rng: Rng) -> Mesh:
    """A lion with a mane, and a lioness that stalks."""
    beast = _big_cat(0.2 if variant == 0 else 0.28, low=variant == 1)
    body, head = four_legged(beast)
    body.ball(head.point(-0.1, 0.75, 0.75), 0.045, both=True)
    skin = body.skin(f.fur(rng, (196, 148, 84), 0.35), cell_m=0.0351, soft=0.06)
    tip = np.array([-beast.length / 2 - 0.6 * beast.rump - 0.5, 0, beast.hip + 0.5 * beast.rump - 0.35])
    parts: list[Mesh | Part] = [
        skin,
        eyes(head, _eye(), forward=0.4, up=0.35, size=0.12),
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


@kind("animals", 2)
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
            painted(skin, look, _stripes(rng, 0.15, 0.04)),
            eyes(head, _eye(), forward=0.4, up=0.35, size=0.12),
            nostril_tip(head, f.plastic((190, 120, 110)), size=0.5),
        ]
    )


@kind("animals", 2)
def kangaroo(variant: int, rng: Rng) -> Mesh:
    """A standing kangaroo, red or grey with a joey in its pouch."""
    body = Body().chain([(-0.12, 0, 0.5), (0.02, 0, 0.85), (0.1, 0, 1.15)], (0.25, 0.2, 0.13))
    head = Head(np.array([0.2, 0, 1.4]), np.array([0.96, 0, -0.28]), np.array([0.28, 0, 0.96]), 0.26, 0.085, 0.045)
    body.rod((0.1, 0, 1.15), head.at, 0.1, 0.07).ball(head.at, 0.085).rod(
        head.at, head.at + head.ahead * 0.21, 0.075, 0.042
    )
    add_ears(body, head, 0.18, 0.033, lean=(0, 0.3, 1))
    body.chain(
        [(-0.1, 0.15, 0.48), (0.18, 0.2, 0.42), (-0.14, 0.2, 0.1), (0.28, 0.2, 0.05)],
        (0.19, 0.12, 0.055, 0.04),
        both=True,
    )
    body.chain([(0.14, 0.12, 1.08), (0.28, 0.15, 0.85), (0.42, 0.13, 0.88)], (0.055, 0.04, 0.03), both=True)
    body.chain([(-0.25, 0, 0.4), (-0.55, 0, 0.15), (-0.95, 0, 0.07), (-1.25, 0, 0.06)], (0.17, 0.1, 0.07, 0.035))
    base = ((166, 96, 54), (140, 128, 116))[variant]
    if variant == 1:
        body.ball((0.24, 0, 0.72), 0.1).ball((0.32, 0, 0.82), 0.06).rod(
            (0.3, 0.03, 0.85), (0.3, 0.05, 0.96), 0.022, both=True
        )
    skin = body.skin(f.fur(rng, base, 0.4), cell_m=0.0351, soft=0.06)
    return whole([skin, eyes(head, _eye(), size=0.2), nostril_tip(head, f.plastic(BLACK), size=0.5)])


@kind("animals", 2)
def rabbit(variant: int, rng: Rng) -> Mesh:
    """A sitting rabbit, and a big hare on its hind legs."""
    tall = variant == 1
    body = Body().rod((-0.08, 0, 0.1), (0.06, 0, 0.3 if tall else 0.13), 0.1, 0.075)
    z = 0.42 if tall else 0.22
    head = Head(np.array([0.12, 0, z]), np.array([1.0, 0, 0]), np.array([0, 0, 1.0]), 0.1, 0.062, 0.035)
    body.ball(head.at, (0.068, 0.056, 0.056)).ball(head.at + (0.055, 0, -0.012), (0.035, 0.036, 0.032)).ball(
        (-0.18, 0, 0.09), 0.04
    )
    for y in (0.03,):
        body.chain(
            [head.at + (-0.02, y, 0.04), head.at + (-0.05, y * 1.6, 0.13), head.at + (-0.06, y * 2, 0.21)],
            (0.018, 0.025, 0.012),
            both=True,
        )
    body.ball((-0.05, 0.08, 0.08), (0.09, 0.045, 0.075), both=True).ball(
        (0.03, 0.08, 0.02), (0.09, 0.03, 0.02), both=True
    )
    fore = [(0.08, 0.045, 0.25), (0.16, 0.04, 0.2)] if tall else [(0.1, 0.04, 0.12), (0.13, 0.045, 0.02)]
    body.chain(fore, (0.03, 0.022), both=True)
    color = ((226, 220, 212), (132, 100, 66))[variant]
    return whole(
        [
            body.skin(f.fur(rng, color, 0.4), cell_m=0.0115, soft=0.025),
            eyes(head, _eye(), forward=0.25, size=0.2),
            nostril_tip(head, f.plastic((210, 140, 140)), size=0.35),
        ]
    )


@kind("animals", 2)
def flamingo(variant: int, rng: Rng) -> Mesh:
    """A pink flamingo on one leg, and one that feeds with its neck down."""
    pink, beak, leg = (
        f.fur(rng, ((236, 130, 130), (240, 160, 150))[variant], 0.35),
        f.plastic((30, 28, 30)),
        f.plastic((222, 120, 120)),
    )
    body = Body().rod((0.12, 0, 0.86), (-0.2, 0, 0.84), 0.13, 0.08).rod((-0.2, 0, 0.84), (-0.36, 0, 0.76), 0.07, 0.02)
    neck = (
        [(0.2, 0, 0.92), (0.36, 0, 1.0), (0.3, 0, 1.2), (0.2, 0, 1.36), (0.3, 0, 1.47), (0.4, 0, 1.42)]
        if variant == 0
        else [(0.2, 0, 0.92), (0.42, 0, 0.95), (0.52, 0, 0.7), (0.46, 0, 0.4), (0.5, 0, 0.22)]
    )
    path = curve(neck, 20)
    body.chain([tuple(p) for p in path], list(np.linspace(0.055, 0.032, 20)))
    tip = path[-1]
    body.ball(tip, (0.055, 0.045, 0.045))
    bill = horn([tip + (0.03, 0, 0), tip + (0.11, 0, -0.02), tip + (0.12, 0, -0.1)], 0.032, beak)
    straight = [
        sweep([(0, 0.04, 0.8), (0.02, 0.04, 0.42), (0, 0.04, 0.02)], 0.014, leg),
        sweep([(0, 0.04, 0.012), (0.14, 0.04, 0.012)], 0.018, leg),
    ]
    second = (
        [sweep([(0, -0.04, 0.8), (0.05, -0.03, 0.55), (-0.22, -0.02, 0.5), (-0.3, -0.02, 0.42)], 0.014, leg)]
        if variant == 0
        else [
            sweep([(0.05, -0.04, 0.8), (0.12, -0.04, 0.42), (0.15, -0.04, 0.02)], 0.014, leg),
            sweep([(0.15, -0.04, 0.012), (0.28, -0.04, 0.012)], 0.018, leg),
        ]
    )
    eye = mirrored(ellipsoid(tip + (0.01, 0.038, 0.012), 0.01, _eye(), detail=8))
    return whole([body.skin(pink, cell_m=0.023, soft=0.035), bill, eye, *straight, *second])


@kind("animals", 3)
def penguin(variant: int, rng: Rng) -> Mesh:
    """An emperor penguin, a crested one, a fluffy grey chick."""
    s = (1.0, 0.65, 0.55)[variant]
    body = Body().chain([(0, 0, 0.28 * s), (0, 0, 0.6 * s), (0.02 * s, 0, 0.85 * s)], (0.21 * s, 0.19 * s, 0.11 * s))
    at = np.array([0.03 * s, 0, 0.98 * s])
    body.ball(at, 0.105 * s).rod((-0.12 * s, 0, 0.14 * s), (-0.26 * s, 0, 0.03 * s), 0.08 * s, 0.03 * s)
    body.chain(
        [(0.0, 0.17 * s, 0.74 * s), (0.02 * s, 0.27 * s, 0.5 * s), (0.0, 0.28 * s, 0.3 * s)],
        (0.05 * s, 0.045 * s, 0.02 * s),
        both=True,
    )
    skin = body.skin(f.fur(rng, BLACK), cell_m=0.027 * s, soft=0.05 * s)
    back, front = ((26, 28, 34), (244, 242, 236)) if variant != 2 else ((120, 120, 126), (206, 206, 204))

    def belly(p: Points) -> Points:
        out: Points = 0.5 + 12 * (p[:, 0] / s - 0.05 + 0.12 * np.abs(p[:, 1]) / s) * np.where(
            p[:, 2] > 0.88 * s, -0.4, 1
        )
        return out

    parts: list[Mesh | Part] = [painted(skin, f.coat(rng, [(0, back), (0.45, back), (0.55, front), (1, front)]), belly)]
    orange = f.plastic((236, 150, 40))
    parts.append(
        horn(
            [at + (0.08 * s, 0, 0), at + (0.15 * s, 0, 0), at + (0.22 * s, 0, -0.03 * s)],
            0.035 * s,
            orange if variant == 1 else f.plastic((40, 36, 36)),
        )
    )
    parts.append(
        mirrored(
            ellipsoid(
                at + (0.075 * s, 0.06 * s, 0.03 * s),
                0.016 * s,
                _eye() if variant == 2 else f.plastic((230, 220, 200), 0.1),
                detail=10,
            )
        )
    )
    parts.append(mirrored(ellipsoid((0.1 * s, 0.09 * s, 0.025 * s), (0.13 * s, 0.07 * s, 0.03 * s), orange, detail=14)))
    if variant == 0:
        parts.append(
            mirrored(
                ellipsoid(
                    at + (-0.01, 0.085 * s, -0.05 * s),
                    (0.05 * s, 0.03 * s, 0.07 * s),
                    f.matt((240, 180, 50)),
                    detail=12,
                )
            )
        )
    if variant == 1:
        tuft = f.matt((246, 206, 60))
        parts.append(
            mirrored(
                [
                    horn(
                        [
                            at + (0.05, 0.04, 0.06),
                            at + (0, 0.09 + 0.02 * i, 0.08 + 0.012 * i),
                            at + (-0.09, 0.12 + 0.02 * i, 0.07 + 0.02 * i),
                        ],
                        0.01,
                        tuft,
                    )
                    for i in range(3)
                ]
            )
        )
    return whole(parts)


@kind("animals", 1)
def goose(_variant: int, rng: Rng) -> Mesh:
    """A white goose."""
    return _goose_family(0, rng)


@kind("animals", 1)
def duck(_variant: int, rng: Rng) -> Mesh:
    """A drake with a green head."""
    return _goose_family(1, rng)


def _goose_family(variant: int, rng: Rng) -> Mesh:
    """A white goose, and a duck with a green head."""
    s = (1.0, 0.65)[variant]
    body = (
        Body()
        .rod((0.12 * s, 0, 0.34 * s), (-0.2 * s, 0, 0.36 * s), 0.14 * s, 0.1 * s)
        .rod((-0.22 * s, 0, 0.38 * s), (-0.4 * s, 0, 0.42 * s), 0.07 * s, 0.02 * s)
    )
    top = (0.32, 0.82) if variant == 0 else (0.27, 0.62)
    body.chain(
        [(0.2 * s, 0, 0.42 * s), (0.28 * s, 0, 0.6 * s), (top[0] * s, 0, top[1] * s)], (0.075 * s, 0.05 * s, 0.05 * s)
    )
    at = np.array([(top[0] + 0.03) * s, 0, (top[1] + 0.03) * s])
    body.ball(at, (0.075 * s, 0.06 * s, 0.06 * s)).ball(
        (-0.08 * s, 0.13 * s, 0.4 * s), (0.22 * s, 0.03 * s, 0.09 * s), both=True
    )
    skin = body.skin(f.fur(rng, (236, 234, 228), 0.3), cell_m=0.023 * s, soft=0.04 * s)
    if variant == 1:

        def bands(p: Points) -> Points:
            z = p[:, 2] / s - np.where(p[:, 0] > 0.14 * s, 0, 1.0)
            out: Points = np.clip((z - 0.3) / 0.3, 0.0, 1.0)
            return out

        skin = painted(
            skin,
            f.coat(
                rng,
                [
                    (0, (150, 140, 128)),
                    (0.3, (104, 70, 50)),
                    (0.62, (104, 70, 50)),
                    (0.66, (240, 240, 236)),
                    (0.74, (240, 240, 236)),
                    (0.78, (20, 80, 54)),
                    (1, (20, 90, 60)),
                ],
            ),
            bands,
        )
    orange = f.plastic((232, 140, 40))
    bill = (
        Body()
        .rod(at + (0.05 * s, 0, -0.005), at + (0.15 * s, 0, -0.03 * s), 0.032 * s, 0.018 * s)
        .skin(orange, cell_m=0.0135 * s, soft=0.01)
    )
    leg = [
        sweep([(0.0, 0.07 * s, 0.26 * s), (0.02 * s, 0.07 * s, 0.03 * s)], 0.016 * s, orange),
        ellipsoid((0.07 * s, 0.07 * s, 0.012 * s), (0.08 * s, 0.055 * s, 0.014 * s), orange, detail=12),
    ]
    return whole(
        [
            skin,
            bill,
            mirrored(leg),
            mirrored(ellipsoid(at + (0.03 * s, 0.052 * s, 0.015 * s), 0.011 * s, _eye(), detail=8)),
        ]
    )


@kind("animals", 2)
def crocodile(variant: int, rng: Rng) -> Mesh:
    """A crocodile at rest, or with open jaws and a curled tail."""
    bend = (0.05, 0.35)[variant]
    spine = curve(
        [
            (1.0, 0, 0.2),
            (0.3, 0, 0.22),
            (-0.4, bend * 0.3, 0.2),
            (-1.1, bend, 0.14),
            (-1.7, bend * 2.4, 0.1),
            (-2.1, bend * 4, 0.06),
        ],
        18,
    )
    body = Body().chain(
        [tuple(p) for p in spine], list(np.interp(np.arange(18), [0, 3, 8, 12, 17], [0.15, 0.22, 0.2, 0.1, 0.03]))
    )
    lift = 0.05 if variant == 0 else 0.32
    body.rod((1.0, 0, 0.22), (1.3, 0, 0.24 + lift * 0.3), 0.15, 0.12).rod(
        (1.25, 0, 0.24 + lift * 0.3), (1.85, 0, 0.2 + lift), 0.1, 0.05
    )
    body.rod((1.15, 0, 0.14), (1.8, 0, 0.09), 0.09, 0.045).ball((1.22, 0.08, 0.36 + lift * 0.3), 0.05, both=True)
    for x, back in ((0.65, 0), (-0.5, 1)):
        body.chain(
            [(x, 0.16, 0.2), (x - 0.1 + 0.2 * back, 0.38, 0.18), (x + 0.05, 0.44, 0.04), (x + 0.2, 0.48, 0.03)],
            (0.09, 0.065, 0.05, 0.03),
            both=True,
        )
    skin = body.skin(f.leather(rng, (84, 92, 54)), cell_m=0.052, soft=0.05)
    look = f.coat(
        rng, [(0, (190, 184, 130)), (0.35, (120, 122, 76)), (0.6, (72, 82, 48)), (1, (52, 62, 38))], shiny=True
    )
    rough = noise3(rng, 0.06)

    def back_dark(p: Points) -> Points:
        out: Points = (p[:, 2] - 0.02) / 0.4 + 0.15 * rough(p)
        return out

    horny = f.leather(rng, (58, 66, 38))
    ridge = [
        ellipsoid(p + (0, s * 0.05, r), (0.06, 0.02, 0.045), horny, detail=8)
        for p, r in zip(
            spine[1:], np.interp(np.arange(1, 18), [0, 3, 8, 12, 17], [0.13, 0.2, 0.18, 0.1, 0.03]), strict=True
        )
        for s in (1, -1)
    ]
    teeth_white = f.ceramic((240, 236, 220))
    teeth = [
        horn(
            [
                (x, 0.07 - 0.03 * (x - 1.35) / 0.5, 0.13 if variant == 0 else 0.14),
                (x, 0.08 - 0.03 * (x - 1.35) / 0.5, 0.19),
            ],
            0.012,
            teeth_white,
        )
        for x in np.linspace(1.35, 1.8, 7)
    ]
    upper = [
        horn(
            [
                (x, 0.07 - 0.03 * (x - 1.35) / 0.5, 0.19 + lift * (0.35 + (x - 1.35) * 1.3)),
                (x, 0.075 - 0.03 * (x - 1.35) / 0.5, 0.1 + lift * (0.35 + (x - 1.35) * 1.3)),
            ],
            0.013,
            teeth_white,
        )
        for x in np.linspace(1.4, 1.82, 6)
    ]
    eye = mirrored(ellipsoid((1.25, 0.105, 0.38 + lift * 0.3), 0.026, f.plastic((220, 190, 50), 0.1), detail=10))
    return whole([painted(skin, look, back_dark), *ridge, mirrored(teeth), mirrored(upper), eye])


@kind("animals", 2)
def tortoise(variant: int, rng: Rng) -> Mesh:
    """A giant tortoise with a domed shell, and a flatter turtle with flippers."""
    flat = variant == 1
    z = 0.2 if not flat else 0.08
    height = 0.42 if not flat else 0.26
    shell = lathe(
        [
            (0, z - 0.03),
            (0.42, z),
            (0.5, z + 0.03),
            (0.46, z + 0.3 * height),
            (0.36, z + 0.65 * height),
            (0.2, z + 0.92 * height),
            (0, z + height),
        ],
        f.leather(rng, (110, 84, 44)),
        detail=36,
    )
    field = noise3(rng, 0.15, 12)

    def plates(p: Points) -> Points:
        out: Points = np.abs(field(p)) * 1.5
        return out

    look = f.coat(
        rng,
        [(0, (40, 34, 22)), (0.2, (52, 44, 26)), (0.4, (120, 92, 48)), (1, (164, 132, 70))]
        if not flat
        else [(0, (30, 50, 34)), (0.3, (50, 76, 46)), (1, (110, 130, 70))],
        shiny=True,
    )
    dome = whole(painted(shell, look, plates)).transformed(np.diag([1.25, 1.0, 1.0, 1.0]))
    body = Body().rod((0.3, 0, z + 0.05), (0.62, 0, z + 0.12), 0.14, 0.1)
    at = np.array([0.82, 0, z + (0.3 if not flat else 0.14)])
    body.rod((0.6, 0, z + 0.12), at, 0.1, 0.075).ball(at + (0.02, 0, 0), (0.11, 0.08, 0.075)).rod(
        (-0.6, 0, z), (-0.72, 0, z - 0.05), 0.04, 0.015
    )
    if flat:
        body.chain([(0.4, 0.35, z), (0.55, 0.75, z - 0.02), (0.35, 1.0, 0.03)], (0.09, 0.07, 0.03), both=True)
        body.chain([(-0.45, 0.3, z), (-0.7, 0.5, 0.04)], (0.08, 0.04), both=True)
    else:
        for x in (0.38, -0.42):
            body.chain(
                [(x, 0.28, z + 0.04), (x * 1.1, 0.4, 0.12), (x * 1.1, 0.4, 0.06)], (0.13, 0.115, 0.11), both=True
            )
    skin = body.skin(f.leather(rng, (112, 104, 72) if not flat else (96, 120, 90)), cell_m=0.0351, soft=0.05)
    return whole([dome, skin, mirrored(ellipsoid(at + (0.07, 0.065, 0.025), 0.016, _eye(), detail=8))])
