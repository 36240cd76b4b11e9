"""Configuration: defaults in a frozen dataclass, overridden by a TOML file, overridden by flags."""

from __future__ import annotations

import dataclasses
import sys
import types
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from foundation.errors import CaosError, unknown

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

T = TypeVar("T")


def resolve(kind: type[T], file: Path | None, flags: Mapping[str, Any]) -> T:
    """An instance of the dataclass ``kind``: its defaults <- the TOML ``file`` <- the ``flags`` that are not None.

    Raises:
        CaosError: If the file cannot be read, a key is not a field (the nearest is suggested), or a value has the
            wrong type.
    """
    values = {} if file is None else read_toml(file)
    fields = {f.name: f for f in dataclasses.fields(kind)}  # type: ignore[arg-type]
    hints = typing.get_type_hints(kind)
    for key, value in values.items():
        if key not in fields:
            raise CaosError(f"{file}: {unknown('key', key, fields)}")
        values[key] = _fitted(value, hints[key], f"{file}: key {key!r}")
    values |= {key: value for key, value in flags.items() if value is not None}
    return kind(**values)


def read_toml(path: Path) -> dict[str, Any]:
    """The table in a TOML file.

    Raises:
        CaosError: If the file is missing or is not TOML.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise CaosError(f"cannot read {path}: {error.strerror or error}") from error
    except ValueError as error:
        raise CaosError(f"{path} is not valid TOML: {error}") from error


def _fitted(value: Any, hint: Any, where: str) -> Any:
    """``value`` as the annotation wants it: lists become tuples, whole numbers floats, strings paths."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return _fitted(value, next(a for a in arguments if a is not type(None)), where)
    if origin is typing.Literal:
        if value not in arguments:
            raise CaosError(f"{where}: {value!r} is not one of {', '.join(map(str, arguments))}")
        return value
    if origin is tuple and isinstance(value, list):
        return tuple(_fitted(v, arguments[0], where) for v in value)
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if hint is Path and isinstance(value, str):
        return Path(value)
    if not isinstance(value, hint if isinstance(hint, type) else object) or (hint is int and isinstance(value, bool)):
        raise CaosError(f"{where}: {value!r} is not of type {getattr(hint, '__name__', hint)}")
    return value
