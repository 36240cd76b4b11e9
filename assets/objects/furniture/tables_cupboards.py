"""Tables, desks, cupboards, shelves and lamps."""

from __future__ import annotations

import numpy as np

from caos.assets.catalogue.kinds import kind
from caos.assets.mesh import Material, Mesh, Part
from caos.assets.modelling import finishes as f
from caos.assets.modelling.assembly import Rng, arc, block, curve, legs, mirrored, moved, ringed, slab, turned, whole
from caos.assets.modelling.shapes import cylinder, ellipsoid, extrude, lathe, rounded_box, sweep


@kind(3, fallen=True)
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


@kind(4, fallen=True)
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


@kind(5, fallen=True)
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
    from caos.assets.modelling.shapes import loft

    wave = 1 + 0.035 * np.sin(18 * turn)[:, None]
    levels = [(rim * 1.0, 0.772), (rim * 1.015, 0.76), (rim * 1.03 * wave, 0.6), (rim * 1.05 * wave, 0.5)]
    rings = np.stack([np.concatenate([r[:-1], np.full((96, 1), z)], 1) for r, z in levels[::-1]])
    return [
        loft(rings, check, caps=False),
        slab((-length / 2, -width / 2, 0.76), (length / 2, width / 2, 0.772), check),
    ]


@kind(4, fallen=True)
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


@kind(3, fallen=True)
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
