"""Tables on the terminal for ``caos scenes``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Table

from caos.scenes.dataset.audit import Audit
from caos.scenes.recipes.hazard_limits import REASONS
from caos.scenes.viewing.overview import DatasetOverview
from caos.scenes.viewing.validity import Validity


def _show(title: str, header: tuple[str, ...], rows: Iterable[tuple[Any, ...]]) -> None:
    listed = list(rows)
    console, table = Console(markup=False), Table()
    columns: list[tuple[Any, ...]] = list(zip(*listed, strict=True)) if listed else [()] * len(header)
    for name, column in zip(header, columns, strict=True):
        is_number = all(value is None or isinstance(value, int | float) for value in column)
        table.add_column(name, justify="right" if is_number else "left")
    for row in listed:
        table.add_row(*(_cell(value) for value in row))
    # Beside the table and not its title, which a narrow table would wrap.
    console.print(title, style="italic")
    console.print(table)


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def print_audit(audit: Audit) -> None:
    """Problems by rule, with examples, then counts and class shares."""
    by_rule: dict[tuple[str, str], list[str]] = {}
    for problem in audit.problems:
        by_rule.setdefault((problem.level, problem.rule), []).append(f"{problem.file}: {problem.detail}")
    rows = [(level, rule, len(found), found[0]) for (level, rule), found in sorted(by_rule.items())]
    if rows:
        _show("Problems", ("level", "rule", "count", "first"), rows)
    _shares(audit.shares)
    _limits(asdict(part) for part in audit.limits)
    counts = ", ".join(f"{count} {split}" for split, count in audit.counts.items())
    verdict = "passed" if audit.errors == 0 else f"FAILED with {audit.errors} errors"
    warnings = len(audit.problems) - audit.errors
    Console(markup=False).print(f"{counts}; sizes {', '.join(audit.sizes) or 'none'}; {verdict}, {warnings} warnings")


def _shares(shares: Iterable[Mapping[str, Any]]) -> None:
    """Classes down and towns across, so that a class can be followed from town to town."""
    by_class: dict[str, dict[str, str]] = {}
    for row in shares:
        genuine = "" if row["genuine"] is None else f" ({_short(row['genuine'])})"
        by_class.setdefault(row["class"], {})[f"{row['split']}/{row['town']}"] = f"{_short(row['percent'])}{genuine}"
    towns = list(dict.fromkeys(town for found in by_class.values() for town in found))
    compared = any("(" in share for found in by_class.values() for share in found.values())
    title = f"Class shares, percent of pixels{' (in brackets: the genuine StreetHazards)' if compared else ''}"
    rows = [(name, *(found.get(town) for town in towns)) for name, found in by_class.items()]
    _show(title, ("class", *towns), rows)


def _short(percent: float) -> str:
    return f"{percent:.1f}" if percent >= 1 else f"{percent:.2f}"


def _limits(parts: Iterable[Mapping[str, Any]]) -> None:
    """What each part's rules let through, and what they turned away: hard hazards are not in a set by chance."""
    rows = []
    for part in parts:
        told = [f"{count} {reason} ({REASONS[reason]})" for reason, count in part["refused"].items()]
        rows.append((part["part"], part["limits"], "\n".join(told) or "none"))
    if rows:
        _show("Hazards that the rules allow, and draws that they rejected", ("part", "allowed", "rejected"), rows)


def print_description(description: DatasetOverview) -> None:
    """The tables of a set."""
    _show("Images", ("split", "count"), description.counts.items())
    _show("Towns", ("town", "images"), description.towns.items())
    for title, name, table in (
        ("Weather", "weather", description.weather),
        ("Hazards by category", "category", description.categories),
        ("Hazards by placement", "placement", description.placements),
        ("Rejected draws", "reason", description.rejected),
    ):
        if table:
            _show(title, (name, "count"), table.items())
    _limits(description.limits)
    _shares(description.shares)
    if description.hazards:
        Console(markup=False).print(f"{description.hazards} hazards of {description.objects} different objects")


def print_validity(validity: Validity) -> None:
    """The two tables of a validity report."""
    if validity.twins:
        header = ("distance from hazard", "pixels", "changed, percent", "apart from it and its shadow, percent")
        rows = [
            (r["distance_from_hazard"], r["pixels"], float(r["changed_percent"]), float(r["apart_percent"]))
            for r in validity.twins
        ]
        _show("Frame against twin", header, rows)
    else:
        Console(markup=False).print("no twins in this set: generate it with --twins for the first table")
    columns = ("statistic", "hazards", "ordinary objects", "AUROC", "95 % interval")
    _show("Statistics along borders, medians, and how far they separate hazards", columns, _medians(validity))
    _show("How far they separate hazards (AUROC, 0.5 = not at all)", *_separations(validity))
    Console(markup=False).print(
        f"{validity.images} images, {validity.hazards} hazards, {validity.ordinary} ordinary objects"
    )


def _medians(validity: Validity) -> list[tuple[object, ...]]:
    return [
        (
            r["statistic"],
            float(r["hazard_median"]),
            float(r["ordinary_median"]),
            float(r["separation_auroc"]),
            "{:.2f} to {:.2f}".format(*r["separation_interval"]),
        )
        for r in validity.borders
    ]


def _separations(validity: Validity) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
    """Header and rows: against all ordinary objects, those of the same size, and each class."""
    classes = sorted({kind for row in validity.borders for kind in row["class_auroc"]})
    rows: list[tuple[object, ...]] = [
        (
            r["statistic"],
            r["separation_auroc"],
            r["same_size_auroc"],
            *(r["class_auroc"][kind] for kind in classes),
            r["among_ordinary_auroc"],
        )
        for r in validity.borders
    ]
    return ("hazards against", "all", "of one size", *classes, "the classes among themselves"), rows
