"""Filming of scenes: putting one up on a simulator, looking at it, taking its pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from caos.foundation.errors import CaosError
from caos.scenes.dataset.boxes import ActorBox, actor_boxes
from caos.scenes.generation.cast import Cast
from caos.scenes.generation.poses import GroundRectangle
from caos.scenes.labels import ANOMALY_PNG
from caos.scenes.scene import CameraSpec, Hazard, Scene, SceneVehicle, SceneWalker
from caos.scenes.sensors.lidar_labels import LabelledScan, label_scan
from caos.scenes.tag_classes import png_of_tag
from caos.simulator.actor_pool import HAZARD_ROLE, PROP, Spawn
from caos.simulator.frames import CLEARED, Frame
from caos.simulator.rig import BLUEPRINTS as CAMERAS
from caos.simulator.rig import HIDING, CameraView, Scanner
from caos.simulator.semantic_tags import table_for
from caos.simulator.session import Session
from caos.simulator.transform import Transform

T = TypeVar("T")

VIEW_OUTPUTS = ("tags", "instances", "depth")
DARK_BELOW_DEG = 2.0
"""Vehicles have their lights on when the sun is lower."""
NIGHT_LIGHTS = 0b11
"""CARLA's flags for position lights and low beam."""


@dataclass(frozen=True, eq=False)
class SeenView:
    """A view that was put up and looked at.

    Attributes:
        scene: As the simulator admitted it.
        taken: Room on the ground that is not free.
        depth: ``(h, w)`` float32 metres.
        annotation: ``(h, w)`` uint8 PNG values.
        depths: Depth as its further cameras see it, by name, if they were looked through.
    """

    scene: Scene
    taken: tuple[GroundRectangle, ...]
    depth: NDArray[np.float32]
    annotation: NDArray[np.uint8]
    depths: Mapping[str, NDArray[np.float32]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Recording:
    """The pictures of a scene, in the encoding of the dataset.

    Attributes:
        rgb: ``(h, w, 3)`` uint8.
        annotation: ``(h, w)`` uint8 PNG values; hazards are 14.
        instances: ``(h, w)`` uint16, see ``ACTOR_IDS_FROM``.
        depth: ``(h, w)`` float32 metres.
        twin: ``(h, w, 3)`` the same frame without hazards, or None.
        others: What the scene's further cameras saw, by name.
        scans: What its lidars met, by name.
        boxes: Of all actors.
        normals: ``(h, w, 3)`` float32 unit vectors of the world, zero for sky, or None.
        flow: ``(h, w, 3)`` uint16, see :mod:`caos.scenes.sequences.flow`, or None.
    """

    rgb: NDArray[np.uint8]
    annotation: NDArray[np.uint8]
    instances: NDArray[np.uint16]
    depth: NDArray[np.float32]
    twin: NDArray[np.uint8] | None = None
    others: Mapping[str, Recording] = field(default_factory=dict)
    scans: Mapping[str, LabelledScan] = field(default_factory=dict)
    boxes: tuple[ActorBox, ...] = ()
    normals: NDArray[np.float32] | None = None
    flow: NDArray[np.uint16] | None = None


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
            raise CaosError(
                f"the simulator refused {thing.blueprint} at {thing.pose.location}: something is in the way"
            )
    return cast


def restage(session: Session, shown: Scene, cast: Cast, scene: Scene) -> Cast | None:
    """Bring the actors of the scene on stage to where another one has them; None, and nothing moves, if it has others.

    So a server keeps what does not change from frame to frame of a sequence. What opens is put up anew, alone.
    """
    before, after = _spawns(shown), _spawns(scene)
    if (shown.town, shown.weather) != (scene.town, scene.weather):
        return None
    if [_what(one) for one in before] != [_what(one) for one in after]:
        return None
    pairs = list(zip(cast.everyone, before, after, strict=True))
    session.move({actor: there.pose for actor, here, there in pairs if there.pose != here.pose})
    changed = {actor: there for actor, here, there in pairs if there.open_share != here.open_share}
    if not changed:
        return cast
    session.destroy(changed)
    ids = dict(zip(changed, session.spawn_many(list(changed.values())), strict=True))
    if None in ids.values():
        return None
    return replace(cast, hazards=tuple(ids.get(actor) or actor for actor in cast.hazards))


def _what(thing: Spawn) -> Spawn:
    """A thing wherever it is, however far open."""
    return replace(thing, pose=Transform(), open_share=None)


def _spawns(scene: Scene) -> list[Spawn]:
    dark = scene.weather.sun_altitude_angle < DARK_BELOW_DEG
    wanted = [vehicle_spawn(v, lights=NIGHT_LIGHTS if dark else 0) for v in scene.vehicles]
    wanted += [walker_spawn(w) for w in scene.walkers]
    return wanted + [hazard_spawn(h) for h in scene.hazards]


def vehicle_spawn(vehicle: SceneVehicle, lights: int = 0) -> Spawn:
    """How to ask a session for a vehicle; ``lights`` are CARLA's flags."""
    return Spawn(vehicle.blueprint, vehicle.pose, vehicle.color, lights=lights, speed_mps=vehicle.speed_mps)


def walker_spawn(walker: SceneWalker) -> Spawn:
    """How to ask a session for a person."""
    return Spawn(walker.blueprint, walker.pose, walking=walker.walking)


def hazard_spawn(hazard: Hazard) -> Spawn:
    """How to ask a session for a hazard."""
    walking = hazard.motion == "crossing"
    return Spawn(
        PROP + hazard.object,
        hazard.pose,
        walking=walking,
        scale=hazard.scale,
        open_share=hazard.open_share,
        role=HAZARD_ROLE,
    )


def capture(session: Session, camera: CameraSpec, outputs: Sequence[str]) -> Frame:
    """One frame of the stage as it is."""
    lens = camera.lens
    return session.capture(camera.pose, camera.width, camera.height, camera.fov_deg, tuple(outputs), lens=lens)


def look(session: Session, scene: Scene, taken: Sequence[GroundRectangle], *, around: bool = False) -> SeenView:
    """A view as its first camera sees it, without colours; ``around`` adds what its further cameras see."""
    scene, cast = put_up(session, scene)
    frame = capture(session, scene.camera, VIEW_OUTPUTS)
    assert frame.depth is not None
    depths = _depths(session, scene) if around and scene.cameras else {}
    return SeenView(scene, tuple(taken), frame.depth, decode_labels(session, frame, cast)[0], depths)


def _depths(session: Session, scene: Scene) -> dict[str, NDArray[np.float32]]:
    frames, _ = session.capture_all([CameraView(c.pose, c.optics, ("depth",), c.name) for c in scene.cameras], [])
    return {name: frame.depth for name, frame in frames.items() if frame.depth is not None}


def record(session: Session, scene: Scene) -> Recording:
    """Put up a scene and take its pictures."""
    return film_scene(session, scene, stage(session, scene))


def film_scene(session: Session, scene: Scene, cast: Cast, *, twin: bool = False, normals: bool = False) -> Recording:
    """What all cameras and lidars of a scene see of its cast on stage, in one frame.

    For twins a server that can hides the hazards in further pictures of that frame; on others they are removed.
    """
    cleared = twin and can_clear(session)
    outputs = ("rgb", *VIEW_OUTPUTS, *(("normals",) if normals else ()), *((CLEARED,) if cleared else ()))
    every = (scene.camera, *scene.cameras)
    # The first has the name that planning looks under, so that its sensors are kept.
    views = [CameraView(c.pose, c.optics, outputs, "" if c is scene.camera else c.name) for c in every]
    scanners = [Scanner(lidar.name, lidar.pose, lidar.beams) for lidar in scene.lidars]
    frames, scans = session.capture_all(views, scanners)
    first, *others = (_decoded(session, frames[view.name], cast) for view in views)
    labelled = {name: label_scan(scan, cast, session.server_version) for name, scan in scans.items()}
    boxes = actor_boxes(session, scene, cast)
    seen = {camera.name: other for camera, other in zip(scene.cameras, others, strict=True)}
    made = replace(first, others=seen, scans=labelled, boxes=boxes)
    return _with_twins(session, made, views, cast) if twin and not cleared else made


def can_clear(session: Session) -> bool:
    """Whether cameras of the session's server can leave hazards out."""
    return session.has_attribute(CAMERAS["rgb"], HIDING)


def _with_twins(session: Session, made: Recording, views: Sequence[CameraView], cast: Cast) -> Recording:
    """The pictures of all cameras, each with its twin."""
    session.destroy(cast.hazards)
    frames, _ = session.capture_all([replace(view, outputs=("rgb",)) for view in views], [])
    others = {name: replace(seen, twin=frames[name].rgb) for name, seen in made.others.items()}
    return replace(made, twin=frames[views[0].name].rgb, others=others)


def film(session: Session, camera: CameraSpec, cast: Cast, *, twin: bool = False) -> Recording:
    """Take the pictures of a cast on stage; on servers that cannot hide hazards, they have to go for the twin."""
    cleared = twin and can_clear(session)
    seen = _decoded(session, capture(session, camera, ("rgb", *VIEW_OUTPUTS, *((CLEARED,) if cleared else ()))), cast)
    return replace(seen, twin=_without_hazards(session, camera, cast)) if twin and not cleared else seen


def _decoded(session: Session, frame: Frame, cast: Cast) -> Recording:
    assert frame.rgb is not None
    assert frame.depth is not None
    annotation, instances = decode_labels(session, frame, cast)
    return Recording(frame.rgb, annotation, instances, frame.depth, normals=frame.normals, twin=frame.cleared)


def _without_hazards(session: Session, camera: CameraSpec, cast: Cast) -> NDArray[np.uint8] | None:
    session.destroy(cast.hazards)
    return capture(session, camera, ("rgb",)).rgb


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
    masks = session.hazard_masks(frame, cast.hazards)
    for actor, number in cast.instance_ids.items():
        mask = masks[actor] if actor in masks else frame.mask(actor)
        instances[mask] = number
        if actor in masks:
            annotation[mask] = ANOMALY_PNG
    return annotation, instances
