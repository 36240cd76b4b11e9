"""Preview shading: first hits lit by sun, sky and lamps, without path tracing, denoiser or Mitsuba.

Shadow rays are cast for every sixteenth pixel and interpolated; textures are read at the level of detail that fits a
pixel. An image costs about twice as much as its label images.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caos.assets.mesh import Material
from caos.simulator.embedded.render.description import CLEARED, OUTPUTS, Camera, Hits, Images, Lamp, Placed
from caos.simulator.embedded.render.image import surface_colors, tone_mapping
from caos.simulator.embedded.render.path_tracing import lights
from caos.simulator.embedded.render.path_tracing.materials import Wet
from caos.simulator.embedded.render.ray_casting.caster import Caster
from caos.simulator.embedded.render.ray_casting.first_hits import check_request, label_images
from caos.simulator.embedded.render.ray_casting.rays import Rays, Surface, pixel_rays, unit
from caos.simulator.embedded.render.sky_light import atmosphere, exposure
from caos.simulator.embedded.render.sky_light.sky import Sky, make_sky
from caos.simulator.weather import Weather

Floats = NDArray[np.float32]
SKY_ROWS = 128
STRIDE, SKY_STRIDE = 4, 8
METER = (16, 9)
DEEP_NIGHT, MOST_LAMPS = 0.9, 8
"""Darkness above which the sky casts no shadows, and the number of lamps that light an image."""
OUT_OF_SIGHT_M = 1000.0
EDGE_SHARE = 0.03
"""Relative difference in distance between neighbouring pixels that marks an edge."""
OFF_SURFACE_M = 0.03
"""Offset of shadow ray origins from the surface, in metres."""
BRIGHTEST = 2.6
OPEN = 0.9
"""Share of the sky that is visible from the ground of a street."""
BOUNCE = 0.12
"""Light reflected by the street on surfaces that face away from the sky, as a share of that on level ground."""
DIM = 0.35
"""Share of skylight below trees, bridges and cars when there is no sun."""
MIRRORING = {"glass": 0.07, "paint": 0.045, "plastic": 0.03, "metal": 0.5}
"""Share of the sky's light that surfaces reflect at normal incidence."""
WET_MIRRORING, WET_FLAT, MOST_MIRRORED = 0.02, 0.6, 0.35
"""Reflectance of wet ground at normal incidence, its increase at grazing angles (a rough road reflects less than a
pond), and the upper limit for any surface."""


class PreviewRenderer:
    """Renders one town at a time, like :class:`~caos.simulator.embedded.render.renderer.Renderer`, but faster."""

    def __init__(self) -> None:
        self._weather = Weather()
        self._lamps: tuple[Lamp, ...] = ()
        self._loaded: str | None = None
        self._caster = Caster()
        self._clear()

    def load(self, statics: Sequence[Placed], cache_key: str | None = None) -> None:
        """Replace the town and remove all actors; with the ``cache_key`` of the loaded town, the town is kept."""
        if cache_key is None or cache_key != self._loaded:
            self._clear()
            self._caster.load(statics)
        self._loaded = cache_key
        self.forget_actors()

    def set_weather(self, weather: Weather) -> None:
        """Change the weather."""
        self._weather = weather

    def set_actors(self, actors: Sequence[Placed], lamps: Sequence[Lamp] = ()) -> None:
        """Replace all actors and their lamps."""
        self._caster.set_moving(actors)
        self._lamps = tuple(lamps)

    def forget_actors(self) -> None:
        """Remove all actors."""
        self.set_actors(())

    def cast(self, origins: NDArray[np.floating[Any]], directions: NDArray[np.floating[Any]]) -> Hits:
        """First hits of rays from ``origins`` ``(n, 3)`` along unit ``directions`` ``(n, 3)``."""
        return self._caster.cast(origins, directions)

    def render(
        self, camera: Camera, outputs: Collection[str] = OUTPUTS, seed: int = 0, hidden: Collection[int] = ()
    ) -> Images:
        """Render the images named in ``outputs``.

        ``hidden`` holds the instance ids of actors that the output ``cleared`` leaves out.

        Raises:
            CaosError: If an output is unknown or the camera is invalid.
        """
        check_request(camera, outputs)
        rays = pixel_rays(camera)
        surface = self._caster.first(rays, detail="rgb" in outputs or "normals" in outputs)
        images = label_images(camera, surface, outputs)
        if "rgb" in outputs:
            images.rgb = self._color(camera, rays, surface, seed)
        if CLEARED in outputs:
            images.cleared = self._cleared(camera, rays, seed, hidden)
        return images

    def _cleared(self, camera: Camera, rays: Rays, seed: int, hidden: Collection[int]) -> NDArray[np.uint8]:
        """Render the image without the ``hidden`` instances, as a whole: drawing parts of it would save nothing."""
        complete = self._caster
        self._caster = complete.without(hidden)
        try:
            return self._color(camera, rays, self._caster.first(rays, detail=True), seed)
        finally:
            self._caster = complete

    def _clear(self) -> None:
        self._caster = Caster()
        self._colors = surface_colors.Colors(self._caster.table)

    def _color(self, camera: Camera, rays: Rays, surface: Surface, seed: int) -> NDArray[np.uint8]:
        sky, weather, shape = make_sky(self._weather, SKY_ROWS), self._weather, (camera.height, camera.width)
        factor = exposure.metered(camera, self._caster, sky, METER)
        radiance = self._colors.albedo(surface, surface_colors.footprints(surface.uv.reshape(*shape, 2)).ravel())
        wet = Wet.of(weather)
        if not wet.dry:
            damp = self._caster.table.column(_wettable, sky=False, kind=bool)[surface.material]
            np.multiply(radiance, np.float32(1 - 0.45 * wet.film), out=radiance, where=damp[:, None])
        radiance *= self._irradiance(camera, rays, surface, sky)
        length = np.sqrt(np.einsum("ij,ij->i", rays.directions, rays.directions))
        self._add_mirrored(radiance, rays.directions, length, surface, sky, is_wet=not wet.dry)
        self._add_glow(radiance, surface, sky, BRIGHTEST / factor)
        np.copyto(radiance, _sky_seen(camera, rays, sky), where=(surface.material < 0)[:, None])
        rise, distance = (rays.directions[:, 2] / length).reshape(shape), (surface.distance * length).reshape(shape)
        passed = atmosphere.transmittance(distance, camera.pose.z, rise, weather)
        hazy = atmosphere.add_air(radiance.reshape(*shape, 3), passed, sky, weather)
        drops = atmosphere.drops(shape, weather, seed, quick=True)
        return tone_mapping.develop(atmosphere.add_rain(hazy, drops, sky), factor, camera)

    def _irradiance(self, camera: Camera, rays: Rays, surface: Surface, sky: Sky) -> Floats:
        """Irradiance over pi ``(n, 3)`` on the pixels' surfaces by sun, sky and light reflected by the street."""
        normal, level = surface.normal, sky.ambient / np.pi
        sunny = float(sky.sun_irradiance.mean()) > 0.15 * float(sky.skylight.mean())
        towards = sky.sun_direction if sunny else np.array([0.0, 0.0, 1.0])
        free = self._free(camera, rays, surface, towards) if sky.night < DEEP_NIGHT else np.ones(1, np.float32)
        up, shares = normal[:, 2], np.zeros((len(normal), 3), np.float32)
        # The factor is low in the sky's shadow; points in the sun's shadow still receive most of the skylight.
        np.multiply(0.5 + 0.5 * up, OPEN if sunny else OPEN * (DIM + (1 - DIM) * free), out=shares[:, 0])
        np.subtract(1, np.abs(up) * np.float32(0.5), out=shares[:, 1])
        if sunny:
            np.multiply(
                np.clip(np.einsum("ij,j->i", normal, towards.astype(np.float32)), 0, None), free, out=shares[:, 2]
            )
        colors = np.stack([sky.skylight / np.pi, BOUNCE * level, sky.sun_irradiance / np.pi]).astype(np.float32)
        light: Floats = np.einsum("ij,jk->ik", shares, colors)
        if sky.night > lights.DUSK and self._lamps:
            light += self._lamplight(camera, rays, surface)
        return light

    def _free(self, camera: Camera, rays: Rays, surface: Surface, towards: NDArray[np.float64]) -> Floats:
        """Visibility of a distant light for each pixel ``(n,)``, interpolated from every sixteenth one."""
        some = _coarse(camera)
        free = np.ones(some.size, np.float32)
        lit = np.einsum("ij,j->i", surface.normal[some.ravel()], towards.astype(np.float32)) > 0
        near = np.flatnonzero(lit & np.isfinite(surface.distance[some.ravel()]))
        points = _points(rays, surface, some.ravel()[near])
        ways = np.ascontiguousarray(np.broadcast_to(towards.astype(np.float32), points.shape))
        free[near] = ~self._caster.blocks(points, ways)
        return _spread(free.reshape(some.shape), camera).ravel()

    def _lamplight(self, camera: Camera, rays: Rays, surface: Surface) -> Floats:
        """Irradiance over pi ``(n, 3)`` by the nearest lamps, without shadows.

        It is computed for each lamp at every sixteenth pixel; pixels between interpolate its direction and strength,
        and are computed exactly where their distance differs from their neighbours', so that edges stay sharp.
        """
        pose, some = camera.pose.matrix, _coarse(camera)
        near = lights.nearest(self._lamps, pose[:3, 3], pose[:3, 0])[:MOST_LAMPS]
        far = np.where(np.isfinite(surface.distance), surface.distance, np.float32(OUT_OF_SIGHT_M))
        rows = some.ravel()
        flow, light = _flow_of(near, rays.origins[rows] + rays.directions[rows] * far[rows, None])
        depth, hue = far[rows], light / np.maximum(light.max(1, keepdims=True), np.float32(1e-9))
        flow, hue, depth = (_spread(a.reshape(*some.shape, -1), camera) for a in (flow, hue, depth))
        strength = np.clip(np.einsum("ij,ij->i", flow.reshape(-1, 3), surface.normal), 0, None)
        out: Floats = strength[:, None] * hue.reshape(-1, 3)
        edges = np.flatnonzero((np.abs(depth.ravel() - far) > EDGE_SHARE * far) & (far < OUT_OF_SIGHT_M))
        points, normal = _points(rays, surface, edges), surface.normal[edges]
        out[edges] = sum((_light_of(lamp, points, normal) for lamp in near), np.zeros((len(edges), 3), np.float32))
        return out

    def _add_glow(self, radiance: Floats, surface: Surface, sky: Sky, most: float) -> None:
        """Add the emission of lamps and lit windows; those of the town are on when it is dark."""
        shining = self._caster.table.column(_shines, sky=False, kind=bool)
        rows = np.flatnonzero(shining[surface.material])
        if not len(rows):
            return
        glow = surface_colors.emission(surface.rows(rows), self._caster.table.materials)
        assert glow is not None
        glow[surface.thing[rows] < 0] *= np.float32(sky.darkness)
        peak = np.maximum(glow.max(1, keepdims=True), np.float32(1e-9))
        # Scale the whole colour, not its strongest channel alone: a red signal stays red at night.
        radiance[rows] += glow * np.minimum(1, np.float32(most) / peak)

    def _add_mirrored(
        self, radiance: Floats, ahead: Floats, length: Floats, surface: Surface, sky: Sky, *, is_wet: bool
    ) -> None:
        """Add reflections of sky and street on glossy surfaces; ``ahead`` are pixel directions of that ``length``."""
        straight = self._caster.table.column(_mirroring_if_wet if is_wet else _mirroring, (0.0, 0.0))
        rows = np.flatnonzero(straight[:, 0].take(surface.material) > 0)
        if not len(rows):
            return
        normal, along = surface.normal.take(rows, axis=0), ahead.take(rows, axis=0)
        reach, (least, more) = length.take(rows), straight.take(surface.material.take(rows), axis=0).T
        facing = np.clip(-np.einsum("ij,ij->i", along, normal) / reach, 0, 1)
        rise = along[:, 2] / reach + 2 * facing * normal[:, 2]
        flat = (1 - facing) ** 2
        share = np.minimum(least + more * (flat * flat * (1 - facing)), np.float32(MOST_MIRRORED))
        above = np.where(rise > 0, share, 0)
        high = above * np.power(np.clip(rise, 0, 1), np.float32(0.6))
        seen = np.stack([sky.horizon, sky.image[: SKY_ROWS // 8].mean((0, 1)), 0.1 * sky.ambient / np.pi])
        shares = np.stack([above - high, high, share - above], 1)
        radiance[rows] += np.einsum("ij,jk->ik", shares, seen.astype(np.float32))


def _coarse(camera: Camera) -> NDArray[np.intp]:
    """Indices ``(rows, columns)`` of the pixels at which light is computed for their neighbours, too."""
    first = [min(STRIDE // 2, side - 1) for side in (camera.height, camera.width)]
    everything = np.arange(camera.height * camera.width).reshape(camera.height, camera.width)
    return everything[first[0] :: STRIDE, first[1] :: STRIDE]


def _spread(values: Floats, camera: Camera) -> Floats:
    """Enlarge coarse values to the size of the image."""
    import cv2

    whole = cv2.resize(values, (camera.width, camera.height), interpolation=cv2.INTER_LINEAR)
    return np.asarray(whole, np.float32)


def _points(rays: Rays, surface: Surface, rows: NDArray[np.intp]) -> Floats:
    """Hit points of some rays, offset a little from the surface."""
    ends = rays.origins[rows] + rays.directions[rows] * surface.distance[rows, None]
    return np.ascontiguousarray(ends + np.float32(OFF_SURFACE_M) * surface.normal[rows], dtype=np.float32)


def _shines(material: Material) -> bool:
    return material.surface == "emissive"


def _wettable(material: Material) -> bool:
    return material.wettable


def _mirroring(material: Material) -> tuple[float, float]:
    """Reflectance of a dry surface at normal incidence, and its increase at grazing angles."""
    straight = MIRRORING.get(material.surface, 0.0) * (1 - 0.6 * material.roughness)
    return straight, 1 - straight


def _mirroring_if_wet(material: Material) -> tuple[float, float]:
    """Reflectance of a wet surface at normal incidence, and its increase at grazing angles."""
    return (WET_MIRRORING, WET_FLAT) if material.wettable else _mirroring(material)


def _sky_seen(camera: Camera, rays: Rays, sky: Sky) -> Floats:
    """Sky radiance ``(n, 3)`` behind each pixel, interpolated from some of them: the sky has no edges."""
    import cv2

    rows, columns = sky.image.shape[:2]
    some = rays.directions.reshape(camera.height, camera.width, 3)[::SKY_STRIDE, ::SKY_STRIDE]
    coarse = unit(np.ascontiguousarray(some).reshape(-1, 3))
    v = np.arccos(np.clip(coarse[:, 2], -1, 1)) * np.float32(rows / np.pi) - np.float32(0.5)
    u = np.arctan2(coarse[:, 0], coarse[:, 1]) % np.float32(2 * np.pi) * np.float32(columns / (2 * np.pi))
    around = np.concatenate([sky.image, sky.image[:, :1]], 1)
    maps = u.reshape(some.shape[:2]), np.minimum(v, np.float32(rows / 2 - 1)).reshape(some.shape[:2])
    seen = cv2.remap(around, *maps, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return _spread(np.asarray(seen, np.float32), camera).reshape(-1, 3)


def _light_of(lamp: Lamp, points: Floats, normal: Floats) -> Floats:
    """Irradiance over pi ``(n, 3)`` of one lamp on surface points."""
    way, strength = _way_to(lamp, points)
    return np.outer(np.clip(np.einsum("ij,ij->i", way, normal), 0, None) * strength, _power(lamp)).astype(np.float32)


def _flow_of(lamps: Sequence[Lamp], points: Floats) -> tuple[Floats, Floats]:
    """Summed flow of light at points ``(n, 3)``: direction scaled by strength, and its colours."""
    flow, light = np.zeros((2, len(points), 3), np.float32)
    for lamp in lamps:
        way, strength = _way_to(lamp, points)
        flow += way * (strength * _power(lamp).max())[:, None]
        light += np.outer(strength, _power(lamp))
    return flow, light


def _power(lamp: Lamp) -> Floats:
    return np.array(lamp.color, np.float32) * np.float32(lamp.intensity * lights.LAMP_POWER / np.pi)


def _way_to(lamp: Lamp, points: Floats) -> tuple[Floats, Floats]:
    """Directions ``(n, 3)`` from points to a lamp, and the share of its power that arrives at each."""
    way = np.array(lamp.location, np.float32) - points
    squared = np.einsum("ij,ij->i", way, way) + np.float32(0.05)
    way /= np.sqrt(squared)[:, None]
    strength = 1 / squared
    if lamp.direction is not None:
        edge = np.cos(np.radians(np.clip(lamp.cone_deg / 2, 2, 88)))
        inner = np.cos(np.radians(np.clip(lamp.cone_deg / 2, 2, 88) * 0.45))
        along = -np.einsum("ij,j->i", way, unit(np.array(lamp.direction, np.float32)[None])[0])
        strength *= np.clip((along - edge) / (inner - edge), 0, 1)
    return way, strength.astype(np.float32)
