"""Pictures to logits and features, once, for any size of picture.

    predictor = Predictor.load(Path("runs/demo"))
    prediction = predictor.predict(pictures, features=True)      # (n, h, w, 3) uint8
    prediction.logits                                            # (n, C, h, w) at the size of the pictures
    predictor.classify(prediction.features, (h, w))              # what follows the features, again

The same pictures give the same numbers: nothing here is random but what a generator asks for.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from foundation.errors import CaosError, unknown
from scenes.labels import LabelTable
from segmentation import models
from segmentation.checkpoint import Run, is_autoencoder, load_weights, read_run
from segmentation.encoders import Normalisation
from segmentation.models import SMALLEST_SIDE, Segmenter, build_model, upsample

PRECISIONS: Final = {"32": torch.float32, "bf16": torch.bfloat16, "16": torch.float16}


@dataclass(frozen=True)
class Prediction:
    """What the network says about n pictures.

    Attributes:
        logits: ``(n, C, h, w)`` float32, at the size of the pictures.
        features: ``(n, D, h', w')``: what enters dropout and classifier, or None when not asked for.
        confidence: ``(n, h, w)`` in 0..1, or None without a confidence branch.
    """

    logits: Tensor
    features: Tensor | None = None
    confidence: Tensor | None = None


class Predictor:
    """A trained segmenter, ready for pictures of any size.

    Args:
        model: The network, on ``device``.
        labels: What its outputs mean.
        normalisation: What its encoder expects.
        size: ``(width, height)`` at which it was trained, or None for pictures as they are.
        tile: ``(width, height)`` of the windows that large pictures are cut into, or None for whole pictures.
        flips: Average over the picture and its mirror image.
    """

    def __init__(
        self,
        model: Segmenter,
        labels: LabelTable,
        normalisation: Normalisation,
        *,
        size: tuple[int, int] | None = None,
        device: torch.device | str = "cpu",
        precision: str = "32",
        tile: tuple[int, int] | None = None,
        flips: bool = False,
    ) -> None:
        if precision not in PRECISIONS:
            raise unknown("precision", precision, PRECISIONS)
        self.model, self.labels, self.size = model, labels, size
        self.device, self.precision, self.tile, self.flips = torch.device(device), precision, tile, flips
        self._mean = _channels(normalisation.mean, self.device)
        self._std = _channels(normalisation.std, self.device)
        self.run: Run | None = None

    @classmethod
    def load(cls, run: Path, device: str = "auto", precision: str = "32", **options: Any) -> Predictor:
        """The predictor of a finished run; ``options`` are those of the class (``tile``, ``flips``).

        Raises:
            CaosError: If the run cannot be used.
        """
        record = read_run(run)
        if is_autoencoder(record):
            raise CaosError(f"{run} is an autoencoder; a segmenter is needed here")
        chosen = choose_device(device)
        model = build_model(record.architecture)
        load_weights(model, record)
        model.eval().to(chosen).to(memory_format=torch.channels_last)
        predictor = cls(
            model, record.labels, record.normalisation, size=record.size, device=chosen, precision=precision, **options
        )
        predictor.run = record
        return predictor

    @property
    def num_classes(self) -> int:
        """Channels of the logits."""
        return self.labels.num_classes

    @property
    def has_confidence(self) -> bool:
        """Whether predictions carry a confidence."""
        return self.model.confidence is not None

    @torch.inference_mode()
    def predict(self, images: NDArray[np.uint8] | Tensor, features: bool = False) -> Prediction:  # noqa: FBT001
        """Logits, and features when asked, for pictures ``(n, h, w, 3)`` of 0..255.

        Raises:
            CaosError: If features are asked for together with tiles, which have no common feature map.
        """
        if features and self.tile is not None:
            raise CaosError("features are made from whole pictures; predict without tiles to get them")
        pictures = as_pictures(images).to(self.device)
        with self._evaluating():
            found = self._tiled(pictures) if self.tile else self._whole(pictures)
            if self.flips:
                found = _averaged(found, self._tiled(pictures.flip(2)) if self.tile else self._whole(pictures.flip(2)))
        return found if features else replace(found, features=None)

    @torch.inference_mode()
    def classify(self, features: Tensor, size: tuple[int, int] | None) -> Tensor:
        """Logits ``(n, C, h, w)`` from features, without dropout.

        Args:
            features: As :meth:`predict` returned them.
            size: ``(height, width)`` of the pictures they came from; None leaves the logits at feature resolution.
        """
        with self._evaluating():
            logits = self.model.classify(features.to(self.device)).float()
        return logits if size is None else self.at_picture_size(logits, size)

    @torch.inference_mode()
    def dropout_passes(self, features: Tensor, number: int, generator: torch.Generator) -> Iterator[Tensor]:
        """Logits ``(n, C, h', w')`` at feature resolution, channels dropped as in training; nothing else runs again."""
        passes = self.model.dropout_passes(features.to(self.device), number, generator)
        for _ in range(number):
            with self._evaluating():
                logits = next(passes).float()
            yield logits

    def _whole(self, pictures: Tensor) -> Prediction:
        size = (pictures.shape[1], pictures.shape[2])
        prepared = self._prepared(pictures)
        outputs = self.model(prepared)
        confidence = None
        if outputs.confidence is not None:
            confidence = torch.sigmoid(self.at_picture_size(outputs.confidence.float(), size))[:, 0]
        return Prediction(self.at_picture_size(outputs.logits.float(), size), outputs.features.float(), confidence)

    def _prepared(self, pictures: Tensor) -> Tensor:
        """Normalised, at the training size, padded at the right and bottom with the border's pixels."""
        signal = (pictures.permute(0, 3, 1, 2).float() / 255 - self._mean) / self._std
        height, width = self._working_size((pictures.shape[1], pictures.shape[2]))
        if signal.shape[-2:] != (height, width):
            signal = functional.interpolate(
                signal, (height, width), mode="bilinear", align_corners=False, antialias=True
            )
        right, bottom = (self._padded(side) - side for side in (width, height))
        padded = functional.pad(signal, (0, right, 0, bottom), mode="replicate") if right or bottom else signal
        return padded.contiguous(memory_format=torch.channels_last)

    def _padded(self, side: int) -> int:
        multiple = self.model.multiple
        return -(-max(side, SMALLEST_SIDE) // multiple) * multiple

    def _working_size(self, size: tuple[int, int]) -> tuple[int, int]:
        return size if self.size is None else (self.size[1], self.size[0])

    def at_picture_size(self, maps: Tensor, size: tuple[int, int]) -> Tensor:
        """Maps at feature resolution, enlarged, without the padding."""
        height, width = self._working_size(size)
        padded = (self._padded(height), self._padded(width))
        enlarged = upsample(maps, padded)[..., :height, :width]
        return upsample(enlarged, size) if (height, width) != size else enlarged.contiguous()

    def _tiled(self, pictures: Tensor) -> Prediction:
        """Windows that overlap by a quarter or more, averaged with weights that fall towards their borders."""
        assert self.tile is not None
        height, width = pictures.shape[1:3]
        tile_w, tile_h = min(self.tile[0], width), min(self.tile[1], height)
        logits = torch.zeros((len(pictures), self.num_classes, height, width), device=self.device)
        confidence = torch.zeros((len(pictures), 1, height, width), device=self.device) if self.has_confidence else None
        total = torch.zeros((height, width), device=self.device)
        weight = _hat(tile_h, self.device)[:, None] * _hat(tile_w, self.device)[None]
        for top in _starts(height, tile_h):
            for left in _starts(width, tile_w):
                place = np.s_[..., top : top + tile_h, left : left + tile_w]
                part = self._whole(pictures[:, top : top + tile_h, left : left + tile_w])
                logits[place] += part.logits * weight
                total[place] += weight
                if confidence is not None and part.confidence is not None:
                    confidence[place] += part.confidence[:, None] * weight
        return Prediction(logits / total, None, None if confidence is None else (confidence / total)[:, 0])

    @contextlib.contextmanager
    def _evaluating(self) -> Iterator[None]:
        """Evaluation mode and the wanted precision; the mode is put back afterwards."""
        was_training = self.model.training
        self.model.eval()
        kind = PRECISIONS[self.precision]
        try:
            with torch.autocast(self.device.type, dtype=kind, enabled=kind is not torch.float32):
                yield
        finally:
            self.model.train(was_training)


class Autoencoder:
    """A trained autoencoder, ready for pictures of any size."""

    def __init__(self, model: models.Autoencoder, device: torch.device | str = "cpu") -> None:
        self.model, self.device = model, torch.device(device)

    @classmethod
    def load(cls, run: Path, device: str = "auto") -> Autoencoder:
        """The autoencoder of a finished run.

        Raises:
            CaosError: If the run cannot be used.
        """
        record = read_run(run)
        if not is_autoencoder(record):
            raise CaosError(f"{run} is a {record.architecture.model}; an autoencoder is needed (--model autoencoder)")
        model = models.Autoencoder(record.architecture.head_channels)
        load_weights(model, record)
        chosen = choose_device(device)
        return cls(model.eval().to(chosen).to(memory_format=torch.channels_last), chosen)

    @torch.inference_mode()
    def reconstruct(self, images: NDArray[np.uint8] | Tensor) -> Tensor:
        """Reconstructions ``(n, h, w, 3)``, floats 0..1, of pictures ``(n, h, w, 3)`` of 0..255."""
        signal = as_pictures(images).to(self.device).permute(0, 3, 1, 2).float() / 255
        height, width = signal.shape[-2:]
        right, bottom = (-width % self.model.multiple, -height % self.model.multiple)
        padded = functional.pad(signal, (0, right, 0, bottom), mode="replicate")
        painted: Tensor = self.model(padded.contiguous(memory_format=torch.channels_last))
        return painted[..., :height, :width].permute(0, 2, 3, 1).contiguous()


def choose_device(name: str) -> torch.device:
    """The device of that name; ``auto`` takes the first GPU, or the CPU where there is none.

    Raises:
        CaosError: If the device does not exist here.
    """
    if name == "auto":
        if torch.cuda.is_available():
            return torch.device("cuda")
        return torch.device("mps" if torch.backends.mps.is_available() else "cpu")
    try:
        device = torch.device(name)
    except RuntimeError as error:
        raise CaosError(f"device {name!r} is not one of auto, cpu, cuda, cuda:1, mps") from error
    if (device.type == "cuda" and not torch.cuda.is_available()) or (
        device.type == "mps" and not torch.backends.mps.is_available()
    ):
        raise CaosError(f"device {name!r} is not available on this machine; use --device cpu")
    return device


def as_pictures(images: NDArray[np.uint8] | Tensor) -> Tensor:
    """A uint8 tensor ``(n, h, w, 3)``.

    Raises:
        CaosError: If the array has another shape or type.
    """
    if isinstance(images, np.ndarray):
        images = torch.from_numpy(np.require(images, requirements=("C", "W")))
    if images.ndim != 4 or images.shape[-1] != 3 or images.dtype != torch.uint8:
        raise CaosError(f"pictures must be uint8 (n, h, w, 3), not {images.dtype} {tuple(images.shape)}")
    return images


def _channels(values: tuple[float, ...], device: torch.device) -> Tensor:
    return torch.tensor(values, dtype=torch.float32, device=device).reshape(1, -1, 1, 1)


def _averaged(straight: Prediction, mirrored: Prediction) -> Prediction:
    """The mean of a prediction and of the mirror image's, mirrored back; the features stay those of the picture."""
    logits = (straight.logits + mirrored.logits.flip(-1)) / 2
    if straight.confidence is None or mirrored.confidence is None:
        return replace(straight, logits=logits)
    return replace(straight, logits=logits, confidence=(straight.confidence + mirrored.confidence.flip(-1)) / 2)


def _starts(side: int, tile: int) -> list[int]:
    steps = max(-(-(side - tile) // max(tile * 3 // 4, 1)), 0)
    return sorted({round(i * (side - tile) / steps) for i in range(steps + 1)}) if steps else [0]


def _hat(count: int, device: torch.device) -> Tensor:
    ramp = torch.arange(count, device=device, dtype=torch.float32)
    return torch.minimum(ramp + 1, count - ramp)
