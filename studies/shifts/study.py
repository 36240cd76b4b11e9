"""Shift study: runs on a set and on the same scenes with one attribute changed, one shift at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from caos.foundation.errors import CaosError
from caos.foundation.execution.progress import SILENT, Progress
from caos.scenes.dataset.layout import Dataset
from caos.scenes.shifting.attribute import attribute_of
from caos.scenes.shifting.change import parse_change
from caos.scenes.shifting.shift import ShiftOptions
from caos.studies.framework.measuring import PictureNumbers, ShownPictures
from caos.studies.framework.measuring_work import MeasuringWork
from caos.studies.framework.named_folders import named, told_apart
from caos.studies.framework.runs import plans_of
from caos.studies.framework.settings import RenderingSettings, begin
from caos.studies.framework.shifted_sets import ShiftedSet, caveat, given_set, made_sets, shown_set
from caos.studies.framework.study import Study, StudyFolder, study_folder
from caos.studies.shifts.presentation import IID, present

NAME: Final = "shifts"
CHANGES: Final = (
    "weather=fog",
    "weather=rain",
    "weather=night",
    "hour=7",
    "town=Town03",
    "country=usa",
    "camera.height_m=0.8",
    "camera.pitch_deg+=-8",
    "camera.fov_deg=60",
    "camera.lens=brown:-0.25,0.05,0,0",
    "hazard.distance_m*=1.5",
    "hazard.size=0.6",
    "hazard.occlusion=0.5",
    "hazard.turn_deg=90",
    "hazard.number=3",
    "hazard.rendition=clay",
    "hazard.rendition=toy",
    "hazard.rendition=line_drawing",
    "hazard.rendition=single_colour",
)
"""Shifts that are studied where none are named."""


@dataclass(frozen=True)
class ShiftSettings(RenderingSettings):
    """What a shift study does.

    Which pictures, scorers and device: see :class:`~caos.studies.framework.settings.RenderingSettings`.

    Attributes:
        changes: One shift each, such as ``"weather=fog"``; none and no sets: the shifts of ``CHANGES``.
        sets: Shifted sets that are there already, each perhaps with a name: ``"low=/data/low"``.
    """

    changes: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()

    def shifts(self) -> tuple[str, ...]:
        """The changes, checked.

        Raises:
            CaosError: If one is unknown or given twice.
        """
        wanted = self.changes or (() if self.sets else CHANGES)
        for change in wanted:
            attribute_of(parse_change(change))
        names = [str(parse_change(change)) for change in wanted]
        if len(set(names)) < len(names):
            raise CaosError(f"a change is given twice: {', '.join(names)}")
        return tuple(names)


def study_shifts(
    dataset: str | Path | Dataset,
    runs: Sequence[str | Path],
    out: str | Path,
    *,
    settings: ShiftSettings | None = None,
    progress: Progress = SILENT,
) -> Study:
    """Measure runs on a set and under controlled shifts of it, one attribute at a time.

    Args:
        dataset: The set, rendered here, or its folder.
        runs: Folders of trained runs, each perhaps with a name: ``"plain=/runs/1"``.
        out: Folder of the study; shifted sets are made in ``sets`` there.
        settings: What is done.
        progress: Where progress is shown.

    Raises:
        CaosError: If a folder cannot be used, or a change is unknown.
    """
    settings = settings or ShiftSettings()
    changes = settings.shifts()
    start = begin(dataset, runs, settings)
    with study_folder(Path(out), NAME, progress) as place:
        loaded = start.load()
        sets, impossible = _sets(start.dataset, changes, settings, place)
        plans = plans_of(loaded, place.folder, settings.split, settings.seed)
        work = MeasuringWork(place, loaded, plans, settings.seed)
        shown = [ShownPictures(IID, None, start.samples)]
        shown += [shown_set(one, loaded, start.keys, place.folder, settings.split, settings.seed) for one in sets]
        numbers = _all(work, shown)
        left_out = {one.name: dict(one.left_out) for one in sets} | impossible
        asked = {**settings.told(start.dataset), "changes": changes}
        mind = caveat(start.dataset, sets)
        identity = [plans, [[one.name, one.about] for one in shown], start.keys, left_out, mind]
        pictures = {one.name: one.samples for one in shown}
        return place.finish(
            identity, asked, lambda: present(numbers, left_out, pictures, place.folder, mind), settings.seed
        )


def _sets(
    source: Dataset, changes: Sequence[str], settings: ShiftSettings, place: StudyFolder
) -> tuple[list[ShiftedSet], dict[str, Mapping[str, int]]]:
    """The shifted sets, and why there are none of a shift."""
    options = ShiftOptions(settings.split, settings.images, settings.seed, settings.place)
    wanted = {change: (place.folder / "sets" / parse_change(change).slug, [change]) for change in changes}
    found, impossible = made_sets(source, wanted, options, place.progress) if wanted else ([], {})
    for one in told_apart([named(text) for text in settings.sets], "set"):
        found.append(given_set(one.name, one.path, source))
    if not found:
        raise CaosError(f"{source.root}: none of the shifts is possible: {', '.join(changes)}")
    return found, impossible


def _all(work: MeasuringWork, shown: Sequence[ShownPictures]) -> dict[str, dict[str, PictureNumbers]]:
    """The numbers of each run under each shift, those of the set itself first."""
    found: dict[str, dict[str, PictureNumbers]] = {run.name: {} for run in work.runs}
    iid = None
    for number, one in enumerate(shown, 1):
        measured = work.measured(one, f"[{number}/{len(shown)}] {one.name}", iid)
        iid = iid or measured
        for name, numbers in measured.items():
            found[name][one.name] = numbers
    return found
