"""Views of towns: random camera poses along lanes, rendered images, class shares."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from caos.assets.tags import SemanticTag
from caos.foundation.errors import CaosError
from caos.foundation.execution.progress import SILENT, Progress
from caos.foundation.storage.files import whole_file
from caos.simulator.embedded.render.description import Camera, Placed
from caos.simulator.embedded.towns.town import Town, load_town
from caos.simulator.transform import Transform
from caos.simulator.weather import preset

if TYPE_CHECKING:
    from caos.simulator.embedded.render.renderer import Renderer

CAMERA_HEIGHT_M = 1.6


def sample_views(town: Town, n: int, rng: np.random.Generator, height_m: float = CAMERA_HEIGHT_M) -> list[Transform]:
    """Draw ``n`` camera poses above driving lanes, facing along them with a slight random yaw."""
    chosen = rng.choice(len(town.spawn_points), n, replace=n > len(town.spawn_points))
    out = []
    for index in chosen:
        lane = town.spawn_points[int(index)]
        ahead, turn = rng.uniform(-8, 8), rng.normal(0, 6)
        yaw = math.radians(lane.yaw_deg)
        x, y = lane.x + ahead * math.cos(yaw), lane.y + ahead * math.sin(yaw)
        z = lane.z + ahead * math.tan(math.radians(lane.pitch_deg)) - 0.3 + height_m
        out.append(Transform(x, y, z, lane.pitch_deg + rng.normal(-1.0, 1.0), lane.yaw_deg + turn, 0.0))
    return out


def signal_heads(town: Town, state: str = "red") -> list[Placed]:
    """Heads of all traffic lights, for images without a running world."""
    from caos.assets.street import lights

    other = {"red": "green", "green": "red"}.get(state, state)
    return [
        Placed(
            lights.traffic_light_head(state if site.phase == 0 else other),
            head.matrix,
            SemanticTag.TRAFFIC_LIGHT,
            site.instance_id,
        )
        for site in town.traffic_lights
        for head in site.heads
    ]


def parked_cars(town: Town, rng: np.random.Generator) -> list[Placed]:
    """Cars on the parking places, for images without a running world."""
    from caos.assets.street.vehicles import VEHICLES

    cars = [model for model in VEHICLES.values() if model.base_type == "car"]
    if not cars:
        return []
    paints = [(150, 152, 155), (22, 22, 25), (140, 30, 28), (32, 54, 110), (205, 205, 200)]
    chosen = rng.choice(len(cars), min(8, len(cars)), replace=False)
    meshes = [cars[int(k)].build(paints[i % len(paints)]) for i, k in enumerate(chosen)]
    return [
        Placed(meshes[int(rng.integers(len(meshes)))], pose.matrix, SemanticTag.CAR, 20_000 + i)
        for i, pose in enumerate(town.parking)
    ]


def class_shares(renderer: Renderer, views: Sequence[Transform], size: tuple[int, int] = (160, 90)) -> dict[int, float]:
    """Share of pixels of each semantic tag over views of the loaded town."""
    counts = np.zeros(256)
    for pose in views:
        tags = renderer.render(Camera(pose, size[0], size[1], 90.0), outputs=("tags",)).tags
        assert tags is not None
        counts += np.bincount(tags.ravel(), minlength=256)
    shares = counts / counts.sum()
    return {tag: float(share) for tag, share in enumerate(shares) if share > 0}


def render_views(
    town_name: str,
    out_dir: Path,
    n: int = 12,
    weather: str = "clear",
    size: tuple[int, int] = (960, 540),
    quality: str = "standard",
    seed: int = 0,
    progress: Progress = SILENT,
) -> list[Path]:
    """Render images ``<town>_<weather>_<k>.png`` of random views of a town.

    Returns:
        The files written.

    Raises:
        CaosError: If town, weather or quality is unknown, or ``n`` is not positive.
    """
    if n < 1:
        raise CaosError(f"the number of views is {n}; use at least 1")
    conditions = preset(weather)
    town = load_town(town_name, progress=progress)
    renderer = _loaded(town, quality, seed)
    renderer.set_weather(conditions)
    written = []
    with progress.task(f"views of {town.name}", n) as task:
        for k, pose in enumerate(sample_views(town, n, np.random.default_rng(seed))):
            rgb = renderer.render(Camera(pose, size[0], size[1], 90.0), outputs=("rgb",), seed=k).rgb
            assert rgb is not None
            path = out_dir / f"{town.name}_{weather}_{k:02d}.png"
            _save(path, rgb)
            written.append(path)
            task.advance(1, path.name)
    return written


def _loaded(town: Town, quality: str, seed: int) -> Renderer:
    from caos.simulator.embedded.render.renderer import Renderer

    renderer = Renderer(quality)
    renderer.load(town.statics, cache_key=town.key)
    actors = signal_heads(town) + parked_cars(town, np.random.default_rng([seed, 1]))
    renderer.set_actors(actors, town.street_lamps)
    return renderer


def _save(path: Path, rgb: NDArray[np.uint8]) -> None:
    from PIL import Image

    with whole_file(path) as temporary:
        Image.fromarray(rgb).save(temporary)
