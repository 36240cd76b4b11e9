"""Draws of noise by table: a random word picks the quantile, ten times as fast as a sampler of single values."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

WORD_VALUES: Final = 1 << 16
POISSON_STEPS: Final = 1 << 14


def words(shape: tuple[int, ...], rng: np.random.Generator) -> NDArray[np.uint16]:
    """Independent uniform words of 16 bits."""
    return rng.integers(0, WORD_VALUES, shape, np.uint16)


@lru_cache(maxsize=1)
def normal_quantiles() -> NDArray[np.float32]:
    """Standard normal values at the middles of 65536 equal shares; the outermost is 4.3."""
    from scipy.special import ndtri

    return np.asarray(ndtri((np.arange(WORD_VALUES) + 0.5) / WORD_VALUES), np.float32)


def normal_steps(deviation: float, shape: tuple[int, ...], rng: np.random.Generator) -> NDArray[np.int16]:
    """Normal noise rounded to whole numbers: added to whole numbers that is the same as rounding the sum."""
    table = np.rint(normal_quantiles() * np.float32(deviation)).astype(np.int16)
    return np.take(table, words(shape, rng))


def normal_layer(
    mean: float, deviation: float, shape: tuple[int, ...], rng: np.random.Generator
) -> NDArray[np.float32]:
    """Normal noise as floats."""
    table = normal_quantiles() * np.float32(deviation) + np.float32(mean)
    return np.take(table, words(shape, rng))


@lru_cache(maxsize=16)
def poisson_bytes(photons: float) -> NDArray[np.uint8]:
    """What a pixel becomes when white is ``photons`` expected photons: ``table[value, step]``, steps equally likely."""
    from scipy.stats import poisson

    middles = (np.arange(POISSON_STEPS) + 0.5) / POISSON_STEPS
    table = np.zeros((256, POISSON_STEPS), np.uint8)
    for value in range(1, 256):
        expected = photons * value / 255
        counts = np.arange(int(poisson.ppf(middles[-1], expected)) + 2)
        drawn = np.searchsorted(poisson.cdf(counts, expected), middles)
        table[value] = np.rint(np.minimum(drawn / photons, 1) * 255)
    return table


def poisson_noise(picture: NDArray[np.uint8], photons: float, rng: np.random.Generator) -> NDArray[np.uint8]:
    """The picture as that many photons a white pixel would show it."""
    table = poisson_bytes(photons)
    index = words(picture.shape, rng) >> np.uint16(16 - POISSON_STEPS.bit_length() + 1)
    return np.take(table.reshape(-1), picture.astype(np.int32) * POISSON_STEPS + index)
