"""Numbers of the package beside those of independent code."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

TOLERANCE = 1e-11
"""Of numbers between zero and one that are computed from exact counts."""


@dataclass(frozen=True)
class Comparison:
    """One number, by the package and by a reference; None where it is undefined.

    Attributes:
        name: What it is and whose the reference is.
        ours: By the package.
        reference: By other code.
        tolerance: The largest difference that is rounding.
    """

    name: str
    ours: float | None
    reference: float | None
    tolerance: float = TOLERANCE

    @property
    def difference(self) -> float:
        """How far the two are apart; infinite where only one is undefined."""
        if self.ours is None or self.reference is None:
            return 0.0 if self.ours is self.reference else math.inf
        if math.isnan(self.ours) or math.isnan(self.reference):
            return math.inf
        return abs(self.ours - self.reference)

    @property
    def agrees(self) -> bool:
        """Whether the difference is rounding."""
        return self.difference <= self.tolerance

    def __str__(self) -> str:
        return f"{self.name}: {self.ours!r}, reference {self.reference!r}"


def compare_all(
    prefix: str, ours: dict[str, float | None], reference: dict[str, float | None], tolerance: float = TOLERANCE
) -> Iterator[Comparison]:
    """The numbers of equal names, each of which must be in both."""
    if set(ours) != set(reference):
        raise AssertionError(f"{prefix}: {sorted(ours)} cannot be compared with {sorted(reference)}")
    for name, value in ours.items():
        yield Comparison(f"{prefix}, {name}", value, reference[name], tolerance)


def assert_equal(comparisons: Iterable[Comparison]) -> None:
    """Fail with every number that differs, and if there is none to compare."""
    tally = Tally()
    wrong = tally.add(comparisons)
    first = {one.name: one for one in reversed(wrong)}
    assert tally.cases, "there is nothing to compare"
    assert not wrong, "\n".join([f"{tally.wrong[name]} of {tally.cases[name]}: {one}" for name, one in first.items()])


@dataclass
class Tally:
    """Comparisons by name: how many, how many of them differ by more than rounding, and the largest difference."""

    cases: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    wrong: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    largest: dict[str, float] = field(default_factory=lambda: defaultdict(float))

    def add(self, comparisons: Iterable[Comparison]) -> list[Comparison]:
        """Count them; those that differ are returned."""
        wrong = []
        for one in comparisons:
            self.cases[one.name] += 1
            self.largest[one.name] = max(self.largest[one.name], one.difference)
            if not one.agrees:
                self.wrong[one.name] += 1
                wrong.append(one)
        return wrong

    def table(self) -> str:
        """The table."""
        wide = max((len(name) for name in self.cases), default=4)
        lines = [f"{'number':<{wide}}{'cases':>10}{'wrong':>10}{'largest difference':>22}"]
        for name, cases in self.cases.items():
            lines.append(f"{name:<{wide}}{cases:>10}{self.wrong[name]:>10}{self.largest[name]:>22.3g}")
        return "\n".join(lines)
