"""Rays of a camera, image windows, and the first hits of rays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from caos.assets.tags import SemanticTag
from caos.simulator.embedded.render.description import Camera
from caos.simulator.lens import pixel_directions

Floats = NDArray[np.float32]
Indices = NDArray[np.intp]
NEAR_M = 0.05


@dataclass(frozen=True)
class Window:
    """A rectangular window of an image's pixels."""

    left: int
    top: int
    width: int
    height: int

    @staticmethod
    def whole(camera: Camera) -> Window:
        """Return the window that covers a camera's whole image."""
        return Window(0, 0, camera.width, camera.height)

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width, in array order."""
        return self.height, self.width

    @property
    def slices(self) -> tuple[slice, slice]:
        """Slices of the window in arrays of the whole image."""
        return slice(self.top, self.top + self.height), slice(self.left, self.left + self.width)

    def meets(self, other: Window) -> bool:
        """Whether the windows overlap."""
        across = self.left < other.left + other.width and other.left < self.left + self.width
        return across and self.top < other.top + other.height and other.top < self.top + self.height

    def around(self, other: Window) -> Window:
        """Return the smallest window that contains both."""
        left, top = min(self.left, other.left), min(self.top, other.top)
        right = max(self.left + self.width, other.left + other.width)
        bottom = max(self.top + self.height, other.top + other.height)
        return Window(left, top, right - left, bottom - top)

    def within(self, outer: Window) -> Window:
        """Convert to coordinates relative to ``outer``."""
        return Window(self.left - outer.left, self.top - outer.top, self.width, self.height)

    def grown(self, margin: int, shape: tuple[int, int]) -> Window:
        """Return the window enlarged by ``margin`` pixels and clipped to an image of that ``shape``."""
        left, top = max(self.left - margin, 0), max(self.top - margin, 0)
        right = min(self.left + self.width + margin, shape[1])
        return Window(left, top, right - left, min(self.top + self.height + margin, shape[0]) - top)

    def divided(self, side: int) -> Window:
        """Convert to the grid of squares of ``side`` pixels; the window must be aligned with the grid."""
        return Window(self.left // side, self.top // side, -(-self.width // side), -(-self.height // side))

    @property
    def grid(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Row indices ``(h, 1)`` and column indices ``(1, w)`` of the window in the whole image."""
        rows, columns = np.indices(self.shape, np.int32, sparse=True)
        return rows + np.int32(self.top), columns + np.int32(self.left)

    def pixels(self, camera: Camera, places: Indices | None = None) -> Indices:
        """Flat pixel indices, in the camera's image, of the window's pixels, or of those at ``places`` within it."""
        if places is None:
            places = np.arange(self.width * self.height)
        rows, columns = np.divmod(places, self.width)
        return (rows + self.top) * camera.width + columns + self.left


@dataclass(frozen=True, eq=False)
class Rays:
    """Rays to cast, and the pixels that they pass through if they belong to a camera.

    Attributes:
        origins: ``(n, 3)`` float32.
        directions: ``(n, 3)`` float32; a pinhole camera's have length one along its viewing axis, so that distances
            along them are planar depth; those of other lenses have length one.
        camera: The camera that the rays belong to, or None.
        pixels: ``(n,)`` flat pixel indices in rising order; None for all pixels, once each.
    """

    origins: Floats
    directions: Floats
    camera: Camera | None = None
    pixels: Indices | None = None

    def __len__(self) -> int:
        return len(self.origins)

    def through(self, pixels: Indices) -> Rays:
        """Select the camera rays through some pixels (indices in rising order); the rays must cover all pixels."""
        assert self.pixels is None
        return Rays(self.origins[pixels], self.directions[pixels], self.camera, pixels)

    def within(self, box: NDArray[np.int64]) -> Indices:
        """Indices of the rays in a box of pixels (left, top, right, bottom; right and bottom are exclusive)."""
        assert self.camera is not None
        left, top, right, bottom = (int(v) for v in box)
        width = self.camera.width
        if self.pixels is None:
            return (np.arange(top, bottom)[:, None] * width + np.arange(left, right)).ravel()
        first, last = np.searchsorted(self.pixels, (top * width, bottom * width))
        column = self.pixels[first:last] % width
        return np.flatnonzero((column >= left) & (column < right)) + int(first)


@dataclass(frozen=True, eq=False)
class Surface:
    """First hits of rays, in detail; rows follow the rays.

    Attributes:
        distance: ``(n,)`` float32 in lengths of the direction vectors, infinite for a miss.
        tag: ``(n,)`` uint8.
        instance: ``(n,)`` uint32.
        material: ``(n,)`` int32 index into the caster's materials, -1 for a miss.
        thing: ``(n,)`` int32 index of the actor that is hit, -1 for the town and the sky.
        uv: ``(n, 2)`` float32, zero where there is no texture.
        normal: ``(n, 3)`` float32 unit shading normals, turned towards the ray's origin.
    """

    distance: Floats
    tag: NDArray[np.uint8]
    instance: NDArray[np.uint32]
    material: NDArray[np.int32]
    thing: NDArray[np.int32]
    uv: Floats
    normal: Floats

    def rows(self, chosen: Indices) -> Surface:
        """Select some of the hits."""
        return Surface(*(getattr(self, field.name)[chosen] for field in fields(self)))

    def slid(self, here: Rays, there: Rays) -> Surface:
        """Approximate the hits of rays ``there`` on the tangent planes that the rays ``here`` hit."""
        across = np.einsum("ij,ij->i", self.normal, there.directions)
        along = np.einsum("ij,ij->i", self.normal, here.directions)
        ratio = along / np.where(np.abs(across) < 1e-6, np.float32(-1e-6), across)
        return replace(self, distance=self.distance * np.clip(ratio, 0.8, 1.25).astype(np.float32))

    def patched(self, places: Indices, others: Surface) -> Surface:
        """Replace the hits at ``places`` by ``others``."""
        out = Surface(*(getattr(self, field.name).copy() for field in fields(self)))
        for field in fields(self):
            getattr(out, field.name)[places] = getattr(others, field.name)
        return out

    @staticmethod
    def sky(count: int) -> Surface:
        """Return a miss for each of ``count`` rays."""
        return Surface(
            np.full(count, np.inf, np.float32),
            np.full(count, SemanticTag.SKY, np.uint8),
            np.zeros(count, np.uint32),
            np.full(count, -1, np.int32),
            np.full(count, -1, np.int32),
            np.zeros((count, 2), np.float32),
            np.zeros((count, 3), np.float32),
        )


def unit(vectors: Floats) -> Floats:
    """Normalize vectors ``(n, 3)``; zero vectors stay zero."""
    length = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    out: Floats = vectors / np.maximum(length, np.float32(1e-12))[:, None]
    return out


def mirrored(ahead: Floats, normal: Floats) -> Floats:
    """Reflect unit directions ``ahead`` ``(n, 3)`` about the normals."""
    out: Floats = ahead - 2 * np.einsum("ij,ij->i", ahead, normal)[:, None] * normal
    return out


def pixel_rays(camera: Camera) -> Rays:
    """Rays through the centres of all pixels, row by row."""
    if not camera.lens.is_pinhole:
        return Rays(*_through_lens(camera, pixel_directions(camera.optics)), camera)
    return Rays(*_through_grid(camera), camera)


def tap_rays(camera: Camera, pixels: Indices, taps: Sequence[tuple[float, float]]) -> Rays:
    """Rays through several points (x and y in 0..1) of each given pixel; all taps of a pixel are consecutive."""
    rows, columns = np.divmod(pixels, camera.width)
    shift = np.array(taps)
    x, y = columns[:, None] + shift[:, 0], rows[:, None] + shift[:, 1]
    return Rays(*_through(camera, x.ravel(), y.ravel()), camera, np.repeat(pixels, len(taps)))


def _through(camera: Camera, x: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[Floats, Floats]:
    """Origins and directions through image points in pixels from the left and top edges."""
    matrix = camera.pose.matrix
    if not camera.lens.is_pinhole:
        return _through_lens(camera, camera.optics.rays(x, y).astype(np.float32))
    half = _half_width(camera)
    across = (x * (2 / camera.width) - 1) * half
    up = (1 - y * (2 / camera.height)) * half * camera.height / camera.width
    axes = matrix[:3, :3].astype(np.float32)
    directions = axes[:, 0] + np.outer(across.astype(np.float32), axes[:, 1])
    directions += np.outer(up.astype(np.float32), axes[:, 2])
    origins = np.broadcast_to(matrix[:3, 3].astype(np.float32), directions.shape)
    return np.ascontiguousarray(origins), directions


def _through_grid(camera: Camera) -> tuple[Floats, Floats]:
    """Origins and directions through all pixels of a pinhole camera, as sums of a row and a column vector."""
    matrix, half = camera.pose.matrix.astype(np.float32), _half_width(camera)
    x, y = np.arange(camera.width) + 0.5, np.arange(camera.height) + 0.5
    across = ((x * (2 / camera.width) - 1) * half).astype(np.float32)
    up = ((1 - y * (2 / camera.height)) * half * camera.height / camera.width).astype(np.float32)
    grid = matrix[:3, 0] + np.outer(across, matrix[:3, 1]) + np.outer(up, matrix[:3, 2])[:, None]
    directions = grid.reshape(-1, 3)
    return np.ascontiguousarray(np.broadcast_to(matrix[:3, 3], directions.shape)), directions


def _through_lens(camera: Camera, local: Floats) -> tuple[Floats, Floats]:
    """Origins and directions in world axes of rays ``(n, 3)`` in camera axes."""
    matrix = camera.pose.matrix.astype(np.float32)
    directions: Floats = np.ascontiguousarray(local @ matrix[:3, :3].T)
    return np.ascontiguousarray(np.broadcast_to(matrix[:3, 3], directions.shape)), directions


def _half_width(camera: Camera) -> float:
    """Half of the image's width at unit distance."""
    return float(np.tan(np.radians(camera.fov_deg) / 2))


def image_boxes(corners: NDArray[np.float64], camera: Camera) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Project bounding boxes with world ``corners`` ``(m, 8, 3)``.

    Returns:
        Pixel boxes ``(m, 4)``: left, top, right, bottom (exclusive), empty where nothing is visible; and the smallest
        planar depth ``(m,)`` of the corners.
    """
    matrix = camera.pose.matrix
    local = (corners - matrix[:3, 3]) @ matrix[:3, :3]
    depth = local[..., 0]
    scale = camera.width / (2 * _half_width(camera))
    # A box that crosses the camera's plane intersects it somewhere between its corners: all of them count as in it.
    crossing = np.any(depth < NEAR_M, axis=1, keepdims=True)
    spread = np.concatenate([np.maximum(depth, NEAR_M), np.where(crossing, NEAR_M, np.maximum(depth, NEAR_M))], 1)
    x = camera.width / 2 + np.tile(local[..., 1], 2) / spread * scale
    y = camera.height / 2 - np.tile(local[..., 2], 2) / spread * scale
    boxes = np.stack([x.min(1) - 1, y.min(1) - 1, x.max(1) + 2, y.max(1) + 2], 1)
    boxes[(depth <= 0).all(1)] = 0
    limits = np.array([camera.width, camera.height, camera.width, camera.height])
    return np.clip(boxes, 0, limits).astype(np.int64), depth.min(1)
