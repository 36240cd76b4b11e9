"""Settings of studies that measure runs themselves, and what these begin with: the set, its pictures, the runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from caos.foundation.errors import CaosError
from caos.scenes.dataset.layout import Dataset, Sample, open_dataset
from caos.scenes.generation.generate import Place
from caos.studies.framework.named_folders import Named, named, told_apart
from caos.studies.framework.runs import StudiedRun, labelled_samples, load_run, some_of

SCORERS: Final = "msp,max_logit,energy,entropy"
"""Scorers that cost next to nothing: a study is many scorings."""


@dataclass(frozen=True, kw_only=True)
class MeasuringSettings:
    """How a study measures runs.

    Attributes:
        scorers: As for ``caos score``.
        split: Which images.
        images: At most so many of them, evenly spread; None for all.
        fit_on: Set to fit scorers on; None for that of each run.
        device: As for ``caos score``.
        seed: Of fits and of whatever the study draws.
    """

    scorers: str = SCORERS
    split: str = "test"
    images: int | None = None
    fit_on: Path | None = None
    device: str = "auto"
    seed: int = 0

    def told(self, dataset: Dataset) -> dict[str, Any]:
        """What was asked for, JSON-ready."""
        return {**asdict(self), "fit_on": str(self.fit_on or ""), "set": str(dataset.root)}


@dataclass(frozen=True, kw_only=True)
class RenderingSettings(MeasuringSettings):
    """How a study measures runs on pictures of which it renders some.

    Attributes:
        place: Simulators, objects and workers that render.
    """

    place: Place = field(default_factory=Place)

    def told(self, dataset: Dataset) -> dict[str, Any]:
        """What was asked for, JSON-ready: of the place what pictures depend on."""
        place = {"quality": self.place.quality, "simulators": list(self.place.simulators)}
        return {**super().told(dataset), "place": place}


@dataclass(frozen=True, eq=False)
class StudyBeginning:
    """What a study begins with.

    Attributes:
        dataset: The set.
        samples: Its pictures that are measured.
        places: The runs' folders by name.
        settings: How they are measured.
    """

    dataset: Dataset
    samples: tuple[Sample, ...]
    places: tuple[Named, ...]
    settings: MeasuringSettings

    @property
    def keys(self) -> list[str]:
        """Of the pictures."""
        return [sample.key for sample in self.samples]

    def load(self) -> list[StudiedRun]:
        """The runs with their scorers, not yet fitted."""
        asked = self.settings
        return [
            load_run(place, self.dataset, asked.scorers, asked.fit_on, asked.device, asked.seed)
            for place in self.places
        ]


def begin(dataset: str | Path | Dataset, runs: Sequence[str | Path], settings: MeasuringSettings) -> StudyBeginning:
    """Open a set and find the runs.

    Args:
        dataset: The set, or its folder; its labels must be of classes.
        runs: Folders of trained runs, each perhaps with a name: ``"plain=/runs/1"``.
        settings: How they are measured.

    Raises:
        CaosError: If there is no run, two share a name, or the set or its split cannot be used.
    """
    places = told_apart([named(str(run)) for run in runs], "run")
    if not places:
        raise CaosError("no run given; write --run RUN, repeated for several")
    opened = dataset if isinstance(dataset, Dataset) else open_dataset(Path(dataset))
    return StudyBeginning(opened, some_of(labelled_samples(opened, settings.split), settings.images), places, settings)
