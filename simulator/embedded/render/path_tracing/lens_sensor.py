"""Mitsuba sensor whose rays follow a lens model: light is traced along the lens's own rays, no image is warped.

Ray directions at all pixel corners stand in a table; a sample within a pixel interpolates its four corners, which
differs from the lens model by less than a thousandth of a pixel.
"""

from __future__ import annotations

import functools
from array import array
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caos.simulator.embedded.render.description import Camera
from caos.simulator.embedded.render.path_tracing import backend

PLUGIN = "caos_lens"


def lens_sensor(mi: Any, camera: Camera, film: dict[str, Any], sampler: dict[str, Any]) -> Any:
    """Return a sensor with the camera's pose and lens, for the active Mitsuba variant."""
    _register(mi, mi.variant())
    sensor = backend.make(mi, {"type": PLUGIN, "film": film, "sampler": sampler})
    sensor.aim(camera)
    return sensor


def corner_rays(camera: Camera) -> NDArray[np.float64]:
    """Unit directions ``(h + 1, w + 1, 3)`` in world axes through the corners of a camera's pixels."""
    y, x = np.mgrid[0 : camera.height + 1, 0 : camera.width + 1].astype(np.float64)
    rays = camera.optics.rays(x.ravel(), y.ravel())
    rays /= np.linalg.norm(rays, axis=1, keepdims=True)
    world: NDArray[np.float64] = rays @ camera.pose.matrix[:3, :3].T
    return world.reshape(camera.height + 1, camera.width + 1, 3)


@functools.cache
def _register(mi: Any, variant: str) -> None:
    """Register the plugin with a Mitsuba variant."""
    many = not variant.startswith("scalar")

    class LensSensor(mi.Sensor):  # type: ignore[misc]
        """Sensor with tabulated rays; Mitsuba calls it per sample, or per batch of samples in vectorized variants."""

        def aim(self, camera: Camera) -> None:
            """Set pose and lens from a camera."""
            self._width, self._height = camera.width, camera.height
            self._origin = mi.Point3f([float(v) for v in camera.pose.location])
            table = corner_rays(camera)
            if many:
                self._table = mi.Texture2f(mi.TensorXf(table.astype(np.float32)), wrap_mode=_clamp())
            else:
                self._table = array("d", table.ravel().tobytes())

        def sample_ray(self, time: Any, sample1: Any, sample2: Any, sample3: Any, active: Any = True) -> Any:
            return self.sample_ray_differential(time, sample1, sample2, sample3, active)

        def sample_ray_differential(self, time: Any, _1: Any, place: Any, _3: Any, active: Any = True) -> Any:
            direction = mi.Vector3f(self._looked_up(place) if many else self._blend(place))
            return mi.RayDifferential3f(self._origin, direction, time, mi.Color0f()), mi.Color3f(1.0)

        def _looked_up(self, place: Any) -> Any:
            x = (place[0] * self._width + 0.5) / (self._width + 1)
            y = (place[1] * self._height + 0.5) / (self._height + 1)
            found = mi.Vector3f(self._table.eval(mi.Point2f(x, y)))
            return found / mi.Float((found.x * found.x + found.y * found.y + found.z * found.z) ** 0.5)

        def _blend(self, place: Any) -> list[float]:
            x, y = place[0] * self._width, place[1] * self._height
            column, row = min(int(x), self._width - 1), min(int(y), self._height - 1)
            right, down = x - column, y - row
            table, first = self._table, 3 * (row * (self._width + 1) + column)
            below = first + 3 * (self._width + 1)
            a, b, c, d = (1 - right) * (1 - down), right * (1 - down), (1 - right) * down, right * down
            dx = a * table[first] + b * table[first + 3] + c * table[below] + d * table[below + 3]
            dy = a * table[first + 1] + b * table[first + 4] + c * table[below + 1] + d * table[below + 4]
            dz = a * table[first + 2] + b * table[first + 5] + c * table[below + 2] + d * table[below + 5]
            length = (dx * dx + dy * dy + dz * dz) ** 0.5
            return [dx / length, dy / length, dz / length]

    mi.register_sensor(PLUGIN, LensSensor)


def _clamp() -> Any:
    import drjit as dr

    return dr.WrapMode.Clamp
