"""The page of clients tried: several runs add to one file, and the page is what the script makes of it."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from argparse import Namespace
from pathlib import Path
from types import ModuleType

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs/benchmarks"


@pytest.fixture(scope="module")
def clients() -> ModuleType:
    spec = importlib.util.spec_from_file_location("clients", DOCS / "clients.py")
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules["clients"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_what_the_script_writes(clients: ModuleType, tmp_path: Path) -> None:
    results = clients.Results(tmp_path / "clients.json")
    results.file.write_bytes((DOCS / "clients.json").read_bytes())
    results.add([])
    assert (tmp_path / "clients.md").read_text() == (DOCS / "clients.md").read_text()
    assert results.file.read_text() == (DOCS / "clients.json").read_text()


def test_runs_of_different_groups_add_to_one_file(clients: ModuleType, tmp_path: Path) -> None:
    file = tmp_path / "clients.json"
    clients.Results(file).add([clients.Tried("util", "a.py", "runs")])
    one, other = clients.Results(file), clients.Results(file)
    one.add([clients.Tried("scenic", "b.scenic", "fails", "silent for 20 of 60 s")])
    other.add([clients.Tried("examples", "a.py", "not tried", "No module named 'x'")])
    other.add([clients.Tried("scenic", "b.scenic", "runs", "to its end")])
    rows = [tuple(row.values()) for row in json.loads(file.read_text())["tried"]]
    assert rows == [
        ("examples", "a.py", "not tried", "No module named 'x'"),
        ("scenic", "b.scenic", "runs", "to its end"),
        ("util", "a.py", "runs", ""),
    ]
    assert "| CARLA's utilities | 1 | 0 | 0 | 0 |" in file.with_suffix(".md").read_text()


def test_what_was_not_tried_is_missing_and_what_is_asked_for_again(clients: ModuleType, tmp_path: Path) -> None:
    results = clients.Results(tmp_path / "clients.json")
    never = next(iter(clients.NEEDS))
    results.add([clients.Tried("examples", "a.py", "not tried", "No module named 'x'")])
    results.add([clients.Tried("examples", never, "not tried", clients.NEEDS[never])])
    results.add([clients.Tried("scenic", "b.scenic", "fails", "silent for 20 of 60 s")])
    assert results.known() == {("examples", never), ("scenic", "b.scenic")}
    assert results.known(again=["silent for"]) == {("examples", never)}


def test_memory_is_of_one_series(clients: ModuleType, tmp_path: Path) -> None:
    results = clients.Results(tmp_path / "clients.json")
    for megabytes, is_first in ((900.0, True), (910.0, False), (800.0, True), (820.0, False)):
        results.add([], megabytes, is_first=is_first)
    assert results.read()[1] == [800.0, 820.0]


def test_scenarios_are_shared_over_their_files(clients: ModuleType, tmp_path: Path) -> None:
    for name, towns in {"A": (1, 1, 2), "B": (2,), "C": (1, 2)}.items():
        rows = [f'<scenario name="{name}{k}" type="T" town="Town0{town}">' for k, town in enumerate(towns)]
        (tmp_path / f"{name}.xml").write_text("\n".join(rows))
    assert list(clients.scenario_names(tmp_path, every=True)) == ["A0", "B0", "C0", "A1", "C1", "A2"]
    assert list(clients.scenario_names(tmp_path, every=False)) == ["A0", "B0", "C0"]
    assert list(clients.scenario_names(tmp_path, ["Town02"], every=True)) == ["A2", "B0", "C1"]


def test_a_reason_of_the_programs_own_is_named(clients: ModuleType) -> None:
    program = clients.Program("scenarios", "X", [], Path(), 60.0)
    said = "    vw = ActorTransformSetter(self.other_actors[1], here)\nIndexError: list index out of range\n"
    tried = clients.judge(program, said, 0, "", 0.0, is_over=True)
    assert (tried.verdict, tried.reason) == (
        "fails",
        "IndexError: list index out of range (its file names no other actors)",
    )


def test_tests_that_are_not_over_are_counted(clients: ModuleType) -> None:
    program = clients.Program("scenic_tests", "test_x.py", [], Path(), 90.0)
    lines = ["Using --randomly-seed=4", "........F. [  6%]", "....E"]
    tried = clients.judge_tests(program, lines, is_over=False)
    assert (tried.verdict, tried.reason) == ("not tried", "13 passed, 1 failed, 1 errors, not over after 90 s")
    assert clients.judge_tests(program, lines[:1], is_over=False).reason == "no test is over, not over after 90 s"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--groups", "smoke,scenics"], "there is no group 'scenics' (known: smoke, examples,"),
        (["--scenic", "nowhere"], "there is no folder nowhere"),
        (["--scenario-runner", "."], "ScenarioRunner needs CARLA's agents: give --carla, too"),
    ],
)
def test_bad_words_are_refused(tmp_path: Path, words: list[str], said: str) -> None:
    command = [sys.executable, str(DOCS / "clients.py"), "--work", str(tmp_path), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr


def test_programs_are_of_the_wanted_groups(clients: ModuleType, tmp_path: Path) -> None:
    for group in ("examples", "util"):
        (tmp_path / "PythonAPI" / group).mkdir(parents=True)
        (tmp_path / "PythonAPI" / group / f"{group}.py").touch()
    options = Namespace(
        carla=tmp_path, scenario_runner=None, scenic=None, scenic_python="p", python="p", seconds=1.0, groups=["util"]
    )
    assert [program.name for program in clients.programs(options)] == ["util.py"]
