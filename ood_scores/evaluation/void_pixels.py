"""Void pixels of a set: whether they count follows from its label table, and the default protocol from that."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from caos.ood_scores.measuring.protocols import family_of
from caos.scenes.dataset.layout import Dataset, Split, read_class_ids
from caos.scenes.labels import PHOTOGRAPHS, VOID, LabelTable

COUNT_VOID: Final = ("streethazards", "bdd-anomaly")
"""Families of label tables whose benchmark, the CAOS paper's, counts every pixel."""


def leaves_void_out(dataset: Dataset, split: Split) -> bool:
    """Whether measures of a split leave void out unless a protocol is asked for.

    True for photographs with masks, and for every other set outside the CAOS benchmark whose label table has ignored
    classes that occur in the split; label maps are read up to the first void pixel.

    Raises:
        CaosError: If a label map cannot be read.
    """
    table = dataset.labels
    if table == PHOTOGRAPHS:
        return True
    if family_of(table.name) in COUNT_VOID or not table.png_values("ignore"):
        return False
    return any(bool(np.any(read_class_ids(sample, table) == VOID)) for sample in dataset.samples(split))


def left_out_pixels(ids: npt.NDArray[np.uint8], table: LabelTable) -> npt.NDArray[np.bool_]:
    """Where class ids ``(h, w)`` of a set with this label table count neither way unless a protocol says otherwise."""
    return np.zeros(ids.shape, np.bool_) if family_of(table.name) in COUNT_VOID else np.asarray(ids == VOID)
