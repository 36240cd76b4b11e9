"""Observer network: a second network that watches a segmenter, and learns where it errs.

Besnier et al., Triggering Failures: Out-Of-Distribution detection by learning from local adversarial attacks in
Semantic Segmentation, ICCV 2021 (ObsNet). The observer has the segmenter's shape and begins with its weights; it sees
the picture, and the segmenter's features and logits. The segmenter is never changed. As it seldom errs on what it
learnt, pictures are attacked in a random region: each value is moved by a step to where the cross entropy grows.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from caos.foundation.errors import CaosError
from caos.segmentation.models.networks import Architecture, Segmenter, build_model
from caos.segmentation.prediction.checkpoint import RunRecord, load_weights, read_run
from caos.segmentation.prediction.predict import Predictor, as_pictures
from caos.segmentation.training.config import OBSERVER
from caos.segmentation.training.ordinary_losses import cross_entropy

HEAD_CHANNELS: Final = 64
ERROR_WEIGHT: Final = 3.0
"""What a pixel where the segmenter errs counts, for they are few; the authors' value for StreetHazards."""
REGION_ELLIPSES: Final = 8
REGION_SIDE: Final = (0.25, 0.6)
"""Of the picture's sides: the window that an attacked region lies in."""


class ObserverNetwork(nn.Module):
    """A body of the watched network's shape, and a head on its features, the watched features and logits."""

    def __init__(self, architecture: Architecture) -> None:
        super().__init__()
        shape = segmenter_of(architecture)
        model = build_model(shape)
        self.body, self.multiple = model.body, model.multiple
        with torch.no_grad():
            features = model.eval()(torch.zeros(1, 3, model.multiple * 2, model.multiple * 2)).features
        inputs = 2 * features.shape[1] + architecture.num_classes
        self.head = nn.Sequential(
            nn.Conv2d(inputs, HEAD_CHANNELS, 3, padding=1, bias=False),
            nn.BatchNorm2d(HEAD_CHANNELS),
            nn.ReLU(inplace=True),
            nn.Conv2d(HEAD_CHANNELS, 1, 1),
        )

    @property
    def encoder(self) -> nn.Module:
        """The part that has the watched network's encoder's shape."""
        inner = self.body.encoder
        assert isinstance(inner, nn.Module)
        return inner

    def forward(self, pictures: Tensor, features: Tensor, logits: Tensor) -> Tensor:
        """How surely the segmenter errs, before the sigmoid, ``(n, 1, h', w')`` at the resolution of its features.

        Args:
            pictures: Normalised ``(n, 3, h, w)``.
            features: Of the segmenter for these pictures ``(n, D, h', w')``.
            logits: The same ``(n, C, h', w')``.
        """
        own, _ = self.body(pictures)
        seen: Tensor = self.head(torch.cat([own, features, torch.softmax(logits, 1)], 1))
        return seen


def observer_of(watched: Architecture) -> Architecture:
    """The architecture of an observer of a segmenter."""
    return replace(watched, model=OBSERVER, observes=watched.model)


def segmenter_of(observer: Architecture) -> Architecture:
    """The plain segmenter whose shape an observer has."""
    return replace(
        observer,
        model=observer.observes,
        observes="",
        confidence_branch=False,
        auxiliary=False,
        negative_head="none",
    )


def attack(segmenter: Segmenter, pictures: Tensor, targets: Tensor, region: Tensor, step: float) -> Tensor:
    """Pictures whose values inside a region are moved to where the segmenter's cross entropy grows.

    ``x + step * sign(d CE(segmenter(x), targets) / dx) * region``, Goodfellow's fast gradient sign, locally.

    Args:
        segmenter: In evaluation mode; its parameters get no gradient.
        pictures: Normalised ``(n, 3, h, w)``.
        targets: Class ids ``(n, h'', w'')``, void where nothing is known; logits are enlarged to their size.
        region: ``(n, 1, h, w)``, 1 inside.
        step: In normalised units.
    """
    given = pictures.detach().clone().requires_grad_()
    with torch.enable_grad():
        logits = functional.interpolate(
            segmenter(given).logits.float(), targets.shape[-2:], mode="bilinear", align_corners=False
        )
        (gradient,) = torch.autograd.grad(cross_entropy(logits, targets), given)
    return (pictures + step * gradient.sign() * region).detach()


def random_regions(count: int, height: int, width: int, device: torch.device) -> Tensor:
    """Masks ``(count, 1, height, width)`` of 0 and 1: heaps of random ellipses, each inside a window of its own.

    All chance is torch's own, so that it follows the seed of the training step.
    """
    drawn = torch.rand(count, REGION_ELLIPSES + 1, 4)
    low, high = REGION_SIDE
    sides = low + (high - low) * drawn[:, :1, :2]
    corners = drawn[:, :1, 2:] * (1 - sides)
    centres = corners + sides * drawn[:, 1:, :2]
    radii = sides * (0.1 + 0.3 * drawn[:, 1:, 2:])
    y = ((torch.arange(height) + 0.5) / height).reshape(1, 1, -1, 1)
    x = ((torch.arange(width) + 0.5) / width).reshape(1, 1, 1, -1)
    away = ((y - centres[..., 0, None, None]) / radii[..., 0, None, None]) ** 2 + (
        (x - centres[..., 1, None, None]) / radii[..., 1, None, None]
    ) ** 2
    return (away <= 1).any(1, keepdim=True).float().to(device)


def error_loss(seen: Tensor, wrong: Tensor, counted: Tensor) -> Tensor:
    """Mean binary cross entropy over the counted pixels, errors weighted.

    Args:
        seen: The observer's logits ``(n, h, w)``.
        wrong: Where the segmenter errs ``(n, h, w)``.
        counted: Where the truth is known ``(n, h, w)``.
    """
    weight = torch.tensor(ERROR_WEIGHT, device=seen.device)
    each = functional.binary_cross_entropy_with_logits(seen, wrong.float(), pos_weight=weight, reduction="none")
    return (each * counted).sum() / counted.sum().clamp(min=1)


def _weights_of(record: RunRecord) -> set[str]:
    """SHA-256 of a run's weights, and of those they were rounded from: an observer of either serves."""
    return {record.results.weights_sha256, record.packed_from} - {""}


class Observer:
    """A trained observer, beside the predictor that it watches."""

    def __init__(self, model: ObserverNetwork, predictor: Predictor) -> None:
        self.model, self.predictor = model, predictor

    @classmethod
    def load(cls, run: Path, predictor: Predictor) -> Observer:
        """The observer of a finished run.

        Raises:
            CaosError: If the run is no observer, or was trained to watch other weights than the predictor's.
        """
        record = read_run(run)
        if record.architecture.model != OBSERVER:
            raise CaosError(
                f"{run} is a run of model {record.architecture.model!r}; an observer is needed (--model {OBSERVER})"
            )
        watched = set() if predictor.run is None else _weights_of(predictor.run.record)
        learnt = (record.record.identity.get("weights") or {}).get("watches")
        if watched and learnt and learnt not in watched:
            raise CaosError(f"{run} watches another network than this run; train it again with --watches")
        model = ObserverNetwork(record.architecture)
        load_weights(model, record)
        model.eval().to(predictor.device).to(memory_format=torch.channels_last)
        return cls(model, predictor)

    @torch.inference_mode()
    def observe(self, images: NDArray[np.uint8] | Tensor) -> Tensor:
        """How probable it is that the segmenter errs, ``(n, h, w)`` in 0..1, for pictures ``(n, h, w, 3)``."""
        pictures = as_pictures(images).to(self.predictor.device)
        signal = self.predictor.network_input(pictures)
        outputs = self.predictor.model(signal)
        seen = self.model(signal, outputs.features, outputs.logits).float()
        enlarged = self.predictor.at_picture_size(seen, (pictures.shape[1], pictures.shape[2]))
        return torch.sigmoid(enlarged)[:, 0]
