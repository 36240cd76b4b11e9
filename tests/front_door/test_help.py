"""Help fits a narrow terminal, loses no word to markup, and says a default in one way."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from rich.text import Text

from caos.cli import COMMANDS, HELP
from caos.foundation.command_line.commands import load_command

WIDEST = 78
"""Columns that a line of help has in a terminal of 80."""


def commands() -> Iterator[tuple[str, Any]]:
    for name, (place, line) in COMMANDS.items():
        yield from inside(f"caos {name}", load_command(name, place, line))


def inside(name: str, command: Any) -> Iterator[tuple[str, Any]]:
    yield name, command
    for inner, listed in getattr(command, "commands", {}).items():
        yield from inside(f"{name} {inner}", command.loaded(inner) if hasattr(command, "loaded") else listed)


ALL = list(commands())
each = pytest.mark.parametrize("command", [c for _, c in ALL], ids=[name for name, _ in ALL])


def words(command: Any) -> list[str]:
    said = [command.help, *(getattr(parameter, "help", None) for parameter in command.params)]
    return [text.replace("\b", "") for text in said if text]


@each
def test_markup_swallows_nothing(command: Any) -> None:
    assert [text for text in words(command) if Text.from_markup(text).plain != text] == []


@each
def test_a_default_is_shown_by_the_option_not_by_its_words(command: Any) -> None:
    assert [text for text in words(command) if "default:" in text] == []


@each
def test_examples_fit_a_terminal_of_eighty_columns(command: Any) -> None:
    lines = [*(command.help or "").splitlines(), *HELP.splitlines()]
    assert [line for line in lines if line.startswith("caos ") and len(line) > WIDEST] == []
