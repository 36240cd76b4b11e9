"""Legs of animals and wheels of vehicles: what is on the ground stays there, what does not move stays as it was."""

from __future__ import annotations

import numpy as np
import pytest

from caos.assets.catalogue.library import Library
from caos.assets.mesh import Mesh, rotation, translation
from caos.assets.modelling.gait import FOUR_LEGGED, stepped, stride_m
from caos.assets.street.vehicles import vehicle


@pytest.fixture(scope="module")
def cow() -> Mesh:
    return Library.open(None).mesh("cow_01", 1.0)


def _points(mesh: Mesh) -> np.ndarray:
    return np.concatenate([part.vertices for part in mesh.parts]).astype(float)


def test_a_foot_on_the_ground_stays_while_the_body_moves(cow: Mesh) -> None:
    stride = stride_m(cow)
    assert stride == pytest.approx(0.83, abs=0.05)
    still = _points(cow)
    phases = [k / 8 for k in range(4)]
    # Front right and back left stand through the first half of the step.
    middle = (still[:, 0].min() + still[:, 0].max()) / 2
    foot = (still[:, 2] < 0.02) & (still[:, 0] > middle) & (still[:, 1] > 0)
    assert foot.sum() > 5
    places = [_points(stepped(cow, phase))[foot] + [phase * stride, 0, 0] for phase in phases]
    for place in places[1:]:
        assert np.abs(place - places[0]).max() < 0.02
    other = (still[:, 2] < 0.02) & (still[:, 0] > middle) & (still[:, 1] < 0)
    assert _points(stepped(cow, 0.25))[other][:, 2].min() > 0.03


def test_the_trunk_is_unchanged_and_phases_are_cached(cow: Mesh) -> None:
    still, moved = _points(cow), _points(stepped(cow, 0.3))
    trunk = still[:, 2] > 0.7
    assert np.array_equal(still[trunk], moved[trunk])
    assert stepped(cow, 0.3) is stepped(cow, 1.26)


def test_a_mesh_without_legs_has_no_stride() -> None:
    library = Library.open(None)
    assert stride_m(library.mesh("lion_02", 1.0)) is None
    kinds = {library.info(name).kind for name in library.names()}
    assert kinds >= FOUR_LEGGED


@pytest.mark.parametrize("name", ["vehicle.audi.tt", "vehicle.diamondback.century", "vehicle.carlamotors.carlacola"])
def test_a_rolling_vehicle_has_the_same_triangles_as_the_whole(name: str) -> None:
    model = vehicle(name)
    whole, pieces = model.build(model.colors[0]), model.rolling(model.colors[0])
    placed = [wheels.transformed(translation(x, 0, z)) for wheels, x, z in pieces.axles]
    points = np.concatenate([_points(pieces.body), *map(_points, placed)])
    expected = _points(whole)
    assert len(points) == len(expected)
    order = [np.lexsort(np.round(some, 3).T) for some in (points, expected)]
    assert np.abs(points[order[0]] - expected[order[1]]).max() < 2e-3
    for wheels, _, radius in pieces.axles:
        turned = _points(wheels.transformed(rotation("y", 57)))
        assert np.hypot(turned[:, 0], turned[:, 2]).max() == pytest.approx(radius, abs=0.01)
    assert model.axles == tuple((x, z) for _, x, z in pieces.axles)
    assert len(model.axles) >= 2
