"""The renderer: a scene description goes in, pictures come out.

Colour is path-traced by Mitsuba at a few samples and denoised; tags, instances, depth and the denoiser's guides are
Embree's first hits on the same meshes through the pixels' centres.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caos.assets.mesh import Mesh
from caos.foundation.errors import CaosError, unknown
from caos.simulator.embedded.render import atmosphere, backend, exposure, film, guides, lights
from caos.simulator.embedded.render.caster import Caster
from caos.simulator.embedded.render.denoise import clamp_fireflies, denoise, denoiser
from caos.simulator.embedded.render.description import OUTPUTS, Camera, Hits, Images, Lamp, Placed
from caos.simulator.embedded.render.geometry import Shapes
from caos.simulator.embedded.render.materials import Surfaces, Wet
from caos.simulator.embedded.render.quality import Quality
from caos.simulator.embedded.render.quality import quality as quality_named
from caos.simulator.embedded.render.rays import Rays, Surface, pixel_rays
from caos.simulator.embedded.render.sky import Sky, make_sky
from caos.simulator.embedded.render.stage import Stage
from caos.simulator.weather import Weather

Floats = NDArray[np.float32]
# An emissive surface is shown at most this much brighter than white, so that signals keep their colour at night.
BRIGHTEST = 2.6
# Single paths brighter than this many times white are noise, not picture.
FIREFLY = 12.0


class Renderer:
    """Renders one town at a time.

    Args:
        quality: ``draft``, ``standard`` or ``high``, or settings of one's own.
        variant: Mitsuba's variant; None takes a GPU where there is one, else the CPU.

    Raises:
        CaosError: If the quality or the variant is unknown, or a library is missing.
    """

    def __init__(self, quality: str | Quality = "standard", variant: str | None = None) -> None:
        self.quality = quality_named(quality) if isinstance(quality, str) else quality
        self.variant = backend.choose_variant(variant)
        self._mi = backend.mitsuba(self.variant)
        self._weather = Weather()
        self._lit: tuple[Lamp, ...] | None = None
        self._clear()
        self._lamps: tuple[Lamp, ...] = ()
        self._sky: Sky | None = None
        self._loaded: str | None = None
        self._pool = ThreadPoolExecutor(1, "render")

    def load(self, statics: Sequence[Placed], cache_key: str | None = None) -> None:
        """Replace the town, and forget what moved in it; with the ``cache_key`` of the loaded town, keep the town."""
        if cache_key is None or cache_key != self._loaded:
            self._activate()
            self._clear()
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
        """Replace everything that moves. Meshes that were seen before only change their places."""
        self._activate()
        self._stage.place(actors)
        self._caster.set_moving(actors)
        self._lamps = tuple(lamps)

    def forget_actors(self) -> None:
        """Empty the stage, so that nothing of what moved so far, not even its place in a search tree, is left."""
        self.set_actors(())
        self._stage.clear()

    def prepare(self, meshes: Iterable[Mesh]) -> None:
        """Announce meshes that will move later: one preparation of many is cheaper than many of one."""
        self._stage.prepare(meshes)

    def render(self, camera: Camera, outputs: Collection[str] = OUTPUTS, seed: int = 0) -> Images:
        """The pictures named in ``outputs`` as ``camera`` sees the scene; the same scene and seed give the same bytes.

        Raises:
            CaosError: If an output is unknown or the camera cannot be.
        """
        _check(camera, outputs)
        grain: Future[Floats] | None = None
        if "rgb" in outputs:
            self._light()
            # Embree and numpy keep one core busy while Mitsuba still has tiles for the others.
            grain = self._pool.submit(self.radiance, camera, seed)
        rays = pixel_rays(camera)
        surface = self._caster.first(rays, detail=grain is not None)
        shape = (camera.height, camera.width)
        images = Images()
        if grain is not None:
            images.rgb = self._color(camera, surface, rays, grain, seed)
        if "tags" in outputs:
            images.tags = surface.tag.reshape(shape)
        if "instances" in outputs:
            images.instances = surface.instance.reshape(shape)
        if "depth" in outputs:
            images.depth = surface.distance.reshape(shape)
        return images

    def cast(self, origins: NDArray[np.floating[Any]], directions: NDArray[np.floating[Any]]) -> Hits:
        """First hits of rays from ``origins`` ``(n, 3)`` along unit ``directions`` ``(n, 3)``."""
        return self._caster.cast(origins, directions)

    def radiance(self, camera: Camera, seed: int = 0, samples: int | None = None) -> Floats:
        """Mitsuba's own picture ``(h, w, 3)``: linear light, with grain."""
        self._activate()
        self._switch_lights(camera)
        samples = samples or self.quality.samples * (1 if denoiser() else 4)
        image = self._mi.render(
            self._stage.scene,
            sensor=self._mi.load_dict(self._sensor(camera, samples)),
            integrator=self._mi.load_dict({"type": "path", "max_depth": self.quality.bounces, "rr_depth": 16}),
            spp=samples,
            seed=seed,
        )
        return np.asarray(image, dtype=np.float32)[..., :3]

    def _clear(self) -> None:
        """Forget all geometry and every surface."""
        self._surfaces = Surfaces(self._mi, Wet.of(self._weather))
        self._shapes = Shapes(self._mi, self._surfaces)
        self._stage = Stage(self._mi, self._shapes)
        self._caster = Caster()
        self._guides = guides.Guides(self._caster)
        self._lit = None

    def _activate(self) -> None:
        # The variant belongs to the calling thread; a server may load in one thread and render in another.
        backend.mitsuba(self.variant)

    def _color(
        self, camera: Camera, surface: Surface, rays: Rays, grain: Future[Floats], seed: int
    ) -> NDArray[np.uint8]:
        sky, weather, shape = self._light(), self._weather, (camera.height, camera.width)
        materials = self._caster.table.materials
        albedo, normal = self._guides.make(camera, surface)
        factor = exposure.metered(camera, self._caster, sky)
        glow = guides.emission(surface, materials)
        if glow is not None:
            glow[surface.thing < 0] *= sky.darkness
        length = np.sqrt(np.einsum("ij,ij->i", rays.directions, rays.directions))
        rise, distance = (rays.directions[:, 2] / length).reshape(shape), (surface.distance * length).reshape(shape)
        passed = atmosphere.transmittance(distance, camera.pose.z, rise, weather)
        radiance = clamp_fireflies(grain.result(), FIREFLY / factor)
        radiance = denoise(radiance, albedo, normal, self.quality.denoiser)
        if glow is not None:
            radiance = film.add_glow(radiance, glow.reshape(*shape, 3), BRIGHTEST / factor)
        radiance = atmosphere.add_air(radiance, passed, sky, weather)
        radiance = atmosphere.add_rain(radiance, weather, sky, seed)
        return film.develop(radiance, factor, camera)

    def _light(self) -> Sky:
        """The sky of the weather, made when a picture first needs it: rays and labels do without."""
        if self._sky is None:
            self._sky = make_sky(self._weather, self.quality.sky_rows)
        return self._sky

    def _switch_lights(self, camera: Camera) -> None:
        """Give the stage its lights, if they changed since the last frame."""
        sky, pose = self._light(), camera.pose.matrix
        dark = sky.night > lights.DUSK
        lit = lights.nearest(self._lamps, pose[:3, 3], pose[:3, 0]) if dark else ()
        if lit != self._lit:
            self._lit = lit
            free = [lights.freed(lamp, self._caster) for lamp in lit]
            self._stage.light(lights.daylight(self._mi, sky) | lights.lamplight(self._mi, free, pose[:3, 3]))

    def _sensor(self, camera: Camera, samples: int) -> dict[str, Any]:
        pose, to_world = camera.pose.matrix, np.eye(4)
        # Mitsuba's camera has x to the left, y up and looks along z; with x turned over it shows a left-handed world.
        to_world[:3, 0], to_world[:3, 1], to_world[:3, 2] = -pose[:3, 1], pose[:3, 2], pose[:3, 0]
        to_world[:3, 3] = pose[:3, 3]
        return {
            "type": "perspective",
            "fov": float(camera.fov_deg),
            "fov_axis": "x",
            "near_clip": 0.02,
            "far_clip": 1e5,
            "to_world": self._mi.ScalarTransform4f(to_world),
            "film": {
                "type": "hdrfilm",
                "width": camera.width,
                "height": camera.height,
                "pixel_format": "rgb",
                "component_format": "float32",
                "rfilter": {"type": "box"},
            },
            "sampler": {"type": "multijitter", "sample_count": samples},
        }


def _check(camera: Camera, outputs: Collection[str]) -> None:
    for name in outputs:
        if name not in OUTPUTS:
            raise unknown("output", name, OUTPUTS)
    if camera.width < 1 or camera.height < 1:
        raise CaosError(f"a camera of {camera.width}x{camera.height} pixels sees nothing; use at least 1x1")
    if not 0 < camera.fov_deg < 180:
        raise CaosError(f"a field of view of {camera.fov_deg} degrees is impossible; use one between 0 and 180")
