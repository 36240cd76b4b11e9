"""Maps: the towns that a server loads by name, from a folder of OpenDRIVE files or from this project's own plans.

CARLA's towns cannot be shipped. Their names are served by plans of this project, whose roads are different; with a
folder of CARLA's OpenDRIVE files (``caos serve --maps DIR``) a name loads CARLA's own roads. An optional TOML file
beside a map sets ``style`` and ``seed`` of its roadside objects: ``Town04.toml`` beside ``Town04.xodr``.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field, replace
from pathlib import Path

from caos.foundation.errors import CaosError, unknown
from caos.foundation.execution.progress import SILENT, Progress
from caos.foundation.settings import read_record, read_text, read_toml
from caos.foundation.storage.files import paths_below
from caos.simulator.embedded.towns.cache import cached, place_of
from caos.simulator.embedded.towns.plan import countries, in_country_of, town_and_country
from caos.simulator.embedded.towns.styles import style_named
from caos.simulator.embedded.towns.town import TOWN_NAMES, Town, load_town
from caos.simulator.embedded.world_state.opendrive_check import check_opendrive

PLAN_OF = {name: name for name in TOWN_NAMES} | {"Town07": "Town06", "Town10HD": "Town03"}
"""Plan for each of CARLA's town names: open land for the rural village, downtown for the city centre."""
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
"""Default styles of CARLA's maps, after their descriptions in its documentation."""
DEFAULT_STYLE = "suburb"
LAYERED = "_Opt"
SUFFIX = ".xodr"


@dataclass(frozen=True)
class MapStyle:
    """Content of the TOML file beside a map: the name of a style, and a seed."""

    style: str = ""
    seed: int = 0


def dressed(file: str, text: str, dressing: MapStyle | None = None, progress: Progress = SILENT) -> Town:
    """Build a town from an OpenDRIVE text, with the same cache as other towns.

    Raises:
        CaosError: If the text is invalid.
    """
    wanted = dressing or MapStyle()
    style = wanted.style or STYLE_OF.get(Path(file).stem.removesuffix(LAYERED), DEFAULT_STYLE)
    if not place_of(file, text, style, wanted.seed, None).exists():
        check_opendrive(file, text)
    return cached(file, text, style, wanted.seed, None, progress)


def style_beside(file: Path) -> MapStyle:
    """Read the TOML file beside a map.

    Raises:
        CaosError: If it is not TOML, has an unknown key, or names an unknown style.
    """
    beside = file.with_suffix(".toml")
    if not beside.exists():
        return MapStyle()
    found = read_record(MapStyle, read_toml(beside), beside)
    if found.style:
        try:
            style_named(found.style)
        except CaosError as error:
            raise CaosError(f"{beside}: {error}") from error
    return found


@dataclass(frozen=True, eq=False)
class TownMaps:
    """The maps of a server.

    Attributes:
        folder: Folder that was searched, at any depth, for OpenDRIVE files.
        files: OpenDRIVE files by map name.
        progress: Reports when a town has to be built.
    """

    folder: Path | None = None
    files: dict[str, Path] = field(default_factory=dict)
    progress: Progress = SILENT

    @functools.cached_property
    def names(self) -> tuple[str, ...]:
        """Loadable town names: CARLA's, their variants for layered maps, and towns in other countries."""
        abroad = (in_country_of(name, country) for name in PLAN_OF for country in countries())
        return (*self.plain_names, *(f"{name}{LAYERED}" for name in self.plain_names), *abroad)

    @functools.cached_property
    def plain_names(self) -> tuple[str, ...]:
        """Town names without their variants."""
        return tuple(dict.fromkeys(name.removesuffix(LAYERED) for name in (*PLAN_OF, *self.files)))

    def file(self, name: str) -> Path | None:
        """OpenDRIVE file for a name, or None if this project's own plan serves it."""
        return self.files.get(name) or self.files.get(name.removesuffix(LAYERED))

    def origin(self, name: str) -> str:
        """Describe the source of a map's roads."""
        file = self.file(name)
        if file is not None:
            return f"the roads of {file}"
        return "roads of this project's own, not CARLA's: its coordinates mean nothing here (caos serve --maps DIR)"

    def town(self, name: str) -> Town:
        """Load the town of a name.

        Raises:
            CaosError: If the name is unknown, or its file is invalid.
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
        return dressed(file.name, read_text(file), style_beside(file), self.progress)


def find_maps(folder: Path | None, progress: Progress = SILENT) -> TownMaps:
    """Find the maps of a folder, in addition to this project's own.

    Raises:
        CaosError: If the folder is missing, or has no OpenDRIVE file below it.
    """
    if folder is None:
        return TownMaps(progress=progress)
    if not folder.is_dir():
        raise CaosError(f"there is no folder of maps {folder}")
    # CARLA keeps its files in nested folders; of two with the same name, the one nearer to the top wins.
    found = sorted(paths_below(folder, f"*{SUFFIX}"), key=lambda file: (-len(file.parts), file))
    if not found:
        raise CaosError(f"{folder} has no OpenDRIVE file (*{SUFFIX}) at any depth")
    return TownMaps(folder, {file.stem: file for file in found}, progress)
