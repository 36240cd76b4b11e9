"""Presentation of a shift study: IID, each shift and their mean, for segmenters and every detector."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from caos.scenes.dataset.layout import Sample
from caos.studies.framework.measuring import FALSE_ALARMS, MEASURES, PictureNumbers, mean_defined, mean_of
from caos.studies.framework.pairs import MIOU, difference, values_of
from caos.studies.framework.study import Finding
from caos.studies.presentation.calibration import CALIBRATION_COLUMNS, CALIBRATION_NOTE, response_plot
from caos.studies.presentation.examples import SCRIPT, write_examples
from caos.studies.presentation.names import scorer_title
from caos.studies.presentation.plots import Axis, Bar, BarPlot, MatrixPlot, Plot
from caos.studies.presentation.tables import Cell, Estimate, StudyTable, TableColumn

Numbers = Mapping[str, Mapping[str, PictureNumbers]]
"""By run and shift; the set as it is comes first."""
IID: Final = "iid"
MEAN: Final = "mean of the shifts"
PAIRED: Final = (
    "Change: the mean over the scenes that both have, with the 95 % interval of resampling them; scenes that a shift "
    "left out do not count in it."
)
_NUMBERS: Final = (
    TableColumn("auroc", "AUROC", "percent", better="higher"),
    TableColumn("aupr", "AP", "percent", better="higher"),
    TableColumn("fpr95", "FPR95", "percent", better="lower"),
    TableColumn("false_alarms", "false alarms", "percent", better="lower"),
)


def present(
    numbers: Numbers,
    left_out: Mapping[str, Mapping[str, int]],
    pictures: Mapping[str, Sequence[Sample]],
    folder: Path,
    mind: str = "",
) -> Finding:
    """What the study found, and what to mind; examples of the pictures are put into its folder."""
    return Finding(
        title="What one changed thing costs",
        lead=_lead(numbers) + mind,
        tables=(_every_number(numbers), _segmenters(numbers), _detectors(numbers), *_left_out(left_out)),
        plots=tuple(_plots(numbers)),
        details={
            "examples": write_examples(folder, pictures),
            "left out": {name: dict(reasons) for name, reasons in left_out.items()},
            "numbers": {run: {name: _told(n) for name, n in found.items()} for run, found in numbers.items()},
        },
        script=SCRIPT,
    )


def _shifts(found: Mapping[str, Any]) -> list[str]:
    return [name for name in found if name != IID]


def _told(numbers: PictureNumbers) -> dict[str, Any]:
    return {
        "images": len(numbers.keys),
        "miou": numbers.miou,
        "calibration_rms": numbers.calibration_rms,
        "aurra": numbers.aurra,
        "response": list(numbers.response),
        "scorers": {s: {m: mean_of([numbers], s, m) for m in MEASURES} for s in numbers.rows},
    }


def _gain(found: Mapping[str, PictureNumbers], shift: str, measure: str, scorer: str | None = None) -> Estimate | None:
    return difference(values_of(found[IID], measure, scorer), values_of(found[shift], measure, scorer))


def _lead(numbers: Numbers) -> str:
    said = []
    for run, found in numbers.items():
        shifts = _shifts(found)
        miou = mean_defined(found[name].miou for name in shifts) or 0.0
        said.append(f"{run}: mIoU {100 * found[IID].miou:.1f} on the set as it is, {100 * miou:.1f} under the shifts.")
        scorers = {s: mean_of([found[n] for n in shifts], s, "auroc") for s in found[IID].rows}
        there = {s: value for s, value in scorers.items() if value is not None}
        if there:
            best = max(there, key=lambda scorer: there[scorer])
            gains = {name: gain for name in shifts if (gain := _gain(found, name, "auroc", best)) is not None}
            own = mean_of([found[IID]], best, "auroc") or 0.0
            said.append(
                f"Its best detector under shift, {scorer_title(best)}: AUROC {100 * own:.1f}, "
                f"shifted {100 * there[best]:.1f}."
            )
            if gains:
                worst = min(gains, key=lambda name: gains[name].value)
                cost = 100 * gains[worst].value
                said.append(
                    f"The costliest shift is {worst} ({cost:+.1f})." if cost < 0 else "No shift costs it anything."
                )
    return " ".join(said)


def _every_number(numbers: Numbers) -> StudyTable:
    columns = (
        *(TableColumn(key, key) for key in ("run", "shift")),
        TableColumn("images", "images", "number"),
        TableColumn("scorer", "scorer"),
        *_NUMBERS,
    )
    rows = tuple(
        (run, name, len(n.keys), scorer, *(mean_of([n], scorer, m) for m in MEASURES))
        for run, found in numbers.items()
        for name, n in found.items()
        for scorer in n.rows
    )
    return StudyTable("table", "Every detector under every shift", "", columns, rows, shown_in=("csv",))


def _segmenters(numbers: Numbers) -> StudyTable:
    columns = (
        *(TableColumn(key, key) for key in ("run", "shift")),
        TableColumn("images", "images", "number"),
        TableColumn("miou", "mIoU", "percent", better="higher"),
        TableColumn("change", "change, picture by picture", "percent", better="higher"),
        *CALIBRATION_COLUMNS,
    )
    rows: list[tuple[Cell, ...]] = []
    for run, found in numbers.items():
        for name, n in found.items():
            gain = None if name == IID else _gain(found, name, MIOU)
            rows.append((run, name, len(n.keys), n.miou, gain, n.calibration_rms, n.aurra))
        shifted = [found[name] for name in _shifts(found)]
        means = (mean_defined(n.calibration_rms for n in shifted), mean_defined(n.aurra for n in shifted))
        rows.append((run, MEAN, None, mean_defined(n.miou for n in shifted), None, *means))
    note = f"mIoU of the classes that occur; {IID} is the set as it is. {PAIRED} {CALIBRATION_NOTE}"
    return StudyTable("segmenters", "Segmenters", note, columns, tuple(rows))


def _detectors(numbers: Numbers) -> StudyTable:
    columns = (
        *(TableColumn(key, key) for key in ("run", "scorer", "shift")),
        _NUMBERS[0],
        TableColumn("change", "change of AUROC", "percent", better="higher"),
        *_NUMBERS[1:],
    )
    rows: list[tuple[Cell, ...]] = []
    for run, found in numbers.items():
        for scorer in found[IID].rows:
            for name, n in found.items():
                auroc, *rest = (mean_of([n], scorer, m) for m in MEASURES)
                gain = None if name == IID else _gain(found, name, "auroc", scorer)
                rows.append((run, scorer, name, auroc, gain, *rest))
            shifted = [found[name] for name in _shifts(found)]
            auroc, *rest = (mean_of(shifted, scorer, m) for m in MEASURES)
            rows.append((run, scorer, MEAN, auroc, None, *rest))
    note = (
        f"Means over images by the paper's definition. {PAIRED} False alarms: the share of ordinary pixels above the "
        f"threshold that flags {100 * FALSE_ALARMS:.0f} % of them on the set as it is."
    )
    return StudyTable("detectors", "Detectors", note, columns, tuple(rows))


def _left_out(left_out: Mapping[str, Mapping[str, int]]) -> Iterable[StudyTable]:
    rows = tuple((name, reason, count) for name, reasons in left_out.items() for reason, count in reasons.items())
    if rows:
        columns = (
            TableColumn("shift", "shift"),
            TableColumn("reason", "reason"),
            TableColumn("scenes", "scenes", "number"),
        )
        yield StudyTable("left_out", "Scenes that cannot be changed in this way", "", columns, rows)


def _plots(numbers: Numbers) -> Iterable[Plot]:
    for run, found in numbers.items():
        scorers, names = tuple(found[IID].rows), tuple(found)
        values = tuple(tuple(mean_of([found[name]], scorer, "auroc") for scorer in scorers) for name in names)
        note = f"Percent; blue: better than chance, orange: worse. {IID}: the set as it is."
        yield MatrixPlot(
            f"AUROC of {run} by shift", note, names, scorers, values, (), 0.0, 1.0, is_percent=True, digits=1
        )
        bars = tuple(Bar(name, n.miou) for name, n in found.items())
        axis = Axis("mIoU, %", 0.0, is_percent=True)
        yield BarPlot(f"mIoU of {run} by shift", "Of the classes that occur, in percent.", axis, bars)
    yield response_plot(
        {
            f"{run}, {what}": [found[name].response for name in chosen]
            for run, found in numbers.items()
            for what, chosen in ((IID, [IID]), ("shifted", _shifts(found)))
        }
    )
