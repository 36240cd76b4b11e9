"""JPEG compression: blocks and ringing of strong lossy compression.

Qualities 25, 18, 15, 10, 7. Blocks are 8 pixels in pictures of every size.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from caos.studies.corruptions.corruption import Corruption, Picture

QUALITIES: Final = (25, 18, 15, 10, 7)


class JpegCompression(Corruption):
    """A picture written as JPEG and read again."""

    title = "JPEG compression"
    group = "digital"

    def _corrupt(self, picture: Picture, severity: int, rng: np.random.Generator) -> Picture:
        quality = [cv2.IMWRITE_JPEG_QUALITY, QUALITIES[severity - 1]]
        _, data = cv2.imencode(".jpg", cv2.cvtColor(picture, cv2.COLOR_RGB2BGR), quality)
        read = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
        return np.asarray(cv2.cvtColor(read, cv2.COLOR_BGR2RGB), np.uint8)
