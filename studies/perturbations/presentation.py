"""Presentation of a perturbation study: flip probabilities and rates, tables and plots."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from caos.studies.framework.measuring import FALSE_ALARMS, PictureNumbers, mean_defined
from caos.studies.framework.study import Finding
from caos.studies.perturbations.measuring import SequenceNumbers
from caos.studies.perturbations.perturbation import make_perturbation
from caos.studies.perturbations.stability import TOP_SHARE
from caos.studies.presentation.calibration import CALIBRATION_COLUMNS, CALIBRATION_NOTE, response_plot
from caos.studies.presentation.names import scorer_title
from caos.studies.presentation.plots import Axis, Bar, BarPlot, LinePlot, MatrixPlot, Plot
from caos.studies.presentation.tables import Cell, StudyTable, TableColumn

Numbers = Mapping[str, Mapping[str, Sequence[SequenceNumbers]]]
"""By run and perturbation, one a picture."""
CLASSES: Final = "classes"
AS_THEY_ARE: Final = "as they are"
MUCH: Final = 0.2
"""Share of pixels whose alarm flips that is drawn in full colour."""


def present(
    numbers: Numbers, clean: Mapping[str, PictureNumbers], baseline: str, frames: int, *, rendered: bool = False
) -> Finding:
    """What the study found; ``clean`` has each run's numbers on the pictures as they are."""
    means = {run: _means(found) for run, found in numbers.items()}
    rates = {run: _rates(means[run], means[baseline]) for run in numbers}
    return Finding(
        title="Is the answer stable when hardly anything changes?",
        lead=_lead(means, rates, baseline),
        tables=(
            _every_number(means, rates),
            _flips(means, rates, frames, rendered=rendered),
            _summary(means, rates),
            _calibration_table(numbers, clean),
        ),
        plots=(*_plots(means), _responses(numbers, clean)),
        details={
            "baseline": baseline,
            "means": means,
            "rates": rates,
            "mean rates": _mean_rates(rates),
            "calibration": {run: _calibration(found, clean[run]) for run, found in numbers.items()},
        },
    )


def _mean(sequences: Sequence[SequenceNumbers], read: Callable[[SequenceNumbers], float]) -> float:
    return float(np.mean([read(sequence) for sequence in sequences]))


def _means(found: Mapping[str, Sequence[SequenceNumbers]]) -> dict[str, dict[str, float]]:
    """By measure and perturbation: flips of classes, of each scorer's flag, and the distance of its lists."""
    scorers = tuple(next(iter(found.values()))[0].flags)
    measures: dict[str, dict[str, float]] = {CLASSES: {n: _mean(s, lambda one: one.classes) for n, s in found.items()}}
    for scorer in scorers:
        measures[f"flag {scorer}"] = {n: _mean(s, lambda one, c=scorer: one.flags[c]) for n, s in found.items()}  # type: ignore[misc]
    for scorer in scorers:
        measures[f"top {scorer}"] = {n: _mean(s, lambda one, c=scorer: one.tops[c]) for n, s in found.items()}  # type: ignore[misc]
    return measures


def _rates(
    own: Mapping[str, Mapping[str, float]], baseline: Mapping[str, Mapping[str, float]]
) -> dict[str, dict[str, float | None]]:
    """Each number over the baseline's; None where that is zero, or the baseline lacks the scorer."""
    rates: dict[str, dict[str, float | None]] = {}
    for measure, by_name in own.items():
        theirs = baseline.get(measure, {})
        rates[measure] = {
            name: value / theirs[name] if theirs.get(name, 0.0) > 0 else None for name, value in by_name.items()
        }
    return rates


def _mean_rates(rates: Mapping[str, Mapping[str, Mapping[str, float | None]]]) -> dict[str, dict[str, float | None]]:
    return {
        run: {measure: _defined(values.values()) for measure, values in found.items()} for run, found in rates.items()
    }


def _defined(values: Iterable[float | None]) -> float | None:
    """The mean; undefined where one of them is."""
    there = list(values)
    return None if not there or None in there else float(np.mean([v for v in there if v is not None]))


def _lead(means: Mapping[str, Any], rates: Mapping[str, Any], baseline: str) -> str:
    said = []
    for run, found in means.items():
        flips = float(np.mean(list(found[CLASSES].values())))
        flags = {
            m.removeprefix("flag "): float(np.mean(list(v.values()))) for m, v in found.items() if m[:5] == "flag "
        }
        calmest = min(flags, key=lambda scorer: flags[scorer])
        rate = _defined(rates[run][CLASSES].values())
        against = "" if run == baseline or rate is None else f" ({100 * rate:.0f} % of {baseline}'s: mFR)"
        said.append(
            f"{run}: {100 * flips:.1f} % of the pixels change their class from frame to frame{against}. The alarms of "
            f"{scorer_title(calmest)} are the calmest: they change at {100 * flags[calmest]:.1f} % of the pixels."
        )
    return " ".join(said)


def _heading(measure: str) -> str:
    what, scorer = _kind(measure)
    return f"{what} {scorer_title(scorer)}".rstrip(" –")


def _kind(measure: str) -> tuple[str, str]:
    """What flips, and whose it is."""
    what, _, scorer = measure.partition(" ")
    return {CLASSES: "class", "flag": "alarm", "top": "top list"}[what], scorer or "–"


def _every_number(means: Mapping[str, Any], rates: Mapping[str, Any]) -> StudyTable:
    columns = (
        *(TableColumn(key, key) for key in ("run", "perturbation", "what", "scorer")),
        TableColumn("value", "flip probability or distance", "percent", 2, "lower"),
        TableColumn("rate", "of the baseline's", "percent", 1, "lower"),
    )
    rows: list[tuple[Cell, ...]] = [
        (run, make_perturbation(name).title, *_kind(measure), value, rates[run][measure][name])
        for run, found in means.items()
        for measure, by_name in found.items()
        for name, value in by_name.items()
    ]
    return StudyTable("table", "Every number", "", columns, tuple(rows), shown_in=("csv",))


def _flips(means: Mapping[str, Any], rates: Mapping[str, Any], frames: int, *, rendered: bool) -> StudyTable:
    """One row a run and perturbation; a run without a scorer that another has leaves its cell empty."""
    measures = tuple(dict.fromkeys(measure for found in means.values() for measure in found))
    columns = (
        *(TableColumn(key, key) for key in ("run", "perturbation")),
        *(TableColumn(m, _heading(m), "percent", 2, "lower") for m in measures),
        TableColumn("rate", "FR of the class", "percent", 1, "lower"),
    )
    rows = tuple(
        (
            run,
            make_perturbation(name).title,
            *(found.get(measure, {}).get(name) for measure in measures),
            rates[run][CLASSES][name],
        )
        for run, found in means.items()
        for name in found[CLASSES]
    )
    how = " Translate, rotate, tilt, scale and snow are rendered; snow is rain." if rendered else ""
    note = (
        f"Sequences of {frames} frames.{how} Class and alarm: the share of pixels that change from frame to frame "
        "(noise: from the first), after moved frames are moved back. An alarm is a score above the threshold that "
        f"flags {100 * FALSE_ALARMS:.0f} % of the ordinary pixels of the pictures as they are. Top list: how far the "
        f"{100 * TOP_SHARE:g} % most anomalous pixels move in rank, the analogue of the paper's top-5 distance."
    )
    return StudyTable("flips", "Flips by perturbation", note, columns, rows)


def _summary(means: Mapping[str, Any], rates: Mapping[str, Any]) -> StudyTable:
    columns = (
        *(TableColumn(key, key) for key in ("run", "what", "scorer")),
        TableColumn("value", "mean", "percent", 2, "lower"),
        TableColumn("mean_rate", "mFR or mT5D", "percent", 1, "lower"),
    )
    rows = tuple(
        (run, *_kind(measure), float(np.mean(list(by_name.values()))), _defined(rates[run][measure].values()))
        for run, found in means.items()
        for measure, by_name in found.items()
    )
    note = "Means over perturbations. The rate is relative to the baseline's, undefined where the baseline never flips."
    return StudyTable("summary", "Flips in the mean", note, columns, rows)


def _calibration(
    found: Mapping[str, Sequence[SequenceNumbers]], clean: PictureNumbers
) -> dict[str, tuple[float | None, float | None]]:
    """RMS calibration error and AURRA, of pictures as they are and along each perturbation."""
    along = {
        name: (mean_defined(s.calibration_rms for s in sequences), mean_defined(s.aurra for s in sequences))
        for name, sequences in found.items()
    }
    return {AS_THEY_ARE: (clean.calibration_rms, clean.aurra), **along}


def _calibration_table(numbers: Numbers, clean: Mapping[str, PictureNumbers]) -> StudyTable:
    columns = (*(TableColumn(key, key) for key in ("run", "perturbation")), *CALIBRATION_COLUMNS)
    rows = tuple(
        (run, name if name == AS_THEY_ARE else make_perturbation(name).title, *values)
        for run, found in numbers.items()
        for name, values in _calibration(found, clean[run]).items()
    )
    note = f"{CALIBRATION_NOTE} Over all frames of a sequence, labels moved along; mean over sequences."
    return StudyTable("calibration", "Calibration", note, columns, rows)


def _responses(numbers: Numbers, clean: Mapping[str, PictureNumbers]) -> LinePlot:
    curves: dict[str, list[tuple[float, ...]]] = {}
    for run, found in numbers.items():
        curves[f"{run}, {AS_THEY_ARE}"] = [clean[run].response]
        curves[f"{run}, perturbed"] = [s.response for sequences in found.values() for s in sequences]
    return response_plot(curves)


def _plots(means: Mapping[str, Any]) -> Iterable[Plot]:
    for run, found in means.items():
        names = tuple(found[CLASSES])
        axis = Axis("pixels that change, %", 0.0, is_percent=True)
        bars = tuple(Bar(make_perturbation(name).title, found[CLASSES][name]) for name in names)
        yield BarPlot(f"Classes of {run} that flip", "Percent of the pixels, from frame to frame.", axis, bars)
        flags = {m.removeprefix("flag "): v for m, v in found.items() if m.startswith("flag ")}
        values = tuple(tuple(flags[scorer][name] for scorer in flags) for name in names)
        yield MatrixPlot(
            f"Alarms of {run} that flip",
            "Percent of the pixels, from frame to frame; orange: much.",
            tuple(make_perturbation(name).title for name in names),
            tuple(flags),
            values,
            (),
            MUCH,
            0.0,
            is_percent=True,
            digits=1,
        )
