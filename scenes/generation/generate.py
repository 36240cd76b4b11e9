"""Generation of a whole set: claim the folder, make what is missing on any number of workers, write its lists."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from caos.assets.catalogue.library import Library
from caos.foundation.errors import CaosError, LostError
from caos.foundation.execution import executor
from caos.foundation.execution.progress import SILENT, Progress
from caos.foundation.execution.threads import spare_the_cores
from caos.foundation.storage.claims import claimed
from caos.foundation.storage.files import remove_parts
from caos.foundation.storage.provenance import provenance
from caos.scenes.dataset.writer import SetDescription, SetImage, write_set
from caos.scenes.labels import STREETHAZARDS
from caos.scenes.recipes.hazard_limits import limits_in_words
from caos.scenes.recipes.object_choice import objects_of_parts, part_key
from caos.scenes.recipes.recipe import Recipe, RecipePart, Slot, load_recipe
from caos.scenes.sequences.slots import SequenceSlots, together

if TYPE_CHECKING:
    from caos.scenes.generation.scene_maker import MadeScene, SceneMaker
    from caos.simulator.session import Session

EMBEDDED: Final = "embedded"
CARLA: Final = "carla"
MARKER: Final = "recipe.json"
MANY_VIEWS: Final = 5
"""From so many views drawn again on, the progress says why."""


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
    for, for starting simulators and loading ``towns``, and for writing ``files``. Besides, for ``building`` towns, once
    on a machine. ``processor``: the same in seconds of the processor, without ``building``, of the workers and the
    embedded simulators.
    """

    made: int
    kept: int
    rejected: Counter[str]
    seconds: dict[str, float]
    processor: dict[str, float]


@dataclass(frozen=True)
class Spent:
    """Seconds, and seconds of the processor, by what they were spent for."""

    seconds: Counter[str] = field(default_factory=Counter)
    processor: Counter[str] = field(default_factory=Counter)

    def add(self, what: str, seconds: float, processor: float) -> None:
        """Count more of something."""
        # A counter's numbers are whole ones only to the type checker.
        self.seconds[what] += seconds  # type: ignore[assignment]
        self.processor[what] += processor  # type: ignore[assignment]

    def plus(self, other: Spent) -> Spent:
        """Both together."""
        return Spent(self.seconds + other.seconds, self.processor + other.processor)

    def minus(self, other: Spent) -> Spent:
        """What came since ``other``."""
        return Spent(self.seconds - other.seconds, self.processor - other.processor)


@dataclass(frozen=True)
class SlotWorkFactory:
    """Makes a :class:`SlotWork` in a worker process.

    Attributes:
        place: Where the set is made.
        root: The set's folder.
        objects: Names of hazard objects by part.
        seed: Of the set.
        depth: Whether depth maps are written.
        twins: Whether frames are written without their hazards too.
        parts: Of the recipe, to be checked against the server before the first frame.
        normals: Whether normals are written.
        flow: Whether the flow in sequences is written.
    """

    place: Place
    root: Path
    objects: Mapping[str, Sequence[str]]
    seed: int = 0
    depth: bool = False
    twins: bool = False
    parts: tuple[RecipePart, ...] = ()
    normals: bool = False
    flow: bool = False

    def __call__(self, number: int) -> SlotWork:
        """The worker of that number."""
        return SlotWork(self, number)


class SlotWork:
    """A worker: opens a session in the town of its first slot, then makes slot after slot."""

    def __init__(self, job: SlotWorkFactory, number: int) -> None:
        self._job = job
        self._simulator = job.place.simulators[number % len(job.place.simulators)]
        self._library: Library | None = None
        self._session: Session | None = None
        self._maker: SceneMaker | None = None
        self._give_back: Callable[[], None] | None = None
        self._own, self._counted, self._used = Spent(), Spent(), time.process_time()
        self._is_checked = False
        self._lost = False

    def __call__(self, item: Slot | SequenceSlots) -> tuple[str, Mapping[str, int], Spent]:
        """Make a slot, or frames of a sequence; returns the (last) key, rejected tries and what it took.

        Raises:
            LostError: If the simulator stops answering; the next call looks for it again.
        """
        from caos.scenes.generation.server_abilities import refuse_unable
        from caos.simulator.frames import ALL_OUTPUTS, OUTPUTS

        start, job = time.perf_counter(), self._job
        slot = item.first if isinstance(item, SequenceSlots) else item
        try:
            maker, session, library = self._opened(slot.town)
            objects = self._objects(slot.part)
            if not self._is_checked:
                # All parts, those of other workers too: what cannot be made is said before anything is.
                for part in job.parts or (slot.part,):
                    refuse_unable(session, part, self._objects(part), ALL_OUTPUTS if job.normals else OUTPUTS)
                self._is_checked = True
            if isinstance(item, SequenceSlots):
                refused = self._make_frames(maker, item, objects, library)
            else:
                made = maker.make(slot, objects)
                self._write(slot, made, library)
                refused = made.refused
        except LostError as error:
            self._abandon()
            raise LostError(f"{self._simulator}: {error}") from error
        key = item.slots[-1].key if isinstance(item, SequenceSlots) else slot.key
        return key, refused, self._spent(session, time.perf_counter() - start)

    def _spent(self, session: Session, seconds: float) -> Spent:
        """What was spent since the last call, which is counted."""
        used, self._used = self._used, session.processor_s
        self._own.add("all", seconds, self._used - used)
        now = Spent(Counter(session.seconds), Counter(session.processor)).plus(self._own)
        spent, self._counted = now.minus(self._counted), now
        return spent

    def _write(self, slot: Slot, made: MadeScene, library: Library, **more: Any) -> None:
        """Write the files of a slot; ``more`` joins its row."""
        from caos.scenes.dataset.slot_files import write_slot

        start, used, job = time.perf_counter(), time.process_time(), self._job
        write_slot(job.root, slot, made, library, depth=job.depth, more={**more, **self._scanned(slot, made)})
        self._own.add("files", time.perf_counter() - start, time.process_time() - used)

    def _objects(self, part: RecipePart) -> tuple[str, ...]:
        return tuple(self._job.objects.get(part_key(part.split, part.folder), ()))

    def _make_frames(
        self, maker: SceneMaker, item: SequenceSlots, objects: Sequence[str], library: Library
    ) -> Mapping[str, int]:
        """Make the frames of a sequence, by the plan that lies in the set, or by one that is put there."""
        from caos.scenes.sequences.sequence import read_sequence, sequence_file, write_sequence

        root = self._job.root
        try:
            plan = read_sequence(sequence_file(root, item.first.sequence_key))
        except CaosError:
            plan = maker.plan_sequence(item.first, objects)
            write_sequence(root, plan)
        for slot in item.slots:
            assert slot.frame is not None
            made = maker.show(plan.frames[slot.frame], plan.frames[slot.frame - 1] if slot.frame else None)
            self._write(slot, made, library, sequence=plan.about(slot.frame))
        return plan.refused

    def _scanned(self, slot: Slot, made: MadeScene) -> dict[str, Any]:
        """What a frame's row says of its lidars, whose files are written; nothing where it has none."""
        from caos.scenes.sensors.lidar_files import write_scans

        rows = write_scans(self._job.root, slot, made.scene, made.pictures.scans) if made.scene.lidars else []
        return {"lidar": rows} if rows else {}

    def _opened(self, town: str) -> tuple[SceneMaker, Session, Library]:
        if self._library is None:
            self._library = Library.open(self._job.place.library)
        if self._maker is None or self._session is None:
            from caos.scenes.generation.scene_maker import SceneMaker

            self._session = self._connected(town)
            job = self._job
            self._maker = SceneMaker(
                self._session, self._library, seed=job.seed, twins=job.twins, normals=job.normals, flow=job.flow
            )
        return self._maker, self._session, self._library

    def _connected(self, town: str) -> Session:
        from caos.simulator.session import Session

        place = self._job.place
        if self._give_back is None:
            self._give_back = spare_the_cores()
        try:
            session = Session.open(simulator=self._simulator, quality=place.quality, town=town, library=place.library)
        except CaosError as error:
            if self._lost:
                raise LostError(str(error)) from error
            raise
        session.prepare()
        return session

    def _abandon(self) -> None:
        if self._session is not None:
            self._session.abandon()
        self._session, self._maker, self._lost = None, None, True
        self._own, self._counted, self._used = Spent(), Spent(), time.process_time()

    def close(self) -> None:
        """Give the simulator back."""
        if self._session is not None:
            self._session.close()
        if self._give_back is not None:
            self._give_back()


def generate(
    recipe: Recipe | str,
    out: str | Path,
    *,
    seed: int = 0,
    depth: bool = False,
    twins: bool = False,
    place: Place | None = None,
    overwrite: bool = False,
    progress: Progress = SILENT,
) -> Summary:
    """Make the set at ``out``; run again after an interruption, it makes what is missing, to the same bytes.

    Args:
        recipe: A recipe, or the name or path of one.
        out: The set's folder: new, empty, or of the same set.
        seed: The same seed gives the same set.
        depth: Write depth maps too; so does a recipe that says so.
        twins: Write each frame with hazards without them, too; so does a recipe that says so.
        place: Simulators, objects and workers; by default the embedded simulator in this process.
        overwrite: Replace another set in the folder.
        progress: Told how far it is.

    Raises:
        CaosError: If there is nothing to make, the folder holds something else or a set that was made from anything
            else (which is named), or a scene cannot be made.
    """
    from caos.scenes.dataset.identity import identity
    from caos.scenes.sensors.lidar_files import write_indices

    recipe = load_recipe(recipe) if isinstance(recipe, str) else recipe
    root, place = Path(out), place or Place()
    depth, twins = depth or recipe.outputs.depth, twins or recipe.outputs.twins
    if place.library is None and recipe.library is not None:
        place = replace(place, library=Path(recipe.library))
    slots = list(recipe.slots())
    if not slots:
        raise CaosError("the set would have no images; give train, val or test a number above 0")
    library = Library.open(place.library)
    objects = objects_of_parts(recipe, library)
    server = EMBEDDED if place.simulators == (EMBEDDED,) else CARLA
    made_from = identity(
        recipe, objects, library, seed=seed, depth=depth, twins=twins, simulator_name=server, quality=place.quality
    )
    with claimed(root, MARKER, made_from, "set", overwrite=overwrite):
        parts = tuple(part for part in recipe.parts if part.count)
        more = {"normals": recipe.outputs.normals, "flow": recipe.outputs.flow}
        work = SlotWorkFactory(place, root, objects, seed, depth, twins, parts, **more)
        summary = _fill(slots, work, progress)
        about = SetDescription(
            recipe.dataset,
            STREETHAZARDS,
            provenance(made_from, seed),
            {"recipe": recipe.name, "parts": _parts(recipe, objects)},
        )
        images = _finished(root, slots)
        write_indices(root, (image.about for image in images))
        write_set(root, images, about)
    return summary


def _fill(slots: Sequence[Slot], work: SlotWorkFactory, progress: Progress) -> Summary:
    """Make the images that are missing, cut short or changed."""
    from caos.scenes.dataset.slot_files import finished_slot

    place = work.place
    remove_parts(work.root)
    missing = [slot for slot in slots if finished_slot(work.root, slot) is None]
    # Towns take seconds to load: keep a worker in one as long as there is work.
    missing.sort(key=lambda slot: (slot.town, slot.split, slot.number, slot.frame or 0))
    items = together(missing)
    frames = {item.slots[-1].key: len(item.slots) for item in items if isinstance(item, SequenceSlots)}
    rejected: Counter[str] = Counter()
    total = Spent()
    building = _build_towns(missing, place, progress)
    with progress.task("rendering", len(slots), done=len(slots) - len(missing)) as task:
        for key, refused, spent in executor.run(items, work, place.workers, place.ray):
            rejected.update(refused)
            total = total.plus(spent)
            task.advance(frames.get(key, 1), note=f"{key}{_told_views(refused)}")
    remove_parts(work.root)  # of workers that died
    zero = dict.fromkeys(("pictures", "labels", "towns", "files", "all"), 0.0)
    seconds = {**zero, **total.seconds, "building": building}
    return Summary(len(missing), len(slots) - len(missing), rejected, seconds, {**zero, **total.processor})


def _told_views(refused: Mapping[str, int]) -> str:
    """Why views were drawn again, in words, if many were."""
    views = Counter({reason: count for reason, count in refused.items() if reason.startswith(("view: ", "frame: "))})
    if views.total() < MANY_VIEWS:
        return ""
    told = ", ".join(f"{count} {reason.partition(': ')[2]}" for reason, count in views.most_common(3))
    return f"  {views.total() + 1} views: {told}"


def _build_towns(slots: Sequence[Slot], place: Place, progress: Progress) -> float:
    """Build towns that this machine has never shown, before a worker waits for them; the seconds it took."""
    if place.simulators != (EMBEDDED,) or place.ray is not None:
        return 0.0
    from caos.simulator.embedded.towns.cache import is_built
    from caos.simulator.embedded.towns.plan import TOWN_NAMES, town_and_country

    start = time.perf_counter()
    shown = {town_and_country(slot.town)[0] for slot in slots}
    towns = [name for name in TOWN_NAMES if name in shown and not is_built(name)]
    if not towns:
        return 0.0
    with progress.task("building towns, once", len(towns)) as task:
        for name in executor.run(towns, _town_builder, place.workers):
            task.advance(note=name)
    return time.perf_counter() - start


def _town_builder(_: int) -> Callable[[str], str]:
    from caos.simulator.embedded.towns.town import load_town

    return lambda name: load_town(name).name


def _finished(root: Path, slots: Sequence[Slot]) -> list[SetImage]:
    from caos.scenes.dataset.slot_files import finished_slot

    images = []
    for slot in slots:
        image = finished_slot(root, slot)
        if image is None:
            raise CaosError(f"{root}: files of {slot.key} changed while the set was made; run the same command again")
        images.append(image)
    return images


def _parts(recipe: Recipe, objects: Mapping[str, Sequence[str]]) -> list[dict[str, Any]]:
    """The parts of a set: the objects each draws hazards from, the limits on them, and what keeps sides apart."""
    return [
        {
            "split": part.split,
            "folder": part.folder,
            "towns": list(part.towns),
            "count": part.count,
            "objects": list(objects.get(part_key(part.split, part.folder), ())),
            "limits": None if part.hazards is None else limits_in_words(part.hazards),
            "split_by": None if part.hazards is None or part.hazards.side == "all" else part.hazards.split_by,
        }
        for part in recipe.parts
    ]
