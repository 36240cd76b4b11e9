# ruff: noqa: RUF005  (sums of numpy arrays and tuples, not of lists)
"""Legs, trousers, skirts and shoes."""

from __future__ import annotations

import numpy as np

from caos.assets.mesh import Material, Part
from caos.assets.modelling.shapes import blend, blob, grid_faces, rod
from caos.assets.street.people.figures import Figure, cloth
from caos.assets.street.people.poses import BodyPose, Points
from caos.assets.street.people.solids import cut, solid


def leg_radii(figure: Figure) -> tuple[float, float, float]:
    """Radii of thigh, knee and ankle."""
    s = figure.size * (0.7 + 0.3 * figure.girth)
    return 0.084 * s, 0.056 * s, 0.042 * s


def legs(figure: Figure, pose: BodyPose) -> list[Part]:
    """Both legs in trousers, or bare below a skirt."""
    thigh, knee, ankle = leg_radii(figure)
    bare = figure.bottom in ("shorts", "skirt", "dress", "long_skirt")
    cell = 0.031 * figure.size
    parts = []
    if bare:
        shapes = []
        for k in range(2):
            shapes += [
                rod(pose.hip[k], pose.knee[k], thigh * 0.92, knee * 0.95),
                rod(pose.knee[k], pose.ankle[k], knee * 0.98, ankle * 0.82),
            ]
        around = np.concatenate([pose.hip, pose.knee, pose.ankle])
        parts.append(solid(shapes, around, thigh, cloth(figure.skin), cell, 0.012))
    loose = 1.0 if figure.bottom == "jeans" else 1.1
    if figure.bottom in ("trousers", "jeans"):
        shapes = [rod(pose.hip[0], pose.hip[1], thigh * 1.1)]
        for k in range(2):
            shapes += [
                rod(pose.hip[k], pose.knee[k], thigh * 1.05, knee * loose * 1.08),
                rod(pose.knee[k], pose.ankle[k] - (0, 0, 0.025), knee * loose * 1.06, ankle * loose * 1.3),
            ]
        around = np.concatenate([pose.hip, pose.knee, pose.ankle])
        parts.append(solid(shapes, around, thigh * 1.2, figure.bottom_cloth, cell, 0.014))
    elif figure.bottom == "shorts":
        shapes = [rod(pose.hip[0], pose.hip[1], thigh * 1.12)]
        shapes += [
            rod(pose.hip[k], pose.hip[k] + 0.78 * (pose.knee[k] - pose.hip[k]), thigh * 1.08, thigh * 0.98)
            for k in range(2)
        ]
        parts.append(
            solid(shapes, np.concatenate([pose.hip, pose.knee]), thigh * 1.2, figure.bottom_cloth, cell, 0.014)
        )
    else:
        lengths = {"skirt": 0.98, "dress": 0.92, "long_skirt": 1.62}
        parts.append(skirt(figure, pose, lengths[figure.bottom], figure.bottom_cloth, 0.004))
    return parts


def _leg_at(pose: BodyPose, k: int, z: float) -> Points:
    """The point of a leg's axis at a height, or its nearest end."""
    joints = np.stack([pose.hip[k], pose.knee[k], pose.ankle[k]])
    x, y = (float(np.interp(-z, -joints[:, 2], joints[:, axis])) for axis in (0, 1))
    return np.array([x, y, z])


def skirt(figure: Figure, pose: BodyPose, length: float, material: Material, extra: float) -> Part:
    """Cloth that hangs from the waist around both legs; ``length`` 1 reaches to the knee, 2 to the ankle."""
    thigh, knee, _ = leg_radii(figure)
    frame = figure.frame
    hips = float(pose.hip[:, 2].mean())
    drop = frame.thigh * min(length, 1) + frame.shin * max(length - 1, 0)
    top = pose.waist + (0, 0, 0.02)
    wide_top, deep_top = (v + extra + 0.02 for v in waist(figure))
    turn = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    sections = []
    for share in np.linspace(0, 1, 11):
        z = float(top[2]) + share * (hips - drop - float(top[2]))
        below = np.clip((hips - z) / frame.thigh, 0, 1)
        r = thigh * 1.06 + (knee - thigh) * float(below) * 0.8 + extra + 0.014
        legs = np.stack([_leg_at(pose, k, min(z, hips)) for k in range(2)])
        grown = float(np.clip((float(top[2]) - z) / max(float(top[2]) - hips, 0.05), 0, 1))
        a = (1 - grown) * deep_top + grown * (np.ptp(legs[:, 0]) / 2 + r * 1.12)
        b = (1 - grown) * wide_top + grown * (np.abs(legs[:, 1]).max() + r * (1.02 + 0.3 * share))
        center = (1 - grown) * top + grown * legs.mean(0)
        fold = 1 + 0.04 * max(share - 0.3, 0) * np.cos(7 * turn)
        sections.append(
            np.stack(
                [center[0] + a * fold * np.cos(turn), center[1] + b * fold * np.sin(turn), np.full_like(turn, z)], -1
            )
        )
    return _hanging(np.array(sections[::-1]), material)


def _hanging(rings: Points, material: Material) -> Part:
    """Closed surface over rings from bottom to top, capped at the lowest."""
    rows, columns = rings.shape[:2]
    lid = np.concatenate([rings[0], rings[0].mean(0, keepdims=True)])
    start, k = rows * columns, np.arange(columns)
    fan = np.stack([start + (k + 1) % columns, start + k, np.full(columns, start + columns)], 1)
    vertices = np.concatenate([rings.reshape(-1, 3), lid]).astype(np.float32)
    uv = np.stack([vertices[:, 0] + vertices[:, 1], vertices[:, 2]], 1)
    faces = np.concatenate([grid_faces(rows, columns, wrap=True), fan]).astype(np.int32)
    return Part(vertices, faces, material, uv, smooth=True)


def waist(figure: Figure) -> tuple[float, float]:
    """Half width and half depth of the trunk at the waist."""
    s, g = figure.size, figure.girth
    wide, deep = (0.046, 0.083) if figure.female else (0.056, 0.094)
    if figure.is_child:
        wide = 0.045
    return (wide + deep) * s * g, deep * s * g


def shoes(figure: Figure, pose: BodyPose) -> list[Part]:
    """Both shoes, flat below."""
    r = 0.043 * figure.size
    material = cloth(figure.shoe_color, 0.5)
    parts = []
    for k in range(2):
        along = pose.toe[k] - pose.heel[k]
        length = float(np.linalg.norm(along))
        along = along / length
        up = np.array([-along[2], 0, along[0]])
        heel, mid, tip = (pose.heel[k] + along * length * t for t in (0.17, 0.5, 0.82))
        shapes = [
            rod(heel + up * r * 0.9, mid + up * r * 0.85, r * 0.95, r * 0.92),
            rod(mid + up * r * 0.75, tip + up * r * 0.55, r * 0.95, r * 0.82),
            rod(heel + up * r, pose.ankle[k] + (0, 0, 0.012), r * 0.8, r * 0.88),
        ]
        solid = cut(blend(*shapes, softness=0.015), pose.heel[k], -up)
        around = np.stack([pose.heel[k], pose.toe[k], pose.ankle[k]])
        parts.append(
            blob(solid, around.min(0) - r * 1.2, around.max(0) + r * 1.2, material, cell_m=0.022 * figure.size)
        )
    return parts
