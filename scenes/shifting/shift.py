"""Shifting of a whole set: its scenes rendered again with something changed, as a set like any other.

SET2/shift.json      what the set was made from
SET2/left_out/       scenes that cannot be changed so, with the reason
SET2/library/        objects made for it, where the objects themselves were changed
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from caos.assets.catalogue.library import Library
from caos.foundation.errors import CaosError, LostError, unknown
from caos.foundation.execution import executor
from caos.foundation.execution.progress import SILENT, Progress
from caos.foundation.execution.threads import spare_the_cores
from caos.foundation.settings import read_json
from caos.foundation.storage.claims import claimed
from caos.foundation.storage.files import real_path, sha256, write_json, write_text
from caos.foundation.storage.identity import Fingerprint
from caos.foundation.storage.provenance import provenance
from caos.scenes.dataset.identity import drawn_by
from caos.scenes.dataset.layout import SPLITS, Dataset, open_dataset
from caos.scenes.dataset.writer import SetDescription, SetImage, write_set
from caos.scenes.generation.generate import CARLA, EMBEDDED, Place
from caos.scenes.recipes.object_choice import imported_contents
from caos.scenes.shifting.attribute import attribute_of
from caos.scenes.shifting.change import Change, ImpossibleError, parse_change
from caos.scenes.shifting.objects import changes_objects, joined_library, shifted_library
from caos.scenes.shifting.slot import ShiftedSlot, slots_of
from caos.simulator.embedded.towns.plan import country_digest
from caos.simulator.transform import Transform

if TYPE_CHECKING:
    from caos.scenes.shifting.shifter import SceneShifter

MARKER: Final = "shift.json"
LEFT_OUT: Final = "left_out"


@dataclass(frozen=True)
class ShiftSummary:
    """What a shift did: images made now and before, and those that cannot be changed so, by reason."""

    made: int
    kept: int
    left_out: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class ShiftJob:
    """One set to be made: its folder, and what is changed in it."""

    root: Path
    changes: tuple[Change, ...]


@dataclass(frozen=True)
class ShiftWorkFactory:
    """Makes a :class:`ShiftWork` in a worker process."""

    place: Place
    objects: tuple[str, ...]
    cameras: tuple[tuple[str, Transform], ...]
    seed: int

    def __call__(self, number: int) -> ShiftWork:
        """The worker of that number."""
        return ShiftWork(self, number)


class ShiftWork:
    """A worker: a session that shows changed scene after changed scene."""

    def __init__(self, factory: ShiftWorkFactory, number: int) -> None:
        self._factory = factory
        self._simulator = factory.place.simulators[number % len(factory.place.simulators)]
        self._shifter: SceneShifter | None = None
        self._give_back: Callable[[], None] | None = None
        self._lost = False

    def __call__(self, item: tuple[ShiftJob, ShiftedSlot]) -> tuple[Path, str, str | None]:
        """Make an image; returns its set and key, and why it cannot be made where it cannot.

        Raises:
            LostError: If the simulator stops answering; the next call looks for it again.
        """
        from caos.scenes.dataset.slot_files import write_slot

        job, slot = item
        try:
            shifter = self._opened(slot.scene.town)
            made, about = shifter.make(slot, job.changes)
        except ImpossibleError as reason:
            write_json(_left_out(job.root, slot), {"key": slot.key, "reason": str(reason)})
            return job.root, slot.key, str(reason)
        except LostError as error:
            self._abandon()
            raise LostError(f"{self._simulator}: {error}") from error
        write_slot(job.root, slot, made, shifter.library, depth=slot.depth, more={"shift": about})
        return job.root, slot.key, None

    def _opened(self, town: str) -> SceneShifter:
        from caos.scenes.shifting.shifter import SceneShifter
        from caos.simulator.session import Session

        if self._shifter is None:
            made, place = self._factory, self._factory.place
            self._give_back = self._give_back or spare_the_cores()
            try:
                session = Session.open(
                    simulator=self._simulator, quality=place.quality, town=town, library=place.library
                )
            except CaosError as error:
                if self._lost:
                    raise LostError(str(error)) from error
                raise
            self._shifter = SceneShifter(session, Library.open(place.library), made.objects, made.cameras, made.seed)
        return self._shifter

    def _abandon(self) -> None:
        if self._shifter is not None:
            self._shifter.session.abandon()
        self._shifter, self._lost = None, True

    def close(self) -> None:
        """Give the simulator back."""
        if self._shifter is not None:
            self._shifter.session.close()
        if self._give_back is not None:
            self._give_back()


def shift_set(
    dataset: str | Path | Dataset,
    changes: Sequence[str | Change],
    out: str | Path,
    *,
    split: str = "test",
    images: int | None = None,
    seed: int = 0,
    place: Place | None = None,
    overwrite: bool = False,
    progress: Progress = SILENT,
) -> ShiftSummary:
    """Render the scenes of a set again with something changed and the rest kept; run again, it goes on.

    Args:
        dataset: The set, rendered here.
        changes: Such as ``"weather=fog"`` or ``"camera.height_m=0.8"``; several all change the same set.
        out: Folder of the new set.
        split: Which of its images.
        images: At most this many, evenly spread; None for all.
        seed: Of what a change has to draw, such as where more hazards stand.
        place: Simulators, objects and workers; by default the embedded simulator in this process.
        overwrite: Replace another shifted set in the folder.
        progress: Told how far it is.

    Raises:
        CaosError: If an attribute or value is unknown, the set cannot be rendered again, the folder holds something
            else, or no scene can be changed so.
    """
    root = Path(out)
    options = ShiftOptions(split, images, seed, place or Place(), overwrite)
    summary = shift_sets(dataset, {root: changes}, options, progress)[root]
    if not summary.made and not summary.kept:
        told = ", ".join(f"{count} x {reason}" for reason, count in summary.left_out.most_common(4))
        source = dataset.root if isinstance(dataset, Dataset) else dataset
        raise CaosError(f"no scene of {source} can be changed in this way ({told}): {', '.join(map(str, changes))}")
    return summary


@dataclass(frozen=True)
class ShiftOptions:
    """How shifted sets are made; see :func:`shift_set`."""

    split: str = "test"
    images: int | None = None
    seed: int = 0
    place: Place = field(default_factory=Place)
    overwrite: bool = False


def shift_sets(
    dataset: str | Path | Dataset,
    wanted: Mapping[Path, Sequence[str | Change]],
    options: ShiftOptions,
    progress: Progress = SILENT,
) -> dict[Path, ShiftSummary]:
    """Several shifts of one set at once, by folder, so that a simulator enters each town once for all of them.

    Raises:
        CaosError: As :func:`shift_set`, but for a set of which no scene is possible: its folder holds no set then.
    """
    source = dataset if isinstance(dataset, Dataset) else open_dataset(Path(dataset))
    if options.split not in SPLITS:
        raise unknown("split", options.split, SPLITS)
    jobs = [ShiftJob(root, _parsed(changes)) for root, changes in wanted.items()]
    slots = slots_of(source, options.split, options.images)
    identities = {job.root: _identity(source, slots, job.changes, options.place, options.seed) for job in jobs}
    with contextlib.ExitStack() as claims:
        for job in jobs:
            claim = claimed(job.root, MARKER, identities[job.root], "shifted set", overwrite=options.overwrite)
            claims.enter_context(claim)
        summaries = _fill(slots, jobs, options, progress)
        for job in jobs:
            _finish(source, slots, job, summaries[job.root], provenance(identities[job.root], options.seed))
    return summaries


def _parsed(changes: Sequence[str | Change]) -> tuple[Change, ...]:
    """The changes, checked."""
    parsed = tuple(change if isinstance(change, Change) else parse_change(change) for change in changes)
    for change in parsed:
        attribute_of(change)
    if not parsed:
        raise CaosError("no change given; write --change ATTRIBUTE=VALUE")
    return parsed


def _finish(
    source: Dataset, slots: Sequence[ShiftedSlot], job: ShiftJob, summary: ShiftSummary, made_by: Mapping[str, Any]
) -> None:
    """Write what makes the folder a set, where it has an image."""
    finished = [image for slot in slots if (image := _finished(job.root, slot)) is not None]
    _write_left_out(job.root, slots)
    if finished:
        about = {"shift": _told(source, job.changes, summary), "recipe": source.info.get("recipe")}
        write_set(job.root, finished, SetDescription(source.name, source.labels, made_by, about))


def _fill(
    slots: Sequence[ShiftedSlot], jobs: Sequence[ShiftJob], options: ShiftOptions, progress: Progress
) -> dict[Path, ShiftSummary]:
    """Make the images that are missing, cut short or changed."""
    left = {job.root: _reasons(job.root, slots) for job in jobs}
    missing = [
        (job, slot)
        for job in jobs
        for slot in slots
        if slot.key not in left[job.root] and _finished(job.root, slot) is None
    ]
    # Towns take seconds to load: keep a worker in one as long as there is work.
    missing.sort(key=lambda item: (item[1].scene.town, item[1].key))
    made: Counter[Path] = Counter()
    total = len(slots) * len(jobs)
    if missing:
        work = _work(slots, jobs, options)
        with progress.task("rendering", total, done=total - len(missing)) as task:
            for root, key, reason in executor.run(missing, work, options.place.workers, options.place.ray):
                if reason is not None:
                    left[root][key] = reason
                made[root] += reason is None
                task.advance(note=key if reason is None else f"{key}: {reason}")
    return {
        root: ShiftSummary(made[root], len(slots) - made[root] - len(reasons), Counter(reasons.values()))
        for root, reasons in left.items()
    }


def _work(slots: Sequence[ShiftedSlot], jobs: Sequence[ShiftJob], options: ShiftOptions) -> ShiftWorkFactory:
    objects = sorted({hazard.object for slot in slots for hazard in slot.scene.hazards})
    given = options.place.library
    made = [shifted_library(j.root, objects, j.changes, given) for j in jobs if changes_objects(j.changes)]
    library = given if not made else made[0] if len(made) == 1 else joined_library(made)
    cameras = tuple((slot.scene.town, slot.scene.camera.pose) for slot in slots)
    return ShiftWorkFactory(replace(options.place, library=library), tuple(objects), cameras, options.seed)


def _finished(root: Path, slot: ShiftedSlot) -> SetImage | None:
    from caos.scenes.dataset.slot_files import finished_slot

    return finished_slot(root, slot)


def _left_out(root: Path, slot: ShiftedSlot) -> Path:
    return root / LEFT_OUT / f"{slot.key}.json"


def _reasons(root: Path, slots: Sequence[ShiftedSlot]) -> dict[str, str]:
    """Why scenes were left out before, by key."""
    return {slot.key: reason for slot in slots if (reason := _reason(root, slot)) is not None}


def _reason(root: Path, slot: ShiftedSlot) -> str | None:
    path = _left_out(root, slot)
    if not path.is_file():
        return None
    with contextlib.suppress(CaosError, KeyError, TypeError):
        return str(read_json(path)["reason"])
    return None


def _write_left_out(root: Path, slots: Sequence[ShiftedSlot]) -> None:
    write_text(root / "left_out.txt", "".join(f"{key}: {reason}\n" for key, reason in _reasons(root, slots).items()))


def _told(source: Dataset, changes: Sequence[Change], summary: ShiftSummary) -> dict[str, Any]:
    """What the description of the set says of the shift."""
    return {
        "of": source.name,
        "set": str(real_path(source.root)),
        "changes": [str(change) for change in changes],
        "left out": dict(sorted(summary.left_out.items())),
    }


def _identity(
    source: Dataset, slots: Sequence[ShiftedSlot], changes: Sequence[Change], place: Place, seed: int
) -> dict[str, Any]:
    """What the pictures depend on, JSON-ready: not the number of workers, nor which machine renders."""
    library = Library.open(place.library)
    objects = sorted({hazard.object for slot in slots for hazard in slot.scene.hazards})
    simulator = EMBEDDED if place.simulators == (EMBEDDED,) else CARLA
    inputs = {
        "set": sha256(source.root / "manifest.jsonl"),
        "images": [slot.key for slot in slots],
        "countries": [country_digest(change.text) for change in changes if change.attribute == "country"],
        "imported objects": dict(imported_contents(objects, library)),
        "labels": source.labels.digest,
    }
    settings = {
        "changes": [str(change) for change in changes],
        "seed": seed,
        "simulator": simulator,
        "quality": place.quality,
    }
    return Fingerprint(inputs, settings, drawn_by(simulator)).plan()


def shifted_changes(dataset: Dataset) -> Iterator[str]:
    """The changes that made a shifted set; none for any other set."""
    about = dataset.info.get("shift")
    yield from (str(change) for change in about.get("changes", ())) if isinstance(about, dict) else ()


def drawn_unlike(source: Dataset, shifted: Dataset) -> tuple[str, ...]:
    """What else differs between the images of a set and of a shift of it, in words: versions of what draws, quality."""
    old, new = _configuration(source), _configuration(shifted)
    found = []
    if any(key in old and key in new and old[key] != new[key] for key in ("numerics", "packages")):
        found.append("another version of the simulator drew them")
    quality, new_quality = str(old.get("quality", "")), str(new.get("quality", ""))
    if quality and new_quality and quality != new_quality:
        found.append(f"their quality is {new_quality}, not {quality}")
    return tuple(found)


def _configuration(dataset: Dataset) -> dict[str, Any]:
    """What a generated set says of how it was made; empty for any other set."""
    made_by = dataset.info.get("provenance")
    asked = made_by.get("configuration") if isinstance(made_by, dict) else None
    return asked if isinstance(asked, dict) else {}
