"""Slots as they are worked on: an image alone, the frames of a sequence together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from caos.scenes.recipes.recipe import Slot


@dataclass(frozen=True)
class SequenceSlots:
    """Frames of one sequence that are made together."""

    slots: tuple[Slot, ...]

    @property
    def first(self) -> Slot:
        """One of them, for what they have in common."""
        return self.slots[0]


def together(slots: Iterable[Slot]) -> list[Slot | SequenceSlots]:
    """Slots as they are worked on: an image alone, the frames of a sequence together."""
    out: list[Slot | SequenceSlots] = []
    frames: dict[str, list[Slot]] = {}
    for slot in slots:
        if slot.frame is None:
            out.append(slot)
        else:
            frames.setdefault(slot.sequence_key, []).append(slot)
    return out + [SequenceSlots(tuple(own)) for own in frames.values()]
