"""Shared renderer: renders snapshots of the world for all sensors, one at a time.

The renderer is created on first use, so that a world without cameras costs nothing. Every use is serialized by a lock:
a ray cast for a client waits for an image in progress.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from caos.assets.mesh import Mesh
from caos.simulator.embedded.render.description import Camera, Hits, Images, Lamp, Placed
from caos.simulator.embedded.render.image.preview_shading import PreviewRenderer
from caos.simulator.embedded.render.quality import PREVIEW, check_quality
from caos.simulator.embedded.render.renderer import Renderer
from caos.simulator.weather import Weather

log = logging.getLogger(__name__)

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Shown:
    """A visible part of an actor at its current pose.

    Attributes:
        mesh: Builds its mesh (the same object for the same appearance). It is called lazily, because a vehicle takes
            half
            a second to build, and stepping the world must not wait for that.
        world_from_mesh: ``(4, 4)`` float64.
        tag: Semantic tag.
        instance_id: Value in instance images.
        role: The actor's ``role_name``.
    """

    mesh: Callable[[], Mesh]
    world_from_mesh: NDArray[np.float64]
    tag: int
    instance_id: int
    role: str = ""

    def placed(self) -> Placed:
        """Build its mesh and return it placed."""
        return Placed(self.mesh(), self.world_from_mesh, self.tag, self.instance_id)


@dataclass(frozen=True, eq=False)
class Snapshot:
    """Snapshot of the world: all inputs of an image besides the camera.

    Attributes:
        statics: Visible static meshes of the town.
        town_key: Changes when ``statics`` do.
        actors: Visible parts of all actors.
        lamps: Lights that are on.
        weather: The weather.
        cast: Changes when the last actor leaves; images of later actors must not depend on earlier ones.
    """

    statics: Sequence[Placed]
    town_key: str
    actors: tuple[Shown, ...]
    lamps: tuple[Lamp, ...]
    weather: Weather
    cast: int = 0


class SharedRenderer:
    """Renders images and casts rays for snapshots.

    Raises:
        CaosError: If the quality is unknown.
    """

    def __init__(self, quality: str, variant: str | None = None) -> None:
        check_quality(quality)
        self._quality, self._variant = quality, variant
        self._lock = threading.RLock()
        self._renderer: Renderer | PreviewRenderer | None = None
        self._shown: Snapshot | None = None
        self._placed: list[Placed] = []

    def render(self, snapshot: Snapshot, camera: Camera, outputs: Collection[str], hidden_role: str = "") -> Images:
        """Render a snapshot; the output ``cleared`` leaves out actors of the ``hidden_role``."""
        hidden = {actor.instance_id for actor in snapshot.actors if hidden_role and actor.role == hidden_role}
        with self._lock:
            started = time.perf_counter()
            images = self._show(snapshot).render(camera, outputs, hidden=hidden)
            log.debug("rendered %dx%d in %.4f s", camera.width, camera.height, time.perf_counter() - started)
            return images

    def prepare(self, snapshot: Snapshot) -> None:
        """Load a snapshot, if images were requested before, so that the next one starts without delay."""
        with self._lock:
            if self._renderer is not None:
                self._show(snapshot)

    def build(self, snapshot: Snapshot) -> None:
        """Load a snapshot's town, and build the meshes of its actors without placing them.

        Images do not depend on when this is called, to the last bit: the renderer is only given actors of an image that
        is being rendered.
        """
        with self._lock:
            if self._renderer is None:
                self._show(replace(snapshot, actors=(), lamps=()))
        for actor in snapshot.actors:
            self.make(actor.mesh)

    def make(self, mesh: Callable[[], Mesh]) -> None:
        """Build one mesh; the lock is released between meshes, so that an image need not wait for all of them."""
        with self._lock:
            mesh()

    def cast(self, snapshot: Snapshot, origins: Floats, directions: Floats) -> Hits:
        """First hits of rays in a snapshot."""
        with self._lock:
            return self._show(snapshot).cast(origins, directions)

    def cast_through(self, snapshot: Snapshot, start: Floats, end: Floats, most: int = 64) -> list[tuple[Floats, int]]:
        """All surfaces between two points, as pairs of point and tag, nearest first."""
        way = end - start
        length = float(np.linalg.norm(way))
        found: list[tuple[Floats, int]] = []
        if length <= 0:
            return found
        direction, travelled = way / length, 0.0
        while len(found) < most:
            hits = self.cast(snapshot, (start + direction * travelled)[None], direction[None])
            distance = float(hits.distance[0])
            if not np.isfinite(distance) or travelled + distance > length:
                break
            travelled += distance
            found.append((start + direction * travelled, int(hits.tag[0])))
            # Continue behind the surface just hit; thin objects are a few millimetres thick.
            travelled += 1e-3
        return found

    def _show(self, snapshot: Snapshot) -> Renderer | PreviewRenderer:
        renderer = self._renderer
        if renderer is None:
            renderer = PreviewRenderer() if self._quality == PREVIEW else Renderer(self._quality, self._variant)
            self._renderer = renderer
        shown = self._shown
        if snapshot is shown:
            return renderer
        is_new_town = shown is None or shown.town_key != snapshot.town_key
        is_new_cast = is_new_town or shown is None or shown.cast != snapshot.cast
        if is_new_town:
            renderer.load(snapshot.statics, snapshot.town_key)
        elif is_new_cast:
            renderer.forget_actors()
        renderer.set_weather(snapshot.weather)
        placed = self._place(snapshot.actors)
        if is_new_cast or shown is None or shown.lamps != snapshot.lamps or not same_places(self._placed, placed):
            renderer.set_actors(placed, snapshot.lamps)
            self._placed = placed
        # The renderer holds the town; a second reference would keep an old one in memory.
        self._shown = replace(snapshot, statics=())
        return renderer

    def _place(self, actors: Sequence[Shown]) -> list[Placed]:
        """Actors with their meshes; meshes of the previous snapshot are reused."""
        before = () if self._shown is None else self._shown.actors
        known = {id(actor): placed for actor, placed in zip(before, self._placed, strict=True)}
        return [known.get(id(actor)) or actor.placed() for actor in actors]


def same_places(first: Sequence[Placed], second: Sequence[Placed]) -> bool:
    """Whether two lists have the same meshes, poses and ids."""
    if len(first) != len(second):
        return False
    return all(
        a is b
        or (
            a.mesh is b.mesh
            and a.tag == b.tag
            and a.instance_id == b.instance_id
            and np.array_equal(a.world_from_mesh, b.world_from_mesh)
        )
        for a, b in zip(first, second, strict=True)
    )
