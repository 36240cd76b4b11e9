"""WebDataset export: tar files with image, label map and what is known of each image, read in a stream.

An image's files in a shard: ``image.png`` (or its own suffix) and, where the set has them, ``instances.png``,
``depth.png`` and ``twin.png``, all as they are in the set; ``label.png`` with class ids, 255 where nothing is measured;
``json`` with its row of the manifest.
"""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from caos.foundation.execution.progress import Task
from caos.foundation.storage.files import whole_file, write_json
from caos.foundation.storage.identity import digest_of
from caos.foundation.storage.images import upright_bytes
from caos.foundation.storage.png import png_bytes
from caos.scenes.dataset.layout import SPLITS, Sample, read_class_ids
from caos.scenes.exporting.job import Exported, ExportJob, all_samples, flat_names
from caos.scenes.labels import LabelTable


def write_shards(job: ExportJob) -> Exported:
    """``<split>-000000.tar`` and so on, and ``classes.json``."""
    dataset, rows = job.dataset, job.dataset.manifest()
    names = flat_names(sample.key for sample in all_samples(dataset))
    write_json(job.out / "classes.json", [vars(row) for row in dataset.labels.classes])
    with job.progress.task("exporting", len(names)) as task:
        for split in SPLITS:
            samples = dataset.splits.get(split, ())
            for number, first in enumerate(range(0, len(samples), job.shard_images)):
                shard = job.out / f"{split}-{number:06d}.tar"
                _write_shard(shard, samples[first : first + job.shard_images], dataset.labels, names, rows, task)
    return Exported(len(names), job.out)


def _write_shard(
    path: Path,
    samples: Sequence[Sample],
    table: LabelTable,
    names: Mapping[str, str],
    rows: Mapping[str, Mapping[str, Any]],
    task: Task,
) -> None:
    with whole_file(path) as temporary, tarfile.open(temporary, "w", format=tarfile.USTAR_FORMAT) as shard:
        for sample in samples:
            name = _without_dots(names[sample.key])
            for suffix, data in _files(sample, table, rows.get(sample.key, {})):
                entry = tarfile.TarInfo(f"{name}.{suffix}")
                entry.size = len(data)
                shard.addfile(entry, io.BytesIO(data))
            task.advance()


def _without_dots(name: str) -> str:
    """A name that a reader of WebDataset does not end early: for it, a dot begins the suffix."""
    return name if "." not in name else f"{name.replace('.', '_')}_{digest_of(name)}"


def _files(sample: Sample, table: LabelTable, row: Mapping[str, Any]) -> Iterator[tuple[str, bytes]]:
    yield f"image{sample.image.suffix.lower()}", upright_bytes(sample.image)
    yield "label.png", png_bytes(read_class_ids(sample, table))
    for kind in ("instances", "depth", "twin"):
        if (path := getattr(sample, kind)) is not None:
            yield f"{kind}.png", upright_bytes(path)
    told = {"key": sample.key, "split": sample.split, "town": sample.town}
    yield "json", json.dumps({**told, **facts_of(row)}, sort_keys=True).encode()


def facts_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """What a row of the manifest says of the image itself: not where its files are, nor how to render it again."""
    return {key: value for key, value in row.items() if key not in {"files", "scene", "schema", "sources"}}
