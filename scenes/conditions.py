"""The documented distribution of weather and time of day that recipes draw from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import numpy as np

from foundation.errors import CaosError, unknown
from simulator.weather import PRESETS, Weather, preset

MIX: Final[Mapping[str, float]] = {
    "clear": 0.28,
    "cloudy": 0.22,
    "overcast": 0.16,
    "wet": 0.10,
    "rain": 0.08,
    "fog": 0.06,
    "low-sun": 0.10,
}
"""Share of each weather in a generated set. Night is left to ``--weather night``: see docs/validity.md."""

SUN_ALTITUDE_JITTER_DEG: Final = 8.0
LOWEST_SUN_DEG: Final = 5.0


def parse_mix(text: str) -> dict[str, float]:
    """A mix from ``"default"``, one name, or ``"clear=3,fog=1"`` (weights need not add up to one).

    Raises:
        CaosError: If a name is unknown or a weight is not a positive number.
    """
    if text == "default":
        return dict(MIX)
    mix = {}
    for item in text.split(","):
        name, _, weight = item.strip().partition("=")
        if name not in PRESETS:
            raise unknown("weather", name, PRESETS)
        try:
            mix[name] = float(weight) if weight else 1.0
        except ValueError:
            raise CaosError(f"--weather: weight {weight!r} of {name!r} is not a number") from None
        if not 0 < mix[name] < float("inf"):
            raise CaosError(f"--weather: weight {weight!r} of {name!r} must be positive")
    return mix


def draw(mix: Mapping[str, float], rng: np.random.Generator) -> tuple[str, Weather]:
    """A weather by its share in ``mix``, with the sun at a random azimuth and the values around the preset's."""
    names = sorted(mix)
    weights = np.array([mix[name] for name in names])
    name = names[int(rng.choice(len(names), p=weights / weights.sum()))]
    base = preset(name)
    altitude = base.sun_altitude_angle
    if altitude > 0:
        jitter = SUN_ALTITUDE_JITTER_DEG * min(1.0, altitude / 30)
        altitude = max(LOWEST_SUN_DEG, altitude + float(rng.uniform(-jitter, jitter)))
    return name, replace(
        base,
        sun_azimuth_angle=round(float(rng.uniform(0, 360)), 2),
        sun_altitude_angle=round(altitude, 2),
        cloudiness=round(float(np.clip(base.cloudiness + rng.uniform(-8, 8), 0, 100)), 2),
        fog_density=round(float(base.fog_density * rng.uniform(0.7, 1.3)), 2),
    )
