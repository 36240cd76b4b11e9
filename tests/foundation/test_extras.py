"""Extras: the table, ``pyproject.toml`` and the imports of the code say the same."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import caos
from caos.foundation.command_line.extras import (
    EXTRAS,
    MissingExtraError,
    install_command,
    is_installed,
    naming_extras,
    require_extra,
)
from caos.foundation.settings import read_toml

ROOT = Path(__file__).resolve().parents[2]
BASE = {
    "numpy": "numpy",
    "PIL": "pillow",
    "cv2": "opencv-python-headless",
    "tifffile": "tifffile",
    "h5py": "h5py",
    "matplotlib": "matplotlib",
    "jinja2": "jinja2",
    "typer": "typer",
    "rich": "rich",
    "lazy_loader": "lazy-loader",
    "tomli": "tomli",
}


def requirements(table: list[str]) -> set[str]:
    """Names of what a list of requirements asks for, but for extras of our own."""
    names = {re.split(r"[\[<>=!~; ]", line, maxsplit=1)[0] for line in table}
    return names - {"caos-bench"}


def imported_modules(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield (node.module or "").partition(".")[0]


def test_the_table_of_extras_is_that_of_pyproject() -> None:
    project = read_toml(ROOT / "pyproject.toml")["project"]
    assert requirements(project["dependencies"]) == set(BASE.values())
    optional = project["optional-dependencies"]
    assert {extra: set(modules.values()) for extra, modules in EXTRAS.items()} == {
        extra: requirements(optional[extra]) for extra in EXTRAS
    }
    assert set(optional) == {*EXTRAS, "all", "docs", "test", "dev"}
    assert optional["all"] == [f"caos-bench[{','.join(EXTRAS)}]"]


@pytest.mark.skipif(Path(caos.__file__).parents[1] != ROOT, reason="the package is installed elsewhere")
def test_the_command_for_an_extra_names_the_checkout_that_runs() -> None:
    assert install_command("learn") == f"pip install -e '{ROOT}[learn]'"


def test_whatever_the_code_imports_is_installed_by_the_base_or_an_extra() -> None:
    known = {
        *BASE,
        *(module for modules in EXTRAS.values() for module in modules),
        *sys.stdlib_module_names,
        "tomllib",
        "caos",
        "drjit",  # comes with mitsuba
        "pytest",  # simulator/testing.py is loaded by pytest alone
    }
    rooms = [place for place in (ROOT / "caos").iterdir() if place.is_dir()]
    files = [*(ROOT / "caos").glob("*.py"), *(file for room in rooms for file in room.rglob("*.py"))]
    unknown = {
        f"{file.relative_to(ROOT)}: {module}"
        for file in files
        for module in imported_modules(ast.parse(file.read_text(encoding="utf-8")))
        if module not in known
    }
    assert len(files) > 200
    assert unknown == set()


@pytest.mark.parametrize(
    ("module", "words"),
    [
        ("torch.nn", f"this needs the package torch.nn, which is not installed: {install_command('learn')}"),
        ("bpy", f"this needs the package bpy, which is not installed: {install_command('fbx')}"),
        (
            "scipy",
            f"scipy, which is not installed: {install_command('simulator')} or {install_command('learn')}",
        ),
    ],
)
def test_a_missing_package_is_named_with_its_extra(module: str, words: str) -> None:
    with pytest.raises(MissingExtraError, match=re.escape(words)), naming_extras():
        raise ModuleNotFoundError(f"No module named {module!r}", name=module)


def test_other_errors_pass() -> None:
    with pytest.raises(ModuleNotFoundError, match="no_such_module"), naming_extras():
        import no_such_module  # noqa: F401
    with pytest.raises(KeyError), naming_extras():
        raise KeyError("torch")


def test_an_extra_can_be_asked_for_before_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    require_extra("simulator")
    monkeypatch.setitem(sys.modules, "shapely", None)
    assert not is_installed("shapely")
    with pytest.raises(MissingExtraError, match="the package shapely, .*pip install .*\\[simulator\\]"):
        require_extra("simulator")


def test_the_denoiser_may_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyoidn", None)
    require_extra("simulator")
