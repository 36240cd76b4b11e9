"""Cars and vans: one kind of shell with many plans and exteriors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from caos.assets.mesh import Material, Mesh, Part, join
from caos.assets.street.vehicles import finishes
from caos.assets.street.vehicles.bodywork import drawing, fittings
from caos.assets.street.vehicles.bodywork.exterior import Exterior
from caos.assets.street.vehicles.bodywork.plan import BodyPlan, Points
from caos.assets.street.vehicles.bodywork.sheets import both_sides
from caos.assets.street.vehicles.bodywork.shell import Shell
from caos.assets.street.vehicles.wheels import placed_wheel, wheel


@dataclass(frozen=True)
class Car:
    """Plan and exterior of a car; ``text`` is printed on the number plates."""

    plan: BodyPlan
    exterior: Exterior
    text: str = "CA 05 17"

    def build(self, paint: Material, *, lit: bool = False) -> list[Part | Mesh]:
        """The car's parts in a paint; ``lit`` switches head and tail lamps on."""
        shell, exterior = Shell(self.plan), self.exterior
        head = finishes.LIT_HEAD if lit else finishes.LENS
        tail = finishes.LIT_TAIL if lit else finishes.TAIL
        flank = [
            *drawing.flank_extras(shell, exterior),
            *drawing.doors(shell),
            *drawing.fuel_flap(shell),
            *drawing.front(shell, exterior),
            *drawing.rear(shell, exterior),
            *drawing.lamps(shell, exterior, head, tail),
        ]
        cabin = [
            *(drawing.chrome_belt(shell, exterior.panes) if exterior.chrome_belt else []),
            *drawing.windows(shell, exterior.panes),
        ]
        roof = exterior.roof or exterior.two_tone
        half = shell.skins(
            paint,
            flank,
            drawing.decks(shell, exterior),
            cabin,
            roof_material=roof,
            pillars=exterior.pillars or exterior.two_tone,
        )
        return [*both_sides(half), shell.floor(), *self._fittings(shell, paint), *self._wheels(shell)]

    def _wheels(self, shell: Shell) -> list[Mesh]:
        plan = self.plan
        mesh = wheel(plan.wheel_radius, plan.tyre_width, self.exterior.wheel)
        placed = []
        for x in plan.axles:
            flank = float(shell.point_on_side(x, plan.wheel_radius + plan.arch_radius)[1])
            y = min(flank, plan.width / 2) - plan.tyre_width / 2 - 0.02
            placed += [placed_wheel(mesh, x, side * y, plan.wheel_radius) for side in (1, -1)]
        return placed

    def _fittings(self, shell: Shell, paint: Material) -> list[Part]:
        exterior = self.exterior
        parts = [
            *fittings.mirrors(shell, finishes.TRIM if exterior.black_bumpers else paint, exterior.mirror_size),
            *fittings.plates(shell, exterior, self.text),
            *fittings.exhausts(shell, exterior.exhausts),
        ]
        extras: dict[str, Callable[[], list[Part]]] = {
            "handles": lambda: fittings.handles(shell, finishes.CHROME if exterior.chrome_belt else paint),
            "wipers": lambda: fittings.wipers(shell),
            "roof_rails": lambda: [*fittings.roof_rails(shell), *fittings.steps(shell)],
            "spoiler": lambda: fittings.spoiler(shell, paint),
            "spare_wheel": lambda: fittings.spare_wheel(shell, exterior.wheel),
            "beacons": lambda: fittings.beacons(shell),
            "sign": lambda: fittings.taxi_sign(shell),
        }
        parts += [part for name, make in extras.items() if getattr(exterior, name) for part in make()]
        if exterior.grille is not None:
            parts += fittings.emblem(
                shell,
                exterior.grille.high + 0.05
                if exterior.grille.frame
                else (exterior.grille.low + exterior.grille.high) / 2,
            )
        return parts

    @property
    def wheelbase(self) -> float:
        """Metres between the axles."""
        return self.plan.wheelbase

    def head_points(self) -> Points:
        """Middles of the two headlamps ``(2, 3)``, right then left."""
        shell = Shell(self.plan)
        point = drawing.centre(drawing.head_shape(shell, self.exterior), shell)
        return np.stack([point, point * (1, -1, 1)])


def assemble(parts: list[Part | Mesh], tag: int) -> Mesh:
    """One tagged mesh of all parts."""
    return join(parts).tagged(tag)
