"""Collisions of vehicles with actors and obstacles: detection, separation and impulses."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from caos.simulator.embedded.physics.boxes import Footprint, Grid, footprint, separation
from caos.simulator.embedded.protocol.wire import Vector
from caos.simulator.embedded.world_state.actors import Actor, Prop, Vehicle, Walker

BOUNCE = 0.1
WALKER_MASS_KG = 75.0
KERB_M = 0.35
"""Objects lower than this are driven over."""


@dataclass(frozen=True)
class Obstacle:
    """An object of the town that stops a vehicle: semantic tag and footprint."""

    tag: int
    footprint: Footprint


@dataclass(frozen=True)
class Collision:
    """``actor`` hit ``other`` (an actor, or an obstacle's tag) with an impulse on ``actor`` in newton seconds."""

    actor: Actor
    other: Actor | Obstacle
    impulse: Vector


class Obstacles:
    """Spatial index of a town's obstacles."""

    def __init__(self, obstacles: Iterable[Obstacle] = ()) -> None:
        self._all = list(obstacles)
        self._grid = Grid((k, obstacle.footprint) for k, obstacle in enumerate(self._all))

    def near(self, item: Footprint) -> list[Obstacle]:
        """Obstacles that may overlap a footprint."""
        return [self._all[key] for key, _ in self._grid.near(item)]


def collide(actors: Sequence[Actor], obstacles: Obstacles, delta_s: float) -> list[Collision]:
    """Detect and resolve collisions of moving vehicles with solid actors and obstacles, ordered by actor id.

    ``delta_s`` is the duration of the step.
    """
    movers = [a for a in actors if isinstance(a, Vehicle) and a.physics and a.collides and a.velocity[:2] != (0.0, 0.0)]
    if not movers:
        return []
    solid: dict[int, Actor] = {
        a.id: a for a in actors if isinstance(a, (Vehicle, Walker, Prop)) and a.collides and not a.parent
    }
    grid = Grid((a.id, footprint(a.transform, a.box)) for a in solid.values())
    events: list[Collision] = []
    done: set[tuple[int, int]] = set()
    for mover in movers:
        events += _meet_actors(mover, solid, grid, done)
        events += _meet_obstacles(mover, obstacles, delta_s)
    return events


def blocked(item: Footprint, actors: Iterable[Actor]) -> bool:
    """Whether a new actor's footprint overlaps a solid actor."""
    for actor in actors:
        if not (isinstance(actor, (Vehicle, Walker, Prop)) and actor.collides and not actor.parent):
            continue
        pose, box = actor.transform, actor.box
        reach = item.reach + sum(box.extent[:2]) + abs(box.center[0]) + abs(box.center[1])
        # Most actors are far away, and a town may hold hundreds.
        if abs(pose.x - item.x) > reach or abs(pose.y - item.y) > reach:
            continue
        if separation(item, footprint(pose, box)) is not None:
            return True
    return False


def _meet_actors(mover: Vehicle, solid: dict[int, Actor], grid: Grid, done: set[tuple[int, int]]) -> list[Collision]:
    events = []
    own = footprint(mover.transform, mover.box, KERB_M)
    for key, _ in grid.near(own):
        pair = (min(key, mover.id), max(key, mover.id))
        other = solid[key]
        if key == mover.id or pair in done:
            continue
        shift = separation(footprint(mover.transform, mover.box, KERB_M), footprint(other.transform, other.box))
        if shift is None:
            continue
        done.add(pair)
        impulse = _resolve(mover, other, shift)
        events.append(Collision(mover, other, impulse))
        events.append(Collision(other, mover, (-impulse[0], -impulse[1], -impulse[2])))
    return events


def _meet_obstacles(mover: Vehicle, obstacles: Obstacles, delta_s: float) -> list[Collision]:
    events = []
    moved = mover.velocity[0] * delta_s, mover.velocity[1] * delta_s
    for obstacle in obstacles.near(footprint(mover.transform, mover.box, KERB_M)):
        # At its current pose: earlier collisions of this step have already pushed it back.
        shift = separation(footprint(mover.transform, mover.box, KERB_M), obstacle.footprint, moved)
        if shift is None:
            continue
        nx, ny = _unit(shift)
        approach = mover.velocity[0] * nx + mover.velocity[1] * ny
        _move(mover, shift, 1.0)
        if approach >= 0:
            continue
        _push(mover, nx, ny, -(1 + BOUNCE) * approach)
        size = -(1 + BOUNCE) * approach * mover.mass_kg
        events.append(Collision(mover, obstacle, (nx * size, ny * size, 0.0)))
    return events


def _resolve(mover: Vehicle, other: Actor, shift: tuple[float, float]) -> Vector:
    """Separate two actors and exchange momentum; return the impulse on the mover."""
    nx, ny = _unit(shift)
    heavy, light = 1.0 / mover.mass_kg, _lightness(other)
    approach = (mover.velocity[0] - other.velocity[0]) * nx + (mover.velocity[1] - other.velocity[1]) * ny
    share = heavy / (heavy + light)
    _move(mover, shift, share)
    if light:
        _move(other, (-shift[0], -shift[1]), 1.0 - share)
    if approach >= 0:
        return (0.0, 0.0, 0.0)
    size = -(1 + BOUNCE) * approach / (heavy + light)
    _push(mover, nx, ny, size * heavy)
    if isinstance(other, Vehicle) and light:
        _push(other, -nx, -ny, size * light)
    return (nx * size, ny * size, 0.0)


def _lightness(actor: Actor) -> float:
    """Inverse mass; zero for an immovable actor."""
    if isinstance(actor, Vehicle) and actor.physics:
        return 1.0 / actor.mass_kg
    return 1.0 / WALKER_MASS_KG if isinstance(actor, Walker) else 0.0


def _unit(shift: tuple[float, float]) -> tuple[float, float]:
    length = math.hypot(*shift) or 1.0
    return shift[0] / length, shift[1] / length


def _move(actor: Actor, shift: tuple[float, float], share: float) -> None:
    t = actor.transform
    actor.transform = replace(t, x=t.x + shift[0] * share, y=t.y + shift[1] * share)


def _push(actor: Actor, nx: float, ny: float, speed: float) -> None:
    vx, vy, vz = actor.velocity
    actor.velocity = (vx + nx * speed, vy + ny * speed, vz)
