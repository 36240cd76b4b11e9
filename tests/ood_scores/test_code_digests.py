"""Code counts in an identity; comments, docstrings, line numbers and the rest of the file do not."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from caos.foundation.errors import CaosError
from caos.ood_scores.evaluation.scoring import score_model
from caos.ood_scores.scorer_interface.file_digest import source_digest, source_files
from caos.ood_scores.scorer_interface.object_digest import ObjectDigest
from caos.ood_scores.scorer_interface.specifications import columns_of
from caos.ood_scores.sources.network_identity import network_digest

SCRIPT = '''
"""A network."""
import functools
import sys

import torch

import helper
from caos.ood_scores.sources.network_identity import network_digest

TEMPERATURE = 2.0
SCALES = {"small": 1.0}


def doubled(forward):
    @functools.wraps(forward)
    def wrapped(self, x):
        return forward(self, x) * 2

    return wrapped


def cooled(logits):
    # Divide.
    return logits / TEMPERATURE


class Network(torch.nn.Module):
    """Logits of thirteen classes."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.layer = torch.nn.Conv2d(3, 13, 1)
        self.register_buffer("shift", torch.zeros(1), persistent=False)
        self.others = [torch.nn.Conv2d(13, 13, 1)]

    @doubled
    def forward(self, x):
        """Forward."""
        return helper.moved(cooled(self.layer(x))) * SCALES["small"]


if __name__ == "__main__":
    print(network_digest(Network()))
'''
HELPER = '''
LIMIT = 3


def moved(x):
    """Add a constant."""
    return x + len({"a", "b"}) + LIMIT
'''


@pytest.fixture
def script(tmp_path) -> Path:
    (tmp_path / "helper.py").write_text(HELPER)
    path = tmp_path / "network.py"
    path.write_text(SCRIPT)
    return path


def printed(script: Path, hash_seed: int = 0) -> str:
    """The digest that the script prints in a process of its own."""
    env = os.environ | {"PYTHONHASHSEED": str(hash_seed), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, str(script)], env=env, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_what_changes_no_output_leaves_the_network_the_same(script) -> None:
    first = printed(script)
    assert printed(script, hash_seed=1) == first
    edit(script, "# Divide.", "# Divide by\n    # the temperature.\n")
    edit(script, '"""Logits of thirteen classes."""', '"""Thirteen logits a pixel."""\n')
    edit(script, '"""Forward."""\n', "")
    edit(script, "import functools", "import functools\n\nUNUSED = 7")
    edit(script, "    print(", "    if UNUSED: print(")
    edit(script.parent / "helper.py", '"""Add a constant."""', "")
    assert printed(script, hash_seed=2) == first
    module = script.with_name("as_module.py")
    module.write_text("from network import Network\nfrom caos.ood_scores.sources.network_identity import "
                      "network_digest\nprint(network_digest(Network()))\n")  # fmt: skip
    assert printed(module) == first


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("network.py", "forward(self, x) * 2", "forward(self, x) * 3"),
        ("network.py", "logits / TEMPERATURE", "logits * TEMPERATURE"),
        ("network.py", "TEMPERATURE = 2.0", "TEMPERATURE = 3.0"),
        ("network.py", '{"small": 1.0}', '{"small": 1.5}'),
        ("network.py", "torch.zeros(1)", "torch.ones(1)"),
        ("network.py", "self.others = [", "torch.rand(1); self.others = ["),
        ("helper.py", "x + len", "x - len"),
        ("helper.py", "LIMIT = 3", "LIMIT = 4"),
    ],
)
def test_what_changes_an_output_is_another_network(script, file, old, new) -> None:
    first = printed(script)
    edit(script.parent / file, old, new)
    assert printed(script) != first


def digest(*values) -> str:
    made = ObjectDigest()
    for value in values:
        made.add(value)
    return made.hexdigest()


def test_order_of_arguments_and_bound_values_count() -> None:
    assert digest(lambda a, b: a - b) == digest(lambda a, b: a - b)
    assert digest(lambda a, b: a - b) != digest(lambda b, a: a - b)
    assert digest(functools.partial(pow, 2)) != digest(functools.partial(pow, 3))
    assert digest(np.exp) != digest(np.log)
    assert digest(torch.float32) != digest(torch.float64)
    assert digest(np.float32(1)) != digest(np.float32(2))
    assert digest({"a": 1}) != digest({"a": 2})


def recursive(number: int) -> int:
    return number and other(number - 1)


def other(number: int) -> int:
    return recursive(number)


def test_cycles_end() -> None:
    ring: list[object] = []
    ring.append(ring)
    network = torch.nn.Sequential(torch.nn.Conv2d(1, 1, 1))
    network[0].parent = [network]
    assert digest(recursive, ring) == digest(recursive, ring)
    assert network_digest(network) == network_digest(network)


def test_a_hook_counts() -> None:
    plain, hooked = (torch.nn.Conv2d(1, 1, 1) for _ in range(2))
    hooked.load_state_dict(plain.state_dict())
    assert network_digest(plain) == network_digest(hooked)
    hooked.register_forward_hook(lambda module, inputs, output: output * 2)
    assert network_digest(plain) != network_digest(hooked)


SCORER = '''
"""A scorer that asks its helpers."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "parts"))
sys.path.insert(0, str(Path(__file__).parent))

from caos import Scorer
from {name}.inner import scored


class Mine(Scorer):
    """Mine."""

    title = "Mine"

    def score(self, outputs):
        return scored(outputs)
'''


@pytest.fixture
def scorer(tmp_path, monkeypatch) -> Path:
    """A scorer file, with a package and a module of a folder that it puts on the path."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    name = f"helpers_{tmp_path.name}"
    for folder in (name, "parts"):
        (tmp_path / folder).mkdir()
    (tmp_path / name / "__init__.py").write_text("")
    imports = f"from .deep import sign\n\nfrom far_{name} import far\n\n\n"
    scored = "def scored(outputs):\n    return sign() * far(outputs.maximum)\n"
    (tmp_path / name / "inner.py").write_text(imports + scored)
    (tmp_path / name / "deep.py").write_text("def sign():\n    return -1\n")
    (tmp_path / "parts" / f"far_{name}.py").write_text("def far(values):\n    return values / 2\n")
    (tmp_path / "unrelated.py").write_text("WORDS = 1\n")
    (tmp_path / "mine.py").write_text(SCORER.format(name=name))
    return tmp_path / "mine.py"


def identity(scorer: Path) -> object:
    return columns_of(str(scorer))[0].identity()


def test_the_files_of_a_scorer(scorer) -> None:
    identity(scorer)
    name = f"helpers_{scorer.parent.name}"
    files = source_files(scorer)
    wanted = [f"{name}/__init__.py", f"{name}/deep.py", f"{name}/inner.py", "mine.py", f"parts/far_{name}.py"]
    assert [path.relative_to(scorer.parent).as_posix() for path in files] == sorted(wanted)


@pytest.mark.parametrize("file", ["deep.py", "inner.py", "far"])
def test_a_changed_helper_is_another_scorer(data, scorer, tmp_path, file) -> None:
    name = f"helpers_{scorer.parent.name}"
    path = scorer.parent / (f"parts/far_{name}.py" if file == "far" else f"{name}/{file}")
    torch.manual_seed(0)
    network = torch.nn.Conv2d(3, 13, 1)
    out = tmp_path / "out"
    first = score_model(network, data, [str(scorer)], out)
    text = path.read_text()
    path.write_text("# A comment.\n" + text)
    (scorer.parent / "unrelated.py").write_text("WORDS = 2\n")
    assert score_model(network, data, [str(scorer)], out).content == first.content
    path.write_text(text.replace("-1", "1").replace("sign() *", "-sign() *").replace("values / 2", "values / -2"))
    with pytest.raises(CaosError, match="source identity.columns was"):
        score_model(network, data, [str(scorer)], out)
    # What is measured now is what the file says now, though an older one is in memory.
    second = score_model(network, data, [str(scorer)], out, overwrite=True)
    assert second.value("mine", "auroc") == pytest.approx(1 - first.value("mine", "auroc"))


def test_a_file_that_is_no_python_has_a_digest_too(tmp_path) -> None:
    (tmp_path / "mine.py").write_text("import broken\n")
    (tmp_path / "broken.py").write_text("def (:\n")
    first = source_digest(tmp_path / "mine.py")
    (tmp_path / "broken.py").write_text("def [:\n")
    assert source_digest(tmp_path / "mine.py") != first
