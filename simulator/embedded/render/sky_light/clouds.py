"""Clouds: a layer of noise in perspective, lit by the sun."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from caos.assets.modelling.textures import fractal_noise
from caos.simulator.embedded.render.image.surface_colors import sampled

Doubles = NDArray[np.float64]
Floats = NDArray[np.float32]

TILE = 1024
# Noise texels per unit of the cloud layer's height.
SCALE = 150.0


@functools.cache
def _noise(seed: int) -> tuple[Floats, Floats]:
    """Noise for cumulus and finer, softer noise for cirrus; both tile and are equalized to quantiles in 0..1."""
    rng = np.random.default_rng(seed)
    ridged = np.abs(2 * fractal_noise(TILE, TILE, rng, base=9, octaves=6, persistence=0.55) - 1)
    patches = fractal_noise(TILE, TILE, rng, base=4, octaves=7, persistence=0.5)
    billows = patches - 0.45 * ridged / max(float(ridged.max()), 1e-6)
    wisps = fractal_noise(TILE, TILE, rng, base=3, octaves=8, persistence=0.6)
    return _flattened(billows.astype(np.float32)), _flattened(wisps)


def _flattened(noise: Floats) -> Floats:
    ranks = np.empty(noise.size, np.float32)
    ranks[np.argsort(noise, axis=None, kind="stable")] = np.linspace(0, 1, noise.size, dtype=np.float32)
    return ranks.reshape(noise.shape)


def _sample(noise: Floats, x: Floats, y: Floats) -> Floats:
    """Bilinear look-up at texel coordinates, with wrap-around."""
    half = np.float32(0.5)
    return sampled(noise, x + half, y + half)


def _smoothstep(low: float, high: float, x: Floats) -> Floats:
    t = np.clip((x - low) / (high - low), 0, 1)
    return np.asarray(t * t * (3 - 2 * t))


def cloud_layer(view: Floats, sun: Doubles, cover: float, seed: int) -> tuple[Floats, Floats]:
    """Opacity and relative brightness (about 0.45 at dark bases, 1.1 at lit rims) of clouds.

    Args:
        view: Unit directions ``(n, 3)`` above the horizon.
        sun: Unit direction towards the sun.
        cover: Share of the sky covered by clouds, 0..1.
        seed: Seed of the cloud noise.
    """
    billows, wisps = _noise(seed)
    # The +0.1 bends the layer down towards the horizon, like the curvature of the earth.
    plane: Floats = view[:, :2] / (view[:, 2:] + np.float32(0.1)) * np.float32(SCALE)
    x, y = plane[:, 0] + np.float32(371), plane[:, 1] + np.float32(143)
    thick = _sample(billows, x, y) + 0.16 * (_sample(wisps, 3.1 * x, 3.1 * y) - 0.5)
    edge = 1.0 - 1.12 * cover
    soft = 0.16 + 0.2 * cover
    opacity = _smoothstep(edge, edge + soft, thick) * _smoothstep(0.0, 0.05, view[:, 2])
    flat = sun[:2] / max(float(np.hypot(sun[0], sun[1])), 1e-6)
    towards = _sample(billows, x + np.float32(14 * flat[0]), y + np.float32(14 * flat[1]))
    relief = np.clip((thick - towards) * 1.5, -0.32, 0.32)
    depth = np.clip((thick - edge) / max(1.25 - edge, 0.3), 0, 1)
    bright = 1.04 - 0.4 * depth + relief * (1 - 0.5 * cover)
    return opacity, np.clip(bright, 0.3, 1.25)
