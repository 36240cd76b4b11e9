"""Noticed in time: levels of frames, the quiet code, stopping distances and noticed distances, worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from caos.foundation.errors import CaosError
from caos.ood_scores.measuring.noticing import (
    Approach,
    ApproachFrame,
    StoppingRules,
    alarm_level,
    mark_level,
    measure_noticing,
    noticed_distance,
    quiet_threshold,
    stopping_rules,
)
from caos.ood_scores.report.noticing_table import noticing_table


def test_stopping_distances() -> None:
    rules = StoppingRules()
    # 10 m/s: 10 m of reaction, 100 / (2 * 0.7 * 9.81) = 7.28 m of braking; on a wet road 12.74 m.
    assert rules.distance_m(36, wet=False) == pytest.approx(17.28, abs=0.01)
    assert rules.distance_m(36, wet=True) == pytest.approx(22.74, abs=0.01)
    assert replace(rules, reaction_s=0.5).distance_m(36, wet=False) == pytest.approx(12.28, abs=0.01)


def test_a_hazard_is_marked_at_the_level_that_half_of_it_reaches() -> None:
    assert mark_level(np.array([10, 200, 30, 40], np.float32)) == 40
    assert mark_level(np.array([10, 200, 30], np.float32)) == 30
    assert mark_level(np.array([7], np.float32)) == 7
    assert mark_level(np.zeros(0, np.float32)) is None


def test_a_false_alarm_is_a_region_that_is_large_enough() -> None:
    scores = np.full((200, 200), 5, np.float32)  # a ten-thousandth of it are four pixels
    scores[10, 10:13] = 250
    scores[50:52, 50:52] = 90
    scores[100, 100:104] = 200
    every = np.ones(scores.shape, bool)
    assert alarm_level(scores, every) == 200
    without = every.copy()
    without[100] = False
    assert alarm_level(scores, without) == 90
    # Diagonal neighbours belong together, as elsewhere.
    scores[11, 13] = 240
    assert alarm_level(scores, every) == 240
    assert alarm_level(np.zeros((200, 200), np.float32), every) == 0
    assert alarm_level(scores, np.zeros(scores.shape, bool)) is None


def approach(
    key: str, distances: list[float], levels: list[int | None], alarms: list[int | None], **changes
) -> Approach:
    frames = tuple(
        ApproachFrame(f"{key}-{k}", *row) for k, row in enumerate(zip(distances, levels, alarms, strict=True))
    )
    plain = Approach(
        key, "sofa_01", "furniture", 1.8, "clear", "day", wet=False, speed_kmh=36, rate_hz=2, frames=frames
    )
    return replace(plain, **changes)


FAR = [50.0, 40.0, 30.0, 20.0]


def test_the_level_keeps_false_alarms_of_seconds_within_the_limit() -> None:
    one = approach("a", FAR, [0] * 4, [10, 60, 20, 20])
    two = approach("b", FAR, [0] * 4, [30, 5, 5, 5])
    # Four seconds in all, with highest alarms of 60, 20, 30 and 5: 900 an hour are one of the four.
    hours = 4 / 3600
    assert quiet_threshold([one, two], 900, hours) == (30, 900)
    assert quiet_threshold([one, two], 899, hours) == (60, 0)
    assert quiet_threshold([one, two], 2000, hours) == (20, 1800)
    assert quiet_threshold([one, two], 3600, hours) == (None, 3600)
    # Of equals none is let through without the others.
    same = approach("c", FAR, [0] * 4, [7, 7, 7, 7])
    assert quiet_threshold([same], 1800, hours / 2) == (7, 0)
    assert quiet_threshold([approach("d", FAR, [0] * 4, [None] * 4)], 0, hours / 2) == (None, 0)


def test_a_hazard_is_noticed_where_the_mark_stays() -> None:
    assert noticed_distance(FAR, [False, True, False, True]) == 20
    assert noticed_distance(FAR, [True] * 4) == 50
    assert noticed_distance(FAR, [True, True, True, False]) is None
    assert noticed_distance([], []) is None


def test_noticed_in_time_by_group() -> None:
    alarms = [1] * 4
    found = measure_noticing(
        {
            "good": [
                approach("early", FAR, [9, 9, 9, 9], alarms),
                approach("late", FAR, [9, 0, None, 9], alarms, wet=True, weather="rain"),
                approach("fast", FAR, [9, 9, 9, 9], alarms, speed_kmh=108.0, size_m=0.3),
                approach("never", FAR, [9, 0, 9, 0], alarms, category="animals", level="scenario"),
            ],
            "blind": [approach("early", FAR, [None] * 4, alarms)] * 4,
        },
        StoppingRules(),
    )
    assert found is not None
    assert found.hours == pytest.approx(8 / 3600)
    good = found.scorers["good"]
    assert (good.threshold, good.false_alarms_per_hour) == (1, 0)
    early, late, fast, never = good.approaches
    assert (early.noticed_m, early.in_time, early.lost) == (50, True, 0)
    # 22.7 m on a wet road: 20 m are too near. The frame that does not show it says nothing.
    assert (late.noticed_m, late.in_time, late.lost, late.marked) == (20, False, 1, (True, False, None, True))
    # 30 m/s need 95.5 m: the approach begins nearer.
    assert (fast.noticed_m, fast.in_time) == (50, None)
    assert (never.noticed_m, never.in_time, never.lost) == (None, False, 2)
    assert (good.every.approaches, good.every.noticed, good.every.in_time, good.every.judged) == (4, 3, 1, 3)
    assert good.every.median_m == 50
    assert good.every.lost == 0.75
    assert list(good.at_rates) == ["6", "60", "600", "1800"]
    assert good.at_rates["1800"] == good.every
    assert good.groups["weather"]["rain"].in_time == 0
    assert good.groups["speed"]["108 km/h"].judged == 0
    assert good.groups["size"]["under 0.5 m"].approaches == 1
    assert good.groups["category"]["animals"].noticed == 0
    assert good.groups["level"]["scenario"].noticed == 0
    assert "level" not in found.scorers["blind"].groups
    blind = found.scorers["blind"].approaches[0]
    assert (blind.first_m, blind.noticed_m, blind.in_time) == (None, None, False)
    lines = noticing_table(found, {"good": "Good"})
    assert "| Good | 0 | 4 | 3 | 1 of 3 | 50.0 m | 0.8 |" in lines
    assert lines.index("| blind | 0 | 4 | 0 | 0 of 4 |  | 0.0 |") > lines.index(
        "| Good | 0 | 4 | 3 | 1 of 3 | 50.0 m | 0.8 |"
    )
    assert "| speed | 108 km/h | 1 | 1 | none judged | 50.0 m | 0.0 |" in lines
    assert "| Good | 1 (3) | 1 (3) | 1 (3) | 1 (3) |" in lines
    assert measure_noticing({"good": []}, StoppingRules()) is None
    assert noticing_table(None, {}) == []


def test_more_false_alarms_allow_more_to_be_noticed() -> None:
    # One second in two has an alarm of 40, the other one of 20; the hazard reaches 30 from 40 m on.
    found = measure_noticing({"one": [approach("a", FAR, [10, 30, 30, 30], [40, 40, 20, 20])]}, StoppingRules())
    assert found is not None
    one = found.scorers["one"]
    assert (one.threshold, one.every.noticed) == (40, 0)
    assert [group.noticed for group in one.at_rates.values()] == [0, 0, 0, 1]
    assert one.at_rates["1800"].median_m == 40


def test_the_rules_are_read_from_the_command_line() -> None:
    assert stopping_rules("") == StoppingRules()
    assert stopping_rules("alarms=20, wet=0.3") == StoppingRules(false_alarms_per_hour=20, friction_wet=0.3)
    with pytest.raises(CaosError, match="unknown word of --stopping 'alarm'; did you mean 'alarms'"):
        stopping_rules("alarm=3")
    for wrong in ("reaction=-1", "dry=slippery", "wet"):
        with pytest.raises(CaosError, match="give a number above 0"):
            stopping_rules(wrong)
