"""An import leaves out objects of ordinary streets, reports them, and imports them with --allow-known."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
import trimesh
from typer.testing import CliRunner

from caos.assets.cli import app
from caos.assets.importing.folder import FoundMesh, find_in_folder
from caos.assets.importing.job import Report
from caos.assets.importing.ordinary_objects import OrdinaryObjectFilter
from caos.assets.importing.shapenetsem import find_in_shapenetsem
from caos.assets.street.contents import STREET_CONTENTS, clash
from caos.scenes.labels import STREETHAZARDS

FIELDS = ("fullId", "category", "up", "front", "unit", "aligned.dims", "name")
# Categories of ShapeNetSem that show a training class.
OVERLAPPING = (
    "Car", "Vehicle", "Truck", "Bus", "Van", "Ambulance", "Taxi", "PoliceCar", "FireTruck", "SUV", "Sedan",
    "SportsCar", "RaceCar", "Pickup", "Motorcycle", "Bicycle", "Scooter", "Train", "Tram", "Trailer", "Person",
    "Human", "Man", "Woman", "Child", "People", "Mannequin", "Tree", "Plant", "PottedPlant", "Bush", "Shrub",
    "Flower", "Hedge", "Grass", "Palm", "Building", "House", "Skyscraper", "Church", "Tower", "Garage", "Shed",
    "Barn", "Bridge", "Courtyard", "Wall", "RetainingWall", "Fence", "Gate", "Railing", "GuardRail",
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
    "WallUnit", "ShoppingCart", "PicnicTableSet", "PowerSocket", "Pedestal", "Statue", "Snowman", "DresserWithMirror",
)  # fmt: skip
SHAPENETSEM = """
    1Shelves 2Shelves 3Shelves 4Shelves 5Shelves 6Shelves 7Shelves AAABattery AABattery AccentChair AccentTable
    AirConditioner Airplane Animal Apple ArcadeMachine Armoire Ashtray Backpack Bag Ball BarCounter Barstool BarTable
    BaseballBat Basket Bathtub Battery BeanBag Bear Bed BeerBottle Bench Bicycle Bidet Bird Blender Blind Board Book
    Bookcase Books Booth Bottle Bowl Broom Bucket Bus Butterfly Cabinet Cabling Cage Calculator Camera Candle Canister
    CanOpener CanopyBed Cap Car Carrot Cassette Cat CeilingFan CeilingLamp CellPhone CerealBox Chair ChairWithOttoman
    Chaise ChessBoard ChestOfDrawers ChildBed Chocolate Clock Closet Coaster CoatRack CoffeeMaker CoffeeTable Coin
    ComforterSet Compass Computer ComputerMouse Controller Cookie Copier Couch Counter Courtyard Cow Cradle Credenza
    Cup CurioCabinet Curtain CuttingBoard Dart DartBoard DecorativeAccessory Desk DeskLamp Desktop Detergent
    DiningTable DiscCase Dishwasher Dog Donkey Donut Door DoubleBed DraftingTable Dresser DresserWithMirror DrinkBottle
    DrinkingUtensil DrumSet Dryer DSLRCamera Easel Elephant EndTable Eraser Fan Faucet FileCabinet Fireplace Fish
    FlagPole Flashlight FloorLamp Folder FoodItem Fork Fruit FruitBowl Futon Gamecube GameTable Giraffe Glasses Guitar
    GuitarStand Gun Hammer HandDryer Hanger Harp Hat Headboard Headphones Helicopter Horse Ipad Ipod IroningBoard
    Kettle Key Keyboard KingBed Knife KneelingChair Ladder Lamp LampPost Laptop LDesk Lectern Letter LightBulb
    LightSwitch Lock LoftBed Loveseat Magnet Marker Mattress MediaChest MediaDiscs MediaPlayer MediaStorage Microscope
    Microwave MilkCarton Mirror Monitor Motorcycle Mouse MousePad Mug Nightstand NintendoDS Notepad OfficeChair
    OfficeSideChair Orange Ottoman OutdoorTable Oven OvenTop Painting Palette Pan Paper PaperBox PaperClip PaperMoney
    Pedestal Pen Pencil PersonStanding Phone Phonebooth Piano PianoKeyboard PicnicTableSet Picture PictureFrame
    PillBottle Pillow Pizza Planet Plant Plate Plotter Poster PosterBed PottedPlant PotRack PowerSocket PowerStrip
    Printer PS PS2 PS3 PSP Purse QueenBed QueenBedWithNightstand Rabbit Rack Radio Recliner Refrigerator RiceCooker
    Ring Rock Room RoundTable RubiksCube Rug Ruler Sandwich Scale Scissors ScrewDriver Sectional Shampoo Sheep Ship
    Shirt Shoes ShoppingCart Shower Showerhead SideChair Sideboard SingleBed Sink SkateBoard Sleeper Snowman SoapBar
    SoapBottle SodaCan Speaker Spoon StandingClock Stapler StaplerWithStaples Statue Stool Suitcase SupportFurniture
    Sword Table TableClock TableLamp Tank Tape TapeDispenser TapeMeasure Teacup Teapot Telephone Telescope
    TelescopeWithTripod Tent Thermostat Throw Thumbtack TissueBox Toaster ToasterOven Toilet ToiletPaper Toothbrush
    ToyFigure TrashBin Truck Trumpet Trundle TvStand TV Umbrella USBStick Vanity Vase VideoGameConsole
    VideoGameController Violin WallArt WallArtWithFigurine WallClock WallDecoration WallLamp Wallet WallUnit Wardrobe
    Washer WasherDryerSet Watch WebCam Whiteboard Wii Window WineBottle WineGlass WineRack Wood Xbox Xbox360
"""
KNOWN_IN_SHAPENETSEM = """
    Backpack Bag Bench Bicycle Bus Cap Car CellPhone Courtyard FlagPole Hat LampPost Motorcycle PersonStanding Phone
    Phonebooth Plant PottedPlant Purse Shirt Shoes Telephone TrashBin Truck
"""


def test_exactly_the_street_categories_of_shapenetsem_clash() -> None:
    categories = SHAPENETSEM.split()
    assert len(set(categories)) == len(categories) > 270
    assert [category for category in categories if clash(category)] == KNOWN_IN_SHAPENETSEM.split()


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


def test_shapenetsem_bags_and_whole_scenes_are_left_out(tmp_path: Path) -> None:
    rows = {"a1": "Backpack", "b2": "Chair,OfficeChair", "c3": "Furniture,Bench", "d4": "Kitchen", "e5": "Backpack"}
    root = _shapenetsem(tmp_path / "sem", rows)
    report = Report()
    assert _stems(list(find_in_shapenetsem(root, OrdinaryObjectFilter(report)))) == ["office_chair_b2"]
    assert report.left_out == {("pedestrian", "Backpack"): 2, ("other", "Bench"): 1, ("whole scene", "Kitchen"): 1}


def test_allow_known_imports_street_objects_with_a_note_but_no_scenes(tmp_path: Path) -> None:
    root = _shapenetsem(tmp_path / "sem", {"a1": "Backpack", "d4": "Kitchen"})
    report = Report()
    assert _stems(list(find_in_shapenetsem(root, OrdinaryObjectFilter(report, allowed=True)))) == ["backpack_a1"]
    assert report.left_out == {("whole scene", "Kitchen"): 1}
    note = "Backpack is imported although ordinary streets show it: backpack, class pedestrian"
    assert report.notes == [("shapenetsem:wss.a1", note)]


def test_folder_and_file_names_are_both_checked(tmp_path: Path) -> None:
    for name in ("park_benches/one.obj", "things/red_car_02.obj", "things/bench_vice.obj", "sofa.obj", "bin.obj"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    report = Report()
    assert _stems(list(find_in_folder(tmp_path, OrdinaryObjectFilter(report)))) == ["sofa", "bench_vice"]
    assert report.left_out == {("other", "park_benches"): 1, ("car", "red_car_02"): 1, ("other", "bin"): 1}


def test_the_command_prints_what_is_left_out_and_allow_known_imports_it(tmp_path: Path) -> None:
    root, shelf = tmp_path / "meshes", tmp_path / "shelf"
    root.mkdir()
    for name in ("rucksack", "cube"):
        trimesh.creation.box((1, 1, 1)).export(root / f"{name}.ply")
    words = ["import", str(root), "--library", str(shelf), "--licence", "CC0"]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    assert "1 objects imported" in result.stdout
    assert "1 left out as objects of ordinary streets (--allow-known imports them):" in result.stdout
    assert "  rucksack 1: backpack, class pedestrian" in result.stdout
    told = json.loads((shelf / "import-report.json").read_text())
    assert told["left_out"] == [{"training_class": "pedestrian", "category": "rucksack", "count": 1}]
    insisted = CliRunner().invoke(app, [*words, "--allow-known"])
    assert "2 objects imported" in insisted.stdout
    assert "rucksack is imported although ordinary streets show it: backpack, class pedestrian" in insisted.stdout
