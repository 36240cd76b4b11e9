"""Hypothesis study: pairs of trainings that differ in one thing, measured on ordinary, corrupted and other pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from caos.foundation.errors import CaosError
from caos.foundation.execution.progress import SILENT, Progress
from caos.scenes.dataset.layout import Dataset, open_dataset
from caos.scenes.labels import PHOTOGRAPHS
from caos.studies.corruptions.measuring import Condition
from caos.studies.exposure.study import is_other_run
from caos.studies.framework.frames import CLEAN, JudgedFrame, judged
from caos.studies.framework.named_folders import Named, named, told_apart
from caos.studies.framework.runs import StudiedRun, load_run, plans_of
from caos.studies.framework.study import Study, StudyFolder, study_folder
from caos.studies.hypotheses.evidence import Evidence, weigh
from caos.studies.hypotheses.grid import SMALL_GRID, HypothesisGrid, read_grid, run_name
from caos.studies.hypotheses.presentation import present

NAME: Final = "hypotheses"
ORDINARY: Final = "ordinary"
CORRUPTED: Final = "corruptions"
MEASURES: Final = {"miou": "mIoU", "auroc": "AUROC"}
DRAWS: Final = 2000


@dataclass(frozen=True)
class HypothesisSettings:
    """How hypotheses are tested.

    Attributes:
        grid: TOML file of the pairs; None for the small one of the package.
        images: Most images of each set; 0 for all.
        device: As for ``caos train``.
        seed: Of corruptions, fits, and of drawing anew.
        draws: How many draws of images and seeds.
        overwrite: Whether runs in the study's folder that no longer fit are trained again.
    """

    grid: Path | None = None
    images: int = 0
    device: str = "auto"
    seed: int = 0
    draws: int = DRAWS
    overwrite: bool = False


@dataclass(frozen=True)
class Shift:
    """Pictures that robustness is measured on: a set, perhaps corrupted."""

    name: str
    dataset: Dataset
    conditions: tuple[Condition, ...]


def study_hypotheses(
    dataset: str | Path,
    out: str | Path,
    *,
    on: Sequence[str | Path] = (),
    settings: HypothesisSettings | None = None,
    progress: Progress = SILENT,
) -> Study:
    """Train the pairs of a grid on a set, measure them under shifts, and say what helps.

    Args:
        dataset: Set to train on; its test part is the ordinary one, and what is corrupted.
        out: Folder of the study; runs are kept under ``out/runs``.
        on: Other sets to measure on, each perhaps with a name: filtered ones, shifted ones, photographs.
        settings: How they are tested.
        progress: Where progress is shown.

    Raises:
        CaosError: If a set or the grid cannot be used, or a training fails.
    """
    settings = settings or HypothesisSettings()
    grid = read_grid(settings.grid or SMALL_GRID, settings.device)
    opened = open_dataset(Path(dataset))
    shifts = _shifts(opened, on, grid)
    with study_folder(Path(out), NAME, progress) as place:
        runs = _trained(grid, opened, place, settings)
        tables, plans = _measured(grid, runs, shifts, opened, place, settings)
        found = _weighed(grid, tables, shifts, settings)
        asked = {**asdict(settings), "grid": str(settings.grid or "small"), "set": str(dataset), "on": [*map(str, on)]}
        identity = [plans, [asdict(pair) for pair in grid.hypothesis], list(grid.seeds), grid.scorer]
        return place.finish(identity, asked, lambda: present(found, grid), settings.seed)


def _shifts(dataset: Dataset, on: Sequence[str | Path], grid: HypothesisGrid) -> list[Shift]:
    dataset.samples("test")
    others = told_apart([named(str(one)) for one in on], "set")
    corrupted = [Shift(CORRUPTED, dataset, grid.conditions())] if grid.conditions() else []
    return [
        Shift(ORDINARY, dataset, (CLEAN,)),
        *corrupted,
        *(Shift(one.name, open_dataset(one.path, strict=False), (CLEAN,)) for one in others),
    ]


def _sides(grid: HypothesisGrid) -> list[dict[str, Any]]:
    """What is changed in the two trainings of every pair, each once."""
    found: list[dict[str, Any]] = []
    for pair in grid.hypothesis:
        found += [side for side in (pair.base, pair.with_) if side not in found]
    return found


def _trained(
    grid: HypothesisGrid, dataset: Dataset, place: StudyFolder, settings: HypothesisSettings
) -> dict[str, Path]:
    """Every run of the grid, by name."""
    from caos.segmentation.training.train import train

    jobs = [(side, seed) for seed in grid.seeds for side in _sides(grid)]
    runs = {}
    for number, (side, seed) in enumerate(jobs, 1):
        name = run_name(side, seed)
        runs[name] = place.folder / "runs" / name
        config = grid.config(side, seed, settings.device)
        place.progress.say(f"[{number}/{len(jobs)}] {name}: {side or 'as every run'}")
        stale = settings.overwrite and is_other_run(dataset, runs[name], config, place.progress)
        train(dataset, runs[name], config, overwrite=stale, progress=place.progress)
    return runs


Tables = dict[tuple[str, str, str], npt.NDArray[np.float64]]
"""By run, shift and measure, a number for every image; not a number where an image has none."""


def _measured(
    grid: HypothesisGrid,
    runs: Mapping[str, Path],
    shifts: Sequence[Shift],
    dataset: Dataset,
    place: StudyFolder,
    settings: HypothesisSettings,
) -> tuple[Tables, dict[str, Any]]:
    tables: Tables = {}
    plans: dict[str, Any] = {}
    for name, path in runs.items():
        for shift in shifts:
            run = load_run(Named(name, path), shift.dataset, grid.scorer, dataset.root, settings.device, settings.seed)
            key = f"{name}/{shift.name.replace('/', '_')}"
            plans[key] = plans_of([run], place.folder, "test", settings.seed)[name]
            frames = _frames(run, shift, key, plans[key], place, settings)
            for measure in MEASURES:
                tables[name, shift.name, measure] = _numbers(frames, measure, shift)
    return tables, plans


def _frames(
    run: StudiedRun, shift: Shift, key: str, plan: Any, place: StudyFolder, settings: HypothesisSettings
) -> list[list[JudgedFrame]]:
    """What a run makes of the images of a shift, condition by condition."""
    run.source.prepare(run.dataset, settings.seed, place.progress)
    samples = shift.dataset.samples("test")
    if settings.images:
        wanted = np.unique(np.linspace(0, len(samples) - 1, min(settings.images, len(samples))).astype(int))
        samples = tuple(samples[i] for i in wanted)
    return [
        judged(place, run, samples, plan, name=f"{key}/{one.name}", condition=one, seed=settings.seed)
        for one in shift.conditions
    ]


def _numbers(frames: Sequence[Sequence[JudgedFrame]], measure: str, shift: Shift) -> npt.NDArray[np.float64]:
    """A number for every image: the mean over conditions."""

    def value(frame: JudgedFrame) -> float:
        if measure == "miou":
            return np.nan if frame.iou is None or shift.dataset.labels == PHOTOGRAPHS else frame.iou
        return next(iter(frame.scores.values())).auroc if frame.scores else np.nan

    return np.asarray(np.array([[value(frame) for frame in part] for part in frames]).mean(0), np.float64)


def _weighed(
    grid: HypothesisGrid, tables: Tables, shifts: Sequence[Shift], settings: HypothesisSettings
) -> dict[str, dict[str, dict[str, Evidence]]]:
    """Evidence by measure, hypothesis and shift; a shift whose images lack the measure is left out."""
    found: dict[str, dict[str, dict[str, Evidence]]] = {}
    for measure in MEASURES:
        for pair in grid.hypothesis:
            for shift in shifts:
                base, changed = (
                    np.stack([tables[run_name(side, seed), shift.name, measure] for seed in grid.seeds])
                    for side in (pair.base, pair.with_)
                )
                there = ~np.isnan(base).any(0) & ~np.isnan(changed).any(0)
                if there.any():
                    rng = np.random.default_rng(settings.seed)
                    evidence = weigh(base[:, there], changed[:, there], rng, settings.draws)
                    found.setdefault(measure, {}).setdefault(pair.name, {})[shift.name] = evidence
    if not found:
        raise CaosError("no image of any set has classes or hazards to measure")
    return found
