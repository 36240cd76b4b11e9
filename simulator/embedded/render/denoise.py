"""Taking the grain out of a path-traced image, with Intel's Open Image Denoise where it is installed."""

from __future__ import annotations

import functools
import importlib
import logging
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
LOG = logging.getLogger("caos.render")


@functools.cache
def denoiser() -> ModuleType | None:
    """The denoiser's module, or None (said once in the log) where it cannot be loaded."""
    try:
        return importlib.import_module("pyoidn")
    except (ImportError, OSError) as error:
        LOG.warning("no denoiser (%s): pictures take four times the samples and keep some grain", error)
        return None


def clamp_fireflies(radiance: Floats, factor: float = 8.0) -> Floats:
    """Radiance ``(h, w, 3)`` with the rare very bright pixels scaled down; values that are no number become 0."""
    clean = np.nan_to_num(radiance, nan=0.0, posinf=0.0, neginf=0.0)
    peak = clean.max(axis=-1)
    limit = factor * max(float(np.percentile(peak[::2, ::2], 99.5)), 1e-6)
    out: Floats = clean * np.minimum(1, limit / np.maximum(peak, 1e-9))[..., None].astype(np.float32)
    return out


def denoise(radiance: Floats, albedo: Floats, normal: Floats, quality: str) -> Floats:
    """The image without grain; unchanged where there is no denoiser. All ``(h, w, 3)`` float32."""
    module = denoiser()
    if module is None:
        return radiance
    out: Floats = module.denoise(
        np.ascontiguousarray(radiance),
        albedo=np.ascontiguousarray(albedo),
        normal=np.ascontiguousarray(normal),
        hdr=True,
        quality=quality,
    )
    return out
