"""Folder of cut-outs: RGBA images of single objects on a transparent background, with an index.

    CUTOUTS/index.json      :class:`CutoutIndex`; written last, so a folder with an index is complete
    CUTOUTS/plan.json       settings and inputs that the images depend on
    CUTOUTS/pictures/*.png  RGBA, 8 bit, straight (not premultiplied) alpha, cropped to the object

They are rendered from meshes (:mod:`caos.simulator.embedded.render.cutouts`) or cut from images with masks
(:mod:`caos.assets.cutout_folders.masked_images`), and pasted into training images as negatives.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from caos.foundation.errors import CaosError
from caos.foundation.settings import Limits, read_json, read_record
from caos.foundation.storage.files import write_json
from caos.foundation.storage.images import load_image

SCHEMA: Final = 1
INDEX_FILE: Final = "index.json"
PLAN_FILE: Final = "plan.json"
PICTURES: Final = "pictures"

Rgba = NDArray[np.uint8]
"""``(h, w, 4)`` uint8: red, green, blue, alpha."""


@dataclass(frozen=True)
class Cutout:
    """One image of one object.

    Attributes:
        file: Path relative to the folder.
        name: Name of the object.
        kind: Kind of the object; training must not use a kind that is tested.
        category: Group of kinds, empty if unknown.
        width: Width in pixels.
        height: Height in pixels.
        height_m: Height in metres that the image covers at the object's distance, or None if unknown.
    """

    file: str
    name: str
    kind: str
    category: str
    width: Annotated[int, Limits(1, 65_535)]
    height: Annotated[int, Limits(1, 65_535)]
    height_m: Annotated[float, Limits(1e-3, 1e4)] | None = None


@dataclass(frozen=True)
class CutoutIndex:
    """Content of ``index.json``; ``source`` describes the origin of the images."""

    cutouts: tuple[Cutout, ...]
    source: str
    schema: int = SCHEMA

    @property
    def kinds(self) -> tuple[str, ...]:
        """All kinds in the folder, in alphabetical order."""
        return tuple(sorted({cutout.kind for cutout in self.cutouts}))


def read_index(folder: Path) -> CutoutIndex:
    """Read the index of a folder of cut-outs.

    Raises:
        CaosError: If there is none, it is damaged or empty, or an image is missing.
    """
    path = folder / INDEX_FILE
    if not path.is_file():
        raise CaosError(f"{folder} holds no cut-outs (no {INDEX_FILE}); make them: caos assets cutouts --out {folder}")
    stored = read_json(path)
    if not isinstance(stored, dict) or stored.get("schema") != SCHEMA:
        raise CaosError(f"{path} is not an index of cut-outs of schema {SCHEMA}")
    index = read_record(CutoutIndex, stored, path)
    if not index.cutouts:
        raise CaosError(f"{path} lists no cut-outs")
    for cutout in index.cutouts:
        if not (folder / cutout.file).is_file():
            raise CaosError(f"{folder / cutout.file} does not exist, but {path} lists it")
    return index


def write_index(folder: Path, index: CutoutIndex) -> None:
    """Write ``index.json``."""
    write_json(folder / INDEX_FILE, asdict(index))


def read_rgba(path: Path) -> Rgba:
    """Read the pixels of a cut-out.

    Raises:
        CaosError: If it cannot be read, has no alpha channel, or is fully transparent.
    """
    image = open_image(path)
    if image.mode != "RGBA":
        raise CaosError(f"{path} has mode {image.mode}, not RGBA: it has no transparent background")
    pixels = np.array(image)
    if not pixels[..., 3].any():
        raise CaosError(f"{path} is fully transparent; remove it or make the cut-outs again")
    return pixels


def open_image(path: Path) -> Image.Image:
    """Decode an image; palette and gray images with transparency become RGBA.

    Raises:
        CaosError: If it cannot be read.
    """
    image = load_image(path)
    return image.convert("RGBA") if image.mode in ("LA", "PA") or _has_key(image) else image


def _has_key(image: Image.Image) -> bool:
    return image.mode in ("P", "RGB") and "transparency" in image.info


def cropped(pixels: Rgba) -> Rgba:
    """Crop the transparent rows and columns around the object."""
    rows, columns = (np.flatnonzero(pixels[..., 3].any(axis=axis)) for axis in (1, 0))
    return np.ascontiguousarray(pixels[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1])
