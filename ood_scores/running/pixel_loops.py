"""Loops over the pixels of a score map, compiled.

A score map is counted by narrow cells (:class:`~caos.ood_scores.measuring.score_grid.ScoreGrid`). What happens to a
pixel depends on its cell: ``of_cell`` holds, for each, the step of open-set counts (16 bits), the code of previews (8
bits) and a mark, which asks for a closer look at the pixel's own score.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from caos.foundation.machine_code import compiled

Bytes = npt.NDArray[np.uint8]
Shorts = npt.NDArray[np.uint16]
Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]
CODE_AT, MARK_AT = 16, 24
"""Bits of ``of_cell`` where the code and the mark begin."""


@compiled
def put_in_even_cells(scores: Floats, low: np.float32, scale: np.float32, top: np.float32, cells: Shorts) -> None:
    """The cell of each score, on a grid of even cells."""
    lowest, one = np.float32(-1), np.float32(1)
    for i in range(scores.size):
        cells[i] = np.uint16(min(max((scores[i] - low) * scale, lowest), top) + one)


@compiled
def put_in_relative_cells(bits: Ints, first: int, span: int, scale: np.float32, top: np.float32, cells: Shorts) -> None:
    """The cell of each score, given by its bits, on a grid that is even in the ordered bits of scores."""
    lowest, one = np.float32(-1), np.float32(1)
    for i in range(bits.size):
        own = int(bits[i])
        own = 0 if own == -(1 << 31) else own  # minus zero
        own = own ^ ((1 << 31) - 1) if own < 0 else own
        offset = np.float32(max(min(own, first + span), first - span) - first)
        cells[i] = np.uint16(min(max(offset * scale, lowest), top) + one)


@compiled
def count_pixels(
    cells: Shorts, of_cell: npt.NDArray[np.uint32], kinds: Shorts, held: Ints, codes: Bytes, steps: Ints, asked: Ints
) -> int:
    """Count pixels by cell, and by kind and step; write their codes; the number of pixels ``asked`` for by a mark.

    Args:
        cells: Of each pixel.
        of_cell: What to do with pixels of each cell.
        kinds: Of each pixel.
        held: Pixels of each cell, added to.
        codes: Of each pixel, written.
        steps: Pixels of each kind and step ``(kinds, steps)``, added to.
        asked: The pixels whose cells are marked, written.
    """
    found = 0
    for i in range(cells.size):
        cell = cells[i]
        held[cell] += np.int32(1)
        entry = of_cell[cell]
        codes[i] = np.uint8(entry >> np.uint32(CODE_AT))
        steps[kinds[i], np.int32(entry & np.uint32(0xFFFF))] += np.int32(1)
        # Without a branch: whether a cell is marked cannot be foreseen.
        asked[found] = i
        found += int(entry >> np.uint32(MARK_AT))
    return found


@compiled
def mark_cells(steps_and_codes: npt.NDArray[np.uint32], wanted: Mask, of_cell: npt.NDArray[np.uint32]) -> None:
    """Write ``of_cell``, with a mark where a cell is wanted."""
    for cell in range(wanted.size):
        of_cell[cell] = steps_and_codes[cell] | np.uint32(wanted[cell]) << np.uint32(MARK_AT)


@compiled
def rank_pixels(
    asked: Ints, ignored: Mask, scores: Floats, cells: Shorts, first: Ints, past: Ints, ascending: Floats, ranks: Longs
) -> None:
    """Count scores among the thresholds of their cells.

    Args:
        asked: Pixels to look at.
        ignored: Which pixels count neither way; empty where all count.
        scores: Of each pixel.
        cells: Of each pixel.
        first: For each cell, the number of its lowest threshold.
        past: For each cell, one more than the number of its highest; ``first`` where it has none.
        ascending: The thresholds.
        ranks: Added to: entry 2 j + 1 counts what equals threshold j, entry 2 j what is between it and the one before.
    """
    for k in range(asked.size):
        pixel = asked[k]
        if ignored.size and ignored[pixel]:
            continue
        cell, score = cells[pixel], scores[pixel]
        low, high = first[cell], past[cell]
        if low == high:
            continue
        if high - low == 1:  # mostly; without a branch that cannot be foreseen
            own = ascending[low]
            ranks[2 * low + np.int64(score >= own) + np.int64(score > own)] += 1
            continue
        while low < high:
            middle = (low + high) >> 1
            if ascending[middle] < score:
                low = middle + 1
            else:
                high = middle
        is_equal = low < past[cell] and ascending[low] == score
        ranks[2 * low + np.int64(is_equal)] += 1


@compiled
def remember_values(asked: Ints, ignored: Mask, scores: Floats, cells: Shorts, value: Floats, mixed: Mask) -> None:
    """Keep a value of each cell (NaN where it has none), and which cells have seen another one; see `rank_pixels`."""
    for k in range(asked.size):
        pixel = asked[k]
        cell = cells[pixel]
        if mixed[cell] or (ignored.size and ignored[pixel]):
            continue
        if np.isnan(value[cell]):
            value[cell] = scores[pixel]
        elif value[cell] != scores[pixel]:
            mixed[cell] = True


@compiled
def settle_cells(negatives: Ints, first: Ints, past: Ints, ranks: Longs) -> int:
    """Add to ``ranks`` the pixels of cells that hold no threshold, see `rank_pixels`; how many pixels there are."""
    number = 0
    for cell in range(len(negatives)):
        number += negatives[cell]
        if first[cell] == past[cell]:
            ranks[2 * first[cell]] += negatives[cell]
    return number


@compiled
def add_cells(negatives: Ints, total: Longs, groups: Longs, coarse: int) -> None:
    """Add pixels of each cell to a total, and to groups of ``coarse`` cells each."""
    for group in range(len(groups)):
        start = group * coarse
        part, own = negatives[start : start + coarse], total[start : start + coarse]
        held = 0
        for cell in range(len(part)):
            own[cell] += part[cell]
            held += part[cell]
        groups[group] += held


@compiled
def count_steps(cells: Shorts, step_of: Shorts, kinds: Shorts, steps: Longs) -> None:
    """Count pixels by kind and step ``(kinds, steps)``."""
    for i in range(cells.size):
        steps[kinds[i], step_of[cells[i]]] += 1


@compiled
def cells_of_thresholds(cells: Shorts, first: Ints, past: Ints) -> None:
    """Write, for each cell, the number of its lowest threshold and one more than that of its highest.

    Args:
        cells: Of the ascending thresholds.
        first: Written; in a cell without thresholds, how many lie in cells below.
        past: Written; in a cell without thresholds, the same.
    """
    number = 0
    for cell in range(first.size):
        first[cell] = number
        while number < cells.size and cells[number] == cell:
            number += 1
        past[cell] = number


@compiled
def count_classes(codes: Bytes, classes: Bytes, counted: Longs) -> None:
    """Count pixels by class and code ``(classes, codes)``; those of a class beyond the last count neither way."""
    for i in range(codes.size):
        if classes[i] < len(counted):
            counted[classes[i], codes[i]] += 1


@compiled
def label_flagged(codes: Bytes, level: int, ignored: Mask, components: Ints, parents: Ints) -> int:
    """Number the pixels of the parts of 8-connected components; what parts there are.

    Args:
        codes: ``(h, w)``; those of at least ``level`` are flagged.
        level: See ``codes``.
        ignored: ``(h, w)``, pixels that belong to none; of no rows where there are none.
        components: ``(h, w)``, written: the part, or 0.
        parents: For each part another of the same component that began before it, or itself; written.
    """
    height, width = codes.shape
    parts = 0
    for y in range(height):
        for x in range(width):
            components[y, x] = 0
            if codes[y, x] < level or (len(ignored) and ignored[y, x]):
                continue
            north = components[y - 1, x] if y else 0
            west = components[y, x - 1] if x else 0
            if not west and x and y:
                west = components[y - 1, x - 1]
            east = components[y - 1, x + 1] if y and x + 1 < width else 0
            # What lies above joins all its neighbours already, and those at the left join each other.
            own = north or west or east
            if not own:
                parts += 1
                parents[parts] = own = parts
            elif not north and west and east:
                one, other = west, east
                while parents[one] != one:
                    parents[one] = parents[parents[one]]
                    one = parents[one]
                while parents[other] != other:
                    parents[other] = parents[parents[other]]
                    other = parents[other]
                own = min(one, other)
                parents[one] = parents[other] = own
            components[y, x] = own
    return parts


@compiled
def join_parts(codes: Bytes, components: Ints, parents: Ints, sizes: Longs, sums: Longs) -> int:
    """Number the components 1, 2 .. instead of their parts; how many there are.

    Args:
        codes: Of each pixel.
        components: Parts as `label_flagged` wrote them; the components are written.
        parents: Of parts; see there.
        sizes: Pixels of each component and, first, of none; added to.
        sums: Of their codes; added to.
    """
    found = 0
    for part in range(1, len(parents)):
        if parents[part] == part:
            found += 1
            parents[part] = found
        else:
            parents[part] = parents[parents[part]]
    for i in range(components.size):
        if components[i]:
            components[i] = parents[components[i]]
            sizes[components[i]] += 1
            sums[components[i]] += codes[i]
    return found
