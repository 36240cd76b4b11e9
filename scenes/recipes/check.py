"""Check of a recipe without a simulator: its towns are there, its objects are found and fit somewhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from caos.assets.catalogue.library import Library
from caos.foundation.errors import CaosError, unknown
from caos.scenes.recipes.hazard_limits import limits_in_words
from caos.scenes.recipes.object_choice import motions_of, objects_of_parts, part_key
from caos.scenes.recipes.recipe import Recipe, RecipePart
from caos.scenes.recipes.rules import HazardRules

SIDEWALK: Final = "sidewalk"
"""The one place that ends at a kerb on both sides."""


def check_recipe(recipe: Recipe, library: Path | None = None) -> list[str]:
    """What a recipe asks for, a line a part, once everything that can be known without a simulator is found good.

    Raises:
        CaosError: If a town or an object is unknown, or no object of a part fits any of its places.
    """
    folder = library or (Path(recipe.library) if recipe.library else None)
    shelf = Library.open(folder)
    chosen = objects_of_parts(recipe, shelf)
    lines = [f"{recipe.name}: {len(list(recipe.slots()))} images, dataset {recipe.dataset}"]
    for part in recipe.parts:
        roads = {town: _roads(town, part) for town in part.towns}
        lines.append(_line(part, chosen.get(part_key(part.split, part.folder), ()), shelf, roads))
    return lines


def _roads(town: str, part: RecipePart) -> str:
    """The OpenDRIVE text of a town."""
    from caos.simulator.embedded.towns.plan import TOWN_NAMES
    from caos.simulator.town_files import roads_of

    text = roads_of(town)
    if text is None:
        raise CaosError(f"{part_key(part.split, part.folder)}: {unknown('town', town, TOWN_NAMES)}")
    return text


def _widest_sidewalk_m(roads: Mapping[str, str]) -> float:
    import carla

    from caos.scenes.generation.lanes import read_lanes

    widths = [read_lanes(carla.Map(name, text)).sidewalk.width_m for name, text in roads.items()]
    return max((float(width.max()) for width in widths if len(width)), default=0.0)


def _line(part: RecipePart, objects: tuple[str, ...], library: Library, roads: Mapping[str, str]) -> str:
    where = part_key(part.split, part.folder)
    what = "images" if part.sequence is None else "sequences"
    told = f"{where}: {part.count} {what} of {', '.join(part.towns)} {_sensors(part)}"
    if part.sequence is not None:
        speeds = ", ".join(f"{speed:g}" for speed in part.sequence.speed_kmh)
        told += f", {part.sequence.rate_hz:g} frames a second at {speeds} km/h"
    if part.hazards is None:
        return f"{told}, no hazards"
    kinds = {library.kind_of(name) for name in objects}
    told += f", {len(objects)} objects of {len(kinds)} kinds, {limits_in_words(part.hazards)}"
    told += _motions(part.hazards, objects, library)
    if not part.hazards.placements.get(SIDEWALK):
        return told
    widest = _widest_sidewalk_m(roads)
    large = _wider_than(widest, part.hazards, objects, library)
    only = not any(weight for place, weight in part.hazards.placements.items() if place != SIDEWALK)
    if large and only and len(large) == len(objects):
        raise CaosError(
            f"{where}: none of its {len(objects)} objects fits on a sidewalk, the only place it allows: the narrowest, "
            f"{large[0]}, is wider than the {widest:.1f} m of the widest sidewalk; add a place to hazards.placements"
        )
    return told + (f"; {len(large)} of them are wider than any sidewalk ({widest:.1f} m)" if large else "")


def _motions(rules: HazardRules, objects: tuple[str, ...], library: Library) -> str:
    """How many of the objects each motion suits."""
    suited = Counter(motion for name in objects for motion in motions_of(name, rules, library))
    counts = [f"{suited[motion]} {motion}" for motion, weight in sorted(rules.motions.items()) if weight]
    return "" if counts == [f"{len(objects)} still"] else f"; of them may be {', '.join(counts)}"


def _sensors(part: RecipePart) -> str:
    """What the car of a part carries."""
    cameras = part.rig.cameras
    width, height = cameras[0].size if cameras else part.camera.size
    told = f"at {width}x{height}"
    if len(cameras) > 1:
        told += f" from {len(cameras)} cameras ({', '.join(camera.name for camera in cameras)})"
    scans = [f"{lidar.name} of {lidar.channels} x {lidar.columns}" for lidar in part.rig.lidars]
    return told + (f", lidar {', '.join(scans)}" if scans else "")


def _wider_than(room_m: float, rules: HazardRules, objects: tuple[str, ...], library: Library) -> list[str]:
    """The objects that do not fit however they are turned, narrowest first."""
    widths = {name: rules.size_scale[0] * min(library.info(name).size_m[:2]) for name in objects}
    return sorted((name for name, width in widths.items() if width > room_m), key=lambda name: widths[name])
