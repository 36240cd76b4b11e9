"""Corruption study: what fog, noise, blur and compression do to segmenters and detectors, against a baseline run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from caos.foundation.errors import CaosError, unknown
from caos.foundation.execution.progress import SILENT, Progress
from caos.foundation.settings import read_record
from caos.scenes.dataset.layout import Dataset, Sample
from caos.scenes.labels import LabelTable
from caos.studies.corruptions.corruption import REGISTRY, common_corruptions, make_corruption, severities_of
from caos.studies.corruptions.measuring import Condition, spoil
from caos.studies.corruptions.presentation import present
from caos.studies.framework.measuring import PictureNumbers
from caos.studies.framework.measuring_work import MeasuringWork
from caos.studies.framework.runs import StudiedRun, choose_baseline, plans_of
from caos.studies.framework.settings import MeasuringSettings, begin
from caos.studies.framework.study import Finding, Study, study_folder
from caos.studies.presentation.examples import most_telling, write_example

NAME: Final = "corruptions"
COMMON: Final = "common"


@dataclass(frozen=True)
class CorruptionSettings(MeasuringSettings):
    """What a corruption study does.

    Which pictures, scorers and device: see :class:`~caos.studies.framework.settings.MeasuringSettings`.

    Attributes:
        corruptions: Comma-separated names (the beginning of one is enough), ``common`` for the 15, or ``all``.
        severities: Comma-separated, 1 to 5.
    """

    corruptions: str = COMMON
    severities: str = "1,2,3,4,5"

    def conditions(self) -> tuple[Condition, ...]:
        """Clean pictures, then each corruption at each severity.

        Raises:
            CaosError: If a corruption or severity is unknown.
        """
        levels = severities_of(self.severities)
        return (Condition(), *(Condition(name, level) for name in _names(self.corruptions) for level in levels))


def _names(text: str) -> tuple[str, ...]:
    """The corruptions that a text names; the beginning of one name alone is enough.

    >>> _names("fog,jpeg")
    ('fog', 'jpeg_compression')
    """
    known = REGISTRY.names()
    if text.strip() == COMMON:
        return common_corruptions()
    if text.strip() == "all":
        return known
    found = []
    for name in (part.strip() for part in text.split(",") if part.strip()):
        begun = [one for one in known if one == name] or [one for one in known if one.startswith(name)]
        if len(begun) > 1:
            raise CaosError(f"corruption {name!r} could be {' or '.join(begun)}")
        if not begun:
            raise unknown("corruption", name, known)
        found.append(begun[0])
    if not found:
        raise CaosError(f"no corruption in {text!r}; give 'common', 'all' or some of {', '.join(known)}")
    return tuple(dict.fromkeys(found))


def study_corruptions(
    dataset: str | Path | Dataset,
    runs: Sequence[str | Path],
    out: str | Path,
    *,
    baseline: str | Path | None = None,
    settings: CorruptionSettings | None = None,
    progress: Progress = SILENT,
) -> Study:
    """Measure runs on corrupted pictures of a set: errors against a baseline run, and every scorer's numbers.

    Every condition is kept when it is measured; corruptions, severities and runs can be added later.

    Args:
        dataset: The set, or its folder; its labels must be of classes.
        runs: Folders of trained runs, each perhaps with a name: ``"plain=/runs/1"``.
        out: Folder of the study.
        baseline: The run that CE compares with: one of the runs, by name or folder; None for the first.
        settings: What is done.
        progress: Where progress is shown.

    Raises:
        CaosError: If a folder cannot be used, a name is unknown, or a picture cannot be measured.
    """
    settings = settings or CorruptionSettings()
    conditions = settings.conditions()
    start = begin(dataset, runs, settings)
    chosen = choose_baseline(start.places, baseline)
    with study_folder(Path(out), NAME, progress) as place:
        loaded = start.load()
        plans = plans_of(loaded, place.folder, settings.split, settings.seed)
        work = MeasuringWork(place, loaded, plans, settings.seed)
        numbers = _under_all(work, conditions, start.samples, settings.seed)
        asked = {**settings.told(start.dataset), "baseline": chosen}
        identity = [plans, [condition.name for condition in conditions], start.keys]
        trained = {run.name: _augmentations(run) for run in work.runs}

        def find() -> Finding:
            examples = _examples(place.folder, conditions, start.samples, loaded[0].dataset.labels, settings.seed)
            return present(numbers, chosen, trained, examples)

        return place.finish(identity, asked, find, settings.seed)


def _examples(
    folder: Path, conditions: Sequence[Condition], samples: Sequence[Sample], table: LabelTable, seed: int
) -> list[dict[str, Any]]:
    """One picture as it is, and under each corruption at its highest severity; what the page needs of them."""
    highest = {c.corruption: c for c in sorted(conditions, key=lambda c: c.severity)}
    first = most_telling(samples)
    return [
        write_example(folder, number, _shown(condition), spoil(first, table, condition, seed)[0])
        for number, condition in enumerate(highest[name] for name in dict.fromkeys(c.corruption for c in conditions))
    ]


def _shown(condition: Condition) -> str:
    title = "clean" if condition.corruption is None else make_corruption(condition.corruption).title
    return f"{title}, severity {condition.severity}" if condition.severity else title


def _under_all(
    work: MeasuringWork, conditions: Sequence[Condition], samples: Sequence[Sample], seed: int
) -> dict[str, dict[Condition, PictureNumbers]]:
    """The numbers of each run under each condition, clean pictures first."""
    found: dict[str, dict[Condition, PictureNumbers]] = {run.name: {} for run in work.runs}
    clean: Mapping[str, PictureNumbers] | None = None
    for number, condition in enumerate(conditions, 1):
        label = f"[{number}/{len(conditions)}] {condition.name}"
        measured = work.measured(condition.of(samples, seed), label, clean)
        clean = clean or measured
        for name, numbers in measured.items():
            found[name][condition] = numbers
    return found


def _augmentations(run: StudiedRun) -> tuple[str, ...]:
    """What the run's training did to pictures."""
    from caos.segmentation.prediction.checkpoint import read_run

    path = run.source.paths.run
    return read_record(tuple[str, ...], read_run(path).record.config.get("augment", []), path)
