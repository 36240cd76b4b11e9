"""Synchronous TrafficManager: its settings request is answered before the tick, whatever order they arrive in."""

from __future__ import annotations

import threading
import time

import carla
import msgpack
import pytest

from caos.simulator.embedded.launch import ServerProcess
from caos.simulator.embedded.protocol.traffic_manager_sync import (
    LEAST_START_S,
    MOST_IN_VAIN,
    MOST_START_S,
    PATIENCE_S,
    TIMES,
    TickGate,
)
from tests.simulator.server.test_protocol import Line


def test_a_tick_waits_for_the_settings_request_and_a_delay() -> None:
    turn, order = TickGate(), []
    assert not turn.is_open
    turn.expect_question()
    assert turn.is_open

    def ask_later() -> None:
        time.sleep(PATIENCE_S / 4)
        order.append(("question", time.monotonic()))
        turn.note_question()

    def tick() -> int:
        order.append(("tick", time.monotonic()))
        return 7

    asking = threading.Thread(target=ask_later)
    asking.start()
    assert turn.tick_after(tick) == 7
    asking.join()
    assert [name for name, _ in order] == ["question", "tick"]
    # It took a quarter of the limit to request, and gets a multiple of that to begin to wait.
    assert order[1][1] - order[0][1] >= TIMES * PATIENCE_S / 4 - 1e-3
    assert not turn.is_open


def test_the_delay_is_a_multiple_of_the_measured_time_within_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    now, slept = [100.0], []
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(time, "sleep", slept.append)
    turn = TickGate()
    for took_s in (0.0, 0.003, 10.0):
        turn.expect_question()
        now[0] += took_s
        turn.note_question()
        turn.tick_after(lambda: 1)
    assert slept == pytest.approx([LEAST_START_S, TIMES * 0.003, MOST_START_S])
    slept.clear()
    now[0] += 1.0
    turn.tick_after(lambda: 1)
    assert slept == [0.0]


def test_waiting_stops_after_several_batches_without_request() -> None:
    turn = TickGate()
    for _ in range(MOST_IN_VAIN):
        turn.expect_question()
        assert turn.tick_after(lambda: 1) == 1
    turn.expect_question()
    assert not turn.is_open
    turn.begin_anew()
    turn.expect_question()
    assert turn.is_open


def test_a_settings_request_after_the_tick_call_is_answered_first(server: ServerProcess, world: carla.World) -> None:
    assert world.get_settings().synchronous_mode
    with Line(server.port) as line:
        line.call("add_traffic_manager_running", ["127.0.0.1", 9000])
        line.call("apply_batch", [], False)
        calls = ((1, "tick_cue"), (2, "get_episode_settings"), (3, "tick_cue"))
        line.send(b"".join(msgpack.packb([0, number, call, [[False]]]) for number, call in calls))
        first, *others = [line.read()[1] for _ in calls]
        assert (first, sorted(others)) == (2, [1, 3])
        line.call("destroy_traffic_manager", 9000)
        line.call("apply_batch", [], False)
        line.send(b"".join(msgpack.packb([0, number, call, [[False]]]) for number, call in calls))
        assert [line.read()[1] for _ in calls] == [1, 2, 3]
