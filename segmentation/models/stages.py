"""Stages of an encoder, listened to while a network works, joined into one feature map.

What a network learns for its classes it learns at the cost of everything else: features just before the classifier keep
what tells a road from a house and forget what tells a sofa from both. The stages of a pretrained encoder still know.
"""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Any, Final

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.hooks import RemovableHandle

FINEST_STAGE: Final = 2
"""The first stage that counts: a quarter of the picture; before it are the picture itself and edges."""
MOST_CHANNELS: Final = 1024
"""Stages are joined from the deepest on while they have no more channels than this together."""


class StageListener:
    """Keeps what the encoder of ``model`` made last, inside a ``with`` block; nothing where there is no model.

    What it makes in another thread meanwhile is not heard.
    """

    def __init__(self, model: nn.Module | None) -> None:
        self._model, self._thread = model, threading.get_ident()
        self._handle: RemovableHandle | None = None
        self._stages: list[Tensor] = []

    def __enter__(self) -> StageListener:
        encoder = None if self._model is None else getattr(self._model, "encoder", None)
        if isinstance(encoder, nn.Module):
            self._handle = encoder.register_forward_hook(self._hear)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._handle is not None:
            self._handle.remove()
        self._stages = []

    def _hear(self, _: nn.Module, __: Any, stages: Any) -> None:
        if threading.get_ident() == self._thread:
            self._stages = list(stages)

    def joined(self, like: Tensor) -> Tensor | None:
        """The stages side by side ``(n, E, h', w')`` at the resolution of ``like``; None where nothing was heard."""
        chosen = _deepest(self._stages[FINEST_STAGE:])
        return torch.cat([_resized(stage.float(), like) for stage in chosen], dim=1) if chosen else None


def _deepest(stages: list[Tensor]) -> list[Tensor]:
    """The deepest stages that have few enough channels together, at least one."""
    chosen: list[Tensor] = []
    total = 0
    for stage in reversed(stages):
        total += stage.shape[1]
        if chosen and total > MOST_CHANNELS:
            break
        chosen.append(stage)
    return chosen


def _resized(stage: Tensor, like: Tensor) -> Tensor:
    size, is_finer = (like.shape[-2], like.shape[-1]), stage.shape[-1] > like.shape[-1]
    if tuple(stage.shape[-2:]) == size:
        return stage
    return functional.interpolate(stage, size, mode="bilinear", align_corners=False, antialias=is_finer)
