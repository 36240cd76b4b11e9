"""Removal of visible objects from an image: equal to a render without them, unchanged elsewhere."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from caos.assets.mesh import Material, Mesh
from caos.assets.modelling import shapes
from caos.simulator.embedded.render.description import Camera, Images, Lamp, Placed
from caos.simulator.embedded.render.image import object_removal
from caos.simulator.embedded.render.image.preview_shading import PreviewRenderer
from caos.simulator.embedded.render.path_tracing import tiles
from caos.simulator.embedded.render.ray_casting.rays import Window
from caos.simulator.embedded.render.renderer import Renderer
from caos.simulator.embedded.render.sample import EYE, sample_cars, sample_street
from caos.simulator.lens import Lens
from caos.simulator.transform import Transform
from caos.simulator.weather import preset

CAMERA = replace(EYE, width=320, height=180)
CRATE = Mesh((shapes.box((-0.6, -0.6, 0), (0.6, 0.6, 1.2), Material("crate", (0.7, 0.2, 0.05))),))
HIDDEN = 77
THERE = Placed(CRATE, Transform(11.0, -1.0, 0, 0, 20, 0).matrix, 20, HIDDEN)
LAMPS = (Lamp((14.0, -4.0, 6.0)), Lamp((30.0, 4.0, 6.0)))


@pytest.fixture(scope="module")
def renderer() -> Renderer:
    made = Renderer("standard", "scalar_rgb")
    made.load(sample_street(), "street")
    return made


def _drawn(renderer: Renderer, weather: str, camera: Camera = CAMERA) -> tuple[Images, list[NDArray[np.int64]]]:
    """Images with the crate hidden, and two renders without it with different noise."""
    cars = sample_cars()
    renderer.set_weather(preset(weather))
    renderer.set_actors([*cars, THERE], LAMPS)
    images = renderer.render(camera, ("rgb", "cleared"), hidden={HIDDEN})
    renderer.set_actors(cars, LAMPS)
    return images, [np.array(renderer.render(camera, ("rgb",), seed).rgb, np.int64) for seed in (0, 1)]


def _apart(one: NDArray[np.uint8] | None, other: NDArray[np.int64]) -> NDArray[np.int64]:
    assert one is not None
    return np.asarray(np.abs(one.astype(np.int64) - other).max(-1))


@pytest.mark.parametrize("weather", ["clear", "wet", "rain", "night"])
def test_cleared_image_matches_render_without_the_object(renderer: Renderer, weather: str) -> None:
    images, (alone, grainy) = _drawn(renderer, weather)
    assert images.rgb is not None
    assert images.cleared is not None
    crate = _apart(images.rgb, alone) > 24
    assert crate.mean() > 0.005
    assert _apart(images.cleared, alone).mean() < 0.5 * _apart(grainy.astype(np.uint8), alone).mean()
    assert _apart(images.cleared, alone)[crate].mean() < 1.5 * _apart(grainy.astype(np.uint8), alone)[crate].mean()
    assert (_apart(images.cleared, images.rgb.astype(np.int64)) == 0).mean() > 0.6


def test_halo_of_a_removed_lamp_disappears() -> None:
    shining = Mesh((shapes.box((-0.6, -0.6, 1), (0.6, 0.6, 2.2), Material("lamp", (9.0, 9.0, 9.0), "emissive")),))
    renderer, camera = Renderer("draft", "scalar_rgb"), replace(CAMERA, width=1280, height=720)
    renderer.load(sample_street(), "street")
    renderer.set_weather(preset("night"))
    renderer.set_actors([replace(THERE, mesh=shining)])
    images = renderer.render(camera, ("rgb", "cleared"), hidden={HIDDEN})
    renderer.set_actors([])
    alone = np.array(renderer.render(camera, ("rgb",)).rgb, np.int64)
    halo = _apart(images.rgb, alone) > 3
    assert halo.mean() > 0.02
    assert (_apart(images.cleared, alone)[halo] > 3).mean() < 0.01


def test_requesting_cleared_does_not_change_other_outputs(renderer: Renderer) -> None:
    renderer.set_weather(preset("clear"))
    renderer.set_actors([THERE])
    before = renderer.render(CAMERA, ("rgb",)).rgb
    first, second = (renderer.render(CAMERA, ("rgb", "cleared"), hidden={HIDDEN}) for _ in range(2))
    only = renderer.render(CAMERA, ("cleared",), hidden={HIDDEN})
    after = renderer.render(CAMERA, ("rgb", "instances"))
    for rgb in (first.rgb, second.rgb, after.rgb):
        np.testing.assert_array_equal(rgb, before)
    assert after.instances is not None
    assert (after.instances == HIDDEN).any()
    assert only.rgb is None
    for cleared in (second.cleared, only.cleared):
        np.testing.assert_array_equal(cleared, first.cleared)


def test_cleared_without_hidden_objects_equals_rgb(renderer: Renderer) -> None:
    renderer.set_weather(preset("clear"))
    renderer.set_actors([THERE])
    for hidden in ((), (5,)):
        images = renderer.render(CAMERA, ("rgb", "cleared"), hidden=hidden)
        np.testing.assert_array_equal(images.cleared, images.rgb)


def test_cleared_with_a_distorting_lens_renders_the_whole_image(renderer: Renderer) -> None:
    bent = replace(CAMERA, width=240, height=135, lens=Lens("brown", (-0.1, 0.0, 0.0, 0.0)))
    images, (alone, _) = _drawn(renderer, "clear", bent)
    assert (_apart(images.rgb, alone) > 24).mean() > 0.005
    np.testing.assert_array_equal(images.cleared, alone)


def test_preview_quality_renders_cleared_as_a_whole() -> None:
    renderer = PreviewRenderer()
    renderer.load(sample_street(), "street")
    renderer.set_actors([THERE])
    images = renderer.render(CAMERA, ("rgb", "cleared", "instances"), hidden={HIDDEN})
    renderer.set_actors([])
    alone = renderer.render(CAMERA, ("rgb",)).rgb
    np.testing.assert_array_equal(images.cleared, alone)
    assert images.instances is not None
    assert (images.instances == HIDDEN).any()


def test_single_tiles_and_quarters_reproduce_the_noise_of_the_whole_image(renderer: Renderer) -> None:
    renderer.set_weather(preset("clear"))
    renderer.set_actors([])
    whole = renderer.radiance(CAMERA, samples=1)
    every = tiles.tiles(renderer._mi, CAMERA.width, CAMERA.height)
    rim = [tile for tile in every if tile.window.height != tiles.SIDE]
    for tile in (every[0], every[-1], *rim[:2], *every[0].quarters(), *rim[0].quarters()):
        own = tile.seed(0, CAMERA.width * CAMERA.height)
        alone = renderer._traced(CAMERA, own, 1, 1, tile.window)
        there = whole[tile.window.slices]
        assert (np.abs(alone - there) <= 0.01 * there + 1e-6).mean() > 0.97


@pytest.mark.parametrize("size", [(1, 1), (33, 7), (64, 32), (427, 240)])
def test_tiles_partition_the_image(renderer: Renderer, size: tuple[int, int]) -> None:
    covered = np.zeros((2, *size[::-1]), int)
    for number, tile in enumerate(tiles.tiles(renderer._mi, *size)):
        assert tile.first == number * tiles.SIDE**2
        for level, pieces in zip(covered, ([tile], tile.quarters()), strict=True):
            for piece in pieces:
                level[piece.window.slices] += 1
                seed = piece.seed(0, size[0] * size[1])
                assert seed * piece.window.width * piece.window.height % 2**32 == piece.first
    assert (covered == 1).all()


def test_wanted_pixels_are_covered_by_tiles_and_quarters(renderer: Renderer) -> None:
    wanted = np.zeros((240, 427), bool)
    wanted[100, 200], wanted[0:30, 0:30], wanted[239, 426] = True, True, True
    chosen = tiles.covering(renderer._mi, wanted)
    covered = np.zeros(wanted.shape, int)
    for tile in chosen:
        covered[tile.window.slices] += 1
    assert covered.max() == 1
    assert (covered[wanted] == 1).all()
    assert sorted((tile.window.width, tile.window.height) for tile in chosen) == [(11, 16), (16, 16), (32, 32)]


def test_windows_cover_all_cells_aligned_and_disjoint() -> None:
    camera, rng = replace(CAMERA, width=301, height=203), np.random.default_rng(0)
    for _ in range(50):
        cells = rng.random((51, 76)) < rng.choice([0.0, 0.001, 0.004])
        taken = np.zeros((203, 301), int)
        for window in object_removal.windows(cells, camera, 3):
            assert window.left % 3 == window.top % 3 == 0
            assert window.width % 3 == 0 or window.left + window.width == 301
            assert window.height % 3 == 0 or window.top + window.height == 203
            taken[window.slices] += 1
        assert taken.max() <= 1
        wanted = object_removal.weights(cells, camera) > 0
        assert (taken[wanted] == 1).all()
        assert wanted.any() == cells.any()


def test_window_pixel_indices_are_those_of_the_image() -> None:
    numbers = np.arange(CAMERA.width * CAMERA.height).reshape(CAMERA.height, CAMERA.width)
    window = Window(30, 40, 50, 20)
    np.testing.assert_array_equal(window.pixels(CAMERA), numbers[window.slices].ravel())


def test_block_intersects_rays_and_is_close_to_nearby_points() -> None:
    corners = np.array([[x, y, z] for x in (4, 6) for y in (-1, 1) for z in (0, 2)], float)
    block = object_removal.Block.of(corners)
    origin, ahead = np.zeros((1, 3), np.float32), np.array([[1, 0, 0.2]], np.float32)
    assert block.is_met(origin, ahead).all()
    assert not block.is_met(origin, -ahead).any()
    assert not block.is_met(origin, ahead, 2.0).any()
    assert block.is_close(np.array([[3, 0, 0]], np.float32)).all()
    assert not block.is_close(np.array([[-3, 0, 0]], np.float32)).any()
