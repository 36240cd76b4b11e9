"""Presentation of a whole-image study: each detector on each kind of outlier, as tables 4.2 and 6.1 have it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from caos.segmentation.training.calibration import Calibration
from caos.studies.framework.study import Finding
from caos.studies.presentation.calibration import CALIBRATION_COLUMNS, response_plot
from caos.studies.presentation.plots import LinePlot, MatrixPlot
from caos.studies.presentation.tables import Cell, Estimate, StudyTable, TableColumn
from caos.studies.whole_images.measuring import DETECTORS, Detection, detection, interval, pairs_told_apart

ORDINARY: Final = "ordinary"
HAZARD: Final = "hazard"
NOTE: Final = (
    "Outliers against pictures without a hazard. AUPR at one outlier for five ordinary pictures, so that chance is "
    "16.7 %. Pairs: how often the picture with a hazard has a higher score than the same picture without."
)


@dataclass(frozen=True, eq=False)
class WholeImageRun:
    """A run: its name, model and answers; by detector and group the score of every picture; and how it was fitted.

    ``calibration`` is by group, of those whose right answers are known.
    """

    name: str
    model: str
    answers: tuple[str, ...]
    scores: Mapping[str, Mapping[str, npt.NDArray[np.float32]]]
    paired: bool
    fitted_on: int
    calibration: Mapping[str, Calibration]

    @property
    def groups(self) -> tuple[str, ...]:
        """The kinds of outliers, hazards first."""
        return tuple(group for group in self.scores["msp"] if group != ORDINARY)

    def detection(self, detector: str, group: str) -> Detection:
        """How well a detector tells a group from ordinary pictures."""
        return detection(self.scores[detector][ORDINARY], self.scores[detector][group])


def present(runs: Sequence[WholeImageRun], seed: int, draws: int) -> Finding:
    """What the study found."""
    return Finding(
        title="Whole images: what a classifier of pictures notices",
        lead=_lead(runs),
        tables=(_table(runs, seed, draws), _calibration_table(runs), *(_means(run) for run in runs)),
        plots=(*(_matrix(run) for run in runs), _responses(runs)),
        details={
            run.name: {
                "model": run.model,
                "answers": list(run.answers),
                "fitted_on": run.fitted_on,
                "pictures": {group: len(scores) for group, scores in run.scores["msp"].items()},
                "detectors": {
                    name: {group: asdict(run.detection(name, group)) for group in run.groups} for name in DETECTORS
                },
                "calibration": {
                    group: {"calibration_rms": one.rms, "aurra": one.aurra} for group, one in run.calibration.items()
                },
                "pairs": {name: _pairs(run, name) for name in DETECTORS} if run.paired else {},
            }
            for run in runs
        },
    )


def _pairs(run: WholeImageRun, detector: str) -> float | None:
    if not run.paired:
        return None
    return pairs_told_apart(run.scores[detector][ORDINARY], run.scores[detector][HAZARD])


def _table(runs: Sequence[WholeImageRun], seed: int, draws: int) -> StudyTable:
    columns = (
        *(TableColumn(key, key) for key in ("run", "outliers", "detector")),
        TableColumn("fpr95", "FPR95", "percent", better="lower"),
        TableColumn("auroc", "AUROC", "percent", better="higher"),
        TableColumn("aupr", "AUPR", "percent", better="higher"),
        TableColumn("pairs", "pairs", "percent", better="higher"),
    )
    rows: list[tuple[Cell, ...]] = []
    for run in runs:
        for group in run.groups:
            for name, title in DETECTORS.items():
                found = run.detection(name, group)
                low, high = interval(run.scores[name][ORDINARY], run.scores[name][group], seed, draws)
                pairs = _pairs(run, name) if group == HAZARD else None
                rows.append((run.name, group, title, found.fpr95, Estimate(found.auroc, low, high), found.aupr, pairs))
    return StudyTable("table", "Detectors on whole images", NOTE, columns, tuple(rows))


def _calibration_table(runs: Sequence[WholeImageRun]) -> StudyTable:
    columns = (*(TableColumn(key, key) for key in ("run", "pictures")), *CALIBRATION_COLUMNS)
    rows = tuple((run.name, group, one.rms, one.aurra) for run in runs for group, one in run.calibration.items())
    note = (
        "RMS calibration error: how far confidence is from accuracy. AURRA: the area under accuracy against the share "
        "of answers given, most confident first. A multi-label run answers yes or no for each class, a multi-class one "
        "once per picture; pictures whose answer no training picture had do not count."
    )
    return StudyTable("calibration", "Calibration of the answers", note, columns, rows)


def _responses(runs: Sequence[WholeImageRun]) -> LinePlot:
    curves = {f"{run.name}, {group}": [one.response] for run in runs for group, one in run.calibration.items()}
    return response_plot(curves, "answers")


def _means(run: WholeImageRun) -> StudyTable:
    """The mean over classic outliers, detectors across, as the thesis prints it."""
    classic = [group for group in run.groups if group != HAZARD]
    columns = (TableColumn("measure", "measure"), *(TableColumn(n, t, "percent") for n, t in DETECTORS.items()))
    rows: list[tuple[Cell, ...]] = []
    for measure, title in (("fpr95", "FPR95 ↓"), ("auroc", "AUROC ↑"), ("aupr", "AUPR ↑")):
        for what, groups in (("hazards", [HAZARD]), ("classic outliers", classic)):
            values = [[getattr(run.detection(name, group), measure) for group in groups] for name in DETECTORS]
            rows.append((f"{title}, {what}", *(float(np.mean(value)) for value in values)))
    note = f"{run.model} ({len(run.answers)} answers); detectors fitted on {run.fitted_on} ordinary pictures."
    name = f"means_{run.name.replace('/', '_')}"
    return StudyTable(name, f"{run.name}: means", note, columns, tuple(rows), shown_in=("markdown", "page"))


def _matrix(run: WholeImageRun) -> MatrixPlot:
    values = tuple(tuple(run.detection(name, group).auroc for name in DETECTORS) for group in run.groups)
    return MatrixPlot(
        f"AUROC of {run.name} ({run.model})",
        "Outliers against pictures without a hazard; blue: better than chance, orange: worse.",
        run.groups,
        tuple(DETECTORS.values()),
        values,
        (),
        0.0,
        1.0,
        is_percent=True,
        digits=1,
    )


def _lead(runs: Sequence[WholeImageRun]) -> str:
    said = []
    for run in runs:
        best: dict[str, Any] = {}
        for what, groups in (("hazards", [HAZARD]), ("classic outliers", [g for g in run.groups if g != HAZARD])):
            means = {name: float(np.mean([run.detection(name, g).auroc for g in groups])) for name in DETECTORS}
            winner = max(means, key=lambda name: means[name])
            best[what] = f"{DETECTORS[winner]} ({100 * means[winner]:.1f})"
        said.append(
            f"{run.name} ({run.model}): the best AUROC is that of {best['hazards']} on hazards, and of "
            f"{best['classic outliers']} on classic outliers."
        )
    return " ".join(said)
