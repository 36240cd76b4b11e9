"""Lenses: labels and depth against an independent ray caster, colour against the labels."""

from __future__ import annotations

import numpy as np
import pytest

from caos.assets.mesh import Material, Mesh
from caos.assets.modelling import shapes
from caos.simulator.embedded.render.description import Camera, Placed
from caos.simulator.embedded.render.renderer import Renderer
from caos.simulator.lens import Lens
from caos.simulator.transform import Transform
from caos.simulator.weather import Weather
from tests.second_caster import first_hits

GROUND = Placed(
    Mesh((shapes.quad((-60, -60, 0), (120, 0, 0), (0, 120, 0), Material("road", (0.2, 0.2, 0.2))),)), np.eye(4), 1
)
RED = Mesh((shapes.box((-1, -1, 0), (1, 1, 2.0), Material("red", (0.7, 0.05, 0.05))),))
PLACES = {5: Transform(5, 1, 0, 0, 25, 0), 6: Transform(-1, 5, 0.5, 0, 70, 10), 7: Transform(-4, -3, 0)}
CAMERAS = [
    Camera(Transform(0, 0, 1.5, -4, 10, 2), 96, 60, 100.0, lens=Lens("brown", (-0.2, 0.04, 0.002, -0.001))),
    Camera(Transform(0, 0, 1.5, -4, 10, 2), 96, 72, 200.0, lens=Lens("fisheye", (0.03, -0.01, 0.002, -0.0002))),
    Camera(Transform(0, 0, 1.5, -4, 10, 2), 120, 60, 360.0, lens=Lens("equirectangular")),
]


@pytest.fixture(scope="module")
def renderer() -> Renderer:
    renderer = Renderer("draft", "scalar_rgb")
    renderer.load([GROUND])
    renderer.set_weather(Weather(cloudiness=0, sun_altitude_angle=60, sun_azimuth_angle=90))
    renderer.set_actors([Placed(RED, pose.matrix, 20, number) for number, pose in PLACES.items()])
    return renderer


def _second_caster(camera: Camera) -> tuple[np.ndarray, np.ndarray]:
    """Instance and distance of first hits by an independent caster, along the lens's rays."""
    triangles, owner = [], []
    for number, placed in [(0, GROUND), *((n, Placed(RED, p.matrix, 20, n)) for n, p in PLACES.items())]:
        (part,) = placed.mesh.parts
        corners = part.vertices.astype(float) @ placed.world_from_mesh[:3, :3].T + placed.world_from_mesh[:3, 3]
        triangles.append(corners[part.faces])
        owner += [number] * len(part.faces)
    y, x = np.mgrid[0 : camera.height, 0 : camera.width] + 0.5
    rays = camera.optics.rays(x.ravel(), y.ravel()) @ camera.pose.matrix[:3, :3].T
    distance, met = first_hits(np.tile(camera.pose.matrix[:3, 3], (len(rays), 1)), rays, np.concatenate(triangles))
    return np.array([*owner, 0])[met], distance


@pytest.mark.parametrize("camera", CAMERAS, ids=lambda camera: camera.lens.model)
def test_labels_and_depth_match_an_independent_ray_caster(renderer: Renderer, camera: Camera) -> None:
    images = renderer.render(camera, ("tags", "instances", "depth"))
    instance, distance = _second_caster(camera)
    assert images.instances is not None
    assert images.depth is not None
    seen, depth = images.instances.ravel(), images.depth.ravel()
    assert (
        set(np.unique(seen))
        == {"brown": {0, 5}, "fisheye": {0, 5, 6}, "equirectangular": {0, 5, 6, 7}}[camera.lens.model]
    )
    assert np.array_equal(seen, instance)
    assert np.array_equal(np.isfinite(depth), np.isfinite(distance))
    met = np.isfinite(distance)
    assert np.abs(depth[met] / distance[met] - 1).max() < 1e-4


@pytest.mark.parametrize("camera", CAMERAS, ids=lambda camera: camera.lens.model)
def test_colour_and_labels_use_the_same_lens(renderer: Renderer, camera: Camera) -> None:
    images = renderer.render(camera, ("rgb", "instances"))
    assert images.rgb is not None
    assert images.instances is not None
    rgb, red = images.rgb.astype(int), images.instances > 0
    looks_red = (rgb[..., 0] > 1.6 * rgb[..., 1]) & (rgb[..., 0] > 40)
    # Only pixels on an outline differ, where a sample may hit the other side.
    assert (looks_red != red).mean() < 0.03
    assert looks_red[red].mean() > 0.8
    assert looks_red[~red].mean() < 0.02
