# ruff: noqa: RUF005  (sums of numpy arrays and tuples, not of lists)
"""Trunk, arms and hands with their clothes."""

from __future__ import annotations

import numpy as np

from caos.assets.mesh import Part
from caos.assets.modelling.shapes import Distance, ball, blend, blob, rod
from caos.assets.street.people.figures import Figure, cloth
from caos.assets.street.people.legs import leg_radii, skirt
from caos.assets.street.people.poses import SIDES, BodyPose, Points
from caos.assets.street.people.solids import cut, solid


def trunk_shapes(figure: Figure, pose: BodyPose, extra: float) -> list[Distance]:
    """The solids of the trunk, grown by ``extra`` for clothes."""
    s, g = figure.size, figure.girth
    across = np.array([0.0, 1.0, 0.0])
    hips, waist, chest = (0.066, 0.046, 0.062) if figure.female else (0.056, 0.056, 0.075)
    depth_h, depth_w, depth_c = (0.104, 0.083, 0.094) if figure.female else (0.096, 0.094, 0.106)
    if figure.is_child:
        hips, waist, chest = 0.045, 0.045, 0.052
    belly = 0.45 + 0.55 * g
    thigh = leg_radii(figure)[0]
    up = (pose.neck - pose.pelvis) / np.linalg.norm(pose.neck - pose.pelvis)
    shapes: list[Distance] = []
    for side in SIDES:
        p = pose.pelvis + across * side * hips * s
        w = pose.waist + across * side * waist * s * g
        c = pose.chest + across * side * chest * s
        sh, hip = (joint[0 if side > 0 else 1] for joint in (pose.shoulder, pose.hip))
        shapes += [
            rod(p, w, depth_h * s * belly + extra, depth_w * s * g + extra),
            rod(w, c, depth_w * s * g + extra, depth_c * s + extra),
            rod(c + 0.3 * (sh - c), sh, depth_c * s * 0.84 + extra, 0.044 * s + extra),
            rod(pose.neck - (0, 0, 0.01), sh + np.array([0, 0, 0.004]) * s, 0.05 * s + extra, 0.036 * s + extra),
            rod(hip - up * 0.1 * s, hip + up * 0.03 * s, thigh * 1.09 + extra),
            rod(hip + up * 0.03 * s, w, thigh * 1.09 + extra, depth_w * s * g + extra),
        ]
    shapes.append(rod(pose.chest, pose.neck - up * 0.05 * s, depth_c * s * 0.9 + extra, 0.062 * s + extra))
    if figure.female and not figure.is_child:
        spine = pose.neck - pose.pelvis
        forward = np.array([spine[2], 0, -spine[0]]) / np.linalg.norm(spine)
        bust = pose.chest - 0.02 * s * spine / np.linalg.norm(spine) + forward * 0.07 * s
        shapes += [ball(bust + across * side * 0.06 * s, 0.058 * s + extra) for side in SIDES]
    return shapes


def trunk(figure: Figure, pose: BodyPose) -> list[Part]:
    """Trunk and neck in a shirt, jacket or coat."""
    s = figure.size
    extra = {"jacket": 0.018, "coat": 0.022, "shirt": 0.005, "tee": 0.004, "blouse": 0.003}[figure.top] * s
    around = np.concatenate([pose.shoulder, pose.pelvis[None], pose.neck[None], pose.chest[None]])
    up = (pose.neck - pose.pelvis) / np.linalg.norm(pose.neck - pose.pelvis)
    hem = pose.pelvis - up * {"jacket": 0.1, "coat": 0.02, "shirt": 0.075, "tee": 0.08, "blouse": 0.05}[figure.top] * s
    if figure.bottom in ("skirt", "dress", "long_skirt") and figure.top != "jacket":
        hem = pose.waist - up * 0.03
    material = figure.top_cloth
    down = -up
    body = cut(blend(*trunk_shapes(figure, pose, extra), softness=0.03), hem, down)
    margin = 0.2 * s * figure.girth
    parts = [blob(body, around.min(0) - margin, around.max(0) + margin, material, cell_m=0.034 * s)]
    parts.append(
        solid(
            [rod(pose.neck - (0, 0, 0.03), pose.head, 0.05 * s, 0.052 * s)],
            np.stack([pose.neck, pose.head]),
            0.06 * s,
            cloth(figure.skin),
            0.024 * s,
            0.01,
        )
    )
    if figure.top == "coat":
        parts.append(skirt(figure, pose, 0.86, figure.top_cloth, extra))
    if figure.inner_color is not None:
        parts.append(_opening(figure, pose, extra))
    if figure.vest is not None:
        vest = cut(
            cut(blend(*trunk_shapes(figure, pose, extra + 0.012), softness=0.03), hem + (0, 0, 0.05), down),
            pose.neck - (0, 0, 0.03),
            -down,
        )
        parts.append(blob(vest, around.min(0) - margin, around.max(0) + margin, cloth(figure.vest), cell_m=0.034 * s))
    return parts


def _opening(figure: Figure, pose: BodyPose, extra: float) -> Part:
    """Shirt in the open front of a jacket, as a thin wedge on the chest."""
    s = figure.size
    assert figure.inner_color is not None
    body = blend(*trunk_shapes(figure, pose, extra + 0.004), softness=0.03)
    spine = pose.neck - pose.pelvis
    forward = np.array([spine[2], 0, -spine[0]]) / np.linalg.norm(spine)
    top = pose.neck + forward * 0.1 * s
    bottom = pose.pelvis + 0.3 * spine + forward * 0.12 * s

    wedge = rod(top, bottom, 0.075 * s, 0.02 * s)

    def distance(p: Points) -> Points:
        return np.maximum(body(p), wedge(p))

    around = np.stack([top, bottom])
    return blob(
        distance, around.min(0) - 0.09 * s, around.max(0) + 0.09 * s, cloth(figure.inner_color), cell_m=0.02 * s
    )


def arms(figure: Figure, pose: BodyPose) -> list[Part]:
    """Both arms in their sleeves."""
    s = figure.size * (0.75 + 0.25 * figure.girth)
    thick = {"jacket": 1.2, "coat": 1.24, "shirt": 1.06, "tee": 1.1, "blouse": 1.02}[figure.top]
    short = figure.top == "tee"
    sleeve = figure.top_cloth
    parts = []
    for k in range(2):
        b, c = pose.elbow[k], pose.wrist[k]
        a = pose.shoulder[k] + 0.09 * (b - pose.shoulder[k])  # the deltoid ends below the shoulder's slope
        upper, lower, wrist = 0.052 * s, 0.042 * s, 0.031 * s
        around = np.stack([a, b, c])
        if short:
            bare = [rod(a, b, upper * 0.92, lower), rod(b, c, lower * 1.02, wrist * 0.92)]
            parts.append(solid(bare, around, upper, cloth(figure.skin), 0.025 * figure.size, 0.012))
            cuff = a + 0.6 * (b - a)
            parts.append(
                solid(
                    [rod(a, cuff, upper * thick, upper * 1.02)],
                    np.stack([a, cuff]),
                    upper * 1.3,
                    sleeve,
                    0.029 * figure.size,
                    0.01,
                )
            )
        else:
            shapes = [rod(a, b, upper * thick, lower * thick), rod(b, c, lower * thick * 1.02, wrist * thick * 1.06)]
            parts.append(solid(shapes, around, upper * 1.3, sleeve, 0.029 * figure.size, 0.012))
    return parts


def hands(figure: Figure, pose: BodyPose) -> list[Part]:
    """Both hands with thumbs."""
    s = figure.size
    parts = []
    for k, side in enumerate(SIDES):
        wrist, tip = pose.wrist[k], pose.hand[k]
        along = (tip - wrist) / np.linalg.norm(tip - wrist)
        palm = wrist + 0.5 * (tip - wrist)
        thumb = palm + np.array([0.03 * s, -0.01 * side * s, 0.0]) + along * 0.02 * s
        shapes = [
            rod(wrist, palm, 0.025 * s, 0.031 * s),
            rod(palm, tip, 0.031 * s, 0.02 * s),
            rod(wrist + 0.2 * (tip - wrist), thumb, 0.014 * s),
        ]
        parts.append(solid(shapes, np.stack([wrist, tip, thumb]), 0.036 * s, cloth(figure.skin), 0.0185 * s, 0.012))
    return parts
