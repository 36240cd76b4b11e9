"""Session with a CARLA server through the genuine ``carla`` client: the only interface to a server.

Its parts are :mod:`.connection` (connect, check, restore), :mod:`.actor_pool` (actors) and :mod:`.rig` (cameras). The
same code drives real CARLA and the embedded server; callers need not distinguish them. A session restores the server:
its cameras and actors are removed, settings, weather and town are reset, also when the session's process is killed
(then by a guardian process).
"""

from __future__ import annotations

import contextlib
import tempfile
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final

import carla
import numpy as np
from numpy.typing import NDArray

from caos.foundation.errors import LostError, unknown
from caos.foundation.execution.progress import SILENT, Progress
from caos.simulator.actor_pool import HAZARD_ROLE, PROP, ActorPool, Bounds, Spawn
from caos.simulator.connection import (
    CALL_PATIENCE_S,
    LossReporting,
    address,
    connect,
    restore,
    server_state,
    town_name,
    transform_in,
    weather_in,
    weather_out,
)
from caos.simulator.embedded.launch import ServerProcess, serve
from caos.simulator.frames import ALL_OUTPUTS, CLEARED, OUTPUTS, Frame
from caos.simulator.guardian import Guardian
from caos.simulator.lens import PINHOLE, Lens, Optics
from caos.simulator.lidar import LidarScan
from caos.simulator.rig import CameraView, Rig, Scanner
from caos.simulator.town_files import opendrive_of
from caos.simulator.transform import Transform
from caos.simulator.weather import Weather

EMBEDDED: Final = "embedded"
FIRST_TOWN: Final = "Town01"
DELTA_S: Final = 0.05
CUE_PATIENCE_S: Final = CALL_PATIENCE_S / 2
"""Timeout of tick calls of an own embedded server, which answers when the images are ready; until then they block."""
CONNECT_PATIENCE_S: Final = 20.0
WARM_UP_TICKS: Final = 10
"""Frames that real CARLA needs after a change for streamed textures and automatic exposure."""


class Session:
    """A connection to a simulator in synchronous mode; use as a context manager, made by :meth:`open`.

    Attributes:
        seconds: Wall time so far waiting for ``pictures`` (colour, and labels rendered with it), for ``labels`` alone,
            and for ``towns`` (including the start of a server).
        processor: The same in CPU seconds, see :attr:`processor_s`.
    """

    def __init__(
        self, client: LossReporting, server: ServerProcess | None, guardian: Guardian | None, warm_up_ticks: int | None
    ) -> None:
        self._client, self._server, self._guardian = client, server, guardian
        self.client_version: str = client.get_client_version()
        self.server_version: str = client.get_server_version()
        self._world = LossReporting(client.get_world())
        self._map: Any = None
        self._asked_for: str | None = None
        self._bounds: dict[str, Bounds] = {}
        self._lights_are_settled = self._closed = False
        self.seconds = {"pictures": 0.0, "labels": 0.0, "towns": 0.0}
        self.processor = dict(self.seconds)
        self.is_embedded: bool = "server" in self._world.get_spectator().attributes
        self._warm_up_ticks = (0 if self.is_embedded else WARM_UP_TICKS) if warm_up_ticks is None else warm_up_ticks
        self._found = server_state(self._world)
        self._reset_actors_and_rig()
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
        """Open a session on a new embedded server, or on the server at ``HOST:PORT``.

        Args:
            simulator: ``"embedded"`` or an address such as ``"localhost:2000"``.
            quality: Quality of the embedded renderer; a real server has its own.
            town: The first town; None keeps the loaded one (embedded: Town01).
            library: Folder of imported hazard objects, for the embedded server.
            opendrive: OpenDRIVE file for the embedded server's town, instead of ``town``.
            connect_patience_s: Timeout in seconds for a server at an address.
            warm_up_ticks: Ticks before each image; None means none on the embedded server and ten on a real one.
            progress: Reports waits.

        Raises:
            CaosError: If no server answers, its version does not match, or the town is unknown.
        """
        start, used = time.perf_counter(), time.process_time()
        server = guardian = None
        try:
            if simulator == EMBEDDED:
                progress.say("starting the embedded simulator")
                server = _start_embedded(town, quality, library, opendrive)
                host, port = "127.0.0.1", server.port
            else:
                host, port = address(simulator)
            client = connect(host, port, connect_patience_s, progress)
            guardian = Guardian.start(host, port) if server is None else None
            session = cls(client, server, guardian, warm_up_ticks)
            if server is not None and opendrive is None:
                session._asked_for = town
        except BaseException:
            if guardian is not None:
                guardian.dismiss()
            if server is not None:
                server.stop()
            raise
        session.seconds["towns"], session.processor["towns"] = time.perf_counter() - start, session.processor_s - used
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

    @property
    def server_pid(self) -> int | None:
        """Process id of the embedded server that was started for this session; None for a server at an address."""
        return None if self._server is None else self._server.pid

    @property
    def processor_s(self) -> float:
        """CPU seconds so far, of this process and of the server that was started for this session."""
        return time.process_time() + (0.0 if self._server is None else self._server.processor_s)

    # -- the town

    def towns(self) -> list[str]:
        """Return the names of the towns that the server can load."""
        return sorted(name.rsplit("/", 1)[-1] for name in self._client.get_available_maps())

    @property
    def town(self) -> str:
        """The name of the loaded town, or the file it was loaded from."""
        return self._asked_for or town_name(self.map)

    @property
    def map(self) -> Any:
        """The loaded town's ``carla.Map``: waypoints, lanes, crossings, spawn points."""
        if self._map is None:
            self._map = self._world.get_map()
        return self._map

    def load_town(self, name: str) -> None:
        """Load a town, unless it is loaded already. All actors of this session are removed.

        Args:
            name: A town of the server, or a plan (``./plan.toml``) or OpenDRIVE file (``./city.xodr``).

        Raises:
            CaosError: If the server does not have the town, or the file is invalid.
        """
        if name == self.town:
            return
        text = opendrive_of(name)
        if text is None and name not in self.towns():
            raise unknown("town", name, self.towns())
        self._rig.dismantle()
        with self._timed("towns"):
            self._world = LossReporting(self._load_world(name, text))
        self._map, self._asked_for = None, name
        self._lights_are_settled = False
        self._reset_actors_and_rig()
        self._enter_synchronous_mode()

    def lane_ahead(self, x: float, y: float, z: float, length_m: float, step_m: float = 1.0) -> list[Transform]:
        """Poses along the centre of the driving lane nearest to a point, from there on; straight on at junctions.

        The list ends early where the lane does.
        """
        waypoint = self.map.get_waypoint(carla.Location(x, y, z))
        poses: list[Transform] = []
        for _ in range(int(length_m / step_m) + 1):
            if waypoint is None:
                break
            poses.append(transform_in(waypoint.transform))
            yaw_deg = poses[-1].yaw_deg
            waypoint = min(waypoint.next(step_m), key=lambda w: _turn(w, yaw_deg), default=None)
        return poses

    def prepare(self) -> None:
        """Let the server load the town's geometry, which it otherwise does for the first image or ray."""
        with self._timed("towns"):
            self.project_to_ground(0.0, 0.0, 1e4)

    def set_weather(self, weather: Weather) -> None:
        """Set the weather; parameters unknown to this server's CARLA are left out."""
        self._world.set_weather(weather_out(weather))

    def weather(self) -> Weather:
        """Return the current weather."""
        return weather_in(self._world.get_weather())

    # -- actors

    def blueprints(self, pattern: str = "*") -> list[str]:
        """Return the ids of blueprints that match a pattern such as ``vehicle.*``."""
        return self._pool.blueprints(pattern)

    def vehicles(self) -> list[str]:
        """Return the blueprint ids of vehicles."""
        return self.blueprints("vehicle.*")

    def walkers(self) -> list[str]:
        """Return the blueprint ids of pedestrians."""
        return self.blueprints("walker.pedestrian.*")

    def hazards(self) -> list[str]:
        """Return the names of the props that the server offers: ``static.prop.<name>``."""
        return [blueprint.removeprefix(PROP) for blueprint in self.blueprints(PROP + "*")]

    def base_type(self, blueprint: str) -> str:
        """Return CARLA's ``base_type`` of a vehicle blueprint (``car``, ``truck`` ...), empty if it has none."""
        return self._pool.base_type(blueprint)

    def has_attribute(self, blueprint: str, attribute: str) -> bool:
        """Whether a blueprint has an attribute of that name, such as ``scale``."""
        return self._pool.has_attribute(blueprint, attribute)

    def colors(self, blueprint: str) -> list[str]:
        """Return the recommended paints of a vehicle blueprint, as ``"r,g,b"``."""
        return self._pool.colors(blueprint)

    def spawn_vehicle(self, blueprint: str, pose: Transform, *, color: str | None = None, lights: int = 0) -> int:
        """Spawn a vehicle exactly at ``pose`` and return its actor id.

        Raises:
            CaosError: If the blueprint is unknown or the place is occupied.
        """
        return self._pool.spawn_one(Spawn(blueprint, pose, color, lights=lights))

    def spawn_walker(self, blueprint: str, pose: Transform, *, walking: bool = False) -> int:
        """Spawn a pedestrian with its feet at ``pose`` and return its actor id.

        Raises:
            CaosError: If the blueprint is unknown or the place is occupied.
        """
        return self._pool.spawn_one(Spawn(blueprint, pose, walking=walking))

    def spawn_hazard(self, name: str, pose: Transform) -> int:
        """Spawn a prop by name (``static.prop.<name>``) at ``pose`` and return its actor id.

        Raises:
            CaosError: If the server does not offer it or the place is occupied.
        """
        return self._pool.spawn_one(Spawn(PROP + name, pose, role=HAZARD_ROLE))

    def spawn_many(self, wanted: Sequence[Spawn]) -> list[int | None]:
        """Spawn actors in one batch; return their ids in the same order, None for those that did not fit.

        Raises:
            CaosError: If a blueprint is unknown.
        """
        return self._pool.spawn_many(wanted)

    def destroy(self, ids: Iterable[int]) -> None:
        """Remove actors of this session; ids that no longer exist are ignored."""
        self._pool.destroy(ids)

    def destroy_all(self) -> None:
        """Remove every actor of this session."""
        self._pool.destroy(self.actors)

    def move(self, poses: Mapping[int, Transform]) -> None:
        """Move actors of this session to new foot poses, in one batch."""
        self._pool.move(poses)

    def bounds(self, actor_id: int) -> Bounds:
        """Return the bounding box of an actor of this session in its own frame, with its feet at z = 0."""
        return self._pool.bounds(actor_id)

    def hazard_masks(self, frame: Frame, ids: Iterable[int]) -> dict[int, NDArray[np.bool_]]:
        """Return the pixel mask of each of these actors; see :meth:`.actor_pool.ActorPool.hazard_masks`.

        Raises:
            CaosError: If an id is ambiguous in this frame.
        """
        return self._pool.hazard_masks(frame, ids)

    @property
    def actors(self) -> dict[int, str]:
        """Return the blueprint ids of this session's actors, by actor id."""
        return dict(self._pool.spawned)

    # -- the ground

    def cast_ray(
        self, start: tuple[float, float, float], end: tuple[float, float, float]
    ) -> list[tuple[tuple[float, float, float], int]]:
        """Return all surfaces between two points as pairs of point and semantic tag, nearest first."""
        hits = self._world.cast_ray(carla.Location(*start), carla.Location(*end))
        return [((p.location.x, p.location.y, p.location.z), int(p.label)) for p in hits]

    def project_to_ground(self, x: float, y: float, z: float, reach_m: float = 100.0) -> tuple[float, int] | None:
        """Return height and semantic tag of the first surface straight below a point, or None."""
        found = self._world.project_point(carla.Location(x, y, z), carla.Vector3D(0, 0, -1), reach_m)
        return None if found is None else (float(found.location.z), int(found.label))

    def is_open(self, start: tuple[float, float, float], direction: tuple[float, float, float], reach_m: float) -> bool:
        """Whether a ray hits nothing within ``reach_m``; cheaper than listing all surfaces."""
        found = self._world.project_point(carla.Location(*start), carla.Vector3D(*direction), reach_m)
        return found is None

    # -- time and images

    def tick(self, count: int = 1) -> int:
        """Advance the simulation by ``count`` ticks; return the last frame's number.

        Raises:
            CaosError: If the server does not answer in time.
        """
        frame = 0
        for _ in range(count):
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
        lens: Lens = PINHOLE,
        patience_s: float = CALL_PATIENCE_S,
    ) -> Frame:
        """Tick once with a rig of cameras at ``pose`` and return the images of that frame.

        The rig is kept for the next capture, so that captures of the same size do not spawn cameras again.

        Raises:
            CaosError: If an output is unknown, or a camera's image does not arrive within ``patience_s``.
        """
        view = CameraView(pose, Optics(width, height, fov_deg, lens), tuple(outputs))
        return self.capture_all([view], patience_s=patience_s)[0][view.name]

    def capture_all(
        self, views: Sequence[CameraView], scanners: Sequence[Scanner] = (), *, patience_s: float = CALL_PATIENCE_S
    ) -> tuple[dict[str, Frame], dict[str, LidarScan]]:
        """Tick once with several views and lidars, and return the measurements of that frame, by name.

        Raises:
            CaosError: If an output is unknown, the server does not support a lens or a lidar, or a measurement does not
                arrive within ``patience_s``.
        """
        for output in (output for view in views for output in view.outputs):
            if output not in ALL_OUTPUTS:
                raise unknown("output", output, ALL_OUTPUTS)
        had = self._rig.ids
        self._rig.set_up(views, scanners, DELTA_S)
        if self._rig.ids != had:
            self._update_guardian()
        self._rig.move(views, scanners)
        with self._timed("pictures" if any({"rgb", CLEARED} & {*view.outputs} for view in views) else "labels"):
            patience_s *= max(len(views) + len(scanners), 1)
            seen = self._rig.read(self.tick(1 + self._warm_up_ticks), views, scanners, patience_s)
        self._rig.rest()
        return seen

    def close(self) -> None:
        """Restore the server to its original state, and stop an own one."""
        if self._closed:
            return
        self._closed = True
        try:
            with contextlib.suppress(LostError):
                self._rig.quiet()
            if self._server is None:
                restore(self._client, self._found, [*self.actors, *self._rig.ids])
        finally:
            if self._server is not None:
                self._server.stop()
            if self._guardian is not None:
                self._guardian.dismiss()

    def abandon(self) -> None:
        """Drop a server that no longer answers, without any further calls and without restoring it."""
        self._closed = True
        if self._server is not None:
            self._server.stop()
        if self._guardian is not None:
            self._guardian.dismiss()

    # -- inside

    @contextlib.contextmanager
    def _timed(self, what: str) -> Iterator[None]:
        start, used = time.perf_counter(), self.processor_s
        try:
            yield
        finally:
            self.seconds[what] += time.perf_counter() - start
            self.processor[what] += self.processor_s - used

    def _update_guardian(self) -> None:
        if self._guardian is not None:
            self._guardian.update(self._found, [*self.actors, *self._rig.ids])

    def _reset_actors_and_rig(self) -> None:
        """Reset actor pool and rig for a newly loaded world."""
        self._rig = Rig(self._client, self._world)
        self._pool = ActorPool(self._client, self._world, self._bounds, self._update_guardian)
        self._update_guardian()

    def _load_world(self, name: str, opendrive: str | None) -> Any:
        if opendrive is None:
            return self._client.load_world(name, reset_settings=False)
        return self._client.generate_opendrive_world(opendrive, carla.OpendriveGenerationParameters(), False)

    def _enter_synchronous_mode(self) -> None:
        settings = self._world.get_settings()
        settings.synchronous_mode, settings.no_rendering_mode = True, False
        settings.fixed_delta_seconds = DELTA_S
        self._world.apply_settings(settings)

    def settle_traffic_lights(self) -> None:
        """Freeze the traffic lights, green along x and red along y, so that images do not depend on the time."""
        if self._lights_are_settled:
            return
        self._lights_are_settled = True
        for light in map(LossReporting, self._world.get_actors().filter("traffic.traffic_light*")):
            along_x = abs(np.cos(np.radians(light.get_transform().rotation.yaw))) > np.sqrt(0.5)
            light.set_state(carla.TrafficLightState.Green if along_x else carla.TrafficLightState.Red)
            light.freeze(True)


def _turn(waypoint: Any, yaw_deg: float) -> tuple[float, int, int]:
    """Key for sorting waypoints: difference between lane direction and ``yaw_deg``, then the lane's ids."""
    turn = abs((float(waypoint.transform.rotation.yaw) - yaw_deg + 180) % 360 - 180)
    return round(turn, 3), int(waypoint.road_id), int(waypoint.lane_id)


def _start_embedded(town: str | None, quality: str, library: Path | None, opendrive: Path | None) -> ServerProcess:
    """Start an embedded server in one of its own towns or in a town from a file."""
    text = None if town is None or opendrive is not None else opendrive_of(town)
    if text is None:
        return serve(town or FIRST_TOWN, quality, library, opendrive, cue_patience_s=CUE_PATIENCE_S)
    with tempfile.TemporaryDirectory(prefix="caos-town-") as folder:
        file = Path(folder) / "town.xodr"
        file.write_text(text, encoding="utf-8")
        return serve(quality=quality, library=library, opendrive=file, cue_patience_s=CUE_PATIENCE_S)
