"""Results that change need a numerics version that changes: a small set is generated and compared with kept digests."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from caos.foundation.settings import read_toml
from tests.safety_net import __main__ as safety_net

PART = "streethazards"
LABELS = ("annotations", "instances")
KEEP = "python -m tests.safety_net keep --work FOLDER --only " + PART


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_generated_set_has_its_kept_digests(tmp_path: Path) -> None:
    kept = json.loads((safety_net.HERE / "digests.json").read_text())
    assert kept["numerics"] == safety_net.numerics(), f"a numerics version was raised: keep the new digests ({KEEP})"
    parts = read_toml(safety_net.HERE / "parts.toml")["part"]
    part = next(part for part in parts if part["name"] == PART)
    found, wanted = safety_net.make(part, tmp_path)["small"], kept["parts"][PART]["small"]
    # Images round differently on other processors and with other releases of the renderer; labels do not.
    names = sorted(wanted) if kept["environment"] == safety_net.environment() else LABELS
    changed = [name for name in names if found[name] != wanted[name]]
    assert not changed, f"{changed} differ from the kept digests: raise NUMERICS_VERSION of the room that changed"
