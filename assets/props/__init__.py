"""CARLA's props: a mesh for every ``static.prop.*`` of its library, in the size of CARLA's own.

The table ``props.toml`` lists the source of the mesh, the size, the semantic tag and whether cars collide with it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from caos.assets.mesh import Mesh, scaling
from caos.assets.modelling.assembly import rested, turned
from caos.assets.props.shapes import SHAPES
from caos.assets.street.furniture import furniture
from caos.assets.street.signs import direction_board, sign
from caos.assets.street.vegetation import flower_bed, tree
from caos.assets.tags import SemanticTag
from caos.foundation.settings import read_toml

TABLE = Path(__file__).with_name("props.toml")
Size = tuple[float, float, float]
_SIZES = ((0.3, "tiny"), (0.8, "small"), (1.5, "medium"))


@dataclass(frozen=True)
class StreetProp:
    """One of CARLA's props.

    Attributes:
        name: Blueprint id without ``static.prop.``.
        source: Kind and name of the model that it is made from.
        size_m: Length, width and height.
        tag: Semantic tag.
        is_solid: Whether it collides with cars; decals and litter do not.
    """

    name: str
    source: str
    size_m: Size
    tag: SemanticTag
    is_solid: bool

    @property
    def size_name(self) -> str:
        """CARLA's size class: tiny, small, medium or big."""
        return next((word for limit, word in _SIZES if max(self.size_m) < limit), "big")


@functools.cache
def street_props() -> dict[str, StreetProp]:
    """CARLA's props by name."""
    rows = read_toml(TABLE).items()
    return {
        name: StreetProp(name, source, (length, width, height), SemanticTag[tag], solidity == "solid")
        for name, (source, length, width, height, tag, solidity) in rows
    }


def prop_mesh(prop: StreetProp, library_mesh: Callable[[str], Mesh]) -> Mesh:
    """Build the mesh of a prop, on the ground, in its size and without tags of its own.

    Args:
        prop: The prop.
        library_mesh: Returns the mesh of a hazard object by name, for props that are one.
    """
    kind, _, name = prop.source.partition(" ")
    if kind == "shape":
        return _sized(SHAPES[name](*prop.size_m), prop.size_m).tagged(None)
    made = library_mesh(name) if kind == "object" else _street(kind, name)
    return _fitted(made, prop.size_m).tagged(None)


def _street(kind: str, name: str) -> Mesh:
    if kind == "furniture":
        which, variant = name.split()
        return furniture(which, int(variant))
    if kind == "sign":
        return sign(name)
    if kind == "board":
        return direction_board((name,))
    return tree(name) if kind == "tree" else flower_bed(2.0)


def _fitted(mesh: Mesh, size: Size) -> Mesh:
    """Scale a mesh to a size, turned by 90 degrees if its longer side is the other one."""
    x, y, _ = mesh.size_m
    if (x > y) != (size[0] > size[1]) and abs(size[0] - size[1]) > 0.1 * max(size[:2]):
        mesh = turned(mesh, "z", 90)
    return _sized(mesh, size)


def _sized(mesh: Mesh, size: Size) -> Mesh:
    factors = (wanted / max(found, 1e-6) for wanted, found in zip(size, mesh.size_m, strict=True))
    return rested(mesh.transformed(scaling(*factors)))
