"""Child processes that run our own code, and nothing of the folder they are started in."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_HOME = Path(__file__).absolute().parents[3]
# ``python -m`` and ``python -c`` put the working directory first on the path: a file ``./trimesh.py`` there would run
# in place of the library. The package's own home comes last, so that nothing beside it can stand before the standard
# library either.
_PATH = "import sys; sys.path[:] = [*filter(None, sys.path), {home!r}]; "
_START = "import runpy; runpy.run_module({module!r}, run_name='__main__', alter_sys=True)"
_SAFE_PATH: Final = "PYTHONSAFEPATH"
"""Says the same to any Python since 3.11."""


def module_command(module: str, *arguments: str) -> list[str]:
    """The command that runs ``module`` of this package in a child Python, whatever the working directory holds."""
    return code_command(_START.format(module=module), *arguments)


def code_command(code: str, *arguments: str) -> list[str]:
    """The command that runs a line of code in a child Python, whatever the working directory holds."""
    return [sys.executable, "-c", _PATH.format(home=str(_HOME)) + code, *arguments]


@contextlib.contextmanager
def safe_path() -> Iterator[None]:
    """Let the Pythons that ``multiprocessing`` starts inside import nothing of the working directory.

    Its children read their own path when they have started; until then a file ``./multiprocessing.py`` there would run
    in place of the library. Before Python 3.11 they start in another working directory, and have to change it back.
    """
    before, place = os.environ.get(_SAFE_PATH), Path.cwd() if sys.version_info < (3, 11) else None
    os.environ[_SAFE_PATH] = "1"
    try:
        if place is not None:
            os.chdir(_HOME)
        yield
    finally:
        if place is not None:
            os.chdir(place)
        if before is None:
            del os.environ[_SAFE_PATH]
        else:
            os.environ[_SAFE_PATH] = before
