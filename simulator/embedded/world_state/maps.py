"""Maps: the towns that a server loads by name: OpenDRIVE files of a folder, dressed, and this project's own plans.

CARLA's towns cannot be shipped. Their names are served by plans of this project's own, whose roads lie elsewhere; with
a folder of CARLA's OpenDRIVE files (``caos serve --maps DIR``) a name means the roads that CARLA has under it. A small
TOML file beside a map may say how it is dressed: ``Town04.toml`` with ``style`` and ``seed`` beside ``Town04.xodr``.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field, replace
from pathlib import Path

from caos.foundation.errors import CaosError, unknown
from caos.foundation.files import paths_below
from caos.foundation.progress import SILENT, Progress
from caos.foundation.settings import read_record, read_text, read_toml
from caos.simulator.embedded.towns.cache import cached, place_of
from caos.simulator.embedded.towns.plan import countries, in_country_of, town_and_country
from caos.simulator.embedded.towns.styles import style_named
from caos.simulator.embedded.towns.town import TOWN_NAMES, Town, load_town
from caos.simulator.embedded.world_state.opendrive_check import check_opendrive

PLAN_OF = {name: name for name in TOWN_NAMES} | {"Town07": "Town06", "Town10HD": "Town03"}
"""CARLA's names, and the plan that stands in for each: for the village in the fields the open land, for the centre of a
city the downtown."""
STYLE_OF = {
    "Town01": "old_town",
    "Town02": "suburb",
    "Town03": "city",
    "Town04": "hillside",
    "Town05": "city",
    "Town06": "open_land",
    "Town07": "open_village",
    "Town10HD": "downtown",
    "Town11": "open_land",
    "Town12": "city",
    "Town13": "city",
    "Town15": "hillside",
}
"""How CARLA's maps are dressed that say nothing themselves: as they are described in its documentation."""
DEFAULT_STYLE = "suburb"
LAYERED = "_Opt"
SUFFIX = ".xodr"


@dataclass(frozen=True)
class Dressing:
    """What a file beside a map may say: the name of a style, and a seed."""

    style: str = ""
    seed: int = 0


def dressed(file: str, text: str, dressing: Dressing | None = None, progress: Progress = SILENT) -> Town:
    """A town made from an OpenDRIVE text, kept on disk like the others.

    Raises:
        CaosError: If the text is broken.
    """
    wanted = dressing or Dressing()
    style = wanted.style or STYLE_OF.get(Path(file).stem.removesuffix(LAYERED), DEFAULT_STYLE)
    if not place_of(file, text, style, wanted.seed, None).exists():
        check_opendrive(file, text)
    return cached(file, text, style, wanted.seed, None, progress)


def dressing_beside(file: Path) -> Dressing:
    """What the TOML file beside a map says.

    Raises:
        CaosError: If it is not TOML, has another key, or names no style.
    """
    beside = file.with_suffix(".toml")
    if not beside.exists():
        return Dressing()
    found = read_record(Dressing, read_toml(beside), beside)
    if found.style:
        try:
            style_named(found.style)
        except CaosError as error:
            raise CaosError(f"{beside}: {error}") from error
    return found


@dataclass(frozen=True, eq=False)
class MapShelf:
    """The maps of a server.

    Attributes:
        folder: Where files of CARLA's maps were looked for, at any depth.
        files: The files by the name of the map.
        progress: Told when a town has to be built.
    """

    folder: Path | None = None
    files: dict[str, Path] = field(default_factory=dict)
    progress: Progress = SILENT

    @functools.cached_property
    def names(self) -> tuple[str, ...]:
        """The names of towns that can be loaded: CARLA's, its variants for layered maps, and towns abroad."""
        abroad = (in_country_of(name, country) for name in PLAN_OF for country in countries())
        return (*self.plain_names, *(f"{name}{LAYERED}" for name in self.plain_names), *abroad)

    @functools.cached_property
    def plain_names(self) -> tuple[str, ...]:
        """The names without their variants."""
        return tuple(dict.fromkeys(name.removesuffix(LAYERED) for name in (*PLAN_OF, *self.files)))

    def file(self, name: str) -> Path | None:
        """The file that a name stands for, if the roads are not this project's own."""
        return self.files.get(name) or self.files.get(name.removesuffix(LAYERED))

    def origin(self, name: str) -> str:
        """Where the roads of a map come from, in words."""
        file = self.file(name)
        if file is not None:
            return f"the roads of {file}"
        return "roads of this project's own, not CARLA's: its coordinates mean nothing here (caos serve --maps DIR)"

    def town(self, name: str) -> Town:
        """The town of a name.

        Raises:
            CaosError: If there is none, or its file is broken.
        """
        if name not in self.names:
            raise unknown("town", name, self.names)
        file = self.file(name)
        if file is None:
            plain, country = town_and_country(name.removesuffix(LAYERED))
            return replace(self._plan(in_country_of(PLAN_OF[plain], country)), name=name)
        return replace(self._dressed(file), name=name)

    @functools.lru_cache(maxsize=1)  # noqa: B019 (a shelf lives as long as its process)
    def _plan(self, name: str) -> Town:
        return load_town(name, progress=self.progress)

    @functools.lru_cache(maxsize=1)  # noqa: B019
    def _dressed(self, file: Path) -> Town:
        return dressed(file.name, read_text(file), dressing_beside(file), self.progress)


def open_shelf(folder: Path | None, progress: Progress = SILENT) -> MapShelf:
    """The maps of a folder, and this project's own.

    Raises:
        CaosError: If there is no such folder, or no OpenDRIVE file below it.
    """
    if folder is None:
        return MapShelf(progress=progress)
    if not folder.is_dir():
        raise CaosError(f"there is no folder of maps {folder}")
    # CARLA has its files in folders of their own; of two with one name, the one higher up counts
    found = sorted(paths_below(folder, f"*{SUFFIX}"), key=lambda file: (-len(file.parts), file))
    if not found:
        raise CaosError(f"{folder} has no OpenDRIVE file (*{SUFFIX}) at any depth")
    return MapShelf(folder, {file.stem: file for file in found}, progress)
