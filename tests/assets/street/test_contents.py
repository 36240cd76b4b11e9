"""What streets show: nothing is forgotten, and nothing of it is a hazard."""

from __future__ import annotations

import ast
import importlib
import re
from collections import Counter
from pathlib import Path
from typing import get_args

import pytest

from caos.assets.catalogue.kinds import kinds
from caos.assets.catalogue.stock_props import STOCK_HAZARDS
from caos.assets.street import barriers, buildings, furniture, lights, signs, vegetation
from caos.assets.street.blueprints import VEHICLE_BLUEPRINTS
from caos.assets.street.buildings import displays
from caos.assets.street.contents import AFTER_STREET_WORDS, DIFFERENT, STREET_CONTENTS, clash, declared
from caos.assets.street.people import PEDESTRIANS, figures, walkers
from caos.assets.tags import SemanticTag
from caos.simulator.embedded.towns.styles import STYLES

FURNITURE_CLASS = {SemanticTag.STATIC: "other", SemanticTag.OTHER: "other", SemanticTag.ROAD: "road"}


def _vehicle_types() -> set[str]:
    """Base types, and the special types that are not plain cars."""
    fields = [attribute for b in VEHICLE_BLUEPRINTS.values() for attribute in b.attributes]
    return {a.value for a in fields if a.id in ("base_type", "special_type") and a.value}


def _models() -> list[str]:
    """Every street model there is, as the list names it."""
    groups = {
        "furniture": furniture.KINDS,
        "sign": signs.KINDS,
        "light": lights.STREET_LIGHTS,
        "signal": lights.TRAFFIC_POLES,
        "fence": barriers.FENCES,
        "wall": barriers.WALLS,
        "rail": ("guard_rail",),
        "tree": vegetation.SPECIES,
        "plant": ("bush", "hedge", "flower_bed", "grass_tuft"),
        "building": buildings.STYLES,
        "display": displays.KINDS,
        "vehicle": sorted(_vehicle_types()),
        "person": PEDESTRIANS,
        "aid": ("wheelchair",),
        "carried": ("phone",),
        "bag": [name for name in get_args(figures.Bag) if name != "none"],
        "hat": [name for name in get_args(figures.Hat) if name != "none"],
        "top": get_args(figures.Top),
        "bottom": get_args(figures.Bottom),
    }
    return [f"{group}:{name}" for group, names in groups.items() for name in names]


@pytest.mark.parametrize("model", _models())
def test_every_street_model_is_declared(model: str) -> None:
    assert declared(model) is not None


def test_every_listed_model_exists() -> None:
    known = {*_models(), "surface:asphalt", "surface:paving", "surface:kerb"}
    groups = {model.partition(":")[0] for model in known}
    named = [model for thing in STREET_CONTENTS for model in thing.models]
    assert [m for m in named if m not in known and not (m.endswith(":*") and m[:-2] in groups)] == []
    assert [m for m, count in Counter(named).items() if count > 1] == []


def test_towns_place_declared_furniture_only() -> None:
    placed = {kind for style in STYLES.values() for kind in style.furniture}
    assert {"bench", "planter", "bollard"} <= placed
    assert [kind for kind in sorted(placed) if declared(f"furniture:{kind}") is None] == []


def test_an_undeclared_model_is_detected() -> None:
    assert declared("furniture:cafe_table") is None
    assert declared("bag:briefcase") is None


def test_furniture_has_the_class_of_its_pixels() -> None:
    for kind in furniture.KINDS:
        tags = {part.tag for part in furniture.furniture(kind).parts}
        thing = declared(f"furniture:{kind}")
        assert thing is not None
        assert thing.training_class in {FURNITURE_CLASS[SemanticTag(t)] for t in tags if t in FURNITURE_CLASS}


@pytest.mark.parametrize("kind", kinds())
def test_no_built_in_hazard_is_a_street_object(kind: str) -> None:
    assert clash(kind) is None


@pytest.mark.parametrize("prop", STOCK_HAZARDS)
def test_no_stock_hazard_is_a_street_object(prop: str) -> None:
    assert clash((prop, STOCK_HAZARDS[prop][0])) is None


def test_removed_street_models_are_gone() -> None:
    assert not {"rucksack", "holdall"} & set(kinds())
    assert not {"cafe_table"} & set(furniture.KINDS)
    assert {figure.bag for figure in walkers.CAST.values()} <= set(get_args(figures.Bag))
    assert sum(k.count for k in kinds().values()) == 447


@pytest.mark.parametrize(
    ("name", "thing"),
    [
        ("ParkBench", "bench"),
        ("old_benches_02", "bench"),
        ("Rucksack", "backpack"),
        ("holdall", "bag"),
        ("red car", "car"),
        ("SUV", "car"),
        ("BUS", "bus"),
        ("PottedPlant", "flowers"),
        ("trashcan", "bin"),
        ("motorhelmet", None),
        ("motor_helmet", "helmet"),
        ("car_red", "car"),
        ("bench-green-2", "bench"),
        ("CarSedanRusty1999", "car"),
        ("trash_can_blue", "bin"),
        ("man_walking_lowpoly", "person"),
        ("Lorries", "lorry"),
        ("Minibusses", "van"),
        ("pinetree", "tree"),
        ("houseplant", "flowers"),
        ("Bike", "bicycle"),
        ("Kids", "person"),
        ("motor-cyclist", "person"),
        ("TrashBin", "bin"),
        ("planter box", "planter"),
        ("ElectricalBox", "utility cabinet"),
        ("bin_bags", None),
        ("TrafficCone", None),
        ("Dog", None),
        ("WallUnit", None),
        ("carpets", None),
        ("bench_vice", None),
        ("bench_vices_old", None),
        ("bench_vice_on_a_bench", "bench"),
        ("WallClock", None),
        ("pine_table", None),
        ("bean_bag_large", None),
        ("scar_ed", None),
        ("carpet_roll", None),
        ("rubbish_bags", None),
        ("globe", None),
        ("FileCabinet", None),
        ("office_chair", None),
        ("umbrella", None),
        ("", None),
    ],
)
def test_a_name_clashes_by_whole_words_anywhere(name: str, thing: str | None) -> None:
    found = clash(name)
    assert (found and found.name) == thing


def test_one_clashing_name_of_several_is_enough() -> None:
    found = clash(["Furniture", "Bench"])
    assert found is not None
    assert (found.name, found.training_class) == ("bench", "other")
    assert clash([]) is None


def test_words_are_unique_and_every_exception_is_needed() -> None:
    words = Counter("".join(w.lower().split()) for t in STREET_CONTENTS for w in {t.name, *t.words})
    assert [word for word, count in words.items() if count > 1] == []
    assert [name for name in DIFFERENT if clash(name.split()[-1]) is None] == []


def test_words_after_street_words_are_no_street_objects() -> None:
    assert [word for word in sorted(AFTER_STREET_WORDS) if clash(word) is not None] == []


DRAWN_IN = ("caos.assets.street", "caos.simulator.embedded.towns")
SHOWN_AS = {
    "parasol": "umbrella",
    "briefcase": "suitcase",
    "couch": "sofa",
    "carton": "cardboard_boxes",
}
HARMLESS = {
    "lamp": "of a vehicle, a wall or a street",
    "globe": "a shape of street light",
    "ball": "a sphere that something is made of",
    "barrel": "of a wheel",
    "skull": "under a face",
    "bust": "of a body",
    "fan": "triangles round a point",
    "swing": "of an arm or a wheel",
    "anchor": "of a text",
    "bed": "of flowers or of a river",
}
"""Names of hazard kinds that mean something else where streets are drawn, and what."""
TABLES_OF_DATA = ("plan.py", "storage.py")


def names_in(source: str) -> set[str]:
    """Every name and every text in a module, but for its documentation."""
    tree = ast.parse(source)
    documentation = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            found.add(node.value)
    return found


def hazards_named(names: set[str]) -> set[str]:
    """Kinds of hazards that are named by whole words of the names."""
    known = {kind.replace("_", ""): kind for kind in kinds()} | SHOWN_AS
    found = set()
    for name in names:
        words = re.findall(r"[a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower())
        windows = {"".join(words[i:j]) for i in range(len(words)) for j in range(i + 1, len(words) + 1)}
        found |= {known[w] for window in windows for w in (window, window.removesuffix("s")) if w in known}
    return found


def street_files() -> list[Path]:
    folders = [Path(next(iter(importlib.import_module(name).__path__))) for name in DRAWN_IN]
    return [file for folder in folders for file in sorted(folder.rglob("*.py")) if file.name != "contents.py"]


@pytest.mark.parametrize("file", street_files(), ids=lambda file: f"{file.parent.name}/{file.name}")
def test_no_street_is_drawn_with_a_hazard_in_it(file: Path) -> None:
    allowed = {*HARMLESS, *(("table",) if file.name in TABLES_OF_DATA else ())}
    assert hazards_named(names_in(file.read_text(encoding="utf-8"))) <= allowed


def test_a_hazard_placed_in_a_street_would_be_detected() -> None:
    for line in ("def _cafe_table(c): ...", "out.put('ladder', mesh)", "KINDS = {'parasols': 3}", "LadderRack = 3"):
        assert hazards_named(names_in(line)), line
    assert hazards_named(names_in('def shelf():\n    """A table, a ladder."""\n')) == set()
    assert set(HARMLESS) <= {kind for file in street_files() for kind in hazards_named(names_in(file.read_text()))}
