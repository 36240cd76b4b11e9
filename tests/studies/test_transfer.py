"""The transfer study: correlations worked out by hand, and the whole of it on two little sets and two little runs."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from caos.foundation.errors import CaosError
from caos.foundation.execution.progress import Silent
from caos.ood_scores import results as scored
from caos.ood_scores.evaluation.image_groups import read_groups
from caos.studies.framework.named_folders import Named, named, told_apart
from caos.studies.framework.study import Study, read_study
from caos.studies.transfer.agreement import Agreement, agreements
from caos.studies.transfer.correlation import kendall, ranks, spearman
from caos.studies.transfer.entries import Entry
from caos.studies.transfer.study import TransferSettings, study_transfer
from tests.ood_scores import little

SCORERS = ("msp", "max_logit", "entropy", "energy")
SETTINGS = TransferSettings(scorers=",".join(SCORERS), device="cpu", draws=200)


class Listening(Silent):
    """Keeps what is said, and stops the work like Ctrl-C at a chosen image of a chosen task."""

    def __init__(self, stop_at: int | None = None) -> None:
        self.said: list[str] = []
        self.scored = 0
        self._stop_at = stop_at

    def say(self, text: str) -> None:
        self.said.append(text)

    @contextmanager
    def task(self, description: str, total: int | None, done: int = 0) -> Iterator[Any]:
        yield self if description == "score" else Silent().task(description, total).__enter__()

    def advance(self, count: int = 1, note: str = "") -> None:
        self.scored += count
        if self.scored == self._stop_at:
            raise KeyboardInterrupt


@pytest.fixture(scope="module")
def places(tmp_path_factory) -> Path:
    root = tmp_path_factory.mktemp("transfer")
    for name, seed in (("streets", 0), ("photographs", 5)):
        little.write_set(root / name, test=4, val=1, seed=seed)
    for name, seed in (("ours", 0), ("theirs", 1)):
        little.write_run(root / name, seed=seed)
    return root


def make(places: Path, out: Path, progress: Any = None, **changes: Any) -> Study:
    sets, runs = [places / "streets", places / "photographs"], [places / "ours", places / "theirs"]
    return study_transfer(sets, runs, out, settings=SETTINGS, progress=progress or Silent(), **changes)


@pytest.fixture(scope="module")
def study(places: Path) -> Study:
    return make(places, places / "study")


def test_rank_correlations_worked_out_by_hand() -> None:
    # Ranks 1 2 3 4 and 1 3 2 4: rho = 1 - 6 * (0 + 1 + 1 + 0) / (4 * 15); one of six pairs stands the other way.
    assert spearman([0.1, 0.2, 0.3, 0.4], [10, 30, 20, 40]) == pytest.approx(0.8)
    assert kendall([0.1, 0.2, 0.3, 0.4], [10, 30, 20, 40]) == pytest.approx(4 / 6)
    # A tie on one side: ranks 1.5 1.5 3 and 1 2 3. rho = 1.5 / sqrt(1.5 * 2); tau-b = 2 / sqrt(2 * 3).
    assert spearman([5, 5, 9], [1, 2, 3]) == pytest.approx(1.5 / 3**0.5)
    assert kendall([5, 5, 9], [1, 2, 3]) == pytest.approx(2 / 6**0.5)
    assert np.isnan(spearman([1, 1, 1], [1, 2, 3]))
    assert np.isnan(kendall([1, 1, 1], [1, 2, 3]))
    assert ranks([[3, 1, 2], [7, 7, 7]]).tolist() == [[3, 1, 2], [2, 2, 2]]


def test_rank_correlations_are_those_of_scipy() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 6, (2, 40, 9))
    expected = [stats.spearmanr(x, y).statistic for x, y in zip(a, b, strict=True)]
    assert spearman(a, b) == pytest.approx(np.array(expected))
    expected = [stats.kendalltau(x, y).statistic for x, y in zip(a, b, strict=True)]
    assert kendall(a, b) == pytest.approx(np.array(expected))


def entry(source: Path, folder: Path, name: str, per_image: dict[str, list[float]], key: str = "test/t5/0") -> Entry:
    """Real results with these AUROCs image by image put into them, by the definition of the paper."""
    shutil.copytree(source, folder, ignore=shutil.ignore_patterns("previews", "predictions"))
    content = json.loads((folder / "results.json").read_text())
    for scorer, values in per_image.items():
        for protocol in content["measures"].values():
            protocol[scorer]["auroc"]["value"] = float(np.mean(values))
    (folder / "results.json").write_text(json.dumps(content))
    rows = [json.loads(line) for line in (folder / "images.jsonl").read_text().splitlines()]
    kept = rows[: len(next(iter(per_image.values())))]
    for number, row in enumerate(kept):
        row["key"] = f"{key}-{number}"
        for scorer, values in per_image.items():
            row["measures"][scorer]["caos"]["auroc"] = values[number]
    (folder / "images.jsonl").write_text("".join(json.dumps(row) + "\n" for row in kept))
    return Entry(name, "set", scored.read(folder))


def auroc(entries: list[Entry]) -> Agreement:
    found = agreements(entries, ("caos",), seed=0, draws=500)
    return next(a for a in found if a.metric == "auroc" and a.first == entries[0].name)


def per_image(*rows: list[float]) -> dict[str, list[float]]:
    return {scorer: [row[i] for row in rows] for i, scorer in enumerate(SCORERS)}


@pytest.fixture(scope="module")
def source(study: Study) -> Path:
    return study.folder / "results/ours/streets"


def test_an_agreement_worked_out_by_hand(source: Path, tmp_path: Path) -> None:
    first = entry(source, tmp_path / "a", "a", per_image([0.1, 0.2, 0.3, 0.4]), "a")
    second = entry(source, tmp_path / "b", "b", per_image([0.5, 0.7, 0.6, 0.55]), "b")
    found = auroc([first, second])
    # Ranks 1 2 3 4 and 1 4 3 2: d = 0 -2 0 2. The best of the first, energy, is third in the second.
    assert found.spearman.value == pytest.approx(1 - 6 * 8 / 60)
    assert found.kendall.value == pytest.approx((3 - 3) / 6)
    assert (found.scorers, found.winner, found.winner_place, found.same_images) == (4, "energy", 3, False)
    # One image can be drawn in one way only.
    assert found.spearman.low == found.spearman.high == pytest.approx(0.2)


def test_an_interval_is_as_wide_as_the_images_disagree(source: Path, tmp_path: Path) -> None:
    order = [0.1, 0.2, 0.3, 0.4]
    first = entry(source, tmp_path / "a", "a", per_image(order, [0.4, 0.33, 0.26, 0.19]), "a")
    second = entry(source, tmp_path / "b", "b", per_image(order, order), "b")
    found = auroc([second, first])
    # A quarter of the draws holds the first image twice (rho 1), a quarter the second one twice (rho -1).
    assert (found.spearman.low, found.spearman.high) == (pytest.approx(-1), pytest.approx(1))


def test_the_same_images_are_drawn_for_both(source: Path, tmp_path: Path) -> None:
    rows = per_image([0.1, 0.2, 0.3, 0.4], [0.9, 0.7, 0.5, 0.2])
    found = auroc([entry(source, tmp_path / name, name, rows) for name in "ab"])
    assert found.same_images
    assert (found.spearman.low, found.spearman.high) == (pytest.approx(1), pytest.approx(1))


def test_every_number_is_that_of_the_scoring_and_every_two_are_compared(study: Study, places: Path) -> None:
    details = study.content.details
    names = [e["name"] for e in details["entries"]]
    assert names == ["ours on streets", "ours on photographs", "theirs on streets", "theirs on photographs"]
    assert len(details["agreements"]) == 4 * 3 * 2 * 3
    results = scored.read(study.folder / "results/theirs/photographs")
    assert Path(results.content.dataset.root) == places / "photographs"
    for protocol in ("caos", "smiyc"):
        for metric in ("auroc", "aupr", "fpr95"):
            shown = details["numbers"][protocol][metric]["theirs on photographs"]
            assert {s: v[0] for s, v in shown.items()} == {s: results.value(s, metric, protocol) for s in SCORERS}
    assert {e["definitions"]["caos"] for e in details["entries"]} == {"mean over images"}
    assert {e["definitions"]["smiyc"] for e in details["entries"]} == {"pooled pixels"}


def test_the_correlations_of_the_study_are_those_of_scipy_on_its_numbers(study: Study) -> None:
    numbers = study.content.details["numbers"]
    for a in study.content.details["agreements"]:
        values = [[v[0] for v in numbers[a["protocol"]][a["metric"]][a[side]].values()] for side in ("first", "second")]
        assert a["spearman"]["value"] == pytest.approx(stats.spearmanr(*values).statistic)
        assert a["spearman"]["low"] is not None
        assert -1 <= a["spearman"]["low"] <= a["spearman"]["high"] <= 1
        assert a["same_images"] == (a["first"].split()[-1] == a["second"].split()[-1])


def test_pooled_numbers_are_resampled_from_those_without_each_image(study: Study) -> None:
    folder = study.folder / "results/ours/streets"
    groups = read_groups(folder, "smiyc")
    found = scored.read(folder)
    assert set(groups) == set(found.content.columns)
    for column, numbers in groups.items():
        assert numbers[:, 0].tolist() == [found.value(column, name, "smiyc") for name in ("auroc", "aupr", "fpr95")]
        assert numbers.shape[1] == 1 + found.content.dataset.images


def test_the_files_of_the_study(study: Study) -> None:
    rows = list(csv.DictReader((study.folder / "table.csv").open()))
    assert len(rows) == 4 * 2 * len(SCORERS)
    assert (rows[0]["run"], rows[0]["set"], rows[0]["definition"]) == ("ours", "streets", "mean over images")
    correlations = list(csv.DictReader((study.folder / "correlations.csv").open()))
    assert {row["metric"] for row in correlations} == {"AUROC", "AP", "FPR95"}
    assert len(correlations) == 4 * 3 * 2 * 3  # both directions of every two entries
    text = study.markdown()
    printed = text.partition("## Rank correlations")[2].partition("\n## ")[0]
    assert sum(line.startswith(("| caos", "| smiyc")) for line in printed.splitlines()) == len(correlations) // 2
    for heading in ("## Rank correlations", "## AP, smiyc (pooled pixels)", "## FPR95, caos (mean over images)"):
        assert heading in text
    assert (
        "The order of scorers of ours on streets (AUROC, caos) correlates with that of ours on photographs at" in text
    )
    assert (study.folder / "transfer.js").is_file()


def test_nothing_is_scored_twice_and_more_can_join(study: Study, places: Path, tmp_path: Path) -> None:
    shutil.copytree(study.folder, tmp_path / "study")
    shutil.copytree(study.folder / "results/theirs/streets", tmp_path / "elsewhere")
    listening = Listening()
    for _ in range(2):
        make(places, tmp_path / "study", listening)
    assert listening.scored == 0
    assert listening.said[-1] == f"{tmp_path / 'study'} is up to date"
    joined = make(places, tmp_path / "study", listening, results=[f"cityscapes={tmp_path / 'elsewhere'}"])
    assert listening.scored == 0
    assert [e["name"] for e in joined.content.details["entries"]][-1] == "cityscapes on streets"
    found = next(
        a
        for a in joined.content.details["agreements"]
        if (a["first"], a["second"]) == ("theirs on streets", "cityscapes on streets")
    )
    assert found["spearman"] == {"value": pytest.approx(1), "low": pytest.approx(1), "high": pytest.approx(1)}


def test_a_stopped_study_goes_on_with_the_image_it_was_at(study: Study, places: Path, tmp_path: Path) -> None:
    stopped = Listening(stop_at=6)  # in the second of four scorings of four images each
    with pytest.raises(KeyboardInterrupt):
        make(places, tmp_path / "study", stopped)
    assert not (tmp_path / "study/study.json").exists()
    going_on = Listening()
    done = make(places, tmp_path / "study", going_on)
    assert 16 - 6 <= going_on.scored <= 16 - 5
    assert done.content.details["numbers"] == study.content.details["numbers"]
    assert done.content.details["agreements"] == study.content.details["agreements"]


def test_finished_results_alone_are_enough(study: Study, tmp_path: Path) -> None:
    folders = [f"{name}={study.folder / 'results/ours' / name}" for name in ("streets", "photographs")]
    alone = study_transfer([], [], tmp_path / "alone", results=folders, settings=SETTINGS)
    assert [e["name"] for e in alone.content.details["entries"]] == ["streets on streets", "photographs on photographs"]
    assert read_study(tmp_path / "alone").content.details == alone.content.details


def test_names() -> None:
    assert named("a b=/x/y") == Named("a b", Path("/x/y"))
    assert [n.name for n in told_apart([named("/x/run"), named("/y/run"), named("/y/other")], "run")] == [
        "x/run",
        "y/run",
        "other",
    ]
    with pytest.raises(CaosError, match="'=/x' is not NAME=FOLDER"):
        named("=/x")
    with pytest.raises(CaosError, match="the run /x/run is given twice"):
        told_apart([named("a=/x/run"), named("b=/x/run")], "run")
    with pytest.raises(CaosError, match="two sets are called 'a/a'"):
        told_apart([named("a=/a/x"), named("a=/a/y")], "set")


@pytest.mark.parametrize(
    ("sets", "runs", "results", "words"),
    [
        (["streets"], ["ours"], [], "1 scorings cannot be compared"),
        (["streets", "photographs"], [], [], "give both sets and --run RUN"),
        (["streets", "nowhere"], ["ours"], [], "nowhere"),
        (["streets", "photographs"], ["nothing"], [], "nothing"),
        (["streets", "photographs"], ["ours"], ["streets"], "holds no results.json"),
    ],
)
def test_bad_input_is_refused_before_anything_is_scored(places, tmp_path, sets, runs, results, words) -> None:
    here = [[str(places / name) for name in names] for names in (sets, runs, results)]
    with pytest.raises(CaosError, match=words):
        study_transfer(here[0], here[1], tmp_path / "out", results=here[2], settings=SETTINGS)
    assert list(tmp_path.iterdir()) == []


def test_too_few_scorers_and_missing_definitions_are_refused(study: Study, tmp_path: Path) -> None:
    folders = [f"{name}={study.folder / 'results/ours' / name}" for name in ("streets", "photographs")]
    with pytest.raises(CaosError, match=r"was not measured by protocol 'openood' \(but by caos, smiyc\)"):
        study_transfer([], [], tmp_path / "a", results=folders, settings=TransferSettings(protocols="openood"))
    with pytest.raises(CaosError, match="unknown protocol 'coas'"):
        study_transfer([], [], tmp_path / "a", results=folders, settings=TransferSettings(protocols="coas"))
    copied = tmp_path / "less"
    shutil.copytree(study.folder / "results/ours/streets", copied)
    content = json.loads((copied / "results.json").read_text())
    content["scorers"] = content["scorers"][:2]
    (copied / "results.json").write_text(json.dumps(content))
    with pytest.raises(CaosError, match=r"share 2 scorers \(msp, max_logit\); a rank correlation needs at least 3"):
        study_transfer([], [], tmp_path / "b", results=[folders[1], f"less={copied}"], settings=SETTINGS)
    assert not (tmp_path / "b").exists()
