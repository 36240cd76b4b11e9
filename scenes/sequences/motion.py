"""Motion of hazards through a sequence: poses by time, from the pose a hazard was placed in. Pure and exact.

``rolling`` comes to rest by friction; ``falling`` drops off a lorry that drives on, and slides to a stop; ``crossing``
walks across the road; ``blowing`` tumbles before the wind; ``drifting`` floats along, turning slowly; ``opening`` stays
where it is while its doors, lid or flaps turn. A thing touches the ground with its lowest point while it rolls or
tumbles. Only what may move like that does: a sofa does not roll. Meshes are rigid, but for the legs of four-legged
animals that cross (:mod:`caos.assets.modelling.gait`) and what hangs on hinges (:mod:`caos.assets.modelling.hinges`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from caos.assets.catalogue.library import Library
from caos.assets.modelling.gait import FOUR_LEGGED, stride_m
from caos.scenes.scene import Motion
from caos.simulator.transform import Transform

Floats = NDArray[np.float64]
GRAVITY: Final = 9.81
ROLLING_MPS: Final = 4.0
ROLLING_DECAY: Final = 0.7
DROP_HEIGHT_M: Final = 1.3
DROP_MPS: Final = 8.0
"""Speed of the lorry, in metres a second ..."""
SLIDE_DECAY: Final = 5.0
"""... and how fast what fell off it loses that speed on the road."""
CROSSING_MPS: Final = 1.4
BLOWING_MPS: Final = 2.2
HOP_M: Final = 0.25
LONGEST_WAY_M: Final = 8.0
"""So far from its place a thing waits for its gust of wind, and an animal at the roadside."""
DRIFTING_MPS: Final = 0.6
DRIFTING_DEG_S: Final = 7.0
CLOSED_SHARE: Final = 0.2
"""Of the time, before something begins to open ..."""
OPENING_S: Final = 2.5
"""... and how long that takes, in seconds ..."""
OPENING_SHARE: Final = 0.6
"""... and at most, of the time."""

SUITS: Final[Mapping[Motion, frozenset[str]]] = {
    "rolling": frozenset({"ball", "boulder", "buoy", "globe", "pumpkin", "watermelon"}),
    "falling": frozenset({"cargo_debris", "furniture", "household", "tools_machines", "music_art", "sport_toys"}),
    "crossing": frozenset({"animals", "dinosaur", "dragon", "ghost", "robot", "snowman", "unicorn"}),
    "blowing": frozenset({"cardboard_boxes", "rubbish_bags", "swim_ring", "teddy_bear", "umbrella", "bucket", "ball"}),
    "drifting": frozenset({"buoy", "canoe", "jet_ski", "rowing_boat", "rubber_duck", "sailing_boat", "surfboard"}),
}
"""Kinds and categories that each motion suits; ``opening`` suits what has hinges, see :meth:`.Library.opens`."""


@dataclass(frozen=True, eq=False)
class Mover:
    """A hazard that may move.

    Attributes:
        pose: Where it was placed.
        vertices: ``(n, 3)`` of its mesh.
        along_deg: Direction of the lane it lies in.
    """

    pose: Transform
    vertices: Floats
    along_deg: float


def suiting(weights: Mapping[Motion, float], name: str, library: Library) -> list[Motion]:
    """The motions with a weight that suit an object."""
    return [motion for motion in sorted(weights) if weights[motion] > 0 and _suits(motion, name, library)]


def _suits(motion: Motion, name: str, library: Library) -> bool:
    if motion in ("still", "opening"):
        return motion == "still" or library.opens(name)
    kind = library.kind_of(name)
    if not SUITS[motion] & {kind, library.category_of(name)}:
        return False
    # Of the built-in animals some lie or rear up.
    return motion != "crossing" or kind not in FOUR_LEGGED or stride_m(library.mesh(name)) is not None


def draw_motion(weights: Mapping[Motion, float], name: str, library: Library, rng: np.random.Generator) -> Motion:
    """A motion by its weight, of those that suit an object; ``still`` if none does."""
    fits = suiting(weights, name, library)
    if not fits:
        return "still"
    shares = np.array([weights[m] for m in fits])
    return fits[int(rng.choice(len(fits), p=shares / shares.sum()))]


def moved(
    motion: Motion, mover: Mover, times_s: Floats, rng: np.random.Generator, there_s: float | None = None
) -> list[Transform]:
    """The pose at each time; at ``there_s``, or else the last time, it is where it was placed.

    What falls leaves its lorry at the first time. Heights are those of flat ground under the place.
    """
    if motion in ("still", "opening"):
        return [mover.pose] * len(times_s)
    side = 1.0 if rng.random() < 0.5 else -1.0
    left_s = times_s - (times_s[-1] if there_s is None else there_s)
    return [_rounded(pose) for pose in _WAYS[motion](mover, left_s, side)]


def open_shares(times_s: Floats, most: float = 1.0) -> list[float]:
    """How far open a thing is at each time: closed at first, then by and by as far as ``most``."""
    whole_s = float(times_s[-1] - times_s[0])
    begun = times_s - times_s[0] - CLOSED_SHARE * whole_s
    shares = np.clip(begun / max(min(OPENING_S, OPENING_SHARE * whole_s), 1e-9), 0, 1)
    return [round(float(share * most), 3) for share in shares]


def _rolling(mover: Mover, left_s: Floats, side: float) -> list[Transform]:
    # It comes to rest there: played backwards it gains speed.
    way = -np.minimum(0.5 * ROLLING_DECAY * np.minimum(left_s, 0) ** 2, ROLLING_MPS**2 / 2 / ROLLING_DECAY)
    return _tumbled(mover, way, _across(mover, side))


def _blowing(mover: Mover, left_s: Floats, side: float) -> list[Transform]:
    way = np.maximum(BLOWING_MPS * left_s, -LONGEST_WAY_M)
    poses = _tumbled(mover, way, _across(mover, side))
    hops = HOP_M * np.abs(np.sin(way))
    return [Transform(p.x, p.y, p.z + float(hop), *p.rotation) for p, hop in zip(poses, hops, strict=True)]


def _crossing(mover: Mover, left_s: Floats, side: float) -> list[Transform]:
    towards = _across(mover, side)
    yaw_deg = float(np.degrees(np.arctan2(towards[1], towards[0])))
    faced = Transform(*mover.pose.location, mover.pose.pitch_deg, yaw_deg, mover.pose.roll_deg)
    return [_shifted(faced, towards * max(CROSSING_MPS * t, -LONGEST_WAY_M)) for t in left_s]


def _drifting(mover: Mover, left_s: Floats, side: float) -> list[Transform]:
    towards = _direction(mover.along_deg + 25 * side)
    out = []
    for t in left_s:
        there = _shifted(mover.pose, towards * DRIFTING_MPS * t)
        pitch, yaw, roll = there.rotation
        sway = 2.5 * float(np.sin(1.3 * t))
        out.append(Transform(*there.location, pitch, yaw + side * DRIFTING_DEG_S * float(t), roll + sway))
    return out


def _falling(mover: Mover, left_s: Floats, side: float) -> list[Transform]:
    """Off a lorry in the first frame; free fall, then a slide to the place it was put."""
    since = left_s - left_s[0]
    fall_s = np.sqrt(2 * DROP_HEIGHT_M / GRAVITY)
    sliding = np.clip(since - fall_s, 0, DROP_MPS / SLIDE_DECAY)
    way = DROP_MPS * np.minimum(since, fall_s) + DROP_MPS * sliding - 0.5 * SLIDE_DECAY * sliding**2
    whole = falling_way_m()
    towards = _direction(mover.along_deg)
    height = np.maximum(DROP_HEIGHT_M - 0.5 * GRAVITY * since**2, 0.0)
    out = []
    for gone, up in zip(way, height, strict=True):
        there = _shifted(mover.pose, towards * (gone - whole))
        turn = side * 70 * (1 - gone / whole)
        out.append(Transform(there.x, there.y, there.z + float(up), *_turned(there.rotation, turn)))
    return out


def falling_way_m() -> float:
    """Metres from where a thing leaves the lorry to where it comes to rest."""
    return float(DROP_MPS * np.sqrt(2 * DROP_HEIGHT_M / GRAVITY) + DROP_MPS**2 / 2 / SLIDE_DECAY)


def _tumbled(mover: Mover, way_m: Floats, towards: Floats) -> list[Transform]:
    """Rolled about the middle by as much as the ground it covers, with the lowest point on the ground."""
    base = mover.pose.matrix
    world = mover.vertices @ base[:3, :3].T
    middle = (world.min(0) + world.max(0)) / 2
    radius = float(world[:, 2].max() - world[:, 2].min()) / 2
    axis = np.array([-towards[1], towards[0], 0.0])
    lowest = float(world[:, 2].min())
    out = []
    for way in way_m:
        turn = _about(axis, way / radius)
        turned = (world - middle) @ turn.T + middle
        place = np.eye(4)
        place[:3, :3] = turn @ base[:3, :3]
        place[:3, 3] = base[:3, 3] + middle - turn @ middle + towards * way
        place[2, 3] += lowest - float(turned[:, 2].min())
        out.append(Transform.from_matrix(place))
    return out


def _about(axis: Floats, angle: float) -> Floats:
    """Rotation matrix about a unit axis; positive angles roll a thing forwards along the axis' left-hand turn."""
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    turned: Floats = np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross
    return turned


def _across(mover: Mover, side: float) -> Floats:
    return _direction(mover.along_deg + 90 * side)


def _direction(yaw_deg: float) -> Floats:
    yaw = np.radians(yaw_deg)
    return np.array([np.cos(yaw), np.sin(yaw), 0.0])


def _shifted(pose: Transform, by: Floats) -> Transform:
    return Transform(pose.x + float(by[0]), pose.y + float(by[1]), pose.z + float(by[2]), *pose.rotation)


def _turned(rotation: tuple[float, float, float], by_deg: float) -> tuple[float, float, float]:
    pitch, yaw, roll = rotation
    return pitch, yaw + float(by_deg), roll


def _rounded(pose: Transform) -> Transform:
    return Transform(*(round(value, 4) for value in (*pose.location, *pose.rotation)))


_WAYS: Final[Mapping[Motion, Callable[[Mover, Floats, float], list[Transform]]]] = {
    "rolling": _rolling,
    "falling": _falling,
    "crossing": _crossing,
    "blowing": _blowing,
    "drifting": _drifting,
}
