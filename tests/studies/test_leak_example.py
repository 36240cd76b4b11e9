"""The example that measures what a leak is worth: the same kinds on both sides, never the same object."""

from __future__ import annotations

from pathlib import Path

from caos.assets.catalogue.library import Library
from caos.scenes.recipes.object_choice import objects_of_parts
from caos.scenes.recipes.recipe import load_recipe
from caos.studies.exposure.arms import read_arms

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_training_and_test_share_kinds_but_no_object() -> None:
    library = Library.open(None)
    objects = objects_of_parts(load_recipe(str(EXAMPLES / "known_things.toml")), library)
    shown = {key.partition("/")[0]: set(names) for key, names in objects.items() if names}
    assert not shown["train"] & shown["test"]
    kinds = [{library.info(name).kind for name in shown[split]} for split in ("train", "test")]
    assert kinds[0] == kinds[1] == {"table", "chair", "office_chair", "stool", "umbrella"}


def test_the_arms_differ_in_what_is_taught_alone() -> None:
    arms = read_arms(EXAMPLES / "known_things_arms.toml")
    unseen, known = (arms.config(arm, {"run": Path("run")}, {}).as_dict() for arm in arms.arm)
    assert {key for key in unseen if unseen[key] != known[key]} == {"known_as"}
