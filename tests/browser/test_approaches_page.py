"""The page of approaches in a real Chromium: frames, distances and verdicts by slider and choice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from caos.ood_scores.command import Request, run_request
from caos.ood_scores.report.build import build_site
from tests.ood_scores import little

pytestmark = [pytest.mark.browser, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def near_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("near")
    data, maps = little.write_approaches(root)
    run_request(Request(data, None, root / "results", maps=maps))
    return build_site(root / "results", root / "site", workers=1).index.parent


def test_the_slider_goes_through_an_approach(page: Any, near_site: Path) -> None:
    page.goto((near_site / "approaches.html").as_uri())
    assert "1 of 2" in page.locator("#table").inner_text()
    told = page.locator("#told")
    assert told.inner_text().startswith("50.0 m to thing_1 at 36 km/h (clear, day): not marked.")
    assert "noticed at 40.0 m, in time" in told.inner_text()
    page.locator("#frame").fill("1")
    assert told.inner_text().startswith("40.0 m to thing_1 at 36 km/h (clear, day): marked.")
    assert page.locator("#strip rect").count() == 4
    assert page.locator("#shot img").evaluate("node => node.decode().then(() => node.naturalWidth)") == little.WIDTH
    page.get_by_label("Approach").select_option("test/near/002")
    assert "never noticed" in told.inner_text()


def test_a_sequence_plays_on_the_page_of_frames(page: Any, near_site: Path) -> None:
    page.goto((near_site / "gallery.html").as_uri())
    page.get_by_label("Sequence").select_option("test/near/002")
    assert page.locator(".tile b").all_text_contents() == [f"test/near/002-{k:04d}" for k in range(4)]
    page.locator(".tile").nth(2).click()
    assert "frame 3 of 4, 1.00 s" in page.locator("#viewer .key").first.inner_text()
    seen = page.evaluate(
        """() => new Promise(done => {
            const keys = [], title = document.querySelector("#viewer h2");
            new MutationObserver(() => {
              if (keys.at(-1) !== title.textContent) keys.push(title.textContent);
              if (keys.length === 4) done(keys);
            }).observe(title, { childList: true, characterData: true, subtree: true });
            document.getElementById("play").click();
        })"""
    )
    # From the third frame on, at two a second, and around again; never into the other sequence.
    assert [key[-4:] for key in seen] == ["0002", "0003", "0000", "0001"]
    assert {key[:-5] for key in seen} == {"test/near/002"}
    page.locator("#play").click()
    assert page.locator("#play").inner_text() == "▶ play the sequence"
