"""Transfer study: scores runs on several sets, and says how far the order of scorers on one predicts another's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from caos.foundation.errors import CaosError
from caos.foundation.execution.progress import SILENT, Progress
from caos.foundation.storage.files import real_path
from caos.foundation.storage.identity import FileHashes
from caos.ood_scores import results as scored
from caos.ood_scores.command import Request, run_request, training_set
from caos.ood_scores.measuring.protocols import protocols_by_name
from caos.ood_scores.sources.model import fit_samples
from caos.scenes.dataset.layout import open_dataset
from caos.studies.framework.named_folders import Named, named, told_apart
from caos.studies.framework.study import Study, StudyFolder, study_folder
from caos.studies.protocols import study_protocols
from caos.studies.transfer.agreement import agreements
from caos.studies.transfer.entries import Entry
from caos.studies.transfer.presentation import present

NAME: Final = "transfer"
DRAWS: Final = 1000


@dataclass(frozen=True)
class TransferSettings:
    """How a transfer study scores and resamples.

    Attributes:
        scorers: As for ``caos score``.
        protocols: The definitions, comma-separated; None for those of the sets (:mod:`caos.studies.protocols`).
        fit_on: Set to fit scorers on; None for that of each run, or, where it is gone, the first with
            ordinary images.
        workers: Processes that score.
        device: As for ``caos score``.
        seed: Of fits and resampling.
        draws: How many sets of images are drawn.
        overwrite: Whether results in the study's folder that no longer fit are made again.
    """

    scorers: str = "all"
    protocols: str | None = None
    fit_on: Path | None = None
    workers: int = 1
    device: str = "auto"
    seed: int = 0
    draws: int = DRAWS
    overwrite: bool = False

    def __post_init__(self) -> None:
        if self.draws < 1:
            raise CaosError(f"draws is {self.draws!r}; it must be at least 1")


@dataclass(frozen=True)
class _Places:
    """The folders of a study, each with a name of its own."""

    runs: tuple[Named, ...]
    sets: tuple[Named, ...]
    results: tuple[Named, ...] = field(default=())

    @staticmethod
    def of(runs: Sequence[str], sets: Sequence[str], results: Sequence[str]) -> _Places:
        places = _Places(
            told_apart([named(text) for text in runs], "run"),
            told_apart([named(text) for text in sets], "set"),
            tuple(named(text) for text in results),
        )
        places.check()
        return places

    def check(self) -> None:
        """Refuse what cannot be studied before anything is scored."""
        from caos.segmentation.prediction.checkpoint import read_run

        if bool(self.runs) != bool(self.sets):
            raise CaosError("give both sets and --run RUN, or --results DIR of finished scorings")
        number = len(self.runs) * len(self.sets) + len(self.results)
        if number < 2:
            raise CaosError(f"{number} scorings cannot be compared, two are needed: give more sets, runs or results")
        for run in self.runs:
            read_run(run.path)
        for one in self.sets:
            open_dataset(one.path)


def study_transfer(
    sets: Sequence[str | Path],
    runs: Sequence[str | Path],
    out: str | Path,
    *,
    results: Sequence[str | Path] = (),
    first: str | None = None,
    settings: TransferSettings | None = None,
    progress: Progress = SILENT,
) -> Study:
    """Score runs on several sets, and say how far the order of scorers on one predicts that on another.

    Scorings are kept under ``out/results``, and reused if nothing they depend on has changed.

    Args:
        sets: Folders of sets, each perhaps with a name: ``"photos=/data/ra21"``.
        runs: Folders of trained runs, each perhaps with a name.
        out: Folder of the study.
        results: Finished scorings that join, for example of a network trained elsewhere; a name stands for the run,
            or, with ``@`` between, for run and set: ``"theirs@photos=/results"``.
        first: Name of the scoring to begin with, such as ``"ours on streets"``: what it says of the others is told.
        settings: How it scores and resamples.
        progress: Where progress is shown.

    Raises:
        CaosError: If a folder cannot be used, two scorings share fewer than three scorers, or scoring fails.
    """
    settings = settings or TransferSettings()
    if settings.protocols is not None:
        protocols_by_name(settings.protocols)  # before any folder is read
    places = _Places.of([str(run) for run in runs], [str(one) for one in sets], [str(one) for one in results])
    read = [scored.read(one.path).content for one in places.results]
    protocols = study_protocols(settings.protocols, [one.path for one in places.sets], read)
    settings = replace(settings, protocols=",".join(protocols))
    finished = _finished(places, protocols)
    with study_folder(Path(out), NAME, progress) as place:
        entries = sorted((*_score(places, place, settings), *finished), key=lambda entry: entry.name != first)
        hashes = FileHashes()
        asked = {"protocols": protocols, "seed": settings.seed, "draws": settings.draws}
        return place.finish(
            [entry.identity(hashes) for entry in entries],
            {**asked, "scorings": {entry.name: str(entry.results.folder) for entry in entries}},
            lambda: present(entries, agreements(entries, protocols, settings.seed, settings.draws), protocols),
            settings.seed,
        )


def _score(places: _Places, place: StudyFolder, settings: TransferSettings) -> list[Entry]:
    pairs = [(run, one) for run in places.runs for one in places.sets]
    ours = {"draws", "fit_on"}
    chosen: dict[str, Any] = {key: value for key, value in asdict(settings).items() if key not in ours}
    entries = []
    for number, (run, one) in enumerate(pairs, 1):
        place.progress.say(f"[{number}/{len(pairs)}] {run.name} on {one.name}")
        folder = place.folder / "results" / _file_name(run.name) / _file_name(one.name)
        fit_on = settings.fit_on or _fit_set(run, one, places.sets)
        request = Request(dataset=one.path, run=run.path, out=folder, components=False, **chosen, fit_on=fit_on)
        entries.append(Entry(run.name, one.name, run_request(request, place.progress)))
    return entries


def _fit_set(run: Named, one: Named, sets: Sequence[Named]) -> Path | None:
    """What scorers are fitted on where neither the set nor the run has ordinary images: the first set that has."""
    from caos.segmentation.prediction.checkpoint import read_run

    if fit_samples(open_dataset(one.path)) or training_set(read_run(run.path)):
        return None
    return next((other.path for other in sets if fit_samples(open_dataset(other.path))), None)


def _file_name(name: str) -> str:
    return "".join(c if c.isalnum() or c in "-_." else "_" for c in name).lstrip(".") or "_"


def _finished(places: _Places, protocols: Sequence[str]) -> list[Entry]:
    """The finished scorings, whose sets have the names that they have here."""
    known = {real_path(one.path): one.name for one in places.sets}
    entries = []
    for finished in places.results:
        results = scored.read(finished.path)
        missing = [name for name in protocols if name not in results.content.measures]
        if missing:
            raise CaosError(
                f"{finished.path} was not measured by protocol {missing[0]!r} (but by "
                f"{', '.join(results.content.measures)}); score it with --protocol "
                f"{','.join(protocols)}, or study only what it has: --protocol {','.join(results.content.measures)}"
            )
        root = real_path(results.content.dataset.root)
        run, _, own = finished.name.partition("@")
        entries.append(Entry(run, own or known.get(root, root.name), results))
    scored_here = [f"{run.name} on {one.name}" for run in places.runs for one in places.sets]
    _refuse_same_names([*scored_here, *(entry.name for entry in entries)])
    return entries


def _refuse_same_names(names: Sequence[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise CaosError(f"two scorings are called {name!r}; give one a name of its own: --results NAME=DIR")
