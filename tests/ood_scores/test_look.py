"""``caos look`` and what it is made of: photographs in, regions, overlays and a page out."""

from __future__ import annotations

import io
import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from safetensors.numpy import load_file, save_file
from typer.testing import CliRunner

from caos.cli import app
from caos.foundation.errors import CaosError
from caos.ood_scores.looking.looking import LookOptions, look
from caos.ood_scores.looking.ordinary_scores import OrdinaryScores, measure_known, read_known
from caos.ood_scores.looking.overlay import draw_overlay
from caos.ood_scores.looking.photographs import find_photographs, read_photograph
from caos.ood_scores.looking.regions import find_regions
from caos.ood_scores.sources.run import RunPaths, RunSource
from caos.scenes.dataset.layout import open_dataset, read_class_ids
from caos.segmentation.bundled import run_folder
from tests.segmentation.little import seal

GREY = np.full((60, 90, 3), 120, np.uint8)
FOUR = np.array([[[255, 0, 0], [0, 255, 0]], [[0, 0, 255], [255, 255, 255]]], np.uint8)
KNOWN = OrdinaryScores(rates=(0.5, 0.1, 0.01), scores=(0.0, 1.0, 2.0))
BUNDLED = run_folder(Path("bundled"))


def street(width: int = 160, height: int = 96) -> np.ndarray:
    """Sky over a road, with a loud thing on it."""
    picture = np.zeros((height, width, 3), np.uint8)
    picture[: height // 2], picture[height // 2 :] = (140, 170, 210), (90, 90, 95)
    noise = np.random.default_rng(0).integers(0, 256, (height // 4, width // 4, 3))
    picture[height // 2 : height // 2 + noise.shape[0], width // 3 : width // 3 + noise.shape[1]] = noise
    return picture


def save(path: Path, picture: np.ndarray, **settings) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(picture).save(path, **settings)
    return path


# What a score means


def test_a_threshold_between_known_rates_goes_by_the_logarithm() -> None:
    assert KNOWN.threshold(0.1) == pytest.approx(1.0)
    assert KNOWN.threshold(10**-1.5) == pytest.approx(1.5)
    with pytest.raises(CaosError, match="false alarms of 0.001 have no known threshold; give 0.01 to 0.5"):
        KNOWN.threshold(0.001)


def test_rarity_runs_from_the_most_frequent_rate_to_the_rarest() -> None:
    found = KNOWN.rarity(np.array([-5, 0, 1, 2, 9], np.float32))
    assert found.tolist() == pytest.approx([0, 0, np.log(5) / np.log(50), 1, 1])


@pytest.mark.parametrize("wrong", [((0.1, 0.5), (1.0, 2.0)), ((0.5, 0.1), (2.0, 1.0)), ((0.5,), (1.0,))])
def test_scores_that_do_not_rise_as_rates_fall_are_refused(wrong) -> None:
    with pytest.raises(CaosError, match="must rise as their rates"):
        OrdinaryScores(*wrong)


def test_ordinary_scores_are_those_of_the_ordinary_pixels(data, run) -> None:
    dataset = open_dataset(data)
    source = RunSource(RunPaths(run), ("msp", "max_logit"), device="cpu")
    known = measure_known(source, dataset, "test")
    assert known.recommended == "msp"
    assert (known.side, known.on.images) == (96, 6)
    for name in ("msp", "max_logit"):
        ordinary = []
        for sample in dataset.samples("test"):
            scores = source.score_picture(sample.key, np.array(Image.open(sample.image))).maps[name]
            ordinary.append(scores[read_class_ids(sample, dataset.labels) < 13])
        every = np.concatenate(ordinary)
        assert known.on.pixels == every.size
        for rate, threshold in zip(known.scorers[name].rates, known.scorers[name].scores, strict=True):
            assert (every >= threshold).mean() == pytest.approx(rate, abs=0.002)


def test_the_bundled_run_recommends_a_scorer_and_knows_its_scores() -> None:
    known = read_known(BUNDLED)
    assert known is not None
    assert known.scorers[known.recommended].threshold(0.05) < known.scorers[known.recommended].threshold(0.01)


# Regions


def test_regions_are_found_largest_first_without_specks() -> None:
    scores = np.zeros((100, 100), np.float32)
    scores[80:90, 5:15], scores[10:14, 60:65], scores[50, 50] = 1.0, 3.0, 9.0
    regions, flagged = find_regions(scores, 0.5)
    assert [(r.box, r.pixels, r.score, r.place) for r in regions] == [
        ((5, 80, 10, 10), 100, 1.0, "lower left"),
        ((60, 10, 5, 4), 20, 3.0, "upper middle"),
    ]
    assert regions[0].share == pytest.approx(0.01)
    assert flagged.sum() == 120


def test_nothing_flagged_is_no_region() -> None:
    regions, flagged = find_regions(np.zeros((20, 20), np.float32), 0.5)
    assert regions == ()
    assert not flagged.any()


# The overlay


def test_the_overlay_darkens_what_is_ordinary_and_outlines_what_is_not() -> None:
    scores = np.zeros(GREY.shape[:2], np.float32)
    scores[30:50, 30:60] = 2.0
    regions, flagged = find_regions(scores, 1.5)
    picture = draw_overlay(GREY, KNOWN.rarity(scores), flagged, regions)
    assert 60 < picture[5, 5].mean() < 120
    assert np.ptp(picture[5, 5].astype(int)) == 0
    red, _, blue = (int(value) for value in picture[40, 45])
    assert red > 180
    assert red - blue > 60
    # A white line of about a pixel, between dark ones.
    assert picture[49, 45].min() > 190
    assert picture[51, 45].max() < 60


@pytest.mark.parametrize(("side", "is_tagged"), [(199, False), (200, True)])
def test_a_picture_is_tagged_where_the_words_can_be_read(side: int, is_tagged: bool) -> None:
    photograph, scores = np.full((side, side, 3), 120, np.uint8), np.zeros((side, side), np.float32)
    scores[60:90, 60:140] = 2.0
    regions, flagged = find_regions(scores, 1.5)
    picture = draw_overlay(photograph, KNOWN.rarity(scores), flagged, regions)
    assert (picture[:56] == 255).all(axis=2).any() == is_tagged  # white above the outline


def test_an_ordinary_photograph_stays_without_a_mark() -> None:
    nothing = np.zeros(GREY.shape[:2], np.float32)
    picture = draw_overlay(GREY, nothing, nothing.astype(bool), ())
    assert len(np.unique(picture)) == 1


# Photographs


@pytest.mark.parametrize("orientation", range(1, 9))
def test_photographs_are_turned_upright(tmp_path, orientation) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    stored = {
        1: FOUR, 2: FOUR[:, ::-1], 3: FOUR[::-1, ::-1], 4: FOUR[::-1], 5: FOUR.transpose(1, 0, 2),
        6: np.rot90(FOUR), 7: FOUR[::-1, ::-1].transpose(1, 0, 2), 8: np.rot90(FOUR, 3),
    }[orientation]  # fmt: skip
    path = save(tmp_path / "photo.png", np.ascontiguousarray(stored), exif=exif)
    assert np.array_equal(read_photograph(path), FOUR)


def test_jpeg_png_and_webp_of_any_mode_are_read(tmp_path) -> None:
    grey = Image.fromarray(GREY)
    for name, mode in (("a.jpg", "CMYK"), ("b.png", "RGBA"), ("c.webp", "RGB"), ("e.JPEG", "L")):
        grey.convert(mode).save(tmp_path / name)
    grey.quantize().save(tmp_path / "d.png")
    Image.fromarray(np.full((60, 90), 120 * 257, np.uint16)).save(tmp_path / "f.png")
    found = find_photographs([tmp_path])
    assert [path.name for path in found] == ["a.jpg", "b.png", "c.webp", "d.png", "e.JPEG", "f.png"]
    for path in found:
        assert np.abs(read_photograph(path).astype(int) - 120).max() <= 3


def test_a_large_photograph_is_made_smaller(tmp_path) -> None:
    assert read_photograph(save(tmp_path / "wide.png", np.zeros((10, 5000, 3), np.uint8))).shape == (8, 4096, 3)


def not_photographs(folder: Path) -> dict[str, tuple[Path, str]]:
    """Files that are none, and what is said of them."""
    (folder / "text.jpg").write_text("not a picture")
    (folder / "empty").mkdir()
    buffer = io.BytesIO()
    Image.fromarray(street(400, 300)).save(buffer, "JPEG")
    (folder / "cut.jpg").write_bytes(buffer.getvalue()[: buffer.tell() // 2])
    save(folder / "moving.gif", GREY)
    return {
        "text": (folder / "text.jpg", "text.jpg cannot be read as a picture: its format is unknown"),
        "empty": (folder / "empty", "empty holds no photograph"),
        "cut": (folder / "cut.jpg", "cut.jpg cannot be read as a picture"),
        "gif": (folder / "moving.gif", "moving.gif is a GIF picture; save it as JPEG, PNG or WebP"),
        "missing": (folder / "nowhere.png", "nowhere.png does not exist"),
    }


@pytest.mark.parametrize("kind", ["text", "empty", "cut", "gif", "missing"])
def test_what_is_no_photograph_is_said_before_anything_is_written(tmp_path, kind) -> None:
    path, words = not_photographs(tmp_path)[kind]
    good = save(tmp_path / "good.png", street())
    with pytest.raises(CaosError, match=re.escape(words)):
        look([good, path], tmp_path / "seen")
    assert not (tmp_path / "seen").exists()


# The whole


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    """A look with the run of the package at a folder and a file of the same name, with maps."""
    root = tmp_path_factory.mktemp("look")
    save(root / "photos/dot.png", GREY[:1, :1])
    save(root / "photos/street.jpg", street(), quality=95)
    save(root / "photos/tall.webp", street(60, 120))
    other = save(root / "street.png", street(200, 100))
    return look([root / "photos", other], root / "seen", LookOptions(maps=True, device="cpu", false_alarms=0.2))


def test_every_photograph_gets_an_overlay_of_its_size(seen) -> None:
    assert [found.overlay.name for found in seen.photographs] == ["dot.png", "street.png", "tall.png", "street-2.png"]
    sizes = [Image.open(found.overlay).size for found in seen.photographs]
    assert sizes == [(1, 1), (160, 96), (60, 120), (200, 100)]


def test_regions_are_those_of_the_score_map_at_the_stored_threshold(seen) -> None:
    known = read_known(BUNDLED)
    assert known is not None
    for found in seen.photographs:
        assert found.threshold == known.scorers[known.recommended].threshold(0.2)
        with np.load(found.overlay.parent / "maps" / f"{found.overlay.stem}.npz") as file:
            scores = file["scores"]
        assert scores.shape == Image.open(found.overlay).size[::-1]
        assert found.regions == find_regions(scores, found.threshold)[0]
    assert any(found.regions for found in seen.photographs)


def test_the_page_holds_everything_and_says_what_an_outline_means(seen) -> None:
    text = seen.page.read_text(encoding="utf-8")
    assert text.count("data:image/webp;base64,") == 8
    assert not re.search(r"(src|href)=\"(?!data:)", text)
    assert "the highest 20 % of ordinary pixels" in seen.meaning
    assert seen.meaning in text


def test_the_lines_name_photograph_place_share_and_score(seen) -> None:
    found = next(found for found in seen.photographs if found.regions)
    first = found.regions[0]
    assert found.line().startswith(f"{found.photograph.name}: largest foreign region at the {first.place}, ")
    assert f"{100 * first.share:.1f} % of the picture (" in found.line()
    assert f"score {first.score:.3g}, outlined from" in found.line()


def test_the_command_prints_a_line_for_each_photograph_and_guards_its_folder(tmp_path) -> None:
    first, second = save(tmp_path / "a.png", street()), save(tmp_path / "b.png", street(96, 96))

    def run(*words: object):
        return CliRunner().invoke(app, ["-q", "look", *map(str, words), "--device", "cpu"])

    done = run(first, "--out", tmp_path / "seen")
    assert done.exit_code == 0, done.output
    assert done.output.splitlines()[0].startswith("a.png: ")
    assert done.output.splitlines()[-1] == f"The page: {tmp_path / 'seen/index.html'}"
    assert sorted(p.name for p in (tmp_path / "seen").iterdir()) == ["a.png", "index.html", "look.json"]
    assert run(first, "--out", tmp_path / "seen").output == done.output
    refused = run(second, "--out", tmp_path / "seen")
    assert isinstance(refused.exception, CaosError)
    assert "made with other settings" in str(refused.exception)
    assert run(second, "--out", tmp_path / "seen", "--overwrite").exit_code == 0
    assert sorted(p.name for p in (tmp_path / "seen").iterdir()) == ["b.png", "index.html", "look.json"]


def test_a_run_without_ordinary_scores_flags_a_share_of_each_photograph(run, tmp_path) -> None:
    photo = save(tmp_path / "a.png", street(320, 200))
    seen = look([photo], tmp_path / "seen", LookOptions(run=run, scorer="msp", false_alarms=0.1, device="cpu"))
    assert "keeps no ordinary scores" in seen.meaning
    assert "the 10 % most foreign pixels" in seen.meaning
    assert sum(region.share for region in seen.photographs[0].regions) == pytest.approx(0.1, abs=0.01)


def test_a_set_to_fit_on_gives_threshold_and_fits(run, data, tmp_path) -> None:
    photo = save(tmp_path / "a.png", street())
    options = LookOptions(run=run, scorer="knn", fit_on=data, device="cpu")
    seen = look([photo], tmp_path / "seen", options)
    assert "Scorer knn. " in seen.meaning
    assert "ordinary pixels in 3 validation images" in seen.meaning
    with pytest.raises(CaosError, match="scorer 'knn' must be fitted on ordinary pictures; name a set with --fit-on"):
        look([photo], tmp_path / "other", LookOptions(run=run, scorer="knn", device="cpu"))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (LookOptions(false_alarms=0.9), "false alarms are 0.9; give a share from 0.001 to 0.5"),
        (LookOptions(scorer="msp,energy"), "give one scorer, not 'msp,energy'"),
        (LookOptions(scorer="enrgy"), "did you mean 'energy'?"),
        (LookOptions(run=Path("nowhere")), "nowhere is not a training run"),
    ],
    ids=["rate", "two scorers", "unknown scorer", "no run"],
)
def test_bad_options_are_one_line_and_leave_nothing(tmp_path, options, words) -> None:
    photo = save(tmp_path / "a.png", street())
    with pytest.raises(CaosError, match=re.escape(words)):
        look([photo], tmp_path / "seen", options)
    assert not (tmp_path / "seen").exists()


def test_damaged_ordinary_scores_are_named(run, tmp_path) -> None:
    (tmp_path / "ordinary_scores.json").write_text(json.dumps({"side": 640}))
    with pytest.raises(CaosError, match=r"ordinary_scores.json: key 'on' is missing"):
        read_known(tmp_path)


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (np.nan, "holds weights that are no numbers"),
        (3e38, r"'max_logit' gave \d+ NaN or infinite scores of \d+ for "),
    ],
)
def test_a_network_that_gives_no_numbers_is_one_line(run, data, tmp_path, value, told) -> None:
    shutil.copytree(run, tmp_path / "run")
    path = tmp_path / "run" / "model.safetensors"
    state = load_file(path)
    first = next(name for name, tensor in state.items() if tensor.ndim == 4)
    save_file(state | {first: np.full_like(state[first], value)}, path)
    seal(tmp_path / "run")
    Image.new("RGB", (64, 48), (90, 80, 70)).save(tmp_path / "street.png")
    options = LookOptions(run=tmp_path / "run", scorer="max_logit", fit_on=data)
    with pytest.raises(CaosError, match=told):
        look([tmp_path / "street.png"], tmp_path / "seen", options)
