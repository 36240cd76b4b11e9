"""PNG files: whatever the compression, the pixels come back."""

import cv2
import numpy as np
import pytest

from caos.foundation.storage.png import png_bytes

SHAPES = [(1, 1), (1, 40), (40, 1), (17, 33), (40, 60)]


def smooth(shape):
    return np.add.outer(np.arange(shape[0]) * 3, np.arange(shape[1]) * 2).astype(np.uint8)


def decoded(data):
    return cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_UNCHANGED)


@pytest.mark.parametrize("compression", [1, 4, 9])
@pytest.mark.parametrize("shape", SHAPES)
def test_pixels_come_back(compression, shape):
    assert np.array_equal(decoded(png_bytes(smooth(shape), compression)), smooth(shape))
