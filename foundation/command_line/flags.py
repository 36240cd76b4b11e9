"""Flags of a command, taken from the dataclass that declares its settings: names, types and help stand in one place.

    @dataclass(frozen=True)
    class Settings:
        epochs: Annotated[int, Limits(1, 1000), Flag("Number of passes over the set.")] = 20

    @with_flags(Settings)
    def train(out: Path, given: Given) -> None:    # caos train --out run --epochs 40: given is {"epochs": 40}
        settings = resolve(Settings, None, given)

Only flags that were given reach the command, so that presets and files can stand between them and the defaults.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import math
import types
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeVar

import typer

from caos.foundation.errors import CaosError

Given = dict[str, Any]
"""The settings that were given on a command line, by name."""

R = TypeVar("R")
NOTHING: Final = "none"
"""What an empty list is called on a command line."""


@dataclasses.dataclass(frozen=True)
class Flag:
    """How a field of settings stands on the command line.

    Attributes:
        help: What the option does.
        panel: Heading that the option stands under.
        read: Parser of the option's text, for fields whose text is not plain; see
            :func:`caos.foundation.command_line.sizes.parse_size`.
    """

    help: str
    panel: str | None = None
    read: Callable[[str, str], Any] | None = None


def with_flags(kind: type[Any], parameter: str = "given") -> Callable[[Callable[..., R]], Callable[..., R]]:
    """Give a command one option for each field of the dataclass ``kind`` that has a :class:`Flag`.

    Args:
        kind: The dataclass. A field's name is the option's (``batch_size``: ``--batch-size``).
        parameter: The command's parameter that takes the flags that were given; it is no option itself.
    """
    flags = _declared_flags(kind)

    def decorate(command: Callable[..., R]) -> Callable[..., R]:
        @functools.wraps(command)
        def run(**values: Any) -> R:
            texts = {name: values.pop(name) for name in flags}
            given = {name: _value(name, texts[name], *flags[name]) for name in flags if texts[name] is not None}
            return command(**values, **{parameter: given})

        # Not typing.get_type_hints: in Python 3.10 it hides what is Annotated in an Optional where the default is None.
        own = [
            each.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            for name, each in inspect.signature(command, eval_str=True).parameters.items()
            if name != parameter
        ]
        options = [_option(name, hint, flag) for name, (hint, flag) in flags.items()]
        run.__signature__ = inspect.Signature([*own, *options])  # type: ignore[attr-defined]
        run.__annotations__ = {each.name: each.annotation for each in (*own, *options)}
        return run

    return decorate


def _declared_flags(kind: type[Any]) -> dict[str, tuple[Any, Flag]]:
    """The bare type and the flag of each field that has one."""
    hints, found = typing.get_type_hints(kind, include_extras=True), {}
    for field in dataclasses.fields(kind):
        notes = typing.get_args(hints[field.name]) if typing.get_origin(hints[field.name]) is Annotated else ()
        for flag in (note for note in notes[1:] if isinstance(note, Flag)):
            found[field.name] = (_without_none(notes[0]), flag)
    return found


def _without_none(hint: Any) -> Any:
    """``X`` of ``X | None``, without what is noted beside it."""
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        (hint,) = (a for a in typing.get_args(hint) if a is not type(None))
    return typing.get_args(hint)[0] if typing.get_origin(hint) is Annotated else hint


def _option(name: str, hint: Any, flag: Flag) -> inspect.Parameter:
    spelled = name.replace("_", "-")
    choices = typing.get_args(hint) if typing.get_origin(hint) is Literal else ()
    plain = type(choices[0]) if choices else hint
    kind = plain if plain in (bool, int, float, Path) and flag.read is None else str
    option = typer.Option(
        f"--{spelled}/--no-{spelled}" if kind is bool else f"--{spelled}",
        help=flag.help,
        rich_help_panel=flag.panel,
        metavar="|".join(map(str, choices)) or None,
        show_default=False,
    )
    annotation = Annotated[kind | None, option]  # type: ignore[valid-type]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


def _value(name: str, given: Any, hint: Any, flag: Flag) -> Any:
    """What a text on the command line stands for; values that are no text any more stay as they are."""
    if flag.read is not None:
        return flag.read(given, name)
    if typing.get_origin(hint) is not tuple:
        return given
    parts = [part.strip() for part in given.split(",") if part.strip()]
    member = typing.get_args(hint)[0]
    if member is str:
        return () if given == NOTHING else tuple(parts)
    try:
        values = tuple(member(part) for part in parts)
    except ValueError as error:
        raise CaosError(f"{name} is {given!r}; it must be numbers separated by commas") from error
    if not all(math.isfinite(value) for value in values):
        raise CaosError(f"{name} is {given!r}; its numbers must be finite")
    return values
