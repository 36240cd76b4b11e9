"""A whole person: soft solids around the joints of a pose."""

from __future__ import annotations

from assets.mesh import Part
from simulator.embedded.models.people.bags import bag
from simulator.embedded.models.people.figures import Figure
from simulator.embedded.models.people.head import hair, hat, head
from simulator.embedded.models.people.legs import legs, shoes
from simulator.embedded.models.people.poses import Pose
from simulator.embedded.models.people.trunk import arms, hands, trunk


def build_body(figure: Figure, pose: Pose) -> list[Part]:
    """All parts of a person in a pose."""
    parts = [
        *legs(figure, pose),
        *shoes(figure, pose),
        *trunk(figure, pose),
        *arms(figure, pose),
        *hands(figure, pose),
    ]
    parts += [*head(figure, pose), *hair(figure, pose), *hat(figure, pose), *bag(figure, pose)]
    return parts
