"""Layers of a network that predicts: the same numbers sooner.

Torch gives a convolution with a kernel of one pixel to oneDNN only if it may use several threads; with a single one it
takes a way of its own that needs twice the time and more. Where pictures go through a network side by side, one thread
each, most of their time went there: encoders of the EfficientNet family consist of such layers.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class PixelConvolution(nn.Conv2d):
    """A convolution with a kernel of one pixel: in inference mode by oneDNN, with any number of threads."""

    def forward(self, input: Tensor) -> Tensor:  # noqa: A002 - the name that torch gives it
        """See :class:`torch.nn.Conv2d`."""
        # Elsewhere somebody may learn from what it gives, or write down how it was made.
        if not (torch.is_inference_mode_enabled() and is_for_onednn(input)):
            return super().forward(input)
        padding = (0, 0) if isinstance(self.padding, str) else self.padding  # "same" and "valid" are nothing here
        return torch.mkldnn_convolution(input, self.weight, self.bias, padding, self.stride, self.dilation, self.groups)


def ready_to_predict(model: nn.Module, device: torch.device) -> None:
    """Bring a network to a device, in evaluation mode, its layers those that predict soonest there."""
    model.eval().to(device).to(memory_format=torch.channels_last)
    for layer in model.modules():
        if type(layer) is nn.Conv2d and layer.kernel_size == (1, 1) and layer.padding_mode == "zeros":
            layer.__class__ = PixelConvolution  # weights, hooks and all who hold the layer stay as they are


def is_for_onednn(values: Tensor) -> bool:
    """Whether oneDNN is there and takes such values as they are."""
    return (
        values.device.type == "cpu"
        and values.dtype == torch.float32
        and values.numel() > 0
        and torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]
        and not torch.is_autocast_enabled("cpu")
    )
