"""``caos export bundle``, and scoring with the run of the package."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from safetensors.torch import load_file, save_file
from typer.testing import CliRunner

from caos.cli import app
from caos.foundation.errors import CaosError
from caos.foundation.storage.files import sha256
from caos.ood_scores.bundling.bundle import BundleOptions, bundle_run
from caos.ood_scores.command import Request, run_request
from caos.ood_scores.looking.ordinary_scores import ORDINARY_FILE, read_known
from caos.segmentation.bundled import run_folder
from caos.segmentation.prediction.checkpoint import WEIGHTS_FILE, read_run, write_run
from caos.segmentation.prediction.predict import Predictor
from tests.ood_scores import little
from tests.segmentation.little import seal


@pytest.fixture(scope="module")
def finished(tmp_path_factory) -> Path:
    """A run whose record says that it is finished."""
    path = little.write_run(tmp_path_factory.mktemp("finished") / "run")
    trained = {"name": "Little", "train": 7, "root": str(path)}
    run = read_run(path)
    results = replace(run.record.results, epochs=3, training_seconds=240)
    write_run(path, replace(run, record=replace(run.record, dataset=trained, results=results)))
    return path


@pytest.fixture(scope="module")
def scored(finished, data, tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("results") / "results"
    run_request(Request(dataset=data, run=finished, out=out, scorers="msp", device="cpu", components=False))
    return out


def test_a_bundle_is_a_run_with_thresholds_and_a_card(finished, scored, data, tmp_path) -> None:
    failures = tmp_path / "failures.md"
    failures.write_text("It takes bears for bushes.\n")
    out = tmp_path / "bundle"
    words = [
        "--ordinary",
        data,
        "--scorers",
        "msp,energy",
        "--results",
        scored,
        "--failures",
        failures,
        "--origin",
        "Drawn by hand.",
    ]
    done = CliRunner().invoke(app, ["-q", "export", "bundle", *map(str, [finished, "--out", out, *words])])
    assert done.exit_code == 0, done.output
    assert sorted(path.name for path in out.iterdir()) == [
        "MODEL_CARD.md", "model.safetensors", "ordinary_scores.json", "run.json",
    ]  # fmt: skip
    known = read_known(out)
    assert known is not None
    assert (known.recommended, list(known.scorers), known.on.split) == ("msp", ["energy", "msp"], "val")
    card = (out / "MODEL_CARD.md").read_text()
    auroc = json.loads((scored / "results.json").read_text())["measures"]["caos"]["msp"]["auroc"]["value"]
    row = next(line for line in card.splitlines() if line.startswith("| StreetHazards, test | 6 | caos | msp |"))
    assert row.split(" | ")[5] == f"{100 * auroc:.1f}"
    for words_of_card in (
        "7 training images of Little. Drawn by hand.",
        *("3 epochs, 4 minutes", "It takes bears for bushes.", "No anomalies were shown", "random weights"),
    ):
        assert words_of_card in card
    assert "16 bits differ from 32 by" in done.output


def test_a_bundle_keeps_the_scales_it_is_to_be_used_at(finished, data, tmp_path) -> None:
    options = BundleOptions(data, scorers="max_logit", scales=(0.5, 1.0), side=192)
    made = bundle_run(finished, tmp_path / "bundle", options)
    assert 0 < made.difference.mean <= made.difference.largest < 0.02 * made.difference.span
    assert made.known.side == 192
    assert "at 0.5 and 1 of its size" in (tmp_path / "bundle" / "MODEL_CARD.md").read_text()
    own, single, asked = (
        Predictor.load(folder, "cpu", scales=scales)
        for folder, scales in ((tmp_path / "bundle", ()), (finished, ()), (finished, (0.5, 1.0)))
    )
    picture = np.random.default_rng(0).integers(0, 256, (1, 64, 96, 3)).astype(np.uint8)
    mean, plain, told = (one.predict(picture).logits for one in (own, single, asked))
    assert (own.scales, single.scales) == ((0.5, 1.0), ())
    assert float((mean - told).abs().max()) < 0.1 * float((mean - plain).abs().max())


def test_a_bundle_agrees_with_its_run(finished, data, tmp_path) -> None:
    made = bundle_run(finished, tmp_path / "bundle", BundleOptions(data, scorers="max_logit"))
    assert 0 < made.difference.mean <= made.difference.largest < 0.02 * made.difference.span


def test_results_of_another_run_do_not_enter_a_card(scored, data, tmp_path) -> None:
    other = little.write_run(tmp_path / "run", seed=5)
    options = BundleOptions(data, scorers="msp", results=(scored,))
    with pytest.raises(CaosError, match=r"holds results of other weights \(\w{16}\)"):
        bundle_run(other, tmp_path / "bundle", options)
    assert not (tmp_path / "bundle").exists()


def test_a_run_is_replaced_only_when_asked(finished, data, tmp_path) -> None:
    options = BundleOptions(data, scorers="msp")
    little.write_run(tmp_path / "mine")
    with pytest.raises(CaosError, match="mine already holds a run"):
        bundle_run(finished, tmp_path / "mine", options)
    bundle_run(finished, tmp_path / "mine", options, overwrite=True)
    assert read_known(tmp_path / "mine") is not None


@pytest.fixture
def bundle(finished, data, tmp_path) -> Path:
    return bundle_run(finished, tmp_path / "bundle", BundleOptions(data, scorers="msp,energy")).folder


def test_a_bundle_says_which_weights_it_was_rounded_from(finished, bundle) -> None:
    whole, packed = read_run(finished).record, read_run(bundle).record
    assert packed.packed_from == whole.results.weights_sha256
    assert packed.results.weights_sha256 == sha256(bundle / WEIGHTS_FILE) != packed.packed_from


def test_a_changed_bundle_is_refused(bundle) -> None:
    state = load_file(bundle / WEIGHTS_FILE)
    first = next(name for name, tensor in state.items() if tensor.ndim == 4)
    save_file(state | {first: state[first] * 0}, bundle / WEIGHTS_FILE)
    for load in (Predictor.load, read_known):
        with pytest.raises(CaosError, match="weights do not match run.json"):
            load(bundle)
    seal(bundle)
    with pytest.raises(CaosError, match="ordinary_scores.json holds thresholds of other weights"):
        read_known(bundle)


def test_thresholds_of_another_bundle_are_refused(bundle, data, tmp_path) -> None:
    other, rescaled = tmp_path / "other", tmp_path / "rescaled"
    bundle_run(little.write_run(tmp_path / "run", seed=5), other, BundleOptions(data, scorers="msp"))
    shutil.copy(other / ORDINARY_FILE, bundle)
    with pytest.raises(CaosError, match=r"holds thresholds of other weights \(SHA-256 \w{16}\) than those of the run"):
        read_known(bundle)
    bundle_run(tmp_path / "run", rescaled, BundleOptions(data, scorers="msp", scales=(0.5, 1.0)))
    assert read_known(rescaled) is not None
    shutil.copy(other / ORDINARY_FILE, rescaled)
    with pytest.raises(CaosError, match="holds thresholds of the same weights with other settings"):
        read_known(rescaled)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"split": "train"}, "has no 'train' images"),
        ({"split": "validation"}, "unknown split 'validation'"),
        ({"failures": Path("nowhere.md")}, "cannot read nowhere.md"),
        ({"scorers": "mahalanobis"}, "must be fitted"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_what_cannot_be_bundled_is_one_line_and_leaves_nothing(finished, data, tmp_path, change, words) -> None:
    with pytest.raises(CaosError, match=words):
        bundle_run(finished, tmp_path / "bundle", replace(BundleOptions(data, scorers="msp"), **change))
    assert not (tmp_path / "bundle").exists()


def test_a_set_is_scored_with_the_run_of_the_package(data, tmp_path) -> None:
    results = run_request(
        Request(dataset=data, run=Path("bundled"), out=tmp_path / "results", scorers="entropy", device="cpu",
                components=False)
    )  # fmt: skip
    assert results.content.source["run"] == str(run_folder(Path("bundled")))
    plan = json.loads((tmp_path / "results/plan.json").read_text())
    assert len(plan["source identity"]["run"]["weights"]) == 64
    assert 0 < results.content.measures["caos"]["entropy"].auroc.value < 1
