"""Identity of Python files: a hash that changes with the code, and not with a comment, a docstring or a blank line.

What a file imports from its own folder counts as part of it, directly or through other files.
"""

from __future__ import annotations

import ast
import hashlib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from caos.foundation.errors import CaosError
from caos.foundation.storage.files import sha256

_WITH_DOCSTRING: Final = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def source_files(file: Path) -> tuple[Path, ...]:
    """Return a Python file and the files below its folder that it imports, directly or through others, sorted.

    Modules are looked for in the folder of the file, and in the folders of ``sys.path`` below it.

    Raises:
        CaosError: If a file cannot be read.
    """
    top = file.absolute().parent
    search = (Path(name).absolute() for name in sys.path)
    folders = tuple(dict.fromkeys((top, *(folder for folder in search if folder.is_relative_to(top)))))
    found, waiting = {file.absolute()}, [file.absolute()]
    while waiting:
        new = {path for path in _imported(waiting.pop(), folders) if path not in found}
        found |= new
        waiting += sorted(new)
    return tuple(sorted(found))


def source_digest(file: Path) -> str:
    """Return a hash of a Python file's code and of the modules that it imports from its folder, without comments.

    Raises:
        CaosError: If a file cannot be read.
    """
    digest, folder = hashlib.sha256(), file.absolute().parent
    for path in source_files(file):
        # The file itself goes without its name: an identity holds wherever it lies.
        name = "" if path == file.absolute() else path.relative_to(folder).as_posix()
        digest.update(f"{name}\0{_code_in(path)}\0".encode())
    return digest.hexdigest()[:16]


def _code_in(path: Path) -> str:
    """The syntax tree of a file as text, without positions, comments and docstrings; its bytes if it is not Python."""
    tree = _tree(path)
    if tree is None:
        return sha256(path)
    for node in ast.walk(tree):
        if isinstance(node, _WITH_DOCSTRING) and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:]
    return ast.dump(tree)


def _tree(path: Path) -> ast.Module | None:
    try:
        return ast.parse(path.read_bytes())
    except OSError as error:
        raise CaosError(f"cannot read {path}: {error.strerror or error}") from error
    except (SyntaxError, ValueError):
        return None


def _imported(path: Path, folders: Sequence[Path]) -> Iterator[Path]:
    """The files in ``folders`` that the import statements of a file name, wherever they stand in it."""
    tree = _tree(path)
    for node in () if tree is None else ast.walk(tree):
        for bases, name in _names(node, path, folders):
            for base in bases:
                yield from _module_files(base, name, folders[0])


def _module_files(base: Path, name: str, top: Path) -> Iterator[Path]:
    """The file of a dotted name below ``base``, and those of the packages around it."""
    parts = [part for part in name.split(".") if part]
    for number in range(len(parts) + 1):
        place = base.joinpath(*parts[:number])
        candidates = [place / "__init__.py", *([place.with_name(f"{place.name}.py")] if number else [])]
        yield from (file for file in candidates if file.is_file() and file.is_relative_to(top))


def _names(node: ast.AST, path: Path, folders: Sequence[Path]) -> Iterator[tuple[Sequence[Path], str]]:
    """The dotted names that a statement may import, each with the folders that it is looked for in."""
    if isinstance(node, ast.Import):
        yield from ((folders, alias.name) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        bases = [path.parents[node.level - 1]] if 0 < node.level <= len(path.parents) else folders
        yield from ((bases, f"{node.module or ''}.{alias.name}") for alias in node.names)
    elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if called in ("import_module", "__import__") and isinstance(node.args[0].value, str):
            yield folders, node.args[0].value
