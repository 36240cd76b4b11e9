"""Weather mix: the distribution of weather and time of day that scenes are drawn from."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from caos.foundation.errors import CaosError, unknown
from caos.scenes.rules import WEATHER_MIX, WeatherRules
from caos.simulator.weather import PRESETS, Weather, preset


def parse_mix(text: str) -> dict[str, float]:
    """A mix from ``"default"``, one name, or ``"clear=3,fog=1"`` (weights need not add up to one).

    Raises:
        CaosError: If a name is unknown or a weight is not a positive number.
    """
    if text == "default":
        return dict(WEATHER_MIX)
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


def draw_weather(rules: WeatherRules, rng: np.random.Generator) -> tuple[str, Weather]:
    """A weather by its share in the mix: its name, and its values around the preset's, with the sun at any azimuth."""
    names = sorted(rules.mix)
    weights = np.array([rules.mix[name] for name in names])
    name = names[int(rng.choice(len(names), p=weights / weights.sum()))]
    base = preset(name)
    altitude = base.sun_altitude_angle
    if altitude > 0:
        jitter = rules.sun_jitter_deg * min(1.0, altitude / 30)
        altitude = max(rules.lowest_sun_deg, altitude + float(rng.uniform(-jitter, jitter)))
    return name, replace(
        base,
        sun_azimuth_angle=round(float(rng.uniform(0, 360)), 2),
        sun_altitude_angle=round(altitude, 2),
        cloudiness=round(float(np.clip(base.cloudiness + rng.uniform(-8, 8), 0, 100)), 2),
        fog_density=round(float(base.fog_density * rng.uniform(0.7, 1.3)), 2),
    )
