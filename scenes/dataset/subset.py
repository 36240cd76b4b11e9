"""Subset of a set: chosen images as a set of their own, each with its scene, so that it can be rendered again."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from caos.foundation.storage.claims import claimed
from caos.foundation.storage.files import write_json
from caos.foundation.storage.images import image_size
from caos.foundation.storage.provenance import provenance
from caos.scenes.converting.linking import place_image
from caos.scenes.dataset.layout import Dataset, Sample, open_dataset
from caos.scenes.dataset.records import further_sensors
from caos.scenes.dataset.writer import SetDescription, SetFile, SetImage, file_of, write_set
from caos.scenes.sensors.lidar_files import write_indices

CLAIM: Final = "filter.json"
_FILES: Final = {
    "image": "image",
    "annotation": "annotation",
    "instances": "instances",
    "depth": "depth",
    "twin": "twin",
}
"""Kinds of files in a manifest, and where a sample has them."""
_OWN: Final = ("name", "labels", "classes", "counts", "provenance", "parts")
"""What a description says of its own set, and not of a subset."""
_OF_ROW: Final = ("schema", "key", "split", "files")


@contextlib.contextmanager
def subset_folder(out: Path, settings: Mapping[str, Any]) -> Iterator[SubsetWriter]:
    """The folder of a subset, new or to go on with; no other process can work in it meanwhile.

    Raises:
        CaosError: If it holds something else, a subset with other settings, or another process works there.
    """
    with claimed(out, CLAIM, {"subset": dict(settings)}, "filtered set"):
        yield SubsetWriter(out)


@dataclass(frozen=True)
class SubsetWriter:
    """Writes a subset; get it from :func:`subset_folder`."""

    out: Path

    def write(
        self, dataset: Dataset, about: Mapping[str, Mapping[str, Any]], name: str, more: Mapping[str, Any]
    ) -> Dataset:
        """Copy the images with the keys of ``about``, and write lists, manifest and description.

        Args:
            dataset: Where they come from; it stays as it is.
            about: By key, what the row of the manifest says as ``filtered``.
            name: Of the new set.
            more: What its description says besides.

        Raises:
            CaosError: If a file cannot be copied.
        """
        rows = dataset.manifest()
        chosen = [sample for samples in dataset.splits.values() for sample in samples if sample.key in about]
        images = [self._copy(dataset, sample, rows.get(sample.key, {}), about[sample.key]) for sample in chosen]
        kept = {key: value for key, value in dataset.info.items() if key not in _OWN}
        parts = _parts(dataset, chosen)
        extra = {**kept, **({"parts": parts} if parts else {}), **more}
        write_indices(self.out, (image.about for image in images))
        write_set(self.out, images, SetDescription(name, dataset.labels, provenance(dict(more), None), extra))
        return open_dataset(self.out, strict=False)

    def _copy(self, dataset: Dataset, sample: Sample, row: Mapping[str, Any], filtered: Mapping[str, Any]) -> SetImage:
        files: dict[str, SetFile] = {}
        for kind, attribute in _FILES.items():
            source: Path | None = getattr(sample, attribute)
            if source is not None and source.is_file():
                path = source.relative_to(dataset.root).as_posix()
                place_image(source, self.out / path, "copy")
                files[kind] = file_of(self.out, path)
        beside = [file for kind, file in row.get("files", {}).items() if kind not in _FILES]
        for file in [*beside, *(file for sensor in further_sensors(row) for file in sensor["files"].values())]:
            place_image(dataset.root / file["path"], self.out / file["path"], "copy")
        files |= {k: file_of(self.out, f["path"]) for k, f in row.get("files", {}).items() if k not in _FILES}
        size = image_size(sample.annotation)
        told = {key: value for key, value in row.items() if key not in _OF_ROW}
        image = SetImage(sample.split, size, files, {**told, "filtered": dict(filtered)})
        if "scene" in row:
            write_json(self.out / "scenes" / f"{sample.key}.json", image.row)
        return image


def _parts(dataset: Dataset, chosen: list[Sample]) -> list[dict[str, Any]]:
    """The parts of the recipe that something is left of."""
    parts = []
    for part in dataset.info.get("parts", ()):
        count = sum(sample.split == part["split"] and sample.town == part["folder"] for sample in chosen)
        if count:
            parts.append({**part, "count": count})
    return parts
