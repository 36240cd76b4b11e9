"""``caos score`` gives each scorer the same maps and numbers, bit by bit, alone, in company, and in any order."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from caos.cli import _run as run_command
from caos.ood_scores import results
from caos.ood_scores.results import Measured, Results
from tests.faults.little_world import quietly
from tests.ood_scores import little

DRAWING = (
    *("isolation_forest", "typicality", "standardized_max_logit", "local_outlier_factor", "mc_dropout", "knn"),
    *("knn:k=9", "mahalanobis", "vim", "msp"),
)
"""Scorers that draw samples, fits or masks, and one that draws nothing."""


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("company")
    little.write_set(root / "set", test=3, val=2)
    little.write_run(root / "run")
    return root


def scored(world: Path, scorers: tuple[str, ...], name: str) -> Results:
    """The results of some scorers, with their maps."""
    words = ["score", str(world / "set"), "--run", str(world / "run"), "--scorers", ",".join(scorers), "--save-maps"]
    code, said = quietly(lambda: run_command([*words, "--protocol", "caos,smiyc", "--out", str(world / name)]))
    assert code == 0, said
    return results.read(world / name)


def numbers(found: Results, scorer: str) -> tuple[list[Measured], list[bytes]]:
    """The measures of a scorer by every protocol, and the bytes of its maps."""
    folder = found.folder / "maps" / results.column_folder(scorer)
    maps = [np.load(path)["scores"].tobytes() for path in sorted(folder.rglob("*.npz"))]
    assert len(maps) == 3
    return [found.measured(scorer, protocol) for protocol in found.content.measures], maps


@pytest.fixture(scope="module")
def company(world: Path) -> Results:
    return scored(world, DRAWING, "company")


@pytest.mark.parametrize("scorer", DRAWING)
def test_alone_as_in_company(world: Path, company: Results, scorer: str) -> None:
    alone = scored(world, (scorer,), f"alone-{results.column_folder(scorer)}")
    assert numbers(alone, scorer) == numbers(company, scorer)


def test_in_the_opposite_order(world: Path, company: Results) -> None:
    reversed_order = scored(world, DRAWING[::-1], "reversed")
    for scorer in DRAWING:
        assert numbers(reversed_order, scorer) == numbers(company, scorer), scorer
