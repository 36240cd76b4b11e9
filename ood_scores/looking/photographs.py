"""Photographs for ``caos look``: found in folders, read upright, and scaled down where they are large."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from caos.foundation.errors import CaosError
from caos.foundation.storage.images import image_format, image_size
from caos.scenes.dataset.layout import PICTURE_SUFFIXES, read_image

Picture = npt.NDArray[np.uint8]
FORMATS: Final = ("JPEG", "MPO", "PNG", "WEBP")
"""Pillow's names of the formats of photographs; MPO is a JPEG with further images inside, as some cameras write."""
LONGEST_SIDE: Final = 4096
"""Larger photographs are made smaller before anything is done with them."""
MOST_PIXELS: Final = 80_000_000


def find_photographs(places: Sequence[Path]) -> tuple[Path, ...]:
    """The files among ``places``, and the photographs in the folders among them, each once; all of them can be read.

    Raises:
        CaosError: If a place does not exist, a folder holds no photograph, or a file is none.
    """
    found: dict[Path, None] = {}
    for place in places:
        inside = sorted(p for p in place.iterdir() if p.suffix.lower() in PICTURE_SUFFIXES) if place.is_dir() else []
        if place.is_dir() and not inside:
            raise CaosError(f"{place} holds no photograph ({', '.join(sorted(PICTURE_SUFFIXES))})")
        found.update(dict.fromkeys(inside or [place]))
    if not found:
        raise CaosError("no photograph given; write: caos look PHOTO ... --out DIR")
    for path in found:
        read_photograph(path)
    return tuple(found)


def read_photograph(path: Path) -> Picture:
    """RGB pixels ``(h, w, 3)``, upright, the longer side at most ``LONGEST_SIDE``.

    Raises:
        CaosError: If the file is missing, truncated, too large, or not a JPEG, PNG or WebP picture.
    """
    if (kind := image_format(path)) not in FORMATS:
        raise CaosError(f"{path} is a {kind} picture; save it as JPEG, PNG or WebP")
    size = image_size(path)
    if size[0] * size[1] > MOST_PIXELS:
        raise CaosError(f"{path} is {size[0]}x{size[1]}; at most {MOST_PIXELS / 1e6:g} million pixels are read")
    return np.array(shrunk(read_image(path), LONGEST_SIDE))


def shrunk(picture: Picture, longest: int) -> Picture:
    """The picture, made smaller if its longer side is above ``longest``."""
    height, width = picture.shape[:2]
    factor = longest / max(height, width)
    if factor >= 1:
        return picture
    size = (max(round(width * factor), 1), max(round(height * factor), 1))
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)
