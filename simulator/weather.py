"""Weather as data: CARLA's parameters, and named presets for previews and recipes."""

from __future__ import annotations

from dataclasses import dataclass

from caos.foundation.errors import unknown


@dataclass(frozen=True)
class Weather:
    """CARLA's weather parameters, in wire order (percent, degrees, metres)."""

    cloudiness: float = 5.0
    precipitation: float = 0.0
    precipitation_deposits: float = 0.0
    wind_intensity: float = 10.0
    sun_azimuth_angle: float = -1.0
    sun_altitude_angle: float = 45.0
    fog_density: float = 2.0
    fog_distance: float = 0.75
    fog_falloff: float = 0.1
    wetness: float = 0.0
    scattering_intensity: float = 1.0
    mie_scattering_scale: float = 0.03
    rayleigh_scattering_scale: float = 0.0331
    dust_storm: float = 0.0


_PERCENT = (-1.0, 100.0)
WEATHER_LIMITS: dict[str, tuple[float, float]] = {
    "cloudiness": _PERCENT,
    "precipitation": _PERCENT,
    "precipitation_deposits": _PERCENT,
    "wind_intensity": _PERCENT,
    "sun_azimuth_angle": (-360.0, 360.0),
    "sun_altitude_angle": (-90.0, 90.0),
    "fog_density": _PERCENT,
    "fog_distance": (-1.0, 1e5),
    "fog_falloff": (-1.0, 100.0),
    "wetness": _PERCENT,
    "scattering_intensity": (-1.0, 100.0),
    "mie_scattering_scale": (-1.0, 5.0),
    "rayleigh_scattering_scale": (-1.0, 5.0),
    "dust_storm": _PERCENT,
}
"""Minimum and maximum of each parameter, in wire order; CARLA's own presets contain -1."""

PRESETS: dict[str, Weather] = {
    "clear": Weather(cloudiness=10, sun_azimuth_angle=40, sun_altitude_angle=55, fog_density=0),
    "cloudy": Weather(cloudiness=55, sun_azimuth_angle=120, sun_altitude_angle=45, fog_density=1),
    "overcast": Weather(cloudiness=95, sun_azimuth_angle=200, sun_altitude_angle=40, fog_density=3),
    "wet": Weather(cloudiness=60, precipitation_deposits=60, wetness=80, sun_azimuth_angle=70, sun_altitude_angle=35),
    "rain": Weather(
        cloudiness=90, precipitation=70, precipitation_deposits=80, wetness=100, sun_altitude_angle=35, fog_density=8
    ),
    "fog": Weather(cloudiness=80, sun_azimuth_angle=20, sun_altitude_angle=30, fog_density=60, fog_distance=5),
    "low-sun": Weather(cloudiness=20, sun_azimuth_angle=15, sun_altitude_angle=9, fog_density=2),
    "night": Weather(cloudiness=20, sun_altitude_angle=-30, fog_density=1),
}


def preset(name: str) -> Weather:
    """Return the named weather.

    Raises:
        CaosError: If the name is unknown.
    """
    if name not in PRESETS:
        raise unknown("weather", name, PRESETS)
    return PRESETS[name]
