"""Settings of a training run: the paper's as defaults, presets, limits, and the flags of ``caos train``."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal

from caos.foundation.command_line.flags import Flag
from caos.foundation.command_line.sizes import parse_size
from caos.foundation.errors import CaosError, unknown
from caos.foundation.settings import Limits, check_fields, read_record, read_toml, resolve
from caos.segmentation.training.negatives import loss_names

AUTOENCODER: Final = "autoencoder"
MASK2FORMER: Final = "mask2former"
OBSERVER: Final = "obsnet"
COMPRESSION: Final = "compression"
SUPER_RESOLUTION: Final = "super-resolution"
MULTI_LABEL: Final = "multi-label"
MULTI_CLASS: Final = "multi-class"
WHOLE_IMAGES: Final = (MULTI_LABEL, MULTI_CLASS)
"""Models that say something of a picture as a whole."""
PAINTERS: Final = (AUTOENCODER, COMPRESSION, SUPER_RESOLUTION)
"""Models from picture to picture, which learn no classes."""
WITHOUT_PIXEL_LOGITS: Final = (*PAINTERS, *WHOLE_IMAGES, MASK2FORMER, OBSERVER)
"""Models without a logit for every class and pixel."""
CAMERA_FAULTS: Final = ("exposure", "vignette", "white-balance", "blur", "noise", "gamma", "jpeg")
"""What a camera does to a picture, in the order in which it happens; ``camera`` stands for all of them."""
AUGMENTATION_SUMMARIES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "flip": "mirror images",
        "scale": "random scales (--scale)",
        "crop": "random windows (--crop)",
        "color": "brightness, contrast, tint and saturation",
        "cutout": "a grey square, void in the labels (DeVries and Taylor 2017)",
        "mixup": "two pictures blended, and their losses alike (Zhang et al. 2018)",
        "cutmix": "a box of another picture with its labels (Yun et al. 2019)",
        "clahe": "lightness equalised tile by tile",
        "style": "colours and grain of one of our materials, outlines kept (after Geirhos et al. 2019)",
        "augmix": "chains of colour changes, mixed, and a loss that views agree (Hendrycks et al. 2020)",
        "deepaugment": "through networks whose weights are distorted (Hendrycks et al. 2021); needs --autoencoder and "
        "--super-resolution",
        "adversarial": "each pixel moved by up to 4 of 255 to raise the loss (Wong et al. 2020); twice the time",
        "camera": "all that cameras do to pictures, which can also be named alone:",
        **dict.fromkeys(CAMERA_FAULTS, "a fault of a camera"),
    }
)
AUGMENTATIONS: Final = tuple(AUGMENTATION_SUMMARIES)
AUGMIX_CONSISTENCY: Final = 12.0
"""Weight of AugMix's consistency loss, as its paper has it."""
MIXED_IN_BATCHES: Final = ("mixup", "cutmix")
RUN, MODEL, LEARNING, NEGATIVES, PICTURES, MACHINE = "Run", "Model", "Learning", "Negatives", "Pictures", "Machine"
"""Headings of the flags."""

Count = Annotated[int, Limits(1, 10_000_000)]
Weight = Annotated[float, Limits(0, 1_000_000)]
Size = Annotated[tuple[int, int], Limits(16, 8192)]
"""Width and height in pixels."""
DropoutPlace = Literal["channels", "values"]
"""What dropout drops of the features that enter the classifier: whole channels, as in training, or single values."""


@dataclass(frozen=True)
class TrainConfig:
    """Settings of one run; what each means, and what it may be, stands beside it."""

    model: Annotated[
        str,
        Flag(
            "pspnet, hypercolumn, mask2former, pspnet-light, autoencoder, compression, super-resolution, obsnet, "
            "multi-label, multi-class; or unet, fpn ... of smp.",
            MODEL,
        ),
    ] = "pspnet"
    encoder: Annotated[str, Flag("resnet101, resnet18 ..., or tu-<timm model>.", MODEL)] = "resnet101"
    encoder_weights: Annotated[str, Flag("imagenet (model hub), bundled (no network), none, or a file.", MODEL)] = (
        "imagenet"
    )
    encoder_depth: Annotated[
        Literal[4, 5], Flag("Stages of the encoder of pspnet and hypercolumn; 4 saves time.", MODEL)
    ] = 5
    output_stride: Annotated[Literal[8, 16], Flag("Pixels per feature of PSPNet; the paper has 8.", MODEL)] = 8
    head_channels: Annotated[int, Limits(1, 65_536), Flag("Channels before the classifier.", MODEL)] = 512
    queries: Annotated[int, Limits(1, 10_000), Flag("Queries of mask2former.", MODEL)] = 100
    decoder_layers: Annotated[
        int, Limits(1, 100), Flag("Layers of mask2former's pixel decoder and of its query decoder.", MODEL)
    ] = 6
    dropout: Annotated[float, Limits(0, 0.99), Flag("Share of dropped channels.", MODEL)] = 0.1
    confidence_branch: Annotated[bool, Flag("Learn a confidence.", MODEL)] = False
    watches: Annotated[Path | None, Flag("Run of the segmenter whose errors an obsnet learns.", MODEL)] = None
    init: Annotated[Path | None, Flag("Start from the weights of this run.", MODEL)] = None
    target: Annotated[Literal["town", "weather"], Flag("What a multi-class model answers.", MODEL)] = "town"
    labels: Annotated[str | None, Flag("Label table, such as streethazards-12 (ignores `other`).", MODEL)] = None

    epochs: Annotated[Count, Flag("Number of passes over the set.", LEARNING)] = 20
    epoch_steps: Annotated[
        int, Limits(0, 10_000_000), Flag("Steps per epoch; 0: as many as a pass over the set takes.", LEARNING)
    ] = 0
    keep: Annotated[
        Literal["best", "last"], Flag("Keep the weights of the best validated epoch, or of the last.", LEARNING)
    ] = "best"
    batch_size: Annotated[int, Limits(1, 65_536), Flag("Pictures per device and step.", LEARNING)] = 8
    accumulate: Annotated[Count, Flag("Batches per update of the weights.", LEARNING)] = 1
    optimizer: Annotated[Literal["sgd", "adamw"], Flag("Optimizer.", LEARNING)] = "sgd"
    lr: Annotated[float, Limits(1e-12, 1e6), Flag("Highest learning rate.", LEARNING)] = 0.02
    encoder_lr: Annotated[Weight, Flag("Factor on the learning rate for the encoder.", LEARNING)] = 1.0
    momentum: Annotated[float, Limits(0, 1), Flag("Momentum of sgd.", LEARNING)] = 0.9
    weight_decay: Annotated[Weight, Flag("Weight decay.", LEARNING)] = 1e-4
    schedule: Annotated[Literal["poly", "one-cycle", "constant"], Flag("Schedule of the learning rate.", LEARNING)] = (
        "poly"
    )
    auxiliary_weight: Annotated[Weight, Flag("Weight of the loss of PSPNet's auxiliary head.", LEARNING)] = 0.4
    loss_stride: Annotated[
        Literal[1, 2, 4, 8], Flag("Compute the loss on every n-th pixel (the original code: 8).", LEARNING)
    ] = 1
    attack_step: Annotated[
        float, Limits(0, 10), Flag("Step size of an obsnet's attacks, in standard deviations.", LEARNING)
    ] = 0.1
    freeze: Annotated[
        Literal["none", "norm", "encoder"],
        Flag("Freeze the encoder's batch norm statistics (norm), or the whole encoder (encoder).", LEARNING),
    ] = "none"

    negatives: Annotated[
        str | None,
        Flag(
            f"Loss on pixels of training pictures that show anomalies: {', '.join(loss_names())}. Without it they are "
            "void.",
            NEGATIVES,
        ),
    ] = None
    negative_weight: Annotated[Weight | None, Flag("Weight of that loss; each loss has its usual one.", NEGATIVES)] = (
        None
    )
    known_as: Annotated[
        str | None,
        Flag("Teach such pixels as this ordinary class, such as other, to measure a leak.", NEGATIVES),
    ] = None
    negative_channels: Annotated[
        int,
        Limits(0, 65_536),
        Flag(
            "Channels of the hypercolumn head's own features, from all stages; 0: it shares the classifier's.",
            NEGATIVES,
        ),
    ] = 0
    paste: Annotated[
        Path | None, Flag("Paste the cut-outs of this folder as negatives (caos assets cutouts).", NEGATIVES)
    ] = None
    paste_share: Annotated[float, Limits(0, 1), Flag("Share of the pictures that get cut-outs.", NEGATIVES)] = 0.5
    paste_count: Annotated[
        tuple[int, int], Limits(1, 100), Flag("Fewest and most cut-outs per picture, such as 1,3.", NEGATIVES)
    ] = (1, 3)
    paste_place: Annotated[
        Literal["ground", "anywhere"], Flag("Feet on the ground, or anywhere in the picture.", NEGATIVES)
    ] = "ground"
    paste_scale: Annotated[
        tuple[float, float],
        Limits(0.01, 100),
        Flag("Smallest and largest random factor on the size of cut-outs.", NEGATIVES),
    ] = (0.5, 2.0)
    paste_blur: Annotated[float, Limits(0, 20), Flag("Largest blur of cut-outs, pixels.", NEGATIVES)] = 1.0
    paste_colours: Annotated[
        float, Limits(0, 1), Flag("How far their colours may move towards the surroundings.", NEGATIVES)
    ] = 0.5
    paste_shadow: Annotated[float, Limits(0, 1), Flag("Largest share of light that their shadow takes.", NEGATIVES)] = (
        0.6
    )
    paste_horizon: Annotated[
        float, Limits(-1, 1), Flag("Where the horizon lies, as a share of the picture's height.", NEGATIVES)
    ] = 0.45
    paste_camera_m: Annotated[
        float, Limits(0.1, 100), Flag("Height of the camera above ground, metres.", NEGATIVES)
    ] = 1.5

    augment: Annotated[tuple[str, ...], Flag(f"Any of {','.join(AUGMENTATIONS)}; or none.", PICTURES)] = (
        "flip",
        "scale",
        "crop",
    )
    scale: Annotated[
        tuple[float, float], Limits(0.01, 100), Flag("Smallest and largest random scale, such as 0.5,2.", PICTURES)
    ] = (0.5, 2.0)
    crop: Annotated[Size, Flag("Size of the training window, such as 512x512.", PICTURES, parse_size)] = (512, 512)
    size: Annotated[
        Size | None,
        Flag("Scale pictures to this size first, also when predicting, such as 640x360.", PICTURES, parse_size),
    ] = None
    sides: Annotated[
        tuple[int, ...],
        Limits(16, 8192),
        Flag(
            "Use whole pictures, with the shorter side one of these per batch; all of them when predicting.", PICTURES
        ),
    ] = ()
    longest_side: Annotated[
        int, Limits(16, 8192), Flag("Largest length of the longer side with --sides, pixels.", PICTURES)
    ] = 1000
    camera_share: Annotated[
        float, Limits(0, 1), Flag("Share of the pictures that get each camera fault.", PICTURES)
    ] = 0.5
    camera_strength: Annotated[
        float, Limits(0, 2), Flag("Strength of the camera faults; 1 is a typical camera.", PICTURES)
    ] = 1.0
    consistency: Annotated[
        Weight | None, Flag("Weight of AugMix's consistency loss; 12 with augmix, as in its paper.", PICTURES)
    ] = None
    autoencoder: Annotated[
        Path | None, Flag("Run of --model compression (or autoencoder) for deepaugment.", PICTURES)
    ] = None
    super_resolution: Annotated[Path | None, Flag("Run of --model super-resolution for deepaugment.", PICTURES)] = None

    device: Annotated[str, Flag("auto, cpu, cuda, cuda:1, mps.", MACHINE)] = "auto"
    devices: Annotated[int, Limits(1, 4096), Flag("GPUs (or processes) per node.", MACHINE)] = 1
    nodes: Annotated[int, Limits(1, 4096), Flag("Machines.", MACHINE)] = 1
    precision: Annotated[Literal["32", "bf16", "16"], Flag("Precision of the computation.", MACHINE)] = "32"
    workers: Annotated[int, Limits(0, 256), Flag("Threads that read pictures.", MACHINE)] = 2
    compile: Annotated[bool, Flag("Use torch.compile.", MACHINE)] = False
    channels_last: Annotated[bool, Flag("Keep channels together in memory (faster).", MACHINE)] = True
    checkpoint_steps: Annotated[
        int, Limits(0, 10_000_000), Flag("Also save after this many steps; 0: only after epochs.", MACHINE)
    ] = 0

    seed: Annotated[
        int, Limits(0, 2**32 - 1), Flag("Seed of initial weights, picture order and augmentation.", RUN)
    ] = 0
    evaluate: Annotated[tuple[str, ...], Flag("Splits to measure at the end: val, test, val,test, or none.", RUN)] = (
        "val",
    )
    val_every: Annotated[Count, Flag("Epochs between validations; the last epoch always has one.", RUN)] = 1
    val_images: Annotated[
        int, Limits(0, 10_000_000), Flag("Images per validation, spread over the split; 0: all.", RUN)
    ] = 0

    def __post_init__(self) -> None:
        """Refuse values that could only fail later."""
        check_fields(self)
        _check_names(self)
        if self.scale[0] > self.scale[1]:
            raise CaosError(f"scale is {self.scale}; the smaller number comes first, such as 0.5,2.0")
        _check_negatives(self)
        _check_observer(self)
        for name in ("paste_count", "paste_scale"):
            if getattr(self, name)[0] > getattr(self, name)[1]:
                raise CaosError(f"{name} is {getattr(self, name)}; the smaller number comes first")
        if self.sides and {"crop", "scale"} & set(self.augment):
            raise CaosError("sides takes whole pictures; leave crop and scale out of --augment")
        _check_augmentations(self)

    @property
    def consistency_weight(self) -> float:
        """Weight of AugMix's consistency loss: the given one, or its paper's where there are views to compare."""
        if self.consistency is not None:
            return self.consistency
        has_logits = self.model not in WITHOUT_PIXEL_LOGITS
        return AUGMIX_CONSISTENCY if "augmix" in self.augment and has_logits else 0.0

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready values."""
        return {k: _plain(v) for k, v in dataclasses.asdict(self).items()}


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return list(value)
    return str(value) if isinstance(value, Path) else value


def _check_names(config: TrainConfig) -> None:
    for name in config.augment:
        if name not in AUGMENTATIONS:
            raise unknown("augmentation", name, AUGMENTATIONS)
    if config.negatives is not None and config.negatives not in loss_names():
        raise unknown("loss with negatives", config.negatives, loss_names())
    for split in config.evaluate:
        if split not in {"val", "test"}:
            raise unknown("split", split, ("val", "test"))


def _check_negatives(config: TrainConfig) -> None:
    if config.model in (*PAINTERS, *WHOLE_IMAGES) and (config.negatives is not None or config.known_as is not None):
        raise CaosError(f"model {config.model!r} learns no classes; negatives are for segmenters")
    if config.negatives is not None and config.known_as is not None:
        raise CaosError("known_as teaches anomalies as an ordinary class, negatives as foreign; choose one of them")
    if config.negatives is None and config.negative_weight is not None:
        raise CaosError(f"negative_weight is {config.negative_weight} without a loss; name one with --negatives")
    if config.paste is not None and config.negatives is None:
        raise CaosError("paste makes negatives, but no loss learns from them; name one with --negatives")


def _check_augmentations(config: TrainConfig) -> None:
    names = config.augment
    if "deepaugment" in names and (config.autoencoder is None or config.super_resolution is None):
        raise CaosError(
            "augmentation 'deepaugment' needs two trained networks: name a run of --model compression with "
            "--autoencoder, and one of --model super-resolution with --super-resolution"
        )
    if config.consistency and "augmix" not in names:
        raise CaosError("consistency compares AugMix views; add augmix to --augment or set consistency to 0")
    for name in ("mixup", "adversarial"):
        if name in names and config.model in WITHOUT_PIXEL_LOGITS:
            raise CaosError(f"augmentation {name!r} is for networks with a classifier, not for model {config.model!r}")
    if "cutmix" in names and config.model in WHOLE_IMAGES:
        raise CaosError(
            f"augmentation 'cutmix' joins pictures, but model {config.model!r} gives one answer per picture"
        )
    for name in MIXED_IN_BATCHES:
        if name in names and config.batch_size < 2:
            raise CaosError(f"augmentation {name!r} mixes the pictures of a batch; batch_size is {config.batch_size}")


def _check_observer(config: TrainConfig) -> None:
    if config.model != OBSERVER:
        if config.watches is not None:
            raise CaosError(f"watches is for observers, and this is model {config.model!r}; add --model obsnet")
        return
    if config.watches is None:
        raise CaosError("an obsnet watches a segmenter; name its run with --watches")
    if config.negatives is not None or config.confidence_branch or config.init is not None:
        raise CaosError("an obsnet has the network of the run it watches; it takes no negatives, branch or init")


PRESETS: Final[Mapping[str, Mapping[str, Any]]] = MappingProxyType(
    {
        # What the text gives is among the defaults: pspnet, resnet101, 20 epochs, sgd, momentum, lr, weight_decay.
        "paper": {},
        "original": {
            "augment": ("flip",),
            "sides": (300, 375, 450, 525, 600),
            "longest_side": 1000,
            "loss_stride": 8,
            "batch_size": 2,
            "epoch_steps": 5000,
            "keep": "last",
        },
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
        "transfer": {
            "model": "hypercolumn",
            "encoder": "tu-tf_efficientnet_lite0",
            "encoder_weights": "bundled",
            "head_channels": 128,
            "negative_channels": 64,
            "epochs": 12,
            "keep": "last",
            "batch_size": 8,
            "optimizer": "adamw",
            "lr": 2e-3,
            "weight_decay": 0.01,
            "schedule": "one-cycle",
            "loss_stride": 4,
            "freeze": "encoder",
            "augment": ("flip", "scale", "crop", "color", "camera"),
            "scale": (0.6, 2.0),
            "crop": (384, 256),
            "val_every": 4,
        },
    }
)
"""Named sets of settings.

``paper``: what the text says (:data:`GIVEN_BY_THE_TEXT`), and where it says nothing what suits one GPU (batch size,
random scales, flips and crops, a poly schedule, the auxiliary loss, the best epoch's weights). ``original``: what the
released code did. ``quick``: minutes on two CPU cores, no network. ``transfer``: as small, for photographs: a frozen
encoder, all its stages, and the faults of cameras.
"""
GIVEN_BY_THE_TEXT: Final = ("model", "encoder", "epochs", "optimizer", "momentum", "lr", "weight_decay")
"""The settings of ``paper`` that the paper's text gives; every other one is ours."""
PRESETS_HELP: Final = (
    f"Starting point: paper (its text gives {', '.join(GIVEN_BY_THE_TEXT)}; batch size, crops, scales, schedule, "
    "auxiliary loss and best epoch are ours), original (what its released code did), quick (small, for a CPU), or "
    "transfer (small, for photographs)."
)

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
_PAINTER_CHANNELS: Final = 32
# Queries find their masks step by step: many small batches at a high rate teach far more than as many pictures in few.
_SMALL_MASKS: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "head_channels": 64,
        "negative_channels": 0,
        "queries": 20,
        "decoder_layers": 2,
        "epochs": 30,
        "batch_size": 2,
        "lr": 3e-3,
        "freeze": "encoder",
        "val_every": 10,
    }
)
_MASK_SETTINGS: Final[Mapping[str, Mapping[str, Any]]] = MappingProxyType(
    {
        "paper": {
            "optimizer": "adamw",
            "lr": 1e-4,
            "encoder_lr": 0.1,
            "weight_decay": 0.05,
            "head_channels": 256,
            "loss_stride": 4,
        },
        "quick": _SMALL_MASKS,
        "transfer": _SMALL_MASKS,
    }
)
"""What mask2former has in place of a preset's settings: its authors', and those for minutes on one CPU core."""
_LITE: Final = "tu-tf_efficientnet_lite0"


def make_config(flags: Mapping[str, Any], file: Path | None = None, preset: str = "paper") -> TrainConfig:
    """The settings of a run: defaults <- preset <- TOML file <- flags that are not None.

    Raises:
        CaosError: If a key, a name or a value is wrong.
    """
    if preset not in PRESETS:
        raise unknown("preset", preset, PRESETS)
    chosen = {key: value for key, value in flags.items() if value is not None}
    given = (read_toml(file) if file else {}) | chosen
    implied: dict[str, Any] = dict(PRESETS[preset])
    if given.get("model") in PAINTERS:
        implied |= _AUTOENCODER_SETTINGS
    if given.get("model") in (COMPRESSION, SUPER_RESOLUTION):
        implied["head_channels"] = _PAINTER_CHANNELS
    if given.get("model") == MASK2FORMER:
        implied |= _MASK_SETTINGS.get(preset, _MASK_SETTINGS["paper"])
    if given.get("model") not in PAINTERS and given.get("encoder_weights") == "bundled":
        implied["encoder"] = _LITE
    if preset == "quick" and given.get("init") is not None:
        implied["freeze"] = "encoder"  # what it starts from has learnt the scenes; only the head is new
    return resolve(TrainConfig, file, {k: v for k, v in implied.items() if k not in given} | chosen)


def config_from_dict(values: Mapping[str, Any], source: object) -> TrainConfig:
    """The inverse of :meth:`TrainConfig.as_dict`.

    Raises:
        CaosError: If the values are not those of a configuration; ``source`` says where they stand.
    """
    return read_record(TrainConfig, values, source)
