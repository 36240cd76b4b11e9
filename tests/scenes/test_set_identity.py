"""Identity of generated sets: what changed since a set was begun is named, and nothing is mixed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from caos.assets.catalogue.library import Library
from caos.assets.catalogue.object_file import describe, write_index, write_object
from caos.assets.mesh import Material, Mesh
from caos.assets.modelling import shapes
from caos.foundation.errors import CaosError
from caos.foundation.storage import identity as identity_module
from caos.foundation.storage.files import write_json
from caos.scenes.dataset import identity as set_identity
from caos.scenes.dataset.identity import drawn_by, identity
from caos.scenes.generation.generate import Place, generate
from caos.scenes.labels import STREETHAZARDS
from caos.scenes.recipes.object_choice import objects_of_parts
from caos.scenes.recipes.recipe import Recipe, load_recipe

RECIPE = load_recipe("streethazards").resized({"train": 1, "val": 0, "test": 1}).changed(objects="imported")


def import_crate(folder: Path, size_m: float) -> None:
    mesh = Mesh((shapes.box((0, 0, 0), (size_m, 1, 1), Material("wood")),))
    about = {"kind": "crate", "category": "cargo", "source": "test", "licence": "MIT"}
    info, stored = describe(mesh, name="crate_x", **about)
    write_object(folder / "meshes/crate_x.npz", info, stored)
    write_index(folder, [info])


@pytest.fixture
def begun(tmp_path: Path) -> Path:
    """A set that was begun: its folder says what it is made from."""
    import_crate(tmp_path / "library", 1.0)
    write_json(tmp_path / "set/recipe.json", made_from(tmp_path / "library"))
    return tmp_path / "set"


def made_from(folder: Path, recipe: Recipe = RECIPE) -> dict[str, object]:
    library = Library.open(folder)
    objects = objects_of_parts(recipe, library)
    options = {"seed": 0, "depth": False, "twins": False, "simulator_name": "embedded", "quality": "standard"}
    return identity(recipe, objects, library, **options)


def go_on(begun: Path, recipe: Recipe = RECIPE) -> str:
    with pytest.raises(CaosError) as caught:
        generate(recipe, begun, place=Place(library=begun.parent / "library"))
    assert [path.name for path in begun.iterdir()] == ["recipe.json"]
    return str(caught.value)


def test_a_library_object_that_changed_is_named(begun: Path) -> None:
    import_crate(begun.parent / "library", 2.0)
    assert "imported objects.crate_x was" in go_on(begun)


def test_rules_that_changed_are_named(begun: Path) -> None:
    part = RECIPE.parts[0]
    other = replace(part, traffic=replace(part.traffic, walkers=(0, 9)))
    told = go_on(begun, replace(RECIPE, parts=(other, *RECIPE.parts[1:])))
    assert "recipe.parts.train/t1-3.traffic.walkers was [2, 8], is [0, 9]" in told


def test_a_label_table_that_changed_is_named(begun: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = replace(STREETHAZARDS, classes=STREETHAZARDS.classes[:-1])
    monkeypatch.setattr(set_identity, "STREETHAZARDS", other)
    assert f'labels was "{STREETHAZARDS.digest}", is "{other.digest}"' in go_on(begun)


def test_a_raised_numerics_version_is_named(begun: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(set_identity.simulator, "NUMERICS", replace(set_identity.simulator.NUMERICS, version=999))
    assert f"numerics.simulator was {set_identity.simulator.NUMERICS_VERSION}, is 999" in go_on(begun)


def test_another_version_of_a_package_that_draws_is_named(begun: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    versions = identity_module.package_version
    fake = {"mitsuba": "9.9"}
    monkeypatch.setattr(identity_module, "package_version", lambda name: fake.get(name) or versions(name))
    assert f'packages.mitsuba was "{versions("mitsuba")}", is "9.9"' in go_on(begun)


def test_a_carla_server_draws_without_our_packages() -> None:
    assert {one.room for one in drawn_by("embedded")} == {"assets", "scenes", "simulator"}
    assert {one.room for one in drawn_by("carla")} == {"assets", "scenes"}
