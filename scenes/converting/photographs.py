"""Photographs of other benchmarks as a set: only anomaly, ordinary and void matter, so any run can be scored on it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from caos.foundation.errors import CaosError
from caos.foundation.execution import executor
from caos.foundation.execution.progress import SILENT, Progress
from caos.foundation.storage.claims import claimed
from caos.foundation.storage.files import write_text
from caos.foundation.storage.identity import FileHashes, digest_of
from caos.foundation.storage.images import check_image, load_image
from caos.foundation.storage.png import write_png
from caos.foundation.storage.provenance import provenance
from caos.scenes.converting.linking import Link, place_upright
from caos.scenes.converting.photo_pairs import (
    FOLDER,
    USUAL_VALUES,
    FoundPhotos,
    MaskLayout,
    PhotoPair,
    find_in_folders,
    find_photos,
    parse_values,
)
from caos.scenes.dataset.layout import PLACES, size_mismatch
from caos.scenes.dataset.writer import SetDescription, SetImage, file_of, write_set
from caos.scenes.labels import PHOTOGRAPHS

MARKER: Final = "recipe.json"
HASHES: Final = ".inputs.json"
LEFT_OUT: Final = "left_out.txt"
TOWN: Final = "photos"
_MASK_MODES: Final = frozenset({"1", "L", "P", "LA", "I;16", "I", "RGB", "RGBA"})


@dataclass(frozen=True)
class PhotoConversion:
    """What came out of a conversion.

    Attributes:
        title: Of the release.
        images: Photographs in the set.
        with_anomaly: Those of them that show an anomaly.
        alone: Masks that had no photograph; ``left_out.txt`` of the set names them.
        unmasked: Photographs that had no mask, likewise.
    """

    title: str
    images: int
    with_anomaly: int
    alone: int
    unmasked: int = 0


def convert_release(
    source: str | Path,
    kind: str,
    out: str | Path,
    *,
    images: Path | None = None,
    masks: Path | None = None,
    values: str | None = None,
    link: Link = "hard",
    workers: int | None = None,
    overwrite: bool = False,
    progress: Progress = SILENT,
) -> PhotoConversion:
    """Turn photographs with masks into a set that every run can be scored on: only anomaly, ordinary and void matter.

    Args:
        source: The folder that the release unpacks to.
        kind: ``roadanomaly``, ``smiyc``, ``fishyscapes``, ``lostandfound``, or ``folder`` for any other.
        out: Folder of the set.
        images: Folder of the photographs, if not below ``source``.
        masks: Folder of the masks, ``folder`` only; ``source/masks`` unless given.
        values: What a mask's values mean, ``folder`` only: ``"ordinary=0,anomaly=1+2,void=255"``; those of
            SegmentMeIfYouCan unless given.
        link: How photographs get into the set.
        workers: Processes; all cores unless given.
        overwrite: Whether another conversion in the folder is replaced.
        progress: Where progress is shown.

    Raises:
        CaosError: If the folder holds no such release, a file is bad, or a value has no meaning.
    """
    root = Path(source)
    if kind == FOLDER:
        meanings = USUAL_VALUES if values is None else parse_values(values)
        found = find_in_folders(images or root / "images", masks or root / "masks", meanings)
        if values is None:
            _check_some_anomaly(found)
    else:
        found = find_photos(kind, root, images)
    return convert_photographs(found, Path(out), link=link, workers=workers, overwrite=overwrite, progress=progress)


def _check_some_anomaly(found: FoundPhotos) -> None:
    """Refuse masks without anomalies where nobody said what their values mean: in many sets 255 marks them."""
    anomaly = PHOTOGRAPHS.png_value("anomaly")
    if not any((read_meanings(pair.mask, found.layout) == anomaly).any() for pair in found.pairs):
        raise CaosError(
            f"no mask shows an anomaly, such as {found.pairs[0].mask}: 1 means anomaly and 255 void unless you say "
            "otherwise: --values ordinary=0,anomaly=255"
        )


def convert_photographs(
    found: FoundPhotos,
    out: Path,
    *,
    link: Link = "hard",
    workers: int | None = None,
    overwrite: bool = False,
    progress: Progress = SILENT,
) -> PhotoConversion:
    """Write the pairs as a test set at ``out``; run again after an interruption it goes on where it stopped.

    Raises:
        CaosError: If a file is bad, a value has no meaning, or ``out`` holds something else.
    """
    hashes = FileHashes(out / HASHES)
    files = [(pair.name, hashes.of(pair.photo), hashes.of(pair.mask)) for pair in found.pairs]
    configuration = {
        "recipe": "photographs",
        "title": found.title,
        "values": {str(value): meaning for value, meaning in found.layout.values.items()},
        "rest": found.layout.rest,
        "link": link,
        "content": digest_of(files),
    }
    job = PhotoJob(out, found.layout, link, {name: photo for name, photo, _ in files})
    with claimed(out, MARKER, configuration, "conversion", overwrite=overwrite):
        images = _converted(job, found.pairs, workers or os.cpu_count() or 1, progress)
        hashes.save()
        left_out = [f"{mask}: no photograph of its name\n" for mask in found.alone]
        left_out += [f"{photo}: no mask of its name\n" for photo in found.unmasked]
        write_text(out / LEFT_OUT, "".join(left_out))
        about = SetDescription(found.title, PHOTOGRAPHS, provenance(configuration), {"images": True})
        write_set(out, images, about)
    with_anomaly = sum(bool(i.about["anomaly_pixels"]) for i in images)
    return PhotoConversion(found.title, len(images), with_anomaly, len(found.alone), len(found.unmasked))


def _converted(job: PhotoJob, pairs: tuple[PhotoPair, ...], workers: int, progress: Progress) -> list[SetImage]:
    images = []
    with progress.task("converting", len(pairs)) as task:
        for image in executor.run(pairs, job, min(workers, len(pairs))):
            images.append(image)
            task.advance(note=image.key)
    return sorted(images, key=lambda image: image.key)


@dataclass(frozen=True)
class PhotoJob:
    """Makes the function that converts one pair."""

    out: Path
    layout: MaskLayout
    link: Link
    hashes: Mapping[str, str]

    def __call__(self, _number: int) -> Callable[[PhotoPair], SetImage]:
        """A worker's function."""
        return self.convert

    def convert(self, pair: PhotoPair) -> SetImage:
        """Convert one pair.

        Raises:
            CaosError: If a file cannot be read, sizes differ, or a mask's value has no meaning.
        """
        values = read_meanings(pair.mask, self.layout)
        height, width = values.shape
        _check_photo(pair, width, height)
        place = PLACES["test"]
        inner = f"{place.folder}/{TOWN}/{pair.name}"
        annotation = f"{place.top}/annotations/{inner}.png"
        write_png(self.out / annotation, values)
        path = f"{place.top}/images/{inner}"
        image = place_upright(pair.photo, self.out, path, self.link, self.hashes[pair.name])
        anomalous = int(np.count_nonzero(values == PHOTOGRAPHS.png_value("anomaly")))
        about: dict[str, Any] = {
            "town": TOWN,
            "sources": {"image": str(pair.photo), "label": str(pair.mask)},
            "anomaly_pixels": {"anomaly": anomalous} if anomalous else {},
            "hazards": [],
        }
        files = {"annotation": file_of(self.out, annotation), "image": image}
        return SetImage("test", (width, height), files, about)


def read_meanings(mask: Path, layout: MaskLayout) -> NDArray[np.uint8]:
    """PNG values of a mask: what each of its pixels means.

    Raises:
        CaosError: If it cannot be read, has several channels that differ, or a value without a meaning.
    """
    raw = _mask_values(mask)  # 0 and 1 where it has one bit
    lookup = np.zeros(256, np.uint8)
    if layout.rest is not None:
        lookup[:] = PHOTOGRAPHS.png_value(layout.rest)
    for value, meaning in layout.values.items():
        lookup[value] = PHOTOGRAPHS.png_value(meaning)
    out = lookup[raw]
    if not out.all():
        wrong = int(raw[out == 0].flat[0])
        allowed = ", ".join(f"{value} {meaning}" for value, meaning in sorted(layout.values.items()))
        raise CaosError(
            f"{mask}: mask value {wrong} has no meaning (known: {allowed}); say what it means: --from folder --values"
        )
    return out


def _mask_values(mask: Path) -> NDArray[np.uint8]:
    image = load_image(mask, exact=True)
    if image.mode not in _MASK_MODES:
        raise CaosError(f"{mask}: a mask of mode {image.mode!r} cannot be read; save it as 8-bit grey")
    raw = np.asarray(image)
    if raw.ndim == 3:
        colours = raw[..., : 1 if raw.shape[-1] == 2 else 3]
        if not (colours == raw[..., :1]).all():
            raise CaosError(f"{mask} is a colour picture, not a mask of values")
        raw = raw[..., 0]
    if raw.min() < 0 or raw.max() > 255:
        raise CaosError(f"{mask}: mask value {int(raw.max())} is above 255")
    return raw.astype(np.uint8)


def _check_photo(pair: PhotoPair, width: int, height: int) -> None:
    size = check_image(pair.photo)
    if size != (width, height):
        raise CaosError(size_mismatch(pair.photo, size, f"its mask {pair.mask} is", (width, height)))
