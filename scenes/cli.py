"""``caos scenes``: generate, convert, look, check, export."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from caos.foundation.command_line.sizes import parse_size
from caos.foundation.errors import CaosError
from caos.foundation.execution.progress import Terminal, time_spent
from caos.scenes.exporting.cli import card, export
from caos.scenes.generation.render_quality import RenderQuality
from caos.scenes.recipes.cli import app as recipe_app
from caos.scenes.shifting.cli import shift

if TYPE_CHECKING:
    from caos.scenes.generation.generate import Summary

LARGEST_SEED: Final = 2**63 - 1
app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False)
app.add_typer(recipe_app, name="recipe", help="Recipes: list them, show one in full, check one.")

Out = Annotated[Path, typer.Option("--out", help="Folder to write to; run again with the same folder to continue.")]
Set = Annotated[Path, typer.Argument(help="A dataset folder: it holds train/ and test/.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]


class LinkOption(str, Enum):
    """How images get into a converted set."""

    hard = "hard"
    symbolic = "symbolic"
    copy = "copy"


class OnErrorOption(str, Enum):
    """What to do about a bad file."""

    stop = "stop"
    skip = "skip"


class VariantOption(str, Enum):
    """Published variants of BDD-Anomaly."""

    three_class = "three-class"
    two_class = "two-class"


class EncodingOption(str, Enum):
    """How source labels are encoded."""

    train_id = "train-id"
    converted = "converted"
    cityscapes_id = "cityscapes-id"


def _checked_seed(seed: int) -> int:
    # Not a limit of the option: its help would show nineteen digits.
    if seed > LARGEST_SEED:
        raise typer.BadParameter(f"{seed} is above {LARGEST_SEED}")
    return seed


@app.command()
def generate(
    recipe: Annotated[str, typer.Argument(help="Name of a recipe, or the path of a file such as ./night.toml.")],
    out: Out,
    train: Annotated[int | None, typer.Option(min=0, help="Training images.", show_default="the recipe's")] = None,
    val: Annotated[int | None, typer.Option(min=0, help="Validation images.", show_default="the recipe's")] = None,
    test: Annotated[
        int | None, typer.Option(min=0, help="Test images, or sequences.", show_default="the recipe's")
    ] = None,
    size: Annotated[str | None, typer.Option(help="Size in pixels, WIDTHxHEIGHT.", show_default="the recipe's")] = None,
    seed: Annotated[
        int, typer.Option(min=0, callback=_checked_seed, help="Seed; the same seed gives the same set.")
    ] = 0,
    weather: Annotated[
        str | None,
        typer.Option(
            help="'default' mix, one name (clear, fog ...), or weights: clear=3,rain=1.", show_default="the recipe's"
        ),
    ] = None,
    quality: Annotated[RenderQuality, typer.Option(help="Quality of the embedded renderer.")] = RenderQuality.standard,
    hazards: Annotated[
        str | None,
        typer.Option(
            help="'all', 'built-in', 'imported', 'stock' (CARLA's own props), or names: sofa_01,cow_02.",
            show_default="the recipe's",
        ),
    ] = None,
    library: Annotated[Path | None, typer.Option(help="Folder of imported objects (caos assets import).")] = None,
    simulator: Annotated[str, typer.Option(help="'embedded', or CARLA servers HOST:PORT,HOST:PORT.")] = "embedded",
    workers: Annotated[int | None, typer.Option(min=1, help="Processes.", show_default="one per server, or 1")] = None,
    ray: Annotated[str | None, typer.Option(help="Address of a Ray cluster, 'auto' or 'local'.")] = None,
    depth: Annotated[bool, typer.Option("--depth", help="Also write depth maps.")] = False,
    twins: Annotated[bool, typer.Option("--twins", help="Also write each frame without its hazards.")] = False,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Change a key of the recipe, such as hazards.range_m=4,20; repeat for more.",
        ),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an existing set in the folder.")] = False,
) -> None:
    """Generate the set of a recipe: ordinary streets for training, and streets with hazards for testing.

    \b
    caos scenes generate streethazards --out data
    caos scenes generate ./night.toml --out night --test 20
    caos scenes generate night --out night --set hazards.range_m=4,20

    A recipe is a TOML file: docs/recipes.md explains its keys; caos scenes recipe show NAME prints one in full.

    If interrupted, run it again with the same options: it continues, to the same bytes.
    """
    from caos.scenes.generation.generate import Place
    from caos.scenes.generation.generate import generate as run
    from caos.scenes.recipes.recipe import load_recipe
    from caos.scenes.recipes.weather_mix import parse_mix

    terminal = Terminal()
    chosen = load_recipe(recipe, settings or ()).resized({"train": train, "val": val, "test": test})
    chosen = chosen.changed(
        size=parse_size(size) if size else None, weather=parse_mix(weather) if weather else None, objects=hazards
    )
    simulators = tuple(simulator.split(","))
    place = Place(simulators, quality.value, library, workers or len(simulators), ray)
    summary = run(chosen, out, seed=seed, depth=depth, twins=twins, place=place, overwrite=overwrite, progress=terminal)
    _say_summary(summary, out, terminal)


def _options_of(function: Callable[..., None], *, but: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of another one, but for one of them."""

    def given(command: Callable[..., None]) -> Callable[..., None]:
        # Not typing.get_type_hints: in Python 3.10 it hides what is Annotated in an Optional where the default is None.
        signature = inspect.signature(function, eval_str=True)
        kept = [parameter for name, parameter in signature.parameters.items() if name != but]
        command.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
        command.__annotations__ = {parameter.name: parameter.annotation for parameter in kept}
        return command

    return given


@app.command()
@_options_of(generate, but="recipe")
def streethazards(**options: Any) -> None:
    """Generate StreetHazards: ordinary streets for training, and streets with hazards for testing.

    \b
    caos scenes streethazards --out data
    caos scenes streethazards --out small --train 60 --val 20 --test 40
    caos scenes streethazards --out data --simulator 10.0.0.5:2000
    caos scenes streethazards --out data --workers 8
    caos scenes streethazards --out data --ray auto --workers 64

    In this order: the paper's sizes (5125 / 1031 / 1500 images of 1280x720, of towns 1-3, town 4, towns 5 and 6), a
    small set, one of a real CARLA server, one made by eight processes, one made by a Ray cluster. Short for: caos
    scenes generate streethazards.

    If interrupted, run it again with the same options: it continues, to the same bytes.
    """
    generate("streethazards", **options)


def _say_summary(summary: Summary, out: Path, terminal: Terminal) -> None:
    """What was made, how long it took and what to do next, in one place; only the first line is for programs."""
    from caos.scenes.dataset.layout import open_dataset

    spent = summary.seconds
    if summary.made and spent["all"]:
        parts = {key: spent[key] / spent["all"] for key in ("pictures", "labels", "towns")}
        drawn = parts["pictures"] + parts["labels"]
        terminal.say(
            f"{spent['all'] / summary.made:.2f} s per frame: rendering {drawn:.1%} "
            f"(pictures {parts['pictures']:.1%}, finding places for hazards {parts['labels']:.1%}), "
            f"everything else {1 - drawn:.1%} (start-up and loading towns {parts['towns']:.1%})"
        )
    _say_processor(summary, terminal)
    if spent["building"]:
        terminal.say(f"before that, {spent['building']:.0f} s to build towns, which are kept for next time")
    if summary.rejected:
        told = ", ".join(f"{reason} {count}" for reason, count in summary.rejected.most_common(6))
        terminal.say(f"rejected draws: {told}")
    typer.echo(f"{summary.made} images made, {summary.kept} already there: {out}")
    learnt = bool(open_dataset(out).splits.get("train"))
    then = f"caos train {out} --out run" if learnt else f"caos score {out} --run bundled --out results"
    terminal.say(f"Done after {time_spent()}. Next: caos scenes describe {out}, or {then}")


def _say_processor(summary: Summary, terminal: Terminal) -> None:
    """Where the processor's time went, whatever else the machine did meanwhile."""
    used = summary.processor
    if not summary.made or not used["all"]:
        return
    planning = used["all"] - sum(used[key] for key in ("pictures", "labels", "towns", "files"))
    told = {
        "pictures": used["pictures"],
        "looking at views": used["labels"],
        "towns": used["towns"],
        "planning and checking": planning,
        "files": used["files"],
    }
    parts = ", ".join(f"{name} {seconds / summary.made:.2f}" for name, seconds in told.items())
    terminal.say(f"processor time per frame: {used['all'] / summary.made:.2f} s ({parts})")


@app.command()
def render(
    scene: Annotated[Path, typer.Argument(help="A scene file: DATASET/scenes/test/t5/12.json, or one of your own.")],
    out: Out,
    weather: Annotated[str | None, typer.Option(help="Another weather: clear, wet, fog, night ...")] = None,
    without_hazards: Annotated[
        bool, typer.Option("--without-hazards", help="Render the twin: the scene without its hazards.")
    ] = False,
    hazard: Annotated[str | None, typer.Option(help="Put another object where the first hazard stands.")] = None,
    size: Annotated[str | None, typer.Option(help="Another size in pixels, WIDTHxHEIGHT.")] = None,
    quality: Annotated[RenderQuality, typer.Option(help="Quality of the embedded renderer.")] = RenderQuality.standard,
    library: Annotated[Path | None, typer.Option(help="Folder of imported objects.")] = None,
    simulator: Annotated[str, typer.Option(help="'embedded' or HOST:PORT.")] = "embedded",
) -> None:
    """Render one saved scene again, unchanged or with changes.

    \b
    caos scenes render data/scenes/test/t5/12.json --out look
    caos scenes render data/scenes/test/t5/12.json --out look --hazard cow_01
    """
    from caos.assets.catalogue.library import Library
    from caos.scenes.generation.rerender import changed, rerender
    from caos.scenes.scene import read_scene

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
    town: Annotated[str, typer.Option(help="Town01 to Town06, or the path of a plan such as ./plan.toml.")] = "Town01",
    n: Annotated[int, typer.Option("--n", min=1, max=10_000, help="Number of views.")] = 12,
    weather: Annotated[str, typer.Option(help="clear, cloudy, overcast, wet, rain, fog, low-sun, night.")] = "clear",
    size: Annotated[str, typer.Option(help="Size in pixels, WIDTHxHEIGHT.")] = "1280x720",
    quality: Annotated[RenderQuality, typer.Option(help="Quality of the renderer.")] = RenderQuality.standard,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the views.")] = 0,
) -> None:
    """Look at an embedded town: street views as PNG, with a contact sheet.

    \b
    caos scenes view --town Town03 --out look
    caos scenes view --town Town06 --out look --n 4 --weather wet
    caos scenes view --town ./plan.toml --out look
    """
    from caos.simulator.embedded.towns.views import render_views

    files = render_views(town, out, n=n, weather=weather, size=parse_size(size), quality=quality.value, seed=seed)
    typer.echo("\n".join(str(file) for file in files))


@app.command("bdd-anomaly")
def bdd_anomaly(
    labels: Annotated[Path, typer.Option(help="BDD100K's label folder (or the download's top folder).")],
    out: Out,
    images: Annotated[Path | None, typer.Option(help="BDD100K's image folder.")] = None,
    labels_only: Annotated[bool, typer.Option("--labels-only", help="Convert without the images.")] = False,
    variant: Annotated[
        VariantOption, typer.Option(help="Published split, with three or two anomaly classes.")
    ] = VariantOption.three_class,
    anomaly_classes: Annotated[str | None, typer.Option(help="Hold out other classes instead, e.g. rider,bus.")] = None,
    ignore_classes: Annotated[
        str | None, typer.Option(help="Classes that are neither trained on nor measured.")
    ] = None,
    encoding: Annotated[
        EncodingOption | None, typer.Option(help="Encoding of the labels.", show_default="detected")
    ] = None,
    link: Annotated[LinkOption, typer.Option(help="How images are put into the set.")] = LinkOption.hard,
    on_error: Annotated[OnErrorOption, typer.Option(help="What to do about a bad file.")] = OnErrorOption.stop,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes.", show_default="all cores")] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace an existing conversion in the folder.")
    ] = False,
) -> None:
    """Convert BDD100K's 10k segmentation set (or a Cityscapes-style one) into BDD-Anomaly.

    \b
    caos scenes bdd-anomaly --images images/10k --labels labels/sem_seg --out bdd
    caos scenes bdd-anomaly --labels bdd100k/seg/labels --labels-only --out lists
    caos scenes bdd-anomaly --labels gtFine --anomaly-classes bus --out city
    """
    from caos.scenes.converting.bdd_anomaly import VARIANTS, convert, table_note

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
        overwrite=overwrite,
        progress=terminal,
    )
    for problem in result.problems[:20]:
        terminal.say(f"left out: {problem}")
    if result.problems:
        terminal.say(f"{len(result.problems)} files left out, all named in {out / 'left_out.txt'}")
    typer.echo(f"{table_note(result, anomalies)}: {out}")


class ConvertFrom(str, Enum):
    """Whose release is converted."""

    roadanomaly = "roadanomaly"
    smiyc = "smiyc"
    fishyscapes = "fishyscapes"
    lostandfound = "lostandfound"
    folder = "folder"
    bdd_anomaly = "bdd-anomaly"


@app.command()
def convert(
    source: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of the unpacked release.")],
    kind: Annotated[ConvertFrom, typer.Option("--from", help="Name of the release; 'folder' for anything else.")],
    out: Out,
    images: Annotated[Path | None, typer.Option(help="Folder of the images, if not below SOURCE.")] = None,
    masks: Annotated[
        Path | None, typer.Option(help="Folder of the masks ('folder' only).", show_default="SOURCE/masks")
    ] = None,
    values: Annotated[
        str | None,
        typer.Option(help="What a mask's values mean ('folder' only).", show_default="ordinary=0,anomaly=1,void=255"),
    ] = None,
    link: Annotated[LinkOption, typer.Option(help="How images are put into the set.")] = LinkOption.hard,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes.", show_default="all cores")] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace an existing conversion in the folder.")
    ] = False,
) -> None:
    """Convert photographs with masks into a set for audit, score and report, with any run.

    \b
    caos scenes convert dataset_AnomalyTrack --from smiyc --out ra21
    caos scenes convert RoadAnomaly_jpg --from roadanomaly --out ra
    caos scenes convert fs_static --from fishyscapes --images left --out fs
    caos scenes convert lostandfound --from lostandfound --out laf
    caos scenes convert mine --from folder --values anomaly=1+2 --out set
    caos scenes convert bdd100k --from bdd-anomaly --out bdd

    Only anomaly, ordinary and void matter in such a set. BDD-Anomaly has more options: caos scenes bdd-anomaly.
    """
    if kind is ConvertFrom.bdd_anomaly:
        bdd_anomaly(labels=source, out=out, images=images or source, link=link, workers=workers, overwrite=overwrite)
        return
    from caos.scenes.converting.photographs import LEFT_OUT, convert_release

    terminal = Terminal()
    result = convert_release(
        source,
        kind.value,
        out,
        images=images,
        masks=masks,
        values=values,
        link=link.value,
        workers=workers,
        overwrite=overwrite,
        progress=terminal,
    )
    for number, words in ((result.alone, "masks have no photograph"), (result.unmasked, "photographs have no mask")):
        if number:
            terminal.say(f"{number} {words}: see {out / LEFT_OUT}")
    typer.echo(f"{result.images} photographs of {result.title}, {result.with_anomaly} with an anomaly: {out}")


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


@app.command()
def audit(
    dataset: Set,
    as_json: Json = False,
    labels: Annotated[str | None, typer.Option(help="Read with this label table: a name, or ./table.toml.")] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes.", show_default="all cores")] = None,
) -> None:
    """Check every file of a set: ours, the genuine StreetHazards, or BDD-Anomaly. Exit code 1 if it has errors.

    \b
    caos scenes audit data
    caos scenes audit streethazards_release --json > audit.json
    """
    import json

    from caos.scenes.dataset.audit import audit as run
    from caos.scenes.dataset.layout import open_dataset
    from caos.scenes.viewing.terminal_tables import print_audit

    outcome = run(open_dataset(dataset, labels, strict=False), workers=workers, progress=Terminal())
    if as_json:
        typer.echo(json.dumps(outcome.to_json(), indent=2))
    else:
        print_audit(outcome)
    if outcome.errors:
        raise typer.Exit(1)


@app.command()
def describe(
    dataset: Set,
    out: Annotated[Path | None, typer.Option(help="Contact sheet.", show_default="DATASET/contact_sheet.png")] = None,
    as_json: Json = False,
    most: Annotated[int, typer.Option(min=1, help="Images per split used to count class shares.")] = 200,
) -> None:
    """Show a set at a glance: counts, class shares, hazards, weather, and a contact sheet.

    \b
    caos scenes describe data
    """
    import json

    from caos.foundation.storage.files import check_ending
    from caos.scenes.dataset.layout import open_dataset
    from caos.scenes.viewing.overview import contact_sheet
    from caos.scenes.viewing.overview import describe as run
    from caos.scenes.viewing.terminal_tables import print_description

    sheet = out or dataset / "contact_sheet.png"
    check_ending(sheet, ".png", ".webp")
    opened = open_dataset(dataset)
    description = run(opened, most)
    if as_json:
        typer.echo(json.dumps(vars(description), indent=2))
    else:
        print_description(description)
    if opened.info.get("images", True):
        contact_sheet(opened, sheet)
        Terminal().say(f"contact sheet: {sheet}")


@app.command()
def validity(dataset: Set, as_json: Json = False) -> None:
    """Measure whether rendering gives the hazards away: compare twins, and statistics along borders.

    \b
    caos scenes streethazards --out data --twins ...
    caos scenes validity data
    """
    import json

    from caos.scenes.dataset.layout import open_dataset
    from caos.scenes.viewing.terminal_tables import print_validity
    from caos.scenes.viewing.validity import validity as run

    outcome = run(open_dataset(dataset), Terminal())
    if as_json:
        typer.echo(json.dumps(outcome.to_json(), indent=2))
    else:
        print_validity(outcome)


app.command()(shift)
app.command()(export)
app.command()(card)
