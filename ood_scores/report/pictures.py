"""Pictures of the pages, compressed: frame, twin, truth, prediction, and the score map of each scorer."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from caos.foundation.files import whole_file, write_text
from caos.ood_scores.results import column_folder
from caos.scenes.labels import LabelTable
from caos.scenes.layout import Sample, read_class_ids, read_image, read_png_values

THUMB_WIDTH: Final = 320
WIDEST: Final = 1280
QUALITY: Final = 80
CODES: Final = 256
BLEND: Final = 0.6
"""How strongly label colours cover the picture."""


@dataclass(frozen=True)
class FrameToDraw:
    """One frame to draw: where its parts are and where its pictures go."""

    sample: Sample
    results: Path
    out: Path
    scorers: tuple[str, ...]
    table: LabelTable
    predicted: LabelTable
    """What the network's classes are, if not the set's own."""

    @property
    def folder(self) -> str:
        """The frame's folder below the site, a name of its own whatever characters the key has."""
        plain = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "_" for c in self.sample.key)
        digest = hashlib.sha256(self.sample.key.encode()).hexdigest()[:8]
        return f"frames/{plain[:80]}-{digest}"


@dataclass(frozen=True)
class DrawnFrame:
    """Paths of what was drawn, relative to the site: by name, and the score maps by scorer."""

    files: Mapping[str, str]
    maps: Mapping[str, str]


def draw_frame(frame: FrameToDraw) -> DrawnFrame:
    """Write a frame's pictures and counts.

    Raises:
        CaosError: If a picture of the set or of the results cannot be read.
    """
    sample, place = frame.sample, frame.out / frame.folder
    image = read_image(sample.image)
    ids = read_class_ids(sample, frame.table)
    pictures = {"image": image, "truth": _coloured(image, frame.table.colorize(ids))}
    if sample.twin is not None:
        pictures["twin"] = read_image(sample.twin)
    prediction = frame.results / "predictions" / f"{sample.key}.png"
    if prediction.exists():
        pictures["prediction"] = _coloured(image, frame.predicted.colorize(read_png_values(prediction)))
    for name, picture in pictures.items():
        _save(place / f"{name}.webp", picture)
    _save(place / "thumb.webp", image, THUMB_WIDTH)
    codes = _codes(frame)
    # Files are numbered: a scorer's name need not be the name of a file.
    names = {scorer: f"score{number}.webp" for number, scorer in enumerate(codes)}
    for scorer, name in names.items():
        _save(place / name, codes[scorer])
    _write_counts(place / "counts.js", sample.key, codes, np.isin(ids, frame.table.anomaly_ids))
    files = {name: f"{frame.folder}/{name}.webp" for name in (*pictures, "thumb")}
    return DrawnFrame(
        {**files, "counts": f"{frame.folder}/counts.js"},
        {scorer: f"{frame.folder}/{name}" for scorer, name in names.items()},
    )


def _codes(frame: FrameToDraw) -> dict[str, NDArray[np.uint8]]:
    """The score codes of each scorer that has a preview of this frame."""
    folder, file = frame.results / "previews", f"{frame.sample.key}.png"
    paths = {scorer: folder / column_folder(scorer) / file for scorer in frame.scorers}
    return {scorer: read_png_values(path) for scorer, path in paths.items() if path.exists()}


def _coloured(image: NDArray[np.uint8], colors: NDArray[np.uint8]) -> NDArray[np.uint8]:
    if image.shape != colors.shape:
        size = (image.shape[1], image.shape[0])
        colors = np.asarray(Image.fromarray(colors).resize(size, Image.Resampling.NEAREST))
    return (BLEND * colors + (1 - BLEND) * image).astype(np.uint8)


def _save(path: Path, array: NDArray[np.uint8], width: int = WIDEST) -> None:
    picture = Image.fromarray(array)
    if picture.width > width:
        picture = picture.resize((width, round(picture.height * width / picture.width)), Image.Resampling.LANCZOS)
    with whole_file(path) as temporary:
        picture.save(temporary, format="WEBP", quality=QUALITY, method=2)


def _write_counts(path: Path, key: str, codes: Mapping[str, NDArray[np.uint8]], anomalous: NDArray[np.bool_]) -> None:
    counts = {scorer: _counts(code, anomalous) for scorer, code in codes.items()}
    written = json.dumps(counts, separators=(",", ":"))
    write_text(path, f"(window.CAOS_COUNTS ||= {{}})[{json.dumps(key)}] = {written};\n")


def _counts(codes: NDArray[np.uint8], anomalous: NDArray[np.bool_]) -> dict[str, list[int]]:
    """Pixels of each code on hazards and elsewhere, at the size of the score map's preview."""
    if codes.shape != anomalous.shape:
        mask = Image.fromarray(anomalous.astype(np.uint8)).resize(codes.shape[::-1], Image.Resampling.NEAREST)
        anomalous = np.asarray(mask).astype(bool)
    return {
        "anomalous": np.bincount(codes[anomalous], minlength=CODES).tolist(),
        "ordinary": np.bincount(codes[~anomalous], minlength=CODES).tolist(),
    }
