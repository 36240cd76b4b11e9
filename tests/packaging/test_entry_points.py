"""Files of another installed package: recipes, town plans and label tables by the names of its entry points."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from caos.foundation.errors import CaosError
from caos.scenes.labels import table_by_name
from caos.scenes.recipes.recipe import load_recipe, read_recipe
from caos.simulator.embedded.towns.plan import load_plan
from caos.simulator.town_files import opendrive_of

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
POINTS = """\
[caos.recipes]
foreign_night = caos_foreign_files:night
[caos.towns]
foreign_village = caos_foreign_files:village
[caos.labels]
foreign_labels = caos_foreign_files:labels
"""


@pytest.fixture(autouse=True)
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package as pip leaves it in site-packages: a module that gives paths, and the metadata that names it."""
    about = tmp_path / "foreign_files-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: foreign-files\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(POINTS)
    (tmp_path / "caos_foreign_files.py").write_text(
        f"def night():\n    return {str(EXAMPLES / 'night.toml')!r}\n"
        f"village = {str(EXAMPLES / 'village.toml')!r}\n"
        f"labels = {str(EXAMPLES / 'road_and_rest.toml')!r}\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()
    yield
    sys.modules.pop("caos_foreign_files", None)


def test_a_recipe() -> None:
    assert load_recipe("foreign_night") == read_recipe(EXAMPLES / "night.toml")
    with pytest.raises(CaosError, match="unknown recipe 'foreign_nigth'; did you mean 'foreign_night'"):
        load_recipe("foreign_nigth")


def test_a_town() -> None:
    assert load_plan("foreign_village") == load_plan(str(EXAMPLES / "village.toml"))
    assert "<OpenDRIVE" in (opendrive_of("foreign_village") or "")
    with pytest.raises(CaosError, match="unknown town 'foreign_city'"):
        load_plan("foreign_city")


def test_a_label_table() -> None:
    mine, same = table_by_name("foreign_labels"), table_by_name(str(EXAMPLES / "road_and_rest.toml"))
    assert mine.name == "foreign_labels"
    assert mine.trained == same.trained
    with pytest.raises(CaosError, match="unknown label table 'foreign_label'; did you mean 'foreign_labels'"):
        table_by_name("foreign_label")
