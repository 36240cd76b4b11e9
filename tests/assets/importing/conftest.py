"""Fixtures of the import: a child process that reads and cleans meshes."""

from __future__ import annotations

import pytest

from caos.assets.importing.worker import Worker


@pytest.fixture(scope="module")
def worker():
    with Worker() as child:
        yield child
