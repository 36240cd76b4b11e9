"""Presentation of a hard-set study: what filtering costs each run, and which failures are shared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from caos.segmentation.training.calibration import Calibration, calibration_of
from caos.studies.filtration import FilterSettings
from caos.studies.framework.frames import FrameScores, JudgedFrame
from caos.studies.framework.study import Finding
from caos.studies.presentation.calibration import CALIBRATION_COLUMNS, CALIBRATION_NOTE, response_plot
from caos.studies.presentation.plots import Axis, Dot, MatrixPlot, ScatterPlot
from caos.studies.presentation.tables import Better, Cell, Estimate, StudyTable, TableColumn

SHOWN_FRAMES: Final = 40
WHOLE, PART = "all candidates", "filtered"


@dataclass(frozen=True)
class JudgedRun:
    """A run and what it made of every candidate; ``scorers`` as its columns are called, the one that decides first."""

    name: str
    frames: tuple[JudgedFrame, ...]
    scorers: tuple[str, ...]


@dataclass(frozen=True)
class Measure:
    """A number of every frame."""

    key: str
    title: str
    better: Better
    of: Callable[[JudgedFrame], float | None]


def _of_scorer(scorer: str, name: str) -> Callable[[JudgedFrame], float | None]:
    def value(frame: JudgedFrame) -> float | None:
        scores: FrameScores | None = (frame.scores or {}).get(scorer)
        return None if scores is None else float(getattr(scores, name))

    return value


def measures_of(scorer: str, kind: str) -> tuple[Measure, ...]:
    """What is said of a scorer on hazards, or of a segmenter on ordinary frames."""
    if kind == "A":
        return (
            Measure("iou", "mIoU", "higher", lambda frame: frame.iou),
            Measure("accuracy", "pixel accuracy", "higher", lambda frame: frame.accuracy),
        )
    return (
        Measure("auroc", "AUROC", "higher", _of_scorer(scorer, "auroc")),
        Measure("aupr", "AP", "higher", _of_scorer(scorer, "aupr")),
        Measure("fpr95", "FPR95", "lower", _of_scorer(scorer, "fpr95")),
        Measure("found", "hazard pixels found", "higher", lambda frame: frame.found(scorer)),
    )


def present(runs: Sequence[JudgedRun], hard: frozenset[str], rule: FilterSettings, seed: int, draws: int) -> Finding:
    """What the study found."""
    shared = _shared(runs, rule)
    return Finding(
        title=f"Do the frames of the filtered set ({rule.kind}) fool other runs, too?",
        lead=_lead(runs, hard, rule, shared),
        tables=(
            _table(runs, hard, rule, seed, draws),
            _calibration_table(runs, hard),
            _shared_table(runs, shared),
            _frame_table(runs, hard, rule),
        ),
        plots=(
            _matrix(runs, shared, rule),
            *(_scatter(runs, rule, hard) if len(runs) > 1 else ()),
            response_plot({f"{run}, {part}": [one.response] for (run, part), one in _calibrations(runs, hard).items()}),
        ),
        details={
            "calibration": {
                f"{run}, {part}": {"calibration_rms": one.rms, "aurra": one.aurra}
                for (run, part), one in _calibrations(runs, hard).items()
            },
            "rule": {"kind": rule.kind, "most_found": rule.most_found, "worst_share": rule.worst_share},
            "hard": sorted(hard),
            "failing": {run.name: _failing_keys(run, rule) for run in runs},
            "shared": shared,
        },
    )


def _values(frames: Sequence[JudgedFrame], measure: Measure) -> npt.NDArray[np.float64]:
    return np.array([value for frame in frames if (value := measure.of(frame)) is not None])


def _table(runs: Sequence[JudgedRun], hard: frozenset[str], rule: FilterSettings, seed: int, draws: int) -> StudyTable:
    rows: list[tuple[Cell, ...]] = []
    for run in runs:
        for scorer in run.scorers if rule.kind == "O" else ("",):
            for measure in measures_of(scorer, rule.kind):
                whole = _values(run.frames, measure)
                part = _values([frame for frame in run.frames if frame.key in hard], measure)
                if whole.size and part.size:
                    change = _change(whole, part, seed, draws)
                    rows.append((run.name, scorer, measure.title, float(whole.mean()), float(part.mean()), change))
    columns = (
        *(TableColumn(key, key) for key in ("run", "scorer", "measure")),
        TableColumn("full", WHOLE, "percent"),
        TableColumn("hard", PART, "percent"),
        TableColumn("change", "change", "percent"),
    )
    note = (
        "Means over frames, by the paper's definition. Found: share of hazard pixels above what 5 % of the frame's "
        "ordinary pixels exceed. Intervals resample the frames of both."
    )
    return StudyTable("table", "All candidates and the filtered ones", note, columns, tuple(rows))


def _calibrations(runs: Sequence[JudgedRun], hard: frozenset[str]) -> dict[tuple[str, str], Calibration]:
    """By run and frames: all candidates, and the filtered ones."""
    found = {}
    for run in runs:
        for part, frames in ((WHOLE, run.frames), (PART, [frame for frame in run.frames if frame.key in hard])):
            groups = [group for frame in frames for group in frame.confidence]
            found[run.name, part] = calibration_of(np.array(groups, np.float64).reshape(-1, 3))
    return found


def _calibration_table(runs: Sequence[JudgedRun], hard: frozenset[str]) -> StudyTable:
    columns = (TableColumn("run", "run"), TableColumn("frames", "frames"), *CALIBRATION_COLUMNS)
    rows = tuple((run, part, one.rms, one.aurra) for (run, part), one in _calibrations(runs, hard).items())
    return StudyTable("calibration", "Calibration", CALIBRATION_NOTE, columns, rows)


def _change(whole: npt.NDArray[np.float64], part: npt.NDArray[np.float64], seed: int, draws: int) -> Estimate:
    rng = np.random.default_rng(seed)
    changes = [rng.choice(part, part.size).mean() - rng.choice(whole, whole.size).mean() for _ in range(draws)]
    low, high = np.quantile(changes, (0.025, 0.975))
    return Estimate(float(part.mean() - whole.mean()), float(low), float(high))


def _failing_keys(run: JudgedRun, rule: FilterSettings) -> list[str]:
    """The candidates that a run itself would fail on, by the rule of the filtration."""
    if rule.kind == "O":
        found = ((frame.key, frame.found(run.scorers[0])) for frame in run.frames)
        return sorted(key for key, share in found if share is not None and share <= rule.most_found)
    ranked = sorted(run.frames, key=lambda frame: (frame.iou or 0.0, frame.key))
    return sorted(frame.key for frame in ranked[: max(int(np.ceil(rule.worst_share * len(ranked))), 1)])


def _shared(runs: Sequence[JudgedRun], rule: FilterSettings) -> list[dict[str, Any]]:
    """For every two runs: how often the second fails where the first does, and how often it fails at all."""
    failing = {run.name: set(_failing_keys(run, rule)) for run in runs}
    total = len(runs[0].frames)
    rows = []
    for one in runs:
        for other in runs:
            both = failing[one.name] & failing[other.name]
            rows.append(
                {
                    "run": one.name,
                    "other": other.name,
                    "failing": len(failing[one.name]),
                    "shared": len(both),
                    "share": len(both) / len(failing[one.name]) if failing[one.name] else None,
                    "anywhere": len(failing[other.name]) / total,
                }
            )
    return rows


def _shared_table(runs: Sequence[JudgedRun], shared: Sequence[dict[str, Any]]) -> StudyTable:
    columns = (
        TableColumn("run", "where this run fails"),
        TableColumn("failing", "frames", "number"),
        TableColumn("other", "this one fails as well"),
        TableColumn("shared", "frames, both", "number"),
        TableColumn("share", "share", "percent"),
        TableColumn("anywhere", "its share of all candidates", "percent"),
    )
    keys = ("run", "failing", "other", "shared", "share", "anywhere")
    rows = tuple(tuple(row[key] for key in keys) for row in shared if row["run"] != row["other"] or len(runs) == 1)
    note = "Failures are shared where the share is above what the other run fails on anyway."
    return StudyTable("shared", "Shared failures", note, columns, rows)


def _frame_table(runs: Sequence[JudgedRun], hard: frozenset[str], rule: FilterSettings) -> StudyTable:
    """What each run makes of each filtered frame."""
    columns = [TableColumn("key", "frame"), TableColumn("kind", "what it is" if rule.kind == "O" else "mistaken class")]
    for run in runs:
        columns.append(TableColumn(f"{run.name} value", f"{run.name}: {_value_title(rule)}", "percent"))
        columns.append(TableColumn(f"{run.name} taken_for", f"{run.name}: taken for"))
    by_key = [{frame.key: frame for frame in run.frames} for run in runs]
    rows = []
    for key in [frame.key for frame in runs[0].frames if frame.key in hard][:SHOWN_FRAMES]:
        cells: list[Cell] = [key, _kind(by_key[0][key], rule)]
        for run, frames in zip(runs, by_key, strict=True):
            cells += [_value(frames[key], run, rule), _taken_for(frames[key], rule)]
        rows.append(tuple(cells))
    return StudyTable("frames", "Filtered frames", "", tuple(columns), tuple(rows))


def _value_title(rule: FilterSettings) -> str:
    return "found" if rule.kind == "O" else "mIoU"


def _value(frame: JudgedFrame, run: JudgedRun, rule: FilterSettings) -> float | None:
    return frame.found(run.scorers[0]) if rule.kind == "O" else frame.iou


def _kind(frame: JudgedFrame, rule: FilterSettings) -> str:
    return frame.hazards[0].kind if rule.kind == "O" else frame.true_class


def _taken_for(frame: JudgedFrame, rule: FilterSettings) -> str:
    return frame.hazards[0].taken_for if rule.kind == "O" else f"{frame.true_class}: {frame.taken_for}"


def _matrix(runs: Sequence[JudgedRun], shared: Sequence[dict[str, Any]], rule: FilterSettings) -> MatrixPlot:
    names = tuple(run.name for run in runs)
    found = {(row["run"], row["other"]): row for row in shared}
    values = tuple(tuple(found[one, other]["share"] for other in names) for one in names)
    details = tuple(
        tuple(
            f"{found[one, other]['shared']} of {found[one, other]['failing']} frames; anywhere: "
            f"{100 * found[one, other]['anywhere']:.0f} %"
            for other in names
        )
        for one in names
    )
    what = "finds next to nothing of the hazards" if rule.kind == "O" else "segments worst"
    note = f"Of the frames where the run of the row {what}: the share where that of the column fails as well."
    return MatrixPlot("Shared failures", note, names, names, values, details, 0.0, 1.0, is_percent=True, digits=0)


def _scatter(runs: Sequence[JudgedRun], rule: FilterSettings, hard: frozenset[str]) -> tuple[ScatterPlot, ...]:
    """Each candidate as a dot: the first run across, each other one up."""
    plots = []
    first = {frame.key: _value(frame, runs[0], rule) for frame in runs[0].frames}
    title = "hazard pixels found" if rule.kind == "O" else "mIoU"
    for run in runs[1:]:
        dots = []
        for frame in run.frames:
            x, y = first.get(frame.key), _value(frame, run, rule)
            if x is not None and y is not None:
                dots.append(Dot(_kind(frame, rule) if frame.key in hard else "", x, y))
        axes = [Axis(f"{title}, {name}, %", 0.0, 1.0, is_percent=True) for name in (runs[0].name, run.name)]
        note = "Each dot is a candidate, filtered ones by name. Failures are shared where dots lie at the lower left."
        plots.append(ScatterPlot(f"{runs[0].name} and {run.name}", note, axes[0], axes[1], tuple(dots), diagonal=True))
    return tuple(plots)


def _lead(
    runs: Sequence[JudgedRun], hard: frozenset[str], rule: FilterSettings, shared: Sequence[dict[str, Any]]
) -> str:
    measure = measures_of(runs[0].scorers[0], rule.kind)[0]
    said = [f"{len(hard)} of {len(runs[0].frames)} candidates were kept."]
    for run in runs:
        own = measures_of(run.scorers[0], rule.kind)[0]
        whole = _values(run.frames, own).mean()
        part = _values([frame for frame in run.frames if frame.key in hard], own).mean()
        said.append(f"{run.name}: {measure.title} {100 * whole:.1f} on all of them, {100 * part:.1f} on those.")
    pairs = [row for row in shared if row["run"] != row["other"] and row["share"] is not None]
    if pairs:
        mean, anywhere = (float(np.mean([row[key] for row in pairs])) for key in ("share", "anywhere"))
        said.append(
            f"Of the frames on which one run fails, another fails on {100 * mean:.0f} %, and on "
            f"{100 * anywhere:.0f} % of all frames."
        )
    return " ".join(said)
