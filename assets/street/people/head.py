"""Heads, faces, hair and hats."""

from __future__ import annotations

import numpy as np

from caos.assets.mesh import Material, Part
from caos.assets.modelling.shapes import Distance, ball, blend, blob, ellipsoid, rod
from caos.assets.street.people.figures import Figure, cloth
from caos.assets.street.people.poses import SIDES, BodyPose, Points
from caos.assets.street.people.solids import cut, minus, solid


def skull(figure: Figure, pose: BodyPose, grow: float = 0.0) -> list[Distance]:
    """Cranium and jaw, grown for hair and hats."""
    h = figure.frame.head
    c = pose.head
    jaw = 0.9 if figure.female or figure.is_child else 1.0
    return [
        ball(c + np.array([-0.03, 0, 0.1]) * h, np.array([0.42, 0.345, 0.37]) * h + grow),
        ball(c + np.array([0.09, 0, -0.16]) * h, np.array([0.28, 0.26 * jaw, 0.32]) * h + grow),
    ]


def head(figure: Figure, pose: BodyPose) -> list[Part]:
    """Head with a face, or a full helmet."""
    if figure.hat == "helmet":
        return _full_helmet(figure, pose)
    h, c = figure.frame.head, pose.head
    skin = cloth(figure.skin)
    nose = rod(c + np.array([0.36, 0, 0.03]) * h, c + np.array([0.44, 0, -0.12]) * h, 0.03 * h, 0.055 * h)
    ears = [ball(c + np.array([-0.04, 0.34 * side, -0.02]) * h, np.array([0.07, 0.035, 0.11]) * h) for side in SIDES]
    chin = ball(c + np.array([0.26, 0, -0.4]) * h, 0.09 * h)
    parts = [solid([*skull(figure, pose), nose, chin, *ears], c[None], 0.58 * h, skin, 0.074 * h, 0.03 * h)]
    white, dark = cloth((226, 222, 214)), cloth((28, 20, 18))
    lips = cloth(tuple(int(v * f) for v, f in zip(figure.skin, (0.78, 0.55, 0.55), strict=True)))
    for side in SIDES:
        eye = c + np.array([0.355, 0.135 * side, 0.03]) * h
        parts.append(ellipsoid(eye, np.array([0.03, 0.062, 0.034]) * h, white, detail=8, rings=6))
        parts.append(
            ellipsoid(eye + np.array([0.022, 0, 0]) * h, np.array([0.018, 0.03, 0.032]) * h, dark, detail=8, rings=6)
        )
        brow = ellipsoid(
            eye + np.array([0.0, 0.01 * side, 0.085]) * h,
            np.array([0.035, 0.085, 0.018]) * h,
            cloth(figure.hair_color),
            detail=8,
            rings=6,
        )
        parts.append(brow)
    parts.append(
        ellipsoid(c + np.array([0.355, 0, -0.245]) * h, np.array([0.03, 0.09, 0.022]) * h, lips, detail=8, rings=6)
    )
    return parts


def _full_helmet(figure: Figure, pose: BodyPose) -> list[Part]:
    h, c = figure.frame.head, pose.head
    shell = ball(c + np.array([-0.02, 0, 0.04]) * h, np.array([0.58, 0.5, 0.58]) * h)
    chin = ball(c + np.array([0.2, 0, -0.26]) * h, np.array([0.38, 0.36, 0.26]) * h)
    visor = ellipsoid(
        c + np.array([0.16, 0, 0.06]) * h,
        np.array([0.48, 0.44, 0.25]) * h,
        cloth((10, 11, 13), 0.1),
        detail=16,
        rings=10,
    )
    return [solid([shell, chin], c[None], 0.72 * h, cloth(figure.hat_color, 0.25), 0.085 * h, 0.05 * h), visor]


def hair(figure: Figure, pose: BodyPose) -> list[Part]:
    """Hair in the figure's style."""
    if figure.hair == "bald" or figure.hat in ("helmet", "hood", "scarf"):
        return []
    h, c = figure.frame.head, pose.head
    cap = blend(*skull(figure, pose, 0.05 * h), softness=0.03 * h)
    face = c + np.array([0.2, 0, 0.2]) * h
    scalp = cut(cut(cap, face, np.array([0.72, 0, -0.62])), c + np.array([0, 0, -0.2]) * h, np.array([0.25, 0, -1.0]))
    shapes: list[Distance] = [scalp]
    s = {"long": 1.0, "ponytail": 0.0, "bob": 0.0}
    if figure.hair in s or figure.hair == "bun":
        shapes += _tresses(figure.hair, c, h)
    if figure.hair == "afro":
        shapes.append(
            cut(
                ball(c + np.array([-0.1, 0, 0.2]) * h, 0.52 * h),
                face + np.array([0.02, 0, 0.05]) * h,
                np.array([0.75, 0, -0.55]),
            )
        )
    if figure.hair == "fringe":
        shapes.append(ball(c + np.array([0.2, 0, 0.3]) * h, np.array([0.22, 0.3, 0.14]) * h))
    solid = blend(*shapes, softness=0.04 * h)
    return [
        blob(
            solid,
            c - np.array([0.75, 0.62, 1.25]) * h,
            c + np.array([0.6, 0.62, 0.85]) * h,
            cloth(figure.hair_color, 0.7),
            cell_m=0.085 * h,
        )
    ]


def _tresses(style: str, c: Points, h: float) -> list[Distance]:
    if style == "bun":
        return [ball(c + np.array([-0.45, 0, 0.25]) * h, 0.19 * h)]
    if style == "ponytail":
        return [
            rod(c + np.array([-0.42, 0, 0.2]) * h, c + np.array([-0.55, 0, 0.1]) * h, 0.1 * h),
            rod(c + np.array([-0.55, 0, 0.1]) * h, c + np.array([-0.58, 0, -0.6]) * h, 0.11 * h, 0.05 * h),
        ]
    drop = -0.62 if style == "bob" else -1.05
    back = [
        rod(
            c + np.array([-0.26, 0.14 * side, 0.0]) * h, c + np.array([-0.34, 0.18 * side, drop]) * h, 0.2 * h, 0.12 * h
        )
        for side in SIDES
    ]
    sides = [
        rod(
            c + np.array([-0.02, 0.36 * side, 0.1]) * h,
            c + np.array([-0.08, 0.36 * side, drop * 0.8]) * h,
            0.09 * h,
            0.07 * h,
        )
        for side in SIDES
    ]
    return [*back, *sides]


def hat(figure: Figure, pose: BodyPose) -> list[Part]:
    """Build the hat."""
    h, c = figure.frame.head, pose.head
    material = cloth(figure.hat_color, 0.8)
    if figure.hat in ("none", "helmet"):
        return []
    if figure.hat in ("scarf", "hood"):
        return _wrap(figure, pose, material)
    grow = {"cap": 0.07, "beanie": 0.085, "brim": 0.075, "bike_helmet": 0.11, "police": 0.09}[figure.hat] * h
    dome = blend(*skull(figure, pose, grow), softness=0.03 * h)
    tilt = np.array([0.12, 0, -1.0]) if figure.hat != "beanie" else np.array([0.35, 0, -1.0])
    line = c + np.array([0, 0, 0.17]) * h
    crown = cut(dome, line, tilt)
    parts = [
        blob(crown, c - np.array([0.7, 0.62, 0.1]) * h, c + np.array([0.7, 0.62, 0.75]) * h, material, cell_m=0.085 * h)
    ]
    if figure.hat in ("cap", "police"):
        parts.append(
            ellipsoid(
                line + np.array([0.48, 0, 0.03]) * h, np.array([0.32, 0.3, 0.03]) * h, material, detail=16, rings=6
            )
        )
    if figure.hat == "brim":
        parts.append(
            ellipsoid(line + np.array([0.0, 0, 0.0]) * h, np.array([0.78, 0.7, 0.04]) * h, material, detail=24, rings=6)
        )
    return parts


def _wrap(figure: Figure, pose: BodyPose, material: Material) -> list[Part]:
    """A hood or headscarf: cloth around the head that leaves the face free."""
    h, c = figure.frame.head, pose.head
    shell = blend(
        *skull(figure, pose, 0.085 * h),
        rod(c - np.array([0.1, 0, 0.3]) * h, pose.neck - (0, 0, 0.02), 0.34 * h, 0.46 * h),
        softness=0.1 * h,
    )
    opening = ball(c + np.array([0.42, 0, -0.06]) * h, np.array([0.34, 0.27, 0.38]) * h)
    return [
        blob(
            minus(shell, opening),
            c - np.array([0.75, 0.75, 1.0]) * h,
            c + np.array([0.75, 0.75, 0.75]) * h,
            material,
            cell_m=0.085 * h,
        )
    ]
