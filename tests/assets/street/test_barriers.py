from __future__ import annotations

import numpy as np
import pytest

from caos.assets.street.barriers import FENCES, WALLS, fence, guard_rail, wall
from caos.foundation.errors import CaosError


@pytest.mark.parametrize("length", [0.5, 3.3, 25.0])
@pytest.mark.parametrize("kind", FENCES)
def test_fences_run_from_zero_to_their_length(kind, length, check_model):
    mesh = fence(kind, length)
    check_model(mesh, tags={5}, triangles=6_000, lowest_m=-0.7, size_m=(0.5, 26))
    assert mesh.bounds[0][0] == pytest.approx(0, abs=0.12)
    assert mesh.bounds[1][0] == pytest.approx(length, abs=0.12)
    assert 0.9 <= mesh.bounds[1][2] <= 2.0


@pytest.mark.parametrize("length", [1.0, 8.0, 40.0])
@pytest.mark.parametrize("kind", WALLS)
def test_walls_run_from_zero_to_their_length(kind, length, check_model, outward_share):
    mesh = wall(kind, length)
    check_model(mesh, tags={4}, triangles=2_000, lowest_m=-1.1, size_m=(1.0, 41))
    assert mesh.bounds[0][0] == pytest.approx(0, abs=0.2)
    assert mesh.bounds[1][0] == pytest.approx(length, abs=0.2)
    assert outward_share(mesh) > 0.8


def test_guard_rail_beam_faces_the_road(check_model):
    mesh = guard_rail(12.0)
    check_model(mesh, tags={28}, triangles=600, lowest_m=-0.7, size_m=(12, 12.2))
    beam = next(p for p in mesh.parts if p.material.name == "guard rail")
    assert beam.vertices[:, 1].min() > 0.05
    assert 0.4 < beam.vertices[:, 2].min() < beam.vertices[:, 2].max() < 0.8


def test_cached_and_checked():
    assert fence("picket", 5.0) is fence("picket", 5.0)
    with pytest.raises(CaosError, match=r"unknown fence 'piket'; did you mean 'picket'\?"):
        fence("piket", 5.0)
    with pytest.raises(CaosError, match="unknown wall 'ice'"):
        wall("ice", 5.0)
    with pytest.raises(CaosError, match=r"barrier of -1.0 m cannot be built"):
        guard_rail(-1.0)
    assert np.isclose(wall("stone", 5.0).size_m[0], 5.04, atol=0.05)
