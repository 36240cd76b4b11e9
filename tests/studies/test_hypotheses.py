"""The study of hypotheses: its grid, its evidence, and a whole small one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from caos.foundation.errors import CaosError
from caos.studies.hypotheses.evidence import Evidence, weigh
from caos.studies.hypotheses.grid import SMALL_GRID, read_grid, run_name
from caos.studies.hypotheses.study import HypothesisSettings, study_hypotheses
from caos.studies.presentation.tables import Estimate
from tests.segmentation.little import write_set

GRID = """
seeds = [0]
scorer = "msp"
corruptions = "brightness"
severities = "1"

[train]
model = "pspnet-light"
encoder = "resnet18"
encoder_weights = "none"
freeze = "none"
epochs = 1
batch_size = 4
augment = ["crop"]
crop = [64, 64]
evaluate = []
workers = 0

[[hypothesis]]
name = "Cutout"
base = {}
with = { augment = ["crop", "cutout"] }
"""


def test_a_handful_of_images_is_no_evidence() -> None:
    base = np.zeros((1, 6))
    for images, sign in ((1, "-"), (5, "-"), (6, "+")):
        found = weigh(base[:, :images], base[:, :images] + 0.1, np.random.default_rng(1), 50)
        assert (found.sign, found.images, found.sure) == (sign, images, 1.0)


def test_evidence_is_paired_over_images() -> None:
    rng = np.random.default_rng(0)
    hard = rng.normal(0.5, 0.3, 50)
    base, changed = np.stack([hard, hard]), np.stack([hard + 0.02, hard + 0.03])
    found = weigh(base, changed, np.random.default_rng(1), 400)
    assert found.difference.value == pytest.approx(0.025)
    assert 0.019 < found.difference.low <= found.difference.high < 0.031
    assert (found.sign, found.sure) == ("+", 1.0)
    assert weigh(changed, base, np.random.default_rng(1), 400).sign == "-"


def test_seeds_that_disagree_are_no_evidence() -> None:
    base = np.full((2, 30), 0.5)
    changed = np.stack([np.full(30, 0.3), np.full(30, 0.8)])
    found = weigh(base, changed, np.random.default_rng(1), 400)
    assert found.difference.value == pytest.approx(0.05)
    assert found.sign == "-"
    assert 0.6 < found.sure < 0.9


def test_no_evidence_is_a_minus() -> None:
    assert Evidence(0.5, 0.5, Estimate(0.0, -0.1, 0.1), 0.5, 10).sign == "-"


def test_the_small_grid_has_the_four_hypotheses_of_the_thesis() -> None:
    grid = read_grid(SMALL_GRID)
    names = ["Larger models", "Self-attention", "Diverse data augmentation", "Pretraining"]
    assert [pair.name for pair in grid.hypothesis] == names
    assert grid.config(grid.hypothesis[0].with_, 1, "cpu").encoder == "resnet34"
    assert [condition.name for condition in grid.conditions()][-1] == "jpeg_compression-3"
    shared = [run_name(pair.base, 0) for pair in grid.hypothesis]
    assert shared[0] == shared[1]
    assert run_name(grid.hypothesis[3].with_, 0) == shared[2]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("seeds = [0]", "seeds = []"), "needs at least one"),
        (('["crop", "cutout"]', '["crp"]'), "hypothesis 'Cutout': unknown augmentation 'crp'; did you mean 'crop'"),
        (("with = { augment", "with = { augmnt"), "hypothesis 'Cutout': unknown setting 'augmnt'; did you mean"),
        (('"brightness"', '"brightnes "'), "brightness"),
        (("base = {}", ""), "base"),
    ],
)
def test_a_wrong_grid_is_one_line(tmp_path: Path, change: tuple[str, str], words: str) -> None:
    (tmp_path / "grid.toml").write_text(GRID.replace(*change))
    if words == "brightness":
        assert read_grid(tmp_path / "grid.toml").conditions()[0].corruption == "brightness"
        return
    with pytest.raises(CaosError, match=words):
        read_grid(tmp_path / "grid.toml")


def test_a_whole_small_study(tmp_path: Path) -> None:
    write_set(tmp_path / "set", {"train": 4, "val": 2, "test": 3})
    (tmp_path / "grid.toml").write_text(GRID)
    settings = HypothesisSettings(tmp_path / "grid.toml", images=2, device="cpu", draws=30)
    study = study_hypotheses(tmp_path / "set", tmp_path / "study", on=[], settings=settings)
    told = study.content.details["miou"]["Cutout"]
    assert set(told) == {"ordinary", "corruptions"}
    assert told["ordinary"]["difference"]["low"] <= told["ordinary"]["difference"]["high"]
    assert len(list((tmp_path / "study/runs").iterdir())) == 2
    again = study_hypotheses(tmp_path / "set", tmp_path / "study", settings=settings)
    assert again.content.identity == study.content.identity
    assert "| Cutout |" in study.markdown()
    assert "1 seed each: the intervals do not include what another seed would change." in study.content.lead
    assert "2 images are no evidence; 6 at least are needed." in study.content.lead
    assert "sure to help" not in study.content.lead
