"""Results on disk. This docstring is their documentation; ``results.json`` has ``"schema": 1``.

    RESULTS/results.json      everything below, but what belongs to single images
    RESULTS/images.jsonl      one row an image
    RESULTS/results.csv       one row a protocol, scorer and metric
    RESULTS/table.md          the table of the paper for this set, the paper's own numbers beside it
    RESULTS/predictions/<key>.png          predicted class ids, 8 bit (not for foreign score maps)
    RESULTS/previews/<scorer>/<key>.png    score codes, 8 bit, at most 640 pixels a side
    RESULTS/maps/<scorer>/<key>.npz        scores, float32, array "scores"; with --save-maps

``results.json`` (all shares and metrics are fractions of one):

* ``dataset``: root, name, labels {name, version, digest}, split, images, hazards, base_rate (anomalous share of the
  pixels).
* ``source``: what made the scores. ``provenance``: versions, commit, seed, configuration. ``plan``: for resuming.
* ``scorers``: list of {name, title, summary, reference}, in the order asked for. ``not_run``: {name: reason}.
* ``protocols``: list of {name, its definitions}, in the order asked for. See :mod:`ood_scores.protocols`.
* ``measures``: {protocol: {scorer: {auroc, aupr, fpr95, images, excluded}}}; a metric is {value, low, high, error}: 95
  % bootstrap interval over images, and the most the value can be off by counting in cells (0 where it is exact).
* ``excluded``: list of {key, reason}: images that per-image protocols cannot measure.
* ``significance``: list of {first, second, metric, difference, low, high, p_value, p_adjusted, images}: CAOS measures,
  paired by image.
* ``components``: None, or {track {name, smallest_flagged, smallest_object}, definition, scorers: {scorer: {threshold,
  code, recall, false_alarms, pixel_f1, instances {...}, connected {...}}}} with {objects, regions, mean_siou,
  mean_ppv, mean_f1, found_50, missed_50, false_50} by true instance ids and by connected components.
* ``hazards``: None, or {definition, thresholds: {scorer: {name: {code, threshold, recall, false_alarms, pixel_f1}}},
  found: {scorer: {name: {found, of}}}}; names are ``best_f1``, ``recall_95``, ``false_alarms_1`` (at most 1 %) ...
* ``breakdowns``: see :func:`ood_scores.breakdowns.breakdowns` and, for ``ordinary class``, :func:`~.by_class`.
* ``curves``: {scorer: {threshold, recall, false_alarms, precision}}: lists, from the highest threshold down, pooled.
* ``levels``: {scorer: {threshold, recall, false_alarms}}: lists; a preview's pixel with code c has a score of at least
  ``threshold[c - 1]`` and less than ``threshold[c]``; flagging all codes >= c flags those shares of all pixels of the
  set.
* ``published``: {set, paper, scorers: {scorer: {fpr95, auroc, aupr}}}: measured on another set.
* ``cost``: {name: mean seconds an image}, ``forward`` for the network.

A row of ``images.jsonl``: key, town, weather, width, height, anomalous, ordinary (pixels), excluded (None or the
reason), measures {scorer: {protocol: {auroc, aupr, fpr95}}}, hazards: list of {instance_id, pixels, object, kind,
category, source, size_m, distance_m, occluded_share, placement, box, measures {scorer: {auroc, fpr95}}, flagged
{scorer: {threshold name: share of its pixels}}}; what the manifest does not say is None. A hazard is found when at
least half of its pixels are flagged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from foundation.errors import CaosError
from foundation.files import read_json, read_jsonl, write_json, write_jsonl, write_text
from foundation.provenance import provenance
from ood_scores.breakdowns import breakdowns, by_class
from ood_scores.found import FOUND_SHARE, levels_of
from ood_scores.protocols import Protocol
from ood_scores.published import PAPER, TABLE, published_set
from ood_scores.scorer import scorer_info, scorer_names
from ood_scores.statistics import bootstrap_interval, bootstrap_pooled, paired_tests, resample
from ood_scores.tables import METRICS, as_csv, markdown
from ood_scores.tally import BASE, Policy, Tally
from scenes.layout import Dataset

if TYPE_CHECKING:
    from ood_scores.sources import Source

SCHEMA: Final = 1
CURVE_POINTS: Final = 256
Json = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Results:
    """Results of one scoring run, as they are on disk."""

    folder: Path
    content: Json

    def value(self, scorer: str, metric: str, protocol: str | None = None) -> float:
        """One number, for example ``results.value("max_logit", "auroc")``; the first protocol unless one is named."""
        name = protocol or str(self.content["protocols"][0]["name"])
        return float(self.content["measures"][name][scorer][metric]["value"])

    def images(self) -> list[Json]:
        """The rows of ``images.jsonl``."""
        return read_jsonl(self.folder / "images.jsonl")

    def markdown(self) -> str:
        """The tables, one a protocol, in Markdown."""
        return markdown(self.content)


def read(folder: Path) -> Results:
    """The results in a folder.

    Raises:
        CaosError: If there are none, or of another schema.
    """
    path = folder / "results.json"
    if not path.is_file():
        raise CaosError(
            f"{folder} holds no results.json; make results with: caos score DATASET --run RUN --out {folder}"
        )
    content = read_json(path)
    if not isinstance(content, dict) or content.get("schema") != SCHEMA:
        raise CaosError(f"{path} is not a results file of schema {SCHEMA}")
    return Results(folder, content)


def write(folder: Path, content: Json, rows: Sequence[Json]) -> Results:
    """Write every file but the pictures; ``results.json`` last, for it says that the others are whole."""
    write_jsonl(folder / "images.jsonl", rows)
    write_text(folder / "results.csv", as_csv(content))
    write_text(folder / "table.md", markdown(content))
    write_json(folder / "results.json", content)
    return Results(folder, content)


def assemble(
    dataset: Dataset,
    source: Source,
    protocols: Sequence[Protocol],
    split: str,
    seed: int,
    rows: list[Json],
    tally: Tally,
    found: Json | None,
) -> Json:
    """The content of ``results.json``; the rows get their final shape (named metrics, flagged shares)."""
    columns, titles = source.columns, source.titles()
    if found is not None:
        _add_flagged(rows, found["shares"])
    rng = np.random.default_rng([seed, 2])
    content = {
        "schema": SCHEMA,
        "kind": "caos results",
        "dataset": _dataset(dataset, split, rows),
        "source": source.describe(),
        "scorers": [_scorer(name, titles[name]) for name in columns],
        "not_run": source.skipped(),
        "protocols": [protocol.describe() for protocol in protocols],
        "measures": {p.name: {c: _measures(p, c, rows, tally, rng) for c in columns} for p in protocols},
        "excluded": [{"key": r["key"], "reason": r["excluded"]} for r in rows if r["excluded"] is not None],
        "significance": _significance(rows, columns, rng),
        "components": None if found is None else _components(found),
        "hazards": None if found is None else _hazards(rows, columns, found),
        "breakdowns": breakdowns(rows, columns) | ({} if found is None else _classes(dataset, found)),
        "curves": {column: _curve(tally, column) for column in columns},
        "levels": {column: _levels(tally, column) for column in columns},
        "published": _published(dataset),
        "cost": _cost(rows),
        "provenance": provenance({"split": split, "scorers": list(columns)}, seed),
    }
    _name_metrics(rows)
    return content


def _dataset(dataset: Dataset, split: str, rows: Sequence[Json]) -> Json:
    anomalous = sum(row["anomalous"] for row in rows)
    return {
        "root": str(dataset.root),
        "name": dataset.name,
        "labels": {"name": dataset.labels.name, "version": dataset.labels.version, "digest": dataset.labels.digest},
        "split": split,
        "images": len(rows),
        "hazards": sum(len(row["hazards"]) for row in rows),
        "base_rate": anomalous / sum(row["anomalous"] + row["ordinary"] for row in rows),
    }


def _scorer(name: str, title: str) -> Json:
    base = name.partition("+")[0]
    info = (
        asdict(scorer_info(base)) if base in scorer_names() else {"summary": "score maps from files", "reference": ""}
    )
    return {**info, "name": name, "title": title}


def _measures(protocol: Protocol, column: str, rows: Sequence[Json], tally: Tally, rng: np.random.Generator) -> Json:
    if protocol.is_pooled:
        return _pooled_measures(protocol, column, len(rows), tally, rng)
    values = [row["measures"][column][protocol.name] for row in rows if protocol.name in row["measures"][column]]
    if not values:
        raise CaosError(f"no image has both anomalous and ordinary pixels: protocol {protocol.name!r} measures nothing")
    columns = dict(zip(("auroc", "aupr", "fpr95"), np.array(values).T, strict=True))
    measured: Json = {"images": len(values), "excluded": len(rows) - len(values)}
    weights = resample(len(values), rng)
    for metric in METRICS:
        interval = bootstrap_interval(columns[metric], weights)
        measured[metric] = _metric(float(columns[metric].mean()), interval.low, interval.high, 0.0)
    return measured


def _pooled_measures(protocol: Protocol, column: str, images: int, tally: Tally, rng: np.random.Generator) -> Json:
    key = (column, Policy.of(protocol).name)
    pooled = tally.pools[key].measure(protocol)
    intervals = bootstrap_pooled((tally.groups[key][0][:images], tally.groups[key][1][:images]), rng)
    measured: Json = {"images": images, "excluded": 0}
    for metric in METRICS:
        bounded, interval = getattr(pooled, metric), intervals[metric]
        low, high = min(interval.low, bounded.value), max(interval.high, bounded.value)
        measured[metric] = _metric(bounded.value, low, high, bounded.error)
    return measured


def _metric(value: float, low: float, high: float, error: float) -> Json:
    return {"value": value, "low": low, "high": high, "error": error}


def _significance(rows: Sequence[Json], columns: Sequence[str], rng: np.random.Generator) -> list[Json]:
    """Every pair of scorers, better mean first, on the images that the CAOS protocol can measure."""
    measured = [row for row in rows if row["excluded"] is None]
    tests: list[Json] = []
    for index, metric in enumerate(("auroc", "aupr", "fpr95")):
        values = {c: np.array([row["measures"][c]["caos"][index] for row in measured]) for c in columns}
        best_first = sorted(columns, key=lambda c: values[c].mean() * (1 if metric == "fpr95" else -1))
        for test in paired_tests({c: values[c] for c in best_first}, rng) if measured else ():
            record = asdict(test)
            interval = record.pop("interval")
            tests.append({"metric": metric, **record, **interval})
    return tests


def _components(found: Json) -> Json:
    return {
        "track": asdict(found["track"]),
        "definition": "SegmentMeIfYouCan: sIoU, PPV and F1 averaged over 0.25 .. 0.75, at the best pixel F1 of the set",
        "scorers": found["components"],
    }


def _hazards(rows: Sequence[Json], columns: Sequence[str], found: Json) -> Json:
    hazards = [hazard for row in rows for hazard in row["hazards"]]
    chosen = found["chosen"]
    return {
        "definition": f"found when at least {FOUND_SHARE:.0%} of a hazard's pixels are flagged",
        "thresholds": {c: {name: level.describe() for name, level in chosen[c].items()} for c in columns},
        "found": {
            c: {
                name: {
                    "found": sum(hazard["flagged"][c][name] >= FOUND_SHARE for hazard in hazards),
                    "of": len(hazards),
                }
                for name in chosen[c]
            }
            for c in columns
        },
    }


def _classes(dataset: Dataset, found: Json) -> Json:
    names = [row.name for row in dataset.labels.trained]
    codes = {column: chosen["recall_95"].code for column, chosen in found["chosen"].items()}
    return {"ordinary class": by_class(found["classes"], names, codes)}


def _add_flagged(rows: Sequence[Json], shares: Mapping[str, Mapping[int, Any]]) -> None:
    for row in rows:
        for hazard in row["hazards"]:
            hazard["flagged"] = shares[row["key"]][hazard["instance_id"]]


def _name_metrics(rows: Sequence[Json]) -> None:
    for row in rows:
        for by_protocol in row["measures"].values():
            for protocol, (auroc, aupr, fpr95) in list(by_protocol.items()):
                by_protocol[protocol] = {"auroc": auroc, "aupr": aupr, "fpr95": fpr95}
        for hazard in row["hazards"]:
            for column, (auroc, fpr95) in list(hazard["measures"].items()):
                hazard["measures"][column] = {"auroc": auroc, "fpr95": fpr95}


def _curve(tally: Tally, column: str) -> Json:
    """Points of the pooled curves, dense where recall or false alarms change."""
    pool = tally.pools[column, BASE.name]
    recall, false_alarms = (share[::-1] for share in pool.flagged())
    along = np.cumsum(np.abs(np.diff(recall, prepend=0)) + np.abs(np.diff(false_alarms, prepend=0)))
    index = np.unique(np.searchsorted(along, np.linspace(0, along[-1], CURVE_POINTS)).clip(max=recall.size - 1))
    true, false = recall[index] * pool.positives.sum(), false_alarms[index] * pool.negatives.sum()
    precision = np.divide(true, true + false, out=np.ones(index.size), where=true + false > 0)
    edges = pool.grid.lower_edges()[::-1][index]
    finite = np.nan_to_num(edges, neginf=float(np.finfo(np.float32).min))
    return {
        "threshold": finite.tolist(),
        "recall": recall[index].tolist(),
        "false_alarms": false_alarms[index].tolist(),
        "precision": precision.tolist(),
    }


def _levels(tally: Tally, column: str) -> Json:
    levels = levels_of(tally.calibrations[column], tally, column)
    return {
        "threshold": [level.threshold for level in levels],
        "recall": [level.recall for level in levels],
        "false_alarms": [level.false_alarms for level in levels],
    }


def _published(dataset: Dataset) -> Json:
    name = published_set(dataset.labels.name)
    return {
        "set": name,
        "paper": PAPER,
        "scorers": {c: dict(zip(METRICS, (v / 100 for v in row), strict=True)) for c, row in TABLE[name].items()},
    }


def _cost(rows: Sequence[Json]) -> Json:
    names = {name for row in rows for name in row["seconds"]}
    return {name: float(np.mean([row["seconds"].get(name, 0.0) for row in rows])) for name in sorted(names)}
