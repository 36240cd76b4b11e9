"""From light to bytes: glow, tone curve, lens and screen."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.embedded.render.description import Camera

Floats = NDArray[np.float32]
SCREEN_GAMMA = 2.2


def develop(radiance: Floats, exposure: float, camera: Camera) -> NDArray[np.uint8]:
    """The picture ``(h, w, 3)`` of linear radiance: exposed, vignetted, toned and encoded for a screen."""
    light = np.maximum(radiance, 0) * np.float32(exposure)
    if camera.lens_falloff > 0:
        light *= _falloff(camera)[..., None]
    return encode(filmic(light), camera.gamma)


def add_glow(radiance: Floats, emission: Floats, brightest: float) -> Floats:
    """Radiance with the light of lamps added, none above ``brightest``, and a soft halo around them."""
    from scipy.ndimage import gaussian_filter

    peak = emission.max(axis=-1, keepdims=True)
    shown = emission * np.minimum(1, brightest / np.maximum(peak, 1e-9))
    sharp = gaussian_filter(shown, (0.45, 0.45, 0))
    size = len(radiance) / 720
    halo = sum(share * gaussian_filter(shown, (r * size, r * size, 0)) for share, r in ((0.1, 4), (0.05, 14)))
    out: Floats = (radiance + sharp + halo).astype(np.float32)
    return out


def filmic(light: Floats) -> Floats:
    """A film's response: a soft toe, a long shoulder; 0.18 stays about 0.18 (after Narkowicz's fit of ACES)."""
    x = light * np.float32(0.85)
    curve = np.clip(x * (2.51 * x + 0.03) / (x * (2.43 * x + 0.59) + 0.14), 0, 1)
    # The curve alone bleaches strong colours; keep part of their ratio.
    luminance = light @ np.array([0.2126, 0.7152, 0.0722], np.float32)
    y = luminance * np.float32(0.85)
    toned = np.clip(y * (2.51 * y + 0.03) / (y * (2.43 * y + 0.59) + 0.14), 0, 1)
    ratio = np.clip(light * (toned / np.maximum(luminance, 1e-6))[..., None], 0, 1)
    out: Floats = (0.65 * curve + 0.35 * ratio).astype(np.float32)
    return out


def encode(linear: Floats, gamma: float) -> NDArray[np.uint8]:
    """Bytes of linear values in 0..1 by the sRGB curve, bent where ``gamma`` is not a screen's 2.2."""
    steps = np.linspace(0, 1, 16384)
    curve = np.where(steps < 0.0031308, 12.92 * steps, 1.055 * steps ** (1 / 2.4) - 0.055) ** (SCREEN_GAMMA / gamma)
    table = (curve * 255 + 0.5).astype(np.uint8)
    out: NDArray[np.uint8] = table[(np.clip(linear, 0, 1) * 16383 + 0.5).astype(np.uint16)]
    return out


def _falloff(camera: Camera) -> Floats:
    """The share of light that reaches each pixel: the cosine to the fourth of its angle, by ``lens_falloff``."""
    half = np.tan(np.radians(camera.fov_deg) / 2)
    x = ((np.arange(camera.width) + 0.5) * 2 / camera.width - 1) * half
    y = ((np.arange(camera.height) + 0.5) * 2 / camera.height - 1) * half * camera.height / camera.width
    cosine = 1 / np.sqrt(1 + x[None] ** 2 + y[:, None] ** 2)
    out: Floats = (1 - camera.lens_falloff * (1 - cosine**4)).astype(np.float32)
    return out
