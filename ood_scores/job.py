"""What is done with one image: score it, measure each score map, write what the second look and the pages need."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from foundation.errors import CaosError
from foundation.files import whole_file
from ood_scores import metrics
from ood_scores.found import FoundOptions
from ood_scores.maps import ScoreMap, write_map
from ood_scores.protocols import PROTOCOLS, Protocol
from ood_scores.sources import Scored, Source, read_picture
from ood_scores.tally import Calibration, Policy, Tally, Truth, hazard_measures, measure_image
from scenes.layout import Dataset, Sample, Split


@dataclass(frozen=True)
class Options:
    """Settings of a scoring run.

    Attributes:
        protocols: Definitions to report.
        split: Which images.
        workers: Processes; each loads the networks once.
        seed: For what is drawn: fits, dropout masks, bootstrap.
        save_maps: Keep the score maps as ``maps/<scorer>/<key>.npz``.
        previews: Write what the pages show: coded score maps of at most ``preview_px`` pixels a side.
        preview_px: See ``previews``.
        found: How hazards and components are judged; None leaves that out, and its temporary files with it.
    """

    protocols: tuple[Protocol, ...] = (PROTOCOLS["caos"],)
    split: Split = "test"
    workers: int = 1
    seed: int = 0
    save_maps: bool = False
    previews: bool = True
    preview_px: int = 640
    found: FoundOptions | None = field(default_factory=FoundOptions)

    @property
    def per_image(self) -> tuple[Protocol, ...]:
        """The protocols measured image by image; CAOS always, for breakdowns and tests."""
        return tuple({p.name: p for p in (PROTOCOLS["caos"], *self.protocols) if not p.is_pooled}.values())

    @property
    def policies(self) -> tuple[Policy, ...]:
        """The distinct policies of all pooled protocols."""
        return tuple(dict.fromkeys(Policy.of(p) for p in self.protocols if p.is_pooled))


def checked(scored: Scored, sample: Sample) -> Scored:
    """The same maps.

    Raises:
        CaosError: If a score is NaN or infinite.
    """
    for column, scores in scored.maps.items():
        if not (np.isfinite(scores.min()) and np.isfinite(scores.max())):
            bad = int(np.count_nonzero(~np.isfinite(scores)))
            raise CaosError(f"{column!r} gave {bad} NaN or infinite scores of {scores.size} for {sample.image}")
    return scored


class Job:
    """What one process does with one image."""

    def __init__(
        self, source: Source, dataset: Dataset, options: Options, out: Path, calibrations: dict[str, Calibration]
    ) -> None:
        self.source, self.dataset, self.options, self.out = source, dataset, options, out
        self.calibrations = calibrations
        self.manifest = dataset.manifest()

    def new_tally(self) -> Tally:
        """Empty counts for this job's columns and policies."""
        return Tally(self.calibrations, self.options.policies)

    def measure(self, number: int, sample: Sample, tally: Tally) -> dict[str, Any]:
        """Score and count one image; the row says what was measured."""
        image = read_picture(sample.image)
        truth = Truth.read(sample, self.dataset.labels, image.shape[:2])
        scored = checked(self.source.score(sample, image), sample)
        policies = {*tally.policies, *(Policy.of(p) for p in self.options.per_image)}
        ignored = {policy.name: truth.ignored(policy, self.dataset.labels) for policy in policies}
        row = self._row(sample, truth, ignored)
        for column, scores in scored.maps.items():
            cells = self.calibrations[column].grid.cell_of(scores)
            tally.add(column, scores, cells, truth.anomalous, ignored, number)
            self._measure_column(column, scores, truth, ignored, row)
            self._write_column(column, scores, cells, sample)
        if scored.prediction is not None:
            _write_png(self.out / "predictions" / f"{sample.key}.png", scored.prediction)
        row["seconds"] = dict(scored.seconds)
        return row

    def _row(self, sample: Sample, truth: Truth, ignored: dict[str, Any]) -> dict[str, Any]:
        record = self.manifest.get(sample.key, {})
        anomalous = int(np.count_nonzero(truth.anomalous))
        return {
            "key": sample.key,
            "town": sample.town,
            "weather": record.get("weather", {}).get("name"),
            "height": truth.ids.shape[0],
            "width": truth.ids.shape[1],
            "anomalous": anomalous,
            "ordinary": truth.ids.size - anomalous,
            "excluded": _excluded(anomalous, truth.ids.size),
            "measures": {},
            "hazards": _hazard_rows(truth, record),
        }

    def _measure_column(
        self, column: str, scores: ScoreMap, truth: Truth, ignored: dict[str, Any], row: dict[str, Any]
    ) -> None:
        counts: dict[str, metrics.Counts | None] = {}
        for policy in {Policy.of(p) for p in self.options.per_image}:
            mask = ignored[policy.name]
            ordinary = ~truth.anomalous if mask is None else ~(truth.anomalous | mask)
            possible = truth.anomalous.any() and ordinary.any()
            counts[policy.name] = metrics.count_parts(scores[truth.anomalous], scores[ordinary]) if possible else None
        row["measures"][column] = measure_image(counts, self.options.per_image)
        base = counts[Policy.of(PROTOCOLS["caos"]).name]
        by_hazard = hazard_measures(base, scores, truth.objects) if base is not None else {}
        for hazard in row["hazards"]:
            if hazard["instance_id"] in by_hazard:
                hazard["measures"][column] = by_hazard[hazard["instance_id"]]

    def _write_column(self, column: str, scores: ScoreMap, cells: npt.NDArray[np.intp], sample: Sample) -> None:
        calibration = self.calibrations[column]
        if self.options.found is not None:
            _write_png(self.out / "work" / "codes" / column / f"{sample.key}.png", calibration.codes(cells))
        if self.options.previews:
            small = _shrunk(scores, self.options.preview_px)
            codes = calibration.codes(calibration.grid.cell_of(small))
            _write_png(self.out / "previews" / column / f"{sample.key}.png", codes)
        if self.options.save_maps:
            write_map(self.out / "maps" / column / f"{sample.key}.npz", scores)


def _excluded(anomalous: int, pixels: int) -> str | None:
    if not anomalous:
        return "no anomalous pixel"
    return "no ordinary pixel" if anomalous == pixels else None


_MANIFEST_FIELDS: Final = (
    "object", "kind", "category", "source", "size_m", "distance_m", "occluded_share", "placement", "box",
)  # fmt: skip


def _hazard_rows(truth: Truth, record: dict[str, Any]) -> list[dict[str, Any]]:
    """One row for each hazard with a visible pixel: its number, size, and what the manifest says of it."""
    listed = {int(h["instance_id"]): h for h in record.get("hazards", ()) if "instance_id" in h}
    numbers, pixels = np.unique(truth.objects[truth.objects > 0], return_counts=True)
    rows = []
    for number, size in zip(numbers.tolist(), pixels.tolist(), strict=True):
        known = listed.get(number, {}) if truth.has_instances else {}
        described = {name: known.get(name) for name in _MANIFEST_FIELDS}
        rows.append({"instance_id": number, "pixels": size, "measures": {}, **described})
    return rows


def _shrunk(scores: ScoreMap, side: int) -> ScoreMap:
    import cv2

    factor = side / max(scores.shape)
    if factor >= 1:
        return scores
    width, height = (max(1, round(n * factor)) for n in (scores.shape[1], scores.shape[0]))
    return np.asarray(cv2.resize(scores, (width, height), interpolation=cv2.INTER_AREA), np.float32)


def _write_png(path: Path, picture: npt.NDArray[np.uint8]) -> None:
    import cv2

    with whole_file(path) as temporary:
        ok, data = cv2.imencode(".png", picture, [cv2.IMWRITE_PNG_COMPRESSION, 1])
        if not ok:
            raise CaosError(f"cannot write {path}: the picture cannot be encoded")
        temporary.write_bytes(data.tobytes())
