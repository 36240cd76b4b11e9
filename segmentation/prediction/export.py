"""A trained segmenter as an ONNX file for other programs."""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from caos.foundation.command_line.extras import install_command, is_installed
from caos.foundation.errors import CaosError
from caos.foundation.storage.files import whole_file
from caos.segmentation.models.networks import Segmenter, upsample
from caos.segmentation.prediction.predict import Predictor
from caos.segmentation.training.config import MASK2FORMER

ONNX_FILE = "model.onnx"


class Deployed(nn.Module):
    """RGB pictures of 0..255 as floats ``(n, 3, h, w)`` in, logits of the same size out (and confidence, if any)."""

    mean: Tensor
    std: Tensor

    def __init__(self, predictor: Predictor, mean: Tensor, std: Tensor) -> None:
        super().__init__()
        self.model: Segmenter = predictor.model
        self.register_buffer("mean", mean * 255)
        self.register_buffer("std", std * 255)

    def forward(self, picture: Tensor) -> Tensor | tuple[Tensor, Tensor]:
        """Logits, and confidence 0..1 ``(n, 1, h, w)`` with a confidence branch."""
        size = (picture.shape[-2], picture.shape[-1])
        outputs = self.model((picture - self.mean) / self.std)
        logits = upsample(outputs.logits, size)
        if outputs.confidence is None:
            return logits
        return logits, torch.sigmoid(upsample(outputs.confidence, size))


class ExportedPyramidBlock(nn.Module):
    """A level of the pyramid whose pooling is two products with constant matrices.

    ONNX has no adaptive pooling for cells of unequal size; for pictures of one size it is a linear map.
    """

    def __init__(self, convolution: nn.Module, cells: int) -> None:
        super().__init__()
        self.convolution, self.cells = convolution, cells

    def forward(self, maps: Tensor) -> Tensor:
        """The level's maps, as large as those given."""
        height, width = int(maps.shape[-2]), int(maps.shape[-1])
        pooled = _pooling(self.cells, height) @ maps @ _pooling(self.cells, width).T
        return functional.interpolate(self.convolution(pooled), (height, width), mode="bilinear", align_corners=True)


def _pooling(cells: int, side: int) -> Tensor:
    """``(cells, side)``: the mean over each cell of adaptive pooling."""
    matrix = torch.zeros(cells, side)
    for cell in range(cells):
        first, end = cell * side // cells, -(-(cell + 1) * side // cells)
        matrix[cell, first:end] = 1 / (end - first)
    return matrix


def _make_exportable(model: nn.Module) -> None:
    from segmentation_models_pytorch.decoders.pspnet.decoder import PSPModule

    for module in list(model.modules()):
        if isinstance(module, PSPModule):
            blocks = [ExportedPyramidBlock(block.pool[1], block.pool_size) for block in module.blocks]
            module.blocks = nn.ModuleList(blocks)


def check_onnx() -> None:
    """Check that the package onnx is installed; torch notices its absence at the end of an export only.

    Raises:
        CaosError: If it is not installed.
    """
    if not is_installed("onnx"):
        raise CaosError(f"ONNX export needs the package onnx, which is not installed: {install_command('onnx')}")


def export_onnx(run: Path, size: tuple[int, int], out: Path | None = None) -> Path:
    """Write a run's best weights as ONNX for pictures of ``size`` (width, height), any number at once.

    Raises:
        CaosError: If the run cannot be used, the size does not suit it, or the onnx package is missing.
    """
    check_onnx()
    predictor = Predictor.load(run, device="cpu")
    if predictor.run is not None and predictor.run.architecture.model == MASK2FORMER:
        raise CaosError(f"{run} is a mask transformer, which cannot be written as ONNX; export it with its own library")
    multiple = predictor.model.multiple
    if size[0] % multiple or size[1] % multiple:
        near = "x".join(str(-(-side // multiple) * multiple) for side in size)
        raise CaosError(f"ONNX size {size[0]}x{size[1]} must be multiples of {multiple}, such as {near}")
    record = predictor.run
    assert record is not None
    mean, std = (torch.tensor(v).reshape(1, 3, 1, 1) for v in (record.normalisation.mean, record.normalisation.std))
    names = ["logits", "confidence"] if predictor.has_confidence else ["logits"]
    _make_exportable(predictor.model)
    buffer = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            Deployed(predictor, mean, std).eval().to(memory_format=torch.contiguous_format),
            (torch.zeros(1, 3, size[1], size[0]),),
            cast("str", buffer),  # a stream is as good as a name here
            input_names=["picture"],
            output_names=names,
            dynamic_axes={name: {0: "n"} for name in ["picture", *names]},
            opset_version=17,
            dynamo=False,
        )
    path = out or run / ONNX_FILE
    with whole_file(path) as temporary:
        temporary.write_bytes(buffer.getvalue())
    return path
