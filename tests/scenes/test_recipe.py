"""Recipes: files of one's own, sections and their overrides, and the choice of objects."""

from __future__ import annotations

import sys
from dataclasses import replace
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

from caos.assets.catalogue.library import Library
from caos.assets.catalogue.selection import choose_hazards
from caos.foundation.errors import CaosError
from caos.scenes.generation.planning import choose_content, slot_generator
from caos.scenes.recipes.object_choice import objects_of_parts
from caos.scenes.recipes.recipe import Recipe, load_recipe, read_recipe
from caos.scenes.recipes.rules import CameraRules, HazardRules, TrafficRules, WeatherRules

ROOT = Path(__file__).resolve().parents[2]
NIGHT = ROOT / "examples/night.toml"
SMALL = """
description = "d"
dataset = "D"
[weather]
mix = { fog = 1 }
[traffic]
walkers = [0, 1]
[hazards]
range_m = [4, 20]
[[parts]]
split = "train"
folder = "a"
towns = ["Town01"]
count = 3
traffic = { vehicles = [0, 0] }
[[parts]]
split = "test"
folder = "b"
towns = ["Town01", "./mine.toml"]
count = 2
hazards = true
[[parts]]
split = "test"
folder = "c"
towns = ["Town01"]
count = 1
[parts.hazards]
kinds = ["sofa"]
range_m = [30, 40]
"""


@pytest.fixture
def small(tmp_path: Path) -> Path:
    (tmp_path / "small.toml").write_text(SMALL)
    return tmp_path / "small.toml"


def test_sections_hold_for_all_parts_and_a_part_changes_single_keys(small: Path) -> None:
    recipe = load_recipe(str(small))
    train, plain, own = recipe.parts
    assert (recipe.name, recipe.dataset) == ("small", "D")
    assert train.hazards is None
    assert train.traffic == TrafficRules(vehicles=(0, 0), walkers=(0, 1))
    assert plain.hazards == HazardRules(range_m=(4, 20))
    assert own.hazards == HazardRules(range_m=(30, 40), kinds=("sofa",))
    assert plain.traffic == TrafficRules(walkers=(0, 1))
    assert all(part.weather == WeatherRules({"fog": 1.0}) for part in recipe.parts)
    assert all(part.camera == CameraRules() for part in recipe.parts)
    assert plain.towns == ("Town01", str(small.parent / "mine.toml"))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("walkers =", "wakers =", "[traffic]: unknown key 'wakers'; did you mean 'walkers'"),
        ("kinds =", "kindz =", "parts[2].hazards: unknown key 'kindz'; did you mean 'kinds'"),
        ("split =", "spilt =", "unknown key 'spilt'; did you mean 'split'"),
        ("range_m = [4, 20]", "range_m = [20, 4]", "[hazards]: hazards: range_m goes from 20 to 4"),
        ("range_m = [4, 20]", "range_m = [4, 5000]", "5000.0 is not a number from 0 to 1000"),
        ("fog = 1", "fogg = 1", "unknown weather 'fogg'; did you mean 'fog'"),
        ("fog = 1", "fog = 0", "at least one with a weight above 0"),
        ("count = 3", "count = -3", "-3 is not a number from 0"),
        (
            "range_m = [4, 20]",
            "max_visible_share = 0.4",
            "hazards: min_visible_share to max_visible_share goes from 0.5",
        ),
        ("range_m = [4, 20]", "min_shaded_share = 0.9", "min_shaded_share needs the sun, which 'fog' does not show"),
        ("range_m = [4, 20]", "max_contrast = -1", "-1"),
        ('folder = "a"', 'folder = "../a"', "'../a' is not a valid folder name"),
        ('folder = "a"', 'folder = "a\\nb"', "'a\\nb' is no name of a file"),
        ('folder = "a"', 'folder = "' + "a" * 300 + '"', "has a name of more than"),
        ('folder = "c"', 'folder = "b"', "two test parts have the folder 'b'"),
        ('split = "train"', 'split = "training"', "'training' is not one of train, val, test"),
        ('dataset = "D"', "", "key 'dataset' is missing"),
    ],
)
def test_a_wrong_recipe_is_one_clear_line(small: Path, old: str, new: str, words: str) -> None:
    small.write_text(SMALL.replace(old, new, 1))
    with pytest.raises(CaosError) as caught:
        read_recipe(small)
    assert words in str(caught.value)
    assert str(small) in str(caught.value)


def test_another_size_weather_and_choice_for_all_parts(small: Path) -> None:
    recipe = read_recipe(small).changed(size=(64, 48), weather={"night": 1.0}, objects="stock")
    assert {part.camera.size for part in recipe.parts} == {(64, 48)}
    assert all(part.weather.mix == {"night": 1.0} for part in recipe.parts)
    assert [part.hazards and part.hazards.objects for part in recipe.parts] == [None, "stock", "stock"]
    assert recipe.parts[2].hazards is not None
    assert recipe.parts[2].hazards.kinds == ("sofa",)


def test_images_need_a_part_to_be_in() -> None:
    hard = load_recipe("hard")
    assert [part.folder for part in hard.parts][:3] == ["default", "occluded", "far"]
    assert len(list(hard.resized({"train": 0, "test": 14}).slots())) == 14
    with pytest.raises(CaosError, match="recipe 'hard' has no train part to hold 6 images"):
        hard.resized({"train": 6})


def test_an_entry_point_gives_a_recipe(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (small.parent / "caos_test_plugin.py").write_text(f"def recipe():\n    return {str(small)!r}\nwrong = 3\n")
    monkeypatch.syspath_prepend(str(small.parent))
    points = [
        metadata.EntryPoint("mine", "caos_test_plugin:recipe", "caos.recipes"),
        metadata.EntryPoint("broken", "caos_test_plugin:nothing", "caos.recipes"),
        metadata.EntryPoint("number", "caos_test_plugin:wrong", "caos.recipes"),
    ]
    monkeypatch.setattr("caos.foundation.command_line.plugins.metadata.entry_points", lambda group: points)
    assert load_recipe("mine") == read_recipe(small)
    with pytest.raises(CaosError, match="entry point 'broken' of 'caos.recipes' .* cannot be loaded"):
        load_recipe("broken")
    with pytest.raises(CaosError, match="gives 3, which is not a file"):
        load_recipe("number")
    with pytest.raises(CaosError, match="unknown recipe 'mime'; did you mean 'mine'"):
        load_recipe("mime")
    sys.modules.pop("caos_test_plugin", None)


def hazards(recipe: Recipe, rules: HazardRules) -> tuple[str, ...]:
    part = replace(recipe.parts[2], hazards=rules)
    return objects_of_parts(replace(recipe, parts=(part,)), Library.open())["test/c"]


def test_objects_are_chosen_by_kind_category_and_name(small: Path) -> None:
    recipe = read_recipe(small)
    assert hazards(recipe, HazardRules(kinds=("sofa",)))[:2] == ("sofa_01", "sofa_02")
    both = hazards(recipe, HazardRules(kinds=("sofa",), names=("cow_01",)))
    assert "cow_01" in both
    assert "cow_02" not in both
    assert "sofa_02" not in hazards(recipe, HazardRules(kinds=("sofa",), without=("sofa_02",)))
    with pytest.raises(CaosError, match="hazards of test/c: unknown hazard, kind or category 'soffa'"):
        hazards(recipe, HazardRules(kinds=("soffa",)))
    with pytest.raises(CaosError, match="hazards of test/c: .* leave nothing of 'all'"):
        hazards(recipe, HazardRules(kinds=("sofa",), without=("furniture",)))


def test_the_share_of_images_with_hazards_is_kept_and_does_not_move_the_rest() -> None:
    recipe = load_recipe("streethazards").resized({"train": 0, "val": 0, "test": 400})
    objects = ("sofa_01", "cow_01")

    def wanted(rules: HazardRules) -> list[tuple[str, int]]:
        out = []
        for slot in recipe.slots():
            own = replace(slot, part=replace(slot.part, hazards=rules))
            content = choose_content(own, objects, 0, slot_generator(0, own))
            out.append((content.weather_name, len(content.objects)))
        return out

    every, some = wanted(HazardRules()), wanted(HazardRules(share=0.3))
    assert all(count > 0 for _, count in every)
    assert np.mean([count > 0 for _, count in some]) == pytest.approx(0.3, abs=0.06)
    assert [name for name, _ in every] == [name for name, _ in some]
    assert all(a == b for a, b in zip(every, some, strict=True) if b[1])


def test_the_example_has_negatives_that_its_test_never_shows() -> None:
    recipe = load_recipe(str(NIGHT))
    library = Library.open()
    objects = objects_of_parts(recipe, library)
    shown = {part: {library.kind_of(name) for name in names} for part, names in objects.items()}
    assert list(shown) == ["train/with-negatives", "test/animals-and-boats"]
    assert not shown["train/with-negatives"] & shown["test/animals-and-boats"]
    assert "horse" not in shown["test/animals-and-boats"]
    assert "cow" in shown["test/animals-and-boats"]


@pytest.mark.parametrize("by", ["kind", "category"])
def test_the_sides_of_a_split_share_nothing_and_leave_nothing_out(by: str) -> None:
    recipe, library = load_recipe("exposure"), Library.open()
    parts = tuple(
        part if part.hazards is None else replace(part, hazards=replace(part.hazards, split_by=by))
        for part in recipe.parts
    )
    chosen = objects_of_parts(replace(recipe, parts=parts), library)
    exposure, test = set(chosen["train/t1-3"]), set(chosen["test/t5"])
    assert set(chosen["test/t6"]) == test
    assert exposure | test == set(choose_hazards(library, "all"))
    group = library.kind_of if by == "kind" else library.category_of
    assert not {group(name) for name in exposure} & {group(name) for name in test}
