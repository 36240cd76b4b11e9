"""The pictures of the pages, compressed: frame, twin, truth, prediction, and one score map a scorer."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from foundation.errors import CaosError
from foundation.files import whole_file, write_text
from scenes.labels import LabelTable
from scenes.layout import Sample, read_class_ids, read_image, read_png_values

THUMB_WIDTH: Final = 320
WIDEST: Final = 1280
QUALITY: Final = 80
CODES: Final = 256
BLEND: Final = 0.6
"""How strongly label colours cover the picture."""


@dataclass(frozen=True)
class FrameJob:
    """One frame to draw: where its parts are and where its pictures go."""

    sample: Sample
    results: Path
    out: Path
    scorers: tuple[str, ...]
    table: LabelTable

    @property
    def folder(self) -> str:
        """The frame's folder below the site."""
        return f"frames/{self.sample.key.replace('/', '_')}"


def draw_frame(job: FrameJob) -> dict[str, Any]:
    """Write a frame's pictures and counts; returns their paths, relative to the site.

    Raises:
        CaosError: If a picture of the set or of the results cannot be read.
    """
    sample, place = job.sample, job.out / job.folder
    image = read_image(sample.image)
    ids = read_class_ids(sample, job.table)
    paths: dict[str, Any] = {
        "image": _save(place / "image.webp", image),
        "thumb": _save(place / "thumb.webp", image, THUMB_WIDTH),
        "truth": _save(place / "truth.webp", _coloured(image, job.table.colorize(ids))),
        "twin": _save(place / "twin.webp", read_image(sample.twin)) if sample.twin else None,
    }
    prediction = job.results / "predictions" / f"{sample.key}.png"
    if prediction.exists():
        picture = _coloured(image, job.table.colorize(read_png_values(prediction)))
        paths["prediction"] = _save(place / "prediction.webp", picture)
    maps = {scorer: job.results / "previews" / scorer / f"{sample.key}.png" for scorer in job.scorers}
    codes = {scorer: read_png_values(path) for scorer, path in maps.items() if path.exists()}
    paths["maps"] = {scorer: _save(place / f"{scorer}.webp", code) for scorer, code in codes.items()}
    anomalous = np.isin(ids, job.table.anomaly_ids)
    counts = {scorer: _counts(code, anomalous) for scorer, code in codes.items()}
    script = f"(window.CAOS_COUNTS ||= {{}})[{json.dumps(sample.key)}] = {json.dumps(counts, separators=(',', ':'))};\n"
    write_text(place / "counts.js", script)
    relative = {name: f"{job.folder}/{file}" for name, file in paths.items() if isinstance(file, str)}
    relative["counts"] = f"{job.folder}/counts.js"
    return relative | {"maps": {scorer: f"{job.folder}/{file}" for scorer, file in paths["maps"].items()}}


def _coloured(image: NDArray[np.uint8], colors: NDArray[np.uint8]) -> NDArray[np.uint8]:
    if image.shape != colors.shape:
        size = (image.shape[1], image.shape[0])
        colors = np.asarray(Image.fromarray(colors).resize(size, Image.Resampling.NEAREST))
    return (BLEND * colors + (1 - BLEND) * image).astype(np.uint8)


def _save(path: Path, array: NDArray[np.uint8], width: int = WIDEST) -> str:
    picture = Image.fromarray(array)
    if picture.width > width:
        picture = picture.resize((width, round(picture.height * width / picture.width)), Image.Resampling.LANCZOS)
    with whole_file(path) as temporary:
        picture.save(temporary, format="WEBP", quality=QUALITY, method=2)
    return path.name


def _counts(codes: NDArray[np.uint8], anomalous: NDArray[np.bool_]) -> dict[str, list[int]]:
    """Pixels of each code on hazards and elsewhere, at the size of the score map's preview."""
    if codes.shape != anomalous.shape:
        mask = Image.fromarray(anomalous.astype(np.uint8)).resize(codes.shape[::-1], Image.Resampling.NEAREST)
        anomalous = np.asarray(mask).astype(bool)
    return {
        "anomalous": np.bincount(codes[anomalous], minlength=CODES).tolist(),
        "ordinary": np.bincount(codes[~anomalous], minlength=CODES).tolist(),
    }


def frame_rows(
    rows: Sequence[Mapping[str, Any]], drawn: Mapping[str, Mapping[str, Any]], scorers: Sequence[str]
) -> list[dict[str, Any]]:
    """What the gallery knows of each frame."""
    return [
        {
            "key": row["key"],
            "town": row["town"],
            "weather": row["weather"],
            "width": row["width"],
            "height": row["height"],
            "auroc": {s: row["measures"].get(s, {}).get("caos", {}).get("auroc") for s in scorers},
            "hazards": [_hazard(hazard) for hazard in row["hazards"]],
            **drawn[row["key"]],
        }
        for row in rows
        if row["key"] in drawn
    ]


def _hazard(hazard: Mapping[str, Any]) -> dict[str, Any]:
    name = hazard.get("object") or f"hazard {hazard['instance_id']}"
    kept = {key: hazard.get(key) for key in ("category", "distance_m", "pixels", "box")}
    return {"object": name, **kept}


def missing_image(sample: Sample) -> CaosError:
    """The error for a set whose images are not there."""
    return CaosError(f"{sample.image} does not exist; give the set's present place with --dataset DIR")
