"""Labels, depth and ray casts against analytic scenes and an independent ray caster."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from caos.assets.mesh import Material, Mesh, Part
from caos.assets.modelling import shapes
from caos.assets.tags import SemanticTag
from caos.simulator.embedded.render.description import Camera, Placed
from caos.simulator.embedded.render.ray_casting import embree
from caos.simulator.embedded.render.ray_casting.caster import Caster
from caos.simulator.embedded.render.ray_casting.rays import image_boxes, pixel_rays
from caos.simulator.embedded.render.sample import EYE, sample_cars, sample_street
from caos.simulator.transform import Transform

GRAY = Material("gray")


def _caster(statics: list[Placed], actors: list[Placed] | None = None) -> Caster:
    caster = Caster()
    caster.load(statics)
    caster.set_moving(actors or [])
    return caster


def _box(low: tuple[float, float, float], high: tuple[float, float, float]) -> Mesh:
    return Mesh((shapes.box(low, high, GRAY),))


def test_a_wall_covers_exactly_the_pixels_whose_centres_it_covers() -> None:
    # At 10 m and 90 degrees, 100 pixels span 20 m: a pixel is 0.2 m. The wall spans y -1..2 and z 0..1.
    camera = Camera(Transform(0, 0, 0), 100, 100, 90.0)
    caster = _caster([Placed(_box((10, -1, 0), (11, 2.0, 1)), np.eye(4), 3, 7)])
    surface = caster.first(pixel_rays(camera))
    tags = surface.tag.reshape(100, 100)
    expected = np.full((100, 100), SemanticTag.SKY)
    # Pixel k has its centre at y = (k + 0.5) * 0.2 - 10.
    centres = (np.arange(100) + 0.5) * 0.2 - 10
    inside = np.ix_(np.flatnonzero((-centres > 0) & (-centres < 1)), np.flatnonzero((centres > -1) & (centres < 2.0)))
    expected[inside] = 3
    assert np.array_equal(tags, expected)
    assert (surface.instance.reshape(100, 100)[inside] == 7).all()
    assert surface.distance.reshape(100, 100)[inside] == pytest.approx(10.0, abs=1e-4)
    assert np.isinf(surface.distance.reshape(100, 100)[0, 0])


def test_depth_of_a_plane_is_planar_and_of_a_sphere_is_analytic() -> None:
    camera = Camera(Transform(0, 0, 2.0), 160, 90, 90.0)
    ground = Mesh((shapes.quad((-500, -500, 0), (1000, 0, 0), (0, 1000, 0), GRAY),))
    depth = _caster([Placed(ground, np.eye(4), 1, 0)]).first(pixel_rays(camera)).distance.reshape(90, 160)
    down = ((np.arange(90) + 0.5) * 2 / 90 - 1) * 90 / 160
    assert depth[60:, 80] == pytest.approx(2.0 / down[60:], rel=1e-4)
    assert np.allclose(depth[80], depth[80, 0], rtol=1e-4)

    theta, phi = np.meshgrid(np.linspace(0, np.pi, 200), np.linspace(0, 2 * np.pi, 400, endpoint=False), indexing="ij")
    points = np.stack([np.sin(theta) * np.cos(phi), np.sin(theta) * np.sin(phi), np.cos(theta)], -1).reshape(-1, 3)
    ball = Mesh((Part(points.astype(np.float32), shapes.grid_faces(200, 400, wrap=True), GRAY),))
    caster = _caster([], [Placed(ball, Transform(5, 1, 2).matrix, 9, 4)])
    surface = caster.first(pixel_rays(camera))
    rays = pixel_rays(camera).directions.astype(np.float64)
    towards, center = np.array([5.0, 1.0, 0.0]), (rays**2).sum(1)
    along = rays @ towards
    root = along**2 - center * (25 + 1 - 1)
    met = root > 0
    seen = surface.tag == 9
    assert (seen != met).mean() < 0.002
    both = seen & met & (root > 0.05)
    exact = (along[both] - np.sqrt(root[both])) / center[both]
    assert np.abs(surface.distance[both] - exact).max() < 2e-3


def test_an_object_at_plus_y_is_on_the_right_and_above_is_above() -> None:
    camera = Camera(Transform(0, 0, 1.0), 64, 64, 90.0)
    tags = _caster([Placed(_box((8, 3, 3), (9, 4, 4)), np.eye(4), 5, 1)]).first(pixel_rays(camera)).tag
    rows, columns = np.nonzero(tags.reshape(64, 64) == 5)
    assert columns.min() >= 32
    assert rows.max() < 32


def test_a_part_keeps_its_own_tag_in_the_town_and_on_an_actor() -> None:
    mesh = Mesh((shapes.box((4, -1, 0), (5, 0, 1), GRAY), *_box((4, 0, 0), (5, 1, 1)).tagged(21).parts))
    camera = Camera(Transform(0, 0, 0.5), 64, 64, 60.0)
    for caster in (_caster([Placed(mesh, np.eye(4), 3, 1)]), _caster([], [Placed(mesh, np.eye(4), 3, 1)])):
        tags = caster.first(pixel_rays(camera)).tag.reshape(64, 64)
        assert tags[32, 28] == 3
        assert tags[32, 36] == 21


def test_actors_and_statics_give_the_same_labels_and_normals() -> None:
    camera = Camera(EYE.pose, 192, 108, 90.0)
    street, cars = sample_street(60.0), sample_cars(4)
    still = _caster([*street, *cars]).first(pixel_rays(camera), detail=True)
    moving = _caster(street, cars).first(pixel_rays(camera), detail=True)
    same = still.instance == moving.instance
    assert same.mean() > 0.9995
    assert np.array_equal(still.tag[same], moving.tag[same])
    finite = same & np.isfinite(still.distance)
    assert np.allclose(still.distance[finite], moving.distance[finite], rtol=1e-3, atol=1e-3)
    assert np.einsum("ij,ij->i", still.normal[finite], moving.normal[finite]).min() > 0.98


def test_labels_match_an_independent_ray_caster() -> None:
    o3d = pytest.importorskip("open3d", exc_type=ImportError)
    camera = Camera(EYE.pose, 320, 180, 90.0)
    placed = [*sample_street(60.0), *sample_cars(4)]
    scene, instances, tags = o3d.t.geometry.RaycastingScene(), [], []
    for p in placed:
        for part in p.mesh.transformed(p.world_from_mesh).parts:
            scene.add_triangles(o3d.core.Tensor(part.vertices), o3d.core.Tensor(part.faces.astype(np.uint32)))
            instances.append(p.instance_id)
            tags.append(p.tag if part.tag is None else part.tag)
    rays = pixel_rays(camera)
    answer = scene.cast_rays(o3d.core.Tensor(np.concatenate([rays.origins, rays.directions], 1)))
    geometry = answer["geometry_ids"].numpy().astype(np.int64)
    hit = geometry != scene.INVALID_ID
    surface = _caster(sample_street(60.0), sample_cars(4)).first(rays)
    assert (np.isfinite(surface.distance) == hit).mean() > 0.9999
    other = np.full(len(hit), SemanticTag.SKY)
    other[hit] = np.array(tags)[geometry[hit]]
    assert (other == surface.tag).mean() > 0.9995
    numbers = np.zeros(len(hit), np.int64)
    numbers[hit] = np.array(instances)[geometry[hit]]
    assert (numbers == surface.instance).mean() > 0.9995
    depth = answer["t_hit"].numpy()
    agree = hit & (numbers == surface.instance)
    assert np.median(np.abs(depth[agree] - surface.distance[agree])) < 1e-4


def test_cast_gives_distance_labels_and_outward_normals() -> None:
    wall, crate = Placed(_box((10, -5, 0), (11, 5, 4)), np.eye(4), 3, 7), _box((-0.5, -0.5, 0), (0.5, 0.5, 1))
    caster = _caster([wall], [Placed(crate, Transform(5, 0, 0, 0, 90, 0).matrix, 20, 9)])
    origins = np.array([[0, 0, 0.5], [0, 0, 2.0], [0, 0, 2.0], [5, 0, 9.0]])
    directions = np.array([[1, 0, 0], [1, 0, 0], [-1, 0, 0], [0, 0, -1.0]])
    hits = caster.cast(origins, directions)
    assert hits.distance.tolist() == pytest.approx([4.5, 10.0, np.inf, 8.0], abs=1e-4)
    assert hits.tag.tolist() == [20, 3, SemanticTag.SKY, 20]
    assert hits.instance_id.tolist() == [9, 7, 0, 9]
    assert hits.normal[:2] == pytest.approx(np.array([[-1, 0, 0], [-1, 0, 0]]), abs=1e-5)
    assert hits.normal[3] == pytest.approx([0, 0, 1], abs=1e-5)


def test_rays_into_an_empty_world_miss() -> None:
    hits = _caster([]).cast(np.zeros((2, 3)), np.array([[1.0, 0, 0], [0, 0, 1]]))
    assert np.isinf(hits.distance).all()
    assert hits.tag.tolist() == [SemanticTag.SKY, SemanticTag.SKY]
    assert len(_caster([]).cast(np.zeros((0, 3)), np.zeros((0, 3))).distance) == 0


def test_image_boxes_contain_the_visible_pixels() -> None:
    camera = Camera(Transform(), 100, 50, 90.0)
    corners = np.array(
        [[[-1.0, 0, 0]] * 8, [[-1.0, 0, 0]] * 4 + [[1.0, 0, 0]] * 4, [[10.0, 0, 0]] * 8, [[1.0, 50, 0]] * 8]
    )
    boxes, depth = image_boxes(corners, camera)
    assert boxes[0].tolist() == [0, 0, 0, 0]
    assert boxes[1].tolist() == [49, 24, 52, 27]
    assert boxes[2].tolist() == [49, 24, 52, 27]
    assert boxes[3, 0] == boxes[3, 2] == 100
    assert depth.tolist() == [-1.0, -1.0, 10.0, 1.0]


def test_a_box_beside_the_camera_reaches_only_its_own_side() -> None:
    camera = Camera(Transform(), 100, 50, 90.0)
    low, high = np.array([-3.0, 3.0, -1.0]), np.array([6.0, 5.0, 2.0])
    corners = np.array([[[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])]])
    left, top, right, bottom = image_boxes(corners, camera)[0][0]
    assert left == 74
    assert (top, right, bottom) == (0, 100, 50)


def test_a_repeated_mesh_is_stored_once() -> None:
    street = sample_street(100.0)
    caster = _caster(street)
    unique = {id(q): len(q.faces) for p in street for q in p.mesh.parts}
    assert len(caster._town._parts.faces) == sum(unique.values())
    assert len(caster._town._piece) == sum(p.mesh.triangles for p in street)


def test_rays_are_blocked_by_instances_as_by_one_mesh_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    origins, targets = rng.uniform((0, -15, 0), (140, 15, 3), (2, 40_000, 3))
    origins, directions = origins.astype(np.float32), (targets - origins).astype(np.float32)
    assert sys.platform != "linux" or embree._library() is not None
    instances = _with_cars().blocks(origins, directions)
    with monkeypatch.context() as patched:
        patched.setattr(embree, "_library", lambda: None)
        plain = _with_cars().blocks(origins, directions)
    assert 0.05 < plain.mean() < 0.95
    np.testing.assert_array_equal(instances, plain)


def _with_cars() -> Caster:
    caster = Caster()
    caster.set_moving(sample_cars(12))
    return caster


@pytest.mark.parametrize("change", [("_RELEASE", "4.3."), ("_LAYOUT", {embree.EmbreeScene: 8})])
def test_another_embreex_is_not_trusted_with_its_layout(
    change: tuple[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embree, *change)
    embree._library.cache_clear()
    try:
        assert embree._library() is None
        assert embree.placed_scene([]) is None
    finally:
        embree._library.cache_clear()
