"""Places on the command line: folders of runs and sets, perhaps with a name, so that tables can tell them apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from caos.foundation.errors import CaosError
from caos.foundation.storage.files import real_path


@dataclass(frozen=True)
class Named:
    """A folder and what it is called."""

    name: str
    path: Path


def named(text: str) -> Named:
    """What ``PATH`` or ``NAME=PATH`` on the command line means.

    >>> named("photos=/data/ra21").name, named("/data/ra21").name
    ('photos', 'ra21')
    """
    name, equals, path = text.partition("=")
    if equals and not Path(text).exists():
        if not name.strip() or not path:
            raise CaosError(f"{text!r} is not NAME=FOLDER")
        return Named(name.strip(), Path(path))
    return Named(real_path(text).name or "root", Path(text))


def told_apart(places: Sequence[Named], what: str) -> tuple[Named, ...]:
    """The same, where names that several share begin with the folder above; no folder may be there twice.

    Raises:
        CaosError: If a folder is given twice, or names are still the same.
    """
    names = [place.name for place in places]
    apart = tuple(
        Named(f"{real_path(p.path).parent.name}/{p.name}", p.path) if names.count(p.name) > 1 else p for p in places
    )
    for i, place in enumerate(apart):
        for other in apart[:i]:
            if real_path(place.path) == real_path(other.path):
                raise CaosError(f"the {what} {place.path} is given twice")
            if place.name == other.name:
                raise CaosError(f"two {what}s are called {place.name!r}; give one a name of its own: NAME={place.path}")
    return apart
