"""Tables of results on a terminal: they fit its width and colour the best; where output goes to a file, Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from caos.ood_scores.measuring.protocols import Protocol
from caos.ood_scores.report.noticing_table import noticing_table
from caos.ood_scores.report.pixel_words import pixel_words
from caos.ood_scores.report.tables import (
    UNRELIABLE,
    UNRELIABLE_NOTE,
    has_unreliable,
    negatives_line,
    paper_rows,
)
from caos.ood_scores.report.telling_frames import FOUND_AT
from caos.ood_scores.results import METRICS, Metric, Results

HEADS: Final = {"fpr95": "FPR95 ↓", "auroc": "AUROC ↑", "aupr": "AUPR ↑"}
WITH_INTERVALS: Final = 90
WITH_PAPER: Final = 112
"""Columns from which on a terminal has room for this."""
BEST: Final = "bold green"
MOST_REASONS: Final = 3
"""For leaving scorers out that are told one by one."""


def show_results(
    results: Results, *, published: bool = False, has_pages: bool = False, console: Console | None = None
) -> None:
    """Print the tables of a scoring run, then in one place what came out and what to do next.

    Args:
        results: What to print.
        published: Whether the rows that others published are asked for; they are printed as Markdown.
        has_pages: Whether its pages are built, so that they are not what to do next.
        console: Where to; None for standard output.
    """
    console = console or Console(highlight=False)
    if not console.is_terminal or published:
        console.file.write(results.markdown(published=published))
        return
    for protocol in results.content.protocols:
        console.print(_table(results, protocol, console.width))
    titles = {scorer.name: scorer.title for scorer in results.content.scorers}
    for line in noticing_table(results.content.noticing, titles):
        console.print(line, soft_wrap=True, markup=False)
    for line in _summary(results, has_paper=console.width >= WITH_PAPER):
        console.print(line)
    folder = escape(str(results.folder))
    # Lines to copy are never broken.
    console.print(f"All tables: {folder}/table.md; numbers: {folder}/results.json, results.csv.", soft_wrap=True)
    if not has_pages:
        console.print(f"Next: [bold]caos report {folder} --out site[/]", soft_wrap=True)


def show_comparison(rows: Sequence[Sequence[str]], title: str, console: Console) -> None:
    """Print rows of results, scorer, FPR95, AUROC, AUPR and negatives as one table."""
    # What is the same in all rows is said once.
    negatives = dict.fromkeys(row[5] for row in rows)
    (shared,) = negatives if len(negatives) == 1 else ("",)
    table = Table(title=escape(title), title_justify="left", caption_justify="left", expand=False)
    table.caption = escape(f"negatives: {shared}") if shared else None
    for name in ("results", "scorer"):
        table.add_column(name, overflow="fold")
    for name in HEADS.values():
        table.add_column(name, justify="right", no_wrap=True)
    if len(negatives) > 1:
        table.add_column("negatives")
    numbers = [[float(cell) for cell in row[2:5]] for row in rows]
    best = [pick(one[i] for one in numbers) for i, pick in enumerate((min, max, max))]
    for row, values in zip(rows, numbers, strict=True):
        cells = [
            f"[{BEST}]{c}[/]" if v == best[i] else c for i, (c, v) in enumerate(zip(row[2:5], values, strict=True))
        ]
        table.add_row(escape(row[0]), escape(row[1]), *cells, *([escape(row[5])] if len(negatives) > 1 else []))
    console.print(table)


def _table(results: Results, protocol: Protocol, width: int) -> Table:
    content, name = results.content, protocol.name
    measured = content.measures[name]
    theirs = paper_rows(content, name) if width >= WITH_PAPER else {}
    titles = {scorer.name: scorer.title for scorer in content.scorers}
    table = Table(title=f"{escape(content.dataset.name)}, protocol {name}, percent", title_justify="left")
    table.caption, table.caption_justify = escape(pixel_words(content, protocol)), "left"
    table.add_column("scorer", overflow="fold")
    for name in (*HEADS.values(), *(["paper: AUROC*"] if theirs else [])):
        table.add_column(name, justify="right", no_wrap=True)
    if width >= WITH_INTERVALS and has_unreliable(content):
        table.caption = f"{table.caption} {UNRELIABLE_NOTE}."
    columns = {m: _cells([one.metric(m) for one in measured.values()], m, width) for m in METRICS}
    numbers = {name: [columns[m][row] for m in METRICS] for row, name in enumerate(measured)}
    for scorer in sorted(measured, key=lambda name: -measured[name].auroc.value):
        cells = numbers[scorer]
        if theirs:
            beside = theirs[scorer].auroc if scorer in theirs else None
            cells.append("" if beside is None else f"[dim]{100 * beside:.1f}[/]")
        table.add_row(escape(titles[scorer]), *cells)
    return table


def _cells(metrics: Sequence[Metric], name: str, width: int) -> list[str]:
    """A column: numbers under numbers and intervals under intervals; whatever reads as the best has its colour."""
    values = [f"{100 * metric.value:.1f}" for metric in metrics]
    best = (min if name == "fpr95" else max)(values, key=float)
    shown = [f"[{BEST}]{value}[/]" if value == best else value for value in values]
    if width < WITH_INTERVALS:
        return shown
    lows, highs = (
        [f"{100 * end:.1f}" for end in ends] for ends in zip(*((m.low, m.high) for m in metrics), strict=True)
    )
    left, right = (max(map(len, ends)) for ends in (lows, highs))
    marks = ["" if metric.reliable else UNRELIABLE for metric in metrics]
    return [
        f"{value} [dim]{low:>{left}}–{high:>{right}}{mark}[/]"
        for value, low, high, mark in zip(shown, lows, highs, marks, strict=True)
    ]


def _summary(results: Results, *, has_paper: bool) -> list[str]:
    """What came out."""
    content, about = results.content, results.content.dataset
    measured = content.measures[content.protocols[0].name]
    best = max(measured, key=lambda name: measured[name].auroc.value)
    title = next(scorer.title for scorer in content.scorers if scorer.name == best)
    lines = [
        f"{about.images} images, {about.hazards} hazards. {negatives_line(content)}",
        f"Best AUROC: [bold]{escape(title)}[/], {100 * measured[best].auroc.value:.1f}.",
    ]
    found = None if content.hazards is None else content.hazards.found.get(best, {}).get(FOUND_AT)
    if found is not None:
        lines[-1] += f" It notices {found.found} of {found.of} hazards at 1 % false alarms."
    if has_paper and any(paper_rows(content, protocol) for protocol in content.measures):
        lines.append("* Another set, another network: compare the order, not the digits.")
    return [*lines, *_not_run(content.not_run)]


def _not_run(reasons: Mapping[str, str]) -> list[str]:
    """Which scorers could not run, and why; many reasons stand in the file with all tables."""
    by_reason = {why: ", ".join(name for name in reasons if reasons[name] == why) for why in reasons.values()}
    if len(by_reason) > MOST_REASONS:
        return [f"[dim]Not run, as the run lacks what they need (table.md says what): {escape(', '.join(reasons))}.[/]"]
    return [f"[dim]Not run: {escape(names)} ({escape(reason)})[/]" for reason, names in by_reason.items()]
