"""Lens models: projection between image points and rays.

A lens maps between image points (pixels from the left and the top edge, so that the first pixel's centre is 0.5) and
rays in a camera's axes (x forward, y right, z up). Models and order of coefficients are OpenCV's:

* ``pinhole``: no coefficients; ``fov_deg`` is the horizontal field of view.
* ``brown``: ``k1 k2 p1 p2`` and optionally ``k3`` (Brown, 1966); ``fov_deg`` is that of the image without distortion.
* ``fisheye``: ``k1 k2 k3 k4``, all zero for an equidistant lens (Kannala and Brandt, 2006); ``fov_deg`` is the whole
  horizontal field of view.
* ``equirectangular``: columns are longitudes, rows latitudes; a full panorama is 360 degrees wide.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
LensModel = Literal["pinhole", "brown", "fisheye", "equirectangular"]
LENS_MODELS: Final[tuple[str, ...]] = get_args(LensModel)
_COUNTS: Final = {"pinhole": (0,), "brown": (4, 5), "fisheye": (0, 1, 2, 3, 4), "equirectangular": (0,)}
_WIDEST_DEG: Final = {"pinhole": 170.0, "brown": 170.0, "fisheye": 360.0, "equirectangular": 360.0}
_ITERATIONS: Final = 60
_CLOSE: Final = 1e-9


@dataclass(frozen=True)
class Lens:
    """A lens model with its coefficients.

    Attributes:
        model: Name of the model, see the module's docstring.
        coefficients: In OpenCV's order.
    """

    model: LensModel = "pinhole"
    coefficients: tuple[float, ...] = ()

    @property
    def is_pinhole(self) -> bool:
        """Whether straight lines stay straight."""
        return self.model == "pinhole"

    @property
    def depth_is_planar(self) -> bool:
        """Whether depth is measured along the viewing axis; along the ray for lenses that may look backwards."""
        return self.model in ("pinhole", "brown")


PINHOLE: Final = Lens()


@dataclass(frozen=True)
class Optics:
    """A lens with an image size and a field of view."""

    width: int
    height: int
    fov_deg: float = 90.0
    lens: Lens = PINHOLE

    @property
    def focal_px(self) -> float:
        """Focal length: pixels per unit tangent, or for wide lenses per radian."""
        half = np.radians(self.fov_deg) / 2
        if self.lens.depth_is_planar:
            return float(self.width / 2 / np.tan(half))
        if self.lens.model == "fisheye":
            return float(self.width / 2 / _bent(np.array([half]), self.lens.coefficients)[0])
        return float(self.width / (2 * half))

    @property
    def intrinsics(self) -> Floats:
        """OpenCV's camera matrix ``(3, 3)``, with pixel centres at whole numbers."""
        f = self.focal_px
        return np.array([[f, 0, (self.width - 1) / 2], [0, f, (self.height - 1) / 2], [0, 0, 1]])

    def problem(self) -> str | None:
        """Return why the lens is invalid, or None."""
        model, given = self.lens.model, self.lens.coefficients
        if len(given) not in _COUNTS[model]:
            allowed = " or ".join(map(str, _COUNTS[model]))
            return f"a {model} lens has {allowed} coefficients, not {len(given)}"
        if not np.isfinite(given).all():
            return f"coefficients {given} of a lens are not finite"
        if not 1.0 <= self.fov_deg <= _WIDEST_DEG[model]:
            return f"a field of view of {self.fov_deg:g} degrees is outside 1..{_WIDEST_DEG[model]:g} for {model}"
        if model == "equirectangular" and self.fov_deg * self.height / self.width > 180 + 1e-9:
            tall = self.fov_deg * self.height / self.width
            return f"{self.width}x{self.height} at {self.fov_deg:g} degrees across is {tall:g} degrees high, above 180"
        return None if self._rim_is_seen() else self._no_rim()

    def _no_rim(self) -> str:
        described = f"{self.lens.model} {list(self.lens.coefficients)} at {self.fov_deg:g} degrees"
        return f"the lens {described} does not reach the corners of {self.width}x{self.height}: their rays do not exist"

    def _rim_is_seen(self) -> bool:
        """Whether projection inverts the rays of image points from the centre to the corners."""
        if self.lens.model not in ("brown", "fisheye"):
            return True
        across, down = np.linspace(0, self.width, 33), np.linspace(0, self.height, 33)
        x, y = (grid.ravel() for grid in np.meshgrid(across, down))
        with np.errstate(all="ignore"):
            rays = self.rays(x, y)
            if not np.isfinite(rays).all():
                return False
            again_x, again_y, seen = self.project(rays)
            return bool(seen.all() and np.hypot(again_x - x, again_y - y).max() < 1e-3)

    def rays(self, x: Floats, y: Floats) -> Floats:
        """Rays ``(n, 3)`` in camera axes through image points; distances along them are depth.

        With planar depth, x of a ray is one, otherwise its length is one.
        """
        f = self.focal_px
        right, down = (x - self.width / 2) / f, (y - self.height / 2) / f
        if self.lens.model == "brown":
            right, down = _undistorted(right, down, self.lens.coefficients)
        if self.lens.depth_is_planar:
            return np.stack([np.ones_like(right), right, -down], -1)
        if self.lens.model == "equirectangular":
            return np.stack([np.cos(down) * np.cos(right), np.cos(down) * np.sin(right), -np.sin(down)], -1)
        radius = np.hypot(right, down)
        angle = _unbent(radius, self.lens.coefficients)
        share = np.where(radius > 0, np.sin(angle) / np.maximum(radius, 1e-300), 1.0)
        return np.stack([np.cos(angle), right * share, -down * share], -1)

    def project(self, points: Floats) -> tuple[Floats, Floats, NDArray[np.bool_]]:
        """Project ``points`` ``(n, 3)`` in camera axes to image points x and y, with a mask of those the lens can see.

        Image points may lie outside the image.
        """
        forward, sideways, up = (points[..., k] for k in range(3))
        f = self.focal_px
        if self.lens.depth_is_planar:
            seen = forward > 1e-9
            safe = np.where(seen, forward, 1.0)
            right, down = sideways / safe, -up / safe
            if self.lens.model == "brown":
                seen &= _before_fold(np.hypot(right, down), self.lens.coefficients)
                right, down = _distorted(right, down, self.lens.coefficients)
        elif self.lens.model == "equirectangular":
            right, down = np.arctan2(sideways, forward), -np.arctan2(up, np.hypot(forward, sideways))
            seen = np.ones(right.shape, bool)
        else:
            beside = np.hypot(sideways, up)
            angle = np.arctan2(beside, forward)
            share = _bent(angle, self.lens.coefficients) / np.maximum(beside, 1e-300)
            right, down = np.where(beside > 0, sideways * share, 0.0), np.where(beside > 0, -up * share, 0.0)
            seen = angle <= _last_angle(self.lens.coefficients)
        return right * f + self.width / 2, down * f + self.height / 2, seen


@functools.lru_cache(maxsize=16)
def pixel_directions(optics: Optics) -> NDArray[np.float32]:
    """Rays ``(h * w, 3)`` through the pixel centres, row by row; cached, so treat as read-only."""
    rows, columns = np.divmod(np.arange(optics.height * optics.width), optics.width)
    out = optics.rays(columns + 0.5, rows + 0.5).astype(np.float32)
    out.flags.writeable = False
    return out


def _bent(angle: Floats, k: tuple[float, ...]) -> Floats:
    """Odd polynomial of an angle, after Kannala and Brandt."""
    square = angle * angle
    total = np.zeros_like(square)
    for coefficient in reversed(k):
        total = (total + coefficient) * square
    return angle * (1 + total)


def _slope(angle: Floats, k: tuple[float, ...]) -> Floats:
    square = angle * angle
    total = np.zeros_like(square)
    for power, coefficient in reversed(list(enumerate(k, 1))):
        total = (total + (2 * power + 1) * coefficient) * square
    return 1 + total


@functools.lru_cache(maxsize=64)
def _last_angle(k: tuple[float, ...]) -> float:
    """Angle up to which the polynomial rises: beyond it, image points would be ambiguous."""
    angles = np.linspace(0, np.pi, 2001)
    falling = np.flatnonzero(_slope(angles, k) <= 0)
    return float(angles[falling[0] - 1]) if len(falling) else float(np.pi)


def _unbent(radius: Floats, k: tuple[float, ...]) -> Floats:
    """Invert the polynomial: the angle for a ``radius``; NaN if there is none up to pi."""
    last = _last_angle(k)
    angle = np.minimum(radius, last)
    for _ in range(_ITERATIONS):
        step = (_bent(angle, k) - radius) / _slope(angle, k)
        angle = np.clip(angle - step, 0, last)
        if np.abs(step).max(initial=0) < 1e-14:
            break
    return np.where(np.abs(_bent(angle, k) - radius) < _CLOSE, angle, np.nan)


def _radial(square: Floats, k: tuple[float, ...]) -> tuple[Floats, Floats]:
    """Brown's radial factor of a squared radius, and its derivative."""
    k1, k2, k3 = k[0], k[1], k[4] if len(k) > 4 else 0.0
    return 1 + square * (k1 + square * (k2 + square * k3)), k1 + square * (2 * k2 + 3 * square * k3)


def _distorted(x: Floats, y: Floats, k: tuple[float, ...]) -> tuple[Floats, Floats]:
    square, (p1, p2) = x * x + y * y, k[2:4]
    radial, _ = _radial(square, k)
    return (
        x * radial + 2 * p1 * x * y + p2 * (square + 2 * x * x),
        y * radial + p1 * (square + 2 * y * y) + 2 * p2 * x * y,
    )


def _before_fold(radius: Floats, k: tuple[float, ...]) -> NDArray[np.bool_]:
    """Whether the radial distortion is increasing up to a radius."""
    steps = np.linspace(0, 20, 4001)
    radial, slope = _radial(steps * steps, k)
    falling = np.flatnonzero(radial + 2 * steps * steps * slope <= 0)
    out: NDArray[np.bool_] = radius < (steps[falling[0]] if len(falling) else np.inf)
    return out


def _undistorted(wanted_x: Floats, wanted_y: Floats, k: tuple[float, ...]) -> tuple[Floats, Floats]:
    """Invert :func:`_distorted` by Newton's method; NaN where there is no solution."""
    x, y = wanted_x.copy(), wanted_y.copy()
    p1, p2 = k[2:4]
    for _ in range(_ITERATIONS):
        square = x * x + y * y
        radial, slope = _radial(square, k)
        there_x, there_y = _distorted(x, y, k)
        off_x, off_y = there_x - wanted_x, there_y - wanted_y
        a = radial + 2 * x * x * slope + 2 * p1 * y + 6 * p2 * x
        b = 2 * x * y * slope + 2 * p1 * x + 2 * p2 * y
        d = radial + 2 * y * y * slope + 6 * p1 * y + 2 * p2 * x
        determinant = a * d - b * b
        x = x - (d * off_x - b * off_y) / determinant
        y = y - (a * off_y - b * off_x) / determinant
        if max(np.abs(off_x).max(initial=0), np.abs(off_y).max(initial=0)) < 1e-13:
            break
    there_x, there_y = _distorted(x, y, k)
    good = (np.hypot(there_x - wanted_x, there_y - wanted_y) < _CLOSE) & _before_fold(np.hypot(x, y), k)
    return np.where(good, x, np.nan), np.where(good, y, np.nan)
