"""Measuring of several runs under several conditions, part by part: what is there is not measured again."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from caos.foundation.settings import read_record
from caos.studies.framework.measuring import PictureNumbers, ShownPictures, measure
from caos.studies.framework.runs import StudiedRun
from caos.studies.framework.study import StudyFolder

UNFIT: Final = re.compile(r"[^\w.-]+")
"""What does not go into the name of a file everywhere."""
ByRun = dict[str, PictureNumbers]


class MeasuringWork:
    """The measuring in one study's folder.

    Args:
        place: The study's folder.
        runs: The runs.
        plans: What the numbers of each run depend on, by its name; see :func:`caos.studies.framework.runs.plans_of`.
        seed: Of what scorers are fitted with.
    """

    def __init__(self, place: StudyFolder, runs: Sequence[StudiedRun], plans: Mapping[str, Any], seed: int) -> None:
        self.runs, self.plans, self._place, self._seed = tuple(runs), dict(plans), place, seed
        self._fitted: set[str] = set()

    def measured(self, shown: ShownPictures, label: str, clean: Mapping[str, PictureNumbers] | None = None) -> ByRun:
        """The numbers of each run on some pictures.

        Args:
            shown: The pictures.
            label: What progress is shown under.
            clean: Numbers of the runs on pictures as they are, which set the thresholds; None: these are they.
        """
        thresholds = {run: None if clean is None else clean[run.name].thresholds for run in self.runs}
        keys = [sample.key for sample in shown.samples]
        identities = {run: [self.plans[run.name], shown.about, keys, thresholds[run]] for run in self.runs}
        missing = [run for run in self.runs if not self._place.has_part(_part(run, shown), identities[run])]
        new: Mapping[str, PictureNumbers] = {}
        if missing:
            for run in missing:
                self.fit(run)
            with self._place.progress.task(label, len(shown.samples)) as task:
                new = measure(shown, {run: thresholds[run] for run in missing}, lambda key: task.advance(note=key))
        return {run.name: self._kept(run, shown, identities[run], new.get(run.name)) for run in self.runs}

    def _kept(
        self, run: StudiedRun, shown: ShownPictures, identity: Any, numbers: PictureNumbers | None
    ) -> PictureNumbers:
        def made() -> Any:
            assert numbers is not None
            return numbers.json()

        name = _part(run, shown)
        return read_record(PictureNumbers, self._place.part(name, identity, made), self._place.folder / name)

    def fit(self, run: StudiedRun) -> None:
        """Fit the scorers of a run, once."""
        if run.name not in self._fitted:
            run.source.prepare(run.dataset, self._seed, self._place.progress)
            self._fitted.add(run.name)


def _part(run: StudiedRun, shown: ShownPictures) -> str:
    return f"{run.name.replace('/', '_')}/{UNFIT.sub('-', shown.name)}"
