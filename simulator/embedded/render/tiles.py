"""Tiles: Mitsuba traces a picture tile by tile, and a tile that is traced alone has the grain it has in the whole.

Its renderer for processors numbers the tiles in a spiral and the pixels of each along a curve; a pixel's number seeds
its samples. A picture of one tile numbers that tile 0, and multiplies the seed it is given by its pixels: so there is a
seed for every tile.
"""

from __future__ import annotations

import functools
from types import ModuleType

from caos.simulator.embedded.render.rays import Window

SIDE = 32
"""Of a tile. Left to itself, Mitsuba would choose by the number of processors, and the grain with it."""
_SEEDS = 1 << 32


@functools.lru_cache(maxsize=16)
def tiles(mi: ModuleType, width: int, height: int) -> tuple[Window, ...]:
    """The tiles of a picture, in the order of their numbers."""
    spiral, found = mi.Spiral([width, height], [0, 0], SIDE, 1), []
    for _ in range(-(-width // SIDE) * -(-height // SIDE)):
        (left, top), (across, down), _ = spiral.next_block()
        found.append(Window(int(left), int(top), int(across), int(down)))
    return tuple(found)


def tile_seed(number: int, tile: Window, seed: int, pixels: int) -> int:
    """The seed of a tile of that number alone, for the grain it has in a picture of ``pixels`` with some ``seed``.

    With a seed other than 0 there may be none: then the grain is another one.
    """
    wanted, own = (seed * pixels + number * SIDE**2) % _SEEDS, tile.width * tile.height
    even = own & -own
    modulus = _SEEDS // even
    return wanted // even * pow(own // even, -1, modulus) % modulus
