"""Lorries, ambulance, fire engine, bus, and the folded-steel pick-up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from assets.mesh import Material, Mesh, Part, translation
from assets.shapes import box, cylinder, rounded_box, sweep
from simulator.embedded.models.vehicles import finishes, fittings
from simulator.embedded.models.vehicles.cars import Car
from simulator.embedded.models.vehicles.liveries import mirrored_panel, poster
from simulator.embedded.models.vehicles.looks import Grille, HeadLamp, Looks, Panes, TailLamp
from simulator.embedded.models.vehicles.plan import BodyPlan, Points
from simulator.embedded.models.vehicles.sheets import mirrored
from simulator.embedded.models.vehicles.wheels import WheelStyle, placed_wheel, wheel

_LORRY_WHEEL = WheelStyle(rim=0.6, spokes=0, finish=finishes.STEEL)
_CAB_FRONT = ((0, 0.06), (0.1, 0.0), (0.3, 0.0), (0.34, 0.03), (0.8, 0.03), (1, 0.06))
_CAB_REAR = ((0, 0.0), (0.5, 0.0), (1, 0.02))
_CAB_SIDE = ((0, 0.03), (0.06, 0.0), (0.7, 0.0), (0.94, 0.0), (1, 0.012))


@dataclass(frozen=True)
class Lorry:
    """A cab at the front of a longer vehicle, and a function that adds what follows it.

    Attributes:
        length: Length of the whole vehicle.
        cab: The cab as a short car; its front is the vehicle's front.
        load: Builds the rest from the paint, in the vehicle's frame.
        tail: Middle of the right tail lamp.
    """

    length: float
    cab: Car
    load: Callable[[Material, bool], list[Part | Mesh]]
    tail: tuple[float, float, float]

    @property
    def _offset(self) -> float:
        return self.length / 2 - self.cab.plan.length / 2

    def build(self, paint: Material, *, lit: bool = False) -> list[Part | Mesh]:
        """All parts in a paint."""
        shift = translation(self._offset, 0, 0)
        cab = [item.transformed(shift) for item in self.cab.build(paint, lit=lit)]
        return [*cab, *self.load(paint, lit)]

    def head_points(self) -> Points:
        """Middles of the two headlamps ``(2, 3)``."""
        return np.asarray(self.cab.head_points() + (self._offset, 0, 0))

    def tail_points(self) -> Points:
        """Middles of the two tail lamps ``(2, 3)``."""
        tail = np.array(self.tail)
        return np.stack([tail, tail * (1, -1, 1)])


def _pair(parts: list[Part]) -> list[Part]:
    return [*parts, *(mirrored(p) for p in parts)]


def _axle(x: float, radius: float, width: float, half_track: float, *, twin: bool) -> list[Mesh]:
    mesh = wheel(radius, width, _LORRY_WHEEL, detail=26)
    placed = [placed_wheel(mesh, x, side * half_track, radius) for side in (1, -1)]
    if twin:
        inner = half_track - width - 0.03
        placed += [
            Mesh(
                (cylinder((x, y - width / 2, radius), (x, y + width / 2, radius), radius, finishes.RUBBER, detail=20),)
            )
            for y in (inner, -inner)
        ]
    return placed


def _chassis(front: float, rear: float, z: float) -> list[Part]:
    rails = _pair([box((rear, 0.32, z - 0.12), (front, 0.42, z + 0.1), finishes.UNDERBODY)])
    cross = [
        box((x - 0.06, -0.4, z - 0.08), (x + 0.06, 0.4, z + 0.06), finishes.UNDERBODY)
        for x in np.linspace(rear + 0.1, front - 0.1, 5)
    ]
    return [*rails, *cross]


def _tail_boards(x: float, half: float, z: float, *, lit: bool) -> list[Part]:
    """Bumper bar, lamp clusters and number plate at the rear end."""
    red = finishes.LIT_TAIL if lit else finishes.TAIL_BRIGHT
    lamp = [
        rounded_box((x - 0.03, half - 0.4, z - 0.07), (x + 0.05, half - 0.06, z + 0.07), 0.02, finishes.TRIM, detail=1),
        box((x - 0.036, half - 0.38, z - 0.05), (x - 0.02, half - 0.22, z + 0.05), red),
        box((x - 0.036, half - 0.21, z - 0.05), (x - 0.02, half - 0.15, z + 0.05), finishes.LENS),
        box((x - 0.036, half - 0.14, z - 0.05), (x - 0.02, half - 0.08, z + 0.05), finishes.AMBER),
    ]
    bar = rounded_box((x, -half + 0.1, z - 0.26), (x + 0.12, half - 0.1, z - 0.14), 0.03, finishes.STEEL, detail=1)
    return [*_pair(lamp), bar, *fittings.plate((x + 0.01, 0, z), -1, "CA 170")]


def _mudguards(x: float, radius: float, half: float, width: float) -> list[Part]:
    angle = np.linspace(np.radians(12), np.radians(168), 11)
    r = radius + 0.08
    outer = np.stack([x + r * np.cos(angle), np.full(11, half), radius + r * np.sin(angle)], -1)
    inner = outer - (0, width, 0)
    n = len(outer)
    k = np.arange(n - 1)
    faces = np.concatenate([np.stack([k, k + 1, k + n], 1), np.stack([k + 1, k + n + 1, k + n], 1)])
    both = np.concatenate([faces[:, ::-1], faces])
    return _pair([Part(np.concatenate([outer, inner]).astype(np.float32), both.astype(np.int32), finishes.TRIM)])


def _cargo_box(rear: float, front: float, half: float, low: float, high: float, skin: Material) -> list[Part]:
    """A box body with corner posts, roof rail and rear doors."""
    parts = [rounded_box((rear, -half, low), (front, half, high), 0.04, skin, detail=2)]
    rail = finishes.ALLOY
    for z in (low + 0.03, high - 0.03):
        parts += _pair([box((rear + 0.03, half - 0.02, z - 0.035), (front - 0.03, half + 0.006, z + 0.035), rail)])
    for x in (rear + 0.035, front - 0.035):
        parts += _pair([box((x - 0.035, half - 0.02, low + 0.06), (x + 0.035, half + 0.005, high - 0.06), rail)])
    parts.append(box((rear - 0.004, -0.008, low + 0.05), (rear + 0.02, 0.008, high - 0.05), finishes.GAP))
    bars = [
        cylinder((rear - 0.02, y, low + 0.02), (rear - 0.02, y, high - 0.05), 0.016, finishes.STEEL, detail=8)
        for y in (0.16, 0.8 * half)
    ]
    hinges = [
        box((rear - 0.012, half - 0.1, z - 0.03), (rear + 0.01, half + 0.004, z + 0.03), finishes.STEEL)
        for z in np.linspace(low + 0.2, high - 0.2, 4)
    ]
    return [*parts, *_pair(bars), *_pair(hinges)]


def _posters(rear: float, front: float, half: float, low: float, high: float, picture: Material) -> list[Part]:
    """The same picture on both sides, readable from each."""
    u, v = np.array([front - rear, 0, 0]), np.array([0, 0, high - low])
    right = mirrored_panel((front, half + 0.008, low), -u, v, picture)
    left = mirrored_panel((rear, -half - 0.008, low), u, v, picture)
    return [right, left]


def _side_guards(rear: float, front: float, half: float, z: float) -> list[Part]:
    return _pair(
        [box((rear, half - 0.06, h - 0.05), (front, half - 0.02, h + 0.05), finishes.ALLOY) for h in (z, z + 0.24)]
    )


def _cab_over(
    length: float, width: float, height: float, belt: float, radius: float, clearance: float, *, crew: bool = False
) -> BodyPlan:
    back = length - 0.02
    return BodyPlan(
        length,
        width,
        height,
        20.0,
        1.05 if crew else min(1.25, 0.62 * length),
        radius,
        tyre_width=0.29,
        clearance=clearance,
        nose_z=belt,
        hood_z=belt + 0.03,
        belt_z=belt,
        belt_rear_z=belt,
        tail_z=belt,
        cowl=0.07,
        header=0.32,
        peak=0.75 * length,
        header_z=height - 0.14,
        roof_end=back - 0.05,
        roof_end_z=height - 0.03,
        backlight=back,
        a_pillar=0.1,
        c_pillar=0.25,
        roof_width=0.9,
        shoulder=0.008,
        front_square=7.5,
        rear_square=16,
        glass_front_square=7.5,
        glass_rear_square=16,
        front_profile=_CAB_FRONT,
        rear_profile=_CAB_REAR,
        side_profile=_CAB_SIDE,
        crown=0.06,
        arch_gap=0.08,
        rear_skirt=0.0,
        doors=(0.35, 1.45, 2.5) if crew else (0.35, min(1.55, length - 0.35)),
        single_axle=True,
        glass_bulge=0.03,
    )


def _cab_looks(plan: BodyPlan, lamp_z: float, *, crew: bool = False, dark_rear: bool = True) -> Looks:
    half = plan.width / 2
    return Looks(
        HeadLamp(half - 0.48, 0.16, lamp_z - 0.09, lamp_z + 0.09, lamp_z - 0.07, lamp_z + 0.09),
        None,
        Panes(
            low=0.05,
            high=0.72,
            posts=(1.45,) if crew else (),
            side_to=(2.4 if crew else plan.doors[-1] - 0.08),
            rear=not dark_rear,
            radius=0.06,
        ),
        grille=Grille(
            half - 0.45,
            half - 0.5,
            lamp_z + 0.16,
            plan.belt_z - 0.12,
            bars=4,
            frame=False,
            bar_material=finishes.DARK_ALLOY,
        ),
        intake=(half - 0.55, plan.clearance + 0.1, plan.clearance + 0.22),
        wheel=_LORRY_WHEEL,
        black_arches=True,
        exhausts=0,
        plate_z=(plan.clearance + 0.3, plan.belt_z - 0.3),
        mirror_size=1.9,
    )


# --- delivery lorry ---------------------------------------------------------------------------------------------------


def _cola_load(paint: Material, lit: bool) -> list[Part | Mesh]:
    rear, front, half = -2.6, 0.95, 1.08
    color = tuple(round(255 * (c * 12.92 if c <= 0.0031308 else 1.055 * c ** (1 / 2.4) - 0.055)) for c in paint.color)
    picture = poster("cola", (color[0], color[1], color[2]))
    return [
        *_cargo_box(rear, front, half, 0.85, 2.62, paint),
        *_posters(rear + 0.1, front - 0.1, half, 0.95, 2.5, picture),
        *_chassis(1.6, rear, 0.62),
        *_axle(-1.45, 0.38, 0.24, 0.92, twin=True),
        *_mudguards(-1.45, 0.38, 1.06, 0.5),
        *_tail_boards(rear, half, 0.72, lit=lit),
        *_side_guards(-0.85, 0.45, half, 0.42),
    ]


_COLA_CAB = _cab_over(1.62, 2.08, 2.2, 1.22, 0.38, 0.34)
COLA = Lorry(5.2, Car(_COLA_CAB, _cab_looks(_COLA_CAB, 0.72), "CC 2517"), _cola_load, (-2.64, 0.78, 0.72))


# --- heavy goods vehicle ----------------------------------------------------------------------------------------------


def _hgv_load(paint: Material, lit: bool) -> list[Part | Mesh]:
    rear, front, half = -3.97, 1.62, 1.27
    tank = rounded_box((-0.6, 0.62, 0.42), (0.75, 1.2, 0.98), 0.14, finishes.ALLOY, detail=2)
    deflector = rounded_box((1.72, -1.0, 2.95), (2.5, 1.0, 3.36), 0.16, paint, detail=2)
    return [
        *_cargo_box(rear, front, half, 1.06, 3.46, finishes.WHITE),
        *_posters(rear + 0.1, front - 0.1, half, 1.15, 3.36, poster("freight", (238, 238, 234))),
        *_chassis(2.6, rear, 0.84),
        *_axle(-1.75, 0.5, 0.3, 1.1, twin=True),
        *_axle(-3.0, 0.5, 0.3, 1.1, twin=True),
        *_mudguards(-1.75, 0.5, 1.26, 0.62),
        *_mudguards(-3.0, 0.5, 1.26, 0.62),
        *_tail_boards(rear, half, 0.82, lit=lit),
        *_side_guards(-1.1, -0.65, half, 0.5),
        *_pair([tank]),
        deflector,
    ]


_HGV_CAB = _cab_over(2.2, 2.5, 3.02, 1.62, 0.5, 0.42)
HGV = Lorry(7.94, Car(_HGV_CAB, _cab_looks(_HGV_CAB, 0.86), "CA 0745"), _hgv_load, (-4.0, 0.96, 0.82))


# --- fire engine ------------------------------------------------------------------------------------------------------


def _shutters(rear: float, front: float, half: float, low: float, high: float, count: int) -> list[Part]:
    """Grey roller shutters in the flank of an equipment body."""
    parts = []
    width = (front - rear) / count
    for k in range(count):
        a, b = rear + k * width + 0.05, rear + (k + 1) * width - 0.05
        parts.append(box((a, half - 0.02, low), (b, half + 0.006, high), finishes.ALLOY))
        parts += [
            box((a, half, z - 0.006), (b, half + 0.01, z + 0.006), finishes.GAP)
            for z in np.arange(low + 0.09, high, 0.09)
        ]
        parts.append(box((a + 0.1, half, low + 0.06), (b - 0.1, half + 0.03, low + 0.1), finishes.TRIM))
    return _pair(parts)


def _ladder(rear: float, front: float, z: float) -> list[Part]:
    rails = _pair([sweep([(rear, 0.28, z), (front, 0.28, z + 0.06)], 0.035, finishes.ALLOY, detail=8)])
    rungs = [
        cylinder(
            (x, -0.28, z + 0.06 * (x - rear) / (front - rear)),
            (x, 0.28, z + 0.06 * (x - rear) / (front - rear)),
            0.016,
            finishes.ALLOY,
            detail=6,
        )
        for x in np.arange(rear + 0.2, front, 0.32)
    ]
    return [*rails, *rungs]


def _roof_beacon(x: float, y: float, z: float, material: Material) -> list[Part]:
    return [rounded_box((x - 0.12, y - 0.22, z), (x + 0.12, y + 0.22, z + 0.16), 0.05, material, detail=2)]


def _fire_load(paint: Material, lit: bool) -> list[Part | Mesh]:
    rear, front, half = -4.2, 0.95, 1.25
    body = rounded_box((rear, -half, 0.62), (front, half, 3.0), 0.05, paint, detail=2)
    stripe = _pair([box((rear + 0.03, half - 0.01, 1.02), (front - 0.03, half + 0.004, 1.2), finishes.WHITE)])
    lining = _pair(
        [box((rear + 0.03, half - 0.01, 0.95), (front - 0.03, half + 0.005, 0.99), finishes.lacquer(0.75, 0.5, 0.02))]
    )
    door = [box((rear - 0.006, -0.7, 0.8), (rear + 0.02, 0.7, 2.5), finishes.ALLOY)]
    door += [
        box((rear - 0.01, -0.7, z - 0.006), (rear, 0.7, z + 0.006), finishes.GAP) for z in np.arange(0.9, 2.5, 0.1)
    ]
    return [
        body,
        *stripe,
        *lining,
        *door,
        *_shutters(rear + 0.15, -2.75, half, 1.3, 2.75, 1),
        *_shutters(-2.7, front - 0.1, half, 1.3, 2.75, 3),
        *_ladder(rear + 0.1, 2.6, 3.24),
        *_pair([box((x - 0.05, 0.2, 2.98), (x + 0.05, 0.36, 3.24), finishes.STEEL) for x in (rear + 0.5, 0.4)]),
        *_chassis(2.4, rear, 0.7),
        *_axle(-2.15, 0.5, 0.29, 1.13, twin=True),
        *_tail_boards(rear, half, 0.72, lit=lit),
        *_pair([part for part in _roof_beacon(3.35, 0.75, 3.0, finishes.BLUE_BEACON)]),
        *_roof_beacon(rear + 0.25, 0.8, 2.98, finishes.BLUE_BEACON),
        *_roof_beacon(rear + 0.25, -0.8, 2.98, finishes.BLUE_BEACON),
        *_dark_arch(-2.15, 0.5, half),
    ]


def _dark_arch(x: float, radius: float, half: float) -> list[Part]:
    """A black half disc that reads as a wheel opening in a flat side."""
    angle = np.linspace(0, np.pi, 15)
    r = radius + 0.1
    rim = np.stack([x + r * np.cos(angle), np.full(15, half + 0.004), radius + r * np.sin(angle)], -1)
    hub = np.array([[x, half + 0.004, radius - 0.02]])
    faces = [[15, k + 1, k] for k in range(14)]
    return _pair([Part(np.concatenate([rim, hub]).astype(np.float32), np.array(faces, np.int32), finishes.WELL)])


_FIRE_CAB = _cab_over(3.3, 2.5, 3.02, 1.55, 0.5, 0.4, crew=True)
FIRE_ENGINE = Lorry(
    8.47, Car(_FIRE_CAB, _cab_looks(_FIRE_CAB, 0.82, crew=True), "CA 112"), _fire_load, (-4.24, 0.95, 0.72)
)


# --- ambulance --------------------------------------------------------------------------------------------------------


def _ambulance_load(paint: Material, lit: bool) -> list[Part | Mesh]:
    rear, front, half = -3.15, 0.75, 1.08
    red = finishes.lacquer(0.55, 0.02, 0.02)
    band = _pair([box((rear + 0.02, half - 0.01, 1.12), (front - 0.02, half + 0.005, 1.36), red)])
    window = _pair([box((-0.2, half - 0.01, 1.62), (0.45, half + 0.004, 2.1), finishes.GLASS)])
    cross = _pair(
        [
            box((-1.75, half, 1.62), (-1.55, half + 0.006, 2.22), finishes.lacquer(0.02, 0.12, 0.5)),
            box((-1.95, half, 1.82), (-1.35, half + 0.007, 2.02), finishes.lacquer(0.02, 0.12, 0.5)),
        ]
    )
    doors = [box((rear - 0.004, -0.006, 0.6), (rear + 0.02, 0.006, 2.4), finishes.GAP)]
    doors += _pair([box((rear - 0.006, 0.14, 1.6), (rear + 0.02, 0.72, 2.1), finishes.GLASS)])
    doors += [box((rear - 0.005, -half + 0.06, 1.12), (rear + 0.02, half - 0.06, 1.36), red)]
    beacons = [part for y in (-0.78, 0.78) for part in _roof_beacon(front - 0.2, y, 2.5, finishes.RED_BEACON)]
    beacons += [part for y in (-0.85, 0.85) for part in _roof_beacon(rear + 0.16, y, 2.5, finishes.BLUE_BEACON)]
    return [
        rounded_box((rear, -half, 0.46), (front, half, 2.52), 0.07, paint, detail=2),
        *band,
        *window,
        *cross,
        *doors,
        *beacons,
        *_dark_arch(-1.62, 0.36, half),
        *_axle(-1.62, 0.36, 0.22, 0.98, twin=False),
        *_tail_boards(rear, half, 0.66, lit=lit),
    ]


_AMBULANCE_PLAN = BodyPlan(
    2.75,
    1.98,
    2.08,
    20.0,
    0.92,
    0.36,
    tyre_width=0.22,
    clearance=0.3,
    nose_z=1.0,
    hood_z=1.28,
    belt_z=1.22,
    belt_rear_z=1.25,
    tail_z=1.26,
    cowl=0.85,
    header=1.5,
    peak=2.0,
    header_z=2.0,
    roof_end=2.68,
    roof_end_z=2.06,
    backlight=2.72,
    a_pillar=0.1,
    c_pillar=0.2,
    roof_width=0.84,
    shoulder=0.012,
    front_square=5.5,
    rear_square=16,
    glass_front_square=5.5,
    glass_rear_square=14,
    front_profile=((0, 0.05), (0.15, 0.0), (0.4, 0.0), (0.6, 0.02), (0.85, 0.06), (1, 0.1)),
    rear_profile=_CAB_REAR,
    side_profile=_CAB_SIDE,
    doors=(1.28, 2.3),
    single_axle=True,
    rear_skirt=0.0,
)
_AMBULANCE_LOOKS = Looks(
    HeadLamp(0.58, 0.42, 0.78, 0.98, 0.82, 1.02),
    None,
    Panes(low=0.06, high=0.84, side_to=2.25, rear=False),
    grille=Grille(0.52, 0.48, 0.72, 0.96, bars=4),
    intake=(0.6, 0.38, 0.5),
    wheel=WheelStyle(rim=0.62, spokes=0),
    exhausts=0,
    stripe=finishes.lacquer(0.55, 0.02, 0.02),
    plate_z=(0.6, 0.9),
    mirror_size=1.6,
)
AMBULANCE = Lorry(6.37, Car(_AMBULANCE_PLAN, _AMBULANCE_LOOKS, "CA 144"), _ambulance_load, (-3.19, 0.78, 0.66))


# --- bus --------------------------------------------------------------------------------------------------------------

_BUS_POSTS = tuple(float(d) for d in np.arange(1.55, 9.8, 1.42))
_BUS_PLAN = BodyPlan(
    10.2,
    2.5,
    3.15,
    5.3,
    2.3,
    0.48,
    tyre_width=0.29,
    clearance=0.3,
    nose_z=1.1,
    hood_z=1.12,
    belt_z=1.12,
    belt_rear_z=1.12,
    tail_z=1.12,
    cowl=0.06,
    header=0.26,
    peak=5.0,
    header_z=3.06,
    roof_end=10.02,
    roof_end_z=3.08,
    backlight=10.16,
    a_pillar=0.1,
    c_pillar=0.3,
    roof_width=0.93,
    shoulder=0.006,
    front_square=8,
    rear_square=12,
    glass_front_square=8,
    glass_rear_square=12,
    front_profile=_CAB_FRONT,
    rear_profile=((0, 0.04), (0.2, 0.0), (1, 0.02)),
    side_profile=_CAB_SIDE,
    crown=0.1,
    doors=(),
    rear_skirt=0.04,
    arch_gap=0.07,
    glass_bulge=0.03,
)


@dataclass(frozen=True)
class Bus:
    """A city bus: one long shell, doors on the right, a destination display."""

    body: Car

    def build(self, paint: Material, *, lit: bool = False) -> list[Part | Mesh]:
        """All parts in a paint."""
        parts = self.body.build(paint, lit=lit)
        parts += [part for x in (4.02, -0.35) for part in self._door(x)]
        parts += self._front_arms()
        parts.append(rounded_box((-3.6, -0.85, 3.02), (-1.2, 0.85, 3.24), 0.08, finishes.WHITE, detail=2))
        parts.append(mirrored_panel((4.99, -0.78, 2.66), (0, 1.56, 0), (-0.03, 0, 0.28), poster("display", (8, 8, 8))))
        parts.append(box((4.9, -0.84, 2.6), (4.985, 0.84, 3.0), finishes.TRIM))
        return parts

    @staticmethod
    def _door(x: float) -> list[Part]:
        """Two glazed leaves in a black frame on the right side."""
        parts = [box((x - 0.62, 1.2, 0.36), (x + 0.62, 1.262, 2.72), finishes.TRIM)]
        for a, b in ((x - 0.57, x - 0.03), (x + 0.03, x + 0.57)):
            parts.append(box((a, 1.25, 0.44), (b, 1.268, 2.62), finishes.GLASS))
        return parts

    @staticmethod
    def _front_arms() -> list[Part]:
        arm = sweep([(4.95, 1.05, 2.85), (5.2, 1.3, 2.8), (5.22, 1.38, 2.5)], 0.02, finishes.TRIM, detail=8)
        glass = rounded_box((5.16, 1.28, 2.05), (5.26, 1.5, 2.5), 0.04, finishes.TRIM, detail=2)
        return _pair([arm, glass])

    def head_points(self) -> Points:
        """Middles of the two headlamps ``(2, 3)``."""
        return self.body.head_points()

    def tail_points(self) -> Points:
        """Middles of the two tail lamps ``(2, 3)``."""
        return self.body.tail_points()


BUS = Bus(
    Car(
        _BUS_PLAN,
        Looks(
            HeadLamp(0.74, 0.2, 0.62, 0.8, 0.64, 0.8),
            TailLamp(1.02, 0.06, 0.7, 1.04, 0.7, 1.04),
            Panes(low=0.06, high=0.74, posts=_BUS_POSTS, post_width=0.06, radius=0.05, rear_low=0.3),
            intake=(0.8, 0.36, 0.46),
            wheel=_LORRY_WHEEL,
            exhausts=0,
            handles=False,
            plate_z=(0.54, 0.62),
            mirror_size=0.01,
            stripe=finishes.WHITE,
        ),
        "17 4500",
    )
)


# --- folded steel pick-up ---------------------------------------------------------------------------------------------


def _facet(points: list[tuple[float, float, float]], material: Material) -> Part:
    """A flat convex polygon, counter-clockwise from outside."""
    faces = np.array([[0, k, k + 1] for k in range(1, len(points) - 1)], np.int32)
    return Part(np.array(points, np.float32), faces, material)


@dataclass(frozen=True)
class Cybertruck:
    """Flat stainless facets from nose over a peak to the tail."""

    length: float = 5.68

    def build(self, paint: Material, *, lit: bool = False) -> list[Part | Mesh]:
        """All parts; the steel takes the paint's colour as a metal."""
        steel = Material("brushed steel", paint.color, "metal", 0.38)
        head = finishes.LIT_HEAD if lit else finishes.LENS
        tail = finishes.LIT_TAIL if lit else finishes.TAIL_BRIGHT
        parts: list[Part | Mesh] = [
            *_pair(self._side(steel)),
            *self._middle(steel),
            *self._lights(head, tail),
            *_pair(self._arches()),
        ]
        mesh = wheel(0.44, 0.29, WheelStyle(rim=0.58, spokes=7, spoke_width=0.3, finish=finishes.DARK_ALLOY))
        parts += [placed_wheel(mesh, x, side * 0.86, 0.44) for x in (1.9, -1.75) for side in (1, -1)]
        return parts

    @staticmethod
    def _side(steel: Material) -> list[Part]:
        sill, belt = 0.42, 1.16
        low = [(2.72, 0.86, sill), (-2.72, 0.9, sill)]
        waist_front, waist_rear = (2.8, 0.9, 0.98), (-2.84, 0.96, 1.22)
        lower = _facet([low[0], waist_front, waist_rear, low[1]], steel)
        upper = [waist_front, (0.35, 0.62, 1.72), (-2.84, 0.86, 1.32), waist_rear]
        glass = [(1.75, 0.852, 1.18), (0.35, 0.64, 1.65), (-1.15, 0.745, 1.51), (-1.35, 0.875, 1.24)]
        door = [
            _facet(
                [
                    (x + 0.005, 0.9, sill),
                    (x + 0.005, 0.935, belt - 0.1),
                    (x - 0.005, 0.935, belt - 0.1),
                    (x - 0.005, 0.9, sill),
                ],
                finishes.GAP,
            )
            for x in (1.0, -0.2)
        ]
        return [
            lower,
            _facet(upper, steel),
            _facet([(x, y + 0.012, z + 0.012) for x, y, z in glass], finishes.GLASS),
            *door,
        ]

    @staticmethod
    def _middle(steel: Material) -> list[Part]:
        nose_r, nose_l = (2.8, 0.9, 0.98), (2.8, -0.9, 0.98)
        peak_r, peak_l = (0.35, 0.62, 1.72), (0.35, -0.62, 1.72)
        tail_r, tail_l = (-2.84, 0.86, 1.32), (-2.84, -0.86, 1.32)
        screen = [(1.95, 0.72, 1.242), (1.95, -0.72, 1.242), (0.42, -0.57, 1.702), (0.42, 0.57, 1.702)]
        cover = [(-0.2, 0.6, 1.66), (-0.2, -0.6, 1.66), (-2.8, -0.78, 1.335), (-2.8, 0.78, 1.335)]
        front = [(2.8, -0.9, 0.98), (2.8, 0.9, 0.98), (2.72, 0.86, 0.42), (2.72, -0.86, 0.42)]
        rear = [
            (-2.84, 0.86, 1.32),
            (-2.84, -0.86, 1.32),
            (-2.84, -0.96, 1.22),
            (-2.72, -0.9, 0.42),
            (-2.72, 0.9, 0.42),
            (-2.84, 0.96, 1.22),
        ]
        floor = [(2.72, 0.86, 0.42), (2.72, -0.86, 0.42), (-2.72, -0.9, 0.42), (-2.72, 0.9, 0.42)]
        return [
            _facet([nose_r, nose_l, peak_l, peak_r][::-1], steel),
            _facet([peak_r, peak_l, tail_l, tail_r][::-1], steel),
            _facet([(x, y, z + 0.012) for x, y, z in screen][::-1], finishes.GLASS),
            _facet([(x, y, z + 0.012) for x, y, z in cover][::-1], finishes.TRIM),
            _facet(front[::-1], steel),
            _facet(rear[::-1], steel),
            _facet(floor, finishes.UNDERBODY),
            box((2.7, -0.8, 0.4), (2.8, 0.8, 0.62), finishes.TRIM),
            box((-2.82, -0.84, 0.4), (-2.7, 0.84, 0.62), finishes.TRIM),
        ]

    @staticmethod
    def _lights(head: Material, tail: Material) -> list[Part]:
        return [
            box((2.76, -0.88, 0.935), (2.81, 0.88, 0.965), head),
            box((-2.85, -0.9, 1.225), (-2.8, 0.9, 1.265), tail),
            *fittings.plate((2.795, 0, 0.52), 1, "CT 2044"),
            *fittings.plate((-2.815, 0, 0.52), -1, "CT 2044"),
            *_pair([box((-2.83, 0.6, 0.66), (-2.74, 0.84, 0.72), tail)]),
        ]

    @staticmethod
    def _arches() -> list[Part]:
        parts = []
        for x in (1.9, -1.75):
            r, y = 0.56, 0.955
            shape = [(x + 0.62, y, 0.42), (x + 0.4, y, 0.42 + r), (x - 0.36, y, 0.42 + r + 0.02), (x - 0.66, y, 0.42)]
            inner = [(a, y - 0.09, c) for a, _, c in shape]
            parts.append(_facet(shape, finishes.TRIM))
            for k in range(3):
                parts.append(_facet([shape[k], inner[k], inner[k + 1], shape[k + 1]], finishes.TRIM))
            well = [
                (x + 0.5, y + 0.004, 0.42),
                (x + 0.34, y + 0.004, 0.42 + r - 0.08),
                (x - 0.32, y + 0.004, 0.42 + r - 0.07),
                (x - 0.53, y + 0.004, 0.42),
            ]
            parts.append(_facet(well, finishes.WELL))
        return parts

    def head_points(self) -> Points:
        """Middles of the two headlamps ``(2, 3)``."""
        return np.array([[self.length / 2 - 0.02, y, 0.95] for y in (0.7, -0.7)])

    def tail_points(self) -> Points:
        """Middles of the two tail lamps ``(2, 3)``."""
        return np.array([[-self.length / 2 - 0.02, y, 1.24] for y in (0.7, -0.7)])


HEAVY: dict[str, Lorry | Bus | Cybertruck] = {
    "vehicle.carlamotors.carlacola": COLA,
    "vehicle.carlamotors.european_hgv": HGV,
    "vehicle.carlamotors.firetruck": FIRE_ENGINE,
    "vehicle.ford.ambulance": AMBULANCE,
    "vehicle.mitsubishi.fusorosa": BUS,
    "vehicle.tesla.cybertruck": Cybertruck(),
}
