"""Sizes of pictures as people write them: ``1280x720``."""

from __future__ import annotations

import re
from typing import Final

from caos.foundation.errors import CaosError

SMALLEST: Final = 16
LARGEST: Final = 8192
_SIZE: Final = re.compile(r"([0-9]{1,5})x([0-9]{1,5})", re.IGNORECASE)


def parse_size(text: str, what: str = "--size") -> tuple[int, int]:
    """Width and height of ``"1280x720"``; ``what`` names the value in the message.

    >>> parse_size("1280x720")
    (1280, 720)

    Raises:
        CaosError: If the text is not two whole numbers in range with an ``x`` between them.
    """
    found = _SIZE.fullmatch(text.strip())
    size = (int(found[1]), int(found[2])) if found else (0, 0)
    if not all(SMALLEST <= side <= LARGEST for side in size):
        raise CaosError(
            f"{what} {text!r} is not WIDTHxHEIGHT with both from {SMALLEST} to {LARGEST}, for example 1280x720"
        )
    return size
