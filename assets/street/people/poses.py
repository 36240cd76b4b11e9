# ruff: noqa: RUF005  (sums of numpy arrays and tuples, not of lists)
"""Poses of a body: positions of its joints when standing, in a phase of a step, or reaching for points (riders).

x is forward, y right, z up; index 0 is the right limb (y > 0), 1 the left.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Points = NDArray[np.float64]
SIDES = (1.0, -1.0)


@dataclass(frozen=True)
class Proportions:
    """Lengths of a body in metres."""

    height: float
    shoulder: float
    hip: float
    thigh: float
    shin: float
    ankle: float
    spine: float
    upper_arm: float
    forearm: float
    hand: float
    foot: float
    head: float

    @classmethod
    def of(cls, height: float, *, shoulder: float, head_share: float) -> Proportions:
        """Proportions of a person; children have a larger ``head_share`` and so shorter legs and trunk."""
        head = height * head_share
        rest = height - head
        return cls(
            height=height,
            shoulder=shoulder,
            hip=0.052 * height,
            thigh=0.275 * rest,
            shin=0.272 * rest,
            ankle=0.05 * rest,
            spine=0.375 * rest,
            upper_arm=0.2 * rest,
            forearm=0.17 * rest,
            hand=0.105 * rest,
            foot=0.15 * height,
            head=head,
        )


@dataclass(frozen=True, eq=False)
class BodyPose:
    """Joint positions ``(3,)``; paired ones are ``(2, 3)``, right then left. ``toe`` is the tip of the foot."""

    pelvis: Points
    waist: Points
    chest: Points
    neck: Points
    head: Points
    shoulder: Points
    elbow: Points
    wrist: Points
    hand: Points
    hip: Points
    knee: Points
    ankle: Points
    heel: Points
    toe: Points


def _turned(angle_deg: float, length: float) -> Points:
    """A limb that hangs down and is swung forward by an angle."""
    a = np.radians(angle_deg)
    return np.array([np.sin(a) * length, 0.0, -np.cos(a) * length])


def _bell(phase: float, at: float, width: float) -> float:
    gap = (phase - at + 0.5) % 1 - 0.5
    return float(np.exp(-((gap / width) ** 2)))


def _gait(phase: float, stride: float) -> tuple[float, float, float]:
    """Hip, knee and foot angle in degrees at a phase of one leg's cycle; 0 is the heel's strike."""
    hip = stride * (3 + 22 * np.cos(2 * np.pi * phase))
    knee = 6 + stride * (12 * _bell(phase, 0.13, 0.09) + 54 * _bell(phase, 0.72, 0.12))
    foot = stride * (16 * _bell(phase, 0.0, 0.07) - 38 * _bell(phase, 0.6, 0.1) - 12 * _bell(phase, 0.75, 0.1))
    return float(hip), float(knee), float(foot)


def walking(
    frame: Proportions, phase: float, *, stride: float = 1.0, carry: tuple[bool, bool] = (False, False)
) -> BodyPose:
    """A step at ``phase`` in 0..1 of the right leg's cycle; ``carry`` keeps an arm (right, left) from swinging."""
    angles = [_gait((phase + 0.5 * k) % 1, stride) for k in range(2)]
    swing = [-18 * stride * float(np.cos(2 * np.pi * (phase + 0.5 * k))) for k in range(2)]
    arms = [((swing[k] if not carry[k] else 0.2 * swing[k]), 14 + max(swing[k], 0) * 0.8 + 4, 4.0) for k in range(2)]
    return _assembled(frame, angles, arms, lean_deg=3.0 * stride)


def standing(
    frame: Proportions, *, arms: tuple[tuple[float, float, float], tuple[float, float, float]] | None = None
) -> BodyPose:
    """At rest; ``arms`` gives for right and left the forward swing, elbow bend and spread in degrees."""
    return _assembled(frame, [(1.5, 4, 0), (-1.5, 2, 0)], list(arms or ((2, 10, 5), (3, 12, 5))), lean_deg=0.5)


def _assembled(
    frame: Proportions, legs: list[tuple[float, float, float]], arms: list[tuple[float, float, float]], lean_deg: float
) -> BodyPose:
    pelvis = np.zeros(3)
    up = np.array([np.sin(np.radians(lean_deg)), 0, np.cos(np.radians(lean_deg))])
    hip, knee, ankle, heel, toe = (np.zeros((2, 3)) for _ in range(5))
    for k, (side, (thigh, bend, foot)) in enumerate(zip(SIDES, legs, strict=True)):
        hip[k] = pelvis + (0, side * frame.hip, 0)
        knee[k] = hip[k] + _turned(thigh, frame.thigh) + (0, side * 0.006, 0)
        ankle[k] = knee[k] + _turned(thigh - bend, frame.shin) - (0, side * 0.012, 0)
        heel[k], toe[k] = _foot(frame, ankle[k], foot, side)
    shoulder, elbow, wrist, hand = _arms(frame, pelvis + up * frame.spine, arms)
    drop = min(float(heel[:, 2].min()), float(toe[:, 2].min()))
    moved = {
        "hip": hip,
        "knee": knee,
        "ankle": ankle,
        "heel": heel,
        "toe": toe,
        "shoulder": shoulder,
        "elbow": elbow,
        "wrist": wrist,
        "hand": hand,
    }
    trunk = _trunk(frame, pelvis, up)
    shift = np.array([0, 0, -drop])
    return BodyPose(**{name: value + shift for name, value in {**moved, **trunk}.items()})


def _foot(frame: Proportions, ankle: Points, pitch_deg: float, side: float) -> tuple[Points, Points]:
    """Heel and tip on the sole of a foot pitched up by an angle."""
    a = np.radians(pitch_deg)
    along = np.array([np.cos(a), 0.06 * side, np.sin(a)])
    down = np.array([np.sin(a), 0, -np.cos(a)])
    sole = ankle + down * frame.ankle
    return sole - along * 0.25 * frame.foot, sole + along * 0.75 * frame.foot


def _arms(
    frame: Proportions, neck: Points, arms: list[tuple[float, float, float]]
) -> tuple[Points, Points, Points, Points]:
    shoulder, elbow, wrist, hand = (np.zeros((2, 3)) for _ in range(4))
    for k, (side, (swing, bend, spread)) in enumerate(zip(SIDES, arms, strict=True)):
        out = np.array([0, side * np.sin(np.radians(spread)), 0])
        shoulder[k] = neck + (0, side * frame.shoulder, -0.13 * frame.spine)
        elbow[k] = shoulder[k] + _turned(swing, frame.upper_arm) + out * frame.upper_arm
        wrist[k] = elbow[k] + _turned(swing + bend, frame.forearm) + 0.3 * out * frame.forearm
        hand[k] = wrist[k] + _turned(swing + bend + 6, frame.hand * 0.75)
    return shoulder, elbow, wrist, hand


def _trunk(frame: Proportions, pelvis: Points, up: Points) -> dict[str, Points]:
    neck = pelvis + up * frame.spine
    return {
        "pelvis": pelvis,
        "waist": pelvis + up * 0.36 * frame.spine,
        "chest": pelvis + up * 0.74 * frame.spine,
        "neck": neck,
        "head": neck + np.array([0.1, 0, 0.62]) * frame.head,
    }


def _reach(root: Points, target: Points, first: float, second: float, towards: Points) -> tuple[Points, Points]:
    """Middle joint and end of a two-bone limb that reaches for a target and bends ``towards`` a direction."""
    line = target - root
    gap = min(float(np.linalg.norm(line)), 0.999 * (first + second))
    line = line / np.linalg.norm(line)
    along = (first**2 - second**2 + gap**2) / (2 * gap)
    side = towards - line * (towards @ line)
    side = side / np.linalg.norm(side)
    joint = root + line * along + side * np.sqrt(max(first**2 - along**2, 0))
    return joint, root + line * gap


def riding(
    frame: Proportions,
    seat: ArrayLike,
    grips: ArrayLike,
    pedals: ArrayLike,
    *,
    lean_deg: float,
    foot_pitch_deg: ArrayLike = (0.0, 0.0),
) -> BodyPose:
    """Sitting with hands and feet at given places.

    Args:
        frame: The rider's lengths.
        seat: Position of the pelvis, ``(3,)``.
        grips: Hand positions ``(2, 3)``, right then left.
        pedals: Positions under the balls of the feet, ``(2, 3)``.
        lean_deg: Forward lean of the trunk.
        foot_pitch_deg: Upward pitch of each foot.
    """
    pelvis = np.asarray(seat, dtype=np.float64) + (0, 0, 0.085)
    lean = np.radians(lean_deg)
    up = np.array([np.sin(lean), 0, np.cos(lean)])
    neck = pelvis + up * frame.spine
    hip, knee, ankle, heel, toe, shoulder, elbow, wrist, hand = (np.zeros((2, 3)) for _ in range(9))
    for k, side in enumerate(SIDES):
        pitch = np.radians(float(np.asarray(foot_pitch_deg)[k]))
        along, down = np.array([np.cos(pitch), 0, np.sin(pitch)]), np.array([np.sin(pitch), 0, -np.cos(pitch)])
        sole = np.asarray(pedals, dtype=np.float64)[k]
        hip[k] = pelvis + (0, side * frame.hip, 0)
        aim = sole - along * 0.42 * frame.foot - down * frame.ankle
        knee[k], ankle[k] = _reach(hip[k], aim, frame.thigh, frame.shin, np.array([1.0, 0.12 * side, 0.3]))
        heel[k] = ankle[k] + down * frame.ankle - along * 0.25 * frame.foot
        toe[k] = ankle[k] + down * frame.ankle + along * 0.75 * frame.foot
        shoulder[k] = neck + (0, side * frame.shoulder, 0) - up * 0.13 * frame.spine
        grip = np.asarray(grips, dtype=np.float64)[k]
        elbow[k], wrist[k] = _reach(
            shoulder[k], grip - (0.04, 0, -0.02), frame.upper_arm, frame.forearm, np.array([-0.3, 0.6 * side, -0.6])
        )
        hand[k] = grip + (0.02, 0, 0)
    trunk = _trunk(frame, pelvis, up)
    trunk["head"] = neck + np.array([0.22 + 0.3 * np.sin(lean), 0, 0.58]) * frame.head
    return BodyPose(
        hip=hip,
        knee=knee,
        ankle=ankle,
        heel=heel,
        toe=toe,
        shoulder=shoulder,
        elbow=elbow,
        wrist=wrist,
        hand=hand,
        **trunk,
    )
