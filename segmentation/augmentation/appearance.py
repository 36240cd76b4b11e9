"""Looks of a training picture: Cutout, CLAHE, and the materials of the house in place of its own textures.

Cutout is DeVries and Taylor 2017 (Improved Regularization of Convolutional Neural Networks with Cutout): a grey square.
The class of a picture survives it; that of the covered pixels cannot be seen any more, so they become void. CLAHE is
contrast limited adaptive histogram equalisation (Pizer et al. 1987), which Hendrycks and Dietterich 2019 use against
corruptions; they equalise pictures when predicting, too, we only vary those of training, so that a run needs nothing
else.

``style`` stands for the stylised training of Geirhos et al. 2019 (ImageNet-trained CNNs are biased towards texture):
their style network paints with works of art, which have licences. Ours smooths the picture's own texture away, moves
its colours towards those of one of our materials (Reinhard et al. 2001, Color Transfer between Images), and lays that
material's grain over it. Outlines, and so labels, stay.
"""

from __future__ import annotations

from functools import cache
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from caos.foundation.colour import linear_to_srgb
from caos.scenes.labels import VOID

Picture = NDArray[np.uint8]
Labels = NDArray[np.uint8]

GREY: Final = (124, 116, 104)
CUTOUT_SIDES: Final = (0.15, 0.5)
"""Side of the square, as a share of the shorter side."""
CLIP_LIMITS: Final = (1.0, 4.0)
TILES: Final = (8, 8)
GRAIN: Final = (8.0, 24.0)
"""Standard deviation of a material's grain on lightness 0..255."""
MATERIAL_SIDE: Final = 192


def cut_out(picture: Picture, labels: Labels, rng: np.random.Generator) -> tuple[Picture, Labels]:
    """A picture with a grey square, void in its labels; half of them as they are."""
    if rng.random() < 0.5:
        return picture, labels
    height, width = labels.shape
    half = rng.uniform(*CUTOUT_SIDES) * min(height, width) / 2
    y, x = rng.uniform(0, height), rng.uniform(0, width)
    square = np.s_[max(round(y - half), 0) : round(y + half), max(round(x - half), 0) : round(x + half)]
    picture, labels = picture.copy(), labels.copy()
    picture[square], labels[square] = GREY, VOID
    return picture, labels


def equalise(picture: Picture, rng: np.random.Generator) -> Picture:
    """A picture whose lightness is equalised tile by tile, by a random limit; half of them as they are."""
    if rng.random() < 0.5:
        return picture
    lab = cv2.cvtColor(picture, cv2.COLOR_RGB2LAB)
    lab[..., 0] = cv2.createCLAHE(rng.uniform(*CLIP_LIMITS), TILES).apply(lab[..., 0])
    return np.asarray(cv2.cvtColor(lab, cv2.COLOR_LAB2RGB), np.uint8)


def stylise(picture: Picture, rng: np.random.Generator) -> Picture:
    """A picture in the colours and grain of one of our materials; half of them as they are."""
    if rng.random() < 0.5:
        return picture
    palette = materials()
    material = _laid_out(palette[int(rng.integers(len(palette)))], picture.shape[:2], rng)
    flat = picture
    for _ in range(2):
        flat = np.asarray(cv2.bilateralFilter(flat, 7, 45, 5), np.uint8)
    lab = cv2.cvtColor(flat, cv2.COLOR_RGB2LAB).astype(np.float32)
    style = cv2.cvtColor(material, cv2.COLOR_RGB2LAB).astype(np.float32)
    share = rng.uniform(0.3, 0.9)
    mean, spread = lab.mean((0, 1)), lab.std((0, 1)) + 1
    wanted = style.mean((0, 1)), np.maximum(style.std((0, 1)), spread / 2)
    lab = (1 - share) * lab + share * ((lab - mean) / spread * wanted[1] + wanted[0])
    grain = style[..., 0] - cv2.GaussianBlur(style[..., 0], (0, 0), 6)
    lab[..., 0] += rng.uniform(*GRAIN) * grain / (grain.std() + 1e-3)
    return np.asarray(cv2.cvtColor(np.clip(lab, 0, 255).astype(np.uint8), cv2.COLOR_LAB2RGB), np.uint8)


def _laid_out(tile: Picture, size: tuple[int, ...], rng: np.random.Generator) -> Picture:
    """A material that covers ``size``, turned, scaled and shifted at random."""
    side = max(round(tile.shape[0] * rng.uniform(0.5, 1.5)), 16)
    turned = np.rot90(cv2.resize(tile, (side, side), interpolation=cv2.INTER_AREA), int(rng.integers(4)))
    shifted = np.roll(turned, rng.integers(0, side, 2), (0, 1))
    repeats = (-(-size[0] // side), -(-size[1] // side), 1)
    return np.ascontiguousarray(np.tile(shifted, repeats)[: size[0], : size[1]])


@cache
def materials() -> tuple[Picture, ...]:
    """Our materials as sRGB tiles: woods, cloths, furs, and what streets are made of."""
    from caos.assets.mesh import Material
    from caos.assets.modelling import finishes
    from caos.assets.street import surfaces

    rng = np.random.default_rng(0)
    vivid = ((170, 40, 40), (40, 90, 170), (60, 140, 60), (210, 170, 40), (130, 60, 140), (225, 220, 210))
    made: list[Material] = [finishes.wood(rng, name) for name in ("oak", "walnut", "weathered")]
    made += [finishes.fabric(rng, colour) for colour in vivid[:4]]
    made += [finishes.striped(rng, pair) for pair in zip(vivid, vivid[2:], strict=False)]
    made += [finishes.leather(rng, vivid[0]), finishes.fur(rng, vivid[5]), finishes.fur(rng, (120, 90, 60))]
    laid = [surfaces.asphalt(), surfaces.water(), surfaces.road_line("yellow")]
    laid += [surfaces.paving(kind) for kind in surfaces.PAVINGS] + [surfaces.ground(kind) for kind in surfaces.GROUNDS]
    made += [finish.material for finish in laid]
    return tuple(_tile(one.texture) for one in made if one.texture is not None)


def _tile(texture: NDArray[np.float32]) -> Picture:
    """A linear texture in sRGB, 8 bits, square."""
    rgb = texture if texture.ndim == 3 else np.repeat(texture[..., None], 3, 2)
    encoded = (linear_to_srgb(np.clip(rgb[..., :3], 0, 1)) * 255).astype(np.uint8)
    return np.asarray(cv2.resize(encoded, (MATERIAL_SIDE, MATERIAL_SIDE), interpolation=cv2.INTER_AREA), np.uint8)
