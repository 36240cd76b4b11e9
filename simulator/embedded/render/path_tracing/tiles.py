"""Tiles: Mitsuba traces a picture tile by tile, and a tile that is traced alone has the grain it has in the whole.

Its renderer for processors numbers the tiles in a spiral and the pixels of each along a curve that goes through one
quarter after the other; a pixel's number seeds its samples. A picture of one tile, or of a quarter of one, numbers its
pixels from 0, and multiplies the seed it is given by how many they are: so there is a seed for every one of them.
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
"""Of a tile. Left to itself, Mitsuba would choose by the number of processors, and the grain with it."""
_SEEDS = 1 << 32


@dataclass(frozen=True)
class Tile:
    """A tile, or a quarter of one: where it is, and the number of its first pixel."""

    window: Window
    first: int

    def seed(self, seed: int, pixels: int) -> int:
        """Its own seed, for the grain it has in a picture of so many ``pixels`` with some ``seed``.

        With a seed other than 0 there may be none: then the grain is another one.
        """
        wanted, own = (seed * pixels + self.first) % _SEEDS, self.window.width * self.window.height
        even = own & -own
        modulus = _SEEDS // even
        return wanted // even * pow(own // even, -1, modulus) % modulus

    def quarters(self) -> Iterator[Tile]:
        """The quarters of a tile, as far as it reaches."""
        half, window = SIDE // 2, self.window
        for k, (down, right) in enumerate(((0, 0), (0, half), (half, 0), (half, half))):
            width, height = min(window.width - right, half), min(window.height - down, half)
            if width > 0 and height > 0:
                yield Tile(Window(window.left + right, window.top + down, width, height), self.first + k * half**2)


@functools.lru_cache(maxsize=16)
def tiles(mi: ModuleType, width: int, height: int) -> tuple[Tile, ...]:
    """The tiles of a picture, in the order of their numbers."""
    spiral, found = mi.Spiral([width, height], [0, 0], SIDE, 1), []
    for number in range(-(-width // SIDE) * -(-height // SIDE)):
        (left, top), (across, down), _ = spiral.next_block()
        found.append(Tile(Window(int(left), int(top), int(across), int(down)), number * SIDE**2))
    return tuple(found)


def covering(mi: ModuleType, wanted: NDArray[np.bool_]) -> list[Tile]:
    """Tiles, and quarters of tiles, that hold all ``wanted`` ``(h, w)`` pixels of a picture."""
    out: list[Tile] = []
    for tile in tiles(mi, wanted.shape[1], wanted.shape[0]):
        quarters = list(tile.quarters())
        needed = [quarter for quarter in quarters if wanted[quarter.window.slices].any()]
        out += [tile] if len(needed) == len(quarters) else needed
    return out
