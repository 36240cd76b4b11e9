"""Plans and exteriors of the cars and vans, by CARLA's blueprint id. Sizes are those of the real models."""

from __future__ import annotations

from dataclasses import replace

from caos.assets.street.vehicles import finishes
from caos.assets.street.vehicles.bodywork.exterior import Exterior, Grille, HeadLamp, Panes, TailLamp
from caos.assets.street.vehicles.bodywork.plan import BodyPlan
from caos.assets.street.vehicles.cars import Car
from caos.assets.street.vehicles.wheels import WheelStyle

# fmt: off
# A plan reads like a data sheet: one line holds what belongs together.

_TWIN = WheelStyle(spokes=5, twin=True)
_TEN = WheelStyle(spokes=10, spoke_width=0.1)
_SEVEN = WheelStyle(spokes=7, spoke_width=0.14)
_DARK = WheelStyle(spokes=5, finish=finishes.DARK_ALLOY, spoke_width=0.2)
_STEEL = WheelStyle(rim=0.66, spokes=0, finish=finishes.ALLOY)
_PLAIN = WheelStyle(rim=0.62, spokes=0, finish=finishes.STEEL)
_CLASSIC = WheelStyle(rim=0.62, spokes=5, spoke_width=0.24, finish=finishes.CHROME)

_UPRIGHT_REAR = ((0, 0.08), (0.14, 0.01), (0.36, 0.0), (0.46, 0.03), (0.9, 0.035), (1, 0.05))
_SLAB_SIDE = ((0, 0.04), (0.08, 0.01), (0.4, 0.0), (0.7, 0.0), (0.92, 0.008), (1, 0.025))
_BLUNT_FRONT = ((0, 0.06), (0.12, 0.01), (0.36, 0.0), (0.42, 0.03), (0.85, 0.035), (1, 0.07))
_VAN_FRONT = ((0, 0.05), (0.15, 0.0), (0.4, 0.0), (0.6, 0.02), (0.85, 0.06), (1, 0.1))
_VAN_REAR = ((0, 0.04), (0.15, 0.0), (0.3, 0.0), (0.34, 0.02), (1, 0.02))

MODEL3 = Car(
    BodyPlan(
        4.69, 1.85, 1.44, 2.875, 0.84, 0.335, clearance=0.19, nose_z=0.66, hood_z=0.93, belt_z=0.90, belt_rear_z=1.0,
        tail_z=1.03, cowl=1.0, header=1.95, peak=2.35, header_z=1.39, roof_end=3.15, roof_end_z=1.37, backlight=4.25,
        doors=(1.42, 2.42, 3.42), c_pillar=0.2, roof_width=0.72,
    ),
    Exterior(
        HeadLamp(0.5, 0.66, 0.60, 0.69, 0.66, 0.78), TailLamp(0.42, 0.36, 0.84, 0.97, 0.88, 1.0),
        Panes(posts=(2.42, 3.42), slant=0.12), intake=(0.52, 0.27, 0.37), wheel=_TEN, roof=finishes.GLASS,
        plate_z=(0.45, 0.7),
        exhausts=0,
    ),
    "TN 4217",
)
AUDI_TT = Car(
    BodyPlan(
        4.18, 1.84, 1.35, 2.47, 0.88, 0.32, clearance=0.16, nose_z=0.68, hood_z=0.92, belt_z=0.88, belt_rear_z=0.93,
        tail_z=0.94, cowl=1.3, header=1.95, peak=2.2, header_z=1.30, roof_end=2.65, roof_end_z=1.31, backlight=3.72,
        doors=(1.42, 2.72), c_pillar=0.5, roof_width=0.74, front_square=4.4, rear_square=4.2, flare=0.028,
    ),
    Exterior(
        HeadLamp(0.46, 0.66, 0.56, 0.68, 0.62, 0.74), TailLamp(0.5, 0.42, 0.72, 0.86, 0.74, 0.86),
        Panes(posts=(2.68,), slant=0.42), grille=Grille(0.4, 0.3, 0.34, 0.66, bars=5), intake=(0.72, 0.24, 0.34),
        wheel=_TWIN, exhausts=2, plate_z=(0.45, 0.62), spoiler=False,
    ),
    "AT 2745",
)
AUDI_A2 = Car(
    BodyPlan(
        3.83, 1.67, 1.55, 2.405, 0.76, 0.30, nose_z=0.76, hood_z=1.03, belt_z=0.95, belt_rear_z=1.03, tail_z=1.06,
        cowl=0.78,
        header=1.6, peak=2.0, header_z=1.49, roof_end=3.15, roof_end_z=1.46, backlight=3.72, doors=(1.12, 2.05, 2.95),
        c_pillar=0.17, roof_width=0.74, rear_profile=_UPRIGHT_REAR,
    ),
    Exterior(
        HeadLamp(0.4, 0.62, 0.62, 0.75, 0.68, 0.82), TailLamp(0.52, 0.26, 0.78, 1.0, 0.8, 1.0), Panes(posts=(2.05,
        2.98)),
        grille=Grille(0.34, 0.32, 0.6, 0.7, bars=2), intake=(0.6, 0.26, 0.38), wheel=_SEVEN, plate_z=(0.46, 0.7),
    ),
    "AX 1175",
)
MINI = Car(
    BodyPlan(
        3.72, 1.68, 1.41, 2.467, 0.70, 0.305, clearance=0.17, nose_z=0.78, hood_z=0.96, belt_z=0.92, belt_rear_z=0.95,
        tail_z=0.95, cowl=1.12, header=1.55, peak=2.0, header_z=1.385, roof_end=3.3, roof_end_z=1.36, backlight=3.62,
        doors=(1.3, 2.38), c_pillar=0.1, a_pillar=0.07, roof_width=0.83, front_profile=_BLUNT_FRONT,
        rear_profile=_UPRIGHT_REAR, front_square=4.2, rear_square=4.6, flare=0.02, crown=0.035,
    ),
    Exterior(
        HeadLamp(0.53, 0.5, 0.58, 0.78, 0, 0, round_radius=0.115), TailLamp(0.56, 0.16, 0.62, 0.86, 0.62, 0.86),
        Panes(posts=(2.4,), low=0.05, high=0.88), grille=Grille(0.36, 0.3, 0.52, 0.68, bars=3), intake=(0.46, 0.24,
        0.36),
        wheel=_DARK, black_arches=True, roof=finishes.WHITE, pillars=finishes.BLACK, exhausts=2, plate_z=(0.42, 0.66),
        chrome_belt=True,
    ),
    "NC 5541",
)
MINI_2021 = Car(
    BodyPlan(
        3.88, 1.73, 1.42, 2.495, 0.76, 0.315, clearance=0.17, nose_z=0.80, hood_z=0.98, belt_z=0.94, belt_rear_z=0.98,
        tail_z=0.99, cowl=1.22, header=1.68, peak=2.1, header_z=1.39, roof_end=3.42, roof_end_z=1.37, backlight=3.76,
        doors=(1.38, 2.5), c_pillar=0.1, a_pillar=0.07, roof_width=0.82, front_profile=_BLUNT_FRONT,
        rear_profile=_UPRIGHT_REAR, front_square=4.2, rear_square=4.6, flare=0.022, crown=0.035,
    ),
    Exterior(
        HeadLamp(0.55, 0.5, 0.58, 0.8, 0, 0, round_radius=0.125), TailLamp(0.55, 0.17, 0.62, 0.88, 0.62, 0.88),
        Panes(posts=(2.5,), low=0.05, high=0.88), grille=Grille(0.38, 0.42, 0.4, 0.66, bars=4,
        bar_material=finishes.BLACK),
        intake=(0.6, 0.22, 0.32), wheel=_TEN, black_arches=True, roof=finishes.BLACK, pillars=finishes.BLACK,
        exhausts=2,
        plate_z=(0.42, 0.68),
    ),
    "NK 2124",
)
MUSTANG = Car(
    BodyPlan(
        4.61, 1.75, 1.30, 2.743, 0.80, 0.32, tyre_width=0.2, clearance=0.2, nose_z=0.8, hood_z=0.92, belt_z=0.88,
        belt_rear_z=0.92, tail_z=0.88, cowl=1.55, header=2.02, peak=2.35, header_z=1.26, roof_end=2.75, roof_end_z=1.26,
        backlight=3.6, doors=(1.6, 2.75), c_pillar=0.42, roof_width=0.76, front_square=7.5, rear_square=7.0,
        front_profile=((0, 0.12), (0.2, 0.03), (0.28, 0.0), (0.38, 0.04), (0.8, 0.02), (1, 0.06)),
        rear_profile=((0, 0.1), (0.2, 0.02), (0.28, 0.0), (0.38, 0.04), (0.8, 0.03), (1, 0.05)),
        side_profile=_SLAB_SIDE, crown=0.04,
    ),
    Exterior(
        HeadLamp(0.64, 0.5, 0.56, 0.72, 0, 0, round_radius=0.088), TailLamp(0.44, 0.1, 0.52, 0.7, 0.54, 0.7),
        Panes(posts=(), slant=0.25), grille=Grille(0.5, 0.5, 0.54, 0.72, bars=3), wheel=_CLASSIC, exhausts=2,
        plate_z=(0.4, 0.42),
        chrome_belt=True, stripe=None, mirror_size=0.75,
    ),
    "HE 1975",
)
_CHARGER_PLAN = BodyPlan(
    5.04, 1.905, 1.47, 3.05, 0.98, 0.36, tyre_width=0.235, clearance=0.19, nose_z=0.76, hood_z=1.0, belt_z=0.96,
    belt_rear_z=1.06,
    tail_z=1.1, cowl=1.45, header=2.25, peak=2.65, header_z=1.42, roof_end=3.5, roof_end_z=1.41, backlight=4.4,
    doors=(1.72, 2.8, 3.8), c_pillar=0.3, roof_width=0.74, front_square=5.5, rear_square=6.0, flare=0.02,
    front_profile=((0, 0.08), (0.14, 0.01), (0.36, 0.0), (0.7, 0.0), (0.9, 0.03), (1, 0.1)),
)
_CHARGER_LOOKS = Exterior(
    HeadLamp(0.52, 0.46, 0.64, 0.74, 0.68, 0.78), TailLamp(0.3, 0.3, 0.86, 0.99, 0.9, 1.0, full_width=True),
    Panes(posts=(2.8, 3.8), slant=0.2),
    grille=Grille(0.5, 0.52, 0.56, 0.72, bars=2, frame=False, bar_material=finishes.DARK_ALLOY), wheel=_DARK,
    exhausts=2,
    intake=(0.6, 0.24, 0.44), plate_z=(0.5, 0.7),
)
CHARGER = Car(_CHARGER_PLAN, _CHARGER_LOOKS, "HC 7710")
CHARGER_POLICE = Car(
    _CHARGER_PLAN, replace(_CHARGER_LOOKS, wheel=_PLAIN, beacons=True, stripe=finishes.WHITE), "1041"
)
CHARGER_POLICE_2020 = Car(
    _CHARGER_PLAN, replace(_CHARGER_LOOKS, wheel=_PLAIN, beacons=True, two_tone=finishes.WHITE, two_tone_z=0.78), "1042"
)
_MKZ_PLAN = BodyPlan(
    4.93, 1.86, 1.48, 2.85, 0.99, 0.345, clearance=0.19, nose_z=0.76, hood_z=0.99, belt_z=0.95, belt_rear_z=1.04,
    tail_z=1.07, cowl=1.22,
    header=2.1, peak=2.55, header_z=1.43, roof_end=3.45, roof_end_z=1.42, backlight=4.45, doors=(1.58, 2.62, 3.6),
    c_pillar=0.26,
    roof_width=0.73,
)
MKZ_2017 = Car(
    _MKZ_PLAN,
    Exterior(
        HeadLamp(0.48, 0.6, 0.64, 0.73, 0.7, 0.8), TailLamp(0.3, 0.3, 0.86, 0.93, 0.88, 0.95, full_width=True),
        Panes(posts=(2.62, 3.6), slant=0.14), grille=Grille(0.44, 0.36, 0.52, 0.72, bars=7, upright=True),
        intake=(0.66, 0.25, 0.36),
        wheel=_SEVEN, exhausts=2, chrome_belt=True, plate_z=(0.46, 0.72),
    ),
    "KE 4475",
)
MKZ_2020 = Car(
    _MKZ_PLAN,
    Exterior(
        HeadLamp(0.46, 0.6, 0.64, 0.74, 0.7, 0.8), TailLamp(0.28, 0.32, 0.85, 0.95, 0.88, 0.97, full_width=True),
        Panes(posts=(2.62, 3.6), slant=0.14), grille=Grille(0.42, 0.38, 0.5, 0.74, bars=6,
        bar_material=finishes.ALLOY), intake=(0.7, 0.25, 0.38),
        wheel=_TEN, exhausts=2, chrome_belt=True, plate_z=(0.45, 0.72),
    ),
    "KA 2544",
)
MERCEDES_2020 = Car(
    BodyPlan(
        4.69, 1.81, 1.41, 2.84, 0.82, 0.34, clearance=0.17, nose_z=0.72, hood_z=0.96, belt_z=0.92, belt_rear_z=0.98,
        tail_z=1.0, cowl=1.4,
        header=2.12, peak=2.45, header_z=1.36, roof_end=3.05, roof_end_z=1.36, backlight=4.15, doors=(1.52, 2.88),
        c_pillar=0.3,
        roof_width=0.72, front_square=4.4, rear_square=4.6,
    ),
    Exterior(
        HeadLamp(0.46, 0.62, 0.58, 0.72, 0.66, 0.76), TailLamp(0.34, 0.36, 0.76, 0.88, 0.8, 0.9), Panes(posts=(2.86,),
        slant=0.26),
        grille=Grille(0.4, 0.36, 0.46, 0.66, bars=1), intake=(0.74, 0.24, 0.4), wheel=_TWIN, exhausts=2,
        plate_z=(0.42, 0.58),
    ),
    "EC 5104",
)
MERCEDES = Car(
    BodyPlan(
        5.03, 1.90, 1.42, 2.945, 0.89, 0.36, clearance=0.17, nose_z=0.74, hood_z=0.98, belt_z=0.94, belt_rear_z=1.0,
        tail_z=1.01, cowl=1.5,
        header=2.28, peak=2.65, header_z=1.37, roof_end=3.35, roof_end_z=1.37, backlight=4.5, doors=(1.62, 3.05),
        c_pillar=0.32,
        roof_width=0.72, front_square=4.6, rear_square=4.8,
    ),
    Exterior(
        HeadLamp(0.5, 0.66, 0.6, 0.74, 0.68, 0.78), TailLamp(0.36, 0.4, 0.78, 0.9, 0.82, 0.92), Panes(posts=(3.02,),
        slant=0.28),
        grille=Grille(0.44, 0.38, 0.46, 0.7, bars=3), intake=(0.78, 0.24, 0.38), wheel=_TEN, exhausts=2,
        chrome_belt=True,
        plate_z=(0.42, 0.6),
    ),
    "EX 2744",
)
PRIUS = Car(
    BodyPlan(
        4.48, 1.745, 1.49, 2.70, 0.93, 0.315, clearance=0.18, nose_z=0.7, hood_z=1.0, belt_z=0.94, belt_rear_z=1.06,
        tail_z=1.12, cowl=0.92,
        header=1.95, peak=2.25, header_z=1.44, roof_end=3.25, roof_end_z=1.40, backlight=4.32, doors=(1.45, 2.42,
        3.35), c_pillar=0.22,
        roof_width=0.73, rear_profile=_UPRIGHT_REAR,
    ),
    Exterior(
        HeadLamp(0.46, 0.85, 0.58, 0.68, 0.76, 0.88), TailLamp(0.54, 0.3, 0.8, 1.02, 0.84, 1.04), Panes(posts=(2.42,
        3.36), slant=0.1),
        grille=Grille(0.4, 0.46, 0.5, 0.58, bars=1, frame=False), intake=(0.6, 0.25, 0.38), wheel=_SEVEN, exhausts=0,
        plate_z=(0.44, 0.7),
        spoiler=True,
    ),
    "AE 4405",
)
LEON = Car(
    BodyPlan(
        4.28, 1.815, 1.46, 2.63, 0.86, 0.325, clearance=0.18, nose_z=0.74, hood_z=0.98, belt_z=0.94, belt_rear_z=1.02,
        tail_z=1.02, cowl=1.15,
        header=1.9, peak=2.3, header_z=1.42, roof_end=3.55, roof_end_z=1.38, backlight=4.1, doors=(1.42, 2.42, 3.32),
        c_pillar=0.2,
        roof_width=0.75, rear_profile=_UPRIGHT_REAR,
    ),
    Exterior(
        HeadLamp(0.48, 0.62, 0.62, 0.73, 0.68, 0.78), TailLamp(0.46, 0.34, 0.78, 0.94, 0.82, 0.94), Panes(posts=(2.42,
        3.34)),
        grille=Grille(0.4, 0.36, 0.56, 0.7, bars=5), intake=(0.64, 0.25, 0.4), wheel=_TWIN, plate_z=(0.46, 0.68),
        spoiler=True,
    ),
    "NE 7712",
)
CITROEN = Car(
    BodyPlan(
        3.99, 1.75, 1.50, 2.54, 0.78, 0.325, nose_z=0.82, hood_z=1.05, belt_z=0.98, belt_rear_z=1.04, tail_z=1.05,
        cowl=0.98, header=1.62,
        peak=2.1, header_z=1.46, roof_end=3.4, roof_end_z=1.42, backlight=3.82, doors=(1.25, 2.18, 3.05),
        c_pillar=0.24, roof_width=0.78,
        rear_profile=_UPRIGHT_REAR, front_profile=_BLUNT_FRONT, front_square=4.0, rear_square=4.6, flare=0.016,
    ),
    Exterior(
        HeadLamp(0.44, 0.5, 0.6, 0.74, 0.64, 0.76), TailLamp(0.5, 0.26, 0.76, 0.94, 0.78, 0.94), Panes(posts=(2.18,
        3.06)),
        grille=Grille(0.46, 0.46, 0.78, 0.84, bars=1, frame=False), intake=(0.6, 0.28, 0.46), wheel=_SEVEN,
        cladding=True, roof=finishes.WHITE,
        plate_z=(0.5, 0.66), spoiler=True,
    ),
    "CT 1024",
)
MICRA = Car(
    BodyPlan(
        3.66, 1.66, 1.52, 2.43, 0.66, 0.295, nose_z=0.82, hood_z=1.05, belt_z=0.97, belt_rear_z=1.04, tail_z=1.03,
        cowl=0.86, header=1.5,
        peak=1.95, header_z=1.46, roof_end=3.0, roof_end_z=1.44, backlight=3.52, doors=(1.08, 2.0, 2.86),
        c_pillar=0.2, roof_width=0.74,
        rear_profile=_UPRIGHT_REAR, front_square=3.4, rear_square=3.8, crown=0.08, flare=0.016,
    ),
    Exterior(
        HeadLamp(0.44, 0.62, 0.64, 0.86, 0.74, 0.92), TailLamp(0.5, 0.3, 0.74, 0.98, 0.78, 0.98), Panes(posts=(2.0,
        2.88), radius=0.07),
        grille=Grille(0.3, 0.34, 0.62, 0.72, bars=2), intake=(0.5, 0.26, 0.38), wheel=_STEEL, plate_z=(0.46, 0.66),
    ),
    "NC 2245",
)
BMW = Car(
    BodyPlan(
        4.57, 1.80, 1.61, 2.78, 0.86, 0.335, nose_z=0.82, hood_z=1.06, belt_z=1.0, belt_rear_z=1.06, tail_z=1.07,
        cowl=1.1, header=1.85,
        peak=2.5, header_z=1.56, roof_end=4.0, roof_end_z=1.53, backlight=4.42, doors=(1.45, 2.5, 3.5), c_pillar=0.14,
        roof_width=0.77,
        rear_profile=_UPRIGHT_REAR,
    ),
    Exterior(
        HeadLamp(0.46, 0.62, 0.66, 0.78, 0.72, 0.84), TailLamp(0.44, 0.34, 0.84, 1.0, 0.86, 1.0), Panes(posts=(2.5,
        3.52)),
        grille=Grille(0.34, 0.28, 0.58, 0.78, bars=8, upright=True), intake=(0.68, 0.27, 0.4), wheel=_TWIN,
        roof_rails=True, exhausts=1,
        plate_z=(0.46, 0.76), chrome_belt=True, spoiler=True,
    ),
    "OC 2175",
)
ETRON = Car(
    BodyPlan(
        4.90, 1.935, 1.62, 2.93, 0.91, 0.375, tyre_width=0.255, clearance=0.22, nose_z=0.9, hood_z=1.1, belt_z=1.04,
        belt_rear_z=1.1, tail_z=1.1,
        cowl=1.35, header=2.15, peak=2.7, header_z=1.57, roof_end=4.0, roof_end_z=1.54, backlight=4.68, doors=(1.65,
        2.72, 3.75),
        c_pillar=0.24, roof_width=0.75, rear_profile=_UPRIGHT_REAR, front_square=5.2, rear_square=5.6, flare=0.022,
    ),
    Exterior(
        HeadLamp(0.54, 0.58, 0.74, 0.85, 0.78, 0.9), TailLamp(0.4, 0.36, 0.92, 1.04, 0.94, 1.05, full_width=True),
        Panes(posts=(2.72, 3.78), slant=0.1), grille=Grille(0.5, 0.36, 0.48, 0.86, bars=8, upright=True,
        bar_material=finishes.ALLOY),
        intake=(0.8, 0.28, 0.4), wheel=_TWIN, roof_rails=True, exhausts=0, cladding=True, plate_z=(0.56, 0.72),
        spoiler=True,
    ),
    "ET 5510",
)
PATROL = Car(
    BodyPlan(
        4.60, 1.93, 1.85, 2.80, 0.78, 0.39, tyre_width=0.265, clearance=0.30, nose_z=1.06, hood_z=1.2, belt_z=1.18,
        belt_rear_z=1.18, tail_z=1.16,
        cowl=1.35, header=1.78, peak=2.6, header_z=1.8, roof_end=4.3, roof_end_z=1.8, backlight=4.5, doors=(1.5, 2.5,
        3.42), c_pillar=0.12,
        roof_width=0.83, rear_profile=_UPRIGHT_REAR, front_profile=_BLUNT_FRONT, side_profile=_SLAB_SIDE,
        front_square=8, rear_square=9,
        glass_front_square=6.5, glass_rear_square=8, flare=0.03,
    ),
    Exterior(
        HeadLamp(0.56, 0.3, 0.86, 1.0, 0.86, 1.0), TailLamp(0.74, 0.12, 0.74, 1.02, 0.74, 1.02), Panes(posts=(2.5,
        3.44)),
        grille=Grille(0.5, 0.5, 0.82, 1.0, bars=4), intake=(0.5, 0.44, 0.54), wheel=_SEVEN, black_bumpers=True,
        black_arches=True, roof_rails=True,
        spare_wheel=True, plate_z=(0.6, 0.55), mirror_size=1.15,
    ),
    "AN 4412",
)
PATROL_2021 = Car(
    BodyPlan(
        5.17, 1.995, 1.94, 3.075, 0.9, 0.41, tyre_width=0.275, clearance=0.28, nose_z=1.1, hood_z=1.26, belt_z=1.2,
        belt_rear_z=1.25, tail_z=1.22,
        cowl=1.5, header=2.1, peak=2.9, header_z=1.88, roof_end=4.75, roof_end_z=1.87, backlight=5.02, doors=(1.72,
        2.8, 3.82), c_pillar=0.16,
        roof_width=0.79, rear_profile=_UPRIGHT_REAR, front_profile=_BLUNT_FRONT, front_square=6.5, rear_square=7.5,
        glass_front_square=5.5,
        glass_rear_square=7, flare=0.03,
    ),
    Exterior(
        HeadLamp(0.58, 0.42, 0.9, 1.06, 0.92, 1.06), TailLamp(0.6, 0.36, 0.92, 1.12, 0.94, 1.12), Panes(posts=(2.8,
        3.86)),
        grille=Grille(0.52, 0.36, 0.68, 1.04, bars=4), intake=(0.7, 0.4, 0.54), wheel=_TWIN, roof_rails=True,
        cladding=True, chrome_belt=True,
        plate_z=(0.6, 0.86), mirror_size=1.15, spoiler=True, exhausts=2,
    ),
    "NA 2021",
)
WRANGLER = Car(
    BodyPlan(
        3.90, 1.87, 1.84, 2.42, 0.62, 0.405, tyre_width=0.265, clearance=0.36, nose_z=1.1, hood_z=1.2, belt_z=1.17,
        belt_rear_z=1.17, tail_z=1.17,
        cowl=1.42, header=1.68, peak=2.4, header_z=1.8, roof_end=3.68, roof_end_z=1.8, backlight=3.76, doors=(1.5,
        2.42), c_pillar=0.08,
        a_pillar=0.1, roof_width=0.88, rear_profile=_VAN_REAR, front_profile=_BLUNT_FRONT, side_profile=_SLAB_SIDE,
        front_square=12, rear_square=13,
        glass_front_square=11, glass_rear_square=11, flare=0.06, arch_gap=0.09, crown=0.03, glass_bulge=0.0,
    ),
    Exterior(
        HeadLamp(0.56, 0.3, 0.8, 1.0, 0, 0, round_radius=0.095), TailLamp(0.74, 0.07, 0.78, 1.0, 0.78, 1.0),
        Panes(posts=(2.44,), radius=0.035, post_width=0.1), grille=Grille(0.4, 0.4, 0.74, 1.02, bars=4, upright=True,
        frame=False, bar_material=finishes.TRIM),
        wheel=WheelStyle(rim=0.56, spokes=5, spoke_width=0.28, finish=finishes.DARK_ALLOY), black_bumpers=True,
        black_arches=True, roof=finishes.TRIM,
        pillars=finishes.TRIM, spare_wheel=True, plate_z=(0.58, 0.55), exhausts=0,
    ),
    "KX 4411",
)
IMPALA = Car(
    BodyPlan(
        5.36, 2.00, 1.40, 3.02, 0.9, 0.345, tyre_width=0.21, clearance=0.2, nose_z=0.82, hood_z=0.95, belt_z=0.9,
        belt_rear_z=0.92, tail_z=0.88,
        cowl=1.62, header=2.15, peak=2.6, header_z=1.36, roof_end=3.3, roof_end_z=1.36, backlight=4.0, doors=(1.72,
        2.72, 3.6), c_pillar=0.3,
        roof_width=0.74, front_square=9, rear_square=8.5, side_profile=_SLAB_SIDE, crown=0.04,
        front_profile=((0, 0.14), (0.2, 0.04), (0.28, 0.0), (0.38, 0.05), (0.8, 0.02), (1, 0.06)),
        rear_profile=((0, 0.12), (0.2, 0.03), (0.28, 0.0), (0.38, 0.05), (0.8, 0.03), (1, 0.06)),
    ),
    Exterior(
        HeadLamp(0.76, 0.5, 0.58, 0.74, 0, 0, round_radius=0.082), TailLamp(0.5, 0.1, 0.56, 0.66, 0.56, 0.66),
        Panes(posts=(2.72,), slant=0.16),
        grille=Grille(0.64, 0.64, 0.56, 0.74, bars=6), wheel=_CLASSIC, chrome_belt=True, exhausts=1, plate_z=(0.42,
        0.42), mirror_size=0.75,
    ),
    "CH 1445",
)
CROWN = Car(
    BodyPlan(
        5.38, 1.97, 1.48, 2.91, 1.07, 0.345, clearance=0.2, nose_z=0.78, hood_z=1.0, belt_z=0.96, belt_rear_z=1.0,
        tail_z=1.02, cowl=1.6,
        header=2.35, peak=2.8, header_z=1.44, roof_end=3.6, roof_end_z=1.43, backlight=4.3, doors=(1.82, 2.88, 3.78),
        c_pillar=0.26,
        roof_width=0.74, front_square=5.2, rear_square=5.6,
    ),
    Exterior(
        HeadLamp(0.54, 0.55, 0.6, 0.74, 0.62, 0.74), TailLamp(0.5, 0.26, 0.7, 0.92, 0.72, 0.92), Panes(posts=(2.88,
        3.72), slant=0.14),
        grille=Grille(0.46, 0.46, 0.58, 0.74, bars=8, upright=True), intake=(0.5, 0.26, 0.36), wheel=_STEEL,
        sign=True, plate_z=(0.46, 0.74),
        chrome_belt=True,
    ),
    "TAX 1",
)
MICROLINO = Car(
    BodyPlan(
        2.52, 1.47, 1.50, 1.57, 0.48, 0.27, tyre_width=0.155, clearance=0.19, nose_z=0.76, hood_z=0.9, belt_z=0.88,
        belt_rear_z=0.94, tail_z=0.86,
        cowl=0.16, header=0.72, peak=1.1, header_z=1.46, roof_end=1.55, roof_end_z=1.43, backlight=2.22, doors=(),
        c_pillar=0.24, a_pillar=0.1,
        roof_width=0.72, front_square=3.4, rear_square=3.2, glass_front_square=3.2, glass_rear_square=3.2, crown=0.1,
        glass_bulge=0.07,
    ),
    Exterior(
        HeadLamp(0.6, 0.3, 0.7, 0.84, 0, 0, round_radius=0.065), TailLamp(0.42, 0.3, 0.66, 0.76, 0.68, 0.76),
        Panes(posts=(1.3,), radius=0.09),
        wheel=WheelStyle(rim=0.66, spokes=5, spoke_width=0.2), handles=False, exhausts=0, plate_z=(0.4, 0.52),
        two_tone=finishes.WHITE, two_tone_z=0.62,
        mirror_size=0.8,
    ),
    "NC 10",
)
_T2_PLAN = BodyPlan(
    4.46, 1.73, 1.95, 2.4, 1.02, 0.33, tyre_width=0.19, clearance=0.26, nose_z=1.22, hood_z=1.24, belt_z=1.2,
    belt_rear_z=1.2, tail_z=1.18, cowl=0.1,
    header=0.46, peak=2.2, header_z=1.9, roof_end=4.22, roof_end_z=1.9, backlight=4.38, doors=(0.85, 1.62, 2.75),
    c_pillar=0.16, a_pillar=0.09,
    roof_width=0.84, shoulder=0.012, front_square=4.6, rear_square=5.2, glass_front_square=4.4, glass_rear_square=5.0,
    crown=0.09, flare=0.014,
    front_profile=((0, 0.08), (0.12, 0.0), (0.24, 0.0), (0.27, 0.035), (0.7, 0.02), (1, 0.06)),
    rear_profile=((0, 0.08), (0.12, 0.0), (0.22, 0.0), (0.25, 0.03), (0.8, 0.02), (1, 0.06)), side_profile=_SLAB_SIDE,
)
T2 = Car(
    _T2_PLAN,
    Exterior(
        HeadLamp(0.58, 0.3, 0.72, 0.92, 0, 0, round_radius=0.1), TailLamp(0.66, 0.16, 0.6, 0.84, 0.6, 0.84),
        Panes(posts=(1.66, 2.62, 3.5), low=0.06, high=0.84, radius=0.06), wheel=WheelStyle(rim=0.6, spokes=0,
        finish=finishes.CHROME),
        two_tone=finishes.WHITE, two_tone_z=0.98, plate_z=(0.46, 0.62), exhausts=1, mirror_size=0.9, chrome_belt=False,
    ),
    "HT 1974",
)
T2_2021 = Car(
    _T2_PLAN,
    Exterior(
        HeadLamp(0.58, 0.3, 0.72, 0.92, 0, 0, round_radius=0.095), TailLamp(0.64, 0.2, 0.66, 0.9, 0.66, 0.9),
        Panes(posts=(1.66, 2.9), low=0.06, high=0.84, radius=0.05), wheel=_TEN, grille=Grille(0.34, 0.34, 1.06, 1.12,
        bars=2, frame=False),
        two_tone=finishes.BLACK, two_tone_z=1.04, plate_z=(0.46, 0.62), exhausts=1,
    ),
    "HT 2021",
)
SPRINTER = Car(
    BodyPlan(
        5.93, 1.99, 2.56, 3.66, 1.0, 0.345, tyre_width=0.235, clearance=0.24, nose_z=1.0, hood_z=1.24, belt_z=1.2,
        belt_rear_z=1.3, tail_z=1.3, cowl=0.62,
        header=1.42, peak=2.4, header_z=2.42, roof_end=5.75, roof_end_z=2.5, backlight=5.85, doors=(1.15, 2.1, 3.35),
        c_pillar=0.2, a_pillar=0.1,
        roof_width=0.86, shoulder=0.008, front_profile=_VAN_FRONT, rear_profile=_VAN_REAR, side_profile=_SLAB_SIDE,
        front_square=5.0, rear_square=11,
        glass_front_square=5.2, glass_rear_square=11, crown=0.05, glass_bulge=0.06,
    ),
    Exterior(
        HeadLamp(0.6, 0.5, 0.74, 0.94, 0.82, 1.06), TailLamp(0.88, 0.05, 0.62, 1.2, 0.62, 1.2), Panes(posts=(2.02,),
        side_to=2.02, low=0.05, high=0.62),
        grille=Grille(0.5, 0.44, 0.68, 0.92, bars=3), intake=(0.6, 0.32, 0.48), wheel=_PLAIN, black_arches=True,
        cladding=True, plate_z=(0.5, 0.56),
        mirror_size=1.6, exhausts=0,
    ),
    "OT 5124",
)

CARS: dict[str, Car] = {
    "vehicle.audi.a2": AUDI_A2,
    "vehicle.audi.etron": ETRON,
    "vehicle.audi.tt": AUDI_TT,
    "vehicle.bmw.grandtourer": BMW,
    "vehicle.chevrolet.impala": IMPALA,
    "vehicle.citroen.c3": CITROEN,
    "vehicle.dodge.charger_2020": CHARGER,
    "vehicle.dodge.charger_police": CHARGER_POLICE,
    "vehicle.dodge.charger_police_2020": CHARGER_POLICE_2020,
    "vehicle.ford.crown": CROWN,
    "vehicle.ford.mustang": MUSTANG,
    "vehicle.jeep.wrangler_rubicon": WRANGLER,
    "vehicle.lincoln.mkz_2017": MKZ_2017,
    "vehicle.lincoln.mkz_2020": MKZ_2020,
    "vehicle.mercedes.coupe": MERCEDES,
    "vehicle.mercedes.coupe_2020": MERCEDES_2020,
    "vehicle.mercedes.sprinter": SPRINTER,
    "vehicle.micro.microlino": MICROLINO,
    "vehicle.mini.cooper_s": MINI,
    "vehicle.mini.cooper_s_2021": MINI_2021,
    "vehicle.nissan.micra": MICRA,
    "vehicle.nissan.patrol": PATROL,
    "vehicle.nissan.patrol_2021": PATROL_2021,
    "vehicle.seat.leon": LEON,
    "vehicle.tesla.model3": MODEL3,
    "vehicle.toyota.prius": PRIUS,
    "vehicle.volkswagen.t2": T2,
    "vehicle.volkswagen.t2_2021": T2_2021,
}
