# ruff: noqa: RUF005  (sums of numpy arrays and tuples, not of lists)
"""Carried objects: backpacks, handbags, totes, shoulder bags, telephones."""

from __future__ import annotations

import numpy as np

from caos.assets.mesh import Material, Part
from caos.assets.modelling.shapes import rounded_box, sweep
from caos.assets.street.people.figures import Figure, cloth
from caos.assets.street.people.poses import SIDES, BodyPose


def bag(figure: Figure, pose: BodyPose) -> list[Part]:
    """Build the bag of a figure, and a telephone in a raised hand."""
    phone = _phone(pose, figure.size) if figure.pose == "phone" and pose.hand[0, 2] > pose.elbow[0, 2] else []
    return [*phone, *_bag(figure, pose)]


def _phone(pose: BodyPose, s: float) -> list[Part]:
    low, high = np.array([-0.006, -0.036, -0.05]) * s, np.array([0.006, 0.036, 0.09]) * s
    tip = pose.hand[0] + np.array([0.02, -0.02, 0.03]) * s
    return [rounded_box(tip + low, tip + high, 0.007 * s, cloth((18, 18, 20), 0.2), detail=1)]


def _bag(figure: Figure, pose: BodyPose) -> list[Part]:
    if figure.bag == "none":
        return []
    s = figure.size
    material = cloth(figure.bag_color, 0.6)
    if figure.bag == "backpack":
        return _backpack(pose, s, material)
    k = 1
    if figure.bag == "shoulder":
        hip = pose.hip[k] + np.array([0.0, -0.13 * s, 0.0])
        strap = [
            pose.shoulder[0] + (0.0, 0.0, 0.05 * s),
            pose.chest + np.array([0.165 * s, 0.02, 0]),
            hip + (0.03, 0, 0.1 * s),
        ]
        pack = rounded_box(
            hip - np.array([0.15, 0.05, 0.14]) * s, hip + np.array([0.15, 0.05, 0.1]) * s, 0.03, material, detail=2
        )
        return [pack, sweep(strap, 0.014 * s, material, detail=6)]
    hand = pose.hand[k]
    size = {"handbag": (0.14, 0.05, 0.19), "tote": (0.17, 0.06, 0.34)}[figure.bag]
    low = hand - np.array([size[0], size[1], size[2] + 0.12]) * s
    high = hand + np.array([size[0], size[1], -0.12]) * s
    pack = rounded_box(low, high, 0.025 * s, material, detail=2)
    top = float(high[2])
    loop = [
        (hand[0] - 0.08 * s, hand[1], top - 0.01),
        (hand[0] - 0.03 * s, hand[1], hand[2] - 0.0),
        (hand[0] + 0.03 * s, hand[1], hand[2] - 0.0),
        (hand[0] + 0.08 * s, hand[1], top - 0.01),
    ]
    return [pack, sweep(loop, 0.009 * s, material, detail=6)]


def _backpack(pose: BodyPose, s: float, material: Material) -> list[Part]:
    back = pose.chest + np.array([-0.2 * s, 0, -0.04 * s])
    pack = rounded_box(
        back - np.array([0.085, 0.15, 0.22]) * s, back + np.array([0.085, 0.15, 0.2]) * s, 0.06 * s, material, detail=3
    )
    pocket = rounded_box(
        back + np.array([-0.12, -0.11, -0.19]) * s,
        back + np.array([-0.06, 0.11, 0.0]) * s,
        0.03 * s,
        material,
        detail=2,
    )
    straps = []
    for k, side in enumerate(SIDES):
        top = pose.shoulder[k] + np.array([0.0, -0.05 * side * s, 0.075 * s])
        front = pose.chest + np.array([0.125 * s, 0.1 * side * s, 0.0])
        path = [
            top - (0.13 * s, 0, 0.04 * s),
            top,
            front + (0, 0, 0.08 * s),
            front - (0.03 * s, -0.03 * side * s, 0.1 * s),
            back + np.array([0.05, 0.15 * side, -0.18]) * s,
        ]
        straps.append(sweep(path, 0.018 * s, material, detail=6))
    return [pack, pocket, *straps]
