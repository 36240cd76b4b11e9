from __future__ import annotations

from pathlib import Path

import pytest

from tests.ood_scores import little


@pytest.fixture(scope="session")
def data(tmp_path_factory) -> Path:
    return little.write_set(tmp_path_factory.mktemp("data") / "set")


@pytest.fixture(scope="session")
def run(tmp_path_factory) -> Path:
    """A run with everything beside it that scorers can use."""
    root = tmp_path_factory.mktemp("runs") / "run"
    little.write_run(root)
    little.write_run(root / "confidence", confidence=True, seed=1)
    little.write_run(root / "seed1", seed=2)
    little.write_autoencoder(root / "autoencoder")
    little.write_observer(root)
    return root
