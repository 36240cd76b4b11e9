"""The pass over one image: score it, measure each score map, write what judging and the pages need."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from caos.foundation.errors import CaosError
from caos.foundation.settings import read_record
from caos.foundation.storage.files import write_bytes
from caos.foundation.storage.png import png_bytes
from caos.ood_scores.evaluation.code_maps import CodeMaps, Codes
from caos.ood_scores.evaluation.counting import ImageCounter
from caos.ood_scores.evaluation.options import ScoringOptions
from caos.ood_scores.evaluation.time_breakdown import Spent
from caos.ood_scores.evaluation.truth import Truth
from caos.ood_scores.measuring import metrics
from caos.ood_scores.measuring.noticing import alarm_level, mark_level
from caos.ood_scores.measuring.open_set import OpenSetCounts, SegmentedImage
from caos.ood_scores.measuring.pixel_counts import BASE, Calibration, PixelCategories, PixelCounts, Policy, ScoreMap
from caos.ood_scores.measuring.protocols import PROTOCOLS, Protocol
from caos.ood_scores.measuring.records import (
    FrameLevels,
    HazardFacts,
    HazardMeasures,
    HazardRow,
    ImageMeasures,
    ImageRow,
)
from caos.ood_scores.results import column_folder
from caos.ood_scores.sources.score_maps import write_map
from caos.ood_scores.sources.source import Scored, Source, finite, read_picture
from caos.scenes.dataset.layout import Dataset, Sample
from caos.scenes.labels import PHOTOGRAPHS

LEFT_OUT: Final = Policy.of(PROTOCOLS["densehybrid"])
"""What open-set measures leave out."""


@dataclass(frozen=True, eq=False)
class BegunImage:
    """An image after its forward passes.

    Attributes:
        number: Its number in the set.
        sample: Its files.
        truth: Its labels.
        score: Computes its score maps.
        spent: Wall time so far in seconds, by kind of work.
    """

    number: int
    sample: Sample
    truth: Truth
    score: Callable[[], Scored]
    spent: Mapping[str, float]


class ImagePass:
    """What one process does with one image after the other."""

    def __init__(
        self,
        source: Source,
        dataset: Dataset,
        options: ScoringOptions,
        out: Path,
        calibrations: Mapping[str, Calibration],
        code_maps: CodeMaps | None = None,
    ) -> None:
        self.source, self.dataset, self.options, self.out = source, dataset, options, out
        self.calibrations = calibrations
        # Those of a process that is not the one that judges go to the disk at once.
        self._code_maps = code_maps or CodeMaps(out, 0)
        self.manifest = dataset.manifest()
        self._of_frames = Policy.of(options.frames).name
        self._per_image = tuple(dict.fromkeys(Policy.of(p) for p in options.per_image))

    def new_counts(self) -> PixelCounts:
        """Empty counts for the columns of this run."""
        table = self.dataset.labels
        towns = sorted({sample.town for sample in self.dataset.samples(self.options.split)})
        open_set = None if table == PHOTOGRAPHS else OpenSetCounts(towns, table.num_classes)
        categories = PixelCategories(tuple(row.name for row in table.trained))
        return PixelCounts(self.calibrations, categories, open_set, self.out / "work" / "scores")

    def measure(self, number: int, sample: Sample, counts: PixelCounts) -> ImageRow:
        """Score one image, the one with this number in the set, and add it to the counts."""
        return self.finish(self.begin(number, sample), counts)

    def begin(self, number: int, sample: Sample) -> BegunImage:
        """Read one image, the one with this number in the set, and begin to score it."""
        spent = Spent()
        image = read_picture(sample.image)
        truth = Truth.read(sample, self.dataset.labels, image.shape[:2], self.manifest.get(sample.key))
        spent.on("reading")
        score = self.source.begin(sample, image)
        spent.on("forward")
        return BegunImage(number, sample, truth, score, spent.seconds)

    def finish(self, begun: BegunImage, counts: PixelCounts) -> ImageRow:
        """Score an image to its end, and add it to the counts."""
        number, sample, truth = begun.number, begun.sample, begun.truth
        spent = Spent(begun.spent)
        scored = finite(begun.score(), sample.image)
        spent.on("scorers", {"forward": scored.passes_s})
        row, codes = self._measured(number, sample, truth, scored, counts)
        spent.on("measuring")
        self._write(scored, codes, sample)
        if self.options.judging is not None:
            self._code_maps.add(sample, codes, truth)
        spent.on("writing")
        return replace(row, spent=spent.seconds)

    def _measured(
        self, number: int, sample: Sample, truth: Truth, scored: Scored, counts: PixelCounts
    ) -> tuple[ImageRow, Codes]:
        """The row of one image, and its score maps in codes ``(columns, h, w)``."""
        categories = counts.categories.of(truth.ids, truth.anomalous)
        segmented = self._segmented(sample, truth, scored, counts)
        counter = ImageCounter(categories, self._per_image, segmented, number, counts)
        hazards = _hazard_pixels(truth)
        measures: dict[str, dict[str, ImageMeasures]] = {}
        by_hazard: dict[str, dict[int, HazardMeasures]] = {}
        levels: dict[str, FrameLevels] = {}
        codes: Codes = np.empty((len(self.calibrations), *truth.ids.shape), np.uint8)
        for column, own in zip(self.calibrations, codes, strict=True):
            scores = scored.maps[column]
            tables = counter.count(column, scores, own)
            measures[column] = _by_protocol(tables, self.options.per_image)
            by_hazard[column] = _hazards_measured(tables[self._of_frames], scores.ravel(), hazards)
            levels |= self._levels(sample, column, scores, truth)
        row = self._row(sample, truth, measures, by_hazard, scored.seconds, self._left_out(truth))
        return replace(row, levels=levels), codes

    def _left_out(self, truth: Truth) -> dict[str, int]:
        """How many pixels each policy of this run leaves out, by its name; void always."""
        policies = {BASE, *(Policy.of(protocol) for protocol in (self.options.frames, *self.options.protocols))}
        masks = {policy.name: truth.ignored(policy, self.dataset.labels) for policy in policies}
        return {name: 0 if mask is None else int(np.count_nonzero(mask)) for name, mask in sorted(masks.items())}

    def _levels(self, sample: Sample, column: str, scores: ScoreMap, truth: Truth) -> dict[str, FrameLevels]:
        """What is known of a frame in which a hazard is neared; nothing of other images."""
        record = self.manifest.get(sample.key, {})
        if self.options.judging is None or "sequence" not in record or not record.get("hazards"):
            return {}
        ordinary = ~truth.anomalous
        ignored = truth.ignored(BASE, self.dataset.labels)
        if ignored is not None:
            ordinary &= ~ignored
        first = truth.objects == record["hazards"][0].get("instance_id") if truth.has_instances else truth.anomalous
        return {column: FrameLevels(mark_level(scores[first]), alarm_level(scores, ordinary))}

    def _segmented(self, sample: Sample, truth: Truth, scored: Scored, counts: PixelCounts) -> SegmentedImage | None:
        """What open-set measures count of an image, or None where its classes are not known or not predicted."""
        if counts.open_set is None or scored.prediction is None:
            return None
        table = self.dataset.labels
        if int(scored.prediction.max()) >= table.num_classes:
            raise CaosError(
                f"{sample.image}: class {int(scored.prediction.max())} is predicted, but table {table.name!r} has the "
                f"classes 0..{table.num_classes - 1} only"
            )
        ignored = truth.ignored(LEFT_OUT, table)
        image = SegmentedImage.of(
            sample.town, scored.prediction, truth.ids, truth.anomalous, ignored, table.num_classes
        )
        counts.is_whole = False
        counts.open_set.add_image(image)
        return image

    def _row(
        self,
        sample: Sample,
        truth: Truth,
        measures: Mapping[str, Mapping[str, ImageMeasures]],
        by_hazard: Mapping[str, Mapping[int, HazardMeasures]],
        seconds: Mapping[str, float],
        left_out: Mapping[str, int],
    ) -> ImageRow:
        record = self.manifest.get(sample.key, {})
        where = f"{self.dataset.root / 'manifest.jsonl'}, {sample.key!r}"
        anomalous = int(np.count_nonzero(truth.anomalous))
        return ImageRow(
            key=sample.key,
            town=sample.town,
            weather=_weather(record, where),
            width=truth.ids.shape[1],
            height=truth.ids.shape[0],
            anomalous=anomalous,
            ordinary=truth.ids.size - anomalous,
            excluded=_excluded(anomalous, truth.ids.size - left_out[self._of_frames]),
            measures=measures,
            hazards=tuple(_hazard_rows(truth, _listed(record, where) if truth.has_instances else {}, by_hazard)),
            seconds=dict(seconds),
            left_out=dict(left_out),
        )

    def _write(self, scored: Scored, codes: Codes, sample: Sample) -> None:
        for (column, calibration), own in zip(self.calibrations.items(), codes, strict=True):
            scores, folder = scored.maps[column], column_folder(column)
            if self.options.previews:
                small = _shrunk(scores, self.options.preview_px)
                shown = own if small is scores else calibration.codes(small)
                write_bytes(self.out / "previews" / folder / f"{sample.key}.png", png_bytes(shown, 1))
            if self.options.save_maps:
                write_map(self.out / "maps" / folder / f"{sample.key}.npz", scores)
        if scored.prediction is not None:
            write_bytes(self.out / "predictions" / f"{sample.key}.png", png_bytes(scored.prediction, 1))


def _by_protocol(
    tables: Mapping[str, metrics.Counts | None], protocols: Sequence[Protocol]
) -> dict[str, ImageMeasures]:
    """The numbers of one score map by each per-image protocol; tables come by name of the policy."""
    measured = {}
    for protocol in protocols:
        table = tables[Policy.of(protocol).name]
        if table is not None:
            found = protocol.measure(table)
            measured[protocol.name] = ImageMeasures(found.auroc, found.aupr, found.fpr95)
    return measured


def _hazard_pixels(truth: Truth) -> dict[int, npt.NDArray[np.intp]]:
    """For each hazard number, where it is in the flattened image."""
    flat = truth.objects.ravel()
    where = np.flatnonzero(flat != 0)
    return {int(number): where[flat[where] == number] for number in np.unique(flat[where])}


def _hazards_measured(
    table: metrics.Counts | None, scores: ScoreMap, hazards: Mapping[int, npt.NDArray[np.intp]]
) -> dict[int, HazardMeasures]:
    """For each hazard number: its pixels against the ordinary ones; ``scores`` are flat."""
    if table is None:
        return {}
    measured = {}
    for number, pixels in hazards.items():
        own = table if pixels.size == table.positives else metrics.of_part(table, scores[pixels])
        measured[number] = HazardMeasures(metrics.auroc(own), metrics.fpr_at_recall(own, 0.95, "at least"))
    return measured


def _excluded(anomalous: int, pixels: int) -> str | None:
    """Why an image with so many anomalous of so many counted pixels cannot be measured by itself, or None."""
    if not anomalous:
        return "no anomalous pixel"
    return "no ordinary pixel that counts" if anomalous == pixels else None


def _weather(record: Mapping[str, Any], where: str) -> str | None:
    weather = read_record(dict[str, Any], record.get("weather", {}), f"{where}: weather")
    return read_record(str | None, weather.get("name"), f"{where}: weather")  # type: ignore[arg-type]


def _listed(record: Mapping[str, Any], where: str) -> dict[int, HazardFacts]:
    """What the manifest says of the hazards of one image, by instance id."""
    known = [field.name for field in fields(HazardFacts)]
    listed = {}
    for row in read_record(list[dict[str, Any]], record.get("hazards", []), f"{where}: hazards"):
        if "instance_id" in row:
            number = read_record(int, row["instance_id"], f"{where}: instance_id")
            facts = {name: row[name] for name in known if name in row}
            listed[number] = read_record(HazardFacts, facts, f"{where}: hazard {number}")
    return listed


def _hazard_rows(
    truth: Truth, listed: Mapping[int, HazardFacts], by_hazard: Mapping[str, Mapping[int, HazardMeasures]]
) -> list[HazardRow]:
    """One row for each hazard with a visible pixel."""
    numbers, pixels = np.unique(truth.objects[truth.objects > 0], return_counts=True)
    return [
        HazardRow(
            instance_id=number,
            pixels=size,
            facts=listed.get(number, HazardFacts()),
            measures={column: found[number] for column, found in by_hazard.items() if number in found},
        )
        for number, size in zip(numbers.tolist(), pixels.tolist(), strict=True)
    ]


def _shrunk(scores: ScoreMap, side: int) -> ScoreMap:
    import cv2

    factor = side / max(scores.shape)
    if factor >= 1:
        return scores
    scores = scores if scores.dtype.kind == "f" else scores.astype(np.float64)
    width, height = (max(1, round(n * factor)) for n in (scores.shape[1], scores.shape[0]))
    return np.asarray(cv2.resize(scores, (width, height), interpolation=cv2.INTER_AREA))
