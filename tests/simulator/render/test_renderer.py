"""The renderer as a whole: light, geometry, determinism and errors."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from caos.assets.mesh import Material, Mesh, Part
from caos.assets.modelling import shapes
from caos.foundation.errors import CaosError
from caos.simulator.embedded.render.description import Camera, Lamp, Placed
from caos.simulator.embedded.render.image import denoise
from caos.simulator.embedded.render.path_tracing import backend
from caos.simulator.embedded.render.renderer import Renderer
from caos.simulator.transform import Transform
from caos.simulator.weather import PRESETS, Weather

NOON = Weather(cloudiness=0, sun_altitude_angle=60, sun_azimuth_angle=90, fog_density=0)
CAMERA = Camera(Transform(0, 0, 1.6, -6.0, 0, 0), 160, 90, 90.0)
GROUND = Placed(
    Mesh((shapes.quad((-60, -60, 0), (120, 0, 0), (0, 120, 0), Material("road", (0.2, 0.2, 0.2), wettable=True)),)),
    np.eye(4),
    1,
)
CRATE = Mesh((shapes.box((-0.5, -0.5, 0), (0.5, 0.5, 1.0), Material("crate", (0.6, 0.1, 0.1))),))


def _crate(x: float = 6.0, y: float = 0.0) -> Placed:
    return Placed(CRATE, Transform(x, y, 0, 0, 20, 0).matrix, 20, 5)


def _rgb(renderer: Renderer, camera: Camera = CAMERA, seed: int = 0) -> NDArray[np.int64]:
    image = renderer.render(camera, ("rgb",), seed).rgb
    assert image is not None
    return image.astype(np.int64)


@pytest.fixture(scope="module")
def shared() -> Renderer:
    return Renderer("standard", "scalar_rgb")


@pytest.fixture
def renderer(shared: Renderer) -> Renderer:
    shared.load([GROUND])
    shared.set_weather(NOON)
    return shared


def test_the_sun_shines_through_a_leaf_and_onto_the_ground_below(renderer: Renderer) -> None:
    """A roof of leaves and one of boards in the same colour, seen from below: only leaves transmit light."""
    seen, below = {}, {}
    for surface in ("leaf", "diffuse"):
        green = Material("roof", (0.1, 0.2, 0.05), surface)
        roof = Mesh((shapes.quad((-15, -15, 4), (30, 0, 0), (0, 30, 0), green),))
        renderer.set_actors([Placed(roof, np.eye(4), 9, 5)])
        seen[surface] = _rgb(renderer, replace(CAMERA, pose=Transform(0, 0, 1.6, 60.0, 0, 0))).mean((0, 1))
        below[surface] = _rgb(renderer, replace(CAMERA, pose=Transform(0, 0, 1.6, -60.0, 0, 0))).mean((0, 1))
    assert seen["leaf"][1] > 1.3 * seen["diffuse"][1]
    assert below["leaf"][1] > 1.05 * below["diffuse"][1]
    assert seen["leaf"][1] > 1.2 * seen["leaf"][2]


def test_all_outputs_of_a_frame_show_the_same_geometry(renderer: Renderer) -> None:
    renderer.set_actors([_crate()])
    images = renderer.render(CAMERA)
    assert images.rgb is not None
    assert images.rgb.shape == (90, 160, 3)
    assert images.rgb.dtype == np.uint8
    assert images.tags is not None
    assert images.instances is not None
    assert images.depth is not None
    crate = images.instances == 5
    assert crate.sum() > 100
    assert (images.tags[crate] == 20).all()
    assert set(np.unique(images.tags)) == {1, 11, 20}
    assert np.isinf(images.depth[images.tags == 11]).all()
    assert 5.0 < images.depth[crate].min() < 6.0
    red = images.rgb[crate].astype(int)
    assert (red[:, 0] > 1.5 * red[:, 1]).mean() > 0.95


def test_only_requested_outputs_are_computed(renderer: Renderer) -> None:
    images = renderer.render(CAMERA, ("depth",))
    assert images.depth is not None
    assert images.rgb is None
    assert images.tags is None
    assert images.instances is None


def test_labels_need_no_sky(renderer: Renderer) -> None:
    renderer.set_weather(replace(NOON, cloudiness=33.0))
    renderer.render(CAMERA, ("tags", "instances", "depth"))
    assert renderer._sky is None
    _rgb(renderer)
    assert renderer._sky is not None
    renderer.set_weather(NOON)


def test_the_same_scene_and_seed_give_the_same_bytes(renderer: Renderer) -> None:
    renderer.set_actors([_crate()])
    first = _rgb(renderer, seed=3)
    assert np.array_equal(first, _rgb(renderer, seed=3))
    assert not np.array_equal(first, _rgb(renderer, seed=4))
    fresh = Renderer("standard", "scalar_rgb")
    fresh.load([GROUND])
    fresh.set_weather(NOON)
    fresh.set_actors([_crate()])
    assert np.array_equal(first, _rgb(fresh, seed=3))


def test_the_number_of_threads_does_not_change_a_byte(renderer: Renderer) -> None:
    drjit = pytest.importorskip("drjit")
    before, pictures = drjit.thread_count(), []
    try:
        for threads in (1, 3):
            drjit.set_thread_count(threads)
            pictures.append(_rgb(renderer))
    finally:
        drjit.set_thread_count(before)
    assert np.array_equal(*pictures)


def test_moving_there_and_back_restores_the_frame_without_a_rebuild(renderer: Renderer) -> None:
    renderer.set_actors([_crate()])
    first = _rgb(renderer)
    builds = renderer._stage.builds
    renderer.set_actors([_crate(9.0, 2.0)])
    assert not np.array_equal(first, _rgb(renderer))
    renderer.set_actors([])
    empty = _rgb(renderer)
    renderer.set_actors([_crate()])
    assert np.array_equal(first, _rgb(renderer))
    assert renderer._stage.builds == builds
    assert np.abs(first - empty).max() > 30


def test_a_cleared_scene_keeps_no_trace_of_earlier_actors(renderer: Renderer) -> None:
    renderer.set_actors([_crate(), _crate(7.0, -1.0)])
    _rgb(renderer)
    renderer.forget_actors()
    assert renderer._stage._meshes == {}
    renderer.set_actors([_crate()])
    assert list(renderer._stage._wanted()) == ["slot0"]


def test_an_object_changes_only_itself_its_shadow_and_its_reflection(renderer: Renderer) -> None:
    renderer.set_actors([_crate()])
    with_it = renderer.render(CAMERA, ("rgb", "instances"))
    renderer.set_actors([])
    without = _rgb(renderer)
    assert with_it.rgb is not None
    assert with_it.instances is not None
    change = np.abs(with_it.rgb.astype(int) - without).max(axis=2)
    rows, columns = np.nonzero(with_it.instances == 5)
    near = np.zeros(change.shape, bool)
    # The sun stands at +y (right), so the shadow falls to the left of the crate.
    near[rows.min() - 4 : rows.max() + 9, columns.min() - 25 : columns.max() + 5] = True
    assert (change[~near] > 6).mean() < 0.002
    assert change[~near].mean() < 0.5
    left, right = int(columns.min()) - 3, int(columns.max()) + 4
    row = int(rows.max()) - 2
    assert change[row, left] > 20
    assert change[row, right] < 12


def test_texture_is_neither_mirrored_nor_upside_down(renderer: Renderer) -> None:
    # A wall that faces the camera: red top left, green top right, blue below, by the UV convention (row 0 at v = 1).
    picture = np.full((8, 8, 3), 0.02, np.float32)
    picture[:4, :4, 0], picture[:4, 4:, 1], picture[4:, :, 2] = 0.8, 0.8, 0.8
    corners = np.array([[5, -2, 0], [5, 2, 0], [5, 2, 3], [5, -2, 3]], np.float32)
    uv = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    faces = np.array([[0, 2, 1], [0, 3, 2]], np.int32)
    wall = Mesh((Part(corners, faces, Material("sign", texture=picture), uv),))
    renderer.set_actors([Placed(wall, np.eye(4), 8, 1)])
    image = _rgb(renderer, replace(CAMERA, pose=Transform(0, 0, 1.5)))
    assert image[30, 65].argmax() == 0
    assert image[30, 95].argmax() == 1
    assert image[55, 80].argmax() == 2


def test_the_sun_side_is_lit_and_the_other_in_shadow(renderer: Renderer) -> None:
    post = Mesh((shapes.box((-2, -0.2, 0), (2, 0.2, 3.0), Material("white", (0.7, 0.7, 0.7))),))
    renderer.set_actors([Placed(post, Transform(6, 0, 0).matrix, 6, 1)])
    down = Camera(Transform(6, 0, 14, -89.9, 0, 0), 120, 120, 60.0)
    image = _rgb(renderer, down)
    # Looking down, up in the image is +x and right is +y: the sun's side. The shadow ends 14 pixels to the left.
    assert image[60, 75].mean() > image[60, 50].mean() * 1.5


def test_every_weather_gives_a_plausible_and_distinct_image(renderer: Renderer) -> None:
    means = {}
    for name, weather in PRESETS.items():
        renderer.set_weather(weather)
        image = _rgb(renderer)
        means[name] = image.mean()
        assert image.std() > 4, name
    assert means["night"] < 60
    assert all(70 < means[name] < 210 for name in means if name != "night"), means


def test_wet_ground_reflects_and_dries_again(renderer: Renderer) -> None:
    wall = Mesh((shapes.box((12, -6, 0), (13, 6, 6), Material("red wall", (0.8, 0.05, 0.05))),))
    overcast = replace(PRESETS["overcast"], fog_density=0)
    renderer.set_actors([Placed(wall, np.eye(4), 3, 1)])
    renderer.set_weather(overcast)
    dry = _rgb(renderer)
    renderer.set_weather(replace(overcast, wetness=100, precipitation_deposits=100))
    wet = _rgb(renderer)
    renderer.set_weather(overcast)
    again = _rgb(renderer)
    ground = (slice(62, 75), slice(60, 100))
    redness = [float((i[ground][..., 0] - i[ground][..., 1]).mean()) for i in (dry, wet, again)]
    assert redness[1] > redness[0] + 8
    assert np.array_equal(dry, again)


def test_fog_hides_distant_surfaces_and_is_not_white(renderer: Renderer) -> None:
    far = Placed(CRATE, Transform(80, 0, 0).matrix @ np.diag([1.0, 40, 30, 1]), 3, 1)
    renderer.set_actors([far, _crate()])
    renderer.set_weather(replace(PRESETS["overcast"], fog_density=70))
    images = renderer.render(CAMERA)
    assert images.rgb is not None
    assert images.instances is not None
    hidden, sky = images.rgb[images.instances == 1].astype(int), images.rgb[images.instances == 0][:2000].astype(int)
    assert np.ptp(hidden.mean(axis=0)) < 14
    assert 130 < hidden.mean() < 225
    near = images.rgb[images.instances == 5].astype(int)
    assert near[:, 0].mean() - near[:, 1].mean() > 25
    assert abs(hidden.mean() - sky[:300].mean()) < 25


def test_lamps_shine_at_night_only(renderer: Renderer) -> None:
    lamps = [Lamp((8.0, 0.0, 5.0), direction=(0.0, 0.0, -1.0), cone_deg=100.0, intensity=60.0)]
    renderer.set_weather(PRESETS["night"])
    renderer.set_actors([], ())
    dark = _rgb(renderer)
    renderer.set_actors([], lamps)
    lit = _rgb(renderer)
    assert lit[55, 80].mean() > dark[55, 80].mean() + 25
    renderer.set_weather(NOON)
    day = _rgb(renderer)
    renderer.set_actors([], ())
    assert np.array_equal(day, _rgb(renderer))


def test_exposure_compensation_and_gamma_brighten(renderer: Renderer) -> None:
    usual = _rgb(renderer).mean()
    assert _rgb(renderer, replace(CAMERA, exposure_compensation=1.0)).mean() > usual + 20
    assert _rgb(renderer, replace(CAMERA, gamma=3.0)).mean() > usual + 10
    corners = _rgb(renderer, replace(CAMERA, lens_falloff=1.0))
    assert corners[-1, 0].mean() < _rgb(renderer)[-1, 0].mean() - 10


def test_emissive_surfaces_keep_their_colour_at_night(renderer: Renderer) -> None:
    light = Mesh((shapes.box((-0.1, -0.3, 1.5), (0.1, 0.3, 2.1), Material("green", (0.05, 1.0, 0.3), "emissive")),))
    renderer.set_weather(PRESETS["night"])
    renderer.set_actors([Placed(light, Transform(5, 0, 0).matrix, 18, 3)])
    images = renderer.render(CAMERA)
    assert images.rgb is not None
    color = images.rgb[images.instances == 3].astype(int).mean(axis=0)
    assert color[1] > 150
    assert color[1] > color[0] + 60


def test_rendering_works_without_a_denoiser(
    renderer: Renderer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    denoise.denoiser.cache_clear()
    monkeypatch.setitem(__import__("sys").modules, "pyoidn", None)
    try:
        image = _rgb(renderer, replace(CAMERA, width=64, height=36))
    finally:
        monkeypatch.undo()
        denoise.denoiser.cache_clear()
    assert image.std() > 4
    assert "no denoiser" in caplog.text


def test_bad_requests_are_named(renderer: Renderer) -> None:
    with pytest.raises(CaosError, match="unknown output 'dpth'; did you mean 'depth'"):
        renderer.render(CAMERA, ("dpth",))
    with pytest.raises(CaosError, match="0x90 pixels"):
        renderer.render(replace(CAMERA, width=0))
    with pytest.raises(CaosError, match="180"):
        renderer.render(replace(CAMERA, fov_deg=200.0))
    with pytest.raises(CaosError, match="unknown quality 'hgh'; did you mean 'high'"):
        Renderer("hgh")
    with pytest.raises(CaosError, match="unknown render variant 'scaler_rgb'"):
        Renderer("draft", "scaler_rgb")


def test_a_missing_libatomic_is_named_with_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> object:
        raise OSError(f"{name}: cannot open shared object file")

    monkeypatch.setattr(backend.ctypes, "CDLL", missing)
    with pytest.raises(CaosError, match="apt install libatomic1"):
        backend.mitsuba("scalar_rgb")


def test_a_variant_that_does_not_start_is_refused_not_aborted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backend.sys, "executable", "/bin/false")
    with pytest.raises(CaosError, match="'llvm_ad_rgb' does not start here: it needs an LLVM library"):
        backend.choose_variant("llvm_ad_rgb")


def test_rendering_in_another_thread_than_loading(renderer: Renderer) -> None:
    from concurrent.futures import ThreadPoolExecutor

    expected = _rgb(renderer)
    with ThreadPoolExecutor(1) as pool:
        assert np.array_equal(expected, pool.submit(_rgb, renderer).result())
