"""PNG files: encoded with OpenCV, written whole; the same pixels give the same bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caos.foundation.errors import CaosError
from caos.foundation.storage.files import write_bytes


def write_png(path: Path, picture: NDArray[Any], compression: int = 4) -> None:
    """Write an image as PNG; see :func:`png_bytes`.

    Raises:
        CaosError: If the file cannot be written; nothing is left of it then.
    """
    write_bytes(path, png_bytes(picture, compression))


def png_bytes(picture: NDArray[Any], compression: int = 4) -> bytes:
    """Encode an image as PNG.

    Args:
        picture: The pixels, ``(h, w, 3)`` RGB, ``(h, w, 4)`` RGBA or ``(h, w)``, of 8 or 16 bits.
        compression: From 1 (fast) to 9 (small).

    Raises:
        CaosError: If it cannot be encoded.
    """
    import cv2

    ordered = picture if picture.ndim == 2 else picture[..., (2, 1, 0, 3)[: picture.shape[2]]]
    ok, data = cv2.imencode(".png", np.ascontiguousarray(ordered), [cv2.IMWRITE_PNG_COMPRESSION, compression])
    if not ok:
        raise CaosError(f"cannot encode a picture of shape {picture.shape} and type {picture.dtype} as PNG")
    return bytes(data.tobytes())
