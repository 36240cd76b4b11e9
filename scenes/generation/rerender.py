"""Rendering a saved scene again, as it was or changed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caos.assets.catalogue.library import Library
from caos.foundation.errors import CaosError
from caos.foundation.storage.files import write_json
from caos.foundation.storage.png import write_png
from caos.scenes.generation.filming import Recording, record
from caos.scenes.generation.poses import ground_from_object
from caos.scenes.labels import STREETHAZARDS
from caos.scenes.scene import Hazard, Scene
from caos.simulator.session import Session
from caos.simulator.transform import Transform
from caos.simulator.weather import preset


def changed(
    scene: Scene,
    *,
    weather: str | None = None,
    without_hazards: bool = False,
    hazard: str | None = None,
    size: tuple[int, int] | None = None,
    library: Library,
) -> Scene:
    """The scene with some things changed.

    Raises:
        CaosError: If the weather or the object is unknown, or there is no hazard to replace.
    """
    if weather is not None:
        scene = replace(scene, weather_name=weather, weather=preset(weather))
    if hazard is not None:
        if not scene.hazards:
            raise CaosError(f"--hazard {hazard!r}: the scene has no hazard to replace")
        scene = replace(scene, hazards=(_instead(scene.hazards[0], hazard, library), *scene.hazards[1:]))
    if without_hazards:
        scene = scene.without_hazards()
    if size is not None:
        scene = replace(scene, camera=replace(scene.camera, width=size[0], height=size[1]))
    return scene


def _instead(there: Hazard, name: str, library: Library) -> Hazard:
    """Another object, upright, on the ground where one is."""
    library.info(name)
    local, _ = ground_from_object(library.mesh(there.object, there.scale).bounds, there.stance)
    ground = Transform.from_matrix(there.pose.matrix @ np.linalg.inv(local.matrix))
    own, _ = ground_from_object(library.mesh(name, there.scale).bounds, "upright")
    return replace(there, object=name, pose=ground @ own, stance="upright", open_share=None)


def _pictures(seen: Recording) -> dict[str, NDArray[Any]]:
    return {
        "image": seen.rgb,
        "annotation": seen.annotation,
        "instances": seen.instances,
        "truth": STREETHAZARDS.colorize(STREETHAZARDS.decode(seen.annotation)),
    }


def rerender(scene: Scene, out: Path, *, simulator: str, quality: str, library: Path | None) -> list[Path]:
    """Render a scene into a folder: image, annotation, instances, a colour picture of the labels, and the scene.

    Files of further cameras have their names before them.
    """
    with Session.open(simulator=simulator, quality=quality, town=scene.town, library=library) as session:
        pictures = record(session, scene)
    arrays = _pictures(pictures)
    for name, other in pictures.others.items():
        arrays |= {f"{name}-{kind}": array for kind, array in _pictures(other).items()}
    files = []
    for name, array in arrays.items():
        path = out / f"{name}.png"
        write_png(path, array)
        files.append(path)
    write_json(out / "scene.json", scene.to_json())
    return [*files, out / "scene.json"]
