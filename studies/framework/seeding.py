"""Random generators that depend on what is made, never on when or by which worker."""

from __future__ import annotations

import hashlib
import json

import numpy as np


def generator_for(seed: int, image_key: str, change: str, severity: int = 0) -> np.random.Generator:
    """The generator of one change to one image.

    Args:
        seed: The study's.
        image_key: What names the image in its set, such as its path in the list.
        change: Name of the corruption or perturbation.
        severity: 1..5; 0 where there is none.
    """
    key = json.dumps([int(seed), image_key, change, int(severity)]).encode()
    entropy = int.from_bytes(hashlib.sha256(key).digest(), "little")
    # SFC64 gives raw bits, of which noise needs many, fastest.
    return np.random.Generator(np.random.SFC64(np.random.SeedSequence(entropy)))
