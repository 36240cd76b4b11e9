from __future__ import annotations

import numpy as np
import pytest

from caos.assets.street.vegetation import SPECIES, VARIANTS, bush, flower_bed, grass_tuft, hedge, tree
from caos.foundation.errors import CaosError


@pytest.mark.parametrize("variant", [0, VARIANTS - 1])
@pytest.mark.parametrize("species", SPECIES)
def test_every_tree_keeps_the_contract(species, variant, check_model):
    mesh = tree(species, variant)
    check_model(mesh, tags={9, 20}, triangles=32_000, lowest_m=-0.5, size_m=(4, 21))
    assert mesh.triangles >= 4_000
    low, high = mesh.bounds
    assert np.all(low[:2] < 0)
    assert np.all(high[:2] > 0)


@pytest.mark.parametrize("species", SPECIES)
def test_trees_are_shared_and_their_variants_differ(species):
    assert tree(species, 1) is tree(species, 1)
    assert tree(species, 1).size_m != tree(species, 2).size_m


@pytest.mark.parametrize("species", ["oak", "linden", "street"])
def test_crown_is_full_and_stands_on_a_bare_bole(species):
    leaves = np.concatenate([p.vertices for p in tree(species, 0).parts if "leaves" in p.material.name])
    height = tree(species, 0).size_m[2]
    assert leaves[:, 2].min() > 0.1 * height
    assert np.abs(leaves[:, :2].mean(0)).max() < 0.12 * height


def test_only_the_street_trees_grate_is_not_vegetation():
    assert {p.tag for p in tree("street").parts} == {9, 20}
    assert {p.tag for p in tree("oak").parts} == {9}


@pytest.mark.parametrize("variant", range(6))
def test_bushes(variant, check_model):
    check_model(bush(variant), tags={9}, triangles=6_000, lowest_m=-0.2, size_m=(0.8, 3.2))


@pytest.mark.parametrize("length", [1.5, 4.0, 12.0])
def test_hedges_and_beds_are_as_long_as_asked(length, check_model):
    check_model(hedge(length), tags={9}, triangles=2_000 * 12, lowest_m=-0.2, size_m=(1.0, 14))
    assert hedge(length).size_m[1] == pytest.approx(length, abs=0.4)
    check_model(flower_bed(length), tags={9, 20}, triangles=900 * 14, lowest_m=-0.5, size_m=(1.0, 14))
    assert flower_bed(length).size_m[1] == pytest.approx(length + 0.16, abs=0.3)


def test_tufts(check_model):
    check_model(grass_tuft(0), tags={9}, triangles=400, lowest_m=-0.1, size_m=(0.2, 1.6))
    assert grass_tuft(0) is not grass_tuft(1)


def test_unknown_species_is_refused_in_words():
    with pytest.raises(CaosError, match=r"unknown tree species 'aok'; did you mean 'oak'\?"):
        tree("aok")
