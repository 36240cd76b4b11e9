"""Perturbation study: whether classes and alarms stay while a picture hardly changes, against a baseline run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from caos.foundation.errors import CaosError
from caos.foundation.progress import SILENT, Progress
from caos.foundation.settings import read_record
from caos.ood_scores.sources.source import spread
from caos.scenes.layout import Dataset, Sample, open_dataset
from caos.studies.corruptions.measuring import Condition, measure
from caos.studies.perturbations.measuring import SequenceNumbers, frames_of, measure_sequence
from caos.studies.perturbations.perturbation import FRAMES, REGISTRY, make_perturbation
from caos.studies.perturbations.presentation import present
from caos.studies.places import named, told_apart
from caos.studies.runs import StudiedRun, choose_baseline, labelled_samples, load_run, plans_of
from caos.studies.study import Study, StudyFolder, study_folder

NAME: Final = "perturbations"
HERE: Final = Path(__file__).parent
CORRUPTIONS: Final = HERE.parent / "corruptions"
"""Whose measuring sets the thresholds."""
SCORERS: Final = "msp,max_logit,energy,entropy"


@dataclass(frozen=True)
class PerturbationSettings:
    """What a perturbation study does.

    Attributes:
        perturbations: Comma-separated names, or ``all``.
        frames: Of a sequence; the paper has 31.
        images: Pictures, evenly spread over the split; each gives one sequence a perturbation.
        scorers: As for ``caos score``.
        split: Which images.
        fit_on: Set to fit scorers on; None for that of each run.
        device: As for ``caos score``.
        seed: Of fits and perturbations.
    """

    perturbations: str = "all"
    frames: int = FRAMES
    images: int = 8
    scorers: str = SCORERS
    split: str = "test"
    fit_on: Path | None = None
    device: str = "auto"
    seed: int = 0

    def __post_init__(self) -> None:
        for name, least in (("frames", 2), ("images", 1)):
            if getattr(self, name) < least:
                raise CaosError(f"{name} is {getattr(self, name)!r}, and must be at least {least}")


def study_perturbations(
    dataset: str | Path | Dataset,
    runs: Sequence[str | Path],
    out: str | Path,
    *,
    baseline: str | Path | None = None,
    settings: PerturbationSettings | None = None,
    progress: Progress = SILENT,
) -> Study:
    """Measure how stable runs are along sequences of frames that hardly differ.

    Every sequence is kept when it is measured.

    Args:
        dataset: The set, or its folder.
        runs: Folders of trained runs, each perhaps with a name: ``"plain=/runs/1"``.
        out: Folder of the study.
        baseline: The run that flip rates compare with: one of the runs, by name or folder; None for the first.
        settings: What is done.
        progress: Where progress is shown.

    Raises:
        CaosError: If a folder cannot be used, a name is unknown, or a picture cannot be measured.
    """
    settings = settings or PerturbationSettings()
    names = REGISTRY.parse(settings.perturbations)
    places = told_apart([named(str(run)) for run in runs], "run")
    chosen = choose_baseline(places, baseline)
    opened = dataset if isinstance(dataset, Dataset) else open_dataset(Path(dataset))
    samples = spread(labelled_samples(opened, settings.split), settings.images)
    with study_folder(Path(out), NAME, progress) as place:
        loaded = [
            load_run(run, opened, settings.scorers, settings.fit_on, settings.device, settings.seed) for run in places
        ]
        work = _Work(place, loaded, samples, settings)
        numbers = {name: work.along(name, f"[{i}/{len(names)}] {name}") for i, name in enumerate(names, 1)}
        asked = {**asdict(settings), "fit_on": str(settings.fit_on or ""), "baseline": chosen, "set": str(opened.root)}
        by_run = {run.name: {name: numbers[name][run.name] for name in names} for run in work.runs}
        return place.finish([work.plans, names], asked, lambda: present(by_run, chosen, settings.frames), settings.seed)


class _Work:
    """The measuring of all runs along all sequences, sequence by sequence."""

    def __init__(
        self,
        place: StudyFolder,
        runs: Sequence[StudiedRun],
        samples: Sequence[Sample],
        settings: PerturbationSettings,
    ) -> None:
        self.runs, self._place, self._samples, self._settings = tuple(runs), place, samples, settings
        self.plans = plans_of(self.runs, place.folder, settings.split, settings.seed, HERE, CORRUPTIONS)
        self._fitted: set[str] = set()
        self._thresholds = self._alarms()

    def along(self, perturbation: str, label: str) -> dict[str, list[SequenceNumbers]]:
        """The numbers of each run, one sequence a picture."""
        found: dict[str, list[SequenceNumbers]] = {run.name: [] for run in self.runs}
        if any(self._missing(run, perturbation, n) for run in self.runs for n in range(len(self._samples))):
            for run in self.runs:
                self._fit(run)
        with self._place.progress.task(label, len(self._samples)) as task:
            for number, sample in enumerate(self._samples):
                for name, value in self._sequence(perturbation, number, sample).items():
                    found[name].append(value)
                task.advance(note=sample.key)
        return found

    def _sequence(self, perturbation: str, number: int, sample: Sample) -> dict[str, SequenceNumbers]:
        missing = any(self._missing(run, perturbation, number) for run in self.runs)
        frames = frames_of(sample, perturbation, self._settings.frames, self._settings.seed) if missing else []
        against_first = make_perturbation(perturbation).against_first
        measured = {}
        for run in self.runs:
            name, identity = self._part(run, perturbation, number)
            value = self._place.part(
                name,
                identity,
                lambda run=run: asdict(  # type: ignore[misc]
                    measure_sequence(run, sample, frames, self._thresholds[run.name], against_first=against_first)
                ),
            )
            measured[run.name] = read_record(SequenceNumbers, value, self._place.folder / name)
        return measured

    def _part(self, run: StudiedRun, perturbation: str, number: int) -> tuple[str, Any]:
        sample, settings = self._samples[number], self._settings
        about = [perturbation, settings.frames, settings.seed, sample.key]
        folder = run.name.replace("/", "_")
        return f"{folder}/{perturbation}-{number}", [self.plans[run.name], about, self._thresholds[run.name]]

    def _missing(self, run: StudiedRun, perturbation: str, number: int) -> bool:
        return not self._place.has_part(*self._part(run, perturbation, number))

    def _alarms(self) -> dict[str, Mapping[str, float]]:
        """The threshold of each scorer that flags one in twenty ordinary pixels of the pictures as they are."""
        keys = [sample.key for sample in self._samples]
        return {run.name: self._alarm(run, keys) for run in self.runs}

    def _alarm(self, run: StudiedRun, keys: Sequence[str]) -> Mapping[str, float]:
        def made() -> Any:
            self._fit(run)
            with self._place.progress.task(f"thresholds of {run.name}", len(self._samples)) as task:
                found = measure(
                    Condition(), {run: None}, self._samples, self._settings.seed, lambda key: task.advance(note=key)
                )
            return dict(found[run.name].thresholds)

        name = f"{run.name.replace('/', '_')}/thresholds"
        value = self._place.part(name, [self.plans[run.name], keys], made)
        return read_record(dict[str, float], value, self._place.folder / name)

    def _fit(self, run: StudiedRun) -> None:
        if run.name not in self._fitted:
            run.source.prepare(run.dataset, self._settings.seed, self._place.progress)
            self._fitted.add(run.name)
