"""Benchmark of the renderer, as ratios of CPU time within one run: absolute times hold for one machine only."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from caos.simulator.embedded.render.description import Camera, Placed
from caos.simulator.embedded.render.quality import quality
from caos.simulator.embedded.render.renderer import Renderer
from caos.simulator.embedded.render.sample import EYE, sample_cars, sample_street
from caos.simulator.transform import Transform
from caos.simulator.weather import Weather


@dataclass(frozen=True)
class Ratios:
    """CPU time relative to Mitsuba rendering the same scene at two samples per pixel.

    Attributes:
        reference_s: CPU seconds of the reference render.
        frame: All four outputs at standard quality; the target is at most 0.6.
        draft: All four outputs at draft quality; at most 0.25.
        labels: Tags, instances and depth together; at most 0.06.
        moving: Moving every actor; at most 0.05.
        load: Loading the town, in units of one frame; at most 3.
    """

    reference_s: float
    frame: float
    draft: float
    labels: float
    moving: float
    load: float


def measure(
    statics: Sequence[Placed] | None = None,
    actors: Sequence[Placed] | None = None,
    camera: Camera | None = None,
    *,
    weather: Weather | None = None,
    repeats: int = 3,
) -> Ratios:
    """Measure a scene (the sample street if None) at standard quality; each time is the minimum of ``repeats``."""
    statics = sample_street() if statics is None else statics
    actors = sample_cars(12) if actors is None else actors
    camera = camera or replace(EYE, width=1280, height=720)
    renderer = Renderer("standard")
    renderer.set_weather(weather or Weather())
    load_s = _best(lambda: renderer.load(statics), 1)
    renderer.set_actors(actors)
    renderer.render(replace(camera, width=64, height=36))
    steps = itertools.count(1)

    def elsewhere() -> Camera:
        # The renderer caches first hits of a view; each repeat uses a new view so that nothing is cached.
        return replace(camera, pose=replace(camera.pose, x=camera.pose.x + 0.02 * next(steps)))

    reference_s = _best(lambda: renderer.radiance(elsewhere(), samples=2), repeats)
    frame_s = _best(lambda: renderer.render(elsewhere()), repeats)
    renderer.quality = quality("draft")
    draft_s = _best(lambda: renderer.render(elsewhere()), repeats)
    labels_s = _best(lambda: renderer.render(elsewhere(), ("tags", "instances", "depth")), repeats)
    renderer.set_actors(_moved(actors, 0))
    moving_s = _best(lambda: renderer.set_actors(_moved(actors, next(steps))), repeats)
    frame, draft, labels, moving = (seconds / reference_s for seconds in (frame_s, draft_s, labels_s, moving_s))
    return Ratios(reference_s, frame, draft, labels, moving, load_s / frame_s)


def _moved(actors: Sequence[Placed], step: int) -> list[Placed]:
    shift = Transform(0.1 * step, 0.0, 0.0).matrix
    return [replace(a, world_from_mesh=np.asarray(shift @ a.world_from_mesh)) for a in actors]


def _best(work: Callable[[], object], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)
