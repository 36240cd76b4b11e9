"""The page of several results in a real Chromium."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from caos.foundation.errors import CaosError
from caos.foundation.storage.files import write_json
from caos.ood_scores.evaluation.scoring import score_model
from caos.ood_scores.measuring.statistics import difference_interval
from caos.ood_scores.report.comparison_site import build_comparison, compared

pytestmark = [pytest.mark.browser, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def comparison(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("compare")
    torch.manual_seed(3)
    score_model(torch.nn.Conv2d(3, 13, 3, padding=1).eval(), site.parent / "data", ("msp", "energy"), root / "random")
    study = root / "study"
    study.mkdir()
    write_json(study / "study.json", {"title": "<b>A study</b>", "lead": "It answers."})
    (study / "index.html").write_text("<!doctype html><title>study</title>")
    entries = compared([f"good={site.parent / 'results'}", str(root / "random"), str(study)])
    return build_comparison(entries, root / "site", workers=1).index


def numbers(comparison: Path, name: str) -> dict[str, list[float | None]]:
    data = json.loads((comparison.parent / "data.js").read_text().removeprefix("window.CAOS = ").rstrip(";\n"))
    entry = next(entry for entry in data["entries"] if entry["name"] == name)
    return {key: frame["auroc"] for key, frame in entry["frames"].items()}


def test_the_leaderboard_holds_all_results_and_sorts(page: Any, comparison: Path) -> None:
    page.goto(comparison.as_uri())
    rows = page.locator("#table tbody tr:not(.group)")
    assert rows.count() == 4
    aurocs = [float(text.split()[0]) for text in page.locator("#table tbody td:nth-child(4)").all_inner_texts()]
    assert aurocs == sorted(aurocs, reverse=True)
    page.locator("#table").get_by_role("button", name="results").click()
    assert page.locator("#table tbody td:nth-child(1)").all_inner_texts() == ["good", "good", "random", "random"]
    assert page.locator("#studies a").inner_text() == "<b>A study</b>"
    page.locator("#table a").first.click()
    assert page.locator("nav a").first.inner_text() == "Compare"


def test_two_columns_are_compared_frame_by_frame(page: Any, comparison: Path) -> None:
    page.goto(comparison.as_uri())
    page.locator("#pair select").nth(0).select_option("good · MaxLogit")
    page.locator("#pair select").nth(1).select_option("random · Energy")
    good, random = numbers(comparison, "good"), numbers(comparison, "random")
    differences = {key: good[key][1] - random[key][1] for key in good}
    wins = sum(value > 0 for value in differences.values())
    assert page.locator("#says").inner_text().startswith(f"good · MaxLogit is better in {wins} of 5 images")
    says = page.locator("#says").inner_text()
    interval = difference_interval(list(differences.values()))
    shown = [float(end.replace("−", "-")) for end in says.partition("[")[2].partition("]")[0].split(", ")]
    assert shown == pytest.approx([100 * interval.low, 100 * interval.high], abs=0.06)
    assert "too few images to rely on it" in says
    order = [text.split()[0] for text in page.locator("#frames h3").all_text_contents()]
    assert order == sorted(differences, key=lambda key: -differences[key])
    page.locator("#pair select").nth(2).select_option("second")
    assert [text.split()[0] for text in page.locator("#frames h3").all_text_contents()] == order[::-1]
    assert page.locator("#plots .dot").count() == 5


def test_a_phone_does_not_scroll_sideways(page: Any, comparison: Path) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(comparison.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_names_must_tell_results_apart(site: Path, tmp_path: Path) -> None:
    results = site.parent / "results"
    with pytest.raises(CaosError, match=r"two results are called 'a'; name them: caos report first=DIR second=DIR"):
        compared([f"a={results}", f"a={results}"])
    with pytest.raises(
        CaosError, match=r"nowhere is not a folder; give folders that 'caos score' or 'caos study' wrote"
    ):
        compared(["nowhere"])
    (tmp_path / "one/results").mkdir(parents=True)
    (tmp_path / "two/results").mkdir(parents=True)
    names = [entry.name for entry in compared([str(tmp_path / "one/results"), str(tmp_path / "two/results")])]
    assert names == ["one/results", "two/results"]
