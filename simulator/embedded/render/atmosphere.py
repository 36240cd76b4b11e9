"""What lies between the scene and the picture: fog and rain in the air, exposure, and the tone curve of the film."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.embedded.render.description import Camera
from simulator.embedded.render.sky import Sky
from simulator.weather import Weather

Floats = NDArray[np.float32]


def exposure(sky: Sky, camera: Camera) -> float:
    """Factor that brings radiance to the film; from weather and camera only, so that no object changes it."""
    middle = 0.2 * sky.ambient / np.pi
    return float(0.17 / max(middle, 1e-4) * 2.0**camera.exposure_compensation)


def extinction(weather: Weather) -> float:
    """Share of light lost to fog per metre, from CARLA's fog density in percent."""
    return float(3.0 / max(2500.0 * (1 - weather.fog_density / 100) ** 3, 25.0)) if weather.fog_density > 0 else 0.0


def add_fog(radiance: Floats, distance: Floats, sky: Sky, weather: Weather) -> Floats:
    """Radiance ``(h, w, 3)`` seen through fog; ``distance`` ``(h, w)`` in metres, infinite for sky."""
    loss = extinction(weather)
    if loss <= 0:
        return radiance
    path = np.maximum(np.minimum(distance, 2000.0) - weather.fog_distance, 0)
    keep = np.exp(-loss * path)[..., None].astype(np.float32)
    out: Floats = radiance * keep + (0.85 * sky.horizon).astype(np.float32) * (1 - keep)
    return out


def tone(radiance: Floats, factor: float, gamma: float) -> NDArray[np.uint8]:
    """Film response: filmic curve (after Narkowicz's fit of ACES), then sRGB (bent where gamma is not 2.2)."""
    x = np.maximum(radiance * np.float32(factor), 0)
    filmic = np.clip(x * (2.51 * x + 0.03) / (x * (2.43 * x + 0.59) + 0.14), 0, 1)
    srgb = np.where(filmic < 0.0031308, 12.92 * filmic, 1.055 * filmic ** (1 / 2.4) - 0.055)
    if abs(gamma - 2.2) > 1e-3:
        srgb = srgb ** (2.2 / gamma)
    out: NDArray[np.uint8] = (srgb * 255 + 0.5).astype(np.uint8)
    return out
