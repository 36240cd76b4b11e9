"""Contact sheet: a picture under every corruption (rows) at every severity (columns), to be looked at.

python -m caos.studies.corruptions.sheet street.png sheet.png
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from caos.scenes.dataset.layout import read_image
from caos.segmentation.training.plots import labelled
from caos.studies.corruptions.corruption import SEVERITIES, Picture, make_corruption
from caos.studies.framework.seeding import generator_for


def contact_sheet(picture: Picture, names: Sequence[str], seed: int = 0, width: int = 320) -> Picture:
    """All severities of some corruptions of a picture, each named and ``width`` pixels wide."""
    rows = [np.hstack([_tile(picture, name, severity, seed, width) for severity in SEVERITIES]) for name in names]
    return np.vstack(rows)


def _tile(picture: Picture, name: str, severity: int, seed: int, width: int) -> Picture:
    corrupted = make_corruption(name).corrupt(picture, severity, generator_for(seed, "sheet", name, severity))
    return labelled(corrupted, f"{name} {severity}", width)


if __name__ == "__main__":
    import sys

    from caos.foundation.storage.png import write_png
    from caos.studies.corruptions.corruption import REGISTRY

    shown = read_image(Path(sys.argv[1]))
    chosen = REGISTRY.parse(sys.argv[3]) if len(sys.argv) > 3 else REGISTRY.names()
    write_png(Path(sys.argv[2]), contact_sheet(shown, chosen))
