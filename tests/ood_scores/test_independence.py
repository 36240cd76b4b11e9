"""The numbers of a scorer do not depend on which other scorers run, nor on their order."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from caos.ood_scores.scorer_interface.registry import scorer_names
from caos.ood_scores.sources.run import RunPaths, RunSource
from caos.ood_scores.sources.source import read_picture
from caos.scenes.dataset.layout import open_dataset

Maps = dict[str, npt.NDArray[np.float32]]
WITH_SETTINGS = ("knn:k=3", "local_outlier_factor:k=5:sample=50", "isolation_forest:trees=7", "mc_dropout:passes=3")
COMPANY = ("neco", "isolation_forest", "mc_dropout")
"""What others are paired with: one that reads features, one that draws numbers, one that asks for passes."""


class Scoring:
    """Maps of the first test picture by the scorers that the run can give, each combination computed once."""

    def __init__(self, run: Path, data: Path) -> None:
        self.run, self.dataset = run, open_dataset(data)
        self.sample = self.dataset.splits["test"][0]
        self.seen: dict[tuple[str, ...], Maps] = {}

    def maps(self, names: Sequence[str], *, explicit: bool = True) -> Maps:
        key = tuple(names)
        if key not in self.seen:
            source = RunSource(RunPaths.around(self.run), key, explicit=explicit, device="cpu")
            source.prepare(self.dataset, seed=0)
            image = read_picture(self.sample.image)
            self.seen[key] = source.score(self.sample, image).maps
        return self.seen[key]


@pytest.fixture(scope="module")
def scoring(run: Path, data: Path) -> Scoring:
    return Scoring(run, data)


@pytest.fixture(scope="module")
def names(scoring: Scoring) -> list[str]:
    return list(scoring.maps([*scorer_names(), *WITH_SETTINGS], explicit=False))


def same(one: npt.NDArray[np.float32], other: npt.NDArray[np.float32]) -> bool:
    return one.tobytes() == other.tobytes()


def test_alone_as_in_company_of_all(scoring: Scoring, names: list[str]) -> None:
    assert len(names) > 25
    together = scoring.maps([*scorer_names(), *WITH_SETTINGS], explicit=False)
    assert [name for name in names if not same(together[name], scoring.maps([name])[name])] == []


def test_in_any_order(scoring: Scoring, names: list[str]) -> None:
    together = scoring.maps([*scorer_names(), *WITH_SETTINGS], explicit=False)
    for seed in range(2):
        shuffled = [str(name) for name in np.random.default_rng(seed).permutation(names)]
        found = scoring.maps(shuffled)
        assert [name for name in names if not same(together[name], found[name])] == []


@pytest.mark.parametrize("other", COMPANY)
def test_in_pairs(scoring: Scoring, names: list[str], other: str) -> None:
    changed = []
    for name in names:
        if name != other:
            pair = scoring.maps([name, other])
            changed += [one for one in (name, other) if not same(pair[one], scoring.maps([one])[one])]
    assert changed == []


def test_settings_written_out_change_nothing(scoring: Scoring) -> None:
    usual = scoring.maps(["isolation_forest"])["isolation_forest"]
    (written,) = scoring.maps(["isolation_forest:trees=100"]).values()
    assert same(usual, written)
