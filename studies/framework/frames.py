"""Frames judged one by one: how well a run segments each frame, and which of its hazards each scorer finds.

Filtration, the study of hard sets and that of hypotheses read these. Everything is said of a frame by itself, so that
numbers of any selection of frames are means of what is here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from caos.foundation.settings import read_record
from caos.ood_scores.evaluation.void_pixels import left_out_pixels
from caos.ood_scores.measuring import metrics
from caos.ood_scores.measuring.protocols import PROTOCOLS
from caos.scenes.dataset.layout import Sample, read_instance_ids
from caos.scenes.labels import VOID, LabelTable
from caos.studies.corruptions.measuring import Condition, spoil
from caos.studies.framework.runs import StudiedRun
from caos.studies.framework.study import StudyFolder

if TYPE_CHECKING:
    from torch import Tensor

FALSE_ALARMS: Final = 0.05
"""Share of a frame's ordinary pixels that are flagged: the score they exceed says which hazard pixels are found."""
CHUNK: Final = 20
"""Frames that are kept together."""
CLEAN: Final = Condition()
CONFIDENCE_GROUPS: Final = 256
"""Groups of a frame's pixels of similar confidence: each is kept as one, so that the record of a frame stays small."""


@dataclass(frozen=True)
class SeenHazard:
    """A hazard of a frame.

    Attributes:
        kind: What it is, such as ``sofa``.
        pixels: How many of it are seen.
        taken_for: The class that most of them are given.
        found: By scorer, the share of its pixels above what 5 % of the frame's ordinary pixels exceed.
    """

    kind: str
    pixels: int
    taken_for: str
    found: Mapping[str, float]


@dataclass(frozen=True)
class FrameScores:
    """A scorer on one frame, by the paper's definition."""

    auroc: float
    aupr: float
    fpr95: float


@dataclass(frozen=True)
class JudgedFrame:
    """What a run makes of a frame.

    Attributes:
        key: The image's.
        iou: Mean IoU of the classes that are there; None where every pixel is void.
        accuracy: Share of the pixels with the right class.
        true_class: The class that is mistaken most often, by pixels; empty where nothing is.
        taken_for: What it is taken for.
        hazards: Its hazards, the largest first.
        scores: By scorer; empty for a frame without hazards.
        confidence: Pixels, right ones and sum of confidences of groups of similar confidence; see
            :func:`caos.segmentation.training.calibration.grouped`.
    """

    key: str
    iou: float | None
    accuracy: float | None
    true_class: str
    taken_for: str
    hazards: tuple[SeenHazard, ...] = ()
    scores: Mapping[str, FrameScores] | None = None
    confidence: tuple[tuple[float, float, float], ...] = ()

    def found(self, scorer: str) -> float | None:
        """Share of the frame's hazard pixels that the scorer finds; None without hazards."""
        pixels = sum(hazard.pixels for hazard in self.hazards)
        if not pixels:
            return None
        return sum(hazard.pixels * hazard.found[scorer] for hazard in self.hazards) / pixels


def judged(
    place: StudyFolder,
    run: StudiedRun,
    samples: Sequence[Sample],
    identity: Any,
    *,
    name: str,
    condition: Condition = CLEAN,
    seed: int = 0,
) -> list[JudgedFrame]:
    """What a run makes of frames; what was judged before under the same identity is not judged again.

    Raises:
        CaosError: If a frame cannot be read or measured.
    """
    rows = run.dataset.manifest()
    chunks = [samples[start : start + CHUNK] for start in range(0, len(samples), CHUNK)]
    frames: list[JudgedFrame] = []
    with place.progress.task(f"judging {name}", len(samples)) as task:
        for number, chunk in enumerate(chunks):

            def made(chunk: Sequence[Sample] = chunk) -> Any:
                return [asdict(judge(run, sample, rows.get(sample.key, {}), condition, seed)) for sample in chunk]

            keys = [sample.key for sample in chunk]
            kept = place.part(f"frames/{name}/{number:05d}", [identity, keys, asdict(condition), seed], made)
            frames += read_record(
                tuple[JudgedFrame, ...], kept, f"{place.folder}/parts/frames/{name}/{number:05d}.json"
            )
            task.advance(len(chunk), note=keys[-1])
    return frames


def judge(
    run: StudiedRun, sample: Sample, row: Mapping[str, Any], condition: Condition = CLEAN, seed: int = 0
) -> JudgedFrame:
    """What a run makes of one frame, in one forward pass.

    Args:
        run: The run and its scorers, fitted.
        sample: The frame.
        row: Its row of the manifest, for the kinds of its hazards; may be empty.
        condition: What happens to the picture first.
        seed: Of what the condition draws.
    """
    import torch

    table = run.source.labels
    picture, ids = spoil(sample, run.dataset.labels, condition, seed)
    with torch.inference_mode():
        outputs = run.source.outputs(sample.key, picture)
        predicted = outputs.logits.argmax(0).byte().cpu().numpy()
        maps = run.source.score_outputs(outputs, picture).maps
    anomalous = np.isin(ids, table.anomaly_ids)
    known = np.where(ids < table.num_classes, ids, VOID)
    quality = _quality(known, predicted, table)
    confidence = _confidence(outputs.logits.cpu(), known)
    if not anomalous.any():
        return JudgedFrame(sample.key, *quality, confidence=confidence)
    ignored = left_out_pixels(ids, table)
    scores = {name: _scores(values, anomalous, ignored, sample) for name, values in maps.items()}
    hazards = _hazards(sample, row, ids, anomalous, predicted, maps, table)
    return JudgedFrame(sample.key, *quality, hazards, scores, confidence)


def _confidence(logits: Tensor, known: npt.NDArray[np.uint8]) -> tuple[tuple[float, float, float], ...]:
    import torch

    from caos.segmentation.training.calibration import grouped
    from caos.segmentation.training.evaluate import doubts

    kept = torch.from_numpy(known != VOID)
    doubt, winner = doubts(logits, kept)
    groups = grouped(doubt, winner.numpy() == known[known != VOID], CONFIDENCE_GROUPS).round(6)
    return tuple((float(count), float(right), float(sure)) for count, right, sure in groups)


def _quality(
    known: npt.NDArray[np.uint8], predicted: npt.NDArray[np.uint8], table: LabelTable
) -> tuple[float | None, float | None, str, str]:
    counted = known != VOID
    if not counted.any():
        return None, None, "", ""
    count = table.num_classes
    pairs = known[counted].astype(np.int64) * count + predicted[counted]
    confusion = np.bincount(pairs, minlength=count * count).reshape(count, count)
    right = np.diag(confusion)
    there = confusion.sum(1) > 0
    union = confusion.sum(0) + confusion.sum(1) - right
    wrong = confusion - np.diag(right)
    names = [row.name for row in table.trained]
    truth, answer = np.unravel_index(int(wrong.argmax()), wrong.shape)
    said = (names[int(truth)], names[int(answer)]) if wrong.any() else ("", "")
    return float((right[there] / union[there]).mean()), float(right.sum() / confusion.sum()), *said


def _scores(
    values: npt.NDArray[np.float32],
    anomalous: npt.NDArray[np.bool_],
    ignored: npt.NDArray[np.bool_],
    sample: Sample,
) -> FrameScores:
    found = PROTOCOLS["caos"].measure(metrics.count(values, anomalous, ignored, where=str(sample.image)))
    return FrameScores(found.auroc, found.aupr, found.fpr95)


def _hazards(
    sample: Sample,
    row: Mapping[str, Any],
    ids: npt.NDArray[np.uint8],
    anomalous: npt.NDArray[np.bool_],
    predicted: npt.NDArray[np.uint8],
    maps: Mapping[str, npt.NDArray[np.float32]],
    table: LabelTable,
) -> tuple[SeenHazard, ...]:
    ordinary = ~(anomalous | left_out_pixels(ids, table))
    flags = {name: values > np.quantile(values[ordinary], 1 - FALSE_ALARMS) for name, values in maps.items()}
    names = [trained.name for trained in table.trained]
    seen = []
    for kind, where in _masks(sample, row, ids, anomalous, table):
        answer = int(np.bincount(predicted[where], minlength=len(names)).argmax())
        found = {name: float(flag[where].mean()) for name, flag in flags.items()}
        seen.append(SeenHazard(kind, int(where.sum()), names[answer], found))
    return tuple(sorted(seen, key=lambda hazard: -hazard.pixels))


def _masks(
    sample: Sample,
    row: Mapping[str, Any],
    ids: npt.NDArray[np.uint8],
    anomalous: npt.NDArray[np.bool_],
    table: LabelTable,
) -> list[tuple[str, npt.NDArray[np.bool_]]]:
    """Kind and pixels of every hazard; without instances or manifest, those of every anomalous class."""
    kinds = {int(hazard["instance_id"]): str(hazard["kind"]) for hazard in row.get("hazards", ()) if "kind" in hazard}
    instances = read_instance_ids(sample) if kinds else None
    if instances is not None and instances.shape == ids.shape:
        found = [(kind, (instances == number) & anomalous) for number, kind in kinds.items()]
        return [(kind, where) for kind, where in found if where.any()]
    classes = {entry.class_id: entry.name for entry in table.classes if entry.class_id in table.anomaly_ids}
    return [(name, ids == number) for number, name in classes.items() if (ids == number).any()]
