"""Rendering a saved scene again, as it was or changed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from numpy.typing import NDArray
from PIL import Image

from assets.library import Library
from foundation.errors import CaosError
from foundation.files import whole_file, write_json
from scenes.labels import STREETHAZARDS
from scenes.scene import Scene
from scenes.staging import record
from simulator.session import Session
from simulator.weather import preset


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
        library.info(hazard)
        first = replace(scene.hazards[0], object=hazard, stance="upright")
        scene = replace(scene, hazards=(first, *scene.hazards[1:]))
    if without_hazards:
        scene = scene.without_hazards()
    if size is not None:
        scene = replace(scene, camera=replace(scene.camera, width=size[0], height=size[1]))
    return scene


def rerender(scene: Scene, out: Path, *, simulator: str, quality: str, library: Path | None) -> list[Path]:
    """Render a scene into a folder: image, annotation, instances, a colour picture of the labels, and the scene."""
    with Session.open(simulator=simulator, quality=quality, library=library) as session:
        pictures = record(session, scene)
    truth = STREETHAZARDS.colorize(STREETHAZARDS.decode(pictures.annotation))
    arrays: dict[str, NDArray[Any]] = {
        "image": pictures.rgb,
        "annotation": pictures.annotation,
        "instances": pictures.instances,
        "truth": truth,
    }
    files = []
    for name, array in arrays.items():
        path = out / f"{name}.png"
        with whole_file(path) as temporary:
            Image.fromarray(array).save(temporary, format="PNG")
        files.append(path)
    write_json(out / "scene.json", scene.to_json())
    return [*files, out / "scene.json"]
