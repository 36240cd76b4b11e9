"""Makes the images of a set: draws scene after scene, records them and writes their files.

Scene ``n`` of a split depends on the seed, the split and ``n`` alone, so any worker may make it, in any order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assets.library import Library
from foundation.files import read_json, sha256, write_json
from scenes.drawing import BuildSettings, Drawer, check_seen, check_view
from scenes.layout import MANIFEST_SCHEMA, SPLITS, Split, write_png
from scenes.placement import NoFreeSpaceError
from scenes.recipes import Slot
from scenes.scene import CameraSpec, Hazard, Scene
from scenes.silhouette import silhouette_pixels
from scenes.staging import Recording, film, put_up
from simulator.session import Session


class Builder:
    """Makes the images of a set, one slot at a time, on one session."""

    def __init__(self, session: Session, library: Library, settings: BuildSettings) -> None:
        self._session, self._library, self._settings = session, library, settings
        self._drawer = Drawer(session, library, settings)

    def build(self, slot: Slot, root: Path) -> dict[str, Any]:
        """Make one image and its companions below ``root``; returns its manifest row. Nothing is done twice."""
        place = root / "scenes" / f"{slot.key}.json"
        if place.exists():
            row: dict[str, Any] = read_json(place)
            if all((root / entry["path"]).exists() for entry in row["files"].values()):
                return row
        rejected: Counter[str] = Counter()
        scene, pictures = self._made(slot, rejected)
        row = self._row(slot, scene, pictures, rejected)
        row["files"] = _write(root, slot, pictures, depth=self._settings.depth)
        write_json(place, row)
        return row

    def _made(self, slot: Slot, rejected: Counter[str]) -> tuple[Scene, Recording]:
        """The first candidate of a slot whose finished frame keeps the rules."""
        for planned in self._drawer.candidates(slot, rejected):
            scene, cast = put_up(self._session, planned)
            try:
                if len(scene.hazards) < len(planned.hazards):
                    raise NoFreeSpaceError("refused")
                pictures = film(self._session, scene.camera, cast, twin=self._settings.twins and slot.hazards)
                self._check(scene, pictures)
            except NoFreeSpaceError as reason:
                rejected[f"{'frame' if planned.hazards else 'view'}: {reason}"] += 1
                continue
            return scene, pictures
        raise AssertionError  # candidates() raises when it runs out

    def _check(self, scene: Scene, pictures: Recording) -> None:
        """Measure a finished frame.

        Raises:
            NoFreeSpaceError: If a hazard is not seen well enough, or, where there is none, the view is not good.
        """
        if not scene.hazards:
            check_view(pictures.depth, pictures.annotation)
        for i, hazard in enumerate(scene.hazards):
            whole = self._whole(hazard, scene.camera)
            check_seen(pictures.instances == i + 1, whole, scene.camera, self._settings.rules)

    def _whole(self, hazard: Hazard, camera: CameraSpec) -> int:
        """Pixels of a hazard when nothing hides it."""
        return silhouette_pixels(self._library.mesh(hazard.object), hazard.pose, camera)

    def _row(self, slot: Slot, scene: Scene, pictures: Recording, rejected: Mapping[str, int]) -> dict[str, Any]:
        return {
            "schema": MANIFEST_SCHEMA,
            "key": slot.key,
            "split": slot.split,
            "town": scene.town,
            "seed": scene.seed,
            "camera": asdict(scene.camera),
            "weather": {"name": scene.weather_name, **asdict(scene.weather)},
            "scene": scene.to_json(),
            "rejected": dict(sorted(rejected.items())),
            "hazards": [self._hazard_row(scene, pictures, i) for i in range(len(scene.hazards))],
        }

    def _hazard_row(self, scene: Scene, pictures: Recording, index: int) -> dict[str, Any]:
        hazard = scene.hazards[index]
        mask = pictures.instances == index + 1
        rows, columns = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
        info = self._library.info(hazard.object)
        whole = self._whole(hazard, scene.camera)
        distance = np.linalg.norm(np.subtract(hazard.pose.location, scene.camera.pose.location))
        return {
            "object": hazard.object,
            "kind": info.kind,
            "category": info.category,
            "source": info.source,
            "licence": info.licence,
            "content": info.content,
            "pose": asdict(hazard.pose),
            "placement": hazard.placement,
            "stance": hazard.stance,
            "size_m": [round(v, 3) for v in info.size_m],
            "distance_m": round(float(distance), 3),
            "pixels": int(mask.sum()),
            "occluded_share": round(1 - min(1.0, int(mask.sum()) / max(whole, 1)), 4),
            "instance_id": index + 1,
            "box": [int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1],
        }


def _write(root: Path, slot: Slot, pictures: Recording, *, depth: bool) -> dict[str, dict[str, str]]:
    """Write the pictures of a slot; returns their paths and hashes."""
    arrays: dict[str, tuple[str, NDArray[Any] | None]] = {
        "image": ("images", pictures.rgb),
        "annotation": ("annotations", pictures.annotation),
        "instances": ("instances", pictures.instances),
        "depth": ("depth", depth_png(pictures.depth) if depth else None),
        "twin": ("twins", pictures.twin),
    }
    files = {}
    for kind, (folder, array) in arrays.items():
        if array is None:
            continue
        path = root / slot.path(folder)
        write_png(path, array)
        files[kind] = {"path": slot.path(folder), "sha256": sha256(path)}
    return files


def depth_png(depth_m: NDArray[np.float32]) -> NDArray[np.uint16]:
    """Depth for a 16-bit PNG: centimetres, 65535 for sky and what is farther than 655 m."""
    return np.minimum(np.where(np.isfinite(depth_m), depth_m * 100, 65535), 65535).round().astype(np.uint16)


def split_counts(slots: Sequence[Slot]) -> dict[Split, int]:
    """Images per split."""
    return {split: sum(slot.split == split for slot in slots) for split in SPLITS}
