"""Roadside objects: buildings, walls, trees, lamps, furniture and guard rails, by style and seed."""

from __future__ import annotations

import math

import numpy as np
import shapely

from caos.assets.mesh import Mesh
from caos.assets.tags import SemanticTag
from caos.simulator.embedded.render.description import Lamp
from caos.simulator.embedded.towns.roads.areas import KERB_HEIGHT, Band
from caos.simulator.embedded.towns.streetscape import street_models
from caos.simulator.embedded.towns.streetscape.collector import Collector
from caos.simulator.embedded.towns.streetscape.plots import REACH_M, Frontage, rectangle
from caos.simulator.embedded.towns.streetscape.walls import PIECE_M, put_piece
from caos.simulator.embedded.towns.styles import Style
from caos.simulator.transform import Transform

RAIL_M = 4.0
MOUTH_M = 9.0
LEVEL_M, STEEP_M = 0.3, 2.2
"""Rise in metres below which ground counts as level, and above which it is too steep for a building."""
SUNK_M = 0.4
"""Maximum depth of a building's floor below the ground beside it: doors and windows stay clear."""
LAMP_COLOR = (1.0, 0.82, 0.55)
MEDIAN_TREE = "blossom"
BOARDS = (("Centre", "Harbour 4 km"), ("Old Mill", "Airport 12 km"), ("Northfield", "Station"))
GANTRIES = (("Airport", "North / City"), ("Harbour", "Centre / Fair", "East"))


def build_up(
    out: Collector, front: Frontage, style: Style, stock: street_models.BuildingStock, rng: np.random.Generator
) -> None:
    """Place buildings along a frontage, facing the road, in one or more rows."""
    if not style.buildings:
        return
    behind = 0.0
    for _ in range(style.rows):
        deepest = _build_row(out, front, style, stock, rng, behind)
        behind += deepest + rng.uniform(8, 16)


def _build_row(
    out: Collector,
    front: Frontage,
    style: Style,
    stock: street_models.BuildingStock,
    rng: np.random.Generator,
    behind: float,
) -> float:
    u, deepest = -REACH_M + rng.uniform(0, 3), 0.0
    while u < front.length + REACH_M - 6:
        kind = str(rng.choice(style.buildings))
        mesh, width, depth = stock.draw(
            kind,
            rng.uniform(*style.width_m),
            rng.uniform(*style.depth_m),
            int(rng.integers(style.floors[0], style.floors[1] + 1)),
        )
        built = rng.random() < style.built
        setback = rng.uniform(*style.setback_m) + behind
        if (
            built
            and not front.on_bridge(u + width / 2)
            and _put_building(out, front, u + width / 2, setback, mesh, width, depth)
        ):
            deepest = max(deepest, depth)
            u += width + rng.uniform(*style.gap_m)
        else:
            u += 3.0 if built else width
    return deepest


def _put_building(
    out: Collector, front: Frontage, u: float, setback: float, mesh: Mesh, width: float, depth: float
) -> bool:
    for extra in (0.0, 1.5, 4.0):
        x, y, _, yaw = front.at(u, setback + extra + depth / 2)
        shape = rectangle(x, y, yaw, depth, width - 0.1)
        z = _floor(out, x, y, yaw, depth, width)
        if z is None:
            return False
        if out.land.is_buildable(shape, 0.2):
            out.land.take(shape)
            out.put("building", mesh, Transform(x, y, z, 0, yaw, 0), SemanticTag.BUILDING)
            return True
    return False


def _floor(out: Collector, x: float, y: float, yaw: float, depth: float, width: float) -> float | None:
    """Return the floor height of a building, or None where the ground is too steep."""
    corner, _ = out.ground_under(np.asarray(rectangle(x, y, yaw, depth, width - 0.1).exterior.coords))
    # Sample the whole footprint: between its corners a hill may be higher.
    share = np.linspace(-0.5, 0.5, 5)
    u, v = (grid.ravel() for grid in np.meshgrid(share * depth, share * width))
    c, s = math.cos(math.radians(yaw)), math.sin(math.radians(yaw))
    low, high = out.ground_under(np.column_stack([x + u * c - v * s, y + u * s + v * c]))
    if high - low <= LEVEL_M:
        return corner + 0.03
    return None if high - low > STEEP_M else max(low + 0.05, high - SUNK_M)


def line_edges(out: Collector, front: Frontage, style: Style, rng: np.random.Generator) -> None:
    """Place walls, fences and hedges where no building stands at the sidewalk."""
    if not style.edge:
        return
    kind, shown, variant = str(rng.choice(style.edge)), True, int(rng.integers(3))
    left = 0
    u = -REACH_M * 0.5
    while u < front.length + REACH_M * 0.5 - PIECE_M:
        if left <= 0:
            left = int(rng.integers(3, 9))
            kind, shown = str(rng.choice(style.edge)), rng.random() < style.edge_share
            variant = int(rng.integers(3))
        if shown and not front.on_bridge(u + PIECE_M / 2):
            _put_edge(out, front, u, style.edge_out_m, kind, variant)
        u += PIECE_M
        left -= 1


def _put_edge(out: Collector, front: Frontage, u: float, at: float, kind: str, variant: int) -> None:
    # The front of a piece is to the right of its direction; it must face the road.
    ends = (u, u + PIECE_M) if front.side < 0 else (u + PIECE_M, u)
    start, end = (front.at(u, at)[:2] for u in ends)
    put_piece(out, start, end, kind, variant)


def plant_street(out: Collector, front: Frontage, style: Style, rng: np.random.Generator) -> None:
    """Plant street trees of one species at regular distances."""
    if not (style.street_tree_m and style.trees):
        return
    species = str(rng.choice(style.trees))
    for u in np.arange(MOUTH_M, front.length - MOUTH_M, style.street_tree_m):
        at = -(front.walk_m - 1.0) if front.walk_m >= 2.3 else 1.3
        _put_tree(out, front, float(u + rng.uniform(-1, 1)), at, species, rng, spread=0.5)


def plant_gardens(out: Collector, front: Frontage, style: Style, rng: np.random.Generator) -> None:
    """Plant trees and bushes behind the edge."""
    for _ in range(rng.poisson(style.garden_trees * front.length / 100) if style.trees else 0):
        u, at = rng.uniform(-4, front.length + 4), 2.5 + rng.exponential(9.0)
        _put_tree(out, front, float(u), float(at), str(rng.choice(style.trees)), rng, spread=1.4)
    for _ in range(rng.poisson(style.bushes * front.length / 100)):
        u, at = rng.uniform(-4, front.length + 4), rng.uniform(1.0, 7.0)
        x, y, _, _ = front.at(float(u), float(at))
        shape = shapely.Point(x, y).buffer(0.6)
        if out.land.is_free(shape, 0.2) and not front.on_bridge(float(u)):
            out.land.take(shape)
            pose = Transform(x, y, out.ground(x, y) - 0.05, 0, float(rng.uniform(0, 360)), 0)
            out.put("bush", street_models.bush(rng), pose, SemanticTag.VEGETATION, scale=float(rng.uniform(0.75, 1.3)))


def _put_tree(
    out: Collector, front: Frontage, u: float, at: float, species: str, rng: np.random.Generator, *, spread: float
) -> None:
    x, y, z, towards = front.at(u, at)
    shape = shapely.Point(x, y).buffer(spread)
    on_walk = at < 0
    if front.on_bridge(u) or not (out.land.is_vacant(shape) if on_walk else out.land.is_free(shape, 0.3)):
        return
    out.land.take(shape)
    z = z + KERB_HEIGHT if on_walk else out.ground(x, y)
    # A street tree stands in a grate, aligned with the kerb and level with the paving.
    grate = species == "street"
    pose = Transform(
        x, y, z - (0.0 if grate and on_walk else 0.06), 0, towards if grate else float(rng.uniform(0, 360)), 0
    )
    leaves = street_models.NEAR if at < 5 else street_models.MIDDLE
    out.put(
        f"tree_{species}",
        street_models.tree(species, rng, leaves * out.foliage),
        pose,
        SemanticTag.VEGETATION,
        scale=1.0 if grate else float(rng.uniform(0.8, 1.2)),
    )


def light_up(out: Collector, front: Frontage, style: Style) -> None:
    """Place street lights; on narrow roads the two sides alternate by starting half a step apart."""
    if not style.lamp:
        return
    mesh, spots = street_models.street_light(style.lamp)
    start = MOUTH_M + 2 + (style.lamp_m / 2 if front.side > 0 else 0)
    for u in np.arange(start, front.length - 4, style.lamp_m):
        at = -(front.walk_m - 0.45) if front.walk_m > 1 else 1.1
        x, y, z, yaw = front.at(float(u), at)
        shape = shapely.Point(x, y).buffer(0.25)
        if not out.land.is_vacant(shape) or (at > 0 and front.on_bridge(float(u))):
            continue
        out.land.take(shape)
        z = z + KERB_HEIGHT if at < 0 else out.ground(x, y)
        pose = Transform(x, y, z - 0.02, 0, yaw, 0)
        out.put("street_light", mesh, pose, SemanticTag.POLE)
        for ahead, aside, up in spots:
            # The light of a lantern on top of its post is moved towards the road, clear of frame and post.
            spot = (ahead, aside, up) if abs(ahead) > 0.3 else (0.55, aside, up - 0.25)
            x, y, z = (float(v) for v in (pose.matrix @ np.array([*spot, 1.0]))[:3])
            out.lamps.append(Lamp((x, y, z - 0.1), LAMP_COLOR, 30.0, (0.0, 0.0, -1.0), 140.0))


def furnish(out: Collector, front: Frontage, style: Style, rng: np.random.Generator) -> None:
    """Place benches, bins, hydrants and shelters on the sidewalk, with their backs to the buildings."""
    if not style.furniture or front.walk_m < 1.8:
        return
    u = MOUTH_M + rng.uniform(0, style.furniture_m)
    while u < front.length - MOUTH_M:
        kind = str(rng.choice(style.furniture))
        mesh = street_models.furniture_piece(kind, rng)
        depth, width, _ = mesh.size_m
        at = -(depth / 2 + 0.15)
        x, y, z, yaw = front.at(float(u), at)
        shape = rectangle(x, y, yaw, depth, width)
        if depth < front.walk_m - 0.9 and out.land.is_vacant(shape):
            out.land.take(shape)
            out.put(kind, mesh, Transform(x, y, z + KERB_HEIGHT, 0, yaw, 0), SemanticTag.STATIC)
            if kind == "bus_shelter":
                _put_sign(out, front, float(u) + 3.0, "bus_stop")
        u += style.furniture_m * rng.uniform(0.5, 1.6)


def sign_post(out: Collector, front: Frontage, style: Style, rng: np.random.Generator) -> None:
    """Place generic signs that the network does not define."""
    for _ in range(rng.poisson(front.length / style.sign_m) if style.signs else 0):
        if front.length > 2 * MOUTH_M:
            _put_sign(out, front, float(rng.uniform(MOUTH_M, front.length - MOUTH_M)), str(rng.choice(style.signs)))


def put_gantries(out: Collector, front: Frontage) -> None:
    """Place sign gantries over fast roads, and direction boards beside the others, before the next junction."""
    u = 45.0 if front.side < 0 else front.length - 45.0
    if front.length < 120 or front.strip.speed_kmh < 60 or front.on_bridge(u):
        return
    columns = [k for k, kind in enumerate(front.strip.lane_types) if kind == "driving" and _on_side(front, k)]
    if front.strip.speed_kmh < 80 or len(columns) < 2:
        x, y, _, yaw = front.at(u, 2.4)
        board = street_models.direction_board(BOARDS[front.strip.road_id % len(BOARDS)])
        out.put("direction_board", board, Transform(x, y, out.ground(x, y), 0, yaw - 90, 0), SemanticTag.TRAFFIC_SIGN)
        return
    if not room_for_a_post(front.strip.lane_types, min(columns) - 1 if front.side > 0 else max(columns) + 1):
        return
    row = int(np.argmin(np.abs(front.along[1:-1] - u)))
    inner = front.strip.edges[row, min(columns) if front.side > 0 else max(columns) + 1]
    across = front.kerb[row + 1] - inner
    width = float(np.hypot(*across[:2])) + 2.2
    x, y, z = (float(v) for v in inner + across / 2)
    mesh = street_models.gantry(round(width, 1), GANTRIES[front.strip.road_id % len(GANTRIES)])
    out.put("gantry", mesh, Transform(x, y, z, 0, front.at(u)[3] - 90, 0), SemanticTag.TRAFFIC_SIGN)


def room_for_a_post(lane_types: tuple[str, ...], column: int) -> bool:
    """Whether a gantry's post may stand on a lane or beyond the road's edge: not on a driving lane."""
    return not (0 <= column < len(lane_types) and lane_types[column] == "driving")


def _on_side(front: Frontage, column: int) -> bool:
    return front.strip.lane_ids[column] * front.side < 0


def plant_median(out: Collector, band: Band, style: Style, rng: np.random.Generator) -> None:
    """Plant trees along the middle of a road."""
    middle = (band.left + band.right) / 2
    width = float(np.median(np.linalg.norm((band.right - band.left)[:, :2], axis=1)))
    if not style.median_tree_m or not style.trees or width < 2.0:
        return
    along = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(middle, axis=0), axis=1))])
    for u in np.arange(MOUTH_M, along[-1] - MOUTH_M, style.median_tree_m):
        x, y, z = (float(np.interp(u, along, middle[:, i])) for i in range(3))
        pose = Transform(x, y, z + KERB_HEIGHT - 0.06, 0, float(rng.uniform(0, 360)), 0)
        mesh = street_models.tree(MEDIAN_TREE, rng, street_models.NEAR * out.foliage)
        out.put(f"tree_{MEDIAN_TREE}", mesh, pose, SemanticTag.VEGETATION, scale=float(rng.uniform(0.7, 0.9)))


def _put_sign(out: Collector, front: Frontage, u: float, kind: str) -> None:
    at = -(front.walk_m - 0.4) if front.walk_m > 1 else 1.6
    x, y, z, yaw = front.at(u, at)
    shape = shapely.Point(x, y).buffer(0.25)
    if front.on_bridge(u) or not out.land.is_vacant(shape):
        return
    out.land.take(shape)
    z = z + KERB_HEIGHT if at < 0 else out.ground(x, y)
    # A sign faces the traffic on its side of the road: a quarter turn from the direction towards the road.
    out.put("sign", street_models.sign(kind), Transform(x, y, z - 0.02, 0, yaw - 90, 0), SemanticTag.TRAFFIC_SIGN)


def lay_manholes(out: Collector, front: Frontage, rng: np.random.Generator) -> None:
    """Place manhole covers in the lane beside a frontage."""
    u = MOUTH_M + rng.uniform(0, 30)
    while u < front.length - MOUTH_M:
        kerb = [float(np.interp(u, front.along, front.kerb[:, i])) for i in range(3)]
        nx, ny = front.outward(float(u))
        inward = rng.uniform(1.6, 2.6)
        pose = Transform(kerb[0] - nx * inward, kerb[1] - ny * inward, kerb[2], 0, float(rng.uniform(0, 360)), 0)
        if not front.on_bridge(float(u)):
            out.put("manhole", street_models.furniture_piece("manhole", rng), pose, SemanticTag.ROAD)
        u += rng.uniform(25, 70)


def guard(out: Collector, front: Frontage, style: Style) -> None:
    """Place guard rails beside the asphalt, and on every bridge."""
    mesh = street_models.guard_rail(RAIL_M)
    for u in np.arange(2.0, front.length - 2.0 - RAIL_M, RAIL_M):
        bridge = front.on_bridge(float(u)) or front.on_bridge(float(u + RAIL_M))
        if not (style.guard_rail or bridge):
            continue
        at = -0.35 if bridge else 0.55
        a, b = float(u), float(u + RAIL_M)
        if front.side > 0:
            a, b = b, a
        (x0, y0, z0, _), (x1, y1, z1, _) = front.at(a, at), front.at(b, at)
        lift = KERB_HEIGHT if bridge and front.walk_m > 1 else 0.0
        if not bridge:
            z0, z1 = out.ground(x0, y0), out.ground(x1, y1)
        length = math.hypot(x1 - x0, y1 - y0)
        yaw, pitch = math.degrees(math.atan2(y1 - y0, x1 - x0)), math.degrees(math.atan2(z1 - z0, length))
        out.land.take(shapely.LineString([(x0, y0), (x1, y1)]).buffer(0.2))
        pose = Transform(x0, y0, z0 + lift - 0.02, pitch, yaw, 0)
        out.put("guard_rail", mesh, pose, SemanticTag.GUARD_RAIL, stretch=length / RAIL_M)
