"""Grid of hypotheses: pairs of trainings that differ in one thing, as a TOML file."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from caos.foundation.errors import CaosError, unknown
from caos.foundation.settings import read_record, read_toml
from caos.foundation.storage.identity import digest_of
from caos.segmentation.training.config import TrainConfig, make_config
from caos.studies.corruptions.measuring import Condition
from caos.studies.corruptions.study import CorruptionSettings

SMALL_GRID: Final = Path(__file__).parent / "small.toml"


@dataclass(frozen=True)
class Hypothesis:
    """Two trainings: what ``with`` has and ``base`` has not is claimed to make robust."""

    name: str
    base: dict[str, Any]
    with_: dict[str, Any]


@dataclass(frozen=True)
class HypothesisGrid:
    """What a study of hypotheses trains and measures.

    Attributes:
        hypothesis: The pairs.
        preset: Of every training.
        seeds: Every training is done with each.
        scorer: The detector that is measured, as for ``caos score``.
        corruptions: As for ``caos study corruptions``; empty for none.
        severities: Of these.
        train: Settings of every training.
    """

    hypothesis: tuple[Hypothesis, ...]
    preset: str = "quick"
    seeds: tuple[int, ...] = (0, 1)
    scorer: str = "max_logit"
    corruptions: str = ""
    severities: str = "3"
    train: dict[str, Any] = field(default_factory=dict)

    def conditions(self) -> tuple[Condition, ...]:
        """The corruptions at their severities."""
        if not self.corruptions.strip():
            return ()
        return CorruptionSettings(self.corruptions, self.severities).conditions()[1:]

    def config(self, changes: Mapping[str, Any], seed: int, device: str) -> TrainConfig:
        """The settings of a training.

        Raises:
            CaosError: If a setting is unknown or has a value that is not allowed.
        """
        known = [each.name for each in dataclasses.fields(TrainConfig)]
        chosen = {**self.train, **changes, "seed": seed, "device": device}
        for key in chosen:
            if key not in known:
                raise unknown("setting", key, known)
        given = {key: tuple(value) if isinstance(value, list) else value for key, value in chosen.items()}
        return make_config(given, preset=self.preset)


def run_name(changes: Mapping[str, Any], seed: int) -> str:
    """A name for the run of some changes: pairs that share a side share its runs."""
    return f"{digest_of(dict(changes))[:10]}-seed{seed}"


def read_grid(path: Path, device: str = "cpu") -> HypothesisGrid:
    """The grid in a TOML file.

    Raises:
        CaosError: If it cannot be read, has no pair, a pair is twice, or a setting is wrong; the pair is named.
    """
    content = read_toml(path)
    pairs = [
        {("with_" if key == "with" else key): value for key, value in one.items()} for one in _pairs(content, path)
    ]
    grid = read_record(HypothesisGrid, {**content, "hypothesis": pairs}, path)
    names = [pair.name for pair in grid.hypothesis]
    if not names or not grid.seeds:
        raise CaosError(f"{path} needs at least one [[hypothesis]] and one seed")
    for pair in grid.hypothesis:
        if names.count(pair.name) > 1:
            raise CaosError(f"{path}: hypothesis {pair.name!r} occurs twice")
        for side in (pair.base, pair.with_):
            try:
                grid.config(side, grid.seeds[0], device)
            except CaosError as error:
                raise CaosError(f"{path}: hypothesis {pair.name!r}: {error}") from error
    grid.conditions()
    return grid


def _pairs(content: Mapping[str, Any], path: Path) -> list[dict[str, Any]]:
    pairs = content.get("hypothesis", [])
    if not isinstance(pairs, list) or not all(isinstance(one, dict) for one in pairs):
        raise CaosError(f"{path}: a hypothesis is a table that begins with [[hypothesis]]")
    return pairs
