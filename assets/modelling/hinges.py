"""Hinges of objects: doors, lids, flaps and canopies of a mesh, rotated by the share by which the object is open.

The catalogue's mesh of an object has no hinges; it is modelled closed, or open. An :class:`Opening` is data beside it:
which connected pieces turn about which axis, by which angle, and what is visible behind them.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from caos.assets.mesh import Mesh, Part, join, rotation, translation
from caos.assets.modelling import finishes
from caos.assets.modelling.assembly import slab
from caos.assets.modelling.cutting import Axis, clipped, connected
from caos.assets.modelling.shapes import cylinder, quad

Vector = tuple[float, float, float]
Color = tuple[int, int, int]
Floats = NDArray[np.float64]
AXES: Final[tuple[Axis, Axis, Axis]] = ("x", "y", "z")
BOX_SLACK_M: Final = 1e-4
MOUTH_M: Final = 0.01
"""A cavity begins this far behind the face it is cut into: the faces of rounded boxes are that uneven."""
LAG_SHARE: Final = 0.25
"""Each leaf begins to turn so much of its own time later than the one before it."""
FOLDED_DEG: Final = 86.0
"""Of ribs below the horizontal, folded: nearly along the pole."""


@dataclass(frozen=True)
class Leaf:
    """A door, lid or flap.

    Attributes:
        low: Lowest corner of a box; the pieces of the mesh that lie wholly in it form the leaf.
        high: Highest corner of the box.
        at: A point of the hinge's axis.
        axis: See :func:`caos.assets.mesh.rotation` for which way is positive.
        open_deg: Angle when open, relative to the catalogue's mesh.
        closed_deg: Angle when closed; one of the two is 0.
    """

    low: Vector
    high: Vector
    at: Vector
    axis: Axis
    open_deg: float = 0.0
    closed_deg: float = 0.0

    def placed(self, share: float) -> Floats:
        """4x4 matrix that turns the leaf from its pose in the catalogue's mesh."""
        angle_deg = self.closed_deg + share * (self.open_deg - self.closed_deg)
        x, y, z = self.at
        turned: Floats = translation(x, y, z) @ rotation(self.axis, angle_deg) @ translation(-x, -y, -z)
        return turned


@dataclass(frozen=True)
class Block:
    """Box of one colour: an item in a cavity."""

    low: Vector
    high: Vector
    color: Color


@dataclass(frozen=True)
class Cavity:
    """Hollow space behind a leaf.

    Attributes:
        low: Lowest corner of the cavity's box, which is open where it meets the face of the body.
        high: Highest corner of the box.
        face: Axis normal to the open side.
        side: 1 if the open side is at the upper end of that axis, -1 at the lower.
        color: Colour of the walls, RGB 0..255.
        contents: Boxes inside.
        leaf: Index of the leaf that the cavity belongs to; None for the body.
    """

    low: Vector
    high: Vector
    face: Axis
    color: Color
    side: Literal[-1, 1] = 1
    contents: tuple[Block, ...] = ()
    leaf: int | None = None


@dataclass(frozen=True)
class Porthole:
    """Round opening behind a leaf: a dark disc with a rim, facing along x."""

    center: Vector
    radius_m: float


@dataclass(frozen=True)
class Ribs:
    """Canopy of an umbrella: pieces farther than ``least_m`` from the pole fold down to it about the hub.

    Attributes:
        hub: Point where the ribs meet.
        pole: Direction of the pole, upwards.
        least_m: Pieces that reach no farther than this from the pole are not part of the canopy.
        lowest_m: Neither are pieces that reach lower than this below the hub.
    """

    hub: Vector
    pole: Vector
    least_m: float = 0.4
    lowest_m: float = 1.0


@dataclass(frozen=True)
class Opening:
    """Moving pieces of an object and what they reveal.

    Attributes:
        leaves: Doors, lids and flaps.
        cavities: Hollow spaces behind them.
        cuts: Planes (axis and coordinate) at which solid pieces are divided first.
        ribs: The canopy of an umbrella.
        portholes: Round openings.
        is_drawn_open: Whether the catalogue's mesh is open.
    """

    leaves: tuple[Leaf, ...] = ()
    cavities: tuple[Cavity, ...] = ()
    cuts: tuple[tuple[Axis, float], ...] = ()
    ribs: Ribs | None = None
    portholes: tuple[Porthole, ...] = ()
    is_drawn_open: bool = False

    @property
    def drawn_share(self) -> float:
        """Share by which the catalogue's mesh is open: 0 or 1."""
        return 1.0 if self.is_drawn_open else 0.0


def opened(mesh: Mesh, opening: Opening, share: float) -> Mesh:
    """Open an object of the catalogue by a share in 0..1; at the share of the catalogue's mesh, return that mesh."""
    if share == opening.drawn_share:
        return mesh
    if opening.ribs is not None:
        return Mesh(tuple(_folded(piece, opening.ribs, share) for piece in connected(mesh)))
    body, leaves = _kept_pieces(mesh, opening)
    turned = [
        piece.transformed(leaf.placed(leaf_share(share, number, len(opening.leaves))))
        for number, (leaf, pieces) in enumerate(zip(opening.leaves, leaves, strict=True))
        for piece in pieces
    ]
    return join([*body, *turned])


@functools.lru_cache(maxsize=8)
def _kept_pieces(mesh: Mesh, opening: Opening) -> tuple[list[Part], list[list[Part]]]:
    return opening_pieces(mesh, opening)


def leaf_share(share: float, number: int, leaves: int) -> float:
    """Share by which one of several leaves is open; they open one after another, with eased start and end."""
    own = share * (1 + LAG_SHARE * (leaves - 1)) - LAG_SHARE * number
    return _eased(min(max(own, 0.0), 1.0))


def _eased(share: float) -> float:
    return share * share * (3 - 2 * share)


def opening_pieces(mesh: Mesh, opening: Opening) -> tuple[list[Part], list[list[Part]]]:
    """Split the catalogue's mesh into the body (with its cavities) and the pieces of each leaf."""
    pieces = list(connected(mesh))
    for axis, at in opening.cuts:
        halves = [clipped(piece, axis, at, side) for piece in pieces for side in (-1, 1)]
        pieces = [half for half in halves if half is not None]
    groups: list[list[Part]] = [[] for _ in range(len(opening.leaves) + 1)]
    for piece in pieces:
        groups[_owner(piece, opening.leaves)].append(piece)
    for cavity in opening.cavities:
        number = -1 if cavity.leaf is None else cavity.leaf
        groups[number] = _hollowed(groups[number], cavity)
    for mouth in opening.portholes:
        groups[-1] += _porthole(mouth)
    return groups[-1], groups[:-1]


def _owner(piece: Part, leaves: Sequence[Leaf]) -> int:
    """Index of the leaf that a piece belongs to; -1 for the body."""
    low, high = piece.vertices.min(0), piece.vertices.max(0)
    for number, leaf in enumerate(leaves):
        if (low >= np.subtract(leaf.low, BOX_SLACK_M)).all() and (high <= np.add(leaf.high, BOX_SLACK_M)).all():
            return number
    return -1


def _hollowed(pieces: Sequence[Part], cavity: Cavity) -> list[Part]:
    """Cut the solid piece around a cavity open and add a rim, walls and contents."""
    k = "xyz".index(cavity.face)
    across = [i for i in range(3) if i != k]
    out: list[Part] = []
    for piece in pieces:
        low, high = piece.vertices.min(0), piece.vertices.max(0)
        holds = all(low[i] <= cavity.low[i] and high[i] >= cavity.high[i] for i in across)
        end = float(high[k] if cavity.side > 0 else low[k])
        inner = cavity.high[k] if cavity.side > 0 else cavity.low[k]
        solid = holds and low[k] <= cavity.low[k] + MOUTH_M and high[k] >= cavity.high[k] - MOUTH_M
        if not solid or abs(end - inner) > 0.01:
            out += _outside(piece, cavity)
            continue
        at = end - cavity.side * MOUTH_M
        rest = clipped(piece, cavity.face, at, -1 if cavity.side > 0 else 1)
        assert rest is not None
        edge = rest.vertices[np.abs(rest.vertices[:, k] - at) < BOX_SLACK_M]
        out += [rest, *_rim(edge.min(0), edge.max(0), cavity, at, piece)]
    return [*out, *_walls(cavity), *(_content(block) for block in cavity.contents)]


def _outside(piece: Part, cavity: Cavity) -> list[Part]:
    """Clip a piece to the outside of a cavity."""
    if (piece.vertices.max(0) <= cavity.low).any() or (piece.vertices.min(0) >= cavity.high).any():
        return [piece]
    out, rest = [], [piece]
    for axis, low, high in zip(AXES, cavity.low, cavity.high, strict=True):
        out += [part for one in rest if (part := clipped(one, axis, low - BOX_SLACK_M, -1))]
        rest = [part for one in rest if (part := clipped(one, axis, low - BOX_SLACK_M, 1))]
        out += [part for one in rest if (part := clipped(one, axis, high + BOX_SLACK_M, 1))]
        rest = [part for one in rest if (part := clipped(one, axis, high + BOX_SLACK_M, -1))]
    return out


def _rim(low: NDArray[np.float32], high: NDArray[np.float32], cavity: Cavity, at: float, like: Part) -> list[Part]:
    """Four strips in the plane of the open side, between the outline of the body and the cavity."""
    k = "xyz".index(cavity.face)
    i, j = [n for n in range(3) if n != k]
    inner_low, inner_high = cavity.low, cavity.high
    spans = [
        ((low[i], inner_low[i]), (low[j], high[j])),
        ((inner_high[i], high[i]), (low[j], high[j])),
        ((inner_low[i], inner_high[i]), (low[j], inner_low[j])),
        ((inner_low[i], inner_high[i]), (inner_high[j], high[j])),
    ]
    strips = []
    for (i0, i1), (j0, j1) in spans:
        if i1 - i0 > BOX_SLACK_M and j1 - j0 > BOX_SLACK_M:
            corner, u, v = np.zeros(3), np.zeros(3), np.zeros(3)
            corner[[i, j, k]], u[i], v[j] = (i0, j0, at), i1 - i0, j1 - j0
            strip = quad(corner, u, v, like.material)
            strips.append(strip if like.uv is not None else replace(strip, uv=None))
    return strips


def _walls(cavity: Cavity) -> list[Part]:
    """Five walls that face inward."""
    material = finishes.matt(cavity.color)
    k = "xyz".index(cavity.face)
    low, high = np.array(cavity.low), np.array(cavity.high)
    out = []
    for axis in range(3):
        i, j = [n for n in range(3) if n != axis]
        for end, corner in ((-1, low), (1, high)):
            if axis == k and end == cavity.side:
                continue
            u, v = np.zeros(3), np.zeros(3)
            # The corner gives the coordinate along the axis; the other two coordinates start at the low corner.
            start = low.copy()
            start[axis] = corner[axis]
            u[i], v[j] = high[i] - low[i], high[j] - low[j]
            faces_in = np.cross(u, v)[axis] * end < 0
            out.append(quad(start, u, v, material) if faces_in else quad(start, v, u, material))
    return out


def _content(block: Block) -> Part:
    return slab(block.low, block.high, finishes.matt(block.color))


def _porthole(mouth: Porthole) -> list[Part]:
    x, y, z = mouth.center
    rim = cylinder((x - 0.002, y, z), (x + 0.001, y, z), 1.12 * mouth.radius_m, finishes.rubber(), detail=32)
    dark = finishes.matt((14, 14, 16))
    return [rim, cylinder((x - 0.001, y, z), (x + 0.002, y, z), mouth.radius_m, dark, detail=32)]


def _folded(piece: Part, ribs: Ribs, share: float) -> Part:
    """Rotate the vertices of a canopy piece about the hub towards the pole; return other pieces unchanged."""
    rel = piece.vertices.astype(np.float64) - ribs.hub
    along = rel @ np.array(ribs.pole)
    out = rel - along[:, None] * ribs.pole
    radius = np.linalg.norm(out, axis=1)
    if radius.max() < ribs.least_m or along.min() < -ribs.lowest_m:
        return piece
    below = np.arctan2(-along, np.maximum(radius, 1e-9))
    turned = below + (1 - _eased(share)) * np.maximum(np.radians(FOLDED_DEG) - below, 0.0)
    reach = np.hypot(radius, along)
    outward = out / np.maximum(radius, 1e-9)[:, None]
    moved = outward * (reach * np.cos(turned))[:, None] - np.outer(reach * np.sin(turned), ribs.pole)
    return replace(piece, vertices=(moved + ribs.hub).astype(np.float32))
