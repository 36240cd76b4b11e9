"""Blocks of a town, and the selection of those relevant to an image."""

from __future__ import annotations

import numpy as np

from caos.assets.mesh import Material, Mesh, Part
from caos.assets.modelling import shapes
from caos.assets.tags import SemanticTag
from caos.simulator.embedded.render.description import Camera, Placed
from caos.simulator.embedded.render.path_tracing.blocks import NEAR_M, PATCH_M, WOOD_TRIANGLES, BlockSelector, cut
from caos.simulator.embedded.render.ray_casting.caster import Caster
from caos.simulator.embedded.render.ray_casting.rays import pixel_rays
from caos.simulator.embedded.render.renderer import Renderer
from caos.simulator.transform import Transform
from caos.simulator.weather import Weather

GRAY, RED = Material("gray", (0.4, 0.4, 0.4)), Material("red", (0.6, 0.1, 0.1))
EYE = np.array([0.0, 0.0, 1.6])
SEEN = np.array([[300.0, 0.0, 0.0]], np.float32)


HOUSE = Mesh((shapes.box((0, 0, 0), (10, 10, 10), RED),))


def _house(x: float, y: float) -> Placed:
    return Placed(HOUSE, Transform(x, y, 0.0).matrix, 3, 0)


def _plain() -> Placed:
    strips = [shapes.quad((x, -20, 0), (10, 0, 0), (0, 40, 0), GRAY) for x in range(-1000, 1000, 10)]
    return Placed(Mesh(tuple(strips)), np.eye(4), 1, 0)


def test_each_repeated_mesh_is_a_block_and_the_rest_is_one() -> None:
    lamp = Mesh((shapes.box((0, 0, 0), (1, 1, 5), GRAY),))
    lamps = [Placed(lamp, Transform(x, 3.0, 0.0).matrix, 6, 0) for x in (5.0, 700.0)]
    blocks = cut([_plain(), *lamps, _house(40, 40)])
    assert [block.mesh for block in blocks[:2]] == [lamp, lamp]
    assert blocks[1].box.tolist() == [[700, 3, 0], [701, 4, 5]]
    (rest,) = blocks[2:]
    assert rest.mesh.triangles == 400 + HOUSE.triangles
    assert rest.box.tolist() == [[-1000, -20, 0], [1000, 50, 10]]


def test_near_visible_and_sunward_blocks_are_selected() -> None:
    houses = [
        _house(NEAR_M - 20, 0),
        _house(300, 0),
        _house(300, 60),
        _house(300, -60),
        _house(0, 500),
        _house(-300, 0),
    ]
    vicinity = BlockSelector(cut(houses))
    blocks = cut(houses)

    def chosen(to_sun: np.ndarray | None) -> set[tuple[int, int]]:
        numbers = vicinity.chosen(EYE, SEEN, to_sun)
        return {(round(blocks[n].box[0, 0]), round(blocks[n].box[0, 1])) for n in numbers}

    assert chosen(None) == {(60, 0), (300, 0)}
    low = np.array([0.0, 0.99, 0.14])
    assert chosen(low) == {(60, 0), (300, 0), (300, 60)}
    # A high sun has nothing between it and ground that far away.
    assert chosen(np.array([0.0, 0.1, 0.995])) == {(60, 0), (300, 0)}


def test_a_house_far_behind_the_camera_is_left_out_without_effect() -> None:
    ground = Placed(Mesh((shapes.quad((-600, -50, 0), (1200, 0, 0), (0, 100, 0), GRAY),)), np.eye(4), 1, 0)
    camera = Camera(Transform(0.0, 0.0, 1.6, -5.0), 64, 36)
    pictures = []
    for statics in ([ground, _house(20, 5), _house(30, 5)], [ground, _house(20, 5), _house(30, 5), _house(-500, 0)]):
        renderer = Renderer("draft", "scalar_rgb")
        renderer.load(statics)
        renderer.set_weather(Weather(sun_altitude_angle=60.0))
        rgb = renderer.render(camera, ("rgb",)).rgb
        assert rgb is not None
        pictures.append(rgb)
    assert np.array_equal(*pictures)


def test_town_hits_are_cached_per_camera() -> None:
    caster = Caster()
    caster.load([_plain()])
    rays = pixel_rays(Camera(Transform(0.0, 0.0, 1.6, -5.0), 160, 90))
    first = caster.first(rays)
    kept = caster._kept
    assert kept is not None
    caster.set_moving([_house(20, -5)])
    second = caster.first(rays)
    assert caster._kept is kept
    assert (second.tag == 3).sum() > 500
    assert np.array_equal(first.distance[second.tag == 1], second.distance[second.tag == 1])
    other = Caster()
    other.load([_plain()])
    other.set_moving([_house(20, -5)])
    assert np.array_equal(other.first(rays).distance, second.distance)
    caster.load([_plain(), _house(20, -5)])
    assert (caster.first(rays).tag == 3).sum() > 500


def test_patches_of_a_large_wood_contain_all_triangles() -> None:
    rng = np.random.default_rng(0)
    corners = np.repeat(rng.uniform(-300, 300, (WOOD_TRIANGLES + 1, 1, 3)), 3, 1) + rng.normal(0, 1, (1, 3, 3))
    faces = np.arange(3 * len(corners), dtype=np.int32).reshape(-1, 3)
    leaves = Part(corners.reshape(-1, 3).astype(np.float32), faces, GRAY)
    wood = Placed(Mesh((leaves,)), Transform(10.0).matrix, SemanticTag.VEGETATION, 0)
    *patches, rest = cut([wood, _plain()])
    assert rest.mesh.triangles == _plain().mesh.triangles
    assert sum(patch.mesh.triangles for patch in patches) == wood.mesh.triangles
    assert all((patch.box[1, :2] - patch.box[0, :2] < PATCH_M + 12).all() for patch in patches)
    moved = np.concatenate([p.vertices[p.faces] for patch in patches for p in patch.mesh.parts])
    assert np.allclose(moved.mean((0, 1)) - corners.mean((0, 1)), (10, 0, 0), atol=0.01)
