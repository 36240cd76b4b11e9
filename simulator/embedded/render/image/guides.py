"""Guide images: noise-free, anti-aliased features of each pixel (direct light, normal, depth, edges).

Textures are read at the level of detail that fits a pixel, edge pixels average several rays, and penumbras several
points of the sun: the guides keep the detail that the path tracer's coarse grid cannot show.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from caos.simulator.embedded.render.description import Camera
from caos.simulator.embedded.render.image.direct_light import DirectLight, Reflection
from caos.simulator.embedded.render.image.surface_colors import footprints
from caos.simulator.embedded.render.ray_casting.rays import Rays, Surface, Window, tap_rays

Floats = NDArray[np.float32]
Indices = NDArray[np.intp]

# Offsets of the extra rays of an edge pixel, beside the one through its centre: on a ring, so that every edge gets
# steps.
TAPS = ((0.5, 0.125), (0.825, 0.6875), (0.175, 0.6875))
# Sun disc points that the rays of an edge pixel use.
TAP_SUNS = np.array([11, 17, 23])
# Sun disc points that centre rays use: the whole disc within a few pixels, so that a penumbra, however wide, shows both
# lit and shadowed pixels.
CENTER_SUNS = 2 * np.array([[0, 7, 3, 10], [5, 2, 8, 11], [9, 4, 6, 1]])
MIXED_PX = 5
# Offsets within a penumbra pixel; each uses every fourth point of the disc, its neighbours use the others.
SUN_TAPS = ((0.25, 0.1), (0.9, 0.25), (0.5, 0.45), (0.1, 0.6), (0.75, 0.75), (0.4, 0.9))
# Relative and absolute difference of lamplight between neighbours that marks a shadow edge.
LAMP_STEP, LEAST_STEP = 0.3, 0.003
BLEND = np.array([0.25, 0.5, 0.25], np.float32)


@dataclass(frozen=True, eq=False)
class Guide:
    """Noise-free features of each pixel.

    Attributes:
        direct: ``(h, w, 3)`` radiance by direct light and mirrors alone.
        normal: ``(h, w, 3)`` surface normals, zero for the sky.
        depth: ``(h, w)``, infinite for the sky.
        edge: ``(h, w)`` bool, where surfaces meet.
        sky: ``(h, w)`` bool, where only the sky is visible and the direct light is exact.
    """

    direct: Floats
    normal: Floats
    depth: Floats
    edge: NDArray[np.bool_]
    sky: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class View:
    """A camera's image, or a window of it, and the rays through its pixel centres, row by row."""

    camera: Camera
    window: Window
    rays: Rays

    @staticmethod
    def whole(rays: Rays) -> View:
        """Return the view of a whole image, given its rays."""
        assert rays.camera is not None
        return View(rays.camera, Window.whole(rays.camera), rays)

    @staticmethod
    def part(rays: Rays, window: Window) -> View:
        """Return the view of a window of an image, given the rays of the whole image."""
        assert rays.camera is not None
        return View(rays.camera, window, rays.through(window.pixels(rays.camera)))

    def taps(self, places: Indices, taps: Sequence[tuple[float, float]]) -> Rays:
        """Rays through several points of some of the view's pixels; see :func:`.rays.tap_rays`."""
        return tap_rays(self.camera, self.window.pixels(self.camera, places), taps)


def make_guide(view: View, surface: Surface, direct: DirectLight, *, smooth: bool = True) -> Guide:
    """Compute the guide of a view whose rays hit ``surface``; ``smooth`` anti-aliases edges of surfaces and shadows."""
    shape, rays, normal = view.window.shape, view.rays, surface.normal
    footprint = footprints(surface.uv.reshape(*shape, 2)).ravel()
    shown = direct.reflect(surface, rays, footprint)
    is_edge = _edges(surface, shape) | _edges(_spread(shown, len(rays)), shape)
    lamplight = direct.lamplight(surface, rays) if direct.has_lamps else None
    if lamplight is not None and smooth:
        is_edge |= _shadow_edges(lamplight.mean(1).reshape(shape))
    rows, columns = view.window.grid
    facing, suns = direct.facing(surface), CENTER_SUNS[rows % 3, columns % 4].ravel() if smooth else 0
    sunlit = direct.sunlit(surface, rays, facing, suns)
    if smooth:
        _soften(view, surface, direct, np.where(is_edge.ravel(), np.float32(0), facing), sunlit)
    albedo = direct.colors.albedo(surface, footprint)
    light = direct.shade(surface, rays, albedo, facing * sunlit, shown, lamplight)
    if smooth and is_edge.any():
        edges, normal = np.flatnonzero(is_edge), normal.copy()
        light[edges], normal[edges] = _tapped(view, surface, direct, edges, footprint[edges], light[edges])
    sky_only = (surface.material < 0).reshape(shape) & ~is_edge
    images = light.reshape(*shape, 3), normal.reshape(*shape, 3), surface.distance.reshape(shape)
    return Guide(*images, is_edge, sky_only)


def _tapped(
    view: View, surface: Surface, direct: DirectLight, edges: Indices, footprint: Floats, light: Floats
) -> tuple[Floats, Floats]:
    """Light and normals of edge pixels: means over several rays; that of the centre ray is given."""
    rays, footprint = view.taps(edges, TAPS), np.repeat(footprint, len(TAPS))
    taps = direct.caster.first(rays, detail=True, only=np.unique(surface.thing[edges]))
    facing = direct.facing(taps)
    lit = direct.sunlit(taps, rays, facing, np.tile(TAP_SUNS, len(edges)))
    albedo, shown = direct.colors.albedo(taps, footprint), direct.reflect(taps, rays, footprint)
    lights = direct.shade(taps, rays, albedo, facing * lit, shown)
    return _mean_with(light, lights), _mean_with(surface.normal[edges], taps.normal)


def _soften(view: View, surface: Surface, direct: DirectLight, facing: Floats, sunlit: Floats) -> None:
    """Average several points of the sun's disc and of the pixel in the pixels around shadow edges, in place."""
    shape = view.window.shape
    mixed = _mixed(sunlit > 0, facing > 0, shape)
    rows = np.flatnonzero(mixed)
    if not direct.has_sun or not len(rows):
        return
    total = np.zeros(len(rows), np.float32)
    part, centers = surface.rows(rows), view.taps(rows, ((0.5, 0.5),))
    y, x = view.window.grid
    first = (2 * (y % 2) + x % 2)[mixed]
    for k, tap in enumerate(SUN_TAPS):
        taps = view.taps(rows, (tap,))
        total += direct.sunlit(part.slid(centers, taps), taps, facing[rows], 4 * k + first)
    sunlit[rows] = total / np.float32(len(SUN_TAPS))
    sunlit[rows] = _smoothed(sunlit.reshape(shape), mixed)[mixed]


def _spread(shown: Reflection, count: int) -> Surface:
    """Surfaces seen in mirrors, for each of ``count`` rays; a miss where there is no mirror."""
    out = Surface.sky(count)
    out.material[shown.rows] = shown.seen.material
    out.instance[shown.rows] = shown.seen.instance
    out.normal[shown.rows] = shown.seen.normal
    return out


def _mixed(lit: NDArray[np.bool_], facing: NDArray[np.bool_], shape: tuple[int, int]) -> NDArray[np.bool_]:
    """Pixels ``(h, w)`` that face the sun near a shadow edge."""
    import cv2

    reach = np.ones((MIXED_PX, MIXED_PX), np.uint8)
    bright, dark = (
        np.asarray(cv2.dilate(a.reshape(shape).astype(np.uint8), reach), bool) for a in (lit, facing & ~lit)
    )
    return np.asarray(bright & dark & facing.reshape(shape))


def _smoothed(values: Floats, where: NDArray[np.bool_]) -> Floats:
    """Blur values ``(h, w)`` a little among the pixels ``where``, so that odd and even pixels blend."""
    import cv2

    weight = where.astype(np.float32)
    total, weights = (cv2.sepFilter2D(a, -1, BLEND, BLEND) for a in (values * weight, weight))
    return np.asarray(total / np.maximum(weights, np.float32(1e-6)), np.float32)


def _mean_with(first: Floats, others: Floats) -> Floats:
    """Mean of each row of ``first`` ``(n, 3)`` and the rows of ``others`` ``(n * m, 3)`` that belong to it."""
    count = len(others) // max(len(first), 1)
    total = first.copy()
    for k in range(count):
        total += others[k::count]
    out: Floats = total / np.float32(count + 1)
    return out


def _shadow_edges(light: Floats) -> NDArray[np.bool_]:
    """Pixels ``(h, w)`` whose neighbour receives far more or less lamplight; lamps are points with hard shadows.

    Shadows of the sun are softened in :func:`_soften`.
    """
    edges = np.zeros(light.shape, bool)
    for values, found in ((light, edges), (light.T, edges.T)):
        one, other = values[1:], values[:-1]
        differ = np.abs(one - other) > LAMP_STEP * np.maximum(one, other) + LEAST_STEP
        found[1:] |= differ
        found[:-1] |= differ
    return edges


def _edges(surface: Surface, shape: tuple[int, int]) -> NDArray[np.bool_]:
    """Pixels ``(h, w)`` whose neighbour shows another object or another side of it."""
    thing = (surface.material.astype(np.int64) << 32 | surface.instance).reshape(shape)
    normal = surface.normal.reshape(*shape, 3)
    edges = np.zeros(shape, bool)
    across = (thing[:, 1:] != thing[:, :-1]) | (np.einsum("ijk,ijk->ij", normal[:, 1:], normal[:, :-1]) < 0.9)
    down = (thing[1:] != thing[:-1]) | (np.einsum("ijk,ijk->ij", normal[1:], normal[:-1]) < 0.9)
    sky = surface.material.reshape(shape) < 0
    across &= ~(sky[:, 1:] & sky[:, :-1])
    down &= ~(sky[1:] & sky[:-1])
    edges[:, 1:] |= across
    edges[:, :-1] |= across
    edges[1:] |= down
    edges[:-1] |= down
    return edges
