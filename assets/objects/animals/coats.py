"""Coats of animals: patterns of fur, and the material of eyes."""

from __future__ import annotations

import numpy as np

from caos.assets.mesh import Material
from caos.assets.modelling import finishes as f
from caos.assets.modelling.assembly import Pattern, Points, Rng, noise3

BLACK = (20, 18, 18)


def dark_eye() -> Material:
    """Material of most animals' eyes."""
    return f.plastic((12, 10, 10), 0.1)


def patches(rng: Rng, cell_m: float, share: float = 0.0, sharp: float = 12) -> Pattern:
    """Blots about ``cell_m`` wide: above 0.5 where the noise exceeds ``share``; ``sharp`` borders are hard."""
    field = noise3(rng, cell_m)

    def value(p: Points) -> Points:
        out: Points = 0.5 + sharp * (field(p) - share) / 10
        return out

    return value


def by_height(low: float, high: float) -> Pattern:
    """0 below ``low``, 1 above ``high``: pale bellies, dark backs."""

    def value(p: Points) -> Points:
        out: Points = (p[:, 2] - low) / (high - low)
        return out

    return value


def stripes(rng: Rng, period_m: float, wobble: float = 0.05) -> Pattern:
    """Bands around the body every ``period_m``, as on a zebra or a tiger."""
    field = noise3(rng, 0.25)

    def value(p: Points) -> Points:
        phase = p[:, 0] + 0.35 * np.abs(p[:, 1]) + 0.25 * p[:, 2] * np.sign(p[:, 0]) + wobble * field(p)
        out: Points = 0.5 + 2.4 * np.sin(2 * np.pi * phase / period_m)
        return out

    return value
