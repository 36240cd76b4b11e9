"""Street furniture, tagged STATIC unless said otherwise: objects on sidewalks and squares.

Origin at the ground centre; the front (a bench's seat, a kiosk's counter) faces +x.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from caos.assets.mesh import Mesh
from caos.assets.street.buildings import finishes, glass
from caos.assets.street.canvas import RGB, Canvas, plain
from caos.assets.street.furniture.large import ad_column, billboard, bus_shelter, kiosk, phone_box
from caos.assets.street.furniture.parts import painted, posters, turned
from caos.assets.street.surfaces import seeded
from caos.assets.street.vegetation.leaves import scatter, toned, upward
from caos.assets.street.vegetation.trees import GREENS
from caos.assets.tags import SemanticTag
from caos.foundation.errors import unknown

VARIANTS = 3
_IRON = finishes.TRIMS["black"]
_STEEL = finishes.GALVANIZED


def _bench(c: Canvas, rng: np.random.Generator) -> None:
    wood = finishes.timber(int(rng.choice([2, 3])))
    for k in range(5):
        c.boxes([[-0.85, 0.43, -0.2 + 0.1 * k]], [[0.85, 0.465, -0.12 + 0.1 * k]], wood)
    for k in range(4):
        v = 0.54 + 0.1 * k
        n = -0.24 - 0.03 * k
        c.boxes([[-0.85, v, n - 0.03]], [[0.85, v + 0.08, n]], wood)
    for u in (-0.7, 0.7):
        c.tube([[u, 0, 0.24], [u, 0.42, 0.22], [u, 0.43, -0.2], [u, 0.0, -0.26]], 0.025, _IRON, detail=6)
        c.tube([[u, 0.42, -0.2], [u, 0.95, -0.37]], 0.022, _IRON, detail=6)
        c.tube([[u, 0.42, 0.22], [u, 0.66, 0.2], [u, 0.68, -0.27]], 0.02, _IRON, detail=6)


def _bench_modern(c: Canvas, rng: np.random.Generator) -> None:
    c.boxes(
        [[-0.95, 0, -0.25], [0.65, 0, -0.25]],
        [[-0.65, 0.4, 0.25], [0.95, 0.4, 0.25]],
        finishes.concrete(int(rng.integers(3))),
        skip="v",
    )
    for k in range(6):
        c.boxes([[-1.0, 0.4, -0.26 + 0.09 * k]], [[1.0, 0.45, -0.19 + 0.09 * k]], finishes.timber(3))


def _bin(c: Canvas, rng: np.random.Generator) -> None:
    paint = painted(rng, "green", "grey", "anthracite", "black")
    turned(c, [(0, 0.05), (0.2, 0.05), (0.24, 0.1), (0.25, 0.8), (0.27, 0.82), (0.27, 0.86), (0.22, 0.86)], paint, 18)
    turned(c, [(0.22, 0.86), (0.2, 0.7), (0.0, 0.7)], finishes.DARK, 18)
    for a in np.arange(18) * 2 * np.pi / 18:
        c.boxes(
            [[0.246 * np.cos(a) - 0.012, 0.12, 0.246 * np.sin(a) - 0.012]],
            [[0.246 * np.cos(a) + 0.012, 0.78, 0.246 * np.sin(a) + 0.012]],
            paint,
        )
    c.tube([[0, 0, -0.3], [0, 1.1, -0.3], [0, 1.15, 0.0]], 0.025, paint, detail=6)
    turned(c, [(0.28, 1.12), (0.24, 1.18), (0.0, 1.24)], paint, 18)


def _hydrant(c: Canvas, rng: np.random.Generator) -> None:
    paint = plain(
        "hydrant", ((0.42, 0.03, 0.02), (0.5, 0.33, 0.02), (0.4, 0.05, 0.025))[int(rng.integers(3))], "plastic", 0.35
    )
    turned(
        c,
        [
            (0.0, 0.0),
            (0.17, 0.0),
            (0.17, 0.05),
            (0.12, 0.07),
            (0.11, 0.5),
            (0.14, 0.52),
            (0.14, 0.57),
            (0.12, 0.6),
            (0.1, 0.68),
            (0.05, 0.73),
            (0.03, 0.74),
            (0.03, 0.79),
            (0.0, 0.79),
        ],
        paint,
    )
    for yaw in (0, 90, 270):
        size = 0.075 if yaw == 0 else 0.055
        view = c.moved(0, 0.42, 0).turned(yaw)
        view.tube([[0, 0, 0.08], [0, 0, 0.19]], size, paint, detail=10)
        view.tube([[0, 0, 0.17], [0, 0, 0.2]], size * 1.2, paint, detail=8)
    for a in np.arange(6) * np.pi / 3:
        c.boxes(
            [[0.145 * np.cos(a) - 0.015, 0.05, 0.145 * np.sin(a) - 0.015]],
            [[0.145 * np.cos(a) + 0.015, 0.08, 0.145 * np.sin(a) + 0.015]],
            _STEEL,
        )


def _mailbox(c: Canvas, rng: np.random.Generator) -> None:
    color: RGB = ((0.03, 0.07, 0.2), (0.45, 0.3, 0.02), (0.4, 0.03, 0.03))[int(rng.integers(3))]
    paint = plain("mailbox", color, "plastic", 0.35)
    c.boxes([[-0.22, 0.25, -0.22]], [[0.22, 1.05, 0.22]], paint)
    t = np.radians(np.linspace(0, 180, 9))
    arch = np.stack([0.22 * np.cos(t), 1.05 + 0.2 * np.sin(t)], 1)
    c.profile(arch, -0.22, 0.22, paint)
    c.boxes(
        [[-0.2, 0, -0.2], [0.13, 0, -0.2], [-0.2, 0, 0.13], [0.13, 0, 0.13]],
        [[-0.13, 0.25, -0.13], [0.2, 0.25, -0.13], [-0.13, 0.25, 0.2], [0.2, 0.25, 0.2]],
        paint,
        skip="v",
    )
    c.boxes(
        [[-0.15, 0.95, 0.22], [-0.16, 0.5, 0.22]], [[0.15, 0.99, 0.225], [0.16, 0.72, 0.226]], finishes.DARK, skip="n"
    )
    c.boxes([[-0.14, 0.52, 0.226]], [[0.14, 0.7, 0.23]], plain("mail notice", (0.55, 0.55, 0.52)), skip="n")


def _bollard(c: Canvas, rng: np.random.Generator) -> None:
    style = int(rng.integers(3))
    if style == 0:
        turned(
            c,
            [
                (0.0, -0.1),
                (0.11, -0.1),
                (0.11, 0.05),
                (0.075, 0.1),
                (0.06, 0.75),
                (0.09, 0.78),
                (0.09, 0.82),
                (0.05, 0.86),
                (0.07, 0.93),
                (0.0, 1.0),
            ],
            _IRON,
            14,
        )
    elif style == 1:
        turned(c, [(0.0, -0.1), (0.06, -0.1), (0.06, 0.95), (0.0, 0.96)], finishes.ALUMINIUM, 14)
        turned(c, [(0.061, 0.72), (0.062, 0.82)], plain("band", (0.45, 0.03, 0.02)), 14)
    else:
        c.boxes([[-0.1, -0.2, -0.1]], [[0.1, 0.85, 0.1]], finishes.concrete(0), skip="v")


def _planter(c: Canvas, rng: np.random.Generator) -> None:
    box = (finishes.concrete(0), finishes.timber(3), finishes.stone(0))[int(rng.integers(3))]
    c.boxes([[-0.7, 0, -0.35], [-0.74, 0.5, -0.39]], [[0.7, 0.5, 0.35], [0.74, 0.58, 0.39]], box, skip="v")
    soil = rng.uniform((-0.3, -0.62, 0.55), (0.3, 0.62, 0.6), (16, 3))
    at, away = scatter(rng, soil + np.array([0, 0, 0.12]), 0.24, 60)
    at[:, 2] = np.maximum(at[:, 2], 0.56)
    c.place(toned(rng, "planter", GREENS["linden"], at, upward(rng, away, up=0.5), 0.15, 0.07))
    color: RGB = ((0.5, 0.04, 0.05), (0.5, 0.3, 0.03), (0.42, 0.12, 0.3))[int(rng.integers(3))]
    spots = at[(rng.random(len(at)) < 0.14) & (at[:, 2] > 0.66)]
    c.place(toned(rng, "planter bloom", (color,), spots, rng.normal((0, 0, 0.5), 1.0, spots.shape), 0.09, 0.08))


def _bike_rack(c: Canvas, rng: np.random.Generator) -> None:
    for u in np.arange(int(rng.integers(3, 6))) * 0.8:
        t = np.radians(np.linspace(0, 180, 9))
        hoop = [
            [u - 1.2, -0.1, 0.35],
            *[[u - 1.2, 0.5 + 0.32 * np.sin(a), 0.35 * np.cos(a)] for a in t],
            [u - 1.2, -0.1, -0.35],
        ]
        c.tube(hoop, 0.024, finishes.ALUMINIUM, detail=8)


def _newspaper_box(c: Canvas, rng: np.random.Generator) -> None:
    paint = painted(rng, "blue", "red", "teal")
    c.boxes([[-0.22, 0.3, -0.2]], [[0.22, 1.0, 0.2]], paint)
    c.profile([(0.2, 0.98), (0.22, 1.0), (-0.2, 1.16), (-0.2, 0.98)], -0.23, 0.23, paint)
    c.boxes([[-0.16, 0.0, -0.16]], [[0.16, 0.3, 0.16]], _IRON, skip="v")
    c.rects([[-0.17, 0.55]], [[0.17, 0.92]], posters(), n=0.205, uv=glass.atlas_uv([int(rng.integers(8))], 4, 2))
    c.boxes([[-0.08, 0.42, 0.2]], [[0.08, 0.47, 0.25]], finishes.ALUMINIUM)


def _manhole(c: Canvas, _: np.random.Generator) -> None:
    iron = plain("cast iron", (0.055, 0.052, 0.05), "plastic", 0.6)
    turned(c, [(0.36, 0.0), (0.36, 0.006), (0.33, 0.008), (0.33, 0.004), (0.0, 0.004)], iron, 28)
    at = np.array(
        [[x, z] for x in np.arange(-0.25, 0.3, 0.1) for z in np.arange(-0.25, 0.3, 0.1) if np.hypot(x, z) < 0.28]
    )
    low = np.stack([at[:, 0] - 0.025, np.full(len(at), 0.004), at[:, 1] - 0.025], -1)
    c.blocks(low, (0.05, 0.006, 0.05), iron, skip="v")


def _cabinet(c: Canvas, rng: np.random.Generator) -> None:
    shell = plain(
        "cabinet", ((0.3, 0.32, 0.3), (0.1, 0.16, 0.12), (0.36, 0.35, 0.32))[int(rng.integers(3))], "plastic", 0.5
    )
    w = float(rng.uniform(0.4, 0.7))
    c.boxes([[-w - 0.03, -0.2, -0.2]], [[w + 0.03, 0.12, 0.2]], finishes.concrete(1), skip="v")
    c.boxes([[-w, 0.12, -0.17], [-w - 0.04, 1.25, -0.2]], [[w, 1.25, 0.17], [w + 0.04, 1.3, 0.22]], shell)
    c.boxes([[-w + 0.03, 0.18, 0.17], [0.01, 0.18, 0.17]], [[-0.01, 1.2, 0.18], [w - 0.03, 1.2, 0.18]], shell, skip="n")
    c.boxes([[0.03, 0.7, 0.18]], [[0.06, 0.85, 0.21]], _IRON)
    if rng.random() < 0.5:
        c.rects(
            [[-w + 0.08, 0.5]],
            [[-0.08, 0.5 + (w - 0.16) * 1.5]],
            posters(),
            n=0.183,
            uv=glass.atlas_uv([int(rng.integers(8))], 4, 2),
        )


def _parking_meter(c: Canvas, _: np.random.Generator) -> None:
    c.tagged(SemanticTag.POLE).tube([[0, -0.2, 0], [0, 1.05, 0]], 0.035, _STEEL, detail=8)
    c.boxes([[-0.09, 1.0, -0.07]], [[0.09, 1.3, 0.07]], finishes.TRIMS["anthracite"])
    t = np.radians(np.linspace(0, 180, 8))
    c.turned(90).profile(
        np.stack([0.09 * np.cos(t), 1.3 + 0.09 * np.sin(t)], 1), -0.07, 0.07, finishes.TRIMS["anthracite"]
    )
    c.rects([[-0.06, 1.18]], [[0.06, 1.32]], plain("meter display", (0.2, 0.24, 0.2), "glass", 0.1), n=0.072)


def _dumpster(c: Canvas, rng: np.random.Generator) -> None:
    paint = painted(rng, "green", "blue", "grey", "brown")
    c.profile([(-0.45, 0.2), (0.45, 0.2), (0.62, 1.1), (-0.55, 1.25)], -0.9, 0.9, paint)
    c.profile([(0.64, 1.1), (0.66, 1.14), (-0.58, 1.31), (-0.58, 1.25)], -0.95, 0.95, finishes.TRIMS["black"])
    for u in np.linspace(-0.75, 0.75, 4):
        c.quads(
            [[[u - 0.04, 0.25, 0.475], [u + 0.04, 0.25, 0.475], [u + 0.04, 1.05, 0.63], [u - 0.04, 1.05, 0.63]]], paint
        )
    for u in (-0.7, 0.7):
        for n in (-0.3, 0.3):
            c.turned(90).moved(n, 0.1, -u).tube([[0, 0, -0.04], [0, 0, 0.04]], 0.1, finishes.TRIMS["black"], detail=10)


_KINDS: dict[str, tuple[Callable[[Canvas, np.random.Generator], None], int]] = {
    "bench": (_bench, SemanticTag.STATIC),
    "bench_modern": (_bench_modern, SemanticTag.STATIC),
    "bin": (_bin, SemanticTag.STATIC),
    "hydrant": (_hydrant, SemanticTag.STATIC),
    "bus_shelter": (bus_shelter, SemanticTag.STATIC),
    "mailbox": (_mailbox, SemanticTag.STATIC),
    "phone_box": (phone_box, SemanticTag.STATIC),
    "bollard": (_bollard, SemanticTag.STATIC),
    "planter": (_planter, SemanticTag.STATIC),
    "bike_rack": (_bike_rack, SemanticTag.STATIC),
    "newspaper_box": (_newspaper_box, SemanticTag.STATIC),
    "kiosk": (kiosk, SemanticTag.OTHER),
    "ad_column": (ad_column, SemanticTag.OTHER),
    "billboard": (billboard, SemanticTag.OTHER),
    "manhole": (_manhole, SemanticTag.ROAD),
    "cabinet": (_cabinet, SemanticTag.STATIC),
    "parking_meter": (_parking_meter, SemanticTag.STATIC),
    "dumpster": (_dumpster, SemanticTag.STATIC),
}
KINDS = tuple(_KINDS)


@cache
def furniture(kind: str, variant: int = 0) -> Mesh:
    """A piece of street furniture of one of ``KINDS``; any integer ``variant`` selects colour or design."""
    if kind not in _KINDS:
        raise unknown("street furniture", kind, _KINDS)
    draw, tag = _KINDS[kind]
    canvas = Canvas(tag)
    draw(canvas, seeded("furniture", kind, variant))
    return canvas.mesh()
