"""Perturbation study: whether classes and alarms stay while a picture hardly changes, against a baseline run."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from caos.foundation.errors import CaosError
from caos.foundation.execution.progress import SILENT, Progress
from caos.foundation.settings import read_record
from caos.scenes.dataset.layout import Dataset, Sample
from caos.scenes.scene import Scene, scene_from_json
from caos.studies.framework.measuring import PictureNumbers, ShownPictures
from caos.studies.framework.measuring_work import MeasuringWork
from caos.studies.framework.runs import StudiedRun, choose_baseline, plans_of
from caos.studies.framework.settings import RenderingSettings, begin
from caos.studies.framework.study import Study, StudyFolder, study_folder
from caos.studies.perturbations.measuring import FrameMaker, PaintedFrames, SequenceNumbers, measure_sequence
from caos.studies.perturbations.perturbation import FRAMES, REGISTRY, PerturbedFrame, make_perturbation
from caos.studies.perturbations.presentation import present

NAME: Final = "perturbations"
FEWEST_FRAMES: Final = 2
"""Whose noise, blur and snow frames are made of."""


@dataclass(frozen=True)
class PerturbationSettings(RenderingSettings):
    """What a perturbation study does.

    Which pictures, scorers and device: see :class:`~caos.studies.framework.settings.RenderingSettings`.

    Attributes:
        perturbations: Comma-separated names, or ``all``.
        frames: Of a sequence; the paper has 31.
        images: Pictures, evenly spread over the split; each gives one sequence a perturbation.
        rendered: Whether translate, rotate, tilt, scale and snow are rendered by a simulator; the set must be ours.
    """

    perturbations: str = "all"
    frames: int = FRAMES
    images: int | None = field(default=8, kw_only=True)
    rendered: bool = False

    def __post_init__(self) -> None:
        if self.frames < FEWEST_FRAMES:
            raise CaosError(f"frames is {self.frames!r}; it must be at least {FEWEST_FRAMES}")


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
    start = begin(dataset, runs, settings)
    chosen = choose_baseline(start.places, baseline)
    scenes = scenes_of(start.dataset, start.samples) if settings.rendered else {}
    with study_folder(Path(out), NAME, progress) as place:
        loaded = start.load()
        plans = plans_of(loaded, place.folder, settings.split, settings.seed)
        with _frames(settings, scenes) as frames:
            work = _Work(place, MeasuringWork(place, loaded, plans, settings.seed), start.samples, frames)
            numbers = {name: work.along(name, f"[{i}/{len(names)}] {name}") for i, name in enumerate(names, 1)}
        asked = {**settings.told(start.dataset), "baseline": chosen}
        by_run = {run.name: {name: numbers[name][run.name] for name in names} for run in loaded}
        return place.finish(
            [plans, names, start.keys],
            asked,
            lambda: present(by_run, work.clean, chosen, settings.frames, rendered=settings.rendered),
            settings.seed,
        )


def scenes_of(dataset: Dataset, samples: Sequence[Sample]) -> dict[str, Scene]:
    """The scene of each picture.

    Raises:
        CaosError: If the set does not say what its scenes are.
    """
    rows, where = dataset.manifest(), dataset.root / "manifest.jsonl"
    for sample in samples:
        if "scene" not in rows.get(sample.key, {}):
            raise CaosError(
                f"{where} has no scene for {sample.key}: only a set made by caos scenes generate can be rendered again"
            )
    return {sample.key: scene_from_json(rows[sample.key]["scene"], f"{where}: {sample.key}") for sample in samples}


@contextlib.contextmanager
def _frames(settings: PerturbationSettings, scenes: Mapping[str, Scene]) -> Iterator[FrameMaker]:
    painted = PaintedFrames(settings.frames, settings.seed)
    if not settings.rendered:
        yield painted
        return
    from caos.studies.perturbations.rendered import RenderedFrames

    rendered = RenderedFrames(painted, settings.place, scenes)
    try:
        yield rendered
    finally:
        rendered.close()


class _Work:
    """The measuring of all runs along all sequences, sequence by sequence."""

    def __init__(self, place: StudyFolder, work: MeasuringWork, samples: Sequence[Sample], frames: FrameMaker) -> None:
        self._place, self._work, self._samples, self._frames = place, work, samples, frames
        self._clean = work.measured(ShownPictures("clean", None, samples), "pictures as they are")

    @property
    def clean(self) -> Mapping[str, PictureNumbers]:
        """The numbers of each run on the pictures as they are, which set its thresholds."""
        return self._clean

    def along(self, perturbation: str, label: str) -> dict[str, list[SequenceNumbers]]:
        """The numbers of each run, one sequence a picture."""
        found: dict[str, list[SequenceNumbers]] = {run.name: [] for run in self._work.runs}
        for run in {run for n in range(len(self._samples)) for run in self._missing(perturbation, n)}:
            self._work.fit(run)
        with self._place.progress.task(label, len(self._samples)) as task:
            for number, sample in enumerate(self._samples):
                for name, value in self._sequence(perturbation, number, sample).items():
                    found[name].append(value)
                task.advance(note=sample.key)
        return found

    def _sequence(self, perturbation: str, number: int, sample: Sample) -> dict[str, SequenceNumbers]:
        tables = {run.dataset.labels.digest: run.dataset.labels for run in self._missing(perturbation, number)}
        frames = {digest: self._frames(sample, table, perturbation) for digest, table in tables.items()}
        return {run.name: self._along_one(run, perturbation, number, frames) for run in self._work.runs}

    def _along_one(
        self, run: StudiedRun, perturbation: str, number: int, frames: Mapping[str, Sequence[PerturbedFrame]]
    ) -> SequenceNumbers:
        def made() -> Any:
            against_first = make_perturbation(perturbation).against_first
            thresholds, own = self._clean[run.name].thresholds, frames[run.dataset.labels.digest]
            return asdict(measure_sequence(run, self._samples[number], own, thresholds, against_first=against_first))

        name, identity = self._part(run, perturbation, number)
        value = self._place.part(name, identity, made)
        return read_record(SequenceNumbers, value, self._place.folder / name)

    def _part(self, run: StudiedRun, perturbation: str, number: int) -> tuple[str, Any]:
        about = [self._frames.about(perturbation), self._samples[number].key]
        folder = run.name.replace("/", "_")
        thresholds = dict(self._clean[run.name].thresholds)
        return f"{folder}/{perturbation}-{number}", [self._work.plans[run.name], about, thresholds]

    def _missing(self, perturbation: str, number: int) -> list[StudiedRun]:
        return [run for run in self._work.runs if not self._place.has_part(*self._part(run, perturbation, number))]
