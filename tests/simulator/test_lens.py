"""Lens models against OpenCV, round trips, and invalid lenses."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from caos.simulator.lens import PINHOLE, Lens, Optics

BROWN = Lens("brown", (-0.28, 0.09, 0.001, -0.0015, -0.01))
FISHEYE = Lens("fisheye", (0.02, -0.004, 0.001, -0.0002))
LENSES = [
    Optics(320, 200, 90.0),
    Optics(320, 200, 90.0, BROWN),
    Optics(320, 200, 190.0, FISHEYE),
    Optics(320, 200, 180.0, Lens("fisheye")),
    Optics(320, 160, 360.0, Lens("equirectangular")),
]


def _image_points(optics: Optics) -> tuple[np.ndarray, np.ndarray]:
    y, x = np.mgrid[0 : optics.height : 7, 0 : optics.width : 9] + 0.5
    return x.ravel(), y.ravel()


@pytest.mark.parametrize("optics", LENSES, ids=lambda optics: optics.lens.model)
def test_projection_inverts_rays(optics: Optics) -> None:
    x, y = _image_points(optics)
    rays = optics.rays(x, y)
    lengths = rays[:, 0] if optics.lens.depth_is_planar else np.linalg.norm(rays, axis=1)
    assert lengths == pytest.approx(1.0, abs=1e-12)
    again_x, again_y, seen = optics.project(rays * 7.5)
    assert seen.all()
    assert np.abs(again_x - x).max() < 1e-7
    assert np.abs(again_y - y).max() < 1e-7


@pytest.mark.parametrize("optics", LENSES[:4], ids=lambda optics: f"{optics.lens.model} {optics.fov_deg:g}")
def test_projection_matches_opencv(optics: Optics) -> None:
    rng = np.random.default_rng(0)
    ahead = rng.uniform([2, -3, -2], [9, 3, 2], (200, 3))
    # To OpenCV's axes: right, down, forward.
    theirs = np.ascontiguousarray(ahead[:, [1, 2, 0]] * [1, -1, 1]).reshape(-1, 1, 3)
    still, matrix = np.zeros(3), optics.intrinsics
    if optics.lens.model == "fisheye":
        k = np.array([*optics.lens.coefficients, 0, 0, 0, 0][:4], float)
        expected, _ = cv2.fisheye.projectPoints(theirs, still, still, matrix, k)
    else:
        expected, _ = cv2.projectPoints(theirs, still, still, matrix, np.array(optics.lens.coefficients, float))
    x, y, seen = optics.project(ahead)
    assert seen.all()
    # OpenCV's pixel centres are integers, ours are half a pixel from the edge.
    assert np.abs(np.stack([x, y], 1) - 0.5 - expected.reshape(-1, 2)).max() < 1e-6


def test_the_field_of_view_is_as_requested() -> None:
    for lens, fov in ((PINHOLE, 100.0), (FISHEYE, 200.0), (Lens("equirectangular"), 360.0)):
        left, right = Optics(400, 200, fov, lens).rays(np.array([0.0, 400.0]), np.array([100.0, 100.0]))
        bearings = np.degrees(np.arctan2([left[1], right[1]], [left[0], right[0]]))
        assert bearings == pytest.approx([-fov / 2, fov / 2], abs=1e-6)


@pytest.mark.parametrize(
    ("optics", "why"),
    [
        (Optics(320, 200, 90.0, Lens("brown", (0.1,))), "a brown lens has 4 or 5 coefficients, not 1"),
        (Optics(320, 200, 90.0, Lens("pinhole", (0.1,))), "a pinhole lens has 0 coefficients, not 1"),
        (Optics(320, 200, 175.0), "a field of view of 175 degrees is outside 1..170 for pinhole"),
        (
            Optics(320, 320, 360.0, Lens("equirectangular")),
            "320x320 at 360 degrees across is 360 degrees high",
        ),
        (Optics(320, 320, 300.0, Lens("fisheye")), "does not reach the corners of 320x320"),
        (Optics(320, 200, 120.0, Lens("brown", (-0.5, 0.0, 0.0, 0.0))), "does not reach the corners of 320x200"),
    ],
)
def test_an_invalid_lens_is_refused(optics: Optics, why: str) -> None:
    problem = optics.problem()
    assert problem is not None
    assert why in problem


@pytest.mark.parametrize("optics", LENSES, ids=lambda optics: optics.lens.model)
def test_a_valid_lens_is_accepted(optics: Optics) -> None:
    assert optics.problem() is None
