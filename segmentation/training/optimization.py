"""The optimiser and how its learning rate moves."""

from __future__ import annotations

import math
from typing import Any, Final

import torch
from torch import nn

from caos.segmentation.training.config import TrainConfig
from caos.segmentation.training.tasks import AnyTask, AutoencoderTask

WARM_UP: Final = 0.15
"""Share of a one-cycle schedule in which the rate rises."""


def make_optimizer(task: AnyTask, config: TrainConfig) -> torch.optim.Optimizer:
    """The optimiser, with the encoder's own rate, and no decay on norms and biases under AdamW."""
    encoder = set() if isinstance(task, AutoencoderTask) else {id(p) for p in task.model.encoder.parameters()}
    groups: dict[tuple[float, float], list[nn.Parameter]] = {}
    for parameter in task.parameters():
        if parameter.requires_grad:
            scale = config.encoder_lr if id(parameter) in encoder else 1.0
            decays = config.optimizer == "sgd" or parameter.ndim > 1
            groups.setdefault((scale, config.weight_decay if decays else 0.0), []).append(parameter)
    settings = [
        {"params": members, "lr": config.lr * scale, "lr_scale": scale, "weight_decay": decay}
        for (scale, decay), members in groups.items()
    ]
    if config.optimizer == "adamw":
        return torch.optim.AdamW(settings)
    return torch.optim.SGD(settings, momentum=config.momentum)


def rate_factor(config: TrainConfig, share: float) -> float:
    """What the learning rate is multiplied with when ``share`` of the run is done."""
    if config.schedule == "constant":
        return 1.0
    if config.schedule == "poly":
        return float((1 - min(share, 1.0)) ** 0.9)
    if share < WARM_UP:
        return 0.05 + 0.95 * share / WARM_UP
    return 0.5 * (1 + math.cos(math.pi * (min(share, 1.0) - WARM_UP) / (1 - WARM_UP)))


def set_rate(optimizer: Any, config: TrainConfig, share: float) -> None:
    """Give every group of parameters its rate when ``share`` of the run is done."""
    for group in optimizer.param_groups:
        group["lr"] = config.lr * group["lr_scale"] * rate_factor(config, share)
