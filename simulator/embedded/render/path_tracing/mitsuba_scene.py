"""The Mitsuba scene of town, actors and lights, updated incrementally from frame to frame.

Mitsuba builds the search trees (BVHs) of all shapes when a scene is built, so the scene holds only those blocks of the
town that are relevant to the image. Moving an instance is cheaper than rebuilding: each mesh has as many instances as
were ever placed at once, and unused ones wait, scaled to almost nothing, under the ground.

Where surfaces coincide, the order of the shapes decides which one a ray hits. So clearing the scene removes all traces
of earlier actors: an image of the next actors is the same, to the last bit, whatever was in the scene before.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caos.assets.mesh import Mesh
from caos.simulator.embedded.render.description import Placed
from caos.simulator.embedded.render.path_tracing import backend
from caos.simulator.embedded.render.path_tracing.blocks import Block, BlockSelector, cut
from caos.simulator.embedded.render.path_tracing.geometry import Shapes
from caos.simulator.embedded.render.path_tracing.top_tree import TopTree, top_tree

PARKED_TRIANGLES = 1_500_000
PARKED = np.array([[1e-4, 0, 0, 0], [0, 1e-4, 0, 0], [0, 0, 1e-4, -60.0], [0, 0, 0, 1]])


class MitsubaScene:
    """Town, actors and lights in one Mitsuba scene."""

    def __init__(self, mi: ModuleType, shapes: Shapes) -> None:
        self._mi, self._shapes = mi, shapes
        self._blocks: list[Block] = []
        self._vicinity = BlockSelector(())
        self._chosen: tuple[int, ...] = ()
        self._instances: dict[int, Any] = {}
        self._actors: tuple[Placed, ...] = ()
        self._slots: dict[int, int] = {}
        self._meshes: dict[int, Mesh] = {}
        self._lights: dict[str, Any] = {}
        self._scene: Any = None
        self._tree: TopTree | None = None
        self._is_behind = False
        self._matrices: dict[str, NDArray[np.float64]] = {}
        self.builds = 0

    def load(self, statics: Sequence[Placed]) -> None:
        """Replace the town and remove all actors."""
        self._blocks = cut(statics)
        self._vicinity = BlockSelector(self._blocks)
        self._instances = {}
        self.show_all()
        self.clear()

    def show_all(self) -> None:
        """Show the whole town."""
        self._choose(tuple(range(len(self._blocks))))

    def show_around(
        self, eye: NDArray[np.float64], seen: NDArray[np.float32], to_sun: NDArray[np.float64] | None
    ) -> None:
        """Show the blocks of the town relevant to a camera at ``eye``; see :meth:`.blocks.Vicinity.chosen`."""
        self._choose(self._vicinity.chosen(eye, seen, to_sun))

    def _choose(self, blocks: tuple[int, ...]) -> None:
        if blocks != self._chosen:
            self._chosen, self._scene = blocks, None

    def clear(self) -> None:
        """Remove all actors and every trace of earlier ones."""
        self._actors, self._slots, self._meshes, self._scene = (), {}, {}, None

    def light(self, emitters: dict[str, Any]) -> None:
        """Replace the lights."""
        self._lights, self._scene = emitters, None

    def prepare(self, meshes: Iterable[Mesh]) -> None:
        """Add instances for meshes that will be placed later, so that their first appearance does not rebuild."""
        for mesh in meshes:
            if id(mesh) not in self._slots and mesh.parts:
                self._slots[id(mesh)], self._meshes[id(mesh)], self._scene = 1, mesh, None

    def place(self, actors: Sequence[Placed]) -> None:
        """Replace all actors."""
        self._actors = tuple(a for a in actors if a.mesh.parts)
        counts: dict[int, int] = {}
        for actor in self._actors:
            counts[id(actor.mesh)] = counts.get(id(actor.mesh), 0) + 1
        if any(count > self._slots.get(key, 0) for key, count in counts.items()):
            self._drop_unused(counts)
            self._meshes.update({id(a.mesh): a.mesh for a in self._actors})
            self._slots.update({k: max(n, self._slots.get(k, 0)) for k, n in counts.items()})
            self._scene = None
        # Moving instances updates a search tree; label images and rays do without this scene, so it is done lazily.
        self._is_behind = True

    @contextlib.contextmanager
    def without(self, instances: Collection[int]) -> Iterator[None]:
        """Hide the actors with these instance ids within the context; all others keep their slots."""
        actors = self._actors
        self._actors, self._is_behind = tuple(a for a in actors if a.instance_id not in instances), True
        try:
            yield
        finally:
            self._actors, self._is_behind = actors, True

    def _drop_unused(self, counts: dict[int, int]) -> None:
        """Drop meshes that are not placed now once they take too much memory."""
        if sum(mesh.triangles for mesh in self._meshes.values()) > PARKED_TRIANGLES:
            self._slots = {k: n for k, n in self._slots.items() if k in counts}
            self._meshes = {k: m for k, m in self._meshes.items() if k in counts}

    @property
    def scene(self) -> Any:
        """The Mitsuba scene, rebuilt if anything but poses has changed."""
        if self._scene is None:
            self._build()
        elif self._is_behind:
            self._move()
        self._is_behind = False
        return self._scene

    def _build(self) -> None:
        town = {id(self._blocks[number].mesh): self._blocks[number].mesh for number in self._chosen}
        meshes = town | self._meshes
        self._shapes.keep(({id(block.mesh): block.mesh for block in self._blocks} | self._meshes).values())
        content: dict[str, Any] = {"type": "scene", **self._lights}
        content |= {f"group{i}": self._shapes.group(mesh) for i, mesh in enumerate(meshes.values())}
        content |= {f"static{number}": self._static(number) for number in self._chosen}
        self._matrices = self._wanted()
        placed = (self._meshes[key] for key, count in self._slots.items() for _ in range(count))
        content |= {
            name: self._shapes.instance(mesh, matrix)
            for mesh, (name, matrix) in zip(placed, self._matrices.items(), strict=True)
        }
        self._scene = backend.make(self._mi, content)
        self._tree = top_tree(self._mi, self._scene)
        self.builds += 1

    def _static(self, number: int) -> Any:
        """The Mitsuba shape of one block of the town."""
        if number not in self._instances:
            block = self._blocks[number]
            self._instances[number] = self._shapes.instance(block.mesh, block.world_from_mesh)
        return self._instances[number]

    def _wanted(self) -> dict[str, NDArray[np.float64]]:
        """Target pose of each slot: instance name to matrix ``(4, 4)``, in the order of the slots."""
        queues: dict[int, list[NDArray[np.float64]]] = {key: [] for key in self._slots}
        for actor in self._actors:
            queues[id(actor.mesh)].append(actor.world_from_mesh)
        places = [
            queues[key][k] if k < len(queues[key]) else PARKED
            for key, count in self._slots.items()
            for k in range(count)
        ]
        return {f"slot{number}": place for number, place in enumerate(places)}

    def _move(self) -> None:
        wanted = self._wanted()
        moved = {name: place for name, place in wanted.items() if not np.array_equal(place, self._matrices[name])}
        self._matrices = wanted
        if moved and self._tree is not None:
            self._tree.move(moved)
        elif moved:
            values = self._mi.traverse(self._scene)
            for name, place in moved.items():
                values[f"{name}.to_world"] = self._mi.ScalarTransform4f(np.asarray(place, dtype=np.float64))
            values.update()
