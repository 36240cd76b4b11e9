"""Buildings in several styles, no two alike.

Origin at the ground centre of the footprint; the front faces +x, so it lies at ``x = depth_m / 2``; width runs along y.
Walls go 2 m below z = 0, so that sloping ground shows no gap. Roofs, awnings, steps and balconies may reach up to 1.6 m
beyond the footprint. Every part is tagged BUILDING.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from caos.assets.mesh import Mesh
from caos.assets.street.buildings.apartments import apartment
from caos.assets.street.buildings.houses import suburb_house
from caos.assets.street.buildings.landmarks import church
from caos.assets.street.buildings.offices import office, tower
from caos.assets.street.buildings.town_houses import old_town, shop
from caos.assets.street.buildings.warehouses import warehouse
from caos.assets.street.canvas import Canvas
from caos.assets.tags import SemanticTag
from caos.foundation.errors import CaosError, unknown

_MAKERS: dict[str, Callable[[Canvas, float, float, int, np.random.Generator], None]] = {
    "old_town": old_town,
    "suburb_house": suburb_house,
    "tower": tower,
    "apartment": apartment,
    "warehouse": warehouse,
    "office": office,
    "shop": shop,
    "church": church,
}
STYLES = tuple(_MAKERS)
# Smallest and largest width, depth (metres) and number of floors that suit a style.
RANGES: dict[str, tuple[tuple[float, float], tuple[float, float], tuple[int, int]]] = {
    "old_town": ((6, 24), (8, 16), (2, 5)),
    "suburb_house": ((9, 18), (8, 14), (1, 2)),
    "tower": ((18, 45), (18, 45), (8, 45)),
    "apartment": ((12, 50), (10, 18), (3, 9)),
    "warehouse": ((18, 70), (15, 50), (1, 2)),
    "office": ((15, 60), (12, 30), (3, 9)),
    "shop": ((10, 50), (10, 25), (1, 2)),
    "church": ((11, 16), (22, 36), (1, 1)),
}


def building(style: str, width_m: float, depth_m: float, floors: int, rng: np.random.Generator) -> Mesh:
    """A building of the given style and footprint; everything else is drawn from ``rng``.

    Args:
        style: One of ``STYLES``.
        width_m: Along the street (y).
        depth_m: Away from the street (x).
        floors: Storeys, the ground floor included.
        rng: Source of colours, details and their arrangement.

    Raises:
        CaosError: If the style is unknown or the footprint is smaller than 4 m.
    """
    if style not in _MAKERS:
        raise unknown("building style", style, _MAKERS)
    if min(width_m, depth_m) < 4 or floors < 1:
        raise CaosError(
            f"building of {width_m} x {depth_m} m and {floors} floors is too small; use at least 4 x 4 m and 1 floor"
        )
    canvas = Canvas(SemanticTag.BUILDING)
    _MAKERS[style](canvas, float(width_m), float(depth_m), int(floors), rng)
    return canvas.mesh()
