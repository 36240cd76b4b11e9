"""Coded score maps of an unfinished run, until they are judged: all columns of an image in one array.

They stay in memory while that is little, and go to the disk when the run is saved: what a saved run has counted must be
there for the process that continues it. They are read once and removed, and hardly shrink: compression would cost more
than all else that is measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from caos.foundation.errors import CaosError
from caos.foundation.storage.arrays import read_npy
from caos.foundation.storage.files import whole_file
from caos.ood_scores.evaluation.truth import Truth
from caos.scenes.dataset.layout import Sample
from caos.scenes.labels import LabelTable

Codes = npt.NDArray[np.uint8]
MOST_BYTES: Final = 1 << 28


class CodeMaps:
    """The coded score maps of a run, with the truth about their images.

    Args:
        out: Folder of the results.
        most_bytes: That stay in memory before all goes to the disk; None for ``MOST_BYTES``.
    """

    def __init__(self, out: Path, most_bytes: int | None = None) -> None:
        self._folder, self._most_bytes = out / "work" / "codes", MOST_BYTES if most_bytes is None else most_bytes
        self._kept: dict[str, tuple[Codes, Truth]] = {}
        self._bytes = 0

    def add(self, sample: Sample, codes: Codes, truth: Truth) -> None:
        """Keep the codes of an image, one map a column ``(columns, h, w)``; they are not written to again."""
        self._kept[sample.key] = (codes, truth)
        self._bytes += sum(part.nbytes for part in (codes, truth.ids, truth.anomalous, truth.objects))
        if self._bytes > self._most_bytes:
            self.save()

    def save(self) -> None:
        """Let everything be on the disk."""
        for key, (codes, _) in self._kept.items():
            with whole_file(self._file(key)) as temporary, temporary.open("wb") as stream:
                np.save(stream, codes)
        self._kept.clear()
        self._bytes = 0

    def read(self, sample: Sample, columns: Sequence[str], labels: LabelTable) -> tuple[dict[str, Codes], Truth]:
        """The codes of an image by column, in the order they were added, and its truth.

        Raises:
            CaosError: If they are on the disk, and missing or damaged there.
        """
        if sample.key in self._kept:
            maps, truth = self._kept[sample.key]
        else:
            maps = self._read(sample.key, len(columns))
            truth = Truth.read(sample, labels, (maps.shape[1], maps.shape[2]))
        return dict(zip(columns, maps, strict=True)), truth

    def _file(self, key: str) -> Path:
        return self._folder / f"{key}.npy"

    def _read(self, key: str, columns: int) -> Codes:
        path = self._file(key)
        broken = CaosError(f"{path} is missing or broken; remove the folder 'work' above it and score again")
        try:
            maps = read_npy(path)
        except CaosError as error:
            raise broken from error
        if maps.dtype != np.uint8 or maps.ndim != 3 or len(maps) != columns:
            raise broken
        return maps
