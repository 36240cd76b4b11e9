"""Processor time of scoring: where it goes, kind of work by kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from caos.foundation.processor_time import processor_time

KINDS: Final = ("forward", "scorers", "reading", "measuring", "writing", "merging", "components", "results")
"""Of work, in the order they are told. ``forward`` are all passes through networks, those that scorers ask for too;
``merging`` is the keeping of rows, progress and, with several workers, what it costs to add up what each counted."""


class Spent:
    """A clock of the processor that parts what passes by kind of work."""

    def __init__(self, before: Mapping[str, float] | None = None) -> None:
        self.seconds = dict(before or {})
        self._last = processor_time()

    def on(self, kind: str, of_it: Mapping[str, float] | None = None) -> None:
        """Count what passed since the last time; ``of_it`` says what of it was work of other kinds."""
        now = processor_time()
        parts = {kind: now - self._last, **(of_it or {})}
        parts[kind] -= sum((of_it or {}).values())
        for name, seconds in parts.items():
            self.seconds[name] = self.seconds.get(name, 0.0) + seconds
        self._last = now


def mean_spent(images: Sequence[Mapping[str, float]], together: Mapping[str, float]) -> dict[str, float]:
    """Mean processor seconds an image; ``together`` is what was spent on all of them at once."""
    every = (*images, together)
    return {
        kind: sum(one.get(kind, 0.0) for one in every) / len(images)
        for kind in KINDS
        if any(kind in one for one in every)
    }


def spent_line(spent: Mapping[str, float], clock_s: float | None = None) -> str:
    """Where the processor time of an image went, in one line, and how long it took on the clock."""
    total, forward = sum(spent.values()), spent.get("forward", 0.0)
    parts = ", ".join(f"{kind} {1000 * seconds:.0f}" for kind, seconds in spent.items())
    beside = f", {total / forward:.2f} times its forward passes" if forward else ""
    clock = "" if clock_s is None else f"; {1000 * clock_s:.0f} ms on the clock"
    return f"processor time per image: {1000 * total:.0f} ms ({parts}){beside}{clock}"
