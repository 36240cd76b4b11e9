"""Results as text: CSV for programs, Markdown for people."""

from __future__ import annotations

import csv
import io
from typing import Any, Final

METRICS: Final = ("fpr95", "auroc", "aupr")
Json = dict[str, Any]


def as_csv(content: Json) -> str:
    """One line a protocol, scorer and metric."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["protocol", "scorer", "metric", "value", "low", "high", "error", "images", "excluded"])
    for protocol, scorers in content["measures"].items():
        for scorer, measured in scorers.items():
            for metric in METRICS:
                m = measured[metric]
                numbers = [f"{m[k]:.8g}" for k in ("value", "low", "high", "error")]
                writer.writerow([protocol, scorer, metric, *numbers, measured["images"], measured["excluded"]])
    return text.getvalue()


def markdown(content: Json) -> str:
    """One table a protocol, best AUROC first, percent; the paper's numbers stand in their own columns."""
    data = content["dataset"]
    lines = [
        f"# {data['name']}, split {data['split']}: {data['images']} images, {data['hazards']} hazards",
        "",
        f"Percent. FPR95: lower is better; AUROC, AUPR: higher. In brackets: 95 % interval, bootstrap over images. "
        f"A random scorer's AUPR is {100 * data['base_rate']:.2f}.",
    ]
    for definition in content["protocols"]:
        lines += ["", *_protocol_table(content, definition)]
    lines += _notes(content)
    return "\n".join(lines) + "\n"


def _protocol_table(content: Json, definition: Json) -> list[str]:
    protocol = definition["name"]
    measured = content["measures"][protocol]
    published = content["published"]["scorers"] if protocol == "caos" else {}
    head = ["scorer", "FPR95", "AUROC", "AUPR"]
    if published:
        head += [f"{metric}, paper, {content['published']['set']}*" for metric in ("FPR95", "AUROC", "AUPR")]
    titles = {scorer["name"]: scorer["title"] for scorer in content["scorers"]}
    lines = [
        f"## {protocol}",
        "",
        f"FPR95 at recall {definition['fpr95']} 0.95; AUPR as {definition['aupr']}; {definition['aggregation']}.",
        "",
        "| " + " | ".join(head) + " |",
        "|---" + "|---:" * (len(head) - 1) + "|",
    ]
    for scorer in sorted(measured, key=lambda s: -measured[s]["auroc"]["value"]):
        cells = [_cell(measured[scorer][metric]) for metric in METRICS]
        if published:
            theirs = published.get(scorer)
            cells += [f"{100 * theirs[metric]:.1f}" if theirs else "" for metric in METRICS]
        lines.append(f"| {titles[scorer]} | " + " | ".join(cells) + " |")
    return lines


def _cell(metric: Json) -> str:
    value = f"{100 * metric['value']:.1f} [{100 * metric['low']:.1f}, {100 * metric['high']:.1f}]"
    return value + (f" ±{100 * metric['error']:.1g}" if metric["error"] >= 5e-5 else "")


def _notes(content: Json) -> list[str]:
    lines = [""]
    if "caos" in content["measures"]:
        published = content["published"]
        lines.append(
            f"\\* Of {published['paper']}, measured on the released {published['set']}: another set, another network. "
            "Compare the order, not the digits."
        )
    if content["excluded"]:
        number = len(content["excluded"])
        lines.append(f"\nLeft out, having one kind of pixel only: {number} image(s); see `excluded` in results.json.")
    for name, reason in content["not_run"].items():
        lines.append(f"\nNot run: {name} ({reason}).")
    return lines
