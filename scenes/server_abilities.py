"""Abilities of a server: what a recipe wants that the connected simulator cannot do, refused before the first frame."""

from __future__ import annotations

from caos.foundation.errors import CaosError
from caos.scenes.recipe import RecipePart
from caos.simulator.actor_pool import PROP
from caos.simulator.session import Session


def refuse_unable(session: Session, part: RecipePart, objects: tuple[str, ...]) -> None:
    """Check that the server of a session can do all that a part of a recipe asks for.

    Raises:
        CaosError: With what it cannot do, and why.
    """
    where = f"{part.split}/{part.folder}"
    offered = set(session.hazards())
    missing = [name for name in objects if name not in offered]
    if missing:
        raise CaosError(
            f"{where}: the server has no {PROP}{missing[0]} ({len(missing)} of {len(objects)} hazards are missing); "
            "choose --hazards stock, or import the built-in ones: caos assets package"
        )
    if part.hazards is not None and part.hazards.size_scale != (1.0, 1.0):
        fixed = [name for name in objects if not session.has_attribute(PROP + name, "scale")]
        if fixed:
            raise CaosError(
                f"{where}: hazards.size_scale is {part.hazards.size_scale}, but the server cannot change the size of "
                f"{PROP}{fixed[0]}: it has no attribute 'scale'; leave size_scale at [1, 1]"
            )
