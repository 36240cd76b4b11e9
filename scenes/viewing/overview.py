"""Overview of a set: counts, class shares, hazards, weather, and a contact sheet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from caos.foundation.storage.files import whole_file
from caos.foundation.storage.png import write_png
from caos.scenes.dataset.audit import class_shares
from caos.scenes.dataset.checks import count_pixels
from caos.scenes.dataset.layout import SPLITS, Dataset, Sample, read_class_ids, read_image
from caos.scenes.labels import LabelTable
from caos.scenes.recipes.hazard_limits import limits_of_parts

CELL_WIDTH: Final = 320
CAPTION_HEIGHT: Final = 18
TRUTH_SHARE: Final = 0.55
"""How strongly label colours cover the picture in the lower row of a contact sheet."""


@dataclass(frozen=True, eq=False)
class DatasetOverview:
    """Tables of a set."""

    counts: dict[str, int]
    towns: dict[str, int]
    weather: dict[str, int]
    categories: dict[str, int]
    placements: dict[str, int]
    objects: int
    hazards: int
    rejected: dict[str, int]
    limits: list[dict[str, Any]]
    shares: list[dict[str, Any]]


def describe(dataset: Dataset, most: int | None = None) -> DatasetOverview:
    """The tables of a set; class shares from at most ``most`` images of each split, spread over it."""
    rows = dataset.manifest().values()
    hazards = [hazard for row in rows for hazard in row.get("hazards", ())]
    samples = [s for split in SPLITS for s in spread_over(dataset.splits.get(split, ()), most)]
    rejected: Counter[str] = Counter()
    for row in rows:
        rejected.update(row.get("rejected", {}))
    return DatasetOverview(
        counts={split: len(dataset.splits.get(split, ())) for split in SPLITS},
        towns=dict(Counter(s.town for split in SPLITS for s in dataset.splits.get(split, ()))),
        weather=dict(Counter(row["weather"]["name"] for row in rows if "weather" in row).most_common()),
        categories=dict(Counter(h["category"] for h in hazards).most_common()),
        placements=dict(Counter(h["placement"] for h in hazards).most_common()),
        objects=len({h["object"] for h in hazards}),
        hazards=len(hazards),
        rejected=dict(rejected.most_common()),
        limits=[asdict(part) for part in limits_of_parts(dataset)],
        shares=class_shares((count_pixels(sample, dataset.labels) for sample in samples), dataset.labels),
    )


def spread_over(samples: Sequence[Sample], most: int | None) -> Sequence[Sample]:
    """At most ``most`` samples, evenly over the list."""
    if most is None or len(samples) <= most:
        return samples
    return [samples[int(i)] for i in np.linspace(0, len(samples) - 1, most)]


def contact_sheet(dataset: Dataset, path: Path, per_split: int = 8, columns: int = 4) -> None:
    """A picture of some images of every split, each over its truth in label colours; PNG, or WebP by the name."""
    samples = [s for split in SPLITS for s in spread_over(dataset.splits.get(split, ()), per_split)]
    cells = [_cell(sample, dataset.labels) for sample in samples]
    height, width = cells[0].shape[:2]
    rows = -(-len(cells) // columns)
    sheet = Image.new("RGB", (columns * width, rows * height), (24, 24, 24))
    for i, cell in enumerate(cells):
        sheet.paste(Image.fromarray(cell), (i % columns * width, i // columns * height))
    if path.suffix == ".webp":
        with whole_file(path) as temporary:
            sheet.save(temporary, format="WEBP", quality=80, method=2)
    else:
        write_png(path, np.asarray(sheet))


def _cell(sample: Sample, table: LabelTable) -> NDArray[np.uint8]:
    image = read_image(sample.image)
    ids = read_class_ids(sample, table)
    truth = (TRUTH_SHARE * table.colorize(ids) + (1 - TRUTH_SHARE) * image).astype(np.uint8)
    height = round(CELL_WIDTH * image.shape[0] / image.shape[1])
    small = [np.asarray(Image.fromarray(a).resize((CELL_WIDTH, height))) for a in (image, truth)]
    caption = Image.new("RGB", (CELL_WIDTH, CAPTION_HEIGHT), (24, 24, 24))
    ImageDraw.Draw(caption).text((4, 3), sample.key, fill=(220, 220, 220))
    return np.concatenate([np.asarray(caption), *small])
