"""Registry of the kinds of built-in hazards.

A kind is a function ``(variant, rng) -> Mesh`` decorated with :func:`kind`; its members are the variants
``0..count-1``. The function may place its mesh anywhere: :meth:`Kind.build` centres it on the ground.
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
    """Kind of object, such as ``sofa``, with a number of members.

    Attributes:
        name: Everyday English name; the prefix of its members' names.
        category: Name of the folder below ``assets/objects`` that defines it.
        count: Number of members.
        poses: ``upright``, and ``fallen`` if it may also lie on its side.
        module: Dotted name of the defining module, for the cache key.
        make: Function that builds a member.
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
        """Build one member at real size, upright, centred over the origin, its lowest point at z = 0."""
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
    """All built-in kinds by name, sorted by category and name. Imports every module of ``assets/objects``."""
    import caos.assets.objects

    for module in pkgutil.walk_packages(caos.assets.objects.__path__, "caos.assets.objects."):
        importlib.import_module(module.name)
    return dict(sorted(_REGISTER.items(), key=lambda item: (item[1].category, item[0])))
