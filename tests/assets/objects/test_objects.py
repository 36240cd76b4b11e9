"""The contract every built-in object keeps."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from caos.assets import objects
from caos.assets.catalogue.kinds import Kind, kinds
from caos.assets.catalogue.object_file import NAME, content_hash, describe
from caos.assets.importing.checking import mesh_problem
from caos.assets.mesh import Mesh

TRAINING_WORDS = {"car", "truck", "bus", "person", "pedestrian", "tree", "pole", "sign", "fence", "wall", "building"}
TRIANGLES = (150, 16_000)
LONGEST_M = (0.2, 8.0)


def test_the_catalogue_has_the_documented_number_of_kinds():
    categories = Counter({k.category: 0 for k in kinds().values()})
    for k in kinds().values():
        categories[k.category] += k.count
    assert sum(categories.values()) >= 250
    assert len(kinds()) >= 60
    assert len(categories) >= 8
    assert min(categories.values()) >= 20


def test_names_are_valid_carla_names_and_no_training_class():
    members = [name for k in kinds().values() for name in k.members()]
    assert len(set(members)) == len(members)
    assert all(NAME.fullmatch(name) for name in members)
    assert not [k for k in kinds() if set(k.split("_")) & TRAINING_WORDS]


def test_a_kind_belongs_to_the_category_whose_folder_holds_it():
    folders = {p.name for p in Path(objects.__file__).parent.iterdir() if (p / "__init__.py").exists()}
    assert {k.category for k in kinds().values()} == folders
    assert kinds()["cow"].category == "animals"
    assert kinds()["cow"].module == "caos.assets.objects.animals.farm"


def test_every_kind_has_a_docstring():
    assert [k.name for k in kinds().values() if not (k.make.__doc__ or "").strip()] == []


@pytest.mark.parametrize("kind", kinds().values(), ids=lambda k: k.name)
def test_members_stand_on_the_ground_and_differ(kind: Kind):
    shapes = set()
    for variant in range(kind.count):
        mesh = kind.build(variant)
        assert mesh_problem(mesh) is None
        assert TRIANGLES[0] <= mesh.triangles <= TRIANGLES[1]
        assert LONGEST_M[0] <= max(mesh.size_m) <= LONGEST_M[1]
        assert _colors_are_physical(mesh)
        shapes.add(_shape_key(mesh))
    assert len(shapes) == kind.count, "members differ in shape, not only in colour or scale"


def _shape_key(mesh: Mesh) -> tuple[int, ...]:
    """Numbers that stay equal when a mesh is only recoloured or scaled."""
    x, y, z = mesh.size_m
    moment = [float(np.concatenate([p.vertices for p in mesh.parts])[:, k].std()) / max(x, y, z) for k in range(3)]
    return (mesh.triangles, round(1000 * y / x), round(1000 * z / x), *(round(1000 * m) for m in moment))


def _colors_are_physical(mesh: Mesh) -> bool:
    for part in mesh.parts:
        m = part.material
        image = np.asarray(m.color) if m.texture is None else m.texture
        if m.surface != "emissive" and not (image.min() >= 0 and image.max() <= 1):
            return False
    return True


@pytest.mark.parametrize("name", ["sofa", "cow", "log", "rubbish_bags", "birdcage", "dragon"])
def test_the_same_member_is_built_twice_to_the_same_content(name: str):
    kind = kinds()[name]
    assert content_hash(kind.build(0)) == content_hash(kind.build(0))


@pytest.mark.parametrize("name", ["horse", "boulder", "teddy_bear", "barrel"])
def test_surfaces_face_outward(name: str):
    mesh = kinds()[name].build(0)
    part = max(mesh.parts, key=lambda p: len(p.faces))
    a, b, c = (part.vertices[part.faces[:, k]].astype(np.float64) for k in range(3))
    assert float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum()) > 0


def test_an_invalid_name_is_refused():
    mesh = kinds()["chair"].build(0)
    with pytest.raises(Exception, match="'Sofa 1' is not valid"):
        describe(mesh, name="Sofa 1", kind="sofa", category="x", source="s", licence="l")
