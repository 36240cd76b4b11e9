"""Street lights and traffic lights. Poles carry the tag POLE, traffic-light heads TRAFFIC_LIGHT.

Origin at the foot of the pole. A street light's arm reaches towards +x. A traffic light's heads face +x and its mast
arm runs along +y: for traffic driving towards -x, the pole stands on the right of the road and the arm reaches over it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from caos.assets.mesh import Mesh, translation
from caos.assets.modelling.shapes import lathe
from caos.assets.street.buildings.finishes import GALVANIZED, TRIMS, timber
from caos.assets.street.canvas import Canvas, Finish, plain
from caos.assets.tags import SemanticTag
from caos.foundation.errors import unknown

_STEEL = plain("lamp post steel", (0.3, 0.31, 0.32), "plastic", 0.45)
_PAINTED = plain("lamp post green", (0.022, 0.045, 0.034), "plastic", 0.4)
_DARK = plain("lamp post dark", (0.04, 0.042, 0.045), "plastic", 0.4)
_CONCRETE = plain("post concrete", (0.3, 0.29, 0.275))
_LENS = plain("street lamp", (9.0, 7.4, 5.0), "emissive")
_OPAL = plain("street lantern", (6.0, 4.7, 3.0), "emissive")
Offsets = tuple[tuple[float, float, float], ...]


def _pole(canvas: Canvas, height: float, foot: float, top: float, finish: Finish) -> None:
    canvas.tube([[0, -0.3, 0], [0, height, 0]], [foot, top], finish, detail=12)
    canvas.boxes([[-0.17, -0.3, -0.17]], [[0.17, 0.04, 0.17]], _CONCRETE, skip="v")
    canvas.boxes([[-0.05, 0.6, foot * 0.6]], [[0.05, 1.0, foot + 0.012]], finish, skip="n")


def _cobra_head(canvas: Canvas, n: float, v: float) -> None:
    """A long flat luminaire that hangs at the end of an arm."""
    sections = []
    for t, w, h in ((0.0, 0.05, 0.05), (0.12, 0.12, 0.1), (0.4, 0.16, 0.13), (0.68, 0.12, 0.07), (0.74, 0.03, 0.02)):
        sections.append(
            [
                [-w, v - 0.02, n + t],
                [w, v - 0.02, n + t],
                [w * 0.8, v + h * 0.7, n + t],
                [0, v + h, n + t],
                [-w * 0.8, v + h * 0.7, n + t],
            ]
        )
    from caos.assets.modelling.shapes import loft

    canvas.add(loft(sections, _STEEL.material))
    canvas.boxes([[-0.1, v - 0.045, n + 0.2]], [[0.1, v - 0.02, n + 0.62]], _LENS, skip="V")


def _arm(canvas: Canvas, v: float, reach: float, lift: float, finish: Finish, radius: float = 0.035) -> None:
    t = np.linspace(0, 1, 7)
    path = np.stack([np.zeros(7), v + lift * np.sin(t * np.pi / 2), reach * t], 1)
    canvas.tube(path, radius, finish, detail=8)


def _cobra(canvas: Canvas) -> None:
    _pole(canvas, 8.2, 0.11, 0.06, _STEEL)
    _arm(canvas, 8.1, 2.0, 0.55, _STEEL)
    _cobra_head(canvas, 1.9, 8.63)


def _double(canvas: Canvas) -> None:
    _pole(canvas, 9.2, 0.13, 0.07, _STEEL)
    for turn in (0, 180):
        view = canvas.turned(turn)
        _arm(view, 9.1, 1.8, 0.5, _STEEL)
        _cobra_head(view, 1.7, 9.58)


def _modern(canvas: Canvas) -> None:
    _pole(canvas, 6.6, 0.08, 0.055, _DARK)
    canvas.boxes([[-0.035, 6.52, -0.1]], [[0.035, 6.58, 1.0]], _DARK)
    canvas.boxes([[-0.15, 6.47, 0.35]], [[0.15, 6.53, 1.15]], _DARK)
    canvas.boxes([[-0.12, 6.455, 0.42]], [[0.12, 6.47, 1.08]], _LENS, skip="V")


def _upright(canvas: Canvas, profile: list[tuple[float, float]], finish: Finish, detail: int = 16) -> None:
    """Surface of revolution about the pole's vertical axis."""
    part = lathe(profile, finish.material, detail=detail)
    turn = np.eye(4)
    turn[:3, :3] = [[1, 0, 0], [0, 0, 1], [0, -1, 0]]
    canvas.add(part.transformed(turn))


def _lantern(canvas: Canvas) -> None:
    shaft = [
        (0.0, -0.3),
        (0.19, -0.3),
        (0.19, 0.12),
        (0.14, 0.2),
        (0.12, 0.75),
        (0.15, 0.8),
        (0.075, 0.9),
        (0.06, 2.4),
        (0.09, 2.45),
        (0.05, 2.52),
        (0.042, 3.3),
        (0.1, 3.36),
        (0.06, 3.42),
    ]
    _upright(canvas, shaft, _PAINTED)
    canvas.tube([[-0.4, 3.05, 0], [0.4, 3.05, 0]], 0.018, _PAINTED, detail=6)
    glass = _polygon_rings(((0.13, 3.42), (0.24, 3.95)))
    canvas.quads(glass, _OPAL)
    ribs = [
        np.array([[r * np.cos(a), v, r * np.sin(a)] for r, v in ((0.135, 3.42), (0.245, 3.95))])
        for a in np.arange(6) * np.pi / 3
    ]
    for rib in ribs:
        canvas.tube(rib, 0.014, _PAINTED, detail=4)
    _upright(canvas, [(0.27, 3.95), (0.28, 3.98), (0.16, 4.12), (0.05, 4.2), (0.03, 4.3), (0.0, 4.34)], _PAINTED, 6)


def _polygon_rings(rings: tuple[tuple[float, float], tuple[float, float]]) -> NDArray[np.float64]:
    """Six upright panes between two hexagons (radius, height), facing outward."""
    a = -np.arange(7) * np.pi / 3
    (r0, v0), (r1, v1) = rings
    low = np.stack([r0 * np.cos(a), np.full(7, v0), r0 * np.sin(a)], 1)
    high = np.stack([r1 * np.cos(a), np.full(7, v1), r1 * np.sin(a)], 1)
    return np.stack([low[:-1], low[1:], high[1:], high[:-1]], 1)


def _globe(canvas: Canvas) -> None:
    _pole(canvas, 3.6, 0.07, 0.05, _DARK)
    t = np.linspace(0, np.pi, 10)
    _upright(canvas, [(0.24 * np.sin(a), 3.85 - 0.24 * np.cos(a)) for a in t], _OPAL, 20)
    _upright(canvas, [(0.06, 3.55), (0.12, 3.6), (0.1, 3.66)], _DARK)


def _wood(canvas: Canvas) -> None:
    """A wooden utility pole with a cross arm, insulators, a transformer and a lamp."""
    canvas.tube([[0, -0.3, 0], [0, 8.8, 0]], [0.15, 0.1], timber(2), detail=10)
    canvas.boxes([[-1.1, 8.2, -0.06]], [[1.1, 8.32, 0.06]], timber(0))
    for u in (-1.0, -0.5, 0.5, 1.0):
        canvas.tube(
            [[u, 8.32, 0], [u, 8.5, 0]], [0.04, 0.025], plain("insulator", (0.4, 0.38, 0.35), "plastic", 0.2), detail=8
        )
    canvas.tube([[0.3, 6.6, 0], [0.3, 7.5, 0]], 0.2, GALVANIZED, detail=12)
    _arm(canvas, 6.2, 1.3, 0.35, GALVANIZED, 0.025)
    _cobra_head(canvas, 1.2, 6.54)


_STREET: dict[str, tuple[Callable[[Canvas], None], Offsets]] = {
    "cobra": (_cobra, ((2.3, 0.0, 8.55),)),
    "double": (_double, ((2.1, 0.0, 9.5), (-2.1, 0.0, 9.5))),
    "modern": (_modern, ((0.75, 0.0, 6.4),)),
    "lantern": (_lantern, ((0.0, 0.0, 3.7),)),
    "globe": (_globe, ((0.0, 0.0, 3.85),)),
    "wood": (_wood, ((1.6, 0.0, 6.45),)),
}
STREET_LIGHTS = tuple(_STREET)


def _known_light(kind: str) -> tuple[Callable[[Canvas], None], Offsets]:
    if kind not in _STREET:
        raise unknown("street light", kind, _STREET)
    return _STREET[kind]


@cache
def street_light(kind: str) -> Mesh:
    """A street light of one of ``STREET_LIGHTS``; the lamp itself is emissive."""
    draw, _ = _known_light(kind)
    canvas = Canvas(SemanticTag.POLE)
    draw(canvas)
    return canvas.mesh()


def lamp_offset(kind: str) -> Offsets:
    """Positions (x, y, z) of the lamps of a street light relative to its foot, metres."""
    return _known_light(kind)[1]


TRAFFIC_POLES = ("post", "mast")
_BLACK = plain("signal housing", (0.018, 0.019, 0.02), "plastic", 0.45)
STATES = ("red", "yellow", "red_yellow", "green", "off")
_LAMPS = {"red": (0.30, (14.0, 0.7, 0.25)), "yellow": (0.0, (13.0, 6.0, 0.3)), "green": (-0.30, (0.5, 11.0, 4.2))}
_UNLIT = {"red": (0.055, 0.008, 0.006), "yellow": (0.06, 0.036, 0.006), "green": (0.006, 0.04, 0.022)}


def _known_pole(kind: str) -> None:
    if kind not in TRAFFIC_POLES:
        raise unknown("traffic-light pole", kind, TRAFFIC_POLES)


@cache
def traffic_light_pole(kind: str = "post", arm_m: float = 5.0) -> Mesh:
    """A post of 3.4 m, or a mast with an arm of ``arm_m`` along +y at 6 m; without the heads."""
    _known_pole(kind)
    canvas = Canvas(SemanticTag.POLE)
    if kind == "post":
        _pole(canvas, 3.45, 0.07, 0.06, _DARK)
    else:
        _pole(canvas, 6.3, 0.14, 0.09, _STEEL)
        canvas.tube([[0, 5.9, 0], [-arm_m * 0.5, 6.1, 0], [-arm_m, 6.15, 0]], [0.085, 0.07, 0.05], _STEEL, detail=10)
        canvas.tube([[0, 5.0, 0], [-min(1.4, arm_m * 0.3), 5.95, 0]], 0.03, _STEEL, detail=6)
    canvas.boxes([[-0.09, 1.0, 0.05]], [[0.09, 1.22, 0.16]], plain("push button", (0.45, 0.27, 0.02), "plastic", 0.4))
    canvas.boxes([[-0.02, 1.06, 0.16]], [[0.02, 1.1, 0.17]], TRIMS["black"], skip="n")
    return canvas.mesh()


def traffic_light_head_poses(kind: str = "post", arm_m: float = 5.0) -> tuple[NDArray[np.float64], ...]:
    """Matrices ``pole_from_head`` (4x4), one for each head that belongs on the pole."""
    _known_pole(kind)
    low = translation(0.1, 0, 2.85)
    if kind == "post":
        return (low,)
    heads = [translation(0.1, arm_m * 0.97, 5.95)]
    if arm_m > 6:
        heads.append(translation(0.12, arm_m * 0.5, 5.9))
    return (*heads, low)


@cache
def traffic_light_head(state: str = "off") -> Mesh:
    """A head with three lamps; ``state`` in ``STATES``. Origin at the middle of its back; it faces +x."""
    if state not in STATES:
        raise unknown("traffic-light state", state, STATES)
    lit = () if state == "off" else tuple(state.split("_"))
    canvas = Canvas(SemanticTag.TRAFFIC_LIGHT)
    canvas.boxes([[-0.16, -0.48, 0.0]], [[0.16, 0.48, 0.16]], _BLACK)
    canvas.boxes([[-0.27, -0.6, 0.015]], [[0.27, 0.6, 0.035]], _BLACK)
    border = plain("signal border", (0.55, 0.55, 0.53), "plastic", 0.5)
    canvas.boxes(
        [[-0.275, -0.605, 0.012], [0.255, -0.605, 0.012], [-0.275, 0.585, 0.012], [-0.275, -0.605, 0.012]],
        [[-0.255, 0.605, 0.038], [0.275, 0.605, 0.038], [0.275, 0.605, 0.038], [0.275, -0.585, 0.038]],
        border,
    )
    for name, (v, color) in _LAMPS.items():
        finish = (
            plain(f"{name} lamp", color, "emissive")
            if name in lit
            else plain(f"{name} lens", _UNLIT[name], "glass", 0.1)
        )
        _lamp(canvas.moved(0, v, 0.16), finish)
    canvas.boxes([[-0.03, -0.4, -0.12], [-0.03, 0.34, -0.12]], [[0.03, -0.34, 0.0], [0.03, 0.4, 0.0]], _BLACK)
    return canvas.mesh()


def _lamp(canvas: Canvas, finish: Finish) -> None:
    """A round lens under a visor."""
    angle = np.linspace(0, 2 * np.pi, 21)[:-1]
    rim = np.stack([0.11 * np.cos(angle), 0.11 * np.sin(angle), np.full(20, 0.008)], 1)
    canvas.polygon(rim, finish)
    arc = np.radians(np.linspace(-25, 205, 14))
    outer = np.stack([0.135 * np.cos(arc), 0.135 * np.sin(arc)], 1)
    near = np.concatenate([outer, np.zeros((14, 1))], 1)
    # Visors are longer above than at the sides.
    far = np.concatenate([outer, (0.07 + 0.13 * np.clip(np.sin(arc), 0, 1))[:, None]], 1)
    shell = np.stack([near[:-1], near[1:], far[1:], far[:-1]], 1)
    canvas.quads(np.concatenate([shell, shell[:, ::-1]]), _BLACK)
