"""The parameters of all corruptions, as ImageNet-C publishes them for each severity."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest

from caos.studies.corruptions.corruption import REGISTRY, SEVERITIES, make_corruption

ZOOMS = (
    (1.00, 1.01, 1.02, 1.03, 1.04, 1.05, 1.06, 1.07, 1.08, 1.09, 1.10, 1.11),
    (1.00, 1.01, 1.02, 1.03, 1.04, 1.05, 1.06, 1.07, 1.08, 1.09, 1.10, 1.11, 1.12, 1.13, 1.14, 1.15),
    (1.00, 1.02, 1.04, 1.06, 1.08, 1.10, 1.12, 1.14, 1.16, 1.18, 1.20),
    (1.00, 1.02, 1.04, 1.06, 1.08, 1.10, 1.12, 1.14, 1.16, 1.18, 1.20, 1.22, 1.24),
    (1.00, 1.03, 1.06, 1.09, 1.12, 1.15, 1.18, 1.21, 1.24, 1.27, 1.30),
)
PARAMETERS: dict[str, dict[str, tuple[Any, ...]]] = {
    "brightness": {"AMOUNTS": (0.1, 0.2, 0.3, 0.4, 0.5)},
    "contrast": {"FACTORS": (0.4, 0.3, 0.2, 0.1, 0.05)},
    "defocus_blur": {"RADII": (3, 4, 6, 8, 10), "SOFTNESS": (0.1, 0.5, 0.5, 0.5, 0.5)},
    "elastic_transform": {
        "STRETCHES": (
            (488, 170.8, 24.4),
            (488, 19.52, 48.8),
            (12.2, 2.44, 4.88),
            (17.08, 2.44, 4.88),
            (29.28, 2.44, 4.88),
        )
    },
    "fog": {"THICKNESS": (1.5, 2, 2.5, 2.5, 3), "DECAYS": (2, 2, 1.7, 1.5, 1.4)},
    "frost": {"SCENE": (1, 0.8, 0.7, 0.65, 0.6), "ICE": (0.4, 0.6, 0.7, 0.7, 0.75)},
    "gaussian_blur": {"DEVIATIONS": (1, 2, 3, 4, 6)},
    "gaussian_noise": {"DEVIATIONS": (0.08, 0.12, 0.18, 0.26, 0.38)},
    "glass_blur": {"DEVIATIONS": (0.7, 0.9, 1, 1.1, 1.5), "JUMPS": (1, 2, 2, 3, 4), "ROUNDS": (2, 1, 3, 2, 2)},
    "impulse_noise": {"SHARES": (0.03, 0.06, 0.09, 0.17, 0.27)},
    "jpeg_compression": {"QUALITIES": (25, 18, 15, 10, 7)},
    "motion_blur": {"RADII": (10, 15, 15, 15, 20), "DEVIATIONS": (3, 5, 8, 12, 15)},
    "pixelate": {"SHARES": (0.6, 0.5, 0.4, 0.3, 0.25), "LARGEST_SHARES": (0.95, 0.9, 0.85, 0.75, 0.65)},
    "saturate": {"GAINS": (0.3, 0.1, 2, 5, 20), "SHIFTS": (0, 0, 0, 0.1, 0.2)},
    "shot_noise": {"PHOTONS": (60, 25, 12, 5, 3)},
    "snow": {
        "SNOWFALLS": (
            (0.1, 0.3, 3, 0.5, 10, 4, 0.8),
            (0.2, 0.3, 2, 0.5, 12, 4, 0.7),
            (0.55, 0.3, 4, 0.9, 12, 8, 0.7),
            (0.55, 0.3, 4.5, 0.85, 12, 8, 0.65),
            (0.55, 0.3, 2.5, 0.85, 12, 12, 0.55),
        )
    },
    "spatter": {
        "LIQUIDS": (
            (0.65, 0.3, 4, 0.69, 0.6, 0),
            (0.65, 0.3, 3, 0.68, 0.6, 0),
            (0.65, 0.3, 2, 0.68, 0.5, 0),
            (0.65, 0.3, 1, 0.65, 1.5, 1),
            (0.67, 0.4, 1, 0.65, 1.5, 1),
        )
    },
    "speckle_noise": {"DEVIATIONS": (0.15, 0.2, 0.35, 0.45, 0.6)},
    "zoom_blur": {"FACTORS": ZOOMS},
}


def test_the_parameters_of_every_corruption_are_listed() -> None:
    assert sorted(PARAMETERS) == sorted(REGISTRY.names())


@pytest.mark.parametrize("name", sorted(PARAMETERS))
def test_parameters_are_the_published_ones(name: str) -> None:
    module = importlib.import_module(f"caos.studies.corruptions.kinds.{name}")
    for table, published in PARAMETERS[name].items():
        found = getattr(module, table)
        assert len(found) == len(published) == len(SEVERITIES)
        for own, theirs in zip(found, published, strict=True):
            np.testing.assert_allclose(np.asarray(own, np.float64), theirs, rtol=1e-12)


def test_zooms_are_those_of_numpy() -> None:
    ends = ((1.11, 0.01), (1.16, 0.01), (1.21, 0.02), (1.26, 0.02), (1.31, 0.03))
    for listed, (end, step) in zip(ZOOMS, ends, strict=True):
        np.testing.assert_allclose(listed, np.arange(1, end, step))


@pytest.mark.parametrize("severity", SEVERITIES)
def test_zoom_blur_reaches_as_far_as_the_largest_factor(severity: int) -> None:
    """A dot leaves a trail from where it is to where the largest enlargement puts it."""
    picture = np.zeros((1201, 1201, 3), np.uint8)
    picture[599:602, 998:1003] = 255
    trail = make_corruption("zoom_blur").corrupt(picture, severity, np.random.default_rng(0))[600, :, 0]
    shown = np.flatnonzero(trail)
    assert shown.min() == pytest.approx(998, abs=2)
    assert shown.max() == pytest.approx(600 + 402 * ZOOMS[severity - 1][-1], abs=2)
