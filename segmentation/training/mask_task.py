"""Training task of a mask transformer: its set loss on masks of classes, and losses with negatives."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from caos.foundation.errors import CaosError
from caos.scenes.labels import VOID, LabelTable
from caos.segmentation.models.mask_transformer import MaskSegmenter
from caos.segmentation.models.networks import SegmenterOutputs, padded, upsample
from caos.segmentation.models.queries import semantic_maps
from caos.segmentation.training.config import TrainConfig
from caos.segmentation.training.negatives import NEGATIVE, NegativePixels
from caos.segmentation.training.ordinary_losses import every_nth
from caos.segmentation.training.set_loss import NO_OBJECT_WEIGHT, MaskTargets, set_loss
from caos.segmentation.training.tasks import SegmentationTask, negative_weight


class MaskTask(SegmentationTask):
    """A mask transformer: each query is matched to the mask of a class, or learns to say "no object"."""

    class_weights: Tensor

    def __init__(self, config: TrainConfig, table: LabelTable, *, pretrained: bool = True) -> None:
        if config.consistency_weight:
            raise CaosError("consistency compares logits of views, and a mask transformer has none; set it to 0")
        super().__init__(config, table, pretrained=pretrained)
        assert isinstance(self.model, MaskSegmenter)
        self.segmenter: MaskSegmenter = self.model
        self.has_outlier_class = self.architecture.negative_head == "outlier class"
        outliers = [negative_weight(config)] if self.has_outlier_class else []
        weights = torch.tensor([1.0] * table.num_classes + outliers + [NO_OBJECT_WEIGHT])
        self.register_buffer("class_weights", weights, persistent=False)

    def forward(self, pictures: Tensor, labels: Tensor) -> Tensor:
        """Loss of pictures ``(views * n, h, w, 3)``, of which n count, and labels ``(n, h, w)``, both uint8."""
        clean = pictures[: len(labels)].permute(0, 3, 1, 2).float()
        signal = padded((clean - self.pixel_mean) / self.pixel_std, self.model.multiple)
        height, width = labels.shape[-2:]
        whole = functional.pad(labels, (0, signal.shape[-1] - width, 0, signal.shape[-2] - height), value=VOID)
        looked_at = every_nth(whole, self.config.loss_stride)
        grid = (int(looked_at.shape[-2]), int(looked_at.shape[-1]))
        layers, outputs = self.segmenter.learning(signal)
        targets = [self._targets_of(picture) for picture in looked_at]
        losses = [set_loss(said, upsample(masks, grid), targets, self.class_weights) for said, masks in layers]
        loss = torch.stack(losses).sum()
        return loss if self.negatives is None else loss + self._negative_loss(outputs, looked_at)

    def _targets_of(self, labels: Tensor) -> MaskTargets:
        """One mask for each class of a label map, and one for negatives where they are a class."""
        present = labels.unique()  # type: ignore[no-untyped-call]
        classes = present[(present != VOID) & (present != NEGATIVE)]
        masks = labels[None] == classes[:, None, None]
        numbers = classes.long()
        if self.has_outlier_class and bool((labels == NEGATIVE).any()):
            masks = torch.cat([masks, (labels == NEGATIVE)[None]])
            numbers = torch.cat([numbers, numbers.new_tensor([self.segmenter.num_classes])])
        return MaskTargets(numbers, masks, labels != VOID)

    def _negative_loss(self, outputs: SegmenterOutputs, labels: Tensor) -> Tensor:
        assert self.negatives is not None
        assert outputs.class_logits is not None
        assert outputs.mask_logits is not None
        grid = (int(labels.shape[-2]), int(labels.shape[-1]))
        extra = None
        if self.has_outlier_class:
            outlier = self.segmenter.num_classes
            maps = semantic_maps(outputs.class_logits, outputs.mask_logits, slice(outlier, outlier + 1))
            extra = upsample(maps, grid)
        negative = labels == NEGATIVE
        pixels = NegativePixels(upsample(outputs.logits, grid), extra, (labels != VOID) & ~negative, negative)
        return self.negatives.loss(pixels, negative_weight(self.config))
