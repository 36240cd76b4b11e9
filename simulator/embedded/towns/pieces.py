"""The one door from towns to the models of what stands in a street."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from assets.mesh import Mesh
from simulator.embedded.models import buildings

try:
    from simulator.embedded.models import barriers, furniture, lights, signs, vegetation
except ImportError:
    from simulator.embedded.towns import stand_ins as barriers
    from simulator.embedded.towns import stand_ins as furniture
    from simulator.embedded.towns import stand_ins as lights
    from simulator.embedded.towns import stand_ins as signs
    from simulator.embedded.towns import stand_ins as vegetation

WALL, FENCE, POLE, SIGN, VEGETATION, STATIC, GUARD_RAIL, BUILDING = 4, 5, 6, 8, 9, 20, 28, 3
GREEN_EDGES = ("hedge",)
_SIGN_KINDS = {"206": "stop", "205": "yield"}


class BuildingStock:
    """Buildings of a town: drawn afresh at first, then reused where no neighbour has the same one."""

    def __init__(self, rng: np.random.Generator, fresh: int) -> None:
        self._rng, self._fresh = rng, fresh
        self._made: list[tuple[str, float, float, int, Mesh]] = []
        self._recent: list[int] = []

    def draw(self, style: str, width: float, depth: float, floors: int) -> tuple[Mesh, float, float]:
        """A mesh with its width and depth, about as asked."""
        ranges = buildings.RANGES[style]
        width, depth = (float(np.clip(v, *r)) for v, r in zip((width, depth), ranges[:2], strict=True))
        floors = int(np.clip(floors, *ranges[2]))
        known = self._similar(style, width, depth, floors) if len(self._made) >= self._fresh else None
        if known is None:
            seed = np.random.default_rng(self._rng.integers(2**32))
            self._made.append((style, width, depth, floors, buildings.building(style, width, depth, floors, seed)))
            known = len(self._made) - 1
        self._recent = [*self._recent[-9:], known]
        return self._made[known][4], self._made[known][1], self._made[known][2]

    def _similar(self, style: str, width: float, depth: float, floors: int) -> int | None:
        fits = [
            i
            for i, (s, w, d, f, _) in enumerate(self._made)
            if s == style and width * 0.75 <= w <= width and d <= depth + 1 and abs(f - floors) <= 2 and i not in self._recent
        ]
        return int(self._rng.choice(fits)) if fits else None


def tree(species: str, rng: np.random.Generator) -> Mesh:
    """One of the few models of a species."""
    return vegetation.tree(species, int(rng.integers(vegetation.VARIANTS)))


def bush(rng: np.random.Generator) -> Mesh:
    """One of the few bushes."""
    return vegetation.bush(int(rng.integers(3)))


@lru_cache(maxsize=64)
def edge(kind: str, length_m: float, variant: int) -> tuple[Mesh, int]:
    """A piece of wall, fence or hedge along +x from 0, and its tag; ``kind`` is such as ``wall:brick``."""
    family, _, name = kind.partition(":")
    if family == "hedge":
        from assets.mesh import rotation, translation

        turned = vegetation.hedge(length_m, variant=variant).transformed(rotation("z", 90))
        return turned.transformed(translation(length_m / 2, 0, 0)), VEGETATION
    if family == "wall":
        return barriers.wall(name, length_m), WALL
    return barriers.fence(name, length_m), FENCE


@lru_cache(maxsize=8)
def guard_rail(length_m: float) -> Mesh:
    """A piece of guard rail along +x from 0; traffic is on its -y side... or both."""
    return barriers.guard_rail(length_m)


def traffic_sign(kind: str, value: float) -> Mesh:
    """The sign for an OpenDRIVE type."""
    name = _SIGN_KINDS.get(kind)
    if kind == "274":
        speeds = sorted(int(k.rsplit("_", 1)[1]) for k in signs.KINDS if k.startswith("speed_"))
        name = f"speed_{min(speeds, key=lambda v: abs(v - value))}"
    return signs.sign(name or "priority")


def furniture_piece(kind: str, rng: np.random.Generator) -> Mesh:
    """A piece of street furniture."""
    return furniture.furniture(kind, int(rng.integers(3)))


def street_light(kind: str) -> tuple[Mesh, NDArray[np.float64]]:
    """A street light and where its lamp is in the mesh's frame."""
    return lights.street_light(kind), np.asarray(lights.lamp_offset(kind), np.float64)
