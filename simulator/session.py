"""A session with a CARLA server: the only module that talks to one through the genuine ``carla`` client.

Real CARLA and the embedded server are driven by the same code; nothing above knows which one answered. A session gives
the server back as it found it: its cameras and actors are removed, settings, weather and town restored, also when the
process that holds the session is killed (then a guardian process does it).
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final

import carla
import numpy as np
from numpy.typing import NDArray

from foundation.errors import CaosError, unknown
from foundation.progress import SILENT, Progress
from simulator.connection import (
    CALL_PATIENCE_S,
    address,
    connect,
    look_around,
    patience,
    restore,
    town_name,
    transform_in,
    transform_out,
    weather_in,
    weather_out,
    xyz,
)
from simulator.embedded.launch import ServerProcess, start_server
from simulator.frames import OUTPUTS, Frame
from simulator.guardian import Guardian
from simulator.rig import Rig
from simulator.transform import Transform
from simulator.weather import Weather

EMBEDDED: Final = "embedded"
DELTA_S: Final = 0.05
CONNECT_PATIENCE_S: Final = 20.0
WARM_UP_TICKS: Final = 10
"""Real CARLA needs some frames after a change for its streamed textures and its automatic exposure."""
LIFT_M: Final = 0.6
"""Actors are spawned this much too high and then put in place: real CARLA refuses to spawn into the ground."""
PROP: Final = "static.prop."


@dataclass(frozen=True)
class Spawn:
    """An actor wanted at an exact place.

    Attributes:
        blueprint: CARLA's blueprint id.
        pose: World pose of its foot: the ground point below its middle.
        color: Paint as ``"r,g,b"``, where the blueprint has one.
        walking: Show a walker in mid-step.
        lights: CARLA's vehicle light flags.
    """

    blueprint: str
    pose: Transform
    color: str | None = None
    walking: bool = False
    lights: int = 0


@dataclass(frozen=True)
class Bounds:
    """An actor's box in its own frame: centre and half sizes."""

    center: tuple[float, float, float]
    extent: tuple[float, float, float]


class Session:
    """A connection to a simulator in synchronous mode; use as a context manager, made by :meth:`open`.

    Attributes:
        seconds: Waited so far for ``pictures`` (colour, and labels beside it), for ``labels`` alone, and for ``towns``,
            with the start of a server.
    """

    def __init__(
        self, client: Any, server: ServerProcess | None, guardian: Guardian | None, warm_up_ticks: int | None
    ) -> None:
        self._client, self._server, self._guardian = client, server, guardian
        self.client_version: str = client.get_client_version()
        self.server_version: str = client.get_server_version()
        self._world = client.get_world()
        self._map: Any = None
        self._library: Any = None
        self._spawned: dict[int, str] = {}
        self._bounds: dict[str, Bounds] = {}
        self._lights_are_settled = self._closed = False
        self.seconds = {"pictures": 0.0, "labels": 0.0, "towns": 0.0}
        self.is_embedded: bool = "server" in self._world.get_spectator().attributes
        self._warm_up_ticks = (0 if self.is_embedded else WARM_UP_TICKS) if warm_up_ticks is None else warm_up_ticks
        self._found = look_around(self._world)
        self._rig = Rig(client, self._world)
        self._tell_guardian()
        self._enter_synchronous_mode()

    @classmethod
    def open(
        cls,
        simulator: str = EMBEDDED,
        *,
        quality: str = "standard",
        town: str | None = None,
        library: Path | None = None,
        opendrive: Path | None = None,
        connect_patience_s: float = CONNECT_PATIENCE_S,
        warm_up_ticks: int | None = None,
        progress: Progress = SILENT,
    ) -> Session:
        """A session on the embedded server, started for it, or on the server at ``HOST:PORT``.

        Args:
            simulator: ``"embedded"`` or an address such as ``"localhost:2000"``.
            quality: Of the embedded renderer; a real server has its own.
            town: The town to begin in; None takes what is loaded (embedded: Town01).
            library: Folder of imported hazard objects, for the embedded server.
            opendrive: An OpenDRIVE file as the embedded server's town.
            connect_patience_s: How long to wait for a server at an address.
            warm_up_ticks: Ticks before each picture; None takes none on the embedded server and ten on a real one.
            progress: Told what is waited for.

        Raises:
            CaosError: If no server answers, its version does not fit, or the town is unknown.
        """
        start = time.perf_counter()
        server = guardian = None
        try:
            if simulator == EMBEDDED:
                progress.say("starting the embedded simulator")
                server = start_server(town or "Town01", quality, library, opendrive)
                host, port = "127.0.0.1", server.port
            else:
                host, port = address(simulator)
            client = connect(host, port, connect_patience_s, progress)
            guardian = Guardian.start(host, port) if server is None else None
            session = cls(client, server, guardian, warm_up_ticks)
        except BaseException:
            if guardian is not None:
                guardian.dismiss()
            if server is not None:
                server.stop()
            raise
        session.seconds["towns"] = time.perf_counter() - start
        try:
            if town is not None:
                session.load_town(town)
        except BaseException:
            session.close()
            raise
        return session

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # -- the town

    def towns(self) -> list[str]:
        """Names of the towns the server can load."""
        return sorted(name.rsplit("/", 1)[-1] for name in self._client.get_available_maps())

    @property
    def town(self) -> str:
        """The name of the loaded town."""
        return town_name(self.map)

    @property
    def map(self) -> Any:
        """The loaded town's ``carla.Map``: waypoints, lanes, crossings, spawn points."""
        if self._map is None:
            self._map = self._world.get_map()
        return self._map

    def load_town(self, name: str) -> None:
        """Change to a town; nothing happens when it is loaded already. All actors of this session go.

        Raises:
            CaosError: If the server has no such town.
        """
        if name == self.town:
            return
        if name not in self.towns():
            raise unknown("town", name, self.towns())
        self._rig.dismantle()
        self._spawned.clear()
        with patience(f"load {name}"), self._timed("towns"):
            self._world = self._client.load_world(name, reset_settings=False)
        self._map = self._library = None
        self._lights_are_settled = False
        self._rig = Rig(self._client, self._world)
        self._enter_synchronous_mode()
        self._tell_guardian()

    def prepare(self) -> None:
        """Have the server load what its town looks like, which it otherwise does for the first picture or ray."""
        with patience(f"load {self.town}"), self._timed("towns"):
            self.project_to_ground(0.0, 0.0, 1e4)

    def set_weather(self, weather: Weather) -> None:
        """Change the weather; parameters this server's CARLA does not know are left out."""
        self._world.set_weather(weather_out(weather))

    def weather(self) -> Weather:
        """The weather now."""
        return weather_in(self._world.get_weather())

    # -- what can be spawned

    def blueprints(self, pattern: str = "*") -> list[str]:
        """Ids of the blueprints that match a pattern such as ``vehicle.*``."""
        return sorted(blueprint.id for blueprint in self._blueprint_library().filter(pattern))

    def vehicles(self) -> list[str]:
        """Blueprint ids of vehicles."""
        return self.blueprints("vehicle.*")

    def walkers(self) -> list[str]:
        """Blueprint ids of pedestrians."""
        return self.blueprints("walker.pedestrian.*")

    def hazards(self) -> list[str]:
        """Names of the props the server offers: ``static.prop.<name>``."""
        return [blueprint.removeprefix(PROP) for blueprint in self.blueprints(PROP + "*")]

    def base_type(self, blueprint: str) -> str:
        """CARLA's ``base_type`` of a vehicle's blueprint (``car``, ``truck`` ...), empty when it has none."""
        found = self._blueprint(blueprint)
        return str(found.get_attribute("base_type").as_str()) if found.has_attribute("base_type") else ""

    def colors(self, blueprint: str) -> list[str]:
        """The paints a vehicle's blueprint recommends, as ``"r,g,b"``."""
        found = self._blueprint(blueprint)
        return list(found.get_attribute("color").recommended_values) if found.has_attribute("color") else []

    # -- actors

    def spawn_vehicle(self, blueprint: str, pose: Transform, *, color: str | None = None, lights: int = 0) -> int:
        """A vehicle that stands exactly at ``pose``; its actor id.

        Raises:
            CaosError: If the blueprint is unknown or something is in the way.
        """
        return self._one(Spawn(blueprint, pose, color, lights=lights))

    def spawn_walker(self, blueprint: str, pose: Transform, *, walking: bool = False) -> int:
        """A pedestrian whose feet are at ``pose``; its actor id.

        Raises:
            CaosError: If the blueprint is unknown or something is in the way.
        """
        return self._one(Spawn(blueprint, pose, walking=walking))

    def spawn_hazard(self, name: str, pose: Transform) -> int:
        """A prop by name (``static.prop.<name>``) at ``pose``; its actor id.

        Raises:
            CaosError: If the server does not offer it or something is in the way.
        """
        return self._one(Spawn(PROP + name, pose))

    def spawn_many(self, wanted: Sequence[Spawn]) -> list[int | None]:
        """Actors in one batch; their ids in the same order, None for those that did not fit.

        Raises:
            CaosError: If a blueprint is unknown.
        """
        commands = [self._spawn_command(one) for one in wanted]
        answers = self._client.apply_batch_sync(commands, False)
        ids = [None if answer.error else int(answer.actor_id) for answer in answers]
        made = {i: one for i, one in zip(ids, wanted, strict=True) if i is not None}
        self._spawned.update({i: one.blueprint for i, one in made.items()})
        self._tell_guardian()
        # now that the actors exist, their boxes say where their origin has to be
        self.move({i: one.pose for i, one in made.items()})
        return ids

    def destroy(self, ids: Iterable[int]) -> None:
        """Remove actors of this session; those that are gone already do not matter."""
        wanted = [i for i in ids if i in self._spawned]
        if wanted:
            self._client.apply_batch_sync([carla.command.DestroyActor(i) for i in wanted], False)
        for i in wanted:
            del self._spawned[i]
        self._tell_guardian()

    def destroy_all(self) -> None:
        """Remove every actor of this session."""
        self.destroy(list(self._spawned))

    def move(self, poses: dict[int, Transform]) -> None:
        """Put actors of this session at new poses of their feet, in one batch."""
        commands = [
            carla.command.ApplyTransform(i, transform_out(self._raised(self._spawned[i], i, pose)))
            for i, pose in poses.items()
        ]
        if commands:
            self._client.apply_batch_sync(commands, False)

    def bounds(self, actor_id: int) -> Bounds:
        """The box of an actor of this session, in its own frame, with its feet at z = 0."""
        blueprint = self._spawned[actor_id]
        own = self._own_bounds(blueprint, actor_id)
        return Bounds((own.center[0], own.center[1], own.center[2] + self._origin_height(blueprint, own)), own.extent)

    @property
    def actors(self) -> dict[int, str]:
        """Blueprint ids of the actors of this session, by actor id."""
        return dict(self._spawned)

    # -- the ground

    def cast_ray(
        self, start: tuple[float, float, float], end: tuple[float, float, float]
    ) -> list[tuple[tuple[float, float, float], int]]:
        """Every surface between two points: its point and semantic tag, nearest first."""
        hits = self._world.cast_ray(carla.Location(*start), carla.Location(*end))
        return [((p.location.x, p.location.y, p.location.z), int(p.label)) for p in hits]

    def project_to_ground(self, x: float, y: float, z: float, reach_m: float = 100.0) -> tuple[float, int] | None:
        """Height and semantic tag of the first surface straight below a point, or None."""
        found = self._world.project_point(carla.Location(x, y, z), carla.Vector3D(0, 0, -1), reach_m)
        return None if found is None else (float(found.location.z), int(found.label))

    # -- time and pictures

    def tick(self, count: int = 1) -> int:
        """Let the simulation go on; the last frame's number.

        Raises:
            CaosError: If the server does not answer in time.
        """
        frame = 0
        for _ in range(count):
            with patience("tick"):
                frame = self._world.tick(CALL_PATIENCE_S)
        return frame

    def capture(
        self,
        pose: Transform,
        width: int,
        height: int,
        fov_deg: float = 90.0,
        outputs: Collection[str] = OUTPUTS,
        *,
        patience_s: float = CALL_PATIENCE_S,
    ) -> Frame:
        """Tick once with a rig of cameras at ``pose`` and return what they saw in that frame.

        The rig is kept for the next capture, so that many captures of one size cost no spawning.

        Raises:
            CaosError: If an output is unknown, or a camera's picture does not come within ``patience_s``.
        """
        for output in outputs:
            if output not in OUTPUTS:
                raise unknown("output", output, OUTPUTS)
        had = self._rig.ids
        self._rig.set_up(width, height, fov_deg, outputs)
        if self._rig.ids != had:
            self._tell_guardian()
        self._rig.move(pose)
        with self._timed("pictures" if "rgb" in outputs else "labels"):
            seen = self._rig.read(self.tick(1 + self._warm_up_ticks), pose, outputs, patience_s)
        self._rig.rest()
        return seen

    def hazard_masks(self, frame: Frame, ids: Iterable[int], margin_m: float = 0.25) -> dict[int, NDArray[np.bool_]]:
        """Where each of these actors is seen in a frame, by the instance image.

        Only 16 bits of an actor's id are in the image; that no other thing shares them is checked, against the other
        actors and, when the frame has depth, against the place of every pixel.

        Raises:
            CaosError: If an id is ambiguous in this frame.
        """
        wanted = list(ids)
        self._check_unique(wanted)
        points = frame.points() if frame.depth is not None else None
        masks = {}
        for i in wanted:
            mask = frame.mask(i)
            if points is not None and mask.any() and not self._holds(i, points[mask], margin_m).all():
                raise CaosError(
                    f"frame {frame.frame}: pixels with instance number {i & 0xFFFF} lie outside actor {i}: another "
                    "object shares its 16-bit number; spawn the hazard again to give it another one"
                )
            masks[i] = mask
        return masks

    def close(self) -> None:
        """Give the server back as it was found."""
        if self._closed:
            return
        self._closed = True
        try:
            with contextlib.suppress(RuntimeError):
                self._rig.quiet()
            if self._server is None:
                with patience("be given back as it was"):
                    restore(self._client, self._found, [*self._spawned, *self._rig.ids])
        finally:
            if self._server is not None:
                self._server.stop()
            if self._guardian is not None:
                self._guardian.dismiss()

    def abandon(self) -> None:
        """Let go of a server that does not answer any more: nothing is asked of it, nothing is given back."""
        self._closed = True
        if self._server is not None:
            self._server.stop()
        if self._guardian is not None:
            self._guardian.dismiss()

    # -- inside

    @contextlib.contextmanager
    def _timed(self, what: str) -> Iterator[None]:
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[what] += time.perf_counter() - start

    def _tell_guardian(self) -> None:
        if self._guardian is not None:
            self._guardian.tell(self._found, [*self._spawned, *self._rig.ids])

    def _enter_synchronous_mode(self) -> None:
        settings = self._world.get_settings()
        settings.synchronous_mode, settings.no_rendering_mode = True, False
        settings.fixed_delta_seconds = DELTA_S
        self._world.apply_settings(settings)

    def settle_traffic_lights(self) -> None:
        """Stop the traffic lights: green along x, red along y, so that a picture does not depend on the time."""
        if self._lights_are_settled:
            return
        self._lights_are_settled = True
        for light in self._world.get_actors().filter("traffic.traffic_light*"):
            along_x = abs(np.cos(np.radians(light.get_transform().rotation.yaw))) > np.sqrt(0.5)
            light.set_state(carla.TrafficLightState.Green if along_x else carla.TrafficLightState.Red)
            light.freeze(True)

    def _blueprint_library(self) -> Any:
        if self._library is None:
            self._library = self._world.get_blueprint_library()
        return self._library

    def _blueprint(self, name: str) -> Any:
        try:
            return self._blueprint_library().find(name)
        except IndexError:
            raise unknown("blueprint", name, self.blueprints()) from None

    def _one(self, wanted: Spawn) -> int:
        (made,) = self.spawn_many([wanted])
        if made is None:
            x, y, z = wanted.pose.location
            raise CaosError(f"cannot spawn {wanted.blueprint} at ({x:.2f}, {y:.2f}, {z:.2f}): something is in the way")
        return made

    def _spawn_command(self, wanted: Spawn) -> Any:
        blueprint = self._blueprint(wanted.blueprint)
        if wanted.color is not None and blueprint.has_attribute("color"):
            blueprint.set_attribute("color", wanted.color)
        future, command = carla.command.FutureActor, carla.command
        pose = wanted.pose
        known = self._bounds.get(wanted.blueprint)
        height = (
            self._origin_height(wanted.blueprint, known) if known else (1.0 if _is_walker(wanted.blueprint) else 0.0)
        )
        lifted = Transform(pose.x, pose.y, pose.z + height + LIFT_M, *pose.rotation)
        spawn = command.SpawnActor(blueprint, transform_out(lifted)).then(command.SetSimulatePhysics(future, False))
        if wanted.lights:
            spawn = spawn.then(command.SetVehicleLightState(future, carla.VehicleLightState(wanted.lights)))
        if wanted.walking:
            forward = transform_out(pose).get_forward_vector()
            spawn = spawn.then(command.ApplyWalkerControl(future, carla.WalkerControl(forward, 1.4, False)))
        return spawn

    def _own_bounds(self, blueprint: str, actor_id: int) -> Bounds:
        if blueprint not in self._bounds:
            actor = self._actor(actor_id)
            box = actor.bounding_box
            self._bounds[blueprint] = Bounds(xyz(box.location), xyz(box.extent))
        return self._bounds[blueprint]

    def _actor(self, actor_id: int) -> Any:
        actor = self._world.get_actor(actor_id)
        if actor is None:
            raise CaosError(f"actor {actor_id} is gone from the server; another client may have removed it")
        return actor

    def _origin_height(self, blueprint: str, own: Bounds) -> float:
        """How far an actor's origin is above its feet: half its body for walkers, nothing otherwise."""
        return own.extent[2] - own.center[2] if _is_walker(blueprint) else 0.0

    def _raised(self, blueprint: str, actor_id: int, pose: Transform) -> Transform:
        if not _is_walker(blueprint):
            return pose
        height = self._origin_height(blueprint, self._own_bounds(blueprint, actor_id))
        return Transform(pose.x, pose.y, pose.z + height, *pose.rotation)

    def _check_unique(self, wanted: Sequence[int]) -> None:
        others = {actor.id for actor in self._world.get_actors()} | set(wanted)
        for i in wanted:
            same = sorted(other for other in others if other != i and other & 0xFFFF == i & 0xFFFF)
            if same:
                raise CaosError(
                    f"actors {i} and {same[0]} share the 16-bit instance number {i & 0xFFFF}; spawn the hazard again"
                )

    def _holds(self, actor_id: int, points: NDArray[np.float64], margin_m: float) -> NDArray[np.bool_]:
        """Which points lie in an actor's box."""
        actor = self._actor(actor_id)
        pose = transform_in(actor.get_transform())
        own = self._own_bounds(self._spawned.get(actor_id, actor.type_id), actor_id)
        matrix = pose.matrix
        local = (points - matrix[:3, 3]) @ matrix[:3, :3] - np.array(own.center)
        # depth is measured along the viewing axis in steps that grow with the distance
        slack = margin_m + 0.01 * np.linalg.norm(points - matrix[:3, 3], axis=1)
        inside: NDArray[np.bool_] = (np.abs(local) <= np.array(own.extent) + slack[:, None]).all(axis=1)
        return inside


def _is_walker(blueprint: str) -> bool:
    return blueprint.startswith("walker.")
