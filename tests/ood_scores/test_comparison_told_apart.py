"""Which rows of a comparison can be told apart from the best one."""

from __future__ import annotations

from typing import Any

import numpy as np

from caos.ood_scores.report.comparison_site import _tell_apart


def entry(name: str, columns: dict[str, np.ndarray], on: str = "streets") -> dict[str, Any]:
    aurocs = np.stack(list(columns.values()), axis=1)
    frames = {f"test/{i}": {"truth": [10, 90], "auroc": row.tolist()} for i, row in enumerate(aurocs)}
    place = {"set": on, "split": "test", "frame_protocol": "caos"}
    return {"name": name, **place, "scorers": list(columns), "frames": frames}


def test_rows_are_compared_with_the_best_of_all_results_on_the_same_set() -> None:
    rng = np.random.default_rng(0)
    base = rng.uniform(0.7, 0.9, 30)
    first = entry("first", {"good": base + 0.05, "bad": base - 0.2})
    second = entry("second", {"similar": base + 0.05 + rng.normal(0, 0.01, 30)})
    elsewhere = entry("elsewhere", {"good": base, "worse": base - 0.1}, on="photographs")
    _tell_apart([first, second, elsewhere])
    told = {**first["against"], **second["against"]}
    (best,) = (name for name, pair in told.items() if pair["difference"] == 0)
    assert best in {"good", "similar"}
    assert told["bad"]["p"] < 0.05
    assert abs(told["bad"]["difference"] - 0.25) < 0.01
    assert all(pair["p"] > 0.05 for name, pair in told.items() if name != "bad")
    assert elsewhere["against"]["good"] == {"difference": 0.0, "p": 1.0}


def test_images_of_another_truth_are_not_compared() -> None:
    base = np.linspace(0.6, 0.9, 8)
    first, second = entry("first", {"a": base}), entry("second", {"b": base - 0.1})
    for frame in second["frames"].values():
        frame["truth"] = [11, 89]
    _tell_apart([first, second])
    assert first["against"] == second["against"] == {}
