"""Every table says which pixels and images its numbers are of, and what random scores get on them."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from rich.console import Console

from caos.ood_scores import results as scored
from caos.ood_scores.command import Request, run_request
from caos.ood_scores.measuring import metrics
from caos.ood_scores.measuring.protocols import PROTOCOLS, Protocol
from caos.ood_scores.report.build import build_site
from caos.ood_scores.report.comparison import comparison, shared_protocol
from caos.ood_scores.report.pixel_words import pixel_words
from caos.ood_scores.results import Results
from caos.ood_scores.terminal_tables import show_results
from caos.scenes.converting.photographs import convert_release
from tests.ood_scores import little

WIDTH, HEIGHT = 96, 64
VOID_COLUMNS = (60, 70, 80, 30, 30)
"""Void columns of each photograph; the last two show no anomaly."""


def mask_of(number: int) -> np.ndarray:
    mask = np.zeros((HEIGHT, WIDTH), np.uint8)
    mask[:, : VOID_COLUMNS[number]] = 255
    if number < 3:
        mask[20 : 24 + 6 * number, 84:94] = 1
    return mask


def write_photos(root: Path, masks: list[np.ndarray]) -> Path:
    rng = np.random.default_rng(0)
    for name in ("images", "masks"):
        (root / name).mkdir(parents=True)
    for number, mask in enumerate(masks):
        image = rng.integers(0, 255, (*mask.shape, 3), dtype=np.uint8)
        Image.fromarray(image).save(root / "images" / f"{number}.png")
        Image.fromarray(mask).save(root / "masks" / f"{number}.png")
    convert_release(root, "folder", root / "set", workers=1)
    return root / "set"


@pytest.fixture(scope="module")
def photos(tmp_path_factory) -> Path:
    return write_photos(tmp_path_factory.mktemp("photos"), [mask_of(number) for number in range(5)])


def write_random_maps(folder: Path, dataset: Path, seed: int = 0) -> None:
    rng = np.random.default_rng(seed)
    little.write_maps(folder, dataset, lambda anomalous, _: rng.random(anomalous.shape).astype(np.float32))


def score(dataset: Path, folder: Path, protocols: str | None) -> Results:
    write_random_maps(folder / "maps" / "random", dataset)
    return run_request(Request(dataset, None, folder / "out", maps=folder / "maps", protocols=protocols))


@pytest.fixture(scope="module")
def everything(photos: Path, tmp_path_factory) -> Results:
    return score(photos, tmp_path_factory.mktemp("all"), "all")


@pytest.fixture(scope="module")
def usual(photos: Path, tmp_path_factory) -> Results:
    return score(photos, tmp_path_factory.mktemp("usual"), None)


def expected_rate(protocol: Protocol) -> float:
    """By hand: anomalous pixels among those that count, pooled, or the mean over images that can be measured."""
    masks = [mask_of(number) for number in range(5)]
    counted = [mask[mask != 255] if protocol.ignores_void else mask for mask in masks]
    if protocol.is_pooled:
        return float((np.concatenate([part.ravel() for part in counted]) == 1).mean())
    return float(np.mean([(part == 1).mean() for part in counted[:3]]))


@pytest.mark.parametrize("protocol", PROTOCOLS.values(), ids=lambda p: p.name)
def test_the_random_rate_is_that_of_the_pixels_that_count(everything: Results, protocol: Protocol) -> None:
    found = everything.content.pixels[protocol.name]
    assert found.random_aupr == pytest.approx(expected_rate(protocol), abs=1e-12)
    images = 5 if protocol.is_pooled else 3
    assert found.pixels == images * WIDTH * HEIGHT
    assert found.void == HEIGHT * sum(VOID_COLUMNS[:images])
    assert found.left_out == (found.void if protocol.ignores_void else 0)
    assert found.anomalous == 10 * (4 + 10 + 16)


@pytest.mark.parametrize("protocol", PROTOCOLS.values(), ids=lambda p: p.name)
def test_random_scores_get_the_rate_that_is_printed(protocol: Protocol) -> None:
    rng, masks = np.random.default_rng(3), [mask_of(number) for number in range(5)]
    found = []
    for _ in range(60):
        maps = [rng.random(mask.shape).astype(np.float32) for mask in masks]
        parts = [
            (values.ravel(), (mask == 1).ravel(), ((mask == 255) & protocol.ignores_void).ravel())
            for values, mask in zip(maps, masks, strict=True)
        ]
        together = [tuple(np.concatenate(arrays) for arrays in zip(*parts, strict=True))]
        counts = [metrics.count(*part) for part in (together if protocol.is_pooled else parts[:3])]
        found.append(np.mean([protocol.measure(one).aupr for one in counts]))
    # The few highest scores move the curve of a small image: about two standard errors and one part in twenty.
    assert np.mean(found) == pytest.approx(expected_rate(protocol), rel=0.12)


def test_a_constant_score_by_the_trapezoid_gets_half_of_the_way_to_one(everything: Results) -> None:
    rate = expected_rate(PROTOCOLS["pytorch-ood"])
    words = pixel_words(everything.content, PROTOCOLS["pytorch-ood"])
    assert f"A random scorer's AUPR is {100 * rate:.2f}, that of a constant score {50 + 50 * rate:.2f}." in words
    counts = [metrics.count(np.ones(mask.shape), mask == 1, mask == 255) for mask in map(mask_of, range(3))]
    measured = np.mean([PROTOCOLS["pytorch-ood"].measure(one).aupr for one in counts])
    assert measured == pytest.approx((1 + rate) / 2, abs=1e-12)


def section(text: str, name: str) -> str:
    return text.partition(f"## {name}\n")[2].partition("\n## ")[0]


WORDS = {
    "caos": "Void counts as ordinary: 72.9 % of pixels. A random scorer's AUPR is 1.63. Images left out because they "
    "have only one kind of pixel: 2 of 5.",
    "pytorch-ood": "Void left out: 72.9 % of pixels. A random scorer's AUPR is {rate:.2f}, that of a constant score "
    "{half:.2f}. Images left out because they have only one kind of pixel: 2 of 5 (`excluded` in results.json).",
    "openood": "Void counts as ordinary: 56.2 % of pixels. A random scorer's AUPR is 0.98, that of a constant score "
    "50.49.",
    "densehybrid": "Void and class 'other' left out: 56.2 % of pixels. A random scorer's AUPR is 2.23.",
    "densehybrid-roc": "Void and class 'other' left out: 56.2 % of pixels. A random scorer's AUPR is 2.23.",
    "smiyc": "Void left out: 56.2 % of pixels. A random scorer's AUPR is 2.23.",
}


@pytest.mark.parametrize("protocol", WORDS)
def test_each_table_says_which_pixels_and_images_it_is_of(everything: Results, protocol: str) -> None:
    rate = 100 * expected_rate(PROTOCOLS[protocol])
    words = WORDS[protocol].format(rate=rate, half=50 + rate / 2)
    assert pixel_words(everything.content, everything.content.protocols[list(WORDS).index(protocol)]) == words
    assert words in section(everything.markdown(), protocol)
    console = Console(file=io.StringIO(), force_terminal=True, width=150, highlight=False)
    show_results(everything, console=console)
    printed = re.sub(r"\x1b\[[0-9;]*m|\s+", " ", console.file.getvalue())  # type: ignore[attr-defined]
    assert re.sub(r"\s+", " ", words) in re.sub(r" +", " ", printed)


def test_missing_images_are_told_only_where_they_are_missing(everything: Results, usual: Results) -> None:
    markdown = everything.markdown()
    assert markdown.count("only one kind of pixel") == 2
    assert "only one kind of pixel" not in usual.markdown()
    assert [row.key for row in usual.content.excluded] == ["test/photos/3", "test/photos/4"]
    assert "only one kind" not in comparison([everything.folder], "smiyc")
    assert "only one kind of pixel: 2 of 5" in comparison([everything.folder], "pytorch-ood")


def test_the_pages_say_the_same(everything: Results, usual: Results, tmp_path: Path) -> None:
    for results, name in ((everything, "all"), (usual, "usual")):
        build_site(results.folder, tmp_path / name, workers=1)
    data = json.loads((tmp_path / "all/data.js").read_text().removeprefix("window.CAOS = ").rstrip().rstrip(";"))
    for protocol in everything.content.protocols:
        assert pixel_words(everything.content, protocol) in data["protocols"][protocol.name]
    assert data["base_rate"] == pytest.approx(expected_rate(PROTOCOLS["smiyc"]))
    page = (tmp_path / "all/index.html").read_text()
    assert "2 images cannot be measured one by one, and are not part of the numbers of caos, pytorch-ood" in page
    assert "cannot be measured" not in (tmp_path / "usual/index.html").read_text()
    shown = json.loads((tmp_path / "usual/data.js").read_text().removeprefix("window.CAOS = ").rstrip().rstrip(";"))
    assert shown["frame_protocol"] == "pytorch-ood"
    assert [frame["auroc"] == [None] for frame in shown["frames"]] == [False, False, False, True, True]


def test_photographs_are_measured_without_void_unless_a_protocol_is_asked_for(
    photos: Path, everything: Results, usual: Results, tmp_path: Path
) -> None:
    assert [protocol.name for protocol in usual.content.protocols] == ["smiyc"]
    assert usual.value("random", "aupr") == everything.value("random", "aupr", "smiyc")
    assert (usual.content.dataset.leaves_void_out, usual.content.frame_protocol) == (True, "pytorch-ood")
    asked = score(photos, tmp_path, "caos")
    assert [protocol.name for protocol in asked.content.protocols] == ["caos"]
    assert asked.content.frame_protocol == "caos"
    assert asked.value("random", "auroc") == everything.value("random", "auroc", "caos")


def test_compare_takes_the_protocol_of_the_set(
    photos: Path, everything: Results, usual: Results, tmp_path: Path
) -> None:
    assert shared_protocol([everything.folder]) == "smiyc"
    asked = score(photos, tmp_path, "caos,openood")
    assert shared_protocol([asked.folder, everything.folder]) == "caos"
    table = comparison([usual.folder, everything.folder], shared_protocol([usual.folder, everything.folder]))
    assert "protocol smiyc" in table
    assert "Void left out: 56.2 % of pixels. A random scorer's AUPR is 2.23." in table
    with pytest.raises(scored.CaosError, match="have no protocol in common"):
        shared_protocol([usual.folder, asked.folder])


def own_table(folder: Path, role: str) -> str:
    rows = [(1, "road", "train"), (2, "hazard", "anomaly"), (3, "sky", "train"), (255, "unknown", role)]
    text = "".join(
        f'[[classes]]\npng_value = {value}\nname = "{name}"\ncolor = [{value}, 0, 0]\nrole = "{kind}"\n'
        for value, name, kind in rows
    )
    (folder / "table.toml").write_text(text)
    return str(folder / "table.toml")


def write_own_set(root: Path, table: str, paint: Callable[[np.ndarray], None]) -> Path:
    for number in range(2):
        ids = np.ones((32, 48), np.uint8)
        ids[10:20, 20 : 30 + number] = 2
        paint(ids)
        for kind, picture in (("images", np.zeros((32, 48, 3), np.uint8)), ("annotations", ids)):
            place = root / "test" / kind / "test" / "t5" / f"{number}.png"
            place.parent.mkdir(parents=True, exist_ok=True)
            Image.fromarray(picture).save(place)
    (root / "dataset.json").write_text(json.dumps({"name": "own", "labels": {"name": table}}))
    return root


@pytest.mark.parametrize(
    ("role", "value", "protocol", "words"),
    [
        ("ignore", 255, "smiyc", "Void left out: 12.5 % of pixels."),
        ("ignore", 3, "caos", "All pixels count."),
        ("train", 255, "caos", "All pixels count."),
    ],
)
def test_a_table_of_ones_own_leaves_ignored_classes_out_where_they_occur(
    tmp_path: Path, role: str, value: int, protocol: str, words: str
) -> None:
    def paint(ids: np.ndarray) -> None:
        ids[:, :6] = value

    dataset = write_own_set(tmp_path / "set", own_table(tmp_path, role), paint)
    found = score(dataset, tmp_path, None)
    assert [one.name for one in found.content.protocols] == [protocol]
    assert words in found.markdown()


@pytest.mark.parametrize("table", ["streethazards", "streethazards-12", "bdd-anomaly"])
def test_sets_of_the_caos_benchmark_keep_its_protocol(tmp_path: Path, table: str) -> None:
    from caos.scenes.labels import table_by_name

    values = {name: table_by_name(table).png_values(name) for name in ("train", "anomaly", "ignore")}

    def paint(ids: np.ndarray) -> None:
        ids[ids == 2] = values["anomaly"][0]
        ids[ids == 1] = values["train"][1]
        ids[:, :6] = (values["ignore"] or values["train"])[0]

    dataset = write_own_set(tmp_path / "set", table, paint)
    found = score(dataset, tmp_path, None)
    assert [one.name for one in found.content.protocols] == ["caos"]
    assert found.content.frame_protocol == "caos"
    void = "Void counts as ordinary: 12.5 % of pixels." if values["ignore"] else "All pixels count."
    assert void in found.markdown()


def test_single_images_of_photographs_are_measured_without_void(photos: Path, usual: Results) -> None:
    rows = usual.images()
    assert [row.left_out["void"] for row in rows] == [HEIGHT * columns for columns in VOID_COLUMNS]
    assert [row.excluded for row in rows] == [None, None, None, "no anomalous pixel", "no anomalous pixel"]
    part = usual.content.breakdowns["part"]["photos"]
    measured = [row.measures["random"]["pytorch-ood"].auroc for row in rows[:3]]
    assert part.scorers["random"]["auroc"] == pytest.approx(np.mean(measured))


def test_an_image_of_anomaly_and_void_alone_is_left_out_where_void_is(tmp_path: Path) -> None:
    masks = [mask_of(0), np.where(mask_of(1) == 1, 1, 255).astype(np.uint8)]
    found = score(write_photos(tmp_path / "photos", masks), tmp_path, "caos,pytorch-ood")
    assert (found.measured("random", "caos").images, found.measured("random", "pytorch-ood").images) == (2, 1)
    assert [(row.key, row.reason) for row in found.content.excluded] == [
        ("test/photos/1", "no ordinary pixel that counts")
    ]
    caos, without = (pixel_words(found.content, protocol) for protocol in found.content.protocols)
    assert "only one kind" not in caos
    assert "only one kind of pixel: 1 of 2 (`excluded` in results.json)" in without


def test_results_of_older_versions_print_no_rate(everything: Results, tmp_path: Path) -> None:
    content = json.loads((everything.folder / "results.json").read_text())
    for name in ("pixels", "frame_protocol"):
        content.pop(name)
    for name in ("void_share", "leaves_void_out"):
        content["dataset"].pop(name)
    (tmp_path / "results.json").write_text(json.dumps(content))
    markdown = scored.read(tmp_path).markdown()
    assert markdown.count("These results do not record the AUPR of a random scorer.") == len(PROTOCOLS)
    assert "A random scorer's AUPR is" not in markdown
