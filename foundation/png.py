"""PNG files: written whole, always the same bytes for the same pixels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caos.foundation.errors import CaosError
from caos.foundation.files import write_bytes


def write_png(path: Path, picture: NDArray[Any], compression: int = 4) -> None:
    """Write a picture; see :func:`png_bytes`.

    Raises:
        CaosError: If the file cannot be written; nothing is left of it then.
    """
    write_bytes(path, png_bytes(picture, compression))


def png_bytes(picture: NDArray[Any], compression: int = 4) -> bytes:
    """The bytes of a PNG.

    Args:
        picture: The pixels, ``(h, w, 3)`` RGB, ``(h, w, 4)`` RGBA or ``(h, w)``, of 8 or 16 bits.
        compression: From 1 (fast) to 9 (small); 0 is fastest, for smooth pictures: values are told from those beside
            them and not looked for elsewhere.

    Raises:
        CaosError: If it cannot be encoded.
    """
    import cv2

    ordered = picture if picture.ndim == 2 else picture[..., (2, 1, 0, 3)[: picture.shape[2]]]
    ordered = np.ascontiguousarray(ordered)
    ok, data = cv2.imencode(
        ".png", ordered, _smooth() if compression == 0 else [cv2.IMWRITE_PNG_COMPRESSION, compression]
    )
    if not ok:
        raise CaosError(f"cannot encode a picture of shape {picture.shape} and type {picture.dtype} as PNG")
    return bytes(data.tobytes())


def _smooth() -> list[int]:
    import cv2

    words = [cv2.IMWRITE_PNG_COMPRESSION, 1, cv2.IMWRITE_PNG_STRATEGY, cv2.IMWRITE_PNG_STRATEGY_HUFFMAN_ONLY]
    # Older releases of OpenCV try every filter for every row.
    has_filters = hasattr(cv2, "IMWRITE_PNG_FILTER")
    return [*words, cv2.IMWRITE_PNG_FILTER, cv2.IMWRITE_PNG_FILTER_AVG] if has_filters else words
