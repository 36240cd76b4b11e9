from __future__ import annotations

import importlib.util
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_score_any_model(data, tmp_path):
    spec = importlib.util.spec_from_file_location("score_any_model", EXAMPLES / "score_any_model.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    table = module.main(str(data), str(tmp_path / "results"))
    assert "| MaxLogit |" in table
    assert (tmp_path / "results" / "results.json").is_file()
