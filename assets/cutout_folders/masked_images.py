"""Pictures with masks: cut-outs from a folder of photographs, for those who have their own negatives.

A picture of the folder, or of one inside it, is one object:

    dog/7.png                     RGBA: alpha is the mask
    dog/7.jpg  dog/7_mask.png     a picture and its mask beside it
    dog/images/7.jpg  dog/masks/7.png

A mask is one channel (or its first is taken): 0 is background, 255 the object, between them a share; in a mask whose
largest value is 1, 1 is the object. The kind is the name of the folder, or at the top the file's without its number.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from caos.assets.cutout_folders.index import (
    PICTURES,
    PLAN_FILE,
    Cutout,
    CutoutIndex,
    Rgba,
    cropped,
    open_picture,
    write_index,
)
from caos.foundation.claims import claimed
from caos.foundation.errors import CaosError
from caos.foundation.files import paths_below, real_path
from caos.foundation.identity import FileHashes
from caos.foundation.png import write_png
from caos.foundation.progress import SILENT, Progress

SUFFIXES: Final = frozenset({".png", ".jpg", ".jpeg", ".webp", ".bmp", ".tif", ".tiff"})
MASK: Final = "_mask"
IMAGES_FOLDER, MASKS_FOLDER = "images", "masks"


@dataclass(frozen=True)
class MaskedPicture:
    """One object of a folder: its picture, its mask (None: the picture's alpha), and what it is called."""

    picture: Path
    mask: Path | None
    name: str
    kind: str

    def cutout(self) -> Rgba:
        """What the mask leaves of the picture.

        Raises:
            CaosError: If a file cannot be read, the sizes differ, there is no mask, or it is empty.
        """
        shown = open_picture(self.picture)
        if self.mask is None and shown.mode != "RGBA":
            raise CaosError(
                f"{self.picture} has no mask: give it alpha, or put {self.picture.stem}{MASK}.png beside it"
            )
        pixels = np.array(shown.convert("RGBA"))
        if self.mask is not None:
            pixels[..., 3] = _alpha(self.mask, self.picture, pixels.shape[:2])
        if not pixels[..., 3].any():
            raise CaosError(f"{self.mask or self.picture} masks nothing: it is 0 everywhere")
        return cropped(pixels)


def _alpha(mask: Path, picture: Path, size: tuple[int, ...]) -> NDArray[np.uint8]:
    values = np.array(open_picture(mask))
    values = values[..., 0] if values.ndim == 3 else values
    if values.shape != size:
        raise CaosError(
            f"{mask} is {values.shape[1]}x{values.shape[0]} but {picture} is {size[1]}x{size[0]}; a mask has the size "
            "of its picture"
        )
    if values.dtype != np.bool_ and values.max(initial=0) > 255:
        raise CaosError(f"{mask} has values up to {values.max()}; a mask has 8 bits")
    return (values * (255 if values.max(initial=0) <= 1 else 1)).astype(np.uint8)


def find_masked_pictures(folder: Path) -> list[MaskedPicture]:
    """The objects of a folder, by path.

    Raises:
        CaosError: If it is no folder, or has no pictures.
    """
    if not folder.is_dir():
        raise CaosError(f"{folder} is not a folder; give one with pictures and masks")
    files = sorted(path for path in paths_below(folder) if path.is_file() and path.suffix.lower() in SUFFIXES)
    shown = [path for path in files if path.parent.name != MASKS_FOLDER and not path.stem.endswith(MASK)]
    if not shown:
        raise CaosError(f"{folder} has no pictures ({', '.join(sorted(SUFFIXES))})")
    return [_described(path, folder) for path in shown]


def _described(picture: Path, folder: Path) -> MaskedPicture:
    inside = picture.relative_to(folder)
    parents = [part for part in inside.parts[:-1] if part != IMAGES_FOLDER]
    kind = parents[-1] if parents else re.sub(r"[\W_]*\d*$", "", picture.stem) or picture.stem
    return MaskedPicture(picture, _mask_of(picture), "/".join([*parents, picture.stem]), kind.lower())


def _mask_of(picture: Path) -> Path | None:
    places = [picture.with_name(f"{picture.stem}{MASK}{suffix}") for suffix in (picture.suffix, *sorted(SUFFIXES))]
    if picture.parent.name == IMAGES_FOLDER:
        masks = picture.parent.parent / MASKS_FOLDER
        places += [masks / f"{picture.stem}{suffix}" for suffix in (picture.suffix, *sorted(SUFFIXES))]
    return next((place for place in places if place.is_file()), None)


def cut_pictures(folder: Path, out: Path, *, overwrite: bool = False, progress: Progress = SILENT) -> CutoutIndex:
    """Write the cut-outs of a folder of pictures with masks.

    Raises:
        CaosError: If a picture or a mask is wrong (nothing is then written), or ``out`` holds something else.
    """
    found = find_masked_pictures(folder)
    paths = [path for one in found for path in (one.picture, one.mask)]
    configuration = {"pictures": FileHashes().digest(paths), "names": [[one.name, one.kind] for one in found]}
    _check(found, progress)
    with claimed(out, PLAN_FILE, configuration, "set of cut-outs", overwrite=overwrite):
        with progress.task("cutting out", len(found)) as task:
            cutouts = []
            for number, one in enumerate(found):
                cutouts.append(_written(one, out, number))
                task.advance(note=one.name)
        index = CutoutIndex(tuple(cutouts), f"pictures with masks from {real_path(folder)}")
        write_index(out, index)
    return index


def _check(found: Sequence[MaskedPicture], progress: Progress) -> None:
    with progress.task("checking the pictures", len(found)) as task:
        for one in found:
            one.cutout()
            task.advance()


def _written(one: MaskedPicture, out: Path, number: int) -> Cutout:
    pixels = one.cutout()
    file = f"{PICTURES}/{number:05d}.png"
    write_png(out / file, pixels)
    return Cutout(file, one.name, one.kind, "", pixels.shape[1], pixels.shape[0])
