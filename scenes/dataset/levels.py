"""Corner-case levels of hazards, after Breitenstein and others, "Systematization of corner cases" (IV 2020).

The level is that of the knowledge it takes to call a thing unexpected: a single ``object`` that was never seen before,
something known in a place where it does not belong (``scene``), or a pattern over time (``scenario``). A hazard has the
highest level that holds for it. The two lower levels of that order are no objects: ``pixel`` are faults of the image,
such as those of ``caos study corruptions``, and ``domain`` another world, as ``caos scenes shift`` makes it.
"""

from __future__ import annotations

from typing import Final, Literal

from caos.scenes.scene import Motion

Level = Literal["pixel", "domain", "object", "scene", "scenario"]
ORDINARY_KINDS: Final = frozenset(
    {
        "barrier", "bench", "bicycle", "bin", "bollard", "branch", "bus", "bush", "car", "cone", "fallen_branch",
        "fence", "log", "motorcycle", "pedestrian", "person", "pole", "sign", "street_lamp", "traffic_cone",
        "traffic_light", "traffic_sign", "train", "tree", "tree_trunk", "truck", "van", "wall",
    }
)  # fmt: skip
"""Kinds of things that ordinary streets show too, elsewhere: as a hazard they are out of place, not unknown."""


def level_of(kind: str, motion: Motion) -> Level:
    """The level of a hazard of some kind that moves so.

    >>> level_of("sofa", "still"), level_of("log", "still"), level_of("cow", "crossing")
    ('object', 'scene', 'scenario')
    """
    if motion != "still":
        return "scenario"
    return "scene" if kind in ORDINARY_KINDS else "object"
