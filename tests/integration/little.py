"""The recipe of the little set; as a program, it makes the set at the folder given, with ``--ray`` on a local Ray."""

from __future__ import annotations

import sys
from pathlib import Path

from caos.scenes.generation.generate import Place, generate
from caos.scenes.recipes.recipe import Recipe, RecipePart
from caos.scenes.recipes.rules import CameraRules, HazardRules, WeatherRules

SIZE = (160, 96)
TOWN = "Town02"
RULES = {"camera": CameraRules(size=SIZE), "weather": WeatherRules({"clear": 1.0})}
HAZARDS = HazardRules(objects="sofa_01,cow_01,bathtub_01")
RECIPE = Recipe(
    "little",
    "One town for all.",
    "StreetHazards",
    (
        RecipePart("train", "t1-3", (TOWN,), 1, **RULES),
        RecipePart("val", "t4", (TOWN,), 1, **RULES),
        RecipePart("test", "t5", (TOWN,), 2, HAZARDS, **RULES),
        RecipePart("test", "t6", (TOWN,), 1, HAZARDS, **RULES),
    ),
)
OPTIONS = {"seed": 4, "depth": True, "twins": True}
PLACE = Place(quality="draft")

if __name__ == "__main__":
    on_ray = Place(quality="draft", workers=2, ray="local")
    generate(RECIPE, Path(sys.argv[1]), place=on_ray if "--ray" in sys.argv else PLACE, **OPTIONS)
