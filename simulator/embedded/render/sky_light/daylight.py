"""Clear sky and direct sun: the Preetham daylight model.

After Preetham, Shirley and Smits, "A Practical Analytic Model for Daylight", 1999; air mass after Kasten and Young.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]
Floats = NDArray[np.float32]

XYZ_TO_RGB = np.array([[3.2406, -1.5372, -0.4986], [-0.9689, 1.8758, 0.0415], [0.0557, -0.204, 1.057]])
# Perez coefficients A..E for Y, x and y: slope over turbidity, then offset.
PEREZ = np.array(
    [
        [[0.1787, -1.463], [-0.3554, 0.4275], [-0.0227, 5.3251], [0.1206, -2.5771], [-0.067, 0.3703]],
        [[-0.0193, -0.2592], [-0.0665, 0.0008], [-0.0004, 0.2125], [-0.0641, -0.8989], [-0.0033, 0.0452]],
        [[-0.0167, -0.2608], [-0.095, 0.0092], [-0.0079, 0.2102], [-0.0441, -1.6537], [-0.0109, 0.0529]],
    ]
)
# Chromaticity at the zenith: rows over turbidity squared, turbidity, 1; columns over sun zenith angle cubed .. 1.
ZENITH_X = np.array(
    [
        [0.00166, -0.00375, 0.00209, 0],
        [-0.02903, 0.06377, -0.03202, 0.00394],
        [0.11693, -0.21196, 0.06052, 0.25886],
    ]
)
ZENITH_Y = np.array(
    [
        [0.00275, -0.0061, 0.00317, 0],
        [-0.04214, 0.0897, -0.04153, 0.00516],
        [0.15346, -0.26756, 0.0667, 0.26688],
    ]
)
SUN_ABOVE_AIR = 3.7
AIR_DEPTH = np.array([0.095, 0.135, 0.235])


def _perez(coefficients: Doubles, cos_zenith: Floats | float, angle: Floats | float) -> Floats:
    a, b, c, d, e = (float(coefficient) for coefficient in coefficients)
    return np.asarray((1 + a * np.exp(b / cos_zenith)) * (1 + c * np.exp(d * angle) + e * np.cos(angle) ** 2))


def clear_sky(view: Floats, sun: Doubles, turbidity: float) -> Floats:
    """Relative RGB radiance of a clear sky in unit directions ``view`` ``(..., 3)``."""
    zenith = float(np.arccos(np.clip(sun[2], 0.03, 1)))
    cos_view = np.clip(view[..., 2], 0.012, 1)
    angle = np.arccos(np.clip(view @ sun.astype(np.float32), -1, 1))
    powers = np.array([zenith**3, zenith**2, zenith, 1])
    turbid = np.array([turbidity**2, turbidity, 1])
    chi = (4 / 9 - turbidity / 120) * (np.pi - 2 * zenith)
    luminance = (4.0453 * turbidity - 4.971) * np.tan(chi) - 0.2155 * turbidity + 2.4192
    top = (luminance, float(turbid @ ZENITH_X @ powers), float(turbid @ ZENITH_Y @ powers))
    shapes = PEREZ @ np.array([turbidity, 1])
    big_y, x, y = (
        float(t / _perez(shape, 1.0, zenith)) * _perez(shape, cos_view, angle)
        for t, shape in zip(top, shapes, strict=True)
    )
    big_y = np.clip(big_y, 0, None)
    xyz = np.stack([x / y * big_y, big_y, (1 - x - y) / y * big_y], -1)
    out: Floats = np.clip(xyz @ XYZ_TO_RGB.T.astype(np.float32), 0, None)
    return out


def sun_beam(height: float, turbidity: float) -> Doubles:
    """RGB irradiance ``(3,)`` of a surface that faces the sun; ``height`` is the sine of the sun's altitude."""
    altitude_deg = float(np.degrees(np.arcsin(np.clip(height, 0, 1))))
    mass = 1 / (max(height, 0.0) + 0.15 * (altitude_deg + 3.885) ** -1.253)
    beam = SUN_ABOVE_AIR * np.exp(-AIR_DEPTH * (0.6 + 0.15 * turbidity) * mass)
    return np.asarray(beam * np.clip(height / 0.03, 0, 1))
