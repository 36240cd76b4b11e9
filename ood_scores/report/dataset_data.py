"""Data of the dataset's page: counts, class shares, sizes and distances of hazards, and samples to look at."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from PIL import Image

from caos.foundation.storage.files import whole_file
from caos.scenes.dataset.checks import count_pixels
from caos.scenes.dataset.layout import SPLITS, Dataset, Sample, read_class_ids, read_image
from caos.scenes.labels import VOID
from caos.scenes.viewing.overview import describe, spread_over

SHARES_FROM: Final = 300
SAMPLES_FROM: Final = 80
"""So many images of each split are looked through for samples."""
WIDTH: Final = 360
DIM: Final = 0.3
"""Brightness of what is not the class that a sample shows."""
LEAST_SHARE: Final = 0.0005
Json = dict[str, Any]


def dataset_data(dataset: Dataset, out: Path) -> Json:
    """What the dataset's page reads; writes its samples into ``out/samples``."""
    tables = describe(dataset, SHARES_FROM)
    counts = {"Images": tables.counts, "Towns": tables.towns, "Weather": tables.weather}
    counts |= {"Hazards by category": tables.categories, "Hazards by placement": tables.placements}
    hazards = [hazard for row in dataset.manifest().values() for hazard in row.get("hazards", ())]
    return {
        "counts": {name: dict(Counter(table)) for name, table in counts.items() if table},
        "classes": [{"name": row.name, "color": list(row.color)} for row in dataset.labels.classes],
        "shares": tables.shares,
        "provenance": dict(dataset.info.get("provenance", {})) or "This set does not say how it was made.",
        "licences": _licences(hazards),
        "distances_m": [round(h["distance_m"], 1) for h in hazards if h.get("distance_m") is not None],
        "sizes_px": [int(h["pixels"]) for h in hazards if h.get("pixels")],
        "weather_samples": list(_weather_samples(dataset, out)),
        "class_samples": list(_class_samples(dataset, out)),
        "sheet": "contact_sheet.webp",
    }


def _licences(hazards: Sequence[Json]) -> list[Json]:
    sources: dict[tuple[str, str], set[str]] = defaultdict(set)
    for hazard in hazards:
        if "licence" in hazard:
            sources[hazard["source"], hazard["licence"]].add(hazard["object"])
    return [
        {"source": source, "licence": licence, "objects": len(objects)}
        for (source, licence), objects in sorted(sources.items())
    ]


def _candidates(dataset: Dataset) -> list[Sample]:
    return [s for split in SPLITS for s in spread_over(dataset.splits.get(split, ()), SAMPLES_FROM)]


def _weather_samples(dataset: Dataset, out: Path) -> Iterator[Json]:
    manifest = dataset.manifest()
    first: dict[str, Sample] = {}
    for sample in _candidates(dataset):
        weather = manifest.get(sample.key, {}).get("weather", {}).get("name")
        if weather:
            first.setdefault(weather, sample)
    for number, (weather, sample) in enumerate(sorted(first.items())):
        file = f"samples/weather{number}.webp"
        _save(out / file, Image.fromarray(read_image(sample.image)))
        yield {"name": weather, "file": file, "key": sample.key}


def _class_samples(dataset: Dataset, out: Path) -> Iterator[Json]:
    """For each class the image that shows most of it, the rest dimmed."""
    most: dict[str, tuple[int, Sample]] = {}
    for sample in _candidates(dataset):
        for name, pixels in count_pixels(sample, dataset.labels).pixels.items():
            if pixels > most.get(name, (0, None))[0]:
                most[name] = (pixels, sample)
    for row in dataset.labels.classes:
        if row.name not in most or row.class_id == VOID:
            continue
        sample = most[row.name][1]
        image, shown = read_image(sample.image), read_class_ids(sample, dataset.labels) == row.class_id
        if shown.mean() < LEAST_SHARE:
            continue
        file = f"samples/class{row.class_id}.webp"
        dimmed = np.where(shown[..., None], image, image * DIM).astype(np.uint8)
        _save(out / file, Image.fromarray(dimmed))
        yield {"name": row.name, "file": file, "key": sample.key}


def _save(path: Path, picture: Image.Image) -> None:
    small = picture.resize((WIDTH, max(round(WIDTH * picture.height / picture.width), 1)), Image.Resampling.LANCZOS)
    with whole_file(path) as temporary:
        small.save(temporary, format="WEBP", quality=80, method=2)
