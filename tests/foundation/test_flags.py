from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import pytest
import typer
from typer.testing import CliRunner

from caos.foundation.command_line.flags import Flag, Given, with_flags
from caos.foundation.command_line.sizes import parse_size
from caos.foundation.errors import CaosError
from caos.foundation.settings import Limits, check_fields


@dataclass(frozen=True)
class Options:
    batch_size: Annotated[int, Limits(1, 64), Flag("Pictures a step.", "Learning")] = 8
    rate: Annotated[float, Flag("Learning rate.", "Learning")] = 0.1
    fast: Annotated[bool, Flag("Hurry.")] = False
    mode: Annotated[Literal["a", "b"], Flag("Which way.")] = "a"
    stride: Annotated[Literal[1, 2], Flag("How far.")] = 1
    names: Annotated[tuple[str, ...], Flag("Some names.")] = ("x",)
    scale: Annotated[tuple[float, float], Flag("Least and most.")] = (0.5, 2.0)
    size: Annotated[Annotated[tuple[int, int], Limits(16, 99)] | None, Flag("Pixels.", None, parse_size)] = None
    place: Annotated[Path | None, Flag("Where.")] = None
    inner: int = 3

    def __post_init__(self) -> None:
        check_fields(self)


app = typer.Typer()
seen: list[tuple[Path, Given]] = []


@app.command()
@with_flags(Options)
def work(out: Annotated[Path, typer.Argument(help="Folder.")], given: Given, loud: bool = False) -> None:
    """Do it."""
    seen.append((out, given | {"loud": loud}))


def _given(*arguments: str) -> Given:
    done = CliRunner().invoke(app, ["there", *arguments])
    if done.exception:
        raise done.exception
    return seen.pop()[1]


def test_only_what_was_given_reaches_the_command() -> None:
    assert _given() == {"loud": False}
    assert _given("--loud", "--batch-size", "4") == {"loud": True, "batch_size": 4}


@pytest.mark.parametrize(
    ("arguments", "name", "value"),
    [
        (["--rate", "1e-3"], "rate", 0.001),
        (["--fast"], "fast", True),
        (["--no-fast"], "fast", False),
        (["--mode", "b"], "mode", "b"),
        (["--stride", "2"], "stride", 2),
        (["--names", "a, b,"], "names", ("a", "b")),
        (["--names", "none"], "names", ()),
        (["--scale", "0.5,2"], "scale", (0.5, 2.0)),
        (["--size", "64X32"], "size", (64, 32)),
        (["--place", "here"], "place", Path("here")),
    ],
)
def test_texts_become_what_the_field_declares(arguments, name, value) -> None:
    given = _given(*arguments)
    assert given[name] == value
    assert type(given[name]) is type(value)
    assert getattr(Options(**{name: given[name]}), name) == value


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--size", "64"], "size '64' is not WIDTHxHEIGHT"),
        (["--size", "6²x64"], "size '6²x64' is not WIDTHxHEIGHT"),
        (["--scale", "a,b"], "scale is 'a,b'"),
        (["--scale", "0,nan"], "its numbers must be finite"),
    ],
)
def test_a_wrong_text_is_one_line(arguments, words) -> None:
    with pytest.raises(CaosError) as caught:
        _given(*arguments)
    assert words in str(caught.value)


def test_help_stands_under_its_heading_and_fields_without_a_flag_are_no_options() -> None:
    text = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "100", "TERM": "dumb"}).output
    assert re.search(r"Learning[^\n]*\n[^\n]*--batch-size[^\n]*Pictures a step\.", text)
    assert re.search(r"--mode +a\|b +Which way\.", text)
    assert "--inner" not in text
    assert "given" not in text


def test_values_are_held_to_their_limits_wherever_they_come_from() -> None:
    with pytest.raises(CaosError, match="batch_size: 65 is not a number from 1 to 64"):
        Options(batch_size=65)
    with pytest.raises(CaosError, match="size: 8 is not a number from 16 to 99"):
        Options(size=(8, 64))
    with pytest.raises(CaosError, match="rate: inf is not a finite number"):
        Options(rate=float("inf"))
    assert Options(rate=1).rate.is_integer()
    assert isinstance(Options(rate=1).rate, float)


limited = typer.Typer()


@limited.command()
@with_flags(Options)
def count(
    given: Given, workers: Annotated[int | None, typer.Option("--jobs", min=1, help="How many at once.")] = None
) -> None:
    """Count."""
    seen.append((Path(str(workers)), given))


def test_an_option_of_the_command_itself_keeps_its_name_and_its_limits() -> None:
    assert CliRunner().invoke(limited, ["--jobs", "2"]).exit_code == 0
    assert seen[-1] == (Path("2"), {})
    assert CliRunner().invoke(limited, ["--jobs", "0"]).exit_code == 2
