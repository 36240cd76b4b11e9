"""Shifted sets of a study: made in its folder by the simulator, with how many scenes could not be changed so."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from caos.foundation.errors import CaosError
from caos.foundation.execution.progress import Progress
from caos.scenes.dataset.layout import Dataset, Sample, open_dataset
from caos.scenes.shifting.shift import ShiftOptions, drawn_unlike, shift_sets
from caos.studies.framework.measuring import ShownPictures
from caos.studies.framework.runs import StudiedRun, plans_of


@dataclass(frozen=True, eq=False)
class ShiftedSet:
    """A shifted set.

    Attributes:
        name: What tables call it.
        dataset: The set.
        left_out: Scenes that could not be changed so, by reason.
    """

    name: str
    dataset: Dataset
    left_out: Mapping[str, int]


def made_sets(
    source: Dataset, wanted: Mapping[str, tuple[Path, Sequence[str]]], options: ShiftOptions, progress: Progress
) -> tuple[list[ShiftedSet], dict[str, Mapping[str, int]]]:
    """The sets by name, each with its folder and changes, made where they are missing or out of date.

    Returns:
        The sets, and the reasons by name where no scene can be changed so.
    """
    folders = {folder: list(changes) for folder, changes in wanted.values()}
    summaries = shift_sets(source, folders, replace(options, overwrite=True), progress)
    found: list[ShiftedSet] = []
    impossible: dict[str, Mapping[str, int]] = {}
    for name, (folder, _) in wanted.items():
        summary = summaries[folder]
        if summary.made or summary.kept:
            found.append(ShiftedSet(name, open_dataset(folder), dict(summary.left_out)))
        else:
            impossible[name] = dict(summary.left_out)
    return found, impossible


def caveat(source: Dataset, sets: Iterable[ShiftedSet]) -> str:
    """What to mind where pictures of shifted sets differ from the set's in more than the shift; empty where not."""
    unlike = {words: None for one in sets for words in drawn_unlike(source, one.dataset)}
    if not unlike:
        return ""
    return (
        f" Mind that pictures which were rendered again differ in more than the change: {'; '.join(unlike)}. "
        "A shift that changes nothing, such as camera.lens=pinhole, says how much that is."
    )


def given_set(name: str, folder: Path, source: Dataset) -> ShiftedSet:
    """A shifted set that is there already.

    Raises:
        CaosError: If it is labelled otherwise than the set it is compared with.
    """
    opened = open_dataset(folder)
    if opened.labels.digest != source.labels.digest:
        raise CaosError(f"{folder} is labelled with {opened.labels.name!r}, {source.root} with {source.labels.name!r}")
    about = opened.info.get("shift")
    left_out = about.get("left out", {}) if isinstance(about, dict) else {}
    return ShiftedSet(name, opened, {str(reason): int(count) for reason, count in left_out.items()})


def shown_set(
    shifted: ShiftedSet, runs: Sequence[StudiedRun], keys: Sequence[str], folder: Path, split: str, seed: int
) -> ShownPictures:
    """The pictures of a shifted set that are of these scenes, with everything their numbers depend on.

    Raises:
        CaosError: If it has none of them.
    """
    wanted = set(keys)
    samples: tuple[Sample, ...] = tuple(s for s in shifted.dataset.splits[split] if s.key in wanted)  # type: ignore[index]
    if not samples:
        raise CaosError(
            f"{shifted.dataset.root} shares no image with the set it is compared with; is it a shift of that set?"
        )
    run = runs[0]
    there = replace(shifted.dataset, labels=run.dataset.labels)
    about: Any = plans_of([StudiedRun(run.name, run.source, there)], folder, split, seed)
    return ShownPictures(shifted.name, about, samples)
