"""Bodies and clothes as soft solids around the joints of a pose."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assets.mesh import Material, Part
from assets.shapes import Distance, ball, blend, blob, ellipsoid, loft, rod, rounded_box, sweep
from simulator.embedded.models.people.figures import Figure, cloth
from simulator.embedded.models.people.poses import SIDES, Points, Pose


def _solid(
    shapes: Sequence[Distance], around: Points, margin: float, material: Material, cell: float, softness: float
) -> Part:
    """A blend of shapes, searched in the box around some points."""
    low, high = around.min(0) - margin, around.max(0) + margin
    return blob(blend(*shapes, softness=softness), low, high, material, cell_m=cell)


def _cut(shape: Distance, point: Points, normal: Points) -> Distance:
    """The shape without what lies on the normal's side of a plane."""
    n = normal / np.linalg.norm(normal)

    def distance(p: Points) -> Points:
        return np.maximum(shape(p), (p - point) @ n)

    return distance


def _minus(shape: Distance, other: Distance) -> Distance:
    def distance(p: Points) -> Points:
        return np.maximum(shape(p), -other(p))

    return distance


def build_body(figure: Figure, pose: Pose) -> list[Part]:
    """All parts of a person in a pose."""
    parts = [
        *_legs(figure, pose),
        *_shoes(figure, pose),
        *_trunk(figure, pose),
        *_arms(figure, pose),
        *_hands(figure, pose),
    ]
    parts += [*_head(figure, pose), *_hair(figure, pose), *_hat(figure, pose), *_bag(figure, pose)]
    return parts


# --- legs -------------------------------------------------------------------------------------------------------------


def _leg_radii(figure: Figure) -> tuple[float, float, float]:
    s = figure.size * (0.7 + 0.3 * figure.girth)
    return 0.084 * s, 0.056 * s, 0.042 * s


def _legs(figure: Figure, pose: Pose) -> list[Part]:
    thigh, knee, ankle = _leg_radii(figure)
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
        parts.append(_solid(shapes, around, thigh, cloth(figure.skin), cell, 0.012))
    loose = 1.0 if figure.bottom == "jeans" else 1.1
    if figure.bottom in ("trousers", "jeans"):
        shapes = [rod(pose.hip[0], pose.hip[1], thigh * 1.1)]
        for k in range(2):
            shapes += [
                rod(pose.hip[k], pose.knee[k], thigh * 1.05, knee * loose * 1.08),
                rod(pose.knee[k], pose.ankle[k] - (0, 0, 0.025), knee * loose * 1.06, ankle * loose * 1.3),
            ]
        around = np.concatenate([pose.hip, pose.knee, pose.ankle])
        parts.append(_solid(shapes, around, thigh * 1.2, cloth(figure.bottom_color), cell, 0.014))
    elif figure.bottom == "shorts":
        shapes = [rod(pose.hip[0], pose.hip[1], thigh * 1.12)]
        shapes += [
            rod(pose.hip[k], pose.hip[k] + 0.78 * (pose.knee[k] - pose.hip[k]), thigh * 1.08, thigh * 0.98)
            for k in range(2)
        ]
        parts.append(
            _solid(shapes, np.concatenate([pose.hip, pose.knee]), thigh * 1.2, cloth(figure.bottom_color), cell, 0.014)
        )
    else:
        lengths = {"skirt": 0.98, "dress": 0.92, "long_skirt": 1.62}
        parts.append(_skirt(figure, pose, lengths[figure.bottom], cloth(figure.bottom_color), 0.004))
    return parts


def _leg_at(pose: Pose, k: int, z: float) -> Points:
    """The point of a leg's axis at a height, or its nearest end."""
    joints = np.stack([pose.hip[k], pose.knee[k], pose.ankle[k]])
    x, y = (float(np.interp(-z, -joints[:, 2], joints[:, axis])) for axis in (0, 1))
    return np.array([x, y, z])


def _skirt(figure: Figure, pose: Pose, length: float, material: Material, extra: float) -> Part:
    """Cloth that hangs from the waist around both legs; ``length`` 1 reaches to the knee, 2 to the ankle."""
    thigh, knee, _ = _leg_radii(figure)
    frame = figure.frame
    hips = float(pose.hip[:, 2].mean())
    drop = frame.thigh * min(length, 1) + frame.shin * max(length - 1, 0)
    top = pose.waist + (0, 0, 0.02)
    wide_top, deep_top = (v + extra + 0.02 for v in _waist(figure))
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
    return loft(np.array(sections[::-1]), material)


def _waist(figure: Figure) -> tuple[float, float]:
    """Half width and half depth of the trunk at the waist."""
    s, g = figure.size, figure.girth
    wide, deep = (0.046, 0.083) if figure.female else (0.056, 0.094)
    if figure.is_child:
        wide = 0.045
    return (wide + deep) * s * g, deep * s * g


def _shoes(figure: Figure, pose: Pose) -> list[Part]:
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
        solid = _cut(blend(*shapes, softness=0.015), pose.heel[k], -up)
        around = np.stack([pose.heel[k], pose.toe[k], pose.ankle[k]])
        parts.append(
            blob(solid, around.min(0) - r * 1.2, around.max(0) + r * 1.2, material, cell_m=0.022 * figure.size)
        )
    return parts


# --- trunk and arms ---------------------------------------------------------------------------------------------------


def _trunk_shapes(figure: Figure, pose: Pose, extra: float) -> list[Distance]:
    s, g = figure.size, figure.girth
    across = np.array([0.0, 1.0, 0.0])
    hips, waist, chest = (0.066, 0.046, 0.062) if figure.female else (0.056, 0.056, 0.075)
    depth_h, depth_w, depth_c = (0.104, 0.083, 0.094) if figure.female else (0.096, 0.094, 0.106)
    if figure.is_child:
        hips, waist, chest = 0.045, 0.045, 0.052
    belly = 0.45 + 0.55 * g
    thigh = _leg_radii(figure)[0]
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


def _trunk(figure: Figure, pose: Pose) -> list[Part]:
    s = figure.size
    extra = {"jacket": 0.018, "coat": 0.022, "shirt": 0.005, "tee": 0.004, "blouse": 0.003}[figure.top] * s
    around = np.concatenate([pose.shoulder, pose.pelvis[None], pose.neck[None], pose.chest[None]])
    up = (pose.neck - pose.pelvis) / np.linalg.norm(pose.neck - pose.pelvis)
    hem = pose.pelvis - up * {"jacket": 0.1, "coat": 0.02, "shirt": 0.075, "tee": 0.08, "blouse": 0.05}[figure.top] * s
    if figure.bottom in ("skirt", "dress", "long_skirt") and figure.top != "jacket":
        hem = pose.waist - up * 0.03
    material = cloth(figure.bottom_color if figure.bottom == "dress" else figure.top_color)
    down = -up
    body = _cut(blend(*_trunk_shapes(figure, pose, extra), softness=0.03), hem, down)
    margin = 0.2 * s * figure.girth
    parts = [blob(body, around.min(0) - margin, around.max(0) + margin, material, cell_m=0.034 * s)]
    parts.append(
        _solid(
            [rod(pose.neck - (0, 0, 0.03), pose.head, 0.05 * s, 0.052 * s)],
            np.stack([pose.neck, pose.head]),
            0.06 * s,
            cloth(figure.skin),
            0.024 * s,
            0.01,
        )
    )
    if figure.top == "coat":
        parts.append(_skirt(figure, pose, 0.86, cloth(figure.top_color), extra))
    if figure.inner_color is not None:
        parts.append(_opening(figure, pose, extra))
    if figure.vest is not None:
        vest = _cut(
            _cut(blend(*_trunk_shapes(figure, pose, extra + 0.012), softness=0.03), hem + (0, 0, 0.05), down),
            pose.neck - (0, 0, 0.03),
            -down,
        )
        parts.append(blob(vest, around.min(0) - margin, around.max(0) + margin, cloth(figure.vest), cell_m=0.034 * s))
    return parts


def _opening(figure: Figure, pose: Pose, extra: float) -> Part:
    """The shirt seen in a jacket's open front, as a thin wedge on the chest."""
    s = figure.size
    assert figure.inner_color is not None
    body = blend(*_trunk_shapes(figure, pose, extra + 0.004), softness=0.03)
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


def _arms(figure: Figure, pose: Pose) -> list[Part]:
    s = figure.size * (0.75 + 0.25 * figure.girth)
    thick = {"jacket": 1.2, "coat": 1.24, "shirt": 1.06, "tee": 1.1, "blouse": 1.02}[figure.top]
    short = figure.top == "tee"
    sleeve = cloth(figure.bottom_color if figure.bottom == "dress" and not short else figure.top_color)
    parts = []
    for k in range(2):
        b, c = pose.elbow[k], pose.wrist[k]
        a = pose.shoulder[k] + 0.09 * (b - pose.shoulder[k])  # the deltoid ends below the shoulder's slope
        upper, lower, wrist = 0.052 * s, 0.042 * s, 0.031 * s
        around = np.stack([a, b, c])
        if short:
            bare = [rod(a, b, upper * 0.92, lower), rod(b, c, lower * 1.02, wrist * 0.92)]
            parts.append(_solid(bare, around, upper, cloth(figure.skin), 0.025 * figure.size, 0.012))
            cuff = a + 0.6 * (b - a)
            parts.append(
                _solid(
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
            parts.append(_solid(shapes, around, upper * 1.3, sleeve, 0.029 * figure.size, 0.012))
    return parts


def _hands(figure: Figure, pose: Pose) -> list[Part]:
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
        parts.append(_solid(shapes, np.stack([wrist, tip, thumb]), 0.036 * s, cloth(figure.skin), 0.0185 * s, 0.012))
    return parts


# --- head -------------------------------------------------------------------------------------------------------------


def _skull(figure: Figure, pose: Pose, grow: float = 0.0) -> list[Distance]:
    h = figure.frame.head
    c = pose.head
    jaw = 0.9 if figure.female or figure.is_child else 1.0
    return [
        ball(c + np.array([-0.03, 0, 0.1]) * h, np.array([0.42, 0.345, 0.37]) * h + grow),
        ball(c + np.array([0.09, 0, -0.16]) * h, np.array([0.28, 0.26 * jaw, 0.32]) * h + grow),
    ]


def _head(figure: Figure, pose: Pose) -> list[Part]:
    if figure.hat == "helmet":
        return _full_helmet(figure, pose)
    h, c = figure.frame.head, pose.head
    skin = cloth(figure.skin)
    nose = rod(c + np.array([0.36, 0, 0.03]) * h, c + np.array([0.44, 0, -0.12]) * h, 0.03 * h, 0.055 * h)
    ears = [ball(c + np.array([-0.04, 0.34 * side, -0.02]) * h, np.array([0.07, 0.035, 0.11]) * h) for side in SIDES]
    chin = ball(c + np.array([0.26, 0, -0.4]) * h, 0.09 * h)
    parts = [_solid([*_skull(figure, pose), nose, chin, *ears], c[None], 0.58 * h, skin, 0.074 * h, 0.03 * h)]
    white, dark = cloth((226, 222, 214)), cloth((28, 20, 18))
    lips = cloth(tuple(int(v * f) for v, f in zip(figure.skin, (0.78, 0.55, 0.55), strict=True)))  # type: ignore[arg-type]
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


def _full_helmet(figure: Figure, pose: Pose) -> list[Part]:
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
    return [_solid([shell, chin], c[None], 0.72 * h, cloth(figure.hat_color, 0.25), 0.085 * h, 0.05 * h), visor]


def _hair(figure: Figure, pose: Pose) -> list[Part]:
    if figure.hair == "bald" or figure.hat in ("helmet", "hood", "scarf"):
        return []
    h, c = figure.frame.head, pose.head
    cap = blend(*_skull(figure, pose, 0.05 * h), softness=0.03 * h)
    face = c + np.array([0.2, 0, 0.2]) * h
    scalp = _cut(_cut(cap, face, np.array([0.72, 0, -0.62])), c + np.array([0, 0, -0.2]) * h, np.array([0.25, 0, -1.0]))
    shapes: list[Distance] = [scalp]
    s = {"long": 1.0, "ponytail": 0.0, "bob": 0.0}
    if figure.hair in s or figure.hair == "bun":
        shapes += _tresses(figure.hair, c, h)
    if figure.hair == "afro":
        shapes.append(
            _cut(
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


def _hat(figure: Figure, pose: Pose) -> list[Part]:
    h, c = figure.frame.head, pose.head
    material = cloth(figure.hat_color, 0.8)
    if figure.hat in ("none", "helmet"):
        return []
    if figure.hat == "scarf" or figure.hat == "hood":
        return _wrap(figure, pose, material)
    grow = {"cap": 0.07, "beanie": 0.085, "brim": 0.075, "bike_helmet": 0.11, "police": 0.09}[figure.hat] * h
    dome = blend(*_skull(figure, pose, grow), softness=0.03 * h)
    tilt = np.array([0.12, 0, -1.0]) if figure.hat != "beanie" else np.array([0.35, 0, -1.0])
    line = c + np.array([0, 0, 0.17]) * h
    crown = _cut(dome, line, tilt)
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


def _wrap(figure: Figure, pose: Pose, material: Material) -> list[Part]:
    """A hood or headscarf: cloth around the head that leaves the face free."""
    h, c = figure.frame.head, pose.head
    shell = blend(
        *_skull(figure, pose, 0.085 * h),
        rod(c - np.array([0.1, 0, 0.3]) * h, pose.neck - (0, 0, 0.02), 0.34 * h, 0.46 * h),
        softness=0.1 * h,
    )
    opening = ball(c + np.array([0.42, 0, -0.06]) * h, np.array([0.34, 0.27, 0.38]) * h)
    return [
        blob(
            _minus(shell, opening),
            c - np.array([0.75, 0.75, 1.0]) * h,
            c + np.array([0.75, 0.75, 0.75]) * h,
            material,
            cell_m=0.085 * h,
        )
    ]


# --- bags -------------------------------------------------------------------------------------------------------------


def _bag(figure: Figure, pose: Pose) -> list[Part]:
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
            pose.chest + np.array([0.135 * s, 0.02, 0]),
            hip + (0.03, 0, 0.1 * s),
        ]
        pack = rounded_box(
            hip - np.array([0.15, 0.05, 0.14]) * s, hip + np.array([0.15, 0.05, 0.1]) * s, 0.03, material, detail=2
        )
        return [pack, sweep(strap, 0.014 * s, material, detail=6)]
    hand = pose.hand[k]
    size = {"handbag": (0.14, 0.05, 0.19), "tote": (0.17, 0.06, 0.34), "briefcase": (0.21, 0.045, 0.27)}[figure.bag]
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


def _backpack(pose: Pose, s: float, material: Material) -> list[Part]:
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
