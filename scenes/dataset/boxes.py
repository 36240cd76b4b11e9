"""Boxes of everything that can move: in the world, in every picture, and how many points of a scan lie on each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from caos.scenes.generation.cast import Cast
from caos.scenes.scene import CameraSpec, Scene
from caos.scenes.sensors.lidar_labels import LabelledScan
from caos.scenes.sensors.rig_poses import rounded_pose
from caos.simulator.transform import Transform

if TYPE_CHECKING:
    from caos.simulator.session import Session

What = Literal["hazard", "vehicle", "person"]
CLASSES: Mapping[What, str] = {"hazard": "anomaly", "vehicle": "car", "person": "pedestrian"}
"""In StreetHazards' label table."""
TWO_WHEELED: frozenset[str] = frozenset({"motorcycle", "bicycle"})
"""CARLA's base types of vehicles whose box and instance include a rider."""


@dataclass(frozen=True)
class ActorBox:
    """The box of an actor.

    Attributes:
        instance_id: Its number in instance images.
        what: Hazard, vehicle or person.
        object: The hazard's name, or the blueprint.
        type: Of a vehicle, CARLA's base type: car, truck ...
        center: Middle and turn of the box in the world.
        size_m: Length, width and height.
    """

    instance_id: int
    what: What
    object: str
    type: str
    center: Transform
    size_m: tuple[float, float, float]

    @property
    def class_name(self) -> str:
        """The class of all its pixels; CARLA's base type of a two-wheeler, whose rider is of another class."""
        return self.type if self._is_ridden else CLASSES[self.what]

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes that its pixels have in label maps."""
        return (CLASSES["vehicle"], CLASSES["person"]) if self._is_ridden else (CLASSES[self.what],)

    @property
    def _is_ridden(self) -> bool:
        return self.what == "vehicle" and self.type in TWO_WHEELED

    @property
    def corners(self) -> NDArray[np.float64]:
        """``(8, 3)`` in the world."""
        half = np.array(list(product((-0.5, 0.5), repeat=3))) * self.size_m
        out: NDArray[np.float64] = half @ self.center.matrix[:3, :3].T + self.center.location
        return out


def actor_boxes(session: Session, scene: Scene, cast: Cast) -> tuple[ActorBox, ...]:
    """The boxes of a cast on stage: hazards, vehicles, people."""
    numbers = cast.instance_ids
    things: list[tuple[int, What, str, str, Transform]] = [
        (actor, "hazard", h.object, "hazard", h.pose) for actor, h in zip(cast.hazards, scene.hazards, strict=True)
    ]
    things += [
        (actor, "vehicle", v.blueprint, session.base_type(v.blueprint) or "car", v.pose)
        for actor, v in zip(cast.vehicles, scene.vehicles, strict=True)
    ]
    things += [
        (actor, "person", w.blueprint, "person", w.pose) for actor, w in zip(cast.walkers, scene.walkers, strict=True)
    ]
    return tuple(_box(session, numbers[actor], actor, *rest) for actor, *rest in things)  # type: ignore[arg-type]


def _box(session: Session, number: int, actor: int, what: What, name: str, kind: str, pose: Transform) -> ActorBox:
    bounds = session.bounds(actor)
    length, width, height = (round(2 * extent, 4) for extent in bounds.extent)
    center = rounded_pose(pose @ Transform(*bounds.center))
    return ActorBox(number, what, name, kind, center, (length, width, height))


def box_rows(
    boxes: Iterable[ActorBox],
    views: Sequence[tuple[CameraSpec, NDArray[np.uint16]]],
    scans: Mapping[str, LabelledScan],
) -> list[dict[str, Any]]:
    """What the manifest says of boxes; ``views`` are cameras with their instance images."""
    places = [(camera, _pixel_boxes(instances)) for camera, instances in views]
    points = {name: np.bincount(scan.instances, minlength=1) for name, scan in scans.items()}
    rows = []
    for box in boxes:
        seen = {camera.name: _seen(box, camera, found) for camera, found in places}
        counts = {name: int(own[box.instance_id]) if box.instance_id < len(own) else 0 for name, own in points.items()}
        about = {
            "class": box.class_name,
            "classes": list(box.classes),
            "type": box.type,
            "center": asdict(box.center),
            "size_m": list(box.size_m),
        }
        rows.append(
            {
                "instance_id": box.instance_id,
                "what": box.what,
                "object": box.object,
                **about,
                "seen": {name: row for name, row in seen.items() if row is not None},
                "lidar_points": counts,
            }
        )
    return rows


PixelBox = tuple[list[int], int]
"""Left, top, right, bottom (the last two outside) of an instance's pixels, and how many they are."""


def _pixel_boxes(instances: NDArray[np.uint16]) -> dict[int, PixelBox]:
    rows, columns = np.nonzero(instances)
    numbers = instances[rows, columns]
    out: dict[int, PixelBox] = {}
    for number in np.unique(numbers):
        own = numbers == number
        y, x = rows[own], columns[own]
        out[int(number)] = [int(x.min()), int(y.min()), int(x.max()) + 1, int(y.max()) + 1], int(own.sum())
    return out


def _seen(box: ActorBox, camera: CameraSpec, found: Mapping[int, PixelBox]) -> dict[str, Any] | None:
    """A box in a camera's picture; None where neither a pixel shows it nor its outline reaches into the picture."""
    outline = projected(box, camera)
    pixel_box, pixels = found.get(box.instance_id, (None, 0))
    if not pixels and (outline is None or not _reaches_in(outline, camera)):
        return None
    return {"box": pixel_box, "pixels": pixels, "outline": outline}


def projected(box: ActorBox, camera: CameraSpec) -> list[float] | None:
    """Left, top, right, bottom of a box's corners in a picture, not cut off; None where a corner cannot be seen."""
    local = (box.corners - camera.pose.location) @ camera.pose.matrix[:3, :3]
    x, y, seen = camera.optics.project(local)
    across_the_seam = camera.lens.model == "equirectangular" and np.ptp(x) > camera.width / 2
    if not seen.all() or across_the_seam:
        return None
    return [round(float(v), 2) for v in (x.min(), y.min(), x.max(), y.max())]


def _reaches_in(outline: Sequence[float], camera: CameraSpec) -> bool:
    left, top, right, bottom = outline
    return right > 0 and bottom > 0 and left < camera.width and top < camera.height
