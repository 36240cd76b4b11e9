"""Second look, once the thresholds are known: which hazards were found, and how the flagged regions fit the objects.

It reads the coded score maps that scoring left in ``work/codes``, so no network runs again. Thresholds are levels of
the code: the one with the best pixel F1 over all images (for components, as in SegmentMeIfYouCan), the highest one
that flags 95 % of all anomalous pixels, and the lowest ones that flag at most a chosen share of the ordinary pixels.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from foundation.errors import CaosError
from foundation.progress import Progress
from ood_scores.components import OBSTACLE_TRACK, ComponentScores, Track, compare, connected_components
from ood_scores.tally import BASE, Calibration, Tally, Truth
from scenes.layout import Dataset, Sample

FOUND_SHARE = 0.5
CODES = 256


@dataclass(frozen=True)
class FoundOptions:
    """How hazards and components are judged.

    Attributes:
        track: Size limits for components.
        false_alarm_rates: Shares of ordinary pixels that may be flagged.
    """

    track: Track = OBSTACLE_TRACK
    false_alarm_rates: tuple[float, ...] = (0.01, 0.05)


@dataclass(frozen=True)
class Level:
    """A threshold of one column: pixels with a code of at least ``code`` are flagged."""

    code: int
    threshold: float
    recall: float
    false_alarms: float
    pixel_f1: float

    def describe(self) -> dict[str, float]:
        """JSON-ready."""
        return {
            "code": self.code,
            "threshold": self.threshold,
            "recall": self.recall,
            "false_alarms": self.false_alarms,
            "pixel_f1": self.pixel_f1,
        }


def levels_of(calibration: Calibration, tally: Tally, column: str) -> list[Level]:
    """Every level of a column, from code 1 up, with what it flags of all pixels of the set."""
    pool = tally.pools[column, BASE.name]
    recall, false_alarms = pool.flagged()
    edges = calibration.grid.lower_edges()
    positives, negatives = int(pool.positives.sum()), int(pool.negatives.sum())
    levels = []
    for code, cell in enumerate(calibration.levels, 1):
        true, false = recall[cell] * positives, false_alarms[cell] * negatives
        f1 = 2 * true / (true + false + positives) if positives else 0.0
        levels.append(Level(code, float(edges[cell]), float(recall[cell]), float(false_alarms[cell]), float(f1)))
    return levels


def chosen_levels(levels: Sequence[Level], rates: Sequence[float]) -> dict[str, Level]:
    """The named thresholds; code 256, which nothing reaches, where no level keeps the false alarms low enough."""
    none = Level(256, float(np.finfo(np.float32).max), 0.0, 0.0, 0.0)
    enough = [level for level in levels if level.recall >= 0.95]
    named = {
        "best_f1": max(levels, key=lambda level: level.pixel_f1, default=none),
        # Below the lowest level lies every pixel.
        "recall_95": enough[-1] if enough else Level(0, float(np.finfo(np.float32).min), 1.0, 1.0, 0.0),
    }
    for rate in rates:
        low = [level for level in levels if level.false_alarms <= rate]
        named[f"false_alarms_{100 * rate:g}"] = low[0] if low else none
    return named


@dataclass
class _Seen:
    """What the images so far showed of one column."""

    instances: list[ComponentScores] = field(default_factory=list)
    connected: list[ComponentScores] = field(default_factory=list)


def find_hazards(
    dataset: Dataset,
    samples: Sequence[Sample],
    calibrations: Mapping[str, Calibration],
    tally: Tally,
    codes: Path,
    options: FoundOptions,
    progress: Progress,
) -> dict[str, Any]:
    """Component metrics of each column, the share of each hazard flagged at each named threshold, codes by class."""
    levels = {column: levels_of(c, tally, column) for column, c in calibrations.items()}
    chosen = {column: chosen_levels(found, options.false_alarm_rates) for column, found in levels.items()}
    seen = {column: _Seen() for column in calibrations}
    shares: dict[str, dict[int, dict[str, dict[str, float]]]] = {}
    classes = {column: np.zeros((dataset.labels.num_classes + 1, CODES), np.int64) for column in calibrations}
    with progress.task("find hazards", len(samples)) as task, ThreadPoolExecutor(2) as pool:
        for sample, outcome in _looked(pool, dataset, samples, chosen, codes, options):
            shares[sample.key] = outcome.shares
            for column, (instances, connected) in outcome.components.items():
                seen[column].instances.append(instances)
                seen[column].connected.append(connected)
                classes[column] += outcome.classes[column]
            task.advance()
    return {
        "track": options.track,
        "levels": levels,
        "chosen": chosen,
        "shares": shares,
        "classes": classes,
        "components": {column: _summary(one, chosen[column]["best_f1"]) for column, one in seen.items()},
    }


@dataclass(frozen=True, eq=False)
class _Outcome:
    shares: dict[int, dict[str, dict[str, float]]]
    components: dict[str, tuple[ComponentScores, ComponentScores]]
    classes: dict[str, npt.NDArray[np.int64]]


def _looked(
    pool: ThreadPoolExecutor,
    dataset: Dataset,
    samples: Sequence[Sample],
    chosen: Mapping[str, Mapping[str, Level]],
    codes: Path,
    options: FoundOptions,
) -> Iterator[tuple[Sample, _Outcome]]:
    for start in range(0, len(samples), 8):
        part = samples[start : start + 8]
        outcomes = pool.map(lambda sample: _look(dataset, sample, chosen, codes, options.track), part)
        yield from zip(part, outcomes, strict=True)


def _look(
    dataset: Dataset, sample: Sample, chosen: Mapping[str, Mapping[str, Level]], folder: Path, track: Track
) -> _Outcome:
    maps = {column: _read_codes(folder / column / f"{sample.key}.png") for column in chosen}
    first = next(iter(maps.values()))
    truth = Truth.read(sample, dataset.labels, (first.shape[0], first.shape[1]))
    ignore = truth.ignored(BASE, dataset.labels)
    regions = connected_components(truth.anomalous) if truth.has_instances else truth.objects
    where = np.flatnonzero(truth.objects)
    numbers = truth.objects.ravel()[where]
    shares: dict[int, dict[str, dict[str, float]]] = {int(n): {} for n in np.unique(numbers)}
    components = {}
    for column, codes in maps.items():
        on_hazards = codes.ravel()[where]
        for number, flagged in _shares(numbers, on_hazards, chosen[column]).items():
            shares[number][column] = flagged
        mask = codes >= chosen[column]["best_f1"].code
        by_instance = compare(mask, truth.objects, ignore, track)
        by_region = compare(mask, regions, ignore, track) if truth.has_instances else by_instance
        components[column] = (by_instance, by_region)
    classes = {column: count_codes(truth, codes, dataset.labels.num_classes) for column, codes in maps.items()}
    return _Outcome(shares, components, classes)


def count_codes(truth: Truth, codes: npt.NDArray[np.uint8], num_classes: int) -> npt.NDArray[np.int64]:
    """How many pixels of each trained class, and in the last row of hazards, have each code; void is left out."""
    kinds = np.where(truth.anomalous, num_classes, truth.ids).astype(np.int64)
    counted = kinds <= num_classes
    counts = np.bincount(kinds[counted] * CODES + codes[counted], minlength=(num_classes + 1) * CODES)
    return counts.reshape(num_classes + 1, CODES)


def _shares(
    numbers: npt.NDArray[np.int32], codes: npt.NDArray[np.uint8], chosen: Mapping[str, Level]
) -> dict[int, dict[str, float]]:
    present, index = np.unique(numbers, return_inverse=True)
    sizes = np.bincount(index, minlength=present.size)
    flagged = {
        name: np.bincount(index[codes >= level.code], minlength=present.size) / sizes for name, level in chosen.items()
    }
    return {int(n): {name: float(share[i]) for name, share in flagged.items()} for i, n in enumerate(present)}


def _read_codes(path: Path) -> npt.NDArray[np.uint8]:
    import cv2

    picture = cv2.imread(str(path), cv2.IMREAD_GRAYSCALE)
    if picture is None:
        raise CaosError(f"{path} is missing or broken; remove the folder 'work' beside it and score again")
    return np.asarray(picture, np.uint8)


def _summary(seen: _Seen, level: Level) -> dict[str, Any]:
    return {
        **level.describe(),
        "instances": _numbers(ComponentScores.joined(seen.instances)),
        "connected": _numbers(ComponentScores.joined(seen.connected)),
    }


def _numbers(scores: ComponentScores) -> dict[str, Any]:
    """The component metrics; None where there is nothing to average."""
    found, missed, false = scores.counts(0.5)
    defined = bool(scores.siou.size or scores.ppv.size)
    return {
        "objects": int(scores.siou.size),
        "regions": int(scores.ppv.size),
        "mean_siou": float(scores.siou.mean()) if scores.siou.size else None,
        "mean_ppv": float(scores.ppv.mean()) if scores.ppv.size else None,
        "mean_f1": scores.mean_f1() if defined else None,
        "found_50": found,
        "missed_50": missed,
        "false_50": false,
    }
