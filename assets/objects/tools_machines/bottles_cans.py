"""Gas bottles, extinguishers, diving tanks, jerrycans and churns."""

from __future__ import annotations

from caos.assets.catalogue.kinds import kind
from caos.assets.mesh import Mesh, translation
from caos.assets.modelling import finishes as f
from caos.assets.modelling.assembly import Parts, Rng, curve, mirrored, moved, pad, scaled, slab, turned, whole
from caos.assets.modelling.shapes import cylinder, lathe, rounded_box, sweep


@kind(2, fallen=True)
def gas_bottle(variant: int, rng: Rng) -> Mesh:
    """A camping gas bottle, a tall oxygen cylinder."""
    return _gas_bottle_family(variant, rng)


@kind(1, fallen=True)
def fire_extinguisher(_variant: int, rng: Rng) -> Mesh:
    """A fire extinguisher."""
    return _gas_bottle_family(2, rng)


@kind(1, fallen=True)
def diving_tanks(_variant: int, rng: Rng) -> Mesh:
    """A pair of diving tanks."""
    return _gas_bottle_family(3, rng)


def _gas_bottle_family(variant: int, _rng: Rng) -> Mesh:
    """A camping gas bottle, a tall oxygen cylinder, a fire extinguisher, a scuba tank pair."""
    brass, black = f.brass(), f.plastic((30, 30, 32))
    if variant == 1:
        body = lathe(
            [(0, 0), (0.11, 0), (0.115, 0.02), (0.115, 1.2), (0.09, 1.32), (0.04, 1.38), (0.04, 1.42), (0, 1.42)],
            f.paint((60, 70, 76)),
        )
        cap = lathe([(0, 1.42), (0.06, 1.42), (0.06, 1.52), (0.03, 1.57), (0, 1.57)], f.paint((236, 236, 236)))
        return whole(
            [body, cap, lathe([(0.116, 1.0), (0.118, 1.0), (0.118, 1.1), (0.116, 1.1)], f.paint((240, 240, 240)))]
        )
    if variant == 2:
        red = f.paint((196, 24, 24))
        body = lathe([(0, 0), (0.085, 0), (0.09, 0.02), (0.09, 0.44), (0.06, 0.52), (0.025, 0.55), (0, 0.55)], red)
        grip: Parts = [
            sweep([(-0.02, 0, 0.57), (0.1, 0, 0.6)], 0.012, black),
            sweep([(-0.02, 0, 0.6), (0.11, 0, 0.66)], 0.01, black),
            cylinder((0, 0, 0.55), (0, 0, 0.6), 0.02, brass),
        ]
        hose = sweep(curve([(-0.02, 0, 0.58), (-0.13, 0, 0.5), (-0.12, 0, 0.25), (-0.1, 0, 0.15)], 16), 0.012, black)
        return scaled([body, *grip, hose, sweep([(-0.1, 0, 0.16), (-0.1, 0, 0.05)], [0.014, 0.03], black)], 1.25)
    if variant == 3:
        one = lathe(
            [(0, 0), (0.08, 0.0), (0.09, 0.05), (0.09, 0.5), (0.06, 0.58), (0.02, 0.61), (0, 0.61)],
            f.paint((240, 210, 40)),
        )
        hose = sweep(curve([(0, 0.1, 0.66), (0.15, 0.2, 0.6), (0.22, 0.12, 0.35), (0.2, 0, 0.3)], 20), 0.014, black)
        bands = [slab((-0.1, -0.2, z), (0.1, 0.2, z + 0.04), black) for z in (0.2, 0.42)]
        return whole(
            [
                mirrored(moved(one, y=0.1)),
                *bands,
                cylinder((0, -0.1, 0.65), (0, 0.1, 0.65), 0.015, brass),
                hose,
                pad(0.22, 0, 0.24, 0.08, 0.1, 0.1, black),
            ]
        )
    body = lathe(
        [(0, 0.03), (0.14, 0.03), (0.16, 0.08), (0.16, 0.36), (0.12, 0.45), (0.03, 0.48), (0, 0.48)],
        f.paint((40, 90, 180)),
    )
    foot = lathe([(0.12, 0), (0.13, 0), (0.13, 0.06), (0.12, 0.06)], f.paint((40, 90, 180)))
    collar = lathe([(0.09, 0.44), (0.1, 0.44), (0.1, 0.58), (0.09, 0.58), (0.09, 0.44)], f.paint((40, 90, 180)))
    return whole(
        [
            body,
            foot,
            collar,
            cylinder((0, 0, 0.48), (0, 0, 0.55), 0.02, brass),
            cylinder((-0.04, 0, 0.55), (0.04, 0, 0.55), 0.018, brass),
        ]
    )


@kind(2, fallen=True)
def jerrycan(variant: int, rng: Rng) -> Mesh:
    """An army fuel can, a red plastic one."""
    return _jerrycan_family(variant, rng)


@kind(1, fallen=True)
def milk_churn(_variant: int, rng: Rng) -> Mesh:
    """A milk churn."""
    return _jerrycan_family(2, rng)


def _jerrycan_family(variant: int, _rng: Rng) -> Mesh:
    """An army fuel can, a red plastic one, a milk churn."""
    if variant == 2:
        milk = f.metal((186, 190, 192), 0.35)
        churn = lathe(
            [
                (0, 0),
                (0.17, 0),
                (0.18, 0.03),
                (0.18, 0.42),
                (0.12, 0.54),
                (0.1, 0.62),
                (0.12, 0.68),
                (0.13, 0.7),
                (0.1, 0.74),
                (0.03, 0.76),
                (0, 0.76),
            ],
            milk,
        )
        return whole(
            [churn, mirrored(sweep(curve([(0, 0.16, 0.46), (0, 0.23, 0.52), (0, 0.12, 0.62)], 12), 0.013, milk))]
        )
    paint = f.paint((74, 84, 52)) if variant == 0 else f.plastic((206, 36, 30))
    body: Parts = [rounded_box((-0.09, -0.18, 0), (0.09, 0.18, 0.42), 0.035, paint)]
    if variant == 0:
        body += [
            turned(slab((0.088, -0.18, -0.012), (0.096, 0.18, 0.012), paint), "x", a).transformed(
                translation(0, 0, 0.22)
            )
            for a in (40, -40)
        ]
        body += [
            sweep([(x, -0.02, 0.41), (x, -0.02, 0.47), (x, 0.14, 0.47), (x, 0.14, 0.41)], 0.013, paint)
            for x in (-0.05, 0, 0.05)
        ]
    else:
        body += [
            sweep([(0, -0.02, 0.4), (0, -0.02, 0.5), (0, 0.14, 0.5), (0, 0.16, 0.4)], 0.025, paint),
            sweep(
                curve([(0, -0.1, 0.42), (0, -0.2, 0.52), (0, -0.3, 0.54)], 10),
                [0.03] * 4 + [0.02] * 6,
                f.plastic((240, 200, 40)),
            ),
        ]
    return scaled(
        [
            *body,
            cylinder((0, -0.11, 0.41), (0, -0.13, 0.48), 0.035, f.steel() if variant == 0 else f.plastic((30, 30, 34))),
        ],
        1.15,
    )
