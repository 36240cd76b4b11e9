"""Choice of objects: which of a library's become the hazards of a recipe's part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from caos.assets.catalogue.library import Library, split_kinds
from caos.assets.catalogue.selection import choose_hazards
from caos.foundation.errors import CaosError
from caos.scenes.recipes.recipe import Recipe
from caos.scenes.recipes.rules import HazardRules
from caos.scenes.scene import Motion
from caos.scenes.sequences.motion import suiting


def part_key(split: str, folder: str) -> str:
    """How a part is named among the choices of a recipe."""
    return f"{split}/{folder}"


def objects_of_parts(recipe: Recipe, library: Library) -> dict[str, tuple[str, ...]]:
    """Names of the objects that each part with hazards draws from, by :func:`part_key`.

    Raises:
        CaosError: If a name is unknown or nothing is chosen.
    """
    return {
        part_key(part.split, part.folder): _chosen(part.hazards, library, part_key(part.split, part.folder))
        for part in recipe.parts
        if part.hazards is not None
    }


def _chosen(rules: HazardRules, library: Library, where: str) -> tuple[str, ...]:
    found: Sequence[str] = choose_hazards(library, rules.objects)
    words = (*rules.kinds, *rules.categories, *rules.names)
    try:
        wanted = set(choose_hazards(library, ",".join(words))) if words else set(found)
        unwanted = set(choose_hazards(library, ",".join(rules.without))) if rules.without else set()
    except CaosError as error:
        raise CaosError(f"hazards of {where}: {error}") from error
    wanted &= _side(rules, library, found)
    able = tuple(name for name in found if name in wanted and name not in unwanted)
    chosen = tuple(name for name in able if motions_of(name, rules, library))
    if able and not chosen:
        moving = ", ".join(motion for motion, weight in sorted(rules.motions.items()) if weight)
        raise CaosError(f"hazards of {where}: none of its {len(able)} objects has a motion of {moving}; add still = 1")
    if not chosen:
        raise CaosError(
            f"hazards of {where}: kinds, categories, names, without and side leave nothing of {rules.objects!r}"
        )
    return chosen


def motions_of(name: str, rules: HazardRules, library: Library) -> list[Motion]:
    """The motions of the rules that suit an object; a thing of none of them is not chosen."""
    return suiting(rules.motions, name, library)


def _side(rules: HazardRules, library: Library, names: Sequence[str]) -> set[str]:
    """The objects on the side of the split that the rules ask for; the split is the same for all parts of a recipe."""
    if rules.side == "all":
        return set(names)
    exposure, test = split_kinds(library, rules.split_seed, rules.split_share, names, by=rules.split_by)
    return set(exposure if rules.side == "exposure" else test)


def imported_contents(names: Sequence[str], library: Library) -> Mapping[str, str]:
    """Content hashes of the imported objects among ``names``; what is built in follows from the code."""
    imported = set(library.names("imported"))
    return {name: library.info(name).content for name in sorted(set(names) & imported)}
