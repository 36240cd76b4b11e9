"""Kinds of built-in hazards: their register, one function each, found by name.

A kind is a function ``(variant, rng) -> Mesh`` decorated with :func:`kind`; its members are the variants
``0..count-1``. The function may build anywhere: the register centres the result on the ground.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
import zlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from caos.assets.mesh import Mesh
from caos.assets.modelling.assembly import rested, tidied

Maker = Callable[[int, np.random.Generator], Mesh]


@dataclass(frozen=True)
class Kind:
    """A family of objects that share a name.

    Attributes:
        name: What a stranger would call it; also the start of its members' names.
        category: The folder of ``assets/objects`` it is defined in.
        count: Number of members.
        poses: ``upright``, and ``fallen`` when it may also lie on its side.
        module: Where it is defined, for the cache key.
        make: The function behind it.
    """

    name: str
    category: str
    count: int
    poses: tuple[str, ...]
    module: str
    make: Maker

    def members(self) -> tuple[str, ...]:
        """Names of all members, such as ``sofa_01``."""
        return tuple(f"{self.name}_{i + 1:02d}" for i in range(self.count))

    def build(self, variant: int) -> Mesh:
        """One member at real size, upright, centred over the origin and touching the plane z = 0."""
        rng = np.random.default_rng([zlib.crc32(self.name.encode()), variant])
        return rested(tidied(self.make(variant, rng)))


_REGISTER: dict[str, Kind] = {}


def kind(count: int, *, fallen: bool = False) -> Callable[[Maker], Maker]:
    """Register the decorated function as a kind of ``count`` members.

    The kind is named after the function, its category after the folder of the function's file.
    """

    def register(make: Maker) -> Maker:
        name, category = make.__name__, make.__module__.split(".")[-2]
        poses = ("upright", "fallen") if fallen else ("upright",)
        _REGISTER[name] = Kind(name, category, count, poses, make.__module__, make)
        return make

    return register


@functools.cache
def kinds() -> dict[str, Kind]:
    """Every built-in kind by name, in the order of categories and names."""
    import caos.assets.objects

    for module in pkgutil.walk_packages(caos.assets.objects.__path__, "caos.assets.objects."):
        importlib.import_module(module.name)
    return dict(sorted(_REGISTER.items(), key=lambda item: (item[1].category, item[0])))
