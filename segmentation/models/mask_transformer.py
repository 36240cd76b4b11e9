"""Mask transformer that learns here: Mask2Former of ``transformers`` on any encoder of segmentation-models-pytorch.

The encoder and its pretrained weights are those of the other segmenters; pixel decoder and query decoder are the
library's. With a small encoder, few queries and few layers it trains on two CPU cores.

Cheng et al. 2022, Masked-attention Mask Transformer for Universal Image Segmentation.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, Final, NoReturn

from torch import Tensor, nn

from caos.foundation.errors import CaosError, first_line
from caos.segmentation.models.networks import Architecture, Segmenter, SegmenterOutputs
from caos.segmentation.models.queries import semantic_maps

STAGES: Final = ("stage1", "stage2", "stage3", "stage4")
"""Of the encoder, at strides 4, 8, 16 and 32."""


class EncoderStages(nn.Module):
    """An encoder that hands out its last four stages as the library's backbones do."""

    def __init__(self, name: str) -> None:
        super().__init__()
        from segmentation_models_pytorch.encoders import get_encoder

        try:
            self.encoder = get_encoder(name, weights=None, depth=5)
        except (TypeError, ValueError, KeyError, NotImplementedError, AssertionError) as error:
            reason = first_line(error)
            raise CaosError(f"model 'mask2former' cannot use encoder {name!r}: {reason}") from error
        self.channels: list[int] = [int(number) for number in self.encoder.out_channels[-4:]]
        if len(self.channels) < 4 or 0 in self.channels or self.encoder.output_stride != 32:
            raise CaosError(
                f"model 'mask2former' cannot use encoder {name!r}: it lacks four stages down to stride 32; use one "
                "such as resnet18"
            )

    def forward(self, pictures: Tensor) -> SimpleNamespace:
        """What the library asks a backbone for."""
        return SimpleNamespace(feature_maps=self.encoder(pictures)[-4:])


class MaskBody(nn.Module):
    """The whole network of the library, with our encoder in place of its backbone."""

    def __init__(self, architecture: Architecture, labels: int) -> None:
        super().__init__()
        from transformers import Mask2FormerConfig, Mask2FormerForUniversalSegmentation, ResNetConfig

        stages = EncoderStages(architecture.encoder)
        width, layers = architecture.head_channels, architecture.decoder_layers
        # The smallest backbone with these channels; it is replaced at once.
        backbone = ResNetConfig(
            embedding_size=1,
            hidden_sizes=stages.channels,
            depths=[1, 1, 1, 1],
            layer_type="basic",
            out_features=list(STAGES),
        )
        with quiet():
            settings = Mask2FormerConfig(
                backbone_config=backbone,
                feature_size=width,
                mask_feature_size=width,
                hidden_dim=width,
                encoder_feedforward_dim=4 * width,
                dim_feedforward=8 * width,
                encoder_layers=layers,
                decoder_layers=layers + 1,  # the library counts the prediction before the first layer
                num_attention_heads=8,
                num_queries=architecture.queries,
                dropout=0.0,
                num_labels=labels,
            )
            self.network: Any = Mask2FormerForUniversalSegmentation(settings)
        self.network.model.pixel_level_module.encoder = stages

    @property
    def encoder(self) -> nn.Module:
        """The part that pretrained weights are for."""
        inner: nn.Module = self.network.model.pixel_level_module.encoder.encoder
        return inner

    def forward(self, pictures: Tensor) -> tuple[Tensor, Any]:
        """The pixel decoder's features, and everything the library gives."""
        outputs = self.network(pixel_values=pictures)
        return outputs.pixel_decoder_last_hidden_state, outputs


class MaskSegmenter(Segmenter):
    """A segmenter whose classes come from queries; its logits are their semantic map.

    With the class of outliers that the loss ``uno`` asks for, the queries have one class more than the logits.
    """

    def __init__(self, architecture: Architecture) -> None:
        if architecture.confidence_branch:
            raise CaosError("model 'mask2former' has no confidence branch; leave --confidence-branch out")
        if architecture.head_channels % 32:
            raise CaosError(f"head_channels is {architecture.head_channels}; mask2former needs a multiple of 32")
        further = int(architecture.negative_head == "outlier class")
        body = MaskBody(architecture, architecture.num_classes + further)
        super().__init__(body, nn.Identity(), architecture.head_channels, architecture)
        self.num_classes = architecture.num_classes
        self.feature_stride, self.multiple = 4, 32

    @property
    def network(self) -> Any:
        """The library's network."""
        assert isinstance(self.body, MaskBody)
        return self.body.network

    def forward(self, pictures: Tensor) -> SegmenterOutputs:
        """See :class:`~caos.segmentation.models.networks.Segmenter`."""
        features, outputs = self.body(pictures)
        return self.said(outputs, features)

    def said(self, outputs: Any, features: Tensor) -> SegmenterOutputs:
        """The library's outputs in our words."""
        classes, masks = outputs.class_queries_logits, outputs.masks_queries_logits
        logits = semantic_maps(classes, masks, slice(0, self.num_classes))
        return SegmenterOutputs(logits, None, None, features, class_logits=classes, mask_logits=masks)

    def learning(self, pictures: Tensor) -> tuple[list[tuple[Tensor, Tensor]], SegmenterOutputs]:
        """Class and mask logits after each layer, the last one's last, for a loss on all of them; and what was said."""
        outputs = self.network(pixel_values=pictures, output_auxiliary_logits=True)
        layers = [(each["class_queries_logits"], each["masks_queries_logits"]) for each in outputs.auxiliary_logits]
        layers.append((outputs.class_queries_logits, outputs.masks_queries_logits))
        return layers, self.said(outputs, outputs.pixel_decoder_last_hidden_state)

    def classify(self, features: Tensor) -> NoReturn:
        """Refuse: what follows the features depends on the queries of the picture.

        Raises:
            CaosError: Always.
        """
        raise CaosError("a mask transformer has no classifier on its features")

    def dropout_passes(self, *_: object, **__: object) -> NoReturn:
        """Refuse: there is no dropout before a classifier.

        Raises:
            CaosError: Always.
        """
        raise CaosError("a mask transformer has no dropout before a classifier")


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Keep the library from writing to the terminal."""
    from transformers.utils import logging as library

    level, bars = library.get_verbosity(), library.is_progress_bar_enabled()
    library.set_verbosity(logging.CRITICAL)
    library.disable_progress_bar()
    try:
        yield
    finally:
        library.set_verbosity(level)
        if bars:
            library.enable_progress_bar()
