"""``caos demo``: the whole benchmark in small, from an empty folder to a table and a page."""

from __future__ import annotations

import webbrowser
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from caos.foundation.command_line.extras import require_extra
from caos.foundation.execution.progress import Terminal, time_spent
from caos.foundation.storage.claims import claimed, empty

if TYPE_CHECKING:
    from caos.ood_scores.results import Results
    from caos.scenes.dataset.layout import Split
    from caos.segmentation.training.config import TrainConfig
    from caos.studies.framework.study import Study


@dataclass(frozen=True)
class DemoSize:
    """How large the benchmark is run.

    Attributes:
        images: Per split; None keeps the recipe's.
        size: Pixels; None keeps the recipe's.
        quality: Of the renderer.
        preset: Of the training, and what differs from it in each of the three runs.
        workers: Processes that render; scoring looks ahead in threads, and would only begin later with processes.
    """

    images: Mapping[Split, int | None]
    size: tuple[int, int] | None
    quality: str
    preset: str
    segmenter: Mapping[str, Any] = field(default_factory=dict)
    confidence: Mapping[str, Any] = field(default_factory=dict)
    autoencoder: Mapping[str, Any] = field(default_factory=dict)
    workers: int = 2


SMALL: Final = DemoSize(
    images={"train": 90, "val": 9, "test": 30},
    size=(480, 272),
    quality="standard",
    preset="quick",
    segmenter={"epochs": 9},
    confidence={"epochs": 3},
    autoencoder={"epochs": 4},
)
FULL: Final = DemoSize(
    images={"train": None, "val": None, "test": None},
    size=None,
    quality="standard",
    preset="paper",
    # The text: all baselines but the autoencoder are trained for 20 epochs, that for 10. Each starts anew.
    confidence={"epochs": 20, "init": None},
    autoencoder={"epochs": 10},
)


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the set, the runs, the results and the site.")] = Path("demo"),
    full: Annotated[
        bool, typer.Option("--full", help="The paper's sizes with the same code (a GPU and days).")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="Seed; the same seed gives the same streets.")] = 0,
    photographs: Annotated[
        Path | None,
        typer.Option(
            help="A converted set of photographs, to test whether the scorers' order holds there.", show_default=False
        ),
    ] = None,
    open_page: Annotated[bool, typer.Option("--open", help="Open the report in a browser at the end.")] = False,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Make everything again, for example after an update.")
    ] = False,
) -> None:
    """Run the whole benchmark in small: simulate, generate, train, score, report.

    \b
    caos demo                      a quarter of an hour on two cores, no network
    caos demo --out elsewhere
    caos demo --full               the paper's sizes
    caos demo --photographs ra21   does the order hold on photographs?

    If interrupted, run it again to continue.
    """
    require_extra("simulator")
    require_extra("learn")
    from caos.ood_scores.terminal_tables import show_results

    if photographs is not None:
        _check_photographs(photographs)
    scale = FULL if full else SMALL
    terminal = Terminal()
    with claimed(out, "demo.json", {"scale": asdict(scale), "seed": seed}, "demo", overwrite=overwrite):
        if overwrite:
            empty(out, but="demo.json")
        _step(terminal, 1, "StreetHazards: towns 1-3 to learn from, town 4 to choose by, towns 5 and 6 with hazards")
        _generate(out / "data", scale, seed, terminal)
        _step(terminal, 2, "a segmenter learns the ordinary classes; a confidence branch and an autoencoder too")
        miou = _train(out / "data", out / "run", scale, seed, terminal)
        _step(terminal, 3, "every scorer says how foreign each pixel looks")
        results = _score(out / "data", out / "run", out / "results", seed, terminal)
        _step(terminal, 4, "pages")
        study = None if photographs is None else _transfer(photographs, out, seed, terminal)
        page = _report(out / "results", out / "site", study, terminal)
    show_results(results, has_pages=True)
    typer.echo(f"mIoU of the segmenter in the unseen town 4: {miou}")
    if study is not None:
        typer.echo(f"{study.content.lead} See {study.page}")
    typer.echo(f"Done after {time_spent()}. The report: {page}")
    if open_page:
        webbrowser.open(page.resolve().as_uri())


def _step(terminal: Terminal, number: int, text: str) -> None:
    terminal.say(f"[{number}/4] {text}")


def _generate(data: Path, scale: DemoSize, seed: int, terminal: Terminal) -> None:
    from caos.assets.catalogue.library import Library
    from caos.scenes.generation.generate import Place, generate
    from caos.scenes.recipes.recipe import load_recipe

    library = Library.open()
    library.build(terminal)
    recipe = load_recipe("streethazards").resized(scale.images).changed(size=scale.size, objects="built-in")
    place = Place(quality=scale.quality, workers=scale.workers)
    generate(recipe, data, seed=seed, twins=True, place=place, progress=terminal)


def _train(data: Path, run: Path, scale: DemoSize, seed: int, terminal: Terminal) -> str:
    from caos.scenes.dataset.layout import open_dataset
    from caos.segmentation.training.train import train

    dataset = open_dataset(data)
    results = {
        place: train(dataset, place, config, progress=terminal)
        for place, config in training_configs(run, scale, seed).items()
    }
    return _miou(results[run])


def training_configs(run: Path, scale: DemoSize, seed: int) -> dict[Path, TrainConfig]:
    """The settings of the three runs by their folders, in the order in which they are trained."""
    from caos.segmentation.training.config import make_config

    flags: dict[Path, Mapping[str, Any]] = {
        run: scale.segmenter,
        run / "confidence": {"confidence_branch": True, "init": run, **scale.confidence},
        run / "autoencoder": {"model": "autoencoder", **scale.autoencoder},
    }
    return {place: make_config({"seed": seed, **given}, preset=scale.preset) for place, given in flags.items()}


def _miou(results: Mapping[str, Any]) -> str:
    val = results["splits"]["val"]
    return f"{100 * float(val['miou_present']):.1f} %"


def _score(data: Path, run: Path, out: Path, seed: int, terminal: Terminal) -> Results:
    from caos.ood_scores.command import Request, run_request

    request = Request(dataset=data, run=run, out=out, protocols="caos,smiyc", seed=seed)
    return run_request(request, terminal)


def _check_photographs(photographs: Path) -> None:
    """Refuse a set that cannot be scored before a quarter of an hour has passed."""
    from caos.scenes.dataset.layout import open_dataset

    open_dataset(photographs).samples("test")


def _transfer(photographs: Path, out: Path, seed: int, terminal: Terminal) -> Study:
    """Whether the order of the scorers on the demo's streets is that on photographs."""
    from caos.ood_scores import results
    from caos.studies.transfer.study import TransferSettings, study_transfer

    scorers = ",".join(results.read(out / "results").content.columns)
    return study_transfer(
        [f"photographs={photographs}"],
        [f"demo={out / 'run'}"],
        out / "study",
        results=[f"demo@streets={out / 'results'}"],
        first="demo on streets",
        settings=TransferSettings(scorers=scorers, fit_on=out / "data", seed=seed),
        progress=terminal,
    )


def _report(results: Path, site: Path, study: Study | None, terminal: Terminal) -> Path:
    from caos.ood_scores.report.build import Aside, build_site

    asides = () if study is None else (Aside("On photographs", study.content.lead, "../study/index.html"),)
    return build_site(results, site, asides=asides, progress=terminal).index
