"""Bundled run: the small segmenter that comes with the package, used as ``--run bundled``.

This folder is a run like any other, but for its weights, which are kept in 16 bits. ``MODEL_CARD.md`` says what it
learnt from, what it reaches and where it fails; ``ordinary_scores.json`` what its scorers say of ordinary pixels. All
of it is written by ``caos export bundle``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

BUNDLED: Final = "bundled"
"""What the run of this package is called in place of a path."""


def run_folder(run: Path) -> Path:
    """The folder of a run: that of this package for the word ``bundled``, else the path itself.

    >>> run_folder(Path("runs/mine")).as_posix()
    'runs/mine'
    """
    return Path(__file__).parent if run == Path(BUNDLED) else run
