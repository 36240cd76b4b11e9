"""Building the site: pictures, the pages' data, and the pages."""

from __future__ import annotations

import concurrent.futures
import json
import os
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, Final

from foundation.errors import CaosError
from foundation.files import write_text
from foundation.progress import SILENT, Progress
from ood_scores import results as scoring
from ood_scores.report.pictures import FrameJob, draw_frame, frame_rows, missing_image
from ood_scores.results import Results
from scenes.describe import contact_sheet, describe
from scenes.layout import SPLITS, Dataset, Sample, open_dataset

PAGES: Final = (
    ("index.html", "Overview"),
    ("gallery.html", "Gallery"),
    ("hazards.html", "Hazards"),
    ("dataset.html", "Dataset"),
)
STATIC: Final = ("style.css", "common.js", "overview.js", "gallery.js", "hazards.js", "dataset.js")
FOUND_AT: Final = "false_alarms_1"
"""The threshold at which the pages say that a hazard was found: at most one false alarm in a hundred pixels."""
SHARES_FROM: Final = 300
SCALE_STEPS: Final = 16


@dataclass(frozen=True)
class Site:
    """What was built."""

    index: Path
    frames: int


def build_site(
    results_folder: Path,
    out: Path,
    *,
    dataset_root: Path | None = None,
    workers: int | None = None,
    progress: Progress = SILENT,
) -> Site:
    """Build the pages of a scoring run.

    Raises:
        CaosError: If there are no results, or the set they were made on cannot be found.
    """
    results = scoring.read(results_folder)
    rows = results.images()
    dataset = open_dataset(dataset_root or Path(results.content["dataset"]["root"]), _table_name(results))
    samples = {sample.key: sample for split in SPLITS for sample in dataset.splits.get(split, ())}
    scorers = tuple(scorer["name"] for scorer in results.content["scorers"])
    jobs = [FrameJob(_sample(samples, row["key"]), results_folder, out, scorers, dataset.labels) for row in rows]
    drawn: dict[str, Mapping[str, Any]] = {}
    with progress.task("drawing frames", len(jobs)) as task:
        for job, paths in zip(jobs, _drawn(jobs, workers or os.cpu_count() or 1), strict=True):
            drawn[job.sample.key] = paths
            task.advance(note=job.sample.key)
    contact_sheet(dataset, out / "contact_sheet.png")
    data = page_data(results, rows, dataset, drawn)
    write_text(out / "data.js", f"window.CAOS = {json.dumps(data, separators=(',', ':'))};\n")
    _write_pages(out, results, dataset, rows)
    return Site(out / "index.html", len(jobs))


def _table_name(results: Results) -> str:
    return str(results.content["dataset"]["labels"]["name"])


def _sample(samples: Mapping[str, Sample], key: str) -> Sample:
    if key not in samples:
        raise CaosError(f"the results name image {key!r}, which the set does not have; give the right --dataset")
    if not samples[key].image.exists():
        raise missing_image(samples[key])
    return samples[key]


def _drawn(jobs: Sequence[FrameJob], workers: int) -> Iterator[Mapping[str, Any]]:
    if workers == 1 or len(jobs) < 8:
        yield from map(draw_frame, jobs)
        return
    with concurrent.futures.ProcessPoolExecutor(workers) as pool:
        yield from pool.map(draw_frame, jobs, chunksize=2)


def page_data(
    results: Results, rows: Sequence[Mapping[str, Any]], dataset: Dataset, drawn: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """Everything the pages' scripts read, as plain values."""
    content = results.content
    scorers = [scorer["name"] for scorer in content["scorers"]]
    return {
        "scorers": scorers,
        "protocols": {protocol["name"]: _about(protocol) for protocol in content["protocols"]},
        "table": {name: _table(content, measures) for name, measures in content["measures"].items()},
        "curves": {s: _curve(curve) for s, curve in content["curves"].items()},
        "levels": {s: _level(content, s) for s in scorers},
        "breakdowns": _breakdowns(content["breakdowns"]),
        "frames": frame_rows(rows, drawn, scorers),
        "hazards": _hazards(rows, dataset),
        "dataset": _dataset(dataset),
    }


def _about(protocol: Mapping[str, Any]) -> str:
    ignored = "void pixels left out" if protocol["ignores_void"] else "no pixel left out"
    return (
        f"{protocol['name']}: {protocol['aggregation']}, FPR95 at the threshold with recall {protocol['fpr95']} 0.95, "
        f"AUPR as {protocol['aupr']}, {ignored}. {protocol['note']}. Intervals: 95 % bootstrap over images."
    )


def _table(content: Mapping[str, Any], measures: Mapping[str, Any]) -> list[dict[str, Any]]:
    published = content["published"]["scorers"]
    return [
        {
            "scorer": scorer,
            **{
                metric: {k: measured[metric][k] for k in ("value", "low", "high")}
                for metric in ("fpr95", "auroc", "aupr")
            },
            "paper": {k: 100 * v for k, v in published[scorer].items()} if scorer in published else None,
        }
        for scorer, measured in measures.items()
    ]


def _interval(metric: Mapping[str, float]) -> dict[str, float]:
    return {name: metric[name] for name in ("value", "low", "high")}


def _curve(curve: Mapping[str, Sequence[float]]) -> dict[str, list[list[float]]]:
    def points(x: str, y: str) -> list[list[float]]:
        return [[round(a, 4), round(b, 4)] for a, b in zip(curve[x], curve[y], strict=True)]

    return {"roc": points("false_alarms", "recall"), "pr": points("recall", "precision")}


def _level(content: Mapping[str, Any], scorer: str) -> dict[str, Any]:
    """Where the slider starts, and what each of its places means on the whole set."""
    levels = content["levels"][scorer]
    chosen = ((content["hazards"] or {}).get("thresholds", {}).get(scorer, {}).get(FOUND_AT) or {}).get("code")
    shares = {name: [round(v, 5) for v in levels[name]] for name in ("recall", "false_alarms")}
    return {"start": chosen if chosen is not None else 128, **shares}


def _breakdowns(breakdowns: Mapping[str, Mapping[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Mean AUROC of each group, groups in natural order."""

    def row(name: str, group: Mapping[str, Any]) -> dict[str, Any]:
        values = {s: numbers.get("auroc") for s, numbers in group["scorers"].items() if numbers}
        count = next(group[unit] for unit in ("images", "hazards", "pixels") if unit in group)
        return {"group": name, "n": count, "values": values}

    return {by: [row(*item) for item in sorted(groups.items(), key=_natural)] for by, groups in breakdowns.items()}


def _natural(item: tuple[str, Any]) -> tuple[float, str]:
    digits = "".join(c if c.isdigit() or c == "." else " " for c in item[0]).split()
    over = 0.5 if item[0].startswith("over") else 0.0
    return (float(digits[0]) + over if digits and item[0][0] in "0123456789o" else 0.0, item[0])


def _hazards(rows: Sequence[Mapping[str, Any]], dataset: Dataset) -> list[dict[str, Any]]:
    """One card an object: where it was seen, and how often each scorer found it."""
    licences = {
        h["object"]: h["licence"] for row in dataset.manifest().values() for h in row["hazards"] if "licence" in h
    }
    cards: dict[str, dict[str, Any]] = {}
    for row in rows:
        for hazard in row["hazards"]:
            name = hazard.get("object")
            if name is None:
                continue
            first = {k: hazard.get(k) or "unknown" for k in ("object", "kind", "category", "source")}
            card = cards.setdefault(name, first | {"licence": licences.get(name, "unknown"), "seen": [], "found": {}})
            card["seen"].append(row["key"])
            for scorer, flagged in (hazard.get("flagged") or {}).items():
                card["found"][scorer] = card["found"].get(scorer, 0) + int(flagged.get(FOUND_AT, 0.0) >= 0.5)
    return [cards[name] for name in sorted(cards)]


def _dataset(dataset: Dataset) -> dict[str, Any]:
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


def _write_pages(out: Path, results: Results, dataset: Dataset, rows: Sequence[Mapping[str, Any]]) -> None:
    import jinja2

    parts = resources.files("assets.pages")
    for name in STATIC:
        write_text(out / name, (parts / name).read_text(encoding="utf-8"))
    templates = {f.name: f.read_text(encoding="utf-8") for f in parts.iterdir() if f.name.endswith(".j2")}
    environment = jinja2.Environment(loader=jinja2.DictLoader(templates), autoescape=True)
    words = _words(results, dataset, rows)
    for file, title in PAGES:
        page = environment.get_template(f"{file}.j2").render(here=file, title=title, pages=PAGES, **words)
        write_text(out / file, page)


def _words(results: Results, dataset: Dataset, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    about = results.content["dataset"]
    excluded = results.content["excluded"]
    first = "; ".join(f"{e['key']}: {e['reason']}" for e in excluded[:5])
    versions = results.content["provenance"]
    return {
        "heading": f"Does the car notice? {about['name']}, {about['images']} test images",
        "lead": f"{about['hazards']} hazards; {100 * about['base_rate']:.2f} % of the pixels are anomalous, "
        "which is the AUPR of a scorer that guesses. Click a column to sort.",
        "breakdown_note": "Mean AUROC of one scorer, per group of images (town, weather) or of hazards. By ordinary "
        "class: all hazards against the pixels of that class; a short bar is a class that is taken for a hazard.",
        "found_note": "A hazard counts as found when at least half of its pixels are marked, at the threshold that "
        "marks at most one in a hundred ordinary pixels of the set. Filled: always found; outlined: never.",
        "dataset_note": f"{dataset.name}: what is in it and how it was made.",
        "excluded": f"{len(excluded)} images cannot be measured one by one: {first}" if excluded else "",
        "scale": color_scale(),
        "footer": f"Made by caos {versions['versions']['caos-bench']}"
        + (f", commit {versions['commit']}" if versions.get("commit") else "")
        + f". {len(rows)} frames. This page loads nothing from the network.",
    }


def color_scale() -> dict[str, str]:
    """Cividis, a scale that reads the same with colour-blind eyes, as tables for an SVG filter."""
    from matplotlib import colormaps

    steps = colormaps["cividis"]([i / (SCALE_STEPS - 1) for i in range(SCALE_STEPS)])
    return {name: " ".join(f"{v:.3f}" for v in steps[:, i]) for i, name in enumerate("rgb")}
