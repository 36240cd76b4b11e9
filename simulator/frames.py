"""Frames: decoded images of a rig's cameras in one tick, and the encoding of CARLA's images."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from caos.simulator.lens import PINHOLE, Lens, Optics, pixel_directions
from caos.simulator.transform import Transform

OUTPUTS = ("rgb", "tags", "instances", "depth")
CLEARED = "cleared"
"""The ``rgb`` image without hazards; not available on servers that cannot hide actors."""
ALL_OUTPUTS = (*OUTPUTS, "normals", CLEARED)
"""All outputs of a capture; the default is ``OUTPUTS``."""
FAR_M = 1000.0
"""Maximum of CARLA's depth camera in metres; farther points read as this."""
_DEPTH_STEPS = 2**24 - 1


@dataclass(frozen=True, eq=False)
class Frame:
    """Images of one tick; outputs that were not requested are None.

    Attributes:
        frame: CARLA's frame number.
        pose: World pose of the cameras.
        fov_deg: Horizontal field of view.
        rgb: ``(h, w, 3)`` uint8.
        tags: ``(h, w)`` uint8, CARLA's semantic tags.
        instances: ``(h, w)`` uint32, the low 16 bits of actor ids; other numbers for the town itself.
        depth: ``(h, w)`` float32, metres along the viewing axis, or along the ray for lenses that may look backwards;
            infinite for sky.
        lens: Lens of the cameras.
        normals: ``(h, w, 3)`` float32, unit vectors of the world that face the camera, zero for sky.
        cleared: ``(h, w, 3)`` uint8, ``rgb`` without actors whose ``role_name`` is ``HAZARD_ROLE``.
    """

    frame: int
    pose: Transform
    fov_deg: float
    rgb: NDArray[np.uint8] | None = None
    tags: NDArray[np.uint8] | None = None
    instances: NDArray[np.uint32] | None = None
    depth: NDArray[np.float32] | None = None
    lens: Lens = PINHOLE
    normals: NDArray[np.float32] | None = None
    cleared: NDArray[np.uint8] | None = None

    def mask(self, actor_id: int) -> NDArray[np.bool_]:
        """Pixel mask ``(h, w)`` of an actor.

        Raises:
            ValueError: If the frame has no instance image.
        """
        if self.instances is None:
            raise ValueError("this frame was captured without instances")
        seen: NDArray[np.bool_] = self.instances == (actor_id & 0xFFFF)
        return seen

    def points(self) -> NDArray[np.float64]:
        """World points ``(h, w, 3)`` of the pixels (infinite for sky).

        Raises:
            ValueError: If the frame has no depth image.
        """
        if self.depth is None:
            raise ValueError("this frame was captured without depth")
        height, width = self.depth.shape
        if not self.lens.is_pinhole:
            local = pixel_directions(Optics(width, height, self.fov_deg, self.lens)).reshape(height, width, 3)
            turned = local.astype(np.float64) @ self.pose.matrix[:3, :3].T
            seen: NDArray[np.float64] = turned * self.depth[..., None].astype(np.float64) + self.pose.matrix[:3, 3]
            return seen
        half = np.tan(np.radians(self.fov_deg) / 2)
        right = ((np.arange(width) + 0.5) * 2 / width - 1) * half
        up = (1 - (np.arange(height) + 0.5) * 2 / height) * half * height / width
        matrix = self.pose.matrix
        rays = matrix[:3, 0] + right[None, :, None] * matrix[:3, 1] + up[:, None, None] * matrix[:3, 2]
        points: NDArray[np.float64] = rays * self.depth[..., None].astype(np.float64) + matrix[:3, 3]
        return points


def pixels(raw: bytes | memoryview, width: int, height: int) -> NDArray[np.uint8]:
    """View a CARLA image's bytes as ``(h, w, 4)`` blue, green, red, alpha, without a copy."""
    return np.frombuffer(raw, np.uint8).reshape(height, width, 4)


def decode_rgb(bgra: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return ``(h, w, 3)`` red, green, blue."""
    return np.ascontiguousarray(bgra[..., 2::-1])


def decode_tags(bgra: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return ``(h, w)`` semantic tags from the red channel."""
    return np.ascontiguousarray(bgra[..., 2])


def decode_instances(bgra: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """Return ``(h, w)`` instance ids: green is the low byte, blue the high one."""
    low, high = bgra[..., 1].astype(np.uint32), bgra[..., 0].astype(np.uint32)
    return (low + high * np.uint32(256)).astype(np.uint32)


def decode_depth(bgra: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return ``(h, w)`` metres along the viewing axis; ``FAR_M`` and beyond become infinite."""
    steps = (
        bgra[..., 2].astype(np.uint32) | (bgra[..., 1].astype(np.uint32) << 8) | (bgra[..., 0].astype(np.uint32) << 16)
    )
    metres = (steps.astype(np.float64) * (FAR_M / _DEPTH_STEPS)).astype(np.float32)
    metres[steps == _DEPTH_STEPS] = np.inf
    return metres


def encode_rgb(rgb: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return ``(h, w, 4)`` in the format of CARLA's rgb camera."""
    out = np.full((*rgb.shape[:2], 4), 255, np.uint8)
    out[..., :3] = rgb[..., ::-1]
    return out


def encode_tags(tags: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return ``(h, w, 4)`` in the format of CARLA's semantic segmentation camera."""
    out = np.zeros((*tags.shape, 4), np.uint8)
    out[..., 2], out[..., 3] = tags, 255
    return out


def encode_instances(tags: NDArray[np.uint8], ids: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """Return ``(h, w, 4)`` in the format of CARLA's instance segmentation camera, which holds 16 bits of an id."""
    out = np.empty((*ids.shape, 4), np.uint8)
    out[..., 0], out[..., 1], out[..., 2], out[..., 3] = (ids >> 8) & 255, ids & 255, tags, 255
    return out


def encode_depth(metres: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Return ``(h, w, 4)`` in the format of CARLA's depth camera."""
    share = np.minimum(metres.astype(np.float64), FAR_M) / FAR_M
    steps = np.rint(share * _DEPTH_STEPS).astype(np.uint32)
    out = np.empty((*metres.shape, 4), np.uint8)
    out[..., 2], out[..., 1], out[..., 0], out[..., 3] = steps & 255, (steps >> 8) & 255, steps >> 16, 255
    return out


def encode_normals(normals: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Return ``(h, w, 4)`` in the format of CARLA's normals camera, from unit vectors ``(h, w, 3)``; zero is grey."""
    out = np.full((*normals.shape[:2], 4), 255, np.uint8)
    out[..., :3] = np.rint((np.clip(normals, -1, 1) + 1) * 127.5)[..., ::-1]
    return out


def decode_normals(bgra: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return ``(h, w, 3)`` unit world vectors, zero for sky; red, green, blue are x, y, z, -1..1 as 0..255."""
    out: NDArray[np.float32] = bgra[..., 2::-1].astype(np.float32) / np.float32(127.5) - np.float32(1)
    length = np.sqrt(np.einsum("...i,...i->...", out, out))
    return np.where(length[..., None] > 0.5, out / np.maximum(length, 1e-6)[..., None], 0).astype(np.float32)


def decode_flow(raw: bytes | memoryview, width: int, height: int) -> NDArray[np.float32]:
    """Return ``(h, w, 2)``: motion of each point since the previous image, in pixels to the right and down.

    CARLA sends it in half images to the right and up.
    """
    halves = np.frombuffer(raw, np.float32).reshape(height, width, 2)
    return np.asarray(halves * np.array([width / 2, -height / 2], np.float32))
