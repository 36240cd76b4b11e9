"""Zoom blur that grows: the mean of the picture and all enlargements so far, each larger by 0.004."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import cv2
import numpy as np

from caos.studies.corruptions.corruption import Picture
from caos.studies.corruptions.kinds.zoom_blur import enlarged
from caos.studies.perturbations.perturbation import Repainting

STEP: Final = 0.004


class ZoomBlurFrames(Repainting):
    """Zoom blur."""

    title = "Zoom blur"
    group = "blur"

    def _pictures(self, picture: Picture, rng: np.random.Generator, frames: int) -> Iterator[Picture]:
        total = np.zeros(picture.shape, np.float32)
        for frame in range(frames):
            total += enlarged(picture, 1 + STEP * frame)
            yield np.asarray(cv2.convertScaleAbs(total, alpha=1 / (frame + 1)), np.uint8)
