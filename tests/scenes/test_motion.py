"""Motion of hazards and ways along lanes: poses by time, on values worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from caos.assets.catalogue.library import Library
from caos.scenes.sequences.lane_path import LanePath
from caos.scenes.sequences.motion import SUITS, Mover, draw_motion, falling_way_m, moved, suiting
from caos.simulator.transform import Transform

ANGLES = np.radians(np.arange(0, 360, 5))
BALL = np.array([[0, 0.5 * np.cos(a), 0.5 + 0.5 * np.sin(a)] for a in ANGLES])
"""The circle in which a ball of half a metre's radius rolls across the road."""
TIMES = np.arange(0, 4.01, 0.5)
MOVER = Mover(Transform(10, 0, 0), BALL, 0.0)


def drawn(motion: str, mover: Mover = MOVER, seed: int = 0) -> list[Transform]:
    return moved(motion, mover, TIMES, np.random.default_rng(seed))  # type: ignore[arg-type]


@pytest.mark.parametrize("motion", ["still", *SUITS])
def test_a_motion_ends_where_the_hazard_was_placed(motion: str) -> None:
    poses = drawn(motion)
    assert len(poses) == len(TIMES)
    assert poses[-1].location == pytest.approx((10, 0, 0), abs=1e-3)
    assert drawn(motion) == poses
    assert (len(set(poses)) == 1) == (motion == "still")


def test_what_rolls_turns_by_the_ground_it_covers_and_slows_down() -> None:
    poses = drawn("rolling")
    middles = [(p.matrix @ np.array([0, 0, 0.5, 1]))[:3] for p in poses]
    ways = [float(np.hypot(m[0] - 10, m[1])) for m in middles]
    # From the end backwards: half of 0.7 m/s2 times the square of the time left.
    assert ways[-2] == pytest.approx(0.5 * 0.7 * 0.5**2, abs=1e-3)
    assert ways[-3] == pytest.approx(0.5 * 0.7 * 1.0**2, abs=1e-3)
    assert all(m[0] == pytest.approx(10, abs=1e-3) and m[2] == pytest.approx(0.5, abs=5e-3) for m in middles)
    # A point on its top goes to the front: by a quarter turn for a quarter of the way round.
    side = np.sign(middles[-2][1])
    before, after = poses[-3].matrix, poses[-1].matrix
    top = np.array([0, 0, 1.0, 1])
    angle = ways[-3] / 0.5
    offset = before @ top - before @ np.array([0, 0, 0.5, 1])
    assert offset[2] == pytest.approx(0.5 * np.cos(angle), abs=1e-2)
    # Before it comes to rest, what will be its top is still behind.
    assert offset[1] == pytest.approx(side * 0.5 * np.sin(angle), abs=1e-2)
    assert (after @ top)[2] == pytest.approx(1.0, abs=1e-3)
    for pose in poses:
        lowest = (BALL @ pose.matrix[:3, :3].T + pose.location)[:, 2].min()
        assert lowest == pytest.approx(0, abs=5e-3)


def test_what_falls_drops_freely_and_slides_to_a_stop_along_the_lane() -> None:
    poses = drawn("falling")
    assert poses[0].z == pytest.approx(1.3)
    assert 10 - poses[0].x == pytest.approx(falling_way_m(), abs=1e-3)
    assert falling_way_m() == pytest.approx(8 * 0.5148 + 64 / 10, abs=1e-3)
    # After half a second: 1.3 - 9.81 / 8 above the road, 4 m on.
    assert poses[1].z == pytest.approx(1.3 - 9.81 / 8, abs=1e-3)
    assert poses[1].x - poses[0].x == pytest.approx(4.0, abs=1e-3)
    assert [p.z for p in poses[2:]] == [0] * 7
    assert poses[-1].x == poses[-2].x == pytest.approx(10, abs=1e-3)


def test_who_crosses_walks_across_and_looks_ahead() -> None:
    poses = drawn("crossing")
    steps = np.diff([p.y for p in poses])
    assert np.abs(steps) == pytest.approx(0.7, abs=1e-3)
    assert {round(p.yaw_deg) for p in poses} == {90 * int(np.sign(steps[0]))}
    assert {p.x for p in poses} == {10.0}


def test_only_what_may_move_like_that_does() -> None:
    rng, library = np.random.default_rng(1), Library.open(None)
    every = dict.fromkeys((*SUITS, "opening"), 1.0)
    assert {draw_motion(every, "cow_01", library, rng) for _ in range(30)} == {"crossing"}  # type: ignore[arg-type]
    assert suiting(every, "ball_01", library) == ["blowing", "falling", "rolling"]  # type: ignore[arg-type]
    assert suiting(every, "fridge_01", library) == ["falling", "opening"]  # type: ignore[arg-type]
    assert draw_motion({"rolling": 1.0}, "sofa_01", library, rng) == "still"
    assert draw_motion({"still": 1.0, "crossing": 0.0}, "cow_01", library, rng) == "still"
    # It rears up, and cannot walk so.
    assert suiting({"crossing": 1.0}, "horse_04", library) == []


def test_a_thing_may_be_at_its_place_in_the_middle() -> None:
    times = np.arange(0, 20.0)
    poses = [moved(m, MOVER, times, np.random.default_rng(0), 8.0) for m in ("rolling", "crossing", "blowing")]
    for way in poses:
        assert way[8].location == pytest.approx((10, 0, 0), abs=1e-3)
    rolling, crossing, blowing = ([p.y for p in way] for way in poses)
    # What rolled stays at rest; who crosses goes on; before, both waited 8 m away, or rolled as far as speed allows.
    assert rolling[8] == rolling[-1] == pytest.approx(0, abs=1e-3)
    assert abs(crossing[12]) == pytest.approx(4 * 1.4)
    assert abs(crossing[0]) == abs(crossing[2]) == 8
    assert abs(blowing[0]) == pytest.approx(8, abs=1)


def test_a_way_is_followed_by_metres() -> None:
    bend = [Transform(x, 0, 0.1 * x, 0, 350) for x in range(5)] + [Transform(4, y, 0.4, 0, 10) for y in range(1, 4)]
    path = LanePath.through(bend)
    rise = np.hypot(1, 0.1)
    assert path.length_m == pytest.approx(4 * rise + 3)
    assert path.at(2 * rise).location == pytest.approx((2, 0, 0.2))
    assert path.at(2 * rise, 1.0).y == pytest.approx(np.cos(np.radians(350)))
    assert path.at(4 * rise + 2).location == pytest.approx((4, 2, 0.4))
    # Between 350 and 370 degrees, not back through 180.
    assert path.at(4 * rise + 0.5).yaw_deg == pytest.approx(360)
    assert path.at(99).location == pytest.approx((4, 3, 0.4))
    assert path.beside(1.0, 1.0) == pytest.approx(np.cos(np.radians(10)) + np.sin(np.radians(10)))
