"""Arms of an exposure study: a small TOML grid of changes to the settings of a training."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from caos.foundation.errors import CaosError, unknown
from caos.foundation.settings import read_record, read_toml
from caos.segmentation.training.config import TrainConfig, make_config

USUAL_ARMS: Final = Path(__file__).parent / "arms.toml"
PLACE: Final = "@"
"""How a value begins that names a folder given elsewhere."""


@dataclass(frozen=True)
class Arm:
    """One training of the study.

    Attributes:
        name: How tables call it.
        step: What it changes, in a few words.
        train: Settings of ``caos train`` that it has besides those of every arm.
        drop: Settings of every arm that it does not have.
        set: ``@NAME`` of another training set; None for that of the study.
        scorer: The scorer that stands in the tables for it, and perhaps others after commas, besides those of every
            arm; None for the first of every arm.
    """

    name: str
    step: str = ""
    train: dict[str, Any] = field(default_factory=dict)
    drop: tuple[str, ...] = ()
    set: str | None = None
    scorer: str | None = None

    @property
    def folder(self) -> str:
        """A name for files.

        >>> Arm("No negatives, 2x").folder
        'no-negatives-2x'
        """
        return re.sub(r"[^a-z0-9_]+", "-", self.name.lower()).strip("-") or "arm"

    def missing(self, places: Mapping[str, Path]) -> str | None:
        """The first ``@NAME`` that is not among ``places``, or None."""
        wanted = [value for value in (self.set, *self.train.values()) if _is_place(value)]
        return next((value for value in wanted if value.removeprefix(PLACE) not in places), None)


@dataclass(frozen=True)
class Arms:
    """What an exposure study trains: settings of every arm, and the arms, the reference first."""

    arm: tuple[Arm, ...]
    preset: str = "quick"
    scorers: str = "entropy,max_logit,energy"
    train: dict[str, Any] = field(default_factory=dict)

    def config(self, arm: Arm, places: Mapping[str, Path], given: Mapping[str, Any]) -> TrainConfig:
        """The settings of an arm; ``given`` are those of the command line.

        Raises:
            CaosError: If a setting is unknown or has a value that is not allowed; the arm is named.
        """
        chosen = {key: value for key, value in self.train.items() if key not in arm.drop} | arm.train | dict(given)
        known = [each.name for each in dataclasses.fields(TrainConfig)]
        for key in (*chosen, *arm.drop):
            if key not in known:
                raise CaosError(f"arm {arm.name!r}: {unknown('setting', key, known)}")
        values = {key: _in_place(value, places) for key, value in chosen.items()}
        try:
            return make_config(values, preset=self.preset)
        except CaosError as error:
            raise CaosError(f"arm {arm.name!r}: {error}") from error

    def scorers_of(self, arm: Arm) -> str:
        """The scorers of an arm, the one for the tables first."""
        wanted = f"{arm.scorer or ''},{self.scorers}".split(",")
        return ",".join(dict.fromkeys(part.strip() for part in wanted if part.strip()))

    def only(self, names: Sequence[str]) -> Arms:
        """The arms of these names, in the order of the file.

        Raises:
            CaosError: If a name is unknown.
        """
        known = [arm.name for arm in self.arm]
        for name in names:
            if name not in known:
                raise unknown("arm", name, known)
        return dataclasses.replace(self, arm=tuple(arm for arm in self.arm if arm.name in names))


def read_arms(path: Path) -> Arms:
    """The arms in a TOML file.

    Raises:
        CaosError: If it cannot be read, holds no arm, or two arms cannot be told apart.
    """
    arms = read_record(Arms, read_toml(path), path)
    folders = [arm.folder for arm in arms.arm]
    if not folders:
        raise CaosError(f"{path} has no [[arm]]")
    for arm in arms.arm:
        if folders.count(arm.folder) > 1:
            raise CaosError(f"{path}: arm {arm.name!r} cannot be told from another; give it another name")
    if not arms.scorers.strip(", "):
        raise CaosError(f"{path}: key 'scorers' names no scorer")
    return arms


def _is_place(value: Any) -> bool:
    return isinstance(value, str) and value.startswith(PLACE)


def _in_place(value: Any, places: Mapping[str, Path]) -> Any:
    return places[value.removeprefix(PLACE)] if _is_place(value) else value
