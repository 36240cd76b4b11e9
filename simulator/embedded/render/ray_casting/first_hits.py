"""Label images from first hits: tags, instances, depth and normals, the same at every quality."""

from __future__ import annotations

from collections.abc import Collection

from caos.foundation.errors import CaosError, unknown
from caos.simulator.embedded.render.description import CLEARED, OUTPUTS, Camera, Images
from caos.simulator.embedded.render.ray_casting.rays import Surface


def check_request(camera: Camera, outputs: Collection[str]) -> None:
    """Check that a camera and the requested outputs are valid.

    Raises:
        CaosError: If an output is unknown or the camera is invalid.
    """
    for name in outputs:
        if name not in (*OUTPUTS, CLEARED):
            raise unknown("output", name, (*OUTPUTS, CLEARED))
    if camera.width < 1 or camera.height < 1:
        raise CaosError(f"a camera of {camera.width}x{camera.height} pixels has no image; use at least 1x1")
    if not camera.lens.is_pinhole and (problem := camera.optics.problem()) is not None:
        raise CaosError(problem)
    if camera.lens.is_pinhole and not 0 < camera.fov_deg < 180:
        raise CaosError(f"a field of view of {camera.fov_deg} degrees is impossible; use one between 0 and 180")


def label_images(camera: Camera, surface: Surface, outputs: Collection[str]) -> Images:
    """Return the label images among ``outputs``; ``surface`` holds the first hits of the pixel centres."""
    shape, images = (camera.height, camera.width), Images()
    if "tags" in outputs:
        images.tags = surface.tag.reshape(shape)
    if "instances" in outputs:
        images.instances = surface.instance.reshape(shape)
    if "depth" in outputs:
        images.depth = surface.distance.reshape(shape)
    if "normals" in outputs:
        images.normals = surface.normal.reshape(*shape, 3)
    return images
