"""Filming of scenes: putting one up on a simulator, looking at it, taking its pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from caos.foundation.errors import CaosError
from caos.scenes.labels import ANOMALY_PNG
from caos.scenes.layout import ACTOR_IDS_FROM
from caos.scenes.poses import GroundRectangle
from caos.scenes.scene import CameraSpec, Hazard, Scene, SceneVehicle, SceneWalker
from caos.scenes.tag_classes import png_of_tag
from caos.simulator.actor_pool import PROP, Spawn
from caos.simulator.frames import Frame
from caos.simulator.semantic_tags import table_for
from caos.simulator.session import Session

T = TypeVar("T")

VIEW_OUTPUTS = ("tags", "instances", "depth")
DARK_BELOW_DEG = 2.0
"""Vehicles have their lights on when the sun is lower."""
NIGHT_LIGHTS = 0b11
"""CARLA's flags for position lights and low beam."""


@dataclass(frozen=True, eq=False)
class Cast:
    """Who is on stage: simulator ids in the order of the scene's lists."""

    vehicles: tuple[int, ...] = ()
    walkers: tuple[int, ...] = ()
    hazards: tuple[int, ...] = ()

    @property
    def everyone(self) -> tuple[int, ...]:
        """All ids."""
        return self.vehicles + self.walkers + self.hazards


@dataclass(frozen=True, eq=False)
class SeenView:
    """A view that was put up and looked at.

    Attributes:
        scene: As the simulator admitted it.
        taken: Room on the ground that is not free.
        depth: ``(h, w)`` float32 metres.
        annotation: ``(h, w)`` uint8 PNG values.
    """

    scene: Scene
    taken: tuple[GroundRectangle, ...]
    depth: NDArray[np.float32]
    annotation: NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Recording:
    """The pictures of a scene, in the encoding of the dataset.

    Attributes:
        rgb: ``(h, w, 3)`` uint8.
        annotation: ``(h, w)`` uint8 PNG values; hazards are 14.
        instances: ``(h, w)`` uint16, see ``ACTOR_IDS_FROM``.
        depth: ``(h, w)`` float32 metres.
        twin: ``(h, w, 3)`` the same frame without hazards, or None.
    """

    rgb: NDArray[np.uint8]
    annotation: NDArray[np.uint8]
    instances: NDArray[np.uint16]
    depth: NDArray[np.float32]
    twin: NDArray[np.uint8] | None = None


def enter_town(session: Session, town: str) -> None:
    """Load a town, with its traffic lights stopped."""
    session.load_town(town)
    session.settle_traffic_lights()


def clear_stage(session: Session) -> None:
    """Remove every actor: the town is empty."""
    session.destroy_all()


def put_up(session: Session, scene: Scene) -> tuple[Scene, Cast]:
    """The scene's weather, traffic, people and hazards in its town, which must be loaded; nobody else stays.

    Who is refused, because something stands there, is left out of the scene that comes back.
    """
    clear_stage(session)
    session.set_weather(scene.weather)
    ids = session.spawn_many(_spawns(scene))
    first, second = len(scene.vehicles), len(scene.vehicles) + len(scene.walkers)
    vehicles, drivers = _admitted(scene.vehicles, ids[:first])
    walkers, feet = _admitted(scene.walkers, ids[first:second])
    hazards, things = _admitted(scene.hazards, ids[second:])
    return replace(scene, vehicles=vehicles, walkers=walkers, hazards=hazards), Cast(drivers, feet, things)


def _admitted(wanted: Sequence[T], ids: Sequence[int | None]) -> tuple[tuple[T, ...], tuple[int, ...]]:
    """Those who got an id, and their ids."""
    pairs = [(one, number) for one, number in zip(wanted, ids, strict=True) if number is not None]
    return tuple(one for one, _ in pairs), tuple(number for _, number in pairs)


def stage(session: Session, scene: Scene) -> Cast:
    """Put up a scene whole.

    Raises:
        CaosError: If something of the scene cannot be put up.
    """
    enter_town(session, scene.town)
    there, cast = put_up(session, scene)
    found = _spawns(there)
    for thing in _spawns(scene):
        if thing not in found:
            raise CaosError(f"the simulator refused {thing.blueprint} at {thing.pose.location}: something stands there")
    return cast


def _spawns(scene: Scene) -> list[Spawn]:
    dark = scene.weather.sun_altitude_angle < DARK_BELOW_DEG
    wanted = [vehicle_spawn(v, lights=NIGHT_LIGHTS if dark else 0) for v in scene.vehicles]
    wanted += [walker_spawn(w) for w in scene.walkers]
    return wanted + [hazard_spawn(h) for h in scene.hazards]


def vehicle_spawn(vehicle: SceneVehicle, lights: int = 0) -> Spawn:
    """How to ask a session for a vehicle; ``lights`` are CARLA's flags."""
    return Spawn(vehicle.blueprint, vehicle.pose, vehicle.color, lights=lights)


def walker_spawn(walker: SceneWalker) -> Spawn:
    """How to ask a session for a person."""
    return Spawn(walker.blueprint, walker.pose, walking=walker.walking)


def hazard_spawn(hazard: Hazard) -> Spawn:
    """How to ask a session for a hazard."""
    return Spawn(PROP + hazard.object, hazard.pose, scale=hazard.scale)


def capture(session: Session, camera: CameraSpec, outputs: Sequence[str]) -> Frame:
    """One frame of the stage as it is."""
    return session.capture(camera.pose, camera.width, camera.height, camera.fov_deg, outputs=tuple(outputs))


def look(session: Session, scene: Scene, taken: Sequence[GroundRectangle]) -> SeenView:
    """A view as its camera sees it, without colours."""
    scene, cast = put_up(session, scene)
    frame = capture(session, scene.camera, VIEW_OUTPUTS)
    assert frame.depth is not None
    return SeenView(scene, tuple(taken), frame.depth, decode_labels(session, frame, cast)[0])


def record(session: Session, scene: Scene) -> Recording:
    """Put up a scene and take its pictures."""
    return film(session, scene.camera, stage(session, scene))


def film(session: Session, camera: CameraSpec, cast: Cast, *, twin: bool = False) -> Recording:
    """Take the pictures of a cast on stage; for the twin its hazards have to go."""
    frame = capture(session, camera, ("rgb", *VIEW_OUTPUTS))
    assert frame.rgb is not None
    assert frame.depth is not None
    annotation, instances = decode_labels(session, frame, cast)
    clear_road = None
    if twin:
        session.destroy(cast.hazards)
        clear_road = capture(session, camera, ("rgb",)).rgb
    return Recording(frame.rgb, annotation, instances, frame.depth, clear_road)


def decode_labels(session: Session, frame: Frame, cast: Cast) -> tuple[NDArray[np.uint8], NDArray[np.uint16]]:
    """PNG values and instance ids of a frame: whatever a hazard covers is anomaly, whatever tag its asset carries.

    Raises:
        CaosError: If the simulator sent a tag that its release does not have.
    """
    assert frame.tags is not None
    annotation = png_of_tag(table_for(session.server_version))[frame.tags]
    if not annotation.all():
        wrong = int(frame.tags[annotation == 0].flat[0])
        raise CaosError(f"the simulator sent semantic tag {wrong}, which its release does not have")
    instances = np.zeros(annotation.shape, np.uint16)
    for number, actor in enumerate(cast.vehicles + cast.walkers, ACTOR_IDS_FROM):
        instances[frame.mask(actor)] = number
    masks = session.hazard_masks(frame, cast.hazards)
    for number, actor in enumerate(cast.hazards, 1):
        mask = masks[actor]
        instances[mask] = number
        annotation[mask] = ANOMALY_PNG
    return annotation, instances
