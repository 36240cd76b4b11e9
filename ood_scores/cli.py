"""``caos score`` and ``caos report``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

_SCORERS_HELP = (
    "Comma-separated names, or 'all'; 'caos score --list' names them. A file such as ./mine.py is your own scorer. "
    "Settings follow colons: knn:k=50:bank=2048. NAME+crf smooths a scorer's map, NAME+dense_crf the class "
    "probabilities it reads, as the released code does."
)


def score(
    dataset: Annotated[Path | None, typer.Argument(help="Folder of the dataset.", show_default=False)] = None,
    run: Annotated[
        Path | None, typer.Option(help="Run trained by 'caos train', or 'bundled'.", show_default=False)
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for the results.", show_default=False)] = None,
    scorers: Annotated[str, typer.Option(help=_SCORERS_HELP)] = "all",
    protocol: Annotated[
        str | None,
        typer.Option(
            help="Comma-separated definitions, or 'all'.",
            show_default="caos; smiyc on photographs and other sets with void pixels, which it leaves out",
        ),
    ] = None,
    maps: Annotated[
        Path | None, typer.Option(help="Folder of another detector's score maps, instead of a run.", show_default=False)
    ] = None,
    encoder: Annotated[
        str | None,
        typer.Option(help="Frozen vision transformer of timm instead of a run: features only.", show_default=False),
    ] = None,
    encoder_weights: Annotated[
        Path | None, typer.Option(help="File of the encoder's weights.", show_default=False)
    ] = None,
    autoencoder: Annotated[
        Path | None, typer.Option(help="Run of the autoencoder; RUN/autoencoder if not given.", show_default=False)
    ] = None,
    confidence: Annotated[
        Path | None, typer.Option(help="Run with a confidence branch; RUN/confidence if not given.", show_default=False)
    ] = None,
    observer: Annotated[
        Path | None, typer.Option(help="Run of an observer network; RUN/observer if not given.", show_default=False)
    ] = None,
    ensemble: Annotated[
        list[Path] | None, typer.Option(help="Another run of an ensemble; repeat for more.", show_default=False)
    ] = None,
    split: Annotated[str, typer.Option(help="Which images: test, val or train.")] = "test",
    save_maps: Annotated[bool, typer.Option("--save-maps", help="Keep the score maps as npz files.")] = False,
    components: Annotated[bool, typer.Option(help="Judge objects, not only pixels.")] = True,
    track: Annotated[str, typer.Option(help="Size limits of components: obstacle or anomaly.")] = "obstacle",
    false_alarms: Annotated[
        str, typer.Option(help="Shares of ordinary pixels flagged falsely, at which hazards are counted.")
    ] = "0.01,0.05",
    workers: Annotated[int, typer.Option(help="Processes that score.", min=1)] = 1,
    ray: Annotated[
        str | None, typer.Option(help="Address of a Ray cluster, 'auto' or 'local'.", show_default=False)
    ] = None,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda, cuda:1, mps.")] = "auto",
    seed: Annotated[int, typer.Option(help="Seed of fits, dropout and intervals.", min=0)] = 0,
    fit_on: Annotated[
        Path | None,
        typer.Option(help="Set to fit scorers on.", show_default="this set, or the one the run was trained on"),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace existing results at --out.")] = False,
    scales: Annotated[
        str, typer.Option(help="Average over the picture at these factors of its size, such as 0.5,1,1.5.")
    ] = "",
    flips: Annotated[bool, typer.Option("--flips", help="Average over the picture and its mirror image.")] = False,
    stopping: Annotated[
        str,
        typer.Option(
            help="For sequences: alarms=60 (per hour at most), reaction=1 (s), dry=0.7, wet=0.4 (friction).",
            show_default=False,
        ),
    ] = "",
    published: Annotated[
        bool,
        typer.Option(
            "--published", help="Also print published numbers under the same protocol; without a set, list all of them."
        ),
    ] = False,
    list_scorers: Annotated[bool, typer.Option("--list", help="List the scorers and protocols, and stop.")] = False,
    self_test: Annotated[
        bool, typer.Option("--self-test", help="Measure detectors whose numbers are known, and stop.")
    ] = False,
) -> None:
    """Score every pixel of a test set, and measure how well each scorer separates hazards from the rest.

    \b
    caos score data --run run --out results
    caos score data --run run --out results --protocol all
    caos score data --run run --out results --scorers msp,knn:k=50,./mine.py
    caos score data --maps my-maps --out mine
    caos score data --encoder vit_small_patch14_dinov2 --out frozen
    caos score --list

    If interrupted, run the same command again to continue. It says if anything has changed that affects the numbers.
    """
    if list_scorers:
        _list()
        return
    if self_test:
        _self_test(seed)
        return
    if published and dataset is None:
        _list_published()
        return

    from caos.ood_scores.command import Request, run_request

    request = Request(
        dataset=dataset,
        run=run,
        out=out,
        scorers=scorers,
        protocols=protocol,
        maps=maps,
        encoder=encoder,
        encoder_weights=encoder_weights,
        autoencoder=autoencoder,
        confidence=confidence,
        observer=observer,
        ensemble=tuple(ensemble or ()),
        split=split,
        save_maps=save_maps,
        components=components,
        track=track,
        false_alarms=false_alarms,
        workers=workers,
        device=device,
        seed=seed,
        ray=ray,
        fit_on=fit_on,
        overwrite=overwrite,
        scales=scales,
        flips=flips,
        stopping=stopping,
    )
    from caos.foundation.execution.progress import Terminal
    from caos.ood_scores.terminal_tables import show_results

    show_results(run_request(request, Terminal()), published=published)


def compare(
    results: Annotated[list[Path], typer.Argument(help="Folders written by 'caos score', all for one set.")],
    protocol: Annotated[
        str | None, typer.Option(help="Protocol of the numbers.", show_default="that of the set, if all have it")
    ] = None,
    scorers: Annotated[str | None, typer.Option(help="Only these scorers, such as energy,msp.")] = None,
    out: Annotated[Path | None, typer.Option(help="Also write the table to this Markdown file.")] = None,
    unchecked: Annotated[
        bool,
        typer.Option("--unchecked", help="Also rank results of older versions, which have no digest of their set."),
    ] = False,
) -> None:
    """Put several results on one set into one table, with networks trained with negatives apart from the others.

    \b
    caos compare results/plain results/exposed results/pasted --protocol smiyc
    """
    from rich.console import Console

    from caos.foundation.storage.files import check_ending, write_text
    from caos.ood_scores.report.comparison import compared_pixels, compared_rows, comparison, shared_protocol
    from caos.ood_scores.terminal_tables import show_comparison

    chosen, console = None if scorers is None else scorers.split(","), Console(highlight=False)
    if out is not None:
        check_ending(out, ".md")
    protocol = shared_protocol(results) if protocol is None else protocol
    table = comparison(results, protocol, chosen, unchecked=unchecked)
    if out is not None:
        write_text(out, table)
    if not console.is_terminal:
        typer.echo(table)
        return
    for group, rows in compared_rows(results, protocol, chosen, unchecked=unchecked).items():
        show_comparison(rows, f"{group}, protocol {protocol}, percent", console)
    console.print(compared_pixels(results, protocol), markup=False)


def report(
    results: Annotated[
        list[str], typer.Argument(help="Folders written by 'caos score' or 'caos study'; NAME=DIR gives one a name.")
    ],
    out: Annotated[Path, typer.Option(help="Folder of the site.")],
    dataset: Annotated[
        Path | None, typer.Option(help="The set, if it has moved since it was scored.", show_default=False)
    ] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes.", show_default="all cores")] = None,
    unchecked: Annotated[
        bool,
        typer.Option("--unchecked", help="Also rank results of older versions, which have no digest of their set."),
    ] = False,
) -> None:
    """Build the pages of results: a site that opens from the file system, without network or server.

    \b
    caos report results --out site
    caos report plain=results exposed=more study --out site   side by side
    xdg-open site/index.html
    """
    from caos.foundation.execution.progress import Terminal
    from caos.ood_scores.report.build import build_site
    from caos.ood_scores.report.comparison_site import build_comparison, compared

    entries = compared(results)
    if len(entries) == 1 and not entries[0].is_study:
        site = build_site(entries[0].folder, out, dataset_root=dataset, workers=workers, progress=Terminal())
    else:
        site = build_comparison(
            entries, out, dataset_root=dataset, workers=workers, unchecked=unchecked, progress=Terminal()
        )
    typer.echo(f"{site.frames} frames: {site.index}")


def _list() -> None:
    from caos.foundation.command_line.commands import listed
    from caos.ood_scores.measuring.protocols import PROTOCOLS
    from caos.ood_scores.scorer_interface.registry import scorer_info, scorer_names

    typer.echo("Scorers (higher is more anomalous):")
    for name in scorer_names():
        typer.echo(listed(name, scorer_info(name).summary))
    typer.echo("Protocols:")
    for protocol in PROTOCOLS.values():
        rule = f"FPR95 at recall {protocol.fpr95} 0.95, {protocol.aupr}, {protocol.aggregated}"
        typer.echo(listed(protocol.name, rule))


def _list_published() -> None:
    from caos.ood_scores.measuring.published import read_published
    from caos.ood_scores.report.tables import published_table

    rows = read_published().results
    for dataset, protocol in dict.fromkeys((row.set, row.protocol) for row in rows):
        chosen = [row for row in rows if (row.set, row.protocol) == (dataset, protocol)]
        typer.echo(f"\n## {dataset}, protocol {protocol}\n" + "\n".join(published_table(chosen)))


def _self_test(seed: int) -> None:
    import numpy as np

    from caos.ood_scores.measuring import self_test

    checks = self_test.run(np.random.default_rng(seed))
    for check in checks:
        verdict = "ok" if check.passed else "WRONG"
        line = f"{check.protocol:12s} {check.detector:9s} {check.metric:6s}"
        typer.echo(f"{line} expected {check.expected:.4f}  measured {check.measured:.4f}  {verdict}")
    if not all(check.passed for check in checks):
        raise typer.Exit(1)
