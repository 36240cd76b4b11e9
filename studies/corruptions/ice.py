"""Ice: pictures of frost, drawn: grains of parallel needles, as ice grows on glass, and ferns that grow across them.

A pane is drawn once a process, the same in every process, at two pixels for each pixel of the paper; windows are cut
from it at random.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from caos.studies.corruptions.blurring import bell_blur, streak_blur
from caos.studies.corruptions.draws import normal_layer
from caos.studies.corruptions.plasma import LARGEST_STEP, plasma

PANES: Final = 5
PANE_SIDE: Final = 1024
FINENESS: Final = 2.0
"""Pixels of a pane for one pixel of the paper."""
TINT: Final = (0.90, 0.96, 1.0)
MEAN_LIGHT: Final = 0.45
"""Every pane sends back so much of white, so that severity is a matter of the table alone."""
GRAINS: Final = 90
DIRECTIONS: Final = 9
NEEDLE_LENGTH: Final = 40
SUBPIXEL_BITS: Final = 4

Layer = NDArray[np.float32]
Segments = list[tuple[float, float, float, float, float]]
"""Lines from (x, y) to (x, y), with their brightness."""


@lru_cache(maxsize=PANES)
def frost_pane(number: int) -> NDArray[np.uint8]:
    """The brightness of one pane of frost, ``(PANE_SIDE, PANE_SIDE)``."""
    rng = np.random.default_rng((1897, number))
    coarse = plasma((LARGEST_STEP, LARGEST_STEP), 1.7, rng)
    cover = np.asarray(cv2.resize(coarse, (PANE_SIDE, PANE_SIDE), interpolation=cv2.INTER_CUBIC), np.float32)
    ferns = _drawn(_ferns(cover, rng))
    film = _needles(rng) * np.clip(cover * 1.5 - 0.1, 0.15, 1)
    light = 0.06 + 0.62 * film + 0.5 * ferns + 0.45 * bell_blur(ferns, 7.0)
    return np.asarray(np.rint(np.clip(light * (MEAN_LIGHT / light.mean()), 0, 1) * 255), np.uint8)


def _needles(rng: np.random.Generator) -> Layer:
    """Grains, each filled with needles in one direction of its own, brighter at their borders; from 0 up."""
    grains = _grains(rng)
    chosen = rng.integers(0, DIRECTIONS, GRAINS + 1)[grains]
    tones = rng.uniform(0.6, 1.1, GRAINS + 1).astype(np.float32)[grains]
    noise, needles = normal_layer(0, 1, grains.shape, rng), np.zeros(grains.shape, np.float32)
    for direction in range(DIRECTIONS):
        streaks = streak_blur(noise, NEEDLE_LENGTH / 2, 0.4 * NEEDLE_LENGTH, 180 / DIRECTIONS * direction)
        np.copyto(needles, streaks, where=chosen == direction)
    borders = bell_blur((cv2.Laplacian(grains.astype(np.float32), cv2.CV_32F) != 0).astype(np.float32), 1.0)
    filled = np.clip((0.45 + 0.28 * needles / needles.std()) * tones, 0, 1)
    return np.asarray(filled + 0.5 * borders, np.float32)


def _grains(rng: np.random.Generator) -> NDArray[np.intp]:
    """The number of the grain each point belongs to: the nearest of random points, with ragged borders."""
    seeds = np.full((PANE_SIDE, PANE_SIDE), 255, np.uint8)
    seeds[tuple(rng.integers(0, PANE_SIDE, (2, GRAINS)))] = 0
    _, nearest = cv2.distanceTransformWithLabels(seeds, cv2.DIST_L2, 5, labelType=cv2.DIST_LABEL_PIXEL)
    ragged = [60 * bell_blur(normal_layer(0, 1, seeds.shape, rng), 6.0) for _ in range(2)]
    columns = np.arange(PANE_SIDE, dtype=np.float32) + ragged[0]
    rows = np.arange(PANE_SIDE, dtype=np.float32)[:, None] + ragged[1]
    moved = cv2.remap(nearest.astype(np.float32), columns, rows, cv2.INTER_NEAREST, borderMode=cv2.BORDER_REFLECT_101)
    return np.asarray(moved, np.intp)


def frost_window(number: int, shape: tuple[int, ...], scale: float, rng: np.random.Generator) -> NDArray[np.uint8]:
    """A window of a pane, turned at random, of a picture's shape ``(h, w, 3)``; ``scale`` is the picture's.

    A window wider than the pane goes on in its mirror image.
    """
    step, turn = FINENESS / scale, rng.uniform(0, 2 * math.pi)
    corner = rng.uniform(0, PANE_SIDE, 2)
    across, down = step * math.cos(turn), step * math.sin(turn)
    flip = 1.0 if rng.random() < 0.5 else -1.0
    matrix = np.array([[across, -flip * down, corner[0]], [down, flip * across, corner[1]]])
    size = (shape[1], shape[0])
    flags = cv2.WARP_INVERSE_MAP | cv2.INTER_LINEAR
    grey = cv2.warpAffine(_reduced(number, step), matrix, size, flags=flags, borderMode=cv2.BORDER_REFLECT_101)
    return np.asarray(cv2.merge([cv2.convertScaleAbs(grey, alpha=tint) for tint in TINT]), np.uint8)


def _reduced(number: int, step: float) -> NDArray[np.uint8]:
    """The pane, blurred as far as a window that skips pixels needs."""
    return frost_pane(number) if step <= 1.5 else np.asarray(bell_blur(frost_pane(number), step / 3), np.uint8)


def _ferns(cover: Layer, rng: np.random.Generator) -> Segments:
    """Ferns from points that crowd where ``cover`` is high, the large ones first."""
    segments: Segments = []
    for count, length, level in ((40, 420.0, 2), (160, 130.0, 1)):
        for _ in range(count):
            x, y = rng.uniform(0, PANE_SIDE, 2)
            if rng.random() < 1.4 * cover[int(y), int(x)] ** 2:
                size = length * rng.uniform(0.4, 1.2)
                _grow(segments, (x, y), rng.uniform(0, 2 * math.pi), size, level, rng)
    return segments


def _grow(
    segments: Segments, start: tuple[float, float], angle: float, length: float, level: int, rng: np.random.Generator
) -> None:
    """One stem that bends a little, with branches at about 60 degrees that shorten towards its tip."""
    pieces = max(int(length / 12), 2)
    bend, (x, y) = rng.normal(0, 0.03), start
    for piece in range(pieces):
        angle += bend + rng.normal(0, 0.02)
        nx, ny = x + length / pieces * math.cos(angle), y + length / pieces * math.sin(angle)
        left = 1 - piece / pieces
        segments.append((x, y, nx, ny, (0.45 + 0.18 * level) * (0.5 + 0.5 * left)))
        if level > 0:
            for side in (-1, 1):
                reach = length * 0.42 * left * rng.uniform(0.5, 1.1)
                if reach > 5:
                    _grow(segments, (nx, ny), angle + side * rng.normal(1.0, 0.08), reach, level - 1, rng)
        x, y = nx, ny


def _drawn(segments: Segments) -> NDArray[np.float32]:
    """The lines, brighter over darker, as floats 0..1."""
    canvas = np.zeros((PANE_SIDE, PANE_SIDE), np.uint8)
    ordered = np.array(sorted(segments, key=lambda segment: segment[4]))
    points = np.rint(ordered[:, :4] * (1 << SUBPIXEL_BITS)).astype(int)
    for (x0, y0, x1, y1), light in zip(points.tolist(), ordered[:, 4].tolist(), strict=True):
        cv2.line(canvas, (x0, y0), (x1, y1), min(255 * light, 255), 2 if light > 0.6 else 1, cv2.LINE_AA, SUBPIXEL_BITS)
    return canvas.astype(np.float32) / np.float32(255)
