"""Turns of a synchronous TrafficManager: it has to wait for a tick before the tick comes.

The manager lives in its client's process. A thread of its own waits for each tick; the client's thread wakes it when
the tick's state has come, without holding their lock. If the one begins to wait in the very moment in which the other
wakes it, it sleeps on, and both wait for ever. Just before it waits, the manager asks for the settings, after the batch
that ends its round. CARLA answers a tick's cue at once and has drawn for a while when the state goes out; here a tick
takes a millisecond or two, and a question that came behind the cue would be answered together with it. So a cue lets
the question go first.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final

PATIENCE_S: Final = 0.02
"""So long a cue waits for the question."""
LEAST_START_S: Final = 0.001
MOST_START_S: Final = 0.01
TIMES: Final = 1.5
"""From the answer to the end of the tick: time to begin to wait. A client on a busy machine needs longer; how long it
took from its batch to its question tells, and it gets a multiple of that."""
MOST_IN_VAIN: Final = 5
"""After so many waits for nothing, batches come from somebody else."""


class ManagerTurn:
    """Whether a manager still has to ask for the settings before it waits for a tick, and what it needs for that."""

    def __init__(self) -> None:
        self._asked = threading.Event()
        self._asked.set()
        self._in_vain = 0
        self._expected = self._answered = self._start_s = self._tick_s = 0.0

    def expect_question(self) -> None:
        """A batch has been applied, perhaps a manager's."""
        if self._in_vain < MOST_IN_VAIN:
            self._expected = time.monotonic()
            self._asked.clear()

    def note_question(self) -> None:
        """Somebody asks for the settings."""
        if self.is_open:
            self._answered = time.monotonic()
            self._start_s = min(max(LEAST_START_S, TIMES * (self._answered - self._expected)), MOST_START_S)
            self._asked.set()

    def begin_anew(self) -> None:
        """There is another manager."""
        self._in_vain = 0

    @property
    def is_open(self) -> bool:
        """Whether the question is still to come."""
        return not self._asked.is_set()

    def tick_after(self, tick: Callable[[], int]) -> int:
        """What ``tick`` gives, after the question and its head start; where none comes, nearly at once."""
        if self._asked.wait(PATIENCE_S):
            self._in_vain = 0
            time.sleep(max(0.0, self._answered + self._start_s - self._tick_s - time.monotonic()))
        else:
            self._in_vain += 1
            self._asked.set()
        began = time.monotonic()
        frame = tick()
        self._tick_s = time.monotonic() - began
        return frame
