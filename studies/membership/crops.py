"""Crops of hazards by kind: cut-outs of objects, or what the frames of a set show of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from caos.assets.cutout_folders.index import INDEX_FILE, read_index, read_rgba
from caos.foundation.errors import CaosError
from caos.scenes.dataset.layout import open_dataset, read_image, read_instance_ids

Crops = Mapping[str, npt.NDArray[np.uint8]]
"""By kind, ``(n, side, side, 3)``."""
BEHIND: Final = (124, 116, 104)
"""Colour behind a cut-out."""
MARGIN: Final = 0.15
"""What a crop of a frame shows around the hazard, as a share of its longer side."""
SMALLEST: Final = 8
"""Pixels of the longer side of a hazard that is worth a crop."""


def read_crops(source: Path, side: int, fewest: int) -> dict[str, npt.NDArray[np.uint8]]:
    """The crops of every kind that has at least ``fewest``.

    Args:
        source: Folder of cut-outs (``caos assets cutouts``), or a set whose test part has instances and a manifest.
        side: Pixels of a crop.
        fewest: Kinds with fewer crops are left out.

    Raises:
        CaosError: If it is neither, or fewer than four kinds are left.
    """
    found = _from_cutouts(source, side) if (source / INDEX_FILE).is_file() else _from_frames(source, side)
    kept = {kind: np.stack(crops) for kind, crops in sorted(found.items()) if len(crops) >= fewest}
    if len(kept) < 4:
        most = max((len(crops) for crops in found.values()), default=0)
        raise CaosError(
            f"{source} has {len(kept)} kinds with {fewest} crops or more (of {len(found)} kinds, at most {most} each); "
            "4 are needed: make more with caos assets cutouts --views 8 --out CUTS"
        )
    return kept


def _from_cutouts(source: Path, side: int) -> dict[str, list[npt.NDArray[np.uint8]]]:
    found: dict[str, list[npt.NDArray[np.uint8]]] = {}
    for cutout in read_index(source).cutouts:
        rgba = read_rgba(source / cutout.file).astype(np.float32)
        alpha = rgba[..., 3:] / 255
        shown = (rgba[..., :3] * alpha + np.array(BEHIND, np.float32) * (1 - alpha)).round().astype(np.uint8)
        found.setdefault(cutout.kind, []).append(_square(shown, side))
    return found


def _from_frames(source: Path, side: int) -> dict[str, list[npt.NDArray[np.uint8]]]:
    dataset = open_dataset(source)
    rows = dataset.manifest()
    found: dict[str, list[npt.NDArray[np.uint8]]] = {}
    for sample in dataset.samples("test"):
        hazards = rows.get(sample.key, {}).get("hazards", ())
        instances = read_instance_ids(sample) if hazards else None
        if instances is None:
            continue
        image = read_image(sample.image)
        for hazard in hazards:
            crop = _crop(image, instances == int(hazard["instance_id"]))
            if crop is not None:
                found.setdefault(str(hazard["kind"]), []).append(_square(crop, side))
    return found


def _crop(image: npt.NDArray[np.uint8], where: npt.NDArray[np.bool_]) -> npt.NDArray[np.uint8] | None:
    """What is in the box of a hazard and a little around it; None of a hazard that is too small."""
    rows, columns = np.flatnonzero(where.any(1)), np.flatnonzero(where.any(0))
    if not rows.size or max(np.ptp(rows), np.ptp(columns)) + 1 < SMALLEST:
        return None
    around = round(MARGIN * (max(np.ptp(rows), np.ptp(columns)) + 1))
    top, left = max(rows[0] - around, 0), max(columns[0] - around, 0)
    return image[top : rows[-1] + 1 + around, left : columns[-1] + 1 + around]


def _square(picture: npt.NDArray[np.uint8], side: int) -> npt.NDArray[np.uint8]:
    """A picture in the middle of a square, its shape kept."""
    height, width = picture.shape[:2]
    factor = side / max(height, width)
    size = (max(round(width * factor), 1), max(round(height * factor), 1))
    small = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
    canvas = np.full((side, side, 3), BEHIND, np.uint8)
    top, left = (side - size[1]) // 2, (side - size[0]) // 2
    canvas[top : top + size[1], left : left + size[0]] = small
    return canvas
