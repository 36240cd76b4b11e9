"""Preview of colour: first hits in sun, shadow and skylight, without paths of light, denoiser or Mitsuba.

Shadow rays are cast for every sixteenth pixel and spread over its neighbours; textures are read at the level of detail
that fits a pixel. A picture costs about twice what the labels of its pixels do.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caos.assets.mesh import Material
from caos.simulator.embedded.render.description import CLEARED, OUTPUTS, Camera, Hits, Images, Lamp, Placed
from caos.simulator.embedded.render.image import surface_colors as colors
from caos.simulator.embedded.render.image import tone_mapping as film
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
"""From then on the sky throws no shadow worth a ray; so many lamps light a picture."""
OUT_OF_SIGHT_M = 1000.0
EDGE_SHARE = 0.03
"""A pixel whose distance differs so much from its neighbours' lies beyond an edge."""
OFF_SURFACE_M = 0.03
"""Shadow rays start this far above the surface they are cast from."""
BRIGHTEST = 2.6
OPEN = 0.9
"""Share of the sky that the ground of a street sees."""
BOUNCE = 0.12
"""Light from the street on what does not face the sky, as a share of the light on level ground."""
DIM = 0.35
"""The share of skylight that is left below trees, bridges and cars when no sun shines."""
MIRRORING = {"glass": 0.07, "paint": 0.045, "plastic": 0.03, "metal": 0.5}
"""What surfaces reflect of the sky, seen straight on."""
WET_MIRRORING, WET_FLAT, MOST_MIRRORED = 0.02, 0.6, 0.35
"""What wet ground mirrors seen straight on, how much more seen flat, where a rough road mirrors less than a pond, and
the most that anything mirrors."""


class ShadedRenderer:
    """Renders one town at a time, as :class:`~caos.simulator.embedded.render.renderer.Renderer` does, but quickly."""

    def __init__(self) -> None:
        self._weather = Weather()
        self._lamps: tuple[Lamp, ...] = ()
        self._loaded: str | None = None
        self._caster = Caster()
        self._clear()

    def load(self, statics: Sequence[Placed], cache_key: str | None = None) -> None:
        """Replace the town, and forget what moved in it; with the ``cache_key`` of the loaded town, keep the town."""
        if cache_key is None or cache_key != self._loaded:
            self._clear()
            self._caster.load(statics)
        self._loaded = cache_key
        self.forget_actors()

    def set_weather(self, weather: Weather) -> None:
        """Change the weather."""
        self._weather = weather

    def set_actors(self, actors: Sequence[Placed], lamps: Sequence[Lamp] = ()) -> None:
        """Replace everything that moves."""
        self._caster.set_moving(actors)
        self._lamps = tuple(lamps)

    def forget_actors(self) -> None:
        """Let nothing move."""
        self.set_actors(())

    def cast(self, origins: NDArray[np.floating[Any]], directions: NDArray[np.floating[Any]]) -> Hits:
        """First hits of rays from ``origins`` ``(n, 3)`` along unit ``directions`` ``(n, 3)``."""
        return self._caster.cast(origins, directions)

    def render(
        self, camera: Camera, outputs: Collection[str] = OUTPUTS, seed: int = 0, hidden: Collection[int] = ()
    ) -> Images:
        """The pictures named in ``outputs`` as ``camera`` sees the scene.

        ``hidden`` are the numbers of moving things that are not in the output ``cleared``.

        Raises:
            CaosError: If an output is unknown or the camera cannot be.
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
        """The picture without the ``hidden`` things; nothing is saved by drawing parts of it."""
        everybody = self._caster
        self._caster = everybody.without(hidden)
        try:
            return self._color(camera, rays, self._caster.first(rays, detail=True), seed)
        finally:
            self._caster = everybody

    def _clear(self) -> None:
        self._caster = Caster()
        self._colors = colors.Colors(self._caster.table)

    def _color(self, camera: Camera, rays: Rays, surface: Surface, seed: int) -> NDArray[np.uint8]:
        sky, weather, shape = make_sky(self._weather, SKY_ROWS), self._weather, (camera.height, camera.width)
        factor = exposure.metered(camera, self._caster, sky, METER)
        radiance = self._colors.albedo(surface, colors.footprints(surface.uv.reshape(*shape, 2)).ravel())
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
        picture = atmosphere.add_air(radiance.reshape(*shape, 3), passed, sky, weather)
        drops = atmosphere.drops(shape, weather, seed, quick=True)
        return film.develop(atmosphere.add_rain(picture, drops, sky), factor, camera)

    def _irradiance(self, camera: Camera, rays: Rays, surface: Surface, sky: Sky) -> Floats:
        """Light ``(n, 3)`` on the pixels' surfaces over pi: the sun where it reaches, the sky, and what they throw."""
        normal, level = surface.normal, sky.ambient / np.pi
        sunny = float(sky.sun_irradiance.mean()) > 0.15 * float(sky.skylight.mean())
        towards = sky.sun_direction if sunny else np.array([0.0, 0.0, 1.0])
        free = self._free(camera, rays, surface, towards) if sky.night < DEEP_NIGHT else np.ones(1, np.float32)
        up, shares = normal[:, 2], np.zeros((len(normal), 3), np.float32)
        # what lies in shadow of the sky is dim; what lies in the sun's shadow still sees most of the sky
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
        """Share of a distant light that reaches each pixel ``(n,)``, from every sixteenth one."""
        some = _coarse(camera)
        free = np.ones(some.size, np.float32)
        lit = np.einsum("ij,j->i", surface.normal[some.ravel()], towards.astype(np.float32)) > 0
        near = np.flatnonzero(lit & np.isfinite(surface.distance[some.ravel()]))
        points = _points(rays, surface, some.ravel()[near])
        ways = np.ascontiguousarray(np.broadcast_to(towards.astype(np.float32), points.shape))
        free[near] = ~self._caster.blocks(points, ways)
        return _spread(free.reshape(some.shape), camera).ravel()

    def _lamplight(self, camera: Camera, rays: Rays, surface: Surface) -> Floats:
        """Light ``(n, 3)`` of the nearest lamps over pi; they cast no shadows.

        It comes to every sixteenth pixel from each lamp, and to those between from where it came to their neighbours;
        where these lie nearer or farther, it is asked for again: the edges of things stay sharp.
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
        """Add the light of lamps and lit windows; those of the town are switched on when it is dark."""
        shining = self._caster.table.column(_shines, sky=False, kind=bool)
        rows = np.flatnonzero(shining[surface.material])
        if not len(rows):
            return
        glow = colors.emission(surface.rows(rows), self._caster.table.materials)
        assert glow is not None
        glow[surface.thing[rows] < 0] *= np.float32(sky.darkness)
        peak = np.maximum(glow.max(1, keepdims=True), np.float32(1e-9))
        # the whole colour is dimmed, not its strongest part alone: a red signal stays red at night
        radiance[rows] += glow * np.minimum(1, np.float32(most) / peak)

    def _add_mirrored(
        self, radiance: Floats, ahead: Floats, length: Floats, surface: Surface, sky: Sky, *, is_wet: bool
    ) -> None:
        """Add what glossy surfaces mirror of sky and street to pixels that look along ``ahead``, of that ``length``."""
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
    """The pixels ``(rows, columns)`` that stand for their neighbours where light is concerned."""
    first = [min(STRIDE // 2, side - 1) for side in (camera.height, camera.width)]
    everything = np.arange(camera.height * camera.width).reshape(camera.height, camera.width)
    return everything[first[0] :: STRIDE, first[1] :: STRIDE]


def _spread(values: Floats, camera: Camera) -> Floats:
    """Values of some pixels, spread over the whole picture."""
    import cv2

    whole = cv2.resize(values, (camera.width, camera.height), interpolation=cv2.INTER_LINEAR)
    return np.asarray(whole, np.float32)


def _points(rays: Rays, surface: Surface, rows: NDArray[np.intp]) -> Floats:
    """Where some of the rays end, a little off the surface."""
    ends = rays.origins[rows] + rays.directions[rows] * surface.distance[rows, None]
    return np.ascontiguousarray(ends + np.float32(OFF_SURFACE_M) * surface.normal[rows], dtype=np.float32)


def _shines(material: Material) -> bool:
    return material.surface == "emissive"


def _wettable(material: Material) -> bool:
    return material.wettable


def _mirroring(material: Material) -> tuple[float, float]:
    """What a dry surface mirrors seen straight on, and how much more seen flat."""
    straight = MIRRORING.get(material.surface, 0.0) * (1 - 0.6 * material.roughness)
    return straight, 1 - straight


def _mirroring_if_wet(material: Material) -> tuple[float, float]:
    """The same in rain."""
    return (WET_MIRRORING, WET_FLAT) if material.wettable else _mirroring(material)


def _sky_seen(camera: Camera, rays: Rays, sky: Sky) -> Floats:
    """The sky behind each pixel ``(n, 3)``, from some of them: it has no edges."""
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
    """Light ``(n, 3)`` of one lamp on points of surfaces, over pi."""
    way, strength = _way_to(lamp, points)
    return np.outer(np.clip(np.einsum("ij,ij->i", way, normal), 0, None) * strength, _power(lamp)).astype(np.float32)


def _flow_of(lamps: Sequence[Lamp], points: Floats) -> tuple[Floats, Floats]:
    """Where the light of all lamps comes from at points ``(n, 3)``, as long as it is strong, and its colours."""
    flow, light = np.zeros((2, len(points), 3), np.float32)
    for lamp in lamps:
        way, strength = _way_to(lamp, points)
        flow += way * (strength * _power(lamp).max())[:, None]
        light += np.outer(strength, _power(lamp))
    return flow, light


def _power(lamp: Lamp) -> Floats:
    return np.array(lamp.color, np.float32) * np.float32(lamp.intensity * lights.LAMP_POWER / np.pi)


def _way_to(lamp: Lamp, points: Floats) -> tuple[Floats, Floats]:
    """Directions ``(n, 3)`` from points to a lamp, and what of its power arrives at each."""
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
