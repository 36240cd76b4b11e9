"""Commands on demand: a group of commands that are listed from a table, and imported when one is called."""

from __future__ import annotations

import importlib
import shutil
import textwrap
from collections.abc import Mapping
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

CommandTable = Mapping[str, tuple[str, str]]
"""Each command: where it is (``module:name`` of a function or of a Typer app), and its line in the list of commands."""


def commands_on_demand(table: CommandTable) -> type[TyperGroup]:
    """The kind of group whose commands are those of the table; pass it to ``typer.Typer`` as ``cls``."""

    class CommandsOnDemand(TyperGroup):
        def __init__(self, **settings: Any) -> None:
            named = {name: TyperCommand(name, help=line, short_help=line) for name, (_, line) in table.items()}
            super().__init__(**(settings | {"commands": named}))

        def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
            """The command that ``args`` call, imported now."""
            name, _, rest = super().resolve_command(ctx, args)
            return name, self.loaded(str(name)), rest

        def loaded(self, name: str) -> Any:
            """A command with its options, imported now."""
            return load_command(name, *table[name])

    return CommandsOnDemand


def load_command(name: str, place: str, line: str) -> Any:
    """The command of a line of the table, imported now."""
    module, _, attribute = place.partition(":")
    found = getattr(importlib.import_module(module), attribute)
    around = typer.Typer(pretty_exceptions_enable=False, rich_markup_mode=None)  # one look, also for flags
    if isinstance(found, typer.Typer):
        around.add_typer(found, name=name, help=line)
    else:
        around.command(name)(found)
    command = typer.main.get_group(around).commands[name]
    _list_in_full(command)
    return command


def _list_in_full(command: Any) -> None:
    """Let a group list each command by its whole first sentence, which would end in dots after 45 letters."""
    for inner in getattr(command, "commands", {}).values():
        inner.short_help = inner.short_help or " ".join((inner.help or "").split("\n\n")[0].split())
        _list_in_full(inner)


def listed(name: str, words: str, indent: int = 26) -> str:
    """A line of a list for the terminal: a name, and words that wrap beside it; marks of code are left out."""
    width = max(shutil.get_terminal_size().columns, 2 * indent)
    gap = " " * indent
    return textwrap.fill(
        words.replace("``", ""), width, initial_indent=f"  {name}".ljust(indent), subsequent_indent=gap
    )
