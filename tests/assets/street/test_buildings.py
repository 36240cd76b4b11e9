from __future__ import annotations

import numpy as np
import pytest

from caos.assets.mesh import vertex_normals
from caos.assets.street.buildings import RANGES, STYLES, building
from caos.assets.street.buildings.facades import sides
from caos.assets.street.canvas import Canvas, plain
from caos.foundation.errors import CaosError


def _draw(style: str, seed: int):
    rng = np.random.default_rng(seed)
    (w0, w1), (d0, d1), (f0, f1) = RANGES[style]
    width, depth, floors = rng.uniform(w0, w1), rng.uniform(d0, d1), int(rng.integers(f0, f1 + 1))
    return width, depth, floors, building(style, width, depth, floors, rng)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("style", STYLES)
def test_every_style_keeps_the_contract(style, seed, check_model, outward_share):
    width, depth, _, mesh = _draw(style, seed)
    check_model(mesh, tags={3}, triangles=26_000, lowest_m=-2.1, size_m=(5, 250))
    low, high = mesh.bounds
    # The footprint is filled, and nothing but roofs, awnings and balconies reaches beyond it.
    assert low[1] <= -width / 2 + 0.9
    assert high[1] >= width / 2 - 0.9
    assert np.all(low[:2] >= np.array([-depth / 2, -width / 2]) - 1.7)
    assert np.all(high[:2] <= np.array([depth / 2, width / 2]) + 1.7)
    assert outward_share(mesh) > 0.55


@pytest.mark.parametrize("style", STYLES)
def test_walls_reach_two_metres_below_ground_on_all_sides(style):
    width, depth, _, mesh = _draw(style, 3)
    foot = np.concatenate([p.vertices[p.vertices[:, 2] < -1.9] for p in mesh.parts])
    assert foot[:, 0].max() > depth / 2 - 2.6
    assert foot[:, 0].min() < -depth / 2 + 2.6
    assert foot[:, 1].max() > width / 2 - 0.6
    assert foot[:, 1].min() < -width / 2 + 0.6


@pytest.mark.parametrize("style", STYLES)
def test_same_seed_gives_the_same_building_and_another_seed_another(style, same_model):
    one, two = (building(style, 20.0, 22.0, 3, np.random.default_rng(5)) for _ in range(2))
    assert same_model(one, two)
    assert not same_model(one, building(style, 20.0, 22.0, 3, np.random.default_rng(6)))


def test_more_floors_make_a_taller_house():
    for style in ("old_town", "apartment", "office", "tower"):
        few, many = (building(style, 20, 20, floors, np.random.default_rng(1)).size_m[2] for floors in (8, 14))
        assert few + 6 * 2.3 < many


def test_windows_are_recessed_behind_the_wall():
    mesh = building("apartment", 24, 12, 4, np.random.default_rng(2))
    panes = [p for p in mesh.parts if p.material.name in {"window", "lit window"}]
    front = np.concatenate([p.vertices[p.vertices[:, 0] > 5] for p in panes])
    assert len(front) >= 4 * 10
    assert np.all(front[:, 0] < 6.0 - 0.1)


def test_unknown_style_and_tiny_plot_are_refused_in_words():
    with pytest.raises(CaosError, match=r"unknown building style 'ofice'; did you mean 'office'\?"):
        building("ofice", 10, 10, 2, np.random.default_rng(0))
    with pytest.raises(CaosError, match="too small; use at least 4 x 4 m"):
        building("shop", 2, 10, 1, np.random.default_rng(0))


def test_fronts_face_outward_and_read_left_to_right():
    canvas = Canvas()
    finish = plain("test wall", (0.5, 0.5, 0.5))
    for view, width in sides(canvas, 8, 6):
        view.rects([[-width / 2, 0]], [[width / 2, 3]], finish)
    part = canvas.mesh().parts[0]
    normals = vertex_normals(part)[::4]
    assert np.allclose(normals, [[1, 0, 0], [0, -1, 0], [-1, 0, 0], [0, 1, 0]], atol=1e-6)
    # Who looks at the front from +x has -y at the right hand.
    assert part.vertices[0, 1] == 4.0
    assert part.vertices[1, 1] == -4.0


def test_box_has_its_volume_whatever_the_frame():
    for canvas in (Canvas(), Canvas().front(3, 1, 2, 37), Canvas().turned(120).moved(1, 2, 3)):
        canvas.boxes([[0, 0, 0], [5, 0, 0]], [[1, 2, 3], [6, 1, 1]], plain("test box", (0.4, 0.4, 0.4)))
        p = canvas.mesh().parts[0]
        a, b, c = (p.vertices[p.faces[:, k]].astype(np.float64) for k in range(3))
        assert np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6 == pytest.approx(7.0, abs=1e-4)
