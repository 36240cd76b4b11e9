"""Agreement: how far two entries order the scorers alike, with intervals from resampled images."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from caos.foundation.errors import CaosError
from caos.ood_scores.results import METRICS
from caos.studies.presentation.tables import Estimate
from caos.studies.transfer.correlation import kendall, spearman
from caos.studies.transfer.entries import Entry

Float64 = npt.NDArray[np.float64]
FEWEST: Final = 3
"""Scorers that two entries must share: two are always in the same order or in the opposite one."""
MetricName = Literal["fpr95", "auroc", "aupr"]


@dataclass(frozen=True)
class Correlation:
    """A rank correlation; None where one side gives all scorers the same number, or nothing can be resampled."""

    value: float | None
    low: float | None
    high: float | None

    @property
    def estimate(self) -> Estimate | float | None:
        """The same for a table."""
        if self.value is None or self.low is None or self.high is None:
            return self.value
        return Estimate(self.value, self.low, self.high)


@dataclass(frozen=True)
class Agreement:
    """How far one entry orders the scorers like another.

    Attributes:
        protocol: The definition.
        metric: The number that orders the scorers.
        first: Name of the entry that predicts.
        second: Name of the entry that is predicted.
        scorers: How many both have.
        spearman: Rho.
        kendall: Tau-b.
        winner: The best scorer of the first.
        winner_place: Where the second has it, from 1.
        same_images: Whether both measured the same images, which are then resampled together.
    """

    protocol: str
    metric: str
    first: str
    second: str
    scorers: int
    spearman: Correlation
    kendall: Correlation
    winner: str
    winner_place: int
    same_images: bool


def agreements(entries: Sequence[Entry], protocols: Sequence[str], seed: int, draws: int) -> tuple[Agreement, ...]:
    """The agreement of every two entries by every protocol and metric.

    Raises:
        CaosError: If two entries share fewer than three scorers.
    """
    images = {entry.name: entry.images_digest() for entry in entries}
    found = []
    for protocol in protocols:
        drawn = {entry.name: entry.draws(entry.protocols[protocol], seed, draws) for entry in entries}
        for first, second in itertools.permutations(entries, 2):
            for metric in METRICS:
                pair = (drawn[first.name].get(metric, {}), drawn[second.name].get(metric, {}))
                same = images[first.name] == images[second.name]
                found.append(_agreement(first, second, protocol, metric, pair, same_images=same))
    return tuple(found)


def shared_scorers(first: Entry, second: Entry) -> tuple[str, ...]:
    """The scorers that both have.

    Raises:
        CaosError: If there are fewer than three.
    """
    theirs = set(second.results.content.columns)
    shared = tuple(column for column in first.results.content.columns if column in theirs)
    if len(shared) < FEWEST:
        raise CaosError(
            f"{first.name} and {second.name} share {len(shared)} scorers ({', '.join(shared) or 'none'}); "
            f"a rank correlation needs at least {FEWEST}"
        )
    return shared


def _agreement(
    first: Entry,
    second: Entry,
    protocol: str,
    metric: str,
    drawn: tuple[Mapping[str, Float64], Mapping[str, Float64]],
    *,
    same_images: bool,
) -> Agreement:
    shared = shared_scorers(first, second)
    sign = -1.0 if metric == "fpr95" else 1.0  # a lower FPR95 is better
    a, b = (
        sign * np.array([entry.results.value(scorer, metric, protocol) for scorer in shared])
        for entry in (first, second)
    )
    there = all(scorer in one for one in drawn for scorer in shared)
    samples = tuple(np.stack([one[scorer] for scorer in shared], axis=1) for one in drawn) if there else None
    best = int(np.argmax(a))
    return Agreement(
        protocol=protocol,
        metric=metric,
        first=first.name,
        second=second.name,
        scorers=len(shared),
        spearman=_correlation(spearman(a, b), None if samples is None else spearman(*samples)),
        kendall=_correlation(kendall(a, b), None if samples is None else kendall(*samples)),
        winner=shared[best],
        winner_place=1 + int(np.count_nonzero(b > b[best])),
        same_images=same_images,
    )


def _correlation(value: Float64, samples: Float64 | None) -> Correlation:
    if not np.isfinite(value):
        return Correlation(None, None, None)
    defined = np.empty(0) if samples is None else samples[np.isfinite(samples)]
    if not defined.size:
        return Correlation(float(value), None, None)
    low, high = np.quantile(defined, [0.025, 0.975])
    return Correlation(float(value), float(low), float(high))
