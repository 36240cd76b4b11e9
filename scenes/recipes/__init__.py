"""Named dataset definitions: one TOML file each, found by name.

A recipe lists parts; a part is a folder of images from some towns. Image ``n`` of a split (counted through its parts)
is scene ``n``, and depends on the seed, the split and ``n`` alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib import resources
from typing import Any

from foundation.config import read_toml
from foundation.errors import CaosError, unknown
from scenes.layout import PLACES, SPLITS, Split


@dataclass(frozen=True)
class Part:
    """A folder of images: ``count`` scenes that go round its towns, with hazards or without."""

    split: Split
    folder: str
    towns: tuple[str, ...]
    count: int
    hazards: bool = False


@dataclass(frozen=True)
class Recipe:
    """A dataset definition."""

    name: str
    description: str
    dataset: str
    size: tuple[int, int]
    fov_deg: float
    parts: tuple[Part, ...]

    def resized(self, counts: dict[Split, int | None]) -> Recipe:
        """The recipe with other totals per split (None keeps one), shared out over its parts in proportion."""
        parts: list[Part] = []
        for split in SPLITS:
            own = [part for part in self.parts if part.split == split]
            total = counts.get(split)
            parts += own if total is None else _shared(own, total)
        return replace(self, parts=tuple(parts))

    def slots(self) -> Iterator[Slot]:
        """Every image of the set, in order; numbers start at 1 and run through the parts of a split."""
        for split in SPLITS:
            number = 0
            for part in (p for p in self.parts if p.split == split):
                for _ in range(part.count):
                    number += 1
                    town = part.towns[(number - 1) % len(part.towns)]
                    yield Slot(split, part.folder, number, town, part.hazards)


@dataclass(frozen=True)
class Slot:
    """The place of one image in a set."""

    split: Split
    folder: str
    number: int
    town: str
    hazards: bool

    @property
    def key(self) -> str:
        """The image's key, for example ``test/t5/12``."""
        return f"{self.split}/{self.folder}/{self.number}"

    def path(self, kind: str) -> str:
        """Path of one of the image's files, relative to the set: ``kind`` is images, annotations, instances ..."""
        place = PLACES[self.split]
        return f"{place.top}/{kind}/{place.folder}/{self.folder}/{self.number}.png"


def _shared(parts: list[Part], total: int) -> list[Part]:
    """The parts with counts that add up to ``total`` in the old proportion, rounded to the nearest."""
    whole = sum(part.count for part in parts)
    out, left = [], total
    for i, part in enumerate(parts):
        last = i == len(parts) - 1
        count = left if last else min(left, round(total * part.count / max(whole, 1)))
        out.append(replace(part, count=count))
        left -= count
    return out


def names() -> tuple[str, ...]:
    """The recipes there are."""
    return tuple(sorted(f.name.removesuffix(".toml") for f in _folder().iterdir() if f.name.endswith(".toml")))


def load(name: str) -> Recipe:
    """The recipe of that name.

    Raises:
        CaosError: If there is none, or its file is wrong.
    """
    if name not in names():
        raise unknown("recipe", name, names())
    with resources.as_file(_folder() / f"{name}.toml") as path:
        return _parsed(name, read_toml(path))


def _folder() -> Any:
    return resources.files("scenes.recipes")


def _parsed(name: str, table: dict[str, Any]) -> Recipe:
    try:
        parts = tuple(Part(**(part | {"towns": tuple(part["towns"])})) for part in table["parts"])
        width, height = table["size"]
        return Recipe(name, table["description"], table["dataset"], (width, height), float(table["fov_deg"]), parts)
    except (KeyError, TypeError, ValueError) as error:
        raise CaosError(f"recipe {name!r} is not complete: {error}") from error
