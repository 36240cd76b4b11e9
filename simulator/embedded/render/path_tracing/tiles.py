"""Tiles of Mitsuba's CPU renderer: a tile that is rendered alone gets the same noise as in the whole image.

Mitsuba numbers tiles in a spiral and pixels within a tile along a Z-order (Morton) curve; a pixel's number seeds its
samples. An image of a single tile, or of a quarter of one, numbers its pixels from 0 and multiplies the given seed by
their count, so that for each tile there is a seed that reproduces its samples.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from caos.simulator.embedded.render.ray_casting.rays import Window

SIDE = 32
"""Tile side in pixels. Mitsuba's default depends on the number of CPUs, and with it the noise would."""
_SEEDS = 1 << 32


@dataclass(frozen=True)
class Tile:
    """A tile, or a quarter of one: its window and the number of its first pixel."""

    window: Window
    first: int

    def seed(self, seed: int, pixels: int) -> int:
        """Return the seed that reproduces the tile's noise within an image of ``pixels`` pixels with ``seed``.

        With a ``seed`` other than 0 there may be none; then the noise differs.
        """
        wanted, own = (seed * pixels + self.first) % _SEEDS, self.window.width * self.window.height
        even = own & -own
        modulus = _SEEDS // even
        return wanted // even * pow(own // even, -1, modulus) % modulus

    def quarters(self) -> Iterator[Tile]:
        """Yield the quarters of a tile that lie within the image."""
        half, window = SIDE // 2, self.window
        for k, (down, right) in enumerate(((0, 0), (0, half), (half, 0), (half, half))):
            width, height = min(window.width - right, half), min(window.height - down, half)
            if width > 0 and height > 0:
                yield Tile(Window(window.left + right, window.top + down, width, height), self.first + k * half**2)


@functools.lru_cache(maxsize=16)
def tiles(mi: ModuleType, width: int, height: int) -> tuple[Tile, ...]:
    """Tiles of an image, in the order of their numbers."""
    spiral, found = mi.Spiral([width, height], [0, 0], SIDE, 1), []
    for number in range(-(-width // SIDE) * -(-height // SIDE)):
        (left, top), (across, down), _ = spiral.next_block()
        found.append(Tile(Window(int(left), int(top), int(across), int(down)), number * SIDE**2))
    return tuple(found)


def covering(mi: ModuleType, wanted: NDArray[np.bool_]) -> list[Tile]:
    """Tiles and quarters of tiles that cover all ``wanted`` ``(h, w)`` pixels of an image."""
    out: list[Tile] = []
    for tile in tiles(mi, wanted.shape[1], wanted.shape[0]):
        quarters = list(tile.quarters())
        needed = [quarter for quarter in quarters if wanted[quarter.window.slices].any()]
        out += [tile] if len(needed) == len(quarters) else needed
    return out
