"""Materials as Mitsuba surfaces (BSDFs)."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caos.assets.mesh import Material, Part
from caos.assets.modelling.textures import fractal_noise
from caos.simulator.embedded.render.path_tracing import backend
from caos.simulator.weather import Weather

Dict = dict[str, Any]
Floats = NDArray[np.float32]

SMOOTH_BELOW = 0.02
GLASS_IOR, COAT_IOR, WATER_IOR = 1.7, 1.5, 1.33
PUDDLE_TILE_M = 36.0
SHINES_THROUGH = 0.6
"""Light transmitted by a leaf, relative to the light that it reflects."""


@dataclass(frozen=True)
class Wet:
    """Wetness of the ground: ``film`` is the share under a thin film of water, ``puddles`` the share under puddles."""

    film: float = 0.0
    puddles: float = 0.0

    @staticmethod
    def of(weather: Weather) -> Wet:
        """Return the wetness of a weather, rounded to twentieths so that small changes do not rebuild surfaces."""
        film = max(weather.wetness, 0.7 * weather.precipitation_deposits, 0.8 * weather.precipitation) / 100
        puddles = weather.precipitation_deposits / 100
        return Wet(*(round(float(np.clip(x, 0, 1)) * 20) / 20 for x in (film, puddles)))

    @property
    def dry(self) -> bool:
        """Whether there is no water at all."""
        return self.film <= 0 and self.puddles <= 0


class Surfaces:
    """Builds one BSDF per material and caches it, so that parts with the same material share it."""

    def __init__(self, mi: ModuleType, wet: Wet) -> None:
        self._mi, self.wet = mi, wet
        self._made: dict[int, tuple[Material, Any]] = {}
        self._uv_m: dict[int, tuple[Material, float]] = {}

    def measure(self, parts: Iterable[Part]) -> None:
        """Record how many metres one unit of UV covers on wettable materials; the first part of each decides."""
        for part in parts:
            if part.material.wettable and id(part.material) not in self._uv_m:
                self._uv_m[id(part.material)] = part.material, metres_per_uv(part)

    def puddle_scale(self, material: Material) -> float:
        """Units of the puddle mask per unit of a material's UV."""
        return self._uv_m[id(material)][1] / PUDDLE_TILE_M if id(material) in self._uv_m else 1 / PUDDLE_TILE_M

    def set_wet(self, wet: Wet) -> bool:
        """Set the wetness; return whether the surfaces of wettable materials change."""
        if wet == self.wet:
            return False
        self.wet = wet
        self._made = {key: value for key, value in self._made.items() if not value[0].wettable}
        return True

    def keep_only(self, materials: Iterable[Material]) -> None:
        """Drop the BSDFs of all other materials."""
        wanted = {id(material) for material in materials}
        self._made = {key: value for key, value in self._made.items() if key in wanted}

    def bsdf(self, material: Material) -> Any:
        """Return the Mitsuba BSDF of ``material``."""
        if id(material) not in self._made:
            soaked = material.wettable and not self.wet.dry
            inner = self._soaked(material) if soaked else self._describe(material)
            outer = inner if material.surface == "leaf" else {"type": "twosided", "inner": inner}
            self._made[id(material)] = (material, backend.make(self._mi, outer))
        return self._made[id(material)][1]

    def _describe(self, material: Material) -> Dict:
        color = self._color(material)
        if material.gloss_mask is not None:
            return {
                "type": "blendbsdf",
                "weight": self._image(material.gloss_mask[..., None]),
                "matt": {"type": "diffuse", "reflectance": color},
                "glass": {"type": "plastic", "diffuse_reflectance": color, "int_ior": GLASS_IOR},
            }
        if material.surface == "diffuse":
            return {"type": "diffuse", "reflectance": color}
        if material.surface == "leaf":
            return _thin(material.color)
        if material.surface == "metal":
            return _conductor(color, material.roughness)
        return _coated(color, coat_alpha(material), GLASS_IOR if material.surface == "glass" else COAT_IOR)

    def _soaked(self, material: Material) -> Dict:
        """A darker surface under a film of water, and a mirror in puddles."""
        film = max(self.wet.film, 0.3)
        damp = _coated(self._color(material, 1 - 0.45 * film), 0.34 - 0.22 * film, WATER_IOR + 0.04)
        if self.wet.puddles <= 0:
            return damp
        water = _coated(self._color(material, 0.42), 0.0, WATER_IOR)
        scale = self.puddle_scale(material)
        to_uv = self._mi.ScalarTransform3f().scale([scale, scale])
        weight = self._image(puddle_mask(self.wet.puddles)[..., None], to_uv=to_uv)
        return {"type": "blendbsdf", "weight": weight, "damp": damp, "water": water}

    def _color(self, material: Material, factor: float = 1.0) -> Any:
        if material.texture is not None:
            return self._image(material.texture * np.float32(factor) if factor != 1 else material.texture)
        return {"type": "rgb", "value": [float(c) * factor for c in reflectance(material)]}

    def _image(self, image: Floats, **options: Any) -> Any:
        # Mitsuba has row 0 at v = 0, ours is the top row. float16 is enough for colour and saves memory.
        flipped = np.ascontiguousarray(image[::-1], dtype=np.float32)
        bitmap = {"bitmap": self._mi.Bitmap(flipped), "raw": True, "filter_type": "bilinear", "format": "fp16"}
        return backend.make(self._mi, {"type": "bitmap", **bitmap, **options})


def metres_per_uv(part: Part) -> float:
    """Metres per unit of the part's UV, from its largest triangles; 1 where it has no UV."""
    if part.uv is None or not len(part.faces):
        return 1.0
    faces = part.faces[:: max(len(part.faces) // 500, 1)]
    a, b, c = (part.vertices[faces[:, k]].astype(np.float64) for k in range(3))
    u, v, w = (part.uv[faces[:, k]].astype(np.float64) for k in range(3))
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1).sum()
    e, f = v - u, w - u
    flat = np.abs(e[:, 0] * f[:, 1] - e[:, 1] * f[:, 0]).sum()
    return float(np.sqrt(area / flat)) if flat > 1e-12 else 1.0


@functools.lru_cache(maxsize=4)
def puddle_mask(amount: float) -> Floats:
    """Puddle mask: tileable, ``(512, 512)``; the maximum amount covers a little under half of the ground."""
    noise = fractal_noise(512, 512, np.random.default_rng(77), base=7, octaves=5, persistence=0.5)
    edge = float(np.quantile(noise, 1 - 0.45 * amount))
    out: Floats = np.clip((noise - edge) / 0.035, 0, 1).astype(np.float32) * np.float32(0.96)
    return out


def reflectance(material: Material) -> tuple[float, float, float]:
    """Albedo of an untextured material, in 0..0.95; for a lamp, that of the lamp switched off."""
    color = np.clip(material.color, 0, None)
    if material.surface == "emissive":
        color = 0.6 * color / max(float(color.max()), 1e-6)
    if material.surface == "glass":
        color = np.minimum(color, 0.12)
    r, g, b = (float(c) for c in np.clip(color, 0.0, 0.95))
    return r, g, b


def coat_alpha(material: Material) -> float:
    """Roughness of a coated material's coat."""
    if material.surface in {"glass", "emissive"}:
        return 0.0 if material.roughness <= 0.5 else 0.1 * material.roughness
    if material.surface == "paint":
        return 0.25 * material.roughness**2
    return max(material.roughness, 0.05) ** 2


def _coated(color: Any, alpha: float, ior: float) -> Dict:
    if alpha < SMOOTH_BELOW:
        return {"type": "plastic", "diffuse_reflectance": color, "int_ior": ior, "nonlinear": True}
    # Mitsuba's roughplastic precomputes integrals of its coat, 50 ms each; this BSDF looks the same at no cost.
    return {"type": "principled", "base_color": color, "roughness": float(np.sqrt(alpha)), "eta": ior}


def _thin(color: tuple[float, float, float]) -> Dict:
    """A diffuse sheet with the reflectance ``color`` that also transmits light of the same colour."""
    both = np.clip(np.array(color) * (1 + SHINES_THROUGH), 0, 0.95)
    return {
        "type": "principledthin",
        "base_color": {"type": "rgb", "value": [float(c) for c in both]},
        "roughness": 1.0,
        "eta": 1.001,
        "diff_trans": 2 * SHINES_THROUGH / (1 + SHINES_THROUGH),
    }


def _conductor(color: Any, roughness: float) -> Dict:
    alpha = max(roughness**2, 0.03)
    return {"type": "roughconductor", "material": "none", "alpha": alpha, "specular_reflectance": color}
