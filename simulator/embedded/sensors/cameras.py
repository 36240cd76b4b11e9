"""Cameras: rendering, encoding and delivery of images; cameras with the same pose and lens share one rendering."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from caos.assets.tags import SemanticTag
from caos.simulator.embedded.protocol.streams import Buffer, Message
from caos.simulator.embedded.render.description import CLEARED, Camera, Images
from caos.simulator.embedded.sensors.events import note_events
from caos.simulator.embedded.sensors.flow import measure_flow
from caos.simulator.embedded.sensors.job import COSMOS, DEPTH, EVENTS, FLOW, INSTANCE, NORMALS, RGB, SEMANTIC, SensorJob
from caos.simulator.embedded.world_state.shared_renderer import SharedRenderer, Snapshot
from caos.simulator.frames import encode_depth, encode_instances, encode_normals, encode_rgb, encode_tags
from caos.simulator.lens import Lens, LensModel, Optics

MAX_SIDE = 8192
MAX_PIXELS = 32_000_000
KINDS = {
    "sensor.camera.rgb": RGB,
    "sensor.camera.semantic_segmentation": SEMANTIC,
    "sensor.camera.instance_segmentation": INSTANCE,
    "sensor.camera.depth": DEPTH,
    "sensor.camera.normals": NORMALS,
    "sensor.camera.optical_flow": FLOW,
    "sensor.camera.dvs": EVENTS,
    "sensor.camera.cosmos_visualization": COSMOS,
}
PHOTOGRAPHS = frozenset({RGB, EVENTS})
NEEDS = {
    SEMANTIC: ("tags",),
    INSTANCE: ("tags", "instances"),
    DEPTH: ("depth",),
    NORMALS: ("normals",),
    FLOW: ("depth", "instances"),
    COSMOS: ("tags",),
}
PINHOLE = {"lens_k": -1.0, "lens_kcube": 0.0, "lens_x_size": 0.08, "lens_y_size": 0.08}
"""CARLA's default lens, a pinhole; other values would distort the image and are refused."""
_DRAWN = {
    (SemanticTag.ROAD,): (56, 103, 221),
    (SemanticTag.ROAD_LINE,): (98, 183, 249),
    (SemanticTag.POLE,): (66, 40, 144),
    (SemanticTag.TRAFFIC_SIGN,): (131, 175, 155),
    (SemanticTag.TRAFFIC_LIGHT,): (252, 157, 155),
    (SemanticTag.PEDESTRIAN,): (0, 255, 0),
    tuple(range(SemanticTag.RIDER, SemanticTag.BICYCLE + 1)): (200, 36, 35),
}
COSMOS_COLORS = np.zeros((256, 3), np.uint8)
"""Colours by tag: CARLA draws lines and boxes for its world model; here whole surfaces, all else is black."""
for _tags, _color in _DRAWN.items():
    COSMOS_COLORS[list(_tags)] = _color
_OPTICS = ("image_size_x", "image_size_y", "fov", "lens_model", "lens_coefficients")
_Key: TypeAlias = tuple[object, ...]


def check_camera(values: dict[str, str]) -> str | None:
    """Return why a camera with these attributes cannot be served, or None."""
    width, height, fov = int(values["image_size_x"]), int(values["image_size_y"]), float(values["fov"])
    if not (1 <= width <= MAX_SIDE and 1 <= height <= MAX_SIDE and width * height <= MAX_PIXELS):
        return f"an image of {width}x{height} is outside 1..{MAX_SIDE} a side and {MAX_PIXELS} pixels"
    try:
        problem = Optics(width, height, fov, _lens(values)).problem()
    except ValueError:
        problem = f"lens_coefficients={values['lens_coefficients'][:40]!r} are not comma-separated numbers"
    if problem:
        return problem
    for name, default in PINHOLE.items():
        if float(values[name]) != default:
            return f"{name}={values[name]} is not supported: the lens is a pinhole ({name}={default:g})"
    return None


def send_images(
    jobs: Iterable[SensorJob],
    renderer: SharedRenderer,
    snapshot: Snapshot,
    send: Callable[[SensorJob, Message], None],
    guard: Callable[[list[SensorJob]], AbstractContextManager[None]] = lambda _: nullcontext(),
) -> None:
    """Render a frame for its cameras, and send each its image as soon as it is complete.

    ``guard`` is entered for each group of cameras that share a rendering, to isolate their failures.
    """
    groups: dict[_Key, list[SensorJob]] = {}
    for job in jobs:
        groups.setdefault(_place(job), []).append(job)
    for group in groups.values():
        with guard(group):
            _take(group, renderer, snapshot, send)


def _take(
    group: list[SensorJob], renderer: SharedRenderer, snapshot: Snapshot, send: Callable[[SensorJob, Message], None]
) -> None:
    labels = [job for job in group if KINDS[job.sensor.type_id] not in PHOTOGRAPHS]
    photographs: dict[Camera, list[SensorJob]] = {}
    for job in group:
        if KINDS[job.sensor.type_id] in PHOTOGRAPHS:
            photographs.setdefault(_camera(job), []).append(job)
    wanted = sorted({name for job in labels for name in NEEDS[KINDS[job.sensor.type_id]]})
    for camera, alike in photographs.items():
        for jobs, outputs, hidden_role in _drawings(alike):
            images = renderer.render(snapshot, camera, (*outputs, *wanted), hidden_role)
            _deliver(jobs + labels, images, snapshot, send)
            labels, wanted = [], []
    if labels:
        images = renderer.render(snapshot, _camera(labels[0]), wanted)
        _deliver(labels, images, snapshot, send)


def _drawings(jobs: list[SensorJob]) -> Iterator[tuple[list[SensorJob], tuple[str, ...], str]]:
    """Group the cameras of one pose by rendering: jobs, outputs, and the role that ``cleared`` leaves out.

    An image without some actors is derived from the one with them, so both are rendered together.
    """
    plain = [job for job in jobs if not _hidden_role(job)]
    roles = sorted({_hidden_role(job) for job in jobs} - {""})
    if not roles:
        yield plain, ("rgb",), ""
    for number, role in enumerate(roles):
        hiding = [job for job in jobs if _hidden_role(job) == role]
        with_rgb = bool(plain) and number == 0
        yield hiding + (plain if with_rgb else []), ("rgb", CLEARED) if with_rgb else (CLEARED,), role


def _hidden_role(job: SensorJob) -> str:
    return job.values.get("hidden_role", "")


def _deliver(
    jobs: list[SensorJob], images: Images, snapshot: Snapshot, send: Callable[[SensorJob, Message], None]
) -> None:
    for job in jobs:
        data = _data(job, images, snapshot)
        if data is not None:
            lens = struct.pack("<IIf", *_size(job), job.number("fov"))
            send(job, (job.header(KINDS[job.sensor.type_id]) + lens, data))


def _size(job: SensorJob) -> tuple[int, int]:
    return int(job.values["image_size_x"]), int(job.values["image_size_y"])


def _place(job: SensorJob) -> _Key:
    return job.pose, *(job.values.get(name) for name in _OPTICS)


def _lens(values: Mapping[str, str]) -> Lens:
    """Return the lens of a camera's attributes; CARLA's own is a pinhole."""
    if "lens_model" not in values:
        return Lens()
    coefficients = tuple(float(text) for text in values["lens_coefficients"].split(",") if text.strip())
    return Lens(cast("LensModel", values["lens_model"]), coefficients)


def _camera(job: SensorJob) -> Camera:
    (width, height), fov = _size(job), job.number("fov")
    lens = _lens(job.values)
    is_photograph = KINDS[job.sensor.type_id] in PHOTOGRAPHS
    if not is_photograph or job.values["enable_postprocess_effects"].lower() in {"false", "0"}:
        return Camera(job.pose, width, height, fov, lens=lens)
    return Camera(
        job.pose,
        width,
        height,
        fov,
        exposure_compensation=job.number("exposure_compensation") + _manual_stops(job),
        gamma=job.number("gamma"),
        lens_falloff=min(1.0, max(0.0, job.number("lens_circle_multiplier"))),
        lens=lens,
    )


def _manual_stops(job: SensorJob) -> float:
    """Stops that shutter, ISO and aperture add, in manual mode, to the renderer's exposure."""
    if job.values["exposure_mode"] != "manual":
        return 0.0
    light = job.number("iso") / 100.0 * (200.0 / job.number("shutter_speed")) * (1.4 / job.number("fstop")) ** 2
    return float(np.log2(max(light, 1e-6)))


def _data(job: SensorJob, images: Images, snapshot: Snapshot) -> Buffer | None:
    """Return a camera's data after the image size, or None if there is nothing to send."""
    kind = KINDS[job.sensor.type_id]
    if kind == FLOW:
        assert images.depth is not None
        assert images.instances is not None
        return measure_flow(job, images.depth, images.instances, snapshot).data.cast("B")
    if kind == EVENTS:
        assert images.rgb is not None
        events = note_events(job, images.rgb)
        return events.tobytes() if len(events) else None
    if _hidden_role(job):
        assert images.cleared is not None
        return encode_rgb(images.cleared).data.cast("B")
    return _encode(kind, images).data.cast("B")


def _encode(kind: int, images: Images) -> NDArray[np.uint8]:
    if kind == RGB:
        assert images.rgb is not None
        return encode_rgb(images.rgb)
    if kind == DEPTH:
        assert images.depth is not None
        return encode_depth(images.depth)
    if kind == NORMALS:
        assert images.normals is not None
        return encode_normals(images.normals)
    assert images.tags is not None
    if kind == SEMANTIC:
        return encode_tags(images.tags)
    if kind == COSMOS:
        return encode_rgb(COSMOS_COLORS[images.tags])
    assert images.instances is not None
    return encode_instances(images.tags, images.instances)
