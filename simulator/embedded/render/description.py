"""Scene description: what goes into the renderer and what comes out, plain data, no renderer in it.

Everything is in CARLA's axes (x forward, y right, z up, left-handed numbers, metres, degrees).
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
"""A further output: the ``rgb`` picture without some things."""


@dataclass(frozen=True, eq=False)
class Placed:
    """A mesh at a place. The same ``Mesh`` object placed many times is stored once.

    Attributes:
        mesh: The geometry, in its own frame.
        world_from_mesh: ``(4, 4)`` float64.
        tag: CARLA's semantic tag of every part that has none of its own.
        instance_id: Number of the object in instance images; 0 means none, at most 65535.
    """

    mesh: Mesh
    world_from_mesh: NDArray[np.float64]
    tag: int
    instance_id: int = 0


@dataclass(frozen=True)
class Camera:
    """A camera that looks along its pose's x axis.

    Attributes:
        pose: World pose.
        width: Pixels across.
        height: Pixels down.
        fov_deg: Horizontal field of view, see :mod:`caos.simulator.lens`.
        exposure_compensation: In stops; +1 doubles the light.
        gamma: Of the output; 2.2 means the sRGB curve, other values bend it as CARLA's ``gamma`` does.
        lens_falloff: Darkening towards the corners, 0 none .. 1 natural (cosine to the fourth).
        lens: Which way each pixel looks.
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
        """Its lens with the size of its picture."""
        return Optics(self.width, self.height, self.fov_deg, self.lens)


@dataclass(frozen=True)
class Lamp:
    """A small light: a street lamp or a head light. It shines only when it is dark.

    Attributes:
        location: x, y, z in metres.
        color: Linear RGB.
        intensity: Radiant intensity; 1 lights a white wall one metre away as strongly as full daylight does a tenth.
        direction: Axis of the cone, or None for light to all sides.
        cone_deg: Full opening of the cone.
    """

    location: tuple[float, float, float]
    color: tuple[float, float, float] = (1.0, 0.85, 0.62)
    intensity: float = 30.0
    direction: tuple[float, float, float] | None = None
    cone_deg: float = 120.0


@dataclass
class Images:
    """The pictures of one frame; those not asked for are None.

    Attributes:
        rgb: ``(h, w, 3)`` uint8.
        tags: ``(h, w)`` uint8, CARLA's semantic tags; sky is 11.
        instances: ``(h, w)`` uint32, 0 where there is no instance.
        depth: ``(h, w)`` float32, metres along the viewing axis (along the ray for a fisheye or equirectangular lens),
            infinite for sky.
        normals: ``(h, w, 3)`` float32, unit vectors of the world that face the camera, zero for sky.
        cleared: ``(h, w, 3)`` uint8, ``rgb`` without the things that are hidden; where these change nothing that can be
            told from grain, the same picture.
    """

    rgb: NDArray[np.uint8] | None = None
    tags: NDArray[np.uint8] | None = None
    instances: NDArray[np.uint32] | None = None
    depth: NDArray[np.float32] | None = None
    normals: NDArray[np.float32] | None = None
    cleared: NDArray[np.uint8] | None = None


@dataclass(frozen=True, eq=False)
class Hits:
    """What rays meet first.

    Attributes:
        distance: ``(n,)`` float32, infinite where nothing is met.
        tag: ``(n,)`` uint8, the sky's where nothing is met.
        instance_id: ``(n,)`` uint32.
        normal: ``(n, 3)`` float32 unit outward normals of the faces, zero where nothing is met.
    """

    distance: NDArray[np.float32]
    tag: NDArray[np.uint8]
    instance_id: NDArray[np.uint32]
    normal: NDArray[np.float32]
