"""Cast of a scene on a simulator: the actors' ids there, and their numbers in instance images and point labels."""

from __future__ import annotations

from dataclasses import dataclass

from caos.scenes.dataset.layout import ACTOR_IDS_FROM


@dataclass(frozen=True, eq=False)
class Cast:
    """Who is on stage: simulator ids in the order of the scene's lists."""

    vehicles: tuple[int, ...] = ()
    walkers: tuple[int, ...] = ()
    hazards: tuple[int, ...] = ()

    @property
    def everyone(self) -> tuple[int, ...]:
        """All ids."""
        return self.vehicles + self.walkers + self.hazards

    @property
    def instance_ids(self) -> dict[int, int]:
        """Numbers in instance images: of vehicles and people from ``ACTOR_IDS_FROM`` on, of hazards from 1."""
        ordinary = dict(zip(self.vehicles + self.walkers, range(ACTOR_IDS_FROM, 2**16), strict=False))
        return ordinary | {actor: number for number, actor in enumerate(self.hazards, 1)}
