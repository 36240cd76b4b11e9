"""What a training run is made of: the paper's settings as defaults, presets, and the checks on values."""

from __future__ import annotations

import dataclasses
import math
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal

from foundation.config import read_toml, resolve
from foundation.errors import CaosError, unknown

AUTOENCODER: Final = "autoencoder"
AUGMENTATIONS: Final = ("flip", "scale", "crop", "color", "augmix", "deepaugment")


@dataclass(frozen=True)
class TrainConfig:
    """Settings of one run. Sizes are ``(width, height)`` in pixels, batch sizes count images a device and step.

    Attributes:
        model: ``pspnet``, ``pspnet-light``, ``autoencoder``, or an architecture of segmentation-models-pytorch.
        encoder: A segmentation-models-pytorch encoder name, or ``tu-`` and a timm model.
        encoder_weights: ``imagenet``, ``none``, ``bundled``, or a file of weights.
        encoder_depth: Stages of the encoder that the faithful PSPNet uses: 5 (all), or 4 to save time.
        output_stride: Input pixels for one feature of the faithful PSPNet: 8 as in the paper, or 16.
        head_channels: Channels of the features that enter dropout and classifier.
        encoder_lr: Factor on ``lr`` for the encoder.
        loss_stride: The loss is taken on every n-th pixel (the original code takes every 8th).
        freeze: ``norm`` keeps the encoder's batch norm statistics, ``encoder`` the whole encoder.
        size: Every picture is brought to this size first, also when predicting; None leaves it as it is.
        init: A finished run whose weights are the start.
        evaluate: Splits measured with the best weights at the end.
        val_every: Epochs between two validations; the last epoch always has one.
        checkpoint_steps: Steps between two writes of ``last.ckpt`` within an epoch; 0 writes after epochs only.
    """

    model: str = "pspnet"
    encoder: str = "resnet101"
    encoder_weights: str = "imagenet"
    encoder_depth: int = 5
    output_stride: int = 8
    head_channels: int = 512
    dropout: float = 0.1
    confidence_branch: bool = False
    labels: str | None = None

    epochs: int = 20
    batch_size: int = 8
    accumulate: int = 1
    optimizer: Literal["sgd", "adamw"] = "sgd"
    lr: float = 0.02
    encoder_lr: float = 1.0
    momentum: float = 0.9
    weight_decay: float = 1e-4
    schedule: Literal["poly", "one-cycle", "constant"] = "poly"
    auxiliary_weight: float = 0.4
    loss_stride: int = 1
    freeze: Literal["none", "norm", "encoder"] = "none"
    init: Path | None = None

    augment: tuple[str, ...] = ("flip", "scale", "crop")
    scale: tuple[float, ...] = (0.5, 2.0)
    crop: tuple[int, ...] = (512, 512)
    size: tuple[int, ...] | None = None
    consistency: float = 0.0
    autoencoder: Path | None = None

    device: str = "auto"
    devices: int = 1
    nodes: int = 1
    precision: Literal["32", "bf16", "16"] = "32"
    workers: int = 2
    compile: bool = False
    channels_last: bool = True

    seed: int = 0
    evaluate: tuple[str, ...] = ("val",)
    val_every: int = 1
    checkpoint_steps: int = 0

    def __post_init__(self) -> None:
        """Refuse values that could only fail later."""
        _check_choices(self)
        _check_numbers(self)
        _check_sizes(self)
        if "deepaugment" in self.augment and self.autoencoder is None:
            raise CaosError("augmentation 'deepaugment' needs a trained autoencoder; name its run with --autoencoder")
        if self.consistency and "augmix" not in self.augment:
            raise CaosError("consistency compares AugMix views; add augmix to --augment or set consistency to 0")

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready values."""
        return {k: str(v) if isinstance(v, Path) else v for k, v in dataclasses.asdict(self).items()}


def _check_choices(config: TrainConfig) -> None:
    for name, hint in typing.get_type_hints(TrainConfig).items():
        choices = typing.get_args(hint)
        if typing.get_origin(hint) is Literal and getattr(config, name) not in choices:
            raise unknown(name, str(getattr(config, name)), choices)
    for name, allowed in (("loss_stride", (1, 2, 4, 8)), ("output_stride", (8, 16)), ("encoder_depth", (4, 5))):
        if getattr(config, name) not in allowed:
            raise CaosError(f"{name} is {getattr(config, name)}; it must be one of {', '.join(map(str, allowed))}")
    for name in config.augment:
        if name not in AUGMENTATIONS:
            raise unknown("augmentation", name, AUGMENTATIONS)
    for split in config.evaluate:
        if split not in {"val", "test"}:
            raise unknown("split", split, ("val", "test"))


def _check_numbers(config: TrainConfig) -> None:
    for name in ("epochs", "batch_size", "accumulate", "head_channels", "devices", "nodes", "val_every"):
        if getattr(config, name) < 1:
            raise CaosError(f"{name} is {getattr(config, name)}; it must be 1 or more")
    for name in ("momentum", "weight_decay", "auxiliary_weight", "encoder_lr", "consistency", "workers", "seed"):
        if getattr(config, name) < 0:
            raise CaosError(f"{name} is {getattr(config, name)}; it must not be negative")
    if not 0 < config.lr < math.inf:
        raise CaosError(f"lr is {config.lr}; it must be positive")
    if not 0 <= config.dropout < 1:
        raise CaosError(f"dropout is {config.dropout}; it must be at least 0 and below 1")


def _check_sizes(config: TrainConfig) -> None:
    if len(config.scale) != 2 or not 0 < config.scale[0] <= config.scale[1]:
        raise CaosError(f"scale is {config.scale}; it must be two positive numbers, smaller first, such as 0.5,2.0")
    for name, size in (("crop", config.crop), ("size", config.size)):
        if size is not None and (len(size) != 2 or min(size) < 16):
            raise CaosError(f"{name} is {size}; it must be a width and a height of 16 pixels or more, such as 512x512")


PRESETS: Final[Mapping[str, Mapping[str, Any]]] = MappingProxyType(
    {
        "paper": {},
        "quick": {
            "encoder": "tu-tf_efficientnet_lite0",
            "encoder_weights": "bundled",
            "encoder_depth": 4,
            "head_channels": 128,
            "epochs": 12,
            "batch_size": 4,
            "optimizer": "adamw",
            "lr": 3e-3,
            "encoder_lr": 0.5,
            "weight_decay": 0.01,
            "schedule": "one-cycle",
            "loss_stride": 4,
            "freeze": "norm",
            "scale": (0.6, 1.5),
            "crop": (320, 224),
            "val_every": 4,
        },
    }
)
"""Named sets of settings. ``paper``: the defaults; ``quick``: minutes on two CPU cores, no network."""

_AUTOENCODER_SETTINGS: Final = {
    "encoder": "none",
    "encoder_weights": "none",
    "epochs": 10,
    "optimizer": "adamw",
    "lr": 2e-3,
    "weight_decay": 0.0,
    "schedule": "one-cycle",
    "head_channels": 64,
    "dropout": 0.0,
    "freeze": "none",
    "scale": (0.75, 1.25),
    "crop": (256, 256),
}
_LITE: Final = "tu-tf_efficientnet_lite0"


def make_config(flags: Mapping[str, Any], file: Path | None = None, preset: str = "paper") -> TrainConfig:
    """The settings of a run: defaults <- preset <- TOML file <- flags that are not None.

    Raises:
        CaosError: If a key, a name or a value is wrong.
    """
    if preset not in PRESETS:
        raise unknown("preset", preset, PRESETS)
    resolved = resolve(TrainConfig, file, flags)
    given = {key for key, value in flags.items() if value is not None} | set(read_toml(file) if file else ())
    implied: dict[str, Any] = dict(PRESETS[preset])
    if resolved.model == AUTOENCODER:
        implied = implied | _AUTOENCODER_SETTINGS
    elif resolved.encoder_weights == "bundled":
        implied["encoder"] = _LITE
    if preset == "quick" and resolved.init is not None:
        implied["freeze"] = "encoder"  # what it starts from has learnt the scenes; only the head is new
    return dataclasses.replace(resolved, **{k: v for k, v in implied.items() if k not in given})


def config_from_dict(values: Mapping[str, Any], source: object) -> TrainConfig:
    """The inverse of :meth:`TrainConfig.as_dict`.

    Raises:
        CaosError: If the values are not those of a configuration; ``source`` says where they stand.
    """
    paths, given = ("init", "autoencoder"), dict(values)
    for key, value in given.items():
        if isinstance(value, list):
            given[key] = tuple(value)
        elif key in paths and value is not None:
            given[key] = Path(value)
    try:
        return TrainConfig(**given)
    except TypeError as error:
        raise CaosError(f"{source} holds settings this version does not know: {error}") from error


def parse_size(text: str, name: str) -> tuple[int, int]:
    """``(width, height)`` of ``"512x288"``.

    Raises:
        CaosError: If the text is not two whole numbers with an x between.
    """
    width, separator, height = text.lower().partition("x")
    if not (separator and width.isdecimal() and height.isdecimal()):
        raise CaosError(f"{name} is {text!r}; it must be WIDTHxHEIGHT, such as 512x288")
    return int(width), int(height)
