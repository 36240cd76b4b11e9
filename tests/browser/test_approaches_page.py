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
    assert "never noticed for good" in told.inner_text()
