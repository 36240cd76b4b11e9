"""Sky, clouds and sun of a weather: the light of a scene.

Radiance is in units of a clear noon: a white wall in full sun has a radiance of about one.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caos.simulator.embedded.render.sky_light.clouds import cloud_layer
from caos.simulator.embedded.render.sky_light.daylight import clear_sky, sun_beam
from caos.simulator.weather import Weather

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]

SKYLIGHT = 0.85
NIGHT_ZENITH = np.array([0.0017, 0.0023, 0.0042])
NIGHT_GLOW = np.array([0.0060, 0.0049, 0.0041])
GROUND = np.array([0.13, 0.125, 0.115])
GRAY_LIGHT = np.array([0.97, 1.0, 1.05])


@dataclass(frozen=True, eq=False)
class Sky:
    """Light from sky and sun.

    Attributes:
        image: ``(rows, 2 * rows, 3)`` radiance; row 0 is the zenith, columns run from +y over +x.
        sun_direction: ``(3,)`` unit vector towards the sun.
        sun_irradiance: ``(3,)`` RGB on a surface that faces the sun; zero where clouds hide it.
        skylight: ``(3,)`` RGB irradiance of level ground from the sky alone.
        horizon: ``(3,)`` RGB radiance just above the horizon: the colour of distant haze.
        night: 0 by day, 1 when the sun is well below the horizon.
    """

    image: Floats
    sun_direction: Doubles
    sun_irradiance: Doubles
    skylight: Doubles
    horizon: Doubles
    night: float

    @property
    def ambient(self) -> Doubles:
        """``(3,)`` RGB irradiance of level ground from sky and sun together."""
        return self.skylight + self.sun_irradiance * max(float(self.sun_direction[2]), 0.0)

    @property
    def has_sun(self) -> bool:
        """Whether the sun casts shadows."""
        return bool(self.sun_irradiance.max() > 1e-3)

    @property
    def darkness(self) -> float:
        """Degree to which street lamps and windows are on: 0 by day, 1 from dusk on."""
        return float(np.clip(1.4 - self.ambient.mean() / 0.35, 0, 1))


def sun_direction(weather: Weather) -> Doubles:
    """Unit vector towards the sun; azimuth turns from x towards y."""
    altitude, azimuth = np.radians(weather.sun_altitude_angle), np.radians(weather.sun_azimuth_angle)
    flat = np.cos(altitude)
    return np.array([flat * np.cos(azimuth), flat * np.sin(azimuth), np.sin(altitude)], dtype=np.float64)


@functools.lru_cache(maxsize=2)
def directions(rows: int) -> Floats:
    """Unit vectors ``(rows, 2 * rows, 3)`` of the sky image's pixels."""
    u = (np.arange(2 * rows) + 0.5) / rows * np.pi
    v = ((np.arange(rows) + 0.5) / rows * np.pi)[:, None]
    parts = np.broadcast_arrays(np.sin(v) * np.sin(u), np.sin(v) * np.cos(u), np.cos(v) + 0 * u)
    return np.stack(parts, -1).astype(np.float32)


def irradiance(image: Floats, view: Floats) -> Doubles:
    """RGB irradiance ``(3,)`` of level ground by the upper rows of a sky image."""
    rows = image.shape[1] // 2
    sine = np.sqrt(np.clip(1 - view[..., 2] ** 2, 0, 1))
    weight = np.clip(view[..., 2], 0, None) * sine
    return np.asarray((image * weight[..., None]).sum((0, 1), dtype=np.float64) * (np.pi / rows) ** 2)


def veil(weather: Weather) -> float:
    """Share of sun and clouds hidden by fog, rain or dust, 0..1."""
    fog = np.clip(weather.fog_density / 55, 0, 1) ** 1.5
    return float(max(fog, np.clip(weather.precipitation / 100, 0, 1) * 0.6, np.clip(weather.dust_storm / 100, 0, 1)))


@functools.lru_cache(maxsize=6)
def make_sky(weather: Weather, rows: int, seed: int = 0) -> Sky:
    """Return sky, clouds and sun of ``weather``, as an image with ``rows`` rows.

    Computed in float32: every image of a dataset has a weather of its own.
    """
    view = directions(rows)[: rows // 2]
    sun, cover = sun_direction(weather), float(np.clip(weather.cloudiness / 100, 0, 1))
    night = float(np.clip((-weather.sun_altitude_angle - 2) / 6, 0, 1))
    turbidity = 2.3 + 1.2 * cover + float(np.clip(weather.mie_scattering_scale, 0, 1))
    height = max(float(sun[2]), 0.0)
    beam = sun_beam(height, turbidity)
    upper, level = _clear(view, sun, turbidity)
    upper = _with_glow(upper, view, sun, beam)
    gray = _gray_level(height, cover, weather)
    upper = _with_clouds(upper, view, sun, (cover, gray, level), beam, seed)
    hidden = veil(weather)
    if hidden > 0:
        upper = upper * (1 - hidden) + hidden * _overcast(view, gray)
    if night > 0:
        upper = upper * (1 - night) + night * _night(view, cover)
    beam = beam * _sun_share(cover) * (1 - hidden) ** 2 * (1 - night)
    skylight = irradiance(upper, view)
    near = (view[..., 2] > 0.01) & (view[..., 2] < 0.1)
    image = np.empty((rows, 2 * rows, 3), np.float32)
    image[: rows // 2] = upper
    image[rows // 2 :] = GROUND * (skylight + beam * height) / np.pi
    return Sky(image, sun, beam, skylight, upper[near].mean(0, dtype=np.float64), night)


def _single(values: Any) -> Floats:
    """Convert values to float32, the dtype of the sky image."""
    return np.asarray(values, np.float32)


def _clear(view: Floats, sun: Doubles, turbidity: float) -> tuple[Floats, float]:
    """Return a cloudless sky scaled to its irradiance, and that irradiance."""
    low = sun if sun[2] > 0.03 else np.array([*sun[:2] / max(float(np.hypot(*sun[:2])), 1e-6), 0.03])
    image = clear_sky(view, low, turbidity)
    level = SKYLIGHT * float(np.clip(sun[2] / 0.75, 0.035, 1)) ** 0.62
    if sun[2] < 0:
        level *= float(np.clip(1 + sun[2] / 0.12, 0.05, 1))
    image *= np.float32(level / max(float(irradiance(image, view).mean()), 1e-9))
    # The model is dark and yellow at the horizon; real air is a pale band there.
    haze = 0.75 * np.exp(-np.clip(view[..., 2:], 0, 1) / 0.1)
    mean = image.mean(-1, keepdims=True)
    day = float(np.clip(sun[2] / 0.5, 0, 1))
    pale = mean * (_single([0.92, 1.0, 1.12]) * day + (1 - day) * image / np.maximum(mean, 1e-9))
    return image + haze * (pale - image), level


def _with_glow(image: Floats, view: Floats, sun: Doubles, beam: Doubles) -> Floats:
    """Add the aureole around the sun; the disc itself is a separate light, too small for this image."""
    angle = np.arccos(np.clip(view @ _single(sun), -1, 1))
    glow = 0.10 * np.exp(-angle / 0.12) + 1.6 * np.exp(-((angle / 0.028) ** 2))
    return np.asarray(image + glow[..., None] * _single(beam / 3))


def _sun_share(cover: float) -> float:
    """Share of the sun's beam that passes the clouds: nearly 1 up to half cover, 0 at full cover."""
    return float(1 - np.clip((cover - 0.25) / 0.6, 0, 1) ** 1.3)


def _gray_level(height: float, cover: float, weather: Weather) -> float:
    """Irradiance under a closed layer of cloud."""
    dark = 1 - 0.45 * np.clip(weather.precipitation / 100, 0, 1) - 0.1 * np.clip(cover - 0.8, 0, 1) / 0.2
    return float(1.25 * dark * (0.05 + 0.95 * np.clip(height / 0.8, 0, 1) ** 0.9))


def _overcast(view: Floats, level: float) -> Floats:
    """Return the CIE standard overcast sky, brighter towards the zenith."""
    shape = (1 + 2 * np.clip(view[..., 2:], 0, 1)) / 3 * 9 / (7 * np.pi)
    return np.asarray(shape * _single(level * GRAY_LIGHT))


def _with_clouds(
    image: Floats, view: Floats, sun: Doubles, levels: tuple[float, float, float], beam: Doubles, seed: int
) -> Floats:
    cover, gray, level = levels
    if cover <= 0.01:
        return image
    flat = view.reshape(-1, 3)
    opacity, bright = cloud_layer(flat, sun, cover, seed)
    height = max(float(sun[2]), 0.0)
    facing = 1 + 0.5 * np.clip(flat @ _single(sun), 0, 1)[:, None] ** 6
    shade = 0.55 * level / np.pi * np.array([0.9, 1.0, 1.2])
    sunlit = _single(0.78 * beam * (0.35 + 0.65 * height) / np.pi * _sun_share(cover) + shade) * facing
    closed = float(np.clip((cover - 0.45) / 0.5, 0, 1))
    mixed = sunlit * (1 - closed) + _overcast(view, 1.08 * closed * gray).reshape(-1, 3)
    color = bright[:, None] ** (1.0 + 0.4 * closed) * mixed
    # Distant clouds fade into the haze.
    far = np.exp(-np.clip(flat[:, 2:], 0, 1) / 0.11)
    base = image.reshape(-1, 3) * (1 - closed) + closed * mixed
    color += 0.55 * (1 - closed) * far * (base - color)
    alpha = opacity[:, None] * (1 - 0.25 * far * (1 - closed))
    base += alpha * (color - base)
    return np.asarray(base.reshape(image.shape), np.float32)


def _night(view: Floats, cover: float) -> Floats:
    """Return a dark sky with the glow of a town above the horizon."""
    low = np.exp(-np.clip(view[..., 2:], 0, 1) / (0.16 + 0.2 * cover))
    return np.asarray(_single(NIGHT_ZENITH * (1 + 0.6 * cover)) + _single(NIGHT_GLOW) * low)
