"""Recipe files as tables: what a recipe extends, and what the command line sets in it, before its rules are read.

``extends`` names another recipe, by name or by a path beside the file. Its sections are taken over key by key, its
parts as a whole; whatever the file says itself comes before. A setting, ``hazards.range_m=4,20``, comes before both,
and before the sections of single parts; ``parts.FOLDER.hazards.range_m=4,20`` sets one part's.
"""

from __future__ import annotations

import copy
import dataclasses
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from caos.foundation.command_line.plugins import is_path
from caos.foundation.errors import CaosError, unknown
from caos.foundation.settings import parse_toml, read_toml
from caos.foundation.storage.files import real_path

Table = dict[str, Any]
EXTENDS: Final = "extends"
PARTS: Final = "parts"
NOTHING: Final = "none"
"""What a setting says for a key that may be left open."""


def read_table(file: Path, find: Callable[[str, Path], Path], sections: Sequence[str]) -> Table:
    """The table in a recipe file with all that it extends.

    Args:
        file: The recipe.
        find: Gives the file of the recipe that ``extends`` names in a file.
        sections: Names of the tables that are merged key by key.

    Raises:
        CaosError: If a file cannot be read, or a recipe extends itself.
    """
    chain: list[Path] = []
    tables: list[Table] = []
    current: Path | None = file
    while current is not None:
        if real_path(current) in [real_path(other) for other in chain]:
            told = " -> ".join(str(path) for path in [*chain, current])
            raise CaosError(f"{file}: extends itself: {told}")
        chain.append(current)
        table = _beside(read_toml(current), current)
        base = table.pop(EXTENDS, None)
        if base is not None and not isinstance(base, str):
            raise CaosError(f"{current}: extends is {base!r}; give the name or the path of one recipe")
        tables.append(table)
        current = None if base is None else _found(find, base, current)
    merged: Table = {}
    for table in reversed(tables):
        merged = _merged(merged, table, sections)
    return merged


def _found(find: Callable[[str, Path], Path], base: str, file: Path) -> Path:
    try:
        return find(base, file)
    except CaosError as error:
        raise CaosError(f"{file}: extends {base!r}: {error}") from error


def _merged(base: Table, own: Table, sections: Sequence[str]) -> Table:
    out = base | own
    for name in sections:
        if isinstance(base.get(name), dict) and isinstance(own.get(name), dict):
            out[name] = base[name] | own[name]
    return out


def _beside(table: Table, file: Path) -> Table:
    """The table with the paths in it, which are meant from its own folder, made absolute."""

    def absolute(value: Any) -> Any:
        return str(real_path(file.parent / value)) if isinstance(value, str) and is_path(value) else value

    parts = table.get(PARTS)
    for part in parts if isinstance(parts, list) else ():
        if isinstance(part, dict) and isinstance(part.get("towns"), list):
            part["towns"] = [absolute(town) for town in part["towns"]]
    if isinstance(table.get("library"), str):
        table["library"] = str(real_path(file.parent / table["library"]))
    return table


def with_settings(table: Table, settings: Sequence[str], kinds: Mapping[str, type[Any]], top: type[Any]) -> Table:
    """The table with settings such as ``traffic.walkers=0,30`` in it.

    Args:
        table: Of a recipe.
        settings: Key and value of each. A list is ``4,20``, a table ``night=3,fog=1``; TOML fails as well.
        kinds: The dataclass of each section.
        top: The dataclass of a recipe's own keys.

    Raises:
        CaosError: If there is no such key, or the text has no value.
    """
    table = copy.deepcopy(table)
    for setting in settings:
        path, equals, text = setting.partition("=")
        keys = path.strip().split(".")
        if not equals or not all(keys):
            raise CaosError(f"--set {setting!r}: give KEY=VALUE, such as hazards.range_m=4,20")
        try:
            if keys[0] == PARTS:
                _set_in_parts(table, keys, text.strip(), kinds)
            else:
                _set(table, keys, text.strip(), kinds, top)
        except CaosError as error:
            raise CaosError(f"--set {setting!r}: {error}") from error
    return table


def _set(table: Table, keys: list[str], text: str, kinds: Mapping[str, type[Any]], top: type[Any]) -> None:
    if len(keys) == 1 and keys[0] not in kinds:
        table[keys[0]] = _value(_hint(top, keys[0]), text)
        return
    section, key = _section_key(keys, kinds)
    value = _value(_hint(kinds[section], key), text)
    table[section] = {**table.get(section, {}), key: value}
    for part in table.get(PARTS, ()):
        if isinstance(part.get(section), dict):
            part[section].pop(key, None)


def _set_in_parts(table: Table, keys: list[str], text: str, kinds: Mapping[str, type[Any]]) -> None:
    parts = [part for part in table.get(PARTS, ()) if len(keys) > 1 and part.get("folder") == keys[1]]
    if not parts:
        folders = {str(part.get("folder")) for part in table.get(PARTS, ())}
        raise unknown("part", keys[1] if len(keys) > 1 else "", folders)
    for part in parts:
        if len(keys) == 3 and keys[2] == "towns":
            part[keys[2]] = _items(text)
            continue
        if len(keys) == 3:
            part[keys[2]] = _plain(text)
            continue
        section, key = _section_key(keys[2:], kinds)
        own = part.get(section)
        part[section] = {**(own if isinstance(own, dict) else {}), key: _value(_hint(kinds[section], key), text)}


def _section_key(keys: list[str], kinds: Mapping[str, type[Any]]) -> tuple[str, str]:
    if not keys or keys[0] not in kinds:
        raise unknown("section", keys[0] if keys else "", [*kinds, PARTS])
    if len(keys) != 2:
        raise CaosError(f"give SECTION.KEY, such as {keys[0]}.{next(iter(_fields(kinds[keys[0]])))}")
    return keys[0], keys[1]


def _fields(kind: type[Any]) -> list[str]:
    return [field.name for field in dataclasses.fields(kind)]


def _hint(kind: type[Any], key: str) -> Any:
    """What a key of a dataclass is declared as, without limits and None."""
    if key not in _fields(kind):
        raise unknown("key", key, _fields(kind))
    hint = typing.get_type_hints(kind)[key]
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return next(choice for choice in typing.get_args(hint) if choice is not type(None))
    return hint


def _value(hint: Any, text: str) -> Any:
    """The text of a setting, as a TOML file would have given it for a key of that type."""
    origin = typing.get_origin(hint)
    if text == NOTHING:
        return None
    if text[:1] in ("[", "{", '"', "'"):
        return parse_toml(f"value = {text}", "the value")["value"]
    if origin in (tuple, list, Sequence):
        return _items(text)
    if origin in (dict, Mapping):
        pairs = [item.partition("=") for item in text.split(",") if item.strip()]
        return {name.strip(): _plain(value.strip()) for name, _, value in pairs}
    return text if hint is str else _plain(text)


def _items(text: str) -> list[Any]:
    if text.startswith("["):
        return list(parse_toml(f"value = {text}", "the value")["value"])
    return [_plain(item.strip()) for item in text.split(",") if item.strip()]


def _plain(text: str) -> Any:
    """A number or a truth value, or else the text itself."""
    try:
        return parse_toml(f"value = {text}", "the value")["value"]
    except CaosError:
        return text
