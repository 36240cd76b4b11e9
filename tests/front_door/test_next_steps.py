"""``caos`` alone: what is in the folder, and what to type next."""

from __future__ import annotations

from pathlib import Path

import pytest

from caos import cli
from caos.next_steps import look_around, next_steps


def make(root: Path, *files: str) -> Path:
    for file in files:
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).write_text("{}")
    return root


def test_an_empty_folder_is_told_how_to_begin(tmp_path: Path) -> None:
    said = next_steps(tmp_path)
    assert "In this folder" not in said
    commands = [line.split("   ")[0].strip() for line in said.splitlines() if line.startswith("  caos")]
    assert commands == [
        "caos look PHOTO.jpg --out seen",
        "caos scenes view --out look",
        "caos scenes streethazards --out data",
        "caos demo",
    ]


def test_each_thing_leads_to_the_next(tmp_path: Path) -> None:
    make(tmp_path, "my data/dataset.json")
    assert "caos train 'my data' --out run" in next_steps(tmp_path)
    make(tmp_path, "run/run.json")
    assert "caos score 'my data' --run run --out results" in next_steps(tmp_path)
    make(tmp_path, "results/results.json")
    assert "caos report results --out site" in next_steps(tmp_path)
    make(tmp_path, "site/site.json")
    said = next_steps(tmp_path)
    assert "open site/index.html" in said
    assert "caos report" not in said


def test_a_set_of_tests_alone_is_scored_and_not_trained_on(tmp_path: Path) -> None:
    make(tmp_path, "photos/dataset.json", "photos/test/test.odgt")
    (tmp_path / "photos/train").mkdir()
    (tmp_path / "photos/train/train.odgt").write_text("[]")
    said = next_steps(tmp_path)
    assert "caos score photos --run bundled --out results" in said
    assert "caos train" not in said


def test_two_results_are_compared_and_pictures_looked_at(tmp_path: Path) -> None:
    make(tmp_path, "a/results.json", "b/results.json", "street.JPG", "deep/er/than/results.json")
    found = look_around(tmp_path)
    assert sorted(map(str, found.folders["results"])) == ["a", "b"]
    said = next_steps(tmp_path)
    assert "--out compared" in said
    assert "caos look street.JPG --out seen" in said


def test_the_command_alone_says_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.chdir(make(tmp_path, "demo/demo.json", "demo/data/dataset.json"))
    # Not main: where another test has loaded the CARLA client, that leaves the process at once.
    assert cli._run([]) == 0
    assert "set: demo/data" in capsys.readouterr().out


@pytest.mark.parametrize(("file", "command"), [
    ("run/run.json", "caos look PHOTO.jpg --out seen --run run"),
    ("demo/demo.json", "caos demo --out demo"),
    ("site/site.json", "caos scenes streethazards --out data"),
])  # fmt: skip
def test_there_is_always_something_to_do_next(tmp_path: Path, file: str, command: str) -> None:
    said = next_steps(make(tmp_path, file))
    assert f"a {Path(file).stem}: {Path(file).parent}" in said
    assert f"  {command}  " in said


def test_several_of_a_kind_are_counted_in_the_plural(tmp_path: Path) -> None:
    said = next_steps(make(tmp_path, "a/study.json", "b/study.json", "c/results.json", "d/results.json"))
    assert "2 studies: " in said
    assert "2 results: " in said
