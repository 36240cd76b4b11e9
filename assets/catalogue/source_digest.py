"""Source code behind a built-in object: the digest that its cached file is named after."""

from __future__ import annotations

import ast
import functools
import sys
from pathlib import Path

from caos.foundation.cache import code_digest

_OURS = "caos."


@functools.cache
def made_by(module: str) -> str:
    """Digest of a loaded module's source and of everything of ours that it imports, directly or through others."""
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
    """The modules of ours that a loaded module names in its imports, wherever they stand in it."""
    named: set[str] = set()
    for node in ast.walk(ast.parse(_file(module).read_bytes())):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            named |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            named |= {alias.name for alias in node.names}
    return {name for name in named if name.startswith(_OURS) and name in sys.modules}
