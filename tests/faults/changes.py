"""One change between two identical commands: the second refuses, or leaves what a new folder would hold.

Each change keeps the size and the modification time of the file, as ``tar``, ``rsync --times`` and restored backups do,
and leaves a file that is valid. Nothing may be reused that depends on what was changed.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from PIL import Image

from caos.cli import _run as run_command
from tests.faults import little_world
from tests.faults.contents import contents

Needs = Literal["files", "network", "renderer"]
Edit = Callable[[Path], bytes]


def another_picture(path: Path) -> bytes:
    """A picture of the same size and mode whose upper half hangs upside down."""
    with Image.open(path) as opened:
        mode, pixels = opened.mode, np.array(opened)
    half = len(pixels) // 2
    pixels[:half] = pixels[:half][::-1]
    return little_world.stored_png(Image.fromarray(pixels, mode if mode in {"L", "RGB"} else None), path)


def without_hazard(path: Path) -> bytes:
    """A label map on which the first hazard pixels belong to a class."""
    with Image.open(path) as opened:
        values = np.array(opened)
    hazard = np.flatnonzero(values == 14)
    values.flat[hazard[: hazard.size // 3]] = 8
    return little_world.stored_png(Image.fromarray(values), path)


def other_scores(path: Path) -> bytes:
    """A ``.npy`` score map with the opposite order."""
    scores = np.load(path)
    other = path.with_name(f".{path.name}")
    np.save(other, scores.max() - scores)
    data = other.read_bytes()
    other.unlink()
    return data


def other_weights(path: Path) -> bytes:
    """Weights of the same names and shapes, every tensor of floats with its values in reverse."""
    from safetensors.numpy import load_file, save

    tensors = load_file(path)
    changed = {
        name: np.ascontiguousarray(values.ravel()[::-1].reshape(values.shape)) if values.dtype.kind == "f" else values
        for name, values in tensors.items()
    }
    return save(changed, _metadata(path))


def zero_weights(path: Path) -> bytes:
    """Weights of the same names and shapes, all zero."""
    from safetensors.numpy import load_file, save

    return save({name: np.zeros_like(values) for name, values in load_file(path).items()}, _metadata(path))


def _metadata(path: Path) -> dict[str, str] | None:
    from safetensors import safe_open

    with safe_open(path, "np") as file:
        found: dict[str, str] | None = file.metadata()
    return found


def replaced(old: str, new: str) -> Edit:
    """The text with ``old`` replaced by ``new``, of the same length."""
    if len(old) != len(new):
        raise ValueError(f"{old!r} and {new!r} differ in length")

    def edit(path: Path) -> bytes:
        text = path.read_text()
        if old not in text:
            raise ValueError(f"{path} does not hold {old!r}")
        return text.replace(old, new).encode()

    edit.__name__ = f"{old} to {new}"
    return edit


def other_numbers(path: Path) -> bytes:
    """``results.json`` or ``images.jsonl`` with another first decimal of every AUROC from 0.1 on."""
    text = path.read_text()
    found = re.sub(r'("auroc": (?:\{[^{}]*"value": )?0\.)([1-9])', lambda m: m[1] + str(10 - int(m[2])), text)
    return found.encode()


@dataclass(frozen=True)
class Change:
    """A change of one file between two calls of a command.

    Attributes:
        words: What is typed; ``{out}`` stands for the folder or file that is made.
        path: The file that changes, below the world; the first that matches.
        edit: Its new bytes.
        made: The files that say what the command made.
        needs: What the command costs.
    """

    words: str
    path: str
    edit: Edit
    made: tuple[str, ...]
    needs: Needs = "files"

    @property
    def name(self) -> str:
        """A name for tables."""
        return f"{self.words.split(' --')[0]}: {Path(self.path).name}, {self.edit.__name__.replace('_', ' ')}"


SCORED = ("results.csv", "images.jsonl")
PICTURES = ("*.png", "*.odgt", "manifest.jsonl")
MAPS = "score set --maps maps --protocol caos,smiyc --out {out}"
RUN = "score set --run run --scorers max_logit,mahalanobis --fit-on plain --out {out}"
LOOK = "look photos/images --run run --scorer max_logit --fit-on plain --out {out}"
BUNDLE = "export bundle run --ordinary set --scorers max_logit --results found --failures fails.md --out {out}"
FILTER = "scenes filter drive --run run --most-found 1 --out {out}"
TRAIN = "train set --out {out} --config train.toml"
GENERATE = "scenes generate little.toml --library library --quality draft --workers 1 --out {out}"
SHIFT = "scenes shift drive --change weather=fog --images 1 --library library --quality draft --workers 1 --out {out}"
CONVERT = "scenes convert photos --from folder --out {out} --workers 1"
EXPORT = "scenes export set --format smiyc --out {out}"
CHANGES = (
    Change(MAPS, "set/test/annotations/test/t5/0.png", without_hazard, SCORED),
    Change(MAPS, "maps/good/t5/0.npy", other_scores, SCORED),
    Change(MAPS, "set/manifest.jsonl", replaced('"furniture"', '"furnitury"'), SCORED),
    Change(
        "scenes convert photos --from folder --out {out} --workers 1", "photos/masks/1.png", another_picture, PICTURES
    ),
    Change(
        "scenes convert photos --from folder --out {out} --workers 1", "photos/images/1.png", another_picture, PICTURES
    ),
    Change(
        "scenes export set --format smiyc --out {out}", "set/test/annotations/test/t5/0.png", without_hazard, PICTURES
    ),
    Change("report results --dataset set --out {out}", "results/results.json", other_numbers, ("*.html", "*.js")),
    Change(
        "report results --dataset set --out {out}",
        "set/test/images/test/t5/0.png",
        another_picture,
        ("*.webp", "*.html", "*.js"),
    ),
    Change("compare results others --out {out}/table.md", "others/results.json", other_numbers, ("*.md",)),
    Change(
        "study transfer --results results --results others --out {out}",
        "others/images.jsonl",
        other_numbers,
        ("table.md",),
    ),
    Change(RUN, "run/model.safetensors", other_weights, SCORED, "network"),
    Change(RUN, "run/model.safetensors", zero_weights, SCORED, "network"),
    Change(RUN, "run/run.json", replaced('"status": "finished"', '"status": "training"'), SCORED, "network"),
    Change(RUN, "run/run.json", replaced('"output_stride": 8', '"output_stride":16'), SCORED, "network"),
    Change(RUN, "set/test/annotations/test/t5/0.png", without_hazard, SCORED, "network"),
    Change(RUN, "plain/train/images/validation/t4/0.png", another_picture, SCORED, "network"),
    Change(LOOK, "run/model.safetensors", other_weights, ("*.png", "look.json"), "network"),
    Change(LOOK, "photos/images/1.png", another_picture, ("*.png", "look.json"), "network"),
    Change(LOOK, "plain/train/images/validation/t4/0.png", another_picture, ("*.png", "look.json"), "network"),
    Change(TRAIN, "set/train/images/training/t1-3/0.png", another_picture, ("model.safetensors",), "network"),
    Change(TRAIN, "train.toml", replaced("batch_size = 2", "batch_size = 1"), ("model.safetensors",), "network"),
    Change(BUNDLE, "run/model.safetensors", other_weights, ("*.json", "*.md", "*.safetensors"), "renderer"),
    Change(BUNDLE, "set/train/images/validation/t4/0.png", another_picture, ("*.json", "*.md"), "renderer"),
    Change(BUNDLE, "fails.md", replaced("night", "lunch"), ("*.md",), "renderer"),
    Change(FILTER, "run/model.safetensors", other_weights, ("*.png", "manifest.jsonl", "filter.json"), "renderer"),
    Change(FILTER, "drive/manifest.jsonl", replaced('"kind": "', '"kind":"x'), (*PICTURES, "filter.json"), "renderer"),
    Change(GENERATE, "little.toml", replaced("vehicles = [0, 2]", "vehicles = [2, 3]"), PICTURES, "renderer"),
    Change(SHIFT, "drive/manifest.jsonl", replaced('"roll_deg": -0.0', '"roll_deg": 30.0'), PICTURES, "renderer"),
)


@contextlib.contextmanager
def silently_changed(path: Path, edit: Edit) -> Iterator[None]:
    """The file with other content, the same size and the same modification time; it is put back afterwards."""
    before, kept = path.stat(), path.read_bytes()
    data = edit(path)
    if len(data) != len(kept) or data == kept:
        raise ValueError(f"{path}: {len(data)} bytes instead of other {len(kept)}")
    try:
        path.write_bytes(data)
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        yield
    finally:
        path.write_bytes(kept)
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


class Changes:
    """Changes over a little world; what commands make goes beside it."""

    def __init__(self, world: Path) -> None:
        self.world, self._number = world, 0

    def wrong(self, change: Change) -> str:
        """What is wrong after a change; empty if the command refuses, or makes what a new folder would hold."""
        out, other = self._out(), self._out()
        code, said = self.call(change.words, out)
        if code:
            return f"fails before the change: {said}"
        before = contents(out, change.made)
        with silently_changed(next(self.world.glob(change.path)), change.edit):
            code, said = self.call(change.words, out)
            after = contents(out, change.made)
            fresh_code, fresh_said = self.call(change.words, other)
            fresh = contents(other, change.made) if fresh_code == 0 else ""
        # Converted sets hold links to photographs: what a refused command left is looked at when these are back.
        left = contents(out, change.made)
        for made in (out, other):
            shutil.rmtree(made, ignore_errors=True)
        if fresh_code == 0 and fresh == before:
            return "the change changes nothing"
        if code == 2:
            return "" if left == before and said.count("error: ") == 1 else f"refused, but: {said}"
        if code == 0 and fresh_code == 0 and after == fresh:
            return ""
        return f"codes {code} and {fresh_code}, old results: {after == before}: {said[-300:]}{fresh_said[-300:]}"

    def call(self, words: str, out: Path) -> tuple[int, str]:
        """A command on the world."""
        typed = [word.replace("{out}", str(out)) for word in words.split()]
        typed = [str(self.world / word) if (self.world / word).exists() else word for word in typed]
        return little_world.quietly(lambda: run_command(typed))

    def _out(self) -> Path:
        self._number += 1
        return self.world.parent / f"changed-{self._number}"
