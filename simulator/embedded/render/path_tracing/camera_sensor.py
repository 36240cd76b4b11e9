"""Mitsuba sensor of a camera, for a whole image or a tile of it, at full or reduced resolution."""

from __future__ import annotations

from typing import Any

import numpy as np

from caos.simulator.embedded.render.description import Camera
from caos.simulator.embedded.render.path_tracing import backend
from caos.simulator.embedded.render.path_tracing.lens_sensor import lens_sensor
from caos.simulator.embedded.render.ray_casting.rays import Window


def camera_sensor(mi: Any, camera: Camera, samples: int, square: int = 1, tile: Window | None = None) -> Any:
    """Return the sensor of a camera with one pixel per ``square`` x ``square`` pixels, or of a ``tile`` of them."""
    columns, rows = -(-camera.width // square), -(-camera.height // square)
    film = _film(columns, rows, tile)
    sampler = {"type": "multijitter", "sample_count": samples}
    if not camera.lens.is_pinhole:
        return lens_sensor(mi, camera, film, sampler)
    pose, to_world = camera.pose.matrix, np.eye(4)
    # Mitsuba's camera has x to the left, y up and looks along z; flipping x gives CARLA's left-handed axes.
    to_world[:3, 0], to_world[:3, 1], to_world[:3, 2] = -pose[:3, 1], pose[:3, 2], pose[:3, 0]
    to_world[:3, 3] = pose[:3, 3]
    wider, taller = columns * square / camera.width, rows * square / camera.height
    half = np.tan(np.radians(camera.fov_deg) / 2) * wider
    pinhole = {
        "type": "perspective",
        "fov": float(np.degrees(2 * np.arctan(half))) if wider > 1 else float(camera.fov_deg),
        "fov_axis": "x",
        "principal_point_offset_x": 0.5 - 0.5 / wider,
        "principal_point_offset_y": 0.5 - 0.5 / taller,
        "near_clip": 0.02,
        "far_clip": 1e5,
        "to_world": mi.ScalarTransform4f(to_world),
        "film": film,
        "sampler": sampler,
    }
    return backend.make(mi, pinhole)


def _film(columns: int, rows: int, tile: Window | None) -> dict[str, Any]:
    film: dict[str, Any] = {
        "type": "hdrfilm",
        "width": columns,
        "height": rows,
        "pixel_format": "rgb",
        "component_format": "float32",
        "rfilter": {"type": "box"},
    }
    if tile is not None:
        film |= {"crop_offset_x": tile.left, "crop_offset_y": tile.top}
        film |= {"crop_width": tile.width, "crop_height": tile.height}
    return film
