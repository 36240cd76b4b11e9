"""Pictures of the README and the guides, made from a finished demo and a few small sets: ``make pictures``."""

from __future__ import annotations

import io
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
from caos.scenes.dataset.layout import open_dataset, read_class_ids, read_image, read_png_values

OUT = Path(__file__).parent / "images"
CELL = (480, 270)
GAP, ROUND, CAPTION = 8, 10, 24
SHEET_WIDTH = 1500
FRAMES = 3
SCORERS = ("max_logit", "outlier_head")
QUALITY = 88
CORRUPTIONS = ("fog", "snow", "gaussian_noise", "motion_blur", "jpeg_compression")
SEVERITY = 3
LARGEST = 600_000


def save(picture: Image.Image, name: str) -> None:
    """Write a picture as WebP.

    Raises:
        CaosError: If it is too large for a page that is opened on the road.
    """
    path = OUT / f"{name}.webp"
    picture.save(path, quality=QUALITY, method=6)
    check_size(path, LARGEST)


def check_size(path: Path, largest: int) -> None:
    """Refuse a file of more than ``largest`` bytes."""
    if path.stat().st_size > largest:
        raise CaosError(f"{path} has {path.stat().st_size} bytes, more than {largest}; make it smaller")


def heat(codes: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A score map in the colours of the pages."""
    from matplotlib import colormaps

    return (colormaps["inferno"](codes)[..., :3] * 255).astype(np.uint8)


def cell(array: NDArray[np.uint8], caption: str = "") -> Image.Image:
    """A picture at the size of a cell, with round corners and words in its corner."""
    picture = Image.fromarray(array).resize(CELL, Image.Resampling.LANCZOS).convert("RGBA")
    pen = ImageDraw.Draw(picture, "RGBA")
    font = ImageFont.load_default(CAPTION)
    if caption:
        left, top, right, bottom = pen.textbbox((20, 14), caption, font=font)
        pen.rounded_rectangle((left - 10, top - 7, right + 10, bottom + 7), 6, fill=(18, 19, 20, 205))
        pen.text((20, 14), caption, fill="white", font=font)
    mask = Image.new("L", CELL)
    ImageDraw.Draw(mask).rounded_rectangle((0, 0, CELL[0] - 1, CELL[1] - 1), ROUND, fill=255)
    picture.putalpha(mask)
    return picture


def sheet(rows: list[list[Image.Image]]) -> Image.Image:
    """Cells side by side and below each other; what is between them is transparent, for light and dark pages."""
    step = (CELL[0] + GAP, CELL[1] + GAP)
    whole = Image.new("RGBA", (len(rows[0]) * step[0] - GAP, len(rows) * step[1] - GAP))
    for line, cells in enumerate(rows):
        for column, picture in enumerate(cells):
            whole.paste(picture, (column * step[0], line * step[1]))
    return whole


def largest_hazards(demo: Path) -> list[str]:
    """Keys of the frames by their share of hazard, largest first."""
    rows = scoring.read(demo / "bundled").images()
    return [row.key for row in sorted(rows, key=lambda row: -row.anomalous)]


def strip(demo: Path) -> None:
    """Frame, truth and two score maps of the run of the package, for frames with large hazards."""
    dataset = open_dataset(demo / "data")
    samples = {sample.key: sample for sample in dataset.samples("test")}
    titles = {scorer.name: scorer.title for scorer in scoring.read(demo / "bundled").content.scorers}
    rows = []
    for key in largest_hazards(demo)[1 : 2 * FRAMES : 2]:
        sample = samples[key]
        maps = [heat(read_png_values(demo / "bundled" / "previews" / name / f"{key}.png")) for name in SCORERS]
        truth = STREETHAZARDS.colorize(read_class_ids(sample, dataset.labels))
        captions = [""] * 4 if rows else ["image", "truth", *(titles[name] for name in SCORERS)]
        pictures = (read_image(sample.image), truth, *maps)
        rows.append([cell(picture, words) for picture, words in zip(pictures, captions, strict=True)])
    save(sheet(rows), "strip")


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
    cells = [cell(found[town], town) for town in sorted(found)]
    save(sheet([cells[:3], cells[3:]]), "towns")


def twins(demo: Path) -> None:
    """A test frame beside its twin without the hazard."""
    samples = {sample.key: sample for sample in open_dataset(demo / "data").samples("test")}
    sample = next(samples[key] for key in largest_hazards(demo) if samples[key].twin)
    assert sample.twin is not None
    save(sheet([[cell(read_image(sample.image), "frame"), cell(read_image(sample.twin), "twin")]]), "twin")


def looks(demo: Path) -> None:
    """What ``caos look`` finds with the run of the package, on the frames with the largest hazards."""
    samples = {sample.key: sample for sample in open_dataset(demo / "data").samples("test")}
    rows: list[list[Image.Image]] = [[], []]
    for key in largest_hazards(demo)[:FRAMES]:
        picture = samples[key].image
        with tempfile.TemporaryDirectory() as folder:
            words = ["-q", "look", str(picture), "--out", f"{folder}/seen"]
            subprocess.run([sys.executable, "-m", "caos", *words], check=True, stdout=subprocess.DEVNULL)
            rows[1].append(cell(read_image(Path(folder) / "seen" / picture.name)))
        rows[0].append(cell(read_image(picture)))
    save(sheet(rows), "look")


def contact_sheets(demo: Path) -> None:
    """Frames through CARLA's protocol, and the sheet of ``caos scenes describe``."""
    dataset = open_dataset(demo / "stock")
    cells = [cell(read_image(sample.image)) for sample in dataset.samples("test")[: 2 * FRAMES]]
    save(sheet([cells[:FRAMES], cells[FRAMES:]]), "carla")
    save(Image.open(demo / "sheet.png").convert("RGB"), "sheet")


def hazards(sheet: Path) -> None:
    """The contact sheet of ``caos assets preview``, small enough for a page."""
    picture = Image.open(sheet).convert("RGB")
    small = picture.resize((SHEET_WIDTH, round(picture.height * SHEET_WIDTH / picture.width)), Image.Resampling.LANCZOS)
    save(small, "hazards")


def made_sheets(demo: Path) -> None:
    """Sheets that commands write: cameras all around, lidar points over a picture, doors and lids, augmentations."""
    for name in ("surround", "lidar", "opening", "augmentations"):
        picture = Image.open(demo / f"{name}.png").convert("RGB")
        if picture.width > SHEET_WIDTH:
            size = (SHEET_WIDTH, round(picture.height * SHEET_WIDTH / picture.width))
            picture = picture.resize(size, Image.Resampling.LANCZOS)
        save(picture, name)


def corruptions(demo: Path) -> None:
    """One frame under some of the corruptions of ``caos study corruptions``, at a middle severity."""
    from caos.studies.corruptions.corruption import make_corruption

    samples = {sample.key: sample for sample in open_dataset(demo / "data").samples("test")}
    picture = read_image(samples[largest_hazards(demo)[1]].image)
    cells = [cell(picture, "clean")]
    for name in CORRUPTIONS:
        corruption = make_corruption(name)
        ordinary = np.zeros(picture.shape[:2], np.uint8)
        shown, _ = corruption.corrupt_pair(picture, ordinary, SEVERITY, np.random.default_rng(0))
        cells.append(cell(shown, corruption.title))
    save(sheet([cells[:FRAMES], cells[FRAMES:]]), "corruptions")


def approach(videos: Path) -> None:
    """The video of ``caos scenes video --results``: a hazard is noticed on the way."""
    (video,) = sorted(videos.glob("*.webp"))
    check_size(video, LARGEST)
    shutil.copyfile(video, OUT / "approach.webp")


def pages(demo: Path) -> None:
    """The first page of the demo's report, and one of its two results side by side, as a browser shows them."""
    from playwright.sync_api import sync_playwright

    executable = shutil.which("chromium") or shutil.which("google-chrome")
    if executable is None:
        raise CaosError("the pictures of the pages need a Chromium: apt-get install chromium")
    words = ["-q", "report", f"demo={demo / 'results'}", f"bundled={demo / 'bundled'}", "--out", str(demo / "compared")]
    subprocess.run([sys.executable, "-m", "caos", *words], check=True, stdout=subprocess.DEVNULL)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1180, "height": 860})
        page.goto((demo / "site/index.html").resolve().as_uri())
        page.wait_for_selector("#strip .over:not([hidden])")
        page.wait_for_timeout(500)
        _save_shot(page.screenshot(), "report")
        page.set_viewport_size({"width": 1180, "height": 1350})  # both groups are in the picture
        page.goto((demo / "compared/index.html").resolve().as_uri())
        page.wait_for_timeout(500)
        _save_shot(page.screenshot(), "compare")
        browser.close()


def _save_shot(shot: bytes, name: str) -> None:
    save(Image.open(io.BytesIO(shot)).convert("RGB"), name)


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
    pages(demo)
    corruptions(demo)
    if len(sys.argv) > 3:
        hazards(Path(sys.argv[2]))
        approach(Path(sys.argv[3]))
        made_sheets(demo)
        contact_sheets(demo)


if __name__ == "__main__":
    main()
