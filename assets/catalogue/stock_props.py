"""Stock props: CARLA's own props that are hazards on a road, for servers without this project's package of props.

From the props catalogue of CARLA 0.9.16. Left out are street objects, which belong to a training class or to `other`
(benches, bins, bus stops, signs, cones, barriers, plant pots), things that people wear or carry (helmets, bags), and
props too small to be seen at 20 m.
Sizes are estimates in metres, for placement and for the manifest; the server renders its own mesh.
"""

from __future__ import annotations

from caos.assets.mesh import Material, Mesh
from caos.assets.modelling.shapes import box

SOURCE = "carla-0.9.16"
LICENCE = "CC-BY-4.0"

# name -> kind, category, length, width, height
STOCK_HAZARDS: dict[str, tuple[str, str, float, float, float]] = {
    "barbeque": ("barbecue", "household", 0.6, 1.0, 1.0),
    "barrel": ("barrel", "cargo_debris", 0.6, 0.6, 0.9),
    "box01": ("cardboard_boxes", "cargo_debris", 0.5, 0.5, 0.4),
    "box02": ("cardboard_boxes", "cargo_debris", 0.5, 0.5, 0.4),
    "box03": ("cardboard_boxes", "cargo_debris", 0.6, 0.5, 0.5),
    "brokentile01": ("rubble", "cargo_debris", 0.4, 0.4, 0.1),
    "clothesline": ("clothes_rack", "household", 1.0, 2.0, 1.2),
    "creasedbox01": ("cardboard_boxes", "cargo_debris", 0.5, 0.5, 0.4),
    "creasedbox02": ("cardboard_boxes", "cargo_debris", 0.6, 0.5, 0.4),
    "creasedbox03": ("cardboard_boxes", "cargo_debris", 0.6, 0.6, 0.4),
    "dirtdebris01": ("rubble", "cargo_debris", 2.0, 2.0, 0.2),
    "dirtdebris02": ("rubble", "cargo_debris", 2.0, 2.0, 0.2),
    "dirtdebris03": ("rubble", "cargo_debris", 2.0, 2.0, 0.2),
    "doghouse": ("doghouse", "household", 1.2, 0.9, 1.0),
    "garbage01": ("rubbish_bags", "cargo_debris", 0.6, 0.6, 0.4),
    "garbage02": ("rubbish_bags", "cargo_debris", 0.6, 0.6, 0.4),
    "garbage03": ("rubbish_bags", "cargo_debris", 0.8, 0.8, 0.4),
    "garbage04": ("rubbish_bags", "cargo_debris", 0.8, 0.8, 0.5),
    "garbage05": ("rubbish_bags", "cargo_debris", 0.8, 0.8, 0.5),
    "garbage06": ("rubbish_bags", "cargo_debris", 0.8, 0.8, 0.5),
    "gnome": ("gnome", "fantasy", 0.3, 0.3, 0.7),
    "guitarcase": ("guitar_case", "music_art", 0.2, 0.45, 1.2),
    "haybale": ("hay_bale", "nature", 1.2, 1.5, 1.5),
    "haybalelb": ("hay_bale", "nature", 1.0, 0.5, 0.5),
    "ironplank": ("plank_pile", "cargo_debris", 2.0, 1.2, 0.1),
    "plasticchair": ("chair", "furniture", 0.6, 0.6, 0.9),
    "plastictable": ("table", "furniture", 1.0, 1.0, 0.75),
    "shoppingcart": ("shopping_cart", "tools_machines", 1.0, 0.6, 1.0),
    "shoppingtrolley": ("shopping_trolley", "household", 0.4, 0.4, 1.0),
    "slide": ("slide", "sport_toys", 2.5, 0.8, 1.8),
    "swing": ("swing", "sport_toys", 2.0, 3.0, 2.2),
    "swingcouch": ("swing", "sport_toys", 1.4, 2.2, 1.8),
    "table": ("table", "furniture", 1.6, 1.8, 0.8),
    "trampoline": ("trampoline", "sport_toys", 3.0, 3.0, 0.9),
    "trashbag": ("rubbish_bags", "cargo_debris", 0.6, 0.6, 0.6),
    "travelcase": ("suitcase", "household", 0.3, 0.5, 0.8),
}


def stand_in(name: str) -> Mesh:
    """Box of the prop's estimated size, for placement only; it is never rendered."""
    _, _, x, y, z = STOCK_HAZARDS[name]
    return Mesh((box((-x / 2, -y / 2, 0), (x / 2, y / 2, z), Material("stand-in")),))
