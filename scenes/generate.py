"""Building a whole set: claim the folder, make what is missing on any number of workers, write lists and manifest."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from assets.library import Library
from foundation.errors import CaosError, LostError
from foundation.files import claimed, read_json, write_json, write_jsonl
from foundation.progress import SILENT, Progress
from foundation.provenance import provenance
from foundation.threads import spare_the_cores
from scenes import executors
from scenes.drawing import BuildSettings
from scenes.labels import STREETHAZARDS
from scenes.layout import PLACES, write_odgt
from scenes.recipes import Recipe, Slot

if TYPE_CHECKING:
    from scenes.builder import Builder
    from simulator.session import Session

EMBEDDED: Final = "embedded"
READMES: Final = {
    "train": "Images and annotations of the training and validation towns. PNG value = class id + 1; see dataset.json.",
    "test": "Images and annotations of the test towns, with hazards (PNG value 14). See manifest.jsonl.",
}


@dataclass(frozen=True)
class Place:
    """Where a set is made: which simulators, with which objects, on how many workers.

    Attributes:
        simulators: ``("embedded",)``, or addresses ``host:port`` of CARLA servers, shared out among the workers.
        quality: Of the embedded renderer.
        library: Folder of imported objects, or None.
        workers: Processes (or Ray actors).
        ray: Address of a Ray cluster, or None.
    """

    simulators: tuple[str, ...] = (EMBEDDED,)
    quality: str = "standard"
    library: Path | None = None
    workers: int = 1
    ray: str | None = None


@dataclass(frozen=True, eq=False)
class Summary:
    """What a run did: images made now and before, rejected tries by reason, and where the workers' time went.

    ``seconds``: in ``all``, and of it for ``pictures`` (with their labels), for ``labels`` alone while a view is looked
    for, and for starting simulators and loading ``towns``. Besides, for ``building`` towns, once on a machine.
    """

    made: int
    kept: int
    rejected: Counter[str]
    seconds: dict[str, float]


class SlotWork:
    """A worker: opens a session in the town of its first slot, then makes slot after slot."""

    def __init__(self, place: Place, settings: BuildSettings, root: Path, number: int) -> None:
        self._place, self._settings, self._root = place, settings, root
        self._simulator = place.simulators[number % len(place.simulators)]
        self._session: Session | None = None
        self._builder: Builder | None = None
        self._give_back: Callable[[], None] | None = None
        self._counted: Counter[str] = Counter()
        self._lost = False

    def __call__(self, slot: Slot) -> tuple[str, dict[str, int], dict[str, float]]:
        """Make a slot; returns its key, rejected tries and seconds.

        Raises:
            LostError: If the simulator stops answering; the next call looks for it again.
        """
        from simulator.connection import patience

        start = time.perf_counter()
        try:
            with patience(f"show {slot.key}"):
                builder, session = self._opened(slot.town)
                row = builder.build(slot, self._root)
        except LostError as error:
            self._abandon()
            raise LostError(f"{self._simulator}: {error}") from error
        spent = {what: session.seconds[what] - self._counted[what] for what in session.seconds}
        self._counted = Counter(session.seconds)
        return slot.key, row["rejected"], spent | {"all": time.perf_counter() - start}

    def _opened(self, town: str) -> tuple[Builder, Session]:
        if self._builder is not None and self._session is not None:
            return self._builder, self._session
        from scenes.builder import Builder
        from simulator.session import Session

        place = self._place
        if self._give_back is None:
            self._give_back = spare_the_cores()
        try:
            self._session = Session.open(
                simulator=self._simulator, quality=place.quality, town=town, library=place.library
            )
        except CaosError as error:
            if self._lost:
                raise LostError(str(error)) from error
            raise
        self._session.prepare()
        self._builder = Builder(self._session, Library.open(place.library), self._settings)
        return self._builder, self._session

    def _abandon(self) -> None:
        if self._session is not None:
            self._session.abandon()
        self._session, self._builder, self._lost, self._counted = None, None, True, Counter()

    def close(self) -> None:
        """Give the simulator back."""
        if self._session is not None:
            self._session.close()
        if self._give_back is not None:
            self._give_back()


@dataclass(frozen=True)
class SlotWorkFactory:
    """Makes a :class:`SlotWork` in a worker process."""

    place: Place
    settings: BuildSettings
    root: Path

    def __call__(self, number: int) -> SlotWork:
        """The worker of that number."""
        return SlotWork(self.place, self.settings, self.root, number)


def generate(recipe: Recipe, settings: BuildSettings, root: Path, place: Place, progress: Progress = SILENT) -> Summary:
    """Make the set at ``root``; run again after an interruption, it makes what is missing, to the same bytes.

    Raises:
        CaosError: If there is nothing to make, the folder holds something else, or a scene cannot be made.
    """
    slots = list(recipe.slots())
    if not slots:
        raise CaosError("a set of no images: give train, val or test a number above 0")
    configuration = _configuration(recipe, settings, place)
    with claimed(root, "recipe.json", configuration, "set"):
        _sweep(root)
        missing = [slot for slot in slots if not _finished(root, slot)]
        # Towns take seconds to load: keep a worker in one as long as there is work.
        missing.sort(key=lambda slot: (slot.town, slot.split, slot.number))
        rejected: Counter[str] = Counter()
        seconds = dict.fromkeys(("pictures", "labels", "towns", "all"), 0.0)
        building = _build_towns(missing, place, progress)
        with progress.task("rendering", len(slots), done=len(slots) - len(missing)) as task:
            for key, refused, spent in _results(missing, SlotWorkFactory(place, settings, root), place):
                rejected.update(refused)
                seconds = {what: seconds[what] + spent[what] for what in seconds}
                task.advance(note=key)
        _finish(root, recipe, slots, configuration, settings.seed)
    return Summary(len(missing), len(slots) - len(missing), rejected, seconds | {"building": building})


def _build_towns(slots: Sequence[Slot], place: Place, progress: Progress) -> float:
    """Build towns that this machine has never shown, before a worker waits for them; the seconds it took."""
    if place.simulators != (EMBEDDED,) or place.ray is not None:
        return 0.0
    from simulator.embedded.towns.cache import is_built
    from simulator.embedded.towns.town import TOWN_NAMES

    start = time.perf_counter()
    towns = [name for name in TOWN_NAMES if name in {slot.town for slot in slots} and not is_built(name)]
    if not towns:
        return 0.0
    with progress.task("building towns, once", len(towns)) as task:
        for name in executors.run_processes(towns, _town_builder, place.workers):
            task.advance(note=name)
    return time.perf_counter() - start


def _town_builder(_: int) -> Callable[[str], str]:
    from simulator.embedded.towns.town import load_town

    return lambda name: load_town(name).name


def _results(slots: Sequence[Slot], factory: SlotWorkFactory, place: Place) -> Iterator[Any]:
    if place.ray is not None:
        return executors.run_ray(slots, factory, place.workers, place.ray)
    if place.workers == 1:
        return executors.run_here(slots, factory)
    return executors.run_processes(slots, factory, place.workers)


def _configuration(recipe: Recipe, settings: BuildSettings, place: Place) -> dict[str, Any]:
    """What the pictures depend on: not the number of workers, nor which machine renders."""
    simulator = EMBEDDED if place.simulators == (EMBEDDED,) else "carla"
    return {
        "recipe": asdict(recipe),
        "settings": asdict(settings),
        "simulator": simulator,
        "quality": place.quality,
        "objects": len(settings.objects),
    }


def _sweep(root: Path) -> None:
    """Remove what a killed run was writing."""
    for left in root.rglob(".*.part*"):
        left.unlink(missing_ok=True)


def _finished(root: Path, slot: Slot) -> bool:
    record = root / "scenes" / f"{slot.key}.json"
    if not record.exists():
        return False
    files = read_json(record)["files"]
    return all((root / entry["path"]).exists() for entry in files.values())


def _finish(root: Path, recipe: Recipe, slots: Sequence[Slot], configuration: dict[str, Any], seed: int) -> None:
    rows = [read_json(root / "scenes" / f"{slot.key}.json") for slot in slots]
    width, height = configuration["settings"]["size"]
    for split, place in PLACES.items():
        own = [slot for slot in slots if slot.split == split]
        pairs = [
            tuple(slot.path(kind).removeprefix(f"{place.top}/") for kind in ("images", "annotations")) for slot in own
        ]
        write_odgt(root / place.top / place.list_name, [(a, b) for a, b in pairs], width, height, recipe.dataset)
    for top, text in READMES.items():
        (root / top).mkdir(parents=True, exist_ok=True)
        (root / top / "README.txt").write_text(text + "\n", encoding="utf-8")
    write_jsonl(root / "manifest.jsonl", rows)
    table = STREETHAZARDS
    write_json(
        root / "dataset.json",
        {
            "name": recipe.dataset,
            "recipe": recipe.name,
            "labels": {"name": table.name, "version": table.version, "digest": table.digest},
            "classes": [asdict(row) for row in table.classes],
            "counts": {split: sum(slot.split == split for slot in slots) for split in PLACES},
            "provenance": provenance(configuration, seed),
        },
    )
