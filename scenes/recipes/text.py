"""Recipe in full, as TOML text: every rule of every part, defaults included. Read back, it is the same recipe."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

from caos.scenes.recipes.recipe import SECTIONS, Recipe, RecipePart


def recipe_text(recipe: Recipe) -> str:
    """The recipe resolved: what it extends, what was set and all defaults are written out; None is left out."""
    lines = [_line("description", recipe.description), _line("dataset", recipe.dataset)]
    if recipe.library is not None:
        lines.append(_line("library", recipe.library))
    lines += ["", "[outputs]", *_keys(dataclasses.asdict(recipe.outputs))]
    for part in recipe.parts:
        lines += ["", *_part_lines(part)]
    return "\n".join(lines) + "\n"


def _part_lines(part: RecipePart) -> list[str]:
    own = {"split": part.split, "folder": part.folder, "towns": part.towns, "count": part.count}
    lines = ["[[parts]]", *_keys(own)]
    for name in SECTIONS:
        rules = getattr(part, name)
        if rules is not None:
            lines += [f"[parts.{name}]", *_keys(dataclasses.asdict(rules))]
    return lines


def _keys(values: Mapping[str, Any]) -> list[str]:
    return [_line(key, value) for key, value in values.items() if value is not None]


def _line(key: str, value: Any) -> str:
    return f"{key} = {toml_value(value)}"


def toml_value(value: Any) -> str:
    """A value as TOML writes it on one line.

    >>> toml_value({"low-sun": 1.0, "walkers": (0, 30), "ok": True})
    '{ "low-sun" = 1.0, "walkers" = [0, 30], "ok" = true }'
    """
    if isinstance(value, Mapping):
        pairs = ", ".join(f"{json.dumps(str(key))} = {toml_value(item)}" for key, item in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    if isinstance(value, tuple | list):
        return f"[{', '.join(toml_value(item) for item in value)}]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return str(value).lower() if isinstance(value, bool) else repr(value)
