"""Figures: appearance of a person as data (build, hair, clothes, carried objects)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal

import numpy as np

from caos.assets.mesh import Material
from caos.assets.modelling.colours import linear_color
from caos.assets.modelling.textures import fractal_noise
from caos.assets.street.people.poses import Proportions

Hair = Literal["short", "long", "bob", "bun", "ponytail", "afro", "bald", "fringe"]
Hat = Literal["none", "cap", "beanie", "brim", "hood", "scarf", "helmet", "bike_helmet", "police"]
Top = Literal["shirt", "tee", "jacket", "coat", "blouse"]
Bottom = Literal["trousers", "jeans", "shorts", "skirt", "long_skirt", "dress"]
Bag = Literal["none", "backpack", "handbag", "tote", "shoulder"]
Pattern = Literal["plain", "stripes", "check"]
Rgb = tuple[int, int, int]


@lru_cache(maxsize=512)
def cloth(color: Rgb, roughness: float = 1.0) -> Material:
    """Fabric, skin or leather of an sRGB colour; a roughness below 1 makes it glossy."""
    return Material(f"cloth {color}", linear_color(color), "diffuse" if roughness >= 1 else "plastic", roughness)


@lru_cache(maxsize=512)
def woven(color: Rgb, pattern: Pattern = "plain", second: Rgb = (228, 226, 220)) -> Material:
    """Clothing fabric with the shading of soft folds, and optional stripes or checks of a second colour."""
    size = 128
    folds = fractal_noise(size, size, np.random.default_rng(11), base=5, octaves=4)[..., None]
    base, other = (np.array(cloth(c).color, np.float32) for c in (color, second))
    row, column = np.meshgrid(np.arange(size), np.arange(size), indexing="ij")
    bands = {"plain": row < 0, "stripes": row % 8 < 3, "check": (row % 16 < 4) ^ (column % 16 < 4)}[pattern][..., None]
    texture = np.where(bands, other, base) * (0.45 + 1.1 * folds)
    return Material(f"{pattern} {color}", cloth(color).color, texture=np.clip(texture, 0, 0.9).astype(np.float32))


@dataclass(frozen=True)
class Figure:
    """One person.

    Attributes:
        height: Metres, without hat.
        female: Chooses the trunk's shape.
        girth: 1 is slim to average, 1.25 stout.
        head_share: Head's share of the height; a child's is larger.
        skin, hair_color, top_color, bottom_color, shoe_color, hat_color, bag_color: sRGB.
        hair, hat, top, bottom, bag: Kinds of hair, clothes and bag.
        inner_color: Colour of the shirt in the front of an open jacket, or None for a closed one.
        pose: Position of the arms when standing.
        stride: Length of a step relative to a brisk walk.
        vest: Colour of a safety vest, or None.
        pattern, second_color: Pattern of the top and its second colour.
    """

    height: float
    female: bool
    girth: float
    skin: Rgb
    hair_color: Rgb
    top_color: Rgb
    bottom_color: Rgb
    shoe_color: Rgb = (40, 36, 34)
    hair: Hair = "short"
    hat: Hat = "none"
    top: Top = "shirt"
    bottom: Bottom = "trousers"
    bag: Bag = "none"
    hat_color: Rgb = (40, 44, 56)
    bag_color: Rgb = (60, 44, 34)
    inner_color: Rgb | None = None
    head_share: float = 0.132
    pose: Literal["rest", "phone", "pockets", "hips", "wave"] = "rest"
    stride: float = 1.0
    vest: Rgb | None = None
    pattern: Pattern = "plain"
    second_color: Rgb = (228, 226, 220)

    @cached_property
    def frame(self) -> Proportions:
        """The lengths of the body."""
        share = 0.098 if self.female else 0.108
        if self.head_share > 0.15:
            share = 0.094
        return Proportions.of(
            self.height, shoulder=share * self.height * (0.9 + 0.1 * self.girth), head_share=self.head_share
        )

    @property
    def top_cloth(self) -> Material:
        """Material of the trunk and long sleeves."""
        if self.bottom == "dress":
            return woven(self.bottom_color, self.pattern, self.second_color)
        return woven(self.top_color, self.pattern, self.second_color)

    @property
    def bottom_cloth(self) -> Material:
        """Material of the trousers or skirt."""
        return woven(self.bottom_color, self.pattern if self.bottom == "dress" else "plain", self.second_color)

    @property
    def is_child(self) -> bool:
        """Whether the proportions are a child's."""
        return self.head_share > 0.15

    @property
    def size(self) -> float:
        """Scale of thicknesses against an adult of 1.75 m."""
        return self.height / 1.75 * (1.08 if self.is_child else 1.0)
