"""Atmosphere between the scene and the camera: haze, fog, and falling rain."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from caos.simulator.embedded.render.sky_light.sky import Sky
from caos.simulator.weather import Weather

Floats = NDArray[np.float32]

# Extinction of clear air per metre: visibility about 16 km; trees turn pale over hundreds of metres.
CLEAR_AIR = 2.4e-4
# In front of the sky, whose colours near the horizon already include haze.
SKY_AIR = 9e-5
RAIN_AIR = 2.4e-3
FAR_M = 6000.0
# Height over which fog thins, in metres, at a falloff of one ("reaches the height of normal buildings").
FALLOFF_M = 30.0
FOG_WHITENESS = 0.36


def extinction(weather: Weather) -> float:
    """Extinction coefficient of fog per metre; a density of 60 % gives a visibility of about 90 m."""
    if weather.fog_density <= 0:
        return 0.0
    visibility_m = 35.0 * (100 / min(weather.fog_density, 100.0)) ** 1.9
    return float(3.9 / visibility_m)


def transmittance(distance: Floats, height: float, rise: Floats, weather: Weather) -> Floats:
    """Share of light that the air transmits along rays.

    Args:
        distance: ``(...)`` metres, infinite for the sky.
        height: Height of the camera above zero, metres.
        rise: ``(...)`` sine of each ray's elevation.
        weather: Weather that sets fog, dust and rain.
    """
    drops = RAIN_AIR * min(max(weather.precipitation / 100, 0.0), 1.0)
    drops += 0.02 * min(max(weather.dust_storm / 100, 0.0), 1.0) ** 2
    clear = np.where(np.isfinite(distance), np.float32(CLEAR_AIR), np.float32(SKY_AIR)) + drops
    # Above the horizon, clear air and rain thin out with height, so that the sky stays visible.
    reach = np.minimum(distance, np.minimum(FAR_M, 350.0 / np.maximum(rise, 0.06)))
    depth = clear * reach
    fog = extinction(weather)
    if fog > 0:
        depth = depth + fog * _fog_path(np.minimum(distance, FAR_M), height, rise, weather)
    out: Floats = np.exp(-depth).astype(np.float32)
    return out


def _fog_path(distance: Floats, height: float, rise: Floats, weather: Weather) -> Floats:
    """Effective length in metres of a ray through ground fog whose density falls exponentially with height."""
    path = np.maximum(distance - max(weather.fog_distance, 0.0), 0)
    thin = max(weather.fog_falloff, 0.02) / FALLOFF_M
    start = float(np.exp(-thin * max(height, 0.0)))
    slope = thin * rise
    small = np.abs(slope) * path < 1e-3
    safe = np.where(small, 1.0, slope)
    out: Floats = start * np.where(small, path, (1 - np.exp(np.clip(-slope * path, -60, 3))) / safe)
    return out


def add_air(radiance: Floats, passed: Floats, sky: Sky, weather: Weather) -> Floats:
    """Blend radiance ``(h, w, 3)`` with air light; the air transmits ``passed`` ``(h, w)`` of it.

    Fog scatters a fixed share of the light on level ground, like a gray surface and not like a white one.
    """
    fog = FOG_WHITENESS * (sky.ambient * 0.5 + 0.5 * float(sky.ambient.mean())) / np.pi
    share = float(np.clip(extinction(weather) / 4e-3, 0, 1))
    share = max(share, float(np.clip(weather.precipitation / 100, 0, 1)))
    color = sky.horizon * (1 - share) + fog * share
    if weather.dust_storm > 0:
        dust = float(np.clip(weather.dust_storm / 100, 0, 1))
        color = color * (1 - dust) + dust * np.array([1.05, 0.78, 0.48]) * float(fog.mean())
    # In place: images are large, and this is limited by memory bandwidth.
    out: Floats = radiance - color.astype(np.float32)
    out *= passed[..., None]
    out += color.astype(np.float32)
    return out


def drops(shape: tuple[int, int], weather: Weather, seed: int, *, quick: bool = False) -> Floats | None:
    """Opacity ``(h, w)`` of falling rain: short streaks slanted by the wind; None if there is no rain.

    With ``quick`` the same streaks are used in every image, shifted.
    """
    amount = float(np.clip(weather.precipitation / 100, 0, 1))
    if amount <= 0.02:
        return None
    streaks = _streaks(*shape, amount, weather.wind_intensity / 100, 0 if quick else seed)
    return np.roll(streaks, np.random.default_rng(seed).integers(shape).tolist(), (0, 1)) if quick else streaks


def add_rain(radiance: Floats, drops: Floats | None, sky: Sky) -> Floats:
    """Blend radiance ``(h, w, 3)`` with falling ``drops`` ``(h, w)`` in front of it."""
    if drops is None:
        return radiance
    light = (0.55 * sky.ambient / np.pi + 0.002).astype(np.float32)
    out: Floats = radiance * (1 - np.float32(0.5) * drops)[..., None]
    out += light * (np.float32(0.62) * drops)[..., None]
    return out


@functools.lru_cache(maxsize=4)
def _streaks(height: int, width: int, amount: float, wind: float, seed: int) -> Floats:
    """Opacity ``(height, width)`` of a few near, long streaks and many far, short ones."""
    from PIL import Image, ImageDraw, ImageFilter

    unit, rng = height / 720, np.random.default_rng(seed)
    total = np.zeros((height, width), np.float32)
    for share, length, opacity, blur in ((1.0, 14, 45, 0.6), (0.35, 34, 60, 0.9), (0.05, 95, 60, 2.0)):
        layer = Image.new("L", (width, height))
        draw = ImageDraw.Draw(layer)
        count = int(1500 * amount * share * width / height / 1.78)
        x, y = rng.uniform(-0.1 * width, 1.1 * width, count), rng.uniform(-0.15 * height, height, count)
        lengths, shades = rng.uniform(0.5, 1.2, count) * length * unit, rng.uniform(0.3, 1, count) * opacity
        slant = rng.normal(0.04 + 0.25 * wind, 0.015, count)
        for x0, y0, span, shade, lean in zip(x, y, lengths, shades, slant, strict=True):
            draw.line((x0, y0, x0 + span * lean, y0 + span), fill=int(shade), width=max(1, round(0.7 * blur * unit)))
        total += np.asarray(layer.filter(ImageFilter.GaussianBlur(max(blur * unit, 0.45))), np.float32) / 255
    out: Floats = np.minimum(total, 0.7)
    return out
