"""Rays: which ones a camera sends, and what they meet."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.embedded.render.description import SKY_TAG, Camera

Floats = NDArray[np.float32]
Indices = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Rays:
    """Rays to cast, and where in the image they pass if a camera sent them.

    Attributes:
        origins: ``(n, 3)`` float32.
        directions: ``(n, 3)`` float32; a camera's have length one along its viewing axis, so that distances along them
            are planar depth.
        camera: Who sent them, or None.
        x: ``(n,)`` pixels from the left; None for the centres of all pixels, row by row.
        y: ``(n,)`` pixels from the top.
    """

    origins: Floats
    directions: Floats
    camera: Camera | None = None
    x: Floats | None = None
    y: Floats | None = None

    def __len__(self) -> int:
        return len(self.origins)

    def within(self, box: tuple[float, float, float, float]) -> Indices:
        """Indices of the rays that pass an image box (left, top, right, bottom; pixels)."""
        assert self.camera is not None
        left, top, right, bottom = box
        if self.x is None or self.y is None:
            columns = np.arange(max(int(left), 0), min(int(right) + 1, self.camera.width))
            rows = np.arange(max(int(top), 0), min(int(bottom) + 1, self.camera.height))
            return (rows[:, None] * self.camera.width + columns).ravel()
        return np.flatnonzero((self.x >= left) & (self.x <= right) & (self.y >= top) & (self.y <= bottom))


@dataclass(frozen=True, eq=False)
class Surface:
    """First hits of rays, in detail; rows follow the rays.

    Attributes:
        distance: ``(n,)`` float32 in lengths of the direction vectors, infinite where nothing is met.
        tag: ``(n,)`` uint8.
        instance: ``(n,)`` uint32.
        material: ``(n,)`` int32 index into the caster's materials, -1 where nothing is met.
        uv: ``(n, 2)`` float32, zero where there is no texture.
        normal: ``(n, 3)`` float32 unit shading normals, turned towards the ray's origin.
    """

    distance: Floats
    tag: NDArray[np.uint8]
    instance: NDArray[np.uint32]
    material: NDArray[np.int32]
    uv: Floats
    normal: Floats

    @staticmethod
    def sky(count: int) -> Surface:
        """Nothing met by ``count`` rays."""
        return Surface(
            np.full(count, np.inf, np.float32),
            np.full(count, SKY_TAG, np.uint8),
            np.zeros(count, np.uint32),
            np.full(count, -1, np.int32),
            np.zeros((count, 2), np.float32),
            np.zeros((count, 3), np.float32),
        )


def unit(vectors: Floats) -> Floats:
    """Vectors ``(n, 3)`` of length one; zero stays zero."""
    length = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    out: Floats = vectors / np.maximum(length, np.float32(1e-12))[:, None]
    return out


def pixel_rays(camera: Camera) -> Rays:
    """Rays through the centres of all pixels, row by row."""
    rows, columns = np.divmod(np.arange(camera.height * camera.width), camera.width)
    through = rays_through(camera, columns + 0.5, rows + 0.5)
    return Rays(through.origins, through.directions, camera)


def rays_through(camera: Camera, x: NDArray[np.float64], y: NDArray[np.float64]) -> Rays:
    """Rays through image points in pixels from the left and from the top."""
    matrix = camera.pose.matrix
    half = half_width(camera)
    across = (x * (2 / camera.width) - 1) * half
    up = (1 - y * (2 / camera.height)) * half * camera.height / camera.width
    axes = matrix[:3, :3].astype(np.float32)
    directions = axes[:, 0] + np.outer(across.astype(np.float32), axes[:, 1])
    directions += np.outer(up.astype(np.float32), axes[:, 2])
    origins = np.broadcast_to(matrix[:3, 3].astype(np.float32), directions.shape)
    return Rays(np.ascontiguousarray(origins), directions, camera, x.astype(np.float32), y.astype(np.float32))


def half_width(camera: Camera) -> float:
    """Half of the image's width at distance one."""
    return float(np.tan(np.radians(camera.fov_deg) / 2))


def image_box(points: NDArray[np.float64], camera: Camera) -> tuple[float, float, float, float] | None:
    """The box of the image (left, top, right, bottom; pixels, a little wide) that holds world points ``(n, 3)``.

    None if all of them are behind the camera; the whole image if some are.
    """
    matrix = camera.pose.matrix
    local = (points - matrix[:3, 3]) @ matrix[:3, :3]
    if (local[:, 0] <= 0).all():
        return None
    if (local[:, 0] < 0.05).any():
        return 0.0, 0.0, float(camera.width), float(camera.height)
    scale = camera.width / (2 * half_width(camera))
    x = camera.width / 2 + local[:, 1] / local[:, 0] * scale
    y = camera.height / 2 - local[:, 2] / local[:, 0] * scale
    return float(x.min()) - 2, float(y.min()) - 2, float(x.max()) + 2, float(y.max()) + 2
