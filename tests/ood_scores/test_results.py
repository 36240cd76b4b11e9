"""Results on disk: read back as they were written, damage told in a line, names that cannot leave their folder."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from caos.foundation.errors import CaosError
from caos.ood_scores import results
from caos.ood_scores.command import Request, run_request
from caos.ood_scores.measuring.protocols import PROTOCOLS
from caos.ood_scores.measuring.published import published_for, read_published
from caos.ood_scores.report.build import build_site
from caos.ood_scores.report.tables import markdown
from caos.scenes.labels import BDD_ANOMALY, PHOTOGRAPHS, STREETHAZARDS, STREETHAZARDS_12, hold_out
from tests.ood_scores import little


@pytest.fixture(scope="module")
def scored(data, tmp_path_factory) -> results.Results:
    folder = tmp_path_factory.mktemp("scored")
    rng = np.random.default_rng(0)
    little.write_maps(folder / "maps/max_logit", data, lambda a, _: (a + rng.normal(size=a.shape)).astype(np.float32))
    return run_request(Request(data, None, folder / "out", maps=folder / "maps", protocols="all"))


@pytest.fixture
def copied(scored, tmp_path) -> Path:
    return shutil.copytree(scored.folder, tmp_path / "copied")


def change(folder: Path, name: str, edit) -> None:
    path = folder / name
    lines = path.read_text().splitlines() if name.endswith("l") else [path.read_text()]
    value = json.loads(lines[0])
    edit(value)
    path.write_text("\n".join([json.dumps(value), *lines[1:]]) + "\n")


def test_what_is_read_is_what_was_written(scored):
    assert results.read(scored.folder).content == scored.content


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (lambda r: r.pop("measures"), "results.json: key 'measures' is missing"),
        (lambda r: r.update(extra=1), "results.json: unknown key 'extra'"),
        (lambda r: r["dataset"].update(images="six"), "key 'dataset': key 'images': 'six' is not of type int"),
        (lambda r: r["measures"]["caos"]["max_logit"].pop("auroc"), r"caos.max_logit: key 'auroc' is missing"),
        (lambda r: r["protocols"][0].update(fpr95="closest"), "'closest' is not one of nearest, at least, above"),
        (lambda r: r["dataset"].update(root=None), "key 'root': None is not of type str"),
        (lambda r: r["measures"].pop("caos"), r"protocols are \['caos', .*, but there are measures of \['"),
    ],
)
def test_damaged_results_are_told_in_one_line(copied, edit, words):
    change(copied, "results.json", edit)
    with pytest.raises(CaosError, match=words) as told:
        results.read(copied)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    ("place", "value", "words"),
    [
        (
            ("measures", "caos", "max_logit", "aupr", "value"),
            1.7,
            "max_logit.aupr.value': 1.7 is not a number from 0 to 1",
        ),
        (("measures", "smiyc", "max_logit", "fpr95", "value"), -0.1, "fpr95.value': -0.1 is not a number from 0 to 1"),
        (("measures", "caos", "max_logit", "auroc", "high"), 99.0, "auroc.high': 99.0 is not a number from 0 to 1"),
        (
            ("measures", "caos", "max_logit", "auroc", "low"),
            1.0,
            "auroc': the interval's low end 1 is above its high",
        ),
        (("measures", "caos", "max_logit", "images"), -3, "max_logit.images': -3 is negative"),
        (("measures", "caos", "max_logit", "excluded"), -1, "max_logit.excluded': -1 is negative"),
        (("dataset", "base_rate"), 21.0, "dataset.base_rate': 21.0 is not a number from 0 to 1"),
        (("dataset", "hazards"), -1, "dataset.hazards': -1 is negative"),
        (("curves", "max_logit", "recall", 3), 1.5, r"curves.max_logit.recall\[3\]': 1.5 is not a number from 0 to 1"),
        (("levels", "max_logit", "false_alarms", 0), -1e-3, "false_alarms\\[0\\]': -0.001 is not a number from 0 to 1"),
        (
            ("breakdowns", "part", "t5", "scorers", "max_logit", "auroc"),
            2.0,
            "t5.scorers.max_logit.auroc': 2.0 is not a number",
        ),
        (("hazards", "found", "max_logit", "best_f1", "found"), -2, "best_f1.found': -2 is negative"),
        (("cost",), {"forward": -0.5}, "cost.forward': -0.5 is negative"),
        (("components", "scorers", "max_logit", "instances", "mean_siou"), 3.0, "instances.mean_siou': 3.0 is not"),
        (("open_set",), None, None),
        (("spent",), {"scorers": -0.001}, None),  # a difference of clocks may fall below zero
    ],
)
def test_numbers_that_no_measurement_gives_are_refused_with_file_key_and_value(copied, place, value, words):
    def edit(content):
        *path, last = place
        for key in path:
            content = content[key]
        content[last] = value

    change(copied, "results.json", edit)
    if words is None:
        results.read(copied)
        return
    with pytest.raises(CaosError, match=words) as told:
        results.read(copied)
    assert str(told.value).startswith(f"{copied / 'results.json'}: key '")
    assert "\n" not in str(told.value)


def test_a_number_that_is_none_is_refused_with_its_key(copied):
    path = copied / "results.json"
    content = json.loads(path.read_text())
    content["measures"]["caos"]["max_logit"]["auroc"]["value"] = float("nan")
    path.write_text(json.dumps(content))
    with pytest.raises(CaosError, match=r"results.json .*key 'measures'.caos.max_logit.auroc.value: NaN is not a JSON"):
        results.read(copied)


def test_rows_with_shares_beyond_one_are_refused(copied):
    change(copied, "images.jsonl", lambda row: row["measures"]["max_logit"]["caos"].update(auroc=1.5))
    with pytest.raises(CaosError, match=r"images.jsonl, line 1: key 'measures.max_logit.caos.auroc': 1.5 is not"):
        results.read(copied).images()


def test_damaged_rows_are_told_with_their_line(copied):
    change(copied, "images.jsonl", lambda row: row["hazards"][0].update(pixels="many"))
    with pytest.raises(CaosError, match=r"images.jsonl, line 1: key 'hazards'\[0\]: key 'pixels': 'many'"):
        results.read(copied).images()


@pytest.mark.parametrize("name", ["/tmp/outside", "../outside", "a/b", "..", "", "a\\b", "a\nb", "x" * 300])
def test_a_scorer_that_is_a_path_writes_nothing(copied, tmp_path, name):
    change(copied, "results.json", lambda r: r["scorers"][0].update(name=name))
    with pytest.raises(CaosError, match="cannot name a scorer"):
        build_site(copied, tmp_path / "site", workers=1)
    assert not (tmp_path / "site").exists()


def test_a_set_that_has_moved_is_asked_for(copied, tmp_path):
    change(copied, "results.json", lambda r: r["dataset"].update(root="elsewhere/data"))
    with pytest.raises(CaosError, match=r"was measured on elsewhere/data, which is not here; give it with --dataset"):
        build_site(copied, tmp_path / "site", workers=1)


def test_names_of_what_is_not_there_are_told(scored):
    with pytest.raises(CaosError, match="unknown scorer of these results 'max_logits'; did you mean 'max_logit'"):
        scored.value("max_logits", "auroc")
    with pytest.raises(CaosError, match="unknown protocol of these results 'smyic'; did you mean 'smiyc'"):
        scored.value("max_logit", "auroc", "smyic")
    with pytest.raises(CaosError, match="unknown metric 'auroch'; did you mean 'auroc'"):
        scored.value("max_logit", "auroch")


def test_published_numbers_stand_beside_the_same_hold_out_only():
    street = published_for(STREETHAZARDS.name)
    assert {row.set for row in street} == {"StreetHazards"}
    assert next(row for row in street if row.scorer == "max_logit").auroc == pytest.approx(0.893)
    assert published_for(STREETHAZARDS_12.name) == street
    bdd = published_for(BDD_ANOMALY.name)
    assert {row.set for row in bdd} == {"BDD-Anomaly"}
    assert next(row for row in bdd if row.scorer == "max_logit").fpr95 == pytest.approx(0.14)
    assert published_for(hold_out(("motorcycle", "bicycle")).name) == ()
    assert published_for(hold_out(("rider", "bus")).name) == ()
    assert published_for(hold_out(("motorcycle", "bicycle", "train"), ("rider",)).name) == ()
    assert published_for(PHOTOGRAPHS.name) == ()


def test_published_numbers_stand_under_their_protocol_only(scored):
    from dataclasses import replace

    caos, *others = markdown(scored.content).split("## ")[1:]
    assert "| 26.5 | 89.3 | 10.6 |" in caos
    assert all("89.3" not in part for part in others)
    without = markdown(replace(scored.content, published=()), published=True)
    assert "89.3" not in without
    assert "paper" not in without


def test_what_others_published_is_listed_under_the_same_protocol_only(scored):
    assert "| DenseHybrid |" not in scored.markdown()
    text = scored.markdown(published=True)
    parts = {part.partition("\n")[0]: part for part in text.split("## ")[1:]}
    assert "| DenseHybrid | LDN-121, with negatives | 13.0 | 95.6 | 30.2 | Grcic" in parts["densehybrid"]
    assert "| Branch | PSPNet, ResNet-101, without negatives | 68.4 | 65.7 | 1.5 |" in parts["caos"]
    assert [name for name, part in parts.items() if "LDN-121" in part] == ["densehybrid"]
    assert [name for name, part in parts.items() if "| Branch |" in part] == ["caos"]
    # Nobody says by which protocol this was measured, and these are of other sets.
    assert not any(method in text for method in ("TRADI", "UNO", "RbA"))


def test_published_results_are_rows_of_a_checked_file(tmp_path):
    every = read_published().results
    assert all(row.source and row.set and row.method for row in every)
    smiyc = [row for row in every if row.set.startswith("SegmentMeIfYouCan")]
    assert next(row for row in smiyc if row.method == "UNO").aupr == pytest.approx(0.963)
    assert {row.negatives for row in smiyc if row.method == "RbA"} == {True, False}
    mine = tmp_path / "mine.toml"
    text = '[sets.S]\nlabel_tables = []\n[sources]\nus = "our paper"\n[[results]]\nset = "S"\nprotocol = "caos"\n'
    mine.write_text(text + 'method = "M"\nsource = "us"\nauroc = 91.5\n')
    assert read_published(mine).results[0].auroc == pytest.approx(0.915)
    assert read_published(mine).results[0].source == "our paper"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('source = "them"', "result 1: unknown source 'them'"),
        ('protocol = "coas"', "result 1: unknown protocol 'coas'; did you mean 'caos'"),
        ('set = "T"', "result 1: unknown set 'T'"),
        ("auroc = 915", "key 'auroc': 915.0 is not a number from 0 to 100"),
        ("", "result 1: no number; give one or more of fpr95, auroc"),
        ("negatives = 1", "key 'negatives': 1 is not of type bool"),
    ],
)
def test_wrong_rows_are_told_in_one_line(tmp_path, line, words):
    row = {"set": '"S"', "protocol": '"caos"', "method": '"M"', "source": '"us"'}
    row |= dict([line.split(" = ")]) if line else {}
    written = "".join(f"{key} = {value}\n" for key, value in row.items())
    (tmp_path / "wrong.toml").write_text(
        '[sets.S]\nlabel_tables = []\n[sources]\nus = "our paper"\n[[results]]\n' + written
    )
    with pytest.raises(CaosError, match=words) as told:
        read_published(tmp_path / "wrong.toml")
    assert "\n" not in str(told.value)


def test_the_table_in_the_docs_is_that_of_the_code():
    text = (Path(__file__).parents[2] / "docs/metrics.md").read_text()
    rows = [
        f"| `{p.name}` | recall {p.fpr95} 0.95 | {p.aupr} | {p.aggregated} | {p.ignored} |" for p in PROTOCOLS.values()
    ]
    assert [line for line in text.splitlines() if line.startswith("| `")] == rows


def test_measuring_needs_numpy_alone():
    code = (
        "import sys, pkgutil, importlib, caos.ood_scores.measuring as m; "
        "[importlib.import_module(f'{m.__name__}.{i.name}') for i in pkgutil.iter_modules(m.__path__)]; "
        "print(sorted({'torch', 'sklearn', 'cv2', 'scipy', 'PIL', 'caos.scenes'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2]
    )
    assert done.stdout.strip() == "[]"
