"""Facts of a frame for exports that need geometry: cameras, boxes and lidars from its row of the manifest.

Matrices are 4x4 and in CARLA's axes (x forward, y right, z up, left-handed);
:mod:`caos.scenes.sensors.lidar_files` converts to the right-handed axes of other tools. A row without ``cameras`` and
``boxes`` gives its one camera and its hazards.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caos.foundation.errors import CaosError
from caos.scenes.dataset.layout import Dataset, Sample
from caos.scenes.exporting.job import all_samples
from caos.simulator.transform import Transform

Matrix = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CameraFacts:
    """A camera of a frame; ``lens`` is the model's name."""

    name: str
    width: int
    height: int
    lens: str
    intrinsics: Matrix
    ego_from_camera: Matrix
    world_from_camera: Matrix
    image: Path


@dataclass(frozen=True, eq=False)
class BoxFacts:
    """The box of something that can move.

    Attributes:
        instance_id: As in instance images.
        what: ``hazard``, ``vehicle`` or ``person``.
        object: Name of the hazard, or blueprint.
        kind: Of a vehicle, CARLA's base type; of a hazard, its category.
        world_from_box: Middle and turn.
        size_m: Length, width and height.
        seen: By camera, what the manifest says of it.
        lidar_points: Of all lidars.
        occluded_share: None where it is not known.
    """

    instance_id: int
    what: str
    object: str
    kind: str
    world_from_box: Matrix
    size_m: tuple[float, float, float]
    seen: Mapping[str, Mapping[str, Any]]
    lidar_points: int
    occluded_share: float | None

    @property
    def corners(self) -> Matrix:
        """``(8, 3)`` in the world."""
        half = np.array(list(itertools.product((-0.5, 0.5), repeat=3))) * self.size_m
        out: Matrix = half @ self.world_from_box[:3, :3].T + self.world_from_box[:3, 3]
        return out


@dataclass(frozen=True, eq=False)
class LidarFacts:
    """A lidar of a frame, with its files in KITTI's layout."""

    name: str
    ego_from_lidar: Matrix
    points: Path
    labels: Path


@dataclass(frozen=True, eq=False)
class FrameFacts:
    """A frame: its files, where the car is, and what the sensors are; ``sequence`` is None for a single image."""

    sample: Sample
    world_from_ego: Matrix
    cameras: tuple[CameraFacts, ...]
    boxes: tuple[BoxFacts, ...]
    lidars: tuple[LidarFacts, ...]
    sequence: Mapping[str, Any] | None
    town: str
    weather: str

    @property
    def pinholes(self) -> tuple[CameraFacts, ...]:
        """The cameras whose pictures are straight."""
        return tuple(camera for camera in self.cameras if camera.lens == "pinhole")


def frames_with_geometry(dataset: Dataset) -> list[FrameFacts]:
    """The frames of every split whose camera is known, in order.

    Raises:
        CaosError: If there are none, or a row is not as ``docs/format.md`` says.
    """
    rows = dataset.manifest()
    known = [sample for sample in all_samples(dataset) if "camera" in rows.get(sample.key, {})]
    if not known:
        raise CaosError(
            f"{dataset.root} does not say where its cameras are; this format needs a set made by caos scenes generate"
        )
    return [_facts(dataset.root, sample, rows[sample.key]) for sample in known]


def _facts(root: Path, sample: Sample, row: Mapping[str, Any]) -> FrameFacts:
    try:
        return FrameFacts(
            sample,
            _ego(row),
            tuple(_cameras(root, sample, row)),
            tuple(_boxes(row)),
            tuple(_lidars(root, row)),
            row.get("sequence"),
            str(row.get("town", sample.town)),
            str((row.get("weather") or {}).get("name", "")),
        )
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        told = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise CaosError(f"{root / 'manifest.jsonl'}, {sample.key!r}: not a valid manifest row: {told}") from error


def _pose(told: Mapping[str, Any]) -> Matrix:
    return Transform(**{name: float(value) for name, value in told.items()}).matrix


def _ego(row: Mapping[str, Any]) -> Matrix:
    """Where the car is; without it, where the camera is, level."""
    if "ego_pose" in row:
        return _pose(row["ego_pose"])
    if isinstance(row.get("sequence"), Mapping) and "ego" in row["sequence"]:
        return _pose(row["sequence"]["ego"])
    return _pose(dict(row["camera"]["pose"]) | {"pitch_deg": 0.0, "roll_deg": 0.0})


def _cameras(root: Path, sample: Sample, row: Mapping[str, Any]) -> Iterator[CameraFacts]:
    if "cameras" not in row:
        camera = row["camera"]
        own, placed = _pinhole(camera["width"], camera["height"], camera["fov_deg"]), _pose(camera["pose"])
        there = np.linalg.inv(_ego(row)) @ placed
        yield CameraFacts("front", camera["width"], camera["height"], "pinhole", own, there, placed, image=sample.image)
        return
    for number, camera in enumerate(row["cameras"]):
        yield CameraFacts(
            name=str(camera["name"]),
            width=int(camera["width"]),
            height=int(camera["height"]),
            lens=str(camera["lens"]["model"]),
            intrinsics=np.array(camera["intrinsics"], float).reshape(3, 3),
            ego_from_camera=np.array(camera["extrinsics"], float).reshape(4, 4),
            world_from_camera=_pose(camera["pose"]),
            image=sample.image if number == 0 else root / camera["files"]["image"]["path"],
        )


def _pinhole(width: int, height: int, fov_deg: float) -> Matrix:
    focal = width / 2 / math.tan(math.radians(fov_deg) / 2)
    return np.array([[focal, 0, (width - 1) / 2], [0, focal, (height - 1) / 2], [0, 0, 1]])


def _boxes(row: Mapping[str, Any]) -> Iterator[BoxFacts]:
    hazards = {hazard["instance_id"]: hazard for hazard in row.get("hazards", ())}
    if "boxes" not in row:
        for number, hazard in hazards.items():
            if "size_m" in hazard and "pose" in hazard:
                yield _hazard_box(number, hazard)
        return
    for box in row["boxes"]:
        hazard = hazards.get(box["instance_id"], {}) if box["what"] == "hazard" else {}
        length, width, height = (float(side) for side in box["size_m"])
        yield BoxFacts(
            instance_id=int(box["instance_id"]),
            what=str(box["what"]),
            object=str(box["object"]),
            kind=str(hazard.get("category") or box.get("type") or box["what"]),
            world_from_box=_pose(box["center"]),
            size_m=(length, width, height),
            seen=box["seen"],
            lidar_points=sum(int(count) for count in box.get("lidar_points", {}).values()),
            occluded_share=hazard.get("occluded_share"),
        )


def _hazard_box(number: int, hazard: Mapping[str, Any]) -> BoxFacts:
    """A hazard of a set without boxes; its pose is where it stands, its own sides are known."""
    length, width, height = (float(side) for side in hazard["size_m"])
    middle = _pose(hazard["pose"]) @ Transform(z=height / 2).matrix
    seen = {"front": {"box": hazard.get("box"), "pixels": hazard.get("pixels", 0), "outline": None}}
    about = str(hazard.get("object") or f"hazard {number}"), str(hazard.get("category") or "hazard")
    return BoxFacts(number, "hazard", *about, middle, (length, width, height), seen, 0, hazard.get("occluded_share"))


def _lidars(root: Path, row: Mapping[str, Any]) -> Iterator[LidarFacts]:
    for lidar in row.get("lidar", ()):
        files = {kind: root / lidar["files"][kind]["path"] for kind in ("points", "labels")}
        yield LidarFacts(str(lidar["name"]), np.array(lidar["extrinsics"], float).reshape(4, 4), **files)
