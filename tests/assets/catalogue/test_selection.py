"""Selection of hazard objects by source, category, kind and name."""

from __future__ import annotations

import pytest

from caos.assets.catalogue.selection import choose_hazards
from caos.foundation.errors import CaosError


def test_hazards_are_chosen_by_source_category_kind_and_name(library):
    assert choose_hazards(library, "all") == tuple(library.names())
    assert choose_hazards(library, "built-in") == tuple(library.names("built-in"))
    assert choose_hazards(library, "sofa")[:2] == ("sofa_01", "sofa_02")
    assert choose_hazards(library, "cow_02, sofa_01,cow_02") == ("cow_02", "sofa_01")
    assert set(choose_hazards(library, "animals")) > set(choose_hazards(library, "horse"))
    assert "barrel" in choose_hazards(library, "stock")


def test_an_unknown_name_is_refused_with_suggestions(library):
    with pytest.raises(CaosError, match="did you mean 'sofa'"):
        choose_hazards(library, "soffa")
    with pytest.raises(CaosError, match="no imported objects"):
        choose_hazards(library, "imported")
