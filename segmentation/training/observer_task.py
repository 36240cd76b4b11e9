"""Training of an observer network: attacked pictures in, the segmenter's errors as the truth.

See :mod:`caos.segmentation.models.observer`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from caos.foundation.errors import CaosError
from caos.scenes.dataset.layout import Sample
from caos.scenes.labels import VOID, ClassIds, LabelTable
from caos.segmentation.data.loading import prefetch, read_pair
from caos.segmentation.models.networks import keep_frozen, padded, upsample
from caos.segmentation.models.observer import (
    Observer,
    ObserverNetwork,
    attack,
    error_loss,
    observer_of,
    random_regions,
)
from caos.segmentation.prediction.checkpoint import check_labels
from caos.segmentation.prediction.predict import Predictor
from caos.segmentation.training.config import TrainConfig
from caos.segmentation.training.negatives import NEGATIVE
from caos.segmentation.training.ordinary_losses import every_nth

BINS: Final = 1024
"""Cells of probability that validation pixels are counted into."""


class ObserverTask(nn.Module):
    """An observer that learns beside a frozen segmenter.

    Raises:
        CaosError: If the watched run cannot be used with this set and these settings.
    """

    watched = "error_auroc"
    higher_is_better = True
    pixel_mean: Tensor
    pixel_std: Tensor

    def __init__(self, config: TrainConfig, table: LabelTable, *, pretrained: bool = True) -> None:
        super().__init__()
        assert config.watches is not None
        predictor = _watched(config.watches, config, table)
        assert predictor.run is not None
        self.config, self.table, self._predictor = config, table, predictor
        self.architecture = observer_of(predictor.run.architecture)
        self.normalisation = predictor.run.normalisation
        self.model = ObserverNetwork(self.architecture)
        self.segmenter = predictor.model.requires_grad_(requires_grad=False)
        if pretrained:
            self.model.body.load_state_dict(self.segmenter.body.state_dict())
        for name in ("mean", "std"):
            values = torch.tensor(getattr(self.normalisation, name)).reshape(1, 3, 1, 1)
            self.register_buffer(f"pixel_{name}", values * 255, persistent=False)
        if config.freeze == "encoder":
            self.model.encoder.requires_grad_(requires_grad=False)

    def train(self, mode: bool = True) -> ObserverTask:  # noqa: FBT001 - torch's signature
        """Training mode, except for the segmenter and for what the configuration freezes."""
        super().train(mode)
        self.segmenter.eval()
        if mode:
            keep_frozen(self.model.encoder, self.config.freeze)
        return self

    def forward(self, pictures: Tensor, labels: Tensor) -> Tensor:
        """Loss of pictures ``(views * n, h, w, 3)`` and labels ``(n, h, w)``, both uint8; other views are left out."""
        pictures = pictures[: len(labels)]
        signal = padded((pictures.permute(0, 3, 1, 2).float() - self.pixel_mean) / self.pixel_std, self.model.multiple)
        height, width = signal.shape[-2:]
        known = torch.full((len(labels), height, width), VOID, dtype=labels.dtype, device=labels.device)
        known[:, : labels.shape[1], : labels.shape[2]] = labels.masked_fill(labels == NEGATIVE, VOID)
        targets = every_nth(known, self.config.loss_stride)
        region = random_regions(len(labels), height, width, signal.device)
        signal = attack(self.segmenter, signal, targets, region, self.config.attack_step)
        with torch.no_grad():
            outputs = self.segmenter(signal)
            size = (targets.shape[1], targets.shape[2])
            wrong = upsample(outputs.logits.float(), size).argmax(1) != targets
        seen = upsample(self.model(signal, outputs.features, outputs.logits).float(), size)[:, 0]
        return error_loss(seen, wrong, targets != VOID)

    def counts(self, samples: Sequence[Sample], device: torch.device) -> list[Tensor]:
        """See :class:`~caos.segmentation.training.tasks.TrainingTask`: pixels by probability, right ones and errors."""
        self.model.eval()
        self._predictor.device = device
        observer = Observer(self.model, self._predictor)
        total = torch.zeros(2, BINS, dtype=torch.float64)
        for picture, labels in prefetch(self._pair, samples, self.config.workers, 4):
            predicted = self._predictor.predict(picture[None]).logits[0].argmax(0).cpu()
            cells = (observer.observe(picture[None])[0].cpu() * (BINS - 1)).round().long()
            truth = torch.from_numpy(labels.copy())
            for row, where in enumerate((predicted == truth, predicted != truth)):
                total[row] += torch.bincount(cells[where & (truth != VOID)], minlength=BINS)
        return [total.to(device)]

    def measures(self, counts: list[Tensor]) -> dict[str, float]:
        """Measures of the task; none if all pixels are right, or all wrong."""
        right, wrong = counts[0].cpu()
        if not right.sum() or not wrong.sum():
            return {}
        beaten = right.cumsum(0) - right / 2
        return {"error_auroc": float((wrong * beaten).sum() / (right.sum() * wrong.sum()))}

    def _pair(self, sample: Sample) -> tuple[NDArray[np.uint8], ClassIds]:
        return read_pair(sample, self.table, None)


def _watched(run: Path, config: TrainConfig, table: LabelTable) -> Predictor:
    predictor = Predictor.load(run, "cpu")
    assert predictor.run is not None
    check_labels(predictor.run, table)
    if predictor.size != config.size or predictor.sides != config.sides:
        seen = {"size": predictor.size, "sides": predictor.sides}
        raise CaosError(f"{run} sees pictures with {seen}; so must its observer: give the same --size and --sides")
    return predictor
