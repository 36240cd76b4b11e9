"""Changes of weather and hour: the sun stays where it is unless the hour is what changes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Final

from caos.scenes.scene import Scene
from caos.scenes.shifting.attribute import ShiftAttribute, ShiftStage, one_of, within
from caos.scenes.shifting.change import Change
from caos.simulator.weather import PRESETS, Weather, preset

LATITUDE_DEG: Final = 45.0
"""Where the sun of an hour stands: here, at an equinox."""
OF_THE_HOUR: Final = ("low-sun", "night")
"""Weathers that are a matter of the sun's height."""


_PERCENT: Final = ("cloudiness", "precipitation", "precipitation_deposits", "wind_intensity", "fog_density", "wetness")
LIMITS: Final[Mapping[str, tuple[float, float]]] = {
    "sun_altitude_angle": (-90.0, 90.0),
    "sun_azimuth_angle": (-360.0, 360.0),
    **dict.fromkeys((*_PERCENT, "dust_storm"), (0.0, 100.0)),
}
"""What CARLA's parameters end at; what is added to one goes no further."""


def _weather(scene: Scene, change: Change, _: ShiftStage) -> Scene:
    new, old = preset(change.text), scene.weather
    altitude = new.sun_altitude_angle if change.text in OF_THE_HOUR else old.sun_altitude_angle
    kept = replace(new, sun_azimuth_angle=old.sun_azimuth_angle, sun_altitude_angle=altitude)
    return replace(scene, weather_name=change.text, weather=kept)


def sun_of_hour(hour: float) -> tuple[float, float]:
    """Height and azimuth of the sun in degrees: highest at 12, on the horizon at 6 and 18, below it at night.

    >>> [round(value) for value in sun_of_hour(12)], round(sun_of_hour(18)[0])
    ([45, 180], 0)
    """
    turn, latitude = math.radians(15 * (hour - 12)), math.radians(LATITUDE_DEG)
    altitude = math.degrees(math.asin(math.cos(latitude) * math.cos(turn)))
    azimuth = math.degrees(math.atan2(math.sin(turn), math.cos(turn) * math.sin(latitude)))
    return altitude, (azimuth + 180) % 360


def _hour(scene: Scene, change: Change, _: ShiftStage) -> Scene:
    altitude, azimuth = sun_of_hour(change.value())
    weather = replace(scene.weather, sun_altitude_angle=round(altitude, 3), sun_azimuth_angle=round(azimuth, 3))
    return replace(scene, weather=weather)


def _parameter(name: str) -> ShiftAttribute:
    """One of CARLA's weather parameters."""
    low, high = LIMITS.get(name, (0.0, 1000.0))

    def apply(scene: Scene, change: Change, _: ShiftStage) -> Scene:
        value = min(max(change.applied_to(getattr(scene.weather, name)), low), high)
        return replace(scene, weather=replace(scene.weather, **{name: value}))

    return ShiftAttribute(
        f"weather.{name}", f"a number from {low:g} to {high:g}, as in CARLA", apply, within(low, high)
    )


def _check_hour(change: Change) -> None:
    one = replace(change, operation="=")
    within(0, 24)(one)


ATTRIBUTES: Final = (
    ShiftAttribute("weather", f"one of {', '.join(PRESETS)}", _weather, one_of(lambda: tuple(PRESETS), "weather")),
    ShiftAttribute("hour", "0 to 24, at 45 degrees north", _hour, _check_hour),
    *(_parameter(part.name) for part in fields(Weather)),
)
