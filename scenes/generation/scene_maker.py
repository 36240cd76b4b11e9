"""Scene maker: one loop from a slot of a recipe to its pictures: plan a view, look, place, film, check.

Scene ``n`` of a split depends on the seed, the split and ``n`` alone, so any worker may make it, in any order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from caos.assets.catalogue.library import Library
from caos.foundation.errors import CaosError
from caos.scenes.generation.cast import Cast
from caos.scenes.generation.checking import GLANCE_PX, check_frame, check_glance, check_view, glance
from caos.scenes.generation.filming import (
    Recording,
    can_clear,
    clear_stage,
    enter_town,
    film,
    film_scene,
    look,
    put_up,
    restage,
    stage,
)
from caos.scenes.generation.placing import HazardPlacer
from caos.scenes.generation.planning import PlannedView, ViewPlanner, Wanted, choose_content, slot_generator
from caos.scenes.generation.poses import NoFreeSpaceError
from caos.scenes.recipes.recipe import Slot
from caos.scenes.recipes.rules import HazardRules
from caos.scenes.scene import CameraSpec, Scene
from caos.scenes.sequences.flow import flow_before, flow_png
from caos.scenes.sequences.planning import SequencePlanner
from caos.scenes.sequences.sequence import Sequence as PlannedSequence
from caos.simulator.session import Session

VIEW_TRIES: Final = 40
MOST_REASONS: Final = 10
"""That are told when nothing passed."""
SPARE_OBJECTS: Final = 4
"""After ``VIEW_TRIES`` / this many views an object that found no place is replaced by the next one in line."""
SPARE_COLOURS: Final = 20
"""The same for an object that must have the colour of the road: another view seldom gives it another colour."""


@dataclass(frozen=True, eq=False)
class MadeScene:
    """A finished scene, its pictures, and how many tries were refused on the way, by reason."""

    scene: Scene
    pictures: Recording
    refused: Mapping[str, int]


class SceneMaker:
    """Makes the scenes of slots on one session."""

    def __init__(
        self, session: Session, library: Library, *, seed: int, twins: bool, normals: bool = False, flow: bool = False
    ) -> None:
        self._session, self._library, self._seed, self._twins = session, library, seed, twins
        self._normals, self._flow = normals, flow
        self._planner = ViewPlanner(session)
        self._placer = HazardPlacer(library, self._planner.ground)
        self._sequences = SequencePlanner(session, library, self._planner, seed)
        self._on_stage: tuple[Scene, Cast] | None = None

    def make(self, slot: Slot, objects: Sequence[str]) -> MadeScene:
        """The first scene of a slot that keeps the rules; ``objects`` are those its part may show as hazards.

        Raises:
            CaosError: When ``VIEW_TRIES`` views of the town are used up; it says how many were refused for what.
        """
        self._on_stage = None
        rng = slot_generator(self._seed, slot)
        wanted = choose_content(slot, objects, self._seed, rng)
        refused: Counter[str] = Counter()
        enter_town(self._session, slot.town)
        for attempt in range(VIEW_TRIES):
            step = "view"
            try:
                clear_stage(self._session)
                view = self._planner.plan(slot, wanted, self._seed, rng)
                scene = view.scene
                if wanted.objects:
                    names = replaced(wanted, objects, attempt, _spares(slot.part.hazards))
                    scene, poses = self._with_hazards(slot, view, names, rng)
                    refused.update(poses)
                    step = "frame"
                shown, pictures = self._filmed(scene, slot.part.hazards)
                check_frame(shown, pictures, self._library, slot.part.hazards)
            except NoFreeSpaceError as reason:
                refused.update(reason.refused)
                refused[f"{step}: {reason}"] += 1
                continue
            return MadeScene(shown, pictures, refused)
        told = ", ".join(f"{count} x {reason}" for reason, count in refused.most_common(MOST_REASONS))
        raise CaosError(
            f"scene {slot.key}: no view of {slot.town} passed in {VIEW_TRIES} tries ({told}); "
            f"ease the rules of part {slot.part.folder!r}, or give another --seed"
        )

    def plan_sequence(self, slot: Slot, objects: Sequence[str]) -> PlannedSequence:
        """The frames of the sequence that a slot belongs to, as data.

        Raises:
            CaosError: If no place for it is found.
        """
        self._on_stage = None
        return self._sequences.plan(slot, objects)

    def show(self, scene: Scene, before: Scene | None = None) -> MadeScene:
        """The pictures of a planned frame; who was on stage in the frame before is moved, not put up again.

        ``before`` is the frame before it, for optical flow.

        Raises:
            CaosError: If the simulator refuses something in it.
        """
        there, twin = self._on_stage, self._twins and bool(scene.hazards)
        self._on_stage = None
        cast = None if there is None else restage(self._session, *there, scene)
        if cast is None:
            cast = stage(self._session, scene)
        pictures = film_scene(self._session, scene, cast, twin=twin, normals=self._normals)
        if before is not None and self._flow:
            pictures = _with_flow(pictures, before, scene)
        if not twin or can_clear(self._session):
            self._on_stage = scene, cast
        return MadeScene(scene, pictures, {})

    def _with_hazards(
        self, slot: Slot, view: PlannedView, names: Sequence[str], rng: np.random.Generator
    ) -> tuple[Scene, Counter[str]]:
        """The view with hazards in it, as far as one look at it without them tells; and the poses refused."""
        assert slot.part.hazards is not None
        seen = look(self._session, view.scene, view.taken, around=slot.part.hazards.views == "any")
        check_view(seen.depth, seen.annotation)
        placed = self._placer.place(seen, self._planner.lanes(slot.town), names, slot.part.hazards, rng)
        return placed.scene, placed.refused

    def _filmed(self, planned: Scene, rules: HazardRules | None) -> tuple[Scene, Recording]:
        """The scene as the simulator admitted it, and its pictures.

        Raises:
            NoFreeSpaceError: If it refused a hazard, or a small picture shows already that one stands out.
        """
        shown, cast = put_up(self._session, planned)
        if len(shown.hazards) < len(planned.hazards):
            raise NoFreeSpaceError("refused")
        if rules is not None and rules.max_contrast is not None and shown.camera.width >= 2 * GLANCE_PX:
            check_glance(shown, film(self._session, glance(shown.camera), cast), rules.max_contrast)
        return shown, film_scene(
            self._session, shown, cast, twin=self._twins and bool(shown.hazards), normals=self._normals
        )


def _with_flow(pictures: Recording, before: Scene, scene: Scene) -> Recording:
    """The pictures of all cameras with the flow to the frame before."""

    def flown(seen: Recording, then: CameraSpec, now: CameraSpec) -> Recording:
        return replace(seen, flow=flow_png(*flow_before(before, scene, (then, now), seen.depth, seen.instances)))

    cameras = zip(before.cameras, scene.cameras, strict=True)
    others = {now.name: flown(pictures.others[now.name], then, now) for then, now in cameras}
    return replace(flown(pictures, before.camera, scene.camera), others=others)


def replaced(wanted: Wanted, objects: Sequence[str], attempt: int, spares: int = SPARE_OBJECTS) -> list[str]:
    """The wanted objects, or after many failed views their neighbours in the list."""
    shift = attempt // max(1, VIEW_TRIES // spares)
    return [objects[(objects.index(name) + shift) % len(objects)] for name in wanted.objects]


def _spares(rules: HazardRules | None) -> int:
    return SPARE_OBJECTS if rules is None or rules.max_contrast is None else SPARE_COLOURS
