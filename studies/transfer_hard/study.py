"""Hard-set study: runs on all candidates and on those that were filtered, and which failures they share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from caos.foundation.errors import CaosError
from caos.foundation.execution.progress import SILENT, Progress
from caos.foundation.settings import read_record
from caos.scenes.dataset.layout import Dataset, open_dataset
from caos.studies.filtration import FilterSettings
from caos.studies.framework.frames import JudgedFrame, judged
from caos.studies.framework.named_folders import named, told_apart
from caos.studies.framework.runs import labelled_samples, load_run, plans_of
from caos.studies.framework.study import Study, study_folder
from caos.studies.transfer_hard.presentation import JudgedRun, present

NAME: Final = "transfer-hard"
DRAWS: Final = 1000


@dataclass(frozen=True)
class HardSettings:
    """How a hard-set study measures.

    Attributes:
        scorers: As for ``caos score``; the first one decides what is missed.
        device: As for ``caos score``.
        seed: Of fits and of drawing frames anew.
        draws: How many sets of frames are drawn for intervals.
    """

    scorers: str = "msp,max_logit"
    device: str = "auto"
    seed: int = 0
    draws: int = DRAWS


def study_transfer_hard(
    dataset: str | Path,
    hard: str | Path,
    runs: Sequence[str | Path],
    out: str | Path,
    *,
    settings: HardSettings | None = None,
    progress: Progress = SILENT,
) -> Study:
    """Judge runs on all candidates, and compare those that were filtered with all of them.

    Args:
        dataset: The candidates.
        hard: A set that ``caos scenes filter`` made of them.
        runs: Folders of runs, each perhaps with a name; the reference may be among them.
        out: Folder of the study.
        settings: How it measures.
        progress: Where progress is shown.

    Raises:
        CaosError: If a folder cannot be used, or the one set was not made of the other.
    """
    settings = settings or HardSettings()
    opened, chosen = open_dataset(Path(dataset)), open_dataset(Path(hard), strict=False)
    rule = filter_rule(chosen)
    samples = labelled_samples(opened, rule.candidates)
    keys = _hard_keys(chosen, rule, {sample.key for sample in samples}, opened)
    places = told_apart([named(str(run)) for run in runs], "run")
    if not places:
        raise CaosError("no run given; write --run RUN, repeated for several")
    with study_folder(Path(out), NAME, progress) as place:
        loaded = [load_run(run, opened, settings.scorers, None, settings.device, settings.seed) for run in places]
        plans = plans_of(loaded, place.folder, rule.candidates, settings.seed)
        found = []
        for run in loaded:
            run.source.prepare(run.dataset, settings.seed, progress)
            name = run.name.replace("/", "_")
            frames = judged(place, run, samples, plans[run.name], name=name, seed=settings.seed)
            found.append(JudgedRun(run.name, _fitting(frames, rule, opened), tuple(run.source.columns)))
        identity = [plans, sorted(keys), asdict(rule), asdict(settings)]
        asked = {**asdict(settings), "set": str(dataset), "hard": str(hard), "runs": [run.name for run in places]}
        return place.finish(
            identity, asked, lambda: present(found, keys, rule, settings.seed, settings.draws), settings.seed
        )


def filter_rule(hard: Dataset) -> FilterSettings:
    """The settings with which a set was filtered.

    Raises:
        CaosError: If it was not.
    """
    said: Any = hard.info.get("filtered")
    if not isinstance(said, dict):
        raise CaosError(f"{hard.root} was not made by caos scenes filter: its dataset.json has no 'filtered'")
    own = {key: value for key, value in said.items() if key not in ("run", "set", "steps")}
    return read_record(FilterSettings, own, hard.root / "dataset.json")


def _hard_keys(hard: Dataset, rule: FilterSettings, known: set[str], dataset: Dataset) -> frozenset[str]:
    keys = frozenset(sample.key for sample in labelled_samples(hard, rule.candidates))
    if foreign := sorted(keys - known):
        raise CaosError(f"{hard.root} was not filtered from {dataset.root}, which has no image {foreign[0]!r}")
    return keys


def _fitting(frames: Sequence[JudgedFrame], rule: FilterSettings, dataset: Dataset) -> tuple[JudgedFrame, ...]:
    """The frames that were candidates: with hazards, or without."""
    fitting = tuple(f for f in frames if bool(f.hazards) == (rule.kind == "O") and f.iou is not None)
    if not fitting:
        raise CaosError(f"{dataset.root} has no candidate of kind {rule.kind} in split {rule.candidates!r}")
    return fitting
