"""Wall time of scoring, by kind of work."""

import time

import pytest

from caos.ood_scores.evaluation.time_breakdown import Spent, mean_spent, spent_line


def test_time_is_added_up_by_kind_of_work():
    start = time.perf_counter()
    spent = Spent({"reading": 1.0})
    time.sleep(0.02)
    spent.on("reading")
    time.sleep(0.02)
    spent.on("scorers", {"forward": 0.005})
    elapsed = time.perf_counter() - start
    assert set(spent.seconds) == {"reading", "scorers", "forward"}
    assert spent.seconds["forward"] == 0.005
    assert spent.seconds["reading"] >= 1.02
    assert spent.seconds["scorers"] >= 0.015
    assert 0.04 <= sum(spent.seconds.values()) - 1.0 <= elapsed


def test_the_mean_and_its_line():
    spent = mean_spent([{"forward": 0.2, "scorers": 0.05}, {"forward": 0.4, "scorers": 0.03}], {"components": 0.04})
    assert spent == pytest.approx({"forward": 0.3, "scorers": 0.04, "components": 0.02})
    assert spent_line(spent) == "wall time per image: 360 ms (forward 300, scorers 40, components 20)"
    assert spent_line({"reading": 0.001}, 0.0204) == "wall time per image: 1 ms (reading 1); 20 ms elapsed"
