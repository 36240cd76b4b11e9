"""Object removal: the parts of an image that change when objects are removed, and blending of re-rendered parts.

An object is visible, casts shadows, appears in mirrors, and occludes and tints nearby surfaces. Its further influence
is below the noise of traced light: there, the image without the object is the image with it.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from caos.simulator.embedded.render.description import Camera, Lamp
from caos.simulator.embedded.render.path_tracing.lights import lamp_irradiance
from caos.simulator.embedded.render.path_tracing.mirrors import Mirrors
from caos.simulator.embedded.render.ray_casting.rays import Floats, Rays, Surface, Window, mirrored, unit

Cells = NDArray[np.bool_]
Sun = NDArray[np.float64] | None

CELL_PX = 4
"""Side in pixels of the cells that are replaced or kept as a whole."""
CLOSE = 0.75
"""Radius, in diagonals of an object, within which it occludes and tints other surfaces."""
GROWN, GROWN_M = 1.1, 0.1
"""Relative and absolute growth of objects before rays are tested against them: for penumbras and rough mirrors."""
FAINT = 0.02
"""Irradiance of a lamp below which its shadows are ignored."""
MARGIN_CELLS = 5
"""Cells around a changed part over which the new image fades into the old one."""
NEIGHBOURS = 2
"""Squares around a changed part for which light is traced again as well."""
MOST = 0.5
"""Share of the image above which the whole image is rendered again."""


@dataclass(frozen=True, eq=False)
class Block:
    """Oriented bounding box of an object: centre, three unit axes (rows) and half extents."""

    middle: Floats
    axes: Floats
    half: Floats

    @staticmethod
    def of(corners: NDArray[np.float64]) -> Block:
        """Return the box with ``corners`` ``(8, 3)``, the last axis varying fastest."""
        edges = corners[[4, 2, 1]] - corners[0]
        lengths = np.linalg.norm(edges, axis=1)
        axes = edges / np.maximum(lengths, 1e-9)[:, None]
        parts = corners.mean(0), axes, lengths / 2
        return Block(*(np.asarray(part, np.float32) for part in parts))

    def is_close(self, points: Floats) -> Cells:
        """Whether points ``(n, 3)`` are near enough to be occluded or tinted."""
        beyond = np.maximum(np.abs((points - self.middle) @ self.axes.T) - self.half, 0)
        reach = CLOSE * 2 * float(np.linalg.norm(self.half))
        out: Cells = np.einsum("ij,ij->i", beyond, beyond) < reach**2
        return out

    def is_met(self, points: Floats, ways: Floats, reach: float = np.inf) -> Cells:
        """Whether rays from ``points`` ``(n, 3)`` along ``ways`` hit it within ``reach`` times their length."""
        start, way = (points - self.middle) @ self.axes.T, ways @ self.axes.T
        half = GROWN * self.half + np.float32(GROWN_M)
        way = np.where(np.abs(way) < 1e-9, np.float32(1e-9), way)
        first, second = (-half - start) / way, (half - start) / way
        entered, left = np.minimum(first, second).max(-1), np.maximum(first, second).min(-1)
        out: Cells = (entered <= left) & (left > 0) & (entered < reach)
        return out


def changed_cells(
    camera: Camera,
    surface: Surface,
    rays: Rays,
    instances: Collection[int],
    blocks: Sequence[Block],
    sun: Sun,
    lamps: Sequence[Lamp],
    mirrors: Mirrors,
) -> Cells:
    """Return the cells of an image that change when objects are removed.

    Args:
        camera: Camera of the image.
        surface: First hits of its ``rays``, objects included.
        rays: Rays through all pixels.
        instances: Instance ids of the objects.
        blocks: Oriented bounding boxes of the objects.
        sun: Direction of the sun, or None if there is none.
        lamps: Lamps that are on.
        mirrors: Finds mirrors among the hits.
    """
    seen = (surface.thing >= 0) & np.isin(surface.instance, list(instances))
    out, pixels = _shown(seen, camera), _middles(camera)
    pixels = pixels[np.isfinite(surface.distance[pixels])]
    some, sent = surface.rows(pixels), Rays(rays.origins[pixels], rays.directions[pixels])
    points = sent.origins + sent.directions * some.distance[:, None]
    touched = np.zeros(len(pixels), bool)
    for block in blocks:
        touched |= block.is_close(points) | _is_shaded(points, some.normal, block, sun, lamps)
    touched |= _is_mirrored(points, some, sent, blocks, mirrors)
    where = pixels[touched]
    out[where // camera.width // CELL_PX, where % camera.width // CELL_PX] = True
    return out


def _shown(seen: Cells, camera: Camera) -> Cells:
    """Cells with at least one pixel that is ``seen`` ``(h * w,)``."""
    rows, columns = -(-camera.height // CELL_PX), -(-camera.width // CELL_PX)
    whole = np.zeros((rows * CELL_PX, columns * CELL_PX), bool)
    whole[: camera.height, : camera.width] = seen.reshape(camera.height, camera.width)
    return np.asarray(whole.reshape(rows, CELL_PX, columns, CELL_PX).any((1, 3)))


def _middles(camera: Camera) -> NDArray[np.intp]:
    """Index of a pixel in the middle of each cell, clamped to the image."""
    rows, columns = (
        np.minimum(np.arange(0, side, CELL_PX) + CELL_PX // 2, side - 1) for side in (camera.height, camera.width)
    )
    return (rows[:, None] * camera.width + columns).ravel()


def _is_shaded(points: Floats, normal: Floats, block: Block, sun: Sun, lamps: Sequence[Lamp]) -> Cells:
    out = np.zeros(len(points), bool)
    if sun is not None:
        out |= block.is_met(points, sun.astype(np.float32))
    for lamp in lamps:
        rows, _, to_lamp = lamp_irradiance(lamp, points, normal, FAINT)
        out[rows] |= block.is_met(points[rows], to_lamp, 1.0)
    return out


def _is_mirrored(points: Floats, surface: Surface, rays: Rays, blocks: Sequence[Block], mirrors: Mirrors) -> Cells:
    found = mirrors.of(surface, rays, np.zeros(len(points), np.float32))
    rows, out = np.unique(found.rows), np.zeros(len(points), bool)
    away = mirrored(unit(rays.directions[rows]), surface.normal[rows])
    for block in blocks:
        out[rows] |= block.is_met(points[rows], away)
    return out


def windows(cells: Cells, camera: Camera, square: int) -> list[Window]:
    """Windows that cover all ``cells`` of an image, with margins; their sides are multiples of ``square``."""
    import cv2

    reach = np.ones((2 * MARGIN_CELLS + 1,) * 2, np.uint8)
    grown = np.asarray(cv2.dilate(cells.astype(np.uint8), reach))
    _, _, found, _ = cv2.connectedComponentsWithStats(grown)
    boxes = found[1:, :4].tolist()
    return _apart(_snapped(Window(left, top, width, height), camera, square) for left, top, width, height in boxes)


def _snapped(cells: Window, camera: Camera, square: int) -> Window:
    """Convert a window of cells to pixels and align it with the grid of squares, except at the image's border."""
    left, top = (first * CELL_PX // square * square for first in (cells.left, cells.top))
    right, bottom = (-(-n * CELL_PX // square) * square for n in (cells.left + cells.width, cells.top + cells.height))
    return Window(left, top, min(right, camera.width) - left, min(bottom, camera.height) - top)


def _apart(windows: Iterable[Window]) -> list[Window]:
    """Merge overlapping windows until none overlaps another."""
    out: list[Window] = []
    for window in windows:
        joined = window
        while meeting := [other for other in out if other.meets(joined)]:
            out = [other for other in out if other not in meeting]
            joined = functools.reduce(Window.around, meeting, joined)
        out.append(joined)
    return out


def is_much(parts: Sequence[Window], camera: Camera) -> bool:
    """Whether rendering the whole image is cheaper than rendering the parts."""
    return sum(part.width * part.height for part in parts) > MOST * camera.width * camera.height


def weights(cells: Cells, camera: Camera) -> Floats:
    """Blending weight ``(h, w)`` of the new image: 1 in ``cells``, fading to 0 around them."""
    import cv2

    away = cv2.distanceTransform((~cells).astype(np.uint8), cv2.DIST_L2, cv2.DIST_MASK_PRECISE)
    share = np.clip(1 - (away - 1) / (MARGIN_CELLS - 2), 0, 1).astype(np.float32)
    size = cells.shape[1] * CELL_PX, cells.shape[0] * CELL_PX
    return np.asarray(cv2.resize(share, size), np.float32)[: camera.height, : camera.width]


def shown_squares(share: Floats, square: int) -> Cells:
    """Squares of pixels with a blending weight ``share`` ``(h, w)`` above 0, and those interpolated with them."""
    import cv2

    height, width = share.shape
    whole = np.zeros((-(-height // square) * square, -(-width // square) * square), np.uint8)
    whole[:height, :width] = share > 0
    squares = whole.reshape(len(whole) // square, square, -1, square).max((1, 3))
    reach = np.ones((2 * NEIGHBOURS + 1,) * 2, np.uint8)
    return np.asarray(cv2.dilate(squares, reach), bool)


def put_in(whole: Floats, part: Floats, window: Window, share: Floats) -> None:
    """Blend a re-rendered ``part`` into the whole image by its weight ``share`` ``(h, w)``, in place."""
    there = window.slices
    whole[there] += share[there][..., None] * (part - whole[there])
