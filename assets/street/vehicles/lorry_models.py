"""Delivery lorry, heavy goods vehicle, fire engine and ambulance."""

from __future__ import annotations

import numpy as np

from caos.assets.mesh import Material, Mesh, Part
from caos.assets.modelling.colours import screen_image
from caos.assets.modelling.shapes import box, rounded_box
from caos.assets.street.vehicles import finishes
from caos.assets.street.vehicles.bodywork.exterior import Exterior, Grille, HeadLamp, Panes
from caos.assets.street.vehicles.bodywork.plan import BodyPlan
from caos.assets.street.vehicles.cars import Car
from caos.assets.street.vehicles.liveries import poster
from caos.assets.street.vehicles.lorry import (
    CAB_REAR,
    CAB_SIDE,
    Lorry,
    axle,
    cab_exterior,
    cab_over,
    cargo_box,
    chassis,
    mudguards,
    pair,
    posters,
    side_guards,
    tail_boards,
)
from caos.assets.street.vehicles.wheels import WheelStyle


def _cola_load(paint: Material, *, lit: bool) -> list[Part | Mesh]:
    rear, front, half = -2.6, 0.95, 1.08
    red, green, blue = (int(c) for c in screen_image(paint.color))
    picture = poster("cola", (red, green, blue))
    return [
        *cargo_box(rear, front, half, 0.85, 2.62, paint),
        *posters(rear + 0.1, front - 0.1, half, 0.95, 2.5, picture),
        *chassis(1.6, rear, 0.62),
        *axle(-1.45, 0.38, 0.24, 0.92, twin=True),
        *mudguards(-1.45, 0.38, 1.06, 0.5),
        *tail_boards(rear, half, 0.72, lit=lit),
        *side_guards(-0.85, 0.45, half, 0.42),
    ]


_COLA_CAB = cab_over(1.62, 2.08, 2.2, 1.22, 0.38, 0.34)
COLA = Lorry(5.2, Car(_COLA_CAB, cab_exterior(_COLA_CAB, 0.72), "CC 2517"), _cola_load, (-2.64, 0.78, 0.72), -1.45)


def _hgv_load(paint: Material, *, lit: bool) -> list[Part | Mesh]:
    rear, front, half = -3.97, 1.62, 1.27
    tank = rounded_box((-0.6, 0.62, 0.42), (0.75, 1.2, 0.98), 0.14, finishes.ALLOY, detail=2)
    deflector = rounded_box((1.72, -1.0, 2.95), (2.5, 1.0, 3.36), 0.16, paint, detail=2)
    return [
        *cargo_box(rear, front, half, 1.06, 3.46, finishes.WHITE),
        *posters(rear + 0.1, front - 0.1, half, 1.15, 3.36, poster("freight", (238, 238, 234))),
        *chassis(2.6, rear, 0.84),
        *axle(-1.75, 0.5, 0.3, 1.1, twin=True),
        *axle(-3.0, 0.5, 0.3, 1.1, twin=True),
        *mudguards(-1.75, 0.5, 1.26, 0.62),
        *mudguards(-3.0, 0.5, 1.26, 0.62),
        *tail_boards(rear, half, 0.82, lit=lit),
        *side_guards(-1.1, -0.65, half, 0.5),
        *pair([tank]),
        deflector,
    ]


_HGV_CAB = cab_over(2.2, 2.5, 3.02, 1.62, 0.5, 0.42)
HGV = Lorry(7.94, Car(_HGV_CAB, cab_exterior(_HGV_CAB, 0.86), "CA 0745"), _hgv_load, (-4.0, 0.96, 0.82), -1.75)


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
    return pair(parts)


def _roof_beacon(x: float, y: float, z: float, material: Material) -> list[Part]:
    return [rounded_box((x - 0.12, y - 0.22, z), (x + 0.12, y + 0.22, z + 0.16), 0.05, material, detail=2)]


def _fire_load(paint: Material, *, lit: bool) -> list[Part | Mesh]:
    rear, front, half = -4.2, 0.95, 1.25
    body = rounded_box((rear, -half, 0.62), (front, half, 3.0), 0.05, paint, detail=2)
    stripe = pair([box((rear + 0.03, half - 0.01, 1.02), (front - 0.03, half + 0.004, 1.2), finishes.WHITE)])
    lining = pair(
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
        rounded_box((rear + 0.6, -0.45, 2.98), (front - 0.2, 0.45, 3.334), 0.04, finishes.ALLOY, detail=2),
        *chassis(2.4, rear, 0.7),
        *axle(-2.15, 0.5, 0.29, 1.13, twin=True),
        *tail_boards(rear, half, 0.72, lit=lit),
        *pair(_roof_beacon(3.35, 0.75, 3.0, finishes.BLUE_BEACON)),
        *_roof_beacon(rear + 0.25, 0.8, 2.98, finishes.BLUE_BEACON),
        *_roof_beacon(rear + 0.25, -0.8, 2.98, finishes.BLUE_BEACON),
        *_dark_arch(-2.15, 0.5, half),
    ]


def _dark_arch(x: float, radius: float, half: float) -> list[Part]:
    """A black half disc that exterior like a wheel opening in a flat side."""
    angle = np.linspace(0, np.pi, 15)
    r = radius + 0.1
    rim = np.stack([x + r * np.cos(angle), np.full(15, half + 0.004), radius + r * np.sin(angle)], -1)
    hub = np.array([[x, half + 0.004, radius - 0.02]])
    faces = [[15, k + 1, k] for k in range(14)]
    return pair([Part(np.concatenate([rim, hub]).astype(np.float32), np.array(faces, np.int32), finishes.WELL)])


_FIRE_CAB = cab_over(3.3, 2.5, 3.02, 1.55, 0.5, 0.4, crew=True)
FIRE_ENGINE = Lorry(
    8.47, Car(_FIRE_CAB, cab_exterior(_FIRE_CAB, 0.82, crew=True), "CA 112"), _fire_load, (-4.24, 0.95, 0.72), -2.15
)


def _ambulance_load(paint: Material, *, lit: bool) -> list[Part | Mesh]:
    rear, front, half = -3.15, 0.75, 1.08
    red = finishes.lacquer(0.55, 0.02, 0.02)
    band = pair([box((rear + 0.02, half - 0.01, 1.12), (front - 0.02, half + 0.005, 1.36), red)])
    window = pair([box((-0.2, half - 0.01, 1.62), (0.45, half + 0.004, 2.1), finishes.GLASS)])
    cross = pair(
        [
            box((-1.75, half, 1.62), (-1.55, half + 0.006, 2.22), finishes.lacquer(0.02, 0.12, 0.5)),
            box((-1.95, half, 1.82), (-1.35, half + 0.007, 2.02), finishes.lacquer(0.02, 0.12, 0.5)),
        ]
    )
    doors = [box((rear - 0.004, -0.006, 0.6), (rear + 0.02, 0.006, 2.4), finishes.GAP)]
    doors += pair([box((rear - 0.006, 0.14, 1.6), (rear + 0.02, 0.72, 2.1), finishes.GLASS)])
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
        *axle(-1.62, 0.36, 0.22, 0.98, twin=False),
        *tail_boards(rear, half, 0.66, lit=lit),
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
    rear_profile=CAB_REAR,
    side_profile=CAB_SIDE,
    doors=(1.28, 2.3),
    single_axle=True,
    rear_skirt=0.0,
)
_AMBULANCE_LOOKS = Exterior(
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
AMBULANCE = Lorry(6.37, Car(_AMBULANCE_PLAN, _AMBULANCE_LOOKS, "CA 144"), _ambulance_load, (-3.19, 0.78, 0.66), -1.62)


LORRIES: dict[str, Lorry] = {
    "vehicle.carlamotors.carlacola": COLA,
    "vehicle.carlamotors.european_hgv": HGV,
    "vehicle.carlamotors.firetruck": FIRE_ENGINE,
    "vehicle.ford.ambulance": AMBULANCE,
}
