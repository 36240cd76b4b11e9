"""Rendered study: the same scenes spoilt by the simulator and by paint; do both rank runs and scorers alike?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from caos.foundation.errors import CaosError
from caos.foundation.execution.progress import SILENT, Progress
from caos.scenes.dataset.layout import Dataset, Sample
from caos.scenes.labels import LabelTable
from caos.scenes.shifting.shift import ShiftOptions
from caos.studies.corruptions.corruption import severities_of
from caos.studies.framework.measuring import Bytes, PictureNumbers, ShownPictures, as_it_is
from caos.studies.framework.measuring_work import MeasuringWork
from caos.studies.framework.runs import StudiedRun, plans_of
from caos.studies.framework.seeding import generator_for
from caos.studies.framework.settings import RenderingSettings, begin
from caos.studies.framework.shifted_sets import ShiftedSet, caveat, made_sets, shown_set
from caos.studies.framework.study import Study, StudyFolder, study_folder
from caos.studies.presentation.examples import most_telling
from caos.studies.rendered.pairs import KINDS, kinds_of
from caos.studies.rendered.presentation import PAINTED, RENDERED, Case, present

NAME: Final = "rendered"
"""Whose pictures are painted."""


@dataclass(frozen=True)
class RenderedSettings(RenderingSettings):
    """What a study of rendered against painted pictures does; an order needs at least three scorers.

    Which pictures, scorers and device: see :class:`~caos.studies.framework.settings.RenderingSettings`.

    Attributes:
        kinds: Comma-separated: fog, rain, night, motion, defocus; or ``all``.
        severities: Comma-separated, 1 to 5.
    """

    kinds: str = "all"
    severities: str = "3"

    def cases(self) -> tuple[Case, ...]:
        """Each kind at each severity.

        Raises:
            CaosError: If a kind or severity is unknown.
        """
        levels = severities_of(self.severities)
        return tuple(Case(kind, level) for kind in kinds_of(self.kinds) for level in levels)


def study_rendered(
    dataset: str | Path | Dataset,
    runs: Sequence[str | Path],
    out: str | Path,
    *,
    settings: RenderedSettings | None = None,
    progress: Progress = SILENT,
) -> Study:
    """Measure runs on painted and on rendered fog, rain, night and blur of the same scenes.

    Args:
        dataset: The set, rendered here, or its folder.
        runs: Folders of trained runs, each perhaps with a name: ``"plain=/runs/1"``.
        out: Folder of the study; rendered sets are made in ``sets`` there.
        settings: What is done.
        progress: Where progress is shown.

    Raises:
        CaosError: If a folder cannot be used, or a name is unknown.
    """
    settings = settings or RenderedSettings()
    cases = settings.cases()
    start = begin(dataset, runs, settings)
    samples = start.samples
    with study_folder(Path(out), NAME, progress) as place:
        loaded = start.load()
        sets = _rendered(cases, start.dataset, settings, place)
        plans = plans_of(loaded, place.folder, settings.split, settings.seed)
        work = MeasuringWork(place, loaded, plans, settings.seed)
        clean = ShownPictures("clean", None, samples)
        numbers = _all(work, clean, _shown(sets, samples, loaded, settings, place))
        left_out = {case.name: dict(one.left_out) for case, one in sets.items()}
        mind = caveat(start.dataset, sets.values())
        identity = [plans, [case.name for case in cases], start.keys, left_out, mind]
        return place.finish(
            identity,
            settings.told(start.dataset),
            lambda: present(numbers, left_out, place.folder, _examples(sets, samples, loaded[0], settings), mind),
            settings.seed,
        )


def _rendered(
    cases: Sequence[Case], source: Dataset, settings: RenderedSettings, place: StudyFolder
) -> dict[Case, ShiftedSet]:
    """The rendered sets.

    Raises:
        CaosError: If no scene can be rendered so.
    """
    options = ShiftOptions(settings.split, settings.images, settings.seed, settings.place)
    names = {case: f"{RENDERED} {case.name}" for case in cases}
    wanted = {
        names[case]: (place.folder / "sets" / case.name, KINDS[case.kind].changes(case.severity)) for case in cases
    }
    found, impossible = made_sets(source, wanted, options, place.progress)
    for name, reasons in impossible.items():
        raise CaosError(f"{source.root}: no scene can be {name} ({', '.join(reasons)}); leave it out of --kinds")
    by_name = {one.name: one for one in found}
    return {case: by_name[name] for case, name in names.items()}


def _painted(case: Case, samples: Sequence[Sample], seed: int) -> ShownPictures:
    kind = KINDS[case.kind]

    def show(sample: Sample, table: LabelTable) -> tuple[Bytes, Bytes]:
        picture, ids = as_it_is(sample, table)
        return kind.paint(picture, case.severity, generator_for(seed, sample.key, case.kind, case.severity)), ids

    return ShownPictures(f"{PAINTED} {case.name}", [case.name, seed], samples, show)


def _shown(
    sets: Mapping[Case, ShiftedSet],
    samples: Sequence[Sample],
    runs: Sequence[StudiedRun],
    settings: RenderedSettings,
    place: StudyFolder,
) -> list[tuple[Case, str, ShownPictures]]:
    """Each case painted and rendered, on the scenes that could be rendered so."""
    keys = [sample.key for sample in samples]
    found = []
    for case, one in sets.items():
        rendered = shown_set(one, runs, keys, place.folder, settings.split, settings.seed)
        there = {sample.key for sample in rendered.samples}
        painted = _painted(case, [sample for sample in samples if sample.key in there], settings.seed)
        found += [(case, PAINTED, painted), (case, RENDERED, rendered)]
    return found


def _all(
    work: MeasuringWork, clean: ShownPictures, shown: Sequence[tuple[Case, str, ShownPictures]]
) -> dict[str, dict[Case, dict[str, PictureNumbers]]]:
    """The numbers of each run in each case, both ways."""
    count = len(shown) + 1
    own = work.measured(clean, f"[1/{count}] clean")
    found: dict[str, dict[Case, dict[str, PictureNumbers]]] = {run.name: {} for run in work.runs}
    for number, (case, way, pictures) in enumerate(shown, 2):
        for name, numbers in work.measured(pictures, f"[{number}/{count}] {pictures.name}", own).items():
            found[name].setdefault(case, {})[way] = numbers
    return found


def _examples(
    sets: Mapping[Case, ShiftedSet], samples: Sequence[Sample], run: StudiedRun, settings: RenderedSettings
) -> dict[str, Bytes]:
    """One scene as it is, and each way in each case that has it."""
    both = set.intersection(*({sample.key for sample in one.dataset.splits[samples[0].split]} for one in sets.values()))
    first = most_telling([sample for sample in samples if sample.key in both] or samples)
    shown = {"as it is": as_it_is(first, run.dataset.labels)[0]}
    for case, one in sets.items():
        rendered = {sample.key: sample for sample in one.dataset.splits[first.split]}
        if first.key in rendered:
            painted = _painted(case, samples, settings.seed)
            shown[f"{case.name}, {PAINTED}"] = painted.show(first, run.dataset.labels)[0]
            shown[f"{case.name}, {RENDERED}"] = as_it_is(rendered[first.key], run.dataset.labels)[0]
    return shown
