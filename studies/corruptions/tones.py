"""Tones of a picture: value and saturation of HSV changed without a hue that is rounded to a byte."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]


def largest_channel(picture: Picture) -> NDArray[np.uint8]:
    """The value of HSV, ``(h, w)``."""
    red, green, blue = cv2.split(picture)
    return np.asarray(cv2.max(cv2.max(red, green), blue), np.uint8)


def smallest_channel(picture: Picture) -> NDArray[np.uint8]:
    """The smallest of the three channels, ``(h, w)``."""
    red, green, blue = cv2.split(picture)
    return np.asarray(cv2.min(cv2.min(red, green), blue), np.uint8)


def shift_value(picture: Picture, amount: float) -> Picture:
    """The picture with ``amount`` (-1..1) added to the value of HSV; hue and saturation stay, black becomes grey."""
    value = largest_channel(picture)
    steps = np.arange(256, dtype=np.float32)
    wanted = np.clip(steps + 255 * np.float32(amount), 0, 255)
    gain = np.take(np.divide(wanted, steps, out=np.zeros_like(steps), where=steps > 0), value)
    changed = np.asarray(cv2.multiply(picture, cv2.merge([gain, gain, gain]), dtype=cv2.CV_8U), np.uint8)
    if wanted[0] > 0:
        changed[value == 0] = np.rint(wanted[0])
    return changed


def scale_saturation(picture: Picture, gain: float, shift: float) -> Picture:
    """The picture with the saturation of HSV times ``gain`` plus ``shift``, at most 1; hue and value stay.

    A grey has no hue that could be strengthened, and stays grey.
    """
    value = largest_channel(picture).astype(np.float32)
    spread = value - smallest_channel(picture)
    saturation = np.divide(spread, value, out=np.zeros_like(value), where=value > 0)
    wanted = np.clip(saturation * np.float32(gain) + np.float32(shift), 0, 1)
    factor = np.divide(wanted, saturation, out=np.ones_like(value), where=saturation > 0)
    # A channel c of a pixel with value v becomes v - (v - c) * factor.
    offset = value * (1 - factor)
    scaled = cv2.multiply(picture, cv2.merge([factor, factor, factor]), dtype=cv2.CV_32F)
    return np.asarray(cv2.add(scaled, cv2.merge([offset, offset, offset]), dtype=cv2.CV_8U), np.uint8)
