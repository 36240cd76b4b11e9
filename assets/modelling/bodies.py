"""Organic bodies: limbs and masses blended into one surface, and the four-legged animal shared by many kinds."""

# ruff: noqa: RUF005 - sums of an array and a tuple are vectors here

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from caos.assets.mesh import Material, Mesh, Part
from caos.assets.modelling.assembly import mirrored, turned
from caos.assets.modelling.shapes import Distance, ball, blend, blob, ellipsoid, rod, sweep

Point = Sequence[float] | NDArray[np.float64]
Vector = NDArray[np.float64]


class Body:
    """Collect limbs (rods) and masses (balls) and build their surface; ``both`` adds the mirror image across y = 0."""

    def __init__(self) -> None:
        self._shapes: list[Distance] = []
        self._low, self._high = np.full(3, np.inf), np.full(3, -np.inf)

    def rod(self, a: Point, b: Point, ra: float, rb: float | None = None, *, both: bool = False) -> Body:
        """A limb between two points, round, tapering from ``ra`` to ``rb``."""
        r = max(ra, ra if rb is None else rb)
        for start, end in self._sides(a, b, both=both):
            self._shapes.append(rod(start, end, ra, rb))
            self._reach(np.minimum(start, end) - r, np.maximum(start, end) + r)
        return self

    def chain(self, points: Sequence[Point], radii: Point, *, both: bool = False) -> Body:
        """Limbs end to end through the points, with a radius at each."""
        for i in range(len(points) - 1):
            self.rod(points[i], points[i + 1], float(radii[i]), float(radii[i + 1]), both=both)
        return self

    def ball(self, center: Point, radii: float | Point, *, both: bool = False) -> Body:
        """An ellipsoid."""
        r = np.broadcast_to(np.asarray(radii, dtype=np.float64), (3,))
        for c, _ in self._sides(center, center, both=both):
            self._shapes.append(ball(c, r))
            self._reach(c - r, c + r)
        return self

    def skin(self, material: Material, *, cell_m: float, soft: float) -> Part:
        """Surface around everything added, blended over ``soft`` metres."""
        return blob(blend(*self._shapes, softness=soft), self._low - soft, self._high + soft, material, cell_m=cell_m)

    def _sides(self, a: Point, b: Point, *, both: bool) -> list[tuple[Vector, Vector]]:
        p, q = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
        flip = np.array([1.0, -1.0, 1.0])
        return [(p, q), (p * flip, q * flip)] if both else [(p, q)]

    def _reach(self, low: Vector, high: Vector) -> None:
        self._low, self._high = np.minimum(self._low, low), np.maximum(self._high, high)


@dataclass(frozen=True)
class Beast:
    """Proportions of a four-legged animal, in metres; it stands along x with its head at +x.

    Attributes:
        length: Distance from shoulder to hip.
        shoulder: Height of the shoulder joint above the ground.
        hip: Height of the hip joint above the ground.
        chest: Radius of the trunk at the shoulder.
        rump: Radius of the trunk at the hip.
        belly: Radii of the belly, below the middle.
        spread: Distance of the legs from the plane y = 0.
        leg: Radii of a leg at the top, the knee and the foot.
        neck: End of the neck relative to the shoulder (x, z).
        neck_radii: Radii of the neck at the shoulder and at its end.
        head: Length from skull to nose tip.
        skull: Radii of the skull and of the muzzle.
        nod_deg: Pitch of the nose below the horizontal.
        stride: Distance of the feet along x, as in walking.
        tail: Points of the tail relative to the hip.
        tail_radius: Radius of the tail.
    """

    length: float
    shoulder: float
    hip: float
    chest: float
    rump: float
    belly: tuple[float, float, float]
    spread: float
    leg: tuple[float, float, float]
    neck: tuple[float, float]
    neck_radii: tuple[float, float]
    head: float
    skull: tuple[float, float]
    nod_deg: float = 30
    stride: float = 0.0
    tail: tuple[tuple[float, float], ...] = ((0, 0), (-0.1, -0.3))
    tail_radius: float = 0.03
    digitigrade: float = 0.1


@dataclass
class Head:
    """Frame of the head, to place eyes, ears and horns: skull centre, unit vectors forward and up, and radii."""

    at: Vector
    ahead: Vector
    up: Vector
    length: float
    skull: float
    muzzle: float
    extras: list[Mesh | Part] = field(default_factory=list)

    def point(self, forward: float, side: float, up: float) -> Vector:
        """A point of the head: shares of its length forward, of the skull radius to the side and up."""
        place: Vector = (
            self.at
            + self.ahead * (forward * self.length)
            + np.array([0, side * self.skull, 0])
            + self.up * (up * self.skull)
        )
        return place


def four_legged(beast: Beast) -> tuple[Body, Head]:
    """The animal's body without ears, and its head's frame."""
    b, body = beast, Body()
    front, back = np.array([b.length / 2, 0, b.shoulder]), np.array([-b.length / 2, 0, b.hip])
    body.rod(front, back, b.chest, b.rump)
    body.ball((0, 0, (b.shoulder + b.hip) / 2 - 0.12 * b.chest), b.belly)
    _legs(body, b)
    base = front + (b.neck[0] * 0.15, 0, b.neck[1] * 0.15)
    top = front + (b.neck[0], 0, b.neck[1])
    body.rod(base, top, b.neck_radii[1], b.neck_radii[0])
    nod = np.radians(b.nod_deg)
    ahead, up = np.array([np.cos(nod), 0, -np.sin(nod)]), np.array([np.sin(nod), 0, np.cos(nod)])
    nose = top + ahead * (b.head - b.skull[1])
    body.ball(top, b.skull[0])
    body.rod(top + ahead * b.skull[0] * 0.3, nose, b.skull[0] * 0.8, b.skull[1])
    if b.tail:
        points = [back + (x - 0.6 * b.rump, 0, z + 0.5 * b.rump) for x, z in b.tail]
        body.chain(points, np.linspace(1.15, 0.75, len(points)) * b.tail_radius)
    return body, Head(top, ahead, up, b.head, b.skull[0], b.skull[1])


def _legs(body: Body, b: Beast) -> None:
    for side in (1, -1):
        y = side * b.spread
        step = b.stride * side
        x, h = b.length / 2, b.shoulder
        knee = (x + step * 0.4 + 0.02, y, h * 0.45)
        body.chain([(x, y * 0.8, h * 0.95), knee, (x + step, y, b.leg[2])], b.leg)
        body.ball((x + step + b.leg[2] * 0.5, y, b.leg[2] * 0.7), (b.leg[2] * 1.6, b.leg[2] * 1.25, b.leg[2] * 0.9))
        x, h, k = -b.length / 2, b.hip, b.digitigrade
        stifle = (x + k * 0.9 * h - step * 0.3, y, h * 0.6)
        hock = (x - k * 1.2 * h - step * 0.8, y, h * 0.33)
        body.chain([(x - 0.02, y * 0.8, h), stifle], (b.leg[0] * 1.25, b.leg[0] * 0.95))
        body.chain([stifle, hock, (x - step, y, b.leg[2])], (b.leg[0] * 0.9, b.leg[1], b.leg[2]))
        body.ball((x - step + b.leg[2] * 0.5, y, b.leg[2] * 0.7), (b.leg[2] * 1.6, b.leg[2] * 1.25, b.leg[2] * 0.9))


def eyes(head: Head, material: Material, *, forward: float = 0.3, up: float = 0.45, size: float = 0.16) -> Mesh:
    """Two eyes on the sides of the head."""
    c = head.point(forward, 0.74, up)
    return mirrored(ellipsoid(c, head.skull * size, material, detail=10))


def nostril_tip(head: Head, material: Material, *, size: float = 0.6) -> Part:
    """A nose at the end of the muzzle."""
    tip = head.at + head.ahead * (head.length - head.muzzle * 0.35) + head.up * head.muzzle * 0.25
    return ellipsoid(tip, np.array([0.8, 1.1, 0.75]) * head.muzzle * size, material, detail=12)


def add_ears(body: Body, head: Head, length: float, width: float, *, lean: Point = (-0.2, 0.8, 0.6)) -> None:
    """Two ears, leaf-shaped: ``lean`` is their direction on the right side."""
    way = np.asarray(lean, dtype=np.float64)
    way /= np.linalg.norm(way)
    root = head.point(-0.05, 0.6, 0.65)
    body.chain([root, root + way * length * 0.55, root + way * length], [width * 0.6, width, width * 0.35], both=True)


def horn(points: Sequence[Point], radius: float, material: Material) -> Part:
    """A tapering horn, tusk or claw through the points."""
    from caos.assets.modelling.assembly import curve

    path = curve(np.asarray(points, dtype=np.float64), 12)
    return sweep(path, np.linspace(radius, radius * 0.15, len(path)), material, detail=10)


def hooves(beast: Beast, material: Material) -> list[Mesh | Part]:
    """Four dark hooves that wrap the feet."""
    r = beast.leg[2]
    parts: list[Mesh | Part] = []
    for side in (1, -1):
        for x, step in ((beast.length / 2, beast.stride * side), (-beast.length / 2, -beast.stride * side)):
            at = (x + step, side * beast.spread)
            path = [(at[0] + r * 0.3, at[1], -r * 0.1), (at[0], at[1], r * 1.5)]
            parts.append(sweep(path, [r * 1.55, r * 1.22], material, detail=12))
    return parts


def seated(parts: Sequence[Mesh | Part], angle_deg: float) -> Mesh:
    """Pitch the parts up about y, as for a sitting animal."""
    return turned(parts, "y", -angle_deg)
