"""Furniture."""

from __future__ import annotations

import numpy as np

from assets import finishes as f
from assets.craft import Pieces, arc, block, curve, legs, mirrored, moved, pad, ringed, slab, turned, whole
from assets.kinds import kind
from assets.mesh import Material, Mesh, Part
from assets.shapes import capsule, cylinder, ellipsoid, extrude, lathe, rounded_box, sweep

Rng = np.random.Generator


@kind("furniture", 5, fallen=True)
def sofa(variant: int, rng: Rng) -> Mesh:
    """A sofa: block arms, rolled leather, corner, striped, or a chaise longue; x is the side one sits on."""
    seats = (3, 2, 3, 2, 2)[variant]
    cloth = (
        f.fabric(rng, (96, 100, 108)),
        f.leather(rng, (104, 52, 28)),
        f.fabric(rng, (58, 96, 92)),
        f.striped(rng, [(178, 42, 40), (230, 214, 188)], per_m=5),
        f.fabric(rng, (150, 40, 74)),
    )[variant]
    legs_wood = f.wood(rng, ("black", "walnut", "oak", "pine", "mahogany")[variant])
    width, depth = 0.68 * seats + 0.1, 0.9
    parts: list[Mesh | Part] = [rounded_box((-0.42, -width / 2, 0.14), (0.42, width / 2, 0.34), 0.03, cloth)]
    for i in range(seats):
        y = (i - (seats - 1) / 2) * 0.68
        parts.append(pad(0.06, y, 0.32, 0.76, 0.67, 0.17, cloth, 0.25))
        back = pad(-0.32, y, 0.4, 0.22, 0.66, 0.5 if variant != 1 else 0.4, cloth, 0.35)
        parts.append(turned(back, "y", -10, (-0.32, 0, 0.4)))
    parts.append(rounded_box((-0.46, -width / 2, 0.14), (-0.3, width / 2, 0.78), 0.05, cloth))
    parts += _sofa_arms(variant, width, cloth)
    parts.append(legs(depth - 0.15, width - 0.1, 0.16, 0.03, legs_wood, taper=0.6))
    if variant == 2:
        parts += [
            rounded_box((0.3, 0.35, 0.14), (1.25, width / 2 + 0.02, 0.34), 0.03, cloth),
            pad(0.86, width / 2 - 0.34, 0.32, 0.86, 0.7, 0.17, cloth, 0.22),
            legs(0.1, 0.5, 0.16, 0.03, legs_wood).transformed(_at(1.15, 0.7)),
        ]
    if variant == 3:
        parts += [
            turned(pad(0.0, s * 0.45, 0.48, 0.12, 0.42, 0.4, f.fabric(rng, (40, 60, 110)), 0.6), "y", -20)
            for s in (1, -1)
        ]
    return whole(parts)


def _at(x: float, y: float, z: float = 0) -> np.ndarray:
    matrix = np.eye(4)
    matrix[:3, 3] = x, y, z
    return matrix


def _sofa_arms(variant: int, width: float, cloth: Material) -> list[Mesh | Part]:
    y = width / 2 + 0.08
    if variant == 1:
        arm: Pieces = [
            rounded_box((-0.44, y - 0.1, 0.14), (0.42, y + 0.08, 0.58), 0.04, cloth),
            cylinder((-0.44, y + 0.02, 0.6), (0.43, y + 0.02, 0.6), 0.13, cloth),
        ]
    elif variant == 4:
        high = rounded_box((-0.46, y - 0.1, 0.14), (0.42, y + 0.06, 0.95), 0.08, cloth)
        return [high]
    else:
        arm = [rounded_box((-0.46, y - 0.09, 0.14), (0.44, y + 0.09, 0.62 if variant != 3 else 0.55), 0.06, cloth)]
    both = mirrored(arm)
    return [whole(arm).transformed(np.diag([1, -1, 1, 1]))] if variant == 2 else [both]


@kind("furniture", 4, fallen=True)
def armchair(variant: int, rng: Rng) -> Mesh:
    """A wing chair, a club chair, an egg-like shell, a wood-framed lounge chair."""
    if variant == 2:
        return _shell_chair(rng)
    if variant == 3:
        return _lounge_chair(rng)
    cloth = f.fabric(rng, (70, 96, 66)) if variant == 0 else f.leather(rng, (40, 32, 30))
    wood = f.wood(rng, "walnut")
    parts: list[Mesh | Part] = [
        rounded_box((-0.36, -0.36, 0.18), (0.36, 0.36, 0.36), 0.05, cloth),
        pad(0.05, 0, 0.34, 0.68, 0.56, 0.16, cloth, 0.35),
        legs(0.6, 0.62, 0.2, 0.03, wood, taper=0.6),
    ]
    if variant == 0:
        parts.append(
            turned(rounded_box((-0.42, -0.34, 0.3), (-0.26, 0.34, 1.12), 0.07, cloth), "y", -8, (-0.34, 0, 0.3))
        )
        parts.append(mirrored(rounded_box((-0.44, 0.3, 0.62), (-0.12, 0.4, 1.08), 0.05, cloth)))
        parts.append(mirrored(rounded_box((-0.36, 0.28, 0.2), (0.34, 0.42, 0.6), 0.06, cloth)))
    else:
        parts.append(rounded_box((-0.44, -0.42, 0.16), (-0.2, 0.42, 0.82), 0.1, cloth))
        parts.append(mirrored(rounded_box((-0.4, 0.26, 0.16), (0.38, 0.48, 0.66), 0.1, cloth)))
    return whole(parts)


def _shell_chair(rng: Rng) -> Mesh:
    shell, inner, metal = f.plastic((232, 228, 220), 0.2), f.fabric(rng, (206, 96, 30)), f.steel()
    rim = [(0.02, -0.42), (0.3, -0.36), (0.44, -0.16), (0.46, 0.08), (0.4, 0.3), (0.36, 0.3), (0.42, 0.06)]
    egg = lathe([*rim, (0.4, -0.14), (0.26, -0.32), (0.0, -0.38)], shell)
    return whole(
        [
            turned(egg, "y", 62).transformed(_at(0, 0, 0.75)),
            turned(
                lathe([(0.0, -0.36), (0.25, -0.3), (0.38, -0.12), (0.3, -0.05), (0, -0.12)], inner), "y", 55
            ).transformed(_at(0, 0, 0.75)),
            pad(0.08, 0, 0.42, 0.5, 0.56, 0.16, inner, 0.5),
            cylinder((0, 0, 0.03), (0, 0, 0.45), 0.03, metal),
            lathe([(0, 0), (0.32, 0), (0.3, 0.02), (0.05, 0.05), (0, 0.05)], metal),
        ]
    )


def _lounge_chair(rng: Rng) -> Mesh:
    wood, cloth = f.wood(rng, "birch"), f.fabric(rng, (44, 74, 122))
    side = sweep(curve([(0.42, 0, 0), (0.4, 0, 0.5), (0.1, 0, 0.58), (-0.34, 0, 0.56), (-0.42, 0, 0)], 20), 0.028, wood)
    seat = turned(pad(0.02, 0, 0.3, 0.66, 0.58, 0.14, cloth, 0.3), "y", -8, (0, 0, 0.3))
    back = turned(pad(-0.32, 0, 0.32, 0.14, 0.58, 0.66, cloth, 0.3), "y", -24, (-0.32, 0, 0.32))
    bars = [cylinder((x, -0.34, z), (x, 0.34, z), 0.022, wood) for x, z in ((0.36, 0.28), (-0.28, 0.24))]
    return whole([mirrored(moved(side, y=0.34)), seat, back, *bars])


@kind("furniture", 4)
def bed(variant: int, rng: Rng) -> Mesh:
    """A bed with frame, mattress, blanket and pillows: single pine, double padded, iron, or a bunk bed."""
    width = (1.0, 1.7, 1.5, 0.95)[variant]
    wood = (f.wood(rng, "pine"), f.fabric(rng, (90, 92, 100)), f.metal((40, 40, 44), 0.4), f.wood(rng, "white"))[
        variant
    ]
    sheet = f.fabric(rng, (236, 234, 228))
    cover = (
        f.striped(rng, [(36, 70, 130), (224, 226, 230)], per_m=4)
        if variant == 3
        else f.fabric(rng, f.CLOTHS[variant * 2])
    )
    storeys = (0.0, 1.05) if variant == 3 else (0.0,)
    parts: list[Mesh | Part] = []
    for z in storeys:
        parts += _bedding(width, z + 0.28, sheet, cover, 2 if width > 1.2 else 1)
        parts += [
            slab((-1.02, s * width / 2 - 0.02, z + 0.18), (1.02, s * width / 2 + 0.02, z + 0.36), wood) for s in (1, -1)
        ]
    if variant == 2:
        parts += _iron_ends(width, wood)
    elif variant == 3:
        parts.append(mirrored(mirrored(block(1.0, width / 2, 0, 0.07, 0.07, 1.75, wood)), "x"))
        parts += [block(s * 1.0, 0, z, 0.03, width, 0.1, wood) for s in (1, -1) for z in (0.6, 1.6)]
        parts += [block(0.55, width / 2 + 0.05, 0.25 + 0.28 * i, 0.4, 0.03, 0.04, wood) for i in range(5)]
        parts += [block(0.55 + s * 0.2, width / 2 + 0.05, 0, 0.04, 0.04, 1.6, wood) for s in (1, -1)]
        parts.append(slab((-1.0, -width / 2 - 0.02, 1.5), (1.0, -width / 2 + 0.02, 1.6), wood))
    else:
        board = (
            rounded_box((-1.1, -width / 2 - 0.04, 0), (-0.98, width / 2 + 0.04, 1.05), 0.05, wood)
            if variant == 1
            else slab((-1.06, -width / 2 - 0.03, 0), (-1.0, width / 2 + 0.03, 0.9), wood)
        )
        parts += [board, block(1.03, 0, 0, 0.05, width + 0.06, 0.5, wood)]
    return whole(parts)


def _bedding(width: float, z: float, sheet: Material, cover: Material, pillows: int) -> list[Mesh | Part]:
    parts: list[Mesh | Part] = [
        pad(0, 0, z, 2.0, width, 0.22, sheet, 0.12),
        pad(0.32, 0, z + 0.05, 1.4, width + 0.06, 0.22, cover, 0.18),
    ]
    step = width / pillows
    return parts + [
        pad(-0.72, (i - (pillows - 1) / 2) * step, z + 0.18, 0.45, step * 0.84, 0.16, sheet, 0.6)
        for i in range(pillows)
    ]


def _iron_ends(width: float, iron: Material) -> list[Mesh | Part]:
    parts: list[Mesh | Part] = []
    for x, top in ((-1.02, 1.1), (1.02, 0.75)):
        bow = arc((x, 0, top - 0.15), width / 2, 0, 180, "yz", 16)
        bow[:, 2] = top - 0.15 + (bow[:, 2] - top + 0.15) * 0.3 / (width / 2)
        parts.append(sweep(bow, 0.022, iron))
        parts.append(mirrored(cylinder((x, width / 2, 0), (x, width / 2, top - 0.15), 0.025, iron)))
        parts += [
            cylinder((x, y, 0.3), (x, y, top + 0.08), 0.012, iron, detail=8) for y in np.linspace(-0.3, 0.3, 5) * width
        ]
        parts.append(cylinder((x, -width / 2, 0.3), (x, width / 2, 0.3), 0.015, iron))
    return parts


@kind("furniture", 3, fallen=True)
def mattress(variant: int, rng: Rng) -> Mesh:
    """A striped, a quilted or a folded-over stained mattress."""
    if variant == 0:
        cloth = f.striped(rng, [(222, 218, 206), (222, 218, 206), (96, 120, 160)], per_m=8)
    else:
        cloth = f.fabric(rng, (226, 216, 196) if variant == 1 else (176, 156, 120))
    width, thick = (0.95, 1.5, 1.1)[variant], (0.2, 0.28, 0.16)[variant]
    if variant == 2:
        path = curve([(-0.9, 0, 0.1), (0.2, 0, 0.1), (0.62, 0, 0.26), (0.35, 0, 0.5), (-0.1, 0, 0.72)], 24)
        return whole(_ribbon(path, width, thick, cloth))
    parts: list[Mesh | Part] = [pad(0, 0, 0, 2.0, width, thick, cloth, 0.13)]
    if variant == 1:
        buttons = [(x, y) for x in np.linspace(-0.8, 0.8, 6) for y in np.linspace(-0.55, 0.55, 4)]
        parts += [ellipsoid((x, y, thick), (0.03, 0.03, 0.015), f.matt((120, 100, 80)), detail=8) for x, y in buttons]
    edge = f.matt((96, 110, 150))
    parts += [sweep(_rectangle(1.0, width / 2, z), 0.012, edge, detail=6) for z in (0.03, thick - 0.03)]
    return whole(parts)


def _rectangle(x: float, y: float, z: float) -> list[tuple[float, float, float]]:
    return [(x, y, z), (x, -y, z), (-x, -y, z), (-x, y, z), (x, y, z)]


def _ribbon(path: np.ndarray, width: float, thick: float, material: Material) -> Part:
    """A thick sheet of ``width`` (along y) that follows a path in the x-z plane."""
    from assets.shapes import loft

    step = np.gradient(path, axis=0)
    normal = np.stack([-step[:, 2], np.zeros(len(path)), step[:, 0]], 1)
    normal *= thick / 2 / np.linalg.norm(normal, axis=1, keepdims=True)
    side = np.array([0, width / 2, 0])
    sections = np.stack([path - side - normal, path + side - normal, path + side + normal, path - side + normal], 1)
    return loft(sections, material, smooth=False)


@kind("furniture", 3, fallen=True)
def wardrobe(variant: int, rng: Rng) -> Mesh:
    """A two-door wardrobe with knobs, one with a mirror, and one with an open door and clothes."""
    wood = f.wood(rng, ("oak", "white", "mahogany")[variant])
    width, height, depth = (1.1, 1.5, 1.0)[variant], (1.95, 2.1, 1.85)[variant], 0.58
    doors = 3 if variant == 1 else 2
    step = width / doors
    parts: list[Mesh | Part] = [slab((-depth / 2, -width / 2, 0.1), (depth / 2, width / 2, height), wood)]
    front, brass = depth / 2, f.brass()
    for i in range(doors):
        y = (i - (doors - 1) / 2) * step
        parts.append(block(front + 0.012, y, 0.16, 0.024, step - 0.03, height - 0.26, wood))
        inner = f.glass() if variant == 1 and i == 1 else wood
        parts.append(block(front + 0.03, y, 0.3, 0.014, step - 0.17, height - 0.56, inner))
        parts.append(ellipsoid((front + 0.05, y + (0.5 - (i % 2)) * (step - 0.12), 1.0), 0.022, brass, detail=10))
    parts.append(block(0.02, 0, height, depth + 0.08, width + 0.1, 0.06, wood))
    parts.append(
        legs(depth - 0.1, width - 0.1, 0.12, 0.035, wood)
        if variant == 2
        else block(0, 0, 0, depth - 0.06, width - 0.04, 0.1, wood)
    )
    if variant == 2:
        crest = [(0, height + 0.06), (width / 2, height + 0.06), (width / 3, height + 0.16), (0, height + 0.24)]
        outline = np.array([*crest, *[(-y, z) for y, z in crest[::-1]]])
        board = extrude(outline, 0, 0.04, wood).transformed(
            np.array([[0, 0, 1, 0.24], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1.0]])
        )
        parts.append(board)
    return whole(parts)


@kind("furniture", 4, fallen=True)
def bookshelf(variant: int, rng: Rng) -> Mesh:
    """Shelves full of books: tall, low, a staircase of boxes, or half empty with a vase."""
    wood = f.wood(rng, ("birch", "walnut", "white", "oak")[variant])
    width, height = ((0.85, 2.0), (1.4, 1.0), (1.2, 1.5), (0.9, 1.7))[variant]
    rows = round(height / 0.38)
    gap = height / rows
    parts: list[Mesh | Part] = [block(-0.14, 0, 0, 0.015, width, height, wood)]
    covers = [f.matt(c) for c in f.CLOTHS]
    for row in range(rows + 1):
        parts.append(block(0, 0, min(row * gap, height - 0.025), 0.3, width, 0.025, wood))
    parts.append(mirrored(block(0, width / 2, 0, 0.3, 0.03, height, wood)))
    for row in range(rows):
        parts += _books(
            rng,
            row * gap + 0.025,
            width=width - 0.08,
            height=gap - 0.06,
            covers=covers,
            full=0.5 if variant == 3 else 0.95,
        )
    return whole(parts)


def _books(rng: Rng, z: float, *, width: float, height: float, covers: list[Material], full: float) -> list[Part]:
    parts, y = [], -width / 2
    while y < width * (full - 0.5):
        thick, tall, deep = rng.uniform(0.02, 0.055), height * rng.uniform(0.62, 0.98), rng.uniform(0.15, 0.21)
        parts.append(slab((0.13 - deep, y, z), (0.13, y + thick, z + tall), covers[int(rng.integers(len(covers)))]))
        y += thick + (rng.uniform(0.02, 0.08) if rng.random() < 0.08 else 0.003)
    return parts


@kind("furniture", 5, fallen=True)
def table(variant: int, rng: Rng) -> Mesh:
    """A dining, round pedestal, glass, picnic-cloth or trestle table."""
    wood = f.wood(rng, ("oak", "mahogany", "black", "pine", "birch")[variant])
    if variant == 1:
        foot = lathe([(0, 0.1), (0.1, 0.1), (0.12, 0.2), (0.05, 0.35), (0.09, 0.55), (0.05, 0.7), (0.2, 0.73)], wood)
        claw = sweep(curve([(0.06, 0, 0.2), (0.25, 0, 0.16), (0.42, 0, 0.03), (0.5, 0, 0.03)]), 0.035, wood)
        top = lathe([(0, 0.72), (0.6, 0.72), (0.62, 0.74), (0.6, 0.76), (0, 0.76)], wood, detail=48, smooth=False)
        return whole([foot, ringed(claw, 4), top])
    if variant == 2:
        chrome = f.steel()
        return whole(
            [rounded_box((-0.55, -0.9, 0.72), (0.55, 0.9, 0.74), 0.01, f.glass()), legs(0.9, 1.6, 0.72, 0.03, chrome)]
        )
    length, width = ((0.9, 1.7), (0, 0), (0, 0), (0.8, 1.2), (0.7, 1.9))[variant]
    parts: list[Mesh | Part] = [block(0, 0, 0.72, length, width, 0.04, wood)]
    if variant == 4:
        trestle = [sweep([(s * 0.32, 0, 0), (s * 0.06, 0, 0.7)], 0.028, wood, detail=8) for s in (1, -1)]
        trestle += [block(0, 0, 0.3, 0.42, 0.04, 0.05, wood), block(0, 0, 0.66, 0.6, 0.07, 0.06, wood)]
        return whole([*parts, mirrored(moved(trestle, y=0.65))])
    parts.append(legs(length - 0.14, width - 0.14, 0.72, 0.04, wood, taper=0.65))
    parts += [block(s * (length / 2 - 0.07), 0, 0.62, 0.025, width - 0.14, 0.1, wood) for s in (1, -1)]
    parts += [block(0, s * (width / 2 - 0.07), 0.62, length - 0.14, 0.025, 0.1, wood) for s in (1, -1)]
    if variant == 3:
        parts += _tablecloth(rng, length, width)
    return whole(parts)


def _tablecloth(rng: Rng, length: float, width: float) -> list[Part]:
    check = f.striped(rng, [(200, 30, 34), (244, 240, 236)], per_m=6)
    turn = np.linspace(0, 2 * np.pi, 97)
    square = 1 / np.maximum(np.abs(np.cos(turn)), np.abs(np.sin(turn)))
    rim = np.stack([np.cos(turn) * square * (length / 2 + 0.01), np.sin(turn) * square * (width / 2 + 0.01)], 1)
    from assets.shapes import loft

    wave = 1 + 0.035 * np.sin(18 * turn)[:, None]
    levels = [(rim * 1.0, 0.772), (rim * 1.015, 0.76), (rim * 1.03 * wave, 0.6), (rim * 1.05 * wave, 0.5)]
    rings = np.stack([np.concatenate([r[:-1], np.full((96, 1), z)], 1) for r, z in levels[::-1]])
    return [
        loft(rings, check, caps=False),
        slab((-length / 2, -width / 2, 0.76), (length / 2, width / 2, 0.772), check),
    ]


@kind("furniture", 5, fallen=True)
def chair(variant: int, rng: Rng) -> Mesh:
    """A kitchen chair, ladder-back, bentwood, plastic garden chair or folding chair."""
    builders = (_kitchen_chair, _ladder_back, _bentwood, _garden_chair, _folding_chair)
    return whole(builders[variant](rng))


def _kitchen_chair(rng: Rng) -> list[Mesh | Part]:
    wood = f.wood(rng, "oak")
    return [
        block(0, 0, 0.43, 0.42, 0.42, 0.035, wood),
        legs(0.36, 0.36, 0.43, 0.022, wood, taper=0.7),
        mirrored(sweep([(-0.19, 0.18, 0.4), (-0.26, 0.18, 0.95)], 0.02, wood)),
        *[turned(block(-0.22, 0, z, 0.02, 0.36, 0.09, wood), "y", -7, (-0.2, 0, 0.4)) for z in (0.62, 0.84)],
    ]


def _ladder_back(rng: Rng) -> list[Mesh | Part]:
    wood, seat = f.wood(rng, "mahogany"), f.straw(rng)
    bars = [block(-0.21, 0, z, 0.018, 0.38, 0.06, wood) for z in (0.58, 0.72, 0.86, 1.0)]
    rungs = [
        cylinder((-0.2, s * 0.19, z), (0.2, s * 0.19, z), 0.012, wood, detail=8) for s in (1, -1) for z in (0.14, 0.28)
    ]
    return [
        pad(0, 0, 0.42, 0.46, 0.46, 0.06, seat, 0.2),
        legs(0.4, 0.4, 0.45, 0.022, wood),
        mirrored(cylinder((-0.2, 0.19, 0), (-0.21, 0.19, 1.1), 0.022, wood)),
        mirrored(ellipsoid((-0.21, 0.19, 1.12), 0.035, wood, detail=10)),
        *bars,
        *rungs,
    ]


def _bentwood(rng: Rng) -> list[Mesh | Part]:
    wood = f.wood(rng, "black")
    hoop = curve(
        [
            (-0.2, 0.2, 0),
            (-0.2, 0.19, 0.45),
            (-0.26, 0.17, 0.8),
            (-0.29, 0, 0.93),
            (-0.26, -0.17, 0.8),
            (-0.2, -0.19, 0.45),
            (-0.2, -0.2, 0),
        ],
        40,
    )
    inner = curve([(-0.2, 0.1, 0.46), (-0.25, 0.1, 0.72), (-0.27, 0, 0.8), (-0.25, -0.1, 0.72), (-0.2, -0.1, 0.46)], 24)
    front = mirrored(sweep(curve([(0.2, 0.19, 0), (0.16, 0.15, 0.44)], 4), 0.018, wood))
    seat = lathe([(0, 0.43), (0.2, 0.43), (0.22, 0.45), (0.2, 0.47), (0, 0.465)], f.wood(rng, "pine"))
    ring = sweep(arc((0, 0, 0.22), 0.19, 0, 360, "xy", 28), 0.012, wood, detail=8, caps=False)
    return [sweep(hoop, 0.017, wood), sweep(inner, 0.012, wood), front, seat, ring]


def _garden_chair(_rng: Rng) -> list[Mesh | Part]:
    white = f.plastic((238, 238, 232), 0.45)
    slats = [
        turned(block(-0.22, y, 0.42, 0.012, 0.05, 0.44, white), "y", -14, (-0.22, 0, 0.42))
        for y in np.linspace(-0.18, 0.18, 5)
    ]
    top = turned(rounded_box((-0.235, -0.24, 0.82), (-0.205, 0.24, 0.92), 0.012, white), "y", -14, (-0.22, 0, 0.42))
    arms = mirrored(
        sweep(curve([(-0.25, 0.27, 0.66), (0.1, 0.28, 0.66), (0.22, 0.27, 0.62), (0.26, 0.26, 0)], 20), 0.024, white)
    )
    return [
        rounded_box((-0.25, -0.24, 0.4), (0.25, 0.24, 0.43), 0.014, white),
        legs(0.46, 0.46, 0.42, 0.026, white),
        *slats,
        top,
        arms,
    ]


def _folding_chair(rng: Rng) -> list[Mesh | Part]:
    tube, cloth = f.steel(), f.striped(rng, [(30, 90, 170), (244, 240, 230)], per_m=9)
    side = [sweep([(0.25, 0, 0), (-0.3, 0, 0.95)], 0.014, tube), sweep([(-0.28, 0, 0), (0.25, 0, 0.45)], 0.014, tube)]
    seat = sweep([(-0.16, 0, 0.4), (0.25, 0, 0.45)], 0.012, tube)
    bars = [
        cylinder((x, -0.25, z), (x, 0.25, z), 0.013, tube, detail=8)
        for x, z in ((0.24, 0.02), (-0.27, 0.02), (-0.3, 0.95))
    ]
    sling = _ribbon(curve([(0.25, 0, 0.45), (0.02, 0, 0.4), (-0.12, 0, 0.45)], 10), 0.48, 0.012, cloth)
    back = _ribbon(np.array([(-0.13, 0, 0.64), (-0.29, 0, 0.93)]), 0.48, 0.012, cloth)
    return [mirrored(moved([*side, seat], y=0.25)), *bars, sling, back]


@kind("furniture", 3, fallen=True)
def office_chair(variant: int, rng: Rng) -> Mesh:
    """A swivel chair on five castors: task chair, tall executive chair, saddle stool."""
    black, metal = f.plastic((36, 36, 40)), f.steel()
    cloth = (f.fabric(rng, (44, 74, 122)), f.leather(rng, (34, 30, 30)), f.leather(rng, (170, 40, 36)))[variant]
    spoke = sweep([(0.02, 0, 0.12), (0.3, 0, 0.08)], [0.035, 0.022], black if variant != 1 else metal)
    castor = turned(moved(cylinder((0, -0.02, 0), (0, 0.02, 0), 0.032, black, detail=12), 0.3, 0, 0.032), "z", 0)
    parts: list[Mesh | Part] = [ringed([spoke, castor], 5), cylinder((0, 0, 0.1), (0, 0, 0.44), 0.028, metal)]
    if variant == 2:
        return whole(
            [*parts, pad(0.02, 0, 0.5, 0.42, 0.4, 0.12, cloth, 0.6), cylinder((0, 0, 0.4), (0, 0, 0.52), 0.03, metal)]
        )
    high = 0.5 if variant == 0 else 0.72
    parts += [
        pad(0.02, 0, 0.44, 0.5, 0.5, 0.12, cloth, 0.35),
        turned(pad(-0.26, 0, 0.56, 0.12, 0.46, high, cloth, 0.4), "y", -9, (-0.26, 0, 0.56)),
        sweep(curve([(-0.1, 0, 0.46), (-0.3, 0, 0.44), (-0.31, 0, 0.75)], 10), 0.025, black),
        mirrored(
            [
                sweep(curve([(0, 0.26, 0.5), (0, 0.31, 0.62), (0, 0.31, 0.69)], 8), 0.02, black),
                pad(0.02, 0.31, 0.68, 0.28, 0.07, 0.04, black),
            ]
        ),
    ]
    if variant == 1:
        parts += [
            turned(pad(-0.2, 0, z, 0.09, 0.44, 0.2, cloth, 0.5), "y", -9, (-0.26, 0, 0.56)) for z in (0.62, 0.82, 1.02)
        ]
    return whole(parts)


@kind("furniture", 4, fallen=True)
def lamp(variant: int, rng: Rng) -> Mesh:
    """A floor lamp: straight with a cone shade, arched, tripod, or a big table lamp."""
    metal, cloth = (
        f.brass() if variant != 1 else f.steel(),
        f.fabric(rng, ((232, 220, 190), (220, 60, 40), (240, 236, 226), (60, 110, 120))[variant]),
    )
    if variant == 2:
        leg = sweep([(0.38, 0, 0), (0.05, 0, 1.2)], 0.022, f.wood(rng, "oak"))
        return whole([ringed(leg, 3), moved(_shade(0.28, 0.26, 0.36, cloth), z=1.2)])
    if variant == 3:
        foot = lathe(
            [(0, 0), (0.16, 0), (0.2, 0.1), (0.22, 0.22), (0.14, 0.38), (0.05, 0.48), (0.04, 0.6), (0, 0.6)],
            f.ceramic((40, 90, 150)),
        )
        return whole([foot, moved(_shade(0.32, 0.2, 0.34, cloth), z=0.56)])
    base = lathe([(0, 0), (0.17, 0), (0.17, 0.025), (0.03, 0.05), (0, 0.05)], metal)
    if variant == 1:
        stem = sweep(
            curve([(-0.6, 0, 0.03), (-0.6, 0, 1.0), (-0.35, 0, 1.75), (0.2, 0, 1.95), (0.6, 0, 1.6)], 36), 0.016, metal
        )
        dome = lathe(
            [(0.24, 0), (0.22, 0.12), (0.12, 0.22), (0, 0.25), (0, 0.23), (0.1, 0.2), (0.2, 0.1), (0.22, 0)],
            f.paint((210, 60, 40)),
        )
        return whole([moved(base, x=-0.6), stem, moved(dome, x=0.6, z=1.38)])
    return whole([base, cylinder((0, 0, 0), (0, 0, 1.55), 0.014, metal), moved(_shade(0.3, 0.16, 0.34, cloth), z=1.28)])


def _shade(low: float, high: float, tall: float, cloth: Material) -> Part:
    return lathe([(low - 0.01, 0), (low, 0), (high, tall), (high - 0.01, tall), (low - 0.01, 0)], cloth, smooth=False)


@kind("furniture", 3, fallen=True)
def desk(variant: int, rng: Rng) -> Mesh:
    """A writing desk with drawers, an old school desk with a seat, a roll-top secretary."""
    wood = f.wood(rng, ("walnut", "pine", "mahogany")[variant])
    brass = f.brass()
    if variant == 1:
        top = turned(block(0.1, 0, 0.68, 0.5, 0.62, 0.03, wood), "y", 8, (0.1, 0, 0.68))
        iron = f.paint((40, 90, 70))
        frame = mirrored(
            sweep([(-0.6, 0.26, 0), (0.3, 0.26, 0), (0.3, 0.26, 0.1), (0.1, 0.26, 0.62), (0.2, 0.26, 0.66)], 0.02, iron)
        )
        seat: list[Mesh | Part] = [
            block(-0.5, 0, 0.4, 0.3, 0.5, 0.03, wood),
            mirrored(sweep([(-0.5, 0.2, 0.4), (-0.55, 0.26, 0)], 0.02, iron)),
        ]
        return whole(
            [
                top,
                frame,
                *seat,
                block(-0.64, 0, 0.62, 0.025, 0.5, 0.16, wood),
                mirrored(sweep([(-0.6, 0.2, 0), (-0.64, 0.2, 0.75)], 0.018, iron)),
            ]
        )
    parts: list[Mesh | Part] = [block(0, 0, 0.72, 0.7, 1.4, 0.035, wood)]
    for s in (1, -1):
        parts.append(block(0, s * 0.5, 0.05, 0.62, 0.36, 0.67, wood))
        for z in (0.08, 0.3, 0.52):
            parts.append(block(0.315, s * 0.5, z, 0.02, 0.32, 0.19, wood))
            parts.append(ellipsoid((0.34, s * 0.5, z + 0.1), 0.02, brass, detail=8))
    if variant == 2:
        roll = arc((-0.32, 0, 0.76), 0.55, 0, 90, "xz", 14)
        outline = np.concatenate([roll[:, [0, 2]], [[-0.32, 0.76]]])
        body = extrude(outline, -0.7, 0.7, wood).transformed(
            np.array([[1, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1.0]])
        )
        parts += [body, *[cylinder((x, -0.68, z), (x, 0.68, z), 0.012, wood, detail=6) for x, z in roll[1:, [0, 2]]]]
    return whole(parts)


@kind("furniture", 3, fallen=True)
def stool(variant: int, rng: Rng) -> Mesh:
    """A bar stool, a three-legged milking stool, a piano stool."""
    if variant == 0:
        metal = f.steel()
        leg = sweep([(0.22, 0, 0), (0.14, 0, 0.74)], 0.014, metal)
        ring = sweep(arc((0, 0, 0.25), 0.195, 0, 360, "xy", 28), 0.011, metal, caps=False, detail=8)
        return whole(
            [
                ringed(leg, 4),
                ring,
                lathe([(0, 0.73), (0.18, 0.73), (0.19, 0.77), (0.16, 0.8), (0, 0.8)], f.leather(rng, (150, 30, 30))),
            ]
        )
    if variant == 1:
        wood = f.wood(rng, "weathered")
        leg = sweep([(0.2, 0, 0), (0.1, 0, 0.4)], [0.03, 0.024], wood)
        return whole([ringed(leg, 3), lathe([(0, 0.38), (0.19, 0.38), (0.2, 0.41), (0.18, 0.43), (0, 0.43)], wood)])
    wood = f.wood(rng, "black")
    turned_leg = lathe(
        [(0, 0), (0.03, 0), (0.02, 0.06), (0.04, 0.16), (0.022, 0.26), (0.035, 0.4), (0, 0.4)], wood, detail=12
    )
    four = mirrored(mirrored(moved(turned_leg, 0.22, 0.16)), "x")
    return whole(
        [
            four,
            block(0, 0, 0.38, 0.56, 0.42, 0.06, wood),
            pad(0, 0, 0.43, 0.56, 0.42, 0.09, f.leather(rng, (40, 36, 60)), 0.25),
        ]
    )


@kind("furniture", 2, fallen=True)
def rocking_chair(variant: int, rng: Rng) -> Mesh:
    """A chair on runners, with spindles or with a woven back."""
    wood = f.wood(rng, ("mahogany", "white")[variant])
    runner = mirrored(moved(sweep(arc((0, 0, 1.3), 1.3, -118, -62, "xz", 16), 0.022, wood), y=0.26))
    seat = pad(0, 0, 0.42, 0.5, 0.52, 0.06, f.straw(rng) if variant else wood, 0.2)
    posts = mirrored(
        [
            sweep([(0.22, 0.26, 0.05), (0.22, 0.26, 0.66)], 0.02, wood),
            sweep([(-0.2, 0.26, 0.05), (-0.34, 0.25, 1.15)], 0.022, wood),
        ]
    )
    arms = mirrored(capsule((0.27, 0.27, 0.67), (-0.27, 0.27, 0.67), 0.028, wood))
    rail = rounded_box((-0.37, -0.27, 1.06), (-0.33, 0.27, 1.2), 0.018, wood)
    spindles = [sweep([(-0.22, y, 0.46), (-0.345, y, 1.08)], 0.011, wood, detail=8) for y in np.linspace(-0.2, 0.2, 6)]
    woven = [turned(block(-0.26, 0, 0.5, 0.02, 0.5, 0.6, f.straw(rng)), "y", -11, (-0.26, 0, 0.5))]
    return whole([runner, seat, posts, arms, rail, *(woven if variant else spindles)])


@kind("furniture", 2, fallen=True)
def cradle(variant: int, rng: Rng) -> Mesh:
    """A baby's cradle on rockers, or a cot with bars."""
    wood, linen = f.wood(rng, ("pine", "white")[variant]), f.fabric(rng, ((230, 170, 180), (160, 196, 226))[variant])
    bed_parts: list[Mesh | Part] = [
        pad(0, 0, 0.36, 0.9, 0.44, 0.14, linen, 0.3),
        pad(-0.32, 0, 0.46, 0.22, 0.36, 0.1, f.fabric(rng, (240, 240, 236)), 0.6),
    ]
    if variant == 0:
        bed_parts += [turned(slab((-0.48, 0.2, 0.3), (0.48, 0.225, 0.68), wood), "x", -14, (0, 0.2, 0.3))]
        bed_parts += [turned(slab((-0.48, -0.225, 0.3), (0.48, -0.2, 0.68), wood), "x", 14, (0, -0.2, 0.3))]
        bed_parts += [block(s * 0.48, 0, 0.28, 0.025, 0.56, 0.44 if s > 0 else 0.62, wood) for s in (1, -1)]
        bed_parts += [moved(sweep(arc((0, 0, 0.5), 0.48, 225, 315, "yz", 14), 0.03, wood), x=s * 0.4) for s in (1, -1)]
        bed_parts += [block(s * 0.4, 0, 0.03, 0.04, 0.05, 0.3, wood) for s in (1, -1)]
        return whole(bed_parts)
    bars = [
        cylinder((x, s * 0.28, 0.3), (x, s * 0.28, 0.9), 0.01, wood, detail=8)
        for s in (1, -1)
        for x in np.linspace(-0.5, 0.5, 11)
    ]
    rails = [
        slab((-0.56, s * 0.28 - 0.015, z), (0.56, s * 0.28 + 0.015, z + 0.04), wood)
        for s in (1, -1)
        for z in (0.28, 0.9)
    ]
    ends = [block(s * 0.56, 0, 0, 0.03, 0.6, 0.96, wood) for s in (1, -1)]
    return whole([*bed_parts, *bars, *rails, *ends])
