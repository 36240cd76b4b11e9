"""Cut-outs: pictures of single objects with a transparent background, in a folder with an index.

    CUTOUTS/index.json      what each picture shows: :class:`CutoutIndex`; written last, so it says that all are there
    CUTOUTS/plan.json       what the pictures depend on
    CUTOUTS/pictures/*.png  RGBA, 8 bit, not multiplied by alpha, cropped to what is shown

They come from meshes (:mod:`caos.simulator.embedded.render.cutouts`) or from pictures with masks
(:mod:`caos.assets.cutout_folders.masked_images`), and are pasted into training pictures as negatives.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from caos.foundation.errors import CaosError
from caos.foundation.files import write_json
from caos.foundation.pictures import opened_picture
from caos.foundation.settings import Limits, read_json, read_record

SCHEMA: Final = 1
INDEX_FILE: Final = "index.json"
PLAN_FILE: Final = "plan.json"
PICTURES: Final = "pictures"

Rgba = NDArray[np.uint8]
"""``(h, w, 4)``: red, green, blue, alpha."""


@dataclass(frozen=True)
class Cutout:
    """One picture of one object.

    Attributes:
        file: Path inside the folder.
        name: The object.
        kind: What it is; training must not show a kind that is tested.
        category: Group of kinds, empty where it is not known.
        width: Pixels across.
        height: Pixels down.
        height_m: Metres that the picture's height is at the object, or None where it is not known.
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
    """What ``index.json`` holds; ``source`` says where the pictures come from."""

    cutouts: tuple[Cutout, ...]
    source: str
    schema: int = SCHEMA

    @property
    def kinds(self) -> tuple[str, ...]:
        """Every kind that is shown, in alphabetical order."""
        return tuple(sorted({cutout.kind for cutout in self.cutouts}))


def read_index(folder: Path) -> CutoutIndex:
    """The index of a folder of cut-outs.

    Raises:
        CaosError: If there is none, it is damaged or empty, or a picture is missing.
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
    """The pixels of a cut-out.

    Raises:
        CaosError: If it cannot be read, has no alpha, or shows nothing.
    """
    picture = open_picture(path)
    if picture.mode != "RGBA":
        raise CaosError(f"{path} has mode {picture.mode}, not RGBA: it has no transparent background")
    pixels = np.array(picture)
    if not pixels[..., 3].any():
        raise CaosError(f"{path} shows nothing: it is transparent everywhere")
    return pixels


def open_picture(path: Path) -> Image.Image:
    """A picture, decoded.

    Raises:
        CaosError: If it cannot be read.
    """
    with opened_picture(path) as picture:
        picture.load()
        return picture.convert("RGBA") if picture.mode in ("LA", "PA") or _has_key(picture) else picture.copy()


def _has_key(picture: Image.Image) -> bool:
    return picture.mode in ("P", "RGB") and "transparency" in picture.info


def cropped(pixels: Rgba) -> Rgba:
    """What is shown, without the rows and columns around it that are transparent."""
    rows, columns = (np.flatnonzero(pixels[..., 3].any(axis=axis)) for axis in (1, 0))
    return np.ascontiguousarray(pixels[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1])
