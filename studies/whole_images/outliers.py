"""Classic outliers: pictures that are no streets at all (Hendrycks et al. 2022, section 3; dissertation 4.3).

Pixels of -1..1 as the papers have them: Gaussian noise N(0, 0.5) cut off, Rademacher noise of -1 and 1, blobs. Their
textures are photographs (Cimpoi et al. 2014); ours are the materials of the house, laid out flat.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt

from caos.foundation.errors import CaosError
from caos.foundation.storage.files import paths_below
from caos.scenes.dataset.layout import PICTURE_SUFFIXES, read_image
from caos.segmentation.augmentation.appearance import materials
from caos.segmentation.augmentation.geometry import resize

Picture = npt.NDArray[np.uint8]


def gaussian(size: tuple[int, int], rng: np.random.Generator) -> Picture:
    """Every value from N(0, 0.5), cut off at -1 and 1."""
    return _from_unit(np.clip(rng.normal(0, 0.5, (size[1], size[0], 3)), -1, 1))


def rademacher(size: tuple[int, int], rng: np.random.Generator) -> Picture:
    """Every value -1 or 1, equally likely."""
    return _from_unit(2.0 * rng.integers(0, 2, (size[1], size[0], 3)) - 1)


def blobs(size: tuple[int, int], rng: np.random.Generator) -> Picture:
    """Coin flips, smoothed, with everything below a threshold black: round spots without a meaning."""
    flips = rng.binomial(1, 0.7, (size[1], size[0], 3)).astype(np.float32)
    smooth = cv2.GaussianBlur(flips, (0, 0), 1.5)
    smooth[smooth < 0.75] = 0
    return (smooth * 255).astype(np.uint8)


def textures(size: tuple[int, int], rng: np.random.Generator) -> Picture:
    """One of our materials, over and over."""
    tile = materials()[int(rng.integers(len(materials())))]
    side = int(rng.integers(48, 193))
    small = cv2.resize(tile, (side, side), interpolation=cv2.INTER_AREA)
    repeats = (-(-size[1] // side), -(-size[0] // side), 1)
    return np.ascontiguousarray(np.tile(small, repeats)[: size[1], : size[0]])


OUTLIERS: Final[Mapping[str, Callable[[tuple[int, int], np.random.Generator], Picture]]] = {
    "gaussian": gaussian,
    "rademacher": rademacher,
    "blobs": blobs,
    "textures": textures,
}


def photographs(folder: Path, size: tuple[int, int], most: int) -> list[Picture]:
    """The pictures in a folder and those inside it, brought to a size; masks and labels are left out.

    Raises:
        CaosError: If there is none.
    """
    if not folder.is_dir():
        raise CaosError(f"{folder} is not a folder of photographs")
    without = {"annotations", "instances", "depth", "masks", "labels", "twins"}
    files = sorted(
        file
        for file in paths_below(folder)
        if file.suffix.lower() in PICTURE_SUFFIXES and not without & set(file.relative_to(folder).parts)
    )
    if not files:
        raise CaosError(f"{folder} holds no picture ({', '.join(sorted(PICTURE_SUFFIXES))})")
    return [resize(read_image(file), size) for file in files[:most]]


def _from_unit(values: npt.NDArray[np.floating[Any]]) -> Picture:
    return ((values + 1) * 127.5).round().astype(np.uint8)
