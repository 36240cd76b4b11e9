"""Countries: a town in the style of another country. Nothing moves; walls, roofs, lane marks and signs look different.

A country is a file in ``countries/`` and has its name. ``Town05@usa`` is ``Town05`` in the style of ``usa``; the
option ``country`` of a plan does the same. All poses are equal, so that images of both towns form pairs.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final

import numpy as np

from caos.assets.mesh import Material, Mesh
from caos.assets.street import signs
from caos.foundation.errors import CaosError, unknown
from caos.foundation.settings import read_record, read_toml
from caos.simulator.embedded.towns.plan import COUNTRIES, countries, country_digest
from caos.simulator.embedded.towns.town import Town

SIGN: Final = "sign "
DARKEST, BRIGHTEST = 0.004, 0.9
"""Bounds of reflectances."""
_NUMBERED: Final = re.compile(r"^(.*?)(?: (\d+))?$")
Colour = tuple[float, float, float]


@dataclass(frozen=True)
class Country:
    """Appearance of a country's streets.

    Attributes:
        about: Description.
        paint: Colours (linear reflectance) per family of materials, such as ``plaster``: the n-th replaces the n-th.
        tint: Colour factors of families whose name begins or ends with the key, such as ``leaves``.
        signs: Map from a kind of sign to the kind that replaces it.
    """

    about: str
    paint: Mapping[str, tuple[Colour, ...]] = field(default_factory=dict)
    tint: Mapping[str, Colour] = field(default_factory=dict)
    signs: Mapping[str, str] = field(default_factory=dict)


@lru_cache(maxsize=8)
def country_named(name: str) -> Country:
    """Read the country of that name.

    Raises:
        CaosError: If the name is unknown, or its file names an unknown sign.
    """
    if name not in countries():
        raise unknown("country", name, countries())
    file = COUNTRIES / f"{name}.toml"
    country = read_record(Country, read_toml(file), file)
    for kind in (*country.signs, *country.signs.values()):
        if kind not in signs.KINDS:
            raise CaosError(f"{file}: {unknown('sign', kind, signs.KINDS)}")
    return country


def in_country(town: Town, name: str) -> Town:
    """Return the town in a country's style; roads and poses are unchanged.

    Raises:
        CaosError: If the country is unknown.
    """
    country = country_named(name)
    look = _Look(country)
    statics = tuple(replace(placed, mesh=look.mesh(placed.mesh)) for placed in town.statics)
    key = hashlib.sha256(f"{town.key}{name}{country_digest(name)}".encode()).hexdigest()[:24]
    return replace(town, statics=statics, key=key)


class _Look:
    """Meshes and materials in a country's style, each converted once, because the renderer stores each once."""

    def __init__(self, country: Country) -> None:
        self._country = country
        self._meshes: dict[int, Mesh] = {}
        self._materials: dict[int, Material] = {}

    def mesh(self, mesh: Mesh) -> Mesh:
        """Convert a mesh: another sign, or the same triangles with other materials."""
        if id(mesh) not in self._meshes:
            self._meshes[id(mesh)] = self._sign(mesh) or self._painted(mesh)
        return self._meshes[id(mesh)]

    def _sign(self, mesh: Mesh) -> Mesh | None:
        for part in mesh.parts:
            other = self._country.signs.get(part.material.name.removeprefix(SIGN))
            if other is not None and part.material.name.startswith(SIGN):
                return signs.sign(other)
        return None

    def _painted(self, mesh: Mesh) -> Mesh:
        parts = tuple(replace(part, material=self._material(part.material)) for part in mesh.parts)
        changed = any(new.material is not old.material for new, old in zip(parts, mesh.parts, strict=True))
        return Mesh(parts) if changed else mesh

    def _material(self, material: Material) -> Material:
        if id(material) not in self._materials:
            factors = self._factors(material)
            self._materials[id(material)] = material if factors is None else _recoloured(material, factors)
        return self._materials[id(material)]

    def _factors(self, material: Material) -> np.ndarray | None:
        """Factors on the material's colour; None where the country does not change it."""
        family, number = _family(material.name)
        colours = self._country.paint.get(family)
        if colours is not None:
            wanted = np.asarray(colours[number % len(colours)], np.float32)
            return np.asarray(wanted / np.maximum(np.asarray(material.color, np.float32), DARKEST))
        # One entry covers all kinds of leaves or paving: the beginning or the end of a family's name is enough.
        tint = next((value for key, value in self._country.tint.items() if _is_of(family, key)), None)
        return None if tint is None else np.asarray(tint, np.float32)


def _family(name: str) -> tuple[str, int]:
    """Family and number of a material's name: ``plaster 3``, but also ``oak 2 leaves 1``."""
    found = _NUMBERED.match(name)
    assert found is not None
    words = [word for word in found[1].split() if not word.isdigit()]
    return " ".join(words), int(found[2] or 0)


def _is_of(family: str, key: str) -> bool:
    return family == key or family.startswith(f"{key} ") or family.endswith(f" {key}")


def _recoloured(material: Material, factors: np.ndarray) -> Material:
    color = np.clip(np.asarray(material.color) * factors, DARKEST, BRIGHTEST)
    texture = None
    if material.texture is not None:
        texture = np.clip(material.texture * factors, DARKEST, BRIGHTEST).astype(np.float32)
    red, green, blue = (float(value) for value in color)
    return replace(material, color=(red, green, blue), texture=texture)
