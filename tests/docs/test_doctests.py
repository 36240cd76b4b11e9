"""The examples in docstrings are true."""

from __future__ import annotations

import doctest
import importlib

import pytest

from tests.docs.pages import ROOT

ROOMS = ("foundation", "assets", "simulator", "scenes", "segmentation", "ood_scores", "studies")
FOLDERS = [ROOT / "caos" / room for room in ROOMS]
FILES = sorted(p for folder in FOLDERS for p in folder.rglob("*.py") if ">>> " in p.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_examples_in_docstrings(path) -> None:
    name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    outcome = doctest.testmod(importlib.import_module(name))
    assert outcome.attempted > 0
    assert outcome.failed == 0
