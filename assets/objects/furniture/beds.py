"""Beds, mattresses and cradles."""

from __future__ import annotations

import numpy as np

from caos.assets.catalogue.kinds import kind
from caos.assets.mesh import Material, Mesh, Part
from caos.assets.modelling import finishes as f
from caos.assets.modelling.assembly import Rng, arc, block, curve, mirrored, moved, pad, slab, turned, whole
from caos.assets.modelling.plates import ribbon
from caos.assets.modelling.shapes import cylinder, ellipsoid, rounded_box, sweep


@kind(4)
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


@kind(3, fallen=True)
def mattress(variant: int, rng: Rng) -> Mesh:
    """A striped, a quilted or a folded-over stained mattress."""
    if variant == 0:
        cloth = f.striped(rng, [(222, 218, 206), (222, 218, 206), (96, 120, 160)], per_m=8)
    else:
        cloth = f.fabric(rng, (226, 216, 196) if variant == 1 else (176, 156, 120))
    width, thick = (0.95, 1.5, 1.1)[variant], (0.2, 0.28, 0.16)[variant]
    if variant == 2:
        path = curve([(-0.9, 0, 0.1), (0.2, 0, 0.1), (0.62, 0, 0.26), (0.35, 0, 0.5), (-0.1, 0, 0.72)], 24)
        return whole(ribbon(path, width, thick, cloth))
    parts: list[Mesh | Part] = [pad(0, 0, 0, 2.0, width, thick, cloth, 0.13)]
    if variant == 1:
        buttons = [(x, y) for x in np.linspace(-0.8, 0.8, 6) for y in np.linspace(-0.55, 0.55, 4)]
        parts += [ellipsoid((x, y, thick), (0.03, 0.03, 0.015), f.matt((120, 100, 80)), detail=8) for x, y in buttons]
    edge = f.matt((96, 110, 150))
    parts += [sweep(_rectangle(1.0, width / 2, z), 0.012, edge, detail=6) for z in (0.03, thick - 0.03)]
    return whole(parts)


def _rectangle(x: float, y: float, z: float) -> list[tuple[float, float, float]]:
    return [(x, y, z), (x, -y, z), (-x, -y, z), (-x, y, z), (x, y, z)]


@kind(2, fallen=True)
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
