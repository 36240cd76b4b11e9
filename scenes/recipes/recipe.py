"""Recipe of a dataset: which parts it has, and the rules its scenes are drawn by. One TOML file each.

A recipe is found by name (those in ``recipes/``, and entry points of the group ``caos.recipes``) or by its path::

    description = "What it is for, in a line."
    dataset = "Night"

    [weather]
    mix = { night = 1.0 }

    [[parts]]
    split = "test"
    folder = "t5"
    towns = ["Town05", "./my_plan.toml"]
    count = 20
    hazards = { categories = ["animals"], range_m = [4, 20] }

The sections ``[camera]``, ``[rig]``, ``[weather]``, ``[traffic]`` and ``[hazards]`` (:mod:`caos.scenes.recipes.rules`,
:mod:`caos.scenes.recipes.rig_rules`) hold for all parts.
A part may have sections of the same names, which change single keys for it. It gets hazards if it says
``hazards = true`` or has such a section. ``[outputs]`` holds for the whole set. ``extends = "streethazards"`` takes
over another recipe (:mod:`caos.scenes.recipes.tables`).

Image ``n`` of a split (counted through its parts) is scene ``n``, and depends on the seed, the split and ``n`` alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar

from caos.foundation.command_line.plugins import find_file, is_path, plugin_names
from caos.foundation.errors import CaosError, unknown
from caos.foundation.settings import Below, Limits, read_record
from caos.scenes.dataset.layout import PLACES, SPLITS, Split
from caos.scenes.generation.sunlight import without_shadows
from caos.scenes.recipes.rig_rules import RigRules
from caos.scenes.recipes.rules import CameraRules, HazardRules, OutputRules, SequenceRules, TrafficRules, WeatherRules
from caos.scenes.recipes.tables import read_table, with_settings

RECIPE_GROUP: Final = "caos.recipes"
"""Entry points with recipes of other projects."""
SECTIONS: Final[Mapping[str, type[Any]]] = {
    "camera": CameraRules,
    "weather": WeatherRules,
    "traffic": TrafficRules,
    "hazards": HazardRules,
    "sequence": SequenceRules,
    "rig": RigRules,
}
OPTIONAL: Final = ("hazards", "sequence")
"""Sections that a part has only if it says so: ``true``, or keys of its own."""
T = TypeVar("T")


@dataclass(frozen=True)
class RecipePart:
    """A folder of images: ``count`` scenes that go round its towns, drawn by its rules, with hazards or without.

    With ``sequence`` they are as many sequences of frames.
    """

    split: Split
    folder: str
    towns: tuple[str, ...]
    count: Annotated[int, Limits(0, 10_000_000)]
    hazards: HazardRules | None = None
    camera: CameraRules = field(default_factory=CameraRules)
    weather: WeatherRules = field(default_factory=WeatherRules)
    traffic: TrafficRules = field(default_factory=TrafficRules)
    sequence: SequenceRules | None = None
    rig: RigRules = field(default_factory=RigRules)

    def __post_init__(self) -> None:
        if not self.towns:
            raise CaosError(f"part {self.folder!r} has no towns")
        self._check_sequence()
        if self.folder.startswith("."):
            raise CaosError(f"part folder {self.folder!r} is not a valid folder name")
        Below(is_name=True).check(self.folder, "part folder")
        dull = [name for name, weight in self.weather.mix.items() if weight and without_shadows(name)]
        if self.hazards is not None and self.hazards.min_shaded_share and dull:
            raise CaosError(f"part {self.folder!r}: min_shaded_share needs the sun, which {dull[0]!r} does not show")

    def _check_sequence(self) -> None:
        moving = self.hazards is not None and any(w for m, w in self.hazards.motions.items() if m != "still")
        if moving and self.sequence is None:
            raise CaosError(f"part {self.folder!r}: hazards.motions need a sequence; say sequence = true")
        if self.sequence is not None and self.sequence.approach_m is not None and self.hazards is None:
            raise CaosError(f"part {self.folder!r}: sequence.approach_m needs a hazard to approach; say hazards = true")


@dataclass(frozen=True)
class Recipe:
    """A dataset definition; its parts carry their rules in full. ``library`` is a folder of imported objects."""

    name: str
    description: str
    dataset: str
    parts: tuple[RecipePart, ...]
    outputs: OutputRules = field(default_factory=OutputRules)
    library: str | None = None

    def resized(self, counts: Mapping[Split, int | None]) -> Recipe:
        """The recipe with other totals per split (None keeps one), shared out over its parts in proportion.

        Raises:
            CaosError: If a split without parts is to have images.
        """
        parts: list[RecipePart] = []
        for split in SPLITS:
            own = [part for part in self.parts if part.split == split]
            total = counts.get(split)
            if total and not own:
                raise CaosError(f"recipe {self.name!r} has no {split} part to hold {total} images")
            parts += own if total is None else _shared(own, total)
        return replace(self, parts=tuple(parts))

    def changed(
        self,
        *,
        size: tuple[int, int] | None = None,
        weather: Mapping[str, float] | None = None,
        objects: str | None = None,
    ) -> Recipe:
        """The recipe with another size, another mix of weathers, or other hazard objects in all its parts."""

        def part(old: RecipePart) -> RecipePart:
            camera = old.camera if size is None else replace(old.camera, size=size)
            sky = old.weather if weather is None else replace(old.weather, mix=dict(weather))
            hazards = old.hazards if old.hazards is None or objects is None else replace(old.hazards, objects=objects)
            rig = old.rig if size is None else old.rig.resized(size)
            return replace(old, camera=camera, weather=sky, hazards=hazards, rig=rig)

        return replace(self, parts=tuple(map(part, self.parts)))

    def slots(self) -> Iterator[Slot]:
        """Every image of the set, in order; numbers start at 1 and run through the parts of a split."""
        for split in SPLITS:
            number = 0
            for part in (p for p in self.parts if p.split == split):
                first = number + 1
                for _ in range(part.count):
                    number += 1
                    if part.sequence is None:
                        yield Slot(part, number, first=first)
                    else:
                        frames = range(part.sequence.frames_of(number))
                        yield from (Slot(part, number, frame, first) for frame in frames)


@dataclass(frozen=True)
class Slot:
    """The place of one image in a set; in a sequence, of that number, the place of one of its frames.

    ``first`` is the number of the first image or sequence of its part.
    """

    part: RecipePart
    number: int
    frame: int | None = None
    first: int = 1

    @property
    def split(self) -> Split:
        """The split it belongs to."""
        return self.part.split

    @property
    def town(self) -> str:
        """Where it is taken."""
        return self.part.towns[(self.number - 1) % len(self.part.towns)]

    @property
    def key(self) -> str:
        """The image's key, for example ``test/t5/12``, or ``test/approach/003-0012`` in a sequence."""
        return f"{self.split}/{self.part.folder}/{self._stem}"

    @property
    def sequence_key(self) -> str:
        """The key of the sequence it belongs to, for example ``test/approach/003``."""
        return f"{self.split}/{self.part.folder}/{self.number:03d}"

    @property
    def _stem(self) -> str:
        return str(self.number) if self.frame is None else f"{self.number:03d}-{self.frame:04d}"

    def scan_path(self, lidar: str, kind: str) -> str:
        """Path of a scan's file, relative to the set: ``kind`` is velodyne or labels, see :mod:`.lidar_files`."""
        sequence, frame = (self.first, self.number - self.first) if self.frame is None else (self.number, self.frame)
        ending = {"velodyne": "bin", "labels": "label"}[kind]
        return f"lidar/{lidar}/{self.split}/{100 + sequence}/{kind}/{frame:06d}.{ending}"

    def path(self, kind: str) -> str:
        """Path of one of the image's files, relative to the set: ``kind`` is images, annotations, instances ..."""
        place = PLACES[self.split]
        return f"{place.top}/{kind}/{place.folder}/{self.part.folder}/{self._stem}.png"


def _shared(parts: list[RecipePart], total: int) -> list[RecipePart]:
    """The parts with counts that add up to ``total`` in the old proportion, rounded to the nearest."""
    whole = sum(part.count for part in parts)
    out, left = [], total
    for i, part in enumerate(parts):
        last = i == len(parts) - 1
        count = left if last else min(left, round(total * part.count / max(whole, 1)))
        out.append(replace(part, count=count))
        left -= count
    return out


def recipe_names() -> tuple[str, ...]:
    """The recipes there are by name."""
    built_in = (f.name.removesuffix(".toml") for f in _folder().iterdir() if f.name.endswith(".toml"))
    return tuple(sorted({*built_in, *plugin_names(RECIPE_GROUP)}))


def load_recipe(name: str, settings: Sequence[str] = ()) -> Recipe:
    """The recipe of that name, or in the file at that path.

    Args:
        name: Of the recipe, or its path.
        settings: Changes such as ``hazards.range_m=4,20``, see :mod:`caos.scenes.recipes.tables`.

    Raises:
        CaosError: If there is none, its file is wrong, or a setting is.
    """
    return read_recipe(recipe_file(name), settings)


def recipe_file(name: str, beside: Path | None = None) -> Path:
    """The file of a recipe: by name, or by its path, which is taken from the folder of ``beside``, if given.

    Raises:
        CaosError: If there is none.
    """
    built_in = Path(str(_folder())) / f"{name}.toml"
    if not is_path(name) and built_in.is_file():
        return built_in
    if beside is not None and is_path(name):
        name = str(beside.parent / name)
    file = find_file(RECIPE_GROUP, name)
    if file is None:
        raise unknown("recipe", name, recipe_names())
    return file


def _folder() -> Any:
    return resources.files("caos.scenes.recipes")


@dataclass(frozen=True)
class _PartTable:
    """A part as its file has it; its sections are read together with the recipe's."""

    split: Split
    folder: str
    towns: tuple[str, ...]
    count: Annotated[int, Limits(0, 10_000_000)]
    hazards: bool | dict[str, Any] = False
    sequence: bool | dict[str, Any] = False
    camera: dict[str, Any] = field(default_factory=dict)
    weather: dict[str, Any] = field(default_factory=dict)
    traffic: dict[str, Any] = field(default_factory=dict)
    rig: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class _RecipeTable:
    """A recipe as its file has it."""

    description: str
    dataset: str
    parts: tuple[_PartTable, ...]
    hazards: dict[str, Any] = field(default_factory=dict)
    camera: dict[str, Any] = field(default_factory=dict)
    weather: dict[str, Any] = field(default_factory=dict)
    traffic: dict[str, Any] = field(default_factory=dict)
    sequence: dict[str, Any] = field(default_factory=dict)
    rig: dict[str, Any] = field(default_factory=dict)
    outputs: dict[str, Any] = field(default_factory=dict)
    library: str | None = None


def read_recipe(file: Path, settings: Sequence[str] = ()) -> Recipe:
    """The recipe in a file; it is named after the file. Town files in it are looked for beside it.

    Raises:
        CaosError: If a key is missing, unknown or wrong.
    """
    kinds = {**SECTIONS, "outputs": OutputRules}
    read = read_table(file, recipe_file, tuple(kinds))
    table = read_record(_RecipeTable, read, file)
    if settings:
        table = read_record(_RecipeTable, with_settings(read, settings, kinds, _RecipeTable), file)
    # Each section alone first, so that a mistake in it is not blamed on a part.
    for name, kind in SECTIONS.items():
        _section(kind, getattr(table, name), {}, f"{file}: [{name}]")
    parts = tuple(_part(table, part, file, f"{file}: parts[{i}]") for i, part in enumerate(table.parts))
    _check_folders(parts, file)
    outputs = _section(OutputRules, table.outputs, {}, f"{file}: [outputs]")
    return Recipe(file.stem, table.description, table.dataset, parts, outputs, table.library)


def _part(recipe: _RecipeTable, part: _PartTable, file: Path, where: str) -> RecipePart:
    try:
        return RecipePart(
            part.split,
            part.folder,
            part.towns,
            part.count,
            _optional(HazardRules, recipe.hazards, part.hazards, f"{where}.hazards"),
            _section(CameraRules, recipe.camera, part.camera, f"{where}.camera"),
            _section(WeatherRules, recipe.weather, part.weather, f"{where}.weather"),
            _section(TrafficRules, recipe.traffic, part.traffic, f"{where}.traffic"),
            _optional(SequenceRules, recipe.sequence, part.sequence, f"{where}.sequence"),
            _section(RigRules, recipe.rig, part.rig, f"{where}.rig"),
        )
    except CaosError as error:
        raise error if str(error).startswith(str(file)) else CaosError(f"{where}: {error}") from error


def _section(kind: type[T], general: Mapping[str, Any], own: Mapping[str, Any], where: str) -> T:
    """A section of rules: the recipe's keys, with a part's own before them."""
    try:
        return read_record(kind, {**general, **own}, where)
    except CaosError as error:
        raise error if str(error).startswith(where) else CaosError(f"{where}: {error}") from error


def _optional(kind: type[T], general: Mapping[str, Any], own: Any, where: str) -> T | None:
    """A section that a part may lack: ``own`` is false, true, or keys of its own."""
    return None if own is False else _section(kind, general, own if isinstance(own, dict) else {}, where)


def _check_folders(parts: tuple[RecipePart, ...], file: Path) -> None:
    seen: set[tuple[str, str]] = set()
    for part in parts:
        if (part.split, part.folder) in seen:
            raise CaosError(f"{file}: two {part.split} parts have the folder {part.folder!r}; give each its own")
        seen.add((part.split, part.folder))
