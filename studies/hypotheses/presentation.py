"""Presentation of a hypothesis study: the table of + and - as the thesis prints it, and the numbers behind it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Final

from caos.studies.framework.study import Finding
from caos.studies.hypotheses.evidence import FEWEST_IMAGES, Evidence
from caos.studies.hypotheses.grid import HypothesisGrid
from caos.studies.presentation.plots import MatrixPlot
from caos.studies.presentation.tables import Cell, StudyTable, TableColumn

TITLES: Final = {"miou": "mIoU of the segmenter", "auroc": "AUROC of the detector"}
SPAN: Final = 0.1
"""Difference at which a cell of the plot has its full colour."""
Found = Mapping[str, Mapping[str, Mapping[str, Evidence]]]
"""By measure, hypothesis and shift."""


def present(found: Found, grid: HypothesisGrid) -> Finding:
    """What the study found."""
    signs = tuple(_signs(measure, pairs) for measure, pairs in found.items())
    return Finding(
        title="What makes a network robust? Hypotheses against shifts",
        lead=_lead(found, grid),
        tables=(_every(found), *signs),
        plots=tuple(_matrix(measure, pairs) for measure, pairs in found.items()),
        details={
            measure: {name: {shift: asdict(one) for shift, one in shifts.items()} for name, shifts in pairs.items()}
            for measure, pairs in found.items()
        },
    )


def _shifts(pairs: Mapping[str, Mapping[str, Evidence]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(shift for shifts in pairs.values() for shift in shifts))


def _signs(measure: str, pairs: Mapping[str, Mapping[str, Evidence]]) -> StudyTable:
    columns = (TableColumn("hypothesis", "Hypothesis"), *(TableColumn(shift, shift) for shift in _shifts(pairs)))
    rows: list[tuple[Cell, ...]] = []
    for name, shifts in pairs.items():
        told = [shifts.get(shift) for shift in _shifts(pairs)]
        rows.append((name, *(None if one is None else f"{one.sign} ({100 * one.sure:.0f} %)" for one in told)))
    note = (
        "+: the whole 95 % interval of the paired difference lies above 0; -: no evidence, or evidence against. Fewer "
        f"than {FEWEST_IMAGES} images never count as evidence. In brackets: how sure a gain is, as the share of draws "
        "of images and seeds that show one."
    )
    return StudyTable(f"signs_{measure}", f"Hypotheses: {TITLES[measure]}", note, columns, tuple(rows))


def _every(found: Found) -> StudyTable:
    columns = (
        TableColumn("hypothesis", "hypothesis"),
        TableColumn("shift", "pictures"),
        TableColumn("measure", "measure"),
        TableColumn("base", "without", "percent"),
        TableColumn("changed", "with", "percent"),
        TableColumn("difference", "difference", "percent"),
        TableColumn("sure", "sure of a gain", "percent", digits=0),
        TableColumn("sign", "evidence"),
    )
    rows = tuple(
        (name, shift, TITLES[measure], one.base, one.changed, one.difference, one.sure, one.sign)
        for measure, pairs in found.items()
        for name, shifts in pairs.items()
        for shift, one in shifts.items()
    )
    note = "Means over images and seeds; intervals resample both, with the same images on both sides."
    return StudyTable("table", "Numbers", note, columns, rows)


def _matrix(measure: str, pairs: Mapping[str, Mapping[str, Evidence]]) -> MatrixPlot:
    shifts = _shifts(pairs)
    cells = [[told.get(shift) for shift in shifts] for told in pairs.values()]
    return MatrixPlot(
        f"Gain: {TITLES[measure]}",
        "Difference in points, with minus without; blue helps, orange hurts. Point at a cell for its interval.",
        tuple(pairs),
        shifts,
        tuple(tuple(None if one is None else one.difference.value for one in row) for row in cells),
        tuple(tuple("" if one is None else _told(one) for one in row) for row in cells),
        -SPAN,
        SPAN,
        is_percent=True,
        digits=1,
    )


def _told(one: Evidence) -> str:
    low, high = (100 * value for value in (one.difference.low, one.difference.high))
    return f"{one.sign}  95 %: {low:.1f} to {high:.1f}; sure of a gain: {100 * one.sure:.0f} %"


def _lead(found: Found, grid: HypothesisGrid) -> str:
    seeds = len(grid.seeds)
    told = (
        "1 seed each: the intervals do not include what another seed would change."
        if seeds == 1
        else f"{seeds} seeds each."
    )
    pairs_told = "1 pair" if len(grid.hypothesis) == 1 else f"{len(grid.hypothesis)} pairs"
    said = [f"{pairs_told} of trainings, {told}"]
    most = max((one.images for pairs in found.values() for told in pairs.values() for one in told.values()), default=0)
    if most < FEWEST_IMAGES:
        given = "1 image is" if most == 1 else f"{most} images are"
        said.append(f"{given} no evidence; {FEWEST_IMAGES} at least are needed.")
    unsure = []
    for pair in grid.hypothesis:
        where = []
        for measure, pairs in found.items():
            helped = [shift for shift, evidence in pairs.get(pair.name, {}).items() if evidence.sign == "+"]
            where += [f"{TITLES[measure]} on {', '.join(helped)}"] if helped else []
        if where:
            said.append(f"{pair.name[:1].upper()}{pair.name[1:]} is sure to help: {'; '.join(where)}.")
        else:
            unsure.append(pair.name)
    if unsure:
        said.append(f"No sure gain from: {', '.join(unsure)}.")
    return " ".join(said)
