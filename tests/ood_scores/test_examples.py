from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path

import numpy as np
import pytest

from caos.ood_scores import results
from caos.ood_scores.command import Request, run_request

EXAMPLES = Path(__file__).parents[2] / "examples"


def load(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_score_any_model(data, tmp_path):
    table = load("score_any_model").main(str(data), str(tmp_path / "results"))
    assert "| MaxLogit |" in table
    assert (tmp_path / "results" / "results.json").is_file()


def test_score_with_features(data, tmp_path):
    table = load("score_with_features").main(str(data), str(tmp_path / "results"))
    assert "| KNN (k=10) |" in table
    found = results.read(tmp_path / "results").content
    assert found.columns == ("max_logit", "knn:k=10", "mahalanobis", "react", "mc_dropout:passes=5")
    assert found.scorers[1].settings == {"k": 10, "bank": 1024, "layer": "encoder"}
    assert found.source["dropout_rate"] == 0.3


@pytest.mark.parametrize("workers", [1, 2])
def test_own_scorer(data, run, tmp_path, monkeypatch, workers):
    shutil.copy(EXAMPLES / "own_scorer.py", tmp_path / "mine.py")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(EXAMPLES.parent))
    found = run_request(
        Request(
            data, run, tmp_path / "out", scorers="./mine.py:temperature=2,./mine.py", workers=workers, save_maps=True
        )
    )
    assert found.content.columns == ("mine:temperature=2", "mine")
    assert [row.title for row in found.content.scorers] == ["Margin (temperature=2)", "Margin"]
    assert found.content.scorers[0].summary.startswith("Margin between the two largest logits")
    key = found.images()[0].key
    halved, plain = (
        np.load(tmp_path / f"out/maps/{name}/{key}.npz")["scores"] for name in ("mine,temperature=2", "mine")
    )
    assert (plain < 0).any()
    assert halved == pytest.approx(plain / 2)
