"""The membership study on little cut-outs."""

from __future__ import annotations

import numpy as np
import pytest

from caos.assets.cutout_folders.index import PICTURES, Cutout, CutoutIndex, write_index
from caos.foundation.errors import CaosError
from caos.foundation.storage.png import write_png
from caos.studies.membership.crops import read_crops
from caos.studies.membership.learning import conv4, draw_episodes, learn, stacked
from caos.studies.membership.presentation import estimate
from caos.studies.membership.study import MembershipSettings, split_kinds, study_membership

KINDS = ("bear", "cow", "lamp", "sofa", "tent")


@pytest.fixture(scope="module")
def cuts(tmp_path_factory):
    """Four crops of each of five kinds, each kind of its own colour."""
    root, rng, rows = tmp_path_factory.mktemp("cuts"), np.random.default_rng(0), []
    for number, kind in enumerate(KINDS):
        for view in range(4):
            rgba = np.full((20, 12, 4), 255, np.uint8)
            rgba[..., :3] = np.clip(np.array([50 * number, 250 - 50 * number, 90]) + rng.integers(-5, 5, 3), 0, 255)
            name = f"{PICTURES}/{kind}_{view}.png"
            write_png(root / name, rgba)
            rows.append(Cutout(name, f"{kind}_01", kind, "", 12, 20))
    write_index(root, CutoutIndex(tuple(rows), "test"))
    return root


def test_crops_are_squares_by_kind(cuts) -> None:
    crops = read_crops(cuts, 16, 3)
    assert sorted(crops) == list(KINDS)
    assert crops["cow"].shape == (4, 16, 16, 3)
    assert tuple(crops["cow"][0, 0, 0]) == (124, 116, 104)
    assert abs(int(crops["cow"][0, 8, 8, 1]) - 200) <= 6
    with pytest.raises(CaosError, match=r"has 0 kinds with 9 crops or more \(of 5 kinds, at most 4 each\)"):
        read_crops(cuts, 16, 9)


def test_half_of_the_queries_belong_and_none_is_in_its_set(cuts) -> None:
    crops = read_crops(cuts, 16, 3)
    sets, belongs = draw_episodes(crops, 2, 40, np.random.default_rng(1))
    assert sets.shape == (40, 3, 16, 16, 3)
    assert belongs.sum() == 20
    middle = sets[:, :, 8, 8].astype(int)
    near = np.abs(middle[:, 2] - middle[:, 0]).sum(-1) < 40
    assert (near == (belongs > 0.5)).all()
    for one in sets[belongs > 0.5]:
        assert not np.array_equal(one[2], one[0])
        assert not np.array_equal(one[2], one[1])


def test_sets_and_query_are_channels_of_one_picture() -> None:
    assert stacked(np.zeros((2, 6, 16, 16, 3), np.uint8)).shape == (2, 18, 16, 16)
    assert conv4(5)(stacked(np.zeros((2, 6, 16, 16, 3), np.uint8))).shape == (2, 1)


def test_kinds_are_learnt_from_or_tested_on(cuts) -> None:
    base, novel = split_kinds(read_crops(cuts, 16, 3), 0.4, 0)
    assert len(novel) == 2
    assert not set(base) & set(novel)
    assert set(base) | set(novel) == set(KINDS)


def test_what_is_learnt_is_right_where_colours_tell(cuts) -> None:
    crops = read_crops(cuts, 16, 3)
    answer = learn(crops, 1, 60, 16, 0, lambda note: None)
    sets, belongs = draw_episodes(crops, 1, 100, np.random.default_rng(3))
    assert np.mean((answer(sets) > 0) == (belongs > 0.5)) > 0.8


def test_the_study_says_how_far_from_chance(cuts, tmp_path) -> None:
    settings = MembershipSettings("1", side=16, steps=4, batch=4, novel_share=0.4, repeats=2, queries=20)
    study = study_membership(cuts, tmp_path / "study", settings=settings)
    answers = {one["method"]: one for one in study.content.details["answers"]}
    assert set(answers) == {"Conv-4, concatenated", "ImageNet embedding, distance"}
    assert np.mean(answers["ImageNet embedding, distance"]["learnt"]) > 0.55
    again = study_membership(cuts, tmp_path / "study", settings=settings)
    assert again.content.identity == study.content.identity
    assert "| chance | – | 50.0 | 50.0 |" in study.markdown()


def test_estimates_are_means_with_their_error() -> None:
    value = estimate([0.4, 0.6])
    assert (value.value, round(value.high - value.value, 4)) == (0.5, round(1.96 * 0.1, 4))


def test_wrong_settings_are_one_line() -> None:
    with pytest.raises(CaosError, match=r"shots is '0'; it must be whole numbers from 1 on"):
        MembershipSettings("0")
    with pytest.raises(CaosError, match="queries is 1; it must be at least 2"):
        MembershipSettings(queries=1)
