"""Selecting of the smallest and largest of many values, for scorers on features; on processors in one look at them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from caos.foundation.machine_code import compiled

Floats = npt.NDArray[np.float32]
COLUMNS, TOGETHER = 1 << 12, 1 << 7


def smallest_of_columns(values: Tensor, offsets: Tensor, factors: Tensor, number: int) -> Tensor:
    """The ``number`` smallest of ``offsets + factors * values`` in each column, ascending ``(number, n)``.

    Args:
        values: ``(m, n)``.
        offsets: ``(m,)``.
        factors: ``(m,)``.
        number: At most m.
    """
    if values.device.type != "cpu":
        sums = torch.addcmul(offsets[:, None], factors[:, None], values)
        return sums.topk(number, dim=0, largest=False).values
    chosen = np.empty((number, values.shape[1]), np.float32)
    rows, first, slope = (part.float().contiguous().numpy() for part in (values, offsets, factors))
    _choose_smallest(rows, first, slope, chosen)
    return torch.from_numpy(chosen)


def sum_of_largest(values: Tensor, number: int) -> Tensor:
    """The sum of the ``number`` largest along the first axis."""
    if values.device.type != "cpu":
        return values.topk(number, dim=0, sorted=False).values.sum(dim=0)
    rows = values.reshape(len(values), -1).T.float().contiguous().numpy()
    rows.partition(len(values) - number, axis=1)
    return torch.from_numpy(rows[:, len(values) - number :].sum(axis=1)).reshape(values.shape[1:])


def first_largest(values: Tensor) -> Tensor:
    """Which is the largest along the first axis, the first of equals, as integers of one byte."""
    if values.device.type != "cpu":
        return values.argmax(dim=0).to(torch.uint8)
    flat = values.reshape(len(values), -1).float().contiguous().numpy()
    numbers = np.zeros(flat.shape[1], np.uint8)
    _number_largest(flat, numbers)
    return torch.from_numpy(numbers).reshape(values.shape[1:])


@compiled
def _number_largest(values: Floats, numbers: npt.NDArray[np.uint8]) -> None:
    for start in range(0, values.shape[1], COLUMNS):
        part, best = numbers[start : start + COLUMNS], values[0, start : start + COLUMNS].copy()
        for row in range(1, len(values)):
            own = values[row, start : start + COLUMNS]
            for i in range(len(best)):
                part[i] = np.uint8(row) if own[i] > best[i] else part[i]
                best[i] = max(best[i], own[i])


@compiled
def _choose_smallest(values: Floats, offsets: Floats, factors: Floats, chosen: Floats) -> None:
    kept, new = np.empty((len(chosen), TOGETHER), np.float32), np.empty(TOGETHER, np.float32)
    largest = kept[len(chosen) - 1]
    for start in range(0, values.shape[1], TOGETHER):
        columns = min(TOGETHER, values.shape[1] - start)
        kept[:] = np.inf
        for row in range(len(values)):
            own, offset, factor = values[row, start : start + columns], offsets[row], factors[row]
            is_less = np.uint32(0)
            for i in range(columns):
                new[i] = offset + factor * own[i]
                is_less |= np.uint32(new[i] < largest[i])
            if not is_less:
                continue
            # Insertion into all columns at once, without a branch: the smaller stays, the other one goes on.
            for place in range(len(chosen)):
                held = kept[place]
                for i in range(TOGETHER):
                    one, other = held[i], new[i]
                    held[i], new[i] = (one, other) if one < other else (other, one)
        chosen[:, start : start + columns] = kept[:, :columns]
