"""Denoising of path-traced images with Intel's Open Image Denoise, where it is installed."""

from __future__ import annotations

import contextlib
import functools
import importlib
import logging
import sys
from collections.abc import Iterator
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
LOG = logging.getLogger("caos.render")


@functools.cache
def denoiser() -> ModuleType | None:
    """Return the denoiser's module, or None (logged once) where it cannot be loaded."""
    try:
        with _hidden("torch"):
            return importlib.import_module("pyoidn")
    except (ImportError, OSError) as error:
        LOG.warning("no denoiser (%s): images take four times the samples and keep some noise", error)
        return None


@contextlib.contextmanager
def _hidden(name: str) -> Iterator[None]:
    """Hide a package from imports: the denoiser would import torch (500 MB, seconds), which arrays do not need."""
    if name in sys.modules:
        yield
        return
    sys.modules[name] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules[name]


def clamp_fireflies(radiance: Floats, limit: float) -> Floats:
    """Scale radiance ``(h, w, 3)`` above ``limit`` down to it, and replace non-finite values by 0."""
    clean = np.nan_to_num(radiance, nan=0.0, posinf=0.0, neginf=0.0)
    peak = np.maximum(np.maximum(clean[..., 0], clean[..., 1]), clean[..., 2])
    out: Floats = clean * np.minimum(1, limit / np.maximum(peak, 1e-9))[..., None].astype(np.float32)
    return out


def denoise(radiance: Floats, albedo: Floats, normal: Floats, quality: str) -> Floats:
    """Return the denoised image, or the input where there is no denoiser. All ``(h, w, 3)`` float32."""
    module = denoiser()
    if module is None:
        return radiance
    out: Floats = module.denoise(
        np.ascontiguousarray(radiance),
        albedo=np.ascontiguousarray(albedo),
        normal=np.ascontiguousarray(normal),
        hdr=True,
        clean_aux=True,
        quality=quality,
    )
    return out
