"""Short numbers, of one or two bytes: counted, and looked up in a table, as they are.

Numpy makes eight bytes of each first, which costs more than the work itself. OpenCV does not; where it is missing, or
too old, numpy does it.
"""

from __future__ import annotations

import functools
from types import ModuleType
from typing import Any, Final, TypeVar

import numpy as np
import numpy.typing as npt

Entry = TypeVar("Entry", np.bool_, np.uint8, np.uint16)
IntArray = npt.NDArray[np.int64]
KINDS: Final = 1 << 16
"""How many numbers of two bytes there are."""
_EXACT: Final = 1 << 24  # OpenCV counts in single precision, which tells numbers apart up to here


def tally(numbers: npt.NDArray[Any], kinds: int) -> IntArray:
    """How many there are of each number below ``kinds``, which all of them are."""
    cv2 = _opencv()
    if cv2 is None or numbers.dtype.itemsize > 2 or not 0 < numbers.size < _EXACT:
        return np.bincount(numbers.ravel(), minlength=kinds)
    counted = cv2.calcHist([numbers.reshape(1, -1)], [0], None, [kinds], [0, kinds])
    return np.asarray(counted, np.int64).ravel()


def look_up(table: npt.NDArray[Entry], numbers: npt.NDArray[np.uint16]) -> npt.NDArray[Entry]:
    """The entry of each number, in the shape of the numbers; there is one for every number that occurs."""
    if not (_can_look_up() and numbers.ndim == 2 and numbers.size and len(table) == KINDS):
        return table.take(numbers)
    cv2 = _opencv()
    assert cv2 is not None
    entries = table.view(np.uint8) if table.dtype == np.bool_ else table
    return np.asarray(cv2.LUT(numbers, entries.reshape(1, -1))).view(table.dtype)


@functools.cache
def _opencv() -> ModuleType | None:
    try:
        import cv2
    except ImportError:
        return None
    found: ModuleType = cv2
    return found


@functools.cache
def _can_look_up() -> bool:
    """Whether OpenCV takes tables for two bytes; older releases do not."""
    cv2 = _opencv()
    if cv2 is None:
        return False
    try:
        cv2.LUT(np.zeros((1, 1), np.uint16), np.zeros((1, KINDS), np.uint8))
    except cv2.error:
        return False
    return True
