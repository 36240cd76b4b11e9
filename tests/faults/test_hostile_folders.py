"""Commands in a folder, and on files, of a stranger: nothing that lies there is run as code, in children neither."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from caos.foundation.errors import CaosError
from tests.ood_scores import little

MODULES = (
    "json", "pickle", "multiprocessing", "resource", "runpy", "typing", "numpy", "torch", "torchvision", "cv2", "PIL",
    "tifffile", "h5py", "matplotlib", "jinja2", "typer", "click", "rich", "numba", "lightning", "safetensors", "scipy",
    "sklearn", "smp", "isal", "yaml", "sitecustomize", "usercustomize", "conftest", "setup", "evil",
)  # fmt: skip
ENTRY_POINT = "[caos.scorers]\nmsp2 = evil:Scorer\n[caos.labels]\nmine = evil:labels\n[caos.recipes]\nmine = evil:it\n"
MATPLOTLIBRC = "backend: module://evil\ntext.usetex: True\nfigure.dpi: 7\nsavefig.format: svg\n"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("world")
    little.write_set(root / "set")
    for kind in ("images", "annotations"):
        shutil.copytree(root / "set/train" / kind / "validation", root / "set/train" / kind / "training")
    little.write_run(root / "run")
    little.write_maps(root / "maps", root / "set", lambda anomalous, number: anomalous.astype("f4") + number)
    return root


def hostile_folder(folder: Path) -> Path:
    """A folder of files that leave their names in the file ``ran`` if they are run."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in MODULES:
        line = f"open({str(folder / 'ran')!r}, 'a').write({name!r} + '\\n')\n"
        (folder / f"{name}.py").write_text(line)
    package = folder / "evil-1.0.dist-info"
    package.mkdir(exist_ok=True)
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text(ENTRY_POINT)
    (folder / "matplotlibrc").write_text(MATPLOTLIBRC)
    (folder / "pyproject.toml").write_text("[tool.pytest.ini_options]\naddopts = '-p evil'\n")
    (folder / ".numba_config.yaml").write_text(f"cache_dir: {folder / 'numba-cache'}\n")
    (folder / ".env").write_text("PYTHONSTARTUP=evil.py\n")
    return folder


def ran(folder: Path) -> list[str]:
    """The files of a hostile folder that were run."""
    told = folder / "ran"
    found = set(told.read_text().split()) if told.exists() else set()
    # Numba unpickles what lies in its cache.
    return sorted(found | ({".numba_config.yaml"} if (folder / "numba-cache").exists() else set()))


def caos(folder: Path, *words: object, module: bool = False) -> None:
    """Run a command in a folder; 1 is what an audit that found something returns."""
    home = Path(little.__file__).parents[2]
    start = ["-m", "caos"] if module else ["-c", "import sys; del sys.path[0]; from caos.__main__ import main; main()"]
    done = subprocess.run(
        [sys.executable, *start, *map(str, words)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(home)},
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert done.returncode == (words[1] == "audit"), done.stderr[-2000:]


def test_the_files_would_run_where_they_are_imported(tmp_path: Path) -> None:
    folder = hostile_folder(tmp_path / "here")
    for words in (["-c", "import json, evil"], ["-m", "evil"]):
        subprocess.run([sys.executable, *words], cwd=folder, check=False, capture_output=True)
    assert {"evil", "json"} <= set(ran(folder))


@pytest.mark.slow
def test_commands_run_nothing_of_the_working_directory(world: Path, tmp_path: Path) -> None:
    folder = hostile_folder(tmp_path / "here")
    maps = ("score", world / "set", "--maps", world / "maps", "--out", folder / "results", "--workers", "2")
    for words in (
        maps,
        ("report", folder / "results", "--out", folder / "site"),
        ("scenes", "describe", world / "set"),
        ("scenes", "audit", world / "set", "--workers", "2"),
        ("look", world / "set/test/images/test/t5/0.png", "--run", world / "run", "--out", folder / "seen"),
    ):
        caos(folder, *words)
        assert ran(folder) == [], words
    caos(folder, "scenes", "describe", world / "set", module=True)
    caos(folder, *(*maps[:-3], folder / "again", "--workers", "2"), module=True)
    assert ran(folder) == []


@pytest.mark.slow
def test_training_and_scoring_a_run_import_nothing_of_the_working_directory(world: Path, tmp_path: Path) -> None:
    folder = hostile_folder(tmp_path / "here")
    train = ("train", world / "set", "--out", folder / "run", "--epochs", "1", "--size", "64x48", "--device", "cpu")
    caos(folder, *train, "--encoder", "resnet18", "--encoder-weights", "none")
    assert ran(folder) == []
    score = ("score", world / "set", "--run", folder / "run", "--scorers", "msp", "--workers", "2")
    caos(folder, *score, "--out", folder / "results", "--device", "cpu")
    assert ran(folder) == []


def test_settings_of_matplotlib_in_the_working_directory_are_not_read(tmp_path: Path) -> None:
    folder = hostile_folder(tmp_path / "here")
    code = (
        "import sys; del sys.path[0]; "
        "from caos.foundation.execution.matplotlib_settings import load_matplotlib as load; load(); "
        "import os, matplotlib as m; print(m.rcParams['text.usetex'], m.rcParams['figure.dpi'], os.getcwd())"
    )
    home = str(Path(little.__file__).parents[2])
    env = {**os.environ, "PYTHONPATH": home}
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, env=env, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "100.0", str(folder.resolve())]
    assert ran(folder) == []


def test_a_scorer_file_that_a_run_recommends_is_not_run(world: Path, tmp_path: Path) -> None:
    from caos.ood_scores.looking.ordinary_scores import ORDINARY_FILE, read_known

    folder = hostile_folder(tmp_path / "here")
    run = little.write_run(tmp_path / "run")
    levels = {"scores": [1.0, 2.0], "rates": [0.5, 0.05]}
    for name in (str(folder / "evil.py"), "evil.py", f"{folder / 'evil.py'}:k=3", "entropy,evil.py"):
        known = {
            "on": {"name": "x", "split": "val", "images": 1, "pixels": 10},
            "side": 64,
            "scorers": {name: levels},
            "recommended": name,
        }
        (run / ORDINARY_FILE).write_text(json.dumps(known))
        with pytest.raises(CaosError) as caught:
            read_known(run)
        assert "recommends the file" in str(caught.value)
    assert ran(folder) == []


def test_an_eps_file_is_never_given_to_ghostscript(tmp_path: Path) -> None:
    """Whatever it is called: Pillow would start the program ``gs`` to draw it."""
    import trimesh
    from PIL import Image

    from caos.assets.importing.job import UnusableMeshError
    from caos.assets.importing.reading import read_mesh_file
    from caos.foundation.storage.images import load_image

    Image.new("RGB", (8, 8)).save(tmp_path / "real.eps")
    data = (tmp_path / "real.eps").read_bytes()
    (tmp_path / "a.png").write_bytes(data)
    with pytest.raises(CaosError, match=r"a.png is a EPS picture; save it as JPEG, PNG or WebP"):
        load_image(tmp_path / "a.png")
    box = trimesh.creation.box()
    (tmp_path / "box.obj").write_text(
        "mtllib box.mtl\n"
        + "".join(f"v {x} {y} {z}\n" for x, y, z in box.vertices)
        + "vt 0 0\nvt 1 0\nvt 1 1\nusemtl m\n"
        + "".join(f"f {a + 1}/1 {b + 1}/2 {c + 1}/3\n" for a, b, c in box.faces)
    )
    (tmp_path / "box.mtl").write_text("newmtl m\nmap_Kd a.png\n")
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "gs").write_text(f"#!/bin/sh\necho gs >> {tmp_path / 'ran'}\n")
    (programs / "gs").chmod(0o755)
    before = os.environ["PATH"]
    os.environ["PATH"] = f"{programs}{os.pathsep}{before}"
    try:
        read_mesh_file(tmp_path / "box.obj", tmp_path)
    except UnusableMeshError:
        pass  # a texture that cannot be read may set the mesh aside
    finally:
        os.environ["PATH"] = before
    assert ran(tmp_path) == []


def test_a_map_that_leads_to_other_files_is_refused_or_read_alone(tmp_path: Path) -> None:
    import numpy as np
    import tifffile

    from caos.ood_scores.sources.score_maps import read_map

    secret = np.full((4, 6), 7, np.float32)
    tifffile.imwrite(tmp_path / "secret.tif", secret)
    ome = (
        '<?xml version="1.0"?><OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06"><Image ID="Image:0">'
        '<Pixels ID="Pixels:0" DimensionOrder="XYZCT" Type="float" SizeX="6" SizeY="4" SizeZ="1" SizeC="1" SizeT="1">'
        '<TiffData IFD="0" PlaneCount="1"><UUID FileName="secret.tif">urn:uuid:0</UUID></TiffData></Pixels>'
        "</Image></OME>"
    )
    own = np.arange(24, dtype=np.float32).reshape(4, 6)
    tifffile.imwrite(tmp_path / "1.tif", own, description=ome, metadata=None)
    assert np.array_equal(read_map(tmp_path / "1.tif", (4, 6)), own)
