"""Surroundings of a town: trees inside the blocks, groves, distant woods, and a skyline."""

from __future__ import annotations

import numpy as np
import shapely
from numpy.typing import NDArray

from caos.assets.mesh import Material, Mesh, Part
from caos.assets.modelling.shapes import ellipsoid
from caos.assets.street.vegetation.leaves import blades, upward
from caos.assets.tags import SemanticTag
from caos.simulator.embedded.towns.streetscape import street_models
from caos.simulator.embedded.towns.streetscape.collector import Collector
from caos.simulator.embedded.towns.streetscape.plots import rectangle
from caos.simulator.embedded.towns.styles import Style
from caos.simulator.transform import Transform

Points = NDArray[np.float64]

GROVE_REACH_M = 170.0
WOODS_M = (230.0, 1500.0)
WOODS_CROWNS = 2400
WOODS_FACETS = 48
"""Facets per crown; gives about as many triangles as the trees of a grove have."""
WOODS_CENTER, WOODS_RADII = np.array([0, 0, 0.55]), np.array([0.5, 0.5, 0.55])
"""Centre and radii of a crown of height one."""
WOODS_TONES = ((0.052, 0.078, 0.03), (0.068, 0.096, 0.035), (0.042, 0.066, 0.032), (0.082, 0.1, 0.04))
WOODS_POINTED = 2
"""Index of the tone used for conifers."""
SKYLINE_M = (260.0, 620.0)


def plant_groves(
    out: Collector, style: Style, box: tuple[float, float, float, float], rng: np.random.Generator
) -> None:
    """Plant groups of trees on open land inside and around the town."""
    if not style.trees or style.forest <= 0:
        return
    x0, y0, x1, y1 = box
    reach = GROVE_REACH_M
    hectares = (x1 - x0 + 2 * reach) * (y1 - y0 + 2 * reach) / 1e4
    centres = rng.uniform(
        (x0 - reach, y0 - reach), (x1 + reach, y1 + reach), (max(1, round(hectares * style.forest / 5)), 2)
    )
    for center in centres:
        species = str(rng.choice(style.trees))
        for point in rng.normal(center, 9.0, (int(rng.integers(2, 9)), 2)):
            _grove_tree(out, point, species if rng.random() < 0.7 else str(rng.choice(style.trees)), rng)


def _grove_tree(out: Collector, point: Points, species: str, rng: np.random.Generator) -> None:
    x, y = float(point[0]), float(point[1])
    shape = shapely.Point(x, y).buffer(1.6)
    if not out.land.is_free(shape, 3.5):
        return
    out.land.take(shape)
    pose = Transform(x, y, out.ground(x, y) - 0.1, 0, float(rng.uniform(0, 360)), 0)
    mesh = street_models.tree(species, rng, street_models.FAR * out.foliage)
    out.put(f"tree_{species}", mesh, pose, SemanticTag.VEGETATION, scale=float(rng.uniform(0.8, 1.3)))


def woods(out: Collector, style: Style, box: tuple[float, float, float, float], rng: np.random.Generator) -> Mesh:
    """Distant woods as one mesh of rough crowns, in stands on the slopes around the town."""
    center = np.array([(box[0] + box[2]) / 2, (box[1] + box[3]) / 2])
    half = max(box[2] - box[0], box[3] - box[1]) / 2
    stands = max(6, round(14 * style.forest))
    angle = rng.uniform(0, 2 * np.pi, stands)
    distance = half + WOODS_M[0] + (WOODS_M[1] - WOODS_M[0]) * rng.random(stands) ** 1.7
    middle = center + np.stack([np.cos(angle), np.sin(angle)], 1) * distance[:, None]
    pick = rng.integers(0, stands, WOODS_CROWNS)
    flat = middle[pick] + rng.normal(0, 1, (WOODS_CROWNS, 2)) * (22 + distance[pick] * 0.05)[:, None]
    if out.terrain.water is not None:
        flat = flat[shapely.distance(out.terrain.water, shapely.points(flat)) > 25]
    flat = flat[np.abs(flat - center).max(axis=1) > half + 60]
    return _crowns(np.column_stack([flat, out.terrain.height(flat)]), rng)


def _crowns(feet: Points, rng: np.random.Generator) -> Mesh:
    """Mesh of round and pointed crowns at ``feet``: leaf-like facets around a dark core, ragged from afar."""
    size = rng.uniform(5, 12, (len(feet), 1, 1)) * (1, 1, 1.25)
    tone = rng.integers(0, len(WOODS_TONES), len(feet))
    core = ellipsoid(WOODS_CENTER, tuple(0.72 * WOODS_RADII), Material("unit"), detail=5, rings=3)
    parts = []
    for k, color in enumerate(WOODS_TONES):
        mine, shell = feet[tone == k], _shells(int(np.count_nonzero(tone == k)), rng)
        inner = np.repeat(core.vertices[None].astype(np.float64), len(mine), 0)
        for name, shape, faces, light in (("leaves", *shell, 1.0), ("core", inner, core.faces, 0.45)):
            if k == WOODS_POINTED:
                shape[..., :2] *= np.clip(1.1 - shape[..., 2:] * 0.95, 0.08, 1) * 1.2
            vertices = (shape * size[tone == k] + mine[:, None] - (0, 0, 1.0)).reshape(-1, 3)
            rows = (faces[None] + (np.arange(len(mine)) * shape.shape[1])[:, None, None]).reshape(-1, 3)
            material = Material(f"far wood {k} {name}", (color[0] * light, color[1] * light, color[2] * light))
            tag = SemanticTag.VEGETATION
            parts.append(Part(vertices.astype(np.float32), rows.astype(np.int32), material, tag=tag))
    return Mesh(tuple(parts))


def _shells(count: int, rng: np.random.Generator) -> tuple[Points, NDArray[np.int64]]:
    """Facet corners of crowns of height one ``(count, corners, 3)``, and the faces of one crown."""
    away = rng.normal(size=(count * WOODS_FACETS, 3))
    away /= np.linalg.norm(away, axis=1, keepdims=True)
    at = WOODS_CENTER + away * WOODS_RADII * rng.uniform(0.6, 1.0, (len(away), 1))
    vertices, _ = blades(rng, at, upward(rng, away), 0.26, 0.2)
    _, faces = blades(rng, at[:WOODS_FACETS], away[:WOODS_FACETS], 1.0, 1.0)
    return vertices.reshape(count, 4 * WOODS_FACETS, 3), faces


def skyline(
    out: Collector,
    style: Style,
    stock: street_models.BuildingStock,
    box: tuple[float, float, float, float],
    rng: np.random.Generator,
) -> None:
    """Place towers and blocks around the town, so that streets end in a city and not in a field."""
    center = np.array([(box[0] + box[2]) / 2, (box[1] + box[3]) / 2])
    half = np.array([box[2] - box[0], box[3] - box[1]]) / 2
    for _ in range(style.skyline):
        angle = rng.uniform(0, 2 * np.pi)
        way = np.array([np.cos(angle), np.sin(angle)])
        edge = float(min(half / np.maximum(np.abs(way), 1e-6)))
        x, y = center + way * (edge + rng.uniform(*SKYLINE_M) * rng.random() + 45)
        kind = str(rng.choice(style.skyline_buildings))
        mesh, width, depth = stock.draw(kind, rng.uniform(18, 40), rng.uniform(16, 30), int(rng.integers(4, 28)))
        yaw = float(rng.choice([0, 90, 180, 270]) + rng.normal(0, 4))
        shape = rectangle(float(x), float(y), yaw, depth, width)
        if out.land.is_free(shape, 6.0):
            out.land.take(shape)
            low, _ = out.ground_under(np.asarray(shape.exterior.coords))
            out.put("building", mesh, Transform(float(x), float(y), low + 0.02, 0, yaw, 0), SemanticTag.BUILDING)
