"""Sky, clouds and sun of a weather: what lights the scene.

Light is in units of a clear noon: a white wall in full sun has a radiance of about one. The clear sky follows
Preetham, Shirley and Smits, "A Practical Analytic Model for Daylight", 1999.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assets.textures import fractal_noise
from simulator.weather import Weather

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
XYZ_TO_RGB = np.array([[3.2406, -1.5372, -0.4986], [-0.9689, 1.8758, 0.0415], [0.0557, -0.204, 1.057]])


@dataclass(frozen=True, eq=False)
class Sky:
    """Light from above.

    Attributes:
        image: ``(rows, 2 * rows, 3)`` radiance; row 0 is the zenith, columns run from +y over +x.
        sun_direction: ``(3,)`` unit vector towards the sun (or the moon, at night).
        sun_irradiance: ``(3,)`` RGB on a surface that faces the sun.
        horizon: ``(3,)`` mean RGB radiance just above the horizon: the colour of haze and fog.
        ambient: Mean irradiance of level ground from sky and sun together.
        night: 0 by day, 1 when the sun is well below the horizon.
    """

    image: Floats
    sun_direction: Doubles
    sun_irradiance: Doubles
    horizon: Doubles
    ambient: float
    night: float


def sun_direction(weather: Weather) -> Doubles:
    """Unit vector towards the sun; azimuth turns from x towards y."""
    altitude, azimuth = np.radians(weather.sun_altitude_angle), np.radians(weather.sun_azimuth_angle)
    return np.array(
        [np.cos(altitude) * np.cos(azimuth), np.cos(altitude) * np.sin(azimuth), np.sin(altitude)], dtype=np.float64
    )


def directions(rows: int) -> Doubles:
    """Unit vectors ``(rows, 2 * rows, 3)`` of the sky image's pixels."""
    u = (np.arange(2 * rows) + 0.5) / rows * np.pi
    v = ((np.arange(rows) + 0.5) / rows * np.pi)[:, None]
    parts = np.broadcast_arrays(np.sin(v) * np.sin(u), np.sin(v) * np.cos(u), np.cos(v) + 0 * u)
    return np.stack(parts, -1)


def _perez(c: tuple[float, ...], cos_zenith: Doubles | float, angle: Doubles | float) -> Doubles:
    a, b, k, d, e = c
    return np.asarray((1 + a * np.exp(b / cos_zenith)) * (1 + k * np.exp(d * angle) + e * np.cos(angle) ** 2))


def clear_sky(view: Doubles, sun: Doubles, turbidity: float) -> Doubles:
    """Relative RGB radiance of a cloudless sky in directions ``view`` ``(..., 3)``."""
    t = turbidity
    zenith = float(np.arccos(np.clip(sun[2], 0.03, 1)))
    cos_view = np.clip(view[..., 2], 0.012, 1)
    angle = np.arccos(np.clip(view @ sun, -1, 1))
    shape_y = (0.1787 * t - 1.463, -0.3554 * t + 0.4275, -0.0227 * t + 5.3251, 0.1206 * t - 2.5771, -0.067 * t + 0.3703)
    shape_u = (-0.0193 * t - 0.2592, -0.0665 * t + 0.0008, -0.0004 * t + 0.2125, -0.0641 * t - 0.8989, -0.0033 * t + 0.0452)
    shape_v = (-0.0167 * t - 0.2608, -0.095 * t + 0.0092, -0.0079 * t + 0.2102, -0.0441 * t - 1.6537, -0.0109 * t + 0.0529)
    powers, turbid = np.array([zenith**3, zenith**2, zenith, 1]), np.array([t * t, t, 1])
    chi = (4 / 9 - t / 120) * (np.pi - 2 * zenith)
    top_y = (4.0453 * t - 4.971) * np.tan(chi) - 0.2155 * t + 2.4192
    rows_u = [[0.00166, -0.00375, 0.00209, 0], [-0.02903, 0.06377, -0.03202, 0.00394], [0.11693, -0.21196, 0.06052, 0.25886]]
    rows_v = [[0.00275, -0.0061, 0.00317, 0], [-0.04214, 0.0897, -0.04153, 0.00516], [0.15346, -0.26756, 0.0667, 0.26688]]
    top_u, top_v = float(turbid @ np.array(rows_u) @ powers), float(turbid @ np.array(rows_v) @ powers)

    def value(shape: tuple[float, ...], top: float) -> Doubles:
        return top * _perez(shape, cos_view, angle) / _perez(shape, 1.0, zenith)

    y, u, v = np.clip(value(shape_y, top_y), 0, None), value(shape_u, top_u), value(shape_v, top_v)
    xyz = np.stack([u / v * y, y, (1 - u - v) / v * y], -1)
    out: Doubles = np.clip(xyz @ XYZ_TO_RGB.T, 0, None)
    return out


def _solid_angles(rows: int) -> Doubles:
    v = (np.arange(rows) + 0.5) / rows * np.pi
    return np.asarray((np.sin(v) * (np.pi / rows) ** 2)[:, None] * np.ones((1, 2 * rows)))


def _irradiance(image: Doubles, view: Doubles) -> Doubles:
    weight = np.clip(view[..., 2], 0, None) * _solid_angles(len(image))
    return np.asarray(np.einsum("hwc,hw->c", image, weight))


def make_sky(weather: Weather, rows: int, seed: int = 0) -> Sky:
    """Sky, clouds and sun for ``weather``."""
    view, sun = directions(rows), sun_direction(weather)
    cover = float(np.clip(weather.cloudiness / 100, 0, 1))
    night = float(np.clip((-sun[2] - 0.02) / 0.12, 0, 1))
    height = max(float(sun[2]), 0.0)
    turbidity = 2.6 + 2.0 * cover
    image = clear_sky(view, sun if sun[2] > 0.03 else np.array([sun[0], sun[1], 0.03]), turbidity)
    level = 0.75 * np.clip(height / 0.7, 0.02, 1) ** 0.6
    image *= level / max(float(_irradiance(image, view).mean()), 1e-9)
    beam = _sun_beam(height, turbidity) * (1 - cover) ** 0.6 * (0.0 if cover > 0.9 else 1.0)
    image = _add_clouds(image, view, beam, level, height, cover, seed)
    image = image * (1 - 0.985 * night) + night * np.array([0.0035, 0.0045, 0.0075])
    below = view[..., 2] < 0
    ground = 0.12 * (beam * height + _irradiance(image, view)) / np.pi
    image[below] = ground
    near = (view[..., 2] > 0.02) & (view[..., 2] < 0.12)
    ambient = float((beam * height + _irradiance(image, view)).mean())
    beam = beam * (1 - night)
    return Sky(image.astype(np.float32), sun, beam, image[near].mean(0), ambient, night)


def _sun_beam(height: float, turbidity: float) -> Doubles:
    """RGB irradiance of the sun after the air has taken its share."""
    angle = np.degrees(np.arcsin(np.clip(height, 0, 1)))
    mass = 1 / (height + 0.15 * (angle + 3.885) ** -1.253)
    depth = np.array([0.095, 0.14, 0.25]) * (0.6 + 0.15 * turbidity)
    return np.asarray(3.6 * np.exp(-depth * mass) * np.clip(height / 0.03, 0, 1))


def _add_clouds(
    image: Doubles, view: Doubles, beam: Doubles, level: float, height: float, cover: float, seed: int
) -> Doubles:
    noise = fractal_noise(1024, 1024, np.random.default_rng(seed), base=5, octaves=8, persistence=0.52)
    plane = view[..., :2] / (np.clip(view[..., 2:], 0, 1) + 0.12)
    x, y = ((plane[..., k] * 130).astype(int) % 1024 for k in (0, 1))
    density = noise[y, x]
    edge = np.quantile(noise, 1 - np.clip(cover * 1.15, 0, 1))
    mask = np.clip((density - edge) * 7, 0, 1) * np.clip(view[..., 2] * 9, 0, 1)
    light = (beam * max(height, 0.05) * 0.28 + level * 0.3)[None, None] * (1.1 - 0.5 * np.clip((density - edge) * 2.5, 0, 1))[..., None]
    return np.asarray(image * (1 - mask[..., None]) + light * mask[..., None])
