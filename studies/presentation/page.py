"""Page of a study: one look for all, from the templates, style and scripts of the report's pages."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from caos.foundation.storage.files import write_text
from caos.ood_scores.report.build import copy_static, made_by, page_templates
from caos.studies.presentation.plots import Plot, plot_data
from caos.studies.presentation.tables import Cell, Estimate, StudyTable

STATIC: Final = ("style.css", "common.js", "plots.js", "study.js")


def write_page(
    out: Path,
    *,
    title: str,
    lead: str,
    tables: Sequence[StudyTable],
    plots: Sequence[Plot],
    details: Mapping[str, Any],
    script: str | None,
    provenance: Mapping[str, Any],
) -> Path:
    """Write ``index.html`` and what it loads; it opens from the file system, with no network and no server."""
    copy_static(out, (*STATIC, *([script] if script else [])))
    data = {
        "scorers": _names(plots),
        "tables": [_table(table) for table in tables if "page" in table.shown_in],
        "plots": [plot_data(plot) for plot in plots],
        "details": dict(details),
    }
    write_text(out / "data.js", f"window.CAOS = {json.dumps(data, separators=(',', ':'), allow_nan=False)};\n")
    page = page_templates().get_template("study.html.j2")
    text = page.render(
        here="study.html",
        current="index.html",
        title=title,
        pages=[("index.html", "Study")],
        lead=lead,
        script=script,
        csv=[table for table in tables if "csv" in table.shown_in],
        footer=made_by(provenance),
    )
    write_text(out / "index.html", text)
    return out / "index.html"


def _names(plots: Sequence[Plot]) -> list[str]:
    """Every name that has a colour of its own."""
    found: dict[str, None] = {}
    for plot in (plot_data(plot) for plot in plots):
        found.update(dict.fromkeys(one["name"] for one in (*plot.get("series", ()), *plot.get("dots", ()))))
    return list(found)


def _table(table: StudyTable) -> dict[str, Any]:
    return {
        "name": table.name,
        "title": table.title,
        "note": table.note,
        "columns": [asdict(column) for column in table.columns],
        "rows": [[_cell(c.shown(cell)) for c, cell in zip(table.columns, row, strict=True)] for row in table.rows],
    }


def _cell(cell: Cell) -> Any:
    return asdict(cell) if isinstance(cell, Estimate) else cell
