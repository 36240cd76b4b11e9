"""Names of a network's classes, for scorers that read the probability of one class.

The class ids of a set say nothing about those of a network: class 0 is the background in StreetHazards, and the road in
Cityscapes. A scorer that reads a class is therefore left out where the names are unknown or none of them is that class.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from caos.foundation.errors import CaosError
from caos.ood_scores.scorer_interface.specifications import ScorerColumn
from caos.scenes.labels import PHOTOGRAPHS, LabelTable

BACKGROUND_PART: Final = "background class"
"""The part of the outputs that the scorer ``background`` needs."""
BACKGROUND: Final = "background"
_PLACEHOLDER: Final = re.compile(r"LABEL_\d+")
"""What transformers calls classes that nobody named."""
_SHOWN: Final = 6


def names_in_config(network: Any) -> tuple[str, ...] | None:
    """The class names in the settings of a network of ``transformers``, in the order of its ids; None without names."""
    names = getattr(getattr(network, "config", None), "id2label", None)
    if not isinstance(names, dict) or sorted(names) != list(range(len(names))):
        return None
    ordered = tuple(str(names[number]) for number in range(len(names)))
    return None if all(map(_PLACEHOLDER.fullmatch, ordered)) else ordered


def names_in_table(labels: LabelTable) -> tuple[str, ...] | None:
    """The names of the classes that networks for this table learn; None for photographs, which have no classes."""
    return None if labels == PHOTOGRAPHS else tuple(row.name for row in labels.trained)


def background_id(names: Sequence[str] | None, labels: LabelTable) -> int | None:
    """The id of the background: the class that the set's table calls so, else the one of that name; None without it."""
    own = "" if labels == PHOTOGRAPHS else labels.background
    lowered = [name.casefold() for name in names or ()]
    return next((lowered.index(name) for name in (own.casefold(), BACKGROUND) if name in lowered), None)


def why_no_background(names: Sequence[str] | None, remedy: str = "") -> str:
    """The reason for which the scorer ``background`` is left out."""
    if names is None:
        return f"the names of the network's classes are unknown, so its background class is{remedy}"
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"the network has no background class (its classes: {', '.join(names[:_SHOWN])}{more})"


def without_background(columns: Sequence[ScorerColumn], reason: str) -> tuple[list[ScorerColumn], dict[str, str]]:
    """The columns that do not need the background class, and by name of the others the reason.

    Raises:
        CaosError: If no column would be left.
    """
    kept = [column for column in columns if BACKGROUND_PART not in column.scorer.needs]
    if not kept:
        raise CaosError(f"scorer {columns[0].name!r} cannot run: {reason}")
    return kept, {column.name: reason for column in columns if column not in kept}
