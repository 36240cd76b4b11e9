"""Training on a terminal: what every run reached in one table, and at the end where it is and what to do next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from caos.foundation.execution.progress import time_spent

Results = Mapping[str, Any]


def show_runs(
    runs: Mapping[Path, Results],
    dataset: Path,
    classes: Sequence[str],
    console: Console | None = None,
) -> None:
    """Print what runs reached; ``metrics.json`` has it for programs.

    Args:
        runs: What training gave, by folder.
        dataset: The set.
        classes: Names of the classes a network learnt, in order.
        console: Where to; None for standard output.
    """
    console = console or Console(highlight=False)
    if console.is_terminal:
        for place, results in runs.items():
            if table := _class_table(place, results, classes):
                console.print(table)
    for place, results in runs.items():
        console.print(
            f"{place}: best epoch {results['best_epoch']} of {results['epochs']}", soft_wrap=True, markup=False
        )
        for split, values in results["splits"].items():
            console.print(f"  {split}: {told(values)}", soft_wrap=True, markup=False)
            if not console.is_terminal:
                _class_lines(console, values, classes)
    if console.is_terminal:
        run = escape(str(next(iter(runs))))
        console.print(f"Done after {time_spent()}. Curves and examples: {run}/curves.png, predictions-val.png.")
        console.print(f"Next: [bold]caos score {escape(str(dataset))} --run {run} --out results[/]", soft_wrap=True)


def told(values: Mapping[str, Any]) -> str:
    """What a network reached on a split, in a line; which numbers there are depends on what it learnt."""
    if "error_auroc" in values:
        found = "undefined" if values["error_auroc"] is None else f"{values['error_auroc']:.3f}"
        return f"AUROC of the segmenter's errors {found}"
    if {"f1", "accuracy"} & values.keys():
        said = {"F1": values.get("f1"), "accuracy": values.get("accuracy")}
        given = [f"{name} {value:.3f}" for name, value in said.items() if value is not None]
        return ", ".join(given) or "no picture has an answer that training knew"
    if "difference" in values:
        return f"mean absolute difference of picture and reconstruction {values['difference']:.4f}"
    return (
        f"mIoU {values['miou_present']:.3f} over the classes present, {values['miou_all']:.3f} over all; "
        f"pixel accuracy {values['pixel_accuracy']:.3f}; RMS calibration error {values['calibration_rms']:.3f}; "
        f"AURRA {values['aurra']:.3f}"
    )


def _class_lines(console: Console, values: Mapping[str, Any], classes: Sequence[str]) -> None:
    for name in classes if "class_iou" in values else ():
        console.print(f"    {name:<14} {_iou(values['class_iou'].get(name))}", markup=False)


def _class_table(place: Path, results: Results, classes: Sequence[str]) -> Table | None:
    """IoU by class and split; None for a network that gives no classes."""
    splits = {split: values["class_iou"] for split, values in results["splits"].items() if "class_iou" in values}
    if not splits:
        return None
    table = Table(title=f"{escape(str(place))}, IoU by class", title_justify="left")
    table.add_column("class")
    for split in splits:
        table.add_column(split, justify="right")
    for name in classes:
        table.add_row(escape(name), *(_iou(iou.get(name)) for iou in splits.values()))
    return table


def _iou(value: float | None) -> str:
    return "absent" if value is None else f"{value:.3f}"
