"""Weight of the pages in a real Chromium: bytes they read, memory they take, and how soon they show something."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urlparse

import psutil

from tests.browser.conftest import FLAGS, browser_path

PAGES = ("index.html", "gallery.html", "hazards.html", "dataset.html")
FRAMES = 1500


class Weight(NamedTuple):
    """What opening a page costs: bytes read, memory of its scripts and of its process, time to the first paint."""

    read_mb: float
    heap_mb: float
    process_mb: float
    first_paint_ms: float
    elements: int


def multiplied(site: Path, out: Path, frames: int = FRAMES) -> Path:
    """A site with the frames of another one again and again, as files of their own (hard links)."""
    shutil.copytree(site, out, copy_function=os.link)
    data = json.loads((site / "data.js").read_text().removeprefix("window.CAOS = ").rstrip(";\n"))
    few, many = data["frames"], []
    for n in range(frames):
        frame = few[n % len(few)]
        folder = f"{frame['dir']}-{n}"
        shutil.copytree(site / frame["dir"], out / folder, copy_function=os.link)
        hazards = [dict(hazard, object=f"object_{n % 400}") for hazard in frame["hazards"]]
        many.append(dict(frame, key=f"test/t{5 + n % 2}/{n}", dir=folder, hazards=hazards))
    (out / "data.js").unlink()
    (out / "data.js").write_text(f"window.CAOS = {json.dumps(data | {'frames': many}, separators=(',', ':'))};\n")
    return out


def weigh(browser: Any, file: Path) -> Weight:
    """Open a page in a window of its own and wait until nothing is being loaded."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    read: set[Path] = set()
    page.on("requestfinished", lambda request: read.add(Path(unquote(urlparse(request.url).path))))
    page.goto(file.as_uri(), wait_until="networkidle")
    paint = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN"
    page.wait_for_function("() => performance.getEntriesByName('first-contentful-paint').length")
    client = context.new_cdp_session(page)
    client.send("HeapProfiler.collectGarbage")
    heap = client.send("Runtime.getHeapUsage")["usedSize"]
    size = sum(path.stat().st_size for path in read if path.is_file())
    elements = page.evaluate("document.querySelectorAll('*').length")
    found = Weight(size / 1e6, heap / 1e6, _process_mb(browser), page.evaluate(paint), elements)
    context.close()
    return found


def _process_mb(browser: Any) -> float:
    """Memory of the process that draws the page, pictures included."""
    listed = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    return max(psutil.Process(one["id"]).memory_info().rss for one in listed if one["type"] == "renderer") / 1e6


def weigh_pages(site: Path, work: Path) -> dict[str, tuple[Weight, Weight]]:
    """Of each page: its weight in a site of 1,500 frames made of this one's, and in this one."""
    from playwright.sync_api import sync_playwright

    large = multiplied(site, work / "large")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path(), args=FLAGS)
        # The first page pays for the start of the browser.
        weigh(browser, site / PAGES[0])
        found = {name: (weigh(browser, large / name), weigh(browser, site / name)) for name in PAGES}
        browser.close()
    return found
