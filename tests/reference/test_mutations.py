"""The list of mutations fits the code. ``python -m tests.reference.mutate`` tries them all."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reference.mutations import MUTATIONS, Mutation

PACKAGE = Path(__file__).parents[2] / "caos"


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_the_text_that_a_mutation_replaces_occurs_once(mutation: Mutation) -> None:
    assert mutation.applied(PACKAGE) != (PACKAGE / mutation.file).read_text()
