"""Actors of a session: blueprints, spawning, moving, removal, bounding boxes, and instance masks.

Part of :mod:`caos.simulator.session`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import carla
import numpy as np
from numpy.typing import NDArray

from caos.foundation.errors import CaosError, unknown
from caos.simulator.connection import LossReporting, transform_in, transform_out, xyz
from caos.simulator.frames import Frame
from caos.simulator.transform import Transform

LIFT_M: Final = 0.6
"""Height above the target at which actors are spawned before the move: real CARLA refuses spawns in the ground."""
PROP: Final = "static.prop."
HAZARD_ROLE: Final = "hazard"
"""The ``role_name`` of hazards: cameras that hide this role show the road without them."""
AS_DRAWN: Final = -1.0
"""Value of a prop's attribute ``open`` that leaves doors and lid as modelled."""


@dataclass(frozen=True)
class Spawn:
    """A request to spawn an actor at an exact pose.

    Attributes:
        blueprint: CARLA's blueprint id.
        pose: World pose of its foot: the ground point below its centre.
        color: Paint as ``"r,g,b"``, if the blueprint has one.
        walking: Show a walker, or an animal where the server supports it, in mid-step.
        speed_mps: Speed of a vehicle that is teleported from frame to frame; its wheels turn where the server supports
            it.
        lights: CARLA's vehicle light flags.
        scale: Factor on a prop's size, for blueprints that have the attribute ``scale``.
        open_share: Opening of a prop's doors or lid, 0 to 1, for blueprints that have the attribute ``open``; None
            leaves them as modelled.
        role: CARLA's ``role_name``; empty keeps the blueprint's own.
    """

    blueprint: str
    pose: Transform
    color: str | None = None
    walking: bool = False
    lights: int = 0
    scale: float = 1.0
    speed_mps: float = 0.0
    open_share: float | None = None
    role: str = ""


@dataclass(frozen=True)
class Bounds:
    """Bounding box of an actor in its own frame: centre and half extents."""

    center: tuple[float, float, float]
    extent: tuple[float, float, float]


class ActorPool:
    """Actors of a session in one town.

    Attributes:
        spawned: Blueprint ids by actor id.
    """

    def __init__(
        self, client: LossReporting, world: LossReporting, bounds: dict[str, Bounds], changed: Callable[[], None]
    ) -> None:
        """Create an empty pool; ``bounds`` caches boxes by blueprint, ``changed`` is called when ids come or go."""
        self._client, self._world, self._bounds, self._changed = client, world, bounds, changed
        self._library: Any = None
        self.spawned: dict[int, str] = {}
        self._scales: dict[int, float] = {}
        self._open_shares: dict[int, float | None] = {}

    def blueprints(self, pattern: str = "*") -> list[str]:
        """Return the ids of blueprints that match a pattern such as ``vehicle.*``."""
        return sorted(blueprint.id for blueprint in self._blueprint_library().filter(pattern))

    def base_type(self, blueprint: str) -> str:
        """Return CARLA's ``base_type`` of a vehicle blueprint (``car``, ``truck`` ...), empty if it has none."""
        found = self._blueprint(blueprint)
        return str(found.get_attribute("base_type").as_str()) if found.has_attribute("base_type") else ""

    def has_attribute(self, blueprint: str, attribute: str) -> bool:
        """Whether a blueprint has an attribute of that name."""
        return bool(self._blueprint(blueprint).has_attribute(attribute))

    def colors(self, blueprint: str) -> list[str]:
        """Return the recommended paints of a vehicle blueprint, as ``"r,g,b"``."""
        found = self._blueprint(blueprint)
        return list(found.get_attribute("color").recommended_values) if found.has_attribute("color") else []

    def spawn_many(self, wanted: Sequence[Spawn]) -> list[int | None]:
        """Spawn actors in one batch; return their ids in the same order, None for those that did not fit.

        Raises:
            CaosError: If a blueprint is unknown.
        """
        commands = [self._spawn_command(one) for one in wanted]
        answers = self._client.apply_batch_sync(commands, False)
        ids = [None if answer.error else int(answer.actor_id) for answer in answers]
        made = {i: one for i, one in zip(ids, wanted, strict=True) if i is not None}
        self.spawned.update({i: one.blueprint for i, one in made.items()})
        self._scales.update({i: one.scale for i, one in made.items()})
        self._open_shares.update({i: one.open_share for i, one in made.items()})
        self._changed()
        # The actors' boxes, known only now, determine the heights of their origins.
        self.move({i: one.pose for i, one in made.items()})
        return ids

    def destroy(self, ids: Iterable[int]) -> None:
        """Remove actors of this session; ids that no longer exist are ignored."""
        wanted = [i for i in ids if i in self.spawned]
        if wanted:
            self._client.apply_batch_sync([carla.command.DestroyActor(i) for i in wanted], False)
        for i in wanted:
            del self.spawned[i]
            self._scales.pop(i, None)
            self._open_shares.pop(i, None)
        self._changed()

    def move(self, poses: Mapping[int, Transform]) -> None:
        """Move actors of this session to new foot poses, in one batch."""
        commands = [
            carla.command.ApplyTransform(i, transform_out(self._raised(self.spawned[i], i, pose)))
            for i, pose in poses.items()
        ]
        if commands:
            self._client.apply_batch_sync(commands, False)

    def bounds(self, actor_id: int) -> Bounds:
        """Return the bounding box of an actor of this session in its own frame, with its feet at z = 0."""
        blueprint = self.spawned[actor_id]
        own = self._own_bounds(blueprint, actor_id)
        return Bounds((own.center[0], own.center[1], own.center[2] + self._origin_height(blueprint, own)), own.extent)

    def hazard_masks(self, frame: Frame, ids: Iterable[int], margin_m: float = 0.25) -> dict[int, NDArray[np.bool_]]:
        """Return the pixel mask of each of these actors in a frame, from the instance image.

        The image holds only 16 bits of an actor's id; that no other object shares them is checked against the other
        actors and, if the frame has depth, against the world point of every pixel.

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

    def _blueprint_library(self) -> Any:
        if self._library is None:
            self._library = self._world.get_blueprint_library()
        return self._library

    def _blueprint(self, name: str) -> Any:
        try:
            return self._blueprint_library().find(name)
        except IndexError:
            raise unknown("blueprint", name, self.blueprints()) from None

    def spawn_one(self, wanted: Spawn) -> int:
        """Spawn an actor at an exact pose and return its id.

        Raises:
            CaosError: If the blueprint is unknown or the place is occupied.
        """
        (made,) = self.spawn_many([wanted])
        if made is None:
            x, y, z = wanted.pose.location
            raise CaosError(f"cannot spawn {wanted.blueprint} at ({x:.2f}, {y:.2f}, {z:.2f}): something is in the way")
        return made

    def _outfit(self, wanted: Spawn) -> Any:
        """Return the blueprint of an actor with its attributes set."""
        blueprint = self._blueprint(wanted.blueprint)
        if wanted.color is not None and blueprint.has_attribute("color"):
            blueprint.set_attribute("color", wanted.color)
        if blueprint.has_attribute("scale"):
            blueprint.set_attribute("scale", repr(wanted.scale))
        elif wanted.scale != 1.0:
            raise CaosError(f"this server cannot change the size of {wanted.blueprint}: it has no attribute 'scale'")
        if blueprint.has_attribute("open"):
            blueprint.set_attribute("open", repr(AS_DRAWN if wanted.open_share is None else wanted.open_share))
        elif wanted.open_share is not None:
            raise CaosError(f"this server cannot open {wanted.blueprint}: it has no attribute 'open'")
        if wanted.role and blueprint.has_attribute("role_name"):
            blueprint.set_attribute("role_name", wanted.role)
        if blueprint.has_attribute("walking"):
            blueprint.set_attribute("walking", "true" if wanted.walking else "false")
        return blueprint

    def _spawn_command(self, wanted: Spawn) -> Any:
        blueprint = self._outfit(wanted)
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
        forward = transform_out(pose).get_forward_vector()
        if wanted.walking and _is_walker(wanted.blueprint):
            spawn = spawn.then(command.ApplyWalkerControl(future, carla.WalkerControl(forward, 1.4, False)))
        if wanted.speed_mps:
            spawn = spawn.then(command.ApplyTargetVelocity(future, forward * wanted.speed_mps))
        return spawn

    def _own_bounds(self, blueprint: str, actor_id: int) -> Bounds:
        scale, open_share = self._scales.get(actor_id, 1.0), self._open_shares.get(actor_id)
        key = blueprint if scale == 1.0 else f"{blueprint} x {scale!r}"
        key += "" if open_share is None else f" open {open_share!r}"
        if key not in self._bounds:
            actor = self._actor(actor_id)
            box = actor.bounding_box
            self._bounds[key] = Bounds(xyz(box.location), xyz(box.extent))
        return self._bounds[key]

    def _actor(self, actor_id: int) -> Any:
        actor = self._world.get_actor(actor_id)
        if actor is None:
            raise CaosError(f"actor {actor_id} is gone from the server; another client may have removed it")
        return actor

    def _origin_height(self, blueprint: str, own: Bounds) -> float:
        """Height of an actor's origin above its feet: half its body for walkers, zero otherwise."""
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
        """Whether points lie in an actor's box."""
        actor = self._actor(actor_id)
        pose = transform_in(actor.get_transform())
        own = self._own_bounds(self.spawned.get(actor_id, actor.type_id), actor_id)
        matrix = pose.matrix
        local = (points - matrix[:3, 3]) @ matrix[:3, :3] - np.array(own.center)
        # Depth is measured along the viewing axis, and its resolution decreases with distance.
        slack = margin_m + 0.01 * np.linalg.norm(points - matrix[:3, 3], axis=1)
        inside: NDArray[np.bool_] = (np.abs(local) <= np.array(own.extent) + slack[:, None]).all(axis=1)
        return inside


def _is_walker(blueprint: str) -> bool:
    return blueprint.startswith("walker.")
