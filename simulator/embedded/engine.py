"""Engine: steps the world on a client's tick (synchronous mode) or in real time, and publishes each frame.

In synchronous mode the world waits for its sensors: measurements are made in another thread, and the answer to the tick
call and then the world state, for which the client's ``tick()`` waits, are sent after them. Each of the two waits
hardly longer than a second: slow rendering delays images, but does not let a client time out.
"""

from __future__ import annotations

import contextlib
import logging
import queue
import struct
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import msgpack

from caos.foundation.execution.memory import give_back_memory
from caos.simulator.embedded.physics.collisions import Collision
from caos.simulator.embedded.protocol.streams import WORLD_STREAM, Buffer, Message, StreamServer
from caos.simulator.embedded.sensors import inertial, rays
from caos.simulator.embedded.sensors.cameras import KINDS as CAMERAS
from caos.simulator.embedded.sensors.cameras import send_images
from caos.simulator.embedded.sensors.job import COLLISION, SensorJob, Surroundings, header
from caos.simulator.embedded.world_state.actors import Actor, Sensor
from caos.simulator.embedded.world_state.shared_renderer import SharedRenderer
from caos.simulator.embedded.world_state.world import BODIES, DEFAULT_DELTA_S, Episode, Step, World, velocity_of

log = logging.getLogger(__name__)

CUE_PATIENCE_S = 1.2
"""Timeout in seconds after which a tick call is answered without the measurements: many clients time out after two.

A client that has its answer polls for the world state, which occupies a core. So for a client with a long timeout the
answer is delayed instead.
"""
STATE_PATIENCE_S = 1.5
"""Further delay of a world state in seconds: those clients time out two seconds after the answer to their tick call."""
FULL_PATIENCE_S = 8.0
"""The same delay when the queue of frames is full: throttles a client that never waits for its images."""
BACKLOG = 64
SLOWEST_DELTA_S = 0.2
QUIET_S = 0.05
"""Seconds without outgoing messages before a load is answered: clients have then handled the earlier ones."""
BATCH_PATIENCE_S = 2.0
"""Seconds that a load waits for a TrafficManager's next batch."""
TOLD_S = 2.0
"""Seconds after the first state of an episode until all clients have processed it, also on a busy machine."""
SUBSCRIBE_PATIENCE_S = 2.0
"""Seconds that a new episode waits for the client that loaded it to subscribe again."""
MEASURED = ("sensor.lidar.", "sensor.other.radar", "sensor.other.obstacle")
_EPISODE = struct.Struct("<Qdf3ii")


@dataclass(eq=False)
class OutgoingStep:
    """A step that is being published."""

    episode_id: int
    step: Step
    state: Message
    jobs: list[SensorJob]
    around: Surroundings | None
    lossless: bool
    deadline: float
    announced: threading.Event = field(default_factory=threading.Event)


class Engine:
    """Steps the world and publishes the results."""

    def __init__(
        self, world: World, streams: StreamServer, renderer: SharedRenderer, cue_patience_s: float = CUE_PATIENCE_S
    ) -> None:
        self._world, self._streams, self._renderer = world, streams, renderer
        self._cue_patience_s = cue_patience_s
        self._frames: queue.Queue[OutgoingStep | None] = queue.Queue()
        self._waiting: queue.Queue[OutgoingStep | None] = queue.Queue()
        self._announce_lock = threading.Lock()
        self._busy = threading.Event()
        self._wake = threading.Event()
        self._failed: set[int] = set()
        self._next: Episode | None = None
        self.is_asked_to_change = False
        self._changes = 0
        self._change_lock = threading.Lock()
        self._settled, self._withheld = threading.Event(), threading.Event()
        self._settled.set()
        self._arrived = threading.Event()
        self._closed = False
        world.spawned = self._note_arrival

    def start(self) -> None:
        """Start the threads."""
        for work in (self._publish, self._herald, self._run_free, self._prepare_pictures):
            threading.Thread(target=work, name=work.__name__.strip("_"), daemon=True).start()

    def close(self) -> None:
        """Stop after the current frame."""
        self._closed = True
        self._wake.set()
        self._arrived.set()
        self._frames.put(None)
        self._waiting.put(None)

    def cue(self) -> int:
        """Handle a client's tick call; return the number of its frame (in asynchronous mode: of the next one)."""
        self._streams.settle()
        with self._world.lock:
            self._begin_next()
            if not self._world.settings.synchronous:
                return self._world.frame + 1
            frame = self._step(self._world.settings.fixed_delta_s or DEFAULT_DELTA_S)
        frame.announced.wait(self._cue_patience_s)
        return frame.step.frame

    def change_episode(self, episode: Episode, *, has_managers: bool = False) -> None:
        """Start an episode shortly after this call returns: CARLA, too, opens a map after its answer.

        The loading client receives the id of the old episode once more, subscribes to the world again, and detects the
        change in the first state: only then does it notify its TrafficManager. In between nothing is sent to anybody.
        An asynchronous TrafficManager runs in a thread of its own, which must not access the world in between: it
        blocks on the answer to its last batch or, if it has no vehicles and sends no batches, on the settings, which it
        requests in every round (:meth:`withhold`).
        """
        with self._change_lock:
            self._changes += 1
            withholds = has_managers and not self._world.settings.synchronous
            if withholds:
                self._settled.clear()
        if withholds:
            self.is_asked_to_change = True
            self._withheld.wait(BATCH_PATIENCE_S)
        with self._world.lock:
            self._streams.hold_world()
            self._next = episode
        time.sleep(QUIET_S)
        self.is_asked_to_change = False
        threading.Thread(target=self._begin_when_awaited, args=(episode,), name="begin", daemon=True).start()

    def _begin_when_awaited(self, episode: Episode) -> None:
        self._streams.wait_for_newcomer(SUBSCRIBE_PATIENCE_S)
        with self._world.lock:
            if self._next is episode:
                self._begin_next()
        give_back_memory()

    def _begin_next(self) -> None:
        """Start the pending episode, if there is one; requires the world's lock."""
        if self._next is None:
            return
        episode, self._next = self._next, None
        try:
            self._world.begin(episode)
            self._renderer.prepare(self._world.snapshot())
        finally:
            self._streams.release_world()
            threading.Timer(TOLD_S, self._settle, (self._changes,)).start()
        self._wake.set()

    def _settle(self, change: int) -> None:
        """Release withheld answers, unless another change of the episode has begun."""
        with self._change_lock:
            if change == self._changes:
                self._withheld.clear()
                self._settled.set()

    @property
    def is_changing(self) -> bool:
        """Whether an episode is about to start, or TrafficManagers are still being notified."""
        return not self._settled.is_set()

    def withhold(self, results: list[Any]) -> list[Any]:
        """Return ``results`` once the change of the episode is complete, including changes that began meanwhile."""
        self._withheld.set()
        change = None
        while change != self._changes and not self._settled.is_set():
            change = self._changes
            self._settled.wait(BATCH_PATIENCE_S + SUBSCRIBE_PATIENCE_S + 2 * TOLD_S)
        return results

    def settings_changed(self) -> None:
        """Apply changed settings immediately."""
        self._wake.set()

    def _step(self, delta_s: float) -> OutgoingStep:
        """Make one step and queue its frame for publishing; requires the world's lock."""
        world = self._world
        lossless = world.settings.synchronous
        try:
            step = world.step(delta_s)
        except Exception:
            world.drop_lost()  # otherwise the next step fails as well
            raise
        idle = lossless or not self._busy.is_set()
        jobs = self._jobs(step) if idle else []
        around = self._surroundings(step) if any(_looks(job.sensor) for job in jobs) else None
        patience = STATE_PATIENCE_S if self._frames.qsize() < BACKLOG else FULL_PATIENCE_S
        deadline = time.monotonic() + patience + (self._cue_patience_s if lossless else 0.0)
        state = self._state(step)
        frame = OutgoingStep(world.episode_id, step, state, jobs, around, lossless, deadline)
        for job, message in self._collision_messages(step):
            self._streams.send(job.sensor.stream, message, lossless=lossless)
            if lossless:
                # Clients tick hundreds of times per second: a tick's collisions must arrive before its state.
                self._streams.flush(job.sensor.stream)
        if not jobs:
            self._enqueue_light(frame)
            return frame
        if not lossless:
            self._announce(frame)
            self._busy.set()
        self._waiting.put(frame)
        self._frames.put(frame)
        return frame

    def _enqueue_light(self, frame: OutgoingStep) -> None:
        """Publish a frame without measurements immediately, unless older ones are still queued."""
        if self._frames.empty() and not self._busy.is_set():
            self._announce(frame)
            return
        if not frame.lossless:
            self._announce(frame)
            return
        self._waiting.put(frame)
        self._frames.put(frame)

    def _state(self, step: Step) -> Message:
        world, episode = self._world, self._world.episode
        flags = int(episode.map_changed) | int(episode.lights_changed) << 1
        episode.map_changed = episode.lights_changed = False
        head = _EPISODE.pack(world.episode_id, time.time(), step.delta_s, 0, 0, 0, flags)
        states = b"".join(actor.state() for actor in step.actors)
        return header(world.release.world_state_kind, step.frame, step.time_s), head + states

    def _jobs(self, step: Step) -> list[SensorJob]:
        sensors = [
            actor for actor in step.actors if isinstance(actor, Sensor) and self._streams.has_readers(actor.stream)
        ]
        return [self._job(s, step) for s in sensors if not _is_event(s) and s.is_due(step.time_s)]

    def _job(self, sensor: Sensor, step: Step) -> SensorJob:
        return SensorJob(
            sensor,
            sensor.description.values,
            sensor.transform,
            step.frame,
            step.time_s,
            step.delta_s,
            sensor.velocity,
            sensor.angular_velocity,
        )

    def _surroundings(self, step: Step) -> Surroundings:
        bodies = [actor for actor in step.actors if actor.tags]
        return Surroundings(self._world.snapshot(), velocity_of(bodies), {a.instance_id: a.write() for a in bodies})

    def _collision_messages(self, step: Step) -> list[tuple[SensorJob, Message]]:
        if not step.collisions:
            return []
        sensors = [a for a in step.actors if isinstance(a, Sensor) and a.type_id == "sensor.other.collision"]
        messages: list[tuple[SensorJob, Message]] = []
        for sensor in sensors:
            for collision in step.collisions:
                if collision.actor.id == sensor.parent and self._streams.has_readers(sensor.stream):
                    job = self._job(sensor, step)
                    messages.append((job, (job.header(COLLISION), _pack_collision(collision))))
        return messages

    def _note_arrival(self, actor: Actor) -> None:
        """Prepare the mesh of a new visible actor, if there is a camera; requires the world's lock."""
        if _looks(actor) or (isinstance(actor, BODIES) and any(map(_looks, self._world.of_kind(Sensor)))):
            self._arrived.set()

    def _prepare_pictures(self) -> None:
        """Build meshes, and load the town for the first camera, before an image is needed."""
        while not self._closed:
            self._arrived.wait()
            self._arrived.clear()
            with self._world.lock:
                snapshot = None if self._closed or self._world.settings.no_rendering else self._world.snapshot()
            if snapshot is not None:
                try:
                    self._renderer.build(snapshot)
                except Exception:
                    log.exception("meshes for images could not be prepared")

    def _publish(self) -> None:
        """Measure and publish frames in order."""
        while not self._closed:
            frame = self._frames.get()
            if frame is None:
                return
            self._busy.set()
            try:
                self._measure(frame)
            except Exception:
                log.exception("frame %d could not be measured", frame.step.frame)
            finally:
                self._announce(frame)
                if self._frames.empty():
                    self._busy.clear()

    def _measure(self, frame: OutgoingStep) -> None:
        cameras = []
        # Checked again here: a client that stopped listening just before its tick call is noticed only after it.
        for job in (job for job in frame.jobs if self._streams.has_readers(job.sensor.stream)):
            if job.sensor.type_id in CAMERAS:
                cameras.append(job)
                continue
            with self._alone([job]):
                message = self._measurement(job, frame)
                if message is not None:
                    self._send(job, message, frame)
        if cameras and frame.around is not None and not self._world.settings.no_rendering:
            snapshot = frame.around.snapshot
            send_images(cameras, self._renderer, snapshot, lambda job, m: self._send(job, m, frame), self._alone)

    @contextlib.contextmanager
    def _alone(self, jobs: list[SensorJob]) -> Iterator[None]:
        """Isolate failures of sensors: the others of the frame are measured. Each is logged once."""
        try:
            yield
        except Exception:
            failed = {job.sensor.id for job in jobs}
            if not failed <= self._failed:
                log.exception("sensors %s cannot be measured", ", ".join(map(str, sorted(failed))))
                self._failed |= failed

    def _send(self, job: SensorJob, message: Message, frame: OutgoingStep) -> None:
        self._streams.send(job.sensor.stream, message, lossless=frame.lossless)

    def _measurement(self, job: SensorJob, frame: OutgoingStep) -> Message | None:
        kind, around = job.sensor.type_id, frame.around
        if kind == "sensor.other.gnss":
            return inertial.locate(job, self._world.episode.roads)
        if kind == "sensor.other.imu":
            return inertial.feel(job, self._world.gravity)
        if around is None:
            return None
        if kind == "sensor.other.radar":
            return rays.sweep_radar(job, self._renderer, around)
        if kind == "sensor.other.obstacle":
            return rays.detect_obstacle(job, self._renderer, around, job.sensor.parent & 0xFFFF)
        return rays.scan(job, self._renderer, around)

    def _announce(self, frame: OutgoingStep) -> None:
        """Send a frame's world state, once."""
        with self._announce_lock:
            if frame.announced.is_set():
                return
            frame.announced.set()
            if frame.episode_id != self._world.episode_id:
                # Clients would take a state of the previous episode for a state of a third one.
                return
            self._streams.send(WORLD_STREAM, frame.state, lossless=frame.lossless)

    def _herald(self) -> None:
        """Send world states, in order, whose measurements take too long."""
        while not self._closed:
            frame = self._waiting.get()
            if frame is None:
                return
            if not frame.announced.wait(max(0.0, frame.deadline - time.monotonic())):
                self._announce(frame)

    def _run_free(self) -> None:
        last = time.monotonic()
        while not self._closed:
            with self._world.lock:
                settings = self._world.settings
            if settings.synchronous:
                self._wake.wait(1.0)
                self._wake.clear()
                last = time.monotonic()
                continue
            wanted = settings.fixed_delta_s or DEFAULT_DELTA_S
            self._wake.wait(max(0.0, last + wanted - time.monotonic()))
            self._wake.clear()
            now = time.monotonic()
            delta = settings.fixed_delta_s or min(max(now - last, 1e-3), SLOWEST_DELTA_S)
            last = now
            with self._world.lock:
                if not self._world.settings.synchronous and self._next is None:
                    self._step_safely(delta)

    def _step_safely(self, delta_s: float) -> None:
        """Make one step in real time; errors are logged, and the clock continues."""
        try:
            self._step(delta_s)
        except Exception:
            log.exception("frame %d failed", self._world.frame)


def _is_event(sensor: Sensor) -> bool:
    return sensor.type_id in {"sensor.other.collision", "sensor.other.lane_invasion"}


def _looks(actor: Actor) -> bool:
    return actor.type_id in CAMERAS or actor.type_id.startswith(MEASURED)


def _pack_collision(collision: Collision) -> Buffer:
    other = collision.other
    record = rays.static_record(other.tag) if not hasattr(other, "write") else other.write()
    packed: bytes = msgpack.packb([collision.actor.write(), record, list(collision.impulse)], use_bin_type=True)
    return packed
