"""Pictures of the pages, compressed: frame, twin, truth, prediction, score maps, and a crop of each hazard.

What a script must read pixel by pixel (score maps, class ids) is a script that sets ``CAOS_LOADED`` to a data URL: a
browser shows an image from the file system but lets no page read its pixels.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from caos.foundation.storage.files import whole_file, write_text
from caos.ood_scores.evaluation.truth import Truth
from caos.ood_scores.report.alarms import AlarmLevels, FalseAlarms, false_alarms
from caos.ood_scores.report.crops import Box, hazard_boxes, hazard_crop
from caos.ood_scores.results import column_folder
from caos.scenes.dataset.layout import Sample, read_image, read_png_values
from caos.scenes.labels import LabelTable

THUMB_WIDTH: Final = 320
IDS_WIDTH: Final = 320
WIDEST: Final = 1280
QUALITY: Final = 80
SCORE_QUALITY: Final = 88
CODES: Final = 256
BLEND: Final = 0.6
"""How strongly label colours cover the picture."""
Picture = NDArray[np.uint8]


@dataclass(frozen=True)
class FrameToDraw:
    """One frame to draw: where its parts are and where its pictures go.

    Attributes:
        sample: The frame.
        results: Folder of the results.
        out: Folder of the site.
        scorers: In the order of the results.
        table: Labels of the set.
        predicted: Labels of the network, if they are not those of the set.
        levels: Thresholds at which false alarms are counted, by scorer.
        hazards: Instance ids, in the order of the results.
    """

    sample: Sample
    results: Path
    out: Path
    scorers: tuple[str, ...]
    table: LabelTable
    predicted: LabelTable
    levels: Mapping[str, AlarmLevels]
    hazards: tuple[int, ...]

    @property
    def folder(self) -> str:
        """The frame's folder below the site, a name of its own whatever characters the key has."""
        plain = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "_" for c in self.sample.key)
        digest = hashlib.sha256(self.sample.key.encode()).hexdigest()[:8]
        return f"frames/{plain[:80]}-{digest}"


@dataclass(frozen=True)
class DrawnFrame:
    """What was drawn of a frame.

    Attributes:
        folder: Relative to the site. It holds NAME.webp for each picture, ``score<n>.js`` for scorer n, ``facts.js``
            (counts and class ids), and ``crop<n>.webp`` for hazard n.
        pictures: Names of the pictures there are.
        alarms: What is marked falsely, by scorer; a scorer without a preview is left out.
        boxes: Of each hazard, left, top, right, bottom; None for one that does not show.
    """

    folder: str
    pictures: tuple[str, ...]
    alarms: Mapping[str, FalseAlarms]
    boxes: tuple[Box | None, ...]


def draw_frame(frame: FrameToDraw) -> DrawnFrame:
    """Write a frame's pictures and counts.

    Raises:
        CaosError: If a picture of the set or of the results cannot be read.
    """
    sample, place = frame.sample, frame.out / frame.folder
    image = read_image(sample.image)
    truth = Truth.read(sample, frame.table, (image.shape[0], image.shape[1]))
    pictures = {"image": image, "truth": _coloured(image, frame.table.colorize(truth.ids))}
    if sample.twin is not None:
        pictures["twin"] = read_image(sample.twin)
    prediction = _prediction(frame)
    if prediction is not None:
        pictures["prediction"] = _coloured(image, frame.predicted.colorize(prediction))
    for name, picture in pictures.items():
        _save(place / f"{name}.webp", picture)
    _save(place / "thumb.webp", image, THUMB_WIDTH)
    codes = _codes(frame)
    # Files are numbered: a scorer's name need not be the name of a file.
    for scorer, code in codes.items():
        _write_loaded(place / f"score{frame.scorers.index(scorer)}.js", _data_url(code, quality=SCORE_QUALITY))
    boxes = hazard_boxes(truth.objects, frame.hazards)
    for number, box in enumerate(boxes):
        if box is not None:
            _save(place / f"crop{number}.webp", hazard_crop(image, pictures["truth"], box))
    anomalous = {code.shape: _resized(truth.anomalous, code.shape) for code in codes.values()}
    counts = {frame.scorers.index(s): _counts(code, anomalous[code.shape]) for s, code in codes.items()}
    _write_loaded(place / "facts.js", {"counts": counts, **_ids("truth", truth.ids), **_ids("prediction", prediction)})
    alarms = {s: false_alarms(code, anomalous[code.shape], frame.levels[s]) for s, code in codes.items()}
    return DrawnFrame(frame.folder, (*pictures, "thumb"), alarms, boxes)


def _prediction(frame: FrameToDraw) -> Picture | None:
    path = frame.results / "predictions" / f"{frame.sample.key}.png"
    return read_png_values(path) if path.exists() else None


def _codes(frame: FrameToDraw) -> dict[str, Picture]:
    """The score codes of each scorer that has a preview of this frame."""
    folder, file = frame.results / "previews", f"{frame.sample.key}.png"
    paths = {scorer: folder / column_folder(scorer) / file for scorer in frame.scorers}
    return {scorer: read_png_values(path) for scorer, path in paths.items() if path.exists()}


def _coloured(image: Picture, colors: Picture) -> Picture:
    if image.shape != colors.shape:
        size = (image.shape[1], image.shape[0])
        colors = np.asarray(Image.fromarray(colors).resize(size, Image.Resampling.NEAREST))
    return (BLEND * colors + (1 - BLEND) * image).astype(np.uint8)


def _save(path: Path, array: Picture, width: int = WIDEST) -> None:
    picture = Image.fromarray(array)
    if picture.width > width:
        picture = picture.resize((width, round(picture.height * width / picture.width)), Image.Resampling.LANCZOS)
    with whole_file(path) as temporary:
        picture.save(temporary, format="WEBP", quality=QUALITY, method=2)


def _data_url(array: Picture, **options: Any) -> str:
    buffer = io.BytesIO()
    Image.fromarray(array).save(buffer, format="WEBP", method=2, **options)
    return f"data:image/webp;base64,{base64.b64encode(buffer.getvalue()).decode()}"


def _ids(name: str, ids: Picture | None) -> dict[str, str]:
    """Class ids, small and without loss, to be read under the pointer."""
    if ids is None:
        return {}
    height = max(round(IDS_WIDTH * ids.shape[0] / ids.shape[1]), 1)
    small = np.asarray(Image.fromarray(ids).resize((IDS_WIDTH, height), Image.Resampling.NEAREST))
    return {name: _data_url(small, lossless=True)}


def _write_loaded(path: Path, value: Any) -> None:
    write_text(path, f"window.CAOS_LOADED = {json.dumps(value, separators=(',', ':'))};\n")


def _resized(mask: NDArray[np.bool_], shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """A mask at the size of a score map's preview."""
    if mask.shape == shape:
        return mask
    small = Image.fromarray(mask.astype(np.uint8)).resize((shape[1], shape[0]), Image.Resampling.NEAREST)
    return np.asarray(small).astype(bool)


def _counts(codes: Picture, anomalous: NDArray[np.bool_]) -> dict[str, list[int]]:
    """Pixels of each code on hazards and elsewhere, at the size of the score map's preview."""
    return {
        "anomalous": np.bincount(codes[anomalous], minlength=CODES).tolist(),
        "ordinary": np.bincount(codes[~anomalous], minlength=CODES).tolist(),
    }
