"""Comparison of several results on one set: one table, networks with and without negatives apart, as the field does."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from caos.foundation.errors import CaosError, unknown
from caos.ood_scores import results as scoring
from caos.ood_scores.measuring.protocols import default_protocol
from caos.ood_scores.report.pixel_words import pixel_words
from caos.ood_scores.report.same_set import check_one_set
from caos.ood_scores.results import METRICS, Results

GROUPS: Final = ("Trained without negatives", "Trained with negatives", "Not known whether trained with negatives")


def comparison(
    folders: Sequence[Path], protocol: str, scorers: Sequence[str] | None = None, *, unchecked: bool = False
) -> str:
    """A Markdown table for each group, best AUROC first, percent.

    Args:
        folders: Of results, all on one set.
        protocol: Which numbers.
        scorers: Only these; None takes all that each has.
        unchecked: Take results of older versions, which have no digest of their set, for what their set is called.

    Raises:
        CaosError: If a folder holds no results, they are of different sets, or lack the protocol or a scorer.
    """
    groups = compared_rows(folders, protocol, scorers, unchecked=unchecked)
    name = scoring.read(folders[0]).content.dataset.name
    words = compared_pixels(folders, protocol)
    lines = [f"# {name}, protocol {protocol}", "", f"Percent. FPR95: lower is better. {words}"]
    for group, rows in groups.items():
        lines += ["", f"## {group}", "", *_table(rows)]
    return "\n".join(lines) + "\n"


def compared_rows(
    folders: Sequence[Path], protocol: str, scorers: Sequence[str] | None = None, *, unchecked: bool = False
) -> dict[str, list[list[str]]]:
    """The cells of :func:`comparison` by group, best AUROC first: results, scorer, three numbers, negatives.

    Raises:
        CaosError: See :func:`comparison`.
    """
    found = [scoring.read(folder) for folder in folders]
    check_one_set(found, protocol, unchecked=unchecked)
    groups = {}
    for group in GROUPS:
        rows = [row for one in found if group_of(one) == group for row in _rows(one, protocol, scorers)]
        if rows:
            groups[group] = [cells for _, cells in sorted(rows, key=lambda row: (-row[0], row[1]))]
    return groups


def shared_protocol(folders: Sequence[Path]) -> str:
    """The protocol to compare results by where none is asked for: their set's default, else the first they all have.

    Raises:
        CaosError: If a folder holds no results, or they have no protocol in common.
    """
    found = [scoring.read(folder).content for folder in folders]
    usual = default_protocol(leaves_void_out=found[0].dataset.leaves_void_out).name
    shared = [name for name in (usual, *found[0].measures) if all(name in one.measures for one in found)]
    if not shared:
        names = "; ".join(f"{folder}: {', '.join(one.measures)}" for folder, one in zip(folders, found, strict=True))
        raise CaosError(f"these results have no protocol in common ({names}); score one of them again with --protocol")
    return shared[0]


def compared_pixels(folders: Sequence[Path], protocol: str) -> str:
    """Which pixels the compared numbers are of, in sentences."""
    content = scoring.read(folders[0]).content
    return pixel_words(content, next(one for one in content.protocols if one.name == protocol))


def group_of(results: Results) -> str:
    """Which of the groups a network belongs to."""
    negatives = results.content.negatives
    return GROUPS[0] if negatives == "none" else GROUPS[2] if negatives == "unknown" else GROUPS[1]


def _rows(results: Results, protocol: str, scorers: Sequence[str] | None) -> list[tuple[float, list[str]]]:
    content = results.content
    if protocol not in content.measures:
        raise unknown(f"protocol of {results.folder}", protocol, content.measures)
    titles = {scorer.name: scorer.title for scorer in content.scorers}
    rows = []
    for name in content.columns if scorers is None else scorers:
        measured = results.measured(name, protocol)
        cells = [f"{100 * measured.metric(metric).value:.1f}" for metric in METRICS]
        how = "" if isinstance(content.negatives, str) else str(content.negatives)
        rows.append((measured.auroc.value, [str(results.folder), titles[name], *cells, how]))
    return rows


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    head = "| results | scorer | FPR95 | AUROC | AUPR | negatives |"
    return [head, "|---|---|---:|---:|---:|---|", *("| " + " | ".join(cells) + " |" for cells in rows)]
