"""Contact sheet: a picture under every corruption (rows) at every severity (columns), to be looked at.

python -m caos.studies.corruptions.sheet street.png sheet.png
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from PIL import Image

from caos.studies.corruptions.corruption import SEVERITIES, Picture, make_corruption
from caos.studies.seeding import generator_for


def contact_sheet(picture: Picture, names: Sequence[str], seed: int = 0, width: int = 320) -> Picture:
    """All severities of some corruptions of a picture, each named and ``width`` pixels wide."""
    rows = [np.hstack([_tile(picture, name, severity, seed, width) for severity in SEVERITIES]) for name in names]
    return np.vstack(rows)


def _tile(picture: Picture, name: str, severity: int, seed: int, width: int) -> Picture:
    corrupted = make_corruption(name).corrupt(picture, severity, generator_for(seed, "sheet", name, severity))
    size = (width, round(width * picture.shape[0] / picture.shape[1]))
    tile = cv2.resize(corrupted, size, interpolation=cv2.INTER_AREA)
    cv2.rectangle(tile, (0, 0), (8 * len(name) + 32, 17), (0, 0, 0), cv2.FILLED)
    cv2.putText(tile, f"{name} {severity}", (4, 13), cv2.FONT_HERSHEY_SIMPLEX, 0.42, (255, 255, 255), 1, cv2.LINE_AA)
    return np.asarray(tile, np.uint8)


if __name__ == "__main__":
    import sys

    from caos.foundation.png import write_png
    from caos.studies.corruptions.corruption import REGISTRY

    with Image.open(sys.argv[1]) as opened:
        shown = np.asarray(opened.convert("RGB"), np.uint8)
    chosen = REGISTRY.parse(sys.argv[3]) if len(sys.argv) > 3 else REGISTRY.names()
    write_png(Path(sys.argv[2]), contact_sheet(shown, chosen))
