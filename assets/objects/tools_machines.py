"""Tools and machines."""

from __future__ import annotations

import numpy as np

from assets import finishes as f
from assets.craft import arc, block, curve, mirrored, moved, pad, ringed, scaled, slab, turned, wheel, whole
from assets.kinds import kind
from assets.mesh import Material, Mesh, Part
from assets.shapes import capsule, cylinder, ellipsoid, extrude, lathe, loft, rounded_box, sweep

Rng = np.random.Generator
Parts = list[Mesh | Part]


def upright(outline: np.ndarray, width: float, material: Material) -> Mesh:
    """A plate whose outline lies in the x-z plane, ``width`` thick along y."""
    flat = extrude(outline, -width / 2, width / 2, material)
    return whole(flat).transformed(np.array([[1, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1.0]]))


@kind("tools_machines", 4, fallen=True)
def ladder(variant: int, rng: Rng) -> Mesh:
    """A step ladder, a wooden ladder on the ground, an aluminium A-ladder, a rope-tied orchard ladder."""
    if variant == 1:
        wood = f.wood(rng, "weathered")
        rails: Parts = [slab((-1.6, s * 0.22 - 0.025, 0), (1.6, s * (0.22) + 0.025, 0.07), wood) for s in (1, -1)]
        return whole(
            [
                *rails,
                *[cylinder((x, -0.22, 0.035), (x, 0.22, 0.035), 0.018, wood) for x in np.linspace(-1.45, 1.45, 11)],
            ]
        )
    rail: Material = (f.paint((236, 180, 30)), f.steel(), f.metal((200, 204, 208), 0.35), f.wood(rng, "pine"))[variant]
    height, steps = ((1.7, 5), (0, 0), (2.3, 8), (2.4, 8))[variant]
    parts: Parts = []
    for s in (1, -1):
        parts.append(sweep([(0.45, s * 0.28, 0), (0.05, s * 0.2, height)], 0.024, rail, detail=8))
        if variant != 3:
            parts.append(sweep([(-0.45, s * 0.28, 0), (-0.05, s * 0.2, height)], 0.02, rail, detail=8))
    for i in range(1, steps + 1):
        t = i / (steps + 0.5)
        x, z, w = 0.45 - 0.4 * t, height * t, 0.28 - 0.08 * t
        parts.append(
            block(
                x,
                0,
                z - 0.015,
                0.1 if variant == 0 else 0.05,
                2 * w,
                0.03,
                rail if variant != 0 else f.plastic((60, 60, 64)),
            )
        )
    parts += (
        [
            cylinder((-0.45 + 0.4 * t, -0.26, height * t), (-0.45 + 0.4 * t, 0.26, height * t), 0.012, rail)
            for t in (0.25, 0.6)
        ]
        if variant != 3
        else [
            sweep([(-0.75, 0, 0), (0.04, 0, height)], 0.026, rail),
            cylinder((0.04, -0.2, height), (0.04, 0.2, height), 0.025, rail),
        ]
    )
    if variant == 0:
        parts.append(block(0, 0, height, 0.24, 0.44, 0.03, f.plastic((60, 60, 64))))
    return whole(parts)


@kind("tools_machines", 4, fallen=True)
def wheelbarrow(variant: int, rng: Rng) -> Mesh:
    """A builder's barrow, a rusty one, one full of earth, a wooden garden barrow."""
    tray = (f.paint((40, 130, 70)), f.rusty(rng, (150, 60, 40), 0.5), f.paint((40, 80, 170)), f.wood(rng, "pine"))[
        variant
    ]
    tube: Material = f.steel() if variant != 3 else f.wood(rng, "oak")
    low, high = ((0.28, 0.2), (0.48, 0.33)) if variant != 1 else ((0.36, 0.24), (0.46, 0.29))
    rim = 0.66 if variant != 1 else 0.74
    square = np.array([(1, 1), (1, -1), (-1, -1), (-1, 1)])[::-1]
    levels = [
        (low, 0.34, 0.0),
        (high, rim, 0.06),
        ((high[0] - 0.02, high[1] - 0.02), rim, 0.06),
        ((low[0] - 0.01, low[1] - 0.01), 0.37, 0.0),
    ]
    bowl = loft(
        np.stack([np.concatenate([square * s + (dx, 0), np.full((4, 1), z)], 1) for s, z, dx in levels]),
        tray,
        smooth=False,
    )
    handles = mirrored(
        sweep(curve([(0.62, 0.05, 0.2), (0.3, 0.16, 0.33), (-0.3, 0.22, 0.36), (-0.95, 0.27, 0.62)], 16), 0.02, tube)
    )
    grips = mirrored(capsule((-0.82, 0.26, 0.565), (-0.98, 0.273, 0.635), 0.026, f.rubber()))
    stand = mirrored(
        sweep([(-0.2, 0.2, 0.34), (-0.3, 0.22, 0.02), (-0.42, 0.22, 0.02), (-0.45, 0.22, 0.42)], 0.016, tube)
    )
    wheel_mesh = moved(
        wheel(
            0.2,
            0.09,
            f.rubber(),
            f.paint((220, 60, 40)) if variant != 3 else f.wood(rng, "oak"),
            spokes=8 if variant in (1, 3) else 0,
        ),
        0.62,
        0,
        0.2,
    )
    parts: Parts = [
        bowl,
        handles,
        grips,
        stand,
        wheel_mesh,
        cylinder((0.62, -0.09, 0.2), (0.62, 0.09, 0.2), 0.018, tube),
    ]
    if variant == 2:
        parts += [
            ellipsoid((0.05, 0, 0.58), (0.4, 0.27, 0.22), f.stone(rng, (94, 70, 48)), detail=20),
            turned(
                [
                    cylinder((0, 0, 0), (0, 0, 0.9), 0.016, f.wood(rng, "oak")),
                    pad(0, 0, -0.2, 0.03, 0.2, 0.25, f.steel()),
                ],
                "y",
                -28,
            ).transformed(_to(0.2, 0.05, 0.75)),
        ]
    if variant == 3:
        parts += [
            ellipsoid((x, y, 0.64), 0.13, f.plastic((226, 120, 30), 0.5), detail=14)
            for x, y in ((0.2, 0.1), (-0.05, -0.12), (0.25, -0.13), (-0.1, 0.13))
        ]
    return whole(parts)


def _to(x: float, y: float, z: float) -> np.ndarray:
    matrix = np.eye(4)
    matrix[:3, 3] = x, y, z
    return matrix


@kind("tools_machines", 3)
def cement_mixer(variant: int, rng: Rng) -> Mesh:
    """A tilting drum on wheels: orange, yellow tipped forward, old and rusty."""
    color = ((230, 100, 30), (240, 190, 40), (120, 130, 120))[variant]
    drum_paint = f.rusty(rng, color, 0.35) if variant == 2 else f.paint(color)
    steel, dark = f.paint((50, 54, 60)), f.rubber()
    tilt = (52, 98, 40)[variant]
    drum = lathe(
        [
            (0, -0.36),
            (0.16, -0.36),
            (0.36, -0.16),
            (0.38, 0.1),
            (0.2, 0.46),
            (0.22, 0.5),
            (0.18, 0.48),
            (0.3, 0.08),
            (0, -0.1),
        ],
        drum_paint,
    )
    gear = lathe([(0.37, -0.06), (0.42, -0.06), (0.42, 0.02), (0.37, 0.02)], f.metal((70, 70, 74), 0.5), smooth=False)
    teeth = ringed(slab((0.41, -0.02, -0.06), (0.44, 0.02, 0.02), f.metal((70, 70, 74), 0.5)), 28)
    head = moved(turned([drum, gear, teeth], "y", tilt), 0.02, 0, 0.98)
    frame = mirrored(
        [
            sweep([(0.42, 0.3, 0.0), (0.02, 0.46, 0.98)], 0.028, steel),
            sweep([(-0.42, 0.3, 0.2), (0.02, 0.46, 0.98)], 0.028, steel),
        ]
    )
    wheels = mirrored(moved(wheel(0.2, 0.07, dark, f.paint((200, 200, 200))), -0.42, 0.34, 0.2))
    hand = moved(
        turned(
            [
                sweep(arc((0, 0, 0), 0.26, 0, 360, "xy", 28), 0.014, steel, caps=False),
                ringed(cylinder((0, 0, 0), (0.26, 0, 0), 0.01, steel, detail=6), 3),
            ],
            "x",
            90,
        ),
        0.02,
        0.6,
        0.98,
    )
    motor = rounded_box((-0.2, -0.66, 0.72), (0.14, -0.46, 1.1), 0.04, f.paint((60, 60, 66)))
    return whole(
        [
            head,
            frame,
            wheels,
            hand,
            motor,
            cylinder((-0.42, -0.34, 0.2), (-0.42, 0.34, 0.2), 0.02, steel),
            cylinder((0.42, -0.3, 0.03), (0.42, 0.3, 0.03), 0.025, steel),
        ]
    )


@kind("tools_machines", 2)
def generator(variant: int, rng: Rng) -> Mesh:
    """A generator in a tube frame, a big diesel one on wheels."""
    return _generator_family((0, 2)[variant], rng)


@kind("tools_machines", 1)
def compressor(_variant: int, rng: Rng) -> Mesh:
    """A wheeled compressor with tank."""
    return _generator_family(1, rng)


def _generator_family(variant: int, _rng: Rng) -> Mesh:
    """A generator in a tube frame, a wheeled compressor with tank, a big diesel pump."""
    steel, black = f.steel(), f.plastic((40, 40, 44))
    if variant == 1:
        tank = f.paint((190, 40, 36))
        body: Parts = [
            capsule((-0.42, 0, 0.34), (0.42, 0, 0.34), 0.19, tank),
            rounded_box((-0.3, -0.13, 0.55), (0.1, 0.13, 0.85), 0.04, black),
            moved(wheel(0.17, 0.04, black, tank, spokes=6), 0.25, 0.1, 0.72),
        ]
        body += [
            mirrored(moved(wheel(0.15, 0.06, f.rubber(), steel), -0.38, 0.2, 0.15)),
            cylinder((0.4, 0, 0), (0.4, 0, 0.2), 0.03, black),
            sweep(
                curve([(0.5, -0.15, 0.4), (0.75, -0.15, 0.75), (0.75, 0.15, 0.75), (0.5, 0.15, 0.4)], 16), 0.016, steel
            ),
        ]
        return whole(
            [
                *body,
                cylinder((0.3, -0.02, 0.53), (0.3, -0.02, 0.62), 0.02, f.brass()),
                turned(lathe([(0, 0), (0.05, 0), (0.05, 0.03), (0, 0.035)], f.ceramic()), "y", 90).transformed(
                    _to(0.2, 0.2, 0.5)
                ),
            ]
        )
    frame_paint = f.paint((220, 50, 40) if variant == 0 else (240, 190, 40))
    w, h = (0.28, 0.55) if variant == 0 else (0.38, 0.8)
    length = 0.36 if variant == 0 else 0.6
    loop = [(-length, w, 0.03), (-length, w, h), (length, w, h), (length, w, 0.03), (-length, w, 0.03)]
    tube: Parts = [
        mirrored(sweep(loop, 0.018, frame_paint)),
        *[cylinder((s * length, -w, z), (s * length, w, z), 0.016, frame_paint) for s in (1, -1) for z in (0.04, h)],
    ]
    engine: Parts = [
        rounded_box((-length + 0.05, -w + 0.05, 0.08), (0.02, w - 0.05, h * 0.62), 0.03, black),
        cylinder((0.02, 0, h * 0.36), (length - 0.04, 0, h * 0.36), h * 0.24, steel),
        rounded_box(
            (-length + 0.03, -w + 0.04, h * 0.66),
            (length - 0.06, w - 0.04, h * 0.97),
            0.05,
            frame_paint if variant == 0 else f.paint((60, 70, 80)),
        ),
    ]
    engine += [
        slab((length - 0.05, -w + 0.06, 0.1), (length - 0.02, w - 0.06, h * 0.6), f.plastic((210, 210, 210))),
        *[
            cylinder((length - 0.03, y, h * 0.4), (length, y, h * 0.4), 0.03, f.plastic((30, 60, 160)))
            for y in (-0.12, 0.0, 0.12)
        ],
    ]
    if variant == 2:
        engine += [
            sweep(curve([(-0.3, 0.1, 0.7), (-0.3, 0.1, 1.1), (-0.36, 0.1, 1.2)], 10), 0.03, steel),
            mirrored(mirrored(moved(wheel(0.14, 0.06, f.rubber(), frame_paint), 0.4, w + 0.05, 0.14)), "x"),
            sweep([(0.6, 0, 0.1), (1.0, 0, 0.25)], 0.025, frame_paint),
        ]
    return whole([*tube, *engine])


@kind("tools_machines", 2, fallen=True)
def gas_bottle(variant: int, rng: Rng) -> Mesh:
    """A camping gas bottle, a tall oxygen cylinder."""
    return _gas_bottle_family(variant, rng)


@kind("tools_machines", 1, fallen=True)
def fire_extinguisher(_variant: int, rng: Rng) -> Mesh:
    """A fire extinguisher."""
    return _gas_bottle_family(2, rng)


@kind("tools_machines", 1, fallen=True)
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


@kind("tools_machines", 2)
def anvil(variant: int, rng: Rng) -> Mesh:
    """An anvil on a block with a hammer, a bare one."""
    return _anvil_family(variant, rng)


@kind("tools_machines", 1)
def bench_vice(_variant: int, rng: Rng) -> Mesh:
    """A bench vice on a post."""
    return _anvil_family(2, rng)


def _anvil_family(variant: int, rng: Rng) -> Mesh:
    """An anvil on a block with a hammer, a bare one, and a bench vice on a post."""
    iron = f.metal((84, 84, 88), 0.45)
    if variant == 2:
        vice: Parts = [
            block(0, 0, 0.7, 0.3, 0.2, 0.08, f.paint((40, 80, 150))),
            block(0.1, 0, 0.76, 0.06, 0.22, 0.2, f.paint((40, 80, 150))),
            block(-0.02, 0, 0.76, 0.06, 0.22, 0.2, f.paint((40, 80, 150))),
            cylinder((0.12, 0, 0.84), (0.36, 0, 0.84), 0.025, iron),
            cylinder((0.34, -0.16, 0.84), (0.34, 0.16, 0.84), 0.012, iron),
        ]
        return whole(
            [*vice, block(0, 0, 0.0, 0.5, 0.5, 0.05, iron), block(0, 0, 0.05, 0.14, 0.14, 0.65, f.wood(rng, "oak"))]
        )
    side = np.array(
        [
            (-0.3, 0.32),
            (-0.3, 0.22),
            (-0.14, 0.18),
            (-0.1, 0.1),
            (-0.18, 0.0),
            (0.18, 0.0),
            (0.1, 0.1),
            (0.12, 0.18),
            (0.2, 0.24),
            (0.2, 0.32),
        ]
    )
    body = upright(side, 0.16, iron)
    horn = sweep([(0.18, 0, 0.28), (0.32, 0, 0.285), (0.46, 0, 0.3)], [0.07, 0.05, 0.012], iron, detail=16)
    anvil_mesh = scaled([body, horn, block(0, 0, 0, 0.4, 0.24, 0.05, iron)], 1.3)
    if variant == 1:
        return anvil_mesh
    stump = lathe(
        [(0, 0), (0.3, 0), (0.27, 0.1), (0.26, 0.5), (0.27, 0.52), (0, 0.52)], f.wood(rng, "oak"), smooth=False
    )
    hammer = turned(
        [
            cylinder((0, 0, 0), (0.4, 0, 0), 0.016, f.wood(rng, "birch")),
            block(0.4, 0, -0.04, 0.07, 0.16, 0.08, f.steel()),
        ],
        "z",
        35,
    )
    return whole([stump, moved(anvil_mesh, z=0.52), moved(hammer, -0.2, 0, 0.99)])


@kind("tools_machines", 3, fallen=True)
def toolbox(variant: int, _rng: Rng) -> Mesh:
    """A red metal box, a cantilever box that stands open, a wheeled chest of drawers."""
    steel = f.steel()
    if variant == 2:
        red = f.paint((190, 30, 30))
        drawers: Parts = [
            rounded_box((-0.22, -0.34, 0.12), (0.22, 0.34, 0.88), 0.015, red),
            slab((-0.23, -0.35, 0.88), (0.23, 0.35, 0.92), f.rubber()),
        ]
        for i in range(6):
            z = 0.16 + i * 0.118
            drawers += [
                slab((0.22, -0.32, z), (0.235, 0.32, z + 0.105), red),
                slab((0.23, -0.28, z + 0.078), (0.25, 0.28, z + 0.09), steel),
            ]
        return whole(
            [
                *drawers,
                *[
                    moved(wheel(0.06, 0.035, f.rubber(), steel), x, y, 0.06)
                    for x in (0.17, -0.17)
                    for y in (0.27, -0.27)
                ],
                sweep(
                    curve([(0.18, 0.35, 0.8), (0.18, 0.42, 0.82), (-0.18, 0.42, 0.82), (-0.18, 0.35, 0.8)], 12),
                    0.012,
                    steel,
                ),
            ]
        )
    paint = f.paint((196, 36, 30) if variant == 0 else (40, 110, 190))
    if variant == 0:
        roof = upright(np.array([(-0.12, 0.2), (0.12, 0.2), (0.06, 0.27), (-0.06, 0.27)]), 0.5, paint)
        return whole(
            [
                block(0, 0, 0, 0.24, 0.5, 0.2, paint),
                roof,
                sweep([(0, -0.14, 0.27), (0, -0.12, 0.33), (0, 0.12, 0.33), (0, 0.14, 0.27)], 0.011, steel),
                *[block(0.122, s * 0.15, 0.16, 0.012, 0.05, 0.07, steel) for s in (1, -1)],
            ]
        )
    trays: Parts = [block(0, 0, 0, 0.22, 0.5, 0.14, paint)]
    for s in (1, -1):
        trays += [
            block(s * 0.2, 0, 0.17, 0.2, 0.5, 0.07, paint),
            block(s * 0.34, 0, 0.28, 0.2, 0.5, 0.07, paint),
            *[slab((s * 0.1 - 0.008, y - 0.01, 0.1), (s * 0.1 + 0.008, y + 0.01, 0.34), steel) for y in (-0.25, 0.25)],
        ]
        trays += [
            sweep(
                [(s * 0.34 - 0.06, -0.15 + 0.1 * i, 0.36), (s * 0.34 + 0.06, -0.12 + 0.1 * i, 0.37)],
                0.012,
                f.plastic(f.BRIGHT[i]),
            )
            for i in range(4)
        ]
    return whole([*trays, sweep([(0, -0.25, 0.1), (0, -0.25, 0.42), (0, 0.25, 0.42), (0, 0.25, 0.1)], 0.011, steel)])


@kind("tools_machines", 3, fallen=True)
def satellite_dish(variant: int, _rng: Rng) -> Mesh:
    """A dish on a tripod, a large mesh dish, an antenna rotator with a feed horn."""
    radius = (0.45, 1.2, 0.7)[variant]
    white = (f.plastic((226, 226, 224)), f.metal((120, 124, 128), 0.5), f.paint((70, 80, 92)))[variant]
    steel = f.steel()
    t = np.linspace(0, 1, 9)
    front = [(float(r * radius), float(0.28 * radius * r * r)) for r in t]
    dish = lathe([(r, z - 0.015) for r, z in front] + [(r, z + 0.01) for r, z in front[::-1]], white)
    ribs = [ringed(sweep([(r, 0, z - 0.02) for r, z in front], 0.012, steel, detail=6), 12)] if variant == 1 else []
    arm: Parts = [
        sweep([(0, -radius * 0.85, 0.2 * radius), (0, 0, radius * 0.95)], 0.014, steel),
        capsule(
            (0, 0, radius * 0.85), (0, 0, radius * 1.0), 0.05 * (1 if radius < 1 else 1.6), f.plastic((60, 60, 66))
        ),
    ]
    if variant == 1:
        arm = [ringed(sweep([(radius * 0.8, 0, 0.2 * radius), (0.05, 0, radius * 0.9)], 0.014, steel), 3), *arm[1:]]
    head = turned([dish, *ribs, *arm], "y", 58)
    z = radius * 1.25 + 0.1
    foot = ringed(sweep([(0.75 * radius, 0, 0), (0, 0, z)], 0.025, steel), 3)
    return whole([moved(head, 0.05, 0, z), foot, cylinder((0, 0, 0), (0, 0, z), 0.03, steel)])


@kind("tools_machines", 3)
def lawn_mower(variant: int, rng: Rng) -> Mesh:
    """A petrol mower, an old reel mower, a robot mower."""
    if variant == 2:
        return _robot_mower(rng)
    steel = f.steel()
    handle = sweep(
        curve(
            [
                (-0.2, 0.2, 0.22),
                (-0.75, 0.2, 0.85),
                (-0.85, 0.2, 0.95),
                (-0.85, -0.2, 0.95),
                (-0.75, -0.2, 0.85),
                (-0.2, -0.2, 0.22),
            ],
            30,
        ),
        0.013,
        steel if variant == 0 else f.wood(rng, "oak"),
    )
    if variant == 1:
        red = f.paint((170, 40, 34))
        wheels = mirrored(moved(wheel(0.15, 0.05, f.metal((90, 90, 92), 0.5), red, spokes=6), 0.1, 0.25, 0.15))
        blades = [
            sweep(
                [
                    (0.1 + 0.09 * np.cos(a + 0.2 * k), -0.22 + 0.44 * k / 9, 0.14 + 0.09 * np.sin(a + 0.2 * k))
                    for k in range(10)
                ],
                0.01,
                steel,
                detail=5,
            )
            for a in np.linspace(0, 2 * np.pi, 5, endpoint=False)
        ]
        return whole(
            [
                wheels,
                *blades,
                handle,
                cylinder((0.1, -0.24, 0.14), (0.1, 0.24, 0.14), 0.02, red),
                cylinder((-0.1, -0.22, 0.05), (-0.1, 0.22, 0.05), 0.035, f.wood(rng, "birch")),
                mirrored(sweep([(0.1, 0.23, 0.14), (-0.1, 0.23, 0.06), (-0.22, 0.2, 0.22)], 0.015, red)),
            ]
        )
    red = f.paint((200, 34, 30))
    deck = pad(0.05, 0, 0.1, 0.66, 0.5, 0.16, red, 0.4)
    engine: Parts = [
        cylinder((0.08, 0, 0.22), (0.08, 0, 0.36), 0.13, f.plastic((40, 40, 44))),
        lathe([(0, 0.36), (0.12, 0.36), (0.1, 0.41), (0, 0.42)], steel).transformed(_to(0.08, 0, 0)),
        pad(0.22, 0.1, 0.24, 0.14, 0.12, 0.12, f.plastic((210, 210, 205))),
    ]
    bag = pad(-0.48, 0, 0.1, 0.42, 0.4, 0.34, f.fabric(rng, (50, 54, 60)), 0.45)
    wheels = whole(
        [
            moved(wheel(r, 0.05, f.rubber(), f.plastic((220, 220, 218))), x, y, r)
            for x, r in ((0.3, 0.1), (-0.22, 0.13))
            for y in (0.27, -0.27)
        ]
    )
    return whole([deck, *engine, bag, wheels, handle])


def _robot_mower(_rng: Rng) -> Mesh:
    """A robot mower."""
    green = f.plastic((70, 74, 80))
    hull = pad(0, 0, 0.05, 0.68, 0.5, 0.24, green, 0.6)
    return whole(
        [
            hull,
            pad(0.02, 0, 0.16, 0.4, 0.34, 0.16, f.plastic((240, 130, 30)), 0.6),
            mirrored(moved(wheel(0.13, 0.06, f.rubber(), green), -0.18, 0.25, 0.13)),
            mirrored(moved(wheel(0.05, 0.03, f.rubber(), green), 0.26, 0.15, 0.05)),
            lathe([(0, 0.3), (0.05, 0.3), (0.045, 0.34), (0, 0.345)], f.plastic((210, 30, 30))),
        ]
    )


@kind("tools_machines", 3, fallen=True)
def cable_drum(variant: int, rng: Rng) -> Mesh:
    """A wooden cable reel lying on its flange, a small one with red hose on a stand, a big one that stands."""
    wood = f.wood(rng, ("pine", "weathered", "oak")[variant])
    radius, width = (0.5, 0.3, 0.75)[variant], (0.5, 0.36, 0.8)[variant]
    flange = lathe([(0.06, 0), (radius, 0), (radius, 0.05), (0.06, 0.05), (0.06, 0)], wood, detail=40, smooth=False)
    planks = [
        slab((-radius * 0.96, -0.004 + y, -0.006), (radius * 0.96, 0.004 + y, 0.056), f.matt((60, 44, 30)))
        for y in np.linspace(-radius * 0.2, radius * 0.2, 3)
    ]
    core = lathe([(radius * 0.45, 0), (radius * 0.45, width)], wood)
    coils = [
        sweep(
            arc((0, 0, z), radius * (0.5 + 0.17 * k), 0, 360, "xy", 32),
            0.032,
            f.plastic(((30, 30, 32), (190, 40, 36), (36, 36, 40))[variant], 0.5),
            detail=8,
            caps=False,
        )
        for k in range(2)
        for z in np.arange(0.1, width - 0.04, 0.064)
    ]
    drum = whole([flange, *planks, moved(flange, z=width), core, *coils])
    if variant == 0:
        return drum
    lying = turned(drum, "x", 90)
    if variant == 2:
        return lying
    steel = f.paint((40, 60, 130))
    return whole(
        [
            moved(lying, 0, width / 2, 0.5),
            mirrored([sweep([(-0.3, 0.26, 0), (0, 0.26, 0.52), (0.3, 0.26, 0)], 0.02, steel)]),
            cylinder((0, -0.27, 0.5), (0, 0.27, 0.5), 0.02, steel),
        ]
    )


@kind("tools_machines", 3)
def shopping_cart(variant: int, rng: Rng) -> Mesh:
    """A supermarket trolley, empty, full, or with red plastic trim and deeper basket."""
    chrome = f.steel()
    high = (0.95, 0.95, 1.02)[variant]
    bottom, top = 0.5 - 0.1 * (variant == 2), high

    def corner(t: float, s: int, z: float) -> tuple[float, float, float]:
        k = (z - bottom) / (top - bottom)
        return (-0.38 - 0.02 * k + t * (0.76 + 0.14 * k), s * (0.2 + 0.06 * k), z)

    levels = np.linspace(bottom, top, 6)
    wires: Parts = []
    for z in levels:
        ring = [corner(0, 1, z), corner(1, 1, z), corner(1, -1, z), corner(0, -1, z), corner(0, 1, z)]
        wires.append(sweep(ring, 0.006 if z != levels[-1] else 0.011, chrome, detail=5))
    for t in np.linspace(0, 1, 13):
        wires.append(mirrored(sweep([corner(t, 1, bottom), corner(t, 1, top)], 0.004, chrome, detail=5)))
        wires.append(cylinder(corner(t, 1, bottom), corner(t, -1, bottom), 0.004, chrome, detail=5))
    for y in np.linspace(-0.2, 0.2, 7):
        wires += [
            sweep([(-0.38, y, bottom), (-0.4, y * 1.3, top)], 0.004, chrome, detail=5),
            sweep([(0.38, y, bottom), (0.5, y * 1.3, top)], 0.004, chrome, detail=5),
        ]
    frame = mirrored(
        [
            sweep(
                curve([(-0.48, 0.25, high + 0.04), (-0.4, 0.24, bottom), (-0.38, 0.25, 0.2), (0.42, 0.18, 0.14)], 20),
                0.015,
                chrome,
            ),
            sweep([(-0.36, 0.24, 0.3), (-0.42, 0.26, 0.1)], 0.014, chrome),
        ]
    )
    handle = capsule(
        (-0.5, -0.25, high + 0.05),
        (-0.5, 0.25, high + 0.05),
        0.02,
        f.plastic(((30, 90, 190), (30, 150, 80), (210, 40, 36))[variant]),
    )
    wheels = [
        moved(wheel(0.06, 0.03, f.rubber(), f.plastic((90, 90, 94))), x, y, 0.06)
        for x, w in ((0.42, 0.18), (-0.42, 0.26))
        for y in (w, -w)
    ]
    goods = []
    if variant == 1:
        goods = [
            pad(
                float(x),
                float(y),
                bottom + 0.02 + 0.14 * (i % 3),
                0.16,
                0.14,
                0.18,
                f.plastic(f.BRIGHT[i % 9]),
                float(rng.uniform(0.15, 0.8)),
            )
            for i, (x, y) in enumerate(rng.uniform((-0.28, -0.14), (0.32, 0.14), (14, 2)))
        ]
    return whole([*wires, frame, handle, *wheels, *goods])


@kind("tools_machines", 2, fallen=True)
def sack_barrow(variant: int, rng: Rng) -> Mesh:
    """A sack barrow, one with boxes."""
    return _sack_barrow_family(variant, rng)


@kind("tools_machines", 1, fallen=True)
def pallet_jack(_variant: int, rng: Rng) -> Mesh:
    """A pallet jack."""
    return _sack_barrow_family(2, rng)


def _sack_barrow_family(variant: int, rng: Rng) -> Mesh:
    """A sack barrow, one with boxes, a pallet jack."""
    paint, tyre = f.paint(((200, 40, 36), (40, 90, 180), (240, 170, 30))[variant]), f.rubber()
    if variant == 2:
        forks = mirrored(slab((0.0, 0.16, 0.08), (1.15, 0.32, 0.14), paint))
        body: Parts = [
            slab((-0.25, -0.3, 0.08), (0.02, 0.3, 0.3), paint),
            sweep([(-0.2, 0, 0.3), (-0.45, 0, 1.15)], 0.024, paint),
            sweep(arc((-0.48, 0, 1.25), 0.13, 0, 360, "yz", 24), 0.018, f.plastic((36, 36, 40)), caps=False),
        ]
        return whole(
            [
                forks,
                *body,
                *[moved(wheel(0.09, 0.06, tyre, f.steel()), -0.18, y, 0.09) for y in (-0.1, 0.1)],
                mirrored(moved(wheel(0.045, 0.1, tyre, f.steel()), 1.0, 0.24, 0.045)),
            ]
        )
    frame = mirrored(
        sweep(curve([(0.02, 0.18, 0.05), (0, 0.18, 0.9), (-0.12, 0.17, 1.15), (-0.24, 0.17, 1.18)], 18), 0.017, paint)
    )
    bars = [cylinder((0, -0.18, z), (0, 0.18, z), 0.012, paint) for z in (0.3, 0.55, 0.8)]
    wheels = mirrored(moved(wheel(0.14, 0.07, tyre, f.plastic((230, 230, 226))), -0.12, 0.24, 0.14))
    parts: Parts = [
        frame,
        *bars,
        wheels,
        slab((0, -0.22, 0.02), (0.28, 0.22, 0.035), f.steel()),
        cylinder((-0.12, -0.24, 0.14), (-0.12, 0.24, 0.14), 0.014, paint),
        mirrored(sweep([(-0.12, 0.18, 0.14), (0, 0.18, 0.3)], 0.013, paint)),
        mirrored(capsule((-0.18, 0.17, 1.18), (-0.28, 0.17, 1.18), 0.023, tyre)),
    ]
    if variant == 1:
        board = f.cardboard(rng)
        parts += [
            block(0.18, 0, 0.04, 0.34, 0.44, 0.34, board),
            block(0.17, 0.01, 0.38, 0.3, 0.4, 0.28, board),
            block(0.16, -0.02, 0.66, 0.26, 0.36, 0.2, board),
        ]
    return whole(parts)


@kind("tools_machines", 2, fallen=True)
def jerrycan(variant: int, rng: Rng) -> Mesh:
    """An army fuel can, a red plastic one."""
    return _jerrycan_family(variant, rng)


@kind("tools_machines", 1, fallen=True)
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
            turned(slab((0.088, -0.18, -0.012), (0.096, 0.18, 0.012), paint), "x", a).transformed(_to(0, 0, 0.22))
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


@kind("tools_machines", 2, fallen=True)
def gear_wheel(variant: int, rng: Rng) -> Mesh:
    """A big cog, a pair of cogs in mesh."""
    return _gear_wheel_family(variant, rng)


@kind("tools_machines", 1, fallen=True)
def ship_propeller(_variant: int, rng: Rng) -> Mesh:
    """A ship's propeller."""
    return _gear_wheel_family(2, rng)


def _gear_wheel_family(variant: int, rng: Rng) -> Mesh:
    """A big cog, a pair of cogs in mesh, a ship's propeller."""
    if variant == 2:
        brass = f.metal((206, 160, 84), 0.28)
        blade = turned(ellipsoid((0.48, 0, 0), (0.4, 0.2, 0.035), brass, detail=24), "x", 32)
        hub = lathe([(0, -0.16), (0.1, -0.16), (0.14, 0), (0.1, 0.16), (0, 0.24)], brass)
        return turned([hub, ringed(blade, 4)], "y", 80)
    iron = f.rusty(rng, (110, 106, 100), 0.4) if variant == 0 else f.metal((140, 140, 144), 0.4)
    big = _cog(0.6, 20, 0.16, iron)
    if variant == 0:
        return turned(big, "y", 76)
    return whole(
        [
            _cog(0.45, 16, 0.14, iron),
            moved(turned(_cog(0.28, 10, 0.14, f.brass()), "z", 18), 0.8),
            block(0.3, 0, -0.06, 1.3, 0.3, 0.06, f.metal((70, 74, 80), 0.5)),
        ]
    )


def _cog(radius: float, teeth: int, width: float, metal: Material) -> Mesh:
    tooth = slab((radius * 0.95, -radius * 0.09, 0), (radius * 1.16, radius * 0.09, width), metal)
    rim = lathe(
        [(radius * 0.74, 0), (radius, 0), (radius, width), (radius * 0.74, width), (radius * 0.74, 0)],
        metal,
        detail=40,
        smooth=False,
    )
    hub = lathe(
        [
            (radius * 0.1, 0),
            (radius * 0.26, 0),
            (radius * 0.26, width * 1.15),
            (radius * 0.1, width * 1.15),
            (radius * 0.1, 0),
        ],
        metal,
        smooth=False,
    )
    spokes = ringed(
        slab((radius * 0.2, -radius * 0.07, width * 0.2), (radius * 0.78, radius * 0.07, width * 0.8), metal), 5
    )
    return whole([rim, hub, spokes, ringed(tooth, teeth)])


@kind("tools_machines", 1, fallen=True)
def sewing_machine(_variant: int, rng: Rng) -> Mesh:
    """A treadle sewing machine."""
    return _sewing_machine_family(0, rng)


@kind("tools_machines", 1, fallen=True)
def typewriter(_variant: int, rng: Rng) -> Mesh:
    """A typewriter on a stand."""
    return _sewing_machine_family(1, rng)


@kind("tools_machines", 1, fallen=True)
def plate_camera(_variant: int, rng: Rng) -> Mesh:
    """A plate camera on its tripod."""
    return _sewing_machine_family(2, rng)


def _sewing_machine_family(variant: int, rng: Rng) -> Mesh:
    """A treadle sewing machine, a typewriter on a stand, a tripod camera."""
    black, gold = f.paint((24, 24, 26)), f.brass()
    if variant == 2:
        leg = sweep([(0.45, 0, 0), (0.04, 0, 1.15)], 0.022, f.wood(rng, "oak"))
        box_camera: Parts = [
            rounded_box((-0.14, -0.13, 1.18), (0.12, 0.13, 1.44), 0.015, f.wood(rng, "mahogany")),
            sweep([(0.12, 0, 1.31), (0.3, 0, 1.31)], [0.11, 0.07], f.leather(rng, (40, 36, 36)), smooth=False),
            cylinder((0.3, 0, 1.31), (0.38, 0, 1.31), 0.06, gold),
            cylinder((0.38, 0, 1.31), (0.385, 0, 1.31), 0.05, f.glass()),
        ]
        return whole(
            [ringed(leg, 3), *box_camera, pad(-0.26, 0, 1.1, 0.26, 0.34, 0.36, f.fabric(rng, (30, 30, 36)), 0.5)]
        )
    table_wood = f.wood(rng, "walnut")
    iron_side = mirrored(
        [
            sweep(curve([(-0.2, 0.38, 0), (0.0, 0.36, 0.35), (-0.18, 0.36, 0.7)], 12), 0.018, black),
            sweep(curve([(0.2, 0.38, 0), (0.0, 0.36, 0.35), (0.18, 0.36, 0.7)], 12), 0.018, black),
        ]
    )
    parts: Parts = [
        block(0, 0, 0.7, 0.46, 0.9, 0.03, table_wood),
        iron_side,
        slab((-0.12, -0.3, 0.1), (0.12, 0.3, 0.12), black),
    ]
    if variant == 0:
        parts += [
            block(0, 0.02, 0.73, 0.16, 0.42, 0.03, black),
            block(0, 0.18, 0.76, 0.09, 0.09, 0.26, black),
            sweep(curve([(0, 0.18, 0.98), (0, 0, 1.03), (0, -0.15, 1.0)], 10), 0.045, black),
            cylinder((0, -0.16, 0.82), (0, -0.16, 1.02), 0.035, black),
            cylinder((0, -0.16, 0.75), (0, -0.16, 0.83), 0.007, f.steel()),
            moved(wheel(0.08, 0.03, gold, black), 0, 0.26, 0.94),
            moved(wheel(0.18, 0.03, black, black, spokes=6), 0.0, 0.36, 0.26),
        ]
    else:
        keys = [
            cylinder(
                (0.08 + 0.035 * r, -0.15 + 0.033 * k + 0.012 * r, 0.8 - 0.02 * r),
                (0.08 + 0.035 * r, -0.15 + 0.033 * k + 0.012 * r, 0.82 - 0.02 * r),
                0.012,
                f.ceramic(),
                detail=8,
            )
            for r in range(4)
            for k in range(10)
        ]
        parts += [
            rounded_box((-0.16, -0.2, 0.73), (0.24, 0.2, 0.78), 0.02, f.paint((60, 110, 110))),
            rounded_box((-0.16, -0.19, 0.76), (0.06, 0.19, 0.88), 0.03, f.paint((60, 110, 110))),
            cylinder((-0.1, -0.24, 0.9), (-0.1, 0.24, 0.9), 0.025, black),
            turned(slab((-0.105, -0.12, 0.9), (-0.1, 0.12, 1.12), f.matt((244, 242, 236))), "y", -14, (-0.1, 0, 0.9)),
            *keys,
        ]
    return whole(parts)
