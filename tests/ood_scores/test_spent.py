"""Where the processor time of scoring goes."""

import time

import pytest

from caos.ood_scores.running.spent import Spent, mean_spent, spent_line


def test_time_is_parted_by_kind_of_work():
    start = time.process_time()
    spent = Spent()
    sum(range(200_000))
    spent.on("reading")
    sum(range(200_000))
    spent.on("scorers", {"forward": 0.001})
    assert set(spent.seconds) == {"reading", "scorers", "forward"}
    assert spent.seconds["forward"] == 0.001
    assert 0.001 < sum(spent.seconds.values()) <= time.process_time() - start


def test_the_mean_and_its_line():
    spent = mean_spent([{"forward": 0.2, "scorers": 0.05}, {"forward": 0.4, "scorers": 0.03}], {"components": 0.04})
    assert spent == pytest.approx({"forward": 0.3, "scorers": 0.04, "components": 0.02})
    line = "processor time per image: 360 ms (forward 300, scorers 40, components 20), 1.20 times its forward passes"
    assert spent_line(spent) == line
    assert spent_line({"reading": 0.001}) == "processor time per image: 1 ms (reading 1)"
    assert spent_line({"reading": 0.001}, 0.0204) == "processor time per image: 1 ms (reading 1); 20 ms on the clock"
