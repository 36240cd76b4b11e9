"""What is released: a wheel that holds ``caos`` and nothing else, and an sdist that ``make`` and the tests can use.

The wheel is installed into a fresh environment that reaches the heavy packages of this one, but not this checkout.
"""

from __future__ import annotations

import json
import sys
import tarfile
import zipfile
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from PIL import Image

from tests.docs.pages import ROOT
from tests.ood_scores.little import write_set
from tests.packaging.environments import build_release, create, run, share_packages

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]
HOSTILE = ("scenes", "assets", "simulator", "trimesh", "msgpack", "numpy", "json")
ROOMS = ("assets", "foundation", "ood_scores", "scenes", "segmentation", "simulator", "studies")


BUNDLED = tuple(
    f"caos/segmentation/bundled/{name}"
    for name in ("run.json", "model.safetensors", "ordinary_scores.json", "MODEL_CARD.md")
)
LARGEST_WHEEL = 30_000_000


class Release(NamedTuple):
    """The two files that are published."""

    wheel: Path
    sdist: Path


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    out = tmp_path_factory.mktemp("dist")
    build_release(out, ROOT)
    return Release(next(out.glob("*.whl")), next(out.glob("*.tar.gz")))


@pytest.fixture(scope="module")
def installed(release: Release, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of programs of an environment with the wheel, and with the packages of this environment but ours."""
    place = tmp_path_factory.mktemp("venv")
    programs = create(place)
    share_packages(place, tmp_path_factory.mktemp("borrowed"))
    pip = [sys.executable, "-m", "pip", "--python", programs / "python", "install", "--no-deps", "--no-index"]
    done = run([*pip, release.wheel], place)
    assert done.returncode == 0, done.stderr
    return programs


@pytest.fixture
def hostile_folder(tmp_path: Path) -> Path:
    """A working directory with files that have the names of our rooms and of libraries."""
    for name in HOSTILE:
        (tmp_path / f"{name}.py").write_text(f"raise SystemExit('{name}.py of the working directory was imported')\n")
    return tmp_path


def test_the_wheel_puts_nothing_but_caos_at_the_top(release: Release) -> None:
    names = zipfile.ZipFile(release.wheel).namelist()
    tops = {name.partition("/")[0] for name in names}
    version = metadata.version("caos-bench")
    assert tops == {"caos", f"caos_bench-{version}.dist-info"}
    for room in ROOMS:
        assert f"caos/{room}/__init__.py" in names
    for data in ("caos/py.typed", "caos/__init__.pyi", "caos/scenes/recipes/streethazards.toml", *BUNDLED):
        assert data in names


def test_wheel_and_sdist_carry_a_run_and_stay_moderate(release: Release) -> None:
    with tarfile.open(release.sdist) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    assert set(BUNDLED) <= inside
    assert release.wheel.stat().st_size < LARGEST_WHEEL
    assert release.sdist.stat().st_size < LARGEST_WHEEL


def test_the_wheel_holds_every_file_of_the_rooms(release: Release) -> None:
    folders = [ROOT / "caos" / room for room in ROOMS]
    files = [file for folder in folders for file in folder.rglob("*") if file.is_file() and not _is_compiled(file)]
    wanted = {file.relative_to(ROOT).as_posix() for file in files}
    assert len(wanted) > 300
    held = zipfile.ZipFile(release.wheel).namelist()
    assert wanted - set(held) == set()
    assert not [name for name in held if _is_compiled(Path(name))]


def _is_compiled(file: Path) -> bool:
    """Whether Python compiled it for this machine."""
    return "__pycache__" in file.parts


def test_the_installed_package_is_the_wheels(installed: Path, hostile_folder: Path) -> None:
    code = "import sys; sys.path.remove(''); import caos; print(caos.__file__)"
    done = run([installed / "python", "-c", code], hostile_folder)
    assert Path(done.stdout.strip()).is_relative_to(installed.parent), done.stderr


def test_commands_run_from_a_folder_with_files_named_like_ours(installed: Path, hostile_folder: Path) -> None:
    write_set(hostile_folder / "set")
    for file in (hostile_folder / "set/test/annotations").rglob("*.png"):
        scores = hostile_folder / "maps" / f"test/{file.parent.name}/{file.stem}.npy"
        scores.parent.mkdir(parents=True, exist_ok=True)
        np.save(scores, (np.asarray(Image.open(file)) == 14).astype(np.float32))
    for words in (
        ["--version"],
        ["--help"],
        ["doctor", "--json"],
        ["scenes", "describe", "set"],
        ["score", "set", "--maps", "maps", "--out", "results", "--workers", "2"],
        ["report", "results", "--out", "site", "--workers", "2"],
        ["look", "set/test/images/test/t5/0.png", "--out", "seen"],
    ):
        done = run([installed / "caos", *words], hostile_folder)
        assert done.returncode == 0, f"caos {' '.join(words)}\n{done.stdout[-1000:]}{done.stderr[-3000:]}"
    assert json.loads((hostile_folder / "results/results.json").read_text())["dataset"]["images"] == 6


def test_the_server_runs_from_a_folder_with_files_named_like_ours(installed: Path, hostile_folder: Path) -> None:
    words = ["scenes", "view", "--n", "1", "--size", "160x96", "--quality", "draft", "--out", "view"]
    done = run([installed / "caos", *words], hostile_folder)
    assert done.returncode == 0, done.stderr[-3000:]
    code = (
        "import sys; sys.path.remove(''); import caos\n"
        "with caos.serve(quality='draft') as server:\n    print(server.is_running, server.port > 0)\n"
        "print(server.is_running)"
    )
    served = run([installed / "python", "-c", code], hostile_folder)
    assert served.stdout.split() == ["True", "True", "False"], served.stderr[-3000:]


def test_objects_are_imported_in_a_folder_with_files_named_like_ours(installed: Path, hostile_folder: Path) -> None:
    meshes = hostile_folder / "meshes"
    meshes.mkdir()
    corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
    (meshes / "wedge.obj").write_text(f"{corners}f 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n")
    words = ["assets", "import", "meshes", "--library", "shelf", "--size", "1", "--licence", "CC0-1.0", "--json"]
    done = run([installed / "caos", *words], hostile_folder)
    assert done.returncode == 0, done.stderr[-3000:]
    assert len(json.loads(done.stdout)["imported"]) == 1, done.stdout


def test_the_sdist_is_enough_for_make_and_for_the_tests(release: Release, tmp_path: Path) -> None:
    with tarfile.open(release.sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    source = next(tmp_path.iterdir())
    for target in ("demo", "test", "lint", "docs", "release-check"):
        told = run(["make", "-n", target], source)
        assert told.returncode == 0, told.stderr
    assert "ruff check caos tests examples" in " ".join(run(["make", "-n", "lint"], source).stdout.split())
    done = run([sys.executable, "-m", "pytest", "-q", "tests/foundation"], source, PYTHONPATH=str(source))
    assert done.returncode == 0, done.stdout[-3000:]
