"""Tables of results as text: CSV for programs, Markdown for people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from caos.foundation.storage.csv_text import csv_text
from caos.ood_scores.measuring.open_set import RULES, OpenSet
from caos.ood_scores.measuring.protocols import Protocol
from caos.ood_scores.measuring.published import NUMBERS, OPEN_SET, PublishedRow
from caos.ood_scores.measuring.statistics import FEWEST_IMAGES
from caos.ood_scores.report.noticing_table import noticing_table
from caos.ood_scores.report.pixel_words import pixel_words
from caos.ood_scores.results import METRICS, Metric, ResultsContent

THRESHOLDS: Final = dict(
    zip(RULES, ("95 % recall", "95 % recall at a corner", "best F1", "5 % false alarms"), strict=True)
)
HEADS: Final = dict(zip(NUMBERS, ("FPR95", "AUROC", "AUPR", "open-mIoU", "anomaly IoU"), strict=True))
UNRELIABLE: Final = "†"
UNRELIABLE_NOTE: Final = f"{UNRELIABLE} fewer than {FEWEST_IMAGES} images, or equal values: do not rely on the interval"
FEW_KINDS: Final = 6
"""So many kinds are named in a line; all are in results.json."""


def as_csv(content: ResultsContent) -> str:
    """One line for each protocol, scorer and metric."""
    head = ["protocol", "scorer", "metric", "value", "low", "high", "images", "excluded", "negatives"]
    rows: list[Sequence[object]] = [head]
    for protocol, scorers in content.measures.items():
        for scorer, measured in scorers.items():
            for name in METRICS:
                metric = measured.metric(name)
                numbers = [f"{value:.8g}" for value in (metric.value, metric.low, metric.high)]
                rows.append([protocol, scorer, name, *numbers, measured.images, measured.excluded, content.negatives])
    return csv_text(rows)


def markdown(content: ResultsContent, *, published: bool = False) -> str:
    """One table for each protocol, best AUROC first, percent, and one by part of the set.

    Published numbers stand in their own columns.

    Args:
        content: The results.
        published: Also list, below each table, what others published by the same protocol.
    """
    data = content.dataset
    lines = [
        f"# {data.name}, split {data.split}: {data.images} images, {data.hazards} hazards",
        "",
        "Percent. FPR95: lower is better; AUROC, AUPR: higher. In brackets: 95 % confidence interval over images.",
        "",
        negatives_line(content),
    ]
    for protocol in content.protocols:
        lines += ["", *_protocol_table(content, protocol)]
        if published:
            lines += published_table(rows_under(content, protocol.name))
    if content.open_set is not None:
        lines += ["", *_open_set_table(content, content.open_set)]
        if published:
            lines += published_table(rows_under(content, OPEN_SET))
    lines += _instance_table(content) + _part_table(content)
    lines += noticing_table(content.noticing, {scorer.name: scorer.title for scorer in content.scorers})
    lines += _notes(content)
    return "\n".join(lines) + "\n"


def negatives_line(content: ResultsContent) -> str:
    """Whether the network was trained with negatives, and if so whether it was tested with what it learnt, in words."""
    if content.negatives == "none":
        return "Trained without negatives."
    if content.negatives == "unknown":
        return "It is not known whether the network was trained with negatives."
    said = f"Trained with negatives ({content.negatives})."
    if not content.learnt_kinds:
        return said
    kinds = [kind.replace("_", " ") for kind in content.learnt_kinds]
    rest = f" and {len(kinds) - FEW_KINDS} more" if len(kinds) > FEW_KINDS else ""
    count = f"{len(kinds)} of the kinds" if len(kinds) > 1 else "one kind"
    return f"{said} It has learnt {count} measured here: {', '.join(kinds[:FEW_KINDS])}{rest}."


def rows_under(content: ResultsContent, protocol: str) -> tuple[PublishedRow, ...]:
    """What others published for the set of these results by this protocol."""
    return tuple(row for row in content.published if row.protocol == protocol)


def paper_rows(content: ResultsContent, protocol: str) -> dict[str, PublishedRow]:
    """Of those, the first of each of our scorers."""
    found: dict[str, PublishedRow] = {}
    for row in rows_under(content, protocol):
        if row.scorer is not None:
            found.setdefault(row.scorer, row)
    return {scorer: row for scorer, row in found.items() if scorer in content.columns}


def published_table(rows: Sequence[PublishedRow]) -> list[str]:
    """What others published, one line a method; nothing where there are no rows."""
    shown = [name for name in NUMBERS if any(getattr(row, name) is not None for row in rows)]
    if not rows:
        return []
    names = ["published", "trained", *(HEADS[name] for name in shown), "source"]
    lines = ["", f"| {' | '.join(names)} |", "|---|---" + "|---:" * len(shown) + "|---|"]
    for row in rows:
        numbers = [_percent(getattr(row, name)) for name in shown]
        lines.append("| " + " | ".join([row.method, row.trained, *numbers, row.source]) + " |")
    return lines


def _head(names: Iterable[str]) -> list[str]:
    columns = list(names)
    return ["| " + " | ".join(columns) + " |", "|---" + "|---:" * (len(columns) - 1) + "|"]


def _percent(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.1f}"


def _protocol_table(content: ResultsContent, protocol: Protocol) -> list[str]:
    measured = content.measures[protocol.name]
    theirs = paper_rows(content, protocol.name)
    head = ["scorer", "FPR95", "AUROC", "AUPR"]
    if theirs:
        of = next(iter(theirs.values())).set
        head += [f"{metric}, paper, {of}*" for metric in ("FPR95", "AUROC", "AUPR")]
    titles = {scorer.name: scorer.title for scorer in content.scorers}
    lines = [
        f"## {protocol.name}",
        "",
        f"FPR95 at recall {protocol.fpr95} 0.95; AUPR as {protocol.aupr}; {protocol.aggregation}. "
        + pixel_words(content, protocol),
        "",
        *_head(head),
    ]
    for scorer in sorted(measured, key=lambda s: -measured[s].auroc.value):
        cells = [_cell(measured[scorer].metric(metric)) for metric in METRICS]
        if theirs:
            cells += [_percent(getattr(theirs[scorer], m)) if scorer in theirs else "" for m in METRICS]
        lines.append(f"| {titles[scorer]} | " + " | ".join(cells) + " |")
    return lines


def _open_set_table(content: ResultsContent, open_set: OpenSet) -> list[str]:
    """Open-mIoU and the anomaly's IoU at each threshold, best open-mIoU first."""
    titles = {scorer.name: scorer.title for scorer in content.scorers}
    head = [f"{name} at {words}" for words in THRESHOLDS.values() for name in ("open-mIoU", "anomaly IoU")]
    lines = [
        "## open set",
        "",
        f"Closed-mIoU {_percent(open_set.closed_miou)}, over {len(open_set.classes)} classes. Flagged pixels count as "
        f"anomalies; thresholds come from {open_set.thresholds_from}. DenseHybrid's paper "
        "defines that at 95 % recall; its code takes a corner of the ROC curve there.",
        "",
        *_head(["scorer", *head]),
    ]
    for scorer, found in sorted(open_set.scorers.items(), key=lambda item: -item[1][RULES[0]].open_miou):
        cells: list[str] = []
        for rule in RULES:
            numbers = found[rule]
            cells.append(_bounded(numbers.open_miou, numbers.open_miou_error))
            cells.append(_bounded(numbers.anomaly_iou, numbers.anomaly_iou_error))
        lines.append(f"| {titles[scorer]} | " + " | ".join(cells) + " |")
    return lines


def _part_table(content: ResultsContent) -> list[str]:
    """Each scorer on each part of the set beside the others; empty for a set of one part."""
    parts = content.breakdowns.get("part", {})
    if len(parts) < 2:
        return []
    titles = {scorer.name: scorer.title for scorer in content.scorers}
    head = ["scorer", *(f"{name} ({group.count})" for name, group in parts.items())]
    lines = [
        "",
        "## By part of the set",
        "",
        f"AUROC / FPR95 by the protocol {content.frame_protocol}; in brackets: images measured.",
        "",
        *_head(head),
    ]
    for scorer in content.columns:
        cells = [_part_cell(group.scorers.get(scorer, {})) for group in parts.values()]
        lines.append(f"| {titles[scorer]} | " + " | ".join(cells) + " |")
    return lines


def _part_cell(numbers: Mapping[str, float]) -> str:
    return f"{100 * numbers['auroc']:.1f} / {100 * numbers['fpr95']:.1f}" if numbers else ""


def _instance_table(content: ResultsContent) -> list[str]:
    if content.instances is None:
        return []
    titles = {scorer.name: scorer.title for scorer in content.scorers}
    found = sorted(content.instances.scorers.items(), key=lambda item: -(item[1].ap or 0))
    lines = [
        "",
        "## instances",
        "",
        f"{content.instances.definition}.",
        "",
        *_head(["scorer", "AP", "AP50", "regions"]),
    ]
    for scorer, numbers in found:
        lines.append(f"| {titles[scorer]} | {_percent(numbers.ap)} | {_percent(numbers.ap50)} | {numbers.regions} |")
    return lines


def _cell(metric: Metric) -> str:
    mark = "" if metric.reliable else UNRELIABLE
    return f"{100 * metric.value:.1f} [{100 * metric.low:.1f}, {100 * metric.high:.1f}]{mark}"


def _bounded(value: float, error: float) -> str:
    return _percent(value) + (_error(error) if error >= 5e-4 else "")


def _error(share: float) -> str:
    percent = 100 * share
    return f" ±{percent:.0f}" if percent >= 1 else f" ±{percent:.1g}"


def has_unreliable(content: ResultsContent) -> bool:
    """Whether any interval of the tables is marked."""
    measured = [one for scorers in content.measures.values() for one in scorers.values()]
    return not all(one.metric(name).reliable for one in measured for name in METRICS)


def _notes(content: ResultsContent) -> list[str]:
    lines = [""]
    beside = [row for protocol in content.measures for row in paper_rows(content, protocol).values()]
    if beside:
        sources = "; ".join(dict.fromkeys(row.source for row in beside))
        lines.append(
            f"\\* Of {sources}, measured on the released {beside[0].set}: another set, another network. "
            "Compare the order, not the digits."
        )
    if has_unreliable(content):
        lines.append(f"\n{UNRELIABLE_NOTE}.")
    for scorer in content.scorers:
        if scorer.note:
            lines.append(f"\n{scorer.title}: {scorer.note}.")
    for name, reason in content.not_run.items():
        lines.append(f"\nNot run: {name} ({reason}).")
    return lines
