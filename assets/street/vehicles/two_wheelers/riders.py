"""Riders: figures for bicycles, sports bikes and scooters."""

from __future__ import annotations

from dataclasses import replace

from caos.assets.street.people.figures import Figure

_HELMET_BLACK = (20, 20, 22)
BIKER = Figure(
    1.78,
    False,
    1.05,
    (200, 150, 122),
    (40, 30, 24),
    (26, 26, 30),
    (24, 24, 28),
    top="jacket",
    hat="helmet",
    hat_color=_HELMET_BLACK,
)
BIKERS = (
    BIKER,
    replace(BIKER, top_color=(150, 30, 30), hat_color=(200, 200, 196)),
    replace(BIKER, height=1.70, female=True, top_color=(60, 64, 70), hat_color=(30, 80, 150)),
)
_RACER = Figure(
    1.76,
    False,
    0.95,
    (196, 146, 116),
    (50, 34, 24),
    (188, 40, 44),
    (22, 22, 26),
    (226, 226, 222),
    top="tee",
    bottom="shorts",
    hat="bike_helmet",
    hat_color=(230, 230, 226),
)
RACERS = (
    _RACER,
    replace(_RACER, top_color=(36, 92, 160), skin=(132, 88, 62)),
    replace(_RACER, height=1.67, female=True, hair="ponytail", top_color=(220, 190, 40)),
)
_CITIZEN = Figure(
    1.70, True, 1.0, (216, 170, 142), (96, 60, 34), (150, 52, 62), (44, 54, 80), top="coat", bottom="jeans", hair="long"
)
CITIZENS = (
    _CITIZEN,
    replace(
        _CITIZEN,
        height=1.80,
        female=False,
        hair="short",
        top="jacket",
        top_color=(64, 84, 66),
        bag="backpack",
        bag_color=(40, 42, 46),
    ),
    replace(_CITIZEN, top="jacket", top_color=(196, 158, 70), hair="bun"),
)
_RIDER = Figure(
    1.72,
    False,
    1.05,
    (186, 138, 108),
    (30, 24, 22),
    (92, 104, 116),
    (58, 74, 104),
    top="jacket",
    bottom="jeans",
    hat="helmet",
    hat_color=(214, 210, 200),
)
RIDERS = (
    _RIDER,
    replace(_RIDER, height=1.65, female=True, top_color=(170, 60, 60)),
    replace(_RIDER, top_color=(40, 44, 52)),
)
