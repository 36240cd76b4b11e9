"""The digest behind a cached object follows the code that makes it, and no other."""

from __future__ import annotations

import sys

import pytest

from caos.assets.catalogue.kinds import kinds
from caos.assets.catalogue.source_digest import source_digest

HELPER = "def width():\n    return 1\n"


@pytest.fixture
def family(tmp_path, monkeypatch):
    """A package ``caos.shed`` whose ``chairs`` use ``plank`` and whose ``stones`` use nothing."""
    folder = tmp_path / "shed"
    folder.mkdir()
    for name, text in {
        "__init__": "",
        "plank": HELPER,
        "legs": "def legs():\n    from caos.shed import plank\n    return 4 * plank.width()\n",
        "chairs": "from caos.shed.legs import (\n    legs,\n)\n",
        "stones": "import math\n",
    }.items():
        (folder / f"{name}.py").write_text(text)
    import caos

    monkeypatch.setattr(caos, "__path__", [*caos.__path__, str(tmp_path)])
    import importlib

    for name in ("plank", "chairs", "stones"):
        importlib.import_module(f"caos.shed.{name}")
    yield folder
    for name in [n for n in sys.modules if n.startswith("caos.shed")]:
        del sys.modules[name]


def fresh(module: str) -> str:
    from caos.assets.catalogue import source_digest as module_under_test
    from caos.foundation.storage.cache import code_digest

    for cached in (module_under_test.source_digest, module_under_test._imports, code_digest):
        cached.cache_clear()
    return source_digest(module)


def test_the_digest_follows_what_a_file_imports_through_others(family):
    chairs, stones = fresh("caos.shed.chairs"), fresh("caos.shed.stones")
    (family / "plank.py").write_text(HELPER.replace("1", "2"))
    assert fresh("caos.shed.chairs") != chairs
    assert fresh("caos.shed.stones") == stones


def test_the_digest_follows_the_file_itself(family):
    stones = fresh("caos.shed.stones")
    (family / "stones.py").write_text("import math\n\nHEAVY = math.pi\n")
    assert fresh("caos.shed.stones") != stones


def test_kinds_of_one_file_share_a_digest_and_families_have_their_own():
    cow, pig, sofa = (source_digest(kinds()[name].module) for name in ("cow", "pig", "sofa"))
    assert cow == pig != sofa
