"""Birds that stand on the ground: flamingos, penguins, geese and ducks."""

# ruff: noqa: RUF005 - sums of an array and a tuple are vectors here

from __future__ import annotations

import numpy as np

from caos.assets.catalogue.kinds import kind
from caos.assets.mesh import Mesh, Part
from caos.assets.modelling import finishes as f
from caos.assets.modelling.assembly import Points, Rng, curve, mirrored, painted, whole
from caos.assets.modelling.bodies import Body, horn
from caos.assets.modelling.shapes import ellipsoid, sweep
from caos.assets.objects.animals.coats import BLACK, dark_eye


@kind(2)
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
    eye = mirrored(ellipsoid(tip + (0.01, 0.038, 0.012), 0.01, dark_eye(), detail=8))
    return whole([body.skin(pink, cell_m=0.023, soft=0.035), bill, eye, *straight, *second])


@kind(3)
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
                dark_eye() if variant == 2 else f.plastic((230, 220, 200), 0.1),
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


@kind(1)
def goose(_variant: int, rng: Rng) -> Mesh:
    """A white goose."""
    return _goose_family(0, rng)


@kind(1)
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
            mirrored(ellipsoid(at + (0.03 * s, 0.052 * s, 0.015 * s), 0.011 * s, dark_eye(), detail=8)),
        ]
    )
