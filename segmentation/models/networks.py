"""The networks: PSPNet with dropout, a confidence branch and an auxiliary head; the autoencoder.

``pspnet`` is the network of Zhao et al. 2017 (Pyramid Scene Parsing Network): all stages of the encoder, dilated to an
output stride of 8, under a pyramid pooling head. ``pspnet-light`` is the network that segmentation-models-pytorch calls
PSPNet: the encoder stops after its second stage, which is some eight times cheaper and clearly weaker. ``hypercolumn``
reads every stage of an encoder that may stay frozen (see :mod:`caos.segmentation.models.hypercolumn`).
``mask2former`` is a mask transformer (see :mod:`caos.segmentation.models.mask_transformer`). Every other architecture
of that library goes by its name there.

The confidence branch is DeVries and Taylor 2018 (Learning Confidence for Out-of-Distribution Detection), per pixel. The
autoencoder is the four-level U-Net with a spatial latent code of the CAOS paper (after Baur et al. 2019), without the
skip connections, which would copy a hazard straight into its reconstruction.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Final, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from caos.foundation.errors import CaosError, first_line, unknown
from caos.foundation.settings import Limits
from caos.segmentation.models.encoders import check_encoder
from caos.segmentation.models.hypercolumn import HypercolumnBody, StagesHead
from caos.segmentation.models.stages import FINEST_STAGE
from caos.segmentation.training.config import MASK2FORMER, OBSERVER, PAINTERS, WHOLE_IMAGES, DropoutPlace, TrainConfig
from caos.segmentation.training.negatives import OF_QUERIES, Head, make_loss

OWN_MODELS: Final = ("pspnet", "pspnet-light", "hypercolumn", MASK2FORMER, *PAINTERS, *WHOLE_IMAGES, OBSERVER)
AUTOENCODER_WIDTH: Final = 16
SMALLEST_SIDE: Final = 32
_HEAD_CHANNELS: Final[dict[Head, int]] = {"none": 0, "void": 1, "outlier": 2, "queries": 0, "outlier class": 0}


@dataclass(frozen=True)
class Architecture:
    """Everything that decides the names and shapes of a network's weights."""

    model: str
    encoder: str
    num_classes: Annotated[int, Limits(1, 255)]
    encoder_depth: Annotated[int, Limits(1, 5)] = 5
    output_stride: Annotated[int, Limits(1, 64)] = 8
    head_channels: Annotated[int, Limits(1, 65_536)] = 512
    dropout: Annotated[float, Limits(0, 0.99)] = 0.1
    confidence_branch: bool = False
    auxiliary: bool = True
    negative_head: Head = "none"
    """What a loss with negatives trains beside the classifier."""
    negative_channels: Annotated[int, Limits(0, 65_536)] = 0
    """Of features of its own for that head, from all stages; 0: it reads what the classifier reads."""
    queries: Annotated[int, Limits(1, 10_000)] = 100
    decoder_layers: Annotated[int, Limits(1, 100)] = 6
    observes: str = ""
    """The model that an observer watches, and whose shape it has."""
    answers: tuple[str, ...] = ()
    """What the outputs of a classifier of whole pictures are called."""

    @classmethod
    def of(cls, config: TrainConfig, num_classes: int) -> Architecture:
        """The architecture that a configuration asks for.

        Raises:
            CaosError: If the loss with negatives is not one for this model.
        """
        head: Head = "none" if config.negatives is None else make_loss(config.negatives).needs
        is_mask = config.model == MASK2FORMER
        if head != "none" and is_mask != (head in OF_QUERIES):
            kind = "a mask transformer (--model mask2former)" if head in OF_QUERIES else "a network with a classifier"
            raise CaosError(f"loss with negatives {config.negatives!r} is for {kind}, not for model {config.model!r}")
        return cls(
            model=config.model,
            encoder=config.encoder,
            num_classes=num_classes,
            encoder_depth=config.encoder_depth,
            output_stride=config.output_stride,
            head_channels=config.head_channels,
            dropout=config.dropout,
            confidence_branch=config.confidence_branch,
            auxiliary=config.model == "pspnet" and config.auxiliary_weight > 0,
            negative_head=head,
            negative_channels=config.negative_channels if config.model == "hypercolumn" and _HEAD_CHANNELS[head] else 0,
            queries=config.queries,
            decoder_layers=config.decoder_layers,
        )


class SegmenterOutputs(NamedTuple):
    """What a segmenter says, at the resolution of its features; class and confidence scores before their squashing."""

    logits: Tensor
    confidence: Tensor | None
    auxiliary: Tensor | None
    features: Tensor
    extra: Tensor | None = None
    """What the head for negatives says: one channel (void) or two (ordinary, outlier)."""
    class_logits: Tensor | None = None
    """Of a mask transformer's queries, ``(n, Q, K + 1)``, "no object" last; before it perhaps the class of outliers."""
    mask_logits: Tensor | None = None
    """Of the same queries, ``(n, Q, h', w')``."""


class Segmenter(nn.Module):
    """A body that makes features, then dropout, then a classifier; perhaps a confidence branch, a head for negatives.

    Attributes:
        body: Pictures to ``(features, what the auxiliary head or one that reads stages is given, or None)``.
        feature_stride: Input pixels for one feature.
        multiple: Both sides of an input must be multiples of this.
    """

    def __init__(self, body: nn.Module, classifier: nn.Module, channels: int, architecture: Architecture) -> None:
        super().__init__()
        self.body, self.classifier = body, classifier
        self.dropout = nn.Dropout2d(architecture.dropout)
        self.confidence = _confidence_branch(channels) if architecture.confidence_branch else None
        width = _HEAD_CHANNELS[architecture.negative_head]
        self.negative_head: nn.Module | None = nn.Conv2d(channels, width, 1) if width else None
        self.head_reads_stages = False
        self.auxiliary: nn.Module | None = None
        self.feature_stride, self.multiple = 1, 32

    @property
    def encoder(self) -> nn.Module:
        """The part that pretrained weights are for."""
        inner = self.body.encoder
        assert isinstance(inner, nn.Module)
        return inner

    def forward(self, pictures: Tensor) -> SegmenterOutputs:
        """Outputs for normalised pictures ``(n, 3, h, w)``, both sides multiples of ``multiple``."""
        features, middle = self.body(pictures)
        auxiliary = None if self.auxiliary is None or not self.training else self.auxiliary(middle)
        confidence = None if self.confidence is None else self.confidence(features)
        dropped = self.dropout(features)
        read = middle if self.head_reads_stages else dropped
        extra = None if self.negative_head is None else self.negative_head(read)
        return SegmenterOutputs(self.classifier(dropped), confidence, auxiliary, features, extra)

    def classify(self, features: Tensor) -> Tensor:
        """Logits at feature resolution, without dropout."""
        logits: Tensor = self.classifier(features)
        return logits

    def dropout_passes(
        self,
        features: Tensor,
        number: int,
        generator: torch.Generator,
        rate: float | None = None,
        place: DropoutPlace = "channels",
    ) -> Iterator[Tensor]:
        """Logits at feature resolution, features dropped at random, that many times.

        Whole channels are dropped as in training, or single values; at the rate of the training unless one is given. A
        convolution is linear: the sum over the channels that are kept is the sum over all of them, made once, less
        the few that are dropped. So a pass reads a tenth of the features where a tenth is dropped.
        """
        plain = self.classify(features)
        share = self.dropout.p if rate is None else rate
        shape = features.shape if place == "values" else (*features.shape[:2], 1, 1)
        for _ in range(number):
            dropped = (torch.rand(shape, generator=generator, device=generator.device) < share).to(features.device)
            is_sum = len(features) == 1 and place == "channels" and isinstance(self.classifier, nn.Conv2d)
            if not share:
                yield plain
            elif is_sum and dropped.any():
                yield self._without(dropped[0, :, 0, 0], plain, features, share)
            else:
                yield self.classify(features * (~dropped / (1 - share)))

    def _without(self, dropped: Tensor, plain: Tensor, features: Tensor, share: float) -> Tensor:
        """What remains of the plain logits without some channels, the other channels scaled to make up for them."""
        classifier = self.classifier
        assert isinstance(classifier, nn.Conv2d)
        bias = 0 if classifier.bias is None else classifier.bias[:, None, None]
        lost = functional.conv2d(features[:, dropped], classifier.weight[:, dropped], padding=classifier.padding)
        return (plain - bias - lost) / (1 - share) + bias


class PyramidBody(nn.Module):
    """Dilated encoder and pyramid pooling: pictures to features, and the last stage but one for the auxiliary head."""

    def __init__(self, encoder: str, depth: int, output_stride: int, channels: int) -> None:
        super().__init__()
        from segmentation_models_pytorch.base.modules import Conv2dReLU
        from segmentation_models_pytorch.decoders.pspnet.decoder import PSPModule

        self.encoder = dilated_encoder(encoder, depth, output_stride)
        deep = self.encoder.out_channels[-1]
        self.pyramid = PSPModule(deep)
        self.fuse = Conv2dReLU(deep + 4 * (deep // 4), channels, kernel_size=3, padding=1, use_norm="batchnorm")

    def forward(self, pictures: Tensor) -> tuple[Tensor, Tensor]:
        """Features and the stage before the last."""
        stages = self.encoder(pictures)
        return self.fuse(self.pyramid(stages[-1])), stages[-2]


class LibraryBody(nn.Module):
    """A network of segmentation-models-pytorch without its segmentation head."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    @property
    def encoder(self) -> nn.Module:
        """The network's encoder."""
        inner = self.network.encoder
        assert isinstance(inner, nn.Module)
        return inner

    def forward(self, pictures: Tensor) -> tuple[Tensor, None]:
        """Features; there is nothing for an auxiliary head."""
        return self.network(pictures), None


class AutoencoderNetwork(nn.Module):
    """Four levels down to a spatial code, four up, batch norm throughout, no skip connections."""

    multiple = 16

    def __init__(self, latent: int, width: int = AUTOENCODER_WIDTH) -> None:
        super().__init__()
        widths = [width * 2**level for level in range(4)]
        inputs = [3, *widths[:-1]]
        self.down = nn.ModuleList(
            nn.Sequential(*_conv(a, b), *_conv(b, b), nn.MaxPool2d(2)) for a, b in zip(inputs, widths, strict=True)
        )
        self.code = nn.Sequential(*_conv(widths[-1], latent))
        outputs = [*reversed(widths[:-1]), width]
        self.up = nn.ModuleList(
            nn.Sequential(nn.Upsample(scale_factor=2), *_conv(a, b), *_conv(b, b))
            for a, b in zip([latent, *outputs[:-1]], outputs, strict=True)
        )
        self.paint = nn.Conv2d(width, 3, 1)

    @property
    def blocks(self) -> list[nn.Module]:
        """The parts in the order in which a picture passes them."""
        return [*self.down, self.code, *self.up, self.paint]

    def entered(self, pictures: Tensor) -> Tensor:
        """What enters the first part: pictures from -1 to 1."""
        return pictures * 2 - 1

    def forward(self, pictures: Tensor) -> Tensor:
        """Reconstructions 0..1 of pictures 0..1, ``(n, 3, h, w)``, both sides multiples of 16."""
        signal = self.entered(pictures)
        for block in self.blocks:
            signal = block(signal)
        return torch.sigmoid(signal)


def build_model(architecture: Architecture) -> Segmenter:
    """A segmenter with random weights.

    Raises:
        CaosError: If the architecture or encoder is unknown, or they do not go together.
    """
    check_encoder(architecture.encoder)
    if architecture.model == MASK2FORMER:
        from caos.segmentation.models.mask_transformer import MaskSegmenter

        return MaskSegmenter(architecture)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the library warns about names of its own
        make = {"pspnet": _pyramid_model, "hypercolumn": _hypercolumn_model}.get(architecture.model, _library_model)
        model = make(architecture)
    _measure(model)
    if architecture.model == "pspnet" and model.feature_stride != architecture.output_stride:
        raise _cannot_dilate(architecture.encoder, architecture.output_stride, f"it stays at {model.feature_stride}")
    return model


def check_model(name: str) -> None:
    """Refuse an unknown architecture.

    Raises:
        CaosError: With the nearest name.
    """
    from segmentation_models_pytorch import MODEL_ARCHITECTURES_MAPPING

    if name not in (known := {*OWN_MODELS, *MODEL_ARCHITECTURES_MAPPING}):
        raise unknown("model", name, known)


def keep_frozen(encoder: nn.Module, freeze: str) -> None:
    """Put back into evaluation mode what the setting ``freeze`` keeps: all of an encoder, or its batch norms."""
    if freeze == "encoder":
        encoder.eval()
    elif freeze == "norm":
        for layer in encoder.modules():
            if isinstance(layer, nn.modules.batchnorm._BatchNorm):  # noqa: SLF001 - the common base of all of them
                layer.eval()


def padded(signal: Tensor, multiple: int) -> Tensor:
    """Pictures ``(n, c, h, w)`` widened to the right and downwards to multiples of a number."""
    height, width = signal.shape[-2:]
    return widened(signal, (-(-height // multiple) * multiple, -(-width // multiple) * multiple))


def widened(signal: Tensor, size: tuple[int, int]) -> Tensor:
    """Pictures ``(n, c, h, w)`` widened to the right and downwards to ``(height, width)``.

    What is added mirrors what is there: a street goes on like a street. Its border repeated would be stripes, which no
    street has, and which networks take for something foreign. A mirror shows less than it stands before, so what lacks
    more than that repeats the border.
    """
    bottom, right = size[0] - signal.shape[-2], size[1] - signal.shape[-1]
    mirrored = (min(right, signal.shape[-1] - 1), min(bottom, signal.shape[-2] - 1))
    wider = functional.pad(signal, (0, mirrored[0], 0, mirrored[1]), mode="reflect") if any(mirrored) else signal
    rest = (right - mirrored[0], bottom - mirrored[1])
    wider = functional.pad(wider, (0, rest[0], 0, rest[1]), mode="replicate") if any(rest) else wider
    return wider.contiguous(memory_format=torch.channels_last)


def upsample(maps: Tensor, size: tuple[int, int]) -> Tensor:
    """Maps ``(n, c, h', w')`` at another resolution, bilinear."""
    if tuple(maps.shape[-2:]) == size:
        return maps
    return functional.interpolate(maps, size=size, mode="bilinear", align_corners=False)


def dilated_encoder(name: str, depth: int, output_stride: int) -> Any:
    """An encoder whose last stages have dilation in place of stride.

    Raises:
        CaosError: If this encoder cannot be dilated.
    """
    from segmentation_models_pytorch.encoders import get_encoder

    try:
        return _without_unused_stages(get_encoder(name, weights=None, depth=depth, output_stride=output_stride))
    except (TypeError, ValueError, NotImplementedError, AssertionError, RuntimeError) as error:
        raise _cannot_dilate(name, output_stride, type(error).__name__) from error


def _without_unused_stages(encoder: Any) -> Any:
    """The encoder without the blocks behind its last output.

    timm computes them for nobody. Dilated, those of EfficientNet-Lite0 cost six times what is used of the encoder.
    """
    inner: Any = getattr(encoder, "model", None)
    outputs = getattr(inner, "_stage_out_idx", None)
    if outputs and isinstance(inner.blocks, nn.Sequential):
        del inner.blocks[max(outputs) :]
    return encoder


def _cannot_dilate(encoder: str, output_stride: int, reason: str) -> CaosError:
    return CaosError(
        f"encoder {encoder!r} cannot be dilated to output stride {output_stride} ({reason}); use --model pspnet-light, "
        "or an encoder such as resnet101"
    )


def _pyramid_model(architecture: Architecture) -> Segmenter:
    channels = architecture.head_channels
    body = PyramidBody(architecture.encoder, architecture.encoder_depth, architecture.output_stride, channels)
    classifier = nn.Conv2d(channels, architecture.num_classes, 1)
    model = Segmenter(body, classifier, channels, architecture)
    if architecture.auxiliary:
        middle = body.encoder.out_channels[-2]
        model.auxiliary = nn.Sequential(
            *_conv(middle, max(middle // 2, 16)),
            nn.Dropout2d(architecture.dropout),
            nn.Conv2d(max(middle // 2, 16), architecture.num_classes, 1),
        )
    return model


def _hypercolumn_model(architecture: Architecture) -> Segmenter:
    channels = architecture.head_channels
    try:
        body = HypercolumnBody(architecture.encoder, architecture.encoder_depth, channels)
    except (TypeError, ValueError, KeyError, NotImplementedError, AssertionError, RuntimeError) as error:
        raise CaosError(f"model 'hypercolumn' cannot use encoder {architecture.encoder!r}: {error}") from error
    model = Segmenter(body, nn.Conv2d(channels, architecture.num_classes, 1), channels, architecture)
    if architecture.negative_channels and model.negative_head is not None:
        outputs = _HEAD_CHANNELS[architecture.negative_head]
        model.negative_head = StagesHead(
            body.encoder.out_channels[FINEST_STAGE:], architecture.negative_channels, outputs
        )
        model.head_reads_stages = True
    return model


def _library_model(architecture: Architecture) -> Segmenter:
    import segmentation_models_pytorch as smp

    name = architecture.model.removesuffix("-light")
    check_model(architecture.model)
    settings: dict[str, dict[str, Any]] = {
        "pspnet": {"psp_out_channels": architecture.head_channels, "psp_dropout": 0.0},
        "fpn": {"decoder_dropout": 0.0},
        "dpt": {"dynamic_img_size": True},
    }
    try:
        network = smp.create_model(
            name, architecture.encoder, encoder_weights=None, classes=architecture.num_classes, **settings.get(name, {})
        )
    except (TypeError, ValueError, KeyError, NotImplementedError, AssertionError) as error:
        reason = first_line(error)
        raise CaosError(f"model {name!r} cannot use encoder {architecture.encoder!r}: {reason}") from error
    head = network.segmentation_head
    plain = isinstance(head, smp.base.SegmentationHead)
    network.segmentation_head = nn.Identity()
    convolution = next(layer for layer in head.modules() if isinstance(layer, nn.Conv2d))
    return Segmenter(LibraryBody(network), head[0] if plain else head, convolution.in_channels, architecture)


def _measure(model: Segmenter) -> None:
    """Find out the strides by passing an empty picture."""
    model.multiple = int(getattr(model.encoder, "output_stride", 32))
    side = 8 * max(model.multiple, SMALLEST_SIDE)
    was_training = model.training
    try:
        with torch.no_grad():
            features, _ = model.eval().body(torch.zeros(1, 3, side, side))
    except (AssertionError, RuntimeError) as error:
        raise CaosError(f"this encoder cannot take pictures of any size: {first_line(error)}") from error
    model.train(was_training)
    model.feature_stride = side // features.shape[-1]


def _conv(inputs: int, outputs: int) -> list[nn.Module]:
    return [nn.Conv2d(inputs, outputs, 3, padding=1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(inplace=True)]


def _confidence_branch(channels: int) -> nn.Module:
    return nn.Sequential(*_conv(channels, 64), nn.Conv2d(64, 1, 1))
