"""Tone mapping: from linear radiance to 8-bit sRGB, with glow, lens falloff and a filmic curve."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from caos.foundation.colour import linear_to_srgb
from caos.simulator.embedded.render.description import Camera
from caos.simulator.embedded.render.ray_casting.rays import Window
from caos.simulator.lens import pixel_directions

Floats = NDArray[np.float32]
SCREEN_GAMMA = 2.2
MIDDLE, CONTRAST = 0.18, 0.9


def develop(radiance: Floats, exposure: float, camera: Camera, window: Window | None = None) -> NDArray[np.uint8]:
    """Convert linear radiance to an 8-bit image ``(h, w, 3)``, or a ``window`` of it."""
    light: Floats = np.maximum(radiance, 0)
    light *= np.float32(exposure / MIDDLE)
    # Slightly reduced contrast, as in cameras and games: shadows stay readable.
    np.power(light, np.float32(CONTRAST), out=light)
    light *= np.float32(MIDDLE)
    if camera.lens_falloff > 0:
        light *= _falloff(camera)[(window or Window.whole(camera)).slices][..., None]
    return encode(filmic(light), camera.gamma)


def glow(emission: Floats, brightest: float) -> tuple[Floats, Floats]:
    """Light that lamps add to an image: their own radiance, clamped to ``brightest``, and a soft halo around them."""
    import cv2

    peak = np.maximum(np.maximum(emission[..., 0], emission[..., 1]), emission[..., 2])[..., None]
    shown = emission * np.minimum(1, np.float32(brightest) / np.maximum(peak, np.float32(1e-9)))
    height, width = emission.shape[:2]
    small = cv2.resize(shown, (max(width // 4, 1), max(height // 4, 1)), interpolation=cv2.INTER_AREA)
    unit = height / 720 / 4
    near, far = (cv2.GaussianBlur(small, (0, 0), max(radius * unit, 0.3)) for radius in (5, 16))
    halo = 0.12 * near + 0.07 * far
    lamps, halos = cv2.GaussianBlur(shown, (3, 3), 0.5), cv2.resize(halo, (width, height))
    return np.asarray(lamps, np.float32), np.asarray(halos, np.float32)


def filmic(light: Floats) -> Floats:
    """Apply a filmic curve: a soft toe, a long shoulder; 0.18 maps to about 0.18 (Narkowicz's fit of ACES)."""
    luminance = np.einsum("...j,j->...", light, np.array([0.2126, 0.7152, 0.0722], np.float32))
    ratio = _curve(luminance) / np.maximum(luminance, np.float32(1e-6))
    # The curve alone desaturates strong colours; keep part of their ratio.
    kept = light * (np.float32(0.35) * ratio)[..., None]
    out = _curve(light)
    out *= np.float32(0.65)
    out += np.minimum(kept, np.float32(0.35), out=kept)
    return out


def _curve(x: Floats) -> Floats:
    x = np.minimum(x * np.float32(0.85), np.float32(60))
    out: Floats = np.float32(2.51) * x
    out += np.float32(0.03)
    out *= x
    below = np.float32(2.43) * x
    below += np.float32(0.59)
    below *= x
    below += np.float32(0.14)
    out /= below
    return np.minimum(out, np.float32(1), out=out)


def encode(linear: Floats, gamma: float) -> NDArray[np.uint8]:
    """Encode linear values in 0..1 as sRGB bytes, with another exponent where ``gamma`` is not 2.2."""
    steps = np.clip(linear, 0, 1)
    steps *= np.float32(16383)
    steps += np.float32(0.5)
    out: NDArray[np.uint8] = _screen_table(gamma)[steps.astype(np.uint16)]
    return out


@functools.lru_cache(maxsize=4)
def _screen_table(gamma: float) -> NDArray[np.uint8]:
    curve = linear_to_srgb(np.linspace(0, 1, 16384)) ** (SCREEN_GAMMA / gamma)
    return (curve * 255 + 0.5).astype(np.uint8)


def _falloff(camera: Camera) -> Floats:
    """Share of light that reaches each pixel: cosine of its angle to the fourth power, scaled by ``lens_falloff``."""
    if not camera.lens.is_pinhole:
        rays = pixel_directions(camera.optics).reshape(camera.height, camera.width, 3)
        straight = np.maximum(rays[..., 0] / np.linalg.norm(rays, axis=2), 0)
        bent: Floats = (1 - camera.lens_falloff * (1 - straight**4)).astype(np.float32)
        return bent
    half = np.tan(np.radians(camera.fov_deg) / 2)
    x = ((np.arange(camera.width) + 0.5) * 2 / camera.width - 1) * half
    y = ((np.arange(camera.height) + 0.5) * 2 / camera.height - 1) * half * camera.height / camera.width
    cosine = 1 / np.sqrt(1 + x[None] ** 2 + y[:, None] ** 2)
    out: Floats = (1 - camera.lens_falloff * (1 - cosine**4)).astype(np.float32)
    return out
