"""Coded score maps of an unfinished run: all columns of an image in one array on disk, for judging.

They are read once and removed, and hardly shrink: compression would cost more than all else that is measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from caos.foundation.arrays import read_npy
from caos.foundation.errors import CaosError
from caos.foundation.files import whole_file
from caos.scenes.layout import Sample

Codes = npt.NDArray[np.uint8]


def codes_file(out: Path, sample: Sample) -> Path:
    """Where the codes of an image are, below the results."""
    return out / "work" / "codes" / f"{sample.key}.npy"


def write_codes(path: Path, maps: Codes) -> None:
    """Write the codes of an image, one map a column ``(columns, h, w)``."""
    with whole_file(path) as temporary, temporary.open("wb") as stream:
        np.save(stream, maps)


def read_codes(path: Path, columns: Sequence[str]) -> dict[str, Codes]:
    """The codes of an image by column, in the order they were written.

    Raises:
        CaosError: If the file is missing or damaged.
    """
    broken = CaosError(f"{path} is missing or broken; remove the folder 'work' above it and score again")
    try:
        maps = read_npy(path)
    except CaosError as error:
        raise broken from error
    if maps.dtype != np.uint8 or maps.ndim != 3 or len(maps) != len(columns):
        raise broken
    return dict(zip(columns, maps, strict=True))
