"""District styles: kinds and density of objects beside a road; one row per style, a new one needs no other edit."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from caos.foundation.errors import unknown


@dataclass(frozen=True)
class Style:
    """Objects beside the roads of a district.

    Attributes:
        buildings: Building styles of the models, drawn uniformly.
        floors: Minimum and maximum number of floors.
        width_m: Minimum and maximum width of a front.
        depth_m: Minimum and maximum depth of a footprint.
        setback_m: Minimum and maximum distance of a front from the sidewalk.
        gap_m: Minimum and maximum distance between neighbours.
        built: Share of the frontage that is built on.
        rows: Rows of buildings behind each other.
        edge: Barrier kinds between fronts, drawn uniformly ("" for none).
        edge_share: Share of the unbuilt frontage with a barrier.
        edge_out_m: Distance of the barrier behind the sidewalk (or the asphalt).
        trees: Tree species along the street and in gardens.
        street_tree_m: Metres between trees in the verge or sidewalk, 0 for none.
        median_tree_m: Metres between trees on a median, 0 for none.
        garden_trees: Trees per 100 m of frontage behind the edge.
        bushes: Bushes per 100 m of frontage.
        lamp: Street light model, and ``lamp_m`` metres between two.
        furniture: Furniture kinds, and ``furniture_m`` metres between two on a side.
        signs: Generic signs, and ``sign_m`` metres between two on a side.
        guard_rail: Whether rails run beside the carriageway.
        sidewalks: Whether roads without a sidewalk get one.
        paving: Sidewalk paving; ``verge``: ground beside the road; ``parcels``: patchwork of the land beyond.
        asphalts: Variants of the road surface.
        parked: Share of parking places in use.
        skyline: Number of distant buildings around the town, of the kinds ``skyline_buildings``.
        forest: Trees per hectare of open land, and how much of the horizon is wooded.
        hills_m: Height of the hills at the horizon; ``rolling_m``: unevenness of open ground near roads.
    """

    buildings: tuple[str, ...] = ()
    floors: tuple[int, int] = (2, 4)
    width_m: tuple[float, float] = (10.0, 16.0)
    depth_m: tuple[float, float] = (9.0, 13.0)
    setback_m: tuple[float, float] = (0.3, 1.0)
    gap_m: tuple[float, float] = (0.0, 3.0)
    built: float = 0.8
    rows: int = 1
    edge: tuple[str, ...] = ()
    edge_share: float = 0.5
    edge_out_m: float = 0.45
    trees: tuple[str, ...] = ()
    street_tree_m: float = 0.0
    median_tree_m: float = 0.0
    garden_trees: float = 0.0
    bushes: float = 0.0
    lamp: str = ""
    lamp_m: float = 28.0
    furniture: tuple[str, ...] = field(default_factory=tuple)
    furniture_m: float = 18.0
    signs: tuple[str, ...] = (
        "parking",
        "no_parking",
        "no_stopping",
        "warning",
        "warning_children",
        "pedestrian_crossing",
    )
    sign_m: float = 70.0
    guard_rail: bool = False
    sidewalks: bool = True
    paving: str = "slabs"
    verge: str = "grass"
    parcels: tuple[str, ...] = ("meadow", "grass", "meadow", "grass", "grass")
    asphalts: tuple[int, ...] = (1, 6, 2, 4)
    parked: float = 0.5
    skyline: int = 0
    skyline_buildings: tuple[str, ...] = ("tower", "office", "apartment")
    forest: float = 3.0
    hills_m: float = 60.0
    rolling_m: float = 0.6


_SIMPLE = ("bench", "bin", "hydrant", "mailbox", "cabinet", "bin")
_URBAN = (
    "bench",
    "bench_modern",
    "bin",
    "hydrant",
    "mailbox",
    "cabinet",
    "newspaper_box",
    "planter",
    "parking_meter",
    "bus_shelter",
    "bike_rack",
    "phone_box",
    "ad_column",
    "kiosk",
)
_SQUARE = (*_URBAN, "planter", "planter", "planter", "bollard", "bollard")
_OLD = Style(
    buildings=("old_town", "old_town", "old_town", "shop"),
    floors=(2, 4),
    width_m=(8, 18),
    depth_m=(9, 13),
    setback_m=(0.1, 0.6),
    gap_m=(0.0, 9.0),
    built=0.55,
    edge=("wall:stone", "wall:rendered", "wall:brick"),
    edge_share=0.6,
    trees=("linden", "oak", "street"),
    garden_trees=5,
    bushes=3,
    lamp="lantern",
    lamp_m=22,
    furniture=_SQUARE,
    furniture_m=14,
    paving="granite",
    forest=4,
    asphalts=(2, 5, 3, 6, 1),
)
_SUBURB = Style(
    buildings=("suburb_house",),
    floors=(1, 2),
    width_m=(9, 15),
    depth_m=(8, 12),
    setback_m=(4, 9),
    gap_m=(4, 16),
    built=0.85,
    edge=("fence:picket", "hedge", "wall:low_brick", "fence:board", "fence:post_rail", "wall:rendered"),
    edge_share=0.6,
    trees=("birch", "linden", "oak", "blossom"),
    street_tree_m=0,
    garden_trees=7,
    bushes=7,
    lamp="wood",
    lamp_m=36,
    furniture=_SIMPLE,
    furniture_m=40,
    paving="concrete",
    verge="lawn",
    forest=5,
)
_DOWNTOWN = Style(
    buildings=("tower", "office", "apartment"),
    floors=(5, 24),
    width_m=(20, 36),
    depth_m=(18, 28),
    setback_m=(2, 8),
    gap_m=(6, 24),
    built=0.5,
    edge=("wall:graffiti", "wall:concrete", "hedge", "fence:iron", "fence:mesh_panel"),
    edge_share=0.4,
    trees=("street", "linden"),
    street_tree_m=26,
    median_tree_m=30,
    garden_trees=4,
    bushes=4,
    lamp="cobra",
    lamp_m=30,
    furniture=_URBAN,
    paving="slabs",
    verge="lawn",
    skyline=46,
    asphalts=(0, 5, 1, 4),
    forest=1.5,
    hills_m=25,
)
_HILLSIDE = Style(
    buildings=("suburb_house", "old_town", "apartment"),
    floors=(2, 4),
    width_m=(9, 18),
    depth_m=(8, 12),
    setback_m=(1, 5),
    gap_m=(3, 18),
    built=0.6,
    edge=("wall:stone", "wall:rendered", "fence:iron", "hedge", "fence:board"),
    edge_share=0.6,
    trees=("cypress", "pine", "oak", "birch"),
    garden_trees=8,
    bushes=6,
    lamp="globe",
    lamp_m=26,
    furniture=_URBAN,
    paving="pavers",
    forest=6,
    hills_m=170,
    rolling_m=1.0,
)
_CITY = Style(
    buildings=("apartment", "apartment", "office", "shop"),
    floors=(2, 7),
    width_m=(14, 34),
    depth_m=(11, 16),
    setback_m=(0.5, 4),
    gap_m=(3, 20),
    built=0.62,
    edge=("fence:iron", "fence:mesh_panel", "hedge", "wall:concrete", "wall:brick", "wall:graffiti"),
    edge_share=0.5,
    trees=("street", "linden", "oak"),
    street_tree_m=34,
    garden_trees=2.5,
    bushes=3,
    lamp="modern",
    furniture=_URBAN,
    paving="concrete",
    verge="lawn",
    skyline=30,
    forest=3,
    hills_m=45,
)
_OPEN = Style(
    buildings=("warehouse",),
    floors=(1, 2),
    width_m=(20, 40),
    depth_m=(15, 24),
    setback_m=(14, 40),
    gap_m=(40, 160),
    built=0.16,
    edge=("fence:chain_link", "wall:sound", "wall:concrete", "wall:sound"),
    edge_share=0.22,
    edge_out_m=3.4,
    trees=("oak", "birch", "pine", "spruce", "spruce"),
    garden_trees=7,
    bushes=7,
    lamp="cobra",
    lamp_m=44,
    guard_rail=True,
    sidewalks=False,
    verge="grass",
    parcels=("meadow", "field", "grass", "grass", "field", "meadow", "soil"),
    asphalts=(1, 7, 0, 4, 2, 5),
    forest=4,
    hills_m=110,
    rolling_m=1.6,
    furniture=("bin", "bench", "cabinet", "bus_shelter"),
    furniture_m=70,
    signs=("warning_curve", "warning", "no_stopping", "warning_junction"),
)

STYLES: dict[str, Style] = {
    "old_town": _OLD,
    "old_edge": replace(_OLD, built=0.4, gap_m=(2, 18), garden_trees=8, street_tree_m=24),
    "park_edge": replace(
        _OLD, built=0.12, edge=("fence:iron", "wall:stone", "hedge"), garden_trees=16, bushes=10, forest=8
    ),
    "suburb": _SUBURB,
    "meadow_edge": replace(
        _SUBURB,
        built=0.3,
        edge=("fence:post_rail", "fence:board", "hedge", "wall:stone"),
        edge_share=0.5,
        garden_trees=9,
    ),
    "downtown": _DOWNTOWN,
    "office_park": replace(
        _DOWNTOWN, buildings=("office", "apartment"), floors=(3, 8), built=0.3, garden_trees=10, setback_m=(8, 16)
    ),
    "hillside": _HILLSIDE,
    "hill_edge": replace(_HILLSIDE, built=0.3, buildings=("suburb_house", "old_town"), garden_trees=12),
    "open_hill": replace(_HILLSIDE, built=0.05, guard_rail=True, edge=(), garden_trees=14, sidewalks=False),
    "city": _CITY,
    "city_park": replace(_CITY, built=0.2, edge=("fence:iron", "hedge", "wall:low_brick"), garden_trees=10, bushes=8),
    "open_land": _OPEN,
    "open_village": replace(
        _OPEN,
        buildings=("suburb_house", "shop"),
        width_m=(10, 18),
        depth_m=(9, 13),
        setback_m=(8, 16),
        gap_m=(12, 50),
        built=0.3,
        guard_rail=False,
        edge=("fence:post_rail", "fence:board", "hedge", "wall:stone"),
        edge_share=0.3,
    ),
}
"""Known styles by name."""


def style_named(name: str) -> Style:
    """Return the style of that name.

    Raises:
        CaosError: If the name is unknown.
    """
    if name not in STYLES:
        raise unknown("style", name, STYLES)
    return STYLES[name]
