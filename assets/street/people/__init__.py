"""Pedestrians under CARLA's walker ids."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from caos.assets.mesh import Mesh, join, translation
from caos.assets.street.people.body import build_body
from caos.assets.street.people.figures import Figure
from caos.assets.street.people.poses import BodyPose, standing, walking
from caos.assets.street.people.walkers import CAST
from caos.assets.street.people.wheelchair import dressed_to_sit, seated
from caos.assets.street.people.wheelchair import wheelchair as wheelchair_parts
from caos.assets.tags import SemanticTag
from caos.foundation.errors import unknown

WALK_PHASES = 8
STRIDE_M = 1.35

_ARMS = {
    "rest": None,
    "phone": ((16, 84, 3), (3, 10, 5)),
    "pockets": ((-8, 34, 14), (-8, 34, 14)),
    "hips": ((-20, 60, 38), (-20, 60, 38)),
    "wave": ((60, 110, 20), (3, 10, 5)),
}


@dataclass(frozen=True)
class PedestrianModel:
    """One walker.

    Attributes:
        id: CARLA's blueprint id.
        figure: Build and clothes.
        extent: Half length, width and height of the bounding box, as CARLA gives it.
    """

    id: str
    figure: Figure
    extent: tuple[float, float, float]

    @property
    def half_height(self) -> float:
        """Height of CARLA's actor origin (mid-body) above the mesh's origin (the ground), metres."""
        return self.extent[2]

    def build(self, phase: float | None = None, *, wheelchair: bool = False) -> Mesh:
        """Build the person standing (None) or at a phase in 0..1 of a walking step; origin on the ground, facing x.

        In a ``wheelchair`` the phase does not matter.

        Phases are rounded to ``WALK_PHASES`` per cycle and meshes are cached: equal phases give the same object.
        """
        if wheelchair:
            return _in_wheelchair(self.figure)
        step = None if phase is None else round((phase % 1) * WALK_PHASES) % WALK_PHASES
        return _built(self.figure, step)


@lru_cache(maxsize=64)
def _in_wheelchair(figure: Figure) -> Mesh:
    parts = [*build_body(dressed_to_sit(figure), seated(figure)), *wheelchair_parts(figure)]
    mesh = join(parts).tagged(SemanticTag.PEDESTRIAN)
    return mesh.transformed(translation(0, 0, -float(mesh.bounds[0][2])))


@lru_cache(maxsize=512)
def _built(figure: Figure, step: int | None) -> Mesh:
    mesh = join(build_body(figure, _pose(figure, step))).tagged(SemanticTag.PEDESTRIAN)
    return mesh.transformed(translation(0, 0, -float(mesh.bounds[0][2])))


def _pose(figure: Figure, step: int | None) -> BodyPose:
    if step is None:
        return standing(figure.frame, arms=_ARMS[figure.pose])
    carry = (False, figure.bag in ("handbag", "tote"))
    stride = figure.stride * (0.72 if figure.bottom == "long_skirt" else 1.0)
    return walking(figure.frame, step / WALK_PHASES, stride=stride, carry=carry)


def pedestrian(blueprint_id: str) -> PedestrianModel:
    """Return the walker with a blueprint id.

    Raises:
        CaosError: If the id is unknown.
    """
    if blueprint_id not in PEDESTRIANS:
        raise unknown("walker", blueprint_id, PEDESTRIANS)
    return PEDESTRIANS[blueprint_id]


PEDESTRIANS: dict[str, PedestrianModel] = {
    f"walker.pedestrian.{number:04d}": PedestrianModel(
        f"walker.pedestrian.{number:04d}", figure, (0.19, 0.19, round(figure.height / 2, 3))
    )
    for number, figure in CAST.items()
}
