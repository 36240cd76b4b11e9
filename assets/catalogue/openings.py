"""Openings of the built-in objects: which of their pieces are doors, lids, flaps or canopies.

Coordinates are metres in the catalogue's mesh (x forward, y right, z up, origin on the ground under the centre).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from caos.assets.modelling.hinges import Block, Cavity, Color, Leaf, Opening, Porthole, Ribs

_WHITE: Final[Color] = (232, 232, 228)
_DARK: Final[Color] = (34, 32, 30)
_LOG: Final[Color] = (110, 78, 50)
_INSIDE: Final[Color] = (96, 74, 52)
_GOODS: Final[tuple[Color, ...]] = ((190, 50, 40), (240, 200, 70), (70, 130, 60), (60, 90, 160), (225, 225, 215))
_CLOTHES: Final[tuple[Color, ...]] = ((40, 60, 110), (150, 40, 50), (210, 200, 180), (60, 90, 70), (90, 70, 110))


def _doors(
    x: float, z: tuple[float, float], *edges: tuple[float, float, float], reach: float = 0.08
) -> tuple[Leaf, ...]:
    """Doors in the face at ``x``, each with the y of its hinge, the y of its free edge and its angle."""
    leaves = []
    for hinge, free, angle_deg in edges:
        low, high = min(hinge, free), max(hinge, free)
        leaves.append(Leaf((x, low, z[0]), (x + reach, high, z[1]), (x, hinge, 0.0), "z", angle_deg))
    return tuple(leaves)


def _shelves(low: tuple[float, float, float], high: tuple[float, float, float], *levels: float) -> tuple[Block, ...]:
    """Shelves at these heights, with goods on each."""
    blocks: list[Block] = []
    width = high[1] - low[1]
    for row, z in enumerate(levels):
        blocks.append(Block((low[0], low[1], z), (high[0] - 0.04, high[1], z + 0.015), (200, 204, 208)))
        for k in range(4):
            y, tall = low[1] + width * (0.08 + 0.235 * k), 0.09 + 0.03 * ((row + 2 * k) % 4)
            color = _GOODS[(2 * row + k) % len(_GOODS)]
            blocks.append(Block((high[0] - 0.2, y, z + 0.015), (high[0] - 0.09, y + 0.13 * width, z + tall), color))
    return tuple(blocks)


def _wardrobe(half: float, top: float, *edges: tuple[float, float, float]) -> Opening:
    """A wardrobe with clothes on a rail."""
    low, high = (-0.29, -half, 0.16), (0.264, half, top)
    rail = Block((-0.02, -half, top - 0.12), (0.0, half, top - 0.1), (150, 150, 155))
    steps = round(2 * half / 0.13)
    clothes = tuple(
        Block(
            (-0.2, -half + 0.03 + 0.13 * k, 0.55 + 0.12 * (k % 3)),
            (0.18, -half + 0.09 + 0.13 * k, top - 0.13),
            _CLOTHES[k % len(_CLOTHES)],
        )
        for k in range(steps)
        if k % 4 != 3
    )
    doors = _doors(0.2645, (0.15, top + 0.1), *edges)
    # A door whose hinge is not at an outer edge needs a partition to hang on.
    middle = [y for y, *_ in edges if abs(y) < half - 0.1]
    walls = tuple(Block((low[0], y - 0.012, low[2]), (high[0] - 0.002, y + 0.012, top), _INSIDE) for y in middle)
    return Opening(doors, (Cavity(low, high, "x", _INSIDE, contents=(rail, *clothes, *walls)),))


def _fridge(face: float, low: tuple[float, float], high: tuple[float, float], *doors: Leaf) -> Opening:
    """A fridge whose interior reaches from ``low`` to ``high`` in y and z."""
    near, far = (-0.2, low[0], low[1]), (face, high[0], high[1])
    room = high[1] - low[1]
    shelves = _shelves(near, far, *(low[1] + room * share for share in (0.0, 0.2, 0.42, 0.62, 0.8)))
    return Opening(doors, (Cavity(near, far, "x", _WHITE, contents=shelves),))


def _fridge_door(x: float, hinge: float, free: float, z: tuple[float, float], angle_deg: float) -> Leaf:
    low, high = min(hinge, free), max(hinge, free)
    return Leaf((x, low, z[0]), (x + 0.13, high, z[1]), (x, hinge, 0.0), "z", angle_deg)


def _chest(back: float) -> Opening:
    """A chest whose lid hangs at the back; it is empty."""
    lid = Leaf((-0.4, -0.5, 0.364), (0.4, 0.5, 0.7), (back, 0.0, 0.365), "y", -104.0)
    return Opening((lid,), (Cavity((back + 0.03, -0.42, 0.04), (back + 0.57, 0.42, 0.365), "z", _DARK),))


def _case(half_m: tuple[float, float], z: tuple[float, float], depth: float) -> Opening:
    """A standing suitcase that opens about its left edge, with clothes in the rear half."""
    outer, inner = half_m
    front = Leaf((-0.001, -0.4, -0.01), (0.2, 0.4, 0.8), (0.0, -outer, 0.0), "z", -118.0)
    folded = tuple(
        Block(
            (-depth, -inner + 0.01, z[0] + 0.02 + (z[1] - z[0]) * k / 5),
            (-0.015, inner - 0.01, z[0] + (z[1] - z[0]) * (k + 1) / 5),
            color,
        )
        for k, color in enumerate(_CLOTHES)
    )
    lining = (186, 170, 140)
    back = Cavity((-depth, -inner, z[0]), (0.0, inner, z[1]), "x", lining, contents=folded)
    lid = Cavity((0.0, -inner, z[0]), (depth, inner, z[1]), "x", lining, side=-1, leaf=0)
    return Opening((front,), (back, lid), cuts=(("x", 0.0),))


def _washer(z: tuple[float, float], half: float, radius: float) -> Opening:
    """A machine with a round door in its front."""
    door = _doors(0.2745, z, (-half, half, -112.0))
    return Opening(door, portholes=(Porthole((0.275, 0.0, (z[0] + z[1]) / 2), radius),))


_TOOLS: Final = tuple(
    Block((-0.09 + 0.025 * k, -0.2, 0.1), (-0.075 + 0.025 * k, 0.16 - 0.03 * k, 0.13), _GOODS[k % 5]) for k in range(7)
)

OPENINGS: Final[Mapping[str, Opening]] = {
    "wardrobe_01": _wardrobe(0.515, 1.88, (-0.536, -0.01, -112.0), (0.536, 0.01, 112.0)),
    "wardrobe_02": _wardrobe(0.715, 2.0, (-0.736, -0.26, -112.0), (0.236, -0.236, 80.0), (0.264, 0.736, -80.0)),
    "wardrobe_03": _wardrobe(0.465, 1.76, (-0.486, -0.01, -112.0), (0.486, 0.01, 112.0)),
    "fridge_01": _fridge(
        0.22, (-0.26, 0.11), (0.26, 1.71),
        _fridge_door(0.2245, 0.3, -0.3, (0.07, 0.742), 115.0), _fridge_door(0.2245, 0.3, -0.3, (0.743, 1.76), 115.0),
    ),
    "fridge_02": _fridge(
        0.26, (-0.42, 0.11), (0.42, 1.76),
        _fridge_door(0.2645, -0.457, -0.1, (0.07, 1.81), -115.0),
        _fridge_door(0.2645, 0.457, -0.095, (0.07, 1.81), 115.0),
    ),
    "fridge_03": _fridge(
        0.235, (-0.18, 0.18), (0.18, 1.37),
        _fridge_door(0.2395, 0.307, -0.307, (0.07, 1.026), 115.0),
        _fridge_door(0.2395, 0.307, -0.307, (1.027, 1.51), 115.0),
    ),
    "stove_01": Opening(
        (Leaf((0.2685, -0.28, 0.165), (0.35, 0.28, 0.67), (0.269, 0.0, 0.172), "y", 88.0),),
        (
            Cavity(
                (-0.24, -0.22, 0.2), (0.269, 0.22, 0.6), "x", _DARK,
                contents=tuple(Block((-0.2, -0.21, z), (0.25, 0.21, z + 0.008), (150, 150, 152)) for z in (0.3, 0.45)),
            ),
        ),
    ),
    "stove_02": Opening(
        _doors(0.3025, (0.3, 0.63), (-0.2, 0.2, -105.0)),
        (
            Cavity(
                (-0.15, -0.17, 0.33), (0.303, 0.17, 0.6), "x", (22, 20, 20),
                contents=tuple(Block((-0.1, y, 0.33), (0.22, y + 0.08, 0.41), _LOG) for y in (-0.14, -0.03, 0.07)),
            ),
        ),
    ),
    "microwave_01": Opening(
        _doors(0.1965, (0.72, 1.0), (-0.251, 0.104, -108.0)),
        (Cavity((-0.15, -0.23, 0.745), (0.197, 0.09, 0.975), "x", (214, 212, 204)),),
    ),
    "washing_machine_01": _washer((0.21, 0.63), 0.201, 0.145),
    "washing_machine_02": Opening(
        (Leaf((-0.141, -0.27, 0.944), (0.27, 0.27, 0.98), (-0.115, 0.0, 0.955), "y", -78.0),),
        (Cavity((-0.1, -0.21, 0.35), (0.22, 0.21, 0.95), "z", (170, 172, 176)),),
    ),
    "washing_machine_03": _washer((0.31, 0.81), 0.245, 0.178),
    "treasure_chest_01": _chest(-0.31),
    "treasure_chest_02": Opening(
        (Leaf((-0.5, -0.5, 0.35), (-0.146, 0.5, 1.0), (-0.147, 0.0, 0.365), "y", closed_deg=95.0),), is_drawn_open=True
    ),
    "treasure_chest_03": _chest(-0.317),
    "toolbox_01": Opening(
        (Leaf((-0.13, -0.26, 0.199), (0.12, 0.26, 0.35), (-0.124, 0.0, 0.2), "y", -105.0),),
        (Cavity((-0.11, -0.235, 0.02), (0.1, 0.235, 0.2), "z", (70, 30, 28), contents=_TOOLS),),
    ),
    "suitcase_01": _case((0.238, 0.21), (0.09, 0.67), 0.11),
    "suitcase_02": _case((0.33, 0.3), (0.03, 0.42), 0.09),
    "toilet_01": Opening((Leaf((-0.18, -0.2, 0.4295), (0.36, 0.2, 0.46), (-0.15, 0.0, 0.44), "y", -86.0),)),
    "toilet_03": Opening(
        (Leaf((-0.23, -0.2, 0.41), (-0.1, 0.2, 0.94), (-0.15, 0.0, 0.435), "y", closed_deg=97.0),), is_drawn_open=True
    ),
    "cardboard_boxes_01": Opening(
        (
            Leaf((0.276, -0.42, 0.28), (0.52, 0.39, 0.46), (0.276, 0.0, 0.45), "y", closed_deg=-215.0),
            Leaf((-0.52, -0.42, 0.23), (-0.324, 0.39, 0.46), (-0.324, 0.0, 0.45), "y", closed_deg=230.0),
            Leaf((-0.33, 0.383, 0.28), (0.28, 0.66, 0.46), (0.0, 0.384, 0.45), "x", closed_deg=203.0),
            Leaf((-0.33, -0.66, 0.28), (0.28, -0.415, 0.46), (0.0, -0.416, 0.45), "x", closed_deg=-218.0),
        ),
        is_drawn_open=True,
    ),
    "umbrella_01": Opening(ribs=Ribs((0.0, 0.0, 2.3), (0.0, 0.0, 1.0)), is_drawn_open=True),
    "umbrella_03": Opening(ribs=Ribs((0.11, 0.0, 1.854), (0.27564, 0.0, 0.96126)), is_drawn_open=True),
    "umbrella_04": Opening(ribs=Ribs((0.0, 0.0, 2.4), (0.0, 0.0, 1.0)), is_drawn_open=True),
}  # fmt: skip
"""By name of the object. What is not here cannot open, nor can what was imported."""
