"""Files of a slot: its pictures, its row of the manifest, and whether they are there, whole and unchanged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from caos.assets.catalogue.library import Library
from caos.assets.mesh import Mesh
from caos.foundation.errors import CaosError
from caos.foundation.settings import read_json, read_record
from caos.foundation.storage.files import sha256, write_json
from caos.foundation.storage.png import write_png
from caos.scenes.dataset.boxes import box_rows
from caos.scenes.dataset.layout import Split
from caos.scenes.dataset.levels import level_of
from caos.scenes.dataset.records import further_sensors
from caos.scenes.dataset.writer import SetFile, SetImage, file_of
from caos.scenes.generation.contrast import ground_contrast
from caos.scenes.generation.filming import Recording
from caos.scenes.generation.scene_maker import MadeScene
from caos.scenes.generation.silhouette import silhouette_pixels
from caos.scenes.scene import Hazard, Scene
from caos.scenes.sensors.lidar_files import mounted

FOLDERS: Final = {
    "image": "images",
    "annotation": "annotations",
    "instances": "instances",
    "depth": "depth",
    "twin": "twins",
    "normals": "normals",
    "flow": "flow",
}
"""The folder of each kind of file."""
FARTHEST_CM: Final = 65535


class ImageSlot(Protocol):
    """The place of one image in a set: of a recipe, or of a set whose scenes are made again."""

    @property
    def split(self) -> Split:
        """The split it is listed in."""

    @property
    def key(self) -> str:
        """The image's key, for example ``test/t5/12``."""

    def path(self, kind: str) -> str:
        """Path of one of the image's files, relative to the set."""


def write_slot(
    root: Path,
    slot: ImageSlot,
    made: MadeScene,
    library: Library,
    *,
    depth: bool,
    more: Mapping[str, Any] | None = None,
) -> SetImage:
    """Write the pictures of a scene, and then its record, which says that they are whole; ``more`` joins the record."""
    camera, pictures = made.scene.camera, made.pictures
    files = _write_pictures(root, slot, pictures, "", depth=depth)
    others = {name: _write_pictures(root, slot, seen, name, depth=depth) for name, seen in pictures.others.items()}
    about = _about(made, library) | {"cameras": camera_rows(made.scene, {camera.name: files} | others)}
    image = SetImage(slot.split, (camera.width, camera.height), files, about | dict(more or {}))
    write_json(_record(root, slot), image.row)
    return image


def _write_pictures(
    root: Path, slot: ImageSlot, pictures: Recording, camera: str, *, depth: bool
) -> dict[str, SetFile]:
    """Write what a camera saw; one that is named, a further one, has folders of its own."""
    arrays: dict[str, NDArray[Any] | None] = {
        "image": pictures.rgb,
        "annotation": pictures.annotation,
        "instances": pictures.instances,
        "depth": depth_png(pictures.depth) if depth else None,
        "twin": pictures.twin,
        "normals": None if pictures.normals is None else normals_png(pictures.normals),
        "flow": pictures.flow,
    }
    files = {}
    for kind, array in arrays.items():
        if array is not None:
            path = slot.path(f"cameras/{camera}/{FOLDERS[kind]}" if camera else FOLDERS[kind])
            write_png(root / path, array)
            files[kind] = file_of(root, path)
    return files


def finished_slot(root: Path, slot: ImageSlot) -> SetImage | None:
    """The image of a slot as its record has it; None if it is missing or one of its files is not what was written."""
    try:
        row = read_json(_record(root, slot))
        files = read_record(dict[str, SetFile], row.get("files"), "files")
        image = _image(slot, row, files)
        further = [
            file
            for sensor in further_sensors(row)
            for file in read_record(dict[str, SetFile], sensor["files"], "files").values()
        ]
    except (CaosError, AttributeError, KeyError, TypeError):
        return None
    expected = all(file.path == slot.path(FOLDERS[kind]) for kind, file in files.items())
    return image if expected and all(_is_whole(root, file) for file in (*files.values(), *further)) else None


def _image(slot: ImageSlot, row: Mapping[str, Any], files: Mapping[str, SetFile]) -> SetImage:
    about = {key: value for key, value in row.items() if key not in ("schema", "key", "split", "files")}
    size = int(row["camera"]["width"]), int(row["camera"]["height"])
    return SetImage(slot.split, size, {kind: files[kind] for kind in FOLDERS if kind in files}, about)


def _is_whole(root: Path, file: SetFile) -> bool:
    path = root / file.path
    return path.is_file() and sha256(path) == file.sha256


def _record(root: Path, slot: ImageSlot) -> Path:
    return root / "scenes" / f"{slot.key}.json"


def _about(made: MadeScene, library: Library) -> dict[str, Any]:
    """What the manifest says of a scene."""
    scene = made.scene
    return {
        "town": scene.town,
        "seed": scene.seed,
        "camera": asdict(scene.camera),
        "weather": {"name": scene.weather_name, **asdict(scene.weather)},
        "ego_pose": None if scene.ego is None else asdict(scene.ego),
        "scene": scene.to_json(),
        "rejected": dict(sorted(made.refused.items())),
        "hazards": [_hazard(scene, made.pictures, i, library) for i in range(len(scene.hazards))],
        "boxes": _boxes(made),
    }


def _boxes(made: MadeScene) -> list[dict[str, Any]]:
    scene, pictures = made.scene, made.pictures
    views = [(scene.camera, pictures.instances)]
    views += [(c, pictures.others[c.name].instances) for c in scene.cameras if c.name in pictures.others]
    return box_rows(pictures.boxes, views, pictures.scans)


def camera_rows(scene: Scene, files: Mapping[str, Mapping[str, SetFile]]) -> list[dict[str, Any]]:
    """What the manifest says of the cameras of a frame that have files; the first is the one of the row itself."""
    rows = []
    for camera in (scene.camera, *scene.cameras):
        if camera.name not in files:
            continue
        mount = None if scene.ego is None else mounted(scene.ego, camera.pose).tolist()
        rows.append(
            {
                "name": camera.name,
                "width": camera.width,
                "height": camera.height,
                "fov_deg": camera.fov_deg,
                "lens": {"model": camera.lens.model, "coefficients": list(camera.lens.coefficients)},
                "intrinsics": camera.optics.intrinsics.tolist(),
                "extrinsics": mount,
                "pose": asdict(camera.pose),
                "depth": "axis" if camera.lens.depth_is_planar else "ray",
                "files": {kind: asdict(file) for kind, file in files[camera.name].items()},
            }
        )
    return rows


def _hazard(scene: Scene, pictures: Recording, index: int, library: Library) -> dict[str, Any]:
    hazard = scene.hazards[index]
    mask = pictures.instances == index + 1
    rows, columns = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
    info = library.info(hazard.object)
    whole = silhouette_pixels(library.mesh(hazard.object, hazard.scale, hazard.open_share), hazard.pose, scene.camera)
    contrast = ground_contrast(pictures.rgb, pictures.annotation, mask)
    distance = np.linalg.norm(np.subtract(hazard.pose.location, scene.camera.pose.location))
    return {
        "object": hazard.object,
        "kind": info.kind,
        "category": info.category,
        "level": level_of(info.kind, hazard.motion),
        "source": info.source,
        "licence": info.licence,
        "content": info.content,
        "pose": asdict(hazard.pose),
        "placement": hazard.placement,
        "stance": hazard.stance,
        "motion": hazard.motion,
        "open_share": hazard.open_share,
        "view": scene.camera_of(hazard).name,
        "scale": hazard.scale,
        "size_m": [round(hazard.scale * v, 3) for v in info.size_m],
        "distance_m": round(float(distance), 3),
        "nearest_m": round(_nearest_m(library.mesh(hazard.object, hazard.scale, hazard.open_share), hazard, scene), 3),
        "pixels": int(mask.sum()),
        "occluded_share": round(1 - min(1.0, int(mask.sum()) / whole), 4) if whole else None,
        "contrast": None if contrast is None else round(contrast, 2),
        "instance_id": index + 1,
        "box": [int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1] if len(rows) else None,
    }


def _nearest_m(mesh: Mesh, hazard: Hazard, scene: Scene) -> float:
    """Metres on the ground from under the camera to the nearest point of a hazard."""
    vertices = np.concatenate([part.vertices for part in mesh.parts])
    world = vertices @ hazard.pose.matrix[:2, :3].T + hazard.pose.location[:2]
    return float(np.linalg.norm(world - scene.camera.pose.location[:2], axis=1).min())


def depth_png(depth_m: NDArray[np.float32]) -> NDArray[np.uint16]:
    """Depth for a 16-bit PNG: centimetres, 65535 for sky and what is farther than 655 m."""
    centimetres = np.where(np.isfinite(depth_m), depth_m * 100, FARTHEST_CM)
    return np.minimum(centimetres, FARTHEST_CM).round().astype(np.uint16)


def normals_png(normals: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Normals for an 8-bit PNG: red is the world's x, green y, blue z, -1..1 as 0..255; sky is grey."""
    out: NDArray[np.uint8] = np.rint((np.clip(normals, -1, 1) + 1) * 127.5).astype(np.uint8)
    return out
