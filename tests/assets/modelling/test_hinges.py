"""Contract of all that can open: as drawn in the catalogue, rigid leaves that stay on their hinges, on the ground."""

from __future__ import annotations

import numpy as np
import pytest

from caos.assets.catalogue.library import Library
from caos.assets.catalogue.openings import OPENINGS
from caos.assets.mesh import Material, Mesh, Part
from caos.assets.modelling.cutting import clipped, connected
from caos.assets.modelling.hinges import FOLDED_DEG, Opening, leaf_share, opened, opening_pieces
from caos.assets.modelling.shapes import box
from caos.foundation.errors import CaosError
from caos.scenes.sequences.motion import open_shares

SHARES = (0.0, 0.2, 0.5, 0.8, 1.0)
ON_HINGES = [name for name, opening in OPENINGS.items() if opening.ribs is None]
CANOPIES = [name for name, opening in OPENINGS.items() if opening.ribs is not None]


@pytest.fixture(scope="module")
def library() -> Library:
    return Library.open(None)


def _points(pieces: list[Part] | tuple[Part, ...]) -> np.ndarray:
    return np.concatenate([part.vertices for part in pieces]).astype(float)


@pytest.mark.parametrize("name", OPENINGS)
def test_one_end_equals_the_catalogue_mesh_and_all_stand_on_the_ground(library: Library, name: str) -> None:
    drawn = library.mesh(name)
    assert library.mesh(name, 1.0, OPENINGS[name].drawn_share) is drawn
    other = 1 - OPENINGS[name].drawn_share
    assert not np.array_equal(library.mesh(name, 1.0, other).bounds, drawn.bounds)
    for share in SHARES:
        assert library.mesh(name, 1.0, share).bounds[0][2] == pytest.approx(0, abs=0.005)
        twice = library.mesh(name, 2.0, share)
        assert np.allclose(twice.bounds, 2 * np.array(library.mesh(name, 1.0, share).bounds), atol=1e-4)


@pytest.mark.parametrize("name", ON_HINGES)
def test_leaves_turn_about_their_hinges_and_the_body_does_not_move(library: Library, name: str) -> None:
    opening = OPENINGS[name]
    body, leaves = opening_pieces(library.mesh(name), opening)
    assert all(leaves), "each leaf has pieces of the mesh"
    fixed = _points(body)
    for leaf, pieces in zip(opening.leaves, leaves, strict=True):
        k = "xyz".index(leaf.axis)
        across = [i for i in range(3) if i != k]
        points = _points(pieces)
        from_hinge = np.linalg.norm((points - leaf.at)[:, across], axis=1)
        # The leaf reaches to its hinge, and there the body is near, however far it is turned.
        assert from_hinge.min() < 0.035
        edge = points[from_hinge < 0.04]
        assert np.linalg.norm((fixed - leaf.at)[:, across], axis=1).min() < 0.05
        for share in SHARES:
            turn = leaf.placed(share)
            moved = points @ turn[:3, :3].T + turn[:3, 3]
            assert np.linalg.norm((moved - leaf.at)[:, across], axis=1) == pytest.approx(from_hinge, abs=1e-6)
            assert np.allclose(moved[:, k], points[:, k])
            shifted = edge @ turn[:3, :3].T + turn[:3, 3] - edge
            assert np.linalg.norm(shifted, axis=1).max() < 0.081


@pytest.mark.parametrize("name", CANOPIES)
def test_a_canopy_keeps_the_length_of_its_ribs(library: Library, name: str) -> None:
    ribs = OPENINGS[name].ribs
    assert ribs is not None
    before, after = (_points(opened(library.mesh(name), OPENINGS[name], s).parts) for s in (0.999, 0.0))
    pole = np.array(ribs.pole)
    lengths = [np.linalg.norm(p - ribs.hub, axis=1) for p in (before, after)]
    assert lengths[0] == pytest.approx(lengths[1], abs=1e-4)
    rel = after - ribs.hub
    along = rel @ pole
    radius = np.linalg.norm(rel - along[:, None] * pole, axis=1)
    wide = np.linalg.norm(before - ribs.hub - np.outer((before - ribs.hub) @ pole, pole), axis=1) > ribs.least_m
    assert wide.sum() > 30
    assert np.degrees(np.arctan2(-along[wide], radius[wide])) == pytest.approx(FOLDED_DEG, abs=0.5)


def test_an_object_without_hinges_cannot_be_opened(library: Library) -> None:
    assert library.opens("fridge_01")
    assert not library.opens("sofa_01")
    with pytest.raises(CaosError, match="sofa_01 has no doors or lids that open"):
        library.mesh("sofa_01", 1.0, 0.5)
    assert set(OPENINGS) <= set(library.names("built-in"))


def test_the_two_clipped_halves_make_the_whole_part() -> None:
    cube = box((0, 0, 0), (2, 1, 1), Material("grey"))
    low, high = clipped(cube, "x", 0.5, -1), clipped(cube, "x", 0.5, 1)
    assert low is not None
    assert high is not None
    assert (low.vertices[:, 0].max(), high.vertices[:, 0].min()) == (0.5, 0.5)
    # Four sides of 2 x 1 and two ends of 1 x 1, the mouths open.
    assert _area(low) == pytest.approx(4 * 0.5 + 1)
    assert _area(high) == pytest.approx(4 * 1.5 + 1)
    assert clipped(cube, "x", 3.0, 1) is None
    other = box((5, 0, 0), (6, 1, 1), cube.material)
    both = Part(
        np.concatenate([cube.vertices, other.vertices]),
        np.concatenate([cube.faces, other.faces + len(cube.vertices)]),
        cube.material,
    )
    assert [piece.vertices[:, 0].max() for piece in connected(Mesh((both,)))] == [2, 6]


def _area(part: Part) -> float:
    a, b, c = (part.vertices[part.faces[:, k]].astype(float) for k in range(3))
    return float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2)


def test_leaves_open_one_after_another_starting_closed() -> None:
    assert [leaf_share(0.0, k, 2) for k in (0, 1)] == [0, 0]
    assert [leaf_share(1.0, k, 2) for k in (0, 1)] == [1, 1]
    # At 0.4 the first of two is at 0.5 of its way, the second at 0.25: 3 s2 - 2 s3 of each.
    assert [leaf_share(0.4, k, 2) for k in (0, 1)] == pytest.approx([0.5, 3 / 16 - 2 / 64])
    # Ten seconds: closed for two, then open within two and a half.
    assert open_shares(np.array([0, 2, 3.25, 4.5, 10.0])) == [0, 0, 0.5, 1, 1]
    assert open_shares(np.array([0, 1.0]), most=0.6) == [0, 0.6]


def test_an_opening_without_leaves_leaves_the_mesh_unchanged(library: Library) -> None:
    mesh = library.mesh("fridge_01")
    assert opened(mesh, Opening(), 0.0) is mesh
