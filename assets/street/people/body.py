"""Whole person: blended solids around the joints of a pose."""

from __future__ import annotations

from caos.assets.mesh import Part
from caos.assets.street.people.bags import bag
from caos.assets.street.people.figures import Figure
from caos.assets.street.people.head import hair, hat, head
from caos.assets.street.people.legs import legs, shoes
from caos.assets.street.people.poses import BodyPose
from caos.assets.street.people.trunk import arms, hands, trunk


def build_body(figure: Figure, pose: BodyPose) -> list[Part]:
    """Build all parts of a person in a pose."""
    parts = [
        *legs(figure, pose),
        *shoes(figure, pose),
        *trunk(figure, pose),
        *arms(figure, pose),
        *hands(figure, pose),
    ]
    parts += [*head(figure, pose), *hair(figure, pose), *hat(figure, pose), *bag(figure, pose)]
    return parts
