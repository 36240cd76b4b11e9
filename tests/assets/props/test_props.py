"""CARLA's props: every name, the right size, and a source that exists."""

from __future__ import annotations

import pytest

from caos.assets.catalogue.kinds import kinds
from caos.assets.mesh import Mesh, Part
from caos.assets.props import StreetProp, prop_mesh, street_props
from caos.assets.props.shapes import SHAPES
from caos.assets.street import furniture, signs, vegetation
from caos.assets.tags import SemanticTag

PROPS = street_props()


def no_library(name: str) -> Mesh:
    raise AssertionError(name)


def sources(kind: str) -> set[str]:
    rows = (prop.source.split() for prop in PROPS.values())
    return {row[1] for row in rows if row[0] == kind}


def test_every_source_exists() -> None:
    members = {name for kind in kinds().values() for name in kind.members()}
    assert len(PROPS) == 98
    assert sources("shape") == set(SHAPES)
    assert sources("object") <= members
    assert sources("furniture") <= set(furniture.KINDS)
    assert sources("sign") <= set(signs.KINDS)
    assert sources("tree") <= set(vegetation.SPECIES)


@pytest.mark.parametrize("name", [n for n, p in PROPS.items() if p.source.startswith(("shape ", "sign ", "board "))])
def test_a_prop_has_its_size_stands_on_the_ground_and_has_one_label(name: str) -> None:
    prop = PROPS[name]
    mesh = prop_mesh(prop, no_library)
    assert mesh.size_m == pytest.approx(prop.size_m, rel=1e-3)
    assert float(mesh.bounds[0][2]) == pytest.approx(0.0, abs=1e-4)
    assert {part.tag for part in mesh.parts} == {None}
    assert 8 <= mesh.triangles <= 30_000


def test_an_object_is_turned_and_scaled_to_the_size() -> None:
    bale = PROPS["haybale"]
    asked: list[str] = []

    def library(name: str) -> Mesh:
        asked.append(name)
        part = prop_mesh(PROPS["ironplank"], no_library).parts[0]
        return Mesh((Part(part.vertices, part.faces, part.material, tag=SemanticTag.ROAD),))

    mesh = prop_mesh(bale, library)
    assert asked == ["hay_bale_01"]
    assert mesh.size_m == pytest.approx(bale.size_m, rel=1e-3)


def test_dirt_and_litter_are_driven_over_and_barriers_are_not() -> None:
    flat = {name for name, prop in PROPS.items() if not prop.is_solid}
    assert {"dirtdebris01", "dirtdebris02", "dirtdebris03", "brokentile04", "garbage01"} <= flat
    assert not flat & {"streetbarrier", "constructioncone", "warningconstruction", "container", "busstop"}


def test_sizes_have_carlas_words() -> None:
    words = {name: PROPS[name].size_name for name in ("colacan", "constructioncone", "mailbox", "busstop")}
    assert words == {"colacan": "tiny", "constructioncone": "small", "mailbox": "medium", "busstop": "big"}
    assert StreetProp("x", "shape can", (0.1, 0.1, 0.1), SemanticTag.DYNAMIC, is_solid=False).size_name == "tiny"
