"""The front door: mounts the command lines of the rooms into ``caos``."""

from __future__ import annotations

import logging
import os
import sys
from typing import Annotated, Any

import typer
from rich.console import Console

from caos_demo import demo
from caos_doctor import doctor
from foundation.errors import CaosError
from foundation.progress import QUIET
from foundation.provenance import package_version
from ood_scores.cli import report, score
from scenes.assets_cli import app as assets
from scenes.cli import app as scenes
from segmentation.cli import train
from simulator.cli import serve

EXIT_BAD_INPUT = 2
EXIT_INTERRUPTED = 130
# Newer releases of Typer carry a Click of their own; this finds the right base class in both.
_CommandLineError: Any = typer.BadParameter.__mro__[2]

HELP = """CAOS measures whether a car's segmenter notices what should not be on the road.

\b
caos demo                                 the whole benchmark in small
caos scenes streethazards --out data      streets with and without hazards
caos train data --out run                 learn the ordinary classes
caos score data --run run --out results   who finds the hazards?
caos report results --out site            pages to look at
"""

app = typer.Typer(name="caos", help=HELP, no_args_is_help=True, pretty_exceptions_enable=False, rich_markup_mode="rich")


def _print_version(value: bool) -> None:
    if value:
        typer.echo(f"caos {package_version('caos-bench')}")
        raise typer.Exit


@app.callback()
def options(
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    verbose: Annotated[bool, typer.Option("-v", "--verbose", help="Say more.")] = False,
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="Show no progress.")] = False,
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Options of every command; they stand before its name."""
    QUIET.set(quiet)
    level = logging.INFO if verbose else logging.ERROR if quiet else logging.WARNING
    logging.basicConfig(level=logging.DEBUG if debug else level, format="%(levelname)s %(name)s: %(message)s")


app.command()(demo)
app.command()(serve)
app.add_typer(assets, name="assets", help="The hazard objects: list, look, import, check, package for CARLA.")
app.add_typer(scenes, name="scenes", help="Datasets: generate, convert, audit, look, export.")
app.command()(train)
app.command()(score)
app.command()(report)
app.command()(doctor)


def main(arguments: list[str] | None = None) -> None:
    """Run ``caos``: known errors become one line and exit code 2, Ctrl-C a line that says how to go on."""
    arguments = sys.argv[1:] if arguments is None else arguments
    code = _run(arguments)
    sys.stdout.flush()
    sys.stderr.flush()
    # The genuine CARLA client can abort while Python shuts down; the work is done, so leave without that.
    os._exit(code) if "carla" in sys.modules else sys.exit(code)


def _run(arguments: list[str]) -> int:
    stderr = Console(stderr=True, highlight=False)
    try:
        result: Any = app(args=arguments, prog_name="caos", standalone_mode=False)
    except CaosError as error:
        if "--debug" in arguments:
            raise
        stderr.print(f"error: {error}", soft_wrap=True, markup=False)
        return EXIT_BAD_INPUT
    except _CommandLineError as error:
        where = error.ctx.command_path if getattr(error, "ctx", None) else "caos"
        stderr.print(f"error: {error.format_message()} (see {where} --help)", soft_wrap=True, markup=False)
        return EXIT_BAD_INPUT
    except (KeyboardInterrupt, typer.Abort):
        result = EXIT_INTERRUPTED
    if result == EXIT_INTERRUPTED:  # which typer returns for Ctrl-C
        stderr.print("interrupted; what is finished is kept: run the same command again to go on")
    return result if isinstance(result, int) else 0


if __name__ == "__main__":
    main()
