"""Where score maps come from: a trained run, any torch model, or files that somebody else's detector wrote."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from foundation.errors import CaosError
from foundation.progress import SILENT, Progress
from ood_scores.maps import ScoreMap, read_map
from ood_scores.scorer import FitData, FittedScorer, Outputs, Scorer, make_scorer
from ood_scores.smoothing import SUFFIX, smooth
from scenes.labels import LabelTable
from scenes.layout import Dataset, Sample, read_class_ids, read_image

if TYPE_CHECKING:
    from torch import Tensor


FIT_IMAGES = 40
FIT_PIXELS = 4000
FIT_FEATURES = 600


@dataclass(frozen=True, eq=False)
class Scored:
    """Score maps of one image by column name, the predicted classes where there are any, and what it cost."""

    maps: Mapping[str, ScoreMap]
    prediction: npt.NDArray[np.uint8] | None = None
    seconds: Mapping[str, float] = field(default_factory=dict)


class Source(ABC):
    """Gives the score maps of an image."""

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """Names of the score maps."""

    @abstractmethod
    def describe(self) -> dict[str, Any]:
        """What it is, JSON-ready; two sources with the same description give the same maps."""

    @abstractmethod
    def score(self, sample: Sample, image: npt.NDArray[np.uint8]) -> Scored:
        """The maps of one image."""

    def prepare(self, dataset: Dataset, seed: int, progress: Progress = SILENT) -> None:  # noqa: B027 - most need nothing
        """Fit what has to be fitted on ordinary images of the set."""

    def titles(self) -> dict[str, str]:
        """How tables print the columns."""
        return {name: name for name in self.columns}

    def skipped(self) -> dict[str, str]:
        """Scorers that were asked for by ``all`` but cannot run, and why."""
        return {}


class MapSource(Source):
    """Score maps from files, one folder a detector."""

    def __init__(self, detectors: Mapping[str, Mapping[str, Path]]) -> None:
        self._detectors = detectors

    @property
    def columns(self) -> tuple[str, ...]:
        """See :class:`Source`."""
        return tuple(self._detectors)

    def describe(self) -> dict[str, Any]:
        """See :class:`Source`."""
        folders = {name: str(next(iter(maps.values())).parent) for name, maps in self._detectors.items()}
        return {"kind": "score maps", "detectors": folders}

    def score(self, sample: Sample, image: npt.NDArray[np.uint8]) -> Scored:
        """See :class:`Source`."""
        height, width = image.shape[:2]
        return Scored({name: read_map(maps[sample.key], (height, width)) for name, maps in self._detectors.items()})


class ModelSource(Source):
    """Scorers on a network's outputs; :meth:`outputs` says what those are for one image."""

    def __init__(self, names: Sequence[str], labels: LabelTable) -> None:
        self.labels = labels
        self._names = tuple(names)
        bases = dict.fromkeys(name.removesuffix(SUFFIX) for name in names)
        self.scorers: dict[str, Scorer] = {name: make_scorer(name) for name in bases}
        self.needs: frozenset[str] = frozenset().union(*(scorer.needs for scorer in self.scorers.values()))

    @property
    def columns(self) -> tuple[str, ...]:
        """See :class:`Source`."""
        return self._names

    def titles(self) -> dict[str, str]:
        """See :class:`Source`."""
        return {
            name: self.scorers[name.removesuffix(SUFFIX)].title + (" + CRF" if name.endswith(SUFFIX) else "")
            for name in self._names
        }

    @abstractmethod
    def outputs(self, key: str, image: npt.NDArray[np.uint8]) -> Outputs:
        """What the network says about one image."""

    def score(self, sample: Sample, image: npt.NDArray[np.uint8]) -> Scored:
        """See :class:`Source`."""
        import torch

        with torch.inference_mode():
            start = perf_counter()
            outputs = self.outputs(sample.key, image)
            seconds = {"forward": perf_counter() - start}
            maps: dict[str, ScoreMap] = {}
            for name, scorer in self.scorers.items():
                start = perf_counter()
                maps[name] = _as_map(scorer.score(outputs), image.shape[:2], name)
                seconds[name] = perf_counter() - start
            prediction = np.asarray(outputs.prediction.cpu().numpy(), np.uint8)
        return Scored({name: self._column(name, maps, image) for name in self._names}, prediction, seconds)

    def _column(self, name: str, maps: Mapping[str, ScoreMap], image: npt.NDArray[np.uint8]) -> ScoreMap:
        plain = maps[name.removesuffix(SUFFIX)]
        return smooth(plain, image) if name.endswith(SUFFIX) else plain

    def prepare(self, dataset: Dataset, seed: int, progress: Progress = SILENT) -> None:
        """See :class:`Source`."""
        fitted = {name: scorer for name, scorer in self.scorers.items() if isinstance(scorer, FittedScorer)}
        if not fitted:
            return
        samples = fit_samples(dataset)
        if not samples:
            raise CaosError(
                f"{dataset.root} has neither 'val' nor 'train' images to fit {', '.join(sorted(fitted))} on; "
                "choose other --scorers"
            )
        data = self._fit_data(samples, seed, progress)
        for name, scorer in fitted.items():
            # Each scorer has its own numbers, whatever else is fitted.
            scorer.fit(data, np.random.default_rng([seed, *name.encode()]))

    def _fit_data(self, samples: Sequence[Sample], seed: int, progress: Progress) -> FitData:
        import torch

        rng = np.random.default_rng([seed, 1])
        with_features = "features" in self.needs
        parts: dict[str, list[Tensor]] = {"logits": [], "labels": [], "features": [], "feature_labels": []}
        with torch.inference_mode(), progress.task("fit scorers", len(samples)) as task:
            for sample in samples:
                outputs = self.outputs(sample.key, read_picture(sample.image))
                ids = read_class_ids(sample, self.labels)
                logits, labels = _draw(outputs.logits, ids, FIT_PIXELS, self.labels, rng)
                parts["logits"].append(logits)
                parts["labels"].append(labels)
                if with_features:
                    features, labels = _draw(outputs.features, ids, FIT_FEATURES, self.labels, rng)
                    parts["features"].append(features)
                    parts["feature_labels"].append(labels)
                task.advance()
        joined = {name: torch.cat(part).cpu() for name, part in parts.items() if part}
        return FitData(**joined)


def read_picture(path: Path) -> npt.NDArray[np.uint8]:
    """Pixels that torch may share: a copy, for what the picture library gives is read-only."""
    return np.array(read_image(path))


def fit_samples(dataset: Dataset) -> tuple[Sample, ...]:
    """Ordinary images to fit on, spread over the validation split (or training, where there is no validation)."""
    every = dataset.splits.get("val") or dataset.splits.get("train") or ()
    return spread(every, FIT_IMAGES)


def spread(samples: Sequence[Sample], number: int) -> tuple[Sample, ...]:
    """At most ``number`` of the samples, evenly spaced."""
    steps = np.linspace(0, len(samples) - 1, min(number, len(samples)))
    return tuple(samples[i] for i in dict.fromkeys(round(step) for step in steps.tolist()))


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
    classes[classes >= labels.num_classes] = -1
    values = maps.reshape(len(maps), -1)[:, torch.from_numpy(chosen).to(maps.device)].T.contiguous()
    return values.cpu(), torch.from_numpy(classes)


def _as_map(scores: Tensor, shape: tuple[int, ...], name: str) -> ScoreMap:
    values = np.asarray(scores.float().cpu().numpy(), np.float32)
    if values.shape != shape[:2]:
        raise CaosError(f"scorer {name!r} gave a map of shape {values.shape} for an image of shape {shape[:2]}")
    return values


class CallableSource(ModelSource):
    """Scorers on any torch model: pictures ``(1, 3, h, w)``, floats 0..1, to logits ``(1, C, h, w)``."""

    def __init__(
        self,
        model: Callable[[Tensor], Tensor],
        names: Sequence[str],
        labels: LabelTable,
        *,
        device: str = "cpu",
        description: str = "a torch model",
    ) -> None:
        super().__init__(names, labels)
        wanting = {name: sorted(scorer.needs) for name, scorer in self.scorers.items() if scorer.needs}
        for name, needs in wanting.items():
            raise CaosError(f"scorer {name!r} needs {', '.join(needs)}, which a plain model does not give")
        self._model, self._device, self._description = model, device, description

    def describe(self) -> dict[str, Any]:
        """See :class:`Source`."""
        return {"kind": "torch model", "model": self._description}

    def outputs(self, key: str, image: npt.NDArray[np.uint8]) -> Outputs:
        """See :class:`ModelSource`."""
        import torch

        picture = torch.from_numpy(np.ascontiguousarray(image)).to(self._device).permute(2, 0, 1)[None].float() / 255
        logits = self._model(picture)
        wanted = (1, self.labels.num_classes, *image.shape[:2])
        if not isinstance(logits, torch.Tensor) or tuple(logits.shape) != wanted:
            got = tuple(logits.shape) if isinstance(logits, torch.Tensor) else type(logits).__name__
            raise CaosError(f"the model must return logits of shape {wanted} for {key!r}, not {got}")
        return Outputs(logits[0].float(), background_id=self.labels.background_id)
