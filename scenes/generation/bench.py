"""Price of a generated frame against Mitsuba's own render of the same views, in processor time."""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from caos.assets.catalogue.library import Library
from caos.scenes.dataset.slot_files import write_slot
from caos.scenes.generation.scene_maker import SceneMaker
from caos.scenes.recipes.object_choice import objects_of_parts, part_key
from caos.scenes.recipes.recipe import Slot, load_recipe
from caos.scenes.scene import Scene
from caos.simulator.embedded.render.description import Camera
from caos.simulator.embedded.render.renderer import Renderer
from caos.simulator.embedded.towns.town import load_town
from caos.simulator.session import Session

FRAMES: Final = 6
WARM: Final = 2
"""Frames that are made first and not counted: they build the vehicles, which a large set does once."""
ROUNDS: Final = 3
"""How often everything is made, with twins and without in turn: from one time to the next the same frame costs up to a
fifth more or less, which is as much as its twin."""


@dataclass(frozen=True)
class GenerationPrice:
    """Seconds of the processor a frame, of worker and simulator together; of each frame the least of some rounds.

    Attributes:
        frame: A test frame, from its plan to its files.
        with_twin: The same with the same view without hazards.
        reference: Mitsuba's own render of the views at two samples a pixel.
    """

    frame: float
    with_twin: float
    reference: float


def generation_price(
    size: tuple[int, int], frames: int = FRAMES, warm: int = WARM, rounds: int = ROUNDS
) -> GenerationPrice:
    """What the first test frames of StreetHazards cost."""
    recipe = load_recipe("streethazards").resized({"train": 0, "val": 0, "test": 4 * (frames + warm)})
    recipe = recipe.changed(size=size, weather=None, objects=None)
    slots = list(recipe.slots())
    chosen = [slot for slot in slots if slot.town == slots[0].town][: frames + warm]
    library = Library.open(None)
    part = chosen[0].part
    objects = objects_of_parts(recipe, library)[part_key(part.split, part.folder)]
    times: dict[bool, list[list[float]]] = {False: [], True: []}
    for twins in (False, True) * rounds:
        spent, scenes = _made(chosen, objects, library, warm, twins=twins)
        times[twins].append(spent)
    alone, paired = (float(np.min(times[twins], axis=0).mean()) for twins in (False, True))
    return GenerationPrice(alone, paired, _reference(scenes))


def _made(
    slots: list[Slot], objects: tuple[str, ...], library: Library, warm: int, *, twins: bool
) -> tuple[list[float], list[Scene]]:
    """Seconds of the processor for each frame but the first ones, and the scenes of those."""
    times, scenes = [], []
    with tempfile.TemporaryDirectory() as folder, Session.open(town=slots[0].town) as session:
        session.prepare()
        maker = SceneMaker(session, library, seed=0, twins=twins)
        for slot in slots:
            mark = session.processor_s
            made = maker.make(slot, objects)
            write_slot(Path(folder), slot, made, library, depth=False)
            times.append(session.processor_s - mark)
            scenes.append(made.scene)
    return times[warm:], scenes[warm:]


def _reference(scenes: list[Scene]) -> float:
    """Mean of Mitsuba's render of the scenes' town through their cameras."""
    town, renderer = load_town(scenes[0].town), Renderer("standard")
    renderer.load(town.statics, town.key)
    times = []
    for scene in scenes:
        camera = Camera(scene.camera.pose, scene.camera.width, scene.camera.height, scene.camera.fov_deg)
        renderer.set_weather(scene.weather)
        renderer.radiance(camera, samples=1, square=8)
        start = time.process_time()
        renderer.radiance(camera, samples=2)
        times.append(time.process_time() - start)
    return float(np.mean(times))
