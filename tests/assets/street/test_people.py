from __future__ import annotations

import numpy as np
import pytest

from caos.assets.street.blueprints import WALKER_BLUEPRINTS
from caos.assets.street.people import PEDESTRIANS, WALK_PHASES, PedestrianModel, _built, pedestrian
from caos.assets.street.people.poses import Proportions, riding, standing, walking
from caos.foundation.errors import CaosError


@pytest.fixture(params=PEDESTRIANS.values(), ids=PEDESTRIANS)
def model(request: pytest.FixtureRequest) -> PedestrianModel:
    found = request.param
    assert isinstance(found, PedestrianModel)
    return found


def test_every_walker_blueprint_has_a_figure_of_its_gender_and_age():
    assert list(PEDESTRIANS) == list(WALKER_BLUEPRINTS)
    for name, model in PEDESTRIANS.items():
        blueprint = WALKER_BLUEPRINTS[name]
        assert model.figure.female == (blueprint.attribute("gender").value == "female"), name
        assert model.figure.is_child == (blueprint.attribute("age").value == "child"), name


def test_standing_it_has_its_height_and_its_feet_on_the_ground(model: PedestrianModel):
    mesh = model.build()
    low, high = mesh.bounds
    hat = 0.09 if model.figure.hat != "none" or model.figure.hair in ("afro", "fringe") else 0.04
    assert low[2] == pytest.approx(0, abs=1e-5)
    assert model.figure.height - 0.03 < high[2] < model.figure.height + hat
    assert model.half_height == pytest.approx(model.figure.height / 2, abs=1e-3)
    assert abs(low[0] + high[0]) / 2 < 0.22
    assert 0.25 < high[1] - low[1] < 0.85


def test_triangles_stay_in_budget_and_the_tag_is_set(model: PedestrianModel):
    mesh = model.build()
    assert 6_000 < mesh.triangles < 13_500
    assert {part.tag for part in mesh.parts} == {12}
    assert len({part.material.name for part in mesh.parts}) >= 5


def test_a_step_moves_the_feet_apart_and_is_periodic():
    model = PEDESTRIANS["walker.pedestrian.0002"]
    striding, passing = (model.build(phase).size_m[0] for phase in (0.0, 0.25))
    assert striding > passing > 0.3
    assert striding > 0.75
    assert model.build(1.0) is model.build(0.0)
    assert model.build(0.49 / WALK_PHASES) is model.build(0.0)
    for step in range(WALK_PHASES):
        assert model.build(step / WALK_PHASES).bounds[0][2] == pytest.approx(0, abs=1e-5)


def test_building_is_deterministic():
    figure = PEDESTRIANS["walker.pedestrian.0006"].figure
    for a, b in zip(_built(figure, 3).parts, _built.__wrapped__(figure, 3).parts, strict=True):
        np.testing.assert_array_equal(a.vertices, b.vertices)
        np.testing.assert_array_equal(a.faces, b.faces)


def test_limbs_keep_their_length_in_every_pose():
    frame = Proportions.of(1.75, shoulder=0.19, head_share=0.132)
    grips = np.array([[0.45, 0.3, 1.0], [0.45, -0.3, 1.0]])
    pedals = np.array([[0.1, 0.12, 0.3], [0.0, -0.12, 0.45]])
    poses = [standing(frame), riding(frame, (0, 0, 0.9), grips, pedals, lean_deg=20)]
    poses += [walking(frame, phase) for phase in np.linspace(0, 1, 9)]
    for pose in poses:
        for k in range(2):
            assert np.linalg.norm(pose.knee[k] - pose.hip[k]) == pytest.approx(frame.thigh, abs=0.002)
            assert np.linalg.norm(pose.ankle[k] - pose.knee[k]) == pytest.approx(frame.shin, abs=0.002)
            assert np.linalg.norm(pose.elbow[k] - pose.shoulder[k]) == pytest.approx(frame.upper_arm, abs=0.03)


def test_riders_hands_reach_the_grips():
    frame = Proportions.of(1.75, shoulder=0.19, head_share=0.132)
    grips = np.array([[0.45, 0.3, 1.05], [0.45, -0.3, 1.05]])
    pedals = np.array([[0.1, 0.12, 0.3], [0.0, -0.12, 0.45]])
    pose = riding(frame, (0, 0, 0.9), grips, pedals, lean_deg=25)
    assert np.abs(pose.hand - grips).max() < 0.05
    sole = pose.heel + 0.67 * (pose.toe - pose.heel)
    assert np.abs(sole - pedals).max() < 0.06


def test_walkers_with_a_wheelchair_sit_in_it():
    able = [n for n, b in WALKER_BLUEPRINTS.items() if b.attribute("can_use_wheelchair").value == "true"]
    for name in able[::8]:
        mesh = PEDESTRIANS[name].build(wheelchair=True)
        standing_height = PEDESTRIANS[name].build().size_m[2]
        assert mesh.bounds[0][2] == pytest.approx(0, abs=1e-5)
        assert 0.65 < mesh.size_m[2] / standing_height < 0.9, name
        assert mesh.size_m[1] > 0.6
        assert {part.tag for part in mesh.parts} == {12}


def test_children_are_smaller_and_have_larger_heads():
    child, adult = PEDESTRIANS["walker.pedestrian.0010"].figure, PEDESTRIANS["walker.pedestrian.0002"].figure
    assert child.height < 1.4 < adult.height
    assert child.frame.head / child.height > 1.2 * adult.frame.head / adult.height


def test_an_unknown_id_gets_a_suggestion():
    with pytest.raises(CaosError, match=r"unknown walker 'walker.pedestrian.0099'; did you mean 'walker"):
        pedestrian("walker.pedestrian.0099")
