"""Models of street objects for towns: the only import of ``caos.assets.street`` models here."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from caos.assets.mesh import Mesh, Part
from caos.assets.street import barriers, buildings, furniture, lights, signs, vegetation
from caos.assets.tags import SemanticTag

_SIGN_KINDS = {"206": "stop", "205": "yield"}


class BuildingStock:
    """Buildings of a town: a number of new ones first, then reused where no neighbour is the same."""

    def __init__(self, rng: np.random.Generator, fresh: int) -> None:
        self._rng, self._fresh = rng, fresh
        self._made: list[tuple[str, float, float, int, Mesh]] = []
        self._recent: list[int] = []

    def draw(self, style: str, width: float, depth: float, floors: int) -> tuple[Mesh, float, float]:
        """Return a mesh of about the given size, with its actual width and depth."""
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
            if s == style
            and width * 0.75 <= w <= width
            and d <= depth + 1
            and abs(f - floors) <= 2
            and i not in self._recent
        ]
        return int(self._rng.choice(fits)) if fits else None


NEAR, MIDDLE, FAR = 0.36, 0.13, 0.05
"""Share of leaves that plants keep beside a road, in gardens, and farther away."""


def tree(species: str, rng: np.random.Generator, leaves: float = NEAR) -> Mesh:
    """Return one of a few models of a species, with a share of its leaves."""
    return _tree(species, int(rng.integers(vegetation.VARIANTS)), leaves)


@lru_cache(maxsize=256)
def _tree(species: str, variant: int, leaves: float) -> Mesh:
    return thinned(vegetation.tree(species, variant), leaves)


def bush(rng: np.random.Generator) -> Mesh:
    """Return one of a few bushes."""
    return _bush(int(rng.integers(3)))


@lru_cache(maxsize=8)
def _bush(variant: int) -> Mesh:
    return thinned(vegetation.bush(variant), 0.28)


def thinned(mesh: Mesh, share: float) -> Mesh:
    """Reduce the number of leaves and enlarge them: the same crown from a distance with fewer triangles."""
    parts = tuple(_thin_leaves(part, share) for part in mesh.parts)
    return Mesh(tuple(_trunk(part) if share < NEAR and "bark" in part.material.name else part for part in parts))


def _trunk(part: Part) -> Part:
    """Bark without the limbs that the crown hides."""
    corners = part.vertices[part.faces]
    height = float(part.vertices[:, 2].max())
    reach = np.linalg.norm(corners[..., :2], axis=2).max(axis=1)
    return replace(part, faces=part.faces[(corners[..., 2].min(axis=1) < 0.3 * height) | (reach < 0.05 * height)])


def _thin_leaves(part: Part, share: float) -> Part:
    """Keep and enlarge a share of the leaves of a part made of quadrilateral leaves; other parts are unchanged."""
    leaf = part.faces // 4
    if share >= 1 or len(part.vertices) != 2 * len(part.faces) or (leaf != leaf[:, :1]).any() or part.uv is not None:
        return part
    corners = part.vertices.reshape(-1, 4, 3)
    kept = corners[np.random.default_rng(len(corners)).random(len(corners)) < share]
    middle = kept.mean(axis=1, keepdims=True)
    grown = (middle + (kept - middle) * (0.92 / np.sqrt(share))).reshape(-1, 3).astype(np.float32)
    base = 4 * np.arange(len(kept), dtype=np.int32)[:, None]
    faces = np.concatenate([base + np.array([0, 1, 2], np.int32), base + np.array([0, 2, 3], np.int32)])
    return replace(part, vertices=grown, faces=faces)


@lru_cache(maxsize=64)
def edge(kind: str, length_m: float, variant: int) -> tuple[Mesh, int]:
    """A piece of wall, fence or hedge along +x from 0, and its tag; ``kind`` is for example ``wall:brick``."""
    family, _, name = kind.partition(":")
    if family == "hedge":
        from caos.assets.mesh import rotation, translation

        turned = thinned(vegetation.hedge(length_m, variant=variant), 0.5).transformed(rotation("z", 90))
        return turned.transformed(translation(length_m / 2, 0, 0)), SemanticTag.VEGETATION
    if family == "wall":
        return barriers.wall(name, length_m), SemanticTag.WALL
    return barriers.fence(name, length_m), SemanticTag.FENCE


@lru_cache(maxsize=8)
def guard_rail(length_m: float) -> Mesh:
    """A piece of guard rail along +x from 0, its beam towards +y."""
    return barriers.guard_rail(length_m)


def traffic_sign(kind: str, value: float) -> Mesh:
    """The sign for an OpenDRIVE type."""
    name = _SIGN_KINDS.get(kind)
    if kind == "274":
        limits = [int(k.removeprefix("speed_")) for k in signs.KINDS if k.startswith("speed_")]
        name = f"speed_{min(limits, key=lambda limit: abs(limit - value))}"
    return signs.sign(name or "priority")


def sign(kind: str) -> Mesh:
    """A generic sign that the network does not define."""
    return signs.sign(kind)


def direction_board(lines: tuple[str, ...]) -> Mesh:
    """A direction board on two posts."""
    return signs.direction_board(lines)


def gantry(width_m: float, lines: tuple[str, ...]) -> Mesh:
    """A sign gantry over a carriageway."""
    return signs.gantry(width_m, lines)


def furniture_piece(kind: str, rng: np.random.Generator) -> Mesh:
    """A piece of street furniture."""
    return furniture.furniture(kind, int(rng.integers(3)))


def street_light(kind: str) -> tuple[Mesh, tuple[tuple[float, float, float], ...]]:
    """A street light and where its lamps are in the mesh's frame."""
    return lights.street_light(kind), lights.lamp_offset(kind)


@lru_cache(maxsize=64)
def traffic_light_pole(kind: str, arm_m: float) -> Mesh:
    """A post, or a mast with an arm along +y."""
    return lights.traffic_light_pole(kind, arm_m=arm_m)


def traffic_light_heads(kind: str, arm_m: float) -> tuple[NDArray[np.float64], ...]:
    """Matrices ``pole_from_head``."""
    return lights.traffic_light_head_poses(kind, arm_m=arm_m)
