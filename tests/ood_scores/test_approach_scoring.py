"""Approaches scored: what ``caos score`` says of sequences, in results.json, in the table and on the page."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageSequence

from caos.cli import _run
from caos.foundation.errors import CaosError
from caos.ood_scores import results as scoring
from caos.ood_scores.command import Request, run_request
from caos.ood_scores.evaluation.approaches import approaches
from caos.ood_scores.report.build import build_site
from caos.ood_scores.results import Results
from caos.scenes.dataset.layout import open_dataset
from tests.ood_scores import little


@pytest.fixture(scope="module")
def neared(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return little.write_approaches(tmp_path_factory.mktemp("near"))


@pytest.fixture(scope="module")
def scored(neared: tuple[Path, Path]) -> Results:
    data, maps = neared
    return run_request(Request(data, None, data.parent / "results", maps=maps))


def test_results_say_from_how_far_away_hazards_are_noticed(scored: Results) -> None:
    noticing = scored.content.noticing
    assert noticing is not None
    assert noticing.hours == pytest.approx(4 / 3600)
    (mine,) = noticing.scorers.values()
    # None of the four seconds may have an alarm: the level lies above the region of 0.5, under the marks of 0.9.
    assert mine.false_alarms_per_hour == 0
    first, second = mine.approaches
    assert (first.noticed_m, first.in_time, first.lost) == (40.0, True, 0)
    assert first.marked == (False, True, True, True)
    assert first.stopping_m == pytest.approx(17.28, abs=0.01)
    assert (second.noticed_m, second.in_time, second.lost) == (None, False, 1)
    # Its road is wet.
    assert second.stopping_m == pytest.approx(22.74, abs=0.01)
    assert (first.hour, first.size_m, first.category) == ("day", 2.0, "furniture")
    assert (mine.every.in_time, mine.every.judged) == (1, 2)
    assert scoring.read(scored.folder).content == scored.content


def test_the_table_is_printed(scored: Results) -> None:
    text = scored.markdown()
    assert "## Noticed in time" in text
    assert "| mine | 0 | 2 | 1 | 1 of 2 | 40.0 m | 0.5 |" in text
    assert text == (scored.folder / "table.md").read_text()


def test_other_rules_give_other_numbers(neared: tuple[Path, Path], tmp_path: Path) -> None:
    data, maps = neared
    slow = run_request(Request(data, None, tmp_path / "out", maps=maps, stopping="reaction=4"))
    assert slow.content.noticing is not None
    (mine,) = slow.content.noticing.scorers.values()
    # 40 m of reaction and 7.28 m of braking: 40 m are too near now.
    assert (mine.approaches[0].noticed_m, mine.approaches[0].in_time) == (40.0, False)
    with pytest.raises(CaosError, match="unknown word of --stopping 'reacton'"):
        run_request(Request(data, None, tmp_path / "bad", maps=maps, stopping="reacton=4"))
    assert not (tmp_path / "bad").exists()


def test_a_page_shows_them_frame_by_frame(scored: Results, tmp_path: Path) -> None:
    site = build_site(scored.folder, tmp_path / "site", workers=1).index.parent
    assert "Approaches</a>" in (site / "index.html").read_text()
    assert "stopping distance" in (site / "approaches.html").read_text()
    told = json.loads((site / "data.js").read_text().removeprefix("window.CAOS = ").rstrip(";\n"))
    (mine,) = told["noticing"]["scorers"].values()
    assert mine["approaches"][0]["distances_m"] == list(little.NEARED_M)
    frames = {frame["key"]: frame for frame in told["frames"]}
    assert all((site / frames[key]["dir"] / "image.webp").is_file() for key in mine["approaches"][0]["frames"])


def test_a_video_shows_what_was_marked_and_from_where(scored: Results, tmp_path: Path) -> None:
    data = str(scored.folder.parent / "set")
    words = ["-q", "scenes", "video", data, "--results", str(scored.folder), "--out", str(tmp_path / "v")]
    assert _run([*words, "--sequence", "test/near/001"]) == 0
    (file,) = (tmp_path / "v").iterdir()
    with Image.open(file) as film:
        assert (film.n_frames, film.width) == (4, 640)
        frames = [np.asarray(frame.convert("RGB")).astype(int) for frame in ImageSequence.Iterator(film)]
    scale = 640 / little.WIDTH
    hazard = np.s_[round(22 * scale) : round(28 * scale), round(32 * scale) : round(38 * scale)]
    # Not marked at 50 m; marked, so painted amber, from 40 m on.
    amber = [frame[hazard][..., 0].mean() - frame[hazard][..., 2].mean() for frame in frames]
    assert amber[0] < 60 < min(amber[1:])
    corner = (round(20 * scale) - 2, round(35 * scale))
    assert frames[0][corner][0] > frames[0][corner][1]
    assert frames[2][corner][1] > frames[2][corner][0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--sequence", "test/near/01"], "unknown sequence 'test/near/01'"),
        (["--scorer", "yours"], "unknown scorer 'yours'"),
        (["--plain"], "--plain shows no marks"),
    ],
)
def test_a_video_that_cannot_be_is_one_clear_line(scored: Results, tmp_path: Path, capfd, options, message) -> None:
    words = ["scenes", "video", str(scored.folder.parent / "set"), "--results", str(scored.folder)]
    assert _run([*words, "--out", str(tmp_path / "v"), *options]) == 2
    assert message in capfd.readouterr().err
    assert not (tmp_path / "v").exists()


def test_a_set_of_single_images_has_no_approaches(data: Path, run: Path, tmp_path: Path) -> None:
    plain = run_request(Request(data, run, tmp_path / "out", scorers="msp"))
    assert plain.content.noticing is None
    assert "Noticed in time" not in plain.markdown()
    assert not (build_site(plain.folder, tmp_path / "site", workers=1).index.parent / "approaches.html").exists()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda row: row["sequence"].update(rate_hz=0), "rate_hz is 0.0; it must be above 0"),
        (lambda row: row["sequence"].pop("speed_kmh"), "sequence: key 'speed_kmh' is missing"),
        (lambda row: row["hazards"][0].pop("nearest_m"), r"hazards\[0\]: key 'nearest_m' is missing"),
        (lambda row: row.update(sequence="first"), "'first' is not a table"),
    ],
)
def test_a_wrong_manifest_is_one_clear_line(scored: Results, tmp_path: Path, change, words: str) -> None:
    shutil.copytree(scored.folder.parent / "set", tmp_path / "set")
    file = tmp_path / "set/manifest.jsonl"
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    change(rows[1])
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(CaosError, match=f"manifest.jsonl, 'test/near/001-0001': .*{words}"):
        dataset = open_dataset(tmp_path / "set")
        approaches(dataset, dataset.manifest(), scored.images(), ("mine",))
