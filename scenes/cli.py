"""``caos scenes``: generate, convert, look, check, export."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from foundation.errors import CaosError
from foundation.progress import Terminal

if TYPE_CHECKING:
    from scenes.generate import Summary

app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False)

Out = Annotated[Path, typer.Option("--out", help="Folder to write to; run again with the same one to go on.")]
Set = Annotated[Path, typer.Argument(help="A dataset folder: it holds train/ and test/.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]


class Quality(str, Enum):
    """Of the embedded renderer."""

    draft = "draft"
    standard = "standard"
    high = "high"


class Link(str, Enum):
    """How images get into a converted set."""

    hard = "hard"
    symbolic = "symbolic"
    copy = "copy"


class OnError(str, Enum):
    """What a bad file does."""

    stop = "stop"
    skip = "skip"


class Variant(str, Enum):
    """Published variants of BDD-Anomaly."""

    three_class = "three-class"
    two_class = "two-class"


class Encoding(str, Enum):
    """How source labels are encoded."""

    train_id = "train-id"
    converted = "converted"
    cityscapes_id = "cityscapes-id"


def parse_size(text: str) -> tuple[int, int]:
    """Width and height of ``"1280x720"``.

    Raises:
        CaosError: If the text is not two positive whole numbers with an ``x`` between them.
    """
    width, _, height = text.lower().partition("x")
    if not (width.isdigit() and height.isdigit() and 16 <= int(width) <= 8192 and 16 <= int(height) <= 8192):
        raise CaosError(f"--size {text!r} is not WIDTHxHEIGHT with both from 16 to 8192, for example 1280x720")
    return int(width), int(height)


@app.command()
def streethazards(
    out: Out,
    train: Annotated[int | None, typer.Option(min=0, help="Training images (towns 1-3). [default: 5125]")] = None,
    val: Annotated[int | None, typer.Option(min=0, help="Validation images (town 4). [default: 1031]")] = None,
    test: Annotated[int | None, typer.Option(min=0, help="Test images (towns 5, 6). [default: 1500]")] = None,
    size: Annotated[str | None, typer.Option(help="Pixels, WIDTHxHEIGHT. [default: 1280x720]")] = None,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same set.")] = 0,
    weather: Annotated[
        str, typer.Option(help="'default' mix, one name (clear, fog ...), or weights: clear=3,rain=1.")
    ] = "default",
    quality: Annotated[Quality, typer.Option(help="Of the embedded renderer.")] = Quality.standard,
    hazards: Annotated[
        str, typer.Option(help="'all', 'built-in', 'imported', 'stock' (CARLA's own props), or names: sofa_01,cow_02.")
    ] = "all",
    library: Annotated[Path | None, typer.Option(help="Folder of imported objects (caos assets import).")] = None,
    simulator: Annotated[str, typer.Option(help="'embedded', or CARLA servers HOST:PORT[,HOST:PORT...].")] = "embedded",
    workers: Annotated[int | None, typer.Option(min=1, help="Processes. [default: one per server, or 1]")] = None,
    ray: Annotated[str | None, typer.Option(help="Address of a Ray cluster, 'auto' or 'local'.")] = None,
    depth: Annotated[bool, typer.Option("--depth", help="Write depth maps too.")] = False,
    twins: Annotated[bool, typer.Option("--twins", help="Write each test frame without its hazards too.")] = False,
    recipe: Annotated[str, typer.Option(help="The dataset definition; see scenes/recipes.")] = "streethazards",
) -> None:
    """Generate StreetHazards: ordinary streets to learn from, and streets with hazards to be tested on.

    \b
    caos scenes streethazards --out data
    caos scenes streethazards --out small --train 60 --val 20 --test 40
    caos scenes streethazards --out data --simulator 10.0.0.5:2000
    caos scenes streethazards --out data --workers 8
    caos scenes streethazards --out data --ray auto --workers 64

    The paper's sizes; a small set; on a real CARLA server; in eight processes; on a Ray cluster.

    Interrupted, it goes on when run again with the same options, to the same bytes.
    """
    from scenes import recipes
    from scenes.conditions import parse_mix
    from scenes.drawing import BuildSettings
    from scenes.generate import Place, generate

    terminal = Terminal()
    chosen = recipes.load(recipe).resized({"train": train, "val": val, "test": test})
    pixels = parse_size(size) if size else chosen.size
    simulators = tuple(simulator.split(","))
    settings = BuildSettings(
        seed=seed,
        size=pixels,
        fov_deg=chosen.fov_deg,
        mix=parse_mix(weather),
        objects=_hazard_names(hazards, library),
        depth=depth,
        twins=twins,
    )
    place = Place(simulators, quality.value, library, workers or len(simulators), ray)
    summary = generate(chosen, settings, out, place, terminal)
    _say_summary(summary, out, terminal)


def _say_summary(summary: Summary, out: Path, terminal: Terminal) -> None:
    spent = summary.seconds
    if summary.made and spent["all"]:
        parts = {key: spent[key] / spent["all"] for key in ("pictures", "labels", "towns")}
        drawn = parts["pictures"] + parts["labels"]
        terminal.say(
            f"{spent['all'] / summary.made:.2f} s a frame: rendering {drawn:.1%} "
            f"(pictures {parts['pictures']:.1%}, looking for places for hazards {parts['labels']:.1%}), "
            f"everything else {1 - drawn:.1%} (starting and loading towns {parts['towns']:.1%})"
        )
    if spent["building"]:
        terminal.say(f"before that, {spent['building']:.0f} s for building towns, which are kept for the next time")
    if summary.rejected:
        told = ", ".join(f"{reason} {count}" for reason, count in summary.rejected.most_common(6))
        terminal.say(f"tries drawn again: {told}")
    typer.echo(f"{summary.made} images made, {summary.kept} were there already: {out}")


def _hazard_names(text: str, library: Path | None) -> tuple[str, ...]:
    """Object names of a ``--hazards`` value, checked against the library."""
    from assets.library import Library
    from scenes.catalogue import choose_hazards

    return choose_hazards(Library.open(library), text)


@app.command()
def render(
    scene: Annotated[Path, typer.Argument(help="A scene file: DATASET/scenes/test/t5/12.json, or one of your own.")],
    out: Out,
    weather: Annotated[str | None, typer.Option(help="Another weather: clear, wet, fog, night ...")] = None,
    without_hazards: Annotated[bool, typer.Option("--without-hazards", help="Show the twin.")] = False,
    hazard: Annotated[str | None, typer.Option(help="Put another object where the first hazard stands.")] = None,
    size: Annotated[str | None, typer.Option(help="Other pixels, WIDTHxHEIGHT.")] = None,
    quality: Annotated[Quality, typer.Option(help="Of the embedded renderer.")] = Quality.standard,
    library: Annotated[Path | None, typer.Option(help="Folder of imported objects.")] = None,
    simulator: Annotated[str, typer.Option(help="'embedded' or HOST:PORT.")] = "embedded",
) -> None:
    """Render one saved scene again, as it was or changed.

    \b
    caos scenes render data/scenes/test/t5/12.json --out look
    caos scenes render data/scenes/test/t5/12.json --out look --weather fog --hazard cow_01
    """
    from assets.library import Library
    from scenes.rerender import changed, rerender
    from scenes.scene import read_scene

    wanted = changed(
        read_scene(scene),
        weather=weather,
        without_hazards=without_hazards,
        hazard=hazard,
        size=parse_size(size) if size else None,
        library=Library.open(library),
    )
    files = rerender(wanted, out, simulator=simulator, quality=quality.value, library=library)
    typer.echo("\n".join(str(file) for file in files))


@app.command()
def view(
    out: Out,
    town: Annotated[str, typer.Option(help="Town01 to Town06.")] = "Town01",
    n: Annotated[int, typer.Option("--n", min=1, help="How many views.")] = 12,
    weather: Annotated[str, typer.Option(help="clear, cloudy, overcast, wet, rain, fog, low-sun, night.")] = "clear",
    size: Annotated[str, typer.Option(help="Pixels, WIDTHxHEIGHT.")] = "1280x720",
    quality: Annotated[Quality, typer.Option(help="Of the renderer.")] = Quality.standard,
    seed: Annotated[int, typer.Option(min=0, help="Another seed, other views.")] = 0,
) -> None:
    """Look at an embedded town: street views as PNG, with a contact sheet.

    \b
    caos scenes view --town Town03 --out look
    caos scenes view --town Town06 --out look --n 4 --weather wet
    """
    from simulator.embedded.towns.views import render_views

    files = render_views(town, out, n=n, weather=weather, size=parse_size(size), quality=quality.value, seed=seed)
    typer.echo("\n".join(str(file) for file in files))


@app.command("bdd-anomaly")
def bdd_anomaly(
    labels: Annotated[Path, typer.Option(help="BDD100K's label folder (or the download's top folder).")],
    out: Out,
    images: Annotated[Path | None, typer.Option(help="BDD100K's image folder.")] = None,
    labels_only: Annotated[bool, typer.Option("--labels-only", help="Convert without the images.")] = False,
    variant: Annotated[
        Variant, typer.Option(help="Published split: three or two anomaly classes.")
    ] = Variant.three_class,
    anomaly_classes: Annotated[str | None, typer.Option(help="Hold out other classes instead, e.g. rider,bus.")] = None,
    ignore_classes: Annotated[str | None, typer.Option(help="Classes neither trained nor measured.")] = None,
    encoding: Annotated[Encoding | None, typer.Option(help="Of the labels. [default: found by looking]")] = None,
    link: Annotated[Link, typer.Option(help="How images get into the set.")] = Link.hard,
    on_error: Annotated[OnError, typer.Option(help="What a bad file does.")] = OnError.stop,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes. [default: all cores]")] = None,
) -> None:
    """Convert BDD100K's 10k segmentation set (or a Cityscapes-style one) into BDD-Anomaly.

    \b
    caos scenes bdd-anomaly --images bdd100k/images/10k --labels bdd100k/labels/sem_seg/masks --out bdd
    caos scenes bdd-anomaly --labels bdd100k/seg/labels --labels-only --out lists
    caos scenes bdd-anomaly --images leftImg8bit --labels gtFine --anomaly-classes rider,bus --out city
    """
    from scenes.bdd_anomaly import VARIANTS, convert, table_note

    if images is None and not labels_only:
        raise CaosError("give --images DIR, or --labels-only to convert the labels alone")
    anomalies = _names(anomaly_classes) if anomaly_classes else VARIANTS[variant.value]
    terminal = Terminal()
    result = convert(
        labels,
        None if labels_only else images,
        out,
        anomalies=anomalies,
        ignored=_names(ignore_classes) if ignore_classes else (),
        encoding=encoding.value if encoding else None,
        link=link.value,
        on_error=on_error.value,
        workers=workers,
        progress=terminal,
    )
    for problem in result.problems[:20]:
        terminal.say(f"left out: {problem}")
    if result.problems:
        terminal.say(f"{len(result.problems)} files left out, all named in {out / 'left_out.txt'}")
    typer.echo(f"{table_note(result, anomalies)}: {out}")


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


@app.command()
def audit(
    dataset: Set,
    as_json: Json = False,
    labels: Annotated[str | None, typer.Option(help="Read with this label table.")] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes. [default: all cores]")] = None,
) -> None:
    """Check every file of a set: ours, the genuine StreetHazards, or BDD-Anomaly. Exit code 1 when it has errors.

    \b
    caos scenes audit data
    caos scenes audit streethazards_release --json > audit.json
    """
    import json

    from scenes.audit import audit as run
    from scenes.layout import open_dataset
    from scenes.tables import print_audit

    outcome = run(open_dataset(dataset, labels), workers=workers, progress=Terminal())
    if as_json:
        typer.echo(json.dumps(outcome.to_json(), indent=2))
    else:
        print_audit(outcome)
    if outcome.errors:
        raise typer.Exit(1)


@app.command()
def describe(
    dataset: Set,
    out: Annotated[Path | None, typer.Option(help="Contact sheet. [default: DATASET/contact_sheet.png]")] = None,
    as_json: Json = False,
    most: Annotated[int, typer.Option(min=1, help="Images of each split that class shares are taken from.")] = 200,
) -> None:
    """Show a set at a glance: counts, class shares, hazards, weather, and a contact sheet.

    \b
    caos scenes describe data
    """
    import json

    from scenes.describe import contact_sheet
    from scenes.describe import describe as run
    from scenes.layout import open_dataset
    from scenes.tables import print_description

    opened = open_dataset(dataset)
    description = run(opened, most)
    if as_json:
        typer.echo(json.dumps(vars(description), indent=2))
    else:
        print_description(description)
    if opened.info.get("images", True):
        sheet = out or dataset / "contact_sheet.png"
        contact_sheet(opened, sheet)
        Terminal().say(f"contact sheet: {sheet}")


@app.command()
def validity(dataset: Set, as_json: Json = False) -> None:
    """Measure whether rendering gives the hazards away: twins, and statistics along borders.

    \b
    caos scenes streethazards --out data --twins ...
    caos scenes validity data
    """
    import json

    from scenes.layout import open_dataset
    from scenes.tables import print_validity
    from scenes.validity import validity as run

    outcome = run(open_dataset(dataset), Terminal())
    if as_json:
        typer.echo(json.dumps(outcome.to_json(), indent=2))
    else:
        print_validity(outcome)


@app.command()
def export(
    dataset: Set,
    out: Out,
    form: Annotated[str, typer.Option("--format", help="smiyc, cityscapes or coco-panoptic.")],
) -> None:
    """Write a set in another tool's format.

    \b
    caos scenes export data --format smiyc --out smiyc
    """
    from scenes.export import export as run
    from scenes.layout import open_dataset

    result = run(open_dataset(dataset), form, out, Terminal())
    typer.echo(f"{result.images} images: {result.out}")
