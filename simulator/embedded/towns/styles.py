"""District styles: what stands beside a road and how densely. One row a style; a new one needs no other edit."""

from __future__ import annotations

from dataclasses import dataclass, field

from foundation.errors import unknown


@dataclass(frozen=True)
class Style:
    """How a district is dressed.

    Attributes:
        buildings: Building styles of the models, drawn from evenly.
        floors: Least and most floors.
        width_m: Narrowest and widest front.
        depth_m: Shallowest and deepest footprint.
        setback_m: Nearest and farthest front from the sidewalk.
        gap_m: Least and most space between neighbours.
        built: Share of the frontage that is built on.
        rows: Rows of buildings behind each other.
        edge: What closes the gaps between fronts: barrier kinds, drawn from evenly ("" for nothing).
        edge_share: Share of the unbuilt frontage that gets one.
        trees: Tree species along the street and in gardens.
        street_tree_m: Metres between trees in the verge or sidewalk, 0 for none.
        garden_trees: Trees per 100 m of frontage behind the edge.
        bushes: Bushes per 100 m of frontage.
        lamp: Street light model, and ``lamp_m`` metres between two.
        furniture: Furniture kinds, and ``furniture_m`` metres between two on a side.
        guard_rail: Whether rails run beside the carriageway.
        sidewalks: Whether roads without a sidewalk get one.
        paving: Sidewalk paving; ``verge``: ground beside the road; ``far``: ground far away; ``asphalts``: variants.
        parked: Share of parking places in use.
        skyline: Distant towers on the horizon.
        forest: Distant woods: trees per square hectare beyond the built land.
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
    trees: tuple[str, ...] = ()
    street_tree_m: float = 0.0
    garden_trees: float = 0.0
    bushes: float = 0.0
    lamp: str = ""
    lamp_m: float = 28.0
    furniture: tuple[str, ...] = field(default_factory=tuple)
    furniture_m: float = 18.0
    guard_rail: bool = False
    sidewalks: bool = True
    paving: str = "slabs"
    verge: str = "grass"
    far: str = "meadow"
    asphalts: tuple[int, ...] = (1, 2)
    parked: float = 0.5
    skyline: int = 0
    forest: float = 3.0
    hills_m: float = 60.0
    rolling_m: float = 0.6


STYLES: dict[str, Style] = {
    "old_town": Style(
        buildings=("old_town", "old_town", "shop"), floors=(2, 4), width_m=(8, 18), depth_m=(9, 13), setback_m=(0.1, 0.6),
        gap_m=(0.0, 5.0), built=0.75, edge=("wall:brick",), edge_share=0.8, trees=("oak",), garden_trees=3, bushes=2,
        lamp="classic", furniture=("bench", "bin"),
    ),
    "suburb": Style(
        buildings=("suburb_house",), floors=(1, 2), width_m=(9, 14), depth_m=(8, 12), setback_m=(4, 9), gap_m=(4, 14), built=0.8,
        edge=("fence:picket", "hedge", "wall:brick"), edge_share=0.7, trees=("oak",), garden_trees=7, bushes=8, lamp="classic",
        furniture=("bench", "bin"),
    ),
}
"""Known styles by name."""


def style_named(name: str) -> Style:
    """The style of that name.

    Raises:
        CaosError: If there is none.
    """
    if name not in STYLES:
        raise unknown("style", name, STYLES)
    return STYLES[name]
