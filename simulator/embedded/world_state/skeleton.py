"""Skeletons and components of actors under CARLA's names: the pose of each part in its actor's frame.

Walkers stand upright with their arms down: their bones follow their location, heading and height, not their steps. A
client may set another pose, in whole or in part; it affects reported bones, not images.
Vehicles have a base and four wheels as bones, and their blinkers as components.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping

from caos.simulator.embedded.world_state.actors import Actor, Vehicle, Walker
from caos.simulator.transform import Transform

ROOT = "root"
WALKER_MESH, VEHICLE_MESH = "CharacterMesh0", "VehicleMesh"
WHEEL_RADIUS_M = 0.35
BICYCLE_TRACK_M = 0.04
"""Distance between the wheels of a pair: CARLA's two-wheelers have four wheels, too."""

# Bone: its parent; forward, right and up as shares of the body's height.
_MIDDLE = {
    "crl_root": ("", 0.0, 0.0, 0.0),
    "crl_hips__C": ("crl_root", 0.0, 0.0, 0.53),
    "crl_spine__C": ("crl_hips__C", 0.0, 0.0, 0.59),
    "crl_spine01__C": ("crl_spine__C", 0.0, 0.0, 0.70),
    "crl_neck__C": ("crl_spine01__C", 0.0, 0.0, 0.84),
    "crl_Head__C": ("crl_neck__C", 0.01, 0.0, 0.88),
}
# Bones of one side; "*" stands for the side's letter.
_HALF = {
    "crl_eye__*": ("crl_Head__C", 0.05, 0.018, 0.935),
    "crl_eye__*_A": ("crl_Head__C", 0.05, 0.018, 0.935),
    "crl_shoulder__*": ("crl_spine01__C", 0.0, 0.04, 0.81),
    "crl_arm__*": ("crl_shoulder__*", 0.0, 0.105, 0.80),
    "crl_foreArm__*": ("crl_arm__*", 0.0, 0.13, 0.63),
    "crl_hand__*": ("crl_foreArm__*", 0.02, 0.14, 0.48),
    "crl_thigh__*": ("crl_hips__C", 0.0, 0.05, 0.51),
    "crl_leg__*": ("crl_thigh__*", 0.01, 0.05, 0.28),
    "crl_foot__*": ("crl_leg__*", -0.01, 0.05, 0.045),
    "crl_toe__*": ("crl_foot__*", 0.06, 0.05, 0.012),
    "crl_toeEnd__*": ("crl_toe__*", 0.09, 0.05, 0.010),
}
# Finger: forward offset from the hand.
_FINGERS = {"Thumb": 0.025, "Index": 0.015, "Middle": 0.005, "Ring": -0.005, "Pinky": -0.013}
_JOINTS = (("", 0.045), ("01", 0.062), ("02", 0.075), ("End", 0.086))


def _half() -> dict[str, tuple[str, float, float, float]]:
    rows = dict(_HALF)
    for finger, forward in _FINGERS.items():
        parent = "crl_hand__*"
        for joint, drop in _JOINTS:
            name = f"crl_hand{finger}{joint}__*"
            rows[name] = (parent, 0.02 + forward, 0.145, 0.48 - drop)
            parent = name
    return rows


@functools.cache
def _rows() -> dict[str, tuple[str, float, float, float]]:
    rows = dict(_MIDDLE)
    for letter, side in (("L", -1.0), ("R", 1.0)):
        for name, (parent, forward, right, up) in _half().items():
            rows[name.replace("*", letter)] = (parent.replace("*", letter), forward, side * right, up)
    return rows


def limbs(walker: Walker) -> Mapping[str, tuple[str, Transform]]:
    """Each bone's parent and pose in the parent's frame; the root's pose is relative to the ground under the walker."""
    upright = _upright(2 * walker.half_height_m)
    if not walker.pose_share:
        return upright
    given = walker.pose
    return {n: (p, _between(own, given.get(n, own), walker.pose_share)) for n, (p, own) in upright.items()}


def _upright(height_m: float) -> dict[str, tuple[str, Transform]]:
    rows = _rows()
    above = {name: rows[parent][1:] if parent else (0.0, 0.0, 0.0) for name, (parent, *_) in rows.items()}
    return {
        name: (row[0], Transform(*(height_m * (own - other) for own, other in zip(row[1:], above[name], strict=True))))
        for name, row in rows.items()
    }


def _between(one: Transform, other: Transform, share: float) -> Transform:
    """Interpolate between two poses; angles take the shorter way."""
    moved = (a + share * (b - a) for a, b in zip(one.location, other.location, strict=True))
    turned = (a + share * ((b - a + 180) % 360 - 180) for a, b in zip(one.rotation, other.rotation, strict=True))
    return Transform(*moved, *turned)


def bones(actor: Actor) -> Mapping[str, tuple[str, Transform]]:
    """Each bone's parent and pose in the actor's frame; empty for an actor without a skeleton."""
    if isinstance(actor, Walker):
        placed: dict[str, tuple[str, Transform]] = {}
        for name, (parent, pose) in limbs(actor).items():
            above = placed[parent][1] if parent else Transform(z=-actor.half_height_m)
            placed[name] = parent, above @ pose
        return placed
    if isinstance(actor, Vehicle):
        base = "Vehicle_Base"
        return {base: ("", Transform())} | {name: (base, pose) for name, pose in wheels(actor).items()}
    return {}


def wheels(v: Vehicle) -> dict[str, Transform]:
    """Poses of a vehicle's wheel hubs, by CARLA's bone names."""
    fore, side = v.wheelbase_m / 2, BICYCLE_TRACK_M if v.two_wheeled else v.box.extent[1] * 0.8
    return {
        f"Wheel_{end}_{where}": Transform(x, y, WHEEL_RADIUS_M)
        for end, x in (("Front", fore), ("Rear", -fore))
        for where, y in (("Left", -side), ("Right", side))
    }


def components(actor: Actor) -> Mapping[str, Transform]:
    """Each component's pose in the actor's frame."""
    if isinstance(actor, Walker):
        return {ROOT: Transform(), WALKER_MESH: Transform(z=-actor.half_height_m)}
    if not isinstance(actor, Vehicle):
        return {ROOT: Transform()}
    (x, y, z), (cx, _, cz) = actor.box.extent, actor.box.center
    blinkers = {
        f"{end}-blinker-{letter}-1": Transform(cx + sign * 0.95 * x, side * 0.8 * y, cz - 0.1 * z)
        for end, sign in (("front", 1.0), ("back", -1.0))
        for letter, side in (("l", -1.0), ("r", 1.0))
    }
    return {ROOT: Transform(), VEHICLE_MESH: Transform(), **blinkers}
