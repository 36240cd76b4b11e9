"""Plants: trees of several species, bushes, hedges, flower beds, tufts of grass. Every part is tagged VEGETATION.

Origin at the foot, z = 0 the ground. Meshes are cached: the same arguments give the same object, placed many times.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from caos.assets.mesh import Mesh, Part, join
from caos.assets.modelling.shapes import box
from caos.assets.street.buildings.finishes import concrete
from caos.assets.street.canvas import RGB, Canvas, plain
from caos.assets.street.surfaces import ground, seeded
from caos.assets.street.vegetation.leaves import scatter, toned, upward
from caos.assets.street.vegetation.trees import FORMS, GREENS, Tones, broadleaf, cypress, palm, pine, spruce
from caos.assets.tags import SemanticTag
from caos.foundation.errors import unknown

SPECIES = ("oak", "linden", "birch", "poplar", "cypress", "spruce", "pine", "palm", "street", "blossom")
VARIANTS = 4
# The last variant of a deciduous tree has turned: autumn, gold, or dark-leaved.
_TURNED = {"oak": "autumn", "linden": "gold", "birch": "gold", "street": "plum", "poplar": "gold"}


@cache
def tree(species: str, variant: int = 0) -> Mesh:
    """A tree of ``SPECIES``; each of ``VARIANTS`` variants differs in size, shape and tint.

    Raises:
        CaosError: If the species is unknown.
    """
    if species not in SPECIES:
        raise unknown("tree species", species, SPECIES)
    variant %= VARIANTS
    rng = seeded("tree", species, variant)
    if species in ("cypress", "spruce", "pine", "palm"):
        maker = {"cypress": cypress, "spruce": spruce, "pine": pine, "palm": palm}[species]
        return maker(_tinted(GREENS[species], rng), rng)
    if species == "blossom":
        return _street_tree("blossom", rng, grate=False)
    if species == "street":
        return _street_tree("plum" if variant == VARIANTS - 1 else "linden", rng, grate=True)
    tones = GREENS[_TURNED[species]] if variant == VARIANTS - 1 else _tinted(GREENS[species], rng)
    return broadleaf(FORMS[species], tones, f"{species} {variant}", rng)


def _tinted(tones: Tones, rng: np.random.Generator) -> list[RGB]:
    """The same leaves a little yellower or bluer, lighter or darker."""
    warm, light = rng.uniform(0.96, 1.2), rng.uniform(0.9, 1.12)
    return [(c[0] * warm * light, c[1] * light, c[2] * light / warm) for c in tones]


def _street_tree(tones: str, rng: np.random.Generator, *, grate: bool) -> Mesh:
    crown = broadleaf(
        FORMS["street"], GREENS[tones] if tones != "linden" else _tinted(GREENS["linden"], rng), f"street {tones}", rng
    )
    if not grate:
        return crown
    canvas = Canvas(SemanticTag.STATIC)
    iron = plain("tree grate", (0.05, 0.045, 0.042), "plastic", 0.6)
    for k in range(9):
        at = -0.6 + k * 0.15
        canvas.boxes([[at - 0.03, 0.0, -0.62]], [[at + 0.03, 0.025, 0.62]], iron, skip="v")
    canvas.boxes(
        [[-0.66, -0.05, -0.66], [-0.66, -0.05, 0.6], [-0.66, -0.05, -0.6], [0.6, -0.05, -0.6]],
        [[0.66, 0.03, -0.6], [0.66, 0.03, 0.66], [-0.6, 0.03, 0.6], [0.66, 0.03, 0.6]],
        iron,
        skip="v",
    )
    stake = plain("tree stake", (0.2, 0.14, 0.085))
    for u in (-0.38, 0.38):
        canvas.tube([[u, 0, 0], [u, 1.9, 0]], 0.035, stake, detail=6)
    canvas.boxes([[-0.38, 1.55, -0.015]], [[0.38, 1.63, 0.015]], stake)
    return join([crown, canvas.mesh()])


@cache
def bush(variant: int = 0) -> Mesh:
    """A rounded shrub of 0.8 to 1.6 m; some in flower."""
    rng = seeded("bush", variant)
    size = float(rng.uniform(0.5, 0.85))
    lumps = rng.normal(0, 0.45, (9, 3)) * (size, size, 0.25 * size) + (0, 0, size * 0.75)
    at, away = scatter(rng, lumps, size * 0.62, 210, flatten=0.85)
    keep = at[:, 2] > 0.02
    at, away = at[keep], away[keep]
    species = ("linden", "oak", "cypress", "plum")[variant % 4]
    parts = toned(
        rng,
        f"bush {variant}",
        _tinted(GREENS[species], rng),
        at,
        upward(rng, away),
        0.15,
        0.09,
        light=np.clip(at[:, 2] / (2 * size), 0, 1),
    )
    if variant % 3 == 1:
        color: RGB = ((0.42, 0.1, 0.2), (0.5, 0.48, 0.42), (0.45, 0.3, 0.05))[variant // 3 % 3]
        outer = at[rng.random(len(at)) < 0.09]
        parts += toned(rng, f"bloom {variant}", (color,), outer, rng.normal((0, 0, 0.6), 1.0, outer.shape), 0.1, 0.09)
    return join(parts)


@cache
def hedge(length_m: float, height_m: float = 1.2, variant: int = 0) -> Mesh:
    """A clipped hedge along y, centred, 0.7 m thick: leaves over a dark core."""
    rng = seeded("hedge", round(length_m, 2), round(height_m, 2), variant)
    half, thick = length_m / 2, 0.35
    core = box(
        (-thick + 0.06, -half + 0.06, 0.0),
        (thick - 0.06, half - 0.06, height_m - 0.07),
        plain("hedge core", (0.022, 0.036, 0.013)).material,
    )
    area = np.array([2 * length_m * height_m, 2 * thick * length_m, 4 * thick * height_m])
    counts = (area * 190).astype(int)
    at = np.concatenate([_face(rng, n, k, half, thick, height_m) for k, n in enumerate(counts)])
    wave = 0.04 * np.sin(at[:, 1] * 2.1) + 0.03 * np.sin(at[:, 1] * 5.3 + at[:, 2] * 3)
    away = at / np.maximum(np.abs(at), 1e-6) * (np.abs(at) > np.array([thick, half, height_m]) - 0.12)
    at = at + rng.normal(0, 0.025, at.shape) + away * (wave - 0.05)[:, None]
    at[:, 2] = np.maximum(at[:, 2], 0.03)
    tones = _tinted(GREENS["cypress" if variant % 2 else "linden"], rng)
    leaves = toned(rng, f"hedge {variant}", tones, at, upward(rng, away, up=0.4), 0.13, 0.085)
    return join([Part(core.vertices, core.faces, core.material, None, tag=SemanticTag.VEGETATION), *leaves])


def _face(rng: np.random.Generator, count: int, k: int, half: float, thick: float, height: float) -> np.ndarray:
    """Points on the long sides (0), the top (1) or the ends (2) of a hedge."""
    x, y, z = rng.uniform(-thick, thick, count), rng.uniform(-half, half, count), rng.uniform(0, height, count)
    sign = rng.choice([-1.0, 1.0], count)
    columns = ((sign * thick, y, z), (x, y, np.full(count, height)), (x, sign * half, z))[k]
    return np.stack(columns, 1)


@cache
def flower_bed(length_m: float, variant: int = 0) -> Mesh:
    """A bed along y, 1.2 m deep, in a stone edging: soil, green, two colours of bloom."""
    rng = seeded("bed", round(length_m, 2), variant)
    half = length_m / 2
    canvas = Canvas(SemanticTag.VEGETATION)
    canvas.boxes([[-half, -0.3, -0.6]], [[half, 0.1, 0.6]], ground("soil"), skip="v")
    edge = canvas.tagged(SemanticTag.STATIC)
    edge.boxes(
        [[-half - 0.08, -0.3, -0.68], [-half - 0.08, -0.3, 0.6], [-half - 0.08, -0.3, -0.6], [half, -0.3, -0.6]],
        [[half + 0.08, 0.16, -0.6], [half + 0.08, 0.16, 0.68], [-half, 0.16, 0.6], [half + 0.08, 0.16, 0.6]],
        concrete(0),
        skip="v",
    )
    count = int(length_m * 190)
    at = np.stack(
        [rng.uniform(-0.56, 0.56, count), rng.uniform(-half + 0.04, half - 0.04, count), rng.uniform(0.1, 0.26, count)],
        1,
    )
    parts = toned(rng, f"bed {variant}", GREENS["linden"], at, rng.normal((0, 0, 0.8), 0.6, at.shape), 0.16, 0.06)
    hues: tuple[RGB, ...] = (
        (0.5, 0.03, 0.03),
        (0.55, 0.36, 0.02),
        (0.5, 0.48, 0.45),
        (0.28, 0.08, 0.35),
        (0.5, 0.15, 0.22),
    )
    for k in range(2):
        spots = at[rng.random(count) < 0.3] * (1, 1, 0) + (0, 0, 0.3)
        spots[:, 2] += rng.uniform(-0.06, 0.06, len(spots))
        color = hues[(variant * 2 + k) % len(hues)]
        parts += toned(
            rng, f"flower {variant} {k}", (color,), spots, rng.normal((0, 0, 0.7), 0.5, spots.shape), 0.085, 0.08
        )
    return join([canvas.mesh(), *parts])


@cache
def grass_tuft(variant: int = 0) -> Mesh:
    """A handful of long grass, 0.2 to 0.5 m high."""
    rng = seeded("tuft", variant)
    count = 90
    at = np.concatenate([rng.normal(0, 0.13, (count, 2)), np.zeros((count, 1))], 1)
    along = np.concatenate([at[:, :2] * 2.2 + rng.normal(0, 0.22, (count, 2)), np.ones((count, 1))], 1)
    dry = variant % 2
    tones: Tones = (
        ((0.16, 0.14, 0.06), (0.11, 0.12, 0.045), (0.2, 0.17, 0.08))
        if dry
        else ((0.05, 0.09, 0.022), (0.075, 0.12, 0.03), (0.11, 0.14, 0.045))
    )
    return join(toned(rng, f"tuft {variant}", tones, at, along, float(rng.uniform(0.28, 0.5)), 0.025, fold=0.6))
