"""Scene description: input and output of the renderer as plain data, independent of any renderer.

Everything is in CARLA's axes (x forward, y right, z up, left-handed, metres, degrees).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from caos.assets.mesh import Mesh
from caos.simulator.lens import PINHOLE, Lens, Optics
from caos.simulator.transform import Transform

OUTPUTS = ("rgb", "tags", "instances", "depth", "normals")
CLEARED = "cleared"
"""Optional output: the ``rgb`` image with some instances removed."""


@dataclass(frozen=True, eq=False)
class Placed:
    """A mesh with a pose. A ``Mesh`` object that is placed many times is stored once.

    Attributes:
        mesh: The geometry, in its own frame.
        world_from_mesh: ``(4, 4)`` float64.
        tag: CARLA's semantic tag, used for parts that have none of their own.
        instance_id: Value in instance images, at most 65535; 0 means no instance.
    """

    mesh: Mesh
    world_from_mesh: NDArray[np.float64]
    tag: int
    instance_id: int = 0


@dataclass(frozen=True)
class Camera:
    """A camera that looks along the x axis of its pose.

    Attributes:
        pose: World pose.
        width: Image width in pixels.
        height: Image height in pixels.
        fov_deg: Horizontal field of view, see :mod:`caos.simulator.lens`.
        exposure_compensation: In stops; +1 doubles the exposure.
        gamma: Output gamma; 2.2 means the sRGB curve, other values bend it as CARLA's ``gamma`` does.
        lens_falloff: Darkening towards the corners, 0 (none) to 1 (natural, cosine to the fourth).
        lens: Lens model that maps pixels to ray directions.
    """

    pose: Transform
    width: int
    height: int
    fov_deg: float = 90.0
    exposure_compensation: float = 0.0
    gamma: float = 2.2
    lens_falloff: float = 0.0
    lens: Lens = PINHOLE

    @property
    def optics(self) -> Optics:
        """Return the lens together with the image size."""
        return Optics(self.width, self.height, self.fov_deg, self.lens)


@dataclass(frozen=True)
class Lamp:
    """A small light source: a street lamp or a headlight. It is on only when it is dark.

    Attributes:
        location: x, y, z in metres.
        color: Linear RGB.
        intensity: Radiant intensity; 1 lights a white wall one metre away with a tenth of full daylight.
        direction: Axis of the cone, or None for an omnidirectional light.
        cone_deg: Full opening of the cone.
    """

    location: tuple[float, float, float]
    color: tuple[float, float, float] = (1.0, 0.85, 0.62)
    intensity: float = 30.0
    direction: tuple[float, float, float] | None = None
    cone_deg: float = 120.0


@dataclass
class Images:
    """Images of one frame; outputs that were not requested are None.

    Attributes:
        rgb: ``(h, w, 3)`` uint8.
        tags: ``(h, w)`` uint8, CARLA's semantic tags; sky is 11.
        instances: ``(h, w)`` uint32, 0 where there is no instance.
        depth: ``(h, w)`` float32, metres along the viewing axis (along the ray for a fisheye or equirectangular lens),
            infinite for sky.
        normals: ``(h, w, 3)`` float32, unit normals in world axes that face the camera, zero for sky.
        cleared: ``(h, w, 3)`` uint8, ``rgb`` without the hidden instances; pixels that their removal changes by less
            than the noise are copied from ``rgb``.
    """

    rgb: NDArray[np.uint8] | None = None
    tags: NDArray[np.uint8] | None = None
    instances: NDArray[np.uint32] | None = None
    depth: NDArray[np.float32] | None = None
    normals: NDArray[np.float32] | None = None
    cleared: NDArray[np.uint8] | None = None


@dataclass(frozen=True, eq=False)
class Hits:
    """First hits of rays.

    Attributes:
        distance: ``(n,)`` float32, infinite for a miss.
        tag: ``(n,)`` uint8, the sky's tag for a miss.
        instance_id: ``(n,)`` uint32.
        normal: ``(n, 3)`` float32, unit outward face normals, zero for a miss.
    """

    distance: NDArray[np.float32]
    tag: NDArray[np.uint8]
    instance_id: NDArray[np.uint32]
    normal: NDArray[np.float32]
