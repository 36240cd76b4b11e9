"""Settings of scorers: the arguments of their constructors, from Python or from text such as ``k=50``, checked.

Names, types, limits and usual values stand once, in the constructor of the scorer.
"""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Mapping
from typing import Any, Final

from caos.foundation.errors import CaosError, unknown
from caos.foundation.settings import read_record
from caos.ood_scores.scorer_interface.scorer import Scorer, scorer_name

Setting = bool | int | float | str | None
_WORDS: Final = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


def parsed_settings(scorer: type[Scorer], name: str, texts: Mapping[str, str]) -> dict[str, Any]:
    """Values from text, in the order of the constructor.

    Raises:
        CaosError: If a setting is unknown, or its text is no value of its type.
    """
    hints = _hints(scorer, name, texts)
    return checked_settings(scorer, name, {key: _from_text(hints[key], text) for key, text in texts.items()})


def checked_settings(scorer: type[Scorer], name: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The same values, in the order of the constructor.

    Raises:
        CaosError: If a setting is unknown or missing, or a value has the wrong type or is out of its limits.
    """
    hints = _hints(scorer, name, settings)
    for key, parameter in _parameters(scorer).items():
        if parameter.default is inspect.Parameter.empty and key not in settings:
            raise CaosError(f"scorer {name!r} needs the setting {key!r}; give {name}:{key}=VALUE")
    return {key: _checked(hints[key], settings[key], name, key) for key in hints if key in settings}


def settings_of(scorer: Scorer) -> dict[str, Any]:
    """All settings of a scorer, those with their usual values too.

    Raises:
        CaosError: If the scorer does not keep a setting as an attribute of that name.
    """
    found = {}
    for key in _parameters(type(scorer)):
        if not hasattr(scorer, key):
            name = type(scorer).__name__
            raise CaosError(f"scorer {name} must keep its setting {key!r} as an attribute of that name: self.{key}")
        found[key] = getattr(scorer, key)
    return found


def unusual_settings(scorer: Scorer) -> dict[str, Any]:
    """The settings of a scorer that have other than their usual values."""
    usual = {key: parameter.default for key, parameter in _parameters(type(scorer)).items()}
    return {key: value for key, value in settings_of(scorer).items() if not _equal(value, usual[key])}


def is_plain(value: Any) -> bool:
    """Whether a setting can be written down and read back."""
    return value is None or isinstance(value, bool | int | float | str)


def plain_settings(scorer: Scorer) -> dict[str, Setting]:
    """All settings, for the record; of what cannot be written down, the type in angle brackets."""
    return {key: v if is_plain(v) else f"<{type(v).__name__}>" for key, v in settings_of(scorer).items()}


def check_scorer(scorer: Scorer) -> None:
    """Check the settings of a scorer that was made elsewhere.

    Raises:
        CaosError: If a value has the wrong type or is out of its limits.
    """
    checked_settings(type(scorer), scorer_name(type(scorer)), settings_of(scorer))


def _parameters(scorer: type[Scorer]) -> dict[str, inspect.Parameter]:
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return {key: p for key, p in inspect.signature(scorer).parameters.items() if p.kind in named}


def _hints(scorer: type[Scorer], name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The type of each setting, in the order of the constructor; every one that is given must be there."""
    parameters = _parameters(scorer)
    for key in given:
        if not parameters:
            raise CaosError(f"scorer {name!r} has no settings, so {key!r} cannot be set")
        if key not in parameters:
            raise unknown(f"setting of scorer {name!r}", key, parameters)
    try:
        hints = typing.get_type_hints(scorer.__init__, include_extras=True)
    except NameError:
        # A type that is imported for type checkers only: the usual value tells the type.
        hints = {}
    return {key: hints.get(key, _type_of(parameter.default)) for key, parameter in parameters.items()}


def _type_of(default: Any) -> Any:
    return type(default) if isinstance(default, bool | int | float | str) else Any


def _choices(hint: Any) -> tuple[Any, ...]:
    """The types that a value may have."""
    if typing.get_origin(hint) is typing.Annotated:
        return _choices(typing.get_args(hint)[0])
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return tuple(inner for choice in typing.get_args(hint) for inner in _choices(choice))
    return (hint,)


def _from_text(hint: Any, text: str) -> Any:
    """The value that a text means; the text itself where it means none."""
    choices = _choices(hint)
    if type(None) in choices and text.lower() == "none":
        return None
    for choice in choices:
        if typing.get_origin(choice) is typing.Literal:
            text_of = {str(value): value for value in typing.get_args(choice)}
            return text_of.get(text, text)
        if choice is bool and text.lower() in _WORDS:
            return _WORDS[text.lower()]
        if choice in (int, float):
            try:
                return choice(text)
            except ValueError:
                continue
    return text


def _checked(hint: Any, value: Any, name: str, key: str) -> Any:
    literals = [c for c in _choices(hint) if typing.get_origin(c) is typing.Literal]
    if literals and value not in typing.get_args(literals[0]) and isinstance(value, str):
        raise unknown(key, value, [str(choice) for choice in typing.get_args(literals[0])])
    plain = all(choice in (bool, int, float, str, type(None)) for choice in _choices(hint))
    # Only what text can mean is checked here; a scorer that takes arrays checks them itself.
    return read_record(hint, value, f"scorer {name!r}: setting {key!r}") if plain else value


def _equal(value: Any, usual: Any) -> bool:
    return is_plain(value) and is_plain(usual) and (type(value), value) == (type(usual), usual)
