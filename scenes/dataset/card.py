"""Dataset card: what a set shows, how it was made, what it may be used for and where it falls short, as Markdown.

The top of the card is YAML, as Hugging Face reads it; each value is written as JSON, which is YAML too.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from caos.scenes.dataset.checks import count_pixels
from caos.scenes.dataset.layout import SPLITS, Dataset, Split
from caos.scenes.labels import VOID
from caos.scenes.viewing.overview import DatasetOverview, describe, spread_over

SHARES_FROM: Final = 200
"""Images per split used to count class shares."""
SIZES: Final = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"))
LIMITS: Final = (
    "The streets are rendered. Scores on them order detectors; they do not say how well one does on photographs: "
    "measure that on photographs too (`caos study transfer`).",
    "The hazards are meshes of a limited list. A detector that has learnt from them is not tested by this set.",
    "Nothing here is a reason to trust a detector in a car.",
)
USE: Final = (
    "`caos score FOLDER --run RUN --out RESULTS` measures a detector on this set; "
    '`caos.datasets.StreetHazards("FOLDER", split="test")` reads it in Python.'
)
CITATION: Final = (
    "Please cite the paper that introduced the benchmark: Hendrycks and others, Scaling Out-of-Distribution Detection "
    "for Real-World Settings, ICML 2022."
)


def dataset_card(dataset: Dataset, front: Mapping[str, Any] | None = None, *, exported: bool = False) -> str:
    """The card of a set.

    Args:
        dataset: The set.
        front: More values for the top of the card.
        exported: Whether its label maps hold class ids, as exports do, and not the PNG values of the set.
    """
    tables = describe(dataset, 0)
    top = _front_matter(dataset, tables) | dict(front or {})
    lines = ["---", *(f"{key}: {json.dumps(value)}" for key, value in top.items()), "---", "", f"# {dataset.name}", ""]
    lines += [_lead(dataset, tables), "", *_splits(tables), *_classes(dataset, exported=exported)]
    if tables.hazards:
        lines += _hazards(dataset, tables)
    lines += _making(dataset)
    if is_rendered(dataset):
        lines += ["## Limits", "", *(f"- {line}" for line in LIMITS), ""]
        lines += ["## Use", "", *([] if exported else [USE, ""]), CITATION, ""]
    return "\n".join(lines)


def _front_matter(dataset: Dataset, tables: DatasetOverview) -> dict[str, Any]:
    images = sum(tables.counts.values())
    return {
        "pretty_name": dataset.name,
        "license": "mit" if is_rendered(dataset) and licences_of(dataset) <= {"MIT"} else "other",
        "task_categories": ["image-segmentation"],
        "tags": ["anomaly-segmentation", "out-of-distribution", "autonomous-driving", "caos"],
        "size_categories": [next((name for most, name in SIZES if images < most), "100K<n<1M")],
    }


def is_rendered(dataset: Dataset) -> bool:
    """Whether this project made the images of a set."""
    return bool(dataset.info.get("parts"))


def licences_of(dataset: Dataset) -> set[str]:
    """The licences of the hazards that a set shows."""
    hazards = (hazard for row in dataset.manifest().values() for hazard in row.get("hazards", ()))
    return {str(hazard.get("licence") or "unknown") for hazard in hazards}


def _lead(dataset: Dataset, tables: DatasetOverview) -> str:
    what = "Rendered streets" if is_rendered(dataset) else "Street images"
    hazards = f", {tables.hazards} hazards of {tables.objects} objects" if tables.hazards else ""
    return (
        f"{what} with a label for every pixel, for anomaly segmentation: which pixels show what a segmenter has never "
        f"learnt? {sum(tables.counts.values())} images{hazards}."
    )


def _splits(tables: DatasetOverview) -> list[str]:
    rows = [[split, tables.counts.get(split, 0)] for split in SPLITS]
    towns = ", ".join(f"{town} ({count})" for town, count in tables.towns.items())
    weather = ", ".join(f"{name} ({count})" for name, count in sorted(tables.weather.items()))
    lines = ["## Splits", "", *_table(["split", "images"], rows), "", f"By folder: {towns}."]
    return [*lines, *([f"Weather: {weather}."] if weather else []), ""]


def _classes(dataset: Dataset, *, exported: bool) -> list[str]:
    shares = [_shares(dataset, split) for split in SPLITS]
    rows = [
        [
            "ignored" if row.class_id == VOID else row.class_id,
            *([] if exported else [row.png_value]),
            row.name,
            row.role,
            *(f"{100 * share[row.name]:.3f}" if share else "" for share in shares),
        ]
        for row in dataset.labels.classes
    ]
    held = "class ids; 255 is" if exported else "PNG values; the class id is what a network gives, 255 where a pixel is"
    words = f"Label maps hold {held} neither learnt nor measured. Shares of each split's pixels, in percent:"
    heads = ["class id", *([] if exported else ["PNG value"]), "class", "role", *SPLITS]
    return ["## Classes", "", words, "", *_table(heads, rows), ""]


def _shares(dataset: Dataset, split: Split) -> Mapping[str, float]:
    """The share of a split's pixels that each class has; empty for an empty split."""
    pixels: Counter[str] = Counter()
    for sample in spread_over(dataset.splits.get(split, ()), SHARES_FROM):
        pixels.update(count_pixels(sample, dataset.labels).pixels)
    whole = sum(pixels.values())
    return {row.name: pixels[row.name] / whole for row in dataset.labels.classes} if whole else {}


def _table(heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> list[str]:
    return [f"| {' | '.join(str(cell) for cell in row)} |" for row in (heads, ["---"] * len(heads), *rows)]


def _hazards(dataset: Dataset, tables: DatasetOverview) -> list[str]:
    rows = sorted(tables.categories.items(), key=lambda item: (-item[1], str(item[0])))
    words = f"Licences of the objects shown: {', '.join(sorted(licences_of(dataset)))}."
    return ["## Hazards", "", *_table(["category", "shown"], rows), "", words, ""]


def _making(dataset: Dataset) -> list[str]:
    provenance = dataset.info.get("provenance") or {}
    versions = provenance.get("versions") or {}
    facts = {
        "seed": provenance.get("seed"),
        "made at commit": provenance.get("commit"),
        "versions": ", ".join(f"{name} {number}" for name, number in sorted(versions.items())) or None,
        "label table": f"{dataset.labels.name}, digest {dataset.labels.digest}",
    }
    rows = [[name, value] for name, value in facts.items() if value is not None]
    return ["## How it was made", "", *_table(["", ""], rows), ""]
