"""A hook of mkdocs: the page of the command line, made from the commands themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from typing import Any

from mkdocs.structure.files import File, Files

from caos.cli import COMMANDS
from caos.foundation.command_line.commands import load_command

PAGE = "commands.md"
INTRODUCTION = """# Command line

This page is made from the commands themselves; `caos COMMAND --help` prints the same. These options go before the name of any
command: `--debug` (show the traceback of an error), `-v` (say more), `-q` (show no progress), `--version`.
"""


def on_files(files: Files, config: Any, **_: Any) -> Files:
    """Add the page to those of the folder."""
    files.append(File.generated(config, PAGE, content=reference()))
    return files


def reference() -> str:
    """The page: every command with its words, arguments and options."""
    parts = [INTRODUCTION]
    for name, (place, line) in COMMANDS.items():
        parts += _described(f"caos {name}", load_command(name, place, line), 2)
    return "\n".join(parts)


def _described(name: str, command: Any, level: int) -> Iterator[str]:
    yield f"\n{'#' * level} `{name}`\n\n{_words(command.help or '')}\n"
    if hasattr(command, "commands"):
        for inner, listed in command.commands.items():
            found = command.loaded(inner) if hasattr(command, "loaded") else listed
            yield from _described(f"{name} {inner}", found, level + 1)
        return
    rows = [_row(parameter) for parameter in command.params if parameter.name != "help"]
    if rows:
        yield "| option | what it does | default |\n|---|---|---|\n" + "\n".join(rows) + "\n"


def _words(text: str) -> str:
    """Help as Markdown: a block that is not wrapped in a terminal is code here."""
    paragraphs = []
    for part in re.split(r"\n\s*\n", text.strip()):
        plain = part.startswith("\b") or part.lstrip().startswith("caos ")
        paragraphs.append("```text\n" + part.removeprefix("\b\n").strip() + "\n```" if plain else _escaped(part))
    return "\n\n".join(paragraphs)


def _row(parameter: Any) -> str:
    is_option = parameter.param_type_name == "option"
    names = ", ".join([*parameter.opts, *parameter.secondary_opts]) if is_option else parameter.name.upper()
    return f"| `{names}` | {_escaped(getattr(parameter, 'help', None) or '')} | {_default(parameter)} |"


def _default(parameter: Any) -> str:
    """What happens where the option is not given: its words for it, or its value."""
    words = getattr(parameter, "show_default", None)
    value = parameter.default.value if isinstance(parameter.default, Enum) else parameter.default
    if parameter.required:
        return "needed"
    if isinstance(words, str):
        return _escaped(words)
    return "" if value is None or callable(value) or value is False or value in ((), [], "") else f"`{value}`"


def _escaped(text: str) -> str:
    flat = " ".join(text.split())
    return flat.replace("|", "\\|").replace("<", "&lt;").replace("[", "\\[").replace("*", "\\*").replace("_", "\\_")
