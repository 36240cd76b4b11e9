"""Hugging Face export: a folder that ``datasets.load_dataset`` reads as it is, with a dataset card.

The folder is an *image folder*: pictures, and one ``metadata.jsonl`` for each split. Every column is in every split and
has one type, because the reader compares them: what a manifest says besides is a column of JSON text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from caos.foundation.storage.files import write_jsonl, write_text
from caos.foundation.storage.png import write_png
from caos.scenes.converting.linking import copy_picture
from caos.scenes.dataset.card import dataset_card
from caos.scenes.dataset.layout import SPLITS, Dataset, Sample, Split, read_class_ids
from caos.scenes.exporting.job import Exported, ExportJob, all_samples, flat_names
from caos.scenes.exporting.shards import facts_of

SPLIT_NAMES: Final[Mapping[Split, str]] = {"train": "train", "val": "validation", "test": "test"}
MORE_MAPS: Final = ("instances", "depth")
"""Maps that become a column where every image of the set has one."""


def write_hugging_face(job: ExportJob) -> Exported:
    """``<split>/{images,labels,...}/*``, ``<split>/metadata.jsonl`` and ``README.md``."""
    dataset, rows, samples = job.dataset, job.dataset.manifest(), all_samples(job.dataset)
    names = flat_names(sample.key for sample in samples)
    maps = [kind for kind in MORE_MAPS if all(getattr(sample, kind) for sample in samples)]
    with job.progress.task("exporting", len(names)) as task:
        for split in SPLITS:
            folder, table = job.out / SPLIT_NAMES[split], []
            for sample in dataset.splits.get(split, ()):
                table.append(_row(dataset, sample, folder, names[sample.key], maps, rows.get(sample.key, {})))
                task.advance()
            if table:
                write_jsonl(folder / "metadata.jsonl", table)
    write_text(job.out / "README.md", dataset_card(dataset, _front_matter(dataset), exported=True))
    return Exported(len(names), job.out)


def _row(
    dataset: Dataset, sample: Sample, folder: Path, name: str, maps: list[str], row: Mapping[str, Any]
) -> dict[str, Any]:
    """Write the files of an image, and give its row."""
    image = f"images/{name}{sample.image.suffix.lower()}"
    copy_picture(sample.image, folder / image)
    ids = read_class_ids(sample, dataset.labels)
    write_png(folder / f"labels/{name}.png", ids)
    for kind in maps:
        copy_picture(getattr(sample, kind), folder / kind / f"{name}.png")
    return {
        "image_file_name": image,
        "label_file_name": f"labels/{name}.png",
        **{f"{kind}_file_name": f"{kind}/{name}.png" for kind in maps},
        "key": sample.key,
        "town": sample.town,
        "weather": str((row.get("weather") or {}).get("name") or ""),
        "anomalous_pixels": int(np.isin(ids, dataset.labels.anomaly_ids).sum()),
        "manifest": json.dumps(facts_of(row), sort_keys=True),
    }


def _front_matter(dataset: Dataset) -> dict[str, Any]:
    there = [name for split, name in SPLIT_NAMES.items() if dataset.splits.get(split)]
    files = [{"split": name, "path": f"{name}/**"} for name in there]
    return {"configs": [{"config_name": "default", "data_files": files}]}
