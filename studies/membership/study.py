"""Membership study: can a network that learnt to compare kinds of hazards compare kinds it has never seen?"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from caos.foundation.errors import CaosError
from caos.foundation.execution.progress import SILENT, Progress
from caos.foundation.settings import read_record
from caos.foundation.storage.identity import Fingerprint
from caos.studies.framework.study import Study, StudyFolder, study_folder
from caos.studies.membership.crops import Crops, read_crops
from caos.studies.membership.learning import accuracies, best_threshold, draw_episodes, embedded, learn
from caos.studies.membership.presentation import Answers, present
from caos.studies.numerics import NUMERICS

NAME: Final = "membership"
NETWORK: Final = "Conv-4, concatenated"
EMBEDDING: Final = "ImageNet embedding, distance"


@dataclass(frozen=True)
class MembershipSettings:
    """How set membership is learnt and tested.

    Attributes:
        shots: Comma-separated numbers of crops in a set; 1 and 5 in the thesis.
        side: Pixels of a crop; 84 in the thesis.
        steps: Of SGD.
        batch: Sets and queries a step; 200 in the thesis.
        novel_share: Share of the kinds that is kept for the test; 20 of 100 classes there.
        repeats: How often sets are drawn for the test; 10 there.
        queries: Of one repeat.
        seed: Of everything.
    """

    shots: str = "1,5"
    side: int = 48
    steps: int = 600
    batch: int = 64
    novel_share: float = 0.3
    repeats: int = 10
    queries: int = 400
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse values that could only fail later."""
        parts = [part.strip() for part in self.shots.split(",")]
        if not all(part.isdecimal() and int(part) >= 1 for part in parts):
            raise CaosError(f"shots is {self.shots!r}; it must be whole numbers from 1 on, such as 1,5")
        for name in ("steps", "repeats"):
            if getattr(self, name) < 1:
                raise CaosError(f"{name} is {getattr(self, name)}; it must be at least 1")
        for name, least in (("side", 16), ("batch", 2), ("queries", 2)):
            if getattr(self, name) < least:
                raise CaosError(f"{name} is {getattr(self, name)}; it must be at least {least}")
        if not 0 < self.novel_share < 1:
            raise CaosError(f"novel_share is {self.novel_share}; it must be between 0 and 1")

    @property
    def sizes(self) -> tuple[int, ...]:
        """Numbers of crops in a set, ascending."""
        return tuple(sorted({int(part) for part in self.shots.split(",")}))


def study_membership(
    source: str | Path,
    out: str | Path,
    *,
    settings: MembershipSettings | None = None,
    progress: Progress = SILENT,
) -> Study:
    """Learn whether a crop of a hazard belongs to a set of others, and test it on kinds that were not learnt.

    Args:
        source: Folder of cut-outs, or a set with hazards.
        out: Folder of the study.
        settings: How it is learnt and tested.
        progress: Where progress is shown.

    Raises:
        CaosError: If the source has too few crops.
    """
    settings = settings or MembershipSettings()
    crops = read_crops(Path(source), settings.side, max(settings.sizes) + 2)
    base, novel = split_kinds(crops, settings.novel_share, settings.seed)
    content = {kind: hashlib.sha256(part.tobytes()).hexdigest() for kind, part in crops.items()}
    with study_folder(Path(out), NAME, progress) as place:
        identity = Fingerprint({"crops": content}, {"settings": asdict(settings)}, (NUMERICS,)).plan()
        found = []
        for shots in settings.sizes:
            learnt = functools.partial(_learnt, place, base, novel, shots, settings)
            compared = functools.partial(_compared, base, novel, shots, settings)
            found.append(_kept(place, "conv4", shots, identity, learnt))
            found.append(_kept(place, "embedding", shots, identity, compared))
        kinds = {"learnt": sorted(base), "new": sorted(novel)}
        return place.finish(
            identity, {**asdict(settings), "source": str(source)}, lambda: present(found, kinds), settings.seed
        )


def split_kinds(crops: Crops, novel_share: float, seed: int) -> tuple[Crops, Crops]:
    """Kinds to learn from, and kinds to be tested on; two or more of each."""
    kinds = sorted(crops)
    order = np.random.default_rng(seed).permutation(len(kinds))
    count = min(max(round(novel_share * len(kinds)), 2), len(kinds) - 2)
    new = {kinds[i] for i in order[:count]}
    return {k: v for k, v in crops.items() if k not in new}, {k: v for k, v in crops.items() if k in new}


def _kept(place: StudyFolder, name: str, shots: int, identity: Any, make: Callable[[], Answers]) -> Answers:
    part = f"{name}-{shots}"
    kept = place.part(part, identity, lambda: asdict(make()))
    return read_record(Answers, kept, place.folder / "parts" / part)


def _learnt(place: StudyFolder, base: Crops, novel: Crops, shots: int, settings: MembershipSettings) -> Answers:
    with place.progress.task(f"learning, {shots} in a set", settings.steps) as task:
        answer = learn(base, shots, settings.steps, settings.batch, settings.seed, lambda note: task.advance(note=note))
    return _tested(NETWORK, answer, 0.0, base, novel, shots, settings)


def _compared(base: Crops, novel: Crops, shots: int, settings: MembershipSettings) -> Answers:
    """The embedding, with the threshold that is best on the kinds one may learn from."""
    answer = embedded()
    sets, belongs = draw_episodes(base, shots, settings.queries, np.random.default_rng((settings.seed, 7, shots)))
    return _tested(EMBEDDING, answer, best_threshold(answer(sets), belongs), base, novel, shots, settings)


def _tested(
    method: str,
    answer: Callable[[npt.NDArray[np.uint8]], npt.NDArray[np.float32]],
    threshold: float,
    base: Crops,
    novel: Crops,
    shots: int,
    settings: MembershipSettings,
) -> Answers:
    def draws(crops: Crops, salt: int) -> list[Any]:
        rngs = [np.random.default_rng((settings.seed, salt, shots, i)) for i in range(settings.repeats)]
        return [draw_episodes(crops, shots, settings.queries, rng) for rng in rngs]

    return Answers(
        method=method,
        shots=shots,
        learnt=tuple(accuracies(answer, threshold, draws(base, 8))),
        new=tuple(accuracies(answer, threshold, draws(novel, 9))),
    )
