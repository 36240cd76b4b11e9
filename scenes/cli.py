"""``caos scenes``: generate, convert, look, check, export."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, get_type_hints

import typer

from caos.foundation.errors import CaosError
from caos.foundation.progress import Terminal
from caos.foundation.sizes import parse_size
from caos.scenes.recipe_cli import app as recipe_app
from caos.scenes.render_quality import RenderQuality
from caos.scenes.shifting.cli import shift

if TYPE_CHECKING:
    from caos.scenes.generate import Summary

LARGEST_SEED: Final = 2**63 - 1
app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False)
app.add_typer(recipe_app, name="recipe", help="Recipes: list them, show one in full, check one.")
app.command()(shift)

Out = Annotated[Path, typer.Option("--out", help="Folder to write to; run again with the same one to go on.")]
Set = Annotated[Path, typer.Argument(help="A dataset folder: it holds train/ and test/.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]


class LinkOption(str, Enum):
    """How images get into a converted set."""

    hard = "hard"
    symbolic = "symbolic"
    copy = "copy"


class OnErrorOption(str, Enum):
    """What a bad file does."""

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


@app.command()
def generate(
    recipe: Annotated[str, typer.Argument(help="A recipe: its name, or the path of a file such as ./night.toml.")],
    out: Out,
    train: Annotated[int | None, typer.Option(min=0, help="Training images. [default: the recipe's]")] = None,
    val: Annotated[int | None, typer.Option(min=0, help="Validation images. [default: the recipe's]")] = None,
    test: Annotated[int | None, typer.Option(min=0, help="Test images, or sequences. [default: the recipe's]")] = None,
    size: Annotated[str | None, typer.Option(help="Pixels, WIDTHxHEIGHT. [default: the recipe's]")] = None,
    seed: Annotated[int, typer.Option(min=0, max=LARGEST_SEED, help="The same seed gives the same set.")] = 0,
    weather: Annotated[
        str | None,
        typer.Option(
            help="'default' mix, one name (clear, fog ...), or weights: clear=3,rain=1. [default: the recipe's]"
        ),
    ] = None,
    quality: Annotated[RenderQuality, typer.Option(help="Of the embedded renderer.")] = RenderQuality.standard,
    hazards: Annotated[
        str | None,
        typer.Option(
            help="'all', 'built-in', 'imported', 'stock' (CARLA's own props), or names: sofa_01,cow_02. "
            "[default: the recipe's]"
        ),
    ] = None,
    library: Annotated[Path | None, typer.Option(help="Folder of imported objects (caos assets import).")] = None,
    simulator: Annotated[str, typer.Option(help="'embedded', or CARLA servers HOST:PORT[,HOST:PORT...].")] = "embedded",
    workers: Annotated[int | None, typer.Option(min=1, help="Processes. [default: one per server, or 1]")] = None,
    ray: Annotated[str | None, typer.Option(help="Address of a Ray cluster, 'auto' or 'local'.")] = None,
    depth: Annotated[bool, typer.Option("--depth", help="Write depth maps too.")] = False,
    twins: Annotated[bool, typer.Option("--twins", help="Write each frame without its hazards too.")] = False,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="KEY=VALUE", help="Change a key of the recipe: hazards.range_m=4,20. May be repeated."
        ),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace another set in the folder.")] = False,
) -> None:
    """Generate the set of a recipe: ordinary streets to learn from, and streets with hazards to be tested on.

    \b
    caos scenes generate streethazards --out data
    caos scenes generate ./night.toml --out night --test 20
    caos scenes generate night --out night --set hazards.range_m=4,20 --set traffic.walkers=0,30

    A recipe is a TOML file: docs/recipes.md says what may stand in it, caos scenes recipe shows one in full.

    Interrupted, it goes on when run again with the same options, to the same bytes.
    """
    from caos.scenes.generate import Place
    from caos.scenes.generate import generate as run
    from caos.scenes.recipe import load_recipe
    from caos.scenes.weather_mix import parse_mix

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
        signature, hints = inspect.signature(function), get_type_hints(function, include_extras=True)
        kept = [p.replace(annotation=hints[name]) for name, p in signature.parameters.items() if name != but]
        command.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
        command.__annotations__ = {name: hint for name, hint in hints.items() if name != but}
        return command

    return given


@app.command()
@_options_of(generate, but="recipe")
def streethazards(**options: Any) -> None:
    """Generate StreetHazards: ordinary streets to learn from, and streets with hazards to be tested on.

    \b
    caos scenes streethazards --out data
    caos scenes streethazards --out small --train 60 --val 20 --test 40
    caos scenes streethazards --out data --simulator 10.0.0.5:2000
    caos scenes streethazards --out data --workers 8
    caos scenes streethazards --out data --ray auto --workers 64

    The paper's sizes, 5125 / 1031 / 1500 images of 1280x720 (towns 1-3, town 4, towns 5 and 6); a small set; on a real
    CARLA server; in eight processes; on a Ray cluster. It is short for: caos scenes generate streethazards.

    Interrupted, it goes on when run again with the same options, to the same bytes.
    """
    generate("streethazards", **options)


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


@app.command()
def render(
    scene: Annotated[Path, typer.Argument(help="A scene file: DATASET/scenes/test/t5/12.json, or one of your own.")],
    out: Out,
    weather: Annotated[str | None, typer.Option(help="Another weather: clear, wet, fog, night ...")] = None,
    without_hazards: Annotated[bool, typer.Option("--without-hazards", help="Show the twin.")] = False,
    hazard: Annotated[str | None, typer.Option(help="Put another object where the first hazard stands.")] = None,
    size: Annotated[str | None, typer.Option(help="Other pixels, WIDTHxHEIGHT.")] = None,
    quality: Annotated[RenderQuality, typer.Option(help="Of the embedded renderer.")] = RenderQuality.standard,
    library: Annotated[Path | None, typer.Option(help="Folder of imported objects.")] = None,
    simulator: Annotated[str, typer.Option(help="'embedded' or HOST:PORT.")] = "embedded",
) -> None:
    """Render one saved scene again, as it was or changed.

    \b
    caos scenes render data/scenes/test/t5/12.json --out look
    caos scenes render data/scenes/test/t5/12.json --out look --weather fog --hazard cow_01
    """
    from caos.assets.library import Library
    from caos.scenes.rerender import changed, rerender
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
    n: Annotated[int, typer.Option("--n", min=1, help="How many views.")] = 12,
    weather: Annotated[str, typer.Option(help="clear, cloudy, overcast, wet, rain, fog, low-sun, night.")] = "clear",
    size: Annotated[str, typer.Option(help="Pixels, WIDTHxHEIGHT.")] = "1280x720",
    quality: Annotated[RenderQuality, typer.Option(help="Of the renderer.")] = RenderQuality.standard,
    seed: Annotated[int, typer.Option(min=0, help="Another seed, other views.")] = 0,
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
        VariantOption, typer.Option(help="Published split: three or two anomaly classes.")
    ] = VariantOption.three_class,
    anomaly_classes: Annotated[str | None, typer.Option(help="Hold out other classes instead, e.g. rider,bus.")] = None,
    ignore_classes: Annotated[str | None, typer.Option(help="Classes neither trained nor measured.")] = None,
    encoding: Annotated[EncodingOption | None, typer.Option(help="Of the labels. [default: found by looking]")] = None,
    link: Annotated[LinkOption, typer.Option(help="How images get into the set.")] = LinkOption.hard,
    on_error: Annotated[OnErrorOption, typer.Option(help="What a bad file does.")] = OnErrorOption.stop,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes. [default: all cores]")] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace another conversion in the folder.")] = False,
) -> None:
    """Convert BDD100K's 10k segmentation set (or a Cityscapes-style one) into BDD-Anomaly.

    \b
    caos scenes bdd-anomaly --images bdd100k/images/10k --labels bdd100k/labels/sem_seg/masks --out bdd
    caos scenes bdd-anomaly --labels bdd100k/seg/labels --labels-only --out lists
    caos scenes bdd-anomaly --images leftImg8bit --labels gtFine --anomaly-classes rider,bus --out city
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
    source: Annotated[Path, typer.Argument(metavar="DIR", help="The folder that the release unpacks to.")],
    kind: Annotated[ConvertFrom, typer.Option("--from", help="Whose release it is; 'folder' for any other.")],
    out: Out,
    images: Annotated[Path | None, typer.Option(help="Folder of the images, if not below DIR.")] = None,
    masks: Annotated[Path | None, typer.Option(help="Folder of the masks ('folder' only). [DIR/masks]")] = None,
    values: Annotated[
        str, typer.Option(help="What a mask's values mean ('folder' only).")
    ] = "ordinary=0,anomaly=1,void=255",
    link: Annotated[LinkOption, typer.Option(help="How images get into the set.")] = LinkOption.hard,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes. [default: all cores]")] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace another conversion in the folder.")] = False,
) -> None:
    """Turn photographs with masks into a set that audit, score and report take with any run.

    \b
    caos scenes convert dataset_AnomalyTrack --from smiyc --out ra21
    caos scenes convert RoadAnomaly_jpg --from roadanomaly --out ra
    caos scenes convert fishyscapes_lostandfound --from fishyscapes --images leftImg8bit --out fs
    caos scenes convert lostandfound --from lostandfound --out laf
    caos scenes convert mine --from folder --values ordinary=0,anomaly=1+2,void=255 --out set
    caos scenes convert bdd100k --from bdd-anomaly --out bdd

    Only anomaly, ordinary and void matter in such a set. BDD-Anomaly has more options: caos scenes bdd-anomaly.
    """
    if kind is ConvertFrom.bdd_anomaly:
        bdd_anomaly(labels=source, out=out, images=images or source, link=link, workers=workers, overwrite=overwrite)
        return
    from caos.scenes.converting.photo_pairs import find_in_folders, find_photos, parse_values
    from caos.scenes.converting.photographs import LEFT_OUT, convert_photographs

    if kind is ConvertFrom.folder:
        found = find_in_folders(images or source / "images", masks or source / "masks", parse_values(values))
    else:
        found = find_photos(kind.value, source, images)
    terminal = Terminal()
    result = convert_photographs(found, out, link=link.value, workers=workers, overwrite=overwrite, progress=terminal)
    for number, words in ((result.alone, "masks have no photograph"), (result.unmasked, "photographs have no mask")):
        if number:
            terminal.say(f"{number} {words}: see {out / LEFT_OUT}")
    typer.echo(f"{result.images} photographs of {found.title}, {result.with_anomaly} with an anomaly: {out}")


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


@app.command()
def audit(
    dataset: Set,
    as_json: Json = False,
    labels: Annotated[str | None, typer.Option(help="Read with this label table: a name, or ./table.toml.")] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes. [default: all cores]")] = None,
) -> None:
    """Check every file of a set: ours, the genuine StreetHazards, or BDD-Anomaly. Exit code 1 when it has errors.

    \b
    caos scenes audit data
    caos scenes audit streethazards_release --json > audit.json
    """
    import json

    from caos.scenes.audit import audit as run
    from caos.scenes.layout import open_dataset
    from caos.scenes.terminal_tables import print_audit

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
    out: Annotated[Path | None, typer.Option(help="Contact sheet. [default: DATASET/contact_sheet.png]")] = None,
    as_json: Json = False,
    most: Annotated[int, typer.Option(min=1, help="Images of each split that class shares are taken from.")] = 200,
) -> None:
    """Show a set at a glance: counts, class shares, hazards, weather, and a contact sheet.

    \b
    caos scenes describe data
    """
    import json

    from caos.scenes.layout import open_dataset
    from caos.scenes.overview import contact_sheet
    from caos.scenes.overview import describe as run
    from caos.scenes.terminal_tables import print_description

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

    from caos.scenes.layout import open_dataset
    from caos.scenes.terminal_tables import print_validity
    from caos.scenes.validity import validity as run

    outcome = run(open_dataset(dataset), Terminal())
    if as_json:
        typer.echo(json.dumps(outcome.to_json(), indent=2))
    else:
        print_validity(outcome)


@app.command()
def video(
    dataset: Set,
    out: Annotated[Path, typer.Option("--out", help="Folder for the videos.")],
    sequence: Annotated[str | None, typer.Option(help="Only this one, such as test/approach/003.")] = None,
    plain: Annotated[bool, typer.Option("--plain", help="Without frame, distance and speed.")] = False,
) -> None:
    """Write the sequences of a set as animated WebP, which every browser plays.

    \b
    caos scenes generate approach --out near --test 3
    caos scenes video near --out videos
    """
    from caos.scenes.layout import open_dataset
    from caos.scenes.video import write_videos

    files = write_videos(open_dataset(dataset), out, sequence, plain=plain, progress=Terminal())
    typer.echo("\n".join(str(file) for file in files))


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
    from caos.scenes.export import export as run
    from caos.scenes.layout import open_dataset

    result = run(open_dataset(dataset), form, out, Terminal())
    typer.echo(f"{result.images} images: {result.out}")
