"""Cameras. Those that stand at the same place with the same lens share one rendering."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from caos.simulator.embedded.render.description import Camera, Images
from caos.simulator.embedded.scenery import Moment, Scenery
from caos.simulator.embedded.sensors.job import DEPTH, INSTANCE, RGB, SEMANTIC, SensorJob
from caos.simulator.embedded.streams import Message
from caos.simulator.frames import encode_depth, encode_instances, encode_rgb, encode_tags

MAX_SIDE = 8192
MAX_PIXELS = 32_000_000
KINDS = {
    "sensor.camera.rgb": RGB,
    "sensor.camera.semantic_segmentation": SEMANTIC,
    "sensor.camera.instance_segmentation": INSTANCE,
    "sensor.camera.depth": DEPTH,
}
NEEDS = {RGB: ("rgb",), SEMANTIC: ("tags",), INSTANCE: ("tags", "instances"), DEPTH: ("depth",)}
PINHOLE = {"lens_k": -1.0, "lens_kcube": 0.0, "lens_x_size": 0.08, "lens_y_size": 0.08}
"""CARLA's default lens, which is a pinhole; any other value would bend the picture."""
_Key: TypeAlias = tuple[object, ...]


def check_camera(values: dict[str, str]) -> str | None:
    """Why a camera with these attributes cannot be served, or None."""
    width, height, fov = int(values["image_size_x"]), int(values["image_size_y"]), float(values["fov"])
    if not (1 <= width <= MAX_SIDE and 1 <= height <= MAX_SIDE and width * height <= MAX_PIXELS):
        return f"a picture of {width}x{height} is outside 1..{MAX_SIDE} a side and {MAX_PIXELS} pixels"
    if not 1.0 <= fov <= 170.0:
        return f"a field of view of {fov:g} degrees is outside 1..170"
    for name, default in PINHOLE.items():
        if float(values[name]) != default:
            return f"{name}={values[name]} is not supported: the lens is a pinhole ({name}={default:g})"
    return None


def take_pictures(
    jobs: Iterable[SensorJob],
    scenery: Scenery,
    moment: Moment,
    send: Callable[[SensorJob, Message], None],
    guard: Callable[[list[SensorJob]], AbstractContextManager[None]] = lambda _: nullcontext(),
) -> None:
    """Render what the cameras of a frame see and send each its picture as soon as it is there.

    ``guard`` is entered for the cameras that share a rendering: their failure is theirs alone.
    """
    groups: dict[_Key, list[SensorJob]] = {}
    for job in jobs:
        groups.setdefault(_place(job), []).append(job)
    for group in groups.values():
        with guard(group):
            _take(group, scenery, moment, send)


def _take(group: list[SensorJob], scenery: Scenery, moment: Moment, send: Callable[[SensorJob, Message], None]) -> None:
    labels = [job for job in group if KINDS[job.sensor.type_id] != RGB]
    photographs: dict[Camera, list[SensorJob]] = {}
    for job in group:
        if KINDS[job.sensor.type_id] == RGB:
            photographs.setdefault(_camera(job), []).append(job)
    wanted = {name for job in labels for name in NEEDS[KINDS[job.sensor.type_id]]}
    for k, (camera, alike) in enumerate(photographs.items()):
        images = scenery.render(moment, camera, ("rgb", *sorted(wanted)) if k == 0 else ("rgb",))
        for job in alike + (labels if k == 0 else []):
            send(job, _message(job, images))
    if labels and not photographs:
        images = scenery.render(moment, _camera(labels[0]), tuple(sorted(wanted)))
        for job in labels:
            send(job, _message(job, images))


def _place(job: SensorJob) -> _Key:
    return job.pose, *(job.values[name] for name in ("image_size_x", "image_size_y", "fov"))


def _camera(job: SensorJob) -> Camera:
    width, height, fov = int(job.values["image_size_x"]), int(job.values["image_size_y"]), job.number("fov")
    if KINDS[job.sensor.type_id] != RGB or job.values["enable_postprocess_effects"].lower() in {"false", "0"}:
        return Camera(job.pose, width, height, fov)
    return Camera(
        job.pose,
        width,
        height,
        fov,
        exposure_compensation=job.number("exposure_compensation") + _manual_stops(job),
        gamma=job.number("gamma"),
        lens_falloff=min(1.0, max(0.0, job.number("lens_circle_multiplier"))),
    )


def _manual_stops(job: SensorJob) -> float:
    """Stops that shutter, ISO and aperture add, in manual mode, to the renderer's own exposure."""
    if job.values["exposure_mode"] != "manual":
        return 0.0
    light = job.number("iso") / 100.0 * (200.0 / job.number("shutter_speed")) * (1.4 / job.number("fstop")) ** 2
    return float(np.log2(max(light, 1e-6)))


def _message(job: SensorJob, images: Images) -> Message:
    kind = KINDS[job.sensor.type_id]
    picture = _encode(kind, images)
    height, width = picture.shape[:2]
    head = job.header(kind) + struct.pack("<IIf", width, height, job.number("fov"))
    return head, picture.data.cast("B")


def _encode(kind: int, images: Images) -> NDArray[np.uint8]:
    if kind == RGB:
        assert images.rgb is not None
        return encode_rgb(images.rgb)
    if kind == DEPTH:
        assert images.depth is not None
        return encode_depth(images.depth)
    assert images.tags is not None
    if kind == SEMANTIC:
        return encode_tags(images.tags)
    assert images.instances is not None
    return encode_instances(images.tags, images.instances)
