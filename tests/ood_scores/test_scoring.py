"""A whole scoring run on a little set: the numbers, the files, going on after an interruption, several processes."""

from __future__ import annotations

import csv
import functools
import json
import os
import shutil
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import sklearn.metrics
import torch
from PIL import Image
from typer.testing import CliRunner

from caos.foundation.errors import CaosError
from caos.foundation.execution import executor
from caos.ood_scores import results
from caos.ood_scores.command import Request, run_request
from caos.ood_scores.evaluation import code_maps, scoring, workers
from caos.ood_scores.evaluation.code_maps import CodeMaps
from caos.ood_scores.evaluation.counting import ImageCounter
from caos.ood_scores.evaluation.options import ScoringOptions
from caos.ood_scores.evaluation.scoring import score_dataset, score_model
from caos.ood_scores.evaluation.time_breakdown import KINDS
from caos.ood_scores.measuring.breakdowns import breakdowns
from caos.ood_scores.measuring.metrics import count, measure
from caos.ood_scores.measuring.protocols import PROTOCOLS, protocols_by_name
from caos.ood_scores.report.tables import markdown
from caos.ood_scores.results import Excluded, FoundCount
from caos.ood_scores.scorer_interface.registry import scorer_names
from caos.ood_scores.scorer_interface.specifications import columns_of
from caos.ood_scores.sources.map_files import MapSource
from caos.ood_scores.sources.run import RunPaths, RunSource
from caos.ood_scores.sources.score_maps import find_detectors
from caos.scenes.dataset.layout import open_dataset
from caos.scenes.labels import BDD_ANOMALY, STREETHAZARDS, STREETHAZARDS_12
from tests.ood_scores import little

NEGATIVES = {"dense_hybrid", "outlier_head", "void_class"} | {"rba", "eam", "mask2anomaly", "uno"}
"""Scorers of heads that only training with negatives gives."""
RAN = tuple(name for name in scorer_names() if name not in NEGATIVES)
QUICK = "msp,max_logit,mc_dropout,typicality,max_logit+crf"
AHEAD = "msp,mc_dropout,react,knn,mahalanobis,autoencoder,confidence_branch,ensemble,obsnet"
"""All kinds of networks and passes."""


@pytest.fixture(scope="module")
def everything(data, run, tmp_path_factory):
    """Every scorer under every protocol, maps kept."""
    out = tmp_path_factory.mktemp("all") / "results"
    return run_request(Request(data, run, out, protocols="all", save_maps=True))


def truth(data: Path):
    for path in sorted((data / "test/annotations").rglob("*.png")):
        yield f"test/{path.parent.name}/{path.stem}", np.asarray(Image.open(path)) == 14


def saved(folder: Path, scorer: str, key: str):
    return np.load(folder / "maps" / scorer / f"{key}.npz")["scores"]


def test_every_scorer_ran_and_the_files_are_there(everything, data):
    content = everything.content
    assert content.columns == RAN
    assert set(content.not_run) == NEGATIVES
    assert set(content.measures) == set(PROTOCOLS)
    names = {path.name for path in everything.folder.iterdir()}
    assert names == {
        *("results.json", "results.csv", "table.md", "images.jsonl", "groups.npz", "plan.json", "inputs.json"),
        *("predictions", "previews", "maps"),
    }
    for key, anomalous in truth(data):
        assert np.asarray(Image.open(everything.folder / "predictions" / f"{key}.png")).shape == anomalous.shape
        assert (everything.folder / "previews" / "msp" / f"{key}.png").is_file()


@pytest.mark.parametrize("scorer", ["msp", "max_logit", "knn", "mc_dropout", "autoencoder"])
def test_per_image_numbers_are_those_of_the_saved_maps(everything, data, scorer):
    measured = [
        measure(saved(everything.folder, scorer, key), anomalous) for key, anomalous in truth(data) if anomalous.any()
    ]
    for metric in ("auroc", "aupr", "fpr95"):
        expected = np.mean([getattr(m, metric) for m in measured])
        assert everything.value(scorer, metric) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("protocol", ["smiyc", "openood"])
def test_pooled_numbers_are_those_of_all_pixels(everything, data, protocol):
    anomalous = np.concatenate([mask.ravel() for _, mask in truth(data)])
    for scorer in ("max_logit", "msp", "background"):
        scores = np.concatenate([saved(everything.folder, scorer, key).ravel() for key, _ in truth(data)])
        exact = PROTOCOLS[protocol].measure(count(scores, anomalous))
        for metric in ("auroc", "aupr", "fpr95"):
            found = everything.measured(scorer, protocol).metric(metric)
            assert found.value == pytest.approx(getattr(exact, metric), abs=1e-12)
            assert found.low <= found.value <= found.high
            assert found.low < found.high


@pytest.mark.parametrize("scorer", ["max_logit", "msp", "background"])
def test_densehybrid_is_a_mean_over_images_on_streethazards(everything, data, scorer):
    measured = []
    for path in sorted((data / "test/annotations").rglob("*.png")):
        values = np.asarray(Image.open(path))
        scores = saved(everything.folder, scorer, f"test/{path.parent.name}/{path.stem}")
        if (values == 14).any():
            measured.append(PROTOCOLS["densehybrid"].measure(count(scores, values == 14, values == 4)))
    for metric in ("auroc", "aupr", "fpr95"):
        expected = np.mean([getattr(m, metric) for m in measured])
        assert everything.value(scorer, metric, "densehybrid") == pytest.approx(expected, abs=1e-9)
    resolved = next(p for p in everything.content.protocols if p.name == "densehybrid")
    assert resolved.aggregation == "mean over images"
    assert PROTOCOLS["densehybrid"].on("bdd-anomaly").aggregation == "pooled pixels"


def test_images_without_hazards_are_counted_and_named(everything):
    assert everything.content.excluded == (Excluded("test/t6/5", "no anomalous pixel"),)
    caos = everything.measured("msp", "caos")
    assert (caos.images, caos.excluded) == (5, 1)
    assert everything.measured("msp", "smiyc").images == 6


def test_rows_hold_each_image_and_hazard(everything):
    rows = everything.images()
    assert [row.key for row in rows] == [f"test/t{5 + n % 2}/{n}" for n in (0, 2, 4, 1, 3, 5)]
    hazard = next(h for h in rows[0].hazards if h.instance_id == 300)
    assert (hazard.facts.category, hazard.pixels, hazard.facts.distance_m) == ("furniture", 14 * 12, 30.0)
    assert set(hazard.measures) == set(RAN)
    assert set(hazard.flagged["msp"]) == {"best_f1", "recall_95", "false_alarms_1", "false_alarms_5"}
    assert set(rows[0].measures["msp"]) == {"caos", "pytorch-ood", "densehybrid", "densehybrid-roc"}


def test_hazard_measures_are_those_of_its_pixels(everything, data):
    row = everything.images()[0]
    scores = saved(everything.folder, "max_logit", row.key)
    name = row.key.removeprefix("test/")
    ids = np.asarray(Image.open(data / f"test/annotations/test/{name}.png"))
    instances = np.asarray(Image.open(data / f"test/instances/test/{name}.png"))
    assert len(row.hazards) == 2
    for hazard in row.hazards:
        others = (ids == 14) & (instances != hazard.instance_id)
        expected = measure(scores, instances == hazard.instance_id, others)
        assert hazard.measures["max_logit"].auroc == pytest.approx(expected.auroc, abs=1e-9)


def test_breakdowns_cover_what_the_manifest_knows(everything):
    broken = everything.content.breakdowns
    assert set(broken) == {
        "part",
        "weather",
        "category",
        "distance",
        "size",
        "occlusion",
        "placement",
        "ordinary class",
    }
    assert {g: v.count for g, v in broken["category"].items()} == {"animal": 5, "furniture": 5}
    assert set(broken["distance"]) == {"0-10 m", "20-40 m"}
    assert set(broken["occlusion"]) == {"0-1 %", "25-50 %"}
    assert (broken["part"]["t5"].count, broken["part"]["t5"].unit) == (3, "images")
    part = np.mean([r.measures["msp"]["caos"].auroc for r in everything.images() if r.town == "t5"])
    assert broken["part"]["t5"].scorers["msp"]["auroc"] == pytest.approx(part)
    renamed = [replace(row, town={"t5": "close", "t6": "default"}[row.town]) for row in everything.images()]
    assert list(breakdowns(renamed, ("msp",))["part"]) == ["default", "close"]


def test_the_table_has_every_part_beside_the_others(everything):
    text = everything.markdown().split("## By part of the set")[1]
    assert "| scorer | t5 (3) | t6 (2) |" in text
    rows = {line.split(" | ")[0].removeprefix("| "): line for line in text.splitlines() if line.startswith("| ")}
    measures = {
        part: [r.measures["msp"]["caos"] for r in everything.images() if r.town == part and r.excluded is None]
        for part in ("t5", "t6")
    }
    expected = [
        f"{100 * np.mean([m.auroc for m in found]):.1f} / {100 * np.mean([m.fpr95 for m in found]):.1f}"
        for found in measures.values()
    ]
    title = next(s.title for s in everything.content.scorers if s.name == "msp")
    assert rows[title] == f"| {title} | {expected[0]} | {expected[1]} |"
    one = {"part": {"t5": everything.content.breakdowns["part"]["t5"]}}
    assert "By part" not in markdown(replace(everything.content, breakdowns=one))


def test_ordinary_classes_are_measured_against_all_hazards(everything, data):
    by_class = everything.content.breakdowns["ordinary class"]
    names = [row.name for row in STREETHAZARDS.trained]
    scores, values = [], []
    for row in everything.images():
        name = row.key.removeprefix("test/")
        values.append(np.asarray(Image.open(data / f"test/annotations/test/{name}.png")).ravel())
        scores.append(saved(everything.folder, "max_logit", row.key).ravel())
    score, value = np.concatenate(scores), np.concatenate(values)
    assert set(by_class) == {names[v - 1] for v in np.unique(value) if v < 14}
    for name, found in by_class.items():
        of_class = value == names.index(name) + 1
        expected = measure(score, value == 14, ~((value == 14) | of_class))
        assert found.count == of_class.sum()
        assert found.scorers["max_logit"]["auroc"] == pytest.approx(expected.auroc, abs=0.01)
        level = np.sort(score[value == 14])[::-1][int(np.ceil(0.95 * (value == 14).sum())) - 1]
        assert found.scorers["max_logit"]["fpr95"] == (score[of_class] >= level).mean()


def test_levels_say_what_a_preview_code_flags(everything, data):
    levels = everything.content.levels["max_logit"]
    assert len(levels.threshold) <= 255
    assert list(levels.threshold) == sorted(levels.threshold)
    # The pictures are smaller than a preview may be, so its codes are those of every pixel.
    codes = {k: np.asarray(Image.open(everything.folder / "previews/max_logit" / f"{k}.png")) for k, _ in truth(data)}
    hits = np.concatenate([codes[key][anomalous] for key, anomalous in truth(data)])
    false = np.concatenate([codes[key][~anomalous] for key, anomalous in truth(data)])
    for code in (1, 20, len(levels.threshold)):
        assert levels.recall[code - 1] == pytest.approx((hits >= code).mean())
        assert levels.false_alarms[code - 1] == pytest.approx((false >= code).mean())


def test_tables_name_definitions_and_mark_the_papers_numbers(everything):
    text = (everything.folder / "table.md").read_text()
    assert text == everything.markdown()
    assert "FPR95 at recall nearest 0.95; AUPR as average precision; mean over images." in text
    assert "measured on the released StreetHazards: another set" in text
    assert "| MaxLogit |" in text
    rows = list(csv.DictReader((everything.folder / "results.csv").open()))
    assert len(rows) == len(PROTOCOLS) * len(RAN) * 3
    row = next(r for r in rows if (r["protocol"], r["scorer"], r["metric"]) == ("caos", "msp", "auroc"))
    assert float(row["value"]) == pytest.approx(everything.value("msp", "auroc"), abs=1e-7)
    assert json.loads((everything.folder / "results.json").read_text())["schema"] == results.SCHEMA


def test_our_maps_measured_as_somebody_elses_give_the_same_numbers(everything, data, tmp_path):
    again = run_request(Request(data, None, tmp_path / "again", maps=everything.folder / "maps", protocols="all"))
    assert sorted(again.content.columns) == sorted(RAN)
    for metric in ("auroc", "aupr", "fpr95"):
        assert again.value("energy", metric) == everything.value("energy", metric)


def test_perfect_and_blind_detectors(data, tmp_path):
    little.write_maps(tmp_path / "maps/perfect", data, lambda anomalous, _: anomalous.astype(np.float32))
    little.write_maps(tmp_path / "maps/blind", data, lambda anomalous, _: np.full(anomalous.shape, 0.5, np.float32))
    found = run_request(Request(data, None, tmp_path / "out", maps=tmp_path / "maps", protocols="caos,smiyc"))
    for protocol in ("caos", "smiyc"):
        assert [found.value("perfect", m, protocol) for m in ("auroc", "aupr", "fpr95")] == [1, 1, 0]
        assert [found.value("blind", m, protocol) for m in ("auroc", "fpr95")] == [0.5, 1]
    components = found.content.components.scorers["perfect"].instances
    assert (components.mean_f1, components.objects, components.regions) == (1.0, 10, 10)
    assert found.content.hazards.found["perfect"]["false_alarms_1"] == FoundCount(10, 10)
    assert found.content.hazards.found["blind"]["false_alarms_1"] == FoundCount(0, 10)
    assert not (tmp_path / "out" / "predictions").exists()


ORDER_KEPT = {
    "logits": lambda z: z,
    "sigmoid": lambda z: 1 / (1 + np.exp(-z - 24)),
    "wide": lambda z: 2**60 + np.rint(z * 2**40).astype(np.int64),
    "large": lambda z: 1e9 + np.rint(z * 2**12) / 2**12,
}


def test_maps_in_doubles_and_wide_integers_keep_their_order_from_file_to_number(data, tmp_path):
    """All four are functions of one another that rise strictly; float32 would make ties of the last three."""
    for name, make in ORDER_KEPT.items():

        def scores(anomalous, number, make=make):
            rng = np.random.default_rng(number)
            return make(np.rint((rng.normal(size=anomalous.shape) + anomalous) * 2**10) / 2**10)

        little.write_maps(tmp_path / "maps" / name, data, scores)
    found = run_request(Request(data, None, tmp_path / "out", maps=tmp_path / "maps", protocols="caos,smiyc"))
    one, *others = (
        {(p, m): found.measured(name, p).metric(m) for p in ("caos", "smiyc") for m in ("auroc", "aupr", "fpr95")}
        for name in ORDER_KEPT
    )
    assert others == [one, one, one]
    by_class = found.content.breakdowns["ordinary class"]
    for group in by_class.values():
        assert len({group.scorers[name]["fpr95"] for name in ORDER_KEPT}) == 1
    pixels = [
        (np.load(p), np.asarray(Image.open(data / f"test/annotations/test/{p.parent.name}/{p.stem}.png")) == 14)
        for p in sorted((tmp_path / "maps/logits").rglob("*.npy"))
    ]
    everything, anomalous = (np.concatenate([part.ravel() for part in parts]) for parts in zip(*pixels, strict=True))
    expected = sklearn.metrics.average_precision_score(anomalous, everything)
    assert found.value("sigmoid", "aupr", "smiyc") == pytest.approx(expected, abs=1e-12)
    levels = found.content.levels["wide"]
    for threshold, recall in zip(levels.threshold, levels.recall, strict=True):
        assert recall == pytest.approx((ORDER_KEPT["wide"](everything)[anomalous] >= threshold).mean(), abs=1e-3)


class _Interrupted(Exception):
    pass


class _FailingSource(MapSource):
    def __init__(self, detectors, allowed):
        super().__init__(detectors)
        self.allowed = allowed

    def score(self, sample, image):
        if not self.allowed:
            raise _Interrupted
        self.allowed -= 1
        return super().score(sample, image)


def _detectors(data, folder):
    rng = np.random.default_rng(0)
    little.write_maps(folder, data, lambda a, _: (a + rng.normal(size=a.shape)).astype(np.float32))
    return find_detectors(folder, open_dataset(data).samples("test"))


def test_an_interrupted_run_goes_on_and_ends_the_same(data, tmp_path):
    detectors = _detectors(data, tmp_path / "det")
    options, dataset = ScoringOptions(protocols=protocols_by_name("caos,smiyc")), open_dataset(data)
    whole = score_dataset(dataset, MapSource(detectors), tmp_path / "whole", options)
    with pytest.raises(_Interrupted):
        score_dataset(dataset, _FailingSource(detectors, 2 + 3), tmp_path / "cut", options)
    assert not (tmp_path / "cut" / "results.json").exists()
    # Two images calibrate, three were done: three are left.
    resumed = score_dataset(dataset, _FailingSource(detectors, 3), tmp_path / "cut", options)
    assert resumed.content.measures == whole.content.measures
    assert resumed.content.components == whole.content.components
    assert not (tmp_path / "cut" / "work").exists()
    # Finished: nothing is scored again.
    again = score_dataset(dataset, _FailingSource(detectors, 0), tmp_path / "cut", options)
    assert again.content == resumed.content


def test_counts_of_half_an_image_are_not_kept(data, tmp_path, monkeypatch):
    """Ctrl-C in the middle of an image: it is counted once after all, not one and a half times."""
    names = ("one", "two")
    detectors = {name: next(iter(_detectors(data, tmp_path / name).values())) for name in names}
    options, dataset = ScoringOptions(protocols=protocols_by_name("smiyc")), open_dataset(data)
    whole = score_dataset(dataset, MapSource(detectors), tmp_path / "whole", options)
    count, calls = ImageCounter.count, []

    def interrupted(self, column, *rest):
        calls.append(column)
        if len(calls) == 6:
            raise KeyboardInterrupt
        return count(self, column, *rest)

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(ImageCounter, "count", interrupted)
        score_dataset(dataset, MapSource(detectors), tmp_path / "cut", options)
    assert calls[-2:] == ["one", "two"]
    resumed = score_dataset(dataset, MapSource(detectors), tmp_path / "cut", options)
    assert resumed.content.measures == whole.content.measures


@pytest.mark.parametrize("most_bytes", [0, 100_000, 1 << 28])
def test_a_run_that_is_stopped_while_it_judges_goes_on(data, tmp_path, monkeypatch, most_bytes):
    """Whether its coded maps are in memory, on the disk, or partly here and there."""
    monkeypatch.setattr(code_maps, "MOST_BYTES", most_bytes)
    detectors = _detectors(data, tmp_path / "det")
    options, dataset = ScoringOptions(), open_dataset(data)
    whole = score_dataset(dataset, MapSource(detectors), tmp_path / "whole", options)
    images, looked_at, read = len(dataset.samples("test")), [], CodeMaps.read

    def stopped(self, sample, *rest):
        looked_at.append(sample)
        if len(looked_at) == images // 2:
            raise KeyboardInterrupt
        return read(self, sample, *rest)

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(CodeMaps, "read", stopped)
        score_dataset(dataset, MapSource(detectors), tmp_path / "cut", options)
    assert len(list((tmp_path / "cut" / "work" / "codes").rglob("*.npy"))) == images
    resumed = score_dataset(dataset, _FailingSource(detectors, 0), tmp_path / "cut", options)
    assert resumed.content.components == whole.content.components
    assert resumed.content.measures == whole.content.measures
    assert not (tmp_path / "cut" / "work").exists()


def test_codes_of_a_short_run_never_reach_the_disk(data, tmp_path, monkeypatch):
    def refuse(self):
        raise AssertionError("saved")

    monkeypatch.setattr(CodeMaps, "save", refuse)
    detectors = _detectors(data, tmp_path / "det")
    assert score_dataset(open_dataset(data), MapSource(detectors), tmp_path / "out").content.components is not None


def test_results_of_other_settings_are_not_overwritten(data, tmp_path):
    detectors = _detectors(data, tmp_path / "det")
    dataset = open_dataset(data)
    score_dataset(dataset, MapSource(detectors), tmp_path / "out", ScoringOptions())
    with pytest.raises(CaosError, match=r"made with other settings \(options.seed was 0, is 1.*or overwrite it"):
        score_dataset(dataset, MapSource(detectors), tmp_path / "out", ScoringOptions(seed=1))
    again = score_dataset(dataset, MapSource(detectors), tmp_path / "out", ScoringOptions(seed=1), overwrite=True)
    assert again.content.provenance["seed"] == 1


def test_two_processes_give_the_results_of_one(data, tmp_path, monkeypatch):
    monkeypatch.setattr(scoring, "CHUNK", 2)
    # A worker must find the packages wherever the tests were started from.
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    little.write_maps(tmp_path / "det", data, lambda a, n: a + np.sin(np.arange(a.size) + n).reshape(a.shape))
    request = Request(data, None, tmp_path / "one", maps=tmp_path / "det", protocols="all")
    one, two = run_request(request), run_request(replace(request, out=tmp_path / "two", workers=2))
    for part in ("measures", "components", "hazards", "breakdowns", "levels"):
        assert getattr(one.content, part) == getattr(two.content, part), part


def test_what_a_dead_worker_was_writing_is_removed(data, tmp_path, monkeypatch):
    left, run = tmp_path / "out" / "previews" / ".3.7c82d253.part.png", executor.run

    def run_and_leave(*words):
        left.parent.mkdir(parents=True, exist_ok=True)
        left.touch()
        yield from run(*words)

    monkeypatch.setattr(executor, "run", run_and_leave)
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    little.write_maps(tmp_path / "det", data, lambda a, n: a + np.sin(np.arange(a.size) + n).reshape(a.shape))
    run_request(Request(data, None, tmp_path / "out", maps=tmp_path / "det", workers=2))
    assert left.parent.is_dir()
    assert not left.exists()


@pytest.mark.slow
def test_a_ray_cluster_gives_the_results_of_one_process(data, tmp_path, monkeypatch):
    pytest.importorskip("ray")
    monkeypatch.setattr(scoring, "CHUNK", 2)
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    little.write_maps(tmp_path / "det", data, lambda a, n: a + np.sin(np.arange(a.size) + n).reshape(a.shape))
    request = Request(data, None, tmp_path / "one", maps=tmp_path / "det", protocols="all")
    one, spread = run_request(request), run_request(replace(request, out=tmp_path / "ray", workers=2, ray="local"))
    for part in ("measures", "components", "hazards", "breakdowns", "levels"):
        assert getattr(one.content, part) == getattr(spread.content, part), part


def test_prefetched_images_give_the_same_numbers(data, run, tmp_path, monkeypatch):
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # more sum in another order, and near ties swap
    try:
        found = []
        for prefetch in (False, True):
            monkeypatch.setattr(RunSource, "can_prefetch", prefetch)
            request = Request(data, run, tmp_path / str(prefetch), scorers=AHEAD, device="cpu")
            found.append(run_request(request))
        assert torch.get_num_threads() == 1
    finally:
        torch.set_num_threads(threads)
    for part in ("measures", "components", "hazards", "breakdowns", "levels", "curves"):
        assert getattr(found[0].content, part) == getattr(found[1].content, part), part
    for one in found:
        assert set(one.content.spent) == set(KINDS)
        assert min(one.content.spent.values()) > 0
        assert one.content.clock_s > 0


IN_ONE_THREAD = """
import threading
from caos import Scorer
class InOneThread(Scorer):
    title = "Mine"
    def score(self, outputs):
        if threading.current_thread() is not threading.main_thread():
            raise ValueError("asked in another thread")
        return -outputs.maximum
"""


def test_scorers_run_in_the_main_thread(data, run, tmp_path, monkeypatch):
    monkeypatch.setattr(RunSource, "can_prefetch", True)
    path = tmp_path / "mine.py"
    path.write_text(IN_ONE_THREAD)
    found = run_request(Request(data, run, tmp_path / "out", scorers=f"{path},max_logit", device="cpu"))
    for metric in ("auroc", "aupr", "fpr95"):
        assert found.value("mine", metric) == found.value("max_logit", metric)


def test_a_run_that_looks_ahead_goes_on_after_an_error(data, run, tmp_path, monkeypatch):
    monkeypatch.setattr(RunSource, "can_prefetch", True)
    request = Request(data, run, tmp_path / "whole", scorers="msp,knn", device="cpu")
    whole = run_request(request)
    images, begin = open_dataset(data).samples("test"), RunSource.begin

    def failing(self, sample, image):
        if sample.key == images[3].key:
            raise CaosError(f"no luck with {sample.key}")
        return begin(self, sample, image)

    cut = replace(request, out=tmp_path / "cut")
    with monkeypatch.context() as patched, pytest.raises(CaosError, match=f"no luck with {images[3].key}"):
        patched.setattr(RunSource, "begin", failing)
        run_request(cut)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("ahead")]
    assert len((tmp_path / "cut" / "work" / "rows.jsonl").read_text().splitlines()) == 3
    resumed = run_request(cut)
    assert resumed.content.measures == whole.content.measures
    assert resumed.content.components == whole.content.components


@pytest.mark.slow
def test_two_processes_with_networks_give_the_numbers_of_one(data, run, tmp_path, monkeypatch):
    monkeypatch.setattr(scoring, "CHUNK", 2)
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    # As many threads as each of two workers has, also for fits: others sum in another order, and near ties swap.
    threads = torch.get_num_threads()
    torch.set_num_threads(max(1, (os.cpu_count() or 1) // 2))
    try:
        one, two = (
            run_request(
                Request(data, run, tmp_path / str(n), scorers=QUICK, protocols="caos,smiyc", device="cpu", workers=n)
            )
            for n in (1, 2)
        )
    finally:
        torch.set_num_threads(threads)
    for protocol in ("caos", "smiyc"):
        for scorer in QUICK.split(","):
            for metric in ("auroc", "aupr", "fpr95"):
                assert two.value(scorer, metric, protocol) == pytest.approx(
                    one.value(scorer, metric, protocol), abs=1e-6
                )


def test_any_torch_model_in_a_few_lines(data, tmp_path):
    torch.manual_seed(0)
    model = torch.nn.Conv2d(3, 13, 3, padding=1).eval()
    found = score_model(model, data, ["msp", "energy", "standardized_max_logit"], tmp_path / "out")
    assert [row.settings for row in found.content.scorers] == [{}, {"temperature": 1.0}, {"smooth": True}]
    assert results.read(tmp_path / "out").content == found.content
    with pytest.raises(CaosError, match="scorer 'knn' needs encoder features, which a plain model does not give"):
        score_model(model, data, ["knn"], tmp_path / "other")
    with pytest.raises(CaosError, match=r"must return logits of shape \(1, 13, 64, 96\).*not \(1, 5, 64, 96\)"):
        score_model(torch.nn.Conv2d(3, 5, 3, padding=1), data, ["msp"], tmp_path / "other")


def test_scores_that_are_not_numbers_are_named(data, tmp_path):
    def model(pictures):
        return torch.full((1, 13, *pictures.shape[-2:]), torch.nan)

    with pytest.raises(CaosError, match=r"'max_logit' gave 6144 NaN or infinite scores of 6144 for .*\.png"):
        score_model(model, data, ["max_logit"], tmp_path / "out")


def test_a_set_without_hazards(run, tmp_path):
    bare = little.write_set(tmp_path / "bare", test=2, val=1, hazards=False)
    with pytest.raises(CaosError, match="has no anomalous pixel in the 2 images of split 'test'"):
        run_request(Request(bare, run, tmp_path / "out", scorers="msp"))


def test_without_instance_ids_objects_are_connected_components(data, tmp_path):
    plain = shutil.copytree(data, tmp_path / "plain")
    shutil.rmtree(plain / "test/instances")
    (plain / "manifest.jsonl").unlink()
    little.write_maps(tmp_path / "maps", plain, lambda anomalous, _: anomalous.astype(np.float32))
    found = run_request(Request(plain, None, tmp_path / "out", maps=tmp_path / "maps"))
    assert found.content.dataset.hazards == 10
    assert found.images()[0].hazards[0].facts.category is None
    assert set(found.content.breakdowns) == {"part", "size", "ordinary class"}


def test_void_pixels_count_for_some_protocols_and_not_for_others(data, tmp_path):
    """A detector that is right everywhere but on void, where it always raises an alarm."""
    dataset = open_dataset(data, STREETHAZARDS_12.name)
    values = {s.key: np.asarray(Image.open(s.annotation)) for s in dataset.samples("test")}
    assert sum((value == 4).any() for value in values.values()) >= 2
    for key, value in values.items():
        path = tmp_path / "maps" / f"{key}.npy"
        path.parent.mkdir(parents=True, exist_ok=True)
        np.save(path, np.select([value == 4, value == 14], [2.0, 1.0], 0.0).astype(np.float32))
    source = MapSource(find_detectors(tmp_path / "maps", dataset.samples("test")))
    options = ScoringOptions(protocols=protocols_by_name("all"))
    found = score_dataset(dataset, source, tmp_path / "out", options)
    for protocol in ("pytorch-ood", "smiyc", "densehybrid"):
        assert found.value("maps", "auroc", protocol) == 1.0, protocol
    ordinary = np.concatenate([value[value != 14] for value in values.values()])
    assert found.value("maps", "auroc", "openood") == pytest.approx(1 - (ordinary == 4).mean(), abs=1e-9)
    shares = [(value == 4).sum() / (value != 14).sum() for value in values.values() if (value == 14).any()]
    assert found.value("maps", "auroc", "caos") == pytest.approx(1 - np.mean(shares), abs=1e-9)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"dataset": None}, "no dataset: caos score DATASET"),
        ({"out": None}, "give --out RESULTS"),
        ({"run": None}, "give either --run RUN"),
        ({"maps": Path("x")}, "give either --run RUN"),
        ({"scorers": "msp,enrgy"}, "unknown scorer 'enrgy'; did you mean 'energy'"),
        ({"protocols": "coas"}, "unknown protocol 'coas'; did you mean 'caos'"),
        ({"split": "tests"}, "unknown split 'tests'; did you mean 'test'"),
        ({"track": "anomalies"}, "unknown track 'anomalies'; did you mean 'anomaly'"),
        ({"false_alarms": "1%"}, "'1%' is not a list of numbers"),
        ({"false_alarms": "0.5,2"}, "each share must lie between 0 and 1"),
        ({"run": Path("/nowhere")}, "/nowhere is not a training run"),
        ({"dataset": Path("/nowhere")}, "/nowhere is not a folder"),
    ],
)
def test_bad_requests_are_one_line(data, run, tmp_path, changes, words):
    given = {"dataset": data, "run": run, "out": tmp_path / "out", **changes}
    with pytest.raises(CaosError, match=words) as caught:
        run_request(Request(**given))
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "out").exists()


def test_what_a_run_lacks_is_left_out_of_all_and_refused_by_name(data, tmp_path):
    bare = little.write_run(tmp_path / "bare")
    found = run_request(Request(data, bare, tmp_path / "out", components=False))
    assert set(found.content.not_run) == {"autoencoder", "confidence_branch", "ensemble", "obsnet"} | NEGATIVES
    assert found.content.components is None
    assert "Not run: autoencoder (no autoencoder: give --autoencoder RUN" in found.markdown()
    with pytest.raises(CaosError, match="scorer 'ensemble' cannot run: no other networks: give --ensemble RUN"):
        run_request(Request(data, bare, tmp_path / "other", scorers="ensemble"))


def test_a_set_to_test_on_only_leaves_out_what_has_to_be_fitted(data, run, tmp_path):
    lone = shutil.copytree(data, tmp_path / "lone")
    shutil.rmtree(lone / "train")
    found = run_request(Request(lone, run, tmp_path / "out", components=False))
    assert "typicality" in found.content.not_run
    assert "neither 'val' nor 'train' images" in found.content.not_run["knn"]
    with pytest.raises(CaosError, match="neither 'val' nor 'train' images to fit knn on"):
        run_request(Request(lone, run, tmp_path / "other", scorers="knn"))


def test_workers_share_the_gpus(monkeypatch):
    make = functools.partial(dict, device="auto")
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    assert [workers.on_own_device(make, n)()["device"] for n in range(3)] == ["cuda:0", "cuda:1", "cuda:0"]
    assert workers.on_own_device(functools.partial(dict, device="cpu"), 1)()["device"] == "cpu"
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    assert workers.on_own_device(make, 1)()["device"] == "auto"


def test_a_run_of_another_label_table(data, tmp_path):
    other = little.write_run(tmp_path / "bdd", BDD_ANOMALY)
    with pytest.raises(CaosError, match="was trained with label table 'bdd-anomaly', but .* is labelled with"):
        run_request(Request(data, other, tmp_path / "out", scorers="msp"))
    twelve = little.write_run(tmp_path / "twelve", STREETHAZARDS_12)
    found = run_request(Request(data, twelve, tmp_path / "out12", scorers="msp", components=False))
    assert found.content.dataset.labels.name == "streethazards-12"


def test_broken_files_of_a_set_are_named(data, run, tmp_path):
    broken = shutil.copytree(data, tmp_path / "broken")
    picture = broken / "test/annotations/test/t5/2.png"
    Image.fromarray(np.ones((10, 10), np.uint8)).save(picture)
    with pytest.raises(CaosError, match=r"t5/2.png is 96x64 but its labels .*t5/2.png are 10x10"):
        run_request(Request(broken, run, tmp_path / "out", scorers="msp"))


def test_crf_suffix():
    plain, smoothed = columns_of("msp, msp+crf")
    assert (plain.name, smoothed.name) == ("msp", "msp+crf")
    assert plain.scorer is smoothed.scorer
    with pytest.raises(CaosError, match="unknown scorer 'mspx'"):
        columns_of("mspx+crf")


def test_results_are_read_with_clear_words(tmp_path):
    with pytest.raises(CaosError, match=r"holds no results\.json; make results with: caos score"):
        results.read(tmp_path)
    (tmp_path / "results.json").write_text('{"schema": 99}')
    with pytest.raises(CaosError, match="is not a results file of schema 4"):
        results.read(tmp_path)


def test_command_line(data, tmp_path):
    import typer

    from caos.ood_scores.cli import score

    app = typer.Typer()
    app.command()(score)
    runner = CliRunner()
    listed = runner.invoke(app, ["--list"])
    assert "max_logit" in listed.output
    assert "smiyc" in listed.output
    published = runner.invoke(app, ["--published"])
    assert "## BDD-Anomaly, protocol caos" in published.output
    assert "| MaxLogit | PSPNet, ResNet-101, without negatives | 14.0 | 92.6 | 5.4 |" in published.output
    tested = runner.invoke(app, ["--self-test"])
    assert tested.exit_code == 0
    assert "WRONG" not in tested.output
    maps = little.write_maps(tmp_path / "det", data, lambda anomalous, _: anomalous.astype(np.float32))
    done = runner.invoke(app, [str(data), "--maps", str(maps), "--out", str(tmp_path / "out")], catch_exceptions=False)
    # Five images that were all perfect do not show that all are.
    assert "| det | 0.0 [0.0, 16.0]† | 100.0 [84.0, 100.0]† |" in done.output
    assert "† fewer than 20 images, or equal values: do not rely on the interval." in done.output


def test_images_are_prefetched_only_where_torch_may_use_several_threads(run):
    threads = torch.get_num_threads()
    source = RunSource(RunPaths.around(run), ["msp"], device="cpu")
    try:
        for number in (1, 2, 8):
            torch.set_num_threads(number)
            assert source.can_prefetch == (number > 1)
    finally:
        torch.set_num_threads(threads)
