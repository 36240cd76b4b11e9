"""Terrain: open ground from the edge of the pavement to hills at the horizon, without a gap."""

from __future__ import annotations

from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from caos.assets.mesh import Mesh
from caos.assets.street import surfaces as finishes
from caos.assets.tags import SemanticTag
from caos.simulator.embedded.towns.roads.areas import KERB_HEIGHT, Areas
from caos.simulator.embedded.towns.streetscape.surface_builder import SurfaceBuilder, fill
from caos.simulator.embedded.towns.styles import Style

Points = NDArray[np.float64]

CELL_M = 9.0
HORIZON_M = 6000.0
MARGIN_M = 70.0
FAR_M = 90.0
BANK_M = 16.0


class TownTerrain:
    """Heights of the land around a network.

    Args:
        areas: The network's ground.
        style: Style that sets hills and unevenness.
        rng: Generator of their shape.
        water_z: Height of the water.
    """

    def __init__(self, areas: Areas, style: Style, rng: np.random.Generator, water_z: float = -3.0) -> None:
        self.areas, self.style = areas, style
        self.water, self.water_z = areas.water, water_z
        border, paved = areas.ground_border()
        border[:, 2] += np.where(paved > 0, KERB_HEIGHT - 0.02, -0.03)
        self._border = border
        self._tree = cKDTree(border[:, :2])
        x0, y0, x1, y1 = areas.covered.bounds
        self._box = (x0, y0, x1, y1)
        self._base = float(np.median(border[:, 2]))
        self._waves = _waves(rng)

    def height(self, flat: Points) -> Points:
        """Ground height ``(n,)`` at points ``(n, 2)``; beside the pavement it is the pavement's."""
        distance, index = self._tree.query(flat, k=min(8, len(self._border)))
        weight = 1 / (distance + 0.02) ** 2.5
        near = (weight * self._border[index, 2]).sum(axis=1) / weight.sum(axis=1)
        gap = distance[:, 0]
        z = near + self.style.rolling_m * self._noise(flat, 45.0) * _smooth(gap, 3.0, 30.0)
        outside = self._outside(flat)
        hills = self.style.hills_m * (0.5 + 0.5 * self._noise(flat, 520.0)) * _smooth(outside, 60.0, 1300.0)
        if self.water is not None:
            hills = hills * _smooth(shapely.distance(self.water, shapely.points(flat)), 15.0, 600.0)
        far = self._base + hills
        mix = _smooth(outside, 20.0, FAR_M + 120.0)
        z = z * (1 - mix) + far * mix
        out: Points = z if self.water is None else self._carved(flat, z, gap)
        return out

    def _carved(self, flat: Points, z: Points, gap: Points) -> Points:
        """Banks sloping into the river bed."""
        points = shapely.points(flat)
        inside = shapely.contains(self.water, points)
        distance = shapely.distance(self.water, points)
        rim = shapely.distance(shapely.boundary(self.water), points)
        bed = np.where(inside, self.water_z - np.minimum(0.4 + 0.3 * rim, 2.5), self.water_z + 0.3)
        reach = np.minimum(BANK_M, np.maximum(gap, 0.5))
        share = np.where(inside, 0.0, _smooth(distance, 0.0, reach))
        out: Points = bed * (1 - share) + z * share
        return out

    def _outside(self, flat: Points) -> Points:
        x0, y0, x1, y1 = self._box
        dx = np.maximum(np.maximum(x0 - flat[:, 0], flat[:, 0] - x1), 0)
        dy = np.maximum(np.maximum(y0 - flat[:, 1], flat[:, 1] - y1), 0)
        gap: Points = np.hypot(dx, dy)
        return gap

    def _noise(self, flat: Points, period: float) -> Points:
        """Smooth noise between about -1 and 1."""
        total = np.zeros(len(flat))
        for angle, scale, phase in self._waves:
            along = flat[:, 0] * np.cos(angle) + flat[:, 1] * np.sin(angle)
            total += np.sin(2 * np.pi * along * scale / period + phase) / np.sqrt(len(self._waves) / 2)
        return np.clip(total * 0.7, -1, 1)

    def lines(self) -> tuple[Points, Points]:
        """Grid lines, dense over the town and increasingly sparse towards the horizon."""
        x0, y0, x1, y1 = self._box
        return _graded(x0, x1), _graded(y0, y1)

    def mesh(self) -> Mesh:
        """Return the land (and the water) as one mesh in world coordinates."""
        builder = SurfaceBuilder()
        xs, ys = self.lines()
        whole = shapely.box(xs[0], ys[0], xs[-1], ys[-1])
        land = shapely.difference(whole, self.areas.covered)
        flat, faces = fill(shapely.segmentize(land, 5.0) if land.area < 1e5 else _segmented(land), (xs, ys))
        vertices = np.column_stack([flat, self.height(flat)])
        kinds = self._kinds(flat[faces].mean(axis=1))
        for kind in np.unique(kinds):
            builder.add(finishes.ground(str(kind)), SemanticTag.TERRAIN, vertices, faces[kinds == kind], smooth=True)
        if self.water is not None:
            self._add_water(builder)
        return builder.mesh()

    def _kinds(self, middle: Points) -> NDArray[np.str_]:
        """Ground cover at points ``(n, 2)``: the verge near roads, then a patchwork of parcels."""
        outside = self._outside(middle)
        angle = self._waves[0][0]
        turned = middle @ np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        parcel = np.floor(turned / (130.0, 85.0)).astype(np.int64)
        number = (parcel[:, 0] * 7919 + parcel[:, 1] * 104729) % len(self.style.parcels)
        kinds = np.array(self.style.parcels)[number]
        near = outside < MARGIN_M * (0.75 + 0.5 * self._noise(middle, 60.0))
        return np.where(near, self.style.verge, kinds)

    def _add_water(self, builder: SurfaceBuilder) -> None:
        shape = self.water.buffer(BANK_M)
        flat, faces = fill(shape)
        builder.add(
            finishes.water(), SemanticTag.WATER, np.column_stack([flat, np.full(len(flat), self.water_z)]), faces
        )


def _segmented(land: Any) -> Any:
    """Add vertices every few metres to the inner rings of the land (the pavement's edge)."""
    rings = (
        [shapely.segmentize(shapely.LinearRing(r), 5.0) for r in land.interiors] if land.geom_type == "Polygon" else []
    )
    return shapely.Polygon(land.exterior, rings) if rings else shapely.segmentize(land, 200.0)


def _waves(rng: np.random.Generator) -> list[tuple[float, float, float]]:
    angles, scales, phases = rng.uniform(0, np.pi, 7), 2 ** rng.uniform(-0.8, 1.4, 7), rng.uniform(0, 6.28, 7)
    return [(float(a), float(s), float(p)) for a, s, p in zip(angles, scales, phases, strict=True)]


def _smooth(value: Points, low: float | Points, high: float | Points) -> Points:
    t = np.clip((value - low) / np.maximum(np.asarray(high) - low, 1e-9), 0, 1)
    out: Points = t * t * (3 - 2 * t)
    return out


def _graded(low: float, high: float) -> Points:
    inner = np.arange(low - MARGIN_M, high + MARGIN_M + CELL_M, CELL_M)
    steps = CELL_M * 1.25 ** np.arange(1, 24)
    out = np.cumsum(steps)
    out = out[out < HORIZON_M]
    return np.concatenate([inner[0] - out[::-1], inner, inner[-1] + out])
