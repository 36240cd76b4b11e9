"""``caos study``: the studies by name, each imported when it is called.

A study is a folder here with a ``cli.py`` whose function ``study`` is the command; the folder's name is its name, the
first line of the function's docstring its description.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Final

import typer

from caos.foundation.command_line.commands import CommandTable, commands_on_demand

HERE: Final = Path(__file__).parent
COMMAND: Final = "study"


def studies(folder: Path = HERE, package: str = "caos.studies") -> CommandTable:
    """The studies of a folder: where each command is, and what it does in a line; none of them is imported."""
    found = {}
    for file in sorted(folder.glob("*/cli.py")):
        name = file.parent.name
        found[name.replace("_", "-")] = (f"{package}.{name}.cli:{COMMAND}", _summary(file))
    return found


def _summary(file: Path) -> str:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    functions = [part for part in tree.body if isinstance(part, ast.FunctionDef) and part.name == COMMAND]
    return ((ast.get_docstring(functions[0]) if functions else "") or "").partition("\n")[0]


app = typer.Typer(
    cls=commands_on_demand(studies()),
    help="Questions that need many scorings; each study leaves tables, study.json and a page, and can be resumed.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@app.callback()
def about() -> None:
    """Questions that need many scorings."""
