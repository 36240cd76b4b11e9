"""The recipe of the little set; as a program, it makes the set at the folder given, with ``--ray`` on a local Ray."""

from __future__ import annotations

import sys
from pathlib import Path

from scenes.drawing import BuildSettings
from scenes.generate import Place, generate
from scenes.recipes import Part, Recipe

SIZE = (160, 96)
TOWN = "Town02"
RECIPE = Recipe(
    "little",
    "One town for all.",
    "StreetHazards",
    SIZE,
    90.0,
    (
        Part("train", "t1-3", (TOWN,), 1),
        Part("val", "t4", (TOWN,), 1),
        Part("test", "t5", (TOWN,), 2, hazards=True),
        Part("test", "t6", (TOWN,), 1, hazards=True),
    ),
)
SETTINGS = BuildSettings(
    seed=4, size=SIZE, mix={"clear": 1.0}, objects=("sofa_01", "cow_01", "bathtub_01"), depth=True, twins=True
)
PLACE = Place(quality="draft")

if __name__ == "__main__":
    on_ray = Place(quality="draft", workers=2, ray="local")
    generate(RECIPE, SETTINGS, Path(sys.argv[1]), on_ray if "--ray" in sys.argv else PLACE)
