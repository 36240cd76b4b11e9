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
    found = np.uint64(0)  # a signed index would be asked whether it counts from the end
    for i in range(cells.size):
        cell = cells[i]
        held[cell] += np.int32(1)
        entry = of_cell[cell]
        codes[i] = np.uint8(entry >> np.uint32(CODE_AT))
        steps[kinds[i], np.uint16(entry)] += np.int32(1)
        # Without a branch: whether a cell is marked cannot be foreseen.
        asked[found] = i
        found += np.uint64(entry >> np.uint32(MARK_AT))
    return int(found)


@compiled
def mark_cells(steps_and_codes: npt.NDArray[np.uint32], wanted: Mask, of_cell: npt.NDArray[np.uint32]) -> None:
    """Write ``of_cell``, with a mark where a cell is wanted."""
    for cell in range(wanted.size):
        of_cell[cell] = steps_and_codes[cell] | np.uint32(wanted[cell]) << np.uint32(MARK_AT)


@compiled
def rank_pixels(
    asked: Ints,
    ignored: Mask,
    scores: Floats,
    cells: Shorts,
    numbers: Ints,
    starts: Ints,
    ascending: Floats,
    ranks: Longs,
) -> None:
    """Count scores among the thresholds.

    Args:
        asked: Pixels to look at.
        ignored: Which pixels count neither way; empty where all count.
        scores: Of each pixel.
        cells: Of each pixel.
        numbers: Of cells that hold thresholds, 1, 2 ..; 0 of others.
        starts: See `find_threshold_cells`.
        ascending: The thresholds, and at last infinity.
        ranks: Added to: entry 2 j + 1 counts what equals threshold j, entry 2 j what is between it and the one before.
    """
    one = np.uint64(1)
    for k in range(asked.size):
        pixel = np.uint64(asked[k])
        if ignored.size and ignored[pixel]:
            continue
        score, number = scores[pixel], np.uint64(numbers[cells[pixel]])
        if not number:
            continue
        low, high = np.uint64(starts[number - one]), np.uint64(starts[number])
        # Most cells hold one threshold or two: without a branch that cannot be foreseen.
        low += np.uint64(ascending[low] < score)
        low += np.uint64(ascending[low] < score)
        if ascending[low] < score:
            while low < high:
                middle = (low + high) >> one
                if ascending[middle] < score:
                    low = middle + one
                else:
                    high = middle
        ranks[low + low + np.uint64(ascending[low] == score)] += 1


@compiled
def remember_values(asked: Ints, ignored: Mask, scores: Floats, cells: Shorts, value: Floats, mixed: Mask) -> None:
    """Keep a value of each cell (NaN where it has none), and which cells have seen another one; see `rank_pixels`."""
    for k in range(asked.size):
        pixel = np.uint64(asked[k])
        cell = cells[pixel]
        if mixed[cell] or (ignored.size and ignored[pixel]):
            continue
        if np.isnan(value[cell]):
            value[cell] = scores[pixel]
        elif value[cell] != scores[pixel]:
            mixed[cell] = True


@compiled
def settle_cells(negatives: Ints, cells: Shorts, ranks: Longs) -> int:
    """Add to ``ranks`` the pixels of cells that hold no threshold, see `rank_pixels`; how many pixels there are.

    Args:
        negatives: Pixels of each cell.
        cells: Of the ascending thresholds.
        ranks: Added to.
    """
    number, start = 0, 0
    for j in range(cells.size + 1):
        end = int(cells[j]) if j < cells.size else len(negatives)
        between = 0
        for cell in range(start, end):
            between += negatives[cell]
        ranks[2 * j] += between
        number += between
        if start <= end < len(negatives):
            number += negatives[end]
        start = max(start, end + 1)
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
def find_distinct(ordered: Floats, ascending: Floats, gained: Longs) -> int:
    """How many distinct values there are.

    Args:
        ordered: The values.
        ascending: Written: each of them once, and then infinity.
        gained: Written: how often each occurs.
    """
    found = 0
    for i in range(ordered.size):
        if not i or ordered[i] != ordered[i - 1]:
            ascending[found] = ordered[i]
            gained[found] = 0
            found += 1
        gained[found - 1] += 1
    ascending[found] = np.inf
    return found


@compiled
def find_threshold_cells(cells: Shorts, numbers: Ints, starts: Ints) -> None:
    """Number the cells of thresholds 1, 2 ..

    Args:
        cells: Of the ascending thresholds.
        numbers: Of each cell, 0 before; written where it has thresholds.
        starts: Written: for the cell of each number less one, and one more, how many thresholds lie in cells below.
    """
    found = 0
    for j in range(cells.size):
        if not j or cells[j] != cells[j - 1]:
            starts[found] = j
            found += 1
            numbers[cells[j]] = found
    starts[found] = cells.size


@compiled
def count_classes(codes: Bytes, classes: Bytes, counted: Longs) -> None:
    """Count pixels by class and code ``(classes, codes)``; those of a class beyond the last count neither way."""
    for i in range(codes.size):
        if classes[i] < len(counted):
            counted[classes[i], codes[i]] += 1


@compiled
def find_edges(words: npt.NDArray[np.uint64], flags: Bytes, edges: Ints) -> int:
    """Write where a flag, 0 or 1, differs from the one before it, the one before the first being 0; how many there are.

    Args:
        words: As many of the flags as fill words of eight.
        flags: All of them.
        edges: Written, ascending; one more than there are flags.
    """
    found, before = np.uint64(0), np.uint8(0)
    for word in range((flags.size + 7) >> 3):
        # Where eight flags are the same as the one before them there is no edge: mostly.
        if word < words.size and words[word] == np.uint64(0x0101010101010101) * np.uint64(before):
            continue
        for i in range(8 * word, min(8 * word + 8, flags.size)):
            edges[found] = i
            found += np.uint64(flags[i] != before)
            before = flags[i]
    edges[found] = flags.size
    return int(found)


@compiled
def join_runs(edges: Ints, width: int, starts: Ints, ends: Ints, numbers: Ints) -> int:
    """Number the 8-connected components 1, 2 .. by their first pixels; how many runs in rows they consist of.

    Args:
        edges: Where runs of flagged pixels begin and end, in turn; they may go on in the next row.
        width: Of a row.
        starts: Written: where each run within a row begins.
        ends: Written: where it ends.
        numbers: Written: its component.
    """
    runs = above = 0
    for edge in range(0, len(edges), 2):
        start = edges[edge]
        while start < edges[edge + 1]:
            row = start // width * width
            end = min(edges[edge + 1], row + width)
            starts[runs], ends[runs], numbers[runs] = start, end, runs
            left, right = max(start - 1, row) - width, min(end, row + width - 1) - width
            while above < runs and ends[above] <= left:
                above += 1
            other = above
            while other < runs and starts[other] <= right:
                one, two = runs, other
                while numbers[one] != one:
                    one = numbers[one]
                while numbers[two] != two:
                    numbers[two] = numbers[numbers[two]]
                    two = numbers[two]
                numbers[max(one, two)] = min(one, two)
                other += 1
            runs += 1
            start = end
    found = 0
    for run in range(runs):  # what a run was joined to began before it
        if numbers[run] == run:
            found += 1
            numbers[run] = found
        else:
            numbers[run] = numbers[numbers[run]]
    return runs


@compiled
def measure_runs(
    codes: Bytes, starts: Ints, ends: Ints, numbers: Ints, components: Ints, sizes: Longs, sums: Longs
) -> None:
    """Write the components of pixels, and count those of each.

    Args:
        codes: Of each pixel.
        starts: Where each run begins.
        ends: Where it ends.
        numbers: Its component.
        components: Of each pixel; written where there are runs.
        sizes: Pixels of each component and, first, of none; added to.
        sums: Of their codes; added to.
    """
    for run in range(len(starts)):
        start, end, number = starts[run], ends[run], numbers[run]
        total = np.uint32(0)
        for i in range(start, end):
            components[i] = number
            total += np.uint32(codes[i])
        sizes[number] += end - start
        sums[number] += total
