"""Pictures of others, opened with care: no pipe is waited for, no bomb is unpacked, and every damage is one line."""

from __future__ import annotations

import contextlib
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np
from PIL import Image, UnidentifiedImageError

from caos.foundation.errors import CaosError

_DAMAGE = (
    OSError,
    SyntaxError,
    ValueError,
    TypeError,
    KeyError,
    IndexError,
    OverflowError,
    EOFError,
    MemoryError,
    struct.error,
    zlib.error,
    Image.DecompressionBombError,
)
"""What Pillow's readers raise over files that are cut short, changed, or none of theirs."""

_PHOTOMETRIC: Final = 262
"""Number of the TIFF tag that says whether 0 is displayed as white (0) or as black (1)."""
_BITS: Final = 258
"""Number of the TIFF tag with the bits of a sample."""
_NOT_INVERTED: Final = frozenset({"I;16", "I;16B", "I;16L", "I;12", "I", "F"})
"""Modes of Pillow that hold the stored values of a TIFF with white as 0; the others hold the displayed ones."""


@contextlib.contextmanager
def opened_picture(path: Path) -> Iterator[Image.Image]:
    """A picture whose head is read; what reading the rest raises inside is one line, too.

    Raises:
        CaosError: If it is missing, no file, no picture, damaged, or larger than Pillow's limit.
    """
    if not path.is_file():
        # A pipe or a device would be waited for without end.
        reason = "cannot be read as a picture: it is not a file" if path.exists() else "does not exist"
        raise CaosError(f"{path} {reason}")
    try:
        # Through a stream of our own, since a picture that fails to load leaves its file open.
        with path.open("rb") as stream:
            yield _as_displayed(Image.open(stream))
    except UnidentifiedImageError as error:  # its own words name our stream
        raise CaosError(f"{path} cannot be read as a picture: its format is unknown") from error
    except _DAMAGE as error:
        raise CaosError(f"{path} cannot be read as a picture: {error or type(error).__name__}") from error


def _as_displayed(picture: Image.Image) -> Image.Image:
    """The picture with larger values brighter, as the TIFF standard displays it: white may be stored as 0."""
    tags = getattr(picture, "tag_v2", {})
    if picture.mode not in _NOT_INVERTED or tags.get(_PHOTOMETRIC) != 0:
        return picture
    stored = np.asarray(picture)
    white = 0 if stored.dtype.kind == "f" else 2 ** int(tags.get(_BITS, (16,))[0]) - 1
    shown = Image.fromarray(np.subtract(white, stored, dtype=np.float64).astype(stored.dtype))
    shown.format = picture.format
    return shown


def check_picture(path: Path) -> None:
    """Read a picture to its end, for those that hand on its bytes as they are.

    Raises:
        CaosError: If it is no picture, or damaged.
    """
    with opened_picture(path) as picture:
        picture.load()
