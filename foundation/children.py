"""Child processes that run one of our own modules, and nothing of the folder they are started in."""

from __future__ import annotations

import sys
from pathlib import Path

_HOME = Path(__file__).absolute().parents[2]
# ``python -m`` puts the working directory first on the path: a file ``./trimesh.py`` there would run in place of the
# library. The package's own home comes last, so that nothing beside it can stand before the standard library either.
_START = (
    "import sys; sys.path[:] = [*filter(None, sys.path), {home!r}]; "
    "import runpy; runpy.run_module({module!r}, run_name='__main__', alter_sys=True)"
)


def module_command(module: str, *arguments: str) -> list[str]:
    """The command that runs ``module`` of this package in a child Python, whatever the working directory holds."""
    return [sys.executable, "-c", _START.format(home=str(_HOME), module=module), *arguments]
