from __future__ import annotations

import numpy as np
from PIL import Image

from caos.assets.modelling.colours import linear_color, linear_image, screen_image


def test_known_points_of_the_curve():
    assert np.allclose(linear_color((0, 188, 255)), (0, 0.5029, 1), atol=1e-4)
    assert screen_image([0, 0.2159, 0.5029, 1]).tolist() == [0, 128, 188, 255]


def test_every_byte_survives_conversion_to_linear_and_back():
    screen = np.arange(256, dtype=np.uint8).reshape(16, 16)
    light = linear_image(screen)
    assert light.dtype == np.float32
    assert (screen_image(light) == screen).all()


def test_an_image_is_converted_bytewise_and_values_above_one_are_clipped():
    picture = Image.new("RGB", (2, 1), (255, 128, 0))
    assert np.allclose(linear_image(picture), [[(1, 0.2159, 0)] * 2], atol=1e-4)
    assert screen_image([-1.0, 7.0]).tolist() == [0, 255]
