"""Registry of what a folder holds, one class per file, found by file name; listing imports none of the files."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from caos.foundation.errors import CaosError, unknown

Kind = TypeVar("Kind")


@dataclass(frozen=True)
class KindFile:
    """What is known of a file without importing it.

    Attributes:
        name: The file's name, by which it is found.
        summary: First paragraph of its docstring.
        traits: The constants its class sets, such as ``held_out``.
    """

    name: str
    summary: str
    traits: dict[str, Any]


class Registry(Generic[Kind]):
    """The classes derived from ``kind`` in a package's folder, one a file.

    Args:
        what: What one of them is called in messages.
        kind: What each file's class derives from.
        package: Where the files are, such as ``caos.studies.corruptions.kinds``.
        folder: The package's folder.
    """

    def __init__(self, what: str, kind: type[Kind], package: str, folder: Path) -> None:
        self._what, self._kind, self._package, self._folder = what, kind, package, folder

    def names(self) -> tuple[str, ...]:
        """Every name there is, in alphabetical order."""
        return tuple(sorted(module.name for module in pkgutil.iter_modules([str(self._folder)])))

    def entry(self, name: str) -> KindFile:
        """Name, summary and traits, read from the file without importing it.

        Raises:
            CaosError: If the name is unknown.
        """
        self._check(name)
        tree = ast.parse((self._folder / f"{name}.py").read_text(encoding="utf-8"))
        summary = " ".join((ast.get_docstring(tree) or "").split("\n\n")[0].split())
        return KindFile(name, summary, _constants(tree))

    def make(self, name: str) -> Kind:
        """The thing of that name.

        Raises:
            CaosError: If the name is unknown, or its file does not define exactly one class of the kind.
        """
        self._check(name)
        module = importlib.import_module(f"{self._package}.{name}")
        own = [
            item
            for item in vars(module).values()
            if inspect.isclass(item) and issubclass(item, self._kind) and item.__module__ == module.__name__
        ]
        if len(own) != 1:
            raise CaosError(f"{module.__file__} must define exactly one {self._what}, not {len(own)}")
        return own[0]()

    def parse(self, names: str) -> tuple[str, ...]:
        """The names of a comma-separated list, checked; ``all`` for every one.

        Raises:
            CaosError: If a name is unknown or the list is empty.
        """
        if names.strip() == "all":
            return self.names()
        wanted = tuple(dict.fromkeys(name.strip() for name in names.split(",") if name.strip()))
        if not wanted:
            raise CaosError(f"no {self._what} in {names!r}; give 'all' or some of {', '.join(self.names())}")
        for name in wanted:
            self._check(name)
        return wanted

    def _check(self, name: str) -> None:
        if name not in self.names():
            raise unknown(self._what, name, self.names())


def _constants(tree: ast.Module) -> dict[str, Any]:
    """Names that the file's classes set to a number, text or truth value."""
    found = {}
    for statement in (part for one in tree.body if isinstance(one, ast.ClassDef) for part in one.body):
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Constant):
            for target in statement.targets:
                if isinstance(target, ast.Name):
                    found[target.id] = statement.value.value
    return found
