"""Countries: a town in another country's manner. Nothing moves: walls, roofs, lines and signs are of another make.

A country is a file in ``countries/``, which names it. ``Town05@usa`` is ``Town05`` in the manner of ``usa``; the
option ``country`` of a plan does the same. Everything stands where it stood, so that pictures of both are pairs.
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
"""Of reflectances."""
_NUMBERED: Final = re.compile(r"^(.*?)(?: (\d+))?$")
Colour = tuple[float, float, float]


@dataclass(frozen=True)
class Country:
    """What a country's streets look like.

    Attributes:
        about: In words.
        paint: Colours (linear reflectance) of a family of materials, such as ``plaster``: its n-th takes the n-th.
        tint: Factors of the colours of families that begin or end so, such as ``leaves``.
        signs: The kind of sign that stands in place of another.
    """

    about: str
    paint: Mapping[str, tuple[Colour, ...]] = field(default_factory=dict)
    tint: Mapping[str, Colour] = field(default_factory=dict)
    signs: Mapping[str, str] = field(default_factory=dict)


@lru_cache(maxsize=8)
def country_named(name: str) -> Country:
    """The country of that name.

    Raises:
        CaosError: If there is none, or its file names a sign that is unknown.
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
    """The town in a country's manner: its roads, and where everything stands, are the same.

    Raises:
        CaosError: If there is no such country.
    """
    country = country_named(name)
    look = _Look(country)
    statics = tuple(replace(placed, mesh=look.mesh(placed.mesh)) for placed in town.statics)
    key = hashlib.sha256(f"{town.key}{name}{country_digest(name)}".encode()).hexdigest()[:24]
    return replace(town, statics=statics, key=key)


class _Look:
    """Meshes and materials in a country's manner, each made once, as the renderer stores each once."""

    def __init__(self, country: Country) -> None:
        self._country = country
        self._meshes: dict[int, Mesh] = {}
        self._materials: dict[int, Material] = {}

    def mesh(self, mesh: Mesh) -> Mesh:
        """A mesh: another sign, or the same triangles of other materials."""
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
        """What its colour is multiplied by; None where the country does not change it."""
        family, number = _family(material.name)
        colours = self._country.paint.get(family)
        if colours is not None:
            wanted = np.asarray(colours[number % len(colours)], np.float32)
            return np.asarray(wanted / np.maximum(np.asarray(material.color, np.float32), DARKEST))
        # All leaves are tinted alike, all kinds of paving too: what a family begins or ends with is enough.
        tint = next((value for key, value in self._country.tint.items() if _is_of(family, key)), None)
        return None if tint is None else np.asarray(tint, np.float32)


def _family(name: str) -> tuple[str, int]:
    """What a material is one of, and which: ``plaster 3``, but also ``oak 2 leaves 1``."""
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
