"""Change of one attribute of a scene: ``camera.height_m=0.8``, ``camera.pitch_deg+=5``, ``hazard.distance_m*=2``."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Final, Literal

from caos.foundation.errors import CaosError

Operation = Literal["=", "+=", "*="]
GRAMMAR: Final = re.compile(r"\s*([a-z_.]+?)\s*(\+=|\*=|=)\s*(\S.*?)\s*")


class ImpossibleError(Exception):
    """A scene that cannot be changed so; the reason is the text, a few words for counting."""


@dataclass(frozen=True)
class Change:
    """What is done to one attribute.

    Attributes:
        attribute: Its name, such as ``camera.height_m``.
        operation: Whether the value replaces, is added to, or multiplies what the scene has.
        text: The value as it was given.
    """

    attribute: str
    operation: Operation
    text: str

    def __str__(self) -> str:
        return f"{self.attribute}{self.operation}{self.text}"

    @property
    def slug(self) -> str:
        """A name for files.

        >>> parse_change("camera.pitch_deg+=5").slug
        'camera.pitch_deg-plus-5'
        """
        sign = {"=": "-", "+=": "-plus-", "*=": "-times-"}[self.operation]
        return self.attribute + sign + re.sub(r"[^a-zA-Z0-9_.]+", "-", self.text).strip("-")

    def value(self) -> float:
        """The number that was given.

        Raises:
            CaosError: If it is none.
        """
        try:
            number = float(self.text)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise CaosError(f"--change {self}: {self.text!r} is not a number")
        return number

    def applied_to(self, old: float) -> float:
        """The new value of a number that was ``old``."""
        number = self.value()
        return {"=": number, "+=": old + number, "*=": old * number}[self.operation]


def parse_change(text: str) -> Change:
    """The change that a text says.

    >>> parse_change("hazard.distance_m*=2")
    Change(attribute='hazard.distance_m', operation='*=', text='2')

    Raises:
        CaosError: If it is not of the form ``attribute=value``, ``attribute+=value`` or ``attribute*=value``.
    """
    found = GRAMMAR.fullmatch(text)
    if found is None:
        raise CaosError(f"--change {text!r} is not ATTRIBUTE=VALUE, ATTRIBUTE+=VALUE or ATTRIBUTE*=VALUE")
    attribute, operation, value = found.groups()
    return Change(attribute, operation, value)  # type: ignore[arg-type]
