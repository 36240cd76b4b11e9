"""Registry of scorers: those of this package, of other packages, and files given by their path.

Adding one here is adding a file to ``scorers/`` with one subclass of `Scorer`; its file name is its name, the first
line of its docstring its description. Another package names its scorers as entry points::

    [project.entry-points."caos.scorers"]
    my_scorer = "my_package.my_module:MyScorer"

A path such as ``./mine.py`` is a file with one scorer; its file name is its name. Nothing heavy is imported to list
what there is.
"""

from __future__ import annotations

import ast
import functools
import importlib
import importlib.util
import inspect
import logging
import pkgutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from caos.foundation.errors import CaosError, unknown
from caos.foundation.settings import read_text
from caos.foundation.storage.files import sha256
from caos.foundation.storage.identity import digest_of
from caos.ood_scores.scorer_interface.file_digest import source_files
from caos.ood_scores.scorer_interface.scorer import BUILT_IN, FROM_FILE, Scorer
from caos.ood_scores.scorer_interface.settings import checked_settings

ENTRY_POINTS: Final = "caos.scorers"
FOLDER: Final = Path(__file__).parents[1] / "scorers"
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ScorerInfo:
    """What is known of a scorer without importing it."""

    name: str
    summary: str
    reference: str


def scorer_names() -> tuple[str, ...]:
    """Every scorer there is, in alphabetical order: ours and those of installed packages."""
    return tuple(sorted({*_built_in(), *_installed()}))


def scorer_info(name: str) -> ScorerInfo:
    """Name, one-line description and paper of a scorer, read without importing it.

    Raises:
        CaosError: If the name is unknown, or the file cannot be read.
    """
    if is_path(name):
        return _described(Path(name))
    if name in _built_in():
        return _described(FOLDER / f"{name}.py")
    point = _entry_point(name)
    origin = point.dist.name if point.dist is not None else "another package"
    return ScorerInfo(name, f"a scorer of {origin}", point.value)


def scorer_class(name: str) -> type[Scorer]:
    """The scorer of that name, or in the file of that path.

    Raises:
        CaosError: If the name is unknown, or there is not exactly one scorer in its file.
    """
    if is_path(name):
        return _only_scorer(_loaded(Path(name)))
    if name in _built_in():
        return _only_scorer(importlib.import_module(f"{BUILT_IN}{name}"))
    point = _entry_point(name)
    try:
        found = point.load()
    except Exception as error:
        raise CaosError(f"scorer {name!r} ({point.value}) cannot be loaded: {_in_words(error)}") from error
    if not inspect.isclass(found) or not issubclass(found, Scorer):
        raise CaosError(f"scorer {name!r} ({point.value}) is not a subclass of caos.Scorer")
    return found


def make_scorer(name: str, **settings: Any) -> Scorer:
    """A scorer by name or path, with settings other than the usual ones where given.

    Raises:
        CaosError: If the name or a setting is unknown, or a value is not allowed.
    """
    return build(scorer_class(name), name, settings)


def build(scorer: type[Scorer], name: str, settings: Mapping[str, Any]) -> Scorer:
    """An instance of ``scorer``, which was asked for as ``name``.

    Raises:
        CaosError: If a setting is unknown or missing, or a value is not allowed.
    """
    checked = checked_settings(scorer, name, settings)
    try:
        return scorer(**checked)
    except (TypeError, ValueError) as error:
        raise CaosError(f"scorer {name!r} cannot be made with {dict(settings)}: {_in_words(error)}") from error


def is_path(name: str) -> bool:
    """Whether a scorer is asked for by the path of its file."""
    return name.endswith(".py") or "/" in name or "\\" in name


def _built_in() -> tuple[str, ...]:
    return tuple(module.name for module in pkgutil.iter_modules([str(FOLDER)]))


@functools.cache
def _installed() -> Mapping[str, metadata.EntryPoint]:
    """The scorers of other packages by name; ours keep their names."""
    found = {point.name: point for point in metadata.entry_points(group=ENTRY_POINTS)}
    for name in set(found) & set(_built_in()):
        log.warning("scorer %r of %s is not used: caos has one of that name", name, found.pop(name).value)
    return found


def _entry_point(name: str) -> metadata.EntryPoint:
    if name not in _installed():
        raise unknown("scorer", name, scorer_names())
    return _installed()[name]


def _described(path: Path) -> ScorerInfo:
    try:
        text = ast.get_docstring(ast.parse(read_text(path))) or ""
    except (SyntaxError, ValueError) as error:
        raise CaosError(f"{path} is not Python: {_in_words(error)}") from error
    paragraphs = [" ".join(part.split()) for part in text.split("\n\n")]
    return ScorerInfo(path.stem, paragraphs[0], paragraphs[-1] if len(paragraphs) > 1 else "")


def _loaded(path: Path) -> ModuleType:
    """The module in a file; a file that changed, or imports a changed one from its folder, is another module."""
    read_text(path)
    files = source_files(path)
    name = f"{FROM_FILE}{digest_of([sha256(file) for file in files])}_{path.stem}"
    if name in sys.modules:
        return sys.modules[name]
    if any(_file_of(module) == str(path.absolute()) for module in list(sys.modules.values())):
        _forget(files)
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise CaosError(f"{path} cannot be loaded: a scorer's file ends in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise CaosError(f"{path} cannot be loaded: {_in_words(error)}") from error
    return module


def _forget(files: Sequence[Path]) -> None:
    """Drop the modules of these files, so that they are imported anew with what the files hold now."""
    paths = {str(file) for file in files}
    stale = [name for name, module in list(sys.modules.items()) if _file_of(module) in paths]
    for name in stale:
        if not name.startswith(FROM_FILE) and name != "__main__":
            del sys.modules[name]


def _file_of(module: ModuleType) -> str | None:
    return getattr(module, "__file__", None)


def _only_scorer(module: ModuleType) -> type[Scorer]:
    own = [
        item
        for item in vars(module).values()
        if inspect.isclass(item) and issubclass(item, Scorer) and item.__module__ == module.__name__
    ]
    if len(own) != 1:
        raise CaosError(f"{module.__file__} must define exactly one scorer, not {len(own)}")
    return own[0]


def _in_words(error: Exception) -> str:
    lines = str(error).splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__
