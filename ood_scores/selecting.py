"""Selecting of the smallest and largest of many values, for scorers on features; on processors in one look at them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from caos.foundation.machine_code import compiled

Floats = npt.NDArray[np.float32]
GROUPS, COLUMNS = 64, 1 << 12


def smallest_of_rows(values: Tensor, offsets: Tensor, factors: Tensor, number: int) -> Tensor:
    """The ``number`` smallest of ``offsets + factors * values`` in each row ``(n, m)``, ascending ``(n, number)``."""
    if values.device.type != "cpu":
        return torch.addcmul(offsets, factors, values).topk(number, dim=1, largest=False).values
    chosen = np.empty((len(values), number), np.float32)
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
    number, columns = chosen.shape[1], values.shape[1]
    lowest = np.empty(GROUPS, np.float32)
    for row in range(len(values)):
        # Of each group of every so many columns the smallest: all groups at once, in wide registers.
        lowest[:] = np.inf
        for start in range(0, columns, GROUPS):
            part = values[row][start : start + GROUPS]  # slices of one length are what the compiler can widen
            offset, factor = offsets[start : start + GROUPS], factors[start : start + GROUPS]
            for group in range(len(part)):
                value = offset[group] + factor[group] * part[group]
                lowest[group] = value if value < lowest[group] else lowest[group]  # noqa: FURB136 - see above
        chosen[row] = np.inf
        for group in range(min(GROUPS, columns)):
            if not lowest[group] < chosen[row, number - 1]:
                continue
            for column in range(group, columns, GROUPS):
                value, place = offsets[column] + factors[column] * values[row, column], number - 1
                if not value < chosen[row, place]:
                    continue
                while place > 0 and value < chosen[row, place - 1]:
                    chosen[row, place] = chosen[row, place - 1]
                    place -= 1
                chosen[row, place] = value
