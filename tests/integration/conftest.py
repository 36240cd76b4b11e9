"""A generated set, made once for all tests: five images of one small town at draft quality."""

from __future__ import annotations

from pathlib import Path

import pytest

from caos.scenes.generation.generate import generate
from tests.integration.little import OPTIONS, PLACE, RECIPE


@pytest.fixture(scope="session")
def little_set(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("generated") / "set"
    summary = generate(RECIPE, root, place=PLACE, **OPTIONS)
    assert (summary.made, summary.kept) == (5, 0)
    return root
