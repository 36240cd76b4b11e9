"""The page of ``caos look`` in a real Chromium."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from caos.ood_scores.looking.page import PageRow, write_page

pytestmark = [pytest.mark.browser, pytest.mark.filterwarnings("ignore")]
NAME = "<img src=x onerror=document.title='pwned'>.png"


@pytest.fixture
def look_page(tmp_path: Path) -> Path:
    blue, red = (np.full((90, 160, 3), color, np.uint8) for color in ((0, 0, 255), (255, 0, 0)))
    row = PageRow.of(f"{NAME}: largest foreign region middle", blue, red)
    write_page(tmp_path / "index.html", [row, row], "Outlined is what scores high.")
    return tmp_path / "index.html"


def colors(page: Any) -> tuple[str, str]:
    """What is seen at a quarter and at three quarters of the first picture."""
    shot = Image.open(BytesIO(page.locator(".compare").first.screenshot())).convert("RGB")
    at = [shot.getpixel((int(share * shot.width), shot.height // 2)) for share in (0.25, 0.75)]
    left, right = ("red" if pixel[0] > pixel[2] else "blue" for pixel in at)
    return left, right


def shown(page: Any) -> str:
    """Whether the overlay of the first picture is visible; a picture of it would scroll the page under the mouse."""
    return str(page.locator(".over").first.evaluate("element => getComputedStyle(element).visibility"))


def test_the_slider_uncovers_the_photograph_and_holding_shows_it_alone(page: Any, look_page: Path) -> None:
    page.goto(look_page.as_uri())
    assert colors(page) == ("red", "red")
    page.locator("input[type=range]").first.fill("50")
    assert colors(page) == ("blue", "red")
    box = page.locator(".compare").first.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    assert shown(page) == "hidden"
    page.mouse.up()
    assert shown(page) == "visible"


def test_the_page_says_what_it_shows_and_takes_no_markup_from_names(page: Any, look_page: Path) -> None:
    page.goto(look_page.as_uri())
    assert page.locator("h2").all_inner_texts() == [NAME, NAME]
    assert page.title() == "What looks foreign · CAOS"
    assert "Outlined is what scores high." in page.locator(".key").inner_text()
