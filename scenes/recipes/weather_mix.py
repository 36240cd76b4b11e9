"""Weather mix: the distribution of weather and time of day that scenes are drawn from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import numpy as np

from caos.foundation.errors import CaosError, unknown
from caos.scenes.recipes.rules import WEATHER_MIX, WeatherRules
from caos.simulator.weather import PRESETS, Weather, preset

RANGES: Final[Mapping[str, str]] = {
    "sun_altitude_deg": "sun_altitude_angle",
    "cloudiness": "cloudiness",
    "precipitation": "precipitation",
    "puddles": "precipitation_deposits",
    "wetness": "wetness",
    "fog_density": "fog_density",
}
"""Rules that are ranges, and the parameter of the weather that each draws."""


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
    drawn = replace(
        base,
        sun_azimuth_angle=round(float(rng.uniform(0, 360)), 2),
        sun_altitude_angle=round(altitude, 2),
        cloudiness=round(float(np.clip(base.cloudiness + rng.uniform(-8, 8), 0, 100)), 2),
        fog_density=round(float(base.fog_density * rng.uniform(0.7, 1.3)), 2),
    )
    return name, _in_ranges(drawn, rules, rng)


def _in_ranges(weather: Weather, rules: WeatherRules, rng: np.random.Generator) -> Weather:
    """The weather with what the rules give a range for drawn from it."""
    spans = {field: span for rule, field in RANGES.items() if (span := getattr(rules, rule)) is not None}
    changes = {field: round(float(rng.uniform(*span)), 2) for field, span in spans.items()}
    if rules.hour is not None:
        altitude, azimuth = sun_at(float(rng.uniform(*rules.hour)), rules.latitude_deg, rules.day_of_year)
        # Roads run in all directions: which of them the sun follows is drawn.
        changes |= {"sun_altitude_angle": altitude, "sun_azimuth_angle": (azimuth + weather.sun_azimuth_angle) % 360}
    return replace(weather, **{field: round(value, 2) for field, value in changes.items()})


def sun_at(hour: float, latitude_deg: float, day_of_year: int) -> tuple[float, float]:
    """Altitude and azimuth of the sun in degrees, azimuth from north over east, at an hour of solar time.

    On the longest day (172) at 45 degrees north the sun stands 90 - 45 + 23.4 degrees high at noon:

    >>> [round(v, 1) for v in sun_at(12, 45, 172)], [round(v, 1) for v in sun_at(24, 45, 172)]
    ([68.4, 180.0], [-21.6, 0.0])
    """
    declination = np.radians(23.44) * np.cos(2 * np.pi * (day_of_year - 172) / 365.25)
    latitude, turn = np.radians(latitude_deg), np.radians(15 * (hour - 12))
    east = -np.cos(declination) * np.sin(turn)
    north = np.sin(declination) * np.cos(latitude) - np.cos(declination) * np.sin(latitude) * np.cos(turn)
    up = np.sin(declination) * np.sin(latitude) + np.cos(declination) * np.cos(latitude) * np.cos(turn)
    azimuth = float(np.degrees(np.arctan2(east, north)))
    return float(np.degrees(np.arcsin(np.clip(up, -1, 1)))), round(azimuth, 6) % 360


def part_of_day(sun_altitude_deg: float) -> str:
    """What the height of the sun makes of the hour: ``day``, ``low sun``, ``twilight`` or ``night``."""
    for least, name in ((12.0, "day"), (0.0, "low sun"), (-6.0, "twilight")):
        if sun_altitude_deg >= least:
            return name
    return "night"
