"""Makes the pictures of the README from a finished demo and a contact sheet: ``make pictures``."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from caos.foundation.errors import CaosError
from caos.ood_scores import results as scoring
from caos.scenes.labels import STREETHAZARDS
from caos.scenes.layout import open_dataset, read_class_ids, read_image, read_png_values

OUT = Path(__file__).parent / "images"
CELL = (400, 226)
CAPTION = 26
SHEET_WIDTH = 1500
FRAMES = 3
SCORERS = ("msp", "max_logit")


def heat(codes: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A score map in the colours of the pages."""
    from matplotlib import colormaps

    return (colormaps["cividis"](codes)[..., :3] * 255).astype(np.uint8)


def cell(array: NDArray[np.uint8]) -> Image.Image:
    """A picture at the size of a cell."""
    return Image.fromarray(array).resize(CELL, Image.Resampling.LANCZOS)


def strip(demo: Path) -> None:
    """Frame, truth, prediction and two score maps, for the frames with the largest hazards."""
    dataset = open_dataset(demo / "data")
    rows = scoring.read(demo / "results").images()
    chosen = sorted(rows, key=lambda row: -row.anomalous)[1 : 2 * FRAMES : 2]
    samples = {sample.key: sample for sample in dataset.samples("test")}
    titles = ("image", "truth", "prediction", *SCORERS)
    sheet = Image.new("RGB", (len(titles) * CELL[0], CAPTION + len(chosen) * CELL[1]), "white")
    pen = ImageDraw.Draw(sheet)
    font = ImageFont.load_default(16)
    for column, title in enumerate(titles):
        pen.text((column * CELL[0] + 8, 3), title, fill="black", font=font)
    for line, row in enumerate(chosen):
        sample = samples[row.key]
        prediction = read_png_values(demo / "results" / "predictions" / f"{sample.key}.png")
        maps = [read_png_values(demo / "results" / "previews" / s / f"{sample.key}.png") for s in SCORERS]
        truth = STREETHAZARDS.colorize(read_class_ids(sample, dataset.labels))
        pictures = [read_image(sample.image), truth, STREETHAZARDS.colorize(prediction), *(heat(m) for m in maps)]
        for column, picture in enumerate(pictures):
            sheet.paste(cell(picture), (column * CELL[0], CAPTION + line * CELL[1]))
    sheet.save(OUT / "strip.png", optimize=True)


def streets(demo: Path) -> None:
    """A frame of each of the six towns."""
    dataset = open_dataset(demo / "data")
    manifest = dataset.manifest()
    found: dict[str, NDArray[np.uint8]] = {}
    for split in ("train", "val", "test"):
        for sample in dataset.samples(split):
            row = manifest[sample.key]
            if row["town"] not in found and row["weather"]["name"] in {"clear", "cloudy", "wet"}:
                found[row["town"]] = read_image(sample.image)
    sheet = Image.new("RGB", (3 * CELL[0], 2 * CELL[1]), "white")
    for i, town in enumerate(sorted(found)):
        sheet.paste(cell(found[town]), (i % 3 * CELL[0], i // 3 * CELL[1]))
    sheet.save(OUT / "towns.png", optimize=True)


def twins(demo: Path) -> None:
    """A test frame beside its twin without the hazard."""
    dataset = open_dataset(demo / "data")
    rows = {row.key: row.anomalous for row in scoring.read(demo / "results").images()}
    sample = max((s for s in dataset.samples("test") if s.twin), key=lambda s: rows[s.key])
    assert sample.twin is not None
    sheet = Image.new("RGB", (2 * CELL[0], CELL[1]), "white")
    sheet.paste(cell(read_image(sample.image)), (0, 0))
    sheet.paste(cell(read_image(sample.twin)), (CELL[0], 0))
    sheet.save(OUT / "twin.png", optimize=True)


def looks(demo: Path) -> None:
    """What ``caos look`` finds with the run of the package, on the frames with the largest hazards."""
    samples = {sample.key: sample for sample in open_dataset(demo / "data").samples("test")}
    rows = sorted(scoring.read(demo / "results").images(), key=lambda row: -row.anomalous)[:FRAMES]
    sheet = Image.new("RGB", (FRAMES * CELL[0], 2 * CELL[1]), "white")
    for column, row in enumerate(rows):
        picture = samples[row.key].image
        with tempfile.TemporaryDirectory() as folder:
            words = ["-q", "look", str(picture), "--out", f"{folder}/seen"]
            subprocess.run([sys.executable, "-m", "caos", *words], check=True, stdout=subprocess.DEVNULL)
            found = read_image(Path(folder) / "seen" / picture.name)
        sheet.paste(cell(read_image(picture)), (column * CELL[0], 0))
        sheet.paste(cell(found), (column * CELL[0], CELL[1]))
    sheet.save(OUT / "look.png", optimize=True)


def hazards(sheet: Path) -> None:
    """The contact sheet of ``caos assets preview``, small enough for a page."""
    picture = Image.open(sheet).convert("RGB")
    small = picture.resize((SHEET_WIDTH, round(picture.height * SHEET_WIDTH / picture.width)), Image.Resampling.LANCZOS)
    small.quantize(256).save(OUT / "hazards.png", optimize=True)


def report(site: Path) -> None:
    """The pages as a browser shows them."""
    from playwright.sync_api import sync_playwright

    executable = shutil.which("chromium") or shutil.which("google-chrome")
    if executable is None:
        raise CaosError("the picture of the report needs a Chromium: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1180, "height": 860})
        page.goto((site / "index.html").resolve().as_uri())
        page.wait_for_selector("#strip .over:not([hidden])")
        page.wait_for_timeout(500)
        page.screenshot(path=OUT / "report.png")
        browser.close()
    Image.open(OUT / "report.png").convert("RGB").quantize(256).save(OUT / "report.png", optimize=True)


def main() -> None:
    """Make every picture."""
    demo = Path(sys.argv[1] if len(sys.argv) > 1 else "demo")
    if not (demo / "results" / "results.json").exists():
        raise CaosError(f"{demo} holds no finished demo; run caos demo first")
    OUT.mkdir(exist_ok=True)
    strip(demo)
    streets(demo)
    twins(demo)
    looks(demo)
    report(demo / "site")
    if len(sys.argv) > 2:
        hazards(Path(sys.argv[2]))


if __name__ == "__main__":
    main()
