"""Preview shading: sun, shadow, sky, texture and lamps on first hits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from caos.assets.mesh import Material, Mesh
from caos.assets.modelling import shapes
from caos.foundation.errors import CaosError
from caos.simulator.embedded.render.description import Camera, Lamp, Placed
from caos.simulator.embedded.render.image.preview_shading import PreviewRenderer
from caos.simulator.embedded.render.quality import check_quality
from caos.simulator.embedded.world_state.shared_renderer import SharedRenderer, Shown, Snapshot
from caos.simulator.transform import Transform
from caos.simulator.weather import Weather

# The sun is in the south-east of a camera that looks along x: shadows fall to the left.
NOON = Weather(cloudiness=0, sun_altitude_angle=45, sun_azimuth_angle=90, fog_density=0)
CAMERA = Camera(Transform(0, 0, 1.6, -10.0, 0, 0), 160, 90, 90.0)
ROAD = Material("road", (0.2, 0.2, 0.2), wettable=True)
GROUND = Placed(Mesh((shapes.quad((-60, -60, 0), (120, 0, 0), (0, 120, 0), ROAD),)), np.eye(4), 1)
CRATE = Mesh((shapes.box((-0.5, -0.5, 0), (0.5, 0.5, 1.0), Material("crate", (0.6, 0.1, 0.1))),))


def _crate(x: float = 5.0, y: float = 0.0) -> Placed:
    return Placed(CRATE, Transform(x, y, 0).matrix, 20, 5)


@pytest.fixture
def renderer() -> PreviewRenderer:
    made = PreviewRenderer()
    made.load([GROUND])
    made.set_weather(NOON)
    return made


def _rgb(renderer: PreviewRenderer, camera: Camera = CAMERA) -> NDArray[np.int64]:
    image = renderer.render(camera, ("rgb",)).rgb
    assert image is not None
    assert (image.shape, image.dtype) == ((camera.height, camera.width, 3), np.uint8)
    return image.astype(np.int64)


def test_actor_casts_a_shadow_and_changes_nothing_else(renderer: PreviewRenderer) -> None:
    empty = _rgb(renderer)
    renderer.set_actors([_crate()])
    images = renderer.render(CAMERA, ("rgb", "instances", "depth", "tags", "normals"))
    assert images.rgb is not None
    assert images.instances is not None
    assert images.normals is not None
    on_crate = images.instances == 5
    assert set(np.unique(images.normals[on_crate].round(3), axis=0).ravel()) <= {-1.0, 0.0, 1.0}
    darker = (empty.sum(2) - images.rgb.astype(np.int64).sum(2) > 40) & ~on_crate
    columns = np.flatnonzero(darker.any(0))
    assert darker.sum() > 50
    assert columns.mean() < np.flatnonzero(on_crate.any(0)).min()
    same = (images.rgb == empty).all(2)
    assert same[:, 120:].all()
    assert np.array_equal(_rgb(renderer), images.rgb)


def test_the_sky_is_above_and_a_texture_the_right_way_round(renderer: PreviewRenderer) -> None:
    image = np.zeros((64, 64, 3), np.float32)
    image[:32, :32], image[:32, 32:], image[32:, :32] = (0.8, 0.05, 0.05), (0.05, 0.8, 0.05), (0.05, 0.05, 0.8)
    board = shapes.quad((4, -1, 0), (0, 2, 0), (0, 0, 2), Material("board", texture=image), uv_per_m=0.5)
    renderer.set_weather(replace(NOON, sun_azimuth_angle=180))
    renderer.set_actors([Placed(Mesh((board,)), np.eye(4), 20, 5)])
    seen = renderer.render(replace(CAMERA, pose=Transform(0, 0, 1.0)), ("rgb", "instances"))
    assert seen.rgb is not None
    assert seen.instances is not None
    rows, columns = np.nonzero(seen.instances == 5)
    top, bottom, left, right = rows.min() + 3, rows.max() - 3, columns.min() + 3, columns.max() - 3
    strongest = [int(seen.rgb[place].argmax()) for place in ((top, left), (top, right), (bottom, left))]
    assert strongest == [0, 1, 2]
    blue, ground = seen.rgb[:30].mean((0, 1)), seen.rgb[-5:].mean((0, 1))
    assert blue[2] > blue[0] + 20
    assert abs(ground[2] - ground[0]) < 20


def test_wet_ground_reflects_and_fog_hides(renderer: PreviewRenderer) -> None:
    renderer.set_actors([_crate(40.0)])
    dry = _rgb(renderer)
    renderer.set_weather(replace(NOON, wetness=100))
    far = slice(34, 40)
    assert _rgb(renderer)[far].mean() > dry[far].mean() + 5
    renderer.set_weather(replace(NOON, fog_density=100))
    fog = _rgb(renderer)
    assert fog[:20].std() < 12
    assert np.ptp(fog[28:32].mean((1, 2))) < np.ptp(dry[28:32].mean((1, 2)))


def test_lamps_shine_at_night_only_and_signals_glow(renderer: PreviewRenderer) -> None:
    signal = Material("signal", (3.0, 0.1, 0.1), "emissive")
    red = Placed(Mesh((shapes.box((8, 2, 2), (8.4, 2.6, 2.6), signal),)), np.eye(4), 7, 9)
    lamp = Lamp((6.0, 0.0, 4.0), intensity=30.0, direction=(0, 0, -1))
    for weather, brighter in ((replace(NOON, sun_altitude_angle=-60), True), (NOON, False)):
        renderer.set_weather(weather)
        renderer.set_actors([red])
        dark = _rgb(renderer)
        renderer.set_actors([red], [lamp])
        lit = _rgb(renderer)
        assert (lit[60:].mean() > dark[60:].mean() + 10) == brighter
        seen = renderer.render(CAMERA, ("rgb", "instances"))
        assert seen.rgb is not None
        glow = seen.rgb[seen.instances == 9].mean(0)
        assert glow[0] > 180
        assert glow[0] > glow[1] + 60


def test_bad_requests_are_named(renderer: PreviewRenderer) -> None:
    with pytest.raises(CaosError, match="unknown quality 'prview'; did you mean 'preview'"):
        check_quality("prview")
    with pytest.raises(CaosError, match="unknown output 'rbg'"):
        renderer.render(CAMERA, ("rbg",))
    assert _rgb(renderer, replace(CAMERA, width=1, height=1)).shape == (1, 1, 3)


def test_prebuilt_meshes_do_not_change_the_image() -> None:
    made: list[int] = []

    def crate() -> Mesh:
        made.append(1)
        return CRATE

    shown = Shown(crate, Transform(5, 0, 0).matrix, 20, 5)
    snapshot = Snapshot((GROUND,), "street", (shown,), (), NOON)
    plain, ahead = SharedRenderer("preview"), SharedRenderer("preview")
    wanted = plain.render(snapshot, CAMERA, ("rgb",)).rgb
    ahead.build(snapshot)
    assert len(made) == 2
    elsewhere = replace(snapshot, actors=(replace(shown, world_from_mesh=Transform(9, 2, 0).matrix), shown))
    ahead.build(elsewhere)
    assert np.array_equal(ahead.render(snapshot, CAMERA, ("rgb",)).rgb, wanted)


def test_lamplight_does_not_bleed_across_edges(renderer: PreviewRenderer) -> None:
    lamp = Lamp((6.0, 0.0, 4.0), (1.0, 1.0, 1.0), 3.0)
    renderer.set_weather(replace(NOON, sun_altitude_angle=-30))
    renderer.set_actors([_crate(5.0)], [lamp])
    lit = renderer.render(CAMERA, ("rgb", "normals"))
    assert lit.rgb is not None
    assert lit.normals is not None
    front = lit.rgb[lit.normals[..., 0] < -0.9].astype(np.int64).sum(1)
    assert len(front) > 100
    # The lamp is behind the crate: its front is as dark at its borders, beside the lit ground, as in the middle.
    assert np.ptp(front) < 12
    assert lit.rgb[60:70, 10:20].astype(np.int64).sum(2).mean() > 3 * front.mean()


def test_wet_ground_is_darker_near_and_reflects_the_sky_at_grazing_angles(renderer: PreviewRenderer) -> None:
    dry = _rgb(renderer).sum(2)
    renderer.set_weather(replace(NOON, wetness=100.0, precipitation_deposits=80.0))
    wet = _rgb(renderer).sum(2)
    assert wet[-5:].mean() < 0.85 * dry[-5:].mean()
    near, far = wet[-5:] / dry[-5:], wet[40:45] / dry[40:45]
    assert far.mean() > near.mean()
