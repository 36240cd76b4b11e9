"""Presentation of a membership study: accuracy against chance, on kinds that were learnt and on new ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Final

import numpy as np

from caos.studies.framework.study import Finding
from caos.studies.presentation.plots import Axis, Bar, BarPlot
from caos.studies.presentation.tables import Estimate, StudyTable, TableColumn

CHANCE: Final = 0.5


@dataclass(frozen=True)
class Answers:
    """How often a method is right, in each of several draws.

    Attributes:
        method: Which one.
        shots: Crops in a set.
        learnt: Accuracy on kinds it learnt from.
        new: Accuracy on kinds it has never seen.
    """

    method: str
    shots: int
    learnt: tuple[float, ...]
    new: tuple[float, ...]


def estimate(values: Sequence[float]) -> Estimate:
    """Mean and 95 % interval of the mean over draws."""
    mean = float(np.mean(values))
    half = 1.96 * float(np.std(values, ddof=1)) / len(values) ** 0.5 if len(values) > 1 else 0.0
    return Estimate(mean, mean - half, mean + half)


def present(found: Sequence[Answers], kinds: Mapping[str, Sequence[str]]) -> Finding:
    """What the study found."""
    columns = (
        TableColumn("method", "method"),
        TableColumn("shots", "crops in the set", "number"),
        TableColumn("learnt", "accuracy, learnt kinds", "percent", better="higher"),
        TableColumn("new", "accuracy, new kinds", "percent", better="higher"),
    )
    rows = tuple((one.method, one.shots, estimate(one.learnt), estimate(one.new)) for one in found)
    chance = ("chance", None, CHANCE, CHANCE)
    note = f"{len(kinds['learnt'])} kinds to learn from, {len(kinds['new'])} new ones. Half of the queries belong."
    bars = []
    for one in found:
        for which, values in (("learnt", one.learnt), ("new", one.new)):
            value = estimate(values)
            name = f"{one.method.split()[0].rstrip(',')} k={one.shots} {which}"
            bars.append(Bar(name, value.value, (value.low, value.high)))
    bars.append(Bar("chance", CHANCE))
    return Finding(
        title="Does this belong to those? Set membership of hazards",
        lead=_lead(found),
        tables=(StudyTable("table", "Accuracy", note, columns, (*rows, chance)),),
        plots=(
            BarPlot(
                "Accuracy",
                "Whether a crop belongs to the kind of k others, for learnt and for new kinds; chance is 50 %.",
                Axis("accuracy, %", 0.0, 1.0, is_percent=True),
                tuple(bars),
            ),
        ),
        details={
            "kinds": {key: list(names) for key, names in kinds.items()},
            "answers": [asdict(one) for one in found],
        },
    )


def _lead(found: Sequence[Answers]) -> str:
    said = []
    for one in found:
        learnt, new = estimate(one.learnt), estimate(one.new)
        above = "above chance" if new.low > CHANCE else "not above chance"
        said.append(
            f"{one.method}, {one.shots} in the set: {100 * learnt.value:.1f} % on kinds it learnt from, "
            f"{100 * new.value:.1f} % on new ones ({above})."
        )
    return " ".join(said)
