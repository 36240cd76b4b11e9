"""Building material: sandbags, pipes, planks and rubble."""

# ruff: noqa: RUF005 - sums of an array and a tuple are vectors here

from __future__ import annotations

import numpy as np

from caos.assets.catalogue.kinds import kind
from caos.assets.mesh import Material, Mesh, Part
from caos.assets.modelling import finishes as f
from caos.assets.modelling.assembly import Parts, Rng, arc, block, curve, moved, pad, scaled, slab, turned, whole
from caos.assets.modelling.shapes import blob, ellipsoid, lathe, loft, sweep


@kind(3)
def sandbags(variant: int, rng: Rng) -> Mesh:
    """A low wall of sandbags, a heap of cement sacks, a big bulk bag."""
    if variant == 2:
        cloth = f.fabric(rng, (226, 222, 210))
        bag = pad(0, 0, 0, 0.95, 0.95, 0.9, cloth, 0.28)
        loops = [
            sweep(
                curve([(s * 0.36, t * 0.2, 0.85), (s * 0.42, t * 0.28, 1.15), (s * 0.3, t * 0.38, 0.85)], 12),
                0.02,
                f.fabric(rng, (40, 80, 160)),
            )
            for s in (1, -1)
            for t in (1, -1)
        ]
        return whole(
            [bag, *loops, ellipsoid((0, 0, 0.82), (0.36, 0.36, 0.2), f.stone(rng, (190, 160, 110)), detail=20)]
        )
    cloth = f.fabric(rng, (176, 152, 104) if variant == 0 else (196, 190, 180))
    parts: Parts = []
    for row in range(3 if variant == 0 else 4):
        count = 4 - row if variant == 0 else 2
        for i in range(count):
            along = (i - (count - 1) / 2) * 0.62
            sack = pad(0, 0, 0, 0.36, 0.64, 0.17, cloth, 0.5)
            if variant == 0:
                loose = turned(sack, "z", float(rng.uniform(-8, 8)))
                parts.append(moved(loose, float(rng.uniform(-0.03, 0.03)), along, 0.14 * row))
                continue
            crosswise = row % 2
            label = slab((-0.08, -0.15, 0.165), (0.08, 0.15, 0.172), f.matt((60, 90, 150)))
            sack_mesh = turned([sack, label], "z", 90 * crosswise + float(rng.uniform(-8, 8)))
            parts.append(moved(sack_mesh, 0.62 * along * (1 - crosswise), 0.62 * along * crosswise, 0.145 * row))
    return whole(parts)


@kind(3)
def pipe_stack(variant: int, rng: Rng) -> Mesh:
    """Concrete pipes, plastic pipes in a bundle, rusty steel tubes."""
    material = (f.stone(rng, (168, 166, 160)), f.plastic((216, 110, 40), 0.4), f.rusty(rng, (100, 96, 90), 0.7))[
        variant
    ]
    r, length, wall = ((0.35, 1.5, 0.06), (0.11, 3.0, 0.01), (0.06, 3.2, 0.008))[variant]
    pipe = turned(
        lathe(
            [(r - wall, 0), (r, 0), (r, length), (r - wall, length), (r - wall, 0)], material, detail=28, smooth=False
        ),
        "x",
        90,
    )
    rows = (2, 4, 5)[variant]
    parts: Parts = []
    for row in range(rows):
        for i in range(rows - row):
            shift = float(rng.uniform(-0.08, 0.08)) if variant == 2 else 0.0
            parts.append(moved(pipe, (i - (rows - row - 1) / 2) * 2.02 * r, shift, r + row * 1.75 * r))
    if variant == 1:
        parts += [
            sweep(
                [(-0.46, y, 0.0), (0.46, y, 0.0), (0.12, y, 0.8), (-0.12, y, 0.8), (-0.46, y, 0.0)],
                0.012,
                f.plastic((30, 30, 34)),
                detail=6,
            )
            for y in (-2.4, -0.6)
        ]
    return whole(parts)


@kind(3)
def rubble(variant: int, rng: Rng) -> Mesh:
    """A heap of bricks, broken concrete with reinforcing bars, roof tiles."""
    parts: Parts = []
    if variant == 1:
        concrete, rust = f.stone(rng, (160, 158, 152)), f.rusty(rng, (90, 60, 40), 0.8)
        for x, y, z, s in (
            (0, 0, 0.1, 0.36),
            (0.4, 0.25, 0.0, 0.24),
            (-0.38, 0.2, 0.0, 0.28),
            (0.1, -0.42, 0.0, 0.26),
            (-0.3, -0.32, 0.0, 0.2),
        ):
            parts.append(moved(scaled(_chunk(rng, s, concrete), 1.15, 1.15, 0.6), x, y, z + s * 0.3))
        bars = [
            sweep(
                curve(
                    [
                        (0, 0, 0.4),
                        (0.2 * np.cos(a), 0.2 * np.sin(a), 0.75),
                        (0.5 * np.cos(a), 0.5 * np.sin(a), 0.8 + 0.2 * k),
                    ],
                    10,
                ),
                0.011,
                rust,
                detail=6,
            )
            for k, a in enumerate((0.3, 1.6, 3.2, 4.8))
        ]
        return whole([*parts, *bars])
    clay = f.stone(rng, (170, 82, 56) if variant == 0 else (150, 70, 50))
    count = 90 if variant == 0 else 60
    for _ in range(count):
        r, a = 0.75 * np.sqrt(rng.random()), rng.uniform(0, 2 * np.pi)
        z = 0.5 * max(0.0, 1 - r / 0.75) * rng.uniform(0.3, 1.0)
        piece = block(0, 0, -0.035, 0.22, 0.11, 0.07, clay) if variant == 0 else _tile(clay)
        piece_mesh = turned(
            turned(turned(piece, "x", float(rng.uniform(-40, 40))), "y", float(rng.uniform(-40, 40))),
            "z",
            float(rng.uniform(0, 360)),
        )
        parts.append(moved(piece_mesh, r * np.cos(a), r * np.sin(a), 0.1 + z))
    parts.append(ellipsoid((0, 0, 0.0), (0.62, 0.62, 0.38), f.stone(rng, (130, 100, 84)), detail=20))
    return _cut_at_ground(whole(parts))


def _cut_at_ground(mesh: Mesh) -> Mesh:
    """Move vertices below z = 0 up to z = 0."""
    parts = []
    for part in mesh.parts:
        v = part.vertices.copy()
        v[:, 2] = np.maximum(v[:, 2], 0)
        parts.append(Part(v, part.faces, part.material, part.uv, part.smooth))
    return Mesh(tuple(parts))


def _tile(clay: Material) -> Part:
    bow = arc((0, 0, -0.08), 0.12, 30, 150, "xz", 7)
    sections = np.stack([np.concatenate([bow + (0, y, 0), bow[::-1] + (0, y, -0.015)]) for y in (-0.2, 0.2)])
    return loft(sections[::-1], clay, smooth=False)


def _chunk(rng: Rng, size: float, material: Material) -> Part:
    planes = rng.normal(size=(11, 3))
    planes /= np.linalg.norm(planes, axis=1, keepdims=True)
    depth = size * rng.uniform(0.55, 0.9, 11)

    def distance(p: np.ndarray) -> np.ndarray:
        out: np.ndarray = (p @ planes.T - depth).max(1)
        return out

    s = size * 1.3
    part = blob(distance, (-s, -s, -s), (s, s, s), material, cell_m=size / 8)
    return Part(part.vertices, part.faces, material, part.uv, smooth=False)


@kind(3)
def plank_pile(variant: int, rng: Rng) -> Mesh:
    """Stacked boards, scattered beams, a broken pile with nails."""
    wood = f.wood(rng, ("birch", "weathered", "pine")[variant])
    parts: Parts = []
    if variant == 0:
        for row in range(5):
            parts += [
                slab(
                    (-1.3, -0.42 + 0.17 * i, 0.09 + 0.055 * row),
                    (1.3 + float(rng.uniform(-0.05, 0.05)), -0.27 + 0.17 * i, 0.135 + 0.055 * row),
                    wood,
                )
                for i in range(5)
            ]
        return whole(
            [
                *parts,
                *[slab((x - 0.04, -0.45, 0), (x + 0.04, 0.45, 0.09), f.wood(rng, "oak")) for x in (-0.9, 0.0, 0.9)],
            ]
        )
    thick = 0.05 if variant == 2 else 0.09
    for i in range(9):
        length = float(rng.uniform(0.5, 1.2))
        beam = slab((-length, -0.05, 0), (length, 0.05, thick), wood)
        angle = float(rng.uniform(-35, 35)) + 90 * (i % 2) * (variant == 2)
        parts.append(moved(turned(beam, "z", angle), float(rng.uniform(-0.1, 0.1)), 0, thick * (i // 2)))
    return whole(parts)
