"""Materials of the house as Mitsuba surfaces (BSDFs)."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assets.mesh import Material

Dict = dict[str, Any]
SMOOTH_BELOW = 0.02


class Surfaces:
    """Makes one BSDF for each material and keeps it, so that parts that look alike share it."""

    def __init__(self, mi: ModuleType) -> None:
        self._mi = mi
        self._made: dict[int, tuple[Material, Any]] = {}

    def bsdf(self, material: Material) -> Any:
        """The Mitsuba object for ``material``."""
        if id(material) not in self._made:
            inner = self._describe(material)
            bsdf = self._mi.load_dict({"type": "twosided", "inner": inner})
            self._made[id(material)] = (material, bsdf)
        return self._made[id(material)][1]

    def forget(self) -> None:
        """Drop every BSDF."""
        self._made.clear()

    def _describe(self, material: Material) -> Dict:
        color = self._color(material)
        if material.gloss_mask is not None:
            return {
                "type": "blendbsdf",
                "weight": self._image(material.gloss_mask[..., None]),
                "matt": {"type": "diffuse", "reflectance": color},
                "glass": {"type": "plastic", "diffuse_reflectance": self._color(material), "int_ior": 1.8},
            }
        if material.surface == "diffuse":
            return {"type": "diffuse", "reflectance": color}
        if material.surface == "metal":
            return _conductor(color, material.roughness)
        return _coated(color, _coat_alpha(material), 1.7 if material.surface == "glass" else 1.5)

    def _color(self, material: Material) -> Dict:
        if material.texture is not None:
            return self._image(material.texture)
        color = np.clip(material.color, 0, None)
        if material.surface == "emissive":
            color = 0.6 * color / max(float(color.max()), 1e-6)
        if material.surface == "glass":
            color = np.minimum(color, 0.12)
        return {"type": "rgb", "value": [float(c) for c in np.clip(color, 0.0, 0.95)]}

    def _image(self, image: NDArray[np.float32]) -> Dict:
        # Mitsuba puts row 0 at v = 0, ours is the top.
        flipped = np.ascontiguousarray(image[::-1], dtype=np.float32)
        return {"type": "bitmap", "bitmap": self._mi.Bitmap(flipped), "raw": True, "filter_type": "bilinear"}


def _coat_alpha(material: Material) -> float:
    if material.surface in ("glass", "emissive"):
        return 0.0 if material.roughness <= 0.5 else 0.1 * material.roughness
    if material.surface == "paint":
        return 0.25 * material.roughness**2
    return max(material.roughness, 0.05) ** 2


def _coated(color: Dict, alpha: float, ior: float) -> Dict:
    if alpha < SMOOTH_BELOW:
        return {"type": "plastic", "diffuse_reflectance": color, "int_ior": ior, "nonlinear": True}
    return {"type": "roughplastic", "diffuse_reflectance": color, "int_ior": ior, "alpha": alpha, "nonlinear": True}


def _conductor(color: Dict, roughness: float) -> Dict:
    alpha = max(roughness**2, 0.03)
    return {"type": "roughconductor", "material": "none", "alpha": alpha, "specular_reflectance": color}
