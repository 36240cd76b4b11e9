"""One change between two identical ``caos score`` commands, size and modification time kept: it is always noticed."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from safetensors.numpy import load_file, save_file
from typer.testing import CliRunner

from caos.cli import app
from caos.foundation.errors import CaosError
from tests.ood_scores import little

OLD_NS = 10**18
FRAME = "test/t5/0"


@pytest.fixture
def own(data, tmp_path) -> Path:
    """A copy of the set whose PNG files have one size whatever they show, and an old modification time."""
    root = shutil.copytree(data, tmp_path / "own")
    for path in root.rglob("*.png"):
        Image.open(path).save(path, compress_level=0)
    for path in root.rglob("*"):
        os.utime(path, ns=(OLD_NS, OLD_NS))
    return root


@contextmanager
def kept_status(path: Path) -> Iterator[None]:
    """Set the modification time back after a change, and check that the size is the same."""
    before, content = path.stat(), path.read_bytes()
    yield
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    after = path.stat()
    assert (after.st_size, after.st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    assert path.read_bytes() != content


def flipped(path: Path) -> None:
    Image.fromarray(np.asarray(Image.open(path))[::-1].copy()).save(path, compress_level=0)


def score(*words: object) -> str:
    """The line that ``caos score`` ends with, empty where it is not an error."""
    done = CliRunner().invoke(app, ["-q", "score", *map(str, words)])
    assert done.exception is None or isinstance(done.exception, CaosError), done.output
    return "" if done.exception is None else str(done.exception)


def as_if_hashed_long_ago(out: Path) -> None:
    """Hashes of files that changed within two seconds before they were read are not reused: make them older."""
    rows = json.loads((out / "inputs.json").read_text())
    rows = {name: row | {"hashed_ns": row["hashed_ns"] + 10**10} for name, row in rows.items()}
    (out / "inputs.json").write_text(json.dumps(rows))


def refused(out: Path, words: tuple[object, ...], named: str) -> None:
    """The same command is one line that says what changed, and leaves the results as they are."""
    results = (out / "results.json").read_bytes()
    said = score(*words)
    assert "\n" not in said
    assert f"({named} was" in said
    assert (out / "results.json").read_bytes() == results


@pytest.mark.parametrize(
    ("file", "named"),
    [
        (f"test/images/{FRAME}.png", "dataset.pictures"),
        (f"test/annotations/{FRAME}.png", "dataset.annotations"),
        (f"test/instances/{FRAME}.png", "dataset.instances"),
        ("manifest.jsonl", "dataset.manifest"),
        ("map", "source identity.det.maps"),
    ],
)
def test_a_file_of_the_set_or_a_map(own, tmp_path, file, named) -> None:
    maps, out = tmp_path / "det", tmp_path / "out"
    little.write_maps(maps, own, lambda anomalous, _: anomalous.astype(np.float32))
    path = next(maps.rglob("0.npy")) if file == "map" else own / file
    os.utime(path, ns=(OLD_NS, OLD_NS))
    words = (own, "--maps", maps, "--out", out)
    assert score(*words) == ""
    as_if_hashed_long_ago(out)
    assert score(*words) == ""
    with kept_status(path):
        if path.suffix == ".npy":
            np.save(path, -np.load(path))
        elif path.suffix == ".jsonl":
            path.write_text(path.read_text().replace("furniture", "furnished"))
        else:
            flipped(path)
    refused(out, words, named)


def test_weights(data, run, tmp_path) -> None:
    trained, out = shutil.copytree(run, tmp_path / "run"), tmp_path / "out"
    words = (data, "--run", trained, "--scorers", "msp", "--out", out)
    assert score(*words) == ""
    with kept_status(trained / "model.safetensors"):
        state = load_file(trained / "model.safetensors")
        first = next(name for name, tensor in state.items() if tensor.ndim == 4)
        save_file(state | {first: np.zeros_like(state[first])}, trained / "model.safetensors")
    assert "weights do not match run.json" in score(*words)


def test_a_helper_of_a_scorer(data, run, tmp_path, monkeypatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    helper, out = tmp_path / "half_helper.py", tmp_path / "out"
    helper.write_text("def scored(values):\n    # A comment.\n    return values / -2\n")
    (tmp_path / "half.py").write_text(
        "from half_helper import scored\n\nfrom caos import Scorer\n\n\nclass Half(Scorer):\n    title = 'Half'\n\n"
        "    def score(self, outputs):\n        return scored(outputs.maximum)\n"
    )
    words = (data, "--run", run, "--scorers", tmp_path / "half.py", "--out", out)
    assert score(*words) == ""
    with kept_status(helper):
        helper.write_text(helper.read_text().replace("A comment", "A remark!"))
    assert score(*words) == ""
    with kept_status(helper):
        helper.write_text(helper.read_text().replace("/ -2", "* -2"))
    refused(out, words, "source identity.columns")


@pytest.mark.parametrize("change", ["status", "output_stride"])
def test_a_description_that_the_weights_do_not_have(data, run, tmp_path, change) -> None:
    trained, out = shutil.copytree(run, tmp_path / "run"), tmp_path / "out"
    record = json.loads((trained / "run.json").read_text())
    if change == "status":
        record["status"] = "training"
    else:
        record["architecture"]["output_stride"] = 24 - record["architecture"]["output_stride"]
    (trained / "run.json").write_text(json.dumps(record))
    said = score(data, "--run", trained, "--scorers", "msp", "--out", out)
    wanted = {"status": "is not finished (status 'training'", "output_stride": "run.json: 'architecture' was changed"}
    assert wanted[change] in said
    assert not out.exists()
