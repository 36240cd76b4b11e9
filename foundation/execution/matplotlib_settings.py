"""Import of matplotlib without the settings that lie in the working directory.

Matplotlib reads ``./matplotlibrc`` before any other settings. That file may belong to a stranger's dataset; it chooses
the module that draws, and can make every label go through LaTeX.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from pathlib import Path
from typing import Final

_SETTINGS: Final = "matplotlibrc"


def load_matplotlib() -> None:
    """Import matplotlib, if it is not imported yet; a ``matplotlibrc`` in the working directory is not read."""
    if "matplotlib" in sys.modules:
        return
    if not os.path.lexists(_SETTINGS):
        importlib.import_module("matplotlib")
        return
    # There is no way to name other settings: the working directory comes before the environment.
    before = Path.cwd()
    os.chdir(Path(__file__).parent)
    try:
        importlib.import_module("matplotlib")
    finally:
        os.chdir(before)


def ignore_local_settings() -> None:
    """See that this process never reads a ``matplotlibrc`` in the working directory, whoever imports matplotlib."""
    if os.path.lexists(_SETTINGS) and importlib.util.find_spec("matplotlib") is not None:
        load_matplotlib()
