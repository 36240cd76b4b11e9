"""Dinosaurs."""

from __future__ import annotations

import numpy as np

from caos.assets.catalogue.kinds import kind
from caos.assets.mesh import Mesh
from caos.assets.modelling import finishes as f
from caos.assets.modelling.assembly import Parts, Rng, curve, mirrored, moved, ringed, turned, whole
from caos.assets.modelling.bodies import Body, horn
from caos.assets.modelling.shapes import ellipsoid, extrude, lathe
from caos.assets.objects.fantasy.hides import scaly_coat, shaded_hide


@kind(4)
def dinosaur(variant: int, rng: Rng) -> Mesh:
    """A tyrannosaur, a long-necked sauropod, a triceratops, a stegosaur."""
    builders = (_tyrannosaur, _sauropod, _triceratops, _stegosaur)
    return whole(builders[variant](rng))


def _tyrannosaur(rng: Rng) -> Parts:
    body = Body().chain(
        [(0.35, 0, 1.75), (-0.2, 0, 1.45), (-0.6, 0, 1.35), (-1.3, 0, 1.25), (-2.2, 0, 1.35)],
        (0.3, 0.42, 0.38, 0.2, 0.04),
    )
    body.rod((0.35, 0, 1.75), (0.75, 0, 2.2), 0.24, 0.2).ball((0.85, 0, 2.3), (0.3, 0.22, 0.24)).rod(
        (0.9, 0, 2.32), (1.45, 0, 2.22), 0.2, 0.13
    ).rod((0.85, 0, 2.1), (1.32, 0, 1.96), 0.12, 0.08)
    for s in (1, -1):
        step = 0.22 * s
        body.chain(
            [
                (-0.35, s * 0.26, 1.35),
                (-0.05 + step, s * 0.34, 0.85),
                (-0.4 + step, s * 0.34, 0.38),
                (-0.2 + step, s * 0.34, 0.08),
            ],
            (0.32, 0.2, 0.11, 0.09),
        )
        body.ball((-0.05 + step, s * 0.34, 0.07), (0.25, 0.14, 0.07))
    body.chain([(0.4, 0.22, 1.6), (0.58, 0.3, 1.4), (0.72, 0.26, 1.45)], (0.08, 0.05, 0.035), both=True)
    white = f.ceramic((240, 234, 214))
    teeth = [
        horn([(x, 0.13 - 0.08 * (x - 0.95), 2.16), (x + 0.01, 0.135 - 0.08 * (x - 0.95), 2.06)], 0.028, white)
        for x in np.linspace(0.98, 1.45, 6)
    ]
    claws = [
        horn([(0.15 + 0.22 * s, s * 0.34 + d, 0.07), (0.27 + 0.22 * s, s * 0.34 + d, 0.03)], 0.04, white)
        for s in (1, -1)
        for d in (-0.1, 0, 0.1)
    ]
    eye = mirrored(
        [
            ellipsoid((0.98, 0.19, 2.42), 0.045, f.plastic((230, 190, 40), 0.1), detail=12),
            ellipsoid((1.01, 0.21, 2.42), 0.025, f.plastic((10, 10, 10), 0.1), detail=8),
        ]
    )
    return [
        shaded_hide(rng, body, scaly_coat(rng, (70, 84, 44), (196, 186, 130)), 2.3, cell_m=0.066, soft=0.14),
        mirrored(teeth),
        *claws,
        eye,
    ]


def _sauropod(rng: Rng) -> Parts:
    body = Body().rod((0.6, 0, 1.35), (-0.6, 0, 1.3), 0.48, 0.5).ball((0, 0, 1.15), (0.9, 0.52, 0.5))
    neck = curve([(0.7, 0, 1.5), (1.4, 0, 2.1), (1.9, 0, 3.0), (2.2, 0, 3.5)], 10)
    body.chain([tuple(p) for p in neck], list(np.linspace(0.3, 0.13, 10))).rod(
        neck[-1], neck[-1] + (0.35, 0, -0.08), 0.15, 0.09
    )
    tail = curve([(-0.8, 0, 1.3), (-1.8, 0, 0.9), (-2.8, 0.3, 0.4), (-3.6, 0.8, 0.15)], 10)
    body.chain([tuple(p) for p in tail], list(np.linspace(0.38, 0.04, 10)))
    for x, step in ((0.55, 0.12), (-0.6, -0.12)):
        for s in (1, -1):
            body.chain(
                [(x, s * 0.36, 1.1), (x + step * s, s * 0.4, 0.5), (x + step * s, s * 0.4, 0.12)], (0.28, 0.19, 0.2)
            )
    eye = mirrored(ellipsoid(neck[-1] + (0.1, 0.13, 0.06), 0.03, f.plastic((10, 10, 10), 0.1), detail=8))
    return [shaded_hide(rng, body, scaly_coat(rng, (92, 110, 116), (180, 190, 180)), 2.0, cell_m=0.085, soft=0.16), eye]


def _triceratops(rng: Rng) -> Parts:
    body = (
        Body()
        .rod((0.5, 0, 0.95), (-0.6, 0, 0.95), 0.42, 0.42)
        .ball((0, 0, 0.85), (0.75, 0.46, 0.42))
        .chain([(-0.8, 0, 0.95), (-1.4, 0, 0.6), (-1.9, 0, 0.4)], (0.32, 0.15, 0.04))
    )
    body.rod((0.7, 0, 1.0), (1.1, 0, 1.0), 0.3, 0.26).rod((1.1, 0, 0.98), (1.6, 0, 0.72), 0.24, 0.1)
    for x in (0.45, -0.6):
        body.chain([(x, 0.3, 0.75), (x + 0.04, 0.38, 0.4), (x, 0.38, 0.1)], (0.2, 0.14, 0.14), both=True)
    look = scaly_coat(rng, (120, 86, 56), (196, 170, 130))
    frill = lathe(
        [(0.0, 0), (0.62, 0.1), (0.66, 0.14), (0.6, 0.16), (0, 0.07)], f.leather(rng, (140, 96, 60)), detail=30
    )
    knobs = ringed(ellipsoid((0.64, 0, 0.13), 0.05, f.ceramic((226, 214, 186)), detail=8), 16)
    bone = f.ceramic((236, 226, 200))
    horns: Parts = [
        mirrored(horn([(1.15, 0.14, 1.2), (1.4, 0.22, 1.45), (1.75, 0.2, 1.55)], 0.075, bone)),
        horn([(1.45, 0, 0.92), (1.55, 0, 1.05), (1.6, 0, 1.14)], 0.07, bone),
    ]
    eye = mirrored(ellipsoid((1.28, 0.2, 1.02), 0.035, f.plastic((10, 10, 10), 0.1), detail=8))
    return [
        shaded_hide(rng, body, look, 1.3, cell_m=0.06, soft=0.12),
        moved(turned([frill, knobs], "y", -62), 0.95, 0, 1.2),
        *horns,
        eye,
    ]


def _stegosaur(rng: Rng) -> Parts:
    spine = curve([(1.5, 0, 0.55), (1.0, 0, 0.8), (0.2, 0, 1.3), (-0.6, 0, 1.25), (-1.3, 0, 0.8), (-2.0, 0, 0.6)], 14)
    body = (
        Body()
        .chain(
            [tuple(p) for p in spine], [0.11, 0.14, 0.2, 0.3, 0.38, 0.42, 0.42, 0.4, 0.34, 0.26, 0.18, 0.12, 0.08, 0.03]
        )
        .rod((1.5, 0, 0.55), (1.75, 0, 0.48), 0.12, 0.07)
    )
    body.chain([(0.65, 0.26, 0.8), (0.7, 0.36, 0.4), (0.65, 0.36, 0.1)], (0.17, 0.12, 0.11), both=True).chain(
        [(-0.6, 0.28, 1.05), (-0.5, 0.4, 0.55), (-0.65, 0.4, 0.1)], (0.26, 0.16, 0.13), both=True
    )
    plate = f.leather(rng, (190, 90, 50))
    plates: Parts = []
    for k, p in enumerate(spine[2:12]):
        s = 0.36 * np.sin(np.pi * (k + 1.2) / 11.5)
        shape = extrude(
            np.array([(-s * 0.5, 0), (s * 0.5, 0), (s * 0.62, s * 0.6), (0, s * 1.35), (-s * 0.62, s * 0.6)]),
            -0.02,
            0.02,
            plate,
        )
        r = float(np.interp(k + 2, [0, 5, 8, 13], [0.11, 0.42, 0.38, 0.03]))
        plates.append(
            moved(
                turned(turned(shape, "x", 90), "x", 14 * (1 if k % 2 else -1)),
                p[0],
                0.06 * (1 if k % 2 else -1),
                p[2] + r * 0.9,
            )
        )
    spikes = mirrored(
        [horn([(x, 0.05, 0.62), (x - 0.1, 0.25, 0.8)], 0.035, f.ceramic((236, 226, 200))) for x in (-1.8, -1.95)]
    )
    eye = mirrored(ellipsoid((1.58, 0.1, 0.6), 0.024, f.plastic((10, 10, 10), 0.1), detail=8))
    return [
        shaded_hide(rng, body, scaly_coat(rng, (84, 104, 60), (190, 186, 130)), 1.4, cell_m=0.062, soft=0.12),
        *plates,
        spikes,
        eye,
    ]
