"""Source of score maps that scorers make of a network's outputs: one forward pass serves them all."""

from __future__ import annotations

import functools
import hashlib
import json
from abc import abstractmethod
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from caos.foundation.errors import CaosError
from caos.foundation.execution.progress import SILENT, Progress
from caos.foundation.storage.identity import Numerics
from caos.ood_scores.measuring.inputs import as_scores
from caos.ood_scores.measuring.pixel_counts import ScoreMap
from caos.ood_scores.numerics import NUMERICS
from caos.ood_scores.results import ScorerRecord
from caos.ood_scores.scorer_interface.scorer import FEATURES, FitData, FittedScorer, Outputs
from caos.ood_scores.scorer_interface.settings import plain_settings
from caos.ood_scores.scorer_interface.specifications import PROBABILITIES, ScorerColumn
from caos.ood_scores.sources.smoothing import smooth
from caos.ood_scores.sources.source import Scored, Source, read_picture, spread
from caos.scenes.dataset.layout import Dataset, Sample, read_class_ids
from caos.scenes.labels import PHOTOGRAPHS, LabelTable

if TYPE_CHECKING:
    from torch import Tensor

FIT_IMAGES: Final = 40
FIT_PIXELS: Final = 4000
FIT_FEATURES: Final = 600
SCORERS: Final = Numerics(NUMERICS.room, NUMERICS.version, ("torch", "scikit-learn", "scipy"))
"""What scorers compute with, besides the packages of the room."""


class ModelSource(Source):
    """Scorers on a network's outputs; :meth:`outputs` says what those are for one image.

    Attributes:
        has_logits: Whether the network says classes; if not, there are neither predictions nor logits to fit on.
    """

    has_logits = True

    def __init__(self, columns: Sequence[ScorerColumn], labels: LabelTable, fit_set: Dataset | None = None) -> None:
        """Take the scorers, what the network's outputs mean, and the set to fit on if it is not the scored one."""
        self.labels, self.fit_set = labels, fit_set
        self.scorer_columns = tuple(columns)

    @property
    def needs(self) -> frozenset[str]:
        """The parts of the outputs that some scorer reads."""
        return frozenset().union(*(column.scorer.needs for column in self.scorer_columns))

    @property
    def columns(self) -> tuple[str, ...]:
        """See :class:`Source`."""
        return tuple(column.name for column in self.scorer_columns)

    def records(self) -> tuple[ScorerRecord, ...]:
        """See :class:`Source`."""
        return tuple(column.record() for column in self.scorer_columns)

    def numerics(self) -> tuple[Numerics, ...]:
        """See :class:`Source`."""
        return (SCORERS,)

    @abstractmethod
    def outputs(self, key: str, image: npt.NDArray[np.uint8]) -> Outputs:
        """What the network says about one image."""

    def begin(self, sample: Sample, image: npt.NDArray[np.uint8]) -> Callable[[], Scored]:
        """See :class:`Source`."""
        return self._begin(sample.key, image)

    def _begin(self, key: str, image: npt.NDArray[np.uint8]) -> Callable[[], Scored]:
        import torch

        start = perf_counter()
        with torch.inference_mode():
            outputs = self.outputs(key, image)
        return functools.partial(self.score_outputs, outputs, image, {"forward": perf_counter() - start})

    def score(self, sample: Sample, image: npt.NDArray[np.uint8]) -> Scored:
        """See :class:`Source`."""
        return self.score_picture(sample.key, image)

    def score_picture(self, key: str, image: npt.NDArray[np.uint8]) -> Scored:
        """Score an image ``(h, w, 3)``, uint8, that need not belong to a set; errors call it ``key``."""
        return self._begin(key, image)()

    def score_outputs(
        self, outputs: Outputs, image: npt.NDArray[np.uint8], seconds: Mapping[str, float] | None = None
    ) -> Scored:
        """Compute the score maps of an image from its outputs; ``seconds`` is the wall time of the forward passes."""
        import torch

        plain: dict[str, ScoreMap] = {}
        seconds = dict(seconds or {})
        with torch.inference_mode():
            for column in self.scorer_columns:
                if column.plain_name not in plain:
                    start = perf_counter()
                    scores = column.scorer.score(outputs)
                    plain[column.plain_name] = _as_map(scores, image.shape[:2], column.plain_name)
                    seconds[column.plain_name] = perf_counter() - start
            prediction = np.asarray(outputs.prediction.cpu().numpy(), np.uint8) if self.has_logits else None
            by_probabilities = self._by_smoothed_probabilities(outputs, image)
        maps = {
            column.name: by_probabilities.get(column.name, _smoothed(column, plain, image))
            for column in self.scorer_columns
        }
        return Scored(maps, prediction, seconds, outputs.passes_s)

    def _by_smoothed_probabilities(self, outputs: Outputs, image: npt.NDArray[np.uint8]) -> dict[str, ScoreMap]:
        """The maps of the columns that read smoothed class probabilities."""
        chosen = [column for column in self.scorer_columns if column.smoothing == PROBABILITIES]
        if not chosen:
            return {}
        from caos.ood_scores.sources.dense_crf import smooth_logits

        smoothed = outputs.with_logits(smooth_logits(outputs.logits))
        return {c.name: _as_map(c.scorer.score(smoothed), image.shape[:2], c.name) for c in chosen}

    def fitted_on(self, dataset: Dataset) -> tuple[Sample, ...]:
        """See :class:`Source`."""
        has_fits = any(isinstance(column.scorer, FittedScorer) for column in self.scorer_columns)
        return fit_samples(self.fit_set or dataset) if has_fits else ()

    def prepare(self, dataset: Dataset, seed: int, progress: Progress = SILENT) -> None:
        """See :class:`Source`."""
        fitted = {c.plain_name: c for c in self.scorer_columns if isinstance(c.scorer, FittedScorer)}
        if not fitted:
            return
        chosen = self.fit_set or dataset
        samples = fit_samples(chosen)
        if not samples:
            raise CaosError(
                f"{chosen.root} has neither 'val' nor 'train' images to fit {', '.join(sorted(fitted))} on; "
                "name a set with --fit-on, or choose other --scorers"
            )
        data = self._fit_data(samples, seed, progress)
        for column in fitted.values():
            assert isinstance(column.scorer, FittedScorer)
            settings = json.dumps(plain_settings(column.scorer), sort_keys=True)
            column.scorer.fit(data, _generator(seed, column.info.name, settings))

    def _fit_data(self, samples: Sequence[Sample], seed: int, progress: Progress) -> FitData:
        import torch

        wanted = sorted(self.needs & FEATURES)
        parts: dict[str, list[Tensor]] = defaultdict(list)
        with torch.inference_mode(), progress.task("fit scorers", len(samples)) as task:
            for sample in samples:
                outputs = self.outputs(sample.key, read_picture(sample.image))
                ids = read_class_ids(sample, self.labels)
                if self.has_logits:
                    rng = _generator(seed, "fitted pixels", sample.key)
                    logits, labels = _draw(outputs.logits, ids, FIT_PIXELS, self.labels, rng)
                    parts["logits"].append(logits)
                    parts["labels"].append(labels)
                if wanted:
                    found = {name.replace(" ", "_"): getattr(outputs, name.replace(" ", "_")) for name in wanted}
                    rng = _generator(seed, "fitted features", sample.key)
                    rows, labels = _draw(torch.cat(list(found.values())), ids, FIT_FEATURES, self.labels, rng)
                    parts["feature_labels"].append(labels)
                    for name, drawn in zip(
                        found, torch.split(rows, [len(f) for f in found.values()], dim=1), strict=True
                    ):
                        parts[name].append(drawn)
                task.advance()
        joined = {name: torch.cat(part).cpu() for name, part in parts.items() if part}
        nothing = {"logits": torch.empty(0, 0), "labels": torch.empty(0, dtype=torch.int64)}
        return FitData(**{**nothing, **joined})


def _generator(seed: int, *purpose: str) -> np.random.Generator:
    """The generator of one purpose: nothing that is drawn for another one changes its numbers."""
    digest = hashlib.sha256("\0".join((str(seed), *purpose)).encode()).digest()
    return np.random.default_rng(int.from_bytes(digest[:16], "big"))


def fit_samples(dataset: Dataset) -> tuple[Sample, ...]:
    """Ordinary images to fit on, spread over the validation split (or training, where there is no validation)."""
    every = dataset.splits.get("val") or dataset.splits.get("train") or ()
    return spread(every, FIT_IMAGES)


def _smoothed(column: ScorerColumn, plain: Mapping[str, ScoreMap], image: npt.NDArray[np.uint8]) -> ScoreMap:
    return smooth(plain[column.plain_name], image) if column.smoothing == "+crf" else plain[column.plain_name]


def _draw(
    maps: Tensor, ids: npt.NDArray[np.uint8], number: int, labels: LabelTable, rng: np.random.Generator
) -> tuple[Tensor, Tensor]:
    """Random columns of maps ``(D, h, w)`` as rows, and the class of each; -1 where the class is not a trained one."""
    import torch

    height, width = maps.shape[-2:]
    chosen = rng.integers(0, height * width, number)
    rows, columns = np.divmod(chosen, width)
    # The middle of a coarse cell lies at this pixel of the label map.
    y = ((rows + 0.5) * ids.shape[0] / height).astype(int)
    x = ((columns + 0.5) * ids.shape[1] / width).astype(int)
    classes = ids[y, x].astype(np.int64)
    if labels == PHOTOGRAPHS:
        classes[:] = -1  # ordinary says nothing of the network's classes
    classes[classes >= labels.num_classes] = -1
    values = maps.reshape(len(maps), -1)[:, torch.from_numpy(chosen).to(maps.device)].T.contiguous()
    return values.cpu(), torch.from_numpy(classes)


def _as_map(scores: Tensor, shape: tuple[int, ...], name: str) -> ScoreMap:
    import torch

    if not isinstance(scores, torch.Tensor):
        raise CaosError(f"scorer {name!r} gave {type(scores).__name__}, not a torch tensor")
    values = as_scores(scores, f" (scorer {name!r})")
    if values.shape != shape[:2]:
        raise CaosError(f"scorer {name!r} gave a map of shape {values.shape} for an image of shape {shape[:2]}")
    return values
