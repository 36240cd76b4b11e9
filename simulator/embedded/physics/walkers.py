"""Walkers: motion on the ground by their control or by their AI controller."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from caos.simulator.embedded.physics.ground import Ground
from caos.simulator.embedded.world_state.actors import ZERO, Walker

MAX_SPEED = 15.0


def step_walkers(walkers: Sequence[Walker], ground: Ground, dt: float) -> None:
    """Advance all moving walkers by one step."""
    standing = [walker for walker in walkers if walker.physics and (walker.dead or walker.speed <= 0)]
    for walker in standing:
        walker.velocity = ZERO
    going = [w for w in walkers if w.physics and ((not w.dead and w.speed > 0) or not w.settled)]
    if not going:
        return
    wanted = np.array([_ahead(walker, dt) for walker in going])
    heights = ground.below(wanted)[0]
    for walker, place, level in zip(going, wanted, heights, strict=True):
        _put(walker, place, float(level), dt)


def _ahead(walker: Walker, dt: float) -> tuple[float, float, float]:
    speed = 0.0 if walker.dead else min(walker.speed, MAX_SPEED)
    dx, dy, _ = walker.direction
    length = math.hypot(dx, dy)
    scale = speed * dt / length if length > 1e-6 else 0.0
    t = walker.transform
    return t.x + dx * scale, t.y + dy * scale, t.z - walker.half_height_m


def _put(walker: Walker, place: np.ndarray[tuple[int, ...], np.dtype[np.float64]], level: float, dt: float) -> None:
    t = walker.transform
    x, y, z = (float(v) for v in place)
    if walker.gravity and math.isfinite(level):
        z = level
    walker.settled = True
    moved = math.hypot(x - t.x, y - t.y)
    walker.walked_m += moved
    yaw = math.degrees(math.atan2(y - t.y, x - t.x)) if moved > 1e-9 else t.yaw_deg
    walker.velocity = ((x - t.x) / dt, (y - t.y) / dt, 0.0)
    walker.transform = replace(t, x=x, y=y, z=z + walker.half_height_m, yaw_deg=yaw)
