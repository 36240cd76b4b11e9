"""Presentation of a transfer study: what it found in words, its tables, and the data of its page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, Final

from caos.ood_scores.report.pixel_words import pixel_words
from caos.ood_scores.results import METRICS
from caos.studies.framework.study import Finding
from caos.studies.presentation.tables import Better, Cell, Estimate, StudyTable, TableColumn
from caos.studies.transfer.agreement import Agreement
from caos.studies.transfer.entries import Entry

TITLE: Final = "What one set says about another"
TITLES: Final = {"auroc": "AUROC", "aupr": "AP", "fpr95": "FPR95"}
BETTER: Final[Mapping[str, Better]] = {"auroc": "higher", "aupr": "higher", "fpr95": "lower"}
MOST_TOLD: Final = 4
NOTE: Final = (
    "In brackets: 95 % interval over resampled images of each set. Resampling shuffles scorers that are close to "
    "each other, so an interval can lie below its value; it says how sure the order is with so few images."
)
CORRELATION_COLUMNS: Final = (
    TableColumn("protocol", "protocol"),
    TableColumn("metric", "metric"),
    TableColumn("first", "the order of"),
    TableColumn("second", "predicts that of"),
    TableColumn("spearman", "Spearman", "number", 2, "higher"),
    TableColumn("kendall", "Kendall", "number", 2, "higher"),
    TableColumn("scorers", "scorers", "number"),
    TableColumn("winner", "its best"),
    TableColumn("winner_place", "is there number", "number"),
)


def present(entries: Sequence[Entry], found: Sequence[Agreement], protocols: Sequence[str]) -> Finding:
    """What the study found."""
    wide = [_wide_table(entries, protocol, metric) for protocol in protocols for metric in ("auroc", "aupr", "fpr95")]
    titles = _titles(entries)
    return Finding(
        title=TITLE,
        lead=_lead(found, protocols[0], titles),
        tables=(_long_table(entries, protocols), *_correlations(found, titles), *wide),
        details=_details(entries, found, protocols),
        script="transfer.js",
    )


def _lead(found: Sequence[Agreement], protocol: str, titles: Mapping[str, str]) -> str:
    """The answer for AUROC by the first definition, in words: the first entry on each other one."""
    first = found[0].first
    chosen = [a for a in found if a.first == first and (a.protocol, a.metric) == (protocol, "auroc")]
    more = [f"{len(chosen) - MOST_TOLD} more below."] if len(chosen) > MOST_TOLD else []
    about = f"The order of scorers of {first} (AUROC, {protocol}) correlates"
    return " ".join([about, "; ".join(_clause(agreement, titles) for agreement in chosen[:MOST_TOLD]) + ".", *more])


def _clause(agreement: Agreement, titles: Mapping[str, str]) -> str:
    rho, place = agreement.spearman, agreement.winner_place
    if rho.value is None:
        return f"with nothing of {agreement.second}, where all scorers are alike"
    interval = "" if rho.low is None or rho.high is None else f" [{rho.low:.2f}, {rho.high:.2f}]"
    where = "the best there too" if place == 1 else f"number {place} of {agreement.scorers} there"
    return (
        f"with that of {agreement.second} at {rho.value:.2f}{interval} (Spearman), and its best, "
        f"{titles[agreement.winner]}, is {where}"
    )


def _titles(entries: Sequence[Entry]) -> dict[str, str]:
    """How each scorer is printed, those that more entries have first."""
    titles = {record.name: record.title for entry in entries for record in entry.results.content.scorers}
    has = {name: sum(name in entry.results.content.columns for entry in entries) for name in titles}
    return dict(sorted(titles.items(), key=lambda item: -has[item[0]]))


def _estimate(entry: Entry, scorer: str, metric: str, protocol: str) -> Estimate | None:
    if scorer not in entry.results.content.columns:
        return None
    number = entry.results.measured(scorer, protocol).metric(metric)
    return Estimate(number.value, number.low, number.high)


def _long_table(entries: Sequence[Entry], protocols: Sequence[str]) -> StudyTable:
    columns = (
        *(TableColumn(key, key) for key in ("run", "set", "scorer", "protocol", "definition")),
        *(TableColumn(metric, TITLES[metric], "percent", better=BETTER[metric]) for metric in METRICS),
    )
    rows = tuple(
        (
            *(entry.run, entry.set, scorer, protocol, entry.protocols[protocol].aggregation),
            *(_estimate(entry, scorer, metric, protocol) for metric in METRICS),
        )
        for entry in entries
        for protocol in protocols
        for scorer in entry.results.content.columns
    )
    return StudyTable("table", "Every number", "", columns, rows, shown_in=("csv",))


def _wide_table(entries: Sequence[Entry], protocol: str, metric: str) -> StudyTable:
    aggregations = dict.fromkeys(entry.protocols[protocol].aggregation for entry in entries)
    columns = [TableColumn(entry.name, entry.name, "percent", better=BETTER[metric]) for entry in entries]
    names = sorted(_titles(entries).items(), key=lambda item: _order(entries, item[0], metric, protocol))
    rows = tuple((title, *(_estimate(entry, name, metric, protocol) for entry in entries)) for name, title in names)
    return StudyTable(
        f"{protocol}_{metric}",
        f"{TITLES[metric]}, {protocol} ({' or '.join(aggregations)})",
        " ".join(f"{e.name}: {pixel_words(e.results.content, e.protocols[protocol])}" for e in entries),
        (TableColumn("scorer", "scorer"), *columns),
        rows,
        shown_in=("markdown",),
    )


def _order(entries: Sequence[Entry], scorer: str, metric: str, protocol: str) -> float:
    """Where a scorer stands in the first entry that has it, best first."""
    there = next(entry for entry in entries if scorer in entry.results.content.columns)
    value = there.results.value(scorer, metric, protocol)
    return value if metric == "fpr95" else -value


def _correlations(found: Sequence[Agreement], titles: Mapping[str, str]) -> tuple[StudyTable, StudyTable]:
    """Both directions for programs; for people each two entries once: only the winners depend on the direction."""
    both = StudyTable("correlations", "Rank correlations", "", CORRELATION_COLUMNS, _rows(found, titles), ("csv",))
    once: dict[tuple[str, str, frozenset[str]], Agreement] = {}
    for agreement in found:
        once.setdefault(
            (agreement.protocol, agreement.metric, frozenset((agreement.first, agreement.second))), agreement
        )
    names = list(TITLES)
    ordered = sorted(once.values(), key=lambda agreement: (agreement.protocol, names.index(agreement.metric)))
    return both, replace(both, note=NOTE, rows=_rows(ordered, titles), shown_in=("markdown",))


def _rows(found: Iterable[Agreement], titles: Mapping[str, str]) -> tuple[tuple[Cell, ...], ...]:
    return tuple(
        (
            *(a.protocol, TITLES[a.metric], a.first, a.second, a.spearman.estimate, a.kendall.estimate),
            *(a.scorers, titles[a.winner], a.winner_place),
        )
        for a in found
    )


def _details(entries: Sequence[Entry], found: Sequence[Agreement], protocols: Sequence[str]) -> dict[str, Any]:
    titles = _titles(entries)

    def numbers(entry: Entry, protocol: str, metric: str) -> dict[str, list[float]]:
        estimates = {scorer: _estimate(entry, scorer, metric, protocol) for scorer in titles}
        return {scorer: [e.value, e.low, e.high] for scorer, e in estimates.items() if e is not None}

    return {
        "note": NOTE,
        "titles": titles,
        "metrics": {metric: {"title": TITLES[metric], "better": BETTER[metric]} for metric in TITLES},
        "entries": [_entry(entry, protocols) for entry in entries],
        "numbers": {
            protocol: {m: {entry.name: numbers(entry, protocol, m) for entry in entries} for m in METRICS}
            for protocol in protocols
        },
        "agreements": [asdict(agreement) for agreement in found],
    }


def _entry(entry: Entry, protocols: Sequence[str]) -> dict[str, Any]:
    content = entry.results.content
    return {
        "name": entry.name,
        "run": entry.run,
        "set": entry.set,
        "images": content.dataset.images,
        "hazards": content.dataset.hazards,
        "not_run": dict(content.not_run),
        "definitions": {name: entry.protocols[name].aggregation for name in protocols},
    }
