"""Importing leaves out what ordinary streets show, says so, and takes it when told to."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
import trimesh
from typer.testing import CliRunner

from caos.assets.importing.folder import FoundMesh, find_in_folder
from caos.assets.importing.job import Report
from caos.assets.importing.known import KnownThings
from caos.assets.importing.shapenetsem import find_in_shapenetsem
from caos.assets.street.contents import STREET_CONTENTS, clash
from caos.assets_cli import app
from caos.scenes.labels import STREETHAZARDS

FIELDS = ("fullId", "category", "up", "front", "unit", "aligned.dims", "name")
# Categories of ShapeNetSem that show a training class.
OVERLAPPING = (
    "Car", "Vehicle", "Truck", "Bus", "Van", "Ambulance", "Taxi", "PoliceCar", "FireTruck", "SUV", "Sedan",
    "SportsCar", "RaceCar", "Pickup", "Motorcycle", "Bicycle", "Scooter", "Train", "Tram", "Trailer", "Person",
    "Human", "Man", "Woman", "Child", "People", "Mannequin", "Tree", "Plant", "PottedPlant", "Bush", "Shrub",
    "Flower", "Hedge", "Grass", "Palm", "Building", "House", "Skyscraper", "Church", "Tower", "Garage", "Shed",
    "Barn", "Bridge", "Courtyard", "Wall", "WallUnit", "RetainingWall", "Fence", "Gate", "Railing", "GuardRail",
    "Barrier", "Pole", "StreetLight", "StreetLamp", "LampPost", "Flagpole", "Column", "Pillar", "TrafficSign",
    "TrafficLight", "StopSign", "RoadSign", "Sign", "Billboard", "Road", "Street", "Sidewalk", "Bench", "TrashBin",
    "TrashCan", "GarbageCan", "Mailbox", "FireHydrant", "BusStop", "ParkingMeter", "Backpack", "Bag", "Handbag",
    "CellPhone", "Hat", "Helmet", "Shoes", "PersonStanding", "FlagPole", "Phonebooth", "Phone", "Telephone", "Purse",
    "Cap", "Shirt",
)  # fmt: skip
HAZARDOUS = (
    "Chair", "OfficeChair", "Table", "Desk", "Lamp", "FloorLamp", "Vase", "Sofa", "Piano", "Guitar", "Suitcase",
    "Umbrella", "Ladder", "ChildBed", "PosterBed", "WallClock", "WallLamp", "WallArt", "WallArtWithFigurine",
    "WallDecoration", "CoatRack", "BeanBag", "FileCabinet", "Planet", "Wallet", "Carrot", "Cassette", "ToyFigure",
    "ShoppingCart", "PicnicTableSet", "PowerSocket", "Pedestal", "Statue", "Snowman", "DresserWithMirror",
)  # fmt: skip


@pytest.mark.parametrize("category", OVERLAPPING)
def test_a_category_that_streets_show_clashes(category: str) -> None:
    assert clash(category) is not None


@pytest.mark.parametrize("category", HAZARDOUS)
def test_a_category_that_no_street_shows_does_not_clash(category: str) -> None:
    assert clash(category) is None


def test_the_classes_are_those_of_training() -> None:
    assert {t.training_class for t in STREET_CONTENTS} <= {row.name for row in STREETHAZARDS.classes}


def _shapenetsem(root: Path, categories: dict[str, str]) -> Path:
    root.mkdir()
    with (root / "metadata.csv").open("w", newline="") as stream:
        table = csv.DictWriter(stream, FIELDS)
        table.writeheader()
        table.writerows(
            {"fullId": f"wss.{model}", "category": told, "unit": "0.01"} for model, told in categories.items()
        )
    for model in categories:
        (root / f"{model}.obj").touch()
    return root


def _stems(found: list[object]) -> list[str]:
    return [item.stem for item in found if isinstance(item, FoundMesh)]


def test_shapenetsem_loses_what_people_carry_and_whole_scenes(tmp_path: Path) -> None:
    rows = {"a1": "Backpack", "b2": "Chair,OfficeChair", "c3": "Furniture,Bench", "d4": "Kitchen", "e5": "Backpack"}
    root = _shapenetsem(tmp_path / "sem", rows)
    report = Report()
    assert _stems(list(find_in_shapenetsem(root, KnownThings(report)))) == ["office_chair_b2"]
    assert report.left_out == {("pedestrian", "Backpack"): 2, ("other", "Bench"): 1, ("whole scene", "Kitchen"): 1}


def test_who_insists_gets_known_things_with_a_note_but_no_scenes(tmp_path: Path) -> None:
    root = _shapenetsem(tmp_path / "sem", {"a1": "Backpack", "d4": "Kitchen"})
    report = Report()
    assert _stems(list(find_in_shapenetsem(root, KnownThings(report, allowed=True)))) == ["backpack_a1"]
    assert report.left_out == {("whole scene", "Kitchen"): 1}
    note = "Backpack is taken though streets show it: backpack, class pedestrian"
    assert report.notes == [("shapenetsem:wss.a1", note)]


def test_a_folder_is_judged_by_its_name_and_by_the_file_s(tmp_path: Path) -> None:
    for name in ("park_benches/one.obj", "things/red_car_02.obj", "things/bench_vice.obj", "sofa.obj", "bin.obj"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    report = Report()
    assert _stems(list(find_in_folder(tmp_path, KnownThings(report)))) == ["sofa", "bench_vice"]
    assert report.left_out == {("other", "park_benches"): 1, ("car", "red_car_02"): 1, ("other", "bin"): 1}


def test_the_command_warns_and_can_be_told_to_insist(tmp_path: Path) -> None:
    root, shelf = tmp_path / "meshes", tmp_path / "shelf"
    root.mkdir()
    for name in ("rucksack", "cube"):
        trimesh.creation.box((1, 1, 1)).export(root / f"{name}.ply")
    words = ["import", str(root), "--library", str(shelf), "--licence", "CC0"]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    assert "1 objects imported" in result.stdout
    assert "1 left out as no hazards (--allow-known takes what streets show):" in result.stdout
    assert "  rucksack 1: streets show it: backpack, class pedestrian" in result.stdout
    told = json.loads((shelf / "import-report.json").read_text())
    assert told["left_out"] == [{"training_class": "pedestrian", "category": "rucksack", "count": 1}]
    insisted = CliRunner().invoke(app, [*words, "--allow-known"])
    assert "2 objects imported" in insisted.stdout
    assert "rucksack is taken though streets show it: backpack, class pedestrian" in insisted.stdout
