"""Checking of views and finished frames: is the view good, and is every hazard seen well enough?"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from caos.assets.catalogue.library import Library
from caos.scenes.generation.contrast import ground_contrast
from caos.scenes.generation.filming import Recording
from caos.scenes.generation.poses import NoFreeSpaceError
from caos.scenes.generation.silhouette import silhouette_pixels
from caos.scenes.labels import STREETHAZARDS
from caos.scenes.recipes.rules import HazardRules
from caos.scenes.scene import CameraSpec, Scene

NEAR_BLOCKED_M: Final = 2.5
BLOCKED_SHARE: Final = 0.2
LARGEST_CAR_SHARE: Final = 0.3
LEAST_ROAD_SHARE: Final = 0.06
GLANCE_PX: Final = 320
"""Width of the small picture that tells most hazards that stand out, for a fraction of a large one's time."""
GLANCE_SLACK: Final = 1.2
"""How far the contrast in it may lie above the limit: it is measured on few pixels."""
CAR: Final = STREETHAZARDS.png_value("car")
ROAD: Final = (STREETHAZARDS.png_value("road line"), STREETHAZARDS.png_value("road"))


def check_view(depth: NDArray[np.float32], annotation: NDArray[np.uint8]) -> None:
    """Refuse a view, without its hazards, that has something right in front of the lens, or no road.

    Raises:
        NoFreeSpaceError: With what is wrong.
    """
    above_ground = depth[: -len(depth) // 3]
    if (above_ground < NEAR_BLOCKED_M).mean() > BLOCKED_SHARE or (annotation == CAR).mean() > LARGEST_CAR_SHARE:
        raise NoFreeSpaceError("blocked")
    if np.isin(annotation, ROAD).mean() < LEAST_ROAD_SHARE:
        raise NoFreeSpaceError("no road")


def check_seen(mask: NDArray[np.bool_], whole: int, camera: CameraSpec, rules: HazardRules) -> None:
    """Check the visible pixels of a hazard against the rules; ``whole`` are those it has when nothing hides it.

    Raises:
        NoFreeSpaceError: If it is too small, too large, too hidden or not hidden enough, or falls into dust.
    """
    pixels = int(mask.sum())
    if pixels < rules.min_image_share * camera.pixels:
        if pixels == 0 < whole:
            raise NoFreeSpaceError("out of sight")
        raise NoFreeSpaceError("hidden" if whole >= rules.min_image_share * camera.pixels else "too few pixels")
    if pixels > rules.max_image_share * camera.pixels:
        raise NoFreeSpaceError("too many pixels")
    if pixels < rules.min_visible_share * whole:
        raise NoFreeSpaceError("hidden")
    # The renderer's edge pixels are not exactly the silhouette's: in full view there may be a few more.
    if min(pixels, whole) > rules.max_visible_share * whole:
        raise NoFreeSpaceError("in full view")
    if smallest_fragment(mask) < rules.smallest_fragment_px:
        raise NoFreeSpaceError("dust")


def check_frame(scene: Scene, pictures: Recording, library: Library, rules: HazardRules | None) -> None:
    """Measure a finished frame: each hazard by its own pixels, and a frame without any as a view.

    Raises:
        NoFreeSpaceError: If a hazard is not seen as the rules want it, or, where there is none, the view is not good.
    """
    if rules is None or not scene.hazards:
        check_view(pictures.depth, pictures.annotation)
        return
    for number, hazard in enumerate(scene.hazards, 1):
        camera, seen = scene.camera_of(hazard), pictures.others.get(hazard.view, pictures)
        whole = silhouette_pixels(library.mesh(hazard.object, hazard.scale, hazard.open_share), hazard.pose, camera)
        mask = seen.instances == number
        check_seen(mask, whole, camera, rules)
        if rules.max_contrast is not None or rules.min_contrast is not None:
            _check_contrast(ground_contrast(seen.rgb, seen.annotation, mask), rules)


def _check_contrast(contrast: float | None, rules: HazardRules) -> None:
    if contrast is None or (rules.max_contrast is not None and contrast > rules.max_contrast):
        raise NoFreeSpaceError("stands out")
    if rules.min_contrast is not None and contrast < rules.min_contrast:
        raise NoFreeSpaceError("blends in")


def glance(camera: CameraSpec) -> CameraSpec:
    """The same camera with a small picture."""
    return replace(camera, width=GLANCE_PX, height=max(1, round(camera.height * GLANCE_PX / camera.width)))


def check_glance(scene: Scene, small: Recording, max_contrast: float) -> None:
    """Refuse a scene whose small picture shows that a hazard stands out from the ground.

    Raises:
        NoFreeSpaceError: If one does, by more than the small picture's error.
    """
    for number in range(1, len(scene.hazards) + 1):
        contrast = ground_contrast(small.rgb, small.annotation, small.instances == number)
        if contrast is not None and contrast > GLANCE_SLACK * max_contrast:
            raise NoFreeSpaceError("stands out")


def smallest_fragment(mask: NDArray[np.bool_]) -> int:
    """Pixels of the smallest 8-connected piece of a mask; 0 for an empty one."""
    _, _, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=8)
    return int(stats[1:, cv2.CC_STAT_AREA].min()) if len(stats) > 1 else 0
