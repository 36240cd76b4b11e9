"""Wall time of scoring, by kind of work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Final

KINDS: Final = ("reading", "forward", "scorers", "measuring", "writing", "components", "results")
"""Kinds of work, in the order they are printed. ``forward`` includes the passes through networks that scorers make."""


class Spent:
    """Stopwatch that adds up wall time by kind of work.

    Attributes:
        seconds: Seconds of each kind so far.
    """

    def __init__(self, before: Mapping[str, float] | None = None) -> None:
        self.seconds = dict(before or {})
        self._last = perf_counter()

    def on(self, kind: str, of_it: Mapping[str, float] | None = None) -> None:
        """Add the time since the last call to ``kind``, but for the seconds of it that belong to other kinds."""
        now = perf_counter()
        parts = {kind: now - self._last - sum((of_it or {}).values()), **(of_it or {})}
        for name, seconds in parts.items():
            self.seconds[name] = self.seconds.get(name, 0.0) + seconds
        self._last = now


def mean_spent(images: Sequence[Mapping[str, float]], together: Mapping[str, float]) -> dict[str, float]:
    """Mean seconds per image of each kind; ``together`` holds the time of work on the whole set."""
    every = (*images, together)
    return {
        kind: sum(one.get(kind, 0.0) for one in every) / len(images)
        for kind in KINDS
        if any(kind in one for one in every)
    }


def spent_line(spent: Mapping[str, float], elapsed_s: float | None = None) -> str:
    """Format the mean wall time per image, by kind of work, and the elapsed time per image.

    Less time elapses than the kinds add up to when the next image is read while one is measured, or with workers.
    """
    parts = ", ".join(f"{kind} {1000 * seconds:.0f}" for kind, seconds in spent.items())
    elapsed = "" if elapsed_s is None else f"; {1000 * elapsed_s:.0f} ms elapsed"
    return f"wall time per image: {1000 * sum(spent.values()):.0f} ms ({parts}){elapsed}"
