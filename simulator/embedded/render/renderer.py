"""The renderer: a scene description goes in, pictures come out.

Colour is path-traced by Mitsuba at a few samples and denoised; tags, instances, depth and the denoiser's guides are
Embree's first hits on the same meshes through the pixels' centres.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foundation.errors import CaosError, unknown
from simulator.embedded.render import atmosphere, backend, guides
from simulator.embedded.render.denoise import clamp_fireflies, denoise, denoiser
from simulator.embedded.render.description import OUTPUTS, Camera, Hits, Images, Lamp, Placed
from simulator.embedded.render.geometry import Shapes, split
from simulator.embedded.render.materials import Surfaces
from simulator.embedded.render.quality import quality as quality_named
from simulator.embedded.render.rays import Caster, Surface, pixel_rays
from simulator.embedded.render.sky import Sky, make_sky
from simulator.weather import Weather

SUN_POINTS = 12
SUN_RADIUS = np.radians(0.35)


class Renderer:
    """Renders one town at a time.

    Args:
        quality: ``draft``, ``standard`` or ``high``.
        variant: Mitsuba's variant; None takes a GPU where there is one, else the CPU.

    Raises:
        CaosError: If the quality or the variant is unknown, or a library is missing.
    """

    def __init__(self, quality: str = "standard", variant: str | None = None) -> None:
        self.quality = quality_named(quality)
        self.variant = backend.choose_variant(variant)
        self._mi = backend.mitsuba(self.variant)
        self._surfaces = Surfaces(self._mi)
        self._shapes = Shapes(self._mi, self._surfaces)
        self._caster = Caster()
        self._static_objects: list[Any] = []
        self._static_meshes: list[Any] = []
        self._actors: tuple[Placed, ...] = ()
        self._lamps: tuple[Lamp, ...] = ()
        self._weather = Weather()
        self._sky: Sky | None = None
        self._scene: Any = None
        self._loaded: str | None = None

    def load(self, statics: Sequence[Placed], cache_key: str | None = None) -> None:
        """Replace the town; with the ``cache_key`` of the town already loaded, do nothing."""
        if cache_key is not None and cache_key == self._loaded:
            return
        self._activate()
        single, repeated = split(statics)
        self._static_meshes = [single, *{id(p.mesh): p.mesh for p in repeated}.values()]
        objects = [self._shapes.instance(p.mesh, p.world_from_mesh) for p in repeated]
        if single.parts:
            objects.append(self._shapes.instance(single, np.eye(4)))
        self._static_objects = objects
        self._caster.load(statics)
        self._loaded, self._scene = cache_key, None

    def set_weather(self, weather: Weather) -> None:
        """Change the weather."""
        if weather != self._weather or self._sky is None:
            self._weather, self._sky, self._scene = weather, make_sky(weather, self.quality.sky_rows), None

    def set_actors(self, actors: Sequence[Placed], lamps: Sequence[Lamp] = ()) -> None:
        """Replace everything that moves. Meshes seen in the last call are kept; only their places change."""
        self._actors, self._lamps, self._scene = tuple(actors), tuple(lamps), None
        self._caster.set_moving(self._actors)

    def render(self, camera: Camera, outputs: Collection[str] = OUTPUTS, seed: int = 0) -> Images:
        """The pictures named in ``outputs`` as ``camera`` sees the scene.

        Raises:
            CaosError: If an output is unknown or the camera has no pixels.
        """
        for name in outputs:
            if name not in OUTPUTS:
                raise unknown("output", name, OUTPUTS)
        if camera.width < 1 or camera.height < 1 or not 0 < camera.fov_deg < 180:
            raise CaosError(
                f"a camera of {camera.width}x{camera.height} pixels and {camera.fov_deg} degrees cannot be rendered; "
                "use at least one pixel and a field of view between 0 and 180"
            )
        origins, rays = pixel_rays(camera)
        surface = self._caster.first(origins, rays, detail="rgb" in outputs)
        shape = (camera.height, camera.width)
        images = Images()
        if "rgb" in outputs:
            images.rgb = self._color(camera, surface, rays, seed)
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

    def _activate(self) -> None:
        # The variant belongs to the calling thread; a server may load in one thread and render in another.
        backend.mitsuba(self.variant)

    def _color(self, camera: Camera, surface: Surface, rays: NDArray[np.float32], seed: int) -> NDArray[np.uint8]:
        sky, shape = self._light(), (camera.height, camera.width)
        radiance = clamp_fireflies(self.radiance(camera, seed))
        materials = self._caster.table.materials
        albedo = guides.albedo(surface, materials).reshape(*shape, 3)
        radiance = denoise(radiance, albedo, surface.normal.reshape(*shape, 3), self.quality.denoiser)
        distance = surface.distance * np.linalg.norm(rays, axis=1)
        radiance = atmosphere.add_fog(radiance, distance.reshape(shape), sky, self._weather)
        return atmosphere.tone(radiance, atmosphere.exposure(sky, camera), camera.gamma)

    def radiance(self, camera: Camera, seed: int = 0, samples: int | None = None) -> NDArray[np.float32]:
        """Mitsuba's own picture ``(h, w, 3)``: linear light, with grain."""
        self._activate()
        if self._scene is None:
            self._scene = self._build()
        samples = samples or self.quality.samples * (1 if denoiser() else 4)
        sensor = self._mi.load_dict(self._sensor(camera, samples))
        image = self._mi.render(self._scene, sensor=sensor, spp=samples, seed=seed)
        return np.asarray(image, dtype=np.float32)[..., :3]

    def _light(self) -> Sky:
        if self._sky is None:
            self._sky = make_sky(self._weather, self.quality.sky_rows)
        return self._sky

    def _build(self) -> Any:
        actors = [self._shapes.instance(p.mesh, p.world_from_mesh) for p in self._actors]
        meshes = [*self._static_meshes, *(p.mesh for p in self._actors)]
        self._shapes.keep_only(meshes)
        groups = {id(m): self._shapes.group(m) for m in meshes if m.parts}
        objects = [*groups.values(), *self._static_objects, *actors]
        scene: dict[str, Any] = {"type": "scene", "integrator": self._integrator(), **self._emitters()}
        scene.update({f"object{i}": item for i, item in enumerate(objects)})
        return self._mi.load_dict(scene)

    def _integrator(self) -> dict[str, Any]:
        return {"type": "path", "max_depth": self.quality.bounces, "rr_depth": 16}

    def _emitters(self) -> dict[str, Any]:
        sky = self._light()
        turn = self._mi.ScalarTransform4f().rotate([1, 0, 0], 90)
        emitters: dict[str, Any] = {"sky": {"type": "envmap", "bitmap": self._mi.Bitmap(sky.image), "to_world": turn}}
        if sky.sun_irradiance.max() <= 1e-4:
            return emitters
        share = [float(c) / SUN_POINTS for c in sky.sun_irradiance]
        for i, direction in enumerate(sun_disc(sky.sun_direction)):
            emitters[f"sun{i}"] = {
                "type": "directional",
                "direction": [-float(d) for d in direction],
                "irradiance": {"type": "rgb", "value": share},
                "sampling_weight": 1.0 / SUN_POINTS,
            }
        return emitters

    def _sensor(self, camera: Camera, samples: int) -> dict[str, Any]:
        pose = camera.pose.matrix
        # Mitsuba's camera has x to the left, y up and looks along z; with y mirrored it shows a left-handed world.
        to_world = np.eye(4)
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


def sun_disc(center: NDArray[np.float64]) -> NDArray[np.float64]:
    """Directions ``(SUN_POINTS, 3)`` spread over the sun's disc, for soft shadows without a visible disc."""
    side = np.cross(center, (0.0, 0.0, 1.0) if abs(center[2]) < 0.9 else (1.0, 0.0, 0.0))
    side /= np.linalg.norm(side)
    other = np.cross(center, side)
    k = np.arange(SUN_POINTS)
    radius, angle = SUN_RADIUS * np.sqrt((k + 0.5) / SUN_POINTS), k * np.pi * (3 - np.sqrt(5))
    spread = radius[:, None] * (np.cos(angle)[:, None] * side + np.sin(angle)[:, None] * other)
    directions = center + spread
    return np.asarray(directions / np.linalg.norm(directions, axis=1, keepdims=True))
