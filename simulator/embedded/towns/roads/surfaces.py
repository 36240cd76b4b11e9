"""Meshes of the road network's ground: asphalt, kerbs, sidewalks, medians, junctions, road marks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from caos.assets.mesh import Mesh
from caos.assets.street import surfaces as finishes
from caos.assets.street.canvas import Finish
from caos.assets.tags import SemanticTag
from caos.simulator.embedded.towns.roads.areas import KERB_HEIGHT, Areas, Band, runs
from caos.simulator.embedded.towns.roads.network import Signal, Strip
from caos.simulator.embedded.towns.roads.opendrive_writer import STOP, TRAFFIC_LIGHT
from caos.simulator.embedded.towns.streetscape.surface_builder import (
    SurfaceBuilder,
    fill,
    grid_lines,
    lifted,
    polygons,
    ring_walls,
)
from caos.simulator.embedded.towns.styles import Style

Points = NDArray[np.float64]

KERB_WIDTH = 0.16
PAINT_LIFT = 0.006
SKIRT_M, DECK_M, UNDERLAY_M = 0.7, 0.9, 0.22
LINE_M, DASH_M, GAP_M = 0.15, 3.0, 4.5
STRIPE_M, STRIPE_GAP_M = 0.5, 0.5
STOP_BAR_M = 0.4


@dataclass(frozen=True)
class GroundFinishes:
    """Finishes of a town's ground."""

    asphalts: tuple[Finish, ...]
    paving: Finish
    kerb: Finish
    green: Finish
    white: Finish
    yellow: Finish
    concrete: Finish


def ground_finishes(style: Style) -> GroundFinishes:
    """Return the finishes of a style."""
    return GroundFinishes(
        tuple(finishes.asphalt(v) for v in style.asphalts),
        finishes.paving(style.paving),
        finishes.kerb(),
        finishes.ground(style.verge),
        finishes.road_line("white"),
        finishes.road_line("yellow"),
        finishes.paving("concrete"),
    )


def ground_mesh(areas: Areas, look: GroundFinishes) -> Mesh:
    """All paved ground of a network as one mesh in world coordinates, with tagged parts."""
    builder = SurfaceBuilder()
    for band in areas.road_bands:
        _carriageway(builder, areas, band, look)
    for band in areas.walk_bands:
        _sidewalk(builder, band, look)
    for band in areas.green_bands:
        _median(builder, band, look)
    for number, shape in areas.junction_roads.items():
        _junction(builder, areas, number, shape, look)
    _corner_walks(builder, areas, look)
    _underlay(builder, areas, look)
    return builder.mesh()


def _underlay(builder: SurfaceBuilder, areas: Areas, look: GroundFinishes) -> None:
    """Add a second floor below the pavement, so that a thin gap shows asphalt and not the sky."""
    x0, y0, x1, y1 = areas.covered.bounds
    flat, faces = fill(areas.covered, (grid_lines(x0, x1, 12.0), grid_lines(y0, y1, 12.0)))
    builder.add(look.asphalts[0], SemanticTag.ROAD, lifted(flat, areas.height, -UNDERLAY_M), faces)


def _carriageway(builder: SurfaceBuilder, areas: Areas, band: Band, look: GroundFinishes) -> None:
    asphalt = look.asphalts[band.strip.road_id % len(look.asphalts)]
    builder.grid(asphalt, SemanticTag.ROAD, band.edges)
    for border, outward in ((band.left, -1), (band.right, 1)):
        _skirt(builder, asphalt, SemanticTag.ROAD, border, outward, SKIRT_M)
    high = areas.is_elevated(band.left)
    for start, stop in runs(high):
        _deck(builder, band.left[max(start - 1, 0) : stop + 1], band.right[max(start - 1, 0) : stop + 1], look)


def _deck(builder: SurfaceBuilder, left: Points, right: Points, look: GroundFinishes) -> None:
    """Sides and underside of a bridge."""
    if len(left) < 2:
        return
    down = np.array([0, 0, DECK_M])
    builder.grid(look.concrete, SemanticTag.BRIDGE, np.stack([right - down, left - down], 1))
    _skirt(builder, look.concrete, SemanticTag.BRIDGE, left + np.array([0, 0, 0.02]), -1, DECK_M)
    _skirt(builder, look.concrete, SemanticTag.BRIDGE, right + np.array([0, 0, 0.02]), 1, DECK_M)


def _skirt(builder: SurfaceBuilder, finish: Finish, tag: int, border: Points, outward: int, depth: float) -> None:
    """Add a wall below a border, so that no gap beside it shows the sky. ``outward``: 1 faces right, -1 left."""
    low = border - (0, 0, depth)
    rows = np.stack([border, low] if outward > 0 else [low, border], 1)
    builder.grid(finish, tag, rows, _along_uv(rows))


def _along_uv(rows: Points) -> Points:
    """UV in metres: u along the rows, v across the columns."""
    along = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(rows[:, 0], axis=0), axis=1))])
    across = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(rows, axis=1), axis=2).mean(axis=0))])
    uv = np.empty((*rows.shape[:2], 2))
    uv[..., 0], uv[..., 1] = along[:, None], across[None]
    return uv


def _raised(
    builder: SurfaceBuilder, band: Band, look: GroundFinishes, top: Finish, top_tag: int, kerbs: tuple[bool, bool]
) -> None:
    """Add a band at kerb height, with kerb stones at the (left, right) borders selected by ``kerbs``."""
    left, right = band.left, band.right
    up = np.array([0, 0, KERB_HEIGHT])
    width = np.maximum(np.linalg.norm((right - left)[:, :2], axis=1), 1e-6)[:, None]
    share = np.minimum(KERB_WIDTH / width, 0.3)
    inner_left, inner_right = left + (right - left) * share, right + (left - right) * share
    for has_kerb, border, inner, outward in ((kerbs[0], left, inner_left, -1), (kerbs[1], right, inner_right, 1)):
        if not has_kerb:
            _skirt(builder, top, top_tag, border + up, outward, SKIRT_M)
            continue
        profile = [inner + up, border + up, border - (0, 0, 0.3)]
        rows = np.stack(profile if outward > 0 else profile[::-1], 1)
        builder.grid(look.kerb, SemanticTag.SIDEWALK, rows, _along_uv(rows))
    low = inner_left if kerbs[0] else left
    high = inner_right if kerbs[1] else right
    rows = np.stack([low + up, high + up], 1)
    builder.grid(top, top_tag, rows, _along_uv(rows))


def _sidewalk(builder: SurfaceBuilder, band: Band, look: GroundFinishes) -> None:
    columns = band.strip.edges.shape[1] - 1
    _raised(builder, band, look, look.paving, SemanticTag.SIDEWALK, (band.first > 0, band.last < columns))


def _median(builder: SurfaceBuilder, band: Band, look: GroundFinishes) -> None:
    _raised(builder, band, look, look.green, SemanticTag.TERRAIN, (True, True))
    for end, direction in ((0, 1), (-1, -1)):
        # Close the ends of the kerb, so that the hollow median is not visible.
        a, b = band.left[end], band.right[end]
        up, down = np.array([0, 0, KERB_HEIGHT]), np.array([0, 0, 0.3])
        rows = np.stack([np.stack([a - down, b - down]), np.stack([a + up, b + up])])
        builder.grid(look.kerb, SemanticTag.SIDEWALK, rows if direction < 0 else rows[:, ::-1], None)


def _junction(builder: SurfaceBuilder, areas: Areas, number: int, shape: Any, look: GroundFinishes) -> None:
    strips = [s for s in areas.network.strips if s.junction == number]
    level = float(np.mean([s.edges[..., 2].mean() for s in strips]))
    height = areas.height_near(level)
    asphalt = look.asphalts[number % len(look.asphalts)]
    x0, y0, x1, y1 = shape.bounds
    uneven = max(float(np.ptp(s.edges[..., 2])) for s in strips) > 0.02
    lines = (grid_lines(x0, x1, 3.0), grid_lines(y0, y1, 3.0)) if uneven else None
    flat, faces = fill(shapely.segmentize(shape, 4.0), lines)
    builder.add(asphalt, SemanticTag.ROAD, lifted(flat, height), faces)
    vertices, walls, uv = ring_walls(shape, height, 0.0, SKIRT_M)
    builder.add(asphalt, SemanticTag.ROAD, vertices, walls, uv)


def _corner_walks(builder: SurfaceBuilder, areas: Areas, look: GroundFinishes) -> None:
    stones = areas.carriageway.buffer(KERB_WIDTH, join_style="mitre")
    for shape in polygons(areas.walks):
        x0, y0, x1, y1 = shape.bounds
        inner = shapely.difference(shape, stones)
        lines = (grid_lines(x0, x1, 4.0), grid_lines(y0, y1, 4.0))
        for part, finish in ((inner, look.paving), (shapely.difference(shape, inner), look.kerb)):
            flat, faces = fill(part, lines)
            builder.add(finish, SemanticTag.SIDEWALK, lifted(flat, areas.height, KERB_HEIGHT), faces)
        vertices, walls, uv = ring_walls(shape, areas.height, KERB_HEIGHT, 0.5)
        builder.add(look.kerb, SemanticTag.SIDEWALK, vertices, walls, uv)


def paint_mesh(areas: Areas, look: GroundFinishes, ground: Mesh) -> Mesh:
    """Lane marks, crossings and stop bars as a mesh a few millimetres above the ground, tagged as road lines."""
    builder = SurfaceBuilder()
    crossings = [shapely.Polygon(c[:, :2]).buffer(0.4) for c in areas.network.crossings]
    blocked = shapely.union_all(crossings) if crossings else shapely.Polygon()
    shapely.prepare(blocked)
    for strip in areas.network.roads:
        for k in range(strip.edges.shape[1]):
            _line(builder, strip, k, blocked, look)
    drape = _Drape(ground)
    for corners in areas.network.crossings:
        _stripes(builder, corners, drape, look)
    for signal in areas.network.signals:
        if signal.kind in (TRAFFIC_LIGHT, STOP) and signal.junction >= 0:
            _stop_bar(builder, areas, signal, look)
    return builder.mesh()


def _line(builder: SurfaceBuilder, strip: Strip, k: int, blocked: Any, look: GroundFinishes) -> None:
    names = strip.marks[:, k]
    edge = strip.edges[:, k]
    clear = ~shapely.contains_xy(blocked, edge[:, 0], edge[:, 1])
    shown = np.array([name not in ("NONE", "Curb", "Grass", "Other") for name in names]) & clear
    for start, stop in runs(shown):
        name = str(names[start])
        finish = look.yellow if strip.yellow[start, k] else look.white
        path = edge[start:stop]
        if len(path) < 2:
            continue
        sides = {"SolidSolid": (-1, 1), "SolidBroken": (-1, 1), "BrokenSolid": (-1, 1), "BrokenBroken": (-1, 1)}.get(
            name, (0,)
        )
        for i, side in enumerate(sides):
            dashed = name in ("Broken", "BrokenBroken", "BottsDots") or name == ("BrokenSolid", "SolidBroken")[i % 2]
            _stroke(builder, finish, _shifted(path, side * LINE_M), dashed=dashed)


def _shifted(path: Points, right: float) -> Points:
    return path + _normals(path) * right if right else path


def _normals(path: Points) -> Points:
    """Unit vectors ``(n, 3)`` to the right of a path, level."""
    step = np.gradient(path[:, :2], axis=0)
    step /= np.maximum(np.linalg.norm(step, axis=1, keepdims=True), 1e-9)
    return np.column_stack([-step[:, 1], step[:, 0], np.zeros(len(path))])


def _stroke(builder: SurfaceBuilder, finish: Finish, path: Points, *, dashed: bool) -> None:
    along = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(path, axis=0), axis=1))])
    total = float(along[-1])
    spans = (
        [(s, min(s + DASH_M, total)) for s in np.arange(0.5, total - 1.0, DASH_M + GAP_M)] if dashed else [(0.0, total)]
    )
    side = _normals(path)
    for low, high in spans:
        s = np.unique(np.concatenate([[low], along[(along > low) & (along < high)], [high]]))
        middle = np.column_stack([np.interp(s, along, path[:, i]) for i in range(3)])
        across = np.column_stack([np.interp(s, along, side[:, i]) for i in range(3)]) * (LINE_M / 2)
        rows = np.stack([middle - across, middle + across], 1) + np.array([0, 0, PAINT_LIFT])
        builder.grid(finish, SemanticTag.ROAD_LINE, rows, _along_uv(rows))


class _Drape:
    """Height lookup on a mesh's surface."""

    def __init__(self, ground: Mesh) -> None:
        from embreex.mesh_construction import TriangleMesh
        from embreex.rtcore_scene import EmbreeScene

        self._scene = EmbreeScene()
        corners = np.concatenate([p.vertices[p.faces] for p in ground.parts]).astype(np.float32)
        faces = np.arange(3 * len(corners), dtype=np.int32).reshape(-1, 3)
        self._mesh = TriangleMesh(self._scene, corners.reshape(-1, 3), faces)

    def __call__(self, flat: Points, z: float) -> Points:
        """Heights ``(n,)`` at points ``(n, 2)`` within two metres of ``z``; ``z`` itself where there is no surface."""
        origins = np.column_stack([flat, np.full(len(flat), z + 2.0)]).astype(np.float32)
        down = np.tile(np.array([[0, 0, -1]], np.float32), (len(flat), 1))
        distance = self._scene.run(origins, down, query="DISTANCE")
        out: Points = np.where(distance < 4.0, z + 2.0 - distance, z).astype(np.float64)
        return out


def _stripes(builder: SurfaceBuilder, corners: Points, drape: _Drape, look: GroundFinishes) -> None:
    """Add zebra stripes along the driving direction, side by side across the walking direction."""
    shape = shapely.Polygon(corners[:, :2])
    if not shape.is_valid or shape.area < 1:
        return
    box = np.asarray(shape.minimum_rotated_rectangle.exterior.coords)
    u, v = box[1] - box[0], box[2] - box[1]
    walk, drive = (u, v) if np.hypot(*u) >= np.hypot(*v) else (v, u)
    length = float(np.hypot(*walk))
    count = max(int((length - STRIPE_GAP_M) // (STRIPE_M + STRIPE_GAP_M)), 1)
    margin = (length - count * (STRIPE_M + STRIPE_GAP_M) + STRIPE_GAP_M) / 2
    unit = walk / length
    for i in range(count):
        start = box[0] + unit * (margin + i * (STRIPE_M + STRIPE_GAP_M))
        if np.dot(walk, box[0] - shape.centroid.coords[0]) > 0:
            start = start - walk
        far = start + drive if np.dot(drive, np.asarray(shape.centroid.coords[0]) - box[0]) > 0 else start - drive
        share = np.linspace(0, 1, max(2, math.ceil(np.hypot(*drive)) + 1))[:, None]
        left = start + (far - start) * share
        flat = np.stack([left, left + unit * STRIPE_M], 1)
        z = drape(flat.reshape(-1, 2), float(corners[:, 2].mean())).reshape(len(share), 2)
        rows = np.concatenate([flat, z[..., None] + PAINT_LIFT + 0.002], -1)
        step = far - start
        if step[0] * unit[1] - step[1] * unit[0] < 0:
            rows = rows[:, ::-1]
        builder.grid(look.white, SemanticTag.ROAD_LINE, rows)


def _stop_bar(builder: SurfaceBuilder, areas: Areas, signal: Signal, look: GroundFinishes) -> None:
    """Add a bar across the lanes that a signal stops."""
    strips = [s for s in areas.network.roads if s.road_id == signal.road_id]
    strip = next((s for s in strips if s.stations[0] - 0.1 <= signal.s <= s.stations[-1] + 0.1), None)
    if strip is None:
        return
    columns = [
        k
        for k, (lane, kind) in enumerate(zip(strip.lane_ids, strip.lane_types, strict=True))
        if kind == "driving" and lane * signal.side > 0
    ]
    if not columns:
        return
    ends = (min(columns), max(columns) + 1)
    s = np.array([signal.s - STOP_BAR_M / 2, signal.s + STOP_BAR_M / 2]).clip(strip.stations[0], strip.stations[-1])
    corners = [[[np.interp(x, strip.stations, strip.edges[:, k, i]) for i in range(3)] for k in ends] for x in s]
    rows = np.array(corners) + np.array([0, 0, PAINT_LIFT + 0.002])
    builder.grid(look.white, SemanticTag.ROAD_LINE, rows)
