"""Shifting of a whole set: its scenes rendered again with something changed, as a set like any other.

SET2/shift.json      what the set was made from
SET2/left_out/       scenes that cannot be changed so, with the reason
SET2/library/        objects made for it, where the objects themselves were changed
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from caos.assets.library import Library
from caos.foundation import executor
from caos.foundation.cache import code_digest
from caos.foundation.claims import claimed
from caos.foundation.errors import CaosError, LostError, unknown
from caos.foundation.files import sha256, write_json, write_text
from caos.foundation.progress import SILENT, Progress
from caos.foundation.provenance import provenance
from caos.foundation.settings import read_json
from caos.foundation.threads import spare_the_cores
from caos.scenes.generate import CARLA, EMBEDDED, Place
from caos.scenes.layout import SPLITS, Dataset, open_dataset
from caos.scenes.object_choice import imported_contents
from caos.scenes.set_identity import drawing_code
from caos.scenes.set_writer import SetDescription, SetImage, write_set
from caos.scenes.shifting.attribute import attribute_of
from caos.scenes.shifting.change import Change, ImpossibleError, parse_change
from caos.scenes.shifting.objects import changes_objects, shifted_library
from caos.scenes.shifting.slot import ShiftedSlot, slots_of
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
class ShiftWorkFactory:
    """Makes a :class:`ShiftWork` in a worker process."""

    place: Place
    root: Path
    changes: tuple[Change, ...]
    objects: tuple[str, ...]
    cameras: tuple[tuple[str, Transform], ...]
    seed: int

    def __call__(self, number: int) -> ShiftWork:
        """The worker of that number."""
        return ShiftWork(self, number)


class ShiftWork:
    """A worker: a session that shows changed scene after changed scene."""

    def __init__(self, job: ShiftWorkFactory, number: int) -> None:
        self._job = job
        self._simulator = job.place.simulators[number % len(job.place.simulators)]
        self._shifter: SceneShifter | None = None
        self._give_back: Callable[[], None] | None = None
        self._lost = False

    def __call__(self, slot: ShiftedSlot) -> tuple[str, str | None]:
        """Make an image; returns its key, and why it cannot be made where it cannot.

        Raises:
            LostError: If the simulator stops answering; the next call looks for it again.
        """
        from caos.scenes.slot_files import write_slot

        job = self._job
        try:
            shifter = self._opened(slot.scene.town)
            made, about = shifter.make(slot, job.changes)
        except ImpossibleError as reason:
            write_json(_left_out(job.root, slot), {"key": slot.key, "reason": str(reason)})
            return slot.key, str(reason)
        except LostError as error:
            self._abandon()
            raise LostError(f"{self._simulator}: {error}") from error
        write_slot(job.root, slot, made, shifter.library, depth=slot.depth, more={"shift": about})
        return slot.key, None

    def _opened(self, town: str) -> SceneShifter:
        from caos.scenes.shifting.shifter import SceneShifter
        from caos.simulator.session import Session

        if self._shifter is None:
            job, place = self._job, self._job.place
            self._give_back = self._give_back or spare_the_cores()
            try:
                session = Session.open(
                    simulator=self._simulator, quality=place.quality, town=town, library=place.library
                )
            except CaosError as error:
                if self._lost:
                    raise LostError(str(error)) from error
                raise
            self._shifter = SceneShifter(session, Library.open(place.library), job.objects, job.cameras, job.seed)
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
        images: At most so many, evenly spread; None for all.
        seed: Of what a change has to draw, such as where more hazards stand.
        place: Simulators, objects and workers; by default the embedded simulator in this process.
        overwrite: Replace another shifted set in the folder.
        progress: Told how far it is.

    Raises:
        CaosError: If an attribute or value is unknown, the set cannot be rendered again, the folder holds something
            else, or no scene can be changed so.
    """
    source = dataset if isinstance(dataset, Dataset) else open_dataset(Path(dataset))
    if split not in SPLITS:
        raise unknown("split", split, SPLITS)
    parsed = tuple(change if isinstance(change, Change) else parse_change(change) for change in changes)
    for change in parsed:
        attribute_of(change)
    if not parsed:
        raise CaosError("nothing is changed; give --change ATTRIBUTE=VALUE")
    slots = slots_of(source, split, images)
    place, root = place or Place(), Path(out)
    made_from = _identity(source, slots, parsed, place, seed)
    with claimed(root, MARKER, made_from, "shifted set", overwrite=overwrite):
        return _made(source, slots, parsed, root, place, seed, progress, made_from)


def _made(
    source: Dataset,
    slots: Sequence[ShiftedSlot],
    changes: tuple[Change, ...],
    root: Path,
    place: Place,
    seed: int,
    progress: Progress,
    made_from: dict[str, Any],
) -> ShiftSummary:
    objects = sorted({hazard.object for slot in slots for hazard in slot.scene.hazards})
    if changes_objects(changes):
        place = _with_library(place, shifted_library(root, objects, changes, place.library))
    cameras = tuple((slot.scene.town, slot.scene.camera.pose) for slot in slots)
    work = ShiftWorkFactory(place, root, changes, tuple(objects), cameras, seed)
    summary = _fill(slots, work, progress)
    finished = [image for slot in slots if (image := _finished(root, slot)) is not None]
    if not finished:
        told = ", ".join(f"{count} x {reason}" for reason, count in summary.left_out.most_common(4))
        raise CaosError(f"no scene of {source.root} can be changed so ({told}): {', '.join(map(str, changes))}")
    about = {"shift": _told(source, changes, summary), "recipe": source.info.get("recipe")}
    write_set(root, finished, SetDescription(source.name, source.labels, provenance(made_from, seed), about))
    _write_left_out(root, slots)
    return summary


def _with_library(place: Place, library: Path) -> Place:
    from dataclasses import replace

    return replace(place, library=library)


def _fill(slots: Sequence[ShiftedSlot], work: ShiftWorkFactory, progress: Progress) -> ShiftSummary:
    """Make the images that are missing, cut short or changed."""
    left = {slot.key: reason for slot in slots if (reason := _reason(work.root, slot)) is not None}
    missing = [slot for slot in slots if slot.key not in left and _finished(work.root, slot) is None]
    # Towns take seconds to load: keep a worker in one as long as there is work.
    missing.sort(key=lambda slot: (slot.scene.town, slot.key))
    done = len(slots) - len(missing)
    made = 0
    with progress.task("rendering", len(slots), done=done) as task:
        for key, reason in executor.run(missing, work, work.place.workers, work.place.ray):
            if reason is not None:
                left[key] = reason
            made += reason is None
            task.advance(note=key if reason is None else f"{key}: {reason}")
    return ShiftSummary(made, len(slots) - made - len(left), Counter(left.values()))


def _finished(root: Path, slot: ShiftedSlot) -> SetImage | None:
    from caos.scenes.slot_files import finished_slot

    return finished_slot(root, slot)


def _left_out(root: Path, slot: ShiftedSlot) -> Path:
    return root / LEFT_OUT / f"{slot.key}.json"


def _reason(root: Path, slot: ShiftedSlot) -> str | None:
    path = _left_out(root, slot)
    if not path.is_file():
        return None
    with contextlib.suppress(CaosError, KeyError, TypeError):
        return str(read_json(path)["reason"])
    return None


def _write_left_out(root: Path, slots: Sequence[ShiftedSlot]) -> None:
    lines = [f"{slot.key}: {reason}\n" for slot in slots if (reason := _reason(root, slot)) is not None]
    write_text(root / "left_out.txt", "".join(lines))


def _told(source: Dataset, changes: Sequence[Change], summary: ShiftSummary) -> dict[str, Any]:
    """What the description of the set says of the shift."""
    return {
        "of": source.name,
        "set": str(source.root.resolve()),
        "changes": [str(change) for change in changes],
        "left out": dict(sorted(summary.left_out.items())),
    }


def _identity(
    source: Dataset, slots: Sequence[ShiftedSlot], changes: Sequence[Change], place: Place, seed: int
) -> dict[str, Any]:
    """What the pictures depend on, JSON-ready: not the number of workers, nor which machine renders."""
    library = Library.open(place.library)
    objects = sorted({hazard.object for slot in slots for hazard in slot.scene.hazards})
    return {
        "set": sha256(source.root / "manifest.jsonl"),
        "images": [slot.key for slot in slots],
        "changes": [str(change) for change in changes],
        "seed": seed,
        "simulator": EMBEDDED if place.simulators == (EMBEDDED,) else CARLA,
        "quality": place.quality,
        "imported objects": dict(imported_contents(objects, library)),
        "labels": source.labels.digest,
        "code": [drawing_code(), code_digest(Path(__file__).parent, without=("__pycache__",))[:16]],
    }


def shifted_changes(dataset: Dataset) -> Iterator[str]:
    """The changes that made a shifted set; none for any other set."""
    about = dataset.info.get("shift")
    yield from (str(change) for change in about.get("changes", ())) if isinstance(about, dict) else ()
