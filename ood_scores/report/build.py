"""Site of a scoring run: its pictures, the data of the pages, and the pages."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from caos.foundation.errors import CaosError
from caos.foundation.execution import executor
from caos.foundation.execution.matplotlib_settings import load_matplotlib
from caos.foundation.execution.progress import SILENT, Progress
from caos.foundation.storage.cache import code_digest
from caos.foundation.storage.claims import claimed
from caos.foundation.storage.files import write_text
from caos.foundation.storage.identity import FileHashes
from caos.foundation.storage.provenance import package_version
from caos.ood_scores import results as scoring
from caos.ood_scores.measuring.records import ImageRow
from caos.ood_scores.report.dataset_data import dataset_data
from caos.ood_scores.report.noticing_table import noticing_words
from caos.ood_scores.report.page_data import alarm_levels, page_data
from caos.ood_scores.report.pictures import DrawnFrame, FrameToDraw, draw_frame
from caos.ood_scores.report.pixel_words import per_image_protocols
from caos.ood_scores.report.same_set import check_shown_set
from caos.ood_scores.report.tables import negatives_line
from caos.ood_scores.results import Results, column_folder
from caos.scenes.dataset.layout import SPLITS, Dataset, Sample, open_dataset
from caos.scenes.labels import LabelTable, table_by_name
from caos.scenes.viewing.overview import contact_sheet

if TYPE_CHECKING:
    import jinja2

PAGES: Final = (
    ("index.html", "Overview"),
    ("gallery.html", "Frames"),
    ("hazards.html", "Hazards"),
    ("dataset.html", "Dataset"),
)
STATIC: Final = (
    "style.css",
    "common.js",
    "plots.js",
    "score_maps.js",
    "overview.js",
    "gallery.js",
    "hazards.js",
    "dataset.js",
)
APPROACHES: Final = ("approaches.html", "Approaches")
"""Only where hazards are neared in sequences."""
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
    above: str | None = None,
    progress: Progress = SILENT,
) -> Site:
    """Build the pages of a scoring run; a site of other results at ``out`` is replaced, one of the same is kept.

    Args:
        results_folder: What ``caos score`` wrote.
        out: Folder of the site.
        dataset_root: The set, if it has moved since it was scored.
        workers: Processes that draw; None for all cores.
        asides: What is told and linked on the first page.
        above: Title of the page one folder higher, such as a comparison that this site belongs to.
        progress: Where progress is shown.

    Raises:
        CaosError: If there are no results, the set they were made on cannot be found or has other content, or ``out``
            holds something else than a site.
    """
    results = scoring.read(results_folder)
    rows = results.images()
    dataset = _scored_set(results, dataset_root)
    samples = {sample.key: sample for split in SPLITS for sample in dataset.splits.get(split, ())}
    chosen = [_sample(samples, row.key) for row in rows]
    hashes = FileHashes(out / "inputs.json")
    check_shown_set(results, dataset, chosen, hashes, progress)
    told = {"asides": [asdict(aside) for aside in asides], "above": above}
    identity = {**_identity(results, dataset, chosen, hashes), **told}
    site = Site(out / "index.html", len(chosen))
    # Nothing but a site is ever replaced: other files in the folder are an error.
    with claimed(out, "site.json", identity, "site", overwrite=True):
        if site.index.is_file():
            progress.say(f"{out} is up to date")
            return site
        hashes.save()
        predicted = table_by_name(str(results.content.source.get("labels", dataset.labels.name)))
        drawn = _drawn(
            _frames(results, rows, dataset, chosen, predicted, out), workers or os.cpu_count() or 1, progress
        )
        contact_sheet(dataset, out / "contact_sheet.webp")
        data = page_data(results.content, rows, dataset, drawn, predicted, dataset_data(dataset, out))
        write_text(out / "data.js", f"window.CAOS = {json.dumps(data, separators=(',', ':'))};\n")
        own = PAGES if results.content.noticing is None else (*PAGES, APPROACHES)
        pages = own if above is None else (("../index.html", above), *own)
        _write_pages(out, pages, {**_words(results, dataset, rows), "asides": asides})
    return site


def _frames(
    results: Results,
    rows: Sequence[ImageRow],
    dataset: Dataset,
    samples: Sequence[Sample],
    predicted: LabelTable,
    out: Path,
) -> list[FrameToDraw]:
    content, levels = results.content, alarm_levels(results.content)
    return [
        FrameToDraw(
            sample,
            results.folder,
            out,
            content.columns,
            dataset.labels,
            predicted,
            levels,
            tuple(hazard.instance_id for hazard in row.hazards),
        )
        for sample, row in zip(samples, rows, strict=True)
    ]


def _scored_set(results: Results, root: Path | None) -> Dataset:
    """The set that was scored, at ``root`` or where it was then."""
    about = results.content.dataset
    if root is None and not Path(about.root).is_dir():
        raise CaosError(f"{results.folder} was measured on {about.root}, which is not here; give it with --dataset")
    return open_dataset(root or Path(about.root), about.labels.name)


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
        raise CaosError(f"{samples[key].image} does not exist; say where the set is now with --dataset DIR")
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


def _write_pages(out: Path, pages: Sequence[tuple[str, str]], words: Mapping[str, Any]) -> None:
    copy_static(out, (*STATIC, "approaches.js") if APPROACHES in pages else STATIC)
    environment = page_templates()
    # The first page comes last: where it is, the site is whole.
    for file, title in reversed([page for page in pages if page in (*PAGES, APPROACHES)]):
        page = environment.get_template(f"{file}.j2").render(here=file, title=title, pages=pages, **words)
        write_text(out / file, page)


def copy_static(out: Path, names: Sequence[str]) -> None:
    """Put style and scripts beside pages."""
    parts = resources.files("caos.assets.pages")
    for name in names:
        write_text(out / name, (parts / name).read_text(encoding="utf-8"))


def _words(results: Results, dataset: Dataset, rows: Sequence[ImageRow]) -> dict[str, Any]:
    about, excluded = results.content.dataset, results.content.excluded
    first = "; ".join(f"{image.key}: {image.reason}" for image in excluded[:5])
    by_image = ", ".join(per_image_protocols(results.content))
    versions = results.content.provenance
    return {
        "heading": f"Does the car notice? {about.name}, {about.images} test images",
        "lead": f"{about.hazards} hazards. {negatives_line(results.content)}",
        "breakdown_note": "Mean AUROC of one scorer, by group of images (part of the set, weather) or of "
        "hazards; the hardest group is orange. By ordinary class: all hazards against the pixels of that class; a "
        "short bar means that the class is taken for hazards.",
        "found_note": "The share of each hazard that is marked, at the threshold where 1 % of the set's ordinary "
        "pixels are marked falsely. Most missed first. Choose a row to see its frames.",
        "noticing_note": noticing_words(results.content.noticing),
        "dataset_note": f"{dataset.name}: what is in it and how it was made.",
        "excluded": f"{len(excluded)} images cannot be measured one by one, and are not part of the numbers of "
        f"{by_image}: {first}"
        if excluded and by_image
        else "",
        "scale": color_scale(),
        "footer": made_by(versions, f"{len(rows)} frames. "),
    }


def made_by(provenance: Mapping[str, Any], more: str = "") -> str:
    """What stands at the foot of a page."""
    commit = f", commit {provenance['commit']}" if provenance.get("commit") else ""
    return (
        f"Made by caos {provenance['versions']['caos-bench']}{commit}. {more}This page loads nothing from the network."
    )


def color_scale() -> dict[str, str]:
    """Inferno, dark to bright for any eyes, as tables for an SVG filter."""
    load_matplotlib()
    from matplotlib import colormaps

    steps = colormaps["inferno"]([i / (SCALE_STEPS - 1) for i in range(SCALE_STEPS)])
    return {name: " ".join(f"{v:.3f}" for v in steps[:, i]) for i, name in enumerate("rgb")}
