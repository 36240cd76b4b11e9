"""Data of the pages: what their scripts read, as plain values."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from caos.ood_scores.measuring.breakdowns import BreakdownGroup
from caos.ood_scores.measuring.instances import Instances
from caos.ood_scores.measuring.open_set import OpenSet
from caos.ood_scores.measuring.protocols import Protocol
from caos.ood_scores.measuring.published import NUMBERS, OPEN_SET, PublishedRow
from caos.ood_scores.measuring.records import HazardRow, ImageRow
from caos.ood_scores.measuring.thresholds import FOUND_SHARE
from caos.ood_scores.report.pictures import DrawnFrame
from caos.ood_scores.report.tables import THRESHOLDS, paper_rows, rows_under
from caos.ood_scores.results import METRICS, Metric, ResultsContent, ScoreCurve
from caos.scenes.layout import Dataset
from caos.scenes.overview import describe

FOUND_AT: Final = "false_alarms_1"
"""The threshold at which the pages say that a hazard was found: at most one false alarm in a hundred pixels."""
SHARES_FROM: Final = 300
MIDDLE: Final = 128
"""Where the slider starts when no threshold was chosen."""
Json = dict[str, Any]


def page_data(
    content: ResultsContent, rows: Sequence[ImageRow], dataset: Dataset, drawn: Mapping[str, DrawnFrame]
) -> Json:
    """Everything the pages' scripts read."""
    return {
        "scorers": list(content.columns),
        "base_rate": content.dataset.base_rate,
        "protocols": {protocol.name: _about(protocol) for protocol in content.protocols},
        "table": {protocol: _table(content, protocol) for protocol in content.measures},
        "published": {
            protocol: [_published(row) for row in rows_under(content, protocol)]
            for protocol in (*content.measures, OPEN_SET)
        },
        "notes": {scorer.name: scorer.note for scorer in content.scorers if scorer.note},
        "open_set": _open_set(content.open_set),
        "instances": _instances(content.instances),
        "curves": {scorer: _curve(curve) for scorer, curve in content.curves.items()},
        "levels": {scorer: _level(content, scorer) for scorer in content.columns},
        "breakdowns": _breakdowns(content.breakdowns),
        "frames": [_frame(row, drawn[row.key], content.columns) for row in rows if row.key in drawn],
        "hazards": _hazard_cards(rows, dataset),
        "dataset": _dataset(dataset),
    }


def _about(protocol: Protocol) -> str:
    return (
        f"{protocol.name}: {protocol.aggregation}, FPR95 at the threshold with recall {protocol.fpr95} 0.95, "
        f"AUPR as {protocol.aupr}, left out: {protocol.ignored}. {protocol.note}. "
        "Intervals: 95 % bootstrap over images."
    )


def _table(content: ResultsContent, protocol: str) -> list[Json]:
    theirs = paper_rows(content, protocol)
    return [
        {
            "scorer": scorer,
            **{metric: _interval(measured.metric(metric)) for metric in METRICS},
            "paper": _published(theirs[scorer]) if scorer in theirs else None,
        }
        for scorer, measured in content.measures[protocol].items()
    ]


def _published(row: PublishedRow) -> Json:
    numbers = {name: getattr(row, name) for name in NUMBERS}
    told = {"method": row.method, "trained": row.trained, "source": row.source}
    return told | {name: None if value is None else 100 * value for name, value in numbers.items()}


def _open_set(open_set: OpenSet | None) -> Json | None:
    """The rows of the open-set table, and what stands above it."""
    if open_set is None:
        return None
    rows = [
        {"scorer": scorer, **{rule: asdict(numbers) for rule, numbers in found.items()}}
        for scorer, found in open_set.scorers.items()
    ]
    about = (
        f"Closed-mIoU {100 * open_set.closed_miou:.1f} over {len(open_set.classes)} classes. Open-mIoU: "
        f"{open_set.definition}. Thresholds come from {open_set.thresholds_from}."
    )
    return {"rows": rows, "about": about, "rules": THRESHOLDS}


def _instances(instances: Instances | None) -> Json | None:
    if instances is None:
        return None
    rows = [{"scorer": scorer, **asdict(numbers)} for scorer, numbers in instances.scorers.items()]
    return {"rows": rows, "about": instances.definition}


def _interval(metric: Metric) -> dict[str, float]:
    return {"value": metric.value, "low": metric.low, "high": metric.high}


def _curve(curve: ScoreCurve) -> dict[str, list[list[float]]]:
    def points(x: Sequence[float], y: Sequence[float]) -> list[list[float]]:
        return [[_short(a), _short(b)] for a, b in zip(x, y, strict=True)]

    return {"roc": points(curve.false_alarms, curve.recall), "pr": points(curve.recall, curve.precision)}


def _short(value: float) -> float:
    """Four digits, however small the number."""
    return float(f"{value:.4g}")


def _level(content: ResultsContent, scorer: str) -> Json:
    """Where the slider starts, and what each of its places means on the whole set."""
    levels = content.levels[scorer]
    chosen = {} if content.hazards is None else content.hazards.thresholds.get(scorer, {})
    return {
        "start": chosen[FOUND_AT].code if FOUND_AT in chosen else MIDDLE,
        "recall": [round(value, 5) for value in levels.recall],
        "false_alarms": [round(value, 5) for value in levels.false_alarms],
    }


def _breakdowns(breakdowns: Mapping[str, Mapping[str, BreakdownGroup]]) -> dict[str, list[Json]]:
    """Mean AUROC of each group, groups in natural order."""

    def row(name: str, group: BreakdownGroup) -> Json:
        values = {scorer: numbers.get("auroc") for scorer, numbers in group.scorers.items() if numbers}
        return {"group": name, "n": group.count, "values": values}

    return {by: [row(*item) for item in sorted(groups.items(), key=_natural)] for by, groups in breakdowns.items()}


def _natural(item: tuple[str, Any]) -> tuple[float, str]:
    digits = "".join(c if c.isdecimal() and c.isascii() else " " for c in item[0]).split()
    over = 0.5 if item[0].startswith("over") else 0.0
    return (float(digits[0]) + over if digits and item[0][0] in "0123456789o" else 0.0, item[0])


def _frame(row: ImageRow, drawn: DrawnFrame, scorers: Sequence[str]) -> Json:
    """What the gallery knows of a frame."""
    caos = {scorer: row.measures.get(scorer, {}).get("caos") for scorer in scorers}
    return {
        "key": row.key,
        "town": row.town,
        "weather": row.weather,
        "width": row.width,
        "height": row.height,
        "auroc": {scorer: None if measured is None else measured.auroc for scorer, measured in caos.items()},
        "hazards": [_hazard(hazard) for hazard in row.hazards],
        **drawn.files,
        "maps": dict(drawn.maps),
    }


def _hazard(hazard: HazardRow) -> Json:
    facts = hazard.facts
    return {
        "object": facts.object or f"hazard {hazard.instance_id}",
        "category": facts.category,
        "distance_m": facts.distance_m,
        "pixels": hazard.pixels,
        "box": facts.box,
    }


def _hazard_cards(rows: Sequence[ImageRow], dataset: Dataset) -> list[Json]:
    """One card for each object: where it was seen, and how often each scorer found it."""
    licences = {
        h["object"]: h["licence"] for row in dataset.manifest().values() for h in row["hazards"] if "licence" in h
    }
    cards: dict[str, Json] = {}
    for row in rows:
        for hazard in row.hazards:
            facts = hazard.facts
            if facts.object is None:
                continue
            first = {name: getattr(facts, name) or "unknown" for name in ("object", "kind", "category", "source")}
            first["licence"] = licences.get(facts.object, "unknown")
            card = cards.setdefault(facts.object, {**first, "seen": [], "found": {}})
            card["seen"].append(row.key)
            for scorer, flagged in hazard.flagged.items():
                found = flagged.get(FOUND_AT, 0.0) >= FOUND_SHARE
                card["found"][scorer] = card["found"].get(scorer, 0) + int(found)
    return [cards[name] for name in sorted(cards)]


def _dataset(dataset: Dataset) -> Json:
    tables = describe(dataset, SHARES_FROM)
    counts = {"Images": tables.counts, "Towns": tables.towns, "Weather": tables.weather}
    counts |= {"Hazards by category": tables.categories, "Hazards by placement": tables.placements}
    sources: dict[tuple[str, str], set[str]] = defaultdict(set)
    for row in dataset.manifest().values():
        for hazard in row["hazards"]:
            if "licence" in hazard:
                sources[hazard["source"], hazard["licence"]].add(hazard["object"])
    return {
        "counts": {name: dict(Counter(table)) for name, table in counts.items() if table},
        "shares": tables.shares,
        "provenance": dict(dataset.info.get("provenance", {})) or "This set does not say how it was made.",
        "licences": [
            {"source": source, "licence": licence, "objects": len(objects)}
            for (source, licence), objects in sorted(sources.items())
        ],
        "sheet": "contact_sheet.png",
    }
