from __future__ import annotations

import pytest

from caos.assets.street.furniture import KINDS, furniture
from caos.foundation.errors import CaosError

FLAT = {"manhole": (0.5, 1.0)}
LARGE = {"bus_shelter": (4, 5), "billboard": (5, 7), "kiosk": (2.5, 4), "ad_column": (3, 4)}


@pytest.mark.parametrize("kind", KINDS)
def test_every_piece_keeps_the_contract(kind, check_model):
    for variant in range(3):
        size = FLAT.get(kind) or LARGE.get(kind) or (0.4, 3.4)
        check_model(furniture(kind, variant), tags={1, 6, 9, 20, 22}, triangles=4_000, lowest_m=-0.5, size_m=size)


@pytest.mark.parametrize("kind", KINDS)
def test_each_is_mostly_of_class_other(kind):
    mesh = furniture(kind)
    own = {20, 22, 1} if kind == "manhole" else {20, 22}
    assert any(p.tag in own for p in mesh.parts)
    assert furniture(kind, 1) is furniture(kind, 1)


def test_unknown_kind_is_refused_in_words():
    with pytest.raises(CaosError, match=r"unknown street furniture 'bnch'; did you mean 'bench'\?"):
        furniture("bnch")
