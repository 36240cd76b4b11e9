"""``caos demo``: the whole benchmark in small, from an empty folder to a table and a page."""

from __future__ import annotations

import os
import time
import webbrowser
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from foundation.files import claimed
from foundation.progress import Terminal

if TYPE_CHECKING:
    from scenes.layout import Split


@dataclass(frozen=True)
class Scale:
    """How large the benchmark is run.

    Attributes:
        images: Per split; None keeps the recipe's.
        size: Pixels; None keeps the recipe's.
        quality: Of the renderer.
        preset: Of the training, and what differs from it in each of the three runs.
        workers: Processes that render and score.
    """

    images: Mapping[Split, int | None]
    size: tuple[int, int] | None
    quality: str
    preset: str
    segmenter: Mapping[str, Any] = field(default_factory=dict)
    confidence: Mapping[str, Any] = field(default_factory=dict)
    autoencoder: Mapping[str, Any] = field(default_factory=dict)
    workers: int = 2


SMALL: Final = Scale(
    images={"train": 90, "val": 9, "test": 30},
    size=(480, 272),
    quality="standard",
    preset="quick",
    segmenter={"epochs": 9},
    confidence={"epochs": 3},
    autoencoder={"epochs": 4},
)
FULL: Final = Scale(images={"train": None, "val": None, "test": None}, size=None, quality="standard", preset="paper")


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the set, the runs, the results and the site.")] = Path("demo"),
    full: Annotated[
        bool, typer.Option("--full", help="The paper's sizes with the same code (a GPU and days).")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="The same seed, the same streets.")] = 0,
    open_page: Annotated[bool, typer.Option("--open", help="Open the report in a browser at the end.")] = False,
) -> None:
    """Run the whole benchmark in small: simulate, generate, train, score, report.

    \b
    caos demo                  about a quarter of an hour on two cores, no network
    caos demo --out elsewhere
    caos demo --full           the paper's sizes

    Interrupted, it goes on when run again.
    """
    # Threads that spin while they wait for work would take the cores from those that have some.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    scale = FULL if full else SMALL
    terminal = Terminal()
    start = time.monotonic()
    with claimed(out, "demo.json", {"scale": asdict(scale), "seed": seed}, "demo"):
        _step(terminal, 1, "StreetHazards: towns 1-3 to learn from, town 4 to choose by, towns 5 and 6 with hazards")
        _generate(out / "data", scale, seed, terminal)
        _step(terminal, 2, "a segmenter learns the ordinary classes; a confidence branch and an autoencoder too")
        miou = _train(out / "data", out / "run", scale, seed, terminal)
        _step(terminal, 3, "every scorer says how foreign each pixel looks")
        table = _score(out / "data", out / "run", out / "results", scale, seed, terminal)
        _step(terminal, 4, "pages")
        page = _report(out / "results", out / "site", terminal)
    typer.echo(f"\n{table}")
    typer.echo(f"mIoU of the segmenter in the unseen town 4: {miou}")
    typer.echo(f"{(time.monotonic() - start) / 60:.1f} minutes. The report: {page}")
    if open_page:
        webbrowser.open(page.resolve().as_uri())


def _step(terminal: Terminal, number: int, text: str) -> None:
    terminal.say(f"[{number}/4] {text}")


def _generate(data: Path, scale: Scale, seed: int, terminal: Terminal) -> None:
    if (data / "dataset.json").exists():
        return
    from assets.library import Library
    from scenes import recipes
    from scenes.drawing import BuildSettings
    from scenes.generate import Place, generate

    library = Library.open()
    library.build(terminal)
    recipe = recipes.load("streethazards").resized(dict(scale.images))
    settings = BuildSettings(
        seed=seed,
        size=scale.size or recipe.size,
        fov_deg=recipe.fov_deg,
        objects=tuple(library.names("built-in")),
        twins=True,
    )
    generate(recipe, settings, data, Place(quality=scale.quality, workers=scale.workers), terminal)


def _train(data: Path, run: Path, scale: Scale, seed: int, terminal: Terminal) -> str:
    from scenes.layout import open_dataset
    from segmentation.config import make_config
    from segmentation.train import train

    dataset = open_dataset(data)

    def fit(place: Path, flags: Mapping[str, Any]) -> dict[str, Any]:
        config = make_config({"seed": seed, **flags}, preset=scale.preset)
        return train(dataset, place, config, resume=(place / "run.json").exists(), progress=terminal)

    results = fit(run, scale.segmenter)
    fit(run / "confidence", {"confidence_branch": True, "init": run, **scale.confidence})
    fit(run / "autoencoder", {"model": "autoencoder", **scale.autoencoder})
    return _miou(results)


def _miou(results: Mapping[str, Any]) -> str:
    val = results["splits"]["val"]
    return f"{100 * float(val['miou_present']):.1f} %"


def _score(data: Path, run: Path, out: Path, scale: Scale, seed: int, terminal: Terminal) -> str:
    from ood_scores.command import Request, run_request

    request = Request(dataset=data, run=run, out=out, protocols="caos,smiyc", workers=scale.workers, seed=seed)
    return run_request(request, terminal).markdown()


def _report(results: Path, site: Path, terminal: Terminal) -> Path:
    from ood_scores.report.build import build_site

    return build_site(results, site, progress=terminal).index
