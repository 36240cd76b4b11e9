"""Digest of the source code that builds an object; cached meshes are named after it."""

from __future__ import annotations

import ast
import functools
import sys
from pathlib import Path

from caos.foundation.storage.cache import code_digest

_OURS = "caos."


@functools.cache
def source_digest(module: str) -> str:
    """Hash the source of a loaded module and of all modules of this package that it imports, directly or indirectly."""
    found, waiting = {module}, [module]
    while waiting:
        new = _imports(waiting.pop()) - found
        found |= new
        waiting += new
    return code_digest(*(_file(name) for name in sorted(found)))[:16]


def _file(module: str) -> Path:
    file = sys.modules[module].__file__
    assert file is not None
    return Path(file)


@functools.cache
def _imports(module: str) -> set[str]:
    """Loaded modules of this package that a module imports, also inside functions."""
    named: set[str] = set()
    for node in ast.walk(ast.parse(_file(module).read_bytes())):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            named |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            named |= {alias.name for alias in node.names}
    return {name for name in named if name.startswith(_OURS) and name in sys.modules}
