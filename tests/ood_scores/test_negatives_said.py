"""Results say whether negatives were used, and tables keep the two groups apart."""

from __future__ import annotations

import csv
import json
from dataclasses import replace

import pytest

from caos.foundation.errors import CaosError
from caos.ood_scores import results as scoring
from caos.ood_scores.command import Request, run_request
from caos.ood_scores.report.comparison import comparison
from caos.ood_scores.report.tables import negatives_line
from caos.segmentation.training.negatives import NegativesUsed

USED = NegativesUsed("max_entropy", 0.5, 0, "pasted", 7, ("thing", "tyre"))


@pytest.fixture(scope="module")
def plain(data, run, tmp_path_factory):
    return run_request(Request(data, run, tmp_path_factory.mktemp("said") / "plain", scorers="msp,energy"))


def _marked(run, out, negatives):
    """The same run, with what its description says of negatives."""
    out.mkdir()
    for path in run.iterdir():
        if path.is_file():
            (out / path.name).write_bytes(path.read_bytes())
    record = json.loads((out / "run.json").read_text())
    record["negatives"] = negatives
    (out / "run.json").write_text(json.dumps(record))
    return out


def test_a_run_without_negatives_says_none(plain):
    assert plain.content.negatives == "none"
    assert "Trained without negatives." in (plain.folder / "table.md").read_text()
    [said] = {row["negatives"] for row in csv.DictReader((plain.folder / "results.csv").open())}
    assert said == "none"


def test_results_and_tables_name_loss_and_source_and_stand_apart(data, run, plain, tmp_path):
    marked = _marked(run, tmp_path / "run", {"loss": "max_entropy", "weight": 0.5, "images": 0, "source": "pasted",
                                              "cutouts": 7, "kinds": ["thing", "tyre"]})  # fmt: skip
    found = run_request(Request(data, marked, tmp_path / "pasted", scorers="msp"))
    assert found.content.negatives == USED == scoring.read(found.folder).content.negatives
    assert found.content.learnt_kinds == ("thing",)
    assert ("Trained with negatives (max_entropy, pasted). It has learnt one kind measured here: thing.\n") in (
        found.folder / "table.md"
    ).read_text()
    assert negatives_line(replace(found.content, learnt_kinds=())) == "Trained with negatives (max_entropy, pasted)."
    maps = run_request(Request(data, run, tmp_path / "kept", scorers="msp", save_maps=True)).folder / "maps"
    foreign = run_request(Request(data, None, tmp_path / "foreign", maps=maps))
    assert foreign.content.negatives == "unknown"
    table = comparison([found.folder, plain.folder, foreign.folder], "caos")
    without, with_them, unknown = table.split("\n## ")[1:]
    assert without.count(f"| {plain.folder} |") == 2
    assert with_them.count(f"| {found.folder} | MSP |") == 1
    assert "max_entropy, pasted" in with_them
    assert "max_entropy" not in without + unknown
    assert without.startswith("Trained without negatives")
    assert with_them.startswith("Trained with negatives")
    assert unknown.startswith("Not known")
    only = comparison([plain.folder], "caos", ["energy"])
    assert only.count(f"| {plain.folder} |") == 1
    with pytest.raises(CaosError, match="unknown protocol of"):
        comparison([plain.folder], "pooledd")
    with pytest.raises(CaosError, match="unknown scorer of these results 'knn'"):
        comparison([plain.folder], "caos", ["knn"])


def test_results_on_different_sets_are_not_compared(plain, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    content = json.loads((plain.folder / "results.json").read_text())
    content["dataset"]["images"] += 1
    (other / "results.json").write_text(json.dumps(content))
    with pytest.raises(CaosError, match="compare results on one set"):
        comparison([plain.folder, other], "caos")
