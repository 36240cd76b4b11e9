"""A small scored set and its site, and a real Chromium to look at it with."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

from caos.foundation.storage.files import write_json, write_jsonl
from caos.ood_scores.evaluation.scoring import score_model
from caos.ood_scores.report.build import build_site
from caos.scenes.dataset.layout import PLACES, write_odgt
from tests.browser.finding import find_browser

MARKUP = "<img src=x onerror=document.title='pwned'>"
SIZE = (160, 96)
NO_BROWSER = "no Chromium on PATH; install it with: apt-get install chromium"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


browser_path = functools.cache(find_browser)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip the browser tests where there is no browser; pytest's summary gives the reason."""
    needing = [item for item in items if item.get_closest_marker("browser")]
    if needing and browser_path() is None:
        for item in needing:
            item.add_marker(pytest.mark.skip(reason=NO_BROWSER))


def draw(rng: np.random.Generator, number: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A gray road under a blue sky; the hazard is red and stands elsewhere in each frame."""
    width, height = SIZE
    image = np.zeros((height, width, 3), np.uint8)
    image[: height // 2], image[height // 2 :] = (120, 160, 220), (90, 90, 95)
    values = np.where(np.arange(height)[:, None] < height // 2, 1, 8).astype(np.uint8) * np.ones((1, width), np.uint8)
    instances = np.zeros((height, width), np.uint16)
    x, y = 20 + 25 * number, 60
    image[y : y + 20, x : x + 16] = (210 - 30 * number, 30 + 18 * number, 40)
    values[y : y + 20, x : x + 16], instances[y : y + 20, x : x + 16] = 14, 1
    noise = rng.integers(-9, 9, image.shape)
    return np.clip(image + noise, 0, 255).astype(np.uint8), values, instances


def hazard(number: int) -> dict[str, Any]:
    x = 20 + 25 * number
    return {
        "object": MARKUP if number == 0 else f"sofa_{number:02d}",
        "kind": "sofa",
        "category": "furniture" if number % 2 else "animals",
        "source": "caos",
        "licence": "MIT",
        "distance_m": 5.0 + 10 * number,
        "occluded_share": 0.0,
        "placement": "road",
        "pixels": 320,
        "instance_id": 1,
        "size_m": [2.0, 1.0, 1.0],
        "box": [x, 60, x + 16, 80],
    }


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("report")
    rng = np.random.default_rng(0)
    place, pairs, rows = PLACES["test"], [], []
    for number in range(5):
        image, values, instances = draw(rng, number)
        inner = f"{place.folder}/{'t5' if number < 3 else 't6'}/{number + 1}.png"
        twin = image.copy()
        twin[instances > 0] = (90, 90, 95)
        for kind, array in (("images", image), ("annotations", values), ("instances", instances), ("twins", twin)):
            path = root / "data" / place.top / kind / inner
            path.parent.mkdir(parents=True, exist_ok=True)
            Image.fromarray(array).save(path)
        pairs.append((f"images/{inner}", f"annotations/{inner}"))
        key = f"test/{Path(inner).parent.name}/{number + 1}"
        weather = {"name": "clear" if number % 2 else "fog"}
        rows.append(
            {"schema": 1, "key": key, "split": "test", "weather": weather, "files": {}, "hazards": [hazard(number)]}
        )
    write_odgt(root / "data" / place.top / place.list_name, pairs, *SIZE, "StreetHazards")
    write_jsonl(root / "data/manifest.jsonl", rows)
    write_json(root / "data/dataset.json", {"name": "StreetHazards", "labels": {"name": "streethazards", "version": 1}})
    score_model(_network(), root / "data", ("msp", "max_logit"), root / "results")
    return build_site(root / "results", root / "site", workers=1).index.parent


def _network() -> torch.nn.Module:
    """Logits that are large where a pixel looks like sky or road, and small on anything red."""
    layer = torch.nn.Conv2d(3, 13, 1)
    with torch.no_grad():
        layer.weight.zero_()
        layer.bias.zero_()
        layer.weight[0] = torch.tensor([-8.0, 2.0, 12.0])[:, None, None]
        layer.weight[7] = torch.tensor([-6.0, 8.0, 6.0])[:, None, None]
    return layer.eval()


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=browser_path(), args=FLAGS)
        yield running
        running.close()


@pytest.fixture
def page(browser: Any, site: Path) -> Iterator[Any]:
    """A page that fails its test on any console error, script error or request that leaves the file system."""
    context = browser.new_context(viewport={"width": 1200, "height": 900})
    opened = context.new_page()
    complaints: list[str] = []
    opened.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.on(
        "request",
        lambda request: None if request.url.startswith(("file:", "data:")) else complaints.append(request.url),
    )
    yield opened
    context.close()
    assert complaints == []
