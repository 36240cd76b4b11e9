"""Price of a frame of a sequence against that of a single image of the same rules, in processor time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from caos.assets.catalogue.library import Library
from caos.scenes.generation.scene_maker import SceneMaker
from caos.scenes.recipes.recipe import RecipePart, Slot
from caos.scenes.recipes.rules import CameraRules, HazardRules, SequenceRules, WeatherRules
from caos.simulator.session import Session

SIZE: Final = (640, 360)
OBJECTS: Final = ("sofa_01", "fridge_01", "crate_02", "chair_01")
STILLS: Final = 6
FRAMES: Final = 20


@dataclass(frozen=True)
class SequencePrice:
    """Processor seconds, of this process and the server's: of a still, of planning a sequence, of one of its frames."""

    still: float
    plan: float
    frame: float
    frames: int

    @property
    def ratio(self) -> float:
        """A frame with its share of the planning, against a still."""
        return (self.frame + self.plan / self.frames) / self.still


def sequence_price(stills: int = STILLS, frames: int = FRAMES, quality: str = "standard") -> SequencePrice:
    """What stills and the frames of a sequence cost in one town; the first picture of each is not counted."""
    town = "Town02"
    part = RecipePart(
        "test", "stills", (town,), stills, HazardRules(), CameraRules(size=SIZE), WeatherRules({"clear": 1.0})
    )
    moving = replace(part, folder="moving", sequence=SequenceRules(frames=frames, rate_hz=10.0))
    with Session.open(quality=quality, town=town) as session:
        session.prepare()
        maker = SceneMaker(session, Library.open(None), seed=0, twins=False)
        maker.make(Slot(part, 1), OBJECTS)
        marks = [session.processor_s]
        for number in range(2, stills + 2):
            maker.make(Slot(part, number), OBJECTS)
        marks.append(session.processor_s)
        plan = maker.plan_sequence(Slot(moving, 1, 0), OBJECTS)
        marks.append(session.processor_s)
        maker.show(plan.frames[0])
        marks.append(session.processor_s)
        for scene in plan.frames[1:]:
            maker.show(scene)
        marks.append(session.processor_s)
    return SequencePrice(
        (marks[1] - marks[0]) / stills, marks[2] - marks[1], (marks[4] - marks[3]) / (frames - 1), frames
    )
