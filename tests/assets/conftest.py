"""Fixtures: the built-in objects, cached in a folder of the test session."""

from __future__ import annotations

import pytest

from caos.assets.catalogue.library import Library


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def library(built):
    return Library.open(cache=built)
