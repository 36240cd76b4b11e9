"""Attributes that a shift can change, found by name: what each takes, and how it changes a scene on a stage."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from caos.foundation.errors import CaosError, unknown
from caos.scenes.scene import Scene
from caos.scenes.shifting.change import Change

if TYPE_CHECKING:
    import numpy as np

    from caos.assets.catalogue.library import Library
    from caos.scenes.generation.planning import ViewPlanner
    from caos.scenes.shifting.exposure import Exposure
    from caos.simulator.session import Session
    from caos.simulator.transform import Transform

MODULES: Final = ("camera_changes", "hazard_changes", "town_changes", "weather_changes")


@dataclass(eq=False)
class ShiftStage:
    """Where a scene is changed.

    Attributes:
        session: The simulator.
        planner: Lanes and ground of its towns.
        library: The objects, those that were made for the shift among them.
        objects: Names of the objects that the set shows as hazards, for more of them.
        rng: The generator of this scene, which depends on its key and seed alone.
        exposure: How its picture is exposed; changes may replace it.
        camera_ground: Height of the ground under the cameras of scenes in other towns.
        notes: What else the record of the scene says.
    """

    session: Session
    planner: ViewPlanner
    library: Library
    objects: tuple[str, ...]
    rng: np.random.Generator
    exposure: Exposure
    camera_ground: Callable[[Scene], float]
    notes: dict[str, object] = field(default_factory=dict)

    def ground_below(self, pose: Transform) -> float:
        """Height of the road below a pose in the loaded town, which must be empty there.

        Raises:
            ImpossibleError: If there is none.
        """
        from caos.scenes.shifting.change import ImpossibleError

        found = self.session.project_to_ground(pose.x, pose.y, pose.z, 50.0)
        if found is None:
            raise ImpossibleError("no ground under the camera")
        return found[0]


Apply = Callable[[Scene, Change, ShiftStage], Scene]


@dataclass(frozen=True)
class ShiftAttribute:
    """Something of a scene that can be changed.

    Attributes:
        name: Such as ``camera.height_m``.
        takes: Its values, in words.
        apply: Gives the changed scene; raises ``ImpossibleError`` where it cannot be.
        check: Refuses a value that is wrong whatever the scene.
        object_suffix: For changes of the objects themselves: what the changed one's name ends with.
        keeps_ground: Whether the town that it changes to has the same ground: then it is done first.
    """

    name: str
    takes: str
    apply: Apply
    check: Callable[[Change], None]
    object_suffix: Callable[[Change], str] | None = None
    keeps_ground: bool = False


@lru_cache(maxsize=1)
def attributes() -> Mapping[str, ShiftAttribute]:
    """Every attribute by name."""
    from importlib import import_module

    found: dict[str, ShiftAttribute] = {}
    for module in MODULES:
        own: tuple[ShiftAttribute, ...] = import_module(f"caos.scenes.shifting.{module}").ATTRIBUTES
        found.update({attribute.name: attribute for attribute in own})
    return dict(sorted(found.items()))


def attribute_of(change: Change) -> ShiftAttribute:
    """The attribute that a change is of, its value checked.

    Raises:
        CaosError: If there is no such attribute, or the value is not one of its.
    """
    known = attributes()
    if change.attribute not in known:
        raise unknown("attribute of a scene", change.attribute, known)
    attribute = known[change.attribute]
    attribute.check(change)
    return attribute


def within(low: float, high: float) -> Callable[[Change], None]:
    """A check that a number that is set lies within limits; one that is added or a factor is any number."""

    def check(change: Change) -> None:
        value = change.value()
        if change.operation == "=" and not low <= value <= high:
            raise CaosError(f"--change {change}: {value:g} is not from {low:g} to {high:g}")
        if change.operation == "*=" and value <= 0:
            raise CaosError(f"--change {change}: a factor must be above 0")

    return check


def one_of(names: Callable[[], tuple[str, ...]], what: str) -> Callable[[Change], None]:
    """A check that a name is one of some."""

    def check(change: Change) -> None:
        if change.operation != "=":
            raise CaosError(f"--change {change}: {change.attribute} takes a name, with '='")
        if change.text not in names():
            raise unknown(what, change.text, names())

    return check
