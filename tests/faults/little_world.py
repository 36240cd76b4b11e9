"""A little world of every kind of file that CAOS reads: sets, runs, results, maps, recipes, libraries, studies."""

from __future__ import annotations

import contextlib
import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import cv2
import h5py
import numpy as np
import tifffile
from PIL import Image

from caos.simulator.embedded import towns
from tests.ood_scores import little
from tests.scenes import test_bdd_anomaly, test_photographs
from tests.simulator.server.street import STREET

FORMS = (".npy", ".npz", ".tif", ".png", ".h5", ".npy")
"""Formats of the score maps, one an image."""


LITTLE_RECIPE = """
description = "A frame to learn from and two with hazards, in one town."
dataset = "Little"
[camera]
size = [96, 64]
[traffic]
vehicles = [0, 2]
walkers = [0, 2]
[[parts]]
split = "train"
folder = "t1-3"
towns = ["Town02"]
count = 2
[[parts]]
split = "test"
folder = "t5"
towns = ["Town02"]
count = 2
hazards = true
"""


DRIVE_RECIPE = """
description = "A short drive with two cameras and a lidar."
dataset = "Drive"
[[rig.cameras]]
name = "front"
x_m = 1.4
z_m = 1.6
size = [96, 64]
[[rig.cameras]]
name = "bumper"
x_m = 2.3
z_m = 0.7
size = [64, 48]
fov_deg = 190
lens = { model = "fisheye", coefficients = [0.02, -0.006, 0.001, -0.0001] }
[[rig.lidars]]
name = "top"
z_m = 1.95
channels = 8
columns = 64
[sequence]
frames = 3
[traffic]
vehicles = [0, 2]
walkers = [0, 2]
[[parts]]
split = "test"
folder = "drive"
towns = ["Town02"]
count = 1
hazards = true
sequence = true
"""
TRAINING = """
epochs = 1
batch_size = 2
crop = [32, 32]
model = "pspnet-light"
encoder = "resnet18"
encoder_weights = "none"
device = "cpu"
workers = 0
"""
ARMS = """
preset = "quick"
scorers = "msp"
[train]
{training}
[[arm]]
name = "reference"
step = "as it is"
[[arm]]
name = "longer"
step = "a longer warm-up"
train = {{ seed = 1 }}
"""
GRID = """
preset = "quick"
seeds = [0]
scorer = "msp"
corruptions = "brightness"
severities = "1"
[train]
{training}
[[hypothesis]]
name = "another seed"
base = {{}}
with = {{ lr = 0.02 }}
"""


Runner = Callable[[list[str]], int]
"""Runs ``caos`` with some words, and gives what it returns."""


def make_world(root: Path, run: Runner) -> Path:
    """Write the files, those that commands make by the commands themselves."""
    little.write_set(root / "plain", test=6, val=2)
    _write_photos(root / "photos")
    for path in (*(root / "plain").rglob("*.png"), *(root / "photos").rglob("*.png")):
        with Image.open(path) as opened:
            opened.load()
        path.write_bytes(stored_png(opened, path))
    _as_a_set(root)
    _write_maps(root / "maps", root / "set")
    for name in ("results", "others"):
        _make(root, run, f"score set --maps maps --protocol caos,smiyc --out {root / name}")
    _write_library(root / "library")
    for name, text in (("train", TRAINING), ("little", LITTLE_RECIPE), ("drive", DRIVE_RECIPE)):
        (root / f"{name}.toml").write_text(text)
    return root


def stored_png(picture: Image.Image, path: Path) -> bytes:
    """PNG bytes without compression, by way of a file beside ``path``: pictures of one size are files of one size."""
    other = path.with_name(f".{path.name}")
    picture.save(other, "PNG", compress_level=0)
    data = other.read_bytes()
    other.unlink()
    return data


def write_run_and_findings(root: Path, run: Runner) -> None:
    """Add a run, what it finds in the drive, and what a bundle is made of."""
    _make(root, run, f"train set --config train.toml --out {root / 'run'}")
    _make(root, run, f"score drive --run run --scorers msp --out {root / 'found'}")
    (root / "fails.md").write_text("At night it takes puddles for holes.\n")


def write_others(root: Path) -> None:
    """Add what other people's sets look like: releases of photographs, and cut-outs."""
    test_photographs.smiyc(root / "photos_smiyc")
    test_photographs.roadanomaly(root / "photos_roadanomaly")
    test_bdd_anomaly.make(root / "bdd", "images", "labels", "")
    for number in range(6):
        picture = np.zeros((20, 24, 4), np.uint8)
        picture[4:16, 3:20] = (40 * number, 200 - 30 * number, 90, 255)
        path = root / f"cuts/kind{number // 2}_{number % 2}.png"
        path.parent.mkdir(exist_ok=True)
        Image.fromarray(picture).save(path)


def write_networks(root: Path, run: Runner) -> None:
    """Add runs, what is made with them, and what they are trained on."""
    _make(root, run, f"assets cutouts --from cuts --out {root / 'pasted'}")
    for name, more in (
        ("run", ""),
        ("whole", "--model multi-label"),
        ("painter", "--model autoencoder"),
        ("enlarger", "--model super-resolution"),
        ("confident", "--confidence-branch --init run"),
        ("observer", "--model obsnet --watches run"),
        ("other", "--seed 1"),
    ):
        _make(root, run, f"train set --config train.toml {more} --out {root / name}")
    _write_encoders(root)
    (root / "arms.toml").write_text(ARMS.format(training=TRAINING))
    (root / "grid.toml").write_text(GRID.format(training=TRAINING))
    _make(root, run, f"scenes filter drive --run run --most-found 1 --out {root / 'hard'}")
    _make(root, run, f"score drive --run run --scorers msp --out {root / 'found'}")
    (root / "fails.md").write_text("At night it takes puddles for holes.\n")
    _make(root, run, f"assets cutouts sofa cow chair piano --views 4 --size 32 --n 8 --out {root / 'kinds'}")


def _write_encoders(root: Path) -> None:
    """Files of weights: a vision transformer's, and those of the encoder that ``train.toml`` names."""
    import segmentation_models_pytorch as smp
    import timm
    from safetensors.torch import save_file

    save_file(timm.create_model("test_vit", pretrained=False).state_dict(), root / "vit.safetensors")
    save_file(smp.encoders.get_encoder("resnet18", weights=None).state_dict(), root / "encoder.safetensors")


def write_drive(root: Path, run: Runner) -> None:
    """Add a generated drive with cameras, lidar and twins, one of its scenes, the plan of a town, and meshes."""
    _write_meshes(root / "meshes")
    _make(root, run, f"scenes generate drive.toml --quality draft --workers 1 --twins --out {root / 'drive'}")
    shutil.copy(next((root / "drive/scenes").rglob("*.json")), root / "scene.json")
    plans = Path(towns.__file__).parent / "plans"
    shutil.copy(plans / "Town02.toml", root / "plan.toml")
    (root / "roads").mkdir()
    for name in ("street", "roads/Town04"):
        (root / f"{name}.xodr").write_text(STREET)


def _make(root: Path, run: Runner, words: str) -> None:
    if run([str(root / word) if (root / word).exists() else word for word in words.split()]):
        raise AssertionError(f"the little world cannot be made: caos {words}")


def _as_a_set(root: Path) -> None:
    """The plain pictures as a set with lists, description and manifest, as our own writer makes them."""
    from caos.scenes.dataset.layout import PLACES
    from caos.scenes.dataset.writer import SetDescription, SetImage, file_of, write_set
    from caos.scenes.labels import STREETHAZARDS

    shutil.copytree(root / "plain", root / "set")
    (root / "set/manifest.jsonl").unlink()
    for kind in ("images", "annotations"):
        shutil.copytree(root / f"plain/train/{kind}/validation/t4", root / f"set/train/{kind}/training/t1-3")
    about = [json.loads(line) for line in (root / "plain/manifest.jsonl").read_text().splitlines()]
    rows = {row["key"]: row for row in about}
    images = []
    for split, place in PLACES.items():
        top, folder = place.top, place.folder
        for path in sorted((root / "set" / top / "annotations" / folder).rglob("*.png")):
            inner = path.relative_to(root / "set" / top / "annotations")
            places = {kind: f"{top}/{kind}s/{inner}" for kind in ("annotation", "image")}
            if split == "test":
                places |= {"instances": f"{top}/instances/{inner}", "twin": f"{top}/twins/{inner}"}
                (root / "set" / places["twin"]).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(root / "set" / places["image"], root / "set" / places["twin"])
            files = {kind: file_of(root / "set", place) for kind, place in places.items()}
            row = rows.get(f"{split}/{inner.parent.name}/{inner.stem}", {})
            more = {key: row[key] for key in ("weather", "hazards") if key in row}
            images.append(SetImage(split, (little.WIDTH, little.HEIGHT), files, {"hazards": [], **more}))
    write_set(root / "set", images, SetDescription("little", STREETHAZARDS, {"made": "here"}, {}))


def _write_photos(root: Path) -> None:
    rng = np.random.default_rng(5)
    for number in range(3):
        for folder in ("images", "masks"):
            (root / folder).mkdir(parents=True, exist_ok=True)
        Image.fromarray(rng.integers(0, 255, (48, 64, 3), dtype=np.uint8)).save(root / f"images/{number}.png")
        mask = np.zeros((48, 64), np.uint8)
        mask[10:20, 10:30] = 1
        Image.fromarray(mask).save(root / f"masks/{number}.png")


def _write_maps(folder: Path, dataset: Path) -> None:
    rng = np.random.default_rng(6)
    for path in sorted((dataset / "test/annotations").rglob("*.png")):
        anomalous = np.asarray(Image.open(path)) == 14
        for power, detector in enumerate(("good", "fair", "poor")):
            scores = (rng.random(anomalous.shape) + anomalous / 2**power).astype(np.float32)
            target = folder / detector / path.parent.name / path.stem
            target.parent.mkdir(parents=True, exist_ok=True)
            _write_map(target, FORMS[(int(path.stem) + power) % len(FORMS)], scores)


def _write_map(target: Path, form: str, scores: np.ndarray) -> None:
    path = target.with_name(f"{target.name}{form}")
    if form == ".npy":
        np.save(path, scores)
    elif form == ".npz":
        np.savez_compressed(path, scores=scores)
    elif form == ".tif":
        tifffile.imwrite(path, scores)
    elif form == ".png":
        cv2.imwrite(str(path), (scores * 20_000).astype(np.uint16))
    else:
        with h5py.File(path, "w") as file:
            file["scores"] = scores


def _write_library(folder: Path) -> None:
    from caos.assets.catalogue.library import Library
    from caos.assets.catalogue.object_file import describe, write_index, write_object

    mesh = Library.open().mesh("pumpkin_01")
    info, stored = describe(
        mesh, name="gourd_01", kind="gourd", category="nature", source="here", licence="MIT", poses=("upright",)
    )
    write_object(folder / "meshes/gourd_01.npz", info, stored)
    write_index(folder, [info])


def _write_meshes(folder: Path) -> None:
    """A box in every format that is imported, one with a texture, and an archive of them."""
    import trimesh

    folder.mkdir()
    box = trimesh.creation.box((0.5, 0.4, 0.3))
    for form in ("ply", "stl", "off", "glb"):
        box.export(folder / f"lamp_{form}.{form}")
    Image.new("RGB", (8, 8), (200, 100, 50)).save(folder / "wood.png")
    (folder / "lamp.mtl").write_text("newmtl wood\nKd 0.8 0.4 0.2\nmap_Kd wood.png\n")
    corners = "".join(f"v {x} {y} {z}\n" for x, y, z in box.vertices)
    faces = "".join("f " + " ".join(f"{corner + 1}/1" for corner in face) + "\n" for face in box.faces)
    (folder / "lamp.obj").write_text(f"mtllib lamp.mtl\n{corners}vt 0 0\nusemtl wood\n{faces}")
    shutil.make_archive(str(folder.parent / "packed"), "zip", folder)


def quietly(run: Callable[[], int]) -> tuple[int, str]:
    """What a command returns, and what it said."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        code = run()
    return code, said.getvalue()
