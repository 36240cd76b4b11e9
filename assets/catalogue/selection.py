"""Selection of hazard objects by source, category, kind or name."""

from __future__ import annotations

from caos.assets.catalogue.library import Library
from caos.assets.catalogue.stock_props import STOCK_HAZARDS
from caos.foundation.errors import CaosError, unknown

SOURCES = ("all", "built-in", "imported", "stock")


def choose_hazards(library: Library, text: str) -> tuple[str, ...]:
    """Resolve a ``--hazards`` value to object names, without duplicates, in the order given.

    The value is a comma-separated list of sources (``all``, ``built-in``, ``imported``, ``stock``: CARLA's own props),
    categories (``furniture``), kinds (``sofa``) and object names (``sofa_03``).

    Raises:
        CaosError: If a word is none of these, or nothing is chosen.
    """
    words = [word.strip() for word in text.split(",") if word.strip()]
    if not words:
        raise CaosError("no hazards chosen; give 'all', a category, a kind or object names")
    names = library.names()
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(library.category_of(name), []).append(name)
        groups.setdefault(library.kind_of(name), []).append(name)
    chosen: dict[str, None] = {}
    for word in words:
        chosen.update(dict.fromkeys(_meant(library, word, names, groups)))
    if not chosen:
        raise CaosError(f"{text!r} chooses no hazards; this library has no imported objects (see caos assets import)")
    return tuple(chosen)


def _meant(library: Library, word: str, names: list[str], groups: dict[str, list[str]]) -> list[str]:
    if word == "stock":
        return sorted(STOCK_HAZARDS)
    if word == "all":
        return names
    if word in ("built-in", "imported"):
        return library.names(word)
    if word in groups:
        return groups[word]
    if word in names or word in STOCK_HAZARDS:
        return [word]
    raise unknown("hazard, kind or category", word, [*SOURCES, *groups, *names])
