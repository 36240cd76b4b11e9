"""Cut-outs from a folder of photographs with masks.

Each image of the folder or of a folder below it shows one object:

    dog/7.png                     RGBA: alpha is the mask
    dog/7.jpg  dog/7_mask.png     an image and its mask beside it
    dog/images/7.jpg  dog/masks/7.png

The first channel of a mask counts: 0 is background, 255 the object, values between are partial coverage; in a mask
whose largest value is 1, 1 is the object. The kind is the name of the folder, or for an image at the top the file name
without its number.
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
    open_image,
    write_index,
)
from caos.foundation.errors import CaosError
from caos.foundation.execution.progress import SILENT, Progress
from caos.foundation.storage.claims import claimed
from caos.foundation.storage.files import paths_below, real_path
from caos.foundation.storage.identity import FileHashes
from caos.foundation.storage.png import write_png

SUFFIXES: Final = frozenset({".png", ".jpg", ".jpeg", ".webp", ".bmp", ".tif", ".tiff"})
MASK: Final = "_mask"
IMAGES_FOLDER, MASKS_FOLDER = "images", "masks"


@dataclass(frozen=True)
class MaskedImage:
    """Image and mask of one object (mask None: the alpha channel of the image), with its name and kind."""

    image: Path
    mask: Path | None
    name: str
    kind: str

    def cutout(self) -> Rgba:
        """Return the image with the mask as alpha, cropped to the object.

        Raises:
            CaosError: If a file cannot be read, the sizes differ, or the mask is missing or empty.
        """
        shown = open_image(self.image)
        if self.mask is None and shown.mode != "RGBA":
            raise CaosError(
                f"{self.image} has no mask: save it with alpha, or put {self.image.stem}{MASK}.png beside it"
            )
        pixels = np.array(shown.convert("RGBA"))
        if self.mask is not None:
            pixels[..., 3] = _alpha(self.mask, self.image, pixels.shape[:2])
        if not pixels[..., 3].any():
            raise CaosError(f"{self.mask or self.image} is an empty mask: it is 0 everywhere")
        return cropped(pixels)


def _alpha(mask: Path, image: Path, size: tuple[int, ...]) -> NDArray[np.uint8]:
    values = np.array(open_image(mask))
    values = values[..., 0] if values.ndim == 3 else values
    if values.shape != size:
        raise CaosError(
            f"{mask} is {values.shape[1]}x{values.shape[0]} but {image} is {size[1]}x{size[0]}; a mask has the size "
            "of its image"
        )
    if values.dtype != np.bool_ and values.max(initial=0) > 255:
        raise CaosError(f"{mask} has values up to {values.max()}; a mask has 8 bits")
    return (values * (255 if values.max(initial=0) <= 1 else 1)).astype(np.uint8)


def find_masked_images(folder: Path) -> list[MaskedImage]:
    """Find the objects of a folder, sorted by path.

    Raises:
        CaosError: If it is not a folder, or has no images.
    """
    if not folder.is_dir():
        raise CaosError(f"{folder} is not a folder; give one with images and masks")
    files = sorted(path for path in paths_below(folder) if path.is_file() and path.suffix.lower() in SUFFIXES)
    shown = [path for path in files if path.parent.name != MASKS_FOLDER and not path.stem.endswith(MASK)]
    if not shown:
        raise CaosError(f"{folder} has no images ({', '.join(sorted(SUFFIXES))})")
    return [_described(path, folder) for path in shown]


def _described(image: Path, folder: Path) -> MaskedImage:
    inside = image.relative_to(folder)
    parents = [part for part in inside.parts[:-1] if part != IMAGES_FOLDER]
    kind = parents[-1] if parents else re.sub(r"[\W_]*\d*$", "", image.stem) or image.stem
    return MaskedImage(image, _mask_of(image), "/".join([*parents, image.stem]), kind.lower())


def _mask_of(image: Path) -> Path | None:
    candidates = [image.with_name(f"{image.stem}{MASK}{suffix}") for suffix in (image.suffix, *sorted(SUFFIXES))]
    if image.parent.name == IMAGES_FOLDER:
        masks = image.parent.parent / MASKS_FOLDER
        candidates += [masks / f"{image.stem}{suffix}" for suffix in (image.suffix, *sorted(SUFFIXES))]
    return next((path for path in candidates if path.is_file()), None)


def write_masked_cutouts(
    folder: Path, out: Path, *, overwrite: bool = False, progress: Progress = SILENT
) -> CutoutIndex:
    """Write the cut-outs of a folder of images with masks.

    Raises:
        CaosError: If an image or a mask is unusable (then nothing is written), or ``out`` holds other data.
    """
    found = find_masked_images(folder)
    paths = [path for one in found for path in (one.image, one.mask)]
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


def _check(found: Sequence[MaskedImage], progress: Progress) -> None:
    with progress.task("checking the images", len(found)) as task:
        for one in found:
            one.cutout()
            task.advance()


def _written(one: MaskedImage, out: Path, number: int) -> Cutout:
    pixels = one.cutout()
    file = f"{PICTURES}/{number:05d}.png"
    write_png(out / file, pixels)
    return Cutout(file, one.name, one.kind, "", pixels.shape[1], pixels.shape[0])
