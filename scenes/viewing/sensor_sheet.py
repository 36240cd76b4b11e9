"""Sensor picture: what all cameras of a frame saw on one sheet, lidar points and boxes drawn over it.

Points and boxes are projected by what the manifest says (extrinsics, intrinsics, lens), so the sheet shows at once
whether that is right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from caos.foundation.errors import CaosError, unknown
from caos.foundation.storage.files import whole_file
from caos.scenes.dataset.layout import Dataset, read_image
from caos.scenes.sensors.lidar_files import read_scan
from caos.scenes.sensors.lidar_labels import HAZARD_CLASS, LabelledScan
from caos.simulator.lens import Lens, Optics
from caos.simulator.transform import Transform

FARTHEST_M: Final = 60.0
HAZARD_COLOUR: Final = (255, 0, 220)
BOX_COLOURS: Final = {"hazard": (255, 40, 40), "vehicle": (70, 150, 255), "person": (255, 210, 60)}
BAND_PX: Final = 18
EDGE_STEPS: Final = 24
"""Points along the edge of a box: a lens may bend it."""


def write_sensor_picture(dataset: Dataset, key: str | None, out: Path, *, boxes: bool = False, columns: int = 3) -> str:
    """Write the sheet of a frame as a picture; returns the frame's key.

    Args:
        dataset: A generated set.
        key: Of the frame; None takes the first one.
        out: The picture's file.
        boxes: Draw the boxes of hazards, vehicles and people too.
        columns: Pictures side by side.

    Raises:
        CaosError: If the set says nothing of its cameras, has no such frame, or a file of it is wrong.
    """
    rows = {k: row for k, row in dataset.manifest().items() if row.get("cameras")}
    if not rows:
        raise CaosError(f"{dataset.root}: the manifest does not describe its cameras; generate the set again")
    key = next(iter(rows)) if key is None else key
    if key not in rows:
        raise unknown("frame", key, rows)
    try:
        sheet = sensor_sheet(dataset.root, rows[key], boxes=boxes, columns=columns)
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        told = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        where = f"{dataset.root / 'manifest.jsonl'}, {key!r}"
        raise CaosError(f"{where}: not a valid manifest row: {told}") from error
    with whole_file(out) as path:
        sheet.save(path, "PNG")
    return key


def sensor_sheet(root: Path, row: Mapping[str, Any], *, boxes: bool, columns: int) -> Image.Image:
    """All cameras of a row, side by side in lines of their own width: a panorama is wider than the others."""
    scans = {lidar["name"]: (lidar, read_scan(root, lidar)) for lidar in row.get("lidar", ())}
    pictures = [_camera_picture(root, row, camera, list(scans.values()), boxes=boxes) for camera in row["cameras"]]
    columns = min(columns, len(pictures))
    rows = [pictures[k : k + columns] for k in range(0, len(pictures), columns)]
    widths = [sum(picture.width for picture in some) for some in rows]
    heights = [max(picture.height for picture in some) for some in rows]
    sheet = Image.new("RGB", (max(widths), sum(heights)), (20, 20, 20))
    top = 0
    for some, width, height in zip(rows, widths, heights, strict=True):
        left = (sheet.width - width) // 2
        for picture in some:
            sheet.paste(picture, (left, top))
            left += picture.width
        top += height
    return sheet


def _camera_picture(
    root: Path,
    row: Mapping[str, Any],
    camera: Mapping[str, Any],
    scans: Sequence[tuple[Mapping[str, Any], LabelledScan]],
    *,
    boxes: bool,
) -> Image.Image:
    picture = Image.fromarray(read_image(root / camera["files"]["image"]["path"]))
    draw = ImageDraw.Draw(picture)
    for lidar, scan in scans:
        _draw_points(draw, camera, lidar, scan)
    for box in row.get("boxes", ()) if boxes else ():
        _draw_box(draw, camera, box)
    out = Image.new("RGB", (picture.width, picture.height + BAND_PX), (20, 20, 20))
    out.paste(picture, (0, BAND_PX))
    lens = camera["lens"]["model"]
    ImageDraw.Draw(out).text((4, 3), f"{camera['name']}  {camera['fov_deg']:g} deg  {lens}", fill=(255, 255, 255))
    return out


def _optics(camera: Mapping[str, Any]) -> Optics:
    lens = Lens(camera["lens"]["model"], tuple(camera["lens"]["coefficients"]))
    return Optics(camera["width"], camera["height"], camera["fov_deg"], lens)


def points_in_picture(
    camera: Mapping[str, Any], lidar: Mapping[str, Any], scan: LabelledScan
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.intp]]:
    """Image points x and y of a scan's points that fall into a camera's picture, and which of them these are."""
    camera_from_lidar = np.linalg.inv(np.array(camera["extrinsics"])) @ np.array(lidar["extrinsics"])
    local = scan.xyz.astype(np.float64) @ camera_from_lidar[:3, :3].T + camera_from_lidar[:3, 3]
    x, y, seen = _optics(camera).project(local)
    inside = np.flatnonzero(seen & (x >= 0) & (y >= 0) & (x < camera["width"]) & (y < camera["height"]))
    return x[inside], y[inside], inside


def _draw_points(
    draw: ImageDraw.ImageDraw, camera: Mapping[str, Any], lidar: Mapping[str, Any], scan: LabelledScan
) -> None:
    import cv2

    x, y, which = points_in_picture(camera, lidar, scan)
    distance = np.linalg.norm(scan.xyz[which], axis=1)
    shades = np.clip(255 * (1 - distance / FARTHEST_M), 0, 255).astype(np.uint8)
    colours = cv2.applyColorMap(shades[:, None], cv2.COLORMAP_TURBO)[:, 0, ::-1]
    radius = camera["width"] / 1280
    hazards = scan.classes[which] == HAZARD_CLASS
    # Far ones first, hazards on top.
    for k in np.lexsort((-distance, hazards)):
        size = radius * (1.6 if hazards[k] else 1.0)
        fill = HAZARD_COLOUR if hazards[k] else tuple(int(v) for v in colours[k])
        if size < 0.5:
            draw.point((int(x[k]), int(y[k])), fill=fill)
        else:
            draw.ellipse((x[k] - size, y[k] - size, x[k] + size, y[k] + size), fill=fill)


def _draw_box(draw: ImageDraw.ImageDraw, camera: Mapping[str, Any], box: Mapping[str, Any]) -> None:
    """The twelve edges of a box of which a pixel is seen in a picture."""
    if not box["seen"].get(camera["name"], {}).get("pixels"):
        return
    corners = np.array(list(product((-0.5, 0.5), repeat=3)))
    edges = [(a, b) for a, b in product(range(8), repeat=2) if a < b and np.abs(corners[a] - corners[b]).sum() == 1]
    world_from_box, camera_from_world = Transform(**box["center"]).matrix, np.linalg.inv(_pose(camera).matrix)
    along = np.linspace(0, 1, EDGE_STEPS)[:, None]
    for a, b in edges:
        points = ((1 - along) * corners[a] + along * corners[b]) * box["size_m"]
        local = points @ world_from_box[:3, :3].T + world_from_box[:3, 3]
        x, y, seen = _optics(camera).project(local @ camera_from_world[:3, :3].T + camera_from_world[:3, 3])
        # A panorama's edge that leaves on one side comes in on the other.
        if seen.all() and np.abs(np.diff(x)).max() < camera["width"] / 2:
            draw.line([(float(u), float(v)) for u, v in zip(x, y, strict=True)], fill=BOX_COLOURS[box["what"]])


def _pose(camera: Mapping[str, Any]) -> Transform:
    return Transform(**camera["pose"])
