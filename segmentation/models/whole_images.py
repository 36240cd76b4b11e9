"""Classifiers of whole pictures, on the encoders of the segmenters: which classes are in it, which town, which weather.

``multi-label`` answers for every class whether the picture shows it (sigmoid, binary cross entropy; dissertation,
chapter 6). ``multi-class`` answers which town or weather it is (softmax, cross entropy; section 4.3). Both end in a
mean over the last stage of the encoder, dropout, and a linear layer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from caos.foundation.errors import CaosError
from caos.scenes.dataset.layout import Dataset, Sample
from caos.scenes.labels import VOID, LabelTable
from caos.segmentation.data.loading import prefetch, read_pair
from caos.segmentation.models.encoders import (
    Normalisation,
    check_encoder,
    load_encoder_weights,
    normalisation_of,
)
from caos.segmentation.models.networks import Architecture, keep_frozen, padded
from caos.segmentation.prediction.checkpoint import load_weights, read_run
from caos.segmentation.prediction.predict import as_pictures
from caos.segmentation.training.config import MULTI_CLASS, MULTI_LABEL, WHOLE_IMAGES, TrainConfig
from caos.segmentation.training.devices import choose_device

SHOWN_SHARE: Final = 0.001
"""Share of a picture's pixels from which on a class is in it."""
SURE: Final = 0.5
"""Probability above which a class is taken to be there."""


class WholeImageNetwork(nn.Module):
    """An encoder, the mean over its last stage, dropout, and a linear layer: ``(n, 3, h, w)`` to ``(n, answers)``."""

    multiple = 32

    def __init__(self, architecture: Architecture) -> None:
        super().__init__()
        from segmentation_models_pytorch.encoders import get_encoder

        check_encoder(architecture.encoder)
        depth = architecture.encoder_depth
        self.encoder: nn.Module = get_encoder(architecture.encoder, weights=None, depth=depth)
        channels: Any = self.encoder.out_channels
        self.dropout = nn.Dropout(architecture.dropout)
        self.classifier = nn.Linear(int(channels[-1]), architecture.num_classes)

    def forward(self, pictures: Tensor) -> Tensor:
        """Logits of normalised pictures."""
        logits: Tensor = self.classifier(self.dropout(self.encoder(pictures)[-1].mean((2, 3))))
        return logits


def answers_of(dataset: Dataset, config: TrainConfig) -> dict[str, str]:
    """What a multi-class run answers for each training and validation picture, by key; empty for other models.

    Raises:
        CaosError: If the set has no manifest that says it.
    """
    if config.model != MULTI_CLASS:
        return {}
    rows = dataset.manifest()
    found = {}
    for sample in (*dataset.samples("train"), *dataset.splits.get("val", ())):
        answer = answer_of(rows.get(sample.key, {}), config.target)
        if answer is None:
            raise CaosError(f"{dataset.root}: the manifest does not give the {config.target} of {sample.key}")
        found[sample.key] = answer
    return found


def answer_of(row: Mapping[str, Any], target: str) -> str | None:
    """The town or weather that a row of a manifest says; None where it says none."""
    answer = row.get("town") if target == "town" else row.get("weather", {}).get("name")
    return answer if isinstance(answer, str) else None


def answer_names(dataset: Dataset, config: TrainConfig) -> tuple[str, ...]:
    """The answers of a run: the classes, or the towns or weathers of the training pictures.

    Raises:
        CaosError: If there is only one.
    """
    if config.model == MULTI_LABEL:
        return tuple(row.name for row in dataset.labels.trained)
    known = answers_of(dataset, config)
    names = tuple(sorted({known[sample.key] for sample in dataset.samples("train")}))
    if len(names) < 2:
        raise CaosError(f"{dataset.root}: all training pictures have the same {config.target}: {', '.join(names)}")
    return names


def classes_shown(labels: Tensor, count: int) -> Tensor:
    """Which classes label maps ``(n, h, w)`` show, ``(n, count)`` of 0 and 1; a class needs one pixel in a thousand."""
    shares = [(labels == number).float().mean((1, 2)) for number in range(count)]
    return (torch.stack(shares, 1) >= SHOWN_SHARE).float()


class WholeImageTask(nn.Module):
    """A classifier of whole pictures; validated by F1 (mean over classes), or by accuracy.

    Args:
        config: Settings.
        dataset: The set.
        pretrained: Whether the encoder gets its weights.
    """

    higher_is_better = True
    pixel_mean: Tensor
    pixel_std: Tensor

    def __init__(self, config: TrainConfig, dataset: Dataset, *, pretrained: bool = True) -> None:
        super().__init__()
        names = answer_names(dataset, config)
        self.config, self.table, self.names = config, dataset.labels, names
        self.watched = "f1" if config.model == MULTI_LABEL else "accuracy"
        self._known = answers_of(dataset, config)
        self.architecture = Architecture(
            config.model,
            config.encoder,
            len(names),
            encoder_depth=config.encoder_depth,
            dropout=config.dropout,
            auxiliary=False,
            answers=names,
        )
        self.model = WholeImageNetwork(self.architecture)
        if pretrained:
            load_encoder_weights(self.model.encoder, config.encoder, config.encoder_weights)
        self.normalisation = normalisation_of(config.encoder)
        for name in ("mean", "std"):
            values = torch.tensor(getattr(self.normalisation, name)).reshape(1, 3, 1, 1)
            self.register_buffer(f"pixel_{name}", values * 255, persistent=False)
        if config.freeze == "encoder":
            self.model.encoder.requires_grad_(False)

    def train(self, mode: bool = True) -> WholeImageTask:  # noqa: FBT001 - torch's signature
        """Training mode, except for what the configuration freezes."""
        super().train(mode)
        if mode:
            keep_frozen(self.model.encoder, self.config.freeze)
        return self

    def answer_numbers(self) -> dict[str, int]:
        """The number of each picture's answer, by key; what no training picture has is left out."""
        return {key: self.names.index(answer) for key, answer in self._known.items() if answer in self.names}

    def forward(self, pictures: Tensor, labels: Tensor) -> Tensor:
        """Loss of pictures ``(views * n, h, w, 3)``, of which n count, and labels ``(n, h, w)``, both uint8.

        For a multi-class run every pixel of a label map that is not void is the number of the answer.
        """
        signal = (pictures[: len(labels)].permute(0, 3, 1, 2).float() - self.pixel_mean) / self.pixel_std
        logits = self.model(padded(signal, self.model.multiple)).float()
        if self.config.model == MULTI_LABEL:
            return functional.binary_cross_entropy_with_logits(logits, classes_shown(labels, len(self.names)))
        answers = labels.masked_fill(labels == VOID, 0).amax((1, 2)).long()
        return functional.cross_entropy(logits, answers)

    def counts(self, samples: Sequence[Sample], device: torch.device) -> list[Tensor]:
        """See :class:`~caos.segmentation.training.tasks.TrainingTask`: right and wrong answers."""
        known = self.answer_numbers()
        classifier = WholeImageClassifier(
            self.model, self.table, self.normalisation, self.names, device, self.config.size
        )
        total = torch.zeros(3, len(self.names), dtype=torch.float64)
        wanted = samples if self.config.model == MULTI_LABEL else [one for one in samples if one.key in known]
        for sample, (picture, labels) in zip(wanted, prefetch(self._pair, wanted, self.config.workers, 4), strict=True):
            logits = classifier.logits(picture[None])[0]
            if self.config.model == MULTI_LABEL:
                said = logits.sigmoid() > SURE
                truth = classes_shown(torch.from_numpy(labels.copy())[None], len(self.names))[0] > 0
            else:
                said, truth = (torch.zeros(len(self.names), dtype=torch.bool) for _ in range(2))
                said[int(logits.argmax())], truth[known[sample.key]] = True, True
            total += torch.stack([said & truth, said & ~truth, ~said & truth]).double()
        return [total.to(device)]

    def measures(self, counts: list[Tensor]) -> dict[str, float]:
        """See :class:`~caos.segmentation.training.tasks.TrainingTask`; nothing where no picture could be judged."""
        both, more, fewer = counts[0].cpu()
        there = both + fewer > 0
        if not there.any():
            return {}
        if self.config.model == MULTI_LABEL:
            return {"f1": float((2 * both / (2 * both + more + fewer).clamp(min=1))[there].mean())}
        return {"accuracy": float(both.sum() / (both + fewer).sum())}

    def _pair(self, sample: Sample) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        return read_pair(sample, self.table, self.config.size)


class WholeImageClassifier:
    """A trained classifier of whole pictures, ready for pictures of any size."""

    def __init__(
        self,
        model: WholeImageNetwork,
        labels: LabelTable,
        normalisation: Normalisation,
        names: tuple[str, ...],
        device: torch.device,
        size: tuple[int, int] | None = None,
    ) -> None:
        self.model, self.labels, self.names, self.device, self.size = model, labels, names, device, size
        mean, std = (torch.tensor(part).reshape(1, 3, 1, 1) for part in (normalisation.mean, normalisation.std))
        self._mean, self._std = mean.to(device), std.to(device)

    @classmethod
    def load(cls, run: Path, device: str = "auto") -> WholeImageClassifier:
        """The classifier of a finished run.

        Raises:
            CaosError: If the run cannot be used.
        """
        record = read_run(run)
        if record.architecture.model not in WHOLE_IMAGES:
            raise CaosError(
                f"{run} is a run of model {record.architecture.model!r}; a classifier of whole pictures is needed "
                "(--model multi-label or multi-class)"
            )
        model = WholeImageNetwork(record.architecture)
        load_weights(model, record)
        chosen = choose_device(device)
        return cls(
            model.eval().to(chosen),
            record.labels,
            record.normalisation,
            record.architecture.answers,
            chosen,
            record.size,
        )

    @torch.inference_mode()
    def logits(self, pictures: NDArray[np.uint8]) -> Tensor:
        """Logits ``(n, answers)`` of pictures ``(n, h, w, 3)`` of 0..255, on the CPU."""
        was_training = self.model.training
        self.model.eval()
        signal = as_pictures(pictures).to(self.device).permute(0, 3, 1, 2).float() / 255
        if self.size is not None and signal.shape[-2:] != (self.size[1], self.size[0]):
            signal = functional.interpolate(signal, (self.size[1], self.size[0]), mode="bilinear", antialias=True)
        logits: Tensor = self.model(padded((signal - self._mean) / self._std, self.model.multiple))
        self.model.train(was_training)
        return logits.float().cpu()
