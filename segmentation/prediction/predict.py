"""Pictures to logits and features, once, for any size of picture.

    predictor = Predictor.load(Path("runs/demo"))
    prediction = predictor.predict(pictures, features=True)      # (n, h, w, 3) uint8
    prediction.logits                                            # (n, C, h, w) at the size of the pictures
    predictor.classify(prediction.features, (h, w))              # what follows the features, again

The same pictures give the same numbers: nothing here is random but what a generator asks for.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from caos.foundation.errors import CaosError, unknown
from caos.scenes.labels import LabelTable
from caos.segmentation.augmentation.geometry import size_with_side
from caos.segmentation.augmentation.painters import PainterNetwork
from caos.segmentation.models import networks as models
from caos.segmentation.models.encoders import Normalisation
from caos.segmentation.models.networks import (
    SMALLEST_SIDE,
    AutoencoderNetwork,
    Segmenter,
    SegmenterOutputs,
    build_model,
    upsample,
    widened,
)
from caos.segmentation.models.queries import Queries
from caos.segmentation.models.stages import StageListener
from caos.segmentation.prediction.checkpoint import Run, load_weights, read_run
from caos.segmentation.training.config import AUTOENCODER, OBSERVER, PAINTERS, WHOLE_IMAGES, DropoutPlace
from caos.segmentation.training.devices import choose_device

SMALLEST_SCALE, LARGEST_SCALE = 0.05, 8.0
PRECISIONS: Final = {"32": torch.float32, "bf16": torch.bfloat16, "16": torch.float16}


@dataclass(frozen=True)
class Prediction:
    """What the network says about n pictures.

    Attributes:
        logits: ``(n, C, h, w)`` float32, at the size of the pictures.
        features: ``(n, D, h', w')``: what enters dropout and classifier, or None when not asked for.
        encoder_features: ``(n, E, h', w')``: what the encoder made, before anything learnt our classes; or None.
        confidence: ``(n, h, w)`` in 0..1, or None without a confidence branch.
        outlier_logits: ``(n, 2, h, w)``, ordinary and outlier, of a run with the head of ``dense_hybrid``, or None.
        void_probability: ``(n, h, w)`` in 0..1, of a run with the further class of ``void_class``, or None.
        queries: Of a mask transformer, one a picture, at the last scale and not mirrored; None for other networks, and
            for tiles, which have no common queries.
    """

    logits: Tensor
    features: Tensor | None = None
    confidence: Tensor | None = None
    outlier_logits: Tensor | None = None
    void_probability: Tensor | None = None
    queries: tuple[Queries, ...] | None = None
    encoder_features: Tensor | None = None


Maps = dict[str, Tensor]
"""Maps ``(n, c, h, w)`` at the size of the pictures, by the names of :class:`Prediction`."""


@dataclass(frozen=True)
class _Seen:
    """One look at the pictures: maps that may be averaged with other looks', and what may not."""

    maps: Maps
    features: Tensor | None = None
    queries: tuple[Queries, ...] | None = None
    encoder_features: Tensor | None = None


class Predictor:
    """A trained segmenter, ready for pictures of any size.

    Args:
        model: The network, on ``device``.
        labels: What its outputs mean.
        normalisation: What its encoder expects.
        size: ``(width, height)`` at which it was trained, or None for pictures as they are.
        tile: ``(width, height)`` of the windows that large pictures are cut into, or None for whole pictures.
        flips: Average over the picture and its mirror image.
        scales: Average over the picture at these factors of its size; empty for its own size only.
        sides: The same, with shorter sides in pixels; ``scales`` win over them.
        longest_side: What the longer side is at most with ``sides``.
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
        scales: Sequence[float] = (),
        sides: Sequence[int] = (),
        longest_side: int = 1000,
    ) -> None:
        if precision not in PRECISIONS:
            raise unknown("precision", precision, PRECISIONS)
        if not all(SMALLEST_SCALE <= scale <= LARGEST_SCALE for scale in scales):
            raise CaosError(f"scales are {tuple(scales)}; each must be from {SMALLEST_SCALE} to {LARGEST_SCALE}")
        self.scales, self.sides, self.longest_side = tuple(scales), tuple(sides), longest_side
        self.model, self.labels, self.size = model, labels, size
        self.device, self.precision, self.tile, self.flips = torch.device(device), precision, tile, flips
        self._mean = _channels(normalisation.mean, self.device)
        self._std = _channels(normalisation.std, self.device)
        self.run: Run | None = None

    @classmethod
    def load(cls, run: Path, device: str = "auto", precision: str = "32", **options: Any) -> Predictor:
        """The predictor of a finished run; ``options`` are those of the class (``tile``, ``flips``, ``scales``).

        Raises:
            CaosError: If the run cannot be used.
        """
        record = read_run(run)
        if record.architecture.model in (*PAINTERS, *WHOLE_IMAGES, OBSERVER):
            raise CaosError(f"{run} is a run of model {record.architecture.model!r}; a segmenter is needed here")
        chosen = choose_device(device)
        model = build_model(record.architecture)
        load_weights(model, record)
        model.eval().to(chosen).to(memory_format=torch.channels_last)
        trained = {"size": record.size, "sides": record.sides, "longest_side": record.longest_side}
        settings = {**trained, "device": chosen, "precision": precision, **options}
        settings["scales"] = options.get("scales") or record.scales
        predictor = cls(model, record.labels, record.normalisation, **settings)
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
    def predict(
        self, images: NDArray[np.uint8] | Tensor, *, features: bool = False, encoder_features: bool = False
    ) -> Prediction:
        """Logits, and features of either kind when asked, for pictures ``(n, h, w, 3)`` of 0..255.

        Raises:
            CaosError: If features are asked for together with tiles, which have no common feature map.
        """
        if (features or encoder_features) and self.tile is not None:
            raise CaosError("features are made from whole pictures; predict without tiles to get them")
        pictures = as_pictures(images).to(self.device)
        with self._evaluating(), StageListener(self.model if encoder_features else None) as stages:
            seen = self._averaged(pictures, stages)
        maps = seen.maps
        return Prediction(
            logits=maps["logits"],
            features=seen.features if features else None,
            confidence=_single(maps.get("confidence")),
            outlier_logits=maps.get("outlier_logits"),
            void_probability=_single(maps.get("void_probability")),
            queries=seen.queries,
            encoder_features=seen.encoder_features,
        )

    def _averaged(self, pictures: Tensor, stages: StageListener) -> _Seen:
        """The mean over all scales and flips, and features and queries of the last scale, unflipped."""
        total: Maps = {}
        look = _Seen(total)
        number = len(self.scales or self.sides) or 1
        for scale in range(number):
            look = self._seen(pictures, scale, stages)
            _add(total, look.maps)
            if self.flips:
                mirrored = self._seen(pictures.flip(2), scale, stages).maps
                _add(total, {name: values.flip(-1) for name, values in mirrored.items()})
        count = number * (2 if self.flips else 1)
        mean = {name: values / count for name, values in total.items()} if count > 1 else total
        return _Seen(mean, look.features, look.queries, look.encoder_features)

    def _seen(self, pictures: Tensor, scale: int, stages: StageListener) -> _Seen:
        if self.tile:
            return _Seen(self._tiled(pictures, scale, stages))
        return self._whole(pictures, scale, stages)

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
    def dropout_passes(
        self,
        features: Tensor,
        number: int,
        generator: torch.Generator,
        rate: float | None = None,
        place: DropoutPlace = "channels",
    ) -> Iterator[Tensor]:
        """Logits ``(n, C, h', w')`` at feature resolution, dropout on; nothing else runs again.

        Args:
            features: As :meth:`predict` returned them.
            number: Of passes.
            generator: Draws what is dropped.
            rate: Share that is dropped; None for that of the training.
            place: Drop whole channels, as in training, or single values.
        """
        passes = self.model.dropout_passes(features.to(self.device), number, generator, rate, place)
        for _ in range(number):
            with self._evaluating():
                logits = next(passes).float()
            yield logits

    def _whole(self, pictures: Tensor, scale: int, stages: StageListener) -> _Seen:
        """Whole pictures at one of the scales."""
        size = (pictures.shape[1], pictures.shape[2])
        working = self._working_sizes(size)[scale]
        outputs = self.model(self._prepared(pictures, working))

        def enlarged(maps: Tensor) -> Tensor:
            return self._enlarged(maps.float(), working, size)

        if queries := self._queries(outputs, working, size):
            semantic = torch.stack([one.semantic for one in queries])
            return _Seen({"logits": semantic}, outputs.features.float(), queries, stages.joined(outputs.features))
        maps = {"logits": enlarged(outputs.logits)}
        if outputs.confidence is not None:
            maps["confidence"] = torch.sigmoid(enlarged(outputs.confidence))
        if outputs.extra is not None and outputs.extra.shape[1] == 2:
            maps["outlier_logits"] = enlarged(outputs.extra)
        elif outputs.extra is not None:
            rest = maps["logits"].logsumexp(1, keepdim=True)
            maps["void_probability"] = torch.sigmoid(enlarged(outputs.extra) - rest)
        return _Seen(maps, outputs.features.float(), encoder_features=stages.joined(outputs.features))

    def _queries(
        self, outputs: SegmenterOutputs, working: tuple[int, int], size: tuple[int, int]
    ) -> tuple[Queries, ...]:
        """Those of a mask transformer, whose masks are enlarged before they are squashed; none of another network."""
        if outputs.class_logits is None or outputs.mask_logits is None:
            return ()

        def enlarged(logits: Tensor) -> Tensor:
            return self._enlarged(logits[None], working, size)[0]

        pairs = zip(outputs.class_logits.float(), outputs.mask_logits.float(), strict=True)
        return tuple(Queries(classes, masks, outputs.logits.shape[1], enlarged) for classes, masks in pairs)

    def network_input(self, pictures: Tensor) -> Tensor:
        """What the network is given of pictures ``(n, h, w, 3)`` at the scale of the features of :meth:`predict`."""
        return self._prepared(pictures, self._working_sizes((pictures.shape[1], pictures.shape[2]))[-1])

    def _prepared(self, pictures: Tensor, working: tuple[int, int]) -> Tensor:
        """Normalised, at the working size, widened at the right and bottom to what the network can take."""
        signal = (pictures.permute(0, 3, 1, 2).float() / 255 - self._mean) / self._std
        height, width = working
        if signal.shape[-2:] != (height, width):
            signal = functional.interpolate(
                signal, (height, width), mode="bilinear", align_corners=False, antialias=True
            )
        return widened(signal, (self._padded(height), self._padded(width)))

    def _padded(self, side: int) -> int:
        multiple = self.model.multiple
        return -(-max(side, SMALLEST_SIDE) // multiple) * multiple

    def _working_sizes(self, size: tuple[int, int]) -> list[tuple[int, int]]:
        """``(height, width)`` that pictures of ``size`` are brought to, one after the other, the largest last."""
        height, width = size if self.size is None else (self.size[1], self.size[0])
        if self.scales:
            return [(max(round(height * s), 1), max(round(width * s), 1)) for s in sorted(self.scales)]
        sizes = [size_with_side((width, height), side, self.longest_side) for side in sorted(self.sides)]
        return [(h, w) for w, h in sizes] or [(height, width)]

    def at_picture_size(self, maps: Tensor, size: tuple[int, int]) -> Tensor:
        """Maps at the resolution of the features that :meth:`predict` returns, enlarged, without the padding."""
        return self._enlarged(maps, self._working_sizes(size)[-1], size)

    def _enlarged(self, maps: Tensor, working: tuple[int, int], size: tuple[int, int]) -> Tensor:
        height, width = working
        padded = (self._padded(height), self._padded(width))
        enlarged = upsample(maps, padded)[..., :height, :width]
        return upsample(enlarged, size) if (height, width) != size else enlarged.contiguous()

    def _tiled(self, pictures: Tensor, scale: int, stages: StageListener) -> Maps:
        """Windows that overlap by a quarter or more, averaged with weights that fall towards their borders."""
        assert self.tile is not None
        height, width = pictures.shape[1:3]
        tile_w, tile_h = min(self.tile[0], width), min(self.tile[1], height)
        maps: Maps = {}
        total = torch.zeros((height, width), device=self.device)
        weight = _hat(tile_h, self.device)[:, None] * _hat(tile_w, self.device)[None]
        for top in _starts(height, tile_h):
            for left in _starts(width, tile_w):
                place = np.s_[..., top : top + tile_h, left : left + tile_w]
                part = self._whole(pictures[:, top : top + tile_h, left : left + tile_w], scale, stages).maps
                total[place] += weight
                for name, values in part.items():
                    whole = maps.setdefault(name, values.new_zeros((*values.shape[:2], height, width)))
                    whole[place] += values * weight
        return {name: values / total for name, values in maps.items()}

    @contextlib.contextmanager
    def _evaluating(self) -> Iterator[None]:
        """Evaluation mode and the wanted precision; the mode is put back afterwards."""
        was_training = self.model.training
        # To set the mode takes a walk over all parts of the network, and MC-Dropout asks ten times a picture.
        if was_training:
            self.model.eval()
        kind = PRECISIONS[self.precision]
        try:
            with torch.autocast(self.device.type, dtype=kind, enabled=kind is not torch.float32):
                yield
        finally:
            if was_training:
                self.model.train()


class Autoencoder:
    """A trained autoencoder, or another network from picture to picture, ready for pictures of any size."""

    def __init__(self, model: AutoencoderNetwork | PainterNetwork, device: torch.device | str = "cpu") -> None:
        self.model, self.device = model, torch.device(device)

    @classmethod
    def load(cls, run: Path, device: str = "auto") -> Autoencoder:
        """The autoencoder of a finished run.

        Raises:
            CaosError: If the run cannot be used.
        """
        record = read_run(run)
        if record.architecture.model != AUTOENCODER:
            raise CaosError(
                f"{run} is a run of model {record.architecture.model!r}; an autoencoder is needed (--model autoencoder)"
            )
        model = AutoencoderNetwork(record.architecture.head_channels)
        load_weights(model, record)
        chosen = choose_device(device)
        model.eval().to(chosen).to(memory_format=torch.channels_last)
        return cls(model, chosen)

    @torch.inference_mode()
    def reconstruct(self, images: NDArray[np.uint8] | Tensor) -> Tensor:
        """Reconstructions ``(n, h, w, 3)``, floats 0..1, of pictures ``(n, h, w, 3)`` of 0..255."""
        signal = as_pictures(images).to(self.device).permute(0, 3, 1, 2).float() / 255
        height, width = signal.shape[-2:]
        painted: Tensor = self.model(models.padded(signal, self.model.multiple))
        return painted[..., :height, :width].permute(0, 2, 3, 1).contiguous()


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


def _single(maps: Tensor | None) -> Tensor | None:
    return None if maps is None else maps[:, 0]


def _add(total: Maps, found: Maps) -> None:
    for name, values in found.items():
        total[name] = total[name] + values if name in total else values


def _starts(side: int, tile: int) -> list[int]:
    steps = max(-(-(side - tile) // max(tile * 3 // 4, 1)), 0)
    return sorted({round(i * (side - tile) / steps) for i in range(steps + 1)}) if steps else [0]


def _hat(count: int, device: torch.device) -> Tensor:
    ramp = torch.arange(count, device=device, dtype=torch.float32)
    return torch.minimum(ramp + 1, count - ramp)
