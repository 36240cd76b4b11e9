"""Presentation of rendered against painted: orders of runs and scorers both ways, pairs, tables and plots."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from caos.studies.framework.measuring import MEASURES, Bytes, PictureNumbers, mean_of
from caos.studies.framework.pairs import MIOU, difference, values_of
from caos.studies.framework.study import Finding
from caos.studies.presentation.calibration import CALIBRATION_COLUMNS, CALIBRATION_NOTE, response_plot
from caos.studies.presentation.examples import SCRIPT, write_example
from caos.studies.presentation.plots import Axis, Dot, Plot, ScatterPlot
from caos.studies.presentation.tables import Cell, Estimate, StudyTable, TableColumn
from caos.studies.rendered.pairs import KINDS
from caos.studies.transfer.correlation import kendall, spearman

PAINTED: Final = "painted"
RENDERED: Final = "rendered"
WAYS: Final = (PAINTED, RENDERED)
FEWEST: Final = 3
DRAWS: Final = 1000
"""Fewer things have no order worth the name."""


@dataclass(frozen=True)
class Case:
    """A kind at one severity."""

    kind: str
    severity: int

    @property
    def name(self) -> str:
        """For files and tables."""
        return f"{self.kind}-{self.severity}"


Numbers = Mapping[str, Mapping[Case, Mapping[str, PictureNumbers]]]
"""By run, case and way."""


def present(
    numbers: Numbers,
    left_out: Mapping[str, Mapping[str, int]],
    folder: Path,
    pictures: Mapping[str, Bytes],
    mind: str = "",
) -> Finding:
    """What the study found, and what to mind; examples of the pictures are put into its folder."""
    ranks = _ranks(numbers)
    examples = [write_example(folder, i, name, picture) for i, (name, picture) in enumerate(pictures.items())]
    return Finding(
        title="Rendered against painted",
        lead=_lead(ranks) + mind,
        tables=(_every_number(numbers), _rank_table(ranks), _segmenters(numbers), _detectors(numbers)),
        plots=tuple(_plots(numbers)),
        details={
            "examples": examples,
            "ranks": [vars(rank) for rank in ranks],
            "left out": {name: dict(reasons) for name, reasons in left_out.items()},
        },
        script=SCRIPT,
    )


@dataclass(frozen=True)
class Rank:
    """How far two orders agree.

    Attributes:
        kind: Fog, rain ...; or all of them.
        what: What is ordered: ``detectors`` by AUROC, ``runs`` by mIoU, or ``pictures`` by AUROC (mean over detectors).
        count: How many.
        spearman: Rho, or None where it is undefined.
        low: Lower end of its 95 % interval over pictures drawn anew, or None.
        high: Upper end.
        kendall: Tau-b, or None.
    """

    kind: str
    what: str
    count: int
    spearman: float | None
    low: float | None
    high: float | None
    kendall: float | None


def _ranks(numbers: Numbers) -> list[Rank]:
    found = []
    for kind in dict.fromkeys(case.kind for case in next(iter(numbers.values()))):
        tables = {way: _detector_table(numbers, kind, way) for way in WAYS}
        found.append(_rank(kind, "detectors", tables[PAINTED].mean(1), tables[RENDERED].mean(1), tables))
        runs = [[_mean_miou(numbers[run], kind, way) for run in numbers] for way in WAYS]
        found.append(_rank(kind, "runs", np.array(runs[0]), np.array(runs[1])))
        found.append(_rank(kind, "pictures", tables[PAINTED].mean(0), tables[RENDERED].mean(0)))
    return [rank for rank in found if rank.count >= FEWEST]


def _detector_table(numbers: Numbers, kind: str, way: str) -> np.ndarray:
    """AUROC ``(detectors, pictures)``, of the pictures that every detector has; severities are means."""
    lines = []
    for cases in numbers.values():
        own = [ways[way] for case, ways in cases.items() if case.kind == kind]
        for scorer in own[0].rows:
            by_case = [values_of(one, "auroc", scorer) for one in own]
            lines.append(
                {key: np.mean([v[key] for v in by_case]) for key in by_case[0] if all(key in v for v in by_case)}
            )
    shared = [key for key in lines[0] if all(key in line for line in lines)]
    return np.array([[line[key] for key in shared] for line in lines], np.float64).reshape(len(lines), len(shared))


def _mean_miou(cases: Mapping[Case, Mapping[str, PictureNumbers]], kind: str, way: str) -> float:
    return float(np.mean([ways[way].miou for case, ways in cases.items() if case.kind == kind]))


def _rank(
    kind: str, what: str, painted: np.ndarray, rendered: np.ndarray, tables: Mapping[str, np.ndarray] | None = None
) -> Rank:
    rho, tau = (_defined(float(f(painted, rendered))) if painted.size >= FEWEST else None for f in (spearman, kendall))
    low = high = None
    if tables is not None and rho is not None and tables[PAINTED].shape[1] > 1:
        count = tables[PAINTED].shape[1]
        drawn = np.random.default_rng(0).integers(0, count, (DRAWS, count))
        several = spearman(*(tables[way][:, drawn].mean(2).T for way in WAYS))
        low, high = (float(v) for v in np.nanquantile(several, (0.025, 0.975)))
    return Rank(kind, what, int(painted.size), rho, low, high, tau)


def _defined(value: float) -> float | None:
    return None if np.isnan(value) else value


def _lead(ranks: Iterable[Rank]) -> str:
    said = [
        f"{KINDS[rank.kind].title}: {rank.spearman:.2f}"
        for rank in ranks
        if rank.what == "detectors" and rank.spearman is not None
    ]
    if not said:
        return "There are too few detectors for an order; give at least three --scorers."
    return (
        "How well the order of detectors on painted pictures agrees with their order on rendered ones of the same "
        f"scenes (Spearman's rho; 1: the same, 0: unrelated). {'; '.join(said)}."
    )


def _rank_table(ranks: Iterable[Rank]) -> StudyTable:
    columns = (
        TableColumn("kind", "kind"),
        TableColumn("what", "order of"),
        TableColumn("count", "how many", "number"),
        TableColumn("spearman", "Spearman", "number", 2, "higher"),
        TableColumn("kendall", "Kendall", "number", 2, "higher"),
    )
    rows: list[tuple[Cell, ...]] = []
    for rank in ranks:
        rho: Cell = rank.spearman
        if rank.spearman is not None and rank.low is not None and rank.high is not None:
            rho = Estimate(rank.spearman, rank.low, rank.high)
        rows.append((KINDS[rank.kind].title, rank.what, rank.count, rho, rank.kendall))
    note = (
        "Detectors: every scorer of every run, by AUROC, with the 95 % interval of resampled pictures; runs: by "
        f"mIoU, from {FEWEST} on; pictures: by AUROC, the mean over detectors: is the scene that paint makes hard the "
        "one that weather makes hard? Severities are means."
    )
    return StudyTable("ranks", "Do both give the same order?", note, columns, tuple(rows))


def _every_number(numbers: Numbers) -> StudyTable:
    columns = (
        *(TableColumn(key, key) for key in ("run", "kind")),
        TableColumn("severity", "severity", "number"),
        *(TableColumn(key, key) for key in ("way", "scorer")),
        *(TableColumn(measure, measure, "percent") for measure in MEASURES),
    )
    rows = tuple(
        (run, case.kind, case.severity, way, scorer, *(mean_of([n], scorer, m) for m in MEASURES))
        for run, cases in numbers.items()
        for case, ways in cases.items()
        for way, n in ways.items()
        for scorer in n.rows
    )
    return StudyTable("table", "Every detector in every case", "", columns, rows, shown_in=("csv",))


def _segmenters(numbers: Numbers) -> StudyTable:
    columns = (
        *(TableColumn(key, key) for key in ("run", "kind")),
        TableColumn("severity", "severity", "number"),
        TableColumn("way", "way"),
        TableColumn("images", "images", "number"),
        TableColumn("miou", "mIoU", "percent", better="higher"),
        TableColumn("difference", "rendered - painted", "percent"),
        *CALIBRATION_COLUMNS,
    )
    rows: list[tuple[Cell, ...]] = []
    for run, cases in numbers.items():
        for case, ways in cases.items():
            gap = difference(values_of(ways[PAINTED], MIOU), values_of(ways[RENDERED], MIOU))
            for way, n in ways.items():
                own = gap if way == RENDERED else None
                place = (run, KINDS[case.kind].title, case.severity, way)
                rows.append((*place, len(n.keys), n.miou, own, n.calibration_rms, n.aurra))
    note = f"The difference is taken picture by picture, with its 95 % interval. {CALIBRATION_NOTE}"
    return StudyTable("segmenters", "Segmenters", note, columns, tuple(rows))


def _detectors(numbers: Numbers) -> StudyTable:
    columns = (
        *(TableColumn(key, key) for key in ("run", "scorer", "kind")),
        TableColumn("severity", "severity", "number"),
        *(TableColumn(f"auroc_{way}", f"AUROC, {way}", "percent", better="higher") for way in WAYS),
        TableColumn("difference", "rendered - painted", "percent"),
        *(TableColumn(f"aupr_{way}", f"AP, {way}", "percent", better="higher") for way in WAYS),
        *(TableColumn(f"fpr95_{way}", f"FPR95, {way}", "percent", better="lower") for way in WAYS),
        *(TableColumn(f"false_alarms_{way}", f"false alarms, {way}", "percent", better="lower") for way in WAYS),
    )
    rows: list[tuple[Cell, ...]] = []
    for run, cases in numbers.items():
        for case, ways in cases.items():
            for scorer in ways[PAINTED].rows:
                auroc, *rest = ([mean_of([ways[way]], scorer, m) for way in WAYS] for m in MEASURES)
                gap = difference(*_both(ways, scorer))
                place = (run, scorer, KINDS[case.kind].title, case.severity)
                rows.append((*place, *auroc, gap, *(v for pair in rest for v in pair)))
    note = "Means over images by the paper's definition; false alarms at the threshold that clean pictures set."
    return StudyTable("detectors", "Detectors", note, columns, tuple(rows))


def _both(ways: Mapping[str, PictureNumbers], scorer: str) -> tuple[dict[str, float], dict[str, float]]:
    """AUROC of each picture, painted and rendered."""
    return values_of(ways[PAINTED], "auroc", scorer), values_of(ways[RENDERED], "auroc", scorer)


def _plots(numbers: Numbers) -> Iterable[Plot]:
    several = len(numbers) > 1
    for kind in dict.fromkeys(case.kind for case in next(iter(numbers.values()))):
        dots = []
        for run, cases in numbers.items():
            own = {way: [ways[way] for case, ways in cases.items() if case.kind == kind] for way in WAYS}
            for scorer in own[PAINTED][0].rows:
                x, y = (mean_of(own[way], scorer, "auroc") for way in WAYS)
                if x is not None and y is not None:
                    dots.append(Dot(f"{run}: {scorer}" if several else scorer, x, y))
        axes = [Axis(f"AUROC, {way}, %", is_percent=True) for way in WAYS]
        note = "Each dot is a detector; on the line both ways are equally hard."
        yield ScatterPlot(KINDS[kind].title, note, axes[0], axes[1], tuple(dots), diagonal=True)
    curves: dict[str, Any] = {
        f"{run}, {way}": [ways[way].response for ways in cases.values()]
        for run, cases in numbers.items()
        for way in WAYS
    }
    yield response_plot(curves)
