"""PNG files: whatever the compression, the pixels come back."""

import cv2
import numpy as np
import pytest

from caos.foundation.png import png_bytes


@pytest.mark.parametrize("compression", [0, 1, 4, 9])
@pytest.mark.parametrize("shape", [(1, 1), (17, 33), (40, 60)])
def test_pixels_come_back(compression, shape):
    smooth = np.add.outer(np.arange(shape[0]) * 3, np.arange(shape[1]) * 2).astype(np.uint8)
    data = np.frombuffer(png_bytes(smooth, compression), np.uint8)
    assert np.array_equal(cv2.imdecode(data, cv2.IMREAD_UNCHANGED), smooth)
