"""Wheels: tyre, rim, spokes and brake disc, about the y axis with the outer face towards +y."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from caos.assets.mesh import Material, Mesh, Part, join, rotation, translation
from caos.assets.modelling.shapes import cylinder, lathe, loft
from caos.assets.street.vehicles import finishes

_UPRIGHT = rotation("x", -90)  # turns the lathe's z axis to +y


@dataclass(frozen=True)
class WheelStyle:
    """Appearance of a wheel.

    Attributes:
        rim: Rim radius as a share of the wheel's radius.
        spokes: Number of spokes; 0 is a steel disc with a hub cap.
        spoke_width: Width of a spoke at the rim in shares of the wheel's radius.
        finish: Material of the rim.
        twin: Spokes come in pairs.
    """

    rim: float = 0.7
    spokes: int = 5
    spoke_width: float = 0.17
    finish: Material = finishes.ALLOY
    twin: bool = False


def wheel(radius: float, width: float, style: WheelStyle, *, detail: int = 28) -> Mesh:
    """A wheel centred on the origin, its axis along y, the outer face at ``+width / 2``."""
    rim = radius * style.rim
    half = width / 2
    parts: list[Part | Mesh] = [_tyre(radius, rim, half, detail), *_barrel(rim, half, style, detail)]
    parts += _spokes(rim, half, style) if style.spokes else _cap(rim, half, style, detail)
    return join(parts)


def _tyre(radius: float, rim: float, half: float, detail: int) -> Part:
    r = radius
    side = [
        (rim, 0.80),
        (rim + 0.3 * (r - rim), 1.0),
        (rim + 0.8 * (r - rim), 0.95),
        (r * 0.995, 0.75),
        (r, 0.5),
    ]
    profile = [(q, -s * half) for q, s in side] + [(q, s * half) for q, s in reversed(side)]
    return lathe(profile, finishes.RUBBER, detail=detail).transformed(_UPRIGHT)


def _barrel(rim: float, half: float, style: WheelStyle, detail: int) -> list[Part]:
    lip = lathe(
        [(rim * 0.93, 0.45 * half), (rim * 0.95, 0.78 * half), (rim * 1.0, 0.86 * half), (rim * 1.015, 0.8 * half)][
            ::-1
        ],
        style.finish,
        detail=detail,
    )
    well = lathe(
        [(0.0, -0.1 * half), (rim * 0.94, -0.1 * half), (rim * 0.94, 0.5 * half)][::-1],
        finishes.WELL,
        detail=detail,
        smooth=False,
    )
    disc = lathe([(rim * 0.62, 0.1 * half), (0.0, 0.1 * half)], finishes.STEEL, detail=20, smooth=False)
    return [p.transformed(_UPRIGHT) for p in (lip, well, disc)]


def _spokes(rim: float, half: float, style: WheelStyle) -> list[Part]:
    parts = [cylinder((0, 0.2 * half, 0), (0, 0.72 * half, 0), 0.2 * rim, style.finish, detail=16)]
    parts.append(cylinder((0, 0.6 * half, 0), (0, 0.76 * half, 0), 0.11 * rim, finishes.DARK_ALLOY, detail=12))
    turns = np.arange(style.spokes) * 360 / style.spokes
    offsets = (-0.28, 0.28) if style.twin else (0.0,)
    for turn in turns:
        for offset in offsets:
            bar = _spoke(rim, half, style, 360 / style.spokes * offset)
            parts.append(bar.transformed(rotation("y", float(turn) + 8)))
    return parts


def _spoke(rim: float, half: float, style: WheelStyle, slant_deg: float) -> Part:
    """A bar from hub to rim along +z, arched outwards, its outer end turned by ``slant_deg``."""
    width = style.spoke_width * rim * (0.55 if style.twin else 1)
    reach = np.array([0.12, 0.45, 0.8, 0.97])
    face = np.array([0.7, 0.74, 0.76, 0.74]) * half
    wide = width * np.array([1.15, 0.9, 0.85, 1.1])
    slant = np.sin(np.radians(slant_deg)) * np.array([0.1, 0.5, 0.85, 1.0]) * rim
    sections = []
    for r, y, w, s in zip(reach * rim, face, wide, slant, strict=True):
        low = y - 0.32 * half
        sections.append([(s - w / 2, low, r), (s + w / 2, low, r), (s + w / 2, y, r), (s - w / 2, y, r)])
    return loft(np.array(sections), style.finish, smooth=False)


def _cap(rim: float, half: float, style: WheelStyle, detail: int) -> list[Part]:
    profile = [
        (rim * 0.95, 0.55 * half),
        (rim * 0.8, 0.62 * half),
        (rim * 0.45, 0.55 * half),
        (rim * 0.4, 0.78 * half),
        (0, 0.82 * half),
    ]
    disc = lathe(profile, style.finish, detail=detail)
    bolts = [
        cylinder(
            (rim * 0.6 * np.cos(a), 0.52 * half, rim * 0.6 * np.sin(a)),
            (rim * 0.6 * np.cos(a), 0.66 * half, rim * 0.6 * np.sin(a)),
            rim * 0.05,
            finishes.DARK_ALLOY,
            detail=6,
        )
        for a in np.arange(6) * np.pi / 3
    ]
    return [disc.transformed(_UPRIGHT), *bolts]


def placed_wheel(mesh: Mesh, x: float, y: float, radius: float) -> Mesh:
    """A wheel placed at its axle, mirrored on the left side so that its outer face points outward."""
    turned = mesh if y > 0 else mesh.transformed(rotation("z", 180))
    return Mesh(tuple(on_axle(turned.transformed(translation(x, y, radius)).parts, x, radius)))


def on_axle(parts: Iterable[Part], x: float, z: float) -> list[Part]:
    """Set the axle that the parts of a wheel turn about."""
    return [replace(part, axle=(x, z)) for part in parts]
