"""Plugins: files of other projects (recipes, town plans, label tables), found by a path or by an entry point's name.

A project offers its files in its ``pyproject.toml``; the object is a path, or a function that gives one::

    [project.entry-points."caos.recipes"]
    night = "my_package.files:night_recipe"
"""

from __future__ import annotations

import os
from importlib import metadata
from pathlib import Path

from caos.foundation.errors import CaosError


def is_path(name: str) -> bool:
    """Whether a name is meant as the path of a file: it has a folder or a suffix of three letters or more.

    >>> is_path("./night.toml"), is_path("night.toml"), is_path("night"), is_path("streethazards-12")
    (True, True, False, False)
    """
    return "/" in name or os.sep in name or len(Path(name).suffix) > 3


def plugin_names(group: str) -> tuple[str, ...]:
    """Names of the entry points of a group, such as ``caos.recipes``."""
    return tuple(sorted({point.name for point in metadata.entry_points(group=group)}))


def find_file(group: str, name: str) -> Path | None:
    """The file that ``name`` means: the path it is, or that of the entry point of that name; None if it is neither.

    Raises:
        CaosError: If there is no file at that path, or the entry point gives none.
    """
    if is_path(name):
        if not Path(name).is_file():
            raise CaosError(f"there is no file {name!r}")
        return Path(name)
    points = [point for point in metadata.entry_points(group=group) if point.name == name]
    if not points:
        return None
    try:
        found = points[0].load()
    except (ImportError, AttributeError) as error:
        raise CaosError(f"entry point {name!r} of {group!r} ({points[0].value}) cannot be loaded: {error}") from error
    given = found() if callable(found) else found
    if not isinstance(given, str | os.PathLike) or not Path(given).is_file():
        raise CaosError(f"entry point {name!r} of {group!r} ({points[0].value}) gives {given!r}, which is not a file")
    return Path(given)
