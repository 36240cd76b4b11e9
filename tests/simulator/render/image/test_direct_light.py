"""Direct light, and the image after its correction by light traced on a coarse grid."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from caos.assets.mesh import Material, Mesh
from caos.assets.modelling import shapes
from caos.simulator.embedded.render.description import Camera, Lamp, Placed
from caos.simulator.embedded.render.fidelity import distance
from caos.simulator.embedded.render.image.guides import View
from caos.simulator.embedded.render.image.surface_colors import Colors, look_up, seen
from caos.simulator.embedded.render.path_tracing.relight import means
from caos.simulator.embedded.render.quality import QUALITIES
from caos.simulator.embedded.render.ray_casting.caster import Caster
from caos.simulator.embedded.render.ray_casting.ray_scene import MaterialTable
from caos.simulator.embedded.render.ray_casting.rays import Surface, pixel_rays
from caos.simulator.embedded.render.renderer import Renderer
from caos.simulator.transform import Transform
from caos.simulator.weather import PRESETS, Weather

NOON = Weather(cloudiness=0, sun_altitude_angle=60, sun_azimuth_angle=90, fog_density=0)
CAMERA = Camera(Transform(0, 0, 1.6, -6.0, 0, 0), 161, 91, 90.0)
GROUND = Placed(
    Mesh((shapes.quad((-60, -60, 0), (120, 0, 0), (0, 120, 0), Material("road", (0.2, 0.2, 0.2), wettable=True)),)),
    np.eye(4),
    1,
)
CRATE = Placed(
    Mesh((shapes.box((-0.5, -0.5, 0), (0.5, 0.5, 1.0), Material("crate", (0.6, 0.1, 0.1))),)),
    Transform(6, 0, 0, 0, 20, 0).matrix,
    20,
    5,
)
COARSE = replace(QUALITIES["standard"], light_rows=45)


@pytest.fixture(scope="module")
def renderer() -> Renderer:
    made = Renderer(COARSE, "scalar_rgb")
    made.load([GROUND])
    return made


def _rgb(renderer: Renderer, camera: Camera = CAMERA) -> NDArray[np.uint8]:
    rgb = renderer.render(camera, ("rgb",), 3).rgb
    assert rgb is not None
    return rgb


@pytest.mark.parametrize(("weather", "most"), [(NOON, 5.0), (PRESETS["wet"], 8.0)])
def test_coarse_light_grid_matches_reference_with_many_samples(
    renderer: Renderer, weather: Weather, most: float
) -> None:
    """Image sides are odd, so that squares extend over its borders; the crate casts a shadow and is mirrored."""
    renderer.set_weather(weather)
    renderer.set_actors([CRATE])
    many = renderer.developed(CAMERA, renderer.radiance(CAMERA, seed=1, samples=36), seed=3)
    found = distance(_rgb(renderer), many)
    assert found.rmse < most
    assert found.ssim > 0.9


def test_plain_quality_is_denoised_path_traced_light(renderer: Renderer) -> None:
    renderer.set_weather(NOON)
    renderer.set_actors([CRATE])
    many = renderer.developed(CAMERA, renderer.radiance(CAMERA, seed=1, samples=36), seed=3)
    grainy = renderer.developed(CAMERA, renderer.radiance(CAMERA, seed=3, samples=2), seed=3)
    renderer.quality = QUALITIES["plain"]
    try:
        plain = distance(_rgb(renderer), many)
    finally:
        renderer.quality = COARSE
    assert plain.rmse < 0.8 * distance(grainy, many).rmse
    assert plain.rmse < 8.0


def test_light_grid_is_not_shifted_for_odd_image_sizes(renderer: Renderer) -> None:
    renderer.set_weather(NOON)
    renderer.set_actors([CRATE])
    fine, coarse = (renderer.radiance(CAMERA, samples=64, square=square) for square in (1, 2))
    wanted = means(fine, 2)
    assert coarse.shape == wanted.shape == (46, 81, 3)
    errors = {
        shift: float(np.abs(np.roll(coarse, shift, (0, 1)) - wanted)[4:-4, 4:-4].mean())
        for shift in ((0, 0), (0, 1), (0, -1), (1, 0), (-1, 0))
    }
    assert min(errors, key=errors.__getitem__) == (0, 0)


def test_square_size_scales_with_image_rows() -> None:
    standard, draft = QUALITIES["standard"], QUALITIES["draft"]
    assert [standard.square(rows) for rows in (90, 360, 720, 1080)] == [1, 2, 3, 4]
    assert [draft.square(rows) for rows in (90, 180, 360, 720)] == [1, 2, 3, 6]
    assert QUALITIES["high"].square(720) == 1


def test_shadow_rays_are_blocked_by_town_and_actors_within_reach() -> None:
    caster = Caster()
    wall = Mesh((shapes.box((9, -5, 0), (10, 5, 5), Material("wall")),))
    caster.load([GROUND, Placed(wall, np.eye(4), 3)])
    origins = np.array([[0, 0, 1], [0, 0, 1], [0, 0, 1]], np.float32)
    ways = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1]], np.float32)
    assert caster.blocks(origins, ways).tolist() == [True, False, False]
    assert caster.blocks(origins, ways, 8.0).tolist() == [False, False, False]
    crate = CRATE.mesh
    caster.set_moving(
        [
            Placed(crate, Transform(0, 4, 0.5, 0, 30, 0).matrix, 20, 1),
            Placed(crate, Transform(0, 0, 3).matrix, 20, 2),
        ]
    )
    assert caster.blocks(origins, ways).tolist() == [True, True, True]
    assert caster.blocks(origins, ways, 3.0).tolist() == [False, False, True]
    caster.set_moving(())
    assert caster.blocks(origins, ways).tolist() == [True, False, False]


def test_textures_are_interpolated_and_repeat() -> None:
    image = np.zeros((2, 4, 3), np.float32)
    image[0, 0], image[0, 1] = 1.0, 3.0
    uv = np.array([[0.125, 0.75], [0.25, 0.75], [1.125, 2.75], [0.0, 0.75]], np.float32)
    assert look_up(image, uv)[:, 0].tolist() == pytest.approx([1.0, 2.0, 1.0, 0.5])
    assert look_up(image, uv[:0]).shape == (0, 3)
    levels = Colors(Caster().table).filtered(image[..., 0], uv[:1], np.array([0.01], np.float32))
    assert levels.tolist() == pytest.approx([1.0])


def test_batched_texture_lookup_equals_lookup_per_material() -> None:
    rng = np.random.default_rng(0)
    sizes = ((64, 64), (7, 9), (100, 37), (1, 1))
    materials = [Material("plain", (0.5, 0.4, 0.3))]
    materials += [Material("t", texture=rng.random((*size, 3)).astype(np.float32)) for size in sizes]
    table = MaterialTable()
    for material in materials:
        table.index(material)
    surface, count = Surface.sky(2000), 2000
    surface.material[:], surface.uv[:] = rng.integers(-1, len(materials), count), rng.normal(size=(count, 2))
    footprint = np.exp(rng.uniform(-9, 2, count)).astype(np.float32)
    colors, wanted = Colors(table), np.ones((count, 3), np.float32)
    for material, rows in seen(surface, materials):
        plain = material.texture is None
        wanted[rows] = material.color if plain else colors.filtered(material.texture, surface.uv[rows], footprint[rows])
    assert np.array_equal(colors.albedo(surface, footprint), wanted)
    assert np.array_equal(colors.albedo(Surface.sky(3), np.ones(3, np.float32)), np.ones((3, 3)))


def test_lamp_shadow_edges_are_anti_aliased(renderer: Renderer) -> None:
    """Pixels along the edge of a lamp's shadow are as in the mean of a supersampled image."""
    renderer.set_weather(PRESETS["night"])
    renderer.set_actors([CRATE], [Lamp((7.5, -2.5, 3.0), intensity=60.0)])

    def sketched(factor: int, *, smooth: bool) -> NDArray[np.float32]:
        camera = replace(CAMERA, width=160 * factor, height=90 * factor)
        renderer.quality = replace(COARSE, smooth=smooth)
        renderer.render(camera, ("rgb",))
        rays = pixel_rays(camera)
        met = renderer._caster.first(rays, detail=True)
        return means(renderer._guide(View.whole(rays), met, renderer._caster).direct, factor)

    wanted = sketched(6, smooth=False)
    errors = {smooth: np.abs(sketched(1, smooth=smooth) - wanted)[55:].mean() for smooth in (False, True)}
    renderer.quality = COARSE
    assert errors[True] < 0.7 * errors[False]
