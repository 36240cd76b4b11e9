"""Adversarial filtration (Hendrycks et al. 2021, Natural Adversarial Examples): the frames a reference run gets wrong.

``O``, after ImageNet-O: frames with hazards that the run takes for ordinary. ``A``, after ImageNet-A: ordinary frames
that it segments worst. As there, one failure must not fill the set: at most so many frames of one kind, and of one
confusion (kind and what it is taken for). Where the authors look at every picture to make sure that it is clear and
rightly labelled, our labels are rendered, hazards have limits of size and visibility, and every kept frame is audited.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np

from caos.foundation.errors import CaosError
from caos.foundation.execution.progress import SILENT, Progress
from caos.scenes.dataset.audit import audit, exposed_parts
from caos.scenes.dataset.checks import SampleChecker, SampleJob
from caos.scenes.dataset.layout import Dataset, open_dataset
from caos.scenes.dataset.subset import subset_folder
from caos.studies.framework.frames import JudgedFrame, judged
from caos.studies.framework.named_folders import named
from caos.studies.framework.runs import labelled_samples, load_run, plans_of
from caos.studies.framework.study import StudyFolder

FilterKind = Literal["O", "A"]
WORK: Final = "filtering"
"""Folder in the new set where what the run made of every candidate is kept."""


@dataclass(frozen=True)
class FilterSettings:
    """How frames are filtered.

    Attributes:
        kind: ``O``: hazards taken for ordinary; ``A``: ordinary frames segmented worst.
        split: Of the candidates; None for test with ``O``, val with ``A``.
        scorer: The one whose score makes a hazard ordinary; that of the authors is ``msp``.
        most_found: Of ``O``: largest share of a frame's hazard pixels that the scorer finds.
        worst_share: Of ``A``: share of the candidates, worst first.
        per_kind: Most frames of one kind.
        per_confusion: Most frames of one confusion.
        device: As for ``caos score``.
        seed: Of fits.
    """

    kind: FilterKind = "O"
    split: str | None = None
    scorer: str = "msp"
    most_found: float = 0.15
    worst_share: float = 0.25
    per_kind: int = 15
    per_confusion: int = 15
    device: str = "auto"
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse values outside their range."""
        if self.kind not in ("O", "A"):
            raise CaosError(f"kind is {self.kind!r}; it must be O (hazards taken for ordinary) or A (segmented worst)")
        for name in ("most_found", "worst_share"):
            if not 0 < getattr(self, name) <= 1:
                raise CaosError(f"{name} is {getattr(self, name)}; it must be above 0 and at most 1")
        for name in ("per_kind", "per_confusion"):
            if getattr(self, name) < 1:
                raise CaosError(f"{name} is {getattr(self, name)}; it must be at least 1")

    @property
    def candidates(self) -> str:
        """The split that frames are taken from."""
        return self.split or ("test" if self.kind == "O" else "val")


@dataclass(frozen=True)
class Failure:
    """A frame that the reference run gets wrong: how well it did, what was mistaken, and for what."""

    key: str
    value: float
    kind: str
    taken_for: str


@dataclass(frozen=True, eq=False)
class Filtered:
    """What came of a filtration: the new set, and how many frames each step left."""

    dataset: Dataset
    steps: Mapping[str, int]
    failures: tuple[Failure, ...]


def filter_scenes(
    dataset: str | Path | Dataset,
    run: str | Path,
    out: str | Path,
    *,
    settings: FilterSettings | None = None,
    progress: Progress = SILENT,
) -> Filtered:
    """Keep the frames of a set that a reference run gets wrong, as a set of its own.

    Args:
        dataset: The candidates: the more, the better.
        run: The reference run.
        out: Folder of the new set.
        settings: How they are filtered.
        progress: Where progress is shown.

    Raises:
        CaosError: If a folder cannot be used, no candidate is of the right sort, or none is left.
    """
    settings = settings or FilterSettings()
    opened = dataset if isinstance(dataset, Dataset) else open_dataset(Path(dataset))
    samples = labelled_samples(opened, settings.candidates)
    loaded = load_run(named(str(run)), opened, settings.scorer, None, settings.device, settings.seed)
    column = next(iter(loaded.source.columns))
    asked = {**asdict(settings), "split": settings.candidates, "run": str(run), "set": str(opened.root)}
    with subset_folder(Path(out), asked) as writer:
        place = StudyFolder(Path(out) / WORK, "filtration", progress)
        plan = plans_of([loaded], place.folder, settings.candidates, settings.seed)
        loaded.source.prepare(loaded.dataset, settings.seed, progress)
        frames = judged(place, loaded, samples, plan[loaded.name], name="reference", seed=settings.seed)
        failures, steps = choose(frames, column, settings)
        sound = [one for one in failures if not _label_errors(opened, one.key)]
        steps |= {"with sound labels": len(sound)}
        if not sound:
            said = ", ".join(f"{step} {count}" for step, count in steps.items())
            raise CaosError(
                f"no frame is left of {len(samples)} in {opened.root}: {said}; give more candidates, or a looser "
                "--most-found or --worst-share"
            )
        about = {one.key: {"by": str(run), **asdict(one)} for one in sound}
        made = writer.write(opened, about, f"{opened.name}-{settings.kind}", {"filtered": {**asked, "steps": steps}})
    problems = [problem for problem in audit(made, workers=1).problems if problem.level == "error"]
    if problems:
        raise CaosError(f"{out}: {problems[0].rule}: {problems[0].file}: {problems[0].detail}")
    return Filtered(made, steps, tuple(sound))


def choose(
    frames: Sequence[JudgedFrame], scorer: str, settings: FilterSettings
) -> tuple[list[Failure], dict[str, int]]:
    """The failures among frames, worst first, within the caps; and how many frames each step left."""
    candidates = _candidates(frames, scorer, settings)
    if not candidates:
        wanted = "hazards" if settings.kind == "O" else "none"
        raise CaosError(
            f"no candidate frame of split {settings.candidates!r} fits: kind {settings.kind} needs {wanted}"
        )
    if settings.kind == "O":
        failing = [one for one in candidates if one.value <= settings.most_found]
    else:
        failing = candidates[: max(int(np.ceil(settings.worst_share * len(candidates))), 1)]
    kept, kinds, confusions = [], Counter[str](), Counter[tuple[str, str]]()
    for one in failing:
        pair = (one.kind, one.taken_for)
        if kinds[one.kind] < settings.per_kind and confusions[pair] < settings.per_confusion:
            kinds[one.kind] += 1
            confusions[pair] += 1
            kept.append(one)
    return kept, {"candidates": len(candidates), "failing": len(failing), "within the caps": len(kept)}


def _candidates(frames: Sequence[JudgedFrame], scorer: str, settings: FilterSettings) -> list[Failure]:
    """Every frame of the right sort as it would fail, the worst first."""
    found = []
    for frame in frames:
        share = frame.found(scorer)
        if settings.kind == "O" and share is not None:
            largest = frame.hazards[0]
            found.append(Failure(frame.key, share, largest.kind, largest.taken_for))
        elif settings.kind == "A" and share is None and frame.iou is not None:
            found.append(Failure(frame.key, frame.iou, frame.true_class, frame.taken_for))
    return sorted(found, key=lambda one: (one.value, one.key))


def _label_errors(dataset: Dataset, key: str) -> list[Any]:
    sample = next(one for samples in dataset.splits.values() for one in samples if one.key == key)
    with_images = bool(dataset.info.get("images", True))
    checker = SampleChecker(dataset.root, dataset.labels, with_images, exposed_parts(dataset))
    checked = checker.check(SampleJob(0, sample, dataset.manifest().get(key, {})))
    return [problem for problem in checked.problems if problem.level == "error"]
