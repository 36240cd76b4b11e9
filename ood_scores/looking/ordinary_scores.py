"""Ordinary scores: how high a scorer gets on pixels that show nothing foreign, which makes a score readable.

A score alone says little. That one in a hundred ordinary pixels reaches it does: flagging from there on costs one
false alarm in a hundred pixels, on pictures like those it was measured on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Final

import numpy as np
from numpy.typing import NDArray

from caos.foundation.errors import CaosError, unknown
from caos.foundation.execution.progress import SILENT, Progress
from caos.foundation.settings import Limits, read_json, read_record
from caos.foundation.storage.files import write_json
from caos.ood_scores.measuring.pixel_counts import ScoreMap
from caos.ood_scores.measuring.pooled import PooledCounts
from caos.ood_scores.sources.model import ModelSource
from caos.ood_scores.sources.source import finite, read_picture, spread
from caos.scenes.dataset.layout import Dataset, Sample, Split, read_class_ids
from caos.scenes.labels import LabelTable
from caos.segmentation.augmentation.geometry import resize, resize_labels

ORDINARY_FILE: Final = "ordinary_scores.json"
SCHEMA: Final = 2
RATES: Final = (0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)
"""The shares of ordinary pixels whose scores are kept."""
MOST_IMAGES: Final = 100


@dataclass(frozen=True)
class OrdinaryScores:
    """The score that each share of ordinary pixels reaches; the rarer, the higher.

    >>> known = OrdinaryScores(rates=(0.5, 0.05), scores=(1.0, 3.0))
    >>> known.threshold(0.05), round(known.threshold(0.5 * 0.1**0.5), 3)
    (3.0, 2.0)
    """

    rates: Annotated[tuple[float, ...], Limits(1e-9, 1)]
    scores: tuple[float, ...]

    def __post_init__(self) -> None:
        """Refuse what is no such list."""
        falls = all(a > b for a, b in zip(self.rates, self.rates[1:], strict=False))
        rises = all(a <= b for a, b in zip(self.scores, self.scores[1:], strict=False))
        if len(self.rates) < 2 or len(self.rates) != len(self.scores) or not falls or not rises:
            raise CaosError(f"ordinary scores {self.scores} must rise as their rates {self.rates} fall")

    @staticmethod
    def of(scores: ScoreMap) -> OrdinaryScores:
        """Those of a picture that is taken as ordinary throughout."""
        levels = np.quantile(scores, [1 - rate for rate in RATES])
        return OrdinaryScores(RATES, tuple(float(level) for level in levels))

    def threshold(self, rate: float) -> float:
        """The score that a share ``rate`` of the ordinary pixels reaches, between the known ones by its logarithm.

        Raises:
            CaosError: If the rate lies outside the known ones.
        """
        if not self.rates[-1] <= rate <= self.rates[0]:
            raise CaosError(
                f"false alarms of {rate:g} have no known threshold; give {self.rates[-1]:g} to {self.rates[0]:g}"
            )
        return float(np.interp(-np.log(rate), -np.log(self.rates), self.scores))

    def rarity(self, scores: ScoreMap) -> ScoreMap:
        """How rare such scores are among ordinary pixels: 0 at the most frequent known rate, 1 at the rarest."""
        steps = np.log(self.rates[0] / np.array(self.rates)) / np.log(self.rates[0] / self.rates[-1])
        return np.asarray(np.interp(scores, self.scores, steps), np.float32)


@dataclass(frozen=True)
class OrdinaryPictures:
    """The pictures that ordinary scores were measured on."""

    name: str
    split: str
    images: int
    pixels: int


@dataclass(frozen=True)
class KnownScores:
    """What a run keeps of its scorers: their ordinary scores, and the longer side of the pictures they hold for.

    Attributes:
        on: What was measured.
        side: Longer side of those pictures in pixels; other pictures are brought to it.
        scorers: By name.
        recommended: Name of the scorer to use where none is asked for.
        weights: SHA-256 of the weights that were measured.
        settings: Digest of the settings of their network, see
            :attr:`caos.segmentation.prediction.checkpoint.Run.settings_digest`.
        schema: Of the file.
    """

    on: OrdinaryPictures
    side: Annotated[int, Limits(16, 8192)]
    scorers: dict[str, OrdinaryScores]
    recommended: str
    weights: str = ""
    settings: str = ""
    schema: int = SCHEMA


_MARKS_OF_FILES: Final = ("/", "\\", ".py", ",")


def read_known(run: Path) -> KnownScores | None:
    """Return the ordinary scores in the folder of a run, or None without any.

    Raises:
        CaosError: If the file is damaged, or was measured with other weights or settings than those of the run.
    """
    path = run / ORDINARY_FILE
    if not path.is_file():
        return None
    known = read_record(KnownScores, read_json(path), path)
    if known.schema != SCHEMA:
        raise CaosError(f"{path} has schema {known.schema}, not {SCHEMA}; make it again with caos export bundle")
    if any(mark in known.recommended for mark in _MARKS_OF_FILES):
        # The file came with the run; a scorer's file is code that only the user may name.
        raise CaosError(f"{path} recommends the file {known.recommended!r}; name a scorer with --scorer")
    if known.recommended not in known.scorers:
        raise CaosError(f"{path}: {unknown('scorer', known.recommended, known.scorers)}")
    weights, settings = _measured_run(run)
    if known.weights != weights:
        raise CaosError(
            f"{path} holds thresholds of other weights (SHA-256 {known.weights[:16] or 'none'}) than those of the run "
            f"({weights[:16]}); make it again with caos export bundle"
        )
    if known.settings != settings:
        raise CaosError(
            f"{path} holds thresholds of the same weights with other settings (digest {known.settings or 'none'}) than "
            f"those in run.json ({settings}); make it again with caos export bundle"
        )
    return known


def write_known(run: Path, known: KnownScores) -> None:
    """Write the file into the folder of the run that was measured, with the digests of its weights and settings."""
    weights, settings = _measured_run(run)
    write_json(run / ORDINARY_FILE, asdict(replace(known, weights=weights, settings=settings)))


def _measured_run(run: Path) -> tuple[str, str]:
    """Digests of a run's weights and of the settings of its network, which are checked."""
    from caos.segmentation.prediction.checkpoint import check_weights, read_run

    described = read_run(run)
    check_weights(described)
    return described.record.results.weights_sha256, described.settings_digest


def measure_known(
    source: ModelSource, dataset: Dataset, split: Split, progress: Progress = SILENT, side: int | None = None
) -> KnownScores:
    """Measure what the scorers of ``source`` say of the ordinary pixels of a split, the first one recommended.

    Anomalous pixels and void are left out. Pictures smaller than ``side`` are enlarged to it, for scores that are to
    hold for larger photographs.

    Raises:
        CaosError: If the split is empty, or has no ordinary pixels.
    """
    samples = spread(dataset.samples(split), MOST_IMAGES)
    pools, met, pixels = _counted(source, samples, dataset.labels, side or 0, progress)
    if not pixels:
        raise CaosError(f"{dataset.root}: the {split} images have no ordinary pixels")
    return KnownScores(
        on=OrdinaryPictures(dataset.name, split, len(samples), pixels),
        side=met,
        scorers={name: _levels(pool) for name, pool in pools.items()},
        recommended=source.columns[0],
    )


def _counted(
    source: ModelSource, samples: Sequence[Sample], labels: LabelTable, least: int, progress: Progress
) -> tuple[dict[str, PooledCounts], int, int]:
    """Counts of ordinary scores by scorer, the longest side met, and the number of ordinary pixels."""
    pools = {name: PooledCounts() for name in source.columns}
    side = pixels = 0
    with progress.task("measuring ordinary pixels", len(samples)) as task:
        for sample in samples:
            picture = _enlarged(read_picture(sample.image), least)
            ids = read_class_ids(sample, labels)
            ordinary = resize_labels(ids, picture.shape[1::-1]) < labels.num_classes
            maps = finite(source.score_picture(sample.key, picture), sample.key).maps
            for name, scores in maps.items():
                pools[name].add(scores[ordinary], np.zeros(int(ordinary.sum()), np.bool_))
            side, pixels = max(side, *picture.shape[:2]), pixels + int(ordinary.sum())
            task.advance(note=sample.key)
    return pools, side, pixels


def _enlarged(picture: NDArray[np.uint8], side: int) -> NDArray[np.uint8]:
    factor = side / max(picture.shape[:2])
    return (
        picture
        if factor <= 1
        else resize(picture, (round(factor * picture.shape[1]), round(factor * picture.shape[0])))
    )


def _levels(pool: PooledCounts) -> OrdinaryScores:
    return OrdinaryScores(RATES, tuple(pool.threshold_at_false_alarms(rate) for rate in RATES))
