"""``import caos``: instant, complete, documented, and clear about what is not installed."""

from __future__ import annotations

import ast
import importlib
import inspect
import itertools
import json
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import caos
from caos.foundation.command_line.extras import EXTRAS, install_command
from tests.ood_scores.little import write_set

STUB = Path(caos.__file__).with_suffix(".pyi")
OPTIONAL_MODULES = sorted({module for modules in EXTRAS.values() for module in modules})
WITHOUT_EXTRAS = (
    "import sys, json\n"
    "sys.modules.update(dict.fromkeys(json.loads(sys.argv.pop(1))))\n"
    "from caos.cli import main\n"
    "main()\n"
)


def python(code: str, *arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, timeout=300, check=False)


def caos_without(modules: list[str], *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """A command where some modules are as if they were not installed."""
    return python(WITHOUT_EXTRAS, json.dumps(modules), *arguments, cwd=cwd)


def test_the_import_loads_nothing() -> None:
    code = "import sys; before = set(sys.modules); import caos\nprint(sorted(set(sys.modules) - before))"
    assert python(code).stdout.strip() == "['caos']"


def test_the_list_of_commands_loads_no_room_and_draws_no_boxes() -> None:
    code = (
        "import sys; sys.argv = ['caos', '--help']\n"
        "from caos.cli import main\n"
        "try:\n    main()\nfinally:\n"
        "    rooms = [m for m in sys.modules if m.startswith('caos.') and not m.startswith('caos.foundation')]\n"
        "    print(sorted(rooms), 'rich' in sys.modules, 'numpy' in sys.modules, file=sys.stderr)"
    )
    assert python(code).stderr.strip() == "['caos.cli'] False False"


def test_the_stub_exports_what_it_imports() -> None:
    tree = ast.parse(STUB.read_text(encoding="utf-8"))
    imported = [alias for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names]
    assert [alias.name for alias in imported if alias.asname] == []
    listed = next(ast.literal_eval(n.value) for n in tree.body if isinstance(n, ast.Assign))
    assert sorted(listed) == sorted(alias.name for alias in imported)
    assert sorted(listed) == sorted(caos.__all__)
    assert set(listed) <= set(dir(caos))


def documentation(name: str) -> str | None:
    """The docstring of a public class or function, or the string below a public constant."""
    found = getattr(caos, name)
    if inspect.isclass(found) or inspect.isroutine(found) or inspect.ismodule(found):
        return found.__doc__
    tree = ast.parse(STUB.read_text(encoding="utf-8"))
    home = next(
        node.module for node in tree.body if isinstance(node, ast.ImportFrom) and name in {a.name for a in node.names}
    )
    body = ast.parse(inspect.getsource(importlib.import_module(f"caos.{home}"))).body
    for node, following in itertools.pairwise(body):
        targets = [node.target] if isinstance(node, ast.AnnAssign) else getattr(node, "targets", [])
        if name in {getattr(target, "id", "") for target in targets} and isinstance(following, ast.Expr):
            return str(ast.literal_eval(following.value))
    return None


@pytest.mark.parametrize("name", caos.__all__)
def test_every_public_name_is_there_and_says_what_it_is(name: str) -> None:
    text = documentation(name)
    assert text
    # What a dataclass writes by itself is its signature, which is no explanation.
    assert not text.startswith(f"{name}(")
    assert len(text.split()) >= 3


def test_the_version_is_that_of_the_distribution() -> None:
    assert caos.__version__ == metadata.version("caos-bench")


def test_a_name_that_does_not_exist_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="score_modle"):
        _ = caos.score_modle


def test_the_package_is_marked_as_typed() -> None:
    assert STUB.with_name("py.typed").is_file()


def test_a_public_name_whose_extra_is_missing_says_which() -> None:
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "import caos\n"
        "try:\n    caos.train\nexcept caos.MissingExtraError as error:\n    print(error)"
    )
    words = f"this needs the package torch, which is not installed: {install_command('learn')}"
    assert python(code).stdout.strip() == words


@pytest.mark.parametrize(
    ("arguments", "extra"),
    [
        (["train", "set", "--out", "x"], "learn"),
        (["score", "set", "--run", "run", "--out", "x"], "learn"),
        (["look", "set/test/images/test/t5", "--out", "x"], "learn"),
        (["export", "bundle", "run", "--ordinary", "set", "--out", "x"], "learn"),
        (["demo", "--out", "x"], "simulator"),
        (["serve"], "simulator"),
        (["scenes", "streethazards", "--out", "x"], "simulator"),
        (["scenes", "view", "--out", "x"], "simulator"),
        (["assets", "import", "set"], "meshes"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else value,
)
def test_a_command_whose_extra_is_missing_says_which(tmp_path: Path, arguments: list[str], extra: str) -> None:
    write_set(tmp_path / "set", test=1, val=1)
    done = caos_without(OPTIONAL_MODULES, *arguments, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert done.stderr.strip().splitlines()[-1].endswith(install_command(extra))
    assert done.stderr.startswith("error: ")
    assert "Traceback" not in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["set"]


def test_score_maps_are_measured_and_shown_without_any_extra(tmp_path: Path) -> None:
    dataset = caos.open_dataset(write_set(tmp_path / "set"))
    for sample in dataset.samples("test"):
        file = tmp_path / "maps" / f"{sample.key}.npy"
        file.parent.mkdir(parents=True, exist_ok=True)
        np.save(file, (np.asarray(Image.open(sample.annotation)) == 14).astype(np.float32))
    scored = caos_without(OPTIONAL_MODULES, "score", "set", "--maps", "maps", "--out", "results", cwd=tmp_path)
    assert scored.returncode == 0, scored.stderr
    row = next(line for line in scored.stdout.splitlines() if line.startswith("| maps |"))
    assert [cell.split()[0] for cell in row.split("|")[2:5]] == ["0.0", "100.0", "100.0"]
    shown = caos_without(OPTIONAL_MODULES, "report", "results", "--out", "site", "--workers", "1", cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert '"maps"' in (tmp_path / "site/data.js").read_text(encoding="utf-8")


def test_sets_are_exported_and_loaded_without_any_extra(tmp_path: Path) -> None:
    write_set(tmp_path / "set")
    words = ("scenes", "export", "set", "--format", "hugging-face", "--out", "folder")
    done = caos_without(OPTIONAL_MODULES, *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "folder/README.md").is_file()
    code = (
        "import sys, json; sys.modules.update(dict.fromkeys(json.loads(sys.argv.pop(1)))); import caos\n"
        "print(caos.datasets.StreetHazards('set', 'test')[0][0].mode)"
    )
    shown = python(code, json.dumps(OPTIONAL_MODULES), cwd=tmp_path)
    assert shown.stdout.strip() == "RGB", shown.stderr


def test_doctor_says_what_each_missing_extra_is_called(tmp_path: Path) -> None:
    done = caos_without(OPTIONAL_MODULES, "doctor", "--json", cwd=tmp_path)
    rows = {(row["extra"], row["name"]): row for row in json.loads(done.stdout)}
    for extra in EXTRAS:
        row = rows[extra, extra]
        assert (row["state"], row["remedy"]) == ("note", install_command(extra))
    assert rows["base", "numpy"]["state"] == "ok"
