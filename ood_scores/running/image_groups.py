"""Image groups: pixel counts of each group of images, kept with the results so that pooled metrics can be resampled."""

from __future__ import annotations

from pathlib import Path
from typing import Final
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
import numpy.typing as npt

from caos.foundation.arrays import names_in_npz, read_npz
from caos.foundation.errors import CaosError
from caos.foundation.files import whole_file
from caos.ood_scores.measuring.pixel_counts import GROUPS, PixelCounts

FILE: Final = "groups.npz"
IntArray = npt.NDArray[np.int64]
GroupCounts = tuple[IntArray, IntArray]
"""Anomalous and ordinary pixels ``(groups, cells)`` by score cell, ascending; with few images each is its own group."""


def write_groups(folder: Path, counts: PixelCounts, images: int) -> None:
    """Keep the counts of each column and policy."""
    number = min(images, GROUPS)
    # Short numbers are packed sooner.
    arrays = {
        f"{column}|{policy}": part[:, :number].astype(np.min_scalar_type(part.max()))
        for (column, policy), part in counts.groups.items()
    }
    # As numpy's own, but for the level: the usual one takes four times as long, for a tenth less.
    with whole_file(folder / FILE) as temporary, ZipFile(temporary, "w", ZIP_DEFLATED, compresslevel=1) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w") as stream:
                np.lib.format.write_array(stream, array, allow_pickle=False)


def read_groups(folder: Path, policy: str) -> dict[str, GroupCounts]:
    """The counts of each column by a policy's name; none where the results were made without them.

    Raises:
        CaosError: If the file is damaged.
    """
    path = folder / FILE
    if not path.is_file():
        return {}
    try:
        held = names_in_npz(path)
        if not all("|" in name for name in held):
            raise ValueError(f"it holds {held[0]!r}, which is no column with its policy")
        names = [name for name in held if name.endswith(f"|{policy}")]
        return {name.rpartition("|")[0]: _pair(array) for name, array in read_npz(path, names).items()}
    except (CaosError, ValueError) as error:
        raise CaosError(f"{path} is damaged ({error}); score the set again") from error


def _pair(array: npt.NDArray[np.int64]) -> GroupCounts:
    if array.ndim != 3 or array.shape[0] != 2 or array.dtype.kind not in "iu" or (array < 0).any():
        raise ValueError(f"no counts of two kinds: shape {array.shape}, {array.dtype}")
    return array[0].astype(np.int64), array[1].astype(np.int64)
