"""Event camera (dynamic vision sensor): brightness changes between two images, as CARLA simulates them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from caos.simulator.embedded.sensors.job import SensorJob

Floats = NDArray[np.float64]
EVENT = np.dtype([("x", "<u2"), ("y", "<u2"), ("t", "<i8"), ("pol", "?")])
GREY = np.array([0.2989, 0.587, 0.114])
STILL = 1e-6
MOST_CROSSINGS = 1000
"""Limit on events per pixel and image; thresholds too fine for the brightness range would never end."""
SMALLEST_STEP = 0.01


def note_events(job: SensorJob, rgb: NDArray[np.uint8]) -> NDArray[np.void]:
    """Return the events ``EVENT`` since the camera's previous image, ordered by time; none for its first image.

    A pixel reports each crossing of its next brightness level, at the time given by linear interpolation.
    """
    memory, light, now_ns = job.sensor.memory, _brightness(job, rgb), round(job.time_s * 1e9)
    if "light" not in memory:
        memory.update(light=light, level=light.copy(), last_ns=np.zeros(light.shape, np.int64), ns=now_ns)
        return np.zeros(0, EVENT)
    before, began_ns = memory["light"], memory["ns"]
    memory.update(light=light, ns=now_ns)
    changed = np.abs(light - before) > STILL
    rising = np.where(light >= before, 1.0, -1.0)
    step = rising * _thresholds(job, rising)
    found = []
    for _ in range(MOST_CROSSINGS):
        level = memory["level"] + step
        crossed = (level - before) * rising > 0
        changed &= crossed & ((light - level) * rising >= 0)
        if not changed.any():
            break
        found.append(_report(job, level, changed, (before, began_ns), (light, now_ns)))
        memory["level"][changed] = level[changed]
    events = np.concatenate(found) if found else np.zeros(0, EVENT)
    return events[np.argsort(events["t"], kind="stable")]


def _brightness(job: SensorJob, rgb: NDArray[np.uint8]) -> Floats:
    grey: Floats = rgb @ GREY
    if job.values["use_log"] != "true":
        return grey
    return np.asarray(np.log(job.number("log_eps") + grey / 255.0))


def _thresholds(job: SensorJob, rising: Floats) -> Floats:
    """Brightness threshold of each pixel, with its noise."""
    up, down = job.number("positive_threshold"), job.number("negative_threshold")
    spread = np.where(rising > 0, job.number("sigma_positive_threshold"), job.number("sigma_negative_threshold"))
    steps = np.where(rising > 0, up, down)
    if spread.any():
        assert job.sensor.rng is not None
        steps = np.maximum(steps + job.sensor.rng.normal(size=steps.shape) * spread, SMALLEST_STEP)
    return np.asarray(steps)


def _report(
    job: SensorJob, level: Floats, where: NDArray[np.bool_], start: tuple[Floats, int], end: tuple[Floats, int]
) -> NDArray[np.void]:
    """Events of the pixels ``where`` brightness crosses ``level``, except those within their refractory period."""
    (before, began_ns), (light, now_ns) = start, end
    y, x = np.nonzero(where)
    share = (level[where] - before[where]) / (light[where] - before[where])
    times = began_ns + (share * (now_ns - began_ns)).astype(np.int64)
    last = job.sensor.memory["last_ns"]
    awake = (last[where] == 0) | (times - last[where] >= job.number("refractory_period_ns"))
    events = np.zeros(int(awake.sum()), EVENT)
    events["x"], events["y"], events["t"] = x[awake], y[awake], times[awake]
    events["pol"] = light[where][awake] > before[where][awake]
    last[y[awake], x[awake]] = times[awake]
    return events
