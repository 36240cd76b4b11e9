"""The renderer: from a scene description to images.

Tags, instances, depth and direct light come from Embree's first hits and shadow rays at full resolution. Mitsuba traces
global illumination on the same meshes, on a coarser grid with few samples; it is denoised and corrects the direct
light, which gives the image.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caos.assets.mesh import Mesh
from caos.simulator.embedded.render.description import CLEARED, OUTPUTS, Camera, Hits, Images, Lamp, Placed
from caos.simulator.embedded.render.image import guides, object_removal, surface_colors, tone_mapping
from caos.simulator.embedded.render.image.denoise import clamp_fireflies, denoise, denoiser
from caos.simulator.embedded.render.image.direct_light import DirectLight
from caos.simulator.embedded.render.image.guides import View
from caos.simulator.embedded.render.path_tracing import backend, lights
from caos.simulator.embedded.render.path_tracing.camera_sensor import camera_sensor
from caos.simulator.embedded.render.path_tracing.geometry import Shapes
from caos.simulator.embedded.render.path_tracing.materials import Surfaces, Wet
from caos.simulator.embedded.render.path_tracing.mirrors import Mirrors
from caos.simulator.embedded.render.path_tracing.mitsuba_scene import MitsubaScene
from caos.simulator.embedded.render.path_tracing.relight import Squares, means, relight
from caos.simulator.embedded.render.path_tracing.tiles import SIDE, covering
from caos.simulator.embedded.render.quality import Quality
from caos.simulator.embedded.render.quality import quality as quality_named
from caos.simulator.embedded.render.ray_casting.caster import Caster
from caos.simulator.embedded.render.ray_casting.first_hits import check_request, label_images
from caos.simulator.embedded.render.ray_casting.rays import Surface, Window, pixel_rays
from caos.simulator.embedded.render.sky_light import atmosphere, exposure
from caos.simulator.embedded.render.sky_light.sky import Sky, make_sky
from caos.simulator.weather import Weather

Floats = NDArray[np.float32]
Cells = NDArray[np.bool_]
# Radiance of emissive surfaces is clamped to this multiple of white, so that signals keep their colour at night.
BRIGHTEST = 2.6
# Samples brighter than this multiple of white are fireflies and are clamped.
FIREFLY = 12.0
# Squares around a part of an image that the denoiser needs as context.
CONTEXT = 24


@dataclass(frozen=True, eq=False)
class _Seen:
    """The light ``(h, w, 3)`` of an image, and its squares if traced light corrected the direct light."""

    radiance: Floats
    squares: Squares | None = None


@dataclass(frozen=True, eq=False)
class _Frame:
    """An image with the intermediate results needed to re-render parts of it.

    Attributes:
        view: The rendered view.
        surface: First hits of its rays.
        seen: Its light.
        glow: Light added by lamps; see :func:`.tone_mapping.glow`.
        exposure: Factor from radiance to exposed values, where white is about 1.
        seed: Seed of noise and rain.
        image: ``(h, w, 3)`` uint8, the image.
    """

    view: View
    surface: Surface
    seen: _Seen
    glow: Sequence[Floats]
    exposure: float
    seed: int
    image: NDArray[np.uint8]


class Renderer:
    """Renders one town at a time.

    Args:
        quality: ``draft``, ``standard``, ``plain`` or ``high``, or custom settings.
        variant: Mitsuba variant; None selects a GPU if there is one, else the CPU.

    Raises:
        CaosError: If the quality or the variant is unknown, or a library is missing.
    """

    def __init__(self, quality: str | Quality = "standard", variant: str | None = None) -> None:
        self.quality = quality_named(quality) if isinstance(quality, str) else quality
        self.variant = backend.choose_variant(variant)
        self._mi = backend.mitsuba(self.variant)
        self._weather = Weather()
        self._lit: tuple[Lamp, ...] | None = None
        self._shining: tuple[Lamp, ...] = ()
        self._clear()
        self._lamps: tuple[Lamp, ...] = ()
        self._sky: Sky | None = None
        self._loaded: str | None = None
        self._pool = ThreadPoolExecutor(1, "render")

    def load(self, statics: Sequence[Placed], cache_key: str | None = None) -> None:
        """Replace the town and remove all actors; with the ``cache_key`` of the loaded town, the town is kept."""
        if cache_key is None or cache_key != self._loaded:
            self._activate()
            self._clear()
            self._surfaces.measure(part for placed in statics for part in placed.mesh.parts)
            self._stage.load(statics)
            self._caster.load(statics)
        self._loaded = cache_key
        self.set_actors(())

    def set_weather(self, weather: Weather) -> None:
        """Change the weather."""
        if weather == self._weather:
            return
        self._activate()
        self._weather, self._sky, self._lit = weather, None, None
        if self._surfaces.set_wet(Wet.of(weather)):
            self._shapes.soak()

    def set_actors(self, actors: Sequence[Placed], lamps: Sequence[Lamp] = ()) -> None:
        """Replace all actors. Meshes that were placed before only change their poses."""
        self._activate()
        self._surfaces.measure(part for placed in actors for part in placed.mesh.parts)
        self._stage.place(actors)
        self._caster.set_moving(actors)
        self._lamps = tuple(lamps)

    def forget_actors(self) -> None:
        """Remove all actors and every trace of earlier ones, including their places in search trees."""
        self.set_actors(())
        self._stage.clear()

    def prepare(self, meshes: Iterable[Mesh]) -> None:
        """Add meshes that will be placed later: preparing many at once is cheaper than one at a time."""
        self._stage.prepare(meshes)

    def render(
        self, camera: Camera, outputs: Collection[str] = OUTPUTS, seed: int = 0, hidden: Collection[int] = ()
    ) -> Images:
        """Render the images named in ``outputs``; the same scene and seed give the same bytes.

        ``hidden`` holds the instance ids of actors that the output ``cleared`` leaves out.

        Raises:
            CaosError: If an output is unknown or the camera is invalid.
        """
        check_request(camera, outputs)
        rays, grain = pixel_rays(camera), None
        if "rgb" in outputs or CLEARED in outputs:
            self._activate()
            self._switch_lights(camera)
            self._stage.show_around(camera.pose.matrix[:3, 3], self._caster.town_points(rays), self._sun())
            # Embree and NumPy use one core while Mitsuba traces tiles on the others.
            grain = self._pool.submit(self._traced, camera, seed, self._samples, self._square(camera))
        surface = self._caster.first(rays, detail=grain is not None or "normals" in outputs)
        images = label_images(camera, surface, outputs)
        if grain is not None:
            frame = self._finished(View.whole(rays), surface, grain, seed)
            if "rgb" in outputs:
                images.rgb = frame.image
            if CLEARED in outputs:
                images.cleared = self._cleared(frame, hidden)
        return images

    def _finished(
        self, view: View, surface: Surface, grain: Future[Floats], seed: int, caster: Caster | None = None
    ) -> _Frame:
        """Complete an image whose rays hit ``surface`` and whose light is being traced; see :meth:`_seen`."""
        factor = self.metered(view.camera)
        seen = self._seen(view, surface, grain, factor, caster)
        glow = self._glow(view, surface, factor)
        image = self._shown(view, surface, seen.radiance, glow, factor, seed)
        return _Frame(view, surface, seen, glow, factor, seed, image)

    def _cleared(self, frame: _Frame, hidden: Collection[int]) -> NDArray[np.uint8]:
        """Render the image without the ``hidden`` instances."""
        rays, camera, caster = frame.view.rays, frame.view.camera, self._caster.without(hidden)
        blocks = [object_removal.Block.of(corners) for corners in self._caster.corners(hidden)]
        lights = self._sun(), self._shining
        cells = object_removal.changed_cells(camera, frame.surface, rays, hidden, blocks, *lights, self._mirrors)
        parts = object_removal.windows(cells, camera, self._square(camera))
        if not parts:
            return frame.image.copy()
        with self._stage.without(hidden):
            if frame.seen.squares is None or not camera.lens.is_pinhole or object_removal.is_much(parts, camera):
                grain = self._pool.submit(self._traced, camera, frame.seed, self._samples, self._square(camera))
                surface = caster.first(rays, detail=True)
                return self._finished(frame.view, surface, grain, frame.seed, caster).image
            return self._redrawn(frame, parts, object_removal.weights(cells, camera), caster)

    def _redrawn(self, frame: _Frame, parts: Sequence[Window], share: Floats, caster: Caster) -> NDArray[np.uint8]:
        """Re-render ``parts`` of the image with another caster and blend them in by their weight ``share``."""
        camera, squares = frame.view.camera, frame.seen.squares
        assert squares is not None
        side = self._square(camera)
        coarse = [part.divided(side) for part in parts]
        wanted = object_removal.shown_squares(share, side)
        grain = self._pool.submit(self._retraced, camera, frame.seed, squares.traced, coarse, wanted)
        squares = Squares(squares.traced, squares.direct.copy(), squares.normal.copy())
        drawn = []
        for part, there in zip(parts, coarse, strict=True):
            view = View.part(frame.view.rays, part)
            met = caster.first(view.rays, detail=True)
            guide = self._guide(view, met, caster)
            squares.direct[there.slices], squares.normal[there.slices] = (
                means(image, side) for image in (guide.direct, guide.normal)
            )
            drawn.append((view, met, guide, there))
        traced = clamp_fireflies(grain.result(), FIREFLY / frame.exposure)
        squares, radiance = replace(squares, traced=traced), frame.seen.radiance.copy()
        for view, _, guide, there in drawn:
            context = there.grown(CONTEXT, traced.shape[:2])
            corrections = squares.within(context).corrections(frame.exposure, self.quality.denoiser)
            light = relight(corrections[there.within(context).slices], guide, side)
            object_removal.put_in(radiance, light, view.window, share)
        return self._developed(frame, radiance, [(view, met) for view, met, *_ in drawn])

    def _developed(self, frame: _Frame, radiance: Floats, parts: Sequence[tuple[View, Surface]]) -> NDArray[np.uint8]:
        """Return the image with other ``radiance`` in some parts, whose rays hit other surfaces."""
        image, factor, seed, surface = frame.image.copy(), frame.exposure, frame.seed, frame.surface
        for view, met in parts:
            pixels, there = view.window.pixels(view.camera), view.window.slices
            if not self._shine_alike(surface.rows(pixels), met):
                break
            image[there] = self._shown(view, met, radiance[there], [layer[there] for layer in frame.glow], factor, seed)
        else:
            return image
        # The halo of a lamp that was hidden or revealed extends beyond the part.
        for view, met in parts:
            surface = surface.patched(view.window.pixels(view.camera), met)
        glow = self._glow(frame.view, surface, factor)
        return self._shown(frame.view, surface, radiance, glow, factor, seed)

    def _shine_alike(self, one: Surface, other: Surface) -> bool:
        """Whether the same lamps are visible."""
        first, second = self._emission(one), self._emission(other)
        if first is None or second is None:
            return first is second
        return np.array_equal(first, second)

    def cast(self, origins: NDArray[np.floating[Any]], directions: NDArray[np.floating[Any]]) -> Hits:
        """First hits of rays from ``origins`` ``(n, 3)`` along unit ``directions`` ``(n, 3)``."""
        return self._caster.cast(origins, directions)

    def radiance(self, camera: Camera, seed: int = 0, samples: int | None = None, square: int = 1) -> Floats:
        """Path-traced image ``(h, w, 3)`` of the whole town in linear light, with noise.

        With ``square`` > 1, one pixel per square of pixels: an image whose sides are no multiples of ``square`` is
        extended to the right and below until they are.
        """
        self._activate()
        self._switch_lights(camera)
        self._stage.show_all()
        return self._traced(camera, seed, samples or self._samples, square)

    @property
    def _samples(self) -> int:
        return self.quality.samples * (1 if denoiser() else 4)

    def _traced(self, camera: Camera, seed: int, samples: int, square: int, tile: Window | None = None) -> Floats:
        """Path-traced light with noise: a value per square of pixels, in a ``tile`` of them or everywhere."""
        self._activate()
        path = {"type": "path", "max_depth": self.quality.bounces, "rr_depth": 16, "block_size": SIDE}
        image = self._mi.render(
            self._stage.scene,
            sensor=camera_sensor(self._mi, camera, samples, square, tile),
            integrator=backend.make(self._mi, path),
            spp=samples,
            seed=seed,
        )
        return np.asarray(image, dtype=np.float32)[..., :3]

    def _retraced(self, camera: Camera, seed: int, before: Floats, parts: Sequence[Window], wanted: Cells) -> Floats:
        """Light ``before``, traced again in ``parts`` of it; on CPUs only where ``wanted``, with the same noise."""
        out, side = before.copy(), self._square(camera)
        self._activate()
        pieces = [(part, seed) for part in parts]
        if self.variant.startswith("scalar"):
            chosen = covering(self._mi, wanted)
            pieces = [(tile.window, tile.seed(seed, wanted.size)) for tile in chosen]
        for piece, own in pieces:
            out[piece.slices] = self._traced(camera, own, self._samples, side, piece)
        return out

    def developed(self, camera: Camera, radiance: Floats, seed: int = 0) -> NDArray[np.uint8]:
        """Convert light ``(h, w, 3)`` from elsewhere to an image as :meth:`render` does with its own."""
        view, factor = View.whole(pixel_rays(camera)), self.metered(camera)
        surface = self._caster.first(view.rays, detail=True)
        return self._shown(view, surface, radiance, self._glow(view, surface, factor), factor, seed)

    def metered(self, camera: Camera) -> float:
        """Exposure of ``camera``: the factor from radiance to values where white is about 1."""
        return exposure.metered(camera, self._caster, self._light())

    def surfaces(self, camera: Camera, caster: Caster | None = None) -> tuple[Floats, Floats]:
        """Albedo and normal ``(h, w, 3)`` at each pixel by one ray; ``caster`` may leave objects out."""
        rays, shape = pixel_rays(camera), (camera.height, camera.width)
        surface = (caster or self._caster).first(rays, detail=True)
        albedo = self._colors.albedo(surface, surface_colors.footprints(surface.uv.reshape(*shape, 2)).ravel())
        return albedo.reshape(*shape, 3), surface.normal.reshape(*shape, 3)

    def _clear(self) -> None:
        """Drop all geometry and all surfaces."""
        self._surfaces = Surfaces(self._mi, Wet.of(self._weather))
        self._shapes = Shapes(self._mi, self._surfaces)
        self._stage = MitsubaScene(self._mi, self._shapes)
        self._caster = Caster()
        self._colors = surface_colors.Colors(self._caster.table)
        self._mirrors = Mirrors(self._colors, self._surfaces)
        self._lit = None

    def _activate(self) -> None:
        # The active variant is per thread; a server may load in one thread and render in another.
        backend.mitsuba(self.variant)

    def _seen(
        self, view: View, surface: Surface, grain: Future[Floats], factor: float, caster: Caster | None = None
    ) -> _Seen:
        """Light of a whole view whose rays hit ``surface``; ``caster`` may leave objects out."""
        camera, caster = view.camera, caster or self._caster
        effort, side = self.quality.denoiser, self._square(camera)
        if self.quality.sketched:
            guide = self._guide(view, surface, caster)
            squares = Squares.of(clamp_fireflies(grain.result(), FIREFLY / factor), guide, side)
            return _Seen(relight(squares.corrections(factor, effort), guide, side), squares)
        fine = replace(camera, width=2 * camera.width, height=2 * camera.height)
        albedo, normal = (means(image, 2) for image in self.surfaces(fine, caster))
        return _Seen(denoise(clamp_fireflies(grain.result(), FIREFLY / factor), albedo, normal, effort))

    def _guide(self, view: View, surface: Surface, caster: Caster) -> guides.Guide:
        direct = DirectLight(caster, self._colors, self._mirrors, self._light(), self._shining)
        return guides.make_guide(view, surface, direct, smooth=self.quality.smooth)

    def _emission(self, surface: Surface) -> Floats | None:
        """Radiance emitted by lamps among ``surface`` towards the camera, or None if none is visible."""
        out = surface_colors.emission(surface, self._caster.table.materials)
        if out is not None:
            out[surface.thing < 0] *= self._light().darkness
        return out

    def _glow(self, view: View, surface: Surface, factor: float) -> Sequence[Floats]:
        """Light that the lamps in a whole view add to its image."""
        emission = self._emission(surface)
        if emission is None:
            return ()
        return tone_mapping.glow(emission.reshape(*view.window.shape, 3), BRIGHTEST / factor)

    def _shown(
        self, view: View, surface: Surface, radiance: Floats, glow: Sequence[Floats], factor: float, seed: int
    ) -> NDArray[np.uint8]:
        """Convert light to an 8-bit image of a view: with glowing lamps, air and rain, exposed by ``factor``."""
        sky, weather, camera, window = self._light(), self._weather, view.camera, view.window
        for layer in glow:
            radiance = radiance + layer
        ways = view.rays.directions
        length = np.sqrt(np.einsum("ij,ij->i", ways, ways))
        rise, distance = (a.reshape(window.shape) for a in (ways[:, 2] / length, surface.distance * length))
        passed = atmosphere.transmittance(distance, camera.pose.z, rise, weather)
        radiance = atmosphere.add_air(radiance, passed, sky, weather)
        drops = atmosphere.drops((camera.height, camera.width), weather, seed)
        radiance = atmosphere.add_rain(radiance, None if drops is None else drops[window.slices], sky)
        return tone_mapping.develop(radiance, factor, camera, window)

    def _light(self) -> Sky:
        """The sky of the weather, computed when an image first needs it: rays and labels do not."""
        if self._sky is None:
            self._sky = make_sky(self._weather, self.quality.sky_rows)
        return self._sky

    def _sun(self) -> NDArray[np.float64] | None:
        """Direction of the sun, or None if it is hidden."""
        return self._light().sun_direction if self._light().has_sun else None

    def _switch_lights(self, camera: Camera) -> None:
        """Update the scene's lights if they changed since the last frame."""
        sky, pose = self._light(), camera.pose.matrix
        dark = sky.night > lights.DUSK
        lit = lights.nearest(self._lamps, pose[:3, 3], pose[:3, 0]) if dark else ()
        if lit != self._lit:
            self._lit = lit
            self._shining = tuple(lights.freed(lamp, self._caster) for lamp in lit)
            self._stage.light(lights.daylight(self._mi, sky) | lights.lamplight(self._mi, self._shining, pose[:3, 3]))

    def _square(self, camera: Camera) -> int:
        """Side of the squares of pixels for which light is traced; a lens other than pinhole needs every pixel."""
        return self.quality.square(camera.height) if camera.lens.is_pinhole else 1
