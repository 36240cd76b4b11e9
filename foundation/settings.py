"""Settings and records: TOML, JSON and flags read into the dataclass that declares them, checked field by field.

The dataclass is the one place where names, types and defaults stand. Limits are declared with the field, too::

    workers: Annotated[int, Limits(1, 1024)] = 1
"""

from __future__ import annotations

import dataclasses
import difflib
import functools
import json
import math
import sys
import types
import typing
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, Final, TypeVar

from caos.foundation.errors import CaosError, unknown

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

T = TypeVar("T")
LARGEST_FILE: Final = 512 * 1024**2
"""Bytes of a JSON or TOML file; more than that is no settings or record of ours."""
DEEPEST: Final = 64
"""Levels of tables and lists in a file; what nests deeper would end in Python's own limit, or in a browser's."""
LARGEST_NUMBER: Final = 2**63
"""Whole numbers of a file stay below it, as every other reader of JSON wants them."""
LONGEST_NAME: Final = 255
"""Bytes of a name that every file system takes."""
_SHOWN: Final = 120
"""Characters of a wrong value that are shown."""


@dataclasses.dataclass(frozen=True)
class Limits:
    """The least and the most a number may be; None leaves an end open."""

    least: float | None = None
    most: float | None = None

    def __str__(self) -> str:
        low = "" if self.least is None else f" from {self.least:g}"
        return low + ("" if self.most is None else f" to {self.most:g}")

    def check(self, value: Any, where: str) -> None:
        """Refuse a number, or a tuple with one, beyond them."""
        for number in value if isinstance(value, tuple) else (value,):
            too_low = self.least is not None and number < self.least
            if too_low or (self.most is not None and number > self.most):
                raise CaosError(f"{where}: {shown(number)} is not a number{self}")


@dataclasses.dataclass(frozen=True)
class Below:
    """Marks a text that names a file below the folder it is said of: no way up or out, and a name a disk can hold.

    Attributes:
        is_name: Whether it is a name alone, without folders.
    """

    is_name: bool = False

    def check(self, value: Any, where: str) -> None:
        """Refuse any other."""
        path = PurePosixPath(value)
        if path.is_absolute() or ".." in path.parts:
            raise CaosError(f"{where}: path {shown(value)} leads outside the dataset")
        if not path.parts or "\\" in value or not value.isprintable() or (self.is_name and "/" in value):
            raise CaosError(f"{where}: {shown(value)} is no {'name' if self.is_name else 'path'} of a file")
        if any(len(part.encode()) > LONGEST_NAME for part in path.parts):
            raise CaosError(f"{where}: path {shown(value)} has a name of more than {LONGEST_NAME} bytes")


def resolve(kind: type[T], file: Path | None, flags: Mapping[str, Any]) -> T:
    """An instance of the dataclass ``kind``: its defaults <- the TOML ``file`` <- the ``flags`` that are not None.

    Raises:
        CaosError: If the file cannot be read, a key is not a field (the nearest is suggested), or a value has the
            wrong type.
    """
    read = {} if file is None else _fields(kind, read_toml(file), str(file))
    return kind(**(read | {key: value for key, value in flags.items() if value is not None}))


def read_record(kind: type[T], value: Any, where: object) -> T:
    """``value``, as JSON or TOML gave it, as an instance of ``kind``: a dataclass, or any annotation of its fields.

    Args:
        kind: What the value is to become. Lists become tuples, whole numbers floats, strings paths; nothing else is
            converted. Numbers are finite.
        value: The value.
        where: What it was read from, for messages.

    Raises:
        CaosError: If a field is missing, unknown, of the wrong type or out of its limits; file and field are named.
    """
    return typing.cast("T", _read(kind, value, str(where)))


def check_fields(record: Any) -> None:
    """Bring every field of a dataclass instance to what it declares, as :func:`read_record` does; for its own checks.

    Raises:
        CaosError: If a value has the wrong type or is out of its limits; the field is named.
    """
    hints = typing.get_type_hints(type(record), include_extras=True)
    for field in dataclasses.fields(record):
        value = _read(hints[field.name], getattr(record, field.name), field.name)
        object.__setattr__(record, field.name, value)  # as a frozen instance is filled in the first place


def read_toml(path: Path) -> dict[str, Any]:
    """The table in a TOML file.

    Raises:
        CaosError: If the file is missing or is not TOML.
    """
    return parse_toml(read_text(path), path)


def parse_toml(text: str, where: object) -> dict[str, Any]:
    """The table of a TOML text; ``where`` names it in messages.

    Raises:
        CaosError: If it is not TOML.
    """
    try:
        table = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise CaosError(f"{where} is not valid TOML: {error}") from error
    _check_bounds(table, where)
    return table


def read_json(path: Path) -> Any:
    """The value in a JSON file.

    Raises:
        CaosError: If the file is missing or is not JSON.
    """
    return parse_json(read_text(path), path)


def parse_json(text: str, where: object) -> Any:
    """The value of a JSON text; ``where`` names it in messages.

    Raises:
        CaosError: If it is not JSON, names a key twice, nests too deep, or holds a number without bounds.
    """
    try:
        value = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_table_of)
    except _ConstantError as error:
        raise CaosError(f"{where} is not valid JSON: {_place_of_constant(text)}{error} is not a JSON number") from error
    except (ValueError, RecursionError) as error:
        raise CaosError(f"{where} is not valid JSON: {error}") from error
    _check_bounds(value, where)
    return value


class _ConstantError(ValueError):
    """NaN or infinity in a JSON text, which has no such numbers."""


def _refuse_constant(name: str) -> Any:
    raise _ConstantError(name)


def _place_of_constant(text: str) -> str:
    try:
        value = json.loads(text, parse_constant=_ConstantError)
    except (ValueError, RecursionError):
        return ""
    return _key_path(value, lambda item: isinstance(item, _ConstantError))


def _key_path(value: Any, is_wanted: Callable[[Any], bool]) -> str:
    """Where the first wanted item of tables and lists is, such as ``key 'a'.b[2]: ``; empty for the value itself."""
    level: list[tuple[str, Any]] = [("", value)]
    while level:
        inside: list[tuple[str, Any]] = []
        for place, item in level:
            if is_wanted(item):
                return f"key {place}: " if place else ""
            if isinstance(item, dict):
                inside += [(f"{place}.{key}" if place else repr(key), part) for key, part in item.items()]
            elif isinstance(item, list):
                inside += [(f"{place}[{number}]", part) for number, part in enumerate(item)]
        level = inside
    return ""


def _table_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        name, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise ValueError(f"key {shown(name)} occurs twice in one table")
    return table


def _check_bounds(value: Any, where: object) -> None:
    """Refuse what no file of ours holds: deep nesting, numbers that are not finite and bounded, half characters."""
    level, depth = [value], 0
    while level:
        if depth > DEEPEST:
            raise CaosError(f"{where}: tables and lists are nested more than {DEEPEST} deep")
        inside: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                inside += [*item, *item.values()]
            elif isinstance(item, list):
                inside += item
            elif not _is_bounded(item):
                told = "is not text in Unicode" if isinstance(item, str) else "is not a finite number of 64 bits"
                place = _key_path(value, lambda part: part is item)  # noqa: B023 - called at once
                raise CaosError(f"{where}: {place}{shown(item)} {told}")
        level, depth = inside, depth + 1


def _is_bounded(item: Any) -> bool:
    if isinstance(item, str):
        return item.isascii() or not any("\ud800" <= character <= "\udfff" for character in item)
    if isinstance(item, float):
        return math.isfinite(item)
    return not isinstance(item, int) or -LARGEST_NUMBER <= item < LARGEST_NUMBER


def shown(value: Any) -> str:
    """A value as a message shows it: its ``repr``, cut where it is long.

    >>> shown("x" * 200)[-6:]
    'xxx...'
    """
    if isinstance(value, int) and abs(value) >= 10**_SHOWN:
        return f"a number of {value.bit_length()} bits"
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def read_text(path: Path) -> str:
    """The text of a UTF-8 file.

    Raises:
        CaosError: If there is no such file, it is too large, or it is not UTF-8 text: a byte of 0 is in none.
    """
    try:
        text = read_bytes(path).decode("utf-8-sig")  # some editors begin a file with a mark of its encoding
    except UnicodeDecodeError as error:
        raise CaosError(f"cannot read {path}: it is not UTF-8 text ({error.reason})") from error
    if "\0" in text:
        raise CaosError(f"cannot read {path}: it is not UTF-8 text (a byte is 0)")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_bytes(path: Path) -> bytes:
    """The bytes of a file.

    Raises:
        CaosError: If there is no such file, or it is too large.
    """
    try:
        if not path.is_file():
            # A pipe or a device would be waited for without end.
            raise CaosError(
                f"cannot read {path}: {'it is not a file' if path.exists() else 'No such file or directory'}"
            )
        if path.stat().st_size > LARGEST_FILE:
            raise CaosError(f"cannot read {path}: {path.stat().st_size} bytes are more than {LARGEST_FILE}")
        return path.read_bytes()
    except OSError as error:
        raise CaosError(f"cannot read {path}: {error.strerror or error}") from error


def _read(hint: Any, value: Any, where: str) -> Any:
    """``value`` as the annotation ``hint`` wants it."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        if _is_number(value) and not _is_bounded(value):
            _limited(value, arguments[1:], where)  # which says what is allowed
        return _limited(_read(arguments[0], value, where), arguments[1:], where)
    if dataclasses.is_dataclass(hint):
        kind = typing.cast("type[Any]", hint)
        return kind(**_fields(kind, value, where))
    if typing.is_typeddict(hint):
        return _read_open_table(hint, value, where)
    if origin in (tuple, list, Sequence):
        return _read_sequence(origin, arguments, value, where)
    reader = _READERS.get(origin)
    return _read_scalar(hint, value, where) if reader is None else reader(arguments, value, where)


def _read_union(arguments: tuple[Any, ...], value: Any, where: str) -> Any:
    if value is None and type(None) in arguments:
        return None
    choices = [a for a in arguments if a is not type(None)]
    errors = []
    for choice in choices:
        try:
            return _read(choice, value, where)
        except CaosError as error:
            errors.append(error)
    raise errors[0]


def _read_literal(arguments: tuple[Any, ...], value: Any, where: str) -> Any:
    if not any(value == choice and type(value) is type(choice) for choice in arguments):
        near = difflib.get_close_matches(str(value), [str(a) for a in arguments], n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise CaosError(f"{where}: {shown(value)} is not one of {', '.join(map(str, arguments))}{hint}")
    return value


def _read_sequence(origin: Any, arguments: tuple[Any, ...], value: Any, where: str) -> Any:
    if not isinstance(value, list | tuple):
        raise CaosError(f"{where}: {shown(value)} is not a list")
    if origin is tuple and not (len(arguments) == 2 and arguments[1] is Ellipsis):
        if len(value) != len(arguments):
            raise CaosError(f"{where}: {shown(value)} has {len(value)} members, not {len(arguments)}")
        return tuple(_read(a, v, f"{where}[{i}]") for i, (a, v) in enumerate(zip(arguments, value, strict=True)))
    items = (_read(arguments[0], item, f"{where}[{i}]") for i, item in enumerate(value))
    return list(items) if origin is list else tuple(items)


def _read_mapping(arguments: tuple[Any, ...], value: Any, where: str) -> dict[Any, Any]:
    if not isinstance(value, Mapping):
        raise CaosError(f"{where}: {shown(value)} is not a table")
    return {
        _read(arguments[0], key, f"{where}: key"): _read(arguments[1], item, f"{where}.{key}")
        for key, item in value.items()
    }


def _read_open_table(hint: Any, value: Any, where: str) -> dict[str, Any]:
    """A table of which a ``TypedDict`` declares the keys that are read here; what else it holds is kept as it is."""
    if not isinstance(value, Mapping):
        raise CaosError(f"{where}: {shown(value)} is not a table with the keys of {hint.__name__}")
    for key in sorted(hint.__required_keys__ - value.keys()):
        raise CaosError(f"{where}: key {key!r} is missing")
    hints = _hints(hint)
    return {
        key: _read(hints[key], item, f"{where}: key {key!r}") if key in hints else item for key, item in value.items()
    }


_READERS: Final[Mapping[Any, Callable[[tuple[Any, ...], Any, str], Any]]] = {
    typing.Union: _read_union,
    types.UnionType: _read_union,
    typing.Literal: _read_literal,
    dict: _read_mapping,
    Mapping: _read_mapping,
}


def _read_scalar(hint: Any, value: Any, where: str) -> Any:
    if hint is Any or hint is object:
        return value
    if _is_number(value) and not _is_bounded(value):
        raise CaosError(f"{where}: {shown(value)} is not a finite number of 64 bits")
    if hint is float and _is_number(value):
        return float(value)
    if hint is Path and isinstance(value, str):
        return Path(value)
    if not isinstance(value, hint) or (isinstance(value, bool) and hint is not bool):
        raise CaosError(f"{where}: {shown(value)} is not of type {getattr(hint, '__name__', hint)}")
    return value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _limited(value: Any, notes: tuple[Any, ...], where: str) -> Any:
    for note in notes:
        if isinstance(note, Limits | Below):
            note.check(value, where)
    return value


def _fields(kind: type[Any], value: Any, where: str) -> dict[str, Any]:
    """The fields of a dataclass that ``value`` gives."""
    if not isinstance(value, Mapping):
        raise CaosError(f"{where}: {shown(value)} is not a table with the fields of {kind.__name__}")
    fields = {field.name: field for field in dataclasses.fields(kind) if field.init}
    hints = _hints(typing.cast("Any", kind))
    for key in value:
        if key not in fields:
            raise CaosError(f"{where}: {unknown('key', str(key), fields)}")
    for name, field in fields.items():
        without = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        if without and name not in value:
            raise CaosError(f"{where}: key {name!r} is missing")
    return {key: _read(hints[key], item, f"{where}: key {key!r}") for key, item in value.items()}


@functools.cache
def _hints(kind: Any) -> dict[str, Any]:
    return typing.get_type_hints(kind, include_extras=True)
