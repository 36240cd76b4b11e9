"""What is learnt: a network, its loss on a batch, and how well it does on a validation split."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from caos.scenes.dataset.layout import Sample, read_image
from caos.scenes.labels import VOID, LabelTable
from caos.segmentation.augmentation.geometry import resize
from caos.segmentation.augmentation.mixing import ATTACK_RADIUS, attacked, draw_blend
from caos.segmentation.augmentation.painters import make_painter
from caos.segmentation.data.loading import prefetch
from caos.segmentation.models import networks as models
from caos.segmentation.models.encoders import Normalisation, load_encoder_weights, normalisation_of
from caos.segmentation.models.networks import (
    Architecture,
    Segmenter,
    build_model,
    keep_frozen,
    padded,
    upsample,
)
from caos.segmentation.models.whole_images import WholeImageTask
from caos.segmentation.prediction import predict
from caos.segmentation.training.config import MASK2FORMER, OBSERVER, PAINTERS, TrainConfig
from caos.segmentation.training.evaluate import SegmentationTally, evaluate
from caos.segmentation.training.negatives import NEGATIVE, NegativePixels, make_loss
from caos.segmentation.training.observer_task import ObserverTask
from caos.segmentation.training.ordinary_losses import (
    confidence_loss,
    consistency_loss,
    cross_entropy,
    every_nth,
    next_lambda,
)

CONFIDENCE_BUDGET: Final = 0.3
CONFIDENCE_WEIGHT: Final = 0.1


class TrainingTask(Protocol):
    """A module whose forward pass is the loss of a batch."""

    model: nn.Module
    normalisation: Normalisation
    watched: str
    """Name of the validation measure that decides which weights are best."""
    higher_is_better: bool

    def counts(self, samples: Sequence[Sample], device: torch.device) -> list[Tensor]:
        """Sums over some validation pictures; those of several processes may be added."""

    def measures(self, counts: list[Tensor]) -> dict[str, float]:
        """Named measures from the sums."""


class SegmentationTask(nn.Module):
    """A segmenter: cross entropy, the auxiliary loss, and the terms that some configurations add."""

    watched = "miou_present"
    higher_is_better = True
    confidence_weight: Tensor
    pixel_mean: Tensor
    pixel_std: Tensor

    def __init__(self, config: TrainConfig, table: LabelTable, *, pretrained: bool = True) -> None:
        super().__init__()
        self.config, self.table = config, table
        self.architecture = Architecture.of(config, table.num_classes)
        self.model: Segmenter = build_model(self.architecture)
        if pretrained:
            load_encoder_weights(self.model.encoder, config.encoder, config.encoder_weights)
        self.normalisation = normalisation_of(config.encoder)
        self.register_buffer("confidence_weight", torch.tensor(CONFIDENCE_WEIGHT))
        for name in ("mean", "std"):
            values = torch.tensor(getattr(self.normalisation, name)).reshape(1, 3, 1, 1)
            self.register_buffer(f"pixel_{name}", values * 255, persistent=False)
        if config.freeze == "encoder":
            self.model.encoder.requires_grad_(False)
        self.negatives = None if config.negatives is None else make_loss(config.negatives)

    def train(self, mode: bool = True) -> SegmentationTask:  # noqa: FBT001 - torch's signature
        """Training mode, except for what the configuration freezes."""
        super().train(mode)
        if mode:
            keep_frozen(self.model.encoder, self.config.freeze)
        return self

    def forward(self, pictures: Tensor, labels: Tensor) -> Tensor:
        """Loss of pictures ``(views * n, h, w, 3)`` and labels ``(n, h, w)``, both uint8.

        Pixels labelled ``NEGATIVE`` count only for the loss with negatives.
        """
        signal = (pictures.permute(0, 3, 1, 2).float() - self.pixel_mean) / self.pixel_std
        signal = padded(signal, self.model.multiple)
        if "adversarial" in self.config.augment:
            radius = ATTACK_RADIUS * 255 / self.pixel_std
            signal = attacked(lambda moved: self._loss(self.model(moved), labels), signal, radius)
        if "mixup" not in self.config.augment:
            return self._loss(self.model(signal), labels)
        blend = draw_blend(len(labels))
        outputs = self.model(blend.of(signal))
        own, other = self._loss(outputs, labels), self._loss(outputs, labels[blend.order])
        return blend.share * own + (1 - blend.share) * other

    def _loss(self, outputs: models.SegmenterOutputs, labels: Tensor) -> Tensor:
        # The grid of labels that the loss looks at: every n-th pixel, on maps enlarged just that far.
        stride = self.config.loss_stride
        looked_at = every_nth(labels, stride)
        negative = looked_at == NEGATIVE
        targets = looked_at.masked_fill(negative, VOID)

        def fitted(maps: Tensor) -> Tensor:
            whole = [-(-side // self.model.multiple) * self.model.multiple for side in labels.shape[-2:]]
            grid = (whole[0] // stride, whole[1] // stride)
            return upsample(maps, grid)[..., : targets.shape[1], : targets.shape[2]]

        logits = fitted(outputs.logits)
        clean = logits[: len(labels)]
        loss = self._main_loss(clean, outputs, targets, fitted)
        if outputs.auxiliary is not None:
            auxiliary = fitted(outputs.auxiliary)[: len(labels)]
            loss = loss + self.config.auxiliary_weight * cross_entropy(auxiliary, targets)
        if self.config.consistency_weight:
            loss = loss + self.config.consistency_weight * consistency_loss(logits, targets)
        if self.negatives is not None:
            extra = None if outputs.extra is None else fitted(outputs.extra)[: len(labels)].float()
            pixels = NegativePixels(clean.float(), extra, targets != VOID, negative)
            loss = loss + self.negatives.loss(pixels, negative_weight(self.config))
        return loss

    def _main_loss(self, logits: Tensor, outputs: models.SegmenterOutputs, targets: Tensor, fitted: Any) -> Tensor:
        if outputs.confidence is None:
            return cross_entropy(logits, targets)
        wrong, price = confidence_loss(logits, fitted(outputs.confidence)[: len(targets)], targets)
        loss = wrong + self.confidence_weight.clone() * price
        with torch.no_grad():  # in place: other processes share this buffer
            self.confidence_weight.copy_(next_lambda(self.confidence_weight, price, CONFIDENCE_BUDGET))
        return loss

    def predictor(self, device: torch.device) -> predict.Predictor:
        """A predictor around the weights as they are now."""
        return predict.Predictor(
            self.model,
            self.table,
            self.normalisation,
            size=self.config.size,
            sides=self.config.sides,
            longest_side=self.config.longest_side,
            device=device,
            precision=self.config.precision if device.type != "cpu" or self.config.precision == "bf16" else "32",
        )

    def counts(self, samples: Sequence[Sample], device: torch.device) -> list[Tensor]:
        """See :class:`TrainingTask`."""
        tally = evaluate(self.predictor(device), samples, calibration=False, workers=self.config.workers)
        return [tally.confusion]

    def measures(self, counts: list[Tensor]) -> dict[str, float]:
        """See :class:`TrainingTask`."""
        tally = SegmentationTally(self.table.num_classes)
        tally.confusion = counts[0].cpu()
        quality = tally.quality(self.table)
        return {name: getattr(quality, name) for name in ("miou_present", "miou_all", "pixel_accuracy")}


class AutoencoderTask(nn.Module):
    """A network from picture to picture; its loss is the mean absolute difference, the autoencoder's anomaly score."""

    watched = "difference"
    higher_is_better = False

    def __init__(self, config: TrainConfig, table: LabelTable) -> None:
        super().__init__()
        self.config, self.table = config, table
        self.architecture = Architecture.of(config, table.num_classes)
        self.model = make_painter(config.model, config.head_channels)
        self.normalisation = Normalisation((0.0,) * 3, (1.0,) * 3)

    def forward(self, pictures: Tensor, labels: Tensor) -> Tensor:
        """Loss of pictures ``(n, h, w, 3)`` uint8; labels are not looked at."""
        signal = padded(pictures.permute(0, 3, 1, 2).float() / 255, self.model.multiple)
        return functional.l1_loss(self.model(signal).float(), signal)

    def counts(self, samples: Sequence[Sample], device: torch.device) -> list[Tensor]:
        """See :class:`TrainingTask`."""
        self.model.eval()
        painter = predict.Autoencoder(self.model, device)
        total = torch.zeros(2, dtype=torch.float64, device=device)
        for picture in prefetch(self._picture, samples, self.config.workers, 4):
            painted = painter.reconstruct(picture[None])[0]
            truth = torch.from_numpy(picture.copy()).to(device).float() / 255
            total += torch.stack([(painted - truth).abs().double().sum(), total.new_tensor(picture.size)])
        return [total]

    def measures(self, counts: list[Tensor]) -> dict[str, float]:
        """See :class:`TrainingTask`."""
        difference, pixels = counts[0].tolist()
        return {"difference": difference / max(pixels, 1)}

    def _picture(self, sample: Sample) -> NDArray[np.uint8]:
        picture = read_image(sample.image)
        return picture if self.config.size is None else resize(picture, (self.config.size[0], self.config.size[1]))


def negative_weight(config: TrainConfig) -> float:
    """The weight of the loss with negatives: the one that was given, or its usual one."""
    if config.negative_weight is not None:
        return config.negative_weight
    return 0.0 if config.negatives is None else make_loss(config.negatives).weight


AnyTask = SegmentationTask | AutoencoderTask | ObserverTask | WholeImageTask


def make_task(config: TrainConfig, table: LabelTable, *, pretrained: bool = True) -> AnyTask:
    """The task that a configuration describes, but for one of whole pictures; weights are drawn from its seed.

    Raises:
        CaosError: If the model, encoder or weights are wrong.
    """
    models.check_model(config.model)
    torch.manual_seed(config.seed)
    if config.model in PAINTERS:
        return AutoencoderTask(config, table)
    if config.model == OBSERVER:
        return ObserverTask(config, table, pretrained=pretrained)
    if config.model == MASK2FORMER:
        from caos.segmentation.training.mask_task import MaskTask

        return MaskTask(config, table, pretrained=pretrained)
    return SegmentationTask(config, table, pretrained=pretrained)
