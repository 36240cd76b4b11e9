"""Data of the pages: what their scripts read, as plain values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

import numpy as np

from caos.ood_scores.measuring.breakdowns import BreakdownGroup
from caos.ood_scores.measuring.instances import Instances
from caos.ood_scores.measuring.noticing import Noticing
from caos.ood_scores.measuring.open_set import OpenSet
from caos.ood_scores.measuring.protocols import Protocol
from caos.ood_scores.measuring.published import NUMBERS, OPEN_SET, PublishedRow
from caos.ood_scores.measuring.records import HazardRow, ImageRow
from caos.ood_scores.measuring.statistics import holm
from caos.ood_scores.report.alarms import AlarmLevels
from caos.ood_scores.report.crops import Box, crop_window
from caos.ood_scores.report.pictures import DrawnFrame
from caos.ood_scores.report.pixel_words import pixel_words
from caos.ood_scores.report.tables import THRESHOLDS, UNRELIABLE_NOTE, paper_rows, rows_under
from caos.ood_scores.report.telling_frames import FOUND_AT, best_scorer, telling_frames
from caos.ood_scores.results import METRICS, Metric, ResultsContent, ScoreCurve
from caos.scenes.dataset.layout import Dataset
from caos.scenes.labels import VOID, LabelTable

MIDDLE: Final = 128
"""Where the slider starts when no threshold was chosen."""
Json = dict[str, Any]


def alarm_levels(content: ResultsContent) -> dict[str, AlarmLevels]:
    """By scorer: where its hazards count as noticed, and where false alarms are counted."""
    return {s: AlarmLevels.of(_start(content, s), content.levels[s].false_alarms) for s in content.columns}


def page_data(
    content: ResultsContent,
    rows: Sequence[ImageRow],
    dataset: Dataset,
    drawn: Mapping[str, DrawnFrame],
    predicted: LabelTable,
    dataset_facts: Json,
) -> Json:
    """Everything the pages' scripts read."""
    shown, told = [row for row in rows if row.key in drawn], dataset.manifest()
    protocol, levels = content.frame_protocol, alarm_levels(content)
    return {
        "scorers": list(content.columns),
        "titles": scorer_titles(content),
        "base_rate": _rate_of_curves(content),
        "negatives": {"none": "without", "unknown": "unknown"}.get(str(content.negatives), "with"),
        "frame_protocol": protocol,
        "protocols": {one.name: _about(content, one) for one in content.protocols},
        "table": {one: _table(content, one) for one in content.measures},
        "against_best": _against_best(content),
        "published": {
            one: [_published(row) for row in rows_under(content, one)] for one in (*content.measures, OPEN_SET)
        },
        "notes": {scorer.name: scorer.note for scorer in content.scorers if scorer.note},
        "open_set": _open_set(content.open_set),
        "instances": _instances(content.instances),
        "curves": {scorer: _curve(curve) for scorer, curve in content.curves.items()},
        "levels": {s: _level(content, s) | {"alarms": _alarms(s, levels[s], drawn)} for s in content.columns},
        "breakdowns": _breakdowns(content.breakdowns),
        "frames": [
            _frame(row, drawn[row.key], content.columns, protocol) | _sequence(told.get(row.key, {})) for row in shown
        ],
        "telling": [asdict(frame) for frame in telling_frames(content, shown, drawn)],
        "licences": _object_licences(dataset),
        "classes": {"truth": _class_names(dataset.labels), "prediction": _class_names(predicted)},
        "dataset": dataset_facts,
        "noticing": _noticing(content.noticing),
    }


def scorer_titles(content: ResultsContent) -> dict[str, str]:
    """How each scorer is printed: by its title, with the name of the column where two have the same."""
    titles = {scorer.name: scorer.title for scorer in content.scorers}
    again = Counter(titles.values())
    return {name: title if again[title] == 1 else f"{title} ({name})" for name, title in titles.items()}


def _noticing(noticing: Noticing | None) -> Json | None:
    """What the page of approaches shows of each scorer."""
    if noticing is None:
        return None
    return {
        "scorers": {name: {**asdict(by), "rate": by.false_alarms_per_hour} for name, by in noticing.scorers.items()}
    }


def _class_names(table: LabelTable) -> dict[int, str]:
    return {row.class_id: row.name for row in table.classes if row.class_id != VOID}


def _against_best(content: ResultsContent) -> Json:
    """By scorer: how much less its AUROC is than that of the best, and p, adjusted for the number of scorers."""
    best = best_scorer(content)
    pairs = [pair for pair in content.significance if pair.metric == "auroc" and best in (pair.first, pair.second)]
    adjusted = holm(np.array([pair.p_value for pair in pairs])) if pairs else ()
    told = {}
    for pair, p_value in zip(pairs, adjusted, strict=True):
        sign = 1 if pair.first == best else -1
        low, high = sorted((sign * pair.low, sign * pair.high))
        numbers = {"difference": sign * pair.difference, "low": low, "high": high, "p": float(p_value)}
        told[pair.second if pair.first == best else pair.first] = {name: _short(v) for name, v in numbers.items()}
    return told


def _rate_of_curves(content: ResultsContent) -> float:
    """The anomalous share of the pixels that curves count, which leave void out."""
    counted = 1 - (content.dataset.void_share or 0)
    return min(content.dataset.base_rate / counted, 1.0) if counted else 0.0


def _about(content: ResultsContent, protocol: Protocol) -> str:
    return (
        f"{protocol.name}: {protocol.aggregation}, FPR95 at the threshold with recall {protocol.fpr95} 0.95, "
        f"AUPR as {protocol.aupr}. {pixel_words(content, protocol)} {protocol.note[:1].upper()}{protocol.note[1:]}. "
        f"Intervals: 95 % confidence intervals over images. {UNRELIABLE_NOTE}."
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
    told = {"method": row.method, "trained": row.trained, "source": row.source, "negatives": row.negatives}
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


def _interval(metric: Metric) -> dict[str, float | bool]:
    return {"value": metric.value, "low": metric.low, "high": metric.high, "reliable": metric.reliable}


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
    return {
        "start": _start(content, scorer),
        "threshold": [_short(value) for value in levels.threshold],
        "recall": [round(value, 5) for value in levels.recall],
        "false_alarms": [round(value, 5) for value in levels.false_alarms],
    }


def _start(content: ResultsContent, scorer: str) -> int:
    """The code from which on pixels are marked when hazards count as noticed."""
    chosen = {} if content.hazards is None else content.hazards.thresholds.get(scorer, {})
    return chosen[FOUND_AT].code if FOUND_AT in chosen else MIDDLE


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


def _frame(row: ImageRow, drawn: DrawnFrame, scorers: Sequence[str], protocol: str) -> Json:
    """What the pages know of a frame; numbers are lists in the order of the scorers."""
    measures = (row.measures.get(scorer, {}).get(protocol) for scorer in scorers)
    return {
        "key": row.key,
        "town": row.town,
        "weather": row.weather,
        "size": [row.width, row.height],
        "dir": drawn.folder,
        "has": list(drawn.pictures),
        "auroc": [None if measured is None else round(measured.auroc, 4) for measured in measures],
        "false": [round(drawn.alarms[s].share, 5) if s in drawn.alarms else None for s in scorers],
        "hazards": [
            _hazard(h, box, (row.width, row.height), scorers) for h, box in zip(row.hazards, drawn.boxes, strict=True)
        ],
    }


def _sequence(row: Json) -> Json:
    """Where a frame of a sequence stands in it; nothing for a single image."""
    told = row.get("sequence")
    if not isinstance(told, Mapping):
        return {}
    return {"sequence": {name: told[name] for name in ("key", "frame", "time_s", "rate_hz")}}


def _hazard(hazard: HazardRow, box: Box | None, size: tuple[int, int], scorers: Sequence[str]) -> Json:
    facts = hazard.facts
    marked = (hazard.flagged.get(scorer, {}).get(FOUND_AT) for scorer in scorers)
    return {
        "object": facts.object or f"hazard {hazard.instance_id}",
        "is_named": bool(facts.object),
        **{name: getattr(facts, name) for name in ("kind", "category", "source", "placement", "distance_m")},
        "pixels": hazard.pixels,
        "box": box,
        "window": None if box is None else crop_window(box, *size),
        "marked": [None if share is None else round(share, 3) for share in marked],
    }


def _alarms(scorer: str, levels: AlarmLevels, drawn: Mapping[str, DrawnFrame]) -> list[list[float]]:
    """Mean number of false regions per image, by code."""
    regions = [frame.alarms[scorer].regions for frame in drawn.values() if scorer in frame.alarms]
    return [
        [code, round(sum(one[i] for one in regions) / len(regions), 3)]
        for i, code in enumerate(levels.ladder)
        if regions
    ]


def _object_licences(dataset: Dataset) -> dict[str, str]:
    rows = dataset.manifest().values()
    return {
        h["object"]: h["licence"] for row in rows for h in row.get("hazards", ()) if "licence" in h and "object" in h
    }
