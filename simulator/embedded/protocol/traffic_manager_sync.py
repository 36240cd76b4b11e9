"""Workaround for a race in CARLA's synchronous TrafficManager: it must wait for a tick before the tick comes.

The TrafficManager lives in the client's process. Its thread waits on a condition variable for each tick; the client's
thread notifies it when the tick's state has arrived, without holding the mutex. If the notification comes just as the
wait begins, it is lost, and both threads block forever. Just before it waits, the manager requests the settings, after
the batch that ends its round. CARLA answers a tick call at once and renders for a while before it sends the state; here
a tick takes a millisecond or two, and a settings request that arrived after the tick call would be answered together
with it. So a tick call is delayed until the settings request has arrived.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final

PATIENCE_S: Final = 0.02
"""Longest delay in seconds of a tick call for the settings request."""
LEAST_START_S: Final = 0.001
MOST_START_S: Final = 0.01
TIMES: Final = 1.5
"""Bounds and factor of the delay between the answer to the request and the end of the tick, in which the manager begins
to wait. It is a multiple of the measured time from batch to request, which is longer on a busy machine."""
MOST_IN_VAIN: Final = 5
"""After this many waits without a request, batches are assumed to come from other clients."""


class TickGate:
    """Tracks whether a manager has yet to request the settings before it waits for a tick, and the delay it needs."""

    def __init__(self) -> None:
        self._asked = threading.Event()
        self._asked.set()
        self._in_vain = 0
        self._expected = self._answered = self._start_s = self._tick_s = 0.0

    def expect_question(self) -> None:
        """Record a batch, which may be a manager's."""
        if self._in_vain < MOST_IN_VAIN:
            self._expected = time.monotonic()
            self._asked.clear()

    def note_question(self) -> None:
        """Record a settings request."""
        if self.is_open:
            self._answered = time.monotonic()
            self._start_s = min(max(LEAST_START_S, TIMES * (self._answered - self._expected)), MOST_START_S)
            self._asked.set()

    def begin_anew(self) -> None:
        """Reset for a new manager."""
        self._in_vain = 0

    @property
    def is_open(self) -> bool:
        """Whether the settings request is still expected."""
        return not self._asked.is_set()

    def tick_after(self, tick: Callable[[], int]) -> int:
        """Call ``tick`` after the settings request and its delay, or almost immediately if none is expected."""
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
