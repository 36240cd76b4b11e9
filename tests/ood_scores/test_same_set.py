"""Results are ranked and shown with the set that they are of: its labels and images by content, wherever they lie."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from caos.foundation.errors import CaosError
from caos.foundation.execution.progress import Silent
from caos.ood_scores import results as scored
from caos.ood_scores.command import Request, run_request
from caos.ood_scores.report.build import build_site
from caos.ood_scores.report.comparison import compared_rows, comparison
from caos.ood_scores.report.comparison_site import build_comparison, compared
from caos.ood_scores.results import Results
from tests.ood_scores import little


def score(dataset: Path, out: Path, seed: int = 0, protocols: str = "caos,smiyc") -> Results:
    rng = np.random.default_rng(seed)
    little.write_maps(out / "maps" / "a", dataset, lambda a, _: (a + rng.normal(size=a.shape)).astype(np.float32))
    return run_request(
        Request(dataset, None, out / "results", maps=out / "maps", protocols=protocols, components=False)
    )


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("sets")


@pytest.fixture(scope="module")
def first(place: Path) -> Results:
    return score(little.write_set(place / "first", test=3, val=0, seed=0), place / "of-first")


@pytest.fixture(scope="module")
def other(place: Path) -> Results:
    """Another set of the same name, split and number of images."""
    return score(little.write_set(place / "other", test=3, val=0, seed=5), place / "of-other")


@pytest.fixture(scope="module")
def moved(place: Path, first: Results) -> Results:
    """The same set in another folder."""
    return score(Path(shutil.copytree(place / "first", place / "moved")), place / "of-moved", seed=1)


def without_digest(results: Results, folder: Path) -> Path:
    shutil.copytree(results.folder, folder)
    content = json.loads((folder / "results.json").read_text())
    for name in ("labels_digest", "images_digest"):
        content["dataset"].pop(name)
    (folder / "results.json").write_text(json.dumps(content))
    return folder


def test_two_sets_of_one_name_are_not_ranked_together(first: Results, other: Results, tmp_path: Path) -> None:
    assert first.content.dataset.name == other.content.dataset.name
    ours, theirs = first.content.dataset.labels_digest, other.content.dataset.labels_digest
    assert ours != theirs
    words = (
        f"{other.folder} and {first.folder} are of different sets of one name: the digest of their labels is {theirs}"
    )
    for refused in (comparison, compared_rows):
        with pytest.raises(CaosError, match=words) as told:
            refused([first.folder, other.folder], "caos", unchecked=True)
        assert f"labels is {theirs} and {ours}" in str(told.value)
        assert "\n" not in str(told.value)
    entries = compared([f"one={first.folder}", f"two={other.folder}"])
    with pytest.raises(CaosError, match="are of different sets of one name"):
        build_comparison(entries, tmp_path / "site", workers=1)
    assert not (tmp_path / "site").exists()


def test_a_set_that_moved_is_the_same_set(first: Results, moved: Results, tmp_path: Path) -> None:
    assert first.content.dataset.root != moved.content.dataset.root
    assert first.content.dataset.labels_digest == moved.content.dataset.labels_digest
    assert comparison([first.folder, moved.folder], "smiyc").count("| a |") == 2
    site = build_comparison(compared([f"x={first.folder}", f"y={moved.folder}"]), tmp_path / "site", workers=1)
    assert site.frames == 6
    assert build_site(first.folder, tmp_path / "alone", dataset_root=Path(moved.content.dataset.root)).frames == 3


def test_pages_show_only_the_images_that_were_scored(first: Results, other: Results, tmp_path: Path) -> None:
    ours, theirs = first.content.dataset.labels_digest, other.content.dataset.labels_digest
    words = f"was measured on labels with the digest {ours}, but those of {other.content.dataset.root} have {theirs}"
    with pytest.raises(CaosError, match=words) as told:
        build_site(first.folder, tmp_path / "site", dataset_root=Path(other.content.dataset.root), workers=1)
    assert "\n" not in str(told.value)
    assert not (tmp_path / "site" / "index.html").exists()


def test_equal_labels_with_other_images_are_another_set(place: Path, first: Results, tmp_path: Path) -> None:
    night = Path(shutil.copytree(place / "first", tmp_path / "night"))
    for path in (night / "test" / "images").rglob("*.png"):
        Image.fromarray(np.asarray(Image.open(path)) // 4).save(path)
    dark = score(night, tmp_path / "of-night")
    assert dark.content.dataset.labels_digest == first.content.dataset.labels_digest
    with pytest.raises(CaosError, match="the digest of their images is"):
        comparison([first.folder, dark.folder], "caos")
    with pytest.raises(CaosError, match="was measured on images with the digest"):
        build_site(first.folder, tmp_path / "site", dataset_root=night, workers=1)


def test_a_set_that_was_replaced_where_it_lay_is_not_shown(place: Path, tmp_path: Path) -> None:
    dataset = Path(shutil.copytree(place / "first", tmp_path / "set"))
    results = score(dataset, tmp_path / "of")
    path = next((dataset / "test" / "annotations").rglob("*.png"))
    ids = np.array(Image.open(path))
    ids[0, 0] = 14
    Image.fromarray(ids).save(path)
    with pytest.raises(CaosError, match="was measured on labels with the digest"):
        build_site(results.folder, tmp_path / "site", workers=1)


class Said(Silent):
    """Progress that remembers what it was told."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def say(self, text: str) -> None:
        self.lines.append(text)


def test_older_results_are_unknown_and_said_to_be(first: Results, moved: Results, tmp_path: Path) -> None:
    old = without_digest(first, tmp_path / "old")
    with pytest.raises(CaosError, match=rf"{old} has no digest of its set \(older version\).*--unchecked"):
        comparison([moved.folder, old], "caos")
    assert comparison([moved.folder, old], "caos", unchecked=True).count("| a |") == 2
    assert comparison([old], "caos").count("| a |") == 1
    entries = compared([f"x={old}", f"y={moved.folder}"])
    with pytest.raises(CaosError, match="has no digest of its set"):
        build_comparison(entries, tmp_path / "site", workers=1)
    assert build_comparison(entries, tmp_path / "site", workers=1, unchecked=True).frames == 6
    said = Said()
    assert build_site(old, tmp_path / "alone", workers=1, progress=said).frames == 3
    assert f"{old} has no digest of its set (older version)" in said.lines[0]


def test_one_set_read_by_two_tables_is_not_ranked_where_other_pixels_count(place: Path, tmp_path: Path) -> None:
    results = score(place / "first", tmp_path / "of")
    content = json.loads((results.folder / "results.json").read_text())
    content["pixels"]["smiyc"]["left_out"] += 5
    content["dataset"]["labels"]["name"] = "streethazards-12"
    copied = Path(shutil.copytree(results.folder, tmp_path / "copied"))
    (copied / "results.json").write_text(json.dumps(content))
    with pytest.raises(CaosError, match="counts .* pixels by protocol 'smiyc'.*'streethazards-12' and 'streethazards'"):
        comparison([results.folder, copied], "smiyc")
    assert comparison([results.folder, copied], "caos").count("| a |") == 2


def test_the_digest_follows_keys_labels_and_anomalous_values(place: Path, tmp_path: Path) -> None:
    from caos.foundation.storage.identity import FileHashes
    from caos.ood_scores.evaluation.dependencies import set_digests
    from caos.scenes.dataset.layout import open_dataset
    from caos.scenes.labels import BDD_ANOMALY, STREETHAZARDS, STREETHAZARDS_12, hold_out

    samples = open_dataset(place / "first").samples("test")
    one = set_digests(STREETHAZARDS, samples, FileHashes())
    assert one == set_digests(STREETHAZARDS_12, samples, FileHashes())
    assert one.labels != set_digests(BDD_ANOMALY, samples, FileHashes()).labels
    held = [set_digests(hold_out(names), samples, FileHashes()).labels for names in (("rider",), ("bus",))]
    assert held[0] != held[1]
    fewer = set_digests(STREETHAZARDS, samples[1:], FileHashes())
    assert (fewer.labels != one.labels, fewer.images != one.images) == (True, True)


def test_commands_take_and_explain_unchecked(first: Results, moved: Results, tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from caos.cli import app

    old = without_digest(first, tmp_path / "old")
    runner = CliRunner()
    refused = runner.invoke(app, ["compare", str(moved.folder), str(old)])
    assert isinstance(refused.exception, CaosError)
    taken = runner.invoke(app, ["compare", str(moved.folder), str(old), "--unchecked"])
    assert taken.exit_code == 0
    assert "protocol caos" in taken.stdout
    assert scored.read(old).content.dataset.labels_digest is None
