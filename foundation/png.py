"""PNG files: written whole, always the same bytes for the same pixels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caos.foundation.errors import CaosError
from caos.foundation.files import write_bytes


def write_png(path: Path, picture: NDArray[Any], compression: int = 4) -> None:
    """Write a picture: ``(h, w, 3)`` RGB, ``(h, w, 4)`` RGBA or ``(h, w)``, of 8 or 16 bits.

    Args:
        path: The file.
        picture: The pixels.
        compression: From 1 (fast) to 9 (small).

    Raises:
        CaosError: If the file cannot be written; nothing is left of it then.
    """
    import cv2

    ordered = picture if picture.ndim == 2 else picture[..., (2, 1, 0, 3)[: picture.shape[2]]]
    ordered = np.ascontiguousarray(ordered)
    ok, data = cv2.imencode(".png", ordered, [cv2.IMWRITE_PNG_COMPRESSION, compression])
    if not ok:
        raise CaosError(f"cannot encode {path}")
    write_bytes(path, data.tobytes())
