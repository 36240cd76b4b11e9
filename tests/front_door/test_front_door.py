"""``caos`` as a user meets it: help, errors, exit codes, imports."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

HEAVY = ("torch", "carla", "mitsuba", "drjit", "open3d", "cv2", "sklearn", "lightning", "matplotlib", "ray", "scipy")
COMMANDS = (
    *("demo", "serve", "assets", "scenes", "train", "score", "compare", "report", "study", "look", "export", "doctor"),
)


def caos(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "caos", *arguments], capture_output=True, text=True, cwd=cwd, timeout=120, check=False
    )


def test_help_names_every_command() -> None:
    done = caos("--help")
    assert done.returncode == 0
    for name in COMMANDS:
        assert f" {name} " in done.stdout


@pytest.mark.parametrize(
    "command",
    [
        *([name] for name in COMMANDS),
        ["export", "bundle"],
        *(["assets", name] for name in ("list", "preview", "cutouts", "import", "check", "package")),
        *(
            ["scenes", name]
            for name in ("streethazards", "render", "view", "bdd-anomaly", "audit", "describe", "validity", "export")
        ),
        *(["study", name] for name in ("transfer", "corruptions", "perturbations")),
    ],
    ids=" ".join,
)
def test_every_command_explains_itself_by_example(command: list[str]) -> None:
    done = caos(*command, "--help")
    assert done.returncode == 0
    if command not in (["assets"], ["scenes"], ["study"], ["export"]):
        assert f"caos {' '.join(command)}" in " ".join(done.stdout.replace("│", " ").split())


def test_ctrl_c_says_how_to_go_on(tmp_path: Path) -> None:
    # A shell lets what runs in the background ignore Ctrl-C; the tests may be run from one.
    start = "import signal, caos.cli; signal.signal(signal.SIGINT, signal.default_int_handler); caos.cli.main()"
    waiting = ["scenes", "streethazards", "--out", "set", "--simulator", "127.0.0.1:9"]
    process = subprocess.Popen(
        [sys.executable, "-c", start, *waiting], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 200
    while not (tmp_path / "set/recipe.json").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=200)
    assert process.returncode == 130
    assert said.strip().endswith("interrupted; finished work is kept: run the same command again to continue")
    assert "Traceback" not in said
    assert not (tmp_path / "set").exists()


def test_ctrl_c_is_a_line_while_the_command_line_is_still_being_loaded() -> None:
    code = (
        "import sys\n"
        "from caos.__main__ import main\n"
        "class Pressed:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'typer': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Pressed())\n"
        "main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (130, "interrupted; run the same command again\n")


def test_help_imports_nothing_heavy() -> None:
    code = f"import sys, caos, caos.cli; print([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["scenes", "audit", "nowhere"], "nowhere is not a folder"),
        (["scenes", "streethazards", "--out", "x", "--size", "big"], "--size 'big' is not WIDTHxHEIGHT"),
        (["scenes", "streethazards", "--out", "x", "--weather", "hail"], "unknown weather 'hail'"),
        (["scenes", "streethazards", "--out", "x", "--hazards", "sofa_99999"], "sofa_99999"),
        (["scenes", "streethazards", "--out", "x", "--train", "-1"], "--train"),
        (["scenes", "render", "nowhere.json", "--out", "x"], "nowhere.json"),
        (["scenes", "view", "--out", "x", "--town", "Town99"], "Town99"),
        (["scenes", "bdd-anomaly", "--labels", "nowhere", "--out", "x"], "give --images DIR, or --labels-only"),
        (["scenes", "export", "nowhere", "--out", "x", "--format", "smiyc"], "nowhere"),
        (["train", "nowhere", "--out", "x"], "nowhere"),
        (["score", "nowhere", "--run", "r", "--out", "x"], "nowhere"),
        (["report", "nowhere", "--out", "x"], "nowhere"),
        (["study", "transfer", "nowhere", "neither", "--run", "r", "--out", "x"], "r is not a training run"),
        (["study", "transfr"], "transfr"),
        (["study", "exposure", "nowhere", "--out", "x"], "nowhere is not a folder"),
        (["study", "exposure"], "no set: caos study exposure SET --out STUDY"),
        (["study", "corruptions", "nowhere", "--run", "r", "--out", "x"], "nowhere"),
        (["demo", "--out", "x", "--photographs", "nowhere"], "nowhere"),
        (["look", "nowhere.jpg", "--out", "x"], "nowhere.jpg does not exist"),
        (["export", "bundle", "nowhere", "--ordinary", "x", "--out", "y"], "nowhere is not a training run"),
        (["compare", "nowhere"], "nowhere"),
        (["assets", "preview", "sofaa", "--out", "x.png"], "sofaa"),
        (["compare", "nowhere", "--out", "results.json"], "results.json: give it a name that ends in .md"),
        (["scenes", "card", "nowhere", "--out", "dataset.json"], "dataset.json: give it a name that ends in .md"),
        (["scenes", "describe", "nowhere", "--out", "x.json"], "x.json: give it a name that ends in .png or .webp"),
        (["assets", "import", "nowhere", "--as", "folder"], "nowhere"),
        (["doctor", "--server", "here"], "--server 'here' is not HOST:PORT"),
        (["serve", "--port", "0", "--town", "Town99"], "Town99"),
        (["scenes", "audit", "--jason", "x"], "--jason"),
        (["scense"], "scense"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_input_is_one_line_and_exit_code_2(tmp_path: Path, arguments: list[str], words: str) -> None:
    done = caos(*arguments, cwd=tmp_path)
    lines = done.stderr.strip().splitlines()
    assert done.returncode == 2, done.stderr
    assert lines[-1].startswith("error: ")
    assert words in lines[-1]
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_debug_shows_the_traceback(tmp_path: Path) -> None:
    done = caos("--debug", "scenes", "audit", "nowhere", cwd=tmp_path)
    assert done.returncode != 0
    assert "Traceback" in done.stderr


def test_doctor_speaks_json() -> None:
    findings = {row["name"]: row for row in json.loads(caos("doctor", "--json").stdout)}
    assert findings["carla"]["value"] == "0.9.16"
    assert {"device", "renderer", "CARLA server", "encoder weights", "disk"} <= set(findings)
    for row in findings.values():
        assert row["state"] in {"ok", "note", "problem"}
        assert row["remedy"] or row["state"] == "ok"


def test_version() -> None:
    assert caos("--version").stdout.startswith("caos ")


def test_quiet_holds_for_one_command_only(tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from caos.cli import app
    from caos.foundation.execution.progress import QUIET

    assert CliRunner().invoke(app, ["-q", "assets", "list", "--out", str(tmp_path)]).exit_code == 2
    assert CliRunner().invoke(app, ["-q", "doctor", "--json"]).exit_code == 0
    assert QUIET.get() is False


def test_a_terminal_of_few_letters_is_shown_the_others_by_numbers() -> None:
    code = "from caos import cli; cli._run = lambda _: print('a\\u2026\\udcff') or 0; cli.main([])"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONIOENCODING": "ascii:strict"},
    )
    assert (done.returncode, done.stdout) == (0, "a\\u2026\\udcff\n"), done.stderr


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_words_of_others_do_not_steer_the_terminal(stream: str) -> None:
    said = "\\x1b]0;title\\x07 \\x1b[31mred\\x1b[0m \\x9b2J \\rover \\x1b[2J\\u202e \\ttab"
    code = (
        f"import sys; from caos import cli; cli._run = lambda _: print('{said}', file=sys.{stream}) or 0; cli.main([])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    shown = "\\x1b]0;title\\x07 \x1b[31mred\x1b[0m \\x9b2J \\rover \\x1b[2J\\u202e \ttab\n"
    assert (done.returncode, getattr(done, stream).decode()) == (0, shown)


@pytest.mark.parametrize(
    ("streams", "code", "told"),
    [
        (">&-", 0, ""),
        ("2>&-", 0, ""),
        (">/dev/full", 2, "error: cannot say what was found: there is no space left where the output goes\n"),
    ],
)
def test_nobody_to_hear_is_no_traceback(streams: str, code: int, told: str) -> None:
    call = f'"{sys.executable}" -m caos --version {streams}'
    done = subprocess.run(["sh", "-c", call], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (code, told)


def test_a_folder_that_is_gone_is_one_line(tmp_path: Path) -> None:
    start = f"import os; os.chdir({str(tmp_path)!r}); os.rmdir({str(tmp_path)!r}); from caos import cli; cli.main([])"
    done = subprocess.run([sys.executable, "-c", start], capture_output=True, text=True, check=False)
    told = "error: the folder in which caos was started is gone; change to another one\n"
    assert (done.returncode, done.stderr) == (2, told)


def test_words_that_are_no_text_and_places_that_may_not_be_looked_at_are_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from caos import cli

    assert cli._run(["score", "\ud800"]) == 2
    assert "is neither text nor the name of a file" in capsys.readouterr().err

    def forbid(**_: object) -> None:
        raise PermissionError(13, "Permission denied", "/proc/1/cwd")

    monkeypatch.setattr(cli, "app", forbid)
    assert cli._run(["doctor"]) == 2
    assert capsys.readouterr().err == "error: /proc/1/cwd: Permission denied; give another path\n"


def test_a_group_lists_its_commands_in_whole_sentences_and_flags_take_no_value() -> None:
    listed = " ".join(caos("scenes", "--help").stdout.split())
    assert "..." not in listed.partition("Commands:")[2]
    assert "Keep the frames that a reference run gets wrong as a new set: hard sets after ImageNet-O" in listed
    assert "--full The paper's sizes" in " ".join(caos("demo", "--help").stdout.split())
