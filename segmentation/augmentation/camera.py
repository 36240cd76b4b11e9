"""Camera faults for training pictures: exposure, vignetting, white balance, blur, sensor noise, gamma and JPEG.

A rendered picture comes from a camera without faults; a photograph does not. Each fault is a function of a picture, a
strength (1 for a usual camera) and a generator, and leaves every pixel where it is, so that labels stay true.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from caos.foundation.colour import linear_to_srgb, srgb_to_linear
from caos.segmentation.training.config import CAMERA_FAULTS, TrainConfig

Picture = NDArray[np.uint8]
Fault = Callable[[Picture, float, np.random.Generator], Picture]

EXPOSURE_STOPS: Final = 1.0
DARK_CORNERS: Final = 0.6
"""Share of the light that the corners lose at most."""
COLOUR_CAST: Final = 0.12
"""Standard deviation of the logarithm of a channel's gain."""
BLUR_PIXELS: Final = 1.5
SHOT_NOISE, READ_NOISE = 0.05, 0.02
GAMMA_RANGE: Final = 0.35
JPEG_LOSS: Final = 75
"""Quality points below 100 at most."""
_LINEAR: Final = srgb_to_linear(np.arange(256) / 255)


def worsen(picture: Picture, config: TrainConfig, rng: np.random.Generator) -> Picture:
    """The picture as a camera with the configured faults takes it; each happens to a share of the pictures."""
    wanted = CAMERA_FAULTS if "camera" in config.augment else config.augment
    for name in CAMERA_FAULTS:
        if name in wanted and rng.random() < config.camera_share:
            picture = FAULTS[name](picture, config.camera_strength, rng)
    return picture


def change_exposure(picture: Picture, strength: float, rng: np.random.Generator) -> Picture:
    """More or less light, up to a stop; what is too bright is clipped."""
    return _with_gains(picture, np.full(3, 2.0 ** (EXPOSURE_STOPS * strength * rng.uniform(-1, 1))))


def shift_white(picture: Picture, strength: float, rng: np.random.Generator) -> Picture:
    """A colour cast: each channel's light has a gain of its own, green none."""
    red, blue = np.exp(COLOUR_CAST * strength * rng.standard_normal(2))
    return _with_gains(picture, np.array([red, 1.0, blue]))


def darken_corners(picture: Picture, strength: float, rng: np.random.Generator) -> Picture:
    """Light falls with the square of the distance from the middle."""
    loss = min(DARK_CORNERS * strength * rng.random(), 0.95)
    rows, columns = (np.linspace(-1, 1, side, dtype=np.float32) for side in picture.shape[:2])
    kept = 1 - np.float32(loss / 2) * (rows[:, None] ** 2 + columns[None] ** 2)
    # Of light, not of screen values: their ratio is close to the 2.2th root of it.
    return np.asarray(picture * kept[..., None] ** np.float32(1 / 2.2) + 0.5, np.uint8)


def blur(picture: Picture, strength: float, rng: np.random.Generator) -> Picture:
    """A lens out of focus."""
    sigma = BLUR_PIXELS * strength * rng.random()
    return picture if sigma < 0.1 else np.asarray(cv2.GaussianBlur(picture, (0, 0), sigma), np.uint8)


def add_noise(picture: Picture, strength: float, rng: np.random.Generator) -> Picture:
    """Noise of the sensor: a part that grows with the root of the signal, and a part that is always there."""
    level = np.float32(strength * rng.random())
    signal = picture.astype(np.float32) / 255
    spread = level * np.sqrt(np.float32(SHOT_NOISE**2) * signal + np.float32(READ_NOISE**2))
    noisy = signal + spread * rng.standard_normal(picture.shape, dtype=np.float32)
    return np.asarray(np.clip(noisy * 255 + 0.5, 0, 255), np.uint8)


def bend_gamma(picture: Picture, strength: float, rng: np.random.Generator) -> Picture:
    """Another tone curve: darker or brighter in the middle, black and white unchanged."""
    exponent = np.exp(GAMMA_RANGE * strength * rng.uniform(-1, 1))
    table = (np.arange(256) / 255) ** exponent * 255
    return np.asarray(cv2.LUT(picture, np.round(table).astype(np.uint8)), np.uint8)


def compress(picture: Picture, strength: float, rng: np.random.Generator) -> Picture:
    """The losses of JPEG."""
    quality = int(np.clip(100 - JPEG_LOSS * strength * rng.random(), 5, 100))
    done, stored = cv2.imencode(".jpg", picture[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, quality])
    assert done
    return np.asarray(cv2.imdecode(stored, cv2.IMREAD_COLOR), np.uint8)[..., ::-1].copy()


def _with_gains(picture: Picture, gains: NDArray[np.float64]) -> Picture:
    screen = linear_to_srgb(np.clip(_LINEAR[:, None] * gains, 0, 1)) * 255
    return np.asarray(cv2.LUT(picture, np.round(screen).astype(np.uint8)[:, None, :]), np.uint8)


FAULTS: Final[dict[str, Fault]] = {
    "exposure": change_exposure,
    "vignette": darken_corners,
    "white-balance": shift_white,
    "blur": blur,
    "noise": add_noise,
    "gamma": bend_gamma,
    "jpeg": compress,
}
"""By the names of ``--augment``."""
