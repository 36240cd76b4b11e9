"""One change between two identical commands, and sets that disagree: nothing old is taken for the new."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from caos.cli import _run as run_command
from tests.faults import little_world
from tests.faults.changes import CHANGES, Change, Changes
from tests.ood_scores import little


@pytest.fixture(scope="module")
def changes(tmp_path_factory: pytest.TempPathFactory) -> Changes:
    """A world of files, with a run of random weights."""
    world = tmp_path_factory.mktemp("changes") / "world"
    little_world.make_world(world, lambda words: little_world.quietly(lambda: run_command(words))[0])
    little.write_run(world / "run")
    return Changes(world)


@pytest.mark.parametrize("change", [one for one in CHANGES if one.needs != "renderer"], ids=lambda change: change.name)
def test_a_changed_input_is_noticed(changes: Changes, change: Change) -> None:
    assert changes.wrong(change) == ""


def test_the_oracle_notices_reuse_of_old_results(changes: Changes, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that leaves its old results after a change is found out."""
    genuine, seen = changes.call, set[Path]()

    def careless(words: str, out: Path) -> tuple[int, str]:
        if out in seen:
            return 0, "already holds these results"
        seen.add(out)
        return genuine(words, out)

    monkeypatch.setattr(changes, "call", careless)
    assert "old results: True" in changes.wrong(CHANGES[0])


@pytest.fixture(scope="module")
def two_sets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two sets of one name, size and number of images, of seeds 0 and 5, and results of both."""
    root = tmp_path_factory.mktemp("two")
    for name, seed in (("one", 0), ("other", 5)):
        little.write_set(root / name, seed=seed)
        little.write_maps(root / f"{name}-maps/mine", root / name, lambda anomalous, _: anomalous * 1.0)
        maps, out = root / f"{name}-maps", root / f"{name}-results"
        assert called("score", root / name, "--maps", maps, "--out", out)[0] == 0
    return root


def called(*words: object) -> tuple[int, str]:
    """A command: its exit code and what it says."""
    return little_world.quietly(lambda: run_command([str(word) for word in words]))


def test_results_of_two_sets_are_in_no_ranking_together(two_sets: Path, tmp_path: Path) -> None:
    code, said = called("compare", two_sets / "one-results", two_sets / "other-results", "--out", tmp_path / "x.md")
    assert (code, said.count("error: "), (tmp_path / "x.md").exists()) == (2, 1, False), said


def test_a_report_shows_no_pictures_of_another_set(two_sets: Path, tmp_path: Path) -> None:
    code, said = called("report", two_sets / "one-results", "--dataset", two_sets / "other", "--out", tmp_path / "x")
    assert (code, said.count("error: "), (tmp_path / "x/index.html").exists()) == (2, 1, False), said


def test_a_report_shows_a_copy_of_its_set(two_sets: Path, tmp_path: Path) -> None:
    shutil.copytree(two_sets / "one", tmp_path / "moved")
    code, said = called("report", two_sets / "one-results", "--dataset", tmp_path / "moved", "--out", tmp_path / "x")
    assert (code, (tmp_path / "x/index.html").is_file()) == (0, True), said
