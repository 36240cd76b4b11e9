"""Fittings of vehicles: mirrors, handles, plates, exhausts, wipers, rails, beacons."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from caos.assets.mesh import Material, Part, rotation, translation
from caos.assets.modelling.shapes import box, capsule, cylinder, ellipsoid, rounded_box, sweep
from caos.assets.street.vehicles import finishes
from caos.assets.street.vehicles.bodywork.drawing import corners
from caos.assets.street.vehicles.bodywork.exterior import Exterior
from caos.assets.street.vehicles.bodywork.sheets import mirrored
from caos.assets.street.vehicles.bodywork.shell import Shell
from caos.assets.street.vehicles.wheels import WheelStyle, wheel

_GLYPHS = {
    "A": "0110100111111001",
    "C": "0111100010000111",
    "E": "1110110010001110",
    "H": "1001111110011001",
    "K": "1001101011001011",
    "N": "1101110110111001",
    "O": "0110100110010110",
    "T": "1110010001000100",
    "X": "1001011001101001",
    "0": "0110100110010110",
    "1": "0100110001000100",
    "2": "1110001001001110",
    "4": "1010101011110010",
    "5": "1110110000101100",
    "7": "1110001001000100",
}


def _pair(parts: list[Part]) -> list[Part]:
    return [*parts, *(mirrored(p) for p in parts)]


def mirrors(shell: Shell, paint: Material, size: float) -> list[Part]:
    """Door mirrors on short arms."""
    plan = shell.plan
    front, _ = corners(shell.cabin_ring)
    arc = front + plan.a_pillar / 2 + 0.16
    foot = shell.cabin.lift(np.array([arc]), np.array([0.1 * shell.cabin_height]))[0]
    tall = size > 1.4
    radii = np.array([0.06, 0.1, 0.2]) if tall else np.array([0.085, 0.115, 0.075]) * size
    center = foot + np.array([0.02, 0.02 + radii[1], 0.16 if tall else 0.05])
    shell_part = ellipsoid(center, radii, finishes.TRIM if tall else paint, detail=14, rings=8)
    glass = ellipsoid(center - (0.4 * radii[0], 0, 0), radii * (0.7, 0.85, 0.85), finishes.GLASS, detail=12, rings=6)
    arm = capsule(foot - (0, 0.03, 0.0), center - (0, 0.05, 0.02), 0.018, finishes.TRIM, detail=8)
    return _pair([shell_part, glass, arm])


def handles(shell: Shell, material: Material) -> list[Part]:
    """One handle near the rear edge of every side door."""
    plan = shell.plan
    parts = []
    for distance in plan.doors[1:]:
        x = plan.at(distance) + 0.16
        z = float(plan.shoulder_line(x)) - 0.115
        y = float(shell.point_on_side(x, z)[1])
        parts.append(
            rounded_box((x - 0.085, y - 0.02, z - 0.014), (x + 0.085, y + 0.022, z + 0.014), 0.013, material, detail=1)
        )
    return _pair(parts)


def plate(center: ArrayLike, outward: float, text: str) -> list[Part]:
    """A number plate at a point of the middle line, facing along x towards ``outward`` (+1 or -1)."""
    x, _, z = (float(v) for v in np.asarray(center))
    a, b = sorted((x, x + 0.014 * outward))
    parts = [box((a, -0.26, z - 0.056), (b, 0.26, z + 0.056), finishes.PLATE_WHITE)]
    pitch, dot = 0.072, 0.012
    start = -0.5 * pitch * (len(text) - 1)
    for k, glyph in enumerate(text):
        middle = -outward * (start + k * pitch)  # seen from the front, left is +y
        parts += _glyph(glyph, x + 0.0145 * outward, middle, z, outward, dot)
    return parts


def _glyph(glyph: str, x: float, y: float, z: float, outward: float, dot: float) -> list[Part]:
    rows = _GLYPHS.get(glyph)
    if rows is None:
        return []
    parts = []
    for r in range(4):
        line = rows[4 * r : 4 * r + 4]
        for c, bit in enumerate(line):
            if bit == "1":
                yc, zc = y - outward * (c - 1.5) * dot, z + (1.5 - r) * 0.019
                low, high = sorted((x, x + 0.001 * outward))
                parts.append(_tile(low if outward < 0 else high, yc, zc, dot, outward))
    return parts


def _tile(x: float, y: float, z: float, dot: float, outward: float) -> Part:
    h = dot / 2
    corners_yz = [(-h, -0.0095), (h, -0.0095), (h, 0.0095), (-h, 0.0095)]
    vertices = np.array([(x, y + a, z + b) for a, b in corners_yz], np.float32)
    faces = np.array([[0, 1, 2], [0, 2, 3]], np.int32)
    return Part(vertices, faces if outward > 0 else faces[:, ::-1].copy(), finishes.PLATE_INK)


def plates(shell: Shell, exterior: Exterior, text: str) -> list[Part]:
    """Front and rear number plates."""
    front = shell.point_on_flank(0.0, exterior.plate_z[0])
    rear = shell.point_on_flank(float(shell.ring.arc[-1]), exterior.plate_z[1])
    ahead = max(
        front[0],
        shell.point_on_flank(0.0, exterior.plate_z[0] - 0.05)[0],
        shell.point_on_flank(0.25, exterior.plate_z[0])[0],
    )
    behind = min(rear[0], shell.point_on_flank(float(shell.ring.arc[-1]), exterior.plate_z[1] - 0.05)[0])
    return [*plate((ahead - 0.004, 0, front[2]), 1, text), *plate((behind + 0.004, 0, rear[2]), -1, text)]


def exhausts(shell: Shell, count: int) -> list[Part]:
    """Tail pipes under the rear bumper."""
    plan = shell.plan
    z = plan.clearance + plan.rear_skirt + 0.035
    pipe = cylinder(
        (-plan.length / 2 + 0.3, 0.45, z), (-plan.length / 2 + 0.03, 0.45, z), 0.034, finishes.CHROME, detail=14
    )
    hole = cylinder(
        (-plan.length / 2 + 0.1, 0.45, z), (-plan.length / 2 + 0.028, 0.45, z), 0.027, finishes.GAP, detail=12
    )
    return _pair([pipe, hole]) if count > 1 else [pipe, hole] if count else []


def wipers(shell: Shell) -> list[Part]:
    """Two wiper arms resting on the windscreen's foot."""
    height = shell.cabin_height
    parts = []
    for start, stop in ((-0.05, 0.5), (-0.62, -0.1)):
        path = []
        for share, v in ((0.0, 0.055), (0.5, 0.09), (1.0, 0.125)):
            y = start + share * (stop - start)
            arc = float(shell.cabin_ring.front_at(abs(y)))
            point = shell.cabin.lift(np.array([arc]), np.array([v * height]))[0]
            path.append((point[0] + 0.012, np.sign(y) * point[1] if abs(y) > 1e-6 else 0.0, point[2] + 0.012))
        parts.append(sweep(path, [0.009, 0.007, 0.005], finishes.TRIM, detail=5))
    return parts


def roof_rails(shell: Shell) -> list[Part]:
    """Rails along both edges of the roof."""
    plan = shell.plan
    start, stop = plan.at(plan.header + 0.15), plan.at(plan.roof_end - 0.1)
    y = 0.86 * shell.cabin_ring.half_width * plan.roof_width
    xs = np.linspace(start, stop, 9)
    lift = np.array([0.0, 0.05, 0.055, 0.055, 0.055, 0.055, 0.055, 0.05, 0.0])
    path = [(x, y, float(shell.roof_height(x, y)) + h) for x, h in zip(xs, lift, strict=True)]
    return _pair([sweep(path, 0.016, finishes.ALLOY, detail=8)])


def spoiler(shell: Shell, paint: Material) -> list[Part]:
    """A lip over the rear window (or the boot of a saloon)."""
    plan = shell.plan
    x = plan.at(plan.roof_end)
    half = 0.8 * shell.cabin_ring.half_width * plan.roof_width
    z = float(shell.roof_height(x, 0.6 * half))
    lip = rounded_box((-0.1, -half, -0.016), (0.1, half, 0.016), 0.014, paint, detail=1)
    return [lip.transformed(translation(x - 0.03, 0, z - 0.012) @ rotation("y", -8))]


def spare_wheel(shell: Shell, style: WheelStyle) -> list[Part]:
    """A spare wheel on the tailgate."""
    plan = shell.plan
    mesh = wheel(plan.wheel_radius * 0.95, plan.tyre_width, style)
    z = plan.belt_z - 0.08
    turned = mesh.transformed(rotation("z", 90)).transformed(
        translation(-plan.length / 2 - plan.tyre_width / 2 + 0.06, 0, z)
    )
    return list(turned.parts)


def beacons(shell: Shell) -> list[Part]:
    """A light bar across the roof, red and blue."""
    plan = shell.plan
    x = plan.at(plan.header + 0.45)
    z = float(shell.roof_height(x, 0)) - 0.015
    half = 0.55
    bar = rounded_box((x - 0.1, -half, z), (x + 0.1, half, z + 0.05), 0.02, finishes.TRIM, detail=2)
    blue = rounded_box(
        (x - 0.105, 0.12, z + 0.03), (x + 0.105, half + 0.01, z + 0.125), 0.03, finishes.BLUE_BEACON, detail=2
    )
    red = rounded_box(
        (x - 0.105, -half - 0.01, z + 0.03), (x + 0.105, -0.12, z + 0.125), 0.03, finishes.RED_BEACON, detail=2
    )
    white = rounded_box((x - 0.1, -0.12, z + 0.03), (x + 0.1, 0.12, z + 0.1), 0.02, finishes.LENS, detail=1)
    return [bar, blue, red, white]


def taxi_sign(shell: Shell) -> list[Part]:
    """A lit-looking sign on the roof."""
    plan = shell.plan
    x = plan.at(plan.header + 0.5)
    z = float(shell.roof_height(x, 0)) - 0.01
    sign = rounded_box((x - 0.07, -0.26, z), (x + 0.07, 0.26, z + 0.15), 0.03, finishes.WHITE, detail=2)
    letters = []
    for side in (1.0, -1.0):
        face = x + 0.071 * side
        for k, glyph in enumerate("TAX1"):
            letters += _glyph(glyph, face, -side * (k - 1.5) * 0.085, z + 0.075, side, 0.016)
    return [sign, *letters]


def emblem(shell: Shell, z: float) -> list[Part]:
    """A round badge on the nose."""
    x = float(shell.point_on_flank(0.0, z)[0])
    disc = ellipsoid((0, 0, 0), (0.012, 0.045, 0.045), finishes.CHROME, detail=14, rings=8)
    return [disc.transformed(translation(x + 0.002, 0, z))]


def steps(shell: Shell) -> list[Part]:
    """Running boards between the axles."""
    plan = shell.plan
    a, b = plan.rear_axle + plan.arch_radius + 0.1, plan.axles[0] - plan.arch_radius - 0.1
    y = plan.width / 2
    return _pair(
        [
            rounded_box(
                (a, y - 0.14, plan.clearance - 0.03),
                (b, y - 0.015, plan.clearance + 0.02),
                0.018,
                finishes.TRIM,
                detail=1,
            )
        ]
    )
