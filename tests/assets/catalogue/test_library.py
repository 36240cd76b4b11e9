"""The library on disk: cache, merging, splitting, stock props."""

from __future__ import annotations

import numpy as np
import pytest

from caos.assets.catalogue.library import Library, split_kinds
from caos.assets.catalogue.object_file import content_hash, describe, read_index, read_mesh, write_index, write_object
from caos.assets.catalogue.stock_props import STOCK_HAZARDS
from caos.assets.importing.checking import object_problem
from caos.assets.mesh import Material, Mesh
from caos.assets.modelling.shapes import box
from caos.foundation.errors import CaosError


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "cache"


@pytest.fixture
def shelf(tmp_path):
    """An imported library with one textured object."""
    texture = np.linspace(0, 1, 4 * 4 * 3, dtype=np.float32).reshape(4, 4, 3)
    mesh = Mesh((box((-0.5, -0.5, 0), (0.5, 0.5, 2), Material("paper", texture=texture)),))
    info, stored = describe(
        mesh, name="tower_a", kind="tower", category="imported", source="folder:a.obj", licence="CC0"
    )
    write_object(tmp_path / "shelf" / "meshes" / "tower_a.npz", info, stored)
    write_index(tmp_path / "shelf", [info])
    return tmp_path / "shelf"


def test_an_object_is_built_once_and_read_back_equal(cache):
    first = Library.open(cache=cache)
    info = first.info("stool_01")
    (file,) = cache.glob("stool_01-*.npz")
    before = file.stat().st_mtime_ns
    again = Library.open(cache=cache)
    assert again.info("stool_01") == info
    assert content_hash(again.mesh("stool_01")) == info.content
    assert file.stat().st_mtime_ns == before
    assert info.blueprint == "static.prop.stool_01"
    assert (info.kind, info.category, info.source, info.licence) == ("stool", "furniture", "caos", "MIT")


def test_the_same_mesh_object_is_shared_for_instancing(cache):
    library = Library.open(cache=cache)
    assert library.mesh("stool_01") is library.mesh("stool_01")


@pytest.mark.parametrize("damage", [b"", b"not a zip", None])
def test_a_broken_cache_file_is_rebuilt(cache, damage):
    library = Library.open(cache=cache)
    info = library.info("stool_02")
    (file,) = cache.glob("stool_02-*.npz")
    file.write_bytes(file.read_bytes()[:-300] if damage is None else damage)
    assert Library.open(cache=cache).info("stool_02") == info
    assert content_hash(Library.open(cache=cache).mesh("stool_02")) == info.content


def test_imported_objects_are_merged(shelf, cache):
    library = Library.open(shelf, cache=cache)
    assert library.names("imported") == ["tower_a"]
    assert len(library.names()) == len(library.names("built-in")) + 1
    assert library.info("tower_a").licence == "CC0"
    assert library.info("tower_a").size_m == (1.0, 1.0, 2.0)
    assert object_problem(library, "tower_a") is None
    texture = library.mesh("tower_a").parts[0].material.texture
    assert texture is not None
    assert texture.shape == (4, 4, 3)
    assert float(texture[-1, -1, -1]) == 1.0


def test_a_changed_object_fails_the_check(shelf, cache):
    file = shelf / "meshes" / "tower_a.npz"
    info = read_index(shelf)[0]
    mesh = read_mesh(file)
    write_object(file, info, mesh.transformed(np.diag([2.0, 1, 1, 1])))
    library = Library.open(shelf, cache=cache)
    words = r"tower_a.npz holds another mesh \(content \w{16}\) than its library's index.json says \(\w{16}\); import"
    with pytest.raises(CaosError, match=words):
        library.mesh("tower_a")
    problem = object_problem(library, "tower_a")
    assert problem is not None
    assert "holds another mesh" in problem


def test_a_folder_without_index_is_refused_with_the_remedy(tmp_path):
    with pytest.raises(CaosError, match="not an object library.*caos assets import"):
        Library.open(tmp_path)


def test_an_index_cannot_name_files_elsewhere(shelf):
    text = (shelf / "index.json").read_text().replace("tower_a", "../../etc/passwd")
    (shelf / "index.json").write_text(text)
    with pytest.raises(CaosError, match="names are lower-case"):
        Library.open(shelf)


def test_an_unknown_name_suggests_the_nearest(cache):
    with pytest.raises(CaosError, match="unknown object 'sofa_1'; did you mean 'sofa_01'"):
        Library.open(cache=cache).info("sofa_1")


def test_a_split_keeps_kinds_apart_and_categories_together(cache):
    library = Library.open(cache=cache)
    train, test = split_kinds(library, seed=3, share=0.4)
    kinds_of = [{library.kind_of(n) for n in side} for side in (train, test)]
    assert not kinds_of[0] & kinds_of[1]
    assert sorted(train + test) == sorted(library.names())
    assert {library.category_of(n) for n in train} == {library.category_of(n) for n in test}
    assert split_kinds(library, seed=3, share=0.4) == (train, test)
    assert split_kinds(library, seed=4, share=0.4) != (train, test)
    assert 0.3 < len(kinds_of[0]) / (len(kinds_of[0]) + len(kinds_of[1])) < 0.5
    with pytest.raises(CaosError, match="between 0 and 1"):
        split_kinds(library, share=1.0)


def test_a_split_by_category_keeps_whole_categories_apart() -> None:
    library = Library.open()
    train, test = split_kinds(library, seed=1, share=0.5, by="category")
    assert sorted([*train, *test]) == sorted(library.names())
    sides = [{library.category_of(name) for name in names} for names in (train, test)]
    assert not sides[0] & sides[1]
    assert min(map(len, sides)) > 1


def test_stock_props_have_a_record_and_a_stand_in_but_are_not_listed(cache):
    library = Library.open(cache=cache)
    assert "shoppingcart" in STOCK_HAZARDS
    assert "shoppingcart" not in library.names()
    info = library.info("shoppingcart")
    assert (info.source, info.blueprint) == ("carla-0.9.16", "static.prop.shoppingcart")
    assert library.mesh("shoppingcart").size_m == pytest.approx(info.size_m)
