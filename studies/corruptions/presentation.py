"""Presentation of a corruption study: errors against the baseline, detectors under corruption, tables and plots."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal

import numpy as np

from caos.foundation.errors import CaosError
from caos.studies.corruptions.corruption import make_corruption
from caos.studies.corruptions.corruption_error import corruption_error, relative_corruption_error
from caos.studies.corruptions.measuring import Condition
from caos.studies.framework.measuring import FALSE_ALARMS, MEASURES, PictureNumbers, mean_defined, mean_of
from caos.studies.framework.study import Finding
from caos.studies.presentation.calibration import CALIBRATION_COLUMNS, response_plot
from caos.studies.presentation.examples import SCRIPT
from caos.studies.presentation.names import scorer_title
from caos.studies.presentation.plots import Axis, LinePlot, MatrixPlot, Plot, Series
from caos.studies.presentation.tables import Cell, StudyTable, TableColumn

Numbers = Mapping[str, Mapping[Condition, PictureNumbers]]
CLEAN: Final = Condition()
TRAINED_WITH: Final[Mapping[str, tuple[str, ...]]] = {
    "noise": ("gaussian_noise", "shot_noise", "speckle_noise"),
    "blur": ("gaussian_blur", "defocus_blur"),
    "jpeg": ("jpeg_compression",),
    "exposure": ("brightness",),
    "gamma": ("brightness", "contrast"),
    "color": ("brightness", "contrast", "saturate"),
    "camera": (
        *("gaussian_noise", "shot_noise", "speckle_noise", "gaussian_blur", "defocus_blur"),
        *("jpeg_compression", "brightness", "contrast"),
    ),
}
"""Corruptions that an augmentation of training resembles: a run that trained with it has seen them."""
MARK: Final = " *"
MARK_NOTE: Final = "* The run was trained with pictures changed in this or a similar way: not unseen."


def present(
    numbers: Numbers,
    baseline: str,
    augmentations: Mapping[str, Sequence[str]],
    examples: Sequence[Mapping[str, Any]] = (),
) -> Finding:
    """What the study found, with pictures that are in its folder."""
    seen = {run: {c for a in names for c in TRAINED_WITH.get(a, ())} for run, names in augmentations.items()}
    errors = {run: _errors(numbers[run], numbers[baseline]) for run in numbers}
    summary = _summary(numbers, errors, seen)
    return Finding(
        title="What corruptions do",
        lead=_lead(numbers, errors, baseline),
        tables=(_every_number(numbers), summary, _error_table(numbers, errors, seen), _scorer_table(numbers)),
        plots=tuple(_plots(numbers)),
        details={
            "examples": [dict(example) for example in examples],
            "baseline": baseline,
            "trained with": {run: sorted(names) for run, names in seen.items()},
            "errors": {
                run: {**found, "mce": _mce(found, "ce"), "relative_mce": _mce(found, "relative_ce")}
                for run, found in errors.items()
            },
            "numbers": {run: {c.name: _told(n) for c, n in found.items()} for run, found in numbers.items()},
        },
        script=SCRIPT,
    )


def _corruptions(found: Mapping[Condition, Any]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(c.corruption for c in found if c.corruption is not None))


def _of(found: Mapping[Condition, PictureNumbers], corruption: str) -> list[PictureNumbers]:
    return [numbers for condition, numbers in found.items() if condition.corruption == corruption]


def _errors(found: Mapping[Condition, PictureNumbers], baseline: Mapping[Condition, PictureNumbers]) -> dict[str, Any]:
    """CE and relative CE by corruption; None where the baseline loses nothing, so that the ratio is undefined."""
    clean, theirs_clean = 1 - found[CLEAN].miou, 1 - baseline[CLEAN].miou
    ce: dict[str, float | None] = {}
    relative: dict[str, float | None] = {}
    for name in _corruptions(found):
        own, theirs = ([1 - n.miou for n in _of(one, name)] for one in (found, baseline))
        try:
            ce[name] = corruption_error(own, theirs)
        except CaosError:
            ce[name] = None
        try:
            relative[name] = relative_corruption_error(own, clean, theirs, theirs_clean)
        except CaosError:
            relative[name] = None
    return {"ce": ce, "relative_ce": relative}


def _mce(errors: Mapping[str, Any], which: str) -> float | None:
    """The mean over corruptions; undefined where one of them is."""
    values = list(errors[which].values())
    return None if not values or None in values else float(np.mean(values))


def _told(numbers: PictureNumbers) -> dict[str, Any]:
    return {
        "miou": numbers.miou,
        "calibration_rms": numbers.calibration_rms,
        "aurra": numbers.aurra,
        "response": list(numbers.response),
        "scorers": {s: {m: mean_of([numbers], s, m) for m in MEASURES} for s in numbers.rows},
    }


def _in_a_sentence(title: str) -> str:
    """A title within a sentence.

    >>> _in_a_sentence("Fog"), _in_a_sentence("JPEG compression")
    ('fog', 'JPEG compression')
    """
    return title if title[:2].isupper() else title[0].lower() + title[1:]


def _lead(numbers: Numbers, errors: Mapping[str, Any], baseline: str) -> str:
    said = []
    for run, found in numbers.items():
        corrupted = [n for c, n in found.items() if c != CLEAN]
        loss = mean_defined(n.miou for n in corrupted)
        mce = _mce(errors[run], "ce")
        against = "" if run == baseline or mce is None else f" (mCE {100 * mce:.0f} % of {baseline}'s)"
        said.append(f"{run}: mIoU {100 * found[CLEAN].miou:.1f} clean, {100 * (loss or 0):.1f} corrupted{against}.")
        rows = [(s, mean_of([found[CLEAN]], s, "auroc"), mean_of(corrupted, s, "auroc")) for s in found[CLEAN].rows]
        best = max(rows, key=lambda row: row[2] or 0)
        if best[1] is not None and best[2] is not None:
            alarms = mean_of(corrupted, best[0], "false_alarms") or 0
            loud = {name: mean_of(_of(found, name), best[0], "false_alarms") or 0 for name in _corruptions(found)}
            loudest = max(loud, key=lambda name: loud[name])
            said.append(
                f"Its best detector under corruption, {scorer_title(best[0])}, goes from AUROC {100 * best[1]:.1f} to "
                f"{100 * best[2]:.1f}, and flags {100 * alarms:.1f} % of the ordinary pixels where it flagged "
                f"{100 * FALSE_ALARMS:.0f} %, most under {_in_a_sentence(make_corruption(loudest).title)} "
                f"({100 * loud[loudest]:.1f} %)."
            )
    return " ".join(said)


def _title(corruption: str, seen: Iterable[str]) -> str:
    return make_corruption(corruption).title + (MARK if corruption in seen else "")


def _percent(key: str, title: str, better: Any) -> TableColumn:
    return TableColumn(key, title, "percent", better=better)


_SCORER_COLUMNS: Final = (
    _percent("auroc", "AUROC", "higher"),
    _percent("aupr", "AP", "higher"),
    _percent("fpr95", "FPR95", "lower"),
    _percent("false_alarms", "false alarms", "lower"),
)


def _every_number(numbers: Numbers) -> StudyTable:
    columns = (
        *(TableColumn(key, key) for key in ("run", "corruption")),
        TableColumn("severity", "severity", "number"),
        TableColumn("scorer", "scorer"),
        *_SCORER_COLUMNS,
    )
    rows = tuple(
        (run, c.corruption or "clean", c.severity, scorer, *(mean_of([n], scorer, m) for m in MEASURES))
        for run, found in numbers.items()
        for c, n in found.items()
        for scorer in n.rows
    )
    return StudyTable("table", "Every detector under every condition", "", columns, rows, shown_in=("csv",))


def _summary(numbers: Numbers, errors: Mapping[str, Any], seen: Mapping[str, set[str]]) -> StudyTable:
    columns = (
        TableColumn("run", "run"),
        _percent("clean", "error, clean", "lower"),
        _percent("corrupted", "error, corrupted", "lower"),
        _percent("mce", "mCE", "lower"),
        _percent("relative_mce", "relative mCE", "lower"),
        *(_percent(f"rms_{when}", f"RMS, {when}", "lower") for when in ("clean", "corrupted")),
        *(_percent(f"aurra_{when}", f"AURRA, {when}", "higher") for when in ("clean", "corrupted")),
    )
    rows: list[tuple[Cell, ...]] = []
    for run, found in numbers.items():
        corrupted = [n for c, n in found.items() if c != CLEAN]
        error = mean_defined(1 - n.miou for n in corrupted)
        means = (_mce(errors[run], "ce"), _mce(errors[run], "relative_ce"))
        rms = (found[CLEAN].calibration_rms, mean_defined(n.calibration_rms for n in corrupted))
        aurra = (found[CLEAN].aurra, mean_defined(n.aurra for n in corrupted))
        marked = run + (MARK if seen[run] & set(_corruptions(found)) else "")
        rows.append((marked, 1 - found[CLEAN].miou, error, *means, *rms, *aurra))
    note = (
        "Error is 1 - mIoU of the classes that occur. mCE: the error under each corruption as a share of the "
        "baseline's, mean over corruptions; relative: of what each loses against clean pictures. RMS: calibration "
        f"error. {MARK_NOTE}"
    )
    return StudyTable("summary", "Segmenters", note, columns, tuple(rows))


def _error_table(numbers: Numbers, errors: Mapping[str, Any], seen: Mapping[str, set[str]]) -> StudyTable:
    columns = (
        *(TableColumn(key, key) for key in ("run", "corruption")),
        _percent("error", "error", "lower"),
        _percent("ce", "CE", "lower"),
        _percent("relative_ce", "relative CE", "lower"),
        *CALIBRATION_COLUMNS,
    )
    rows: list[tuple[Cell, ...]] = []
    for run, found in numbers.items():
        for name in _corruptions(found):
            part = _of(found, name)
            ratios = (errors[run]["ce"][name], errors[run]["relative_ce"][name])
            sure = (mean_defined(n.calibration_rms for n in part), mean_defined(n.aurra for n in part))
            rows.append((run, _title(name, seen[run]), mean_defined(1 - n.miou for n in part), *ratios, *sure))
    note = f"Means over severities. A relative CE is missing where the baseline loses nothing. {MARK_NOTE}"
    return StudyTable("errors", "Segmenters by corruption", note, columns, tuple(rows))


def _scorer_table(numbers: Numbers) -> StudyTable:
    columns = (*(TableColumn(key, key) for key in ("run", "scorer", "corruption")), *_SCORER_COLUMNS)
    rows = tuple(
        (run, scorer, make_corruption(name).title if name else "clean", *(mean_of(part, scorer, m) for m in MEASURES))
        for run, found in numbers.items()
        for scorer in found[CLEAN].rows
        for name, part in (("", [found[CLEAN]]), *((c, _of(found, c)) for c in _corruptions(found)))
    )
    note = (
        "Means over severities, and over images by the paper's definition. False alarms: the share of ordinary pixels "
        f"above the threshold that flags {100 * FALSE_ALARMS:.0f} % of them on clean pictures."
    )
    return StudyTable("detectors", "Detectors by corruption", note, columns, rows)


def _plots(numbers: Numbers) -> Iterable[Plot]:
    for run, found in numbers.items():
        yield _matrix(run, found)
        yield _error_lines(run, found)
        for measure, title in (("auroc", "AUROC"), ("false_alarms", "False alarms")):
            yield _scorer_lines(run, found, measure, title)
    yield _responses(numbers)


def _matrix(run: str, found: Mapping[Condition, PictureNumbers]) -> MatrixPlot:
    names = _corruptions(found)
    scorers = tuple(found[CLEAN].rows)
    parts = ([found[CLEAN]], *(_of(found, name) for name in names))
    values = tuple(tuple(mean_of(part, scorer, "auroc") for scorer in scorers) for part in parts)
    return MatrixPlot(
        f"AUROC of {run} by corruption",
        "Mean over severities; blue: better than chance, orange: worse.",
        ("clean", *(make_corruption(name).title for name in names)),
        scorers,
        values,
        (),
        0.0,
        1.0,
        is_percent=True,
        digits=1,
    )


def _levels(found: Mapping[Condition, Any]) -> tuple[int, ...]:
    return tuple(sorted({condition.severity for condition in found}))


def _severity_axis(found: Mapping[Condition, Any]) -> Axis:
    return Axis("severity", names=tuple("clean" if level == 0 else str(level) for level in _levels(found)))


def _error_lines(run: str, found: Mapping[Condition, PictureNumbers]) -> LinePlot:
    levels = _levels(found)
    series = tuple(
        Series(
            make_corruption(name).title,
            tuple(
                (float(place), 1 - (found[CLEAN] if level == 0 else found[Condition(name, level)]).miou)
                for place, level in enumerate(levels)
            ),
        )
        for name in _corruptions(found)
    )
    note = "1 - mIoU; what costs most is coloured."
    axis = Axis("error, %", is_percent=True)
    return LinePlot(f"Error of {run} by severity", note, _severity_axis(found), axis, series)


def _scorer_lines(run: str, found: Mapping[Condition, PictureNumbers], measure: str, title: str) -> LinePlot:
    series = []
    for scorer in found[CLEAN].rows:
        points = []
        for place, level in enumerate(_levels(found)):
            value = mean_of([n for c, n in found.items() if c.severity == level], scorer, measure)
            if value is not None:
                points.append((float(place), value))
        series.append(Series(scorer, tuple(points)))
    note = "Mean over corruptions, in percent."
    axis = Axis(f"{title}, %", is_percent=True)
    better: Literal["higher", "lower"] = "higher" if measure in ("auroc", "aupr") else "lower"
    return LinePlot(f"{title} of {run} by severity", note, _severity_axis(found), axis, tuple(series), better)


def _responses(numbers: Numbers) -> LinePlot:
    """Clean, and under the highest severity."""
    curves = {}
    for run, found in numbers.items():
        most = max(_levels(found))
        for name, level in (("clean", 0), (f"severity {most}", most)):
            curves[f"{run}, {name}"] = [n.response for c, n in found.items() if c.severity == level]
    return response_plot(curves)
