"""Rank correlation: Spearman's rho and Kendall's tau-b of two orders, ties right, many pairs of orders at once.

Rho is Pearson's correlation of the ranks, where equal values share the mean of their ranks. Tau-b counts the pairs that
stand in the same order less those that do not, over the geometric mean of the pairs that each side does not tie. Both
are undefined (NaN) where one side gives all the same value.

>>> [round(float(f([1, 2, 3, 4], [1, 3, 2, 4])), 3) for f in (spearman, kendall)]
[0.8, 0.667]
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Float64 = npt.NDArray[np.float64]


def spearman(first: npt.ArrayLike, second: npt.ArrayLike) -> Float64:
    """Spearman's rho along the last axis."""
    a, b = ranks(first), ranks(second)
    a, b = (part - part.mean(axis=-1, keepdims=True) for part in (a, b))
    return _ratio((a * b).sum(axis=-1), (a * a).sum(axis=-1) * (b * b).sum(axis=-1))


def kendall(first: npt.ArrayLike, second: npt.ArrayLike) -> Float64:
    """Kendall's tau-b along the last axis."""
    a, b = _signs(first), _signs(second)
    return _ratio((a * b).sum(axis=(-2, -1)), (a * a).sum(axis=(-2, -1)) * (b * b).sum(axis=(-2, -1)))


def ranks(values: npt.ArrayLike) -> Float64:
    """Ranks from 1 along the last axis; equal values share the mean of theirs.

    >>> ranks([0.5, 0.9, 0.5, 0.1]).tolist()
    [2.5, 4.0, 2.5, 1.0]
    """
    signs = _signs(values)
    found: Float64 = (signs.sum(axis=-1) + signs.shape[-1] + 1) / 2
    return found


def _signs(values: npt.ArrayLike) -> Float64:
    """Which of each two values is larger: 1, 0 or -1, ``(..., n, n)``."""
    array = np.asarray(values, np.float64)
    return np.sign(array[..., :, None] - array[..., None, :])


def _ratio(above: Float64, squared: Float64) -> Float64:
    below = np.sqrt(squared)
    ratio: Float64 = np.divide(above, below, out=np.full(np.shape(above), np.nan), where=below > 0)
    return ratio
