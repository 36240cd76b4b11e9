"""Town builder: from OpenDRIVE text to a town."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import shapely

from caos.assets.tags import SemanticTag
from caos.foundation.errors import CaosError
from caos.simulator.embedded.render.description import Placed
from caos.simulator.embedded.towns.country import in_country
from caos.simulator.embedded.towns.plan import COUNTRY_OPTION
from caos.simulator.embedded.towns.roads.areas import Areas
from caos.simulator.embedded.towns.roads.navmesh import walk_navmesh
from caos.simulator.embedded.towns.roads.network import Network, read_network
from caos.simulator.embedded.towns.roads.surfaces import ground_finishes, ground_mesh, paint_mesh
from caos.simulator.embedded.towns.streetscape import roadside, signals, street_models, surroundings
from caos.simulator.embedded.towns.streetscape.collector import Collector
from caos.simulator.embedded.towns.streetscape.plots import Frontage, Land, frontages
from caos.simulator.embedded.towns.streetscape.spawn_points import parking_places, spawn_points, walk_points
from caos.simulator.embedded.towns.streetscape.terrain import TownTerrain
from caos.simulator.embedded.towns.streetscape.walls import put_planned_walls
from caos.simulator.embedded.towns.styles import Style, style_named
from caos.simulator.embedded.towns.town import Town

FRESH_BUILDINGS = 70
MOTORWAY_LANES, MOTORWAY_KMH = 6, 80.0
ROADSIDE_KM = 5.0
"""Kilometres of roadside up to which plants keep all the leaves of their level of detail."""


def build_town(name: str, text: str, *, style: str, seed: int) -> Town:
    """Build the town of an OpenDRIVE text; see :func:`~caos.simulator.embedded.towns.town.town_from_opendrive`."""
    network = read_network(name, text)
    style = network.style or style
    seed = seed if network.seed is None else network.seed
    look = style_named(style)
    rng = np.random.default_rng([seed, 0xCA05])
    try:
        areas = Areas(network, add_walks=look.sidewalks, water=_river(network))
    except (shapely.errors.GEOSException, ValueError) as error:
        raise CaosError(f"the roads of OpenDRIVE {name!r} cannot be laid out in the plane: {error}") from error
    terrain = TownTerrain(areas, look, rng, water_z=float(network.options.get("water_z", -3.0)))
    ground = ground_mesh(areas, ground_finishes(look))
    paint = paint_mesh(areas, ground_finishes(look), ground)
    out = Collector(Land(areas), terrain, _foliage(areas))
    lights = signals.put_traffic_lights(out, areas)
    signs = signals.put_signs(out, areas)
    _dress(out, areas, look, rng)
    put_planned_walls(out, network.options.get("walls", ""))
    woods = surroundings.woods(out, look, areas.covered.bounds, rng)
    statics = [
        Placed(ground, np.eye(4), SemanticTag.ROAD),
        Placed(terrain.mesh(), np.eye(4), SemanticTag.TERRAIN),
        Placed(woods, np.eye(4), SemanticTag.VEGETATION),
    ]
    if paint.parts:
        statics.append(Placed(paint, np.eye(4), SemanticTag.ROAD_LINE))
    town = Town(
        name, text, (*statics, *out.placed), spawn_points(network), parking_places(areas, look.parked, rng),
        tuple(out.objects), lights, signs, tuple(out.lamps), walk_navmesh(areas), walk_points(areas),
        hashlib.sha256(f"{name}{style}{seed}{text}".encode()).hexdigest()[:24], style,
    )  # fmt: skip
    country = network.options.get(COUNTRY_OPTION)
    return in_country(town, country) if country else town


def _dress(out: Collector, areas: Areas, look: Style, rng: np.random.Generator) -> None:
    """Place everything along the roads; each road side has its own generator, so that a change stays local."""
    sides = [(front, _style_of(front, look)) for front in frontages(areas)]
    seeds = rng.integers(2**32, size=len(sides))
    stock = street_models.BuildingStock(np.random.default_rng(rng.integers(2**32)), FRESH_BUILDINGS)
    rngs = [np.random.default_rng(seed) for seed in seeds]
    for front, style in sides:
        roadside.guard(out, front, style)
    for front, style in sides:
        roadside.light_up(out, front, style)
        roadside.put_gantries(out, front)
    for band in areas.green_bands:
        roadside.plant_median(out, band, look, rng)
    for (front, style), own in zip(sides, rngs, strict=True):
        roadside.build_up(out, front, style, stock, own)
    for (front, style), own in zip(sides, rngs, strict=True):
        roadside.plant_street(out, front, style, own)
        roadside.furnish(out, front, style, own)
        roadside.sign_post(out, front, style, own)
        roadside.lay_manholes(out, front, own)
        roadside.line_edges(out, front, style, own)
        roadside.plant_gardens(out, front, style, own)
    box = areas.covered.bounds
    surroundings.skyline(out, look, stock, box, rng)
    surroundings.plant_groves(out, look, box, rng)


def _style_of(front: Frontage, look: Style) -> Style:
    """Style of a roadside: the road's own if it has one, open land beside motorways, else the town's."""
    if front.strip.style:
        return style_named(front.strip.style)
    wide = sum(kind == "driving" for kind in front.strip.lane_types) >= MOTORWAY_LANES
    return style_named("open_land") if front.walk_m < 1 and (wide or front.strip.speed_kmh >= MOTORWAY_KMH) else look


def _foliage(areas: Areas) -> float:
    """Share of leaves that plants keep, by the kilometres of roadside to be planted."""
    roadside_km = 2 * sum(float(s.stations[-1] - s.stations[0]) for s in areas.network.roads) / 1000
    share: float = (ROADSIDE_KM / max(roadside_km, ROADSIDE_KM)) ** 0.7
    return round(share, 2)


def _river(network: Network) -> Any:
    """Water area of the town's plan: a polyline in OpenDRIVE's plane with a width."""
    text = network.options.get("river", "")
    if not text:
        return None
    numbers = [float(v) for v in text.replace(",", " ").split()]
    points = [(x, -y) for x, y in zip(numbers[0::2], numbers[1::2], strict=True)]
    width = float(network.options.get("river_width", 30.0))
    line = shapely.LineString(points)
    return line.buffer(width / 2, join_style="round")
