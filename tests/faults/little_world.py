"""A little world of every kind of file that CAOS reads: sets, runs, results, maps, recipes, libraries, studies."""

from __future__ import annotations

import contextlib
import io
import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import cv2
import h5py
import numpy as np
import tifffile
from PIL import Image

from tests.ood_scores import little

FORMS = (".npy", ".npz", ".tif", ".png", ".h5", ".npy")
"""Formats of the score maps, one an image."""


@dataclass(frozen=True)
class Command:
    """A command over the files of a world; ``{out}`` stands for a place that is not there yet.

    Attributes:
        words: What is typed.
        is_heavy: Whether it loads a network.
        refusals: Exit codes that say no.
    """

    words: tuple[str, ...]
    is_heavy: bool = False
    refusals: tuple[int, ...] = (2,)

    @property
    def name(self) -> str:
        """Its first words."""
        return " ".join(self.words[: 2 if self.words[0] in ("scenes", "assets", "study", "export") else 1])


COMMANDS = (
    Command(("scenes", "audit", "set", "--workers", "1"), refusals=(1, 2)),
    Command(("scenes", "describe", "set", "--out", "{out}.png")),
    Command(("scenes", "export", "set", "--format", "smiyc", "--out", "{out}")),
    Command(("scenes", "export", "set", "--format", "coco-panoptic", "--out", "{out}")),
    Command(("scenes", "convert", "photos", "--from", "folder", "--out", "{out}", "--workers", "1")),
    Command(("score", "set", "--maps", "maps", "--out", "{out}")),
    Command(("compare", "results", "others")),
    Command(("report", "results", "--out", "{out}")),
    Command(("study", "transfer", "--results", "results", "--results", "others", "--out", "{out}")),
    Command(("assets", "list", "--library", "library")),
    Command(("assets", "check", "--library", "library"), refusals=(1, 2)),
    Command(("score", "set", "--run", "run", "--scorers", "max_logit", "--out", "{out}"), is_heavy=True),
    Command(("look", "photos/images/1.png", "--run", "run", "--out", "{out}"), is_heavy=True),
    Command(("train", "set", "--out", "{out}", "--config", "train.toml"), is_heavy=True),
)


def make_world(root: Path, run: Callable[[list[str]], int]) -> Path:
    """Write the files, those that commands make by the commands themselves (``run`` takes their words)."""
    little.write_set(root / "plain", test=6, val=2)
    _write_photos(root / "photos")
    _as_a_set(root)
    _write_maps(root / "maps", root / "set")
    for name in ("results", "others"):
        words = ["score", str(root / "set"), "--maps", str(root / "maps"), "--protocol", "caos,smiyc"]
        if run([*words, "--out", str(root / name)]):
            raise AssertionError("the maps of the little world are not scored")
    _write_library(root / "library")
    (root / "train.toml").write_text(
        'epochs = 1\nbatch_size = 2\ncrop = [32, 32]\nmodel = "pspnet-light"\nencoder = "resnet18"\n'
        'encoder_weights = "none"\ndevice = "cpu"\nworkers = 0\n'
    )
    return root


def write_run(root: Path) -> None:
    """Add a run with random weights."""
    little.write_run(root / "run")


def _as_a_set(root: Path) -> None:
    """The plain pictures as a set with lists, description and manifest, as our own writer makes them."""
    from caos.scenes.labels import STREETHAZARDS
    from caos.scenes.layout import PLACES
    from caos.scenes.set_writer import SetDescription, SetImage, file_of, write_set

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
                places["instances"] = f"{top}/instances/{inner}"
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
    from caos.assets.library import Library
    from caos.assets.object_file import describe, write_index, write_object

    mesh = Library.open().mesh("pumpkin_01")
    info, stored = describe(
        mesh, name="gourd_01", kind="gourd", category="nature", source="here", licence="MIT", poses=("upright",)
    )
    write_object(folder / "meshes/gourd_01.npz", info, stored)
    write_index(folder, [info])


def quietly(run: Callable[[], int]) -> tuple[int, str]:
    """What a command returns, and what it said."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        code = run()
    return code, said.getvalue()
