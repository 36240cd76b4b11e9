"""nuScenes export: pictures and lidar points in ``samples``, and the thirteen tables of nuScenes with everything else.

Caesar and others, "nuScenes: a multimodal dataset for autonomous driving", CVPR 2020. Every sequence is a scene, and so
is every single image. Axes are nuScenes': right-handed, of the world and the car x forward, y left, z up.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from caos.foundation.errors import CaosError
from caos.foundation.settings import read_bytes
from caos.foundation.storage.files import write_bytes, write_json
from caos.foundation.storage.png import write_png
from caos.scenes.converting.linking import copy_picture
from caos.scenes.dataset.boxes import TWO_WHEELED
from caos.scenes.dataset.layout import SPLITS
from caos.scenes.exporting.frame_facts import (
    BoxFacts,
    FrameFacts,
    Matrix,
    frames_with_geometry,
)
from caos.scenes.exporting.job import Exported, ExportJob, flat_names
from caos.scenes.sensors.lidar_files import CAMERA_AXES, LIDAR_AXES, read_scan_files

VERSION: Final = "v1.0-caos"
NAMES: Final[Mapping[str, str]] = {
    "car": "vehicle.car",
    "van": "vehicle.car",
    "truck": "vehicle.truck",
    "bus": "vehicle.bus.rigid",
    "motorcycle": "vehicle.motorcycle",
    "bicycle": "vehicle.bicycle",
}
WITH_RIDER: Final = "cycle.with_rider"
VISIBILITY: Final = (("1", "v0-40", 0.4), ("2", "v40-60", 0.6), ("3", "v60-80", 0.8), ("4", "v80-100", 1.01))
"""nuScenes' levels, each with the visible share below which it holds."""
TABLES: Final = (
    "category",
    "attribute",
    "visibility",
    "instance",
    "sensor",
    "calibrated_sensor",
    "ego_pose",
    "log",
    "scene",
    "sample",
    "sample_data",
    "sample_annotation",
    "map",
)
MAP_FILE: Final = "maps/none.png"
Row = dict[str, Any]


def write_nuscenes(job: ExportJob) -> Exported:
    """``samples/<CHANNEL>/*``, ``v1.0-caos/*.json``, an empty map, and ``splits.json``: the scenes of each split."""
    frames = frames_with_geometry(job.dataset)
    names = flat_names(frame.sample.key for frame in frames)
    tables, splits = _Tables(), dict[str, list[str]]({split: [] for split in SPLITS})
    with job.progress.task("exporting", len(frames)) as task:
        for name, own in scenes_of(frames).items():
            splits[own[0].sample.split].append(name)
            tables.add_scene(name, own, names)
            for frame in own:
                _place_files(job.out, frame, names[frame.sample.key])
                task.advance()
    write_png(job.out / MAP_FILE, np.zeros((1, 1), np.uint8))
    for table in TABLES:
        write_json(job.out / VERSION / f"{table}.json", list(tables.rows[table].values()))
    write_json(job.out / "splits.json", splits)
    return Exported(len(frames), job.out)


def scenes_of(frames: Sequence[FrameFacts]) -> dict[str, list[FrameFacts]]:
    """Frames by scene, in order: a sequence, or a single image."""
    found: dict[str, list[FrameFacts]] = {}
    for frame in frames:
        key = frame.sample.key if frame.sequence is None else str(frame.sequence["key"])
        found.setdefault(key, []).append(frame)
    for own in found.values():
        own.sort(key=lambda f: 0 if f.sequence is None else int(f.sequence["frame"]))
    return found


def token(*parts: object) -> str:
    """NuScenes' kind of name for a row: 32 hexadecimal digits, here always the same for the same thing."""
    return hashlib.sha256("/".join(str(part) for part in parts).encode()).hexdigest()[:32]


def quaternion(rotation: Matrix) -> list[float]:
    """w, x, y, z of a rotation matrix (Bar-Itzhack 2000: an eigenvector, so that no case is special).

    >>> [round(abs(value), 6) for value in quaternion(np.diag([1.0, -1.0, -1.0]))]
    [0.0, 1.0, 0.0, 0.0]
    """
    (a, b, c), (d, e, f), (g, h, i) = rotation[:3, :3].tolist()
    k = np.array(
        [
            [a - e - i, 0.0, 0.0, 0.0],
            [d + b, e - a - i, 0.0, 0.0],
            [g + c, h + f, i - a - e, 0.0],
            [h - f, c - g, d - b, a + e + i],
        ]
    )
    x, y, z, w = np.linalg.eigh(k / 3, UPLO="L")[1][:, -1].tolist()
    sign = -1.0 if w < 0 else 1.0
    return [sign * w, sign * x, sign * y, sign * z]


def channel(kind: str, name: str) -> str:
    """NuScenes' name of a sensor.

    >>> channel("CAM", "front left")
    'CAM_FRONT_LEFT'
    """
    return f"{kind}_{name.upper().replace(' ', '_').replace('-', '_')}"


def _rigid(matrix: Matrix) -> Row:
    return {"translation": matrix[:3, 3].tolist(), "rotation": quaternion(matrix)}


def _place_files(out: Path, frame: FrameFacts, name: str) -> None:
    for camera in frame.pinholes:
        target = out / "samples" / channel("CAM", camera.name) / f"{name}{camera.image.suffix.lower()}"
        copy_picture(camera.image, target)
    for lidar in frame.lidars:
        read_scan_files(lidar.points, lidar.labels)
        write_bytes(out / "samples" / channel("LIDAR", lidar.name) / f"{name}.pcd.bin", points_with_rings(lidar.points))


def points_with_rings(path: Path) -> bytes:
    """NuScenes' points from KITTI's: x, y, z, intensity, and a ring, which is not known and 0.

    Raises:
        CaosError: If the file cannot be read, or is cut off.
    """
    data = read_bytes(path)
    if len(data) % 16:
        raise CaosError(f"{path}: {len(data)} bytes are not a whole number of points of 16 bytes")
    values = np.frombuffer(data, "<f4")
    out = np.zeros((values.size // 4, 5), "<f4")
    out[:, :4] = values.reshape(-1, 4)
    return out.tobytes()


class _Tables:
    """The rows of all tables, by token."""

    def __init__(self) -> None:
        self.rows: dict[str, dict[str, Row]] = {table: {} for table in TABLES}
        for name, level, _ in VISIBILITY:
            self._add("visibility", name, level=level, description=f"visibility of the object: {level[1:]} percent")
        self._add("visibility", "0", level="unknown", description="visibility of the object is not known")

    def _add(self, table: str, name: str, /, **values: Any) -> str:
        self.rows[table].setdefault(name, {"token": name, **values})
        return name

    def add_scene(self, name: str, frames: Sequence[FrameFacts], names: Mapping[str, str]) -> None:
        """Everything about one scene."""
        first, last = frames[0], frames[-1]
        log = self._add(
            "log", token("log", first.town), logfile="", vehicle="caos", date_captured="", location=first.town
        )
        self._add("map", token("map"), log_tokens=[], category="semantic_prior", filename=MAP_FILE)
        logs = self.rows["map"][token("map")]["log_tokens"]
        if log not in logs:
            logs.append(log)
        scene = self._add(
            "scene",
            token("scene", name),
            log_token=log,
            nbr_samples=len(frames),
            first_sample_token=_sample(first),
            last_sample_token=_sample(last),
            name=name,
            description=", ".join(part for part in (first.town, first.weather) if part),
        )
        for at, frame in enumerate(frames):
            near = (frames[at - 1] if at else None, frames[at + 1] if at + 1 < len(frames) else None)
            self._add_sample(scene, frame, near, names)
        self._add_annotations(name, frames)

    def _add_sample(
        self, scene: str, frame: FrameFacts, near: tuple[FrameFacts | None, FrameFacts | None], names: Mapping[str, str]
    ) -> None:
        before, after = near
        links = {"prev": "" if before is None else _sample(before), "next": "" if after is None else _sample(after)}
        time = _microseconds(frame)
        self._add("sample", _sample(frame), timestamp=time, scene_token=scene, **links)
        ego = LIDAR_AXES @ frame.world_from_ego @ LIDAR_AXES
        name = names[frame.sample.key]
        for camera in frame.pinholes:
            mounted = LIDAR_AXES @ camera.ego_from_camera @ np.linalg.inv(CAMERA_AXES)
            place = channel("CAM", camera.name)
            suffix = camera.image.suffix.lower()
            about = {"fileformat": suffix[1:], "width": camera.width, "height": camera.height}
            file = f"samples/{place}/{name}{suffix}"
            self._add_data(frame, near, place, "camera", mounted, camera.intrinsics.tolist(), ego, file, about)
        for lidar in frame.lidars:
            mounted = LIDAR_AXES @ lidar.ego_from_lidar @ LIDAR_AXES
            place = channel("LIDAR", lidar.name)
            file = f"samples/{place}/{name}.pcd.bin"
            about = {"fileformat": "pcd", "width": 0, "height": 0}
            self._add_data(frame, near, place, "lidar", mounted, [], ego, file, about)

    def _add_data(
        self,
        frame: FrameFacts,
        near: tuple[FrameFacts | None, FrameFacts | None],
        place: str,
        modality: str,
        mounted: Matrix,
        intrinsics: list[Any],
        ego: Matrix,
        file: str,
        about: Mapping[str, Any],
    ) -> None:
        sensor = self._add("sensor", token("sensor", place), channel=place, modality=modality)
        rigid = _rigid(mounted)
        calibrated = token("calibrated", place, intrinsics, rigid)
        self._add("calibrated_sensor", calibrated, sensor_token=sensor, camera_intrinsic=intrinsics, **rigid)
        time, (before, after) = _microseconds(frame), near
        pose = self._add("ego_pose", token("ego", frame.sample.key), timestamp=time, **_rigid(ego))
        self._add(
            "sample_data",
            _data(frame, place),
            sample_token=_sample(frame),
            ego_pose_token=pose,
            calibrated_sensor_token=calibrated,
            timestamp=time,
            is_key_frame=True,
            filename=file,
            prev="" if before is None else _data(before, place),
            next="" if after is None else _data(after, place),
            **about,
        )

    def _add_annotations(self, scene: str, frames: Sequence[FrameFacts]) -> None:
        """The boxes of a scene, linked along each instance."""
        seen: dict[int, list[tuple[FrameFacts, BoxFacts]]] = {}
        for frame in frames:
            for box in frame.boxes:
                seen.setdefault(box.instance_id, []).append((frame, box))
        for number, boxes in seen.items():
            tokens = [token("annotation", frame.sample.key, number) for frame, _ in boxes]
            name = category_name(boxes[0][1])
            category = self._add("category", token("category", name), name=name, description="")
            instance = self._add(
                "instance",
                token("instance", scene, number),
                category_token=category,
                nbr_annotations=len(boxes),
                first_annotation_token=tokens[0],
                last_annotation_token=tokens[-1],
                object=boxes[0][1].object,
            )
            for at, (frame, box) in enumerate(boxes):
                placed = _rigid(LIDAR_AXES @ box.world_from_box @ LIDAR_AXES)
                length, width, height = box.size_m
                self._add(
                    "sample_annotation",
                    tokens[at],
                    sample_token=_sample(frame),
                    instance_token=instance,
                    visibility_token=visibility(box.occluded_share),
                    attribute_tokens=self._attributes(box),
                    size=[width, length, height],
                    prev=tokens[at - 1] if at else "",
                    next=tokens[at + 1] if at + 1 < len(tokens) else "",
                    num_lidar_pts=box.lidar_points,
                    num_radar_pts=0,
                    **placed,
                )

    def _attributes(self, box: BoxFacts) -> list[str]:
        """A two-wheeler's box includes its rider, which nuScenes says by an attribute."""
        if box.what != "vehicle" or box.kind not in TWO_WHEELED:
            return []
        return [self._add("attribute", token("attribute", WITH_RIDER), name=WITH_RIDER, description="")]


def category_name(box: BoxFacts) -> str:
    """NuScenes' category; a hazard's is its own, such as ``hazard.animals``."""
    if box.what == "vehicle":
        return NAMES.get(box.kind, "vehicle.car")
    return "human.pedestrian.adult" if box.what == "person" else f"hazard.{box.kind}"


def visibility(occluded_share: float | None) -> str:
    """The token of a level of visibility.

    >>> visibility(0.0), visibility(0.7), visibility(None)
    ('4', '1', '0')
    """
    if occluded_share is None:
        return "0"
    return next(name for name, _, below in VISIBILITY if 1 - occluded_share < below)


def _sample(frame: FrameFacts) -> str:
    return token("sample", frame.sample.key)


def _data(frame: FrameFacts, place: str) -> str:
    return token("data", frame.sample.key, place)


def _microseconds(frame: FrameFacts) -> int:
    return 0 if frame.sequence is None else round(1e6 * float(frame.sequence["time_s"]))
