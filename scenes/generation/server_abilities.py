"""Abilities of a server: what a recipe wants that the connected simulator cannot do, refused before the first frame."""

from __future__ import annotations

from collections.abc import Collection

from caos.foundation.errors import CaosError
from caos.scenes.recipes.recipe import RecipePart
from caos.simulator.actor_pool import PROP
from caos.simulator.frames import OUTPUTS
from caos.simulator.lidar import BLUEPRINT as LIDAR
from caos.simulator.rig import BLUEPRINTS as CAMERAS
from caos.simulator.session import Session


def refuse_unable(
    session: Session, part: RecipePart, objects: tuple[str, ...], outputs: Collection[str] = OUTPUTS
) -> None:
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
    _refuse_sensors(session, part, where, outputs)
    _refuse_opening(session, part, objects, where)
    if part.hazards is not None and part.hazards.size_scale != (1.0, 1.0):
        fixed = [name for name in objects if not session.has_attribute(PROP + name, "scale")]
        if fixed:
            raise CaosError(
                f"{where}: hazards.size_scale is {part.hazards.size_scale}, but the server cannot change the size of "
                f"{PROP}{fixed[0]}: it has no attribute 'scale'; leave size_scale at [1, 1]"
            )


def _refuse_opening(session: Session, part: RecipePart, objects: tuple[str, ...], where: str) -> None:
    """Check that the server can open what is to open."""
    if part.hazards is None or not part.hazards.motions.get("opening"):
        return
    shut = [name for name in objects if not session.has_attribute(PROP + name, "open")]
    if shut:
        raise CaosError(
            f"{where}: hazards.motions has opening, but the server cannot open {PROP}{shut[0]}: it has no attribute "
            "'open'; leave out that motion, or use the embedded simulator"
        )


def _refuse_sensors(session: Session, part: RecipePart, where: str, outputs: Collection[str]) -> None:
    """Check that the server has the cameras, lenses and lidars of a part."""
    offered = set(session.blueprints("sensor.*"))
    cameras = [CAMERAS[output] for output in outputs]
    missing = [name for name in cameras if name not in offered]
    if missing:
        raise CaosError(f"{where}: the server has no {missing[0]}, which this set needs; use CARLA 0.9.14 or later")
    if part.rig.lidars and LIDAR not in offered:
        name = part.rig.lidars[0].name
        raise CaosError(f"{where}: the server has no {LIDAR} for lidar {name!r} of the rig; leave out rig.lidars")
    bent = [camera for camera in part.rig.cameras if not camera.lens.is_pinhole]
    if bent and not all(session.has_attribute(name, "lens_model") for name in cameras):
        told = f"camera {bent[0].name!r} of the rig has a {bent[0].lens.model} lens"
        raise CaosError(
            f"{where}: {told}, but the server's cameras have no attribute 'lens_model'; "
            "use a pinhole, or the embedded simulator"
        )
