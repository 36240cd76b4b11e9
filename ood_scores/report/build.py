"""Site of a scoring run: its pictures, the data of the pages, and the pages."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from caos.foundation import executor
from caos.foundation.cache import code_digest
from caos.foundation.claims import claimed
from caos.foundation.errors import CaosError
from caos.foundation.files import write_text
from caos.foundation.identity import FileHashes
from caos.foundation.progress import SILENT, Progress
from caos.foundation.provenance import package_version
from caos.ood_scores import results as scoring
from caos.ood_scores.measuring.records import ImageRow
from caos.ood_scores.report.page_data import page_data
from caos.ood_scores.report.pictures import DrawnFrame, FrameToDraw, draw_frame
from caos.ood_scores.report.tables import negatives_line
from caos.ood_scores.results import Results, column_folder
from caos.scenes.labels import table_by_name
from caos.scenes.layout import SPLITS, Dataset, Sample, open_dataset
from caos.scenes.overview import contact_sheet

if TYPE_CHECKING:
    import jinja2

PAGES: Final = (
    ("index.html", "Overview"),
    ("gallery.html", "Gallery"),
    ("hazards.html", "Hazards"),
    ("dataset.html", "Dataset"),
)
STATIC: Final = ("style.css", "common.js", "plots.js", "overview.js", "gallery.js", "hazards.js", "dataset.js")
SCALE_STEPS: Final = 16
FEW: Final = 8
"""So few frames are drawn sooner than processes start."""


@dataclass(frozen=True)
class Site:
    """What was built."""

    index: Path
    frames: int


@dataclass(frozen=True)
class Aside:
    """What another page says of these results: a heading, its answer in a few sentences, and where it is."""

    title: str
    text: str
    link: str


def build_site(
    results_folder: Path,
    out: Path,
    *,
    dataset_root: Path | None = None,
    workers: int | None = None,
    asides: Sequence[Aside] = (),
    progress: Progress = SILENT,
) -> Site:
    """Build the pages of a scoring run; a site of other results at ``out`` is replaced, one of the same is kept.

    ``asides`` are told and linked on the first page.

    Raises:
        CaosError: If there are no results, the set they were made on cannot be found, or ``out`` holds something else
            than a site.
    """
    results = scoring.read(results_folder)
    rows = results.images()
    dataset = open_dataset(dataset_root or Path(results.content.dataset.root), results.content.dataset.labels.name)
    samples = {sample.key: sample for split in SPLITS for sample in dataset.splits.get(split, ())}
    chosen = [_sample(samples, row.key) for row in rows]
    hashes = FileHashes(out / "inputs.json")
    identity = {**_identity(results, dataset, chosen, hashes), "asides": [asdict(aside) for aside in asides]}
    site = Site(out / "index.html", len(chosen))
    # Nothing but a site is ever replaced: other files in the folder are an error.
    with claimed(out, "site.json", identity, "site", overwrite=True):
        if site.index.is_file():
            progress.say(f"{out} is up to date")
            return site
        hashes.save()
        predicted = table_by_name(str(results.content.source.get("labels", dataset.labels.name)))
        frames = [
            FrameToDraw(sample, results_folder, out, results.content.columns, dataset.labels, predicted)
            for sample in chosen
        ]
        drawn = _drawn(frames, workers or os.cpu_count() or 1, progress)
        contact_sheet(dataset, out / "contact_sheet.png")
        data = page_data(results.content, rows, dataset, drawn)
        write_text(out / "data.js", f"window.CAOS = {json.dumps(data, separators=(',', ':'))};\n")
        _write_pages(out, {**_words(results, dataset, rows), "asides": asides})
    return site


def _identity(results: Results, dataset: Dataset, samples: Sequence[Sample], hashes: FileHashes) -> dict[str, Any]:
    """Everything the pages depend on."""
    shown = [path for sample in samples for path in (sample.image, sample.annotation, sample.twin)]
    made = [path for sample in samples for path in _made(results, sample)]
    told = [path for name in ("manifest.jsonl", "dataset.json") if (path := dataset.root / name).is_file()]
    pages = resources.files("caos.assets.pages")
    return {
        "results": hashes.digest([results.folder / "results.json", results.folder / "images.jsonl"]),
        "pictures": hashes.digest([path if path is None or path.is_file() else None for path in made]),
        "dataset": hashes.digest([*shown, *told]),
        "pages": hashes.digest(sorted(Path(str(page)) for page in pages.iterdir() if page.is_file())),
        "code": code_digest(Path(__file__).parent)[:16],
        "version": package_version("caos-bench"),
    }


def _made(results: Results, sample: Sample) -> list[Path]:
    """The pictures that scoring made of one image."""
    previews = [results.folder / "previews" / column_folder(column) for column in results.content.columns]
    return [folder / f"{sample.key}.png" for folder in (results.folder / "predictions", *previews)]


def _sample(samples: Mapping[str, Sample], key: str) -> Sample:
    if key not in samples:
        raise CaosError(f"the results name image {key!r}, which the set does not have; give the right --dataset")
    if not samples[key].image.exists():
        raise CaosError(f"{samples[key].image} does not exist; give the set's present place with --dataset DIR")
    return samples[key]


def _drawn(frames: Sequence[FrameToDraw], workers: int, progress: Progress) -> dict[str, DrawnFrame]:
    drawn: dict[str, DrawnFrame] = {}
    with progress.task("drawing frames", len(frames)) as task:
        for key, paths in executor.run(frames, _draw_factory, workers if len(frames) >= FEW else 1):
            drawn[key] = paths
            task.advance(note=key)
    return drawn


def _draw_factory(_number: int) -> Callable[[FrameToDraw], tuple[str, DrawnFrame]]:
    """The function for one frame after the other."""
    return lambda frame: (frame.sample.key, draw_frame(frame))


def page_templates() -> jinja2.Environment:
    """The templates of all pages."""
    import jinja2

    parts = resources.files("caos.assets.pages")
    templates = {f.name: f.read_text(encoding="utf-8") for f in parts.iterdir() if f.name.endswith(".j2")}
    return jinja2.Environment(loader=jinja2.DictLoader(templates), autoescape=True)


def _write_pages(out: Path, words: Mapping[str, Any]) -> None:
    parts, environment = resources.files("caos.assets.pages"), page_templates()
    for name in STATIC:
        write_text(out / name, (parts / name).read_text(encoding="utf-8"))
    # The first page comes last: where it is, the site is whole.
    for file, title in reversed(PAGES):
        page = environment.get_template(f"{file}.j2").render(here=file, title=title, pages=PAGES, **words)
        write_text(out / file, page)


def _words(results: Results, dataset: Dataset, rows: Sequence[ImageRow]) -> dict[str, Any]:
    about, excluded = results.content.dataset, results.content.excluded
    first = "; ".join(f"{image.key}: {image.reason}" for image in excluded[:5])
    versions = results.content.provenance
    return {
        "heading": f"Does the car notice? {about.name}, {about.images} test images",
        "lead": f"{about.hazards} hazards; {100 * about.base_rate:.2f} % of the pixels are anomalous, "
        f"which is the AUPR of a scorer that guesses. {negatives_line(results.content)} Click a column to sort.",
        "breakdown_note": "Mean AUROC of one scorer, per group of images (part of the set, weather) or of "
        "hazards. By ordinary class: all hazards against the pixels of that class; a short bar is a class that is "
        "taken for a hazard.",
        "found_note": "A hazard counts as found when at least half of its pixels are marked, at the threshold that "
        "marks at most one in a hundred ordinary pixels of the set. Filled: always found; outlined: never.",
        "dataset_note": f"{dataset.name}: what is in it and how it was made.",
        "excluded": f"{len(excluded)} images cannot be measured one by one: {first}" if excluded else "",
        "scale": color_scale(),
        "footer": f"Made by caos {versions['versions']['caos-bench']}"
        + (f", commit {versions['commit']}" if versions.get("commit") else "")
        + f". {len(rows)} frames. This page loads nothing from the network.",
    }


def color_scale() -> dict[str, str]:
    """Cividis, a scale that reads the same with colour-blind eyes, as tables for an SVG filter."""
    from matplotlib import colormaps

    steps = colormaps["cividis"]([i / (SCALE_STEPS - 1) for i in range(SCALE_STEPS)])
    return {name: " ".join(f"{v:.3f}" for v in steps[:, i]) for i, name in enumerate("rgb")}
