"""Pooled metrics without each group of images: measured once, for intervals, and kept with the results for studies."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from caos.foundation.errors import CaosError
from caos.foundation.execution.prefetch import begun_ahead
from caos.foundation.storage.arrays import names_in_npz, read_npz
from caos.foundation.storage.files import whole_file
from caos.ood_scores.measuring.pixel_counts import PixelCounts, Policy
from caos.ood_scores.measuring.pooled import GROUPS, METRICS, PooledAnswer, PooledQuestion, measure_pooled
from caos.ood_scores.measuring.protocols import Protocol

FILE: Final = "groups.npz"
THREADS: Final = 2
Float64 = npt.NDArray[np.float64]
PooledAnswers = Mapping[tuple[str, str], PooledAnswer]
"""By column and name of a protocol."""


def measure_protocols(counts: PixelCounts, protocols: Sequence[Protocol], images: int) -> PooledAnswers:
    """Every column by every pooled protocol, also without each group of images."""
    pooled = [protocol for protocol in protocols if protocol.is_pooled]
    if not pooled:
        return {}
    ordinary = [counts.categories.ordinary(Policy.of(protocol)) for protocol in pooled]
    questions = [PooledQuestion(*pair) for pair in zip(pooled, ordinary, strict=True)]
    measure = functools.partial(measure_pooled, questions=questions, groups=min(images, GROUPS))
    found = zip(counts.stores, begun_ahead(list(counts.stores.values()), measure, THREADS), strict=True)
    return {
        (column, protocol.name): answer
        for column, answers in found
        for protocol, answer in zip(pooled, answers, strict=True)
    }


def write_groups(folder: Path, answers: PooledAnswers) -> None:
    """Keep the metrics of all images and, beside them, those without each group, ``(metrics, 1 + groups)``."""
    arrays = {
        f"{column}|{protocol}": np.array([[getattr(a.measures, name), *a.without[name]] for name in METRICS])
        for (column, protocol), a in answers.items()
    }
    with whole_file(folder / FILE) as temporary, temporary.open("wb") as stream:
        np.savez(stream, **arrays)  # type: ignore[arg-type]


def read_groups(folder: Path, protocol: str) -> dict[str, Float64]:
    """By column, AUROC, AUPR and FPR95 of all images and without each group ``(3, 1 + groups)``, by a pooled protocol.

    Raises:
        CaosError: If the file is damaged.
    """
    path = folder / FILE
    if not path.is_file():
        return {}
    try:
        names = [name for name in names_in_npz(path) if name.rpartition("|")[2] == protocol]
        return {name.rpartition("|")[0]: _checked(array) for name, array in read_npz(path, names).items()}
    except (CaosError, ValueError) as error:
        raise CaosError(f"{path} is damaged ({error}); score the set again") from error


def _checked(array: npt.NDArray[np.generic]) -> Float64:
    if array.dtype != np.float64 or array.ndim != 2 or array.shape[0] != len(METRICS) or array.shape[1] < 1:
        raise ValueError(f"no metrics of groups: shape {array.shape}, {array.dtype}")
    shares = np.asarray(array, np.float64)
    if not ((shares >= 0) & (shares <= 1) | np.isnan(shares)).all():
        raise ValueError("metrics outside 0..1")
    return shares
