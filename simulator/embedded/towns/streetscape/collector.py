"""Collector of the objects placed in a town: meshes with poses, environment objects, lamps, and occupied land."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from caos.assets.mesh import Mesh
from caos.simulator.embedded.render.description import Lamp, Placed
from caos.simulator.embedded.towns.streetscape.plots import Land
from caos.simulator.embedded.towns.streetscape.terrain import TownTerrain
from caos.simulator.embedded.towns.town import FIRST_INSTANCE, EnvironmentObject
from caos.simulator.transform import Transform


class Collector:
    """Collects the objects of a town while it is built.

    Attributes:
        land: Occupied land.
        terrain: Heights of open ground.
        placed: Placed meshes.
        objects: Their names and bounding boxes.
        lamps: Street lamps.
        foliage: Share of leaves that plants keep; less in large towns, to limit memory.
    """

    def __init__(self, land: Land, terrain: TownTerrain, foliage: float = 1.0) -> None:
        self.land, self.terrain, self.foliage = land, terrain, foliage
        self.placed: list[Placed] = []
        self.objects: list[EnvironmentObject] = []
        self.lamps: list[Lamp] = []
        self._counts: Counter[str] = Counter()
        self._bounds: dict[int, tuple[NDArray[np.float32], NDArray[np.float32]]] = {}

    def put(self, name: str, mesh: Mesh, pose: Transform, tag: int, *, scale: float = 1.0, stretch: float = 1.0) -> int:
        """Place and register a mesh, scaled by ``scale``, along x also by ``stretch``; return its instance id."""
        matrix = pose.matrix
        matrix[:3, :3] *= scale
        matrix[:3, 0] *= stretch
        instance = min(FIRST_INSTANCE + len(self.objects), 0xFFFF)
        self.placed.append(Placed(mesh, matrix, tag, instance))
        low, high = self._bounds.setdefault(id(mesh), mesh.bounds)
        center = matrix @ np.array([*((low + high) / 2), 1.0])
        extent = (high - low) / 2 * scale * np.array([stretch, 1, 1])
        self._counts[name] += 1
        self.objects.append(
            EnvironmentObject(
                len(self.objects) + 1, f"{name}_{self._counts[name]}", tag, pose,
                (float(center[0]), float(center[1]), float(center[2])),
                (float(extent[0]), float(extent[1]), float(extent[2])), instance,
            )
        )  # fmt: skip
        return instance

    def ground(self, x: float, y: float) -> float:
        """Height of the open ground at a point."""
        return float(self.terrain.height(np.array([[x, y]]))[0])

    def ground_under(self, corners: NDArray[np.float64]) -> tuple[float, float]:
        """Lowest and highest ground at points ``(n, 2)``."""
        z = self.terrain.height(corners)
        return float(z.min()), float(z.max())
