"""Command line: mounts the commands of the rooms into ``caos``.

A command's module is imported when the command is called; ``caos --help`` needs none of them.
"""

from __future__ import annotations

import errno
import logging
import os
import signal
import sys
from typing import Annotated, Any, Final

import typer

from caos.foundation.command_line.commands import CommandTable, commands_on_demand
from caos.foundation.command_line.extras import DISTRIBUTION, naming_extras
from caos.foundation.command_line.terminal_output import harmless
from caos.foundation.errors import CaosError
from caos.foundation.execution.matplotlib_settings import ignore_local_settings
from caos.foundation.execution.threads import wait_passively

EXIT_BAD_INPUT: Final = 2
EXIT_INTERRUPTED: Final = 130
EXIT_UNHEARD: Final = 1
_NOT_OURS: Final = (errno.ENAMETOOLONG, errno.ELOOP, errno.EACCES, errno.EPERM)
"""What a system says of a path that cannot be any file's, or not be looked at by this user."""
_NAMELESS: Final = {
    errno.ENOENT: "the folder in which caos was started is gone; change to another one",
    errno.ENOSPC: "cannot say what was found: there is no space left where the output goes",
}
_BEFORE: Final[list[Any]] = []
"""The streams that ours write to: they would close with the last who knows them."""
# Newer releases of Typer carry a Click of their own; this finds the right base class in both.
_CommandLineError: Any = typer.BadParameter.__mro__[2]

HELP: Final = """CAOS measures whether a car's segmenter notices what should not be on the road.

\b
caos demo                                 the whole benchmark in small
caos scenes streethazards --out data      streets with and without hazards
caos train data --out run                 learn the ordinary classes
caos score data --run run --out results   who finds the hazards?
caos report results --out site            pages to look at
caos look street.jpg --out seen           what looks foreign in a photograph?
"""

COMMANDS: Final[CommandTable] = {
    "demo": ("caos.demo:demo", "Run the whole benchmark in small, from an empty folder to a page."),
    "serve": ("caos.simulator.cli:serve", "Serve a small CARLA: any client of CARLA 0.9.16 can connect."),
    "assets": ("caos.assets_cli:app", "Hazard objects: list, preview, import, check, package for CARLA."),
    "scenes": ("caos.scenes_cli:app", "Datasets: generate, convert, audit, look, filter, export."),
    "train": ("caos.segmentation.cli:train", "Train a segmenter, and measure it in a town it has not seen."),
    "score": ("caos.ood_scores.cli:score", "Score every pixel, and measure how well scorers find the hazards."),
    "compare": ("caos.ood_scores.cli:compare", "Put several results on one set into one table."),
    "report": ("caos.ood_scores.cli:report", "Build the pages of results: a site to open in a browser."),
    "study": (
        "caos.studies.cli:app",
        "Answer larger questions, such as: what does fog cost?",
    ),
    "look": ("caos.ood_scores.looking.cli:look", "Show what looks foreign in photographs."),
    "export": ("caos.ood_scores.bundling.cli:app", "Pack a trained run to give to others."),
    "doctor": ("caos.doctor:doctor", "Show what this machine offers, and how to get the rest."),
}

app = typer.Typer(
    name="caos",
    cls=commands_on_demand(COMMANDS),
    help=HELP,
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain text: importing what draws the boxes takes longer than all the rest
)


def _print_version(value: bool) -> None:
    if value:
        from caos.foundation.storage.provenance import package_version

        typer.echo(f"caos {package_version(DISTRIBUTION)}")
        raise typer.Exit


@app.callback()
def options(
    context: typer.Context,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    verbose: Annotated[bool, typer.Option("-v", "--verbose", help="Say more.")] = False,
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="Show no progress.")] = False,
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Options of every command; they stand before its name."""
    if context.invoked_subcommand is None:
        from pathlib import Path

        from caos.next_steps import next_steps

        typer.echo(next_steps(Path.cwd()))
        return
    from caos.foundation.execution.progress import QUIET

    before = QUIET.set(quiet)
    context.call_on_close(lambda: QUIET.reset(before))
    level = logging.INFO if verbose else logging.ERROR if quiet else logging.WARNING
    logging.basicConfig(level=logging.DEBUG if debug else level, format="%(levelname)s %(name)s: %(message)s")


def main(arguments: list[str] | None = None) -> None:
    """Run ``caos``: known errors become one line and exit code 2, Ctrl-C a line that says how to go on."""
    arguments = sys.argv[1:] if arguments is None else arguments
    wait_passively()
    os.environ.setdefault("PYTHONSAFEPATH", "1")  # no Python that is started from here imports from where it stands
    ignore_local_settings()
    _show_any_text()
    code = _run(arguments)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # all is done or told: Python leaves without a word more
    code = code or _unheard()
    # The genuine CARLA client can abort while Python shuts down; the work is done, so leave without that.
    os._exit(code) if "carla" in sys.modules else sys.exit(code)


def _unheard() -> int:
    """Write what is still to be written; 0, or what to return if nobody reads it or their disk is full."""
    code = 0
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:  # as it is for whoever closed it
                stream.flush()
        except OSError:
            code = EXIT_UNHEARD
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())  # Python writes the rest when it ends
    return code


def _show_any_text() -> None:
    """Show by numbers what a terminal has no letters for, what is no text, and what would steer it."""
    _BEFORE.extend((sys.stdout, sys.stderr))
    sys.stdout, sys.stderr = harmless(sys.stdout), harmless(sys.stderr, moves=True)


def _run(arguments: list[str]) -> int:
    try:
        _check_words(arguments)
        with naming_extras():
            result: Any = app(args=arguments, prog_name="caos", standalone_mode=False)
    except CaosError as error:
        if "--debug" in arguments:
            raise
        return _refuse(str(error))
    except _CommandLineError as error:
        return _refuse_call(error)
    except (KeyboardInterrupt, typer.Abort):
        result = EXIT_INTERRUPTED
    except OSError as error:
        told = _fault_of_a_place(error)
        if told is None or "--debug" in arguments:
            raise
        return _refuse(told)
    if result == EXIT_INTERRUPTED:  # which typer returns for Ctrl-C
        typer.echo("interrupted; finished work is kept: run the same command again to continue", err=True)
    return result if isinstance(result, int) else 0


def _fault_of_a_place(error: OSError) -> str | None:
    """What is wrong with a place that the user chose, in words; None if the error is of another kind."""
    if error.filename is None:  # asked where it is, or written to what it was started with: no file has a name there
        return _NAMELESS.get(error.errno or 0)
    return f"{error.filename}: {error.strerror}; give another path" if error.errno in _NOT_OURS else None


def _check_words(arguments: list[str]) -> None:
    for word in arguments:
        try:
            os.fsencode(word)
        except UnicodeEncodeError as error:
            raise CaosError(f"{word!r} is neither text nor the name of a file; type it again") from error


def _refuse(reason: str) -> int:
    typer.echo(f"error: {_on_one_line(reason)}", err=True)
    return EXIT_BAD_INPUT


def _on_one_line(text: str) -> str:
    """The text without line ends, control characters and half characters, which names of files may hold."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in text)


def _refuse_call(error: Any) -> int:
    said = error.format_message()
    if not said or said.startswith("Usage:"):  # no command was given: the help is the answer, and may be shown already
        typer.echo(said, nl=bool(said))
        return EXIT_BAD_INPUT
    where = error.ctx.command_path if getattr(error, "ctx", None) else "caos"
    return _refuse(f"{said} (see {where} --help)")
