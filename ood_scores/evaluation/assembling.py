"""Assembling of results: rows and counts in, the content of ``results.json`` out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, Literal

import numpy as np

from caos.foundation.errors import CaosError
from caos.foundation.storage.provenance import provenance
from caos.ood_scores.evaluation.image_groups import PooledAnswers
from caos.ood_scores.evaluation.judging import Judgement
from caos.ood_scores.evaluation.options import ScoringOptions
from caos.ood_scores.evaluation.void_pixels import leaves_void_out
from caos.ood_scores.measuring.breakdowns import Breakdown, breakdowns, by_class, class_pixels
from caos.ood_scores.measuring.noticing import Noticing
from caos.ood_scores.measuring.open_set import OpenSet, measure_open_set
from caos.ood_scores.measuring.pixel_counts import BASE, PixelCounts, Policy
from caos.ood_scores.measuring.pooled import PooledAnswer
from caos.ood_scores.measuring.protocols import PROTOCOLS, Protocol
from caos.ood_scores.measuring.published import published_for
from caos.ood_scores.measuring.records import ImageRow
from caos.ood_scores.measuring.statistics import (
    jackknife_interval,
    mean_interval,
    paired_tests,
)
from caos.ood_scores.measuring.thresholds import FOUND_SHARE, thresholds_of
from caos.ood_scores.results import (
    CodeLevels,
    Excluded,
    FoundCount,
    HazardsFound,
    Measured,
    Metric,
    MetricName,
    Negatives,
    PixelsMeasured,
    ResultsContent,
    ScoreCurve,
    ScoredSet,
    Significance,
)
from caos.ood_scores.sources.source import Source
from caos.scenes.dataset.layout import Dataset, Split
from caos.segmentation.training.negatives import NegativesUsed

_NAMES: Final[tuple[MetricName, ...]] = ("auroc", "aupr", "fpr95")


def assemble(
    dataset: Dataset,
    source: Source,
    options: ScoringOptions,
    rows: Sequence[ImageRow],
    counts: PixelCounts,
    judgement: Judgement | None,
    noticing: Noticing | None = None,
    pooled: PooledAnswers | None = None,
) -> ResultsContent:
    """What ``results.json`` says of these rows and counts."""
    columns, protocols = source.columns, options.protocols
    return ResultsContent(
        dataset=_dataset(dataset, options.split, rows),
        source=source.describe(),
        scorers=source.records(),
        not_run=source.skipped(),
        protocols=protocols,
        measures={p.name: _measures(p, columns, rows, pooled or {}) for p in protocols},
        excluded=tuple(Excluded(row.key, row.excluded) for row in rows if row.excluded is not None),
        significance=_significance(rows, columns, options.frames.name, options.seed),
        components=None if judgement is None else judgement.components,
        hazards=None if judgement is None else _hazards(rows, columns, judgement),
        breakdowns=breakdowns(rows, columns, options.frames.name)
        | ({} if judgement is None else _classes(dataset, counts)),
        curves={column: _curve(counts, column) for column in columns},
        levels={column: _levels(counts, column, judgement) for column in columns},
        published=published_for(dataset.labels.name),
        open_set=_open_set(dataset, counts),
        instances=None if judgement is None else judgement.instances,
        noticing=noticing,
        cost=_cost(rows),
        provenance=provenance({"split": options.split, "scorers": list(columns)}, options.seed),
        negatives=source.negatives(),
        learnt_kinds=_learnt_kinds(source.negatives(), rows),
        pixels={p.name: pixels_measured(p, columns, rows) for p in protocols},
        frame_protocol=options.frames.name,
    )


def with_flagged(rows: Sequence[ImageRow], judgement: Judgement | None) -> list[ImageRow]:
    """The rows, with the flagged shares of each hazard where they were judged."""
    if judgement is None:
        return list(rows)
    return [
        replace(row, hazards=tuple(replace(h, flagged=judgement.shares[row.key][h.instance_id]) for h in row.hazards))
        for row in rows
    ]


def _dataset(dataset: Dataset, split: Split, rows: Sequence[ImageRow]) -> ScoredSet:
    anomalous = sum(row.anomalous for row in rows)
    pixels = anomalous + sum(row.ordinary for row in rows)
    labels = dataset.labels
    return ScoredSet(
        root=str(dataset.root),
        name=dataset.name,
        labels=labels.used,
        split=split,
        images=len(rows),
        hazards=sum(len(row.hazards) for row in rows),
        base_rate=anomalous / pixels,
        void_share=sum(row.left_out[BASE.name] for row in rows) / pixels,
        leaves_void_out=leaves_void_out(dataset, split),
    )


def pixels_measured(protocol: Protocol, columns: Sequence[str], rows: Sequence[ImageRow]) -> PixelsMeasured:
    """Which pixels of its images a protocol counts, and the AUPR of random scores on them."""
    policy, first = Policy.of(protocol).name, columns[0]
    measured = [row for row in rows if protocol.is_pooled or protocol.name in row.measures[first]]
    pixels = np.array([row.anomalous + row.ordinary for row in measured], np.int64)
    anomalous = np.array([row.anomalous for row in measured], np.int64)
    left_out = np.array([row.left_out[policy] for row in measured], np.int64)
    counted = pixels - left_out
    rate = anomalous.sum() / counted.sum() if protocol.is_pooled else (anomalous / counted).mean()
    void = sum(row.left_out[BASE.name] for row in measured)
    return PixelsMeasured(int(pixels.sum()), int(anomalous.sum()), int(left_out.sum()), void, float(rate))


def _learnt_kinds(negatives: Negatives, rows: Sequence[ImageRow]) -> tuple[str, ...]:
    """Kinds of hazard in the images that the network was trained with."""
    learnt = negatives.kinds if isinstance(negatives, NegativesUsed) else ()
    shown = {hazard.facts.kind for row in rows for hazard in row.hazards}
    return tuple(kind for kind in learnt if kind in shown)


def _measures(
    protocol: Protocol, columns: Sequence[str], rows: Sequence[ImageRow], pooled: PooledAnswers
) -> dict[str, Measured]:
    """The numbers of each column by one protocol."""
    if protocol.is_pooled:
        return {column: _pooled(pooled[column, protocol.name], len(rows)) for column in columns}
    return {column: _measured(protocol, column, rows) for column in columns}


def _measured(protocol: Protocol, column: str, rows: Sequence[ImageRow]) -> Measured:
    found = [row.measures[column][protocol.name] for row in rows if protocol.name in row.measures[column]]
    if not found:
        raise CaosError(f"no image has both anomalous and ordinary pixels: protocol {protocol.name!r} measures nothing")

    def metric(name: MetricName) -> Metric:
        values = np.array([getattr(one, name) for one in found], np.float64)
        interval = mean_interval(values)
        return Metric(float(values.mean()), interval.low, interval.high, interval.reliable)

    return Measured(metric("auroc"), metric("aupr"), metric("fpr95"), len(found), len(rows) - len(found))


def _pooled(answer: PooledAnswer, images: int) -> Measured:
    def metric(name: MetricName) -> Metric:
        value: float = getattr(answer.measures, name)
        interval = jackknife_interval(value, answer.without[name])
        low, high = min(interval.low, value), max(interval.high, value)
        return Metric(value, low, high, interval.reliable)

    return Measured(metric("auroc"), metric("aupr"), metric("fpr95"), images, 0)


def _significance(
    rows: Sequence[ImageRow], columns: Sequence[str], protocol: str, seed: int
) -> tuple[Significance, ...]:
    """Every pair of scorers, better mean first, on the images that the protocol of single images can measure."""
    measured = [row for row in rows if row.excluded is None]
    tests: list[Significance] = []
    for metric in _NAMES if measured else ():
        values = {c: np.array([getattr(row.measures[c][protocol], metric) for row in measured]) for c in columns}
        sign: Literal[1, -1] = 1 if metric == "fpr95" else -1
        best_first = sorted(columns, key=lambda c, v=values, s=sign: v[c].mean() * s)  # type: ignore[misc]
        for test in paired_tests({c: values[c] for c in best_first}, np.random.default_rng([seed, 3])):
            tests.append(
                Significance(
                    metric=metric,
                    first=test.first,
                    second=test.second,
                    difference=test.difference,
                    low=test.interval.low,
                    high=test.interval.high,
                    p_value=test.p_value,
                    p_adjusted=test.p_adjusted,
                    images=test.images,
                )
            )
    return tuple(tests)


def _hazards(rows: Sequence[ImageRow], columns: Sequence[str], judgement: Judgement) -> HazardsFound:
    hazards = [hazard for row in rows for hazard in row.hazards]

    def found(column: str, name: str) -> FoundCount:
        return FoundCount(sum(hazard.flagged[column][name] >= FOUND_SHARE for hazard in hazards), len(hazards))

    return HazardsFound(
        definition=f"found when at least {FOUND_SHARE:.0%} of a hazard's pixels are flagged",
        thresholds={column: judgement.chosen[column] for column in columns},
        found={column: {name: found(column, name) for name in judgement.chosen[column]} for column in columns},
    )


def _classes(dataset: Dataset, counts: PixelCounts) -> dict[str, Breakdown]:
    names = [row.name for row in dataset.labels.trained]
    return {"ordinary class": by_class({column: class_pixels(counts, column) for column in counts.stores}, names)}


def _open_set(dataset: Dataset, counts: PixelCounts) -> OpenSet | None:
    if counts.open_set is None:
        return None
    names = [row.name for row in dataset.labels.trained]
    return measure_open_set(counts.open_set, names, PROTOCOLS["densehybrid"].ignores_classes)


def _curve(counts: PixelCounts, column: str) -> ScoreCurve:
    """Points of the pooled curves: the levels of the column, exactly measured, from the highest down to all pixels."""
    true, false = counts.flagged(column)
    levels = counts.calibrations[column].levels
    index = np.arange(len(levels), -1, -1)
    lowest = float(np.finfo(np.float32).min)
    scores = [level.score for level in thresholds_of(counts, column)]
    flagged = (true + false)[index]
    precision = np.divide(true[index], flagged, out=np.ones(index.size), where=flagged > 0)
    shares = (true[index] / max(true[0], 1), false[index] / max(false[0], 1), precision)
    return ScoreCurve((*scores[::-1], lowest), *(tuple(share.tolist()) for share in shares))


def _levels(counts: PixelCounts, column: str, judgement: Judgement | None) -> CodeLevels:
    levels = thresholds_of(counts, column) if judgement is None else judgement.levels[column]
    return CodeLevels(
        threshold=tuple(level.score for level in levels),
        recall=tuple(level.recall for level in levels),
        false_alarms=tuple(level.false_alarms for level in levels),
    )


def _cost(rows: Sequence[ImageRow]) -> dict[str, float]:
    names = {name for row in rows for name in row.seconds}
    return {name: float(np.mean([row.seconds.get(name, 0.0) for row in rows])) for name in sorted(names)}
