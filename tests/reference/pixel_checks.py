"""Comparisons of pixel metrics: one image at a time, and the pixels of several images together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from caos import PROTOCOLS, CaosError, measure
from caos.ood_scores.measuring.metrics import count
from caos.ood_scores.measuring.pooled import PooledCounts
from tests.reference import others, plain_metrics
from tests.reference.comparison import Comparison, compare_all
from tests.reference.plain_metrics import Mask, Scores
from tests.reference.score_maps import ScoredImage

NAMES = ("auroc", "aupr", "fpr95")
SMALL = 400
"""So many pixels are compared in pairs, too."""
Numbers = dict[str, float | None]
UNDEFINED: Numbers = dict.fromkeys(NAMES)


def image_checks(image: ScoredImage) -> Iterator[Comparison]:
    """``caos.measure`` and every protocol on one image, with its void pixels left out and with all pixels."""
    for where, ignore in (("without void", image.ignore), ("all pixels", None)):
        scores, anomalous = image.kept if ignore is not None else (image.scores.ravel(), image.anomalous.ravel())
        expected = plain_metrics.measured(scores, anomalous)
        public = _numbers(lambda ignore=ignore: measure(image.scores, image.anomalous, ignore))
        yield from compare_all(f"caos.measure, {where}", public, _by_protocol("caos", expected))
        for name, protocol in PROTOCOLS.items():
            ours = _numbers(lambda p=protocol, ignore=ignore: p.measure(count(image.scores, image.anomalous, ignore)))
            yield from compare_all(f"image, {name}", ours, _by_protocol(name, expected))
        if expected is not None:
            yield from _by_others(scores, anomalous, expected)


def _by_protocol(name: str, expected: plain_metrics.Measured | None) -> Numbers:
    if expected is None:
        return UNDEFINED
    protocol = PROTOCOLS[name]
    return dict(zip(NAMES, expected.by(protocol.aupr, protocol.fpr95), strict=True))


def _by_others(scores: Scores, anomalous: Mask, plain: plain_metrics.Measured) -> Iterator[Comparison]:
    """The plain definitions beside scikit-learn: two references that were written by different people."""
    found = others.scikit_learn(scores, anomalous)
    mine = asdict(plain)
    yield from compare_all("plain beside scikit-learn", {name: mine[name] for name in found}, dict(found))
    if scores.size <= SMALL:
        yield Comparison("plain beside all pairs, auroc", plain.auroc, plain_metrics.pairwise_auroc(scores, anomalous))


def _numbers(measured: Any) -> Numbers:
    """The three numbers that a call gives; undefined where it refuses because one kind of pixel is missing."""
    try:
        found = measured()
    except CaosError as error:
        if "AUROC is undefined" not in str(error):
            raise
        return UNDEFINED
    return {name: getattr(found, name) for name in NAMES}


def pooled_numbers(images: Sequence[ScoredImage], protocol: str, *, ignores_void: bool = True) -> Numbers:
    """The numbers of a protocol over all pixels of the images, by the package's pool."""
    pool = pool_of(images, ignores_void=ignores_void)
    return _numbers(lambda: pool.measure(PROTOCOLS[protocol]))


def pool_of(images: Sequence[ScoredImage], *, ignores_void: bool = True) -> PooledCounts:
    """A pool that holds the images."""
    pool = PooledCounts()
    for image in images:
        pool.add(image.scores, image.anomalous, image.ignore if ignores_void else None)
    return pool


def joined(images: Sequence[ScoredImage], *, ignores_void: bool = True) -> tuple[Scores, Mask]:
    """Scores and truth of the pixels of all images that count."""
    parts = [image.kept if ignores_void else (image.scores.ravel(), image.anomalous.ravel()) for image in images]
    return np.concatenate([scores for scores, _ in parts]), np.concatenate([mask for _, mask in parts])


def pooled_checks(images: Sequence[ScoredImage]) -> Iterator[Comparison]:
    """Every pooled protocol over all pixels of some images, and pytorch-ood where it measures the same."""
    for name, protocol in PROTOCOLS.items():
        if protocol.is_pooled:
            expected = plain_metrics.measured(*joined(images, ignores_void=protocol.ignores_void))
            ours = pooled_numbers(images, name, ignores_void=protocol.ignores_void)
            yield from compare_all(f"pooled, {name}", ours, _by_protocol(name, expected))
    yield from _by_pytorch_ood(images)


def _by_pytorch_ood(images: Sequence[ScoredImage]) -> Iterator[Comparison]:
    """pytorch-ood over all pixels, and its mean over images, beside ours."""
    triples = [(image.scores, image.anomalous, image.ignore) for image in images]
    expected = plain_metrics.measured(*joined(images))
    if expected is not None:
        found = others.pytorch_ood(triples, pooled=True)
        yield from compare_all("plain beside pytorch-ood, pooled", {n: asdict(expected)[n] for n in found}, dict(found))
    protocol = PROTOCOLS["pytorch-ood"]
    each = [_numbers(lambda i=i: protocol.measure(count(i.scores, i.anomalous, i.ignore))) for i in images]
    defined = [numbers for numbers in each if numbers["auroc"] is not None]
    if defined:
        found = others.pytorch_ood(triples, pooled=False)
        theirs: Numbers = {"auroc": found["auroc"], "aupr": found["trapezoid"], "fpr95": found["fpr_at_least"]}
        means: Numbers = {name: float(np.mean([numbers[name] for numbers in defined])) for name in NAMES}  # type: ignore[misc]
        yield from compare_all("mean over images beside pytorch-ood", means, theirs)
